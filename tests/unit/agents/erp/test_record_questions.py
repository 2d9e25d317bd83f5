"""Questions for records (A-41): lists with their conditions, one record, and what is asked of it."""

from typing import Any

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measuring import named_values
from batuta.kernel.errors import ToolFailedError
from batuta.language.interpretation import Interpreter
from tests.support.erp_questions import NOW, read


@pytest.mark.parametrize(
    ("text", "entity", "where"),
    [
        ("customers in Sevilla and Portugal", "customers", [("city", "eq", "Sevilla"), ("country", "eq", "PT")]),
        ("clientes de Francia y Portugal", "customers", [("country", "one_of", ["FR", "PT"])]),
        ("clientes bloqueados", "customers", [("blocked", "ne", "_x0020_")]),
        ("lista de clientes de Sevilla", "customers", [("city", "eq", "Sevilla")]),
        ("what invoices did we post in September?", "salesInvoices",
         [("status", "ne", "Draft"), ("postingDate", "ge", "2026-09-01"), ("postingDate", "le", "2026-09-30")]),
        ("list the invoices of September", "salesInvoices",
         [("postingDate", "ge", "2026-09-01"), ("postingDate", "le", "2026-09-30"), ("status", "ne", "Draft")]),
        ("list all vendors from Portugal", "vendors", [("country", "eq", "PT")]),
        ("list open sales orders over 5000", "salesOrders",
         [("fullyShipped", "eq", False), ("totalAmountIncludingTax", "gt", "5000")]),
    ],
)  # fmt: skip
def test_a_list_keeps_its_conditions(
    erp: Interpreter, text: str, entity: str, where: list[tuple[str, str, Any]]
) -> None:
    found = read(erp, text)

    assert (found.intent.id, found.values.get("entity")) == ("list_records", entity)
    assert [(one["field"], one["operator"], one["value"]) for one in found.values["where"]] == where


@pytest.mark.parametrize(
    ("text", "entity", "which"),
    [
        ("show me invoice 103001", "salesInvoices", "103001"),
        ("¿cuál es el teléfono de Casa Lola?", "customers", "Casa Lola, S.L."),
        ("what is the price of Mesa Roble?", "items", "Mesa Roble 90"),
        ("¿está pagada la factura 103114?", "salesInvoices", "103114"),
        ("when is the delivery of order 101044 due?", "salesOrders", "101044"),
        ("¿has registrado la factura 102151?", "salesInvoices", "102151"),
        ("¿cuándo vence la factura 103111?", "salesInvoices", "103111"),
    ],
)
def test_a_record_is_found_by_its_number_or_by_a_part_of_its_name(
    erp: Interpreter, text: str, entity: str, which: str
) -> None:
    found = read(erp, text)

    assert (found.intent.id, found.values.get("entity"), found.values.get("which")) == ("find_record", entity, which)


def test_a_name_that_several_records_begin_with_is_a_condition_on_all_of_them(erp: Interpreter) -> None:
    found = read(erp, "lista de facturas de venta de hoteles")

    assert found.values["where"] == [
        {"field": "customerName", "operator": "one_of", "value": ["Hoteles Mar, S.A.", "Hoteles Sol, S.A."]}
    ]


@pytest.mark.parametrize(
    ("text", "measure", "name", "kind"),
    [
        ("sales of Maderas Sur in 2026", "sales", "Maderas Sur, S.A.", "vendor"),
        ("ventas a Maderas Sur en 2026", "sales", "Maderas Sur, S.A.", "vendor"),
        ("purchases from Casa Lola", "purchases", "Casa Lola, S.L.", "customer"),
        ("compras a Casa Lola este año", "purchases", "Casa Lola, S.L.", "customer"),
    ],
)
def test_a_name_is_never_replaced_by_who_has_the_same_number(
    erp: Interpreter, access: ErpAccess, text: str, measure: str, name: str, kind: str
) -> None:
    found = next(each for each in erp.interpret(text, now=NOW) if each.intent.id == "measure")

    assert (found.values["measure"], found.values["only"]) == (measure, [name])
    with pytest.raises(ToolFailedError, match=f"“{name}” is kept as {kind}"):
        named_values(access, access.measures.measures[measure], found.values["only"])


