"""Words of a business question that change one another (A-5, A-41): figures, and what must be asked for."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.understanding import erp_understanding
from batuta.language.choices import index_of, words_with_places
from batuta.language.common_words import COMMON_WORDS
from batuta.language.folding import nearest, stem
from batuta.language.interpretation import Interpreter
from batuta.language.vocabulary import filler_stems
from tests.support.erp_questions import NOW, read

TO_TODAY = {"first": "1900-01-01", "last": "2026-09-30"}


TO_AUGUST = {"first": "1900-01-01", "last": "2026-08-31"}


ALL_TIME = {"first": "1900-01-01", "last": "2026-09-30", "grain": "range"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what do we owe that is already overdue?", {"measure": "overdue_payables"}),
        ("the best and the worst month", {"split_by": ["month"], "ranking": ["most", "least"]}),
        ("top 3 and bottom 3 customers", {"split_by": ["customer"], "ranking": ["most", "least"], "top": 3}),
        ("¿qué clientes superan su límite de crédito?", {"measure": "credit_excess"}),
        ("operating expenses by account", {"measure": "operating_expenses", "split_by": ["account"]}),
        ("which supplier invoices haven't we paid yet?", {"measure": "payables"}),
        ("balance of account 8110", {"measure": "account_balance", "only": ["account: Rent"], "period": TO_TODAY}),
        ("movimientos de la cuenta 8110", {"measure": "account_movement", "only": ["account: Rent"], "period": None}),
        ("saldo de la cuenta 8110 este mes", {"measure": "account_movement", "only": ["account: Rent"]}),
        ("saldo de la cuenta 8110 a cierre de agosto", {"measure": "account_balance", "period": TO_AUGUST}),
        ("cash balance at the end of August", {"measure": "cash_on_a_day", "period": TO_AUGUST}),
        ("trial balance", {"measure": "account_balance", "split_by": ["account"], "period": TO_TODAY}),
        (
            "invoices over 10.000 euros this year",
            {
                "measure": "invoiced",
                "split_by": ["document"],
                "bound": {"side": "above", "amount": "10000", "is_inclusive": False, "is_days": False},
            },
        ),
        ("how many invoices did we post last month?", {"measure": "invoice_count"}),
        ("¿qué proveedor nos vende más?", {"measure": "purchases", "split_by": ["vendor"]}),
        ("¿a cuánto asciende la deuda vencida?", {"measure": "overdue_receivables"}),
        ("stock valorado por categoría", {"measure": "stock_value", "split_by": ["category"]}),
        ("ventas de hotles mar", {"measure": "sales", "only": ["Hoteles Mar, S.A."]}),
        ("pedidos abiertos ▸ ¿cuánto suman?", {"measure": "orders_to_ship"}),
        ("¿quién vendió más en julio?", {"measure": "sales", "split_by": ["salesperson"]}),
        ("who sold the most last quarter?", {"measure": "sales", "split_by": ["salesperson"]}),
        ("¿a quién vendimos más en julio?", {"measure": "sales", "split_by": ["customer"]}),
        ("who sells us the most?", {"measure": "purchases", "split_by": ["vendor"]}),
        ("¿cuál es el ticket medio de venta?", {"measure": "average_invoice"}),
        ("best month ever?", {"measure": "sales", "period": ALL_TIME}),
        ("el mejor mes de la historia", {"measure": "sales", "period": ALL_TIME}),
        ("customers that never bought anything", {"ranking": "absent", "period": ALL_TIME}),
        ("overdue invoices older than 60 days", {"measure": "overdue_receivables", "split_by": ["document"]}),
        ("how many invoices did we send last month?", {"measure": "invoice_count"}),
        ("which product makes us the most money?", {"measure": "gross_margin", "split_by": ["item"]}),
        (
            "what share of sales comes from our biggest customer?",
            {"measure": "sales", "split_by": ["customer"], "compare": {"kind": "whole"}, "top": 1},
        ),
        ("sales by customer ▸ what is the total?", {"measure": "sales", "split_by": None}),
        ("existencias por categoría en euros", {"measure": "stock_value", "split_by": ["category"]}),
        ("gross margin percentage last year", {"measure": "margin_percent"}),
        ("which customer bought the most?", {"measure": "sales", "split_by": ["customer"]}),
        ("which country buys the most?", {"measure": "sales", "split_by": ["country"]}),
        ("¿qué país nos compra más?", {"measure": "sales", "split_by": ["country"]}),
        ("¿cuánto nos ha comprado Casa Lola este año?", {"measure": "sales", "only": ["Casa Lola, S.L."]}),
        ("¿cuánto les debemos a los proveedores?", {"measure": "payables"}),
        ("purchases by country", {"measure": "purchases", "split_by": ["country"]}),
        ("how much do we owe vendors today?", {"measure": "payables"}),
        ("saldo pendiente de clientes a día de hoy", {"measure": "receivables"}),
        ("gross margin by item category this year", {"measure": "gross_margin", "split_by": ["category"]}),
        ("ventas por país este año, de mayor a menor", {"measure": "sales", "ranking": "most"}),
        ("¿a quién compramos más?", {"measure": "purchases", "split_by": ["vendor"]}),
        ("who is our biggest supplier?", {"measure": "purchases", "split_by": ["vendor"]}),
        ("¿cuál fue nuestro mejor mes de 2025?", {"measure": "sales", "split_by": ["month"]}),
        ("¿qué facturas vencen este mes?", {"measure": "receivables_due", "split_by": ["document"]}),
        ("¿qué tenemos que pagar esta semana?", {"measure": "payables_due"}),
        ("facturas con más de 60 días de retraso", {"measure": "overdue_receivables", "split_by": ["document"]}),
        ("largest invoices this year", {"measure": "invoiced", "split_by": ["document"]}),
        (
            "what share of sales comes from Portugal?",
            {"measure": "sales", "only": ["PT"], "compare": {"kind": "whole"}},
        ),
        ("crecimiento de ventas este año", {"measure": "sales", "compare": {"kind": "previous_year"}}),
        ("margen de la categoría mesas", {"measure": "gross_margin", "only": ["MESAS"], "split_by": ["category"]}),
        ("¿cuánto nos debe el cliente 10000?", {"measure": "receivables", "only": ["Casa Lola, S.L."]}),
        ("compras al proveedor 10000", {"measure": "purchases", "only": ["Maderas Sur, S.A."]}),
        ("¿cuántos productos vendemos?", {"measure": "item_count"}),
        ("¿cuántas Mesa Roble 90 vendimos el año pasado?", {"measure": "units_sold", "only": ["Mesa Roble 90"]}),
        ("¿qué vendimos a hoteles en agosto?", {"measure": "sales", "only": ["Hoteles"], "split_by": None}),
        ("las 3 mesas que más se venden", {"split_by": ["item"], "only": ["MESAS"], "top": 3}),
        ("what do we sell the most?", {"measure": "sales", "ranking": "most", "split_by": ["item"]}),
        ("¿qué es lo que menos se vende?", {"measure": "sales", "ranking": "least", "split_by": ["item"]}),
        ("gráfico de barras con las ventas por categoría", {"measure": "sales", "only": None}),
        ("margen de este año comparado con el pasado", {"compare": {"kind": "previous_period"}}),
        ("el IVA que hemos repercutido este trimestre", {"measure": "sales_vat"}),
        ("¿cuánto IVA tenemos que pagar este trimestre?", {"measure": "vat_payable"}),
        ("how much VAT did we pay last year?", {"measure": "purchase_vat"}),
        ("revenue without tax in oct", {"measure": "sales", "only": None}),
        ("ventas por país sin contar Portugal", {"measure": "sales", "only": ["not: PT"]}),
        ("ventas exepto Portugal", {"measure": "sales", "only": ["not: PT"]}),
        ("sales outside Portugal", {"measure": "sales", "only": ["not: PT"]}),
        (
            "ventas a hoteles menos Hoteles Sol",
            {"only": ["Hoteles", "not: Hoteles Sol, S.A."], "ranking": None},
        ),
        (
            "sales by customer except Casa Lola and Hoteles Mar",
            {"only": ["not: Casa Lola, S.L.", "not: Hoteles Mar, S.A."], "split_by": ["customer"]},
        ),
        ("customers with their balance", {"measure": "receivables", "split_by": ["customer"]}),
        ("¿cuántas facturas hay sin cobrar?", {"measure": "open_invoice_count"}),
        ("¿qué facturas vencieron la semana pasada?", {"measure": "receivables_due", "split_by": ["document"]}),
        ("días de stock", {"measure": "days_of_stock"}),
        ("inventory turnover", {"measure": "stock_turnover"}),
        ("índice de rotación por producto", {"measure": "stock_turnover", "split_by": ["item"]}),
        ("delayed purchase orders", {"measure": "late_receipts"}),
        ("which purchase orders are late?", {"measure": "late_receipts"}),
        ("recepciones con retraso por proveedor", {"measure": "late_receipts", "split_by": ["vendor"]}),
        ("products without movements since May", {"measure": "item_movements", "ranking": "absent"}),
        ("¿qué artículos no se han movido este año?", {"measure": "item_movements", "ranking": "absent"}),
        ("compras a proveedores franceses por trimestre", {"measure": "purchases", "split_by": ["quarter"]}),
        ("si quitamos a Casa Lola, ¿cuánto nos deben?", {"measure": "receivables", "only": ["not: Casa Lola, S.L."]}),
        ("margin by product, lowest first", {"measure": "gross_margin", "ranking": "least"}),
        ("expenses except rent this year", {"measure": "expenses", "only": ["not: account: Rent"]}),
        (
            "gastos sin contar sueldos ni alquiler",
            {"measure": "expenses", "only": ["not: account: Salaries", "not: account: Rent"]},
        ),
        ("clientes con su saldo", {"measure": "receivables", "split_by": ["customer"]}),
        (
            "clientes con saldo superior a 10000",
            {"measure": "receivables", "only": None, "split_by": ["customer"], "period": None},
        ),
        ("numero de facturas vencidas", {"measure": "overdue_invoice_count", "split_by": None}),
        ("how many overdue invoices are there?", {"measure": "overdue_invoice_count", "split_by": None}),
        ("how many invoices are unpaid?", {"measure": "open_invoice_count", "split_by": None}),
        ("¿cuántas facturas hemos emitido este año?", {"measure": "invoice_count"}),
        (
            "comparame ventas de este trimestre con el mismo del año pasado",
            {"measure": "sales", "compare": {"kind": "previous_year"}},
        ),
        ("vendor balances", {"measure": "payables", "split_by": ["vendor"]}),
        ("saldo en bancos", {"measure": "cash"}),
        ("who is our second best customer?", {"measure": "sales", "top": {"place": 2}, "split_by": ["customer"]}),
        ("¿cuál es el segundo proveedor al que más debemos?", {"measure": "payables", "top": {"place": 2}}),
        ("ventas del segundo trimestre", {"measure": "sales", "top": None}),
        ("¿qué productos tienen menos de 3 unidades?", {"measure": "stock_quantity", "ranking": None}),
        ("items that are low on stock", {"measure": "stock_quantity", "ranking": "least", "split_by": ["item"]}),
        ("importe pendiente de enviar por cliente", {"measure": "amount_to_ship", "split_by": ["customer"]}),
        (
            "clientes que han comprado menos de 2000 este año",
            {"measure": "sales", "period": {"first": "2026-01-01", "last": "2026-12-31", "grain": "year"}},
        ),
        ("cuanto tenemos q pagar a maderas sur", {"measure": "payables", "only": ["Maderas Sur, S.A."]}),
        ("¿qué clientes llevan más de 90 días sin pagar?", {"measure": "overdue_receivables"}),
        ("facturas de compra que vencen en octubre de 2026", {"measure": "payables_due", "split_by": ["document"]}),
        ("facturas de compra pendientes de pago", {"measure": "payables"}),
        ("show purchase invoices overdue", {"measure": "overdue_payables"}),
        ("unpaid purchase invoices", {"measure": "payables"}),
        ("overdue invoices from Maderas Sur", {"measure": "overdue_payables", "only": ["Maderas Sur, S.A."]}),
        ("facturas pendientes de Maderas Sur", {"measure": "payables", "only": ["Maderas Sur, S.A."]}),
        ("invoices from Maderas Sur due next month", {"measure": "payables_due", "split_by": ["document"]}),
        ("overdue invoices of Casa Lola", {"measure": "overdue_receivables", "only": ["Casa Lola, S.L."]}),
        ("facturas de compra de 2026", {"measure": "purchases"}),
        ("ventas de Casa Lola en 2026, sin IVA", {"measure": "sales", "only": ["Casa Lola, S.L."]}),
        ("sales of Casa Lola in 2026 excluding VAT", {"measure": "sales", "only": ["Casa Lola, S.L."]}),
        ("sales of Casa Lola in 2026, incl. VAT", {"measure": "sales_with_vat", "only": ["Casa Lola, S.L."]}),
        ("compras de 2026, IVA incluido", {"measure": "purchases_with_vat"}),
        ("margen bruto de 2026, IVA incluido", {"measure": "gross_margin"}),
        ("¿qué productos se venden con pérdida?", {"measure": "losses"}),
        ("which products sell at a loss?", {"measure": "losses"}),
        ("ventas por mes de los últimos 12 meses", {"measure": "sales", "split_by": ["month"]}),
        ("aged receivables of Casa Lola", {"measure": "receivables", "split_by": ["age"]}),
        ("ventas y compras del mes pasado", {"measure": ["sales", "purchases"]}),
        ("gastos de alquiler en 2026", {"measure": "expenses", "only": ["account: Rent"]}),
        ("how much did we spend on wages in 2026?", {"measure": "expenses", "only": ["account: Salaries"]}),
        ("customers over their credit limit", {"measure": "credit_excess"}),
        ("¿qué clientes no han comprado nada desde junio?", {"measure": "sales", "ranking": "absent"}),
        (
            "vendors we haven't bought from this year",
            {"measure": "purchases", "ranking": "absent", "split_by": ["vendor"]},
        ),
        ("productos sin ventas este año", {"measure": "sales", "ranking": "absent", "split_by": ["item"]}),
        ("inactive customers this year", {"measure": "sales", "ranking": "absent", "split_by": ["customer"]}),
        ("clientes que no nos han pagado", {"measure": "receivables", "ranking": None}),
        ("pedidos de compra que aún no hemos recibido", {"measure": "open_purchase_orders", "ranking": None}),
        ("orders we haven't shipped yet", {"measure": "orders_to_ship", "ranking": None}),
        ("¿qué proveedor nos ha facturado más este año?", {"measure": "purchases", "split_by": ["vendor"]}),
        ("how much is the rent per month", {"measure": "expenses", "only": ["account: Rent"], "split_by": ["month"]}),
        ("el IVA repercutido de agosto ▸ ¿y el soportado?", {"measure": "purchase_vat"}),
        (
            "which customers bought less than last year?",
            {"measure": "sales", "compare": {"kind": "previous_year", "change": "less"}, "ranking": None},
        ),
        (
            "¿qué clientes compran más que el año pasado?",
            {"measure": "sales", "compare": {"kind": "previous_year", "change": "more"}, "ranking": None},
        ),
        ("are we selling less than last year?", {"measure": "sales", "compare": {"kind": "previous_year"}}),
        ("monthly salaries 2026", {"measure": "expenses", "only": ["account: Salaries"], "split_by": ["month"]}),
        ("¿cuánto pagamos a proveedores en agosto?", {"measure": "payments_made", "split_by": None}),
        ("net profit margin this year", {"measure": "net_margin"}),
        ("facturas de clientes que vencen este mes", {"measure": "receivables_due", "split_by": ["document"]}),
        ("who bought the most from us in Q1?", {"measure": "sales"}),
        ("top 4 de clientes por facturación", {"measure": "sales", "split_by": ["customer"], "top": 4}),
        ("how much do customers owe us?", {"measure": "receivables", "split_by": None}),
        ("how much did customers buy this year?", {"measure": "sales", "split_by": None}),
        ("how much does each customer owe us?", {"measure": "receivables", "split_by": ["customer"]}),
        ("beneficio bruto por familia de productos", {"measure": "gross_margin", "split_by": ["category"]}),
        ("profit by item this year", {"measure": "gross_margin", "split_by": ["item"]}),
        ("facturas pendientes de pago de Casa Lola", {"measure": "receivables", "only": ["Casa Lola, S.L."]}),
        ("ventas de Casa Lola frente a Hoteles Mar", {"measure": "sales", "split_by": ["customer"], "compare": None}),
        ("ventas de Casa Lola este año ▸ ¿y cuánto nos deben?", {"measure": "receivables", "period": None}),
        ("what will customers pay us in October?", {"measure": "receivables_due"}),
        ("who owes us money? ▸ and last year?", {"measure": "receivables", "split_by": ["customer"]}),
        ("what do I owe?", {"measure": "payables"}),
        ("¿a quién debo dinero?", {"measure": "payables", "split_by": ["vendor"]}),
        ("¿cuánto IVA tengo que pagar este trimestre?", {"measure": "vat_payable"}),
        ("¿cuánto compré en mayo?", {"measure": "purchases"}),
        ("quien nos debe mas", {"measure": "receivables", "split_by": ["customer"]}),
        ("pagos a proveedores que vencen este mes", {"measure": "payables_due"}),
        ("¿qué vence a cobrar en los próximos 15 días?", {"measure": "receivables_due"}),
        ("pedidos de compra pendientes de recibir", {"measure": "open_purchase_orders"}),
        ("overdue by customer ▸ which is the worst country?", {"measure": "overdue_receivables", "ranking": "most"}),
        ("el peor mes en gastos", {"measure": "expenses", "ranking": "most"}),
        ("stock by category ▸ who is the best customer?", {"measure": "sales", "split_by": ["customer"]}),
        ("¿quién ha comprado Mesa Roble 90?", {"measure": "sales", "split_by": ["customer"]}),
        ("what are our total debts?", {"measure": "payables"}),
        ("which customer has the most overdue invoices?", {"measure": "overdue_invoice_count", "ranking": "most"}),
        ("which customer has the most invoices this year?", {"measure": "invoice_count", "ranking": "most"}),
        ("¿cuánto nos costó lo que vendimos en junio?", {"measure": "cost_of_sales"}),
        ("sales by customer this year ▸ and their margin?", {"measure": "gross_margin", "split_by": ["customer"]}),
        ("ofertas pendientes y su importe total", {"measure": "open_quotes"}),
        ("margin by item ▸ which is the best item?", {"measure": "gross_margin", "split_by": ["item"]}),
        ("¿quién nos debe dinero? ▸ ¿y el año pasado?", {"measure": "receivables", "split_by": ["customer"]}),
        ("¿cuánto debíamos a los proveedores en junio?", {"measure": "payables"}),
        ("¿cuánto debemos? ▸ ¿y la semana que viene?", {"measure": "payables_due"}),
        ("¿ganamos o perdimos dinero en agosto?", {"measure": "net_income"}),
        ("purchase invoices not paid yet", {"measure": "payables"}),
        ("top 5 customers this year ▸ only 3", {"measure": "sales", "top": 3}),
        (
            "average sales per month this year",
            {"measure": "sales", "split_by": ["month"], "compare": {"kind": "average"}},
        ),
        ("¿cuál es la media mensual de ventas de 2026?", {"measure": "sales", "compare": {"kind": "average"}}),
        ("ventas medias por mes este año", {"measure": "sales", "compare": {"kind": "average"}}),
        ("average invoice per month", {"measure": "average_invoice", "compare": None}),
        ("how long do customers take to pay us on average?", {"measure": "days_sales_outstanding"}),
        ("what percentage of receivables is overdue?", {"measure": "overdue_percent", "compare": None}),
        ("¿qué parte de lo que nos deben está vencida?", {"measure": "overdue_percent", "compare": None}),
        (
            "¿qué porcentaje de las ventas representa cada cliente?",
            {"measure": "sales", "split_by": ["customer"], "compare": {"kind": "whole"}},
        ),
        ("how many Mesa Roble did Casa Lola buy in 2025?", {"measure": "units_sold"}),
        ("how many units did we buy from Maderas Sur?", {"measure": "units_purchased"}),
        ("what did Casa Lola buy this year?", {"measure": "sales", "split_by": ["item"]}),
        ("¿qué hemos comprado a Maderas Sur?", {"measure": "purchases", "split_by": ["item"]}),
        ("what did we sell in February?", {"measure": "sales", "split_by": None}),
    ],
)
def test_a_question_about_a_figure_is_settled(erp: Interpreter, text: str, expected: dict[str, Any]) -> None:
    found = read(erp, text)

    assert (found.intent.id, found.unknown) == ("measure", ())
    assert {name: found.values.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        "sales of bicycles this year",
        "ventas en dólares",
        "ventas por mes de enero y de marzo comparadas con 2025",
        "clientes que no han comprado más que el año pasado",
        "customers who owe us but are not overdue",
        "sales without chairs",
        "margen de alquiler",
        "¿cuál es el producto más caro?",
        "¿cuál es nuestro saldo?",
        "facturas pagadas en septiembre",
        "proveedores con su teléfono",
        "ventas excepto",
        "ventas en la segunda",
        "valor del inventario por almacén",
        "stock value by warehouse",
        "open sales orders for our biggest customer",
        "how many units of the best-selling item do we have on hand?",
        "¿cuánto stock nos queda del artículo más vendido?",
        "how many sales did we make this year?",
        "the top 3 sales",
        "¿cuándo vencen las facturas?",
        "enséñame sus facturas vencidas",
        "show me its overdue invoices",
        "sus ventas por mes",
        "¿cuánto nos ha comprado este año?",
        "¿cuánto cobra Ana al mes?",
        "top 5 customers by sales ▸ what is the total?",
        "revenue growth month over month in 2026",
        "margin of our biggest customer",
        "refund invoice 103177",
        "average stock value per month",
        "average sales by customer",
        "the average of our five best customers",
        "¿cuánto nos debe?",
        "lo menos vendido este año",
        "top 5 and bottom 3 customers",
        "balance of account 8111",
        "stock of account 8110",
    ],
)
def test_what_cannot_be_settled_is_never_a_figure_of_something_else(erp: Interpreter, text: str) -> None:
    found = read(erp, text)

    assert found.intent.id != "measure" or found.unknown or found.missing


@pytest.mark.parametrize(
    ("last", "measure"),
    [
        ("Pendiente de pago (a 30 sep 2026): **39.969,39 €**.", "payables_due"),
        ("Pendiente de cobro (a 30 sep 2026): **170.471,80 €**.", "receivables_due"),
    ],
)
def test_what_falls_due_is_of_those_who_were_spoken_of_last(erp: Interpreter, last: str, measure: str) -> None:
    assert read(erp, "¿cuánto vence este mes?", last).values["measure"] == measure


def days(first: str, last: str, grain: str) -> dict[str, str]:
    return {"first": first, "last": last, "grain": grain}


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("facturas que vencen en octubre", days("2026-10-01", "2026-10-31", "month")),
        ("invoices due in January", days("2027-01-01", "2027-01-31", "month")),
        ("what bills are due in August?", days("2026-08-01", "2026-08-31", "month")),
        ("facturas que vencen el viernes", days("2026-10-02", "2026-10-02", "day")),
        ("ventas de octubre", days("2025-10-01", "2025-10-31", "month")),
        ("ventas de enero y febrero", days("2026-01-01", "2026-02-28", "range")),
        (
            "¿cuánto vendimos en enero y en febrero?",
            [days("2026-01-01", "2026-01-31", "month"), days("2026-02-01", "2026-02-28", "month")],
        ),
        (
            "sales in March and in May",
            [days("2026-03-01", "2026-03-31", "month"), days("2026-05-01", "2026-05-31", "month")],
        ),
        (
            "sales in 2026 and in 2025",
            [days("2026-01-01", "2026-12-31", "year"), days("2025-01-01", "2025-12-31", "year")],
        ),
        ("sales in August ▸ and the year before?", days("2025-08-01", "2025-08-31", "month")),
        ("sales in August ▸ and the year before? ▸ by customer", days("2025-08-01", "2025-08-31", "month")),
        ("ventas en agosto ▸ ¿y el año pasado?", days("2025-08-01", "2025-08-31", "month")),
        ("ventas en agosto ▸ ¿y en julio del año pasado?", days("2025-07-01", "2025-07-31", "month")),
        ("ventas de este año ▸ ¿y el año pasado?", days("2025-01-01", "2025-12-31", "year")),
        (
            "ventas del trimestre pasado ▸ y del mismo trimestre del año anterior",
            days("2025-04-01", "2025-06-30", "quarter"),
        ),
        ("sales in August ▸ and the month before? ▸ and the month before?", days("2026-06-01", "2026-06-30", "month")),
    ],
)
def test_what_was_posted_is_past_and_what_falls_due_is_near(erp: Interpreter, text: str, period: Any) -> None:
    found = read(erp, text)

    assert (found.intent.id, found.unknown) == ("measure", ())
    assert found.values["period"] == period


@pytest.mark.parametrize("text", ["IVA incluido", "incl. VAT", "sin IVA"])
def test_with_or_without_vat_alone_is_no_question(erp: Interpreter, text: str) -> None:
    assert not any(each.intent.id == "measure" and not each.missing for each in erp.interpret(text, now=NOW))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("qué facturas de proveedor vencen esta semana ▸ y la que viene?", ("2026-10-05", "2026-10-11")),
        ("facturas que vencen en diciembre ▸ y el siguiente?", ("2027-01-01", "2027-01-31")),
        ("which bills are due this month ▸ and the next one?", ("2026-10-01", "2026-10-31")),
        ("ventas de julio ▸ y el siguiente?", ("2026-08-01", "2026-08-31")),
    ],
)
def test_the_one_that_comes_next_is_of_the_unit_that_was_asked_about(
    erp: Interpreter, text: str, days: tuple[str, str]
) -> None:
    """Nothing repeats the figure of the period that was asked about before."""
    period = read(erp, text).values["period"]
    assert (period["first"], period["last"]) == days


@pytest.mark.parametrize("text", ["how much do we sell of the Mesa Roble 90?", "cuánto vendemos de la Mesa Roble 90"])
def test_how_much_of_an_item_is_sold_stays_its_sales(erp: Interpreter, text: str) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.values["measure"]) == ("measure", "sales")


@pytest.mark.parametrize(
    "text", ["sales last 12 months by month as a line", "ventas de los últimos 12 meses por mes en líneas"]
)
def test_a_split_by_month_is_kept_after_a_period_of_months(erp: Interpreter, text: str) -> None:
    found = read(erp, text)
    assert (found.values["measure"], found.values["split_by"]) == ("sales", ["month"])


def test_a_common_word_alone_stands_for_no_name() -> None:
    """Asking in which countries we sell says nothing of the Netherlands."""
    names = index_of({"NL": ("Países Bajos",), "Casa Lola, S.L.": ("Casa Lola, S.L.",)}, is_names=True)
    assert names.find("¿en qué países vendemos?", takes_parts=True) == []
    assert [each.value for each in names.find("ventas a lola", takes_parts=True)] == ["Casa Lola, S.L."]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("sales by month over the last 12 months", "2025-12-01"),
        ("ventas por mes de los últimos 12 meses", "2025-12-01"),
        ("ventas de los últimos 3 meses ▸ ¿y por mes?", "2026-09-01"),
        ("sales of the last 12 months", "2025-11-17"),
        ("sales by month from 17 November 2025 to 16 November 2026", "2025-11-17"),
    ],
)
def test_the_last_months_by_month_are_whole_ones(access: ErpAccess, text: str, first: str) -> None:
    """A row that is called November holds all of it, and there are as many rows as months were asked for (A-5)."""
    now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    erp = Interpreter([erp_understanding(replace(access, today=now.date))])
    assert erp.interpret(text, now=now)[0].values["period"]["first"] == first


@pytest.mark.parametrize(
    ("text", "measure", "only"),
    [
        ("how much has Casa Lola paid this year?", "payments_received", "Casa Lola, S.L."),
        ("¿cuánto nos ha pagado Casa Lola este año?", "payments_received", "Casa Lola, S.L."),
        ("how much did we pay Maderas Sur this year?", "payments_made", "Maderas Sur, S.A."),
        ("cuánto le hemos pagado a Maderas Sur este año", "payments_made", "Maderas Sur, S.A."),
    ],
)
def test_what_one_party_paid_or_was_paid_is_a_figure(erp: Interpreter, text: str, measure: str, only: str) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.unknown) == ("measure", ())
    assert (found.values["measure"], found.values["only"]) == (measure, [only])


@pytest.mark.parametrize("text", ["is it paid?", "¿está pagada?", "were they paid?"])
def test_whether_something_is_paid_asks_for_no_payments(erp: Interpreter, text: str) -> None:
    assert not any(each.is_sure and not each.unknown for each in erp.interpret(text, now=NOW))


@pytest.mark.parametrize("text", ["new customers this year", "¿cuántos clientes nuevos tenemos este año?"])
def test_new_customers_are_those_with_a_first_sale(erp: Interpreter, text: str) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.unknown) == ("measure", ())
    asked = {name: found.values.get(name) for name in ("measure", "split_by", "ranking")}
    assert asked == {"measure": "sales", "split_by": ["customer"], "ranking": "new"}


@pytest.mark.parametrize("text", ["what will we sell in May?", "¿cuánto venderemos en mayo?"])
def test_what_is_still_to_come_is_read_as_nothing_that_was(erp: Interpreter, text: str) -> None:
    """Sales of May that are to come are not those of last May (A-5)."""
    found = [each for each in erp.interpret(text, now=NOW) if each.intent.id == "measure"]
    assert all(each.unknown or each.missing for each in found)


def test_no_word_of_the_questions_is_mended_into_another(access: ErpAccess) -> None:
    """A memo is no "menos", and what was sold (vendida) is not overdue (vencida): each is a word of its own (A-41)."""
    slots = [slot for intent in erp_understanding(access).intents if intent.id == "measure" for slot in intent.slots]
    known = [
        {word for words in values.values() for each in words for word, _, _ in words_with_places(each)}
        for slot in slots
        if slot.type in ("choice", "flag") and not slot.takes_names
        for values in [slot.values() if callable(slot.values) else slot.values or {}]
    ]
    ordinary = {word for words in known for word in words}
    mended = {
        (word, other)
        for words in known
        for word in ordinary - words
        if word not in COMMON_WORDS and stem(word) not in filler_stems()
        for other in [nearest(word, words)]
        if other and stem(other) != stem(word)
    }
    assert mended == set()


SEPTEMBER = {"first": "2026-09-01", "last": "2026-09-30", "grain": "month"}


QUARTER = {"first": "2026-07-01", "last": "2026-09-30", "grain": "quarter"}


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("sales compared with last month", SEPTEMBER),
        ("¿cuánto ha bajado la facturación respecto al mes pasado?", SEPTEMBER),
        ("compras frente al trimestre anterior", QUARTER),
        ("sales of August compared with the month before", {**SEPTEMBER, "first": "2026-08-01", "last": "2026-08-31"}),
        ("sales by month compared with the previous period", None),
    ],
)
def test_what_is_compared_with_the_last_month_is_this_month(
    erp: Interpreter, text: str, period: dict[str, str] | None
) -> None:
    """And not the year so far, with as many days before it."""
    values = read(erp, text).values

    assert values["compare"]["kind"] == "previous_period"
    assert values.get("period") == period


@pytest.mark.parametrize(
    "text",
    [
        "did we buy more this year than last?",
        "sales this year versus last",
        "did we sell less this year than the last one?",
    ],
)
def test_this_year_and_the_last_are_compared(erp: Interpreter, text: str) -> None:
    found = read(erp, text)

    assert found.values["period"]["first"] == "2026-01-01"
    assert found.values["compare"] == {"kind": "previous_period"}
    assert not found.unknown


@pytest.mark.parametrize(
    ("text", "measure", "split"),
    [
        ("who are our slowest payers?", "days_sales_outstanding", ["customer"]),
        ("¿quién tarda más en pagar?", "days_sales_outstanding", ["customer"]),
        ("¿qué clientes tardan más en pagarnos?", "days_sales_outstanding", ["customer"]),
        ("¿qué clientes no nos pagan desde hace más de 30 días?", "overdue_receivables", ["customer"]),
    ],
)
def test_who_pays_late_is_asked_in_other_words(erp: Interpreter, text: str, measure: str, split: list[str]) -> None:
    found = read(erp, text)

    assert (found.values["measure"], found.values["split_by"]) == (measure, split)
    assert not found.unknown


@pytest.mark.parametrize("text", ["how much rent do we pay per month?", "¿cuánto pagamos de sueldos al mes?"])
def test_what_we_pay_for_something_is_an_expense(erp: Interpreter, text: str) -> None:
    assert read(erp, text).values["measure"] == "expenses"


def test_what_a_vendor_sells_us_is_bought(erp: Interpreter) -> None:
    values = read(erp, "did Maderas Sur sell us more this year than last?").values

    assert (values["measure"], values["only"]) == ("purchases", ["Maderas Sur, S.A."])


def test_what_has_no_stock_is_out_of_stock(erp: Interpreter) -> None:
    assert read(erp, "¿qué artículos no tienen existencias?").values["measure"] == "out_of_stock"


@pytest.mark.parametrize(
    ("text", "firsts"),
    [
        ("sales of the first and second quarter", ["2026-01-01"]),
        ("ventas del segundo y tercer trimestre de 2025", ["2025-04-01"]),
        ("gastos del primer y del tercer trimestre", ["2026-01-01", "2026-07-01"]),
        ("compras del primer y segundo semestre de 2025", ["2025-01-01"]),
    ],
)
def test_ranks_that_share_their_unit_are_periods_each(erp: Interpreter, text: str, firsts: list[str]) -> None:
    """Those that follow each other are one."""
    found = read(erp, text)
    period = found.values["period"]

    assert (found.intent.id, [each["first"] for each in (period if isinstance(period, list) else [period])]) == (
        "measure", firsts
    )  # fmt: skip
    assert not found.unknown
