"""Requests to change something, read as data: every word is accounted for, and only orders are taken (A-2, A-40)."""

from decimal import Decimal
from typing import Any

import pytest

from batuta.agents.erp.changes.reading import read_request
from batuta.agents.erp.changes.request import ChangeRequest

NAMES = {
    "customer": {
        "Hoteles Ribalta, S.C.": ("Hoteles Ribalta, S.C.", "70000"),
        "Muebles Ribalta, S.A.": ("Muebles Ribalta, S.A.", "90000"),
        "Terrazas Sotomar, S.C.": ("Terrazas Sotomar, S.C.", "10000"),
    },
    "vendor": {"Maderas Polival, GmbH": ("Maderas Polival, GmbH", "20000")},
    "item": {
        "Jara apilable": ("Jara apilable", "1002"),
        "Almendro redonda 90": ("Almendro redonda 90", "1001"),
        "Duna tumbona": ("Duna tumbona", "1003"),
    },
}
RIBALTA = "Hoteles Ribalta, S.C."


def read(text: str) -> ChangeRequest:
    found = read_request(text, NAMES)
    assert found is not None, text
    return found


@pytest.mark.parametrize(
    ("text", "entity", "which", "values"),
    [
        ("create a customer called Acme Sport in Sevilla", "customers", "Acme Sport", {"city": "Sevilla"}),
        ("crea un cliente llamado Acme Sport en Sevilla", "customers", "Acme Sport", {"city": "Sevilla"}),
        (
            "da de alta al cliente Acme Sport, S.L., de Sevilla, con email info@acme.es y teléfono +34 600 123 456",
            "customers",
            "Acme Sport, S.L.",
            {"city": "Sevilla", "email": "info@acme.es", "phoneNumber": "+34 600 123 456"},
        ),
        ("new vendor: Nordic Wood in Oslo, Norway", "vendors", "Nordic Wood", {"city": "Oslo", "country": "Norway"}),
        (
            "add an item called Mesa Roble with price 120 euros and cost 80",
            "items",
            "Mesa Roble",
            {"unitPrice": "120 euros", "unitCost": "80"},
        ),
        ("crea el artículo Silla Haya a 45,50 €", "items", "Silla Haya", {"unitPrice": "45,50 €"}),
        ("new item called Stool at 30", "items", "Stool", {"unitPrice": "30"}),
        ("creat a custmer called Acme", "customers", "Acme", {}),
        (
            "add a vendor called Iron Works, phone 555 1234, in Leeds",
            "vendors",
            "Iron Works",
            {"phoneNumber": "555 1234", "city": "Leeds"},
        ),
        ("apunta un cliente nuevo: Ferretería Luna, de Jaén", "customers", "Ferretería Luna", {"city": "Jaén"}),
        ("crea un cliente", "customers", "", {}),
    ],
)
def test_a_new_record_has_a_name_and_what_is_known_of_it(
    text: str, entity: str, which: str, values: dict[str, Any]
) -> None:
    found = read(text)
    assert (found.act, found.entity, found.which, found.values) == ("create", entity, which, values)
    assert not found.unknown


@pytest.mark.parametrize(
    ("text", "which", "values"),
    [
        ("cambia el límite de crédito de Hoteles Ribalta a 5.000", RIBALTA, {"creditLimit": "5.000"}),
        ("change the credit limit of customer 70000 to 5,000 euros", "70000", {"creditLimit": "5,000 euros"}),
        (
            "change Terrazas Sotomar's phone number to 955 123 456",
            "Terrazas Sotomar, S.C.",
            {"phoneNumber": "955 123 456"},
        ),
        ("pon el precio de la Jara apilable a 45,50 €", "Jara apilable", {"unitPrice": "45,50 €"}),
        ("cambia al cliente Hoteles Ribalta el correo a hola@ribalta.es", RIBALTA, {"email": "hola@ribalta.es"}),
        ("sube el límite de crédito de Hoteles Ribalta", RIBALTA, {"creditLimit": ""}),
    ],
)
def test_a_change_names_a_field_a_record_and_a_value(text: str, which: str, values: dict[str, str]) -> None:
    found = read(text)
    assert (found.act, found.which, found.values) == ("update", which, values)


