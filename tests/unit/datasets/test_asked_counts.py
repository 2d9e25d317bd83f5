"""What is counted, added, compared and kept by a request, read against tables that people bring (A-21, A-42)."""

from decimal import Decimal
from typing import Any

import pytest

from batuta.datasets.charts.asking import asked_of, reading_of
from batuta.datasets.charts.planning import ChartPlan, plan_chart
from batuta.datasets.charts.request import ChartFilter, ChartRequest, amended
from batuta.datasets.charts.spec import vega_lite
from batuta.datasets.dataset import Dataset
from batuta.datasets.files import dataset_from_csv
from batuta.testing.datasets import NOW

CSV = (
    "order,ordered,customer,country,status,currency,amount,hours,csat\n"
    "A1,2025-02-03,Acme,Spain,Served,EUR,10.00,50,5\n"
    "A2,2025-03-04,Acme,Spain,Open,USD,20.00,10,4\n"
    "A3,2026-02-05,Luna,Spain,Served,EUR,40.00,70,1\n"
    "A4,2026-02-06,Sol,Portugal,Served,EUR,5.00,90,2\n"
    "A5,2026-03-07,Sol,Portugal,Open,EUR,7.00,20,2\n"
)


def orders(name: str = "orders.csv") -> Dataset:
    return dataset_from_csv(CSV.encode(), name=name, now=NOW)


def conversation(table: Dataset, *messages: str) -> ChartPlan:
    """The chart that messages come to, each said of the one before."""
    request = ChartRequest(dataset=table.name)
    for message in messages:
        reading = reading_of(message, table)
        assert not reading.unread, (message, reading.unread)
        request = amended(request, reading.changes, reading.replaced)
    return plan_chart(table, request)


def figures_of(plan: ChartPlan) -> dict[Any, Any]:
    return {row[0]: row[-1] for row in plan.figures.rows}


@pytest.mark.parametrize(
    "asked",
    [
        "orders by country",
        "bar chart of orders by country",
        "gráfico de pedidos por país",
        "show me the orders per country",
    ],
)
def test_rows_are_counted_by_what_their_table_is_called(asked: str) -> None:
    table = orders("pedidos.csv" if "pedidos" in asked else "orders.csv")
    assert figures_of(conversation(table, asked)) == {"Spain": 3, "Portugal": 2}


def test_a_table_that_is_called_by_what_it_measures_is_added_up() -> None:
    """Consumption by day is no number of rows."""
    table = dataset_from_csv(b"day,plant,kwh\n2026-01-01,A,5\n2026-01-02,A,7\n", name="consumo.csv", now=NOW)
    assert "aggregate" not in asked_of("consumo por día", table)


@pytest.mark.parametrize("asked", ["how many customers by country", "número de clientes distintos por país"])
def test_names_that_come_back_are_counted_once(asked: str) -> None:
    plan = conversation(orders(), asked)
    assert figures_of(plan) == {"Spain": 2, "Portugal": 1}
    assert plan.y[0].type == "integer"


def test_what_is_counted_is_not_compared_by() -> None:
    found = asked_of("the number of orders instead of the amount", orders())
    assert found == {"aggregate": "count"}


def test_an_amount_after_a_number_of_rows_is_added_up() -> None:
    assert figures_of(conversation(orders(), "how many orders by country", "only EUR", "the amount")) == {
        "Spain": Decimal("50.00"), "Portugal": Decimal("12.00"),
    }  # fmt: skip


def test_rows_have_no_currency() -> None:
    """A number of invoices in several currencies is one number, and a pie of them a whole."""
    plan = conversation(orders(), "number of orders by currency as a pie")
    assert (plan.kind, figures_of(plan), plan.notes) == ("pie", {"EUR": 4, "USD": 1}, ())


def test_counted_rows_are_chosen_by_a_figure_that_is_named_with_its_limit() -> None:
    plan = conversation(orders(), "orders that took more than 40 hours by country")
    assert plan.request.filters == (ChartFilter(column="hours", at_least="40"),)
    assert figures_of(plan) == {"Spain": 2, "Portugal": 1}


def test_what_is_done_on_a_day_is_counted_by_it() -> None:
    table = dataset_from_csv(b"name,hired\nA,2024-01-02\nB,2024-03-04\nC,2025-01-01\n", name="staff.csv", now=NOW)
    plan = conversation(table, "hires per year")
    assert [row[-2] for row in plan.figures.rows] == [2, 1]


