"""The appointment desk of one installation: calendars by user, the clock, the user's time zone."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from batuta.agents.appointments.calendar_file import CalendarFile
from batuta.agents.appointments.models import AmendedRequest, Appointment, Draft, Outcome, ParsedRequest, RequestKind
from batuta.agents.appointments.resolving import (
    Moment,
    at_the_time_said,
    from_the_time_said,
    look_up,
    matching,
    not_understood,
    resolve_geo,
    resolve_temporal,
    validate,
)
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ConfigurationError
from batuta.tools.context import TIME_ZONE_SERVICE

LOCAL_USER = "local"

_PLAIN_NAME = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where calendars are, and from when and where requests are seen."""

    folder: Path
    clock: Clock = SYSTEM_CLOCK
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        """Refuse an unknown zone."""
        if not _is_zone(self.time_zone):
            raise ConfigurationError(f"there is no time zone {self.time_zone!r}; use one like Europe/Madrid")

    def calendar(self, user_id: str | None, services: Mapping[Any, Any]) -> CalendarFile:
        """A user's own calendar."""
        name = user_id or LOCAL_USER
        safe = name if _PLAIN_NAME.fullmatch(name) else hashlib.sha256(name.encode()).hexdigest()[:32]
        return CalendarFile(self.folder / f"{safe}.ics", self.zone(services))

    def moment(self, services: Mapping[Any, Any]) -> Moment:
        """Now, where the user is."""
        return Moment(now=self.clock.now(), zone=self.zone(services))

    def zone(self, services: Mapping[Any, Any]) -> str:
        """The user's time zone, as far as the run says."""
        given = services.get(TIME_ZONE_SERVICE)
        return given if isinstance(given, str) and _is_zone(given) else self.time_zone


def assess(parsed: ParsedRequest, calendar: CalendarFile, moment: Moment) -> Outcome:
    """All the deterministic steps at once: what a request means and whether it can be had."""
    booked = _booked_before(parsed, calendar, moment) if isinstance(parsed, AmendedRequest) else None
    if isinstance(parsed, AmendedRequest) and booked is None:
        parsed = _still_to_book(parsed, moment)
    chosen = booked or chosen_appointment(parsed, calendar, moment)
    if booked is not None and isinstance(parsed, AmendedRequest):
        is_same_day = parsed.date_text == parsed.earlier[-1].date_text  # then it stays where it was booked
        day = None if is_same_day else parsed.date_text
        parsed = parsed.model_copy(update={"intent": RequestKind.RESCHEDULING, "date_text": day})
    if isinstance(chosen, Outcome):
        return chosen
    if parsed.intent is RequestKind.CANCELLATION:
        return to_cancel(parsed, chosen, moment)
    draft = resolve_geo(resolve_temporal(parsed, moment, chosen), moment)
    return look_up(validate(draft, moment), calendar, moment)


def _booked_before(parsed: AmendedRequest, calendar: CalendarFile, moment: Moment) -> Appointment | None:
    """What a changed request had already led to: then it is moved, and not booked a second time."""
    for earlier in reversed(parsed.earlier):
        slot = resolve_temporal(earlier, moment).slot
        found = calendar.conflicts(slot) if slot is not None else []
        there = next(
            (each for each in found if slot and each.start == slot.start and each.title == earlier.title), None
        )
        if there is not None:
            return there
    return None


def _still_to_book(parsed: AmendedRequest, moment: Moment) -> ParsedRequest:
    """What was asked for and never booked, with its new day or time: "make it 18:00" moves nothing then."""
    before = parsed.earlier[-1]
    if parsed.intent is not RequestKind.RESCHEDULING:
        return parsed
    if parsed.shift_minutes is not None:
        slot = resolve_geo(resolve_temporal(before, moment), moment).slot
        if slot is None or before.repeat_text:
            return parsed
        start = (slot.start + timedelta(minutes=parsed.shift_minutes)).astimezone(ZoneInfo(moment.zone))
        moved = {"date_text": f"{start:%Y-%m-%d}", "time_text": f"{start:%H:%M}", "zone_text": None, "place": None}
        return before.model_copy(update=moved)
    said = {"date_text": parsed.date_text, "time_text": parsed.time_text, "duration_minutes": parsed.duration_minutes}
    return before.model_copy(update={name: value for name, value in said.items() if value is not None})


def to_cancel(parsed: ParsedRequest, chosen: Appointment | None, moment: Moment) -> Outcome:
    """Nothing stands in the way of cancelling what was found."""
    draft = Draft(parsed=parsed, zone=moment.zone, moved=chosen)
    is_said = parsed.is_several or parsed.date_text or parsed.is_next
    if chosen is not None and chosen.repeats and not is_said:
        asked = draft.model_copy(update={"problems": ("series",)})
        return Outcome(outcome="needs_information", draft=asked)
    return Outcome(outcome="free", draft=draft, confidence=parsed.confidence)


def chosen_appointment(parsed: ParsedRequest, calendar: CalendarFile, moment: Moment) -> Appointment | Outcome | None:
    """The appointment to move or cancel; an outcome if there is none or it could be several."""
    if parsed.intent not in (RequestKind.RESCHEDULING, RequestKind.CANCELLATION):
        return None
    draft = Draft(parsed=parsed, zone=moment.zone)
    found = matching(parsed, calendar, moment)
    if parsed.intent is RequestKind.CANCELLATION:
        problems = not_understood(parsed, moment.local)
        if problems:
            return Outcome(outcome="needs_information", draft=draft.model_copy(update={"problems": problems}))
        found = at_the_time_said(found, parsed, moment)
    else:
        found = from_the_time_said(found, parsed, moment)
    if not found:
        return Outcome(outcome="not_found", draft=draft)
    is_one = len({each.uid for each in found}) == 1
    is_series = bool(found[0].repeats) and parsed.intent is RequestKind.CANCELLATION
    if not is_one or (parsed.is_several and not is_series):
        return Outcome(outcome="needs_information", draft=draft, choices=tuple(found[:5]))
    return found[0]


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
