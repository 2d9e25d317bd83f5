"""What a chart specification may hold: a list of keys and values, and nothing else.

Specifications are made by `spec`, but they come back from stores, files and clients. Whatever is drawn passes here
first: no data of its own, no address, no expression, no image, no transform, and only fields that the data has.
"""

import math
import re
from collections.abc import Collection
from typing import Any, Final

from batuta.datasets.dataset import DatasetError

MAX_DEPTH = 8
MAX_NODES = 4_000
MAX_TEXT_CHARS = 400

MARKS: Final = frozenset({"bar", "line", "area", "arc", "point", "rect"})
CHANNELS: Final = frozenset({"x", "y", "color", "theta", "order", "tooltip", "xOffset", "yOffset"})

_TOP: Final = frozenset({"$schema", "data", "width", "height", "mark", "encoding", "layer", "resolve", "figure"})
_LAYER: Final = frozenset({"mark", "encoding"})
_MARK: Final = {
    "type": MARKS, "point": (bool,), "filled": (bool,), "innerRadius": (int, float),
    "color": re.compile(r"#[0-9a-f]{3,8}"),
}  # fmt: skip
_CHANNEL: Final = frozenset(
    {"field", "type", "title", "sort", "scale", "axis", "legend", "stack", "format", "timeUnit"}
)
_TYPES: Final = frozenset({"nominal", "ordinal", "quantitative", "temporal"})
_SORTS: Final = frozenset({None, "ascending", "descending"})
_STACKS: Final = frozenset({None, True, False, "zero"})
_SCALE: Final = {"zero": (bool,), "type": frozenset({"utc", "linear"})}
_AXIS: Final = {"format": (str,), "labelLimit": (int,), "tickMinStep": (int,)}
_FORMATS: Final = frozenset({",", ",d", ",.2f", ",.2~f", "%d %b %Y"})
_SCHEMAS: Final = frozenset({f"https://vega.github.io/schema/vega-lite/v{major}.json" for major in (5, 6)})


class SpecError(DatasetError):
    """A chart specification that is not drawn."""


def checked_spec(spec: Any, columns: Collection[str]) -> dict[str, Any]:
    """The specification, if it is one of ours and all its fields are columns. Raises `SpecError`."""
    _bounded(spec)
    _object(spec, _TOP, "the specification")
    if spec.get("data") != {"name": "figures"}:
        raise SpecError("a chart refers to its data by name, and brings none")
    _one_of(spec.get("$schema", next(iter(_SCHEMAS))), _SCHEMAS, "$schema")
    _size(spec.get("width", "container"), "width")
    _size(spec.get("height", 280), "height")
    if "figure" in spec:
        _figure(spec, columns)
    for layer in _layers(spec):
        _unit(layer, columns)
    if "resolve" in spec and spec["resolve"] != {"scale": {"y": "independent"}}:
        raise SpecError("only the scale of y may be independent")
    return dict(spec)


def _layers(spec: dict[str, Any]) -> list[Any]:
    if "layer" not in spec:
        return [{name: spec[name] for name in _LAYER if name in spec}] if "mark" in spec else []
    layers = spec["layer"]
    if not isinstance(layers, list) or not 1 <= len(layers) <= 4 or _LAYER & spec.keys():
        raise SpecError("a chart has one to four layers, or a mark")
    return layers


def _figure(spec: dict[str, Any], columns: Collection[str]) -> None:
    _object(spec["figure"], {"value", "previous", "change", "label"}, "the figure")
    if {"mark", "layer", "encoding"} & spec.keys():
        raise SpecError("a figure has no marks")
    for field in spec["figure"].values():
        _field(field, columns)


def _unit(layer: Any, columns: Collection[str]) -> None:
    _object(layer, _LAYER, "a layer")
    _values(layer.get("mark"), _MARK, "a mark")
    if "type" not in layer["mark"]:
        raise SpecError("a mark has a type")
    encoding = layer.get("encoding")
    _object(encoding, CHANNELS, "an encoding")
    for name, channel in encoding.items():
        for one in channel if name == "tooltip" and isinstance(channel, list) else [channel]:
            _channel(one, columns)


def _channel(channel: Any, columns: Collection[str]) -> None:
    _object(channel, _CHANNEL, "a channel")
    _field(channel.get("field"), columns)
    _one_of(channel.get("type", "nominal"), _TYPES, "type")
    _one_of(channel.get("sort"), _SORTS, "sort")
    _one_of(channel.get("stack"), _STACKS, "stack")
    _one_of(channel.get("format", ","), _FORMATS, "format")
    _one_of(channel.get("timeUnit", "utcyearmonthdate"), {"utcyearmonthdate"}, "timeUnit")
    if not isinstance(channel.get("title", ""), str):
        raise SpecError("a title is a text")
    _values(channel.get("scale", {}), _SCALE, "a scale")
    for guide in ("axis", "legend"):
        _values(channel.get(guide, {}), _AXIS, f"the {guide}")
        _one_of(channel.get(guide, {}).get("format", ","), _FORMATS, "format")


def _field(field: Any, columns: Collection[str]) -> None:
    if not isinstance(field, str) or field not in columns:
        raise SpecError(f"the data has no column {str(field)[:80]!r}")


def _object(value: Any, keys: Collection[str], what: str) -> None:
    if not isinstance(value, dict):
        raise SpecError(f"{what} is an object")
    if unknown := sorted(str(key)[:40] for key in value if key not in keys):
        raise SpecError(f"{what} has no {', '.join(unknown[:5])}")


def _values(value: Any, allowed: dict[str, Any], what: str) -> None:
    _object(value, allowed.keys(), what)
    for name, one in value.items():
        if isinstance(allowed[name], frozenset):
            _one_of(one, allowed[name], name)
        elif isinstance(allowed[name], re.Pattern):
            if not isinstance(one, str) or allowed[name].fullmatch(one) is None:
                raise SpecError(f"{name} of {what} cannot be {str(one)[:40]!r}")
        elif isinstance(one, float) and not math.isfinite(one):
            raise SpecError(f"{name} of {what} has to be a number")
        elif not isinstance(one, allowed[name]) or (isinstance(one, bool) and bool not in allowed[name]):
            raise SpecError(f"{name} of {what} cannot be {str(one)[:40]!r}")


def _one_of(value: Any, allowed: Collection[Any], what: str) -> None:
    if isinstance(value, list | dict) or value not in allowed:
        raise SpecError(f"{what} cannot be {str(value)[:80]!r}")


def _size(value: Any, what: str) -> None:
    step = value.get("step") if isinstance(value, dict) and len(value) == 1 else value
    is_number = isinstance(step, int) and not isinstance(step, bool) and 1 <= step <= 2_000
    if not is_number and value != "container":
        raise SpecError(f"{what} cannot be {str(value)[:40]!r}")


def _bounded(spec: Any) -> None:
    """Bounds before anything is looked at: depth, number of nodes, length of texts."""
    waiting: list[tuple[Any, int]] = [(spec, 0)]
    seen = 0
    while waiting:
        value, depth = waiting.pop()
        seen += 1
        if depth > MAX_DEPTH or seen > MAX_NODES:
            raise SpecError("the specification is too large")
        if isinstance(value, str) and len(value) > MAX_TEXT_CHARS:
            raise SpecError("a text of the specification is too long")
        if isinstance(value, dict):
            waiting += [(one, depth + 1) for one in (*value.keys(), *value.values())]
        elif isinstance(value, list):
            waiting += [(one, depth + 1) for one in value]
