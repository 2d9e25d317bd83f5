"""From the path of a URL to what it names.

    /v2.0/{tenant}/{environment}/api/v2.0/companies(…)/salesOrders(…)/salesOrderLines

The part up to the API route is the *root*, which links in answers repeat; what follows are segments, each a name with
or without a key. Nothing is looked up in the store here.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from batuta.sandbox.errors import BadRequestError
from batuta.sandbox.filter_syntax import FilterLiteral, parse_literal
from batuta.sandbox.schema import AUTOMATION, STANDARD

MOST_SEGMENTS: Final = 20
_ROOT: Final = re.compile(
    rf"^((?:/v2\.0(?:/[^/]+){{1,2}})?/api/({re.escape(AUTOMATION)}|{re.escape(STANDARD)}))(?:/|$)"
)
_SEGMENT: Final = re.compile(r"^([$A-Za-z_][\w.]*)(?:\((.*)\))?$", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class PathSegment:
    name: str
    key: tuple[tuple[str, FilterLiteral], ...] | None = None
    """Pairs of key property (empty for the only one) and value; nothing where no brackets were given."""


@dataclass(frozen=True, kw_only=True)
class ApiPath:
    root: str
    route: str
    segments: tuple[PathSegment, ...]


def parse_api_path(path: str) -> ApiPath | None:
    """The parts of a path below an API route; nothing for another path."""
    found = _ROOT.match(path)
    if found is None:
        return None
    return ApiPath(root=found[1], route=found[2], segments=parse_segments(path[found.end() :]))


def parse_segments(text: str) -> tuple[PathSegment, ...]:
    parts = [part for part in text.split("/") if part]
    if len(parts) > MOST_SEGMENTS:
        raise BadRequestError(f"The path has more than {MOST_SEGMENTS} segments.", code="BadRequest_InvalidRequestUrl")
    return tuple(_segment(unquote(part)) for part in parts)


def _segment(text: str) -> PathSegment:
    found = _SEGMENT.match(text)
    if found is None:
        raise BadRequestError(f"'{text[:80]}' is not a segment of a path.", code="BadRequest_InvalidRequestUrl")
    inside = found[2]
    return PathSegment(name=found[1], key=_key(inside) if inside else None)


def _key(text: str) -> tuple[tuple[str, FilterLiteral], ...]:
    pairs = []
    for part in _split_key(text):
        name, equals, value = part.partition("=")
        if equals and name.strip().isidentifier():
            pairs.append((name.strip(), _value(value.strip())))
        else:
            pairs.append(("", _value(part.strip())))
    return tuple(pairs)


def _value(text: str) -> FilterLiteral:
    try:
        return parse_literal(text)
    except BadRequestError as error:
        raise BadRequestError(f"'{text[:80]}' is not a key.", code="BadRequest_InvalidRequestUrl") from error


def _split_key(text: str) -> list[str]:
    return re.findall(r"(?:'[^']*'|[^,'])+|'", text)