@pytest.mark.parametrize(
    ("text", "entity", "party", "lines"),
    [
        (
            "haz un pedido de 3 Jara apilable para el cliente Hoteles Ribalta",
            "salesOrders",
            RIBALTA,
            [("3", "Jara apilable", None)],
        ),
        ("haz un pedido de 3 bicicletas para Ribalta", "salesOrders", "Ribalta", [("3", "bicicletas", None)]),
        (
            "make an order for Hoteles Ribalta: 3 Jara apilable and 2 Almendro redonda 90",
            "salesOrders",
            RIBALTA,
            [("3", "Jara apilable", None), ("2", "Almendro redonda 90", None)],
        ),
        (
            "hazme un presupuesto para Hoteles Ribalta de dos Jara apilable a 40 euros cada una y 1 Duna tumbona",
            "salesQuotes",
            RIBALTA,
            [("2", "Jara apilable", "40"), ("1", "Duna tumbona", None)],
        ),
        (
            "please draft an invoice for Hoteles Ribalta: 4 Jara apilable",
            "salesInvoices",
            RIBALTA,
            [("4", "Jara apilable", None)],
        ),
        ("order 3 Jara apilable for Hoteles Ribalta", "salesOrders", RIBALTA, [("3", "Jara apilable", None)]),
        (
            "i need a new quote for terrazas sotomar, 10 jara apilable at 40 each",
            "salesQuotes",
            "Terrazas Sotomar, S.C.",
            [("10", "Jara apilable", "40")],
        ),
        (
            "necesito un presupuesto de 5 Almendro redonda 90 para Hoteles Ribalta",
            "salesQuotes",
            RIBALTA,
            [("5", "Almendro redonda 90", None)],
        ),
        ("factúrale 3 Jara apilable a hoteles ribalta", "salesInvoices", RIBALTA, [("3", "Jara apilable", None)]),
        ("factura a Hoteles Ribalta 3 Jara apilable", "salesInvoices", RIBALTA, [("3", "Jara apilable", None)]),
    ],
)
def test_a_new_document_has_a_party_and_lines(
    text: str, entity: str, party: str, lines: list[tuple[str, str, str | None]]
) -> None:
    found = read(text)
    wanted = [(Decimal(count), item, None if price is None else Decimal(price)) for count, item, price in lines]
    assert (found.entity, found.party) == (entity, party)
    assert [(line.quantity, line.item, line.price) for line in found.lines] == wanted
    assert not found.unknown


@pytest.mark.parametrize(
    ("text", "act", "entity", "which", "then"),
    [
        ("registra la factura 102149", "post", "salesInvoices", "102149", ()),
        ("regsitra la factura 102149", "post", "salesInvoices", "102149", ()),
        ("contabiliza la factura 1032", "post", "salesInvoices", "1032", ()),
        ("post the order 101044", "post", "salesOrders", "101044", ()),
        ("ship and invoice order 101044", "post", "salesOrders", "101044", ()),
        ("cancel the invoice 103103", "cancel", "salesInvoices", "103103", ()),
        ("delete the quote 1002", "delete", "salesQuotes", "1002", ()),
        ("make the quote 1001 into an order and post it", "convert", "salesQuotes", "1001", ("post",)),
        ("convierte la oferta 1001 en pedido y regístralo", "convert", "salesQuotes", "1001", ("post",)),
        (
            "turn quote 1002 into an order, post it and register the payment",
            "convert",
            "salesQuotes",
            "1002",
            ("post", "pay"),
        ),
        ("mark invoice 103103 as paid", "pay", "salesInvoices", "103103", ()),
        ("Hoteles Ribalta paid invoice 103137, record it", "pay", "salesInvoices", "103137", ()),
        ("nos han pagado la factura 103125, regístralo", "pay", "salesInvoices", "103125", ()),
        ("sirve el pedido 101042 y factúralo", "post", "salesOrders", "101042", ()),
        ("pasa a pedido la oferta 1002", "convert", "salesQuotes", "1002", ()),
        ("contabilíza la fatura 102151", "post", "salesInvoices", "102151", ()),
        ("pls post invocie 102150", "post", "salesInvoices", "102150", ()),
        ("void invoice 103187 please", "cancel", "salesInvoices", "103187", ()),
        ("cobra la factura 103124", "pay", "salesInvoices", "103124", ()),
        ("post it", "post", "", "", ()),
    ],
)
def test_an_order_about_a_document_says_which_and_what_follows(
    text: str, act: str, entity: str, which: str, then: tuple[str, ...]
) -> None:
    found = read(text)
    assert (found.act, found.entity, found.which, found.then) == (act, entity, which, then)
    assert not found.unknown


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("pay vendor Maderas Polival 3740.96", "3740.96"),
        ("paga a Maderas Polival 3740,96", "3740.96"),
        ("pay 500 euros to Maderas Polival", "500"),
        ("registra un pago al proveedor Maderas Polival de 500 euros", "500"),
        ("paga a Maderas Polival", None),
    ],
)
def test_who_pays_a_vendor_pays_its_invoice(text: str, amount: str | None) -> None:
    found = read(text)
    assert (found.act, found.entity, found.party) == ("pay", "purchaseInvoices", "Maderas Polival, GmbH")
    assert (found.which, found.amount, found.unknown) == ("", Decimal(amount) if amount else None, ())


def test_what_a_customer_is_to_get_is_no_payment_of_an_invoice() -> None:
    assert read_request(f"pay {RIBALTA} 500", NAMES) is None


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("registra un cobro de 1.500,75 euros de la factura 103103", "1500.75"),
        ("register a payment of 1,200.50 for invoice 103103", "1200.50"),
        ("register a payment of 1.200 for invoice 103103", "1200"),
        ("enter a 250.40 payment for invoice 103103", "250.40"),
    ],
)
def test_an_amount_is_read_in_the_language_of_the_order(text: str, amount: str) -> None:
    found = read(text)
    assert (found.act, found.which, found.amount) == ("pay", "103103", Decimal(amount))