@pytest.mark.parametrize(
    ("added", "only"), [("add Portugal", ("Spain", "Portugal")), ("añade Portugal", ("Spain", "Portugal"))]
)
def test_what_is_added_stands_beside_what_was_kept(added: str, only: tuple[str, ...]) -> None:
    assert conversation(orders(), "amount by status", "only EUR", "only Spain", added).request.only == ("EUR", *only)


def test_a_figure_is_added_to_those_that_are_shown() -> None:
    table = dataset_from_csv(b"shop,income,spent,result\nA,5,3,2\nB,9,4,5\n", name="shops.csv", now=NOW)
    plan = conversation(table, "income and spent by shop", "add the result")
    assert plan.request.y == ("income", "spent", "result")


@pytest.mark.parametrize(
    "messages",
    [("compare the hours of Spain and Portugal by year",), ("hours by year", "only Spain", "compare with Portugal")],
)
def test_values_that_are_compared_are_not_added_up(messages: tuple[str, ...]) -> None:
    plan = conversation(orders(), *messages)
    assert plan.series is not None
    assert plan.series.name == "country"
    assert set(plan.request.only) == {"Spain", "Portugal"}


def test_a_condition_on_another_column_keeps_the_one_before() -> None:
    plan = conversation(orders(), "hours by customer", "only Spain", "only Served")
    assert figures_of(plan) == {"Luna": 70, "Acme": 50}
    replaced = conversation(orders(), "hours by customer", "only Spain", "only Portugal")
    assert replaced.request.only == ("Portugal",)


def test_the_rest_joins_the_largest_that_are_shown() -> None:
    plan = conversation(orders(), "hours by customer", "top 1", "and the rest")
    assert figures_of(plan) == {"Sol": 110, "Others": 130}


@pytest.mark.parametrize("asked", ["the two customers that took most hours", "los dos clientes que más hours tardan"])
def test_so_many_that_do_most_are_the_largest(asked: str) -> None:
    assert asked_of(asked, orders())["top"] == 2


def test_a_median_is_in_the_middle() -> None:
    plan = conversation(orders(), "median hours by country")
    assert figures_of(plan) == {"Spain": 50, "Portugal": 55}


def test_scores_are_averaged() -> None:
    plan = conversation(orders(), "csat by country")
    assert figures_of(plan) == {"Spain": Decimal("3.333333"), "Portugal": 2}


def test_two_ways_to_put_figures_together_are_not_one_chart() -> None:
    assert reading_of("minimum and maximum hours by country", orders()).unread == ("minimum",)


def test_whole_numbers_lie_in_bins_of_whole_numbers() -> None:
    plan = conversation(orders(), "distribution of csat by country", "as percentages")
    assert [row[0] for row in plan.figures.rows] == ["1", "2", "3", "4", "5"]
    assert figures_of(plan) == {"1": 20, "2": 40, "3": 0, "4": 20, "5": 20}
    assert any("not split by" in note for note in plan.notes)


def test_a_figure_is_set_beside_the_year_before() -> None:
    plan = conversation(orders(), "total hours", "compare with last year")
    assert plan.kind == "kpi"
    assert plan.figures.rows[0] == ("2026", 180, 60, 120)
    named = conversation(orders(), "total hours of 2026 compared with 2025")
    assert named.figures.rows == plan.figures.rows


def test_another_year_than_the_one_before_is_not_compared() -> None:
    assert "compared" not in asked_of("total hours of 2026 compared with 2020", orders())


@pytest.mark.parametrize("asked", ["budget versus actual by month", "presupuesto frente a real por mes"])
def test_alike_figures_against_each_other_stand_side_by_side(asked: str) -> None:
    table = dataset_from_csv(b"Mes,Presupuesto,Real\nEnero,5,3\nFebrero,9,4\n", name="plan.csv", now=NOW)
    plan = conversation(table, asked)
    assert (plan.kind, plan.request.y) == ("bar", ("presupuesto", "real"))


def test_names_of_months_have_an_order() -> None:
    table = dataset_from_csv(b"Mes,Real\nMarzo,3\nEnero,5\nFebrero,9\n", name="plan.csv", now=NOW)
    plan = conversation(table, "real por mes como línea")
    assert (plan.kind, [row[0] for row in plan.figures.rows]) == ("line", ["Enero", "Febrero", "Marzo"])


