"""Words about a chart, read against its table (A-21, A-42)."""

from typing import Any

import pytest

from batuta.datasets.charts.asking import asked_of, reading_of
from batuta.datasets.charts.planning import plan_chart
from batuta.datasets.charts.request import ChartFilter, ChartRequest, amended
from batuta.datasets.dataset import Column, Dataset, DatasetError
from batuta.testing.datasets import SOURCE
from tests.unit.datasets.chart_cases import COLUMNS, sales
from tests.unit.datasets.chart_follow_ups import FOLLOW_UPS

BEFORE = ChartRequest(dataset="sales", kind="bar", x="customer", y=("amount",))


@pytest.mark.parametrize(("text", "expected"), FOLLOW_UPS, ids=[text for text, _ in FOLLOW_UPS])
def test_a_follow_up_changes_what_it_names_and_nothing_else(text: str, expected: dict[str, Any]) -> None:
    found = asked_of(text, sales())
    if "is_everything" in expected:
        found = {"is_everything": found.get("is_everything")}
    assert found == expected


@pytest.mark.parametrize(("text", "expected"), FOLLOW_UPS, ids=[text for text, _ in FOLLOW_UPS])
def test_a_follow_up_said_twice_is_the_same(text: str, expected: dict[str, Any]) -> None:
    """A call that is resumed after its chart was kept changes nothing more."""
    words = asked_of(text, sales())
    once = amended(BEFORE, words)
    assert amended(once, words) == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("haz un gráfico de ventas por país", {"x": "country", "y": ["amount"]}),
        ("importe por cliente y país en barras apiladas", {"x": "customer", "series": "country", "y": ["amount"],
         "kind": "stacked"}),
        ("units by month as a line", {"y": ["pieces"], "time_unit": "month", "kind": "line"}),
        ("chart the sales of Spain by customer", {"x": "customer", "y": ["amount"], "only": ["España"]}),
        ("un gráfico circular con los 2 mejores clientes", {"kind": "pie", "top": 2, "x": "customer"}),
        ("the three biggest customers by units", {"top": 3, "x": "customer", "y": ["pieces"]}),
        ("heatmap by country and month", {"kind": "heatmap", "x": "country", "series": "day", "time_unit": "month"}),
        ("mapa de calor por país y mes", {"kind": "heatmap", "x": "country", "series": "day", "time_unit": "month"}),
        ("hello there", {}),
    ],
)  # fmt: skip
def test_a_request_names_columns_and_values(text: str, expected: dict[str, Any]) -> None:
    assert asked_of(text, sales()) == expected


MEASURED = Dataset(
    name="customer_count",
    columns=[
        Column(name="month", type="text", label="Mes"),
        Column(name="country", type="text", label="País"),
        Column(name="value", type="integer", label="Número de clientes"),
        Column(name="before", type="integer", label="Antes"),
    ],
    rows=[["2026-01", "ES", 9, 7], ["2026-02", "PT", 4, 5]],
    provenance=SOURCE,
)


def test_a_figure_that_is_a_count_is_added_up_and_its_rows_are_not_counted() -> None:
    words = asked_of("how many clientes by country", MEASURED)
    assert "aggregate" not in words
    assert asked_of("how many by country", sales())["aggregate"] == "count"


def test_periods_that_stand_as_text_are_found_by_their_unit() -> None:
    found = asked_of("heatmap by month and country", MEASURED)
    assert (found["x"], found["series"]) == ("month", "country")


def test_a_table_with_the_figures_before_is_drawn_as_a_comparison() -> None:
    plan = plan_chart(MEASURED, ChartRequest(dataset="customer_count", x="month", y=("value",)))
    assert {row[1] for row in plan.figures.rows} == {"Número de clientes", "Antes"}


def test_values_that_are_left_out_add_up_and_come_back() -> None:
    first = amended(BEFORE, asked_of("quita Acme", sales()))
    second = amended(first, asked_of("y sin Luna", sales()))
    assert second.excluded == ("Acme", "Luna")
    assert [row[0] for row in plan_chart(sales(), second).figures.rows] == ["Sol"]
    whole = amended(second, asked_of("sin filtro", sales()))
    assert (whole.excluded, whole.only, whole.top) == ((), (), None)


