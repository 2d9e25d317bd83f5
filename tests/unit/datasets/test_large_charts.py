"""Charts of large tables are those of small ones, although the engine adds up and rows stay where they are (A-20)."""

import contextlib
from collections import Counter
from typing import Any

import pytest

from batuta.datasets.charts.chart import open_table
from batuta.datasets.charts.draft import ChartRefusedError
from batuta.datasets.charts.large import LargeTable
from batuta.datasets.charts.planning import ChartPlan, plan_chart
from batuta.datasets.charts.request import ChartFilter, ChartRequest
from batuta.datasets.dataset import Column, Dataset
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.testing.datasets import SOURCE
from tests.unit.datasets.chart_cases import generated_cases, sales

REQUESTS: dict[str, dict[str, Any]] = {
    "by country and month": {"x": "day", "series": "country", "time_unit": "month"},
    "by week": {"x": "day", "time_unit": "week"},
    "the average price": {"x": "customer", "y": ("price",)},
    "the median price": {"x": "customer", "y": ("price",), "aggregate": "median"},
    "the median": {"x": "country", "y": ("pieces", "amount"), "aggregate": "median"},
    "different names": {"x": "country", "y": ("customer",), "aggregate": "distinct"},
    "how many": {"x": "country", "aggregate": "count", "kind": "pie"},
    "the smallest": {"x": "customer", "aggregate": "minimum", "top": 2},
    "one figure by month": {"kind": "kpi", "time_unit": "month"},
    "one figure": {"kind": "kpi", "y": ("amount", "pieces")},
    "a histogram": {"kind": "histogram", "y": ("amount",)},
    "points": {"kind": "scatter", "y": ("amount", "pieces")},
    "a table": {"kind": "table", "only": ("España",)},
    "a table by country": {"kind": "table", "x": "country"},
    "only one country": {"x": "customer", "only": ("españa",)},
    "without a customer": {"x": "country", "excluded": ("acme",)},
    "within bounds": {
        "x": "day",
        "filters": (ChartFilter(column="day", at_least="2026-02-01"), ChartFilter(column="pieces", values=("2", "3"))),
    },
    "as percentages": {"x": "country", "is_share": True},
    "an area with gaps": {"kind": "area", "x": "day", "series": "country", "time_unit": "quarter"},
    "several figures": {"kind": "combined", "x": "country", "y": ("amount", "pieces")},
}


def drawable_cases(count: int) -> list[tuple[Dataset, ChartRequest]]:
    found = []
    for dataset, request in generated_cases(5 * count, seed=3):
        with contextlib.suppress(ChartRefusedError):
            plan_chart(dataset, request)
            found.append((dataset, request))
    return found[:count]


async def both(dataset: Dataset, request: ChartRequest) -> tuple[ChartPlan, ChartPlan]:
    """The chart of the rows, and the chart of a table that is too large for them."""
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id="s"))
    table = LargeTable(library, await library.keep(dataset, key="k"))
    return plan_chart(dataset, request), await table.plan(await table.outline(), request)


def assert_same(plan: ChartPlan, large: ChartPlan) -> None:
    """Everything that is seen: figures that are equal in size may change places."""
    assert Counter(large.figures.rows) == Counter(plan.figures.rows)
    assert large.figures.columns == plan.figures.columns
    assert (large.kind, large.title, large.notes) == (plan.kind, plan.title, plan.notes)
    assert large.figures.provenance == plan.figures.provenance


@pytest.mark.parametrize("name", REQUESTS)
async def test_a_request_comes_to_the_same_chart(name: str) -> None:
    assert_same(*await both(sales(), ChartRequest(dataset="sales", **REQUESTS[name])))


async def test_generated_tables_come_to_the_same_charts() -> None:
    """Empty names, negative figures and days over years."""
    for dataset, request in drawable_cases(16):
        assert_same(*await both(dataset, request))


async def test_amounts_of_several_currencies_stand_apart_unless_one_is_chosen() -> None:
    columns = [Column(name="country", type="text"), Column(name="code", type="text")]
    columns.append(Column(name="order", type="decimal", currency_column="code"))
    dataset = Dataset(
        name="sales",
        columns=columns,
        rows=[["a", "EUR", 1], ["b", "USD", 2], ["b", "EUR", 4]],
        provenance=SOURCE,
    )
    assert_same(*await both(dataset, ChartRequest(dataset="sales", x="country")))
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id="s"))
    table = LargeTable(library, await library.keep(dataset, key="k"))
    plan = await table.plan(await table.outline(), ChartRequest(dataset="sales", x="country", only=("EUR",)))
    assert dict(zip(plan.figures.values("country"), plan.figures.values("order"), strict=True)) == {"a": 1, "b": 4}
    assert plan.y[0].currency == "EUR"


async def test_values_are_texts_and_nothing_else_to_the_engine() -> None:
    """A value that looks like SQL is compared, not executed."""
    evil = "x') OR 1=1 --"
    rows = [[evil, "España", "2026-01-01", "1", 1, "1"], ["b", "España", "2026-01-01", "2", 1, "1"]]
    plan, large = await both(sales(rows), ChartRequest(dataset="sales", x="customer", only=(evil,)))
    assert large.figures.rows == plan.figures.rows


async def test_only_a_table_of_many_rows_is_left_where_it_lies() -> None:
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id="s"))
    await library.keep(sales(), key="k")
    assert (await open_table(library, "sales")).large is None
