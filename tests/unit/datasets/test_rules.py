"""Every rule against misleading charts has a case that triggers it (A-20), in both languages."""

from datetime import date, timedelta
from typing import Any

import pytest

from batuta.datasets.charts import rules
from batuta.datasets.charts.draft import ChartRefusedError
from batuta.datasets.charts.labels import named_period
from batuta.datasets.charts.planning import plan_chart
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.words import MESSAGES, REFUSALS
from batuta.datasets.dataset import Column, Dataset
from batuta.datasets.values import NO_VALUE
from batuta.testing.datasets import SOURCE
from tests.unit.datasets.chart_cases import COLUMNS, sales

DAY = date(2025, 1, 1)
CURRENCIES = [
    Column(name="customer", type="text"),
    Column(name="amount", type="decimal", currency_column="code"),
    Column(name="code", type="text"),
]


def many(count: int, **changes: Any) -> Dataset:
    rows = [
        [
            changes.get("customer", f"C{n}"),
            f"P{n}",
            DAY + timedelta(days=n),
            f"{changes.get('amount', n + 1)}",
            n,
            "1.5",
        ]
        for n in range(count)
    ]
    return sales(rows)


def table(columns: list[Column], rows: list[list[Any]]) -> Dataset:
    return Dataset(name="sales", columns=columns, rows=rows, provenance=SOURCE)


def cut() -> Dataset:
    whole = sales()
    source = SOURCE.model_copy(update={"is_cut_short": True, "record_count": 9})
    return Dataset(name="sales", columns=whole.columns, rows=whole.rows, provenance=source)


TRIGGERS: dict[str, tuple[Dataset, dict[str, Any], str]] = {
    "empty": (sales([]), {"x": "customer"}, "empty"),
    "unit_of_no_time": (sales(), {"x": "customer", "time_unit": "month"}, "unit_of_no_time"),
    "mixed_currencies": (table(CURRENCIES, [["a", 1, "EUR"], ["b", 2, "USD"]]), {"x": "customer"}, "currencies_apart"),
    "nothing_to_count": (table(COLUMNS[:2], [["a", "b"], ["c", "b"]]), {"x": "customer"}, "counted"),
    "not_additive": (sales(), {"x": "customer", "y": ("price",)}, "averaged"),
    "other_units": (sales(), {"x": "customer", "y": ("amount", "pieces")}, "other_units"),
    "stack_of_one": (sales(), {"kind": "stacked", "x": "customer"}, "stack_of_one"),
    "one_figure_of_series": (
        table([*COLUMNS[:2], Column(name="sold", type="integer"), Column(name="bought", type="integer")],
              [["a", "x", 1, 2], ["b", "y", 3, 4]]),
        {"x": "customer", "series": "country", "y": ("sold", "bought")}, "one_figure_only",
    ),
    "scatter_of_one": (sales(), {"kind": "scatter", "y": ("amount",)}, "scatter_needs_two"),
    "line_without_order": (sales(), {"kind": "line", "x": "customer"}, "line_without_order"),
    "pie_of_no_whole": (sales(), {"kind": "pie", "x": "customer", "aggregate": "average"}, "pie_no_whole"),
    "area_of_no_whole": (
        sales(), {"kind": "area", "x": "day", "series": "country", "aggregate": "average"}, "area_no_whole",
    ),
    "gaps_in_area": (sales(), {"kind": "area", "x": "day", "series": "country"}, "gaps_are_zero"),
    "histogram_of_one": (sales(), {"kind": "histogram", "x": "customer", "y": ("amount",)}, "histogram_of_one"),
    "figure_bounds": (sales(), {"x": "customer", "at_least": 100}, "within"),
    "latest": (sales(), {"x": "day", "time_unit": "month", "last": 2}, "last_only"),
    "gaps_in_time": (
        table([Column(name="month", type="text"), Column(name="value", type="integer")],
              [["2026-01", 1], ["2026-02", 2], ["2026-05", 3]]),
        {"kind": "line", "x": "month"}, "time_gaps",
    ),
    "top_periods": (sales(), {"x": "day", "time_unit": "month", "top": 2}, "periods_apart"),
    "crowded_scatter": (many(5_001), {"kind": "scatter", "y": ("amount", "pieces")}, "too_many_points"),
    "too_many_periods": (many(900), {"kind": "line", "x": "day"}, "coarser_time"),
    "share": (sales(), {"x": "customer", "aggregate": "average", "is_share": True}, "share_no_whole"),
    "negative_pie": (many(3, amount=-5), {"kind": "pie", "x": "customer"}, "pie_negative"),
    "negative_stack": (
        many(3, amount=-5), {"kind": "stacked", "x": "customer", "series": "country"}, "stack_negative",
    ),
    "too_many_categories": (many(40), {"x": "customer"}, "top_and_others"),
    "too_many_series": (many(12), {"kind": "bar", "x": "customer", "series": "country"}, "series_cut"),
    "single_point": (many(1), {"x": "customer"}, "single_point"),
    "cut_axis": (sales(), {"x": "customer", "starts_at_zero": False}, "axis_from_zero"),
    "chosen_values": (sales(), {"x": "customer", "excluded": ("Acme",)}, "without"),
    "one_colour": (sales(), {"kind": "pie", "x": "customer", "colour": "red"}, "colours_apart"),
    "cut_data": (cut(), {"x": "customer"}, "cut_short"),
}  # fmt: skip
"""A table and a request that each rule mends or refuses, and the words that say so."""


