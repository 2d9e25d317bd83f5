"""When a request is meant, from its words to a slot, seen from a Sunday noon in Madrid, in both languages (A-30).

A day that is not understood is asked about: none is ever guessed.
"""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from batuta.agents.appointments.calendar_file import CalendarFile
from batuta.agents.appointments.desk import assess
from batuta.agents.appointments.models import Appointment, Draft
from batuta.agents.appointments.parsing import parse_request
from batuta.agents.appointments.resolving import Moment, resolve_temporal, validate
from batuta.agents.appointments.when import resolve_span
from batuta.agents.appointments.wording import summary_of

SUNDAY_NOON = Moment(now=datetime(2026, 11, 15, 11, tzinfo=UTC), zone="Europe/Madrid")


def drafted(text: str) -> Draft:
    return validate(resolve_temporal(parse_request(text), SUNDAY_NOON), SUNDAY_NOON)


def start_of(text: str) -> str | None:
    slot = drafted(text).slot
    return f"{slot.start:%Y-%m-%d %H:%M}" if slot else None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("book a meeting tomorrow at 10", "2026-11-16"),
        ("book a meeting the day after tomorrow at 10", "2026-11-17"),
        ("book a meeting in a week at 10", "2026-11-22"),
        ("book a meeting in two weeks at 10", "2026-11-29"),
        ("book a meeting in a week's time at 10", "2026-11-22"),
        ("book a meeting in three days’ time at 10", "2026-11-18"),
        ("book a meeting in a couple of days at 10", "2026-11-17"),
        ("book a meeting in a fortnight at 10", "2026-11-29"),
        ("book a meeting in 6 months at 10", "2027-05-15"),
        ("book a meeting a week from Tuesday at 10", "2026-11-24"),
        ("book a meeting two weeks from today at 10", "2026-11-29"),
        ("book a meeting on the 20th at 10", "2026-11-20"),
        ("book a meeting on the 10th at 10", "2026-12-10"),
        ("book a meeting on the 31st at 10", "2026-12-31"),
        ("book a meeting on the 5th of next month at 10", "2026-12-05"),
        ("book a meeting next month on the 5th at 10", "2026-12-05"),
        ("book a meeting on 3 Dec at 10", "2026-12-03"),
        ("book a meeting with Bob Dec 3 at 10", "2026-12-03"),
        ("book a meeting on Dec. 3rd at 10", "2026-12-03"),
        ("book a meeting on the 3rd of December at 10", "2026-12-03"),
        ("book a meeting on December 3rd, 2027 at 10", "2027-12-03"),
        ("book a meeting on Thursday, 3 December at 10", "2026-12-03"),
        ("book a meeting on 29 February at 10", "2028-02-29"),
        ("book a meeting on 3.12.2026 at 10", "2026-12-03"),
        ("book a meeting on 2026/12/03 at 10", "2026-12-03"),
        ("book a meeting on Christmas at 10", "2026-12-25"),
        ("book a meeting on 12/25 at 10", "2026-12-25"),
        ("book a meeting on New Year's Eve at 10", "2026-12-31"),
        ("book a meeting the first Monday of December at 10", "2026-12-07"),
        ("book a meeting on the last Friday of the month at 10", "2026-11-27"),
        ("book a meeting on the first Monday of the month at 10", "2026-12-07"),
        ("book a meeting on the second Tuesday of next month at 10", "2026-12-08"),
        ("book a meeting the week after next on Tuesday at 10", "2026-11-24"),
        ("book a meeting on Tuesday of the week after next at 10", "2026-11-24"),
        ("book a meeting next week on Tuesday at 10", "2026-11-17"),
        ("book a meeting on Fri at 10", "2026-11-20"),
        ("book a meeting tomorrow, Monday 16 November, at 10", "2026-11-16"),
        ("book a meeting with Ludmila tomorrow at 10", "2026-11-16"),
        ("book lunch with April tomorrow at 10", "2026-11-16"),
        ("book a meeting tomorrow at 10 on the 3rd floor", "2026-11-16"),
        ("book a meeting tomorrow at 10 on the third floor", "2026-11-16"),
        ("book a meeting about the plan for next month, tomorrow at 10", "2026-11-16"),
        ("cita mañana a las 10", "2026-11-16"),
        ("cita en tres días a las 10", "2026-11-18"),
        ("cita dentro de una semana a las 10", "2026-11-22"),
        ("cita dentro de dos semanas a las 10", "2026-11-29"),
        ("cita de aquí a un mes a las 10", "2026-12-15"),
        ("cita el día 20 a las 10", "2026-11-20"),
        ("book a meeting Sat at 10", "2026-11-21"),
        ("cita vie 20 a las 10", "2026-11-20"),
        ("cita el 20 a las 10", "2026-11-20"),
        ("cita el lunes 16 a las 10", "2026-11-16"),
        ("cita el día 5 del mes que viene a las 10", "2026-12-05"),
        ("cita el 3 de dic. a las 10", "2026-12-03"),
        ("cita el día 3 de diciembre de 2027 a las 10", "2027-12-03"),
        ("cita en Navidad a las 10", "2026-12-25"),
        ("cita en Nochebuena a las 10", "2026-12-24"),
        ("cita el primer lunes de diciembre a las 10", "2026-12-07"),
        ("cita el último viernes de noviembre a las 10", "2026-11-27"),
        ("cita el martes de la semana que viene a las 10", "2026-11-17"),
        ("la semana que viene el martes a las 10", "2026-11-17"),
        ("reunión mañana a las 10 sobre el orden del día", "2026-11-16"),
        ("cita el lunes a media mañana, a las 10", "2026-11-16"),
        ("reunión mañana después de comer, a las 10", "2026-11-16"),
    ],
)
def test_a_day_is_understood_however_it_is_said(text: str, day: str) -> None:
    assert start_of(text) == f"{day} 10:00"