@pytest.mark.parametrize(
    ("order", "names"),
    [("largest", ["Acme", "Luna", "Sol"]), ("smallest", ["Sol", "Luna", "Acme"]), ("label", ["Acme", "Luna", "Sol"])],
)
def test_categories_stand_in_the_order_that_was_asked_for(order: Any, names: list[str]) -> None:
    plan = plan_chart(sales(), BEFORE.changed(order=order))
    assert [row[0] for row in plan.figures.rows] == names


def test_percentages_are_parts_of_the_sum_that_is_shown() -> None:
    plan = plan_chart(sales(), BEFORE.changed(is_share=True, language="es"))
    assert [str(row[1]) for row in plan.figures.rows] == ["80.01", "13.32", "6.67"]
    assert (plan.y[0].unit, plan.y[0].currency) == ("%", None)
    assert plan.notes == ()


def test_averages_have_no_percentages() -> None:
    plan = plan_chart(sales(), BEFORE.changed(is_share=True, aggregate="average"))
    assert any("no parts of a whole" in note for note in plan.notes)


def test_the_smallest_are_kept_where_they_are_asked_for() -> None:
    plan = plan_chart(sales(), BEFORE.changed(order="smallest", top=1))
    rows = plan_chart(sales(), BEFORE.changed(order="smallest", top=2)).figures.rows
    assert [row[0] for row in rows] == ["Sol", "Luna"]
    assert plan.kind == "kpi"


MARGINS = Dataset(
    name="margins",
    columns=[Column(name="item", type="text"), Column(name="margin", type="decimal", currency="EUR")],
    rows=[["A", "86.40"], ["B", "-14912.60"], ["C", "33.30"], ["D", "51.15"], ["E", "900"], ["F", None]],
    provenance=SOURCE,
)


@pytest.mark.parametrize("words", ["the 3 worst", "los 3 peores"])
def test_the_worst_are_the_losses_and_the_top_after_them_is_the_other_end(words: str) -> None:
    bars = ChartRequest(dataset="margins", kind="bar", x="item", y=("margin",))
    worst = amended(bars, asked_of(words, MARGINS))
    assert [row[0] for row in plan_chart(MARGINS, worst).figures.rows] == ["B", "C", "D"]
    best = amended(worst, asked_of("the top 2", MARGINS))
    plan = plan_chart(MARGINS, best)
    assert [row[0] for row in plan.figures.rows] == ["E", "A"]
    assert plan.notes == ("Shows the 2 largest of 6.",)


def test_a_loss_stands_behind_every_gain_unless_another_order_is_asked_for() -> None:
    plan = plan_chart(MARGINS, ChartRequest(dataset="margins", kind="bar"))
    assert [row[0] for row in plan.figures.rows] == ["E", "A", "D", "C", "B", "F"]


def test_the_top_months_are_shown_as_bars_in_the_order_of_time() -> None:
    months = ChartRequest(dataset="sales", kind="line", x="day", y=("amount",), time_unit="month")
    plan = plan_chart(sales(), amended(months, asked_of("top 2", sales())))
    assert [row[0].month for row in plan.figures.rows] == [1, 2]
    assert (plan.kind, plan.notes[0]) == ("bar", "Shows the 2 largest of 3.")


def test_the_top_stay_the_top_as_a_table() -> None:
    top = amended(BEFORE.changed(top=2), asked_of("as a table", sales()))
    for request in (top, top.model_copy(update={"x": None})):
        plan = plan_chart(sales(), request)
        assert (plan.kind, [row[0] for row in plan.figures.rows]) == ("table", ["Acme", "Luna"])


def test_a_heat_map_is_cut_to_months_whichever_side_they_are_named_on() -> None:
    request = ChartRequest(dataset="sales", kind="heatmap", x="country", series="day", y=("amount",), time_unit="month")
    rows = plan_chart(sales(), request).figures.rows
    assert [(row[0].isoformat(), row[1], str(row[2])) for row in rows] == [
        ("2026-01-01", "España", "100.10"),
        ("2026-02-01", "España", "200.20"),
        ("2026-02-01", "Portugal", "50.00"),
        ("2026-03-01", "España", "25.05"),
    ]


