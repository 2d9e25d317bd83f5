"""Vega-Lite for a plan. Fields are named, figures are not: data is bound by reference when it is drawn."""

import re
from typing import Any

from batuta.datasets.charts.computing import CHANGE, PERIOD_LABEL, PREVIOUS
from batuta.datasets.charts.labels import axis_title
from batuta.datasets.charts.planning import ChartPlan
from batuta.datasets.charts.rules import ONE_COLOUR
from batuta.datasets.dataset import Column

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
DATA_NAME = "figures"
"""The name under which a renderer binds the rows of the dataset."""

Json = dict[str, Any]

COLOURS = {
    "blue": "#2f6fde", "red": "#d93636", "green": "#1f9d55", "orange": "#e2711d", "yellow": "#c99a06",
    "purple": "#8250df", "pink": "#d6409f", "grey": "#7a828a", "brown": "#a0622d", "teal": "#0f9a9a",
}  # fmt: skip
"""Each stands out on white and on the dark page."""

_TYPES = {"text": "nominal", "boolean": "nominal", "date": "temporal", "datetime": "temporal"}


def vega_lite(plan: ChartPlan) -> Json:
    """The specification of a chart. A figure and a table are none: they say which columns to show."""
    head: Json = {"data": {"name": DATA_NAME}}
    if plan.kind == "kpi":
        names = {column.name for column in plan.figures.columns}
        comparison = {"previous": PREVIOUS, "change": CHANGE} if PREVIOUS in names else {}
        label = {"label": PERIOD_LABEL} if PERIOD_LABEL in names else {}
        return head | {"figure": {"value": plan.y[0].name, **comparison, **label}}
    if plan.kind == "table":
        return head
    return {"$schema": SCHEMA, **head, "width": "container", **_coloured(plan, _BODIES[plan.kind](plan))}


def _coloured(plan: ChartPlan, body: Json) -> Json:
    """The marks in the colour that was asked for, where colours do not tell parts apart."""
    colour = plan.request.colour
    if colour is None or plan.series is not None or plan.kind not in ONE_COLOUR:
        return body
    return {**body, "mark": {**body["mark"], "color": COLOURS[colour]}}


def _bars(plan: ChartPlan) -> Json:
    encoding = {**_sides(plan, _category(plan), _amount(plan)), "tooltip": _tooltips(plan)}
    if plan.series is not None:
        encoding["color"] = _colour(plan.series)
        if plan.kind == "bar":
            encoding["xOffset" if plan.is_upright else "yOffset"] = {"field": plan.series.name, "sort": None}
    return {"mark": {"type": "bar"}, "encoding": encoding, **_height(plan)}


def _lines(plan: ChartPlan) -> Json:
    assert plan.x is not None
    mark = {"type": "line", "point": len(plan.figures.rows) <= 60} if plan.kind == "line" else {"type": "area"}
    encoding: Json = {"x": _along(plan, plan.x), "y": _amount(plan), "tooltip": _tooltips(plan)}
    if plan.series is not None:
        encoding["color"] = _colour(plan.series)
    return {"mark": mark, "encoding": encoding, "height": 280}


def _pie(plan: ChartPlan) -> Json:
    assert plan.x is not None
    return {
        "mark": {"type": "arc", "innerRadius": 0},
        "encoding": {
            "theta": {"field": plan.y[0].name, "type": "quantitative", "stack": True},
            "color": _colour(plan.x),
            "order": {"field": plan.y[0].name, "type": "quantitative", "sort": "descending"},
            "tooltip": _tooltips(plan),
        },
        "height": 280,
    }


def _scatter(plan: ChartPlan) -> Json:
    upright, along = plan.y[:2]  # "stock against price": the first figure over the second
    encoding: Json = {
        "x": _quantity(along, is_from_zero=False),
        "y": _quantity(upright, is_from_zero=False),
        "tooltip": _tooltips(plan),
    }
    if plan.series is not None:
        encoding["color"] = _colour(plan.series)
    return {"mark": {"type": "point", "filled": True}, "encoding": encoding, "height": 320}


def _heat(plan: ChartPlan) -> Json:
    assert plan.series is not None
    legend = {"format": _number_format(plan.y[0])}
    colour = {"field": plan.y[0].name, "type": "quantitative", "title": axis_title(plan.y[0]), "legend": legend}
    encoding = {
        "x": _category(plan),
        "y": {"field": plan.series.name, "type": "nominal", "title": plan.series.title, "sort": _heat_order(plan)},
        "color": colour,
        "tooltip": _tooltips(plan),
    }
    return {"mark": {"type": "rect"}, "encoding": encoding, "height": {"step": 24}}


