"""Tables as offices export them and requests as people make them: short heads, flags, two years (A-20, A-21)."""

from typing import Any

import pytest

from batuta.datasets.charts.asking import reading_of
from batuta.datasets.charts.draft import ChartRefusedError
from batuta.datasets.charts.planning import ChartPlan, plan_chart
from batuta.datasets.charts.request import ChartRequest, amended
from batuta.datasets.dataset import Dataset
from batuta.datasets.files import dataset_from_csv
from batuta.testing.datasets import SOURCE

ORDERS = (
    "Nº Pedido;F. Pedido;Cliente;Prov.;Línea neg.;Base imp. (€);Dto. %;Estado\n"
    "P1;10/02/2025;Alfa;Lugo;Jardín;100,00;5;Servido\nP2;20/03/2025;Beta;Lugo;Mueble;50,00;0;Anulado\n"
    "P3;05/11/2025;Alfa;Ávila;Jardín;70,00;0;Servido\nP4;11/02/2026;Alfa;Ávila;Jardín;30,00;10;Servido\n"
    "P5;25/03/2026;Gamma;Soria;;5,00;0;Pendiente\n"
)
CLAIMS = (
    "Trip date,Traveller,Dept.,Claimed,Curr.,Reimbursed?,Nights\n2026-01-05,Jo,Ops,100.50,EUR,yes,2\n"
    "2026-01-09,Jo,Sales,80.00,GBP,no,1\n2026-02-02,Ana,Ops,20.25,EUR,no,3\n2026-02-03,Ana,Ops,60.00,USD,yes,1\n"
)
POWER = (
    "Mes\tSede\tCoste (EUR)\nene-25\tSol\t10,50\ndic-25\tSol\t90,00\nene-26\tSol\t20,00\nfeb-26\tSol\t7,00\n"
    "ene-25\tMar\t1,00\nene-26\tMar\t2,00\n"
)
STOCK = "SKU,Whse,On hand,Unit cost (USD),Stock value (USD)\n007,North,3,2.50,7.50\n008,South,2,10.00,20.00\n"


def table(text: str, name: str = "travel claims.csv") -> Dataset:
    return dataset_from_csv(text.encode(), name=name, now=SOURCE.retrieved_at)


def drawn(text: str, *asked: str) -> ChartPlan:
    """The chart after some messages, each of which changes the one before."""
    dataset = table(text)
    request = ChartRequest(dataset=dataset.name, language="es")
    for words in asked:
        reading = reading_of(words, dataset)
        assert not reading.unread, reading.unread
        request = amended(request, reading.changes)
    return plan_chart(dataset, request)


def figures(plan: ChartPlan) -> list[tuple[str, ...]]:
    return [tuple("" if value is None else str(value) for value in row) for row in plan.figures.rows]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("base imponible por provincia", [("Lugo", "150.00"), ("Ávila", "100.00"), ("Soria", "5.00")]),
        ("base por línea de negocio", [("Jardín", "200.00"), ("Mueble", "50.00"), ("(vacío)", "5.00")]),
        ("descuento medio por cliente", [("Alfa", "5.000000"), ("Beta", "0.000000"), ("Gamma", "0.000000")]),
        ("base imponible de los pedidos servidos por cliente", [("Alfa", "200.00")]),
        ("base por cliente, sin los anulados", [("Alfa", "200.00"), ("Gamma", "5.00")]),
        ("base por cliente, solo pendientes y servidas", [("Alfa", "200.00"), ("Gamma", "5.00")]),
        ("base por cliente, top 1 y el resto", [("Alfa", "200.00"), ("Otros", "55.00")]),
    ],
)
def test_short_heads_and_inflected_values_are_found(asked: str, expected: list[tuple[str, ...]]) -> None:
    assert figures(drawn(ORDERS, asked)) == expected


def test_a_kind_of_chart_in_the_name_of_a_column_is_not_asked_for() -> None:
    reading = reading_of("base por línea de negocio", table(ORDERS))
    assert "kind" not in reading.changes
    assert reading.kinds_in_names == ("line",)
    assert reading_of("como línea", table(ORDERS)).changes["kind"] == "line"


