"""Calendars as iCalendar files (A-30)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import pytest

from batuta.agents.appointments.calendar_file import CalendarFile, SlotTakenError, uid_for
from batuta.agents.appointments.models import Appointment, TimeSlot
from batuta.kernel.errors import ToolFailedError

MADRID = ZoneInfo("Europe/Madrid")
TEN = datetime(2026, 11, 17, 10, tzinfo=MADRID)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "me.ics"


@pytest.fixture
def calendar(path: Path) -> CalendarFile:
    return CalendarFile(path, "Europe/Madrid")


def appointment(key: str = "a", start: datetime = TEN, minutes: int = 60) -> Appointment:
    slot = TimeSlot.of(start, minutes)
    return Appointment(
        uid=uid_for(key), title=f"Cita {key}", start=slot.start, end=slot.end, contact="Ana", place="Sala 1"
    )


def event(lines: str) -> str:
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:u\r\nSUMMARY:S\r\n"
    return f"{head}{lines}END:VEVENT\r\nEND:VCALENDAR\r\n"


def test_what_is_added_is_read_back_equal(calendar: CalendarFile) -> None:
    calendar.add(appointment())
    assert calendar.find(uid_for("a")) == appointment()


def test_other_programs_can_read_the_file(calendar: CalendarFile, path: Path) -> None:
    calendar.add(appointment())
    parsed: Any = icalendar.Calendar.from_ical(path.read_bytes())
    [found] = parsed.walk("VEVENT")
    assert found["summary"] == "Cita a"
    assert found["dtstart"].dt == TEN
    assert [str(zone["tzid"]) for zone in parsed.walk("VTIMEZONE")] == ["Europe/Madrid"]


def test_the_same_call_adds_once(calendar: CalendarFile, path: Path) -> None:
    calendar.add(appointment())
    before = path.read_bytes()
    calendar.add(appointment())
    assert path.read_bytes() == before


def test_overlaps_are_conflicts_and_neighbours_are_not(calendar: CalendarFile) -> None:
    calendar.add(appointment())
    assert calendar.conflicts(TimeSlot.of(TEN + timedelta(minutes=30), 60))
    assert not calendar.conflicts(TimeSlot.of(TEN + timedelta(minutes=60), 60))
    assert not calendar.conflicts(TimeSlot.of(TEN, 60), moved=calendar.find(uid_for("a")))


def test_times_of_other_zones_are_compared_as_moments(calendar: CalendarFile) -> None:
    calendar.add(appointment())
    assert calendar.conflicts(TimeSlot.of(datetime(2026, 11, 17, 9, 30, tzinfo=UTC), 15))


def test_a_move_keeps_everything_but_the_time(calendar: CalendarFile) -> None:
    calendar.add(appointment())
    later = TimeSlot.of(TEN + timedelta(days=1), 60)
    moved = calendar.move(uid_for("a"), later, "key", before=TEN)
    assert moved == appointment(start=TEN + timedelta(days=1))
    assert calendar.moved_by(uid_for("a"), "key")
    assert not calendar.moved_by(uid_for("a"), "other")


def test_the_same_move_is_done_once(calendar: CalendarFile, path: Path) -> None:
    calendar.add(appointment())
    later = TimeSlot.of(TEN + timedelta(days=1), 60)
    calendar.move(uid_for("a"), later, "key", before=TEN)
    before = path.read_bytes()
    calendar.move(uid_for("a"), later, "key", before=TEN)
    assert path.read_bytes() == before


def test_what_is_not_there_cannot_be_moved(calendar: CalendarFile) -> None:
    assert calendar.move("nobody", TimeSlot.of(TEN, 60), "key", before=TEN) is None


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("DTSTART;VALUE=DATE:20261117\r\n", 0),
        ("DTSTART:20261117T100000\r\nDTEND:20261117T110000\r\n", 1),
        ("DTSTART:20261117T090000Z\r\nDURATION:PT30M\r\n", 1),
        ("DTSTART:20261117T090000Z\r\nSTATUS:CANCELLED\r\n", 0),
        ("DTSTART:20261117T090000Z\r\nTRANSP:TRANSPARENT\r\n", 0),
        ("DTSTART:20261103T100000\r\nDTEND:20261103T103000\r\nRRULE:FREQ=WEEKLY;COUNT=10\r\n", 1),
        ("DTSTART:20261103T100000\r\nRRULE:FREQ=WEEKLY;UNTIL=20261110T235959Z\r\n", 0),
        ("", 0),
    ],
)
def test_events_of_other_programs_are_understood(calendar: CalendarFile, path: Path, lines: str, count: int) -> None:
    path.write_text(event(lines), newline="")
    assert len(calendar.conflicts(TimeSlot.of(TEN, 60))) == count


def test_a_repeated_event_keeps_its_wall_time_over_a_change_of_the_clocks(calendar: CalendarFile, path: Path) -> None:
    path.write_text(event("DTSTART;TZID=Europe/Madrid:20261020T100000\r\nRRULE:FREQ=WEEKLY\r\n"), newline="")
    [found] = calendar.between(TEN, TEN + timedelta(hours=1))
    assert found.start.isoformat() == "2026-11-17T10:00:00+01:00"


def test_a_broken_file_is_reported_and_left_alone(calendar: CalendarFile, path: Path) -> None:
    path.write_text("no calendar at all")
    with pytest.raises(ToolFailedError, match=r"me\.ics cannot be read"):
        calendar.add(appointment())
    assert path.read_text() == "no calendar at all"


def test_writers_do_not_lose_one_anothers_appointments(calendar: CalendarFile) -> None:
    wanted = [appointment(str(number), TEN + timedelta(hours=number)) for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(calendar.add, wanted))
    assert len(calendar.between(TEN, TEN + timedelta(days=2))) == 20


def test_of_writers_that_want_the_same_slot_one_gets_it(calendar: CalendarFile) -> None:
    def book(number: int) -> bool:
        try:
            calendar.add(appointment(str(number)))
        except SlotTakenError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(book, range(8))) == 1
    assert len(calendar.between(TEN, TEN + timedelta(hours=1))) == 1


def test_a_move_into_a_taken_slot_changes_nothing(calendar: CalendarFile) -> None:
    calendar.add(appointment("a"))
    calendar.add(appointment("b", TEN + timedelta(hours=2)))
    with pytest.raises(SlotTakenError, match="Cita a"):
        calendar.move(uid_for("b"), TimeSlot.of(TEN, 60), "key", before=TEN)
    assert calendar.find(uid_for("b")) == appointment("b", TEN + timedelta(hours=2))
