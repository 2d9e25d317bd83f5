"""Specifications that nobody with good intentions writes."""

import copy
from typing import Any

GOOD: dict[str, Any] = {
    "data": {"name": "figures"},
    "mark": {"type": "bar"},
    "encoding": {
        "x": {"field": "customer", "type": "nominal"},
        "y": {"field": "amount", "type": "quantitative", "axis": {"format": ","}, "scale": {"zero": True}},
        "tooltip": [{"field": "amount", "type": "quantitative"}],
    },
}
URL = "http://127.0.0.1:1/x"
VALUES: tuple[Any, ...] = (
    URL,
    "file:///etc/passwd",
    {"url": URL},
    {"values": [{"a": 1}]},
    {"expr": "window.alert(1)"},
    {"signal": "alert(1)"},
    ["x"] * 5_000,
    "x" * 100_000,
    [[[[[[[[[[[1]]]]]]]]]]],
    10**9,
    None,
)
TOP_KEYS = (
    "transform", "params", "datasets", "config", "usermeta", "projection", "facet", "repeat", "concat", "hconcat",
    "vconcat", "spec", "signals", "marks", "loader", "background", "title", "autosize", "bounds", "selection", "href",
    "url", "view", "padding", "scales", "axes", "description", "name",
)  # fmt: skip
PLACES: tuple[tuple[Any, ...], ...] = (
    ("data",),
    ("mark",),
    ("mark", "type"),
    ("mark", "href"),
    ("mark", "url"),
    ("mark", "aria"),
    ("encoding",),
    ("encoding", "href"),
    ("encoding", "url"),
    ("encoding", "x"),
    ("encoding", "x", "field"),
    ("encoding", "x", "type"),
    ("encoding", "x", "value"),
    ("encoding", "x", "condition"),
    ("encoding", "x", "bin"),
    ("encoding", "x", "aggregate"),
    ("encoding", "x", "scale"),
    ("encoding", "x", "axis"),
    ("encoding", "x", "sort"),
    ("encoding", "y", "axis", "format"),
    ("encoding", "y", "axis", "labelExpr"),
    ("encoding", "y", "scale", "domain"),
    ("encoding", "y", "scale", "type"),
    ("encoding", "tooltip"),
    ("encoding", "text"),
    ("encoding", "shape"),
    ("layer",),
    ("width",),
    ("height",),
)
MARKS = ("image", "text", "trail", "geoshape", "rule", "group", "symbol", "boxplot", "errorband")


def hostile_specs() -> list[Any]:
    """All of them."""
    made: list[Any] = [with_value((key,), value) for key in TOP_KEYS for value in VALUES[:5]]
    made += [with_value(place, value) for place in PLACES for value in VALUES if not _is_harmless(place, value)]
    made += [with_value(("mark", "type"), mark) for mark in MARKS]
    made += [with_value(("mark", "color"), value) for value in ("url(#a)", f"url({URL})", "red;x", "javascript:1")]
    made += [with_value(("mark", "innerRadius"), float(value)) for value in ("nan", "inf", "-inf")]
    made += [[], "spec", None, 7, {}, {"data": {"name": "figures", "url": URL}, "mark": {"type": "bar"}}]
    made += [{**GOOD, "layer": [GOOD] * 100}, {**GOOD, "resolve": {"scale": {"y": URL}}}]
    made += [{**GOOD, "$schema": URL}, {**GOOD, "figure": {"value": "amount"}}, {**GOOD, "figure": {"value": "other"}}]
    made += [cyclic(), cyclic_list(), {**GOOD, "__proto__": {"url": URL}}, {**GOOD, "constructor": {"expr": "1"}}]
    return made


def cyclic() -> Any:
    """A specification that holds itself."""
    spec = copy.deepcopy(GOOD)
    spec["encoding"]["x"]["axis"] = spec
    return spec


def cyclic_list() -> Any:
    """Layers that hold their own list."""
    layers: list[Any] = []
    layers.append(layers)
    return {"data": {"name": "figures"}, "layer": layers}


def with_value(place: tuple[Any, ...], value: Any) -> Any:
    """The good one with one part replaced."""
    spec = copy.deepcopy(GOOD)
    part: Any = spec
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return spec


def _is_harmless(place: tuple[Any, ...], value: Any) -> bool:
    """Absent parts, and sizes within bounds."""
    return value is None and place[-1] in ("sort",)
