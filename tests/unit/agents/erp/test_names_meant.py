"""Parts of names, nationalities and accounts as people say them (A-41): whose a figure is, and who is asked about."""

import asyncio
from datetime import UTC, date, datetime
from typing import Any

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.understanding import erp_understanding
from batuta.language.interpretation import Interpretation, Interpreter
from batuta.testing.erp import MemoryErp

NOW = datetime(2026, 9, 30, 12, tzinfo=UTC)


def record(number: str, name: str, **values: Any) -> dict[str, Any]:
    return {"id": number, "number": number, "code": number, "displayName": name, "city": "", **values}


def account(number: str, name: str) -> dict[str, Any]:
    return record(number, name, category="Liabilities", accountType="Posting")


@pytest.fixture(scope="module")
def erp() -> Interpreter:
    books = MemoryErp(
        {
            "customers": [
                record("10000", "Bodegas Alcor, S.L."),
                record("20000", "Tiendas Alcor, S.A."),
                record("30000", "Casa Lola, S.L."),
            ],
            "vendors": [record("40000", "Maderas Sur, S.A."), record("50000", "Aceros Sur, S.A.")],
            "items": [record("1000", "Roble tumbona"), record("1001", "Pino tumbona"), record("1002", "Maceta Barro")],
            "itemCategories": [],
            "countriesRegions": [
                record("IT", "Italy"),
                record("NL", "Netherlands"),
                record("GB", "United Kingdom"),
                record("US", "USA"),
            ],
            "salespeoplePurchasers": [],
            "accounts": [
                account("5310", "Bank loan"),
                account("3110", "Share capital"),
                account("2920", "Bank"),
                account("5320", "Loan from partners"),
            ],
        }
    )
    access = ErpAccess(connector=books, today=lambda: date(2026, 9, 30))
    asyncio.run(access.learn_names())
    return Interpreter([erp_understanding(access)])


def read(erp: Interpreter, text: str) -> Interpretation:
    return erp.interpret(text, now=NOW)[0]


@pytest.mark.parametrize(
    ("text", "part", "names"),
    [
        ("¿cuánto nos debe Alcor?", "Alcor", ["Bodegas Alcor, S.L.", "Tiendas Alcor, S.A."]),
        ("sales to Alcor this year", "Alcor", ["Bodegas Alcor, S.L.", "Tiendas Alcor, S.A."]),
        ("¿cuánto debemos a Sur?", None, []),
        ("¿cuántas tumbonas nos quedan?", "tumbonas", ["Pino tumbona", "Roble tumbona"]),
        ("what is the phone number of Alcor?", "Alcor", ["Bodegas Alcor, S.L.", "Tiendas Alcor, S.A."]),
        ("¿cuándo pagó Alcor por última vez?", "Alcor", ["Bodegas Alcor, S.L.", "Tiendas Alcor, S.A."]),
        ("how much does Alcor owe us on the moon?", None, []),
    ],
)
def test_a_part_of_several_names_is_asked_about_with_all_of_them(
    erp: Interpreter, text: str, part: str | None, names: list[str]
) -> None:
    """Unless another word is not understood either. A word of three letters is no part of a name."""
    found = read(erp, text)

    assert list(found.candidates) == names
    assert (found.unknown_kind == "name") == bool(names)
    assert not names or found.unknown == (part,)


def test_the_name_that_is_chosen_tells_what_the_part_meant(erp: Interpreter) -> None:
    found = read(erp, "¿cuánto nos debe Alcor? ▸ Tiendas Alcor, S.A.")

    assert (found.values["measure"], found.values["only"]) == ("receivables", ["Tiendas Alcor, S.A."])
    assert not found.unknown


def test_another_name_does_not_tell_it(erp: Interpreter) -> None:
    assert read(erp, "¿cuánto nos debe Alcor? ▸ Casa Lola").unknown == ("Alcor",)


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("¿cuánto nos deben los clientes por país? ▸ solo los italianos", "IT"),
        ("who owes us most? ▸ only the Dutch ones", "NL"),
        ("sales by customer ▸ just the British", "GB"),
        ("what do Italian companies owe us?", "IT"),
        ("ventas a empresas holandesas este año", "NL"),
        ("ventas por cliente ▸ y los británicos", "GB"),
        ("sales in the UK this year", "GB"),
        ("purchases from US vendors", "US"),
    ],
)
def test_a_nationality_is_its_country(erp: Interpreter, text: str, country: str) -> None:
    found = read(erp, text)

    assert found.values["only"] == [country]
    assert not found.unknown


def test_a_list_is_limited_by_a_nationality_once(erp: Interpreter) -> None:
    found = read(erp, "list the customers ▸ only the Italians")

    assert found.values["where"] == [{"field": "country", "operator": "eq", "value": "IT"}]


