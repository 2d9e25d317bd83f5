"""What `language` resolves, as a tool: days, periods, times and amounts, so that no model works them out itself."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.language.amounts import find_money, find_percentages
from batuta.language.dates import find_dates
from batuta.language.findings import Finding
from batuta.language.moments import find_moments
from batuta.language.numbers import find_numbers
from batuta.language.periods import find_comparisons, find_periods
from batuta.language.places import find_zones
from batuta.language.times import find_durations
from batuta.tools.builtin.clock import own_zone
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool

MAX_CHARS = 1_000


def resolve_words_tool(clock: Clock = SYSTEM_CLOCK, *, time_zone: str = "UTC") -> Tool:
    """A tool `resolve_words`; `time_zone` is meant where the run does not say the user's."""
    default = ZoneInfo(time_zone)

    @tool(kind="computation")
    async def resolve_words(text: str, context: ToolContext) -> dict[str, Any]:
        """Resolve the dates, periods, times, amounts and places in a text, seen from now where the user is.

        Use it for every relative date or period ("last quarter", "el viernes que viene", "year to date") instead of
        working it out. What words may mean as well is given as alternatives: ask the user where it matters.

        Args:
            text: The words as the user wrote them.
            context: The call.
        """
        return resolved(text[:MAX_CHARS], clock.now().astimezone(own_zone(context, default)))

    return resolve_words


def resolved(text: str, now: datetime) -> dict[str, Any]:
    """Everything that is found in a text, as JSON holds it."""
    found: dict[str, list[Finding[Any]]] = {
        "periods": list(find_periods(text, now=now)),
        "comparisons": list(find_comparisons(text, now=now)),
        "dates": list(find_dates(text, now=now)),
        "moments": list(find_moments(text, now=now)),
        "durations": list(find_durations(text)),
        "money": list(find_money(text)),
        "percentages": list(find_percentages(text)),
        "numbers": list(find_numbers(text)),
        "time_zones": list(find_zones(text)),
    }
    shown = {kind: [_shown(each) for each in findings] for kind, findings in found.items() if findings}
    return {"now": now.isoformat(timespec="minutes"), "zone": str(now.tzinfo), **shown}


def _shown(found: Finding[Any]) -> dict[str, Any]:
    value = {"words": found.text, "value": _plain(found.value)}
    return {**value, "alternatives": [_plain(each) for each in found.alternatives]} if found.alternatives else value


def _plain(value: Any) -> Any:
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return {name: _plain(getattr(value, name)) for name in fields if getattr(value, name) is not None}
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
