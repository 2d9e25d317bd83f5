"""Random business through the API: whatever clients ask for, the books hold."""

import json
import random
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from batuta.sandbox.records import Records
from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.service import Sandbox
from tests.unit.sandbox.business.shop import TODAY

DRAFTS = {
    "salesQuotes": "makeOrder", "salesOrders": "shipAndInvoice", "salesInvoices": "post", "salesCreditMemos": "post",
    "purchaseOrders": "receiveAndInvoice", "purchaseInvoices": "post", "purchaseCreditMemos": "post",
}  # fmt: skip
PRICES = {"purchaseOrders": "directUnitCost", "purchaseInvoices": "unitCost", "purchaseCreditMemos": "unitCost"}


@dataclass(kw_only=True)
class RandomClient:
    """Makes documents, changes, posts, cancels and pays them by lot; counts what the service answered."""

    sandbox: Sandbox
    company: str
    rng: random.Random
    answers: dict[int, int] = field(default_factory=dict)
    documents: int = 0
    number: int = 0

    @property
    def records(self) -> Records:
        return self.sandbox.store.records(self.company)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> SandboxResponse:
        url = f"/v2.0/sandbox/api/v2.0/companies({self.company})/{path}"
        response = self.send(method, url, body, **headers)
        assert response.status < 500, (method, path, body, response.body)
        self.answers[response.status] = self.answers.get(response.status, 0) + 1
        return response

    def send(self, method: str, url: str, body: Any = None, **headers: str) -> SandboxResponse:
        data = b"" if body is None else json.dumps(body).encode()
        given = {
            "Content-Type": "application/json",
            "If-Match": "*",
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        return self.sandbox.handle(SandboxRequest.of(method, url, given, data))

    def prepare(self) -> None:
        """Master data to trade with."""
        for at, (country, currency) in enumerate((("ES", "EUR"), ("FR", "EUR"), ("US", "USD"), ("ES", "EUR"))):
            names = {"displayName": f"Party {at}", "country": country, "currencyCode": currency}
            assert self.call("POST", "customers", names).status == 201
            assert self.call("POST", "vendors", names).status == 201
        for at, (kind, group) in enumerate(
            (("Inventory", "STANDARD"), ("Inventory", "REDUCED"), ("Service", "STANDARD"), ("Inventory", "ZERO"))
        ):
            item = {
                "displayName": f"Item {at}",
                "type": kind,
                "taxGroupCode": group,
                "unitPrice": 19.99,
                "unitCost": 7.77,
            }
            assert self.call("POST", "items", item).status == 201

    def step(self) -> None:
        """One act of a client; refusals are part of life."""
        acts = (self.make, self.make, self.make, self.post, self.post, self.post, self.change_line, self.pay, self.pay,
                self.cancel, self.adjust, self.partly, self.journal, self.change_header)  # fmt: skip
        self.rng.choice(acts)()

    def make(self) -> None:
        set_name = self.rng.choice(list(DRAFTS))
        is_purchase = set_name.startswith("purchase")
        party = self._any("vendors" if is_purchase else "customers")
        day = (TODAY - timedelta(days=self.rng.randint(0, 150))).isoformat()
        body: dict[str, Any] = {("vendorId" if is_purchase else "customerId"): party, "postingDate": day}
        if self.rng.random() < 0.2:
            body["discountAmount"] = self.rng.choice([1, 2.5, 7])
        self.number += 1
        if set_name == "purchaseInvoices":
            body["vendorInvoiceNumber"] = f"F{self.number}"
        if set_name == "purchaseCreditMemos":
            body["vendorCreditMemoNumber"] = f"C{self.number}"
        lines = set_name.removesuffix("s") + "Lines"
        body[lines] = [self._line(set_name) for _ in range(self.rng.randint(1, 4))]
        if self.call("POST", set_name, body).status == 201:
            self.documents += 1

    def _line(self, set_name: str) -> dict[str, Any]:
        line: dict[str, Any] = {"quantity": self.rng.choice([1, 2, 3, 7, 0.5, 12])}
        if self.rng.random() < 0.1:
            account = self.records.first("accounts", number="8310")
            line["accountId"] = account["id"] if account else ""
            line[PRICES.get(set_name, "unitPrice")] = 12.34
            return line
        line["itemId"] = self._any("items")
        if self.rng.random() < 0.5:
            line[PRICES.get(set_name, "unitPrice")] = self.rng.choice([0.01, 3.333, 19.99, 100, 0.00001])
        if self.rng.random() < 0.3:
            line["discountPercent"] = self.rng.choice([3, 12.5, 50, 100])
        return line

    def post(self) -> None:
        set_name = self.rng.choice(list(DRAFTS))
        row = self._any_row(set_name)
        if row:
            self.call("POST", f"{set_name}({row})/Microsoft.NAV.{DRAFTS[set_name]}")

    def partly(self) -> None:
        """Ship or receive some of an order, invoice some of it."""
        set_name = self.rng.choice(["salesOrders", "purchaseOrders"])
        lines = set_name.removesuffix("s") + "Lines"
        found = self.records.sql(f"SELECT id, quantity, documentId FROM {lines} WHERE company = ?", (self.company,))
        if not found:
            return
        line, quantity, document = self.rng.choice(found)
        part = round(self.rng.random() * quantity / 100_000, 2)
        moved = "shipQuantity" if set_name == "salesOrders" else "receiveQuantity"
        self.call("PATCH", f"{lines}({line})", {moved: part, "invoiceQuantity": self.rng.choice([0, part])})
        self.call("POST", f"{set_name}({document})/Microsoft.NAV.{DRAFTS[set_name]}")

    def change_header(self) -> None:
        """Give a draft to somebody else, in another currency, with another discount; or throw it away."""
        set_name = self.rng.choice(list(DRAFTS))
        row = self._any_row(set_name)
        if row is None:
            return
        if self.rng.random() < 0.2:
            self.call("DELETE", f"{set_name}({row})")
            return
        is_purchase = set_name.startswith("purchase")
        party = self._any("vendors" if is_purchase else "customers")
        changes: list[dict[str, Any]] = [
            {("vendorId" if is_purchase else "customerId"): party}, {"currencyCode": "USD"}, {"currencyCode": "EUR"},
            {"discountAmount": 3.335}, {"discountAmount": 5000}, {"pricesIncludeTax": True},
        ]  # fmt: skip
        self.call("PATCH", f"{set_name}({row})", self.rng.choice(changes))

    def change_line(self) -> None:
        set_name = self.rng.choice(list(DRAFTS)).removesuffix("s") + "Lines"
        row = self._any_row(set_name)
        if row and self.rng.random() < 0.8:
            self.call("PATCH", f"{set_name}({row})", {"quantity": self.rng.choice([1, 4, 2.75, 0])})
        elif row:
            self.call("DELETE", f"{set_name}({row})")

    def pay(self) -> None:
        party = self.rng.choice(["customer", "vendor"])
        invoices = "salesInvoices" if party == "customer" else "purchaseInvoices"
        found = self.records.sql(
            f"SELECT id, {party}Id, totalAmountIncludingTax FROM {invoices} WHERE company = ? AND status = 'Open'",
            (self.company,),
        )
        if not found:
            return
        invoice, owner, amount = self.rng.choice(found)
        share = self.rng.choice([1, 1, 0.5, 1.2])
        paid = round(amount / 100_000 * share, 2) or 1
        journal = self.records.first(f"{party}PaymentJournals", code="BANK") or {}
        body = {
            "journalId": journal["id"], f"{party}Id": owner, "amount": -paid if party == "customer" else paid,
            "appliesToInvoiceId": invoice, "postingDate": TODAY.isoformat(),
        }  # fmt: skip
        if self.call("POST", f"{party}Payments", body).status == 201:
            self.documents += 1
        self.call("POST", f"journals({journal['id']})/Microsoft.NAV.post")
        self.empty(f"{party}Payments", str(journal["id"]))

    def empty(self, set_name: str, journal: str) -> None:
        """Take out lines that could not be posted, so that the journal is usable again."""
        for row in self.records.find(set_name, journalId=journal):
            self.call("DELETE", f"{set_name}({row['id']})")

    def journal(self) -> None:
        journal = self.records.first("journals", code="DEFAULT") or {}
        amount = self.rng.choice([10, 99.99, 1234.567, 0.004])
        for account, signed in (("8110", amount), ("2920", -amount if self.rng.random() < 0.8 else 1)):
            self.call("POST", f"journals({journal['id']})/journalLines", {"accountNumber": account, "amount": signed})
        if self.call("POST", f"journals({journal['id']})/Microsoft.NAV.post").status == 204:
            self.documents += 1
        self.empty("journalLines", str(journal["id"]))

    def cancel(self) -> None:
        set_name, action = self.rng.choice(
            [("salesInvoices", "cancel"), ("salesInvoices", "makeCorrectiveCreditMemo"), ("salesCreditMemos", "cancel"),
             ("purchaseCreditMemos", "cancel")]
        )  # fmt: skip
        row = self._any_row(set_name)
        if row:
            self.call("POST", f"{set_name}({row})/Microsoft.NAV.{action}")

    def adjust(self) -> None:
        self.call("PATCH", f"items({self._any('items')})", {"inventory": self.rng.randint(-3, 60)})

    def _any(self, set_name: str) -> str:
        return str(self.rng.choice(self.records.find(set_name))["id"])

    def _any_row(self, set_name: str) -> str | None:
        found = self.records.sql(
            f'SELECT id FROM "{set_name}" WHERE company = ? ORDER BY rowid DESC LIMIT 12', (self.company,)
        )
        return str(self.rng.choice(found)[0]) if found else None
