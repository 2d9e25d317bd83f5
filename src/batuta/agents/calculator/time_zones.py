"""The time of one place in another, on a given day, with summer time as it is there."""

import re
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ToolFailedError
from batuta.language.findings import LANGUAGES
from batuta.language.places import place_name
from batuta.language.slots import HERE
from batuta.language.times import read_time
from batuta.language.wording import day_in_words
from batuta.tools.builtin.clock import own_zone
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool

MINUTES_OF_A_DAY = 24 * 60


def clock_tool(clock: Clock = SYSTEM_CLOCK, *, time_zone: str = "UTC") -> Tool:
    """A tool `current_time` that tells it in words; `time_zone` is meant when the model names none."""
    default = _zone(time_zone)

    @tool(kind="computation")
    async def current_time(context: ToolContext, zone: str | None = None) -> dict[str, Any]:
        """Tell the current date, time and weekday.

        Args:
            context: The call.
            zone: An IANA time zone such as `Europe/Madrid`; the user's own if it is left out.
        """
        here = clock.now().astimezone(own_zone(context, default))
        there = here.astimezone(_zone(zone)) if zone is not None else here
        return {
            "time": there.isoformat(timespec="seconds"),
            "weekday": there.strftime("%A"),
            "iso_week": there.isocalendar().week,
            "zone": str(there.tzinfo),
            "summary": _now_in_words(there, here, zone),
        }

    return current_time


def convert_time_tool(clock: Clock = SYSTEM_CLOCK, *, time_zone: str = "UTC") -> Tool:
    """A tool `convert_time`; `time_zone` is meant when the model does not say where from."""

    @tool(kind="computation")
    async def convert_time(
        time_of_day: str, to_zone: str, context: ToolContext, from_zone: str | None = None, on: date | None = None
    ) -> dict[str, Any]:
        """Convert a time of day of one place to another place.

        Args:
            time_of_day: A time of day such as `15:30` or `3pm`.
            to_zone: The IANA time zone to convert to, such as `Asia/Tokyo`; `here` is the user's own.
            context: The call.
            from_zone: The IANA time zone the time is meant in; the user's own if it is left out.
            on: The day, as differences change with summer time; today if it is left out.
        """
        own = own_zone(context, _zone(time_zone))
        start, end = _zone(from_zone) if from_zone else own, own if to_zone == HERE else _zone(to_zone)
        day = on or clock.now().astimezone(start).date()
        return converted(parsed_time(time_of_day), day, start, end)

    return convert_time