def test_none_of_them_is_answered_in_a_sentence() -> None:
    with pytest.raises(DatasetError, match=r"^Un gráfico muestra entre 1 y 1000, no 0: pida otro número\.$"):
        amended(BEFORE.changed(language="es"), asked_of("top 0", sales()))


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("without Terrazas Sotomar", ["Terrazas Sotomar, S.C."]),
        ("sin Muebles Ribalta", ["Muebles Ribalta, S.L."]),
        ("quita Hoteles Marola y Muebles Ribalta", ["Hoteles Marola, y Cía.", "Muebles Ribalta, S.L."]),
        ("sin Obras Duna", None),
        ("sin Obras Duna, S.A.", ["Obras Duna, S.A."]),
    ],
)
def test_a_company_is_named_without_its_legal_form(words: str, gone: list[str] | None) -> None:
    """Unless two have the same name but for it."""
    names = ["Terrazas Sotomar, S.C.", "Muebles Ribalta, S.L.", "Hoteles Marola, y Cía.", "Obras Duna, S.A."]
    rows = [[name, n] for n, name in enumerate([*names, "Obras Duna, S.L."])]
    columns = [Column(name="customer", type="text"), Column(name="value", type="integer")]
    table = Dataset(name="sales", columns=columns, rows=rows, provenance=SOURCE)
    assert asked_of(words, table).get("excluded") == gone


def test_what_is_ranked_by_a_figure_is_compared_by_name() -> None:
    assert asked_of("top 3 customers by amount", sales()) == {"top": 3, "x": "customer", "y": ["amount"]}
    along_time = BEFORE.changed(x="day", time_unit="month", kind="line")
    assert amended(along_time, asked_of("the 3 biggest customers", sales())).x == "customer"


def test_periods_in_a_column_are_found_by_its_name_in_both_languages() -> None:
    columns = [Column(name="mes", type="text", label="Mes"), *COLUMNS[:1], COLUMNS[3]]
    table = sales([["2026-01", "Acme", "1"]], columns)
    assert asked_of("por mes", table) == {"time_unit": "month", "x": "mes"}
    assert asked_of("importe por cliente y mes", table)["series"] in ("mes", "customer")


def test_the_total_of_a_figure_is_that_figure_alone() -> None:
    assert asked_of("total de unidades por cliente", sales())["y"] == ["pieces"]
    assert asked_of("the total of the amounts by customer", sales())["y"] == ["amount"]


def test_a_column_is_found_by_its_word_in_the_other_language() -> None:
    columns = [Column(name="departamento", type="text", label="Departamento"), Column(name="horas", type="integer")]
    table = sales([["Ventas", 3]], columns)
    assert asked_of("average hours by department", table) == {
        "x": "departamento", "y": ["horas"], "aggregate": "average",
    }  # fmt: skip


@pytest.mark.parametrize("text", [text for text, _ in FOLLOW_UPS])
def test_nothing_of_a_follow_up_is_left_unread(text: str) -> None:
    assert reading_of(text, sales()).unread == ()


@pytest.mark.parametrize(
    ("text", "unread", "asks"),
    [
        ("pie chart of the weather by planet", ("weather", "planet"), True),
        ("hazme un gráfico del tiempo por planeta", ("tiempo", "planeta"), True),
        ("Marta's sales by customer as bars", ("Marta",), False),
        ("sales and profit by customer", ("profit",), False),
        ("only Mars", ("Mars",), True),
    ],
)
def test_words_that_are_neither_of_the_table_nor_of_charts_are_named(
    text: str, unread: tuple[str, ...], asks: bool
) -> None:
    """A chart without them might answer another question."""
    reading = reading_of(text, sales())
    assert (reading.unread, reading.asks_unread) == (unread, asks)


def test_a_value_is_kept_where_it_stands_alone() -> None:
    assert asked_of("España por mes", sales()) == {"time_unit": "month", "only": ["España"]}


@pytest.mark.parametrize("text", ["sales by country, month and customer", "ventas por país, mes y cliente"])
def test_a_third_column_to_compare_by_is_named_as_one_without_a_place(text: str) -> None:
    assert reading_of(text, sales()).unplaced == ("Fecha",)


@pytest.mark.parametrize(
    "text", ["importe por la segunda columna", "importe by the second column", "importe por columna 2"]
)
def test_a_column_is_named_by_its_place(text: str) -> None:
    reading = reading_of(text, sales())
    assert (reading.changes, reading.unread) == ({"x": "country", "y": ["amount"]}, ())


