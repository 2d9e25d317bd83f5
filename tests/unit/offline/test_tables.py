"""Tables and charts as the built-in model tells them: quoted from the tool, in the language of the request."""

import json

from batuta.offline.tables import chart_in_words, table_in_words
from tests.unit.offline.asking import told

TABLE = {
    "dataset": "receivables_by_customer",
    "title": "Receivables by customer",
    "columns": [
        {"name": "customer", "type": "text"},
        {"name": "amount", "type": "decimal", "label": "Amount", "currency": "EUR"},
    ],
    "row_count": 7,
    "totals": {"amount": "15210.50"},
    "first_rows": [{"customer": f"Customer {number}", "amount": "1200.50"} for number in range(7)],
}


async def test_a_table_is_told_by_its_first_rows_totals_and_name() -> None:
    answer = await told("who owes us most?", json.dumps(TABLE))
    assert answer.startswith("Receivables by customer (dataset `receivables_by_customer`)")
    assert "- Customer 0: 1,200.50 EUR" in answer
    assert "… and 2 more; the table shows all 7." in answer
    assert "Total: Amount 15,210.50 EUR" in answer


async def test_figures_are_written_as_in_the_language_of_the_request() -> None:
    assert "- Customer 0: 1.200,50 EUR" in await told("¿quién nos debe más?", json.dumps(TABLE))


async def test_an_empty_table_says_so() -> None:
    assert await told("who owes us?", json.dumps({**TABLE, "first_rows": [], "row_count": 0})) == (
        "Receivables by customer: there is nothing."
    )


async def test_a_chart_is_told_with_its_notes() -> None:
    chart = {"chart": "Ventas por país", "shows": "Barras de mayor a menor.", "notes": ["Se muestran 10 de 14."]}
    assert await told("hazme un gráfico", json.dumps(chart)) == (
        "Aquí está el gráfico: Ventas por país. Barras de mayor a menor. Se muestran 10 de 14."
    )


def test_a_table_that_says_what_it_counts_is_told_in_its_own_words() -> None:
    """A-5: an answer says what was counted, in the language of the question."""
    table = {
        "dataset": "sales",
        "columns": [{"name": "value", "type": "decimal"}],
        "first_rows": [{"value": "12.5"}],
        "summary": {
            "en": "Sales: **12.50 €**. Counted: posted invoices.",
            "es": "Ventas: **12,50 €**. Se cuenta: facturas.",
        },
    }

    assert table_in_words(table, "es") == "Ventas: **12,50 €**. Se cuenta: facturas. (dataset `sales`)"


def test_a_cell_is_no_mark_up() -> None:
    """Whoever wrote a table does not write in the answer."""
    cell = "# **Bold** [x](http://evil) <img src=x onerror=alert(1)>"
    columns = [{"name": "name", "type": "text"}, {"name": "amount", "type": "integer"}]
    table = {"dataset": "t", "title": "*T*", "columns": columns, "first_rows": [{"name": cell, "amount": 5}]}
    said = table_in_words(table, "en")
    assert r"- \# \*\*Bold\*\* \[x\](http://evil) \<img src=x onerror=alert(1)\>: 5" in said
    assert said.startswith(r"\*T\*")
    assert r"\<b\>" in chart_in_words({"chart": "<b>", "shows": "a"}, "en")