def test_every_rule_has_a_case() -> None:
    assert set(TRIGGERS) == {rule.__name__ for rule in (*rules.BEFORE_FIGURES, *rules.AFTER_FIGURES)}


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("rule", TRIGGERS)
def test_a_rule_mends_or_refuses_and_says_so(rule: str, language: Any) -> None:
    dataset, wanted, message = TRIGGERS[rule]
    begin = {**MESSAGES, **REFUSALS}[message][language].partition("{")[0]
    try:
        said = plan_chart(dataset, ChartRequest(dataset="sales", language=language, **wanted)).notes
    except ChartRefusedError as refused:
        said = (str(refused),)
    pattern = {**MESSAGES, **REFUSALS}[message][language]
    assert any(note.startswith(begin) and _has_words(note, pattern) for note in said), said


def _has_words(note: str, pattern: str) -> bool:
    """Whether a note is made of a message, whatever facts it holds."""
    rest = pattern.rpartition("}")[2].strip(" ).")
    return rest in note


@pytest.mark.parametrize(
    ("known", "missing"),
    [
        (["2026-01", "2026-02", "2026-05"], ["2026-03", "2026-04"]),
        (["2025-Q3", "2026-Q2"], ["2025-Q4", "2026-Q1"]),
        (["2020-W52", "2021-W01"], ["2020-W53"]),
        (["2023", "2026"], ["2024", "2025"]),
        (["2026-01", "2026-Q3"], []),
        (["2026-13", "2026-01"], []),
    ],
)
def test_periods_without_figures_keep_their_place_along_time(known: list[str], missing: list[str]) -> None:
    columns = [Column(name="period", type="text"), Column(name="value", type="integer")]
    plan = plan_chart(table(columns, [[one, 1] for one in known]), ChartRequest(dataset="sales", kind="line"))
    assert plan.kind == "line"
    assert [row[0] for row in plan.figures.rows if row[1] is None] == [named_period(one, "en") for one in missing]
    assert [row[0] for row in plan.figures.rows] == [named_period(one, "en") for one in sorted([*known, *missing])]


@pytest.mark.parametrize("kind", ["auto", "line"])
def test_what_belongs_to_no_month_stands_after_the_months_as_a_bar(kind: Any) -> None:
    """Months stay in their order although one row has none, and no line leads from a month to it."""
    columns = [Column(name="month", type="text"), Column(name="value", type="integer")]
    rows = [["2026-06", 9], ["2026-04", 2], [NO_VALUE, -1], ["2026-05", 5]]
    plan = plan_chart(table(columns, rows), ChartRequest(dataset="sales", kind=kind))
    assert (plan.kind, [row[0] for row in plan.figures.rows]) == ("bar", ["Apr 2026", "May 2026", "Jun 2026", NO_VALUE])


def test_days_leave_the_months_without_any_empty() -> None:
    rows = [["a", "b", day, 1, 1, 1] for day in ("2026-01-15", "2026-03-02")]
    request = ChartRequest(dataset="sales", kind="bar", x="day", y=("amount",), time_unit="month")
    plan = plan_chart(sales(rows), request)
    assert [(row[0].month, row[1]) for row in plan.figures.rows] == [(1, 1), (2, None), (3, 1)]
    assert plan.notes == ("There are no figures for Feb 2026: the axis shows the gap.",)


def test_each_line_breaks_where_its_own_figure_is_missing() -> None:
    rows = [["Acme", "España", f"2026-0{month}-15", "10.00", 1, "1.00"] for month in (1, 2, 3, 4)]
    rows += [["Acme", "Portugal", f"2026-0{month}-15", "5.00", 1, "1.00"] for month in (1, 4)]
    wanted = ChartRequest(
        dataset="sales", kind="line", x="day", y=("amount",), series="country", time_unit="month"
    )  # fmt: skip
    plan = plan_chart(sales(rows), wanted)
    gaps = [(str(row[0]), row[1]) for row in plan.figures.rows if row[2] is None]
    assert gaps == [("2026-02-01", "Portugal"), ("2026-03-01", "Portugal")]