def test_an_abbreviation_of_two_columns_stands_for_neither() -> None:
    both = table("Prov.;Prov. ant.;Importe\nLugo;Soria;1\nSoria;Lugo;2\n")
    assert reading_of("importe por proveedor", both).changes.get("x") == "prov"
    twice = table("Prov.;Prov..;Importe\nLugo;Soria;1\nSoria;Lugo;2\n")
    assert reading_of("importe por provincia", twice).unread == ("provincia",)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("claims in euros by traveller", [("Jo", "100.50"), ("Ana", "20.25")]),
        ("claims in € by traveller", [("Jo", "100.50"), ("Ana", "20.25")]),
        ("claims in USD by traveller", [("Ana", "60.00")]),
        ("nights by traveller", [("Ana", "4"), ("Jo", "3")]),
        ("nights of reimbursed claims by traveller", [("Jo", "2"), ("Ana", "1")]),
        ("nights by traveller, only those not reimbursed", [("Ana", "3"), ("Jo", "1")]),
        ("nights by reimbursed", [("False", "4"), ("True", "3")]),
        ("nights by traveller, all but Sales", [("Ana", "4"), ("Jo", "2")]),
    ],
)
def test_currencies_and_flags_keep_to_their_rows(asked: str, expected: list[tuple[str, ...]]) -> None:
    assert figures(drawn(CLAIMS, asked)) == expected


@pytest.mark.parametrize(("text", "asked"), [(CLAIMS, "claims in yen by traveller"), (STOCK, "stock value in euros")])
def test_a_currency_that_the_table_does_not_have_is_not_understood(text: str, asked: str) -> None:
    reading = reading_of(asked, table(text))
    assert reading.unread
    assert reading.asks_unread


def test_what_is_said_of_each_is_not_added_up() -> None:
    columns = {column.name: column for column in table(STOCK).columns}
    assert [name for name, column in columns.items() if column.is_numeric and not column.is_additive] == [
        "unit_cost_usd"
    ]
    assert columns["stock_value_usd"].currency == "USD"
    assert drawn(STOCK, "stock value by warehouse").x == columns["whse"]


@pytest.mark.parametrize(
    "written", ["ene-25", "Enero 2025", "ene. 2025", "enero de 2025", "01/2025", "2025/1", "Jan-25"]
)
def test_months_of_a_year_are_periods_however_they_are_written(written: str) -> None:
    (column, _), rows = (
        table(f"Mes;Importe\n{written};1\ndic-24;2\n").columns,
        table(f"Mes;Importe\n{written};1\n").rows,
    )
    assert (column.type, rows[0][0]) == ("text", "2025-01")


@pytest.mark.parametrize("cells", [("ene-25", "mesa"), ("Mar 15", "Mar 16"), ("may", "june")])
def test_other_texts_stay_as_they_are(cells: tuple[str, str]) -> None:
    assert [row[0] for row in table("Mes;Importe\n{};1\n{};2\n".format(*cells)).rows] == list(cells)


def test_months_go_along_time_and_make_years() -> None:
    by_month = drawn(POWER, "coste por mes")
    assert by_month.kind == "line"
    assert [row[0] for row in figures(by_month)][:2] == ["ene 2025", "feb 2025"]
    assert figures(drawn(POWER, "coste por mes", "por año")) == [("2025", "101.50"), ("2026", "29.00")]
    assert figures(drawn(POWER, "coste por sede", "solo 2026")) == [("Sol", "27.00"), ("Mar", "2.00")]


