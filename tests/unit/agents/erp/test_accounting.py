"""What a question says is in its figure, or is asked about (A-5): nothing that was said is left out in silence."""

import pytest

from batuta.language.interpretation import Interpreter
from tests.support.erp_questions import read


@pytest.mark.parametrize(
    "text",
    [
        "cumulative purchases by quarter",
        "compras acumuladas por mes",
        "the running total of sales by week",
        "el doble de las compras de mayo",
        "purchases on Mondays",
        "ventas de los viernes",
        "sales at weekends",
        "how many weeks did we sell anything?",
        "months without sales this year",
        "semanas en las que compramos menos que la semana anterior",
        "best salesperson of each country",
        "el peor cliente de cada vendedor",
        "customers with more than 3 orders",
        "proveedores con más de 4 facturas este año",
        "products with fewer than 20 units sold in money",
        "bank balance by quarter",
        "evolución del pendiente de pago",
        "payables by month",
        "cash purchases",
        "purchases of products that are out of stock",
        "units we credited in May",
        "¿en cuántas categorías compramos este año?",
        "what do the top 4 vendors add up to?",
        "products with a margin percentage of more than 500 euros",
        "how much VAT is to be paid?",
    ],
)
def test_what_a_figure_does_not_account_for_is_asked_about(erp: Interpreter, text: str) -> None:
    meant = read(erp, text)
    assert meant.intent.id != "measure" or meant.unknown or meant.missing, meant.values


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("accumulated purchases of the year so far", "purchases"),
        ("facturación acumulada hasta mayo", "sales"),
        ("best salesperson this quarter", "sales"),
        ("customers with sales of more than 5000 euros", "sales"),
        ("products with fewer than 20 units in stock", "stock_quantity"),
        ("suppliers with more than 500 euros of purchases", "purchases"),
        ("clientes con al menos 4 facturas este año", "invoice_count"),
        ("customers with more than 3 unpaid invoices", "open_invoice_count"),
        ("what is the total of the open quotes?", "open_quotes"),
        ("how much VAT do we have to pay for May?", "vat_payable"),
        ("average order size by customer", "average_open_order"),
        ("which customers are over their limit?", "credit_excess"),
        ("payments received by month", "payments_received"),
        ("how many days do customers take to pay us?", "days_sales_outstanding"),
    ],
)
def test_what_it_accounts_for_is_computed(erp: Interpreter, text: str, measure: str) -> None:
    meant = read(erp, text)
    assert meant.intent.id == "measure"
    assert meant.values["measure"] == measure
    assert not meant.unknown