@pytest.mark.parametrize(
    ("text", "order", "limit"),
    [
        ("oldest unpaid invoice", ["postingDate", "number"], 1),
        ("¿cuál es la factura pendiente más antigua?", ["postingDate", "number"], 1),
        ("the last 5 invoices of Casa Lola", ["postingDate desc", "number desc"], 5),
        ("últimos pedidos de venta", ["orderDate desc", "number desc"], None),
        ("show me the latest 5 sales orders", ["orderDate desc", "number desc"], 5),
        ("ultimas 5 facturas de venta", ["postingDate desc", "number desc"], 5),
        ("dame las 10 facturas más recientes", ["postingDate desc", "number desc"], 10),
    ],
)
def test_a_list_begins_at_the_end_of_time_that_is_named(
    erp: Interpreter, text: str, order: list[str], limit: int | None
) -> None:
    found = read(erp, text)

    assert (found.intent.id, found.values["order_by"], found.values.get("limit")) == ("list_records", order, limit)


def test_what_is_left_of_an_item_is_its_stock(erp: Interpreter) -> None:
    found = read(erp, "ficha del producto Mesa Roble ▸ ¿cuántas quedan?")

    assert found.values["entity"] == "items"
    assert "inventory" in found.values["asked"]


def test_whether_it_is_paid_is_asked_of_the_last_invoice_and_not_for_the_last_paid_one(erp: Interpreter) -> None:
    found = read(erp, "última factura de Casa Lola ▸ ¿está pagada?")

    assert (found.intent.id, found.values["limit"]) == ("list_records", 1)
    assert not [one for one in found.values["where"] if one["value"] == "Paid"]


@pytest.mark.parametrize(
    "text",
    [
        "a cuánto vendemos la Mesa Roble 90",
        "¿a qué precio vendemos la Mesa Roble 90?",
        "how much do we sell the Mesa Roble 90 for?",
        "what do we charge for the Mesa Roble 90?",
    ],
)
def test_what_is_charged_for_an_item_is_its_price_and_no_sales(erp: Interpreter, text: str) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.is_sure) == ("find_record", True)
    assert (found.values["which"], found.values["asked"]) == ("Mesa Roble 90", ["unitPrice"])


@pytest.mark.parametrize(
    ("text", "entity", "fields"),
    [
        ("credit limit of Casa Lola", "customers", ["creditLimit"]),
        ("límite de crédito de Casa Lola", "customers", ["creditLimit"]),
        ("telefono de casa lola", "customers", ["phoneNumber"]),
        ("payment terms of Casa Lola", "customers", ["paymentTermsId"]),
        ("¿está bloqueada Casa Lola?", "customers", ["blocked"]),
        ("condiciones de pago de Maderas Sur", "vendors", ["paymentTermsId"]),
        ("coste de la Mesa Roble 90", "items", ["unitCost"]),
        ("estado del presupuesto 1001", "salesQuotes", ["status"]),
        ("invoice 103100: which lines does it have?", "salesInvoices", ["lines"]),
        ("líneas del pedido 101061", "salesOrders", ["lines"]),
    ],
)
def test_any_field_of_a_record_can_be_asked_for(erp: Interpreter, text: str, entity: str, fields: list[str]) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.unknown, found.missing) == ("find_record", (), ())
    assert (found.values["entity"], found.values["asked"]) == (entity, fields)


def test_a_field_that_a_record_does_not_have_is_not_answered_with_others(erp: Interpreter) -> None:
    found = erp.interpret("límite de crédito de la Mesa Roble 90", now=NOW)
    assert [each.unknown for each in found if each.intent.id == "find_record"] == [("creditLimit",)]
    assert not any(each.is_sure for each in found)


@pytest.mark.parametrize("text", ["refund invoice 103177", "return invoice 103177"])
def test_a_document_is_not_shown_where_something_is_to_be_done_with_it(erp: Interpreter, text: str) -> None:
    assert not any(each.is_sure for each in erp.interpret(text, now=NOW))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("list customers with their city", {"entity": "customers", "fields": ["number", "displayName", "city"]}),
        ("lista de precios", {"entity": "items", "fields": ["number", "displayName", "unitPrice"]}),
        ("¿cuál es el producto más caro?", {"entity": "items", "order_by": ["unitPrice desc"], "limit": 1}),
        (
            "clientes con límite de crédito superior a 10000",
            {"entity": "customers", "where": [{"field": "creditLimit", "operator": "gt", "value": "10000"}]},
        ),
        (
            "lista de clientes excepto los de Portugal",
            {"entity": "customers", "where": [{"field": "country", "operator": "ne", "value": "PT"}]},
        ),
    ],
)
def test_a_list_shows_and_is_limited_by_the_fields_that_are_named(
    erp: Interpreter, text: str, values: dict[str, Any]
) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.unknown, found.missing) == ("list_records", (), ())
    assert {name: found.values.get(name) for name in values} == values


