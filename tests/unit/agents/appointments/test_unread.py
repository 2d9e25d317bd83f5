"""Nothing is booked, moved or cancelled that leaves out a figure, a day or whose appointment it is."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from batuta.agents.appointments.calendar_file import CalendarFile
from batuta.agents.appointments.desk import assess
from batuta.agents.appointments.models import Appointment, Outcome, RequestKind
from batuta.agents.appointments.parsing import parse_as, parse_request
from batuta.agents.appointments.resolving import Moment
from batuta.agents.appointments.understanding import UNDERSTANDING
from batuta.language.understanding import Intent

ZONE = "Europe/Madrid"
NOW = datetime(2026, 11, 16, 10, tzinfo=ZoneInfo(ZONE))


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return NOW.replace(day=day, hour=hour, minute=minute)


@pytest.fixture
def calendar(tmp_path: Path) -> CalendarFile:
    calendar = CalendarFile(tmp_path / "own.ics", ZONE)
    calendar.add(Appointment(uid="call", title="Call with Luis", start=at(18, 16), end=at(18, 17), contact="Luis"))
    calendar.add(Appointment(uid="dentist", title="Dentist", start=at(19, 9, 30), end=at(19, 10, 30)))
    return calendar


def outcome(text: str, calendar: CalendarFile) -> Outcome:
    return assess(parse_request(text), calendar, Moment(now=NOW, zone=ZONE))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("call Tom tomorrow at 10 or 11", "unread"),
        ("llamada con Tom mañana a las 10 o a las 11", "unread"),
        ("reunión con 3 clientes mañana a las 10", "unread"),
        ("gym mxe 19h", "date"),
        ("pilates three times a month on tuesdays at 7pm", "unread"),
        ("pilates tres veces al mes los martes a las 19h", "unread"),
        ("move the dentist half an hour before the demo", "unread"),
        ("pasa el dentista media hora antes de la demo", "unread"),
        ("party tomorrow at midnight", "which_midnight"),
        ("fiesta el viernes a media noche", "which_midnight"),
        ("mueve el dentista al viernes 11", "date"),
    ],
)
def test_what_is_not_read_is_asked_about(text: str, problem: str, calendar: CalendarFile) -> None:
    found = outcome(text, calendar)
    assert (found.outcome, found.draft.problems) == ("needs_information", (problem,))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("mesa para 6 el viernes a las 9 de la noche", "Mesa para 6"),
        ("table for three on friday at 9pm", "Table for three"),
        ("sala para 8 personas el viernes a las 9:30", "Sala para 8 personas"),
        ("café con Eva mañana a las 12 ▸ y también con Leo", "Café con Eva y Leo"),
        ("café con Domingo mañana a las 12", "Café con Domingo"),
        ("call with Domingo on friday at 9:15", "Call with Domingo"),
        ("comida con Nuria y Domingo mañana a las 13:30", "Comida con Nuria y Domingo"),
    ],
)
def test_how_many_people_and_who_are_no_hour_and_no_day(text: str, title: str, calendar: CalendarFile) -> None:
    found = outcome(text, calendar)
    assert (found.outcome, found.draft.parsed.title) == ("free", title)


@pytest.mark.parametrize(
    "text",
    [
        "don't cancel the dentist but move the call with Luis to 12",
        "no anules el dentista, pasa la llamada con Luis a las 12",
    ],
)
def test_what_is_to_stay_is_not_taken_for_what_is_changed(text: str, calendar: CalendarFile) -> None:
    found = outcome(text, calendar)
    assert (found.outcome, found.draft.moved and found.draft.moved.title) == ("free", "Call with Luis")


def test_a_later_question_names_what_a_pronoun_stands_for(calendar: CalendarFile) -> None:
    found = outcome("when is the call with Luis? ▸ and the dentist? ▸ move it to 12:30", calendar)
    assert found.draft.moved is not None
    assert found.draft.moved.title == "Dentist"


@pytest.mark.parametrize(
    "text",
    [
        "cancel my wife's dentist appointment",
        "cancela el dentista de mi hija",
        "cancel the lunch with Luis",
        "move tomorrow's dentist to Friday at 9",
        "pasa el dentista del lunes al viernes a las 9",
    ],
)
def test_another_appointment_than_the_one_that_is_named_is_not_taken(text: str, calendar: CalendarFile) -> None:
    assert outcome(text, calendar).outcome == "not_found"


@pytest.mark.parametrize(
    "text", ["cancel all my calls", "cancela todas mis llamadas", "delete every call on Wednesday"]
)
def test_several_at_once_are_asked_about(text: str, calendar: CalendarFile) -> None:
    found = outcome(text, calendar)
    assert found.outcome != "free"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("move the call with Luis from Wednesday to Thursday at 12", at(19, 12)),
        ("the dentist has to be at 12 instead of 9:30, change it", at(19, 12)),
        ("pasa la llamada de las 16h con Luis al jueves a las 12", at(19, 12)),
    ],
)
def test_the_time_that_something_is_moved_from_is_read(text: str, start: datetime, calendar: CalendarFile) -> None:
    found = outcome(text, calendar)
    assert found.draft.parsed.intent is RequestKind.RESCHEDULING
    assert found.draft.slot is not None
    assert found.draft.slot.start == start


@pytest.mark.parametrize(
    ("text", "kind"), [("frobnicate the dentist", "cancel"), ("frobnicate the dentist on Friday at 9", "move")]
)
def test_a_verb_that_is_not_known_moves_and_cancels_nothing(text: str, kind: str, calendar: CalendarFile) -> None:
    found = assess(parse_as(text, kind), calendar, Moment(now=NOW, zone=ZONE))
    assert (found.outcome, found.draft.problems) == ("needs_information", ("unread",))


@pytest.mark.parametrize(
    "intent",
    [intent for intent in UNDERSTANDING.intents if intent.id in ("move", "cancel")],
    ids=lambda intent: intent.id,
)
def test_every_example_of_a_change_says_what_it_changes(intent: Intent) -> None:
    texts = [text for texts in intent.examples.values() for text in texts]
    assert [text for text in texts if text.split()[0] in parse_as(text, intent.id).unread] == []


@pytest.mark.parametrize(
    "text",
    [
        "anula la llamada con Luis y la comida con Marta",
        "cancel the dentist and the call",
        "move the dentist and the call to Friday at 11",
    ],
)
def test_the_second_of_two_that_are_named_is_not_left_out(text: str, calendar: CalendarFile) -> None:
    assert "unread" in outcome(text, calendar).draft.problems