@pytest.mark.parametrize("text", ["what do they owe us?", "WHAT DO CUSTOMERS OWE US?", "show us the sales by month"])
def test_a_pronoun_is_no_country(erp: Interpreter, text: str) -> None:
    assert "only" not in read(erp, text).values


@pytest.mark.parametrize("text", ["sales by month, in Italian please", "pon las ventas en italiano"])
def test_a_language_is_no_country(erp: Interpreter, text: str) -> None:
    assert "only" not in read(erp, text).values


@pytest.mark.parametrize(
    ("text", "account"),
    [
        ("bank loan balance", "Bank loan"),
        ("what is the balance of the bank loan?", "Bank loan"),
        ("saldo del préstamo bancario", "Bank loan"),
        ("saldo del capital social", "Share capital"),
        ("balance of the bank loan at the end of August", "Bank loan"),
    ],
)
def test_an_account_is_called_by_its_name_where_its_balance_is_asked(erp: Interpreter, text: str, account: str) -> None:
    found = read(erp, text)

    assert (found.values["measure"], found.values["only"]) == ("account_balance", [f"account: {account}"])
    assert not found.unknown


@pytest.mark.parametrize("text", ["share capital in August", "ventas de bank loan"])
def test_the_name_of_an_account_alone_is_no_balance(erp: Interpreter, text: str) -> None:
    assert "account: " not in str(read(erp, text).values.get("only"))


def test_what_several_accounts_may_be_called_is_none_of_them(erp: Interpreter) -> None:
    assert "account" not in str(read(erp, "balance of the loan").values.get("only"))


def test_the_bank_balance_is_money(erp: Interpreter) -> None:
    assert read(erp, "bank balance").values["measure"] == "cash"


@pytest.mark.parametrize(
    ("text", "entity", "name"),
    [
        ("when did we last buy from Maderas Sur?", "purchaseInvoices", "Maderas Sur, S.A."),
        ("¿cuándo compramos por última vez a Aceros Sur?", "purchaseInvoices", "Aceros Sur, S.A."),
        ("when did Casa Lola last buy from us?", "salesInvoices", "Casa Lola, S.L."),
        ("¿cuándo vendimos por última vez a Casa Lola?", "salesInvoices", "Casa Lola, S.L."),
        ("última compra de Casa Lola", "salesInvoices", "Casa Lola, S.L."),
    ],
)
def test_the_last_trade_is_the_newest_invoice_that_stands(erp: Interpreter, text: str, entity: str, name: str) -> None:
    found = read(erp, text)
    values = found.values

    assert (values["entity"], values["limit"], values["order_by"][0]) == (entity, 1, "postingDate desc")
    assert values["where"][0]["value"] == name
    assert {one["value"] for one in values["where"][1:]} == {"Draft", "In Review", "Canceled"}
    assert not found.unknown


@pytest.mark.parametrize(
    "text",
    [
        "when did we last buy from Casa Lola?",
        "¿cuándo vendimos por última vez a Maderas Sur?",
        "how much did Casa Lola buy last year?",
        "what did Casa Lola buy in August?",
    ],
)
def test_the_other_way_and_another_question_are_no_last_trade(erp: Interpreter, text: str) -> None:
    found = read(erp, text)

    assert found.unknown or found.intent.id != "payments_of"


@pytest.mark.parametrize(
    ("text", "split", "change"),
    [
        ("which customers grew most this year?", "customer", "more"),
        ("¿qué países han crecido más?", "country", "more"),
        ("which products dropped the most this quarter?", "item", "less"),
        ("¿qué clientes han bajado este año?", "customer", "less"),
    ],
)
def test_who_grew_is_ordered_by_the_change(erp: Interpreter, text: str, split: str, change: str) -> None:
    values = read(erp, text).values

    assert (values["measure"], values["split_by"]) == ("sales", [split])
    assert values["compare"] == {"kind": "previous_year", "change": change}
    assert "ranking" not in values


def test_the_growth_of_all_leaves_no_row_out(erp: Interpreter) -> None:
    assert read(erp, "sales growth by customer").values["compare"] == {"kind": "previous_year"}


@pytest.mark.parametrize("text", ["did Casa Lola pay invoice 103001?", "¿ha pagado Casa Lola la factura 103001?"])
def test_whether_an_invoice_was_paid_is_asked_of_the_invoice(erp: Interpreter, text: str) -> None:
    found = read(erp, text)

    assert (found.values["entity"], found.values["which"]) == ("salesInvoices", "103001")
    assert "status" in found.values["asked"]


def test_what_runs_low_is_stock(erp: Interpreter) -> None:
    values = read(erp, "which products are running low?").values

    assert (values["measure"], values["ranking"]) == ("stock_quantity", "least")