def test_a_column_is_told_from_another_that_begins_like_it() -> None:
    """The dollars are not the euros."""
    columns = [
        Column(name="dept", type="text"), Column(name="gasto_eur", type="integer", label="Gasto EUR", currency="EUR"),
        Column(name="gasto_usd", type="integer", label="Gasto USD", currency="USD"),
    ]  # fmt: skip
    table = Dataset(name="t", columns=columns, rows=[["IT", 1, 2]], provenance=SOURCE)
    assert asked_of("gasto usd por dept", table)["y"] == ["gasto_usd"]
    assert asked_of("gasto por dept", table)["y"] == ["gasto_eur", "gasto_usd"]


@pytest.mark.parametrize("text", ["stacked by country", "apiladas por país"])
def test_what_a_stack_is_made_of_is_its_series(text: str) -> None:
    assert asked_of(text, sales()) == {"kind": "stacked", "series": "country"}


def test_the_average_is_an_adjective_too() -> None:
    assert asked_of("importe medio por cliente", sales())["aggregate"] == "average"


def kept(first: str | None, last: str | None) -> dict[str, Any]:
    return {"filters": [ChartFilter(column="day", at_least=first, at_most=last)]}


DATED = Dataset(
    name="sales",
    columns=COLUMNS,
    rows=[
        ["Acme", "España", "2025-06-15", "80", 1, "1"],
        ["Luna", "España", "2026-01-10", "50", 1, "1"],
        ["Acme", "Portugal", "2026-07-11", "30", 1, "1"],
    ],
    provenance=SOURCE,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("only 2025", kept("2025-01-01", "2025-12-31")),
        ("solo marzo", kept("2026-03-01", "2026-03-31")),
        ("solo septiembre", kept("2025-09-01", "2025-09-30")),
        ("desde junio", kept("2026-06-01", None)),
        ("since June 2025", kept("2025-06-01", None)),
        ("hasta febrero", kept(None, "2026-02-28")),
        ("before March 2026", kept(None, "2026-02-28")),
        ("de enero a marzo", kept("2026-01-01", "2026-03-31")),
        ("desde enero hasta marzo", kept("2026-01-01", "2026-03-31")),
        ("enero y febrero", kept("2026-01-01", "2026-02-28")),
        ("in the first quarter of 2026", kept("2026-01-01", "2026-03-31")),
        ("sales by customer in 2025", {"x": "customer", "y": ["amount"], **kept("2025-01-01", "2025-12-31")}),
        ("los últimos 3 meses", {"last": 3}),
    ],
)
def test_a_time_is_read_against_what_the_table_reaches(text: str, expected: dict[str, Any]) -> None:
    """A month without a year is the last one before the table ends; so many of the last ones are no days."""
    reading = reading_of(text, DATED)
    assert reading.changes == expected
    assert reading.unread == ()


@pytest.mark.parametrize("text", ["only Mondays", "solo los lunes", "enero y marzo"])
def test_a_time_that_a_chart_cannot_keep_to_is_not_read_as_another(text: str) -> None:
    assert reading_of(text, DATED).unread != ()


def test_a_time_is_said_of_today_where_its_words_say_so() -> None:
    """The table was read in 2026, however old its rows are."""
    old = Dataset(name="sales", columns=COLUMNS, rows=DATED.rows[:1], provenance=SOURCE)
    year = SOURCE.retrieved_at.year
    assert asked_of("this year", old) == kept(f"{year}-01-01", f"{year}-12-31")
    assert asked_of("solo junio", old) == kept("2025-06-01", "2025-06-30")


def test_periods_as_text_and_years_as_numbers_are_kept_by_their_values() -> None:
    assert asked_of("solo febrero", MEASURED)["filters"] == [ChartFilter(column="month", values=("2026-02",))]
    assert asked_of("este año", MEASURED)["filters"] == []  # all of it: an agent read no other months
    years = Dataset(
        name="years", columns=[Column(name="ano", type="integer", label="Año"), COLUMNS[3]],
        rows=[[2025, "1"], [2026, "2"]], provenance=SOURCE,
    )  # fmt: skip
    assert asked_of("solo 2025", years)["filters"] == [ChartFilter(column="ano", values=("2025",))]