@pytest.mark.parametrize(
    "text",
    [
        "book a meeting next month at 10",
        "book a meeting next week at 10",
        "book a meeting in December at 10",
        "book a meeting this weekend at 10",
        "book a meeting in the next few days at 10",
        "book a meeting last Tuesday at 10",
        "book a meeting on Monday or Tuesday at 10",
        "book a meeting tomorrow, Tuesday, at 10",
        "book a meeting on Friday, 3 December at 10",
        "book a meeting on 31 February at 10",
        "book a meeting on the 45th at 10",
        "book a meeting 3-12 at 10",
        "book a meeting at Easter at 10",
        "book a meeting every third day or so at 10",
        "cita cada dos por tres a las 10",
        "book a meeting sometime next year at 10",
        "book a meeting two days later at 10",
        "book a meeting on the 20 at 10",
        "book a meeting Dec 2026 at 10",
        "book a meeting Nov 20-22 at 10",
        "book a meeting before Friday at 10",
        "book a meeting on any day but Friday at 10",
        "cita antes del viernes a las 10",
        "cita el veinte a las 10",
        "cita pasado a las 10",
        "cita el mes que viene a las 10",
        "cita la próxima semana a las 10",
        "cita en diciembre a las 10",
        "cita a finales de mes a las 10",
        "cita el fin de semana a las 10",
        "cita en Semana Santa a las 10",
        "cita el martes pasado a las 10",
        "cita el lunes 17 a las 10",
    ],
)
def test_a_day_that_is_not_understood_is_asked_about(text: str, tmp_path: Path) -> None:
    parsed = parse_request(text)
    outcome = assess(parsed, CalendarFile(tmp_path / "ana.ics", SUNDAY_NOON.zone), SUNDAY_NOON)
    assert (outcome.outcome, outcome.draft.slot) == ("needs_information", None)
    assert summary_of(outcome)[parsed.language].endswith(
        {"en": "Which day?", "es": "¿Qué día?"}["es" if text.startswith("cita") else "en"]
    )


