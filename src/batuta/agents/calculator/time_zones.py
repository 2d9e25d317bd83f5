"""The time of one place in another, on a given day, with summer time as it is there."""

import re
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ToolFailedError
from batuta.tools.builtin.clock import own_zone
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool

_TIME = re.compile(r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d\d))?\s*(?P<half>[ap]\.?\s?m\.?)?h?", re.IGNORECASE)
_NAMED = {"noon": time(12), "midday": time(12), "mediodia": time(12), "mediodía": time(12), "midnight": time(0),
          "medianoche": time(0)}  # fmt: skip


def convert_time_tool(clock: Clock = SYSTEM_CLOCK, *, time_zone: str = "UTC") -> Tool:
    """A tool `convert_time`; `time_zone` is meant when the model does not say where from."""

    @tool(kind="computation")
    async def convert_time(
        time_of_day: str, to_zone: str, context: ToolContext, from_zone: str | None = None, on: date | None = None
    ) -> dict[str, Any]:
        """Convert a time of day of one place to another place.

        Args:
            time_of_day: A time of day such as `15:30` or `3pm`.
            to_zone: The IANA time zone to convert to, such as `Asia/Tokyo`.
            context: The call.
            from_zone: The IANA time zone the time is meant in; the user's own if it is left out.
            on: The day, as differences change with summer time; today if it is left out.
        """
        start = _zone(from_zone) if from_zone else own_zone(context, _zone(time_zone))
        day = on or clock.now().astimezone(start).date()
        return converted(parsed_time(time_of_day), day, start, _zone(to_zone))

    return convert_time


def parsed_time(text: str) -> time:
    """A time of day as people write it. Raises `ToolFailedError`."""
    plain = text.strip().lower()
    if plain in _NAMED:
        return _NAMED[plain]
    match = _TIME.fullmatch(plain)
    if match is None:
        raise ToolFailedError(f"{text[:40]!r} is no time of day; write it like 15:30 or 3pm")
    hour, minute, half = int(match["hour"]), int(match["minute"] or 0), match["half"]
    if hour > (12 if half else 23) or minute > 59 or (half and hour == 0):
        raise ToolFailedError(f"there is no time of day {text[:40]!r}")
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return time(hour, minute)


def converted(wanted: time, day: date, start: ZoneInfo, end: ZoneInfo) -> dict[str, Any]:
    """The same moment in two places. Raises `ToolFailedError` for a time that the clocks skip that day."""
    there = datetime.combine(day, wanted, start)
    if there.astimezone(ZoneInfo("UTC")).astimezone(start).replace(tzinfo=None) != there.replace(tzinfo=None):
        raise ToolFailedError(f"the clocks in {start} skip {wanted:%H:%M} on {day}")
    here = there.astimezone(end)
    shift = (here.date() - there.date()).days
    return {
        "from": there.isoformat(timespec="minutes"),
        "to": here.isoformat(timespec="minutes"),
        "summary": {
            "en": f"{there:%H:%M} in {start} is {here:%H:%M}{_SHIFTS['en'][shift]} in {end}.",
            "es": f"Las {there:%H:%M} en {start} son las {here:%H:%M}{_SHIFTS['es'][shift]} en {end}.",
        },
    }


_SHIFTS = {
    "en": {-1: " the day before", 0: "", 1: " the next day"},
    "es": {-1: " del día anterior", 0: "", 1: " del día siguiente"},
}


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ToolFailedError(f"there is no time zone {name[:64]!r}; use one like Europe/Madrid") from None