@pytest.mark.parametrize(
    ("text", "side", "limit"),
    [
        ("¿cuándo pagó por última vez Casa Lola?", ("Casa Lola, S.L.", "creditAmount"), 1),
        ("when did we last pay Maderas Sur?", ("Maderas Sur, S.A.", "debitAmount"), 1),
        ("pagos de Casa Lola este año", ("Casa Lola, S.L.", "creditAmount"), None),
    ],
)
def test_payments_are_those_of_the_ledger_that_name_the_party(
    erp: Interpreter, text: str, side: tuple[str, str], limit: int | None
) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.unknown) == ("payments_of", ())
    conditions = [(each["field"], each["value"]) for each in found.values["where"]]
    assert conditions[:3] == [("documentType", "Payment"), ("description", side[0]), (side[1], 0)]
    assert found.values.get("limit") == limit


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("when is it due? (Casa Lola, S.L.)", "salesInvoices"),
        ("¿cuándo tenemos que pagar a Maderas Sur?", "purchaseInvoices"),
        ("due dates of Casa Lola", "salesInvoices"),
        ("¿cuánto le debemos a Maderas Sur y cuándo vence?", "purchaseInvoices"),
    ],
)
def test_when_something_of_a_party_falls_due_is_read_off_its_open_invoices(
    erp: Interpreter, text: str, entity: str
) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.unknown, found.values["entity"]) == ("payments_of", (), entity)
    assert {"field": "status", "operator": "eq", "value": "Open"} in found.values["where"]
    assert found.values["order_by"] == ["dueDate", "number"]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("clientes sin límite de crédito", {"field": "creditLimit", "operator": "eq", "value": 0}),
        ("list customers without an email", {"field": "email", "operator": "eq", "value": ""}),
    ],
)
def test_a_list_of_what_lacks_a_field_is_limited_to_it(erp: Interpreter, text: str, condition: dict[str, Any]) -> None:
    found = read(erp, text)
    assert (found.intent.id, found.unknown, found.values["where"]) == ("list_records", (), [condition])


@pytest.mark.parametrize(
    ("text", "field"),
    [("¿cuánto nos cuesta la Mesa Roble?", "unitCost"), ("¿cuánto cuesta la Mesa Roble?", "unitPrice")],
)
def test_what_an_item_costs_us_is_not_its_price(erp: Interpreter, text: str, field: str) -> None:
    assert read(erp, text).values["asked"] == [field]


def test_a_new_customer_that_is_named_is_one_to_be_created(erp: Interpreter) -> None:
    assert read(erp, "new customer Pepe, S.L.").intent.id == "change_create_master"


@pytest.mark.parametrize(
    "text", ["¿cuánto nos debe Casa Lola y desde cuándo?", "what is the price of the Mesa Roble 90 and since when?"]
)
def test_a_second_question_that_a_record_does_not_answer_is_not_left_out(erp: Interpreter, text: str) -> None:
    assert read(erp, text).unknown


@pytest.mark.parametrize(
    ("text", "entity", "field"),
    [
        ("list the sales orders due in October", "salesOrders", "requestedDeliveryDate"),
        ("lista de pedidos de venta con entrega en octubre", "salesOrders", "requestedDeliveryDate"),
        ("list the purchase orders due in October", "purchaseOrders", "requestedReceiptDate"),
        ("show the sales orders of August", "salesOrders", "orderDate"),
    ],
)
def test_a_period_is_of_the_date_that_is_named_with_it(erp: Interpreter, text: str, entity: str, field: str) -> None:
    meant = read(erp, text)
    assert (meant.values["entity"], meant.unknown) == (entity, ())
    assert {each["field"] for each in meant.values["where"]} == {field}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("when was the Mesa Roble 90 last sold?", "Sale"),
        ("¿cuándo compramos la Mesa Roble 90 por última vez?", "Purchase"),
    ],
)
def test_the_last_trade_of_an_item_is_its_newest_entry(erp: Interpreter, text: str, kind: str) -> None:
    meant = read(erp, text)
    assert (meant.values["entity"], meant.values["limit"], meant.unknown) == ("itemLedgerEntries", 1, ())
    assert ("entryType", kind) in [(each["field"], each["value"]) for each in meant.values["where"]]


def test_the_last_invoice_of_a_customer_is_not_when_it_bought_an_item(erp: Interpreter) -> None:
    meant = read(erp, "when did Casa Lola last buy the Mesa Roble 90?")
    assert meant.unknown or meant.missing


def test_how_much_orders_come_to_is_not_how_many_they_are(erp: Interpreter) -> None:
    assert read(erp, "¿cuánto suman los pedidos abiertos de Casa Lola?").values["measure"] == "orders_to_ship"