@pytest.mark.parametrize(
    ("text", "start", "minutes"),
    [
        ("meeting tomorrow from 10 to 11:30", "10:00", 90),
        ("meeting tomorrow from 2 to 4pm", "14:00", 120),
        ("meeting tomorrow from 10 to 2pm", "10:00", 240),
        ("meeting tomorrow 10am-11:30am", "10:00", 90),
        ("meeting tomorrow 10-11", "10:00", 60),
        ("meeting tomorrow evening from 7 to 9", "19:00", 120),
        ("meeting tomorrow between 10 and 10:45", "10:00", 45),
        ("meeting tomorrow at half past ten", "10:30", 60),
        ("meeting tomorrow at a quarter to nine", "08:45", 60),
        ("meeting tomorrow at twenty past 10", "10:20", 60),
        ("meeting tomorrow at ten thirty", "10:30", 60),
        ("meeting tomorrow at 10 o'clock for 2h", "10:00", 120),
        ("dinner tomorrow evening at 8", "20:00", 60),
        ("cita mañana de 10 a 11:30", "10:00", 90),
        ("cita mañana de las 10 a las 12", "10:00", 120),
        ("cita mañana de diez a once y media", "10:00", 90),
        ("cita mañana entre las 4 y las 5 de la tarde", "16:00", 60),
        ("cita mañana a las 10 hasta las 11:15", "10:00", 75),
        ("cita mañana a las ocho menos cuarto", "07:45", 60),
        ("cita mañana a las diez y veinte", "10:20", 60),
        ("cita mañana por la noche a las 9", "21:00", 60),
        ("cita mañana a las 10 durante 2 horas", "10:00", 120),
    ],
)
def test_a_time_and_its_length_are_understood_however_they_are_said(text: str, start: str, minutes: int) -> None:
    slot = drafted(text).slot
    assert slot is not None
    assert (f"{slot.start:%Y-%m-%d %H:%M}", slot.minutes) == (f"2026-11-16 {start}", minutes)


@pytest.mark.parametrize(
    "text",
    [
        "hoy a las 25:00",
        "cita mañana a las 24:30",
        "meeting tomorrow at 10:75",
        "meeting tomorrow at 13am",
        "meeting tomorrow from 10 to 25:00",
        "meeting tomorrow at 30",
    ],
)
def test_a_time_that_no_day_has_is_said_to_be_none(text: str) -> None:
    draft = drafted(text)
    assert (draft.slot, draft.problems) == (None, ("no_such_time",))


def test_a_date_whose_time_is_over_is_not_put_off_by_a_week() -> None:
    assert drafted("meeting on 15 November at 8am").problems == ("past",)
    assert start_of("meeting on Sunday at 8am") == "2026-11-22 08:00"


def test_what_is_cancelled_is_not_chosen_by_a_day_that_was_not_understood(tmp_path: Path) -> None:
    calendar = CalendarFile(tmp_path / "ana.ics", SUNDAY_NOON.zone)
    times = {"start": datetime(2026, 11, 16, 9, tzinfo=UTC), "end": datetime(2026, 11, 16, 10, tzinfo=UTC)}
    calendar.add(Appointment(uid="one", title="Meeting with Ana", **times))
    outcome = assess(parse_request("cancel my meeting next month"), calendar, SUNDAY_NOON)
    assert (outcome.outcome, outcome.draft.problems) == ("needs_information", ("date",))


@pytest.mark.parametrize(
    ("text", "time"),
    [("move my meeting from 10 to 11", "11:00"), ("move my meeting to tomorrow from 10 to 11:30", "10:00")],
)
def test_from_one_time_to_another_is_a_move_where_no_day_is_named(text: str, time: str) -> None:
    assert parse_request(text).time_text == time