def test_columns_from_one_to_another_are_all_between() -> None:
    table = dataset_from_csv(b"region,Q1,Q2,Q3,Q4\nA,1,2,3,4\nB,5,6,7,8\n", name="quarters.csv", now=NOW)
    assert asked_of("chart Q1 to Q4 by region", table)["y"] == ["q1", "q2", "q3", "q4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ordénala por cliente", {"order": "label"}),
        ("apílalo por estado", {"kind": "stacked", "series": "status"}),
        ("stack them by status", {"kind": "stacked", "series": "status"}),
        ("back to all", {"is_everything": True, "only": [], "excluded": [], "top": None}),
        ("stack them", {"kind": "stacked"}),
        ("hours and amount by customer with two axes", {"kind": "combined", "x": "customer", "y": ["hours", "amount"]}),
        ("relationship between hours and amount", {"kind": "scatter", "y": ["hours", "amount"]}),
        ("share of the hours of each customer", {"is_share": True, "x": "customer", "y": ["hours"]}),
        ("hours by month, one line per customer", {"kind": "line", "time_unit": "month", "series": "customer",
         "y": ["hours"]}),
    ],
)  # fmt: skip
def test_ways_to_say_it(text: str, expected: dict[str, Any]) -> None:
    assert asked_of(text, orders()) == expected


SALES = (
    "moment,sold,country\n2026-03-02 09:15,5,Spain\n2026-03-03 10:00,7,Spain\n2026-03-09 09:40,1,France\n"
    "2026-03-10 17:05,2,Spain\n"
)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("sold by weekday", {"Monday": 6, "Tuesday": 9}),
        ("¿qué día de la semana se vende más?", {"lunes": 6, "martes": 9}),
        ("sold by hour of the day as a line", {"09:00": 6, "10:00": 7, "17:00": 2}),
    ],
)
def test_parts_of_time_that_come_back_are_compared(asked: str, expected: dict[str, int]) -> None:
    table = dataset_from_csv(SALES.encode(), name="sold.csv", now=NOW)
    reading = reading_of(asked, table)
    assert not reading.unread
    language = "es" if asked.startswith("¿") else "en"
    plan = plan_chart(table, amended(ChartRequest(dataset="sold", language=language), reading.changes))
    assert figures_of(plan) == expected
    assert list(figures_of(plan)) == list(expected)
    assert plan.is_upright


def test_a_heat_map_crosses_weekdays_with_hours() -> None:
    table = dataset_from_csv(SALES.encode(), name="sales.csv", now=NOW)
    plan = conversation(table, "heat map of sold by weekday and hour", "only Spain")
    assert (plan.kind, plan.request.x, plan.request.series) == ("heatmap", "weekday", "clock")
    assert vega_lite(plan)["encoding"]["y"]["sort"] == "ascending"
    assert [row[:3] for row in plan.figures.rows] == [
        ("Monday", "09:00", 5), ("Tuesday", "10:00", 7), ("Tuesday", "17:00", 2),
    ]  # fmt: skip


def test_a_column_of_its_own_that_is_called_hour_is_meant() -> None:
    table = dataset_from_csv(b"day,hour,sold\n2026-03-02,9,5\n2026-03-02,10,6\n", name="sales.csv", now=NOW)
    assert "clock" not in str(asked_of("sold by hour", table))


MACHINES = b"Date,Line,Scrap\n2026-03-02,L1,5\n2026-03-03,L2,7\n2026-03-09,L3,1\n"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("scrap by date", "as a line"), {"kind": "line", "x": "date"}),
        (("scrap by line", "top 2 lines"), {"kind": "auto", "x": "line", "top": 2}),
        (("scrap by date", "compare L1 and L3"), {"only": ("L1", "L3"), "x": "line"}),
    ],
)
def test_a_column_may_be_called_as_a_kind_of_chart_is(messages: tuple[str, ...], expected: dict[str, Any]) -> None:
    request = conversation(dataset_from_csv(MACHINES, name="machines.csv", now=NOW), *messages).request
    assert {name: getattr(request, name) for name in expected} == expected


def test_what_was_left_out_is_added_again() -> None:
    plan = conversation(orders(), "hours by customer", "without Acme and Luna", "add Acme")
    assert (plan.request.excluded, plan.request.only) == (("Luna",), ())


def test_the_worst_come_first() -> None:
    assert asked_of("from worst to best", orders())["order"] == "smallest"
