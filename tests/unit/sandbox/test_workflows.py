"""The workflows of the facts (section 11), carried out over the API alone, as a client would."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from batuta.sandbox.demo.foundation import create_company
from batuta.sandbox.demo.profiles import SPANISH
from batuta.sandbox.opening import full_behaviour
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.requests import SandboxRequest
from batuta.sandbox.service import Sandbox
from tests.unit.sandbox.business.books_check import check_books
from tests.unit.sandbox.business.shop import TODAY

ANY = {"If-Match": "*"}


class Office:
    """Somebody who works with one company through the API, and expects every request to succeed."""

    def __init__(self, sandbox: Sandbox, company: str) -> None:
        self.sandbox = sandbox
        self.company = company

    def send(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
        raw = b"" if body is None else json.dumps(body).encode()
        url = f"/api/v2.0/companies({self.company})/{path}"
        response = self.sandbox.handle(SandboxRequest.of(method, url, headers, raw))
        assert response.status < 300, response.body
        return response.json() if response.body else None

    def refusal(self, method: str, path: str, body: object = None) -> str:
        with pytest.raises(AssertionError) as refused:
            self.send(method, path, body, ANY)
        return str(refused.value)

    def find(self, set_name: str, test: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.send("GET", f"{set_name}?$filter={quote(test)}")["value"]
        return rows

    def post(self, path: str, body: object) -> dict[str, Any]:
        row: dict[str, Any] = self.send("POST", path, body)
        return row

    def act(self, path: str, action: str) -> None:
        self.send("POST", f"{path}/Microsoft.NAV.{action}")

    def customer(self) -> dict[str, Any]:
        return self.post("customers", {"displayName": "Muebles Prado"})

    def stocked_item(self, quantity: int = 50) -> dict[str, Any]:
        item = self.post(
            "items",
            {
                "displayName": "Mesa",
                "type": "Inventory",
                "unitPrice": 100,
                "unitCost": 60,
                "baseUnitOfMeasureCode": "PCS",
            },
        )
        self.send("PATCH", f"items({item['id']})", {"inventory": quantity}, ANY)
        return item


@pytest.fixture(scope="module")
def founded() -> tuple[Sandbox, str]:
    behaviour = full_behaviour()
    store = SandboxStore(behaviour=behaviour, today=TODAY)
    with store.transaction():
        company = create_company(store, behaviour, SPANISH, TODAY.replace(month=1, day=1), TODAY)
    return Sandbox(store, behaviour), company


@pytest.fixture
def office(founded: tuple[Sandbox, str]) -> Iterator[Office]:
    """The books hold after every test, and nothing of it stays."""
    sandbox, company = founded
    with sandbox.store.rehearsal():
        yield Office(sandbox, company)
        check_books(sandbox.store.records(company))


def test_a_new_item_gets_its_stock_by_an_adjustment(office: Office) -> None:
    item = office.stocked_item(12)
    assert office.send("GET", f"items({item['id']})")["inventory"] == 12
    entries = office.find("itemLedgerEntries", f"itemNumber eq '{item['number']}'")
    assert [entry["quantity"] for entry in entries] == [12]


def test_quote_to_cash(office: Office) -> None:
    customer, item = office.customer(), office.stocked_item()
    quote_lines = [{"itemId": item["id"], "lineType": "Item", "quantity": 4}]
    quoted = office.post("salesQuotes", {"customerId": customer["id"], "salesQuoteLines": quote_lines})
    office.act(f"salesQuotes({quoted['id']})", "makeOrder")
    (order,) = office.find("salesOrders", f"customerId eq {customer['id']}")
    assert office.find("salesQuotes", f"id eq {quoted['id']}") == []
    office.act(f"salesOrders({order['id']})", "shipAndInvoice")
    (invoice,) = office.find("salesInvoices", f"orderNumber eq '{order['number']}'")
    assert (invoice["status"], invoice["totalAmountExcludingTax"]) == ("Open", 400)
    assert len(office.find("salesShipments", f"orderNumber eq '{order['number']}'")) == 1
    entries = office.find("generalLedgerEntries", f"documentNumber eq '{invoice['number']}'")
    assert round(sum(entry["debitAmount"] - entry["creditAmount"] for entry in entries), 2) == 0
    receivable = office.send("GET", f"customers({customer['id']})/agedAccountsReceivable")
    assert receivable["balanceDue"] == invoice["totalAmountIncludingTax"]


def test_a_direct_invoice_keeps_its_id_and_gets_a_new_number(office: Office) -> None:
    customer, item = office.customer(), office.stocked_item()
    body = {"customerNumber": customer["number"], "salesInvoiceLines": [{"itemId": item["id"], "quantity": 1}]}
    draft = office.post("salesInvoices", body)
    office.act(f"salesInvoices({draft['id']})", "post")
    posted = office.send("GET", f"salesInvoices({draft['id']})")
    assert (draft["status"], posted["status"]) == ("Draft", "Open")
    assert posted["number"] != draft["number"]
    assert "Application_" in office.refusal("POST", f"salesInvoices({draft['id']})/Microsoft.NAV.post")


def test_a_payment_closes_the_invoice_it_is_applied_to(office: Office) -> None:
    customer, item = office.customer(), office.stocked_item()
    body = {"customerId": customer["id"], "salesInvoiceLines": [{"itemId": item["id"], "quantity": 2}]}
    invoice = office.post("salesInvoices", body)
    office.act(f"salesInvoices({invoice['id']})", "post")
    posted = office.send("GET", f"salesInvoices({invoice['id']})")
    journal = office.send("GET", "customerPaymentJournals")["value"][0]
    payment = {
        "customerId": customer["id"],
        "amount": -posted["totalAmountIncludingTax"],
        "appliesToInvoiceId": posted["id"],
        "postingDate": TODAY.isoformat(),
        "documentNumber": "PAY-1",
    }
    office.post(f"customerPaymentJournals({journal['id']})/customerPayments", payment)
    office.act(f"journals({journal['id']})", "post")
    paid = office.send("GET", f"salesInvoices({invoice['id']})")
    assert (paid["status"], paid["remainingAmount"]) == ("Paid", 0)


def test_a_cancelled_invoice_is_reversed_once(office: Office) -> None:
    customer, item = office.customer(), office.stocked_item()
    body = {"customerId": customer["id"], "salesInvoiceLines": [{"itemId": item["id"], "quantity": 2}]}
    invoice = office.post("salesInvoices", body)
    office.act(f"salesInvoices({invoice['id']})", "post")
    office.act(f"salesInvoices({invoice['id']})", "cancel")
    assert office.send("GET", f"salesInvoices({invoice['id']})")["status"] == "Canceled"
    assert "Application_" in office.refusal("POST", f"salesInvoices({invoice['id']})/Microsoft.NAV.cancel")
    assert office.send("GET", f"items({item['id']})")["inventory"] == 50


def test_procure_to_pay(office: Office) -> None:
    vendor, item = office.post("vendors", {"displayName": "Maderas Luna"}), office.stocked_item(0)
    lines = [{"itemId": item["id"], "quantity": 10, "directUnitCost": 55}]
    order = office.post("purchaseOrders", {"vendorId": vendor["id"], "purchaseOrderLines": lines})
    office.act(f"purchaseOrders({order['id']})", "receiveAndInvoice")
    assert office.send("GET", f"items({item['id']})")["inventory"] == 10
    (bill,) = office.find("purchaseInvoices", f"orderNumber eq '{order['number']}'")
    assert bill["totalAmountExcludingTax"] == 550


def test_a_journal_line_reaches_the_ledger(office: Office) -> None:
    journal = office.send("GET", "journals")["value"][0]
    account, balancing = office.find("accounts", "number eq '8110' or number eq '2920'")
    lines = f"journals({journal['id']})/journalLines"
    shared = {"documentNumber": "J-1", "postingDate": TODAY.isoformat(), "accountType": "G_x002F_L_x0020_Account"}
    office.post(lines, {**shared, "accountId": account["id"], "amount": 30})
    office.post(lines, {**shared, "accountId": balancing["id"], "amount": -30})
    office.act(f"journals({journal['id']})", "post")
    assert len(office.find("generalLedgerEntries", "documentNumber eq 'J-1'")) == 2
    assert office.send("GET", lines)["value"] == []


def test_dimensions_go_from_the_customer_to_the_ledger_entry(office: Office) -> None:
    customer, item = office.customer(), office.stocked_item()
    dimension = office.send("GET", "dimensions?$expand=dimensionValues")["value"][0]
    value = dimension["dimensionValues"][0]
    preset = {"dimensionId": dimension["id"], "dimensionValueId": value["id"]}
    office.post(f"customers({customer['id']})/defaultDimensions", preset)
    body = {"customerId": customer["id"], "salesInvoiceLines": [{"itemId": item["id"], "quantity": 1}]}
    invoice = office.post("salesInvoices", body)
    office.act(f"salesInvoices({invoice['id']})", "post")
    number = office.send("GET", f"salesInvoices({invoice['id']})")["number"]
    test = quote(f"documentNumber eq '{number}'")
    entries = office.send("GET", f"generalLedgerEntries?$filter={test}&$expand=dimensionSetLines")["value"]
    codes = {(each["code"], each["valueCode"]) for entry in entries for each in entry["dimensionSetLines"]}
    assert (dimension["code"], value["code"]) in codes


def test_reports_agree_with_the_ledger(office: Office) -> None:
    customer, item = office.customer(), office.stocked_item()
    body = {"customerId": customer["id"], "salesInvoiceLines": [{"itemId": item["id"], "quantity": 3}]}
    invoice = office.post("salesInvoices", body)
    office.act(f"salesInvoices({invoice['id']})", "post")
    balances = office.send("GET", "trialBalances")["value"]
    posting = [row for row in balances if row["accountType"] == "Posting"]
    debit = sum(float(row["balanceAtDateDebit"] or 0) for row in posting)
    credit = sum(float(row["balanceAtDateCredit"] or 0) for row in posting)
    assert round(debit - credit, 2) == 0
    assert debit > 0


def test_a_rehearsed_order_leaves_nothing_behind(office: Office) -> None:
    customer, item = office.customer(), office.stocked_item()
    body = {"customerId": customer["id"], "salesOrderLines": [{"itemId": item["id"], "quantity": 1}]}
    order = office.post("salesOrders", body)
    place = f"salesOrders({order['id']})/Microsoft.NAV.shipAndInvoice"
    shown = office.send("POST", place, headers={"X-Sandbox-Preview": "true"})
    assert {"salesInvoices", "salesShipments", "generalLedgerEntries", "itemLedgerEntries"} <= shown["changes"].keys()
    assert office.find("salesInvoices", f"customerId eq {customer['id']}") == []
    assert office.send("GET", f"items({item['id']})")["inventory"] == 50