@pytest.mark.parametrize(
    ("text", "contact", "title"),
    [
        ("cita con la doctora López mañana a las 10", "la doctora López", "Cita con la doctora López"),
        ("cita con la doctora lópez mañana a las 10", "la doctora lópez", "Cita con la doctora lópez"),
        ("cita con la doctora mañana a las 10", "la doctora", "Cita con la doctora"),
        ("cita con don Luis Pérez el lunes a las 10", "don Luis Pérez", "Cita con don Luis Pérez"),
        ("call with Dr. Smith tomorrow at 10", "Dr. Smith", "Call with Dr. Smith"),
        ("meet with Bob Dec 3 at 10", "Bob", "Appointment with Bob"),
        ("meeting with the dentist tomorrow at 10", "the dentist", "Meeting with the dentist"),
        ("book dentist tomorrow at 10", None, "Dentist"),
        ("reserva dentista mañana a las 10", None, "Dentista"),
        ("meeting with Ana about the budget on Friday at 10", "Ana", "Meeting with Ana: the budget"),
    ],
)
def test_whom_and_what_an_appointment_is_about(text: str, contact: str | None, title: str) -> None:
    parsed = parse_request(text)
    assert (parsed.contact, parsed.title) == (contact, title)


@pytest.mark.parametrize(
    ("words", "first", "after"),
    [
        ("this week", date(2026, 11, 9), date(2026, 11, 16)),
        ("la semana que viene", date(2026, 11, 16), date(2026, 11, 23)),
        ("the week after next", date(2026, 11, 23), date(2026, 11, 30)),
        ("next month", date(2026, 12, 1), date(2027, 1, 1)),
        ("en enero", date(2027, 1, 1), date(2027, 2, 1)),
    ],
)
def test_weeks_and_months_are_listed_whole(words: str, first: date, after: date) -> None:
    assert resolve_span(words, SUNDAY_NOON.local.date()) == (first, after)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("book a call with Ana in two hours", "2026-11-15 14:00"),
        ("book a call with Ana in 2 hours", "2026-11-15 14:00"),
        ("book a call with Ana today in half an hour for 15 minutes", "2026-11-15 12:30"),
        ("book a call with Ana in 45 minutes", "2026-11-15 12:45"),
        ("cita con Ana dentro de dos horas", "2026-11-15 14:00"),
        ("cita con Ana en media hora", "2026-11-15 12:30"),
        ("cita con Ana dentro de catorce horas", "2026-11-16 02:00"),
        ("book a meeting tomorrow at 10 about the launch in two hours", "2026-11-16 10:00"),
    ],
)
def test_some_hours_from_now_are_counted_from_now(text: str, start: str) -> None:
    """The number is neither a time of day nor a length."""
    assert start_of(text) == start
    length = drafted(text).slot
    assert length is not None
    assert length.minutes == (15 if "15 minutes" in text else 60)


def test_some_hours_from_now_are_real_hours_when_the_clocks_change() -> None:
    """In Madrid it is 01:30 in summer; an hour later the clocks go back."""
    before = Moment(now=datetime(2026, 10, 24, 23, 30, tzinfo=UTC), zone="Europe/Madrid")
    slot = resolve_temporal(parse_request("cita dentro de dos horas"), before).slot
    assert slot is not None
    assert slot.start.isoformat() == "2026-10-25T02:30:00+01:00"


