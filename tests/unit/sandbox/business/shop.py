"""A small company to test behaviour with: what a client does, in few words."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal as Dec
from typing import Any

import pytest

from batuta.sandbox.behaviour import Behaviour, FlowFilter
from batuta.sandbox.errors import SandboxError
from batuta.sandbox.records import Records, SandboxStore

TODAY = date(2026, 6, 15)
Row = dict[str, Any]


class Shop:
    """The records of a company with the calls of the API around them, each in a transaction of its own."""

    def __init__(self, store: SandboxStore, behaviour: Behaviour, company: str) -> None:
        self.store = store
        self.behaviour = behaviour
        self.records: Records = store.records(company)

    def create(self, set_name: str, **values: Any) -> Row:
        with self.store.transaction():
            return self.behaviour.create(self.records, set_name, values)

    def change(self, set_name: str, row: Row, **changes: Any) -> Row:
        with self.store.transaction():
            return self.behaviour.change(self.records, set_name, self.again(set_name, row), changes)

    def remove(self, set_name: str, row: Row) -> None:
        with self.store.transaction():
            self.behaviour.remove(self.records, set_name, self.again(set_name, row))

    def act(self, set_name: str, name: str, row: Row) -> None:
        with self.store.transaction():
            self.behaviour.act(self.records, set_name, name, self.again(set_name, row), {})

    def again(self, set_name: str, row: Row) -> Row:
        """The record as it stands now."""
        found = self.records.get(set_name, *self.records.key_of(set_name, row))
        assert found is not None
        return found

    def find(self, set_name: str, **equals: Any) -> list[Row]:
        return self.records.find(set_name, **equals)

    def one(self, set_name: str, **equals: Any) -> Row:
        found = self.find(set_name, **equals)
        assert len(found) == 1, found
        return found[0]

    def report(self, set_name: str, **filters: FlowFilter) -> list[Row]:
        return list(self.behaviour.reports[set_name](self.records, filters))

    @contextmanager
    def refused(self, words: str) -> Iterator[None]:
        """The call inside is refused in these words, and nothing of it is kept."""
        before = self.fingerprint()
        with pytest.raises(SandboxError, match=words):
            yield
        assert self.fingerprint() == before

    def fingerprint(self) -> list[tuple[Any, ...]]:
        tables = ("generalLedgerEntries", "itemLedgerEntries", "salesInvoices", "salesOrders", "salesOrderLines",
                  "purchaseInvoices", "purchaseOrders", "customers", "items", "journalLines", "customerPayments",
                  "dimensionSetLines", "_party_entries", "_numbers", "_stock", "salesShipments")  # fmt: skip
        version = {name: '"_version"' if not name.startswith("_") else "1" for name in tables}
        return [self.records.sql(f'SELECT COUNT(*), SUM({version[name]}) FROM "{name}"')[0] for name in tables]

    def booked(self, document_number: object) -> dict[str, Any]:
        """Debit less credit by account of one document."""
        sums: dict[str, Dec] = {}
        for entry in self.find("generalLedgerEntries", documentNumber=str(document_number)):
            amount = entry["debitAmount"] - entry["creditAmount"]
            sums[str(entry["accountNumber"])] = sums.get(str(entry["accountNumber"]), Dec(0)) + amount
        return {account: amount for account, amount in sums.items() if amount}

    def customer(self, **values: Any) -> Row:
        return self.create("customers", **{"displayName": "Jardines Marola", **values})

    def vendor(self, **values: Any) -> Row:
        return self.create("vendors", **{"displayName": "Maderas Urbasa", **values})

    def item(self, stock: Any = 0, **values: Any) -> Row:
        """An item at 100, of cost 60, with some in stock."""
        prices = {"unitPrice": Dec(100), "unitCost": Dec(60)}
        row = self.create("items", **{"displayName": "Mesa Sabina", **prices, **values})
        return self.change("items", row, inventory=Dec(stock)) if stock else row

    def document(self, set_name: str, party: Row, *lines: Row, **values: Any) -> Row:
        """A draft with lines."""
        key = "vendorId" if set_name.startswith("purchase") else "customerId"
        header = self.create(set_name, **{key: party["id"], **values})
        for line in lines:
            self.create(set_name.removesuffix("s") + "Lines", documentId=header["id"], **line)
        return self.again(set_name, header)

    def line(self, item: Row, quantity: int | str = 1, **values: Any) -> Row:
        return {"itemId": item["id"], "quantity": Dec(quantity), **values}

    def lines(self, set_name: str, document: Row) -> list[Row]:
        return self.find(set_name.removesuffix("s") + "Lines", documentId=document["id"])

    def sold(self, *, quantity: int = 2, customer: Row | None = None, item: Row | None = None, **values: Any) -> Row:
        """A posted sales invoice."""
        party = customer or self.customer()
        row = self.document("salesInvoices", party, self.line(item or self.item(stock=20), quantity), **values)
        self.act("salesInvoices", "post", row)
        return self.again("salesInvoices", row)

    def bought(self, *, quantity: int = 2, vendor: Row | None = None, item: Row | None = None, **values: Any) -> Row:
        """A posted purchase invoice."""
        party = vendor or self.vendor()
        numbers = {"vendorInvoiceNumber": "F-1", **values}
        row = self.document("purchaseInvoices", party, self.line(item or self.item(), quantity), **numbers)
        self.act("purchaseInvoices", "post", row)
        return self.again("purchaseInvoices", row)

    def journal(self, kind: str = "customerPaymentJournals") -> Row:
        return self.one(kind, code="DEFAULT" if kind == "journals" else "BANK")

    def paid(self, invoice: Row, amount: str | None = None, **values: Any) -> None:
        """Register and post a payment of an invoice."""
        is_sale = "customerId" in invoice
        party = "customer" if is_sale else "vendor"
        total = Dec(amount) if amount else invoice["totalAmountIncludingTax"]
        journal = self.journal(f"{party}PaymentJournals")
        self.create(
            f"{party}Payments",
            **{
                "journalId": journal["id"],
                f"{party}Id": invoice[f"{party}Id"],
                "amount": -total if is_sale else total,
                "appliesToInvoiceId": invoice["id"],
                **values,
            },
        )
        self.act("journals", "post", self.one("journals", id=journal["id"]))

    def dimension(self, code: str) -> Row:
        return self.one("dimensions", code=code)

    def dimension_value(self, code: str, value: str) -> Row:
        return self.one("dimensionValues", dimensionId=self.dimension(code)["id"], code=value)

    def preset(self, owner: Row, code: str, value: str, **more: Any) -> Row:
        return self.create(
            "defaultDimensions",
            parentId=owner["id"],
            dimensionId=self.dimension(code)["id"],
            dimensionValueId=self.dimension_value(code, value)["id"],
            **more,
        )

    def dimensions(self, row: Row) -> dict[str, str]:
        found = self.find("dimensionSetLines", parentId=row["id"])
        return {str(each["code"]): str(each["valueCode"]) for each in found}