def _heat_order(plan: ChartPlan) -> str | None:
    """Rows of hours from the first to the last; any others as they come."""
    assert plan.series is not None
    labels = {str(value) for value in plan.figures.values(plan.series.name) if value}
    return "ascending" if all(re.fullmatch(r"\d\d:00", label) for label in labels) else None


def _combined(plan: ChartPlan) -> Json:
    """Bars for the first figure, a line for the second, each with its own axis and title."""
    if len(plan.y) < 2:
        return _bars(plan)
    first, second = plan.y[:2]
    base = _category(plan)
    return {
        "layer": [
            {"mark": {"type": "bar"}, "encoding": {"x": base, "y": _quantity(first), "tooltip": _tooltips(plan)}},
            {
                "mark": {"type": "line", "point": True, "color": "#d97706"},
                "encoding": {"x": base, "y": _quantity(second), "tooltip": _tooltips(plan)},
            },
        ],
        "resolve": {"scale": {"y": "independent"}},
        "height": 280,
    }


_BODIES = {
    "bar": _bars, "stacked": _bars, "histogram": _bars, "line": _lines, "area": _lines, "pie": _pie,
    "scatter": _scatter, "heatmap": _heat, "combined": _combined,
}  # fmt: skip


def _sides(plan: ChartPlan, category: Json, amount: Json) -> Json:
    return {"x": category, "y": amount} if plan.is_upright else {"y": category, "x": amount}


def _height(plan: ChartPlan) -> Json:
    return {"height": 280} if plan.is_upright else {"height": {"step": 26}}


def _category(plan: ChartPlan) -> Json:
    """Categories in the order of the rows; periods by their text."""
    assert plan.x is not None
    has_label = any(column.name == PERIOD_LABEL for column in plan.figures.columns)
    field = PERIOD_LABEL if has_label else plan.x.name
    return {"field": field, "type": "nominal", "title": plan.x.title, "sort": None, "axis": {"labelLimit": 180}}


def _along(plan: ChartPlan, column: Column) -> Json:
    has_label = any(one.name == PERIOD_LABEL for one in plan.figures.columns)
    if has_label or column.type == "text":  # periods, in the order of the rows
        return {**_category(plan), "type": "ordinal"}
    kind = _TYPES.get(column.type, "quantitative")
    scale: Json = {"scale": {"type": "utc"}} if kind == "temporal" else {"scale": {"zero": False}}
    return {"field": column.name, "type": kind, "title": column.title, **scale}


def _amount(plan: ChartPlan) -> Json:
    stack: Json = {"stack": "zero"} if plan.kind in ("stacked", "area") and plan.series else {"stack": None}
    return _quantity(plan.y[0], is_from_zero=plan.starts_at_zero) | stack


def _quantity(column: Column, *, is_from_zero: bool = True) -> Json:
    return {
        "field": column.name,
        "type": "quantitative",
        "title": axis_title(column),
        "scale": {"zero": is_from_zero},
        "axis": _axis(column),
    }


def _axis(column: Column) -> Json:
    """Whole numbers have no marks between them."""
    whole: Json = {"tickMinStep": 1} if column.type == "integer" else {}
    return {"format": _number_format(column), "labelLimit": 120, **whole}


def _number_format(column: Column) -> str:
    return ",d" if column.type == "integer" else ",.2~f"


def _colour(column: Column) -> Json:
    return {"field": column.name, "type": "nominal", "title": column.title, "sort": None}


def _tooltips(plan: ChartPlan) -> list[Json]:
    has_label = any(column.name == PERIOD_LABEL for column in plan.figures.columns)
    shown = [c for c in plan.figures.columns if not (has_label and plan.x is not None and c.name == plan.x.name)]
    return [_tooltip(column) for column in shown]


def _tooltip(column: Column) -> Json:
    tip: Json = {"field": column.name, "type": _TYPES.get(column.type, "quantitative"), "title": axis_title(column)}
    if column.is_numeric:
        tip["format"] = "," if column.type == "integer" else ",.2f"
    elif column.type in ("date", "datetime"):
        tip |= {"format": "%d %b %Y", "timeUnit": "utcyearmonthdate"}
    return tip