@pytest.mark.parametrize(
    "text",
    [
        "registré la factura 102149",
        "how do I post the invoice 102149?",
        "has the invoice 102149 been posted?",
        "don't post the invoice 102149",
        "bloquea mañana de 9 a 10",
        "block monday from 9 to 10",
        "cancel my meeting with Ana",
        "create a meeting tomorrow",
        "make a chart of orders by month",
        "haz un gráfico de los pedidos",
        "add 15% to 300",
        "show me the order 101044",
        "I need the invoice of Hoteles Ribalta",
        "necesito una factura de Hoteles Ribalta",
        "Hoteles Ribalta paid the invoice 103103",
        "¿cuándo se registró la factura 102149?",
        "pide una pizza para las 8",
        "order 2 coffees for tomorrow",
    ],
)
def test_what_orders_no_change_here_is_left_to_others(text: str) -> None:
    assert read_request(text, NAMES) is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("post the invoice 102149 unless it is blocked", "unless"),
        ("haz un pedido de 3 Jara apilable para Hoteles Ribalta si hay existencias", "si"),
        ("cancel the invoice 103103 tomorrow", "tomorrow"),
    ],
)
def test_a_word_that_is_not_understood_is_kept(text: str, word: str) -> None:
    assert word in " ".join((*read(text).unknown, read(text).party))


@pytest.mark.parametrize(
    "text",
    [
        "cambia el email de Hoteles Ribalta a compras@ribalta.es y el teléfono a 600 111 222",
        "change the email of Hoteles Ribalta to compras@ribalta.es and the phone number to 600 111 222",
        "change the email of Hoteles Ribalta to compras@ribalta.es, phone 600 111 222",
    ],
)
def test_several_fields_of_one_record_each_get_their_own_value(text: str) -> None:
    found = read(text)

    assert (found.which, found.unknown) == (RIBALTA, ())
    assert found.values == {"email": "compras@ribalta.es", "phoneNumber": "600 111 222"}


def test_a_field_that_the_record_does_not_have_is_not_understood() -> None:
    assert read("change the city of Hoteles Ribalta to Toledo and the price to 12").unknown == ("price",)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("haz una factura a Hoteles Ribalta de 3 Duna tumbona con fecha de ayer", "invoiceDate"),
        ("haz una factura a Hoteles Ribalta de 3 Duna tumbona con fecha de registro ayer", "postingDate"),
        ("create an order for Hoteles Ribalta with 3 Duna tumbona, date yesterday", "orderDate"),
    ],
)
def test_the_date_of_a_document_is_its_own_unless_the_posting_is_named(text: str, field: str) -> None:
    assert list(read(text).values) == [field]


@pytest.mark.parametrize("text", ["invoices for Terrazas Sotomar in 2026", "facturas de Terrazas Sotomar", "orders"])
def test_documents_in_the_plural_are_no_order(text: str) -> None:
    assert read_request(text, NAMES) is None


@pytest.mark.parametrize(
    ("text", "party", "which", "amount"),
    [
        ("anota que Hoteles Ribalta nos ha pagado 300 euros de la factura 1032", RIBALTA, "1032", Decimal(300)),
        ("log that the customer Hoteles Ribalta has already paid invoice 1032", RIBALTA, "1032", None),
        ("pay Maderas Polival everything we owe them", "Maderas Polival, GmbH", "", None),
        ("paga a Maderas Polival lo que debemos de la factura 108001", "Maderas Polival, GmbH", "108001", None),
    ],
)
def test_a_payment_is_entered_for_whom_it_is_of(text: str, party: str, which: str, amount: Decimal | None) -> None:
    found = read(text)

    assert (found.act, found.party, found.which, found.amount, found.unknown) == ("pay", party, which, amount, ())


@pytest.mark.parametrize(
    "text",
    [
        "set the sales rep of Hoteles Ribalta to Ana Gil",
        "cambia el comercial de Hoteles Ribalta a Ana Gil",
        "asigna a Ana Gil como vendedora de Hoteles Ribalta",
        "put Ana Gil as account manager for Hoteles Ribalta",
    ],
)
def test_a_customer_gets_a_salesperson(text: str) -> None:
    found = read(text)

    assert (found.act, found.which, found.values) == ("update", RIBALTA, {"salespersonCode": "Ana Gil"})


@pytest.mark.parametrize("text", ["receive the purchase order 106001", "recepciona el pedido de compra 106001"])
def test_an_order_to_a_vendor_is_received(text: str) -> None:
    found = read(text)

    assert (found.act, found.entity, found.which) == ("post", "purchaseOrders", "106001")


def test_the_number_of_a_telephone_is_no_customer() -> None:
    assert read("cambia el número de teléfono de Hoteles Ribalta").which == RIBALTA
