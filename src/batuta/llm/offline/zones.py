"""Time zones by the names of places, as far as a text names them."""

import re
from functools import cache
from zoneinfo import available_timezones

from batuta.llm.offline.lexicon import ZONE_ALIASES, ZONE_AREAS

_EXACT = re.compile(rf"\b(?:{'|'.join(ZONE_AREAS)})(?:/[A-Za-z_]+){{1,2}}\b", re.IGNORECASE)
_COMMON_WORDS = frozenset(
    {"center", "easter", "north", "south", "west", "eastern", "central", "nome", "general", "christmas", "reunion"}
)


def zones_in(plain: str) -> list[str]:
    """The time zones a folded text names, in order, without repetitions."""
    found = [(match.start(), zone) for match in _EXACT.finditer(plain) if (zone := _exact().get(match.group().lower()))]
    found += [(match.start(), _places()[match.group()]) for match in _pattern().finditer(plain)]
    return list(dict.fromkeys(zone for _, zone in sorted(found)))


def without_zones(plain: str) -> str:
    """A folded text without the places it names: where something is asked about is not what is asked."""
    return _pattern().sub(" ", _EXACT.sub(" ", plain))


@cache
def _exact() -> dict[str, str]:
    return {zone.lower(): zone for zone in available_timezones()}


@cache
def _places() -> dict[str, str]:
    """Places by name; a name that is also a common word would be found where nobody means it."""
    names = {
        zone.rpartition("/")[2].replace("_", " ").lower(): zone
        for zone in sorted(available_timezones())
        if zone.partition("/")[0] in ZONE_AREAS
    }
    usable = {name: zone for name, zone in names.items() if len(name) > 3 and name not in _COMMON_WORDS}
    return {**usable, **ZONE_ALIASES}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_places(), key=len, reverse=True)
    return re.compile(r"(?<![\w/])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w/])")
