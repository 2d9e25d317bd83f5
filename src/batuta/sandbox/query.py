"""The query options of a request, parsed: `$filter $select $orderby $top $skip $count $expand` and paging.

    parse_options(parse_query("$filter=number eq '1'&$expand=salesOrderLines($select=sequence)"))

Inside `$expand` the options of the child stand in brackets, parted by semicolons, as deep as `MOST_LEVELS`.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import unquote_plus

from batuta.sandbox.errors import BadRequestError
from batuta.sandbox.filter_syntax import FilterNode, parse_filter

MOST_LEVELS: Final = 6
LARGEST_PAGE: Final = 20_000
MOST_OPTIONS: Final = 50


@dataclass(frozen=True, kw_only=True)
class SystemQueryOptions:
    filter: FilterNode | None = None
    select: tuple[str, ...] | None = None
    orderby: tuple[tuple[str, bool], ...] = ()
    """Property and whether it descends."""
    top: int | None = None
    skip: int = 0
    has_count: bool = False
    expand: tuple["Expansion", ...] = ()
    after: tuple[str | int, ...] | None = None
    """Where a page goes on: the ordering values and the row number of the last row before it."""


@dataclass(frozen=True, kw_only=True)
class Expansion:
    """A navigation to bring along, with the options for its rows."""

    name: str
    options: SystemQueryOptions = field(default_factory=SystemQueryOptions)


_KNOWN: Final = frozenset(
    {"$filter", "$select", "$orderby", "$top", "$skip", "$count", "$expand", "$skiptoken", "$format", "$schemaversion"}
)
_NESTED: Final = frozenset({"$filter", "$select", "$orderby", "$top", "$skip", "$count", "$expand"})


def parse_query(text: str) -> dict[str, str]:
    """The options of a query string, decoded; one that is given twice is refused."""
    options: dict[str, str] = {}
    parts = [part for part in text.split("&") if part]
    if len(parts) > MOST_OPTIONS:
        raise BadRequestError(f"A request has at most {MOST_OPTIONS} query options.")
    for part in parts:
        name, _, value = part.partition("=")
        key = unquote_plus(name)
        if key in options:
            raise BadRequestError(f"The query option '{key[:60]}' stands twice in the request.")
        options[key] = unquote_plus(value)
    return options


def parse_options(given: Mapping[str, str]) -> SystemQueryOptions:
    """The options of a request; those that do not begin with `$` are not OData's and are left to others."""
    for name in given:
        if name.startswith("$") and name not in _KNOWN:
            raise BadRequestError(
                f"The query option '{name[:60]}' is not supported.", code="BadRequest_MethodNotImplemented"
            )
    after = decode_token(given["$skiptoken"]) if "$skiptoken" in given else None
    return replace(_options(given, 1), after=after)


def encode_token(place: tuple[str | int, ...]) -> str:
    """The place where the next page begins, as it stands in `$skiptoken`."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def decode_token(text: str) -> tuple[str | int, ...]:
    """What `encode_token` made; the values are only ever bound, never trusted."""
    try:
        place = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error, RecursionError) as error:
        raise BadRequestError("The $skiptoken is not one of this service.") from error
    if not isinstance(place, list) or not place or not all(type(each) in (str, int) for each in place):
        raise BadRequestError("The $skiptoken is not one of this service.")
    if any(type(each) is int and abs(each) >= 2**63 for each in place):
        raise BadRequestError("The $skiptoken is not one of this service.")
    return tuple(place)


def _options(given: Mapping[str, str], level: int) -> SystemQueryOptions:
    return SystemQueryOptions(
        filter=parse_filter(given["$filter"]) if "$filter" in given else None,
        select=_names(given["$select"]) if "$select" in given else None,
        orderby=_orderby(given["$orderby"]) if "$orderby" in given else (),
        top=_whole(given, "$top") if "$top" in given else None,
        skip=_whole(given, "$skip") if "$skip" in given else 0,
        has_count=_flag(given["$count"]) if "$count" in given else False,
        expand=_expand(given["$expand"], level) if "$expand" in given else (),
    )


def _names(text: str) -> tuple[str, ...] | None:
    names = tuple(name.strip() for name in text.split(","))
    return None if "*" in names else names


def _orderby(text: str) -> tuple[tuple[str, bool], ...]:
    found = []
    for part in text.split(","):
        words = part.split()
        if len(words) not in (1, 2) or (len(words) == 2 and words[1] not in ("asc", "desc")):
            raise BadRequestError(f"'{part[:80]}' is not an order: a property, then asc or desc.")
        found.append((words[0], words[-1] == "desc" and len(words) == 2))
    return tuple(found)


def _whole(given: Mapping[str, str], name: str) -> int:
    text = given[name].strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise BadRequestError(f"'{text[:40]}' is not a whole number for {name}.")
    return int(text)


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise BadRequestError(f"$count is true or false, not '{text[:40]}'.")
    return text == "true"


def _expand(text: str, level: int) -> tuple[Expansion, ...]:
    if level > MOST_LEVELS:
        raise BadRequestError(f"$expand goes at most {MOST_LEVELS} levels deep.")
    return tuple(_expansion(part.strip(), level) for part in _split(text, ","))


def _expansion(text: str, level: int) -> Expansion:
    name, bracket, inside = text.partition("(")
    if not bracket:
        return Expansion(name=_navigation_name(name))
    if not inside.endswith(")"):
        raise BadRequestError(f"A bracket is not closed in $expand at '{text[:60]}'.")
    given: dict[str, str] = {}
    for part in _split(inside[:-1], ";"):
        key, _, value = part.partition("=")
        option = key.strip()
        if option not in _NESTED or option in given:
            raise BadRequestError(f"'{option[:40]}' cannot stand here inside $expand.")
        given[option] = value
    return Expansion(name=_navigation_name(name), options=_options(given, level + 1))


def _navigation_name(text: str) -> str:
    name = text.strip()
    if not name.isidentifier():
        raise BadRequestError(f"'{name[:60]}' in $expand is not the name of a navigation property.")
    return name


def _split(text: str, mark: str) -> list[str]:
    """Part a text at a mark, but not inside brackets or quotes."""
    parts, depth, is_quoted, start = [], 0, False, 0
    for place, letter in enumerate(text):
        if letter == "'":
            is_quoted = not is_quoted
        elif not is_quoted:
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if letter == mark and depth == 0:
                parts.append(text[start:place])
                start = place + 1
    if depth or is_quoted:
        raise BadRequestError(f"A bracket or quote is not closed at '{text[:60]}'.")
    return [*parts, text[start:]]