def test_a_value_that_is_called_like_a_month_is_that_value() -> None:
    named = Dataset(
        name="t", columns=COLUMNS, rows=[["Marzo", "España", "2026-01-01", "1", 1, "1"]], provenance=SOURCE
    )  # fmt: skip
    assert asked_of("solo marzo", named) == {"only": ["Marzo"]}


def test_a_moment_of_the_last_day_is_within_it() -> None:
    columns = [COLUMNS[0], Column(name="at", type="datetime"), COLUMNS[3]]
    rows = [["Acme", "2026-03-31T18:30:00+00:00", "10"], ["Luna", "2026-03-02T08:00:00+00:00", "4"],
            ["Sol", "2026-04-01T00:00:00+00:00", "7"]]  # fmt: skip
    table = Dataset(name="t", columns=columns, rows=rows, provenance=SOURCE)
    request = amended(ChartRequest(dataset="t", x="customer"), asked_of("solo marzo", table))
    assert [row[0] for row in plan_chart(table, request).figures.rows] == ["Acme", "Luna"]


def test_a_later_time_replaces_the_earlier_and_everything_takes_it_away() -> None:
    once = amended(BEFORE, asked_of("solo 2025", DATED))
    twice = amended(once, asked_of("desde enero", DATED))
    assert twice.filters == (ChartFilter(column="day", at_least="2026-01-01"),)
    assert amended(twice, asked_of("show everything", DATED)).filters == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call it Northern sales", {"title": "Northern sales"}),
        ("ponle el título Ventas del norte", {"title": "Ventas del norte"}),
        ("title: Best customers 2025", {"title": "Best customers 2025"}),
        ("con el título «Zonas» como tarta", {"title": "Zonas", "kind": "pie"}),
        ("llámalo Mis ventas, por favor", {"title": "Mis ventas"}),
        ("make it blue", {"colour": "blue"}),
        ("plot it in red", {"colour": "red"}),
        ("hazlo de color verde", {"colour": "green"}),
    ],
)
def test_a_title_and_a_colour_are_read(text: str, expected: dict[str, Any]) -> None:
    reading = reading_of(text, DATED)
    assert reading.changes == expected
    assert reading.unread == ()


def test_a_colour_that_the_table_holds_is_a_value() -> None:
    columns = [Column(name="paint", type="text"), COLUMNS[3]]
    table = Dataset(name="t", columns=columns, rows=[["Rojo", "1"], ["Azul", "2"]], provenance=SOURCE)
    assert asked_of("solo rojo", table) == {"only": ["Rojo"]}


def test_what_was_compared_by_may_be_split_by() -> None:
    request = amended(BEFORE, {"series": "customer"})
    assert (request.x, request.series) == (None, "customer")


TICKETS = Dataset(
    name="support_tickets",
    title="support-tickets.csv",
    columns=[
        Column(name="ticket_id", type="text", label="Ticket ID"),
        Column(name="opened", type="date", label="Opened"),
        Column(name="team", type="text", label="Team"),
        Column(name="customer", type="text", label="Sold-to"),
        Column(name="hours", type="decimal", label="Hours"),
        Column(name="qty", type="integer", label="Qty"),
        Column(name="annual_budget", type="integer", label="Annual budget"),
    ],
    rows=[
        ["T-1", "2026-01-05", "Network", "Acme", "1.5", 1, 10],
        ["T-2", "2026-02-06", "Network", "Acme", "2.5", 2, 20],
        ["T-3", "2026-02-07", "Billing", "Luna", "4.0", 3, 30],
    ],
    provenance=SOURCE,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tickets per week", {"time_unit": "week", "aggregate": "count"}),
        ("tickets by team", {"x": "team", "aggregate": "count"}),
        ("hours by team", {"x": "team", "y": ["hours"]}),
        ("hours by month and team", {"time_unit": "month", "series": "team", "y": ["hours"]}),
        ("hours per month by team", {"time_unit": "month", "series": "team", "y": ["hours"]}),
        ("horas por trimestre y equipo apiladas", {"kind": "stacked", "time_unit": "quarter", "series": "team",
         "y": ["hours"]}),
        ("quantity by customer", {"x": "customer", "y": ["qty"]}),
        ("annual budget by team", {"x": "team", "y": ["annual_budget"]}),
        ("heat map of team and customer", {"kind": "heatmap", "x": "team", "series": "customer"}),
    ],
)  # fmt: skip
def test_rows_are_counted_and_times_are_split_as_people_say_it(text: str, expected: dict[str, Any]) -> None:
    reading = reading_of(text, TICKETS)
    assert reading.changes == expected
    assert reading.unread == ()


