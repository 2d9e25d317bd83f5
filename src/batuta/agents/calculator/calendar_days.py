"""Questions about days: which weekday a date is, and how far it is from today or another day."""

from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.language.findings import LANGUAGES, Language
from batuta.language.wording import day_in_words
from batuta.tools.builtin.clock import own_zone
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool


def days_tool(clock: Clock = SYSTEM_CLOCK, *, time_zone: str = "UTC") -> Tool:
    """A tool `count_days`; today is what it is in the user's zone."""

    @tool(kind="computation")
    async def count_days(
        day: date, context: ToolContext, since: date | None = None, only_working: bool = False
    ) -> dict[str, Any]:
        """Tell which weekday a day is and how many days it is from today, or from another day.

        Args:
            day: The day, such as `2026-12-24`.
            context: The call.
            since: The day to count from; today if it is left out.
            only_working: Whether to count Mondays to Fridays only; public holidays are not known.
        """
        today = clock.now().astimezone(own_zone(context, ZoneInfo(time_zone))).date()
        start = since or today
        if only_working:
            working = working_days(start, day)
            return {"day": day.isoformat(), "working_days": working, "summary": _working_summary(day, start, working)}
        days = (day - start).days
        return {"day": day.isoformat(), "days": days, "summary": _summary(day, days, since)}

    return count_days


def working_days(start: date, end: date) -> int:
    """How many Mondays to Fridays there are from the first day on, without the last one; negative backwards."""
    first, last = sorted((start, end))
    weeks, rest = divmod((last - first).days, 7)
    count = weeks * WORKDAYS + sum((first.weekday() + at) % 7 < WORKDAYS for at in range(rest))
    return count if start <= end else -count


def _working_summary(day: date, start: date, working: int) -> dict[str, str]:
    return {
        language: _WORKING[language].format(
            start=day_in_words(start, language), day=day_in_words(day, language), days=abs(working)
        )
        for language in LANGUAGES
    }


def _summary(day: date, days: int, since: date | None) -> dict[str, str]:
    sentences: dict[str, str] = {}
    for language in LANGUAGES:
        named = day_in_words(day, language)
        named = named[:1].upper() + named[1:]
        if since is not None:
            start = day_in_words(since, language)
            sentences[language] = _BETWEEN[language].format(
                day=day_in_words(day, language), start=start, days=_long(days, language)
            )
        else:
            form = "today" if days == 0 else "ahead" if days > 0 else "ago"
            sentences[language] = _FROM_TODAY[form][language].format(day=named, days=_long(days, language))
    return sentences


def _long(days: int, language: Language) -> str:
    """So many days, in weeks too where they are many: `46 days (6 weeks and 4 days)`."""
    weeks, rest = divmod(abs(days), 7)
    day, week, joint = _WORDS[language]
    whole = f"{abs(days)} {day}{'' if abs(days) == 1 else 's'}"
    if weeks < WEEKS_SAID_FROM:
        return whole
    tail = f" {joint} {rest} {day}{'' if rest == 1 else 's'}" if rest else ""
    return f"{whole} ({weeks} {week}s{tail})"


WEEKS_SAID_FROM = 2
WORKDAYS = 5
"""Days of a week on which is worked, from Monday on."""
_WORDS: dict[Language, tuple[str, str, str]] = {"en": ("day", "week", "and"), "es": ("día", "semana", "y")}


_BETWEEN = {"en": "From {start} to {day} it is {days}.", "es": "Del {start} al {day} hay {days}."}
_FROM_TODAY = {
    "today": {"en": "{day}: that is today.", "es": "{day}: es hoy."},
    "ahead": {"en": "{day}, in {days}.", "es": "{day}, dentro de {days}."},
    "ago": {"en": "{day}, {days} ago.", "es": "{day}, hace {days}."},
}
_WORKING = {
    "en": "From {start} until {day} there are {days} working days (Monday to Friday, public holidays included; the last day not).",
    "es": "Desde el {start} hasta el {day} hay {days} días laborables (de lunes a viernes, festivos incluidos; el último día no).",
}