def test_some_hours_from_now_on_another_day_are_asked_about() -> None:
    assert drafted("book a call with Ana tomorrow in two hours").problems == ("date",)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("meeting with the Boston team on Tuesday at 9am Boston time", "2026-11-17T15:00+01:00"),
        ("call with Kenji on Thursday at 10am tokyo time", "2026-11-19T02:00+01:00"),
        ("llamada con Sam el viernes a las 10, hora de nueva york", "2026-11-20T16:00+01:00"),
        ("call with Tom on Thursday at 4pm EST", "2026-11-19T22:00+01:00"),
        ("llamada con Tom el jueves a las 16:00 gmt", "2026-11-19T17:00+01:00"),
        ("cita con Sam el viernes a las 10 de lisboa", "2026-11-20T11:00+01:00"),
        ("meeting with Ana in Madrid on Tuesday at 9am London time", "2026-11-17T10:00+01:00"),
        ("call with the Chicago warehouse on Tuesday at 9am their time", "2026-11-17T16:00+01:00"),
        ("llamada con la fábrica de Lima el martes a las 9, hora de allí", "2026-11-17T15:00+01:00"),
    ],
)
def test_a_time_said_in_the_time_of_a_place_is_the_time_there(text: str, start: str, tmp_path: Path) -> None:
    outcome = assess(parse_request(text), CalendarFile(tmp_path / "ana.ics", SUNDAY_NOON.zone), SUNDAY_NOON)
    assert outcome.draft.slot is not None
    assert outcome.draft.slot.start == datetime.fromisoformat(start)


@pytest.mark.parametrize(
    "text",
    [
        "call with Priya tomorrow at 4pm Villarriba time",
        "llamada con Priya mañana a las 16h, hora de Villarriba",
        "call with Priya tomorrow at 4pm London time, 5pm Tokyo time",
        "book a meeting tomorrow at 4pm, not with Ana",
    ],
)
def test_a_time_of_an_unknown_place_or_of_two_is_asked_about(text: str, tmp_path: Path) -> None:
    outcome = assess(parse_request(text), CalendarFile(tmp_path / "ana.ics", SUNDAY_NOON.zone), SUNDAY_NOON)
    assert (outcome.outcome, outcome.draft.problems) == ("needs_information", ("unread",))


@pytest.mark.parametrize(
    ("later", "start"),
    [("make it an hour later", "2026-11-24T11:00+01:00"), ("mejor media hora antes", "2026-11-24T09:30+01:00")],
)
def test_what_was_never_booked_is_asked_for_by_so_much_earlier_or_later(later: str, start: str, tmp_path: Path) -> None:
    parsed = parse_request(f"schedule a demo with Acme on 24 November at 10 ▸ {later}")
    outcome = assess(parsed, CalendarFile(tmp_path / "ana.ics", SUNDAY_NOON.zone), SUNDAY_NOON)
    assert outcome.draft.slot is not None
    assert (outcome.draft.slot.start, outcome.draft.moved) == (datetime.fromisoformat(start), None)


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("after Wednesday (?)", "2026-11-19", "2027-11-14"),
        ("después del miércoles (?)", "2026-11-19", "2027-11-14"),
        ("before Thursday (?)", "2026-11-15", "2026-11-18"),
        ("hasta el jueves (?)", "2026-11-15", "2026-11-19"),
    ],
)
def test_one_side_of_a_day_is_a_stretch_to_look_at(words: str, first: str, last: str) -> None:
    found = resolve_span(words, SUNDAY_NOON.local.date())
    assert found is not None
    assert (found[0], found[1] - timedelta(days=1)) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("call with Bob Thursday next week at 11 ▸ the week after", "2026-11-26 11:00"),
        ("llamada con Bob el 26 de noviembre a las 11 ▸ la semana siguiente", "2026-12-03 11:00"),
        ("llamada con Bob mañana a las 11 ▸ al día siguiente", "2026-11-17 11:00"),
        ("call with Bob on Friday at 11 ▸ the other one", None),
        ("call with Bob next week at 11 ▸ Wednesday", "2026-11-18 11:00"),
        ("llamada con Bob la semana que viene ▸ el jueves ▸ a las 10", "2026-11-19 10:00"),
        ("call with Bob tomorrow at 6pm ▸ at 6:30", "2026-11-16 18:30"),
        ("call with Bob tomorrow at 9am ▸ at 9:30", "2026-11-16 09:30"),
        ("llamada con Bob mañana a las 8 de la tarde ▸ a las 7 de la mañana", "2026-11-16 07:00"),
        ("call with Bob on Friday at 11 ▸ purple", None),
    ],
)
def test_a_later_message_moves_the_day_that_was_said_or_is_asked_about(text: str, start: str | None) -> None:
    assert start_of(text) == start


