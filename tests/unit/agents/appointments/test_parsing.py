"""Appointment requests read by rules, in both languages (A-30)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta.agents.appointments.models import RequestKind
from batuta.agents.appointments.parsing import parse_as, parse_request


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "cita mañana 10am con Dr. Pérez",
            {"date_text": "mañana", "time_text": "10am", "contact": "Dr. Pérez", "title": "Cita con Dr. Pérez"},
        ),
        (
            "Book a meeting with Ana on Wednesday at 10:30",
            {"date_text": "Wednesday", "time_text": "at 10:30", "title": "Meeting with Ana"},
        ),
        ("gym on Friday at 7", {"title": "Gym", "date_text": "Friday"}),
        ("quiero ver al notario el lunes a las 12:30", {"title": "Notario", "contact": None}),
        ("apúntame con el contable el jueves a las 11", {"title": "Cita con el contable"}),
        ("put me down with the accountant on Thursday at 11", {"title": "Appointment with the accountant"}),
        ("recoger el coche el jueves a las 17:30", {"title": "Recoger el coche"}),
        (
            "reunión el viernes a las 4 de la tarde con Marta Ruiz",
            {"date_text": "viernes", "time_text": "a las 4 de la tarde", "contact": "Marta Ruiz"},
        ),
        (
            "cita el 15 de marzo a las nueve y media",
            {"date_text": "el 15 de marzo", "time_text": "a las nueve y media", "contact": None},
        ),
        (
            "Schedule a call with Tom next Monday at 4 for 30 minutes",
            {"date_text": "next Monday", "time_text": "at 4", "duration_minutes": 30},
        ),
        (
            "lunch with Sam tomorrow at noon in London",
            {"time_text": "at noon", "place": "London", "title": "Lunch with Sam"},
        ),
        (
            "cita con el dentista mañana por la mañana a las 9:00",
            {"contact": "el dentista", "date_text": "mañana", "time_text": "a las 9:00"},
        ),
        (
            "meeting about the budget on 2026-12-01 at 9am for half an hour",
            {"date_text": "2026-12-01", "duration_minutes": 30},
        ),
        (
            'book "Board review" on 3/12 at 11:00 in room 4',
            {"title": "Board review", "date_text": "3/12", "place": "room 4"},
        ),
        ("cita pasado mañana a mediodía", {"date_text": "pasado mañana", "time_text": "a mediodía"}),
    ],
)
def test_the_parts_of_a_request_are_found(text: str, expected: dict[str, Any]) -> None:
    parsed = parse_request(text)
    assert {name: getattr(parsed, name) for name in expected} == expected
    assert parsed.intent is RequestKind.CREATION


@pytest.mark.parametrize(
    ("text", "date", "time"),
    [
        ("move my meeting with Ana to Friday 3pm", "Friday", "3pm"),
        ("mueve la reunión con Ana al viernes a las 15h", "viernes", "a las 15h"),
        ("reschedule Monday's meeting with Ana to Tuesday", "Tuesday", None),
        ("cambia la cita con Ana a las 16:00", None, "a las 16:00"),
    ],
)
def test_a_move_is_read_from_where_it_goes(text: str, date: str | None, time: str | None) -> None:
    parsed = parse_request(text)
    assert (parsed.intent, parsed.date_text, parsed.time_text) == (RequestKind.RESCHEDULING, date, time)
    assert parsed.contact == "Ana"


@pytest.mark.parametrize("text", ["Am I free on Friday?", "¿estoy libre mañana a las 10?", "¿Tengo un hueco hoy?"])
def test_a_question_is_not_a_booking(text: str) -> None:
    assert parse_request(text).intent is RequestKind.QUESTION


def test_rules_say_that_they_are_less_sure_than_a_model() -> None:
    assert parse_request("cita mañana").confidence == 0.65
    assert parse_request("hm").confidence < 0.5


@given(st.text(max_size=120))
def test_any_text_is_read(text: str) -> None:
    parse_request(text)


@pytest.mark.parametrize(
    "said",
    [
        "meeting with Carmen on Tuesday at 4pm ▸ make it 45 minutes better",
        "reunión con Carmen el martes a las 16h ▸ mejor que sean 45 minutos",
    ],
)
def test_a_length_that_is_said_later_is_the_new_one(said: str) -> None:
    parsed = parse_request(said)
    assert (parsed.duration_minutes, parsed.shift_minutes) == (45, None)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("make the lunch with Marta two hours long", 120),
        ("extend the call with Luis to an hour", 60),
        ("que la comida con Marta dure dos horas", 120),
        ("acorta la reunión con Ana a media hora", 30),
    ],
)
def test_how_long_something_is_to_be_is_not_by_how_much_it_is_moved(text: str, minutes: int) -> None:
    parsed = parse_as(text, "move")
    assert (parsed.intent, parsed.duration_minutes, parsed.shift_minutes) == (RequestKind.RESCHEDULING, minutes, None)


@pytest.mark.parametrize(
    ("text", "day", "minutes"),
    [
        ("push tomorrow's call with Ana back an hour", "tomorrow", 60),
        ("adelanta media hora la llamada del viernes", "viernes", -30),
        ("bring Friday's demo forward by an hour", "Friday", -60),
    ],
)
def test_the_day_of_what_is_moved_by_some_time_tells_which_one_it_is(text: str, day: str, minutes: int) -> None:
    parsed = parse_as(text, "move")
    assert (parsed.date_text, parsed.from_date_text, parsed.shift_minutes) == (None, day, minutes)


@pytest.mark.parametrize(
    "text",
    [
        "schedule a demo with Acme on 24 November at 10 ▸ make it an hour later",
        "agenda una demo con Acme el 24 de noviembre a las 10 ▸ mejor una hora más tarde",
    ],
)
def test_a_later_message_that_says_by_how_much_is_a_move_and_no_length(text: str) -> None:
    parsed = parse_request(text)
    assert (parsed.intent, parsed.shift_minutes, parsed.duration_minutes) == (RequestKind.RESCHEDULING, 60, None)


@pytest.mark.parametrize("text", ["el dentista mejor el 26 a las 8", "the dentist, better on the 26th at 8"])
def test_what_is_better_at_another_time_is_moved_and_not_booked_again(text: str) -> None:
    assert parse_as(text, "create").intent is RequestKind.RESCHEDULING
    assert parse_as(f"book {text}", "create").intent is RequestKind.CREATION


def test_half_an_hour_later_is_still_a_move() -> None:
    parsed = parse_as("make the meeting with Ana half an hour later", "move")
    assert (parsed.duration_minutes, parsed.shift_minutes) == (None, 30)


def test_the_verb_of_an_order_counts_and_not_a_word_like_another() -> None:
    """Read as a cancellation by who asks, "shift" makes no move of it."""
    parsed = parse_as("can you scrap Thursday's dentist, I have a shift", "cancel")
    assert parsed.intent is RequestKind.CANCELLATION


@pytest.mark.parametrize(
    "text", ["please call off the dentist", "call the dentist off", "call off my visit to the dentist"]
)
def test_to_call_something_off_is_no_call(text: str) -> None:
    parsed = parse_as(text, "cancel")
    assert (parsed.intent, parsed.title, parsed.unread) == (RequestKind.CANCELLATION, "Dentist", ())


def test_who_and_which_week_are_nobody_by_name() -> None:
    assert parse_request("who am I having lunch with this week?").contact is None
    assert parse_request("Ana can't make ten tomorrow, move her to noon").owner is None


@pytest.mark.parametrize(
    ("text", "day", "time"),
    [
        ("cancel the review with Eva and put it on Friday at 10", "Friday", "at 10"),
        ("please delete Eva's demo, then rebook it for Friday at 10", "Friday", "at 10"),
        ("anula la revisión con Eva y ponla mejor el viernes a las 10", "viernes", "a las 10"),
    ],
)
def test_what_is_cancelled_to_be_made_again_is_moved(text: str, day: str, time: str) -> None:
    parsed = parse_as(text, "cancel")
    assert (parsed.intent, parsed.date_text, parsed.time_text) == (RequestKind.RESCHEDULING, day, time)


def test_another_appointment_in_the_place_of_a_cancelled_one_is_no_move() -> None:
    assert parse_request("anula la revisión y reserva el dentista el viernes").intent is RequestKind.CANCELLATION