def test_what_a_table_holds_many_times_is_not_counted_by_its_rows() -> None:
    assert reading_of("customers by team", TICKETS).unread == ("customers",)
    assert reading_of("hours by customer", TICKETS).unread == ()


@pytest.mark.parametrize("text", ["all countries, by month", "ahora todos los países, por mes"])
def test_all_of_a_column_takes_back_what_it_was_kept_to(text: str) -> None:
    before = BEFORE.changed(only=["España", "Acme"], excluded=["Portugal"])
    request = amended(before, asked_of(text, sales()))
    assert (request.only, request.excluded, request.time_unit) == (("Acme",), (), "month")


def test_titles_say_what_is_shown_of_a_whole_in_the_language_of_the_reader() -> None:
    months = [f"2026-{month:02}" for month in range(1, 10)]
    table = Dataset(
        name="sales_month", title="Sales by month · 2026-01-01 – 2026-09-18 · as of 2026-09-18",
        columns=[Column(name="month", type="text", label="Month"), Column(name="value", type="integer", label="Sales")],
        rows=[[month, number] for number, month in enumerate(months, 1)], provenance=SOURCE,
    )  # fmt: skip
    plans = [
        plan_chart(table, amended(ChartRequest(dataset="sales_month", language=language), asked_of(words, table)))
        for language, words in (("en", "by month"), ("es", "los últimos 3 meses"), ("en", "top 2"))
    ]
    assert [plan.title for plan in plans] == [
        "Sales by month · 1 Jan 2026 – 18 Sep 2026 · as of 18 Sep 2026",
        "Sales por month · as of 18 sep 2026 · jul 2026 – sep 2026",
        "Sales by month · 1 Jan 2026 – 18 Sep 2026 · as of 18 Sep 2026 · Top 2",
    ]
    quarters = plan_chart(table, ChartRequest(dataset="sales_month", x="month", time_unit="quarter"))
    assert [(row[0], row[1]) for row in quarters.figures.rows] == [("2026 Q1", 6), ("2026 Q2", 15), ("2026 Q3", 24)]
    assert quarters.title.startswith("Sales by quarter")


def test_what_figures_are_compared_by_is_not_taken_for_the_rows_of_a_table() -> None:
    """ "País" ends as a plural does, and stands in the table's title: no rows are counted for that."""
    table = Dataset(
        name="sales_country", title="Ventas por país",
        columns=[Column(name="country", type="text", label="País"),
                 Column(name="value", type="integer", label="Ventas")],
        rows=[["ES", 80], ["FR", 20]], provenance=SOURCE,
    )  # fmt: skip
    changes = asked_of("por país en vez de por mes", table)
    assert (changes["x"], changes.get("aggregate")) == ("country", None)


def test_a_figure_is_described_with_the_one_before() -> None:
    table = Dataset(
        name="sales", columns=[Column(name="value", type="integer", label="Sales"),
                               Column(name="before", type="integer", label="Before")],
        rows=[[80, 100]], provenance=SOURCE,
    )  # fmt: skip
    plan = plan_chart(table, ChartRequest(dataset="sales", kind="kpi", y=("value",)))
    assert plan.description.endswith(": 80; before, 100 (-20.0 %).")


@pytest.mark.parametrize("text", ["evolution of Rent", "evolución de Rent"])
def test_months_as_columns_are_no_chart_of_the_first_of_them(text: str) -> None:
    table = Dataset(
        name="budget", columns=[Column(name="item", type="text", label="Item"),
                                *(Column(name=name, type="integer") for name in ("ene", "feb", "mar"))],
        rows=[["Rent", 1, 2, 3], ["Staff", 4, 5, 6]], provenance=SOURCE,
    )  # fmt: skip
    with pytest.raises(DatasetError, match="months as columns"):
        plan_chart(table, amended(ChartRequest(dataset="budget"), asked_of(text, table)))
