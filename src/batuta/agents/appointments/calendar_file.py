"""A person's calendar as an iCalendar file: read, added to and changed under a lock, written whole or not at all.

Every write carries the idempotency key of its call, so that a repeated one changes nothing.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import takewhile
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from batuta.agents.appointments.models import Appointment, TimeSlot
from batuta.kernel.errors import ConflictError, ToolFailedError
from batuta.kernel.extras import load_extra

KEY_PROPERTY = "X-BATUTA-KEY"
MAX_OCCURRENCES = 500
FAR = timedelta(days=366)
"""How far ahead repeated appointments are looked for where no day is named."""
_END = datetime(9999, 1, 1, tzinfo=UTC)


class SlotTakenError(ConflictError):
    """Something else stands in the slot."""

    def __init__(self, conflicts: list[Appointment]) -> None:
        super().__init__(f"the slot is taken by {', '.join(each.title for each in conflicts)}")
        self.conflicts = conflicts


def uid_for(key: str) -> str:
    """The id of what a call creates: the same whenever the call is repeated."""
    return f"{hashlib.sha256(key.encode()).hexdigest()[:32]}@batuta"


class CalendarFile:
    """One iCalendar file. Methods block: call them in a thread."""

    def __init__(self, path: Path, zone: str = "UTC") -> None:
        self._path = path
        self._zone = ZoneInfo(zone)
        self._icalendar: Any = load_extra("icalendar", extra="appointments", needed_for="calendar files")

    def between(self, start: datetime, end: datetime) -> list[Appointment]:
        """The appointments that touch a stretch of time, in order."""
        window, calendar = TimeSlot(start=start, end=end), self._read()
        found = [each for event in self._events(calendar) for each in self._occurrences(event, window, calendar)]
        return [self._seen(each) for each in sorted(found, key=lambda each: each.start)]

    def coming(self, now: datetime, *, asked: Sequence[TimeSlot] = ()) -> list[Appointment]:
        """The appointments from now on, in order: of what repeats those of a year, and those in a stretch asked for."""
        further = [TimeSlot(start=max(slot.start, now), end=slot.end) for slot in asked if slot.end > now + FAR]
        of_a_year = TimeSlot(start=now, end=now + FAR)
        found: dict[tuple[str, datetime], Appointment] = {}
        calendar = self._read()
        for event in self._events(calendar):
            windows = [of_a_year, *further] if "rrule" in event else [TimeSlot(start=now, end=_END)]
            for window in windows:
                found |= {(each.uid, each.start): each for each in self._occurrences(event, window, calendar)}
        return [self._seen(each) for each in sorted(found.values(), key=lambda each: each.start)]

    def conflicts(
        self, slot: TimeSlot, *, moved: Appointment | None = None, repeats: str | None = None
    ) -> list[Appointment]:
        """What else stands in a slot, and in those of a year in which it comes again; what is moved there aside."""
        slots = [slot]
        if repeats:
            year = TimeSlot(start=slot.start, end=slot.start + FAR)
            starts = starts_of(repeats, slot.start, year)
            slots = [TimeSlot.of(start, slot.minutes) for start in starts] or slots
        there = self.between(slots[0].start, slots[-1].end)
        return [each for each in there if not _is_same(each, moved) and any(each.overlaps(one) for one in slots)]

    def find(self, uid: str) -> Appointment | None:
        """One appointment."""
        found = [event for event in self._events(self._read()) if str(event.get("uid", "")) == uid]
        there = self._appointment(found[0]) if found else None
        return self._seen(there) if there else None

    def add(self, appointment: Appointment) -> Appointment:
        """Add an appointment; one with the same id that is there already stays as it is. Raises `SlotTakenError`."""
        with self._locked():
            calendar = self._read()
            there = [event for event in self._events(calendar) if str(event.get("uid", "")) == appointment.uid]
            if there:
                return self._seen(self._appointment(there[0]) or appointment)
            self._require_free(appointment, None, appointment.repeats)
            calendar.add_component(self._new_event(appointment))
            self._write(calendar)
        return self._seen(appointment)

    def move(self, uid: str, slot: TimeSlot, key: str, *, before: datetime) -> Appointment | None:
        """Give an appointment another time; of a series the one that began `before`. Raises `SlotTakenError`.

        `None` if there is no such appointment.
        """
        with self._locked():
            if (done := self.moved_by(uid, key)) is not None:
                return done
            calendar = self._read()
            event = next((each for each in self._events(calendar) if str(each.get("uid", "")) == uid), None)
            there = self._appointment(event) if event is not None else None
            if event is None or there is None:
                return None
            if there.repeats:
                return self._move_one(calendar, event, there, slot, key, before)
            if str(event.get(KEY_PROPERTY, "")) != uid_for(key):
                self._require_free(slot, there)
                self._replace(event, {"dtstart": slot.start, "dtend": slot.end, KEY_PROPERTY: uid_for(key)})
                event.pop("duration", None)
                self._replace(event, {"sequence": int(event.get("sequence", 0)) + 1})
                self._write(calendar)
            return self._appointment(event)

    def _move_one(
        self, calendar: Any, event: Any, there: Appointment, slot: TimeSlot, key: str, before: datetime
    ) -> Appointment:
        """One of a series gets a time of its own: the series skips it, and it stands beside the series."""
        one = there.model_copy(update={"start": before, "end": before})
        self._require_free(slot, one)
        moved = there.model_copy(update={"uid": uid_for(key), "start": slot.start, "end": slot.end, "repeats": None})
        self._skip(event, before)
        calendar.add_component(self._new_event(moved))
        self._write(calendar)
        return moved

    def moved_by(self, uid: str, key: str) -> Appointment | None:
        """The appointment, if its last move was this call's."""
        mine = (
            event
            for event in self._events(self._read())
            if (str(event.get("uid", "")) == uid_for(key) != uid)
            or (str(event.get("uid", "")) == uid and str(event.get(KEY_PROPERTY, "")) == uid_for(key))
        )
        found = next((self._appointment(event) for event in mine), None)
        return self._seen(found) if found else None

    def cancel(self, uid: str, key: str, *, only: datetime | None = None) -> Appointment | None:
        """Mark an appointment as cancelled: its time is free, and other programs see it. `None` if there is none.

        Of a series all are, or `only` the one that begins then.
        """
        with self._locked():
            calendar = self._read()
            event = next((each for each in calendar.walk("VEVENT") if str(each.get("uid", "")) == uid), None)
            if event is None:
                return None
            if only is not None and "rrule" in event:
                self._skip(event, only)
                self._replace(event, {KEY_PROPERTY: uid_for(key), "sequence": int(event.get("sequence", 0)) + 1})
                self._write(calendar)
                return self._appointment(event, only)
            if str(event.get("status", "")).upper() != "CANCELLED":
                sequence = int(event.get("sequence", 0)) + 1
                self._replace(event, {"status": "CANCELLED", KEY_PROPERTY: uid_for(key), "sequence": sequence})
                self._write(calendar)
            return self._appointment(event)

    def cancelled_by(self, uid: str, key: str, *, only: datetime | None = None) -> Appointment | None:
        """The appointment, if it was this call that cancelled it."""
        mine = (
            event
            for event in self._read().walk("VEVENT")
            if str(event.get("uid", "")) == uid and str(event.get(KEY_PROPERTY, "")) == uid_for(key)
        )
        done = (event for event in mine if self._is_skipped(event, only) or str(event.get("status", "")) == "CANCELLED")
        return next((self._appointment(event, only if "rrule" in event else None) for event in done), None)

    def _skip(self, event: Any, start: datetime) -> None:
        """Leave one of a series out."""
        if not self._is_skipped(event, start):
            event.add("exdate", start)

    def _is_skipped(self, event: Any, start: datetime | None) -> bool:
        return start is not None and start in self._skipped(event)

    def _skipped(self, event: Any) -> set[datetime]:
        """The starts that a series leaves out."""
        given = event.get("exdate", [])
        lists = given if isinstance(given, list) else [given]
        return {self._zoned(each.dt) for one in lists for each in one.dts if isinstance(each.dt, datetime)}

    def _require_free(self, slot: TimeSlot, moved: Appointment | None, repeats: str | None = None) -> None:
        """Under the lock: the faster one has the slot."""
        conflicts = self.conflicts(slot, moved=moved, repeats=repeats)
        if conflicts:
            raise SlotTakenError(conflicts)

    def _read(self) -> Any:
        if not self._path.exists():
            calendar = self._icalendar.Calendar()
            calendar.add("prodid", "-//Batuta//Appointments//EN")
            calendar.add("version", "2.0")
            return calendar
        try:
            return self._icalendar.Calendar.from_ical(self._path.read_bytes())
        except (ValueError, IndexError, KeyError) as error:
            raise ToolFailedError(
                f"the calendar file {self._path.name} cannot be read ({error}); it is unchanged"
            ) from None

    def _write(self, calendar: Any) -> None:
        calendar.add_missing_timezones()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_suffix(".draft")
        with draft.open("wb") as file:
            file.write(calendar.to_ical())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _new_event(self, appointment: Appointment) -> Any:
        event = self._icalendar.Event()
        event.add("uid", appointment.uid)
        event.add("dtstamp", datetime.now(UTC))
        event.add("summary", appointment.title)
        event.add("dtstart", appointment.start)
        event.add("dtend", appointment.end)
        if appointment.place:
            event.add("location", appointment.place)
        if appointment.contact:
            event.add("contact", appointment.contact)
        if appointment.repeats:
            event.add("rrule", self._icalendar.vRecur.from_ical(appointment.repeats))
        return event

    @staticmethod
    def _replace(event: Any, values: dict[str, Any]) -> None:
        for name, value in values.items():
            event.pop(name, None)
            event.add(name, value)

    @staticmethod
    def _events(calendar: Any) -> list[Any]:
        """Events that take time: neither cancelled nor marked as free."""
        return [
            event
            for event in calendar.walk("VEVENT")
            if str(event.get("status", "")).upper() != "CANCELLED"
            and str(event.get("transp", "")).upper() != "TRANSPARENT"
        ]

    def _appointment(self, event: Any, start: datetime | None = None) -> Appointment | None:
        """An event with a time of day; whole days block nothing."""
        given = event.get("dtstart")
        if given is None or not isinstance(given.dt, datetime):
            return None
        begin, length = self._zoned(given.dt), self._length(event, given.dt)
        begin = start or begin
        return Appointment(
            uid=str(event.get("uid", "")),
            title=str(event.get("summary", "")),
            start=begin,
            end=(begin.astimezone(UTC) + length).astimezone(begin.tzinfo),
            place=str(event["location"]) if "location" in event else None,
            contact=str(event["contact"]) if "contact" in event else None,
            repeats=str(event["rrule"].to_ical().decode()) if "rrule" in event else None,
        )

    def _seen(self, appointment: Appointment) -> Appointment:
        """An appointment at the owner's time, whichever zone it was written in."""
        start, end = (moment.astimezone(self._zone) for moment in (appointment.start, appointment.end))
        return appointment.model_copy(update={"start": start, "end": end})

    def _length(self, event: Any, start: datetime) -> timedelta:
        if "dtend" in event and isinstance(event["dtend"].dt, datetime):
            return max(self._zoned(event["dtend"].dt).astimezone(UTC) - self._zoned(start).astimezone(UTC), timedelta())
        return event["duration"].dt if "duration" in event else timedelta(hours=1)

    def _zoned(self, moment: datetime) -> datetime:
        """A time without a zone is the owner's."""
        return moment if moment.tzinfo else moment.replace(tzinfo=self._zone)

    def _occurrences(self, event: Any, window: TimeSlot, calendar: Any) -> list[Appointment]:
        single = self._appointment(event)
        if single is None:
            return []
        starts = [single.start]
        if single.repeats:
            early = TimeSlot(start=window.start - (single.end - single.start), end=window.end)
            skipped = self._skipped(event) | self._replaced(calendar, single.uid)
            starts = [each for each in starts_of(single.repeats, single.start, early) if each not in skipped]
        each = (self._appointment(event, start) for start in starts)
        return [one for one in each if one is not None and one.overlaps(window)]

    def _replaced(self, calendar: Any, uid: str) -> set[datetime]:
        """The starts of a series that have an event of their own in another program's file."""
        given = (
            event["recurrence-id"].dt
            for event in calendar.walk("VEVENT")
            if "recurrence-id" in event and str(event.get("uid", "")) == uid
        )
        return {self._zoned(each) for each in given if isinstance(each, datetime)}


