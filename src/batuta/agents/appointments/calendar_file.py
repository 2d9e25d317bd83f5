"""A person's calendar as an iCalendar file: read, added to and changed under a lock, written whole or not at all.

Every write carries the idempotency key of its call, so that a repeated one changes nothing.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
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
        window = TimeSlot(start=start, end=end)
        found = [each for event in self._events(self._read()) for each in self._occurrences(event, window)]
        return [self._seen(each) for each in sorted(found, key=lambda each: each.start)]

    def coming(self, now: datetime, *, asked: Sequence[TimeSlot] = ()) -> list[Appointment]:
        """The appointments from now on, in order: of what repeats those of a year, and those in a stretch asked for."""
        further = [TimeSlot(start=max(slot.start, now), end=slot.end) for slot in asked if slot.end > now + FAR]
        of_a_year = TimeSlot(start=now, end=now + FAR)
        found: dict[tuple[str, datetime], Appointment] = {}
        for event in self._events(self._read()):
            windows = [of_a_year, *further] if "rrule" in event else [TimeSlot(start=now, end=_END)]
            for window in windows:
                found |= {(each.uid, each.start): each for each in self._occurrences(event, window)}
        return [self._seen(each) for each in sorted(found.values(), key=lambda each: each.start)]

    def conflicts(self, slot: TimeSlot, *, without: str = "") -> list[Appointment]:
        """What else stands in a slot."""
        return [each for each in self.between(slot.start, slot.end) if each.uid != without and each.overlaps(slot)]

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
            self._require_free(appointment, appointment.uid)
            calendar.add_component(self._new_event(appointment))
            self._write(calendar)
        return self._seen(appointment)

    def move(self, uid: str, slot: TimeSlot, key: str) -> Appointment | None:
        """Give an appointment another time; `None` if there is no such appointment. Raises `SlotTakenError`."""
        with self._locked():
            calendar = self._read()
            event = next((each for each in self._events(calendar) if str(each.get("uid", "")) == uid), None)
            if event is None:
                return None
            if str(event.get(KEY_PROPERTY, "")) != uid_for(key):
                self._require_free(slot, uid)
                self._replace(event, {"dtstart": slot.start, "dtend": slot.end, KEY_PROPERTY: uid_for(key)})
                event.pop("duration", None)
                self._replace(event, {"sequence": int(event.get("sequence", 0)) + 1})
                self._write(calendar)
            return self._appointment(event)

    def was_moved_by(self, uid: str, key: str) -> bool:
        """Whether the last move of an appointment was this call's."""
        events = self._events(self._read())
        return any(str(e.get("uid", "")) == uid and str(e.get(KEY_PROPERTY, "")) == uid_for(key) for e in events)

    def cancel(self, uid: str, key: str) -> Appointment | None:
        """Mark an appointment as cancelled: its time is free, and other programs see it. `None` if there is none."""
        with self._locked():
            calendar = self._read()
            event = next((each for each in calendar.walk("VEVENT") if str(each.get("uid", "")) == uid), None)
            if event is None:
                return None
            if str(event.get("status", "")).upper() != "CANCELLED":
                sequence = int(event.get("sequence", 0)) + 1
                self._replace(event, {"status": "CANCELLED", KEY_PROPERTY: uid_for(key), "sequence": sequence})
                self._write(calendar)
            return self._appointment(event)

    def cancelled_by(self, uid: str, key: str) -> Appointment | None:
        """The appointment, if it was this call that cancelled it."""
        events = (event for event in self._read().walk("VEVENT") if str(event.get("uid", "")) == uid)
        mine = (
            event
            for event in events
            if str(event.get("status", "")).upper() == "CANCELLED" and str(event.get(KEY_PROPERTY, "")) == uid_for(key)
        )
        return next((self._appointment(event) for event in mine), None)

    def _require_free(self, slot: TimeSlot, uid: str) -> None:
        """Under the lock: the faster one has the slot."""
        conflicts = self.conflicts(slot, without=uid)
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

    def _occurrences(self, event: Any, window: TimeSlot) -> list[Appointment]:
        single = self._appointment(event)
        if single is None:
            return []
        starts = self._starts(event, single, window) if "rrule" in event else [single.start]
        each = (self._appointment(event, start) for start in starts)
        return [one for one in each if one is not None and one.overlaps(window)]

    def _starts(self, event: Any, first: Appointment, window: TimeSlot) -> list[datetime]:
        """When a repeated event begins inside a window: repeated by the wall clock of its own zone."""
        dateutil: Any = load_extra("dateutil.rrule", extra="appointments", needed_for="repeated events")
        zone, length = first.start.tzinfo, first.end - first.start
        rule = str(event["rrule"].to_ical().decode())
        plain = ";".join(part.rstrip("Z") if part.startswith("UNTIL") else part for part in rule.split(";"))
        repeated = dateutil.rrulestr(plain, dtstart=first.start.replace(tzinfo=None))
        early, late = ((m.astimezone(zone)).replace(tzinfo=None) for m in (window.start - length, window.end))
        found = repeated.between(early, late, inc=True)[:MAX_OCCURRENCES]
        return [moment.replace(tzinfo=zone) for moment in found]
