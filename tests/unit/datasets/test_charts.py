"""Charts: figures computed by code, rules against charts that mislead, and follow-ups (A-20, A-21)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from batuta.agents.graphing.tools import change_chart, draw_chart
from batuta.datasets.charts.chart import Chart
from batuta.datasets.charts.checking import SpecError, checked_spec
from batuta.datasets.charts.draft import ChartRefusedError
from batuta.datasets.charts.planning import ChartPlan, plan_chart
from batuta.datasets.charts.request import ChartFilter, ChartRequest, amended
from batuta.datasets.charts.rules import MAX_POINTS
from batuta.datasets.charts.spec import COLOURS, vega_lite
from batuta.datasets.charts.words import MESSAGES, REFUSALS, say
from batuta.datasets.dataset import Column, Dataset, DatasetError, Provenance
from batuta.datasets.files import dataset_from_csv
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.datasets.upload_problems import TEXTS, UploadRefusedError
from batuta.testing.datasets import NOW, SOURCE
from batuta.tools.context import ToolContext
from tests.unit.datasets.chart_cases import COLUMNS, generated_cases, sales
from tests.unit.datasets.hostile_specs import hostile_specs


def planned(dataset: Dataset | None = None, **wanted: Any) -> ChartPlan:
    return plan_chart(dataset or sales(), ChartRequest(dataset="sales", **wanted))


def rows_of(plan: ChartPlan) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in plan.figures.rows]


def test_bars_add_up_by_category_largest_first() -> None:
    plan = planned(kind="bar", x="customer", y=["amount"])
    assert rows_of(plan) == [
        ("Acme", Decimal("300.30")), ("Luna", Decimal("50.00")), ("Sol", Decimal("25.05")),
    ]  # fmt: skip
    assert (plan.title, plan.notes) == ("Importe (EUR) by cliente", ())


def test_figures_lead_back_to_records_where_they_are_one() -> None:
    plan = planned(kind="bar", x="customer", y=["amount"])
    assert [reference and reference.key for reference in plan.figures.references] == [None, "2", "3"]


def test_nothing_said_gives_bars_of_names_and_lines_along_time() -> None:
    assert planned().kind == "bar"
    along = planned(x="day", time_unit="month", language="es")
    assert along.kind == "line"
    assert rows_of(along) == [
        (date(2026, 1, 1), Decimal("100.10"), "ene 2026"),
        (date(2026, 2, 1), Decimal("250.20"), "feb 2026"),
        (date(2026, 3, 1), Decimal("25.05"), "mar 2026"),
    ]
    assert along.title == "Importe (EUR) por mes"


def test_columns_are_found_by_label_whatever_the_accents() -> None:
    plan = planned(kind="bar", x="pais", y=["IMPORTE"])
    assert plan.x is not None
    assert plan.x.name == "country"


def test_columns_and_countries_are_found_by_what_people_call_them() -> None:
    """A-41: `client` is the customer, `Spain` is España, whichever the data says."""
    plan = planned(kind="bar", x="client", y=["amount"], only=["Spain"])
    assert plan.x is not None
    assert plan.x.name == "customer"
    assert len(plan.figures.rows) == 2


def test_bars_along_time_carry_the_name_of_their_period() -> None:
    plan = planned(kind="bar", x="day", time_unit="quarter", y=["amount"], language="es")
    assert plan.kind == "kpi"
    two = planned(kind="bar", x="day", time_unit="month", y=["amount"], language="es")
    assert [row[-1] for row in rows_of(two)] == ["ene 2026", "feb 2026", "mar 2026"]


def test_a_figure_is_compared_with_the_period_before() -> None:
    plan = planned(kind="kpi", y=["amount"], x="day", time_unit="month")
    assert rows_of(plan) == [("Mar 2026", Decimal("25.05"), Decimal("250.20"), Decimal("-225.15"))]
    assert vega_lite(plan)["figure"] == {
        "value": "amount", "previous": "previous", "change": "change", "label": "period_label",
    }  # fmt: skip


def test_a_single_row_with_the_figure_before_is_compared_with_it() -> None:
    """What a measure with a comparison brings."""
    columns = [COLUMNS[3].model_copy(update={"name": name}) for name in ("value", "before", "change")]
    plan = plan_chart(sales([["120.00", "100.00", "20.00"]], columns), ChartRequest(dataset="sales", kind="kpi"))
    assert rows_of(plan) == [(Decimal("120.00"), Decimal("100.00"), Decimal("20.00"))]
    assert vega_lite(plan)["figure"] == {"value": "value", "previous": "previous", "change": "change"}


def test_a_histogram_counts_every_row_once() -> None:
    plan = planned(kind="histogram", y=["amount"])
    assert sum(row[-1] for row in rows_of(plan)) == 4


def test_filters_keep_what_they_say() -> None:
    assert len(planned(kind="bar", x="customer", only=["ESPAÑA"]).figures.rows) == 2
    late = ChartFilter(column="day", at_least="2026-02-20")
    assert len(planned(kind="bar", x="customer", filters=[late]).figures.rows) == 2


def many(count: int) -> Dataset:
    rows: list[list[Any]] = [
        [f"C{number:03d}", "España", "2026-01-01", str(count - number), 1, "1"] for number in range(count)
    ]
    return sales(rows)


NEGATIVE = [["Acme", "España", "2026-01-15", "100", 1, "9"], ["Luna", "Portugal", "2026-02-20", "-50", 3, "5"]]
TWO_CURRENCIES = [
    Column(name="customer", type="text"),
    Column(name="amount", type="decimal", currency_column="code"),
    Column(name="code", type="text", label="Moneda"),
]


@pytest.mark.parametrize(
    ("message", "dataset", "wanted", "kind"),
    [
        ("pie_negative", sales(NEGATIVE), {"kind": "pie", "x": "customer", "y": ["amount"]}, "bar"),
        ("pie_no_whole", sales(), {"kind": "pie", "x": "customer", "y": ["amount"], "aggregate": "average"}, "bar"),
        ("stack_negative", sales(NEGATIVE), {"kind": "stacked", "x": "customer", "series": "country"}, "bar"),
        ("line_without_order", sales(), {"kind": "line", "x": "customer"}, "bar"),
        ("single_point", sales(NEGATIVE[:1]), {"kind": "bar", "x": "customer"}, "kpi"),
        ("axis_from_zero", sales(), {"kind": "bar", "x": "customer", "starts_at_zero": False}, "bar"),
        ("top_and_others", many(30), {"kind": "bar", "x": "customer", "y": ["amount"]}, "bar"),
        ("top_and_others", many(9), {"kind": "pie", "x": "customer", "y": ["amount"]}, "pie"),
        ("top_only", many(30), {"kind": "bar", "x": "customer", "y": ["amount"], "top": 5}, "bar"),
        ("many_to_table", many(30), {"kind": "bar", "x": "customer", "y": ["price"]}, "table"),
        ("series_cut", many(12), {"kind": "bar", "x": "country", "series": "customer", "y": ["amount"]}, "bar"),
        ("counted", sales([["a", "b"], ["c", "d"]], COLUMNS[:2]), {"kind": "bar", "x": "customer"}, "bar"),
        ("averaged", sales(), {"kind": "bar", "x": "customer", "y": ["price"]}, "bar"),
        ("left_out", sales([*NEGATIVE, ["Sol", "España", None, "1", 1, "1"]]), {"kind": "line", "x": "day"}, "line"),
        ("scatter_needs_two", sales(), {"kind": "scatter", "y": ["amount"]}, "bar"),
        ("other_units", sales(), {"kind": "bar", "x": "customer", "y": ["amount", "pieces"]}, "bar"),
    ],
)
def test_a_rule_mends_and_says_so(message: str, dataset: Dataset, wanted: Mapping[str, Any], kind: str) -> None:
    """A-20: each rule of the table has a case that triggers it, in both languages."""
    for language in ("en", "es"):
        plan = plan_chart(dataset, ChartRequest.model_validate({"dataset": "sales", "language": language, **wanted}))
        beginning = MESSAGES[message][language].split("{")[0]
        assert any(note.startswith(beginning) and note for note in plan.notes), plan.notes
        assert plan.kind == kind


def test_too_many_days_are_added_up_by_a_longer_period() -> None:
    rows = [
        ["A", "España", date(2020, 1, 1).replace(year=2020 + n // 300, day=1 + n % 28, month=1 + n % 12), 1, 1, 1]
        for n in range(1800)
    ]
    plan = plan_chart(sales(rows), ChartRequest(dataset="sales", kind="line", x="day", y=("amount",)))
    assert plan.notes[0].startswith("Too many points for a chart: added up by ")
    assert sum(row[1] for row in plan.figures.rows if row[1] is not None) == 1800


def test_cut_data_is_said() -> None:
    source = Provenance(connector="test", retrieved_at=NOW, record_count=900, is_cut_short=True)
    cut = Dataset(name="sales", columns=COLUMNS, rows=sales().rows, provenance=source)
    assert planned(cut, kind="bar", x="customer").notes == (say("cut_short", "en", rows=4, records=900),)


def test_the_first_rows_of_a_figure_are_not_counted_in_the_records_behind_it() -> None:
    """Five customers of a ranking are no five rows of its hundred invoices."""
    source = Provenance(
        connector="erp", retrieved_at=NOW, record_count=900, is_cut_short=True, sources=("sales_records",)
    )
    ranked = Dataset(name="sales", columns=COLUMNS, rows=sales().rows, provenance=source)
    assert planned(ranked, kind="bar", x="customer").notes == (say("there_are_more", "en", rows=4),)


def test_money_is_drawn_before_other_figures_where_none_is_named() -> None:
    columns = [
        Column(name="person", type="text"),
        Column(name="pieces", type="integer"),
        Column(name="amount", type="decimal", currency="EUR"),
    ]
    source = Provenance(connector="upload", retrieved_at=NOW, record_count=1)
    table = Dataset(name="team", columns=columns, rows=[["Ana", 41, Decimal("7")]], provenance=source)
    assert planned(table, kind="bar", x="person").description.count("amount")


@pytest.mark.parametrize(
    ("message", "dataset", "wanted"),
    [
        ("empty", sales([]), {"kind": "bar", "x": "customer"}),
        ("empty", sales(), {"kind": "bar", "filters": [{"column": "pieces", "at_least": "99"}]}),
        (
            "mixed_currencies",
            sales([["a", "1", "EUR"], ["b", "2", "USD"]], TWO_CURRENCIES),
            {"kind": "bar", "x": "customer", "at_least": "2"},
        ),
        ("too_many_points", many(MAX_POINTS + 1), {"kind": "scatter", "y": ["amount", "pieces"]}),
        ("no_column", sales(), {"x": "region"}),
        ("no_value", sales(), {"only": ["Alemania"]}),
        ("nothing_to_compare", sales([["1"]], COLUMNS[3:4]), {"kind": "bar"}),
        ("needs_two_categories", sales([["a", 1], ["b", 2]], [COLUMNS[0], COLUMNS[4]]), {"kind": "heatmap"}),
    ],
)
def test_a_rule_refuses_and_says_why(message: str, dataset: Dataset, wanted: Mapping[str, Any]) -> None:
    for language in ("en", "es"):
        request = ChartRequest.model_validate({"dataset": "sales", "language": language, **wanted})
        with pytest.raises(ChartRefusedError) as refused:
            plan_chart(dataset, request)
        beginning = REFUSALS[message][language].split("{")[0]
        assert str(refused.value).startswith(beginning)


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [
        ({"kind": "bar", "x": "customer"}, "bar"),
        ({"kind": "pie", "x": "customer"}, "bar"),
        ({"kind": "pie", "x": "code"}, "bar"),
        ({"kind": "stacked", "x": "customer", "series": "code"}, "bar"),
        ({"kind": "kpi"}, "bar"),
        ({"kind": "bar", "x": "customer", "top": 1}, "bar"),
        ({"kind": "bar", "x": "customer", "is_share": True}, "bar"),
    ],
)
def test_figures_of_several_currencies_stand_apart_and_are_no_parts_of_a_whole(
    wanted: Mapping[str, Any], kind: str
) -> None:
    """Nothing is added up across currencies, ranked or shared; a chart of one of them remembers what was asked for."""
    rows = [["a", "1", "EUR"], ["a", "5", "USD"], ["b", "2", "USD"], ["c", "3", "EUR"]]
    request = ChartRequest.model_validate({"dataset": "sales", "y": ["amount"], **wanted})
    plan = plan_chart(sales(rows, TWO_CURRENCIES), request)
    names = [column.name for column in plan.figures.columns]
    found = {(row[names.index("code")], row[names.index("amount")]) for row in plan.figures.rows}
    whole = {("EUR", Decimal(4)), ("USD", Decimal(7))}
    parts = {(code, Decimal(amount)) for _, amount, code in rows}
    assert (plan.kind, found) == (kind, whole if names[0] == "code" else parts)
    assert "highest" not in plan.description
    chosen = plan_chart(sales(rows, TWO_CURRENCIES), amended(request, {"only": ["EUR"]}))
    assert chosen.request.top == request.top
    assert {column.currency for column in chosen.y} <= {"EUR", None}


def test_currencies_may_be_split_or_chosen() -> None:
    mixed = sales([["a", "1", "EUR"], ["b", "2", "USD"]], TWO_CURRENCIES)
    assert planned(mixed, kind="bar", x="customer", series="code", y=["amount"]).kind == "bar"
    chosen = planned(mixed, kind="bar", x="customer", only=["USD"], y=["amount"])
    assert chosen.figures.columns[-1].currency == "USD"


@pytest.mark.parametrize("wanted", [{}, {"y": ["saldo"]}])
def test_what_is_no_number_is_counted_and_never_added_up(wanted: Mapping[str, Any]) -> None:
    file = dataset_from_csv(b"Item;Saldo\na;100-\nb;1 234,5\n", name="texts", now=NOW)
    plan = planned(file, kind="table", x="item", **wanted)
    assert rows_of(plan) == [("a", 1), ("b", 1)]
    assert plan.notes


def test_figures_of_one_name_are_series_of_their_own() -> None:
    """Two columns that a file calls the same do not lie upon each other."""
    file = dataset_from_csv(b"City;Amount;Amount\nA;10;1\nB;20;2\n", name="twice", now=NOW)
    plan = planned(file, kind="bar", x="city", y=["amount", "amount_2"])
    assert {(city, series, int(value)) for city, series, value in rows_of(plan)} == {
        ("A", "Amount (amount)", 10), ("A", "Amount (amount_2)", 1),
        ("B", "Amount (amount)", 20), ("B", "Amount (amount_2)", 2),
    }  # fmt: skip


def test_top_and_others_add_up_to_the_whole() -> None:
    plan = planned(many(30), kind="bar", x="customer", y=["amount"])
    assert sum(row[1] for row in rows_of(plan)) == sum(range(1, 31))
    assert rows_of(plan)[-1][0] == "Others"


def test_every_generated_plan_makes_a_specification_that_passes_its_check() -> None:
    """Any request over any data ends in a chart that is checked, or in a reason."""
    drawn = 0
    for dataset, request in generated_cases(120):
        try:
            plan = plan_chart(dataset, request)
        except ChartRefusedError:
            continue
        drawn += 1
        spec = checked_spec(vega_lite(plan), [column.name for column in plan.figures.columns])
        assert spec["data"] == {"name": "figures"}
    assert drawn > 80


def test_hostile_specifications_are_refused() -> None:
    """Two hundred and more: data, addresses, expressions, images, transforms, deep and huge ones."""
    hostile = hostile_specs()
    assert len(hostile) >= 200
    for spec in hostile:
        with pytest.raises(SpecError):
            checked_spec(spec, ["customer", "amount"])


# follow-ups


@pytest.fixture
async def context() -> ToolContext:
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id="S-1"))
    await library.keep(sales(), key="1")
    return ToolContext(services={"datasets": library, "language": "es"}, idempotency_key="k", tool_use_id="t")


async def drawn(chart: Chart, context: ToolContext, key: str) -> ChartPlan:
    """A chart as the run keeps it."""
    call = ToolContext(services=context.services, idempotency_key=key, tool_use_id=key)
    await chart.as_tool_result(call)
    assert [event.type for event in call.events] == ["chart_drawn"]
    return chart.plan


async def test_follow_ups_change_the_last_chart(context: ToolContext) -> None:
    """A-21: the same by month, only Spain, as a line; what is not named stays as it was."""
    first = await drawn(await draw_chart.call(context, kind="bar", x="customer", y=["amount"]), context, "1")
    assert first.title == "Importe (EUR) por cliente"
    monthly = await drawn(await change_chart.call(context, time_unit="month"), context, "2")
    assert (monthly.kind, monthly.title) == ("line", "Importe (EUR) por mes")
    spain = await drawn(await change_chart.call(context, only=["España"]), context, "3")
    assert [row[1] for row in spain.figures.rows] == [Decimal("100.10"), Decimal("200.20"), Decimal("25.05")]
    bars = await drawn(await change_chart.call(context, kind="bar"), context, "4")
    assert (bars.kind, bars.request.only, bars.request.time_unit) == ("bar", ("España",), "month")


async def test_without_a_chart_there_is_nothing_to_change(context: ToolContext) -> None:
    with pytest.raises(DatasetError, match="ningún gráfico que cambiar"):
        await change_chart.call(context, top=3)


def test_periods_that_stand_as_text_keep_the_order_of_time() -> None:
    """A-20: months are no names that go by size, and a line may go through them."""
    columns = [Column(name="month", type="text"), Column(name="value", type="decimal")]
    rows = [["2026-01", Decimal(5)], ["2026-02", Decimal(9)], ["2026-03", Decimal(7)]]
    months = Dataset(name="sales", columns=columns, rows=rows, provenance=SOURCE)

    lines = plan_chart(months, ChartRequest(dataset="sales", kind="line"))
    bars = plan_chart(months, ChartRequest(dataset="sales", kind="bar"))

    assert (lines.kind, lines.notes) == ("line", ())
    assert [row[0] for row in bars.figures.rows] == ["Jan 2026", "Feb 2026", "Mar 2026"]
    assert bars.is_upright
    assert plan_chart(months, ChartRequest(dataset="sales")).kind == "line"


async def test_a_kind_that_is_asked_for_draws_the_last_table_where_there_is_no_chart(context: ToolContext) -> None:
    chart = await drawn(await change_chart.call(context, kind="bar"), context, "1")
    assert chart.kind == "bar"


async def test_a_chart_keeps_its_figures_and_names_their_source(context: ToolContext) -> None:
    await drawn(await draw_chart.call(context, x="customer"), context, "1")
    library = context.services["datasets"]
    kept = await library.get("sales_chart")
    assert (kept.provenance.connector, kept.provenance.sources) == ("chart", ("sales",))
    assert SOURCE.retrieved_at == kept.provenance.retrieved_at
    again = await draw_chart.call(context)
    assert again.plan.request.dataset == "sales"


async def test_a_chart_speaks_the_language_of_the_request(context: ToolContext) -> None:
    """Not of the profile, where they differ: the answer around it does too."""
    english = await draw_chart.call(
        context, kind="bar", x="customer", options={"asked": "show me the sales by customer"}
    )
    assert english.plan.description.startswith("Bar chart of Importe (EUR) by cliente")
    await drawn(english, context, "1")
    with pytest.raises(DatasetError, match="is in the table of the chart; its columns are"):
        await change_chart.call(context, options={"asked": "show me the weather of the moon"})
    with pytest.raises(DatasetError, match="está en la tabla del gráfico; sus columnas son"):
        await change_chart.call(context, options={"asked": "qué tiempo hace en Teruel"})


def test_every_problem_of_an_upload_is_said_in_both_languages() -> None:
    assert all(texts.keys() == {"en", "es"} for texts in TEXTS.values())
    with pytest.raises(UploadRefusedError) as refused:
        dataset_from_csv(b"a,b\n", name="vacio.csv", now=NOW)
    assert str(refused.value.in_language("es")) == "vacio.csv no tiene filas bajo su cabecera"


def test_an_average_of_whole_numbers_has_places() -> None:
    plan = plan_chart(sales(), ChartRequest(dataset="sales", x="country", y=("pieces",), aggregate="average"))
    assert list(map(tuple, plan.figures.rows)) == [("Portugal", Decimal(3)), ("España", Decimal("2.333333"))]


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Importe (EUR) by cliente · 2026 Q1 · ES · Only Acme, Luna · Without Sol"),
        ("es", "Importe (EUR) por cliente · 2026 T1 · ES · Solo Acme, Luna · Sin Sol"),
    ],
)
def test_a_title_says_measure_and_dimension_with_currency_period_and_filters(language: Any, title: str) -> None:
    """A picture that is passed on has nothing else that says them."""
    whole = sales()
    table = Dataset(
        name="sales", columns=whole.columns, rows=whole.rows, provenance=whole.provenance,
        title="Ventas · 2026-01-01 – 2026-03-31 · ES",
    )  # fmt: skip
    wanted = ChartRequest(dataset="sales", x="customer", only=("Acme", "Luna"), excluded=("Sol",), language=language)
    assert plan_chart(table, wanted).title == title


def test_a_title_of_its_own_keeps_what_the_picture_does_not_say() -> None:
    """Currency of a pie, time and chosen values stand behind the words that were asked for."""
    march = ChartFilter(column="day", at_least="2026-02-01", at_most="2026-02-28")
    for kind, begin in (("bar", "Los mejores · "), ("pie", "Los mejores (EUR) · ")):
        plan = planned(
            kind=kind, x="customer", filters=[march], only=["España", "Portugal"], title="Los mejores", language="es"
        )  # fmt: skip
        assert plan.title == f"{begin}feb 2026 · Solo España, Portugal"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"at_least": "2026-01-01", "at_most": "2026-12-31"}, ("2026", "2026")),
        ({"at_least": "2026-01-01", "at_most": "2026-03-31"}, ("2026 Q1", "2026 T1")),
        ({"at_least": "2026-02-01"}, ("since 1 Feb 2026", "desde 1 feb 2026")),
        ({"at_most": "2026-02-28"}, ("until 28 Feb 2026", "hasta 28 feb 2026")),
        ({"at_least": "2026-01-03", "at_most": "2026-02-28"}, ("3 Jan 2026 – 28 Feb 2026", "3 ene 2026 – 28 feb 2026")),
    ],
)
def test_a_time_that_is_kept_to_is_said_in_title_and_notes(given: Mapping[str, Any], said: tuple[str, str]) -> None:
    for language, words in zip(("en", "es"), said, strict=True):
        plan = planned(kind="bar", x="customer", filters=[{"column": "day", **given}], language=language)
        assert plan.title.endswith(f" · {words}")
        assert any(words in note for note in plan.notes)


def test_a_chart_is_drawn_in_the_colour_that_was_asked_for() -> None:
    assert vega_lite(planned(kind="bar", x="customer", colour="red"))["mark"]["color"] == COLOURS["red"]
    split = planned(kind="bar", x="customer", series="country", colour="red")
    assert "color" not in vega_lite(split)["mark"]
    assert split.notes[-1] == say("colours_apart", "en")
    points = planned(kind="scatter", y=["amount", "pieces"], colour="red")
    assert (vega_lite(points)["mark"]["color"], points.notes) == (COLOURS["red"], ())


def test_whole_numbers_have_no_marks_between_them() -> None:
    """An axis from 0 to 3 would say 0, 1, 1, 2, 2, 3."""
    spec = vega_lite(planned(kind="bar", x="customer", y=["pieces"]))
    assert spec["encoding"]["x"]["axis"]["tickMinStep"] == 1
    assert checked_spec(spec, ["customer", "pieces"]) == spec


def test_conditions_on_columns_are_said() -> None:
    plan = planned(kind="bar", x="customer", filters=[{"column": "amount", "at_least": "0"}])
    assert plan.title.endswith(" · Importe: ≥ 0.00")


def test_a_refusal_names_a_table_with_its_days_as_they_are_said() -> None:
    titled = replace(sales([]), title="Deuda · 2026-01-01 – 2026-12-31 · desde 2026-03-04")
    with pytest.raises(ChartRefusedError, match="Deuda · 2026 · desde 4 mar 2026"):
        plan_chart(titled, ChartRequest(dataset="sales", x="customer", language="es"))