def time_difference_tool(clock: Clock = SYSTEM_CLOCK, *, time_zone: str = "UTC") -> Tool:
    """A tool `time_difference`; `time_zone` is meant when the model names only one place."""

    @tool(kind="computation")
    async def time_difference(to_zone: str, context: ToolContext, from_zone: str | None = None) -> dict[str, Any]:
        """Tell how many hours one place is ahead of or behind another, today.

        Args:
            to_zone: The IANA time zone of a place, such as `Asia/Tokyo`; `here` is the user's own.
            context: The call.
            from_zone: The IANA time zone it is compared with; the user's own if it is left out.
        """
        own = own_zone(context, _zone(time_zone))
        start, end = _zone(from_zone) if from_zone else own, own if to_zone == HERE else _zone(to_zone)
        now = clock.now()
        there, here = now.astimezone(end), now.astimezone(start)
        minutes = int(((there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())).total_seconds() // 60)
        return {"minutes": minutes, "summary": _difference_in_words(minutes, there, here)}

    return time_difference


def time_after_tool() -> Tool:
    """A tool `time_after` for when something ends or has to begin."""

    @tool(kind="computation")
    async def time_after(time_of_day: str, minutes: int, is_backwards: bool = False) -> dict[str, Any]:
        """Tell the time of day so many minutes after another one, or before it.

        Args:
            time_of_day: A time of day such as `22:15`.
            minutes: How many minutes lie between.
            is_backwards: Whether the time before it is asked for.
        """
        start = parsed_time(time_of_day)
        whole = start.hour * 60 + start.minute + (-minutes if is_backwards else minutes)
        days, rest = divmod(whole, MINUTES_OF_A_DAY)
        end = time(rest // 60, rest % 60)
        return {
            "time": f"{end:%H:%M}",
            "days": days,
            "summary": _after_in_words(start, minutes, is_backwards, end, days),
        }

    return time_after


def time_between_tool() -> Tool:
    """A tool `time_between` for how long something takes that begins and ends at a time of day."""

    @tool(kind="computation")
    async def time_between(start: str, end: str) -> dict[str, Any]:
        """Tell how much time passes from one time of day to another; where the end is earlier, it is of the next day.

        Args:
            start: A time of day such as `8:45`.
            end: A time of day such as `17:20`.
        """
        first, last = parsed_time(start), parsed_time(end)
        passed = (last.hour - first.hour) * 60 + last.minute - first.minute
        minutes = passed % MINUTES_OF_A_DAY
        said = f"{first:%H:%M} – {last:%H:%M}"
        return {
            "minutes": minutes,
            "summary": {
                language: f"{said}{_SHIFTS[language][1] if passed < 0 else ''}: {_length(minutes)}."
                for language in LANGUAGES
            },
        }

    return time_between


def _length(minutes: int) -> str:
    parts = zip(divmod(minutes, 60), ("h", "min"), strict=True)
    return " ".join(f"{amount} {unit}" for amount, unit in parts if amount) or "0 min"


def _after_in_words(start: time, minutes: int, is_backwards: bool, end: time, days: int) -> dict[str, str]:
    sign = "−" if is_backwards else "+"
    said = f"{start:%H:%M} {sign} {_length(minutes)} = {end:%H:%M}"
    if not days:
        return dict.fromkeys(LANGUAGES, f"{said}.")
    near = {language: words.get(days) for language, words in _SHIFTS.items()}
    far = {"en": f" ({days:+d} days)", "es": f" ({days:+d} días)"}
    return {language: f"{said}{near[language] or far[language]}." for language in LANGUAGES}


def _difference_in_words(minutes: int, there: datetime, here: datetime) -> dict[str, str]:
    hours, rest = divmod(abs(minutes), 60)
    length = f"{hours} h" + (f" {rest} min" if rest else "")
    form = "same" if minutes == 0 else "ahead" if minutes > 0 else "behind"
    return {
        language: _DIFFERENCES[form][language].format(
            there=place_name(str(there.tzinfo), language),
            here=place_name(str(here.tzinfo), language),
            length=length,
            then=f"{there:%H:%M}",
            now=f"{here:%H:%M}",
        )
        for language in LANGUAGES
    }


_DIFFERENCES = {
    "same": {"en": "{there} and {here} have the same time now: {now}.", "es": "{there} y {here} tienen ahora la misma hora: {now}."},
    "ahead": {"en": "{there} is {length} ahead of {here}: it is {then} there and {now} in {here}.",
              "es": "{there} va {length} por delante de {here}: allí son las {then} y en {here} las {now}."},
    "behind": {"en": "{there} is {length} behind {here}: it is {then} there and {now} in {here}.",
               "es": "{there} va {length} por detrás de {here}: allí son las {then} y en {here} las {now}."},
}  # fmt: skip


def parsed_time(text: str) -> time:
    """A time of day as people write it. Raises `ToolFailedError`."""
    read = read_time(text) if re.search(r"\d|noon|midd[ai]|midnight|mediod|medianoche|[a-z]{3}", text.lower()) else None
    if read is None:
        raise ToolFailedError(f"{text[:40]!r} is no time of day; write it like 15:30 or 3pm")
    return read[0]


def _now_in_words(there: datetime, here: datetime, zone: str | None) -> dict[str, str]:
    shift = (there.date() - here.date()).days
    sentences: dict[str, str] = {}
    for language in LANGUAGES:
        day = day_in_words(there.date(), language)
        if zone is None:
            sentences[language] = {"en": f"It is {there:%H:%M} on {day} (week {there.isocalendar().week}).",
                              "es": f"Son las {there:%H:%M} del {day} (semana {there.isocalendar().week})."}[language]  # fmt: skip
        else:
            place = place_name(zone, language)
            sentences[language] = {"en": f"In {place} it is {there:%H:%M}{_DAYS['en'][shift]}.",
                              "es": f"En {place} son las {there:%H:%M}{_DAYS['es'][shift]}."}[language]  # fmt: skip
    return sentences


_DAYS = {
    "en": {-1: " (yesterday)", 0: "", 1: " (tomorrow)"},
    "es": {-1: " (ayer)", 0: "", 1: " (mañana)"},
}


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
            "en": f"{there:%H:%M} in {place_name(str(start))} is {here:%H:%M}{_SHIFTS['en'][shift]} in {place_name(str(end))}.",
            "es": f"Las {there:%H:%M} en {place_name(str(start), 'es')} son las {here:%H:%M}{_SHIFTS['es'][shift]} en {place_name(str(end), 'es')}.",
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
