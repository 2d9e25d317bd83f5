"""Tables and charts in a terminal (A-20)."""

from rich.console import Console

from batuta.cli.tables import bar, chart_of, sparkline, table_of
from batuta.datasets.charts.planning import plan_chart
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.spec import vega_lite
from batuta.events.datasets import ChartDrawn, Column, DatasetStored
from batuta.kernel.ids import new_id
from tests.unit.datasets.chart_cases import sales


def printed(what: object) -> str:
    console = Console(width=120, record=True, file=None, force_terminal=False)
    with console.capture() as captured:
        console.print(what)
    return captured.get()


def a_chart(**wanted: object) -> str:
    plan = plan_chart(sales(), ChartRequest.model_validate({"dataset": "sales", **wanted}))
    event = ChartDrawn(
        chart_id=new_id(), dataset_id=new_id(), dataset_name="sales", kind=plan.kind, title=plan.title,
        spec=vega_lite(plan),
    )  # fmt: skip
    return printed(chart_of(event, plan.figures.columns, plan.figures.first_rows(100)))


def test_a_table_shows_rows_units_and_totals() -> None:
    dataset = sales()
    event = DatasetStored(
        dataset_id=new_id(), name="sales", title="Ventas [x]", columns=tuple(dataset.columns), row_count=4,
        totals=dataset.totals(), first_rows=dataset.first_rows(3), provenance=dataset.provenance,
    )  # fmt: skip
    text = printed(table_of(event))
    assert "Ventas [x]" in text
    assert "Importe (EUR)" in text
    assert "200.20" in text
    assert "375.35" in text
    assert "3 / 4" in text


def test_bars_are_as_long_as_their_figures_and_say_them() -> None:
    lines = a_chart(kind="bar", x="customer", y=["amount"]).splitlines()
    assert "300.30 EUR" in lines[1]
    assert lines[1].count("█") == 32
    assert lines[2].count("█") == round(50 / 300.3 * 32)


def test_a_line_is_a_sparkline() -> None:
    text = a_chart(kind="line", x="day", y=["amount"], time_unit="month")
    assert sparkline([100.10, 250.20, 25.05]) in text
    assert "25.05 EUR … 250.20 EUR" in text


def test_each_line_of_a_chart_has_a_course_of_its_own() -> None:
    lines = a_chart(kind="line", x="day", y=["amount"], time_unit="month", series="country").splitlines()
    assert sum("…" in line and "·" in line for line in lines) == 2
    assert any("Jan 2026 · España … Mar 2026 · España" in line for line in lines)
    assert "50.00 EUR … 50.00 EUR" in lines


def test_figures_are_written_as_their_reader_writes_them() -> None:
    """A million is no 1.2e+06."""
    columns = (Column(name="month", type="date"), Column(name="sales", type="decimal", currency="EUR"))
    rows = [["2026-01-01", "1200000"], ["2026-02-01", "1350000.5"]]
    event = ChartDrawn(
        chart_id=new_id(),
        dataset_id=new_id(),
        dataset_name="sales",
        kind="line",
        title="Ventas",
        spec={},
        language="es",
    )
    assert "1.200.000,00 EUR … 1.350.000,50 EUR" in printed(chart_of(event, columns, rows))


def test_a_figure_below_zero_is_hollow_and_nothing_is_empty() -> None:
    assert bar(-5, [10, -5]) == "░" * 16
    assert bar(0, [10, 0]) == ""
    assert sparkline([1, 1]) == "▁▁"
