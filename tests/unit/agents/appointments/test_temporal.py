"""Dates and times by reference day and time zone (A-30)."""

from datetime import UTC, date, time
from zoneinfo import ZoneInfo

import pytest

from batuta.agents.appointments.models import TimeSlot
from batuta.agents.appointments.when import resolve_date, resolve_time, settle

MONDAY = date(2026, 11, 16)
MADRID = ZoneInfo("Europe/Madrid")


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("today", "2026-11-16"),
        ("manana", "2026-11-17"),
        ("pasado manana", "2026-11-18"),
        ("yesterday", "2026-11-15"),
        ("friday", "2026-11-20"),
        ("monday", "2026-11-16"),
        ("next monday", "2026-11-23"),
        ("lunes que viene", "2026-11-23"),
        ("wednesday next week", "2026-11-25"),
        ("in 3 days", "2026-11-19"),
        ("dentro de 2 semanas", "2026-11-30"),
        ("2027-01-02", "2027-01-02"),
        ("3/12", "2026-12-03"),
        ("3/2", "2027-02-03"),
        ("3/2/27", "2027-02-03"),
        ("15 de marzo", "2027-03-15"),
        ("december 24", "2026-12-24"),
        ("24th of december 2027", "2027-12-24"),
    ],
)
def test_a_day_in_words_is_seen_from_the_reference_day(words: str, day: str) -> None:
    assert resolve_date(words, MONDAY) == date.fromisoformat(day)


@pytest.mark.parametrize("words", ["31/2", "99/99", "someday", "next week", ""])
def test_what_is_no_day_is_not_guessed(words: str) -> None:
    assert resolve_date(words, MONDAY) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("10am", (time(10), False)),
        ("12am", (time(0), False)),
        ("12pm", (time(12), False)),
        ("at 3", (time(15), True)),
        ("at 9", (time(9), False)),
        ("03:30", (time(3, 30), False)),
        ("a las 4 de la tarde", (time(16), False)),
        ("a las nueve y media", (time(9, 30), False)),
        ("las 10 menos cuarto de la manana", (time(9, 45), False)),
        ("15h", (time(15), False)),
        ("at noon", (time(12), False)),
    ],
)
def test_a_time_in_words_says_its_half_of_the_day_or_assumes_one(words: str, expected: tuple[time, bool]) -> None:
    assert resolve_time(words) == expected


@pytest.mark.parametrize("words", ["25h", "99:00", "10:75", "24:00", "soon"])
def test_what_is_no_time_is_not_guessed(words: str) -> None:
    assert resolve_time(words) is None


def test_a_time_that_the_clocks_skip_moves_on() -> None:
    moment, note = settle(date(2026, 3, 29), time(2, 30), MADRID)
    assert (moment.isoformat(), note) == ("2026-03-29T03:30:00+02:00", "skipped")


def test_a_time_that_the_clocks_have_twice_is_the_first() -> None:
    moment, note = settle(date(2026, 10, 25), time(2, 30), MADRID)
    assert (moment.isoformat(), note) == ("2026-10-25T02:30:00+02:00", "doubled")


def test_an_hour_is_an_hour_when_the_clocks_change() -> None:
    moment, _ = settle(date(2026, 10, 25), time(1, 30), MADRID)
    slot = TimeSlot.of(moment, 120)
    assert (slot.end.astimezone(UTC) - slot.start.astimezone(UTC)).total_seconds() == 7200
    assert slot.end.isoformat() == "2026-10-25T02:30:00+01:00"