@pytest.mark.parametrize("text", ["next Thursday at 11 ▸ the other one", "el próximo jueves a las 11 ▸ el otro"])
def test_the_other_one_of_two_days_is_the_one_that_was_not_taken(text: str) -> None:
    monday = Moment(now=SUNDAY_NOON.now + timedelta(days=1), zone=SUNDAY_NOON.zone)
    slot = resolve_temporal(parse_request(text), monday).slot
    assert slot is not None
    assert f"{slot.start:%Y-%m-%d}" == "2026-11-26"


@pytest.mark.parametrize(
    "text",
    [
        "half an hour with Bob tomorrow before noon",
        "call with Bob tomorrow until 5",
        "llamada con Bob mañana antes de las 12",
        "reunión con Bob el viernes después de las 4",
    ],
)
def test_before_or_after_a_time_is_no_time_to_begin(text: str) -> None:
    assert (drafted(text).slot, drafted(text).problems) == (None, ("unread",))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("dinner with a client on Saturday at 8", "2026-11-21 20:00"),
        ("cena con mis padres el sábado a las 9", "2026-11-21 21:00"),
        ("breakfast with Bob on Friday at 7", "2026-11-20 07:00"),
        ("desayuno con Bob el viernes a las 7", "2026-11-20 07:00"),
        ("comida con Bob mañana a las 2 ▸ no, cena a las 9", "2026-11-16 21:00"),
    ],
)
def test_dinner_is_in_the_evening_and_breakfast_in_the_morning(text: str, start: str) -> None:
    assert start_of(text) == start


def test_one_day_of_this_month_is_no_series() -> None:
    assert drafted("lunch with Bob at noon on the last Thursday of the month").repeats is None
    assert drafted("lunch with Bob at noon on the last Thursday of every month").repeats is not None
    assert drafted("gym every Monday at 7 am ▸ just this Monday").repeats is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cancel the dentist ▸ the call", "Call with Luis"),
        ("anula el dentista ▸ la llamada", "Call with Luis"),
        ("move the dentist to Friday at 11 ▸ I meant Luis", "Call with Luis"),
        ("pasa el dentista a las 12 ▸ y la llamada a las 11", "Call with Luis"),
        ("move the dentist to Friday at 11 ▸ at 12", "Dentist"),
    ],
)
def test_a_later_message_may_name_another_appointment(text: str, found: str, tmp_path: Path) -> None:
    calendar = CalendarFile(tmp_path / "ana.ics", SUNDAY_NOON.zone)
    for day, title in ((17, "Call with Luis"), (18, "Dentist")):
        start = datetime(2026, 11, day, 15, tzinfo=UTC)
        calendar.add(Appointment(uid=title, title=title, start=start, end=start + timedelta(hours=1)))
    moved = assess(parse_request(text), calendar, SUNDAY_NOON).draft.moved
    assert moved is not None
    assert moved.title == found


@pytest.mark.parametrize(
    "text",
    [
        "reunión en la sala 12 mañana a las 16h con Eva",
        "reunión con Eva en la sala 12 a las 16h mañana",
        "reunión con Eva en el despacho 9 mañana a las 16:00",
        "meeting with Eva in room 9 tomorrow to 16:00",
    ],
)
def test_a_number_that_another_thing_is_called_by_begins_no_stretch(text: str) -> None:
    assert start_of(text) in ("2026-11-16 16:00", None)


@pytest.mark.parametrize("text", ["curso de 9 a 16h mañana", "course from 9 tomorrow to 16:00", "curso 9 a 16h mañana"])
def test_a_stretch_that_is_said_to_be_one_still_is(text: str) -> None:
    assert (start_of(text), drafted(text).parsed.duration_minutes) == ("2026-11-16 09:00", 420)