def test_months_that_are_only_names_stand_in_the_order_of_the_year_and_make_no_years() -> None:
    text = "Mes;Importe\nmarzo;50\nenero;7\nfebrero;90\n"
    assert [row[0] for row in figures(drawn(text, "importe por mes"))] == ["enero", "febrero", "marzo"]
    with pytest.raises(ChartRefusedError):
        plan_chart(table(text), ChartRequest(dataset="travel_claims", x="mes", time_unit="year"))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            ("base por trimestre", "compara con el año pasado"),
            [("T1", "2025", "150.00"), ("T1", "2026", "35.00")],
        ),
        (
            ("base por mes comparada con el año anterior",),
            [("feb", "2025", "100.00"), ("feb", "2026", "30.00"), ("mar", "2025", "50.00"), ("mar", "2026", "5.00")],
        ),
        (
            ("base por cliente", "comparado con el año anterior"),
            [
                ("Alfa", "2025", "100.00"),
                ("Alfa", "2026", "30.00"),
                ("Beta", "2025", "50.00"),
                ("Gamma", "2026", "5.00"),
            ],
        ),
        (
            ("base por cliente, solo febrero", "compara con el año pasado"),
            [("Alfa", "2025", "100.00"), ("Alfa", "2026", "30.00")],
        ),
        (("base por cliente vs last year", "sin comparar", "solo Gamma"), [("Gamma", "5.00")]),
    ],
)
def test_the_year_before_ends_on_the_day_on_which_the_table_ends(
    asked: tuple[str, ...], expected: list[tuple[str, ...]]
) -> None:
    """November 2025 has no November 2026 beside it."""
    assert figures(drawn(ORDERS, *asked)) == expected


def test_periods_of_two_years_are_called_by_their_unit() -> None:
    plan = drawn(ORDERS, "base por trimestre comparada con el año anterior")
    assert (plan.title, plan.figures.columns[0].title) == ("Base imp. (€) por trimestre y año", "Trimestre")


def test_months_as_text_are_compared_by_their_names() -> None:
    plan = drawn(POWER, "coste por mes", "compara con el año pasado")
    expected = [("ene", "2025", "11.50"), ("ene", "2026", "22.00"), ("feb", "2026", "7.00"), ("feb", "2025", "")]
    assert figures(plan) == expected
    assert plan.title == "Coste (EUR) por mes y año"
    assert plan.notes[0] == "2025 se muestra en los mismos días (del 01/01 al 28/02)."


@pytest.mark.parametrize(
    ("text", "request_parts"),
    [
        (STOCK, {"x": "whse"}),
        (CLAIMS, {"x": "traveller", "y": ("nights",)}),
        (ORDERS, {"x": "cliente", "series": "estado"}),
        (ORDERS, {"kind": "histogram"}),
    ],
)
def test_without_a_year_before_or_room_for_it_nothing_is_drawn(text: str, request_parts: dict[str, Any]) -> None:
    with pytest.raises(ChartRefusedError):
        plan_chart(table(text), ChartRequest(dataset="travel_claims", compared="year", **request_parts))


def test_the_largest_customers_are_no_largest_months() -> None:
    plan = drawn(ORDERS, "base por cliente, top 1", "por mes")
    assert plan.request.top is None
    assert len(figures(plan)) > 1


def test_a_share_has_no_currency() -> None:
    assert drawn(ORDERS, "base por cliente en porcentaje").title == "Base imp. (%) por cliente"


BOOKINGS = (
    "Entrada;Tipo hab.;Canal venta;Noches;Imp. total €\n01/02/2026;Doble;Web;2;100,00\n03/02/2026;Suite;Web;1;80,00\n"
    "09/03/2026;Doble;Agencia;3;40,00\n"
)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("importe total por canal de venta", [("Web", "180.00"), ("Agencia", "40.00")]),
        ("importe por tipo de habitación", [("Doble", "140.00"), ("Suite", "80.00")]),
        ("noches por canal from lowest to highest", [("Agencia", "3"), ("Web", "3")]),
        ("headcount by canal", [("Web", "2"), ("Agencia", "1")]),
        ("noches cada mes", [("2026-02-01", "3", "feb 2026"), ("2026-03-01", "3", "mar 2026")]),
    ],
)
def test_a_channel_of_sales_is_no_amount(asked: str, expected: list[tuple[str, ...]]) -> None:
    assert sorted(figures(drawn(BOOKINGS, asked))) == sorted(expected)


def test_rows_are_counted_also_where_they_are_split() -> None:
    tickets = table("ticket;opened;priority;minutes\nA;2026-01-05;high;5\nB;2026-01-06;low;9\n", "tickets.csv")
    assert reading_of("tickets per week split by priority", tickets).changes["aggregate"] == "count"


def test_two_years_are_no_whole() -> None:
    plan = drawn(ORDERS, "base por cliente comparada con el año pasado en porcentaje")
    assert plan.y[0].unit != "%"
    assert "Estas cifras no son partes de un todo: se muestran tal cual, no en porcentaje." in plan.notes
