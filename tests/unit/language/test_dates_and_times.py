"""Days, times and moments in both languages, seen from Wednesday 18 November 2026, 09:30 in Madrid."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from batuta.language import find_dates, find_durations, find_hour_ranges, find_moments, find_recurrences, find_times
from batuta.language.dates import impossible_dates
from batuta.language.recurrences import Recurrence, recurrence_bounds
from batuta.language.times import impossible_times

NOW = datetime(2026, 11, 18, 9, 30, tzinfo=ZoneInfo("Europe/Madrid"))

DATES = {
    "ante ayer": "2026-11-16",
    "el 1ro de diciembre": "2026-12-01",
    "a year ago today": "2025-11-18",
    "in 10 working days": "2026-12-02",
    "dentro de 3 días hábiles": "2026-11-23",
    "5 business days from now": "2026-11-25",
    "dentro de mes y medio": "2027-01-02",
    "in a month and a half": "2027-01-02",
    "last monday of the year": "2026-12-28",
    "el último viernes del año": "2026-12-25",
    "labor day": "2027-09-06",
    "mother's day 2027": "2027-05-09",
    "el día de la madre": "2027-05-02",
    "el día del padre": "2027-03-19",
    "tomorrow": "2026-11-19",
    "tommorow": "2026-11-19",
    "mñn": "2026-11-19",
    "pasado mañana": "2026-11-20",
    "the day before yesterday": "2026-11-16",
    "anteayer": "2026-11-16",
    "el viernes": "2026-11-20",
    "miercoels que viene": "2026-11-25",
    "el viernes de la semana que viene": "2026-11-27",
    "next week on tuesday": "2026-11-24",
    "a week on Friday": "2026-11-27",
    "el lunes pasado": "2026-11-16",
    "March 3rd, 2027": "2027-03-03",
    "el 3 de marzo": "2027-03-03",
    "tres de marzo del año pasado": "2025-03-03",
    "veintidós de diciembre": "2026-12-22",
    "Thursday, 3 December": "2026-12-03",
    "the first monday of march": "2027-03-01",
    "el último viernes de este mes": "2026-11-27",
    "fin de mes": "2026-11-30",
    "hace 3 dias": "2026-11-15",
    "in two weeks": "2026-12-02",
    "dentro de un par de semanas": "2026-12-02",
    "la reunion de mañana": "2026-11-19",
    "el 25": "2026-11-25",
    "2026-12-24": "2026-12-24",
    "24.12.2026": "2026-12-24",
    "nochebuena": "2026-12-24",
}
TIMES = {
    "half past ten": "10:30",
    "a quarter to four": "15:45",
    "a las 4 menos cuarto": "15:45",
    "at 3": "15:00",
    "15:30": "15:30",
    "3pm": "15:00",
    "10.30 am": "10:30",
    "a las diez y media de la noche": "22:30",
    "las 12 de la noche": "00:00",
    "at noon": "12:00",
    "from 9 to 11": "09:00",
    "2-4pm": "14:00",
    "at ten thirty": "10:30",
    "a la una y cuarto": "13:15",
    "tonight at 8": "20:00",
    "20 to 5": "16:40",
    "17h30": "17:30",
    "a las 8 de la mañana": "08:00",
    "12am": "00:00",
    "el dia 20 a las 10:30": "10:30",
}


@pytest.mark.parametrize(("text", "expected"), DATES.items())
def test_a_day_is_read(text: str, expected: str) -> None:
    [found] = find_dates(text, now=NOW)
    assert str(found.value) == expected


@pytest.mark.parametrize(("text", "expected"), TIMES.items())
def test_a_time_is_read(text: str, expected: str) -> None:
    [found] = find_times(text)
    assert f"{found.value:%H:%M}" == expected


@pytest.mark.parametrize("text", ["20% of 80", "at 15%", "room 12", "from 1 to 15 March", "por la mañana"])
def test_other_numbers_are_no_time(text: str) -> None:
    assert find_times(text) == []


def test_day_and_month_that_could_be_swapped_are_ambiguous_in_english_only() -> None:
    [english], [spanish] = find_dates("on 3/4", now=NOW), find_dates("la cita del 3/4", now=NOW)
    assert english.value == spanish.value == date(2027, 4, 3)
    assert english.alternatives == (date(2027, 3, 4),)
    assert spanish.alternatives == ()


def test_next_friday_may_be_the_one_of_next_week() -> None:
    [found] = find_dates("next friday", now=NOW)
    assert (found.value, found.alternatives) == (date(2026, 11, 20), (date(2026, 11, 27),))


def test_what_is_not_in_the_calendar_or_on_a_clock_is_told_apart_from_nothing() -> None:
    assert find_dates("el 31 de febrero", now=NOW) == []
    assert impossible_dates("el 31 de febrero", now=NOW)
    assert impossible_times("a las 25:70")
    assert not impossible_dates("hola", now=NOW)


def test_a_day_and_a_time_make_a_moment() -> None:
    [found] = find_moments("cita pasado mañana a las 4 menos cuarto con Ana", now=NOW)
    assert found.value.isoformat() == "2026-11-20T15:45:00+01:00"
    assert found.text == "pasado mañana a las 4 menos cuarto"
    assert found.alternatives[0].hour == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [("in two hours", "11:30"), ("dentro de hora y media", "11:00"), ("in half an hour", "10:00"), ("at 9am", "09:00")],
)
def test_a_moment_without_a_day_is_the_next_one(text: str, expected: str) -> None:
    [found] = find_moments(text, now=NOW)
    assert f"{found.value:%H:%M}" == expected
    assert found.value > NOW


def test_a_time_that_the_clocks_skip_moves_on() -> None:
    [found] = find_moments("el 28 de marzo de 2027 a las 02:30", now=NOW)
    assert found.value.isoformat() == "2027-03-28T03:30:00+02:00"


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("from 9 to 11", 120), ("de 16:00 a 17:30", 90), ("2-4pm", 120), ("from 10 to 2pm", 240), ("between 10 and 12", 120), ("from 9 to quarter past 10", 75), ("from half past 2 to ten past four", 100)],
)  # fmt: skip
def test_hours_from_one_to_another_have_a_length(text: str, minutes: int) -> None:
    [found] = find_hour_ranges(text)
    assert found.value.minutes == minutes


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("45 minutes", 45), ("media hora", 30), ("una hora y media", 90), ("hora y media", 90), ("an hour", 60),
     ("1 h 30 min", 90), ("2 hours 20, when is it over?", 140), ("una hora y 40 cuándo acaba", 100), ("2 hours, 12 people", 120), ("2.5 hours", 150), ("1,5 horas", 90), ("tres cuartos de hora", 45), ("two days", 2880)],
)  # fmt: skip
def test_a_length_of_time_is_read(text: str, minutes: int) -> None:
    [found] = find_durations(text)
    assert found.value == timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("every monday at 9", Recurrence(frequency="weekly", weekdays=(0,))),
        ("todos los martes y jueves", Recurrence(frequency="weekly", weekdays=(1, 3))),
        ("cada dos semanas", Recurrence(frequency="weekly", interval=2)),
        ("on fridays", Recurrence(frequency="weekly", weekdays=(4,))),
        ("monthly", Recurrence(frequency="monthly")),
        ("every other day", Recurrence(frequency="daily", interval=2)),
    ],
)
def test_what_comes_again_is_read(text: str, expected: Recurrence) -> None:
    [found] = find_recurrences(text)
    assert found.value == expected


@pytest.mark.parametrize("text", ["a daily call from tuesday to thursday", "gimnasio cada día de martes a jueves"])
def test_what_comes_daily_comes_on_the_days_between_two_that_are_named(text: str) -> None:
    assert {each.value for each in find_recurrences(text)} == {Recurrence(frequency="weekly", weekdays=(1, 2, 3))}


def test_so_many_times_a_month_is_no_number_of_times_in_all() -> None:
    assert recurrence_bounds("tres veces al mes los martes", now=NOW).times is None
    assert recurrence_bounds("los martes, tres veces", now=NOW).times == 3


def test_fifteen_days_ahead_are_two_weeks_as_well_in_spanish() -> None:
    [spanish], [english] = (find_dates(text, now=NOW) for text in ("dentro de quince días", "in fifteen days"))
    assert (spanish.value - spanish.alternatives[0]).days == 1
    assert english.alternatives == ()


def test_a_single_day_does_not_come_again() -> None:
    assert find_recurrences("on friday") == []


def test_hours_and_minutes_written_together_are_a_length() -> None:
    [found] = find_durations("it lasts 1h50 in all")
    assert found.value.total_seconds() == 110 * 60