def starts_of(rule: str, first: datetime, window: TimeSlot) -> list[datetime]:
    """When what repeats begins inside a window: by the wall clock of its own zone."""
    dateutil: Any = load_extra("dateutil.rrule", extra="appointments", needed_for="repeated events")
    zone = first.tzinfo
    parts = (_at_wall_clock(part, zone) for part in rule.split(";"))
    repeated = dateutil.rrulestr(";".join(parts), dtstart=first.replace(tzinfo=None))
    early, late = ((m.astimezone(zone)).replace(tzinfo=None) for m in (window.start, window.end))
    found = takewhile(lambda moment: moment <= late, repeated.xafter(early, count=MAX_OCCURRENCES, inc=True))
    return [moment.replace(tzinfo=zone) for moment in found]


def _at_wall_clock(part: str, zone: tzinfo | None) -> str:
    """The end of a rule as the clocks of a zone show it: in the file it is in UTC."""
    if not part.startswith("UNTIL=") or not part.endswith("Z"):
        return part
    end = datetime.strptime(part, "UNTIL=%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).astimezone(zone)
    return f"UNTIL={end:%Y%m%dT%H%M%S}"


def _is_same(appointment: Appointment, moved: Appointment | None) -> bool:
    """Whether it is what is moved: of a series only the one that begins then."""
    if moved is None or appointment.uid != moved.uid:
        return False
    return not moved.repeats or appointment.start == moved.start
