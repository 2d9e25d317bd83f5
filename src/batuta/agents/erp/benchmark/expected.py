"""The right answers, from raw reads and nothing else: no measure, no catalogue, no code of the agent is used here.

await RawBooks.read(connector, company_id, today) -> EXPECTED["receivables_by_customer"](books, {...})
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from batuta.connectors.erp import ErpConnector, RecordQuery

Table = dict[str, Decimal]
RawRow = Mapping[str, Any]
ENTITIES = (
    "customers", "vendors", "items", "salesInvoices", "salesCreditMemos", "salesOrders", "salesQuotes",
    "purchaseInvoices", "purchaseCreditMemos", "purchaseOrders", "itemLedgerEntries", "generalLedgerEntries",
    "accounts", "agedAccountsReceivables", "agedAccountsPayables", "currencyExchangeRates",
)  # fmt: skip
WITH_LINES = {"salesOrders": ("salesOrderLines",)}
POSTED = frozenset({"Open", "Paid", "Canceled", "Corrective"})
CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawBooks:
    """Everything of one company, as it was read."""

    rows: Mapping[str, list[RawRow]]
    today: date
    currency: str

    @classmethod
    async def read(cls, connector: ErpConnector, company_id: str, *, today: date, currency: str) -> "RawBooks":
        """Read every entity whole."""
        rows: dict[str, list[RawRow]] = {}
        for entity in ENTITIES:
            rows[entity] = []
            query = RecordQuery(entity=entity, expand=WITH_LINES.get(entity, ()))
            async for page in connector.pages(company_id, query):
                rows[entity] += [record.values for record in page.records]
        return cls(rows=rows, today=today, currency=currency)

    def local(self, row: RawRow, amount: str, day: str = "postingDate") -> Decimal:
        """An amount of a document in the local currency."""
        value = Decimal(row[amount])
        if row.get("currencyCode", self.currency) in ("", self.currency):
            return value
        rates = [
            (rate["startingDate"], Decimal(rate["relationalExchangeRateAmount"]) / Decimal(rate["exchangeRateAmount"]))
            for rate in self.rows["currencyExchangeRates"]
            if rate["currencyCode"] == row["currencyCode"] and rate["startingDate"] <= row[day]
        ]
        return (value * max(rates)[1]).quantize(CENT, rounding=ROUND_HALF_UP)

    def posted(self, entity: str, first: str, last: str) -> list[RawRow]:
        """Posted documents of a stretch of days."""
        return [row for row in self.rows[entity] if row["status"] in POSTED and first <= row["postingDate"] <= last]

    def named(self, entity: str, key: str = "number") -> Mapping[str, RawRow]:
        """Records by a field."""
        return {str(row[key]): row for row in self.rows[entity]}


Facts = Mapping[str, Any]


def summed(pairs: Iterable[tuple[str, Decimal]]) -> Table:
    """Amounts added up by name."""
    table: Table = {}
    for name, amount in pairs:
        table[name] = table.get(name, Decimal(0)) + amount
    return table


def _days(books: RawBooks, facts: Facts) -> tuple[str, str]:
    first = facts.get("first", books.today.replace(month=1, day=1).isoformat())
    return str(first), str(facts.get("last", books.today.isoformat()))


def _sales_documents(books: RawBooks, facts: Facts) -> list[tuple[RawRow, Decimal]]:
    first, last = _days(books, facts)
    amount = facts.get("amount", "totalAmountExcludingTax")
    found = [(row, books.local(row, amount)) for row in books.posted("salesInvoices", first, last)]
    found += [(row, -books.local(row, amount)) for row in books.posted("salesCreditMemos", first, last)]
    for field, value in facts.get("where", {}).items():
        found = [(row, value_of) for row, value_of in found if row[field] == value]
    return found


def sales(books: RawBooks, facts: Facts) -> Table:
    """Posted invoices less credit memos, by a field of the document, by month, or in all."""
    by = facts.get("by")
    return summed((_bucket(row, by), amount) for row, amount in _sales_documents(books, facts))


def _bucket(row: RawRow, by: str | None) -> str:
    if by is None:
        return ""
    day = str(row["postingDate"])
    return {
        "month": day[:7],
        "quarter": f"{day[:4]}-Q{(int(day[5:7]) + 2) // 3}",
        "year": day[:4],
    }.get(by) or str(row[by])


def invoice_count(books: RawBooks, facts: Facts) -> Table:
    """How many invoices were posted."""
    first, last = _days(books, facts)
    by = facts.get("by")
    return summed((_bucket(row, by), Decimal(1)) for row in books.posted("salesInvoices", first, last))


def receivables(books: RawBooks, facts: Facts) -> Table:
    """What customers owe by the ledger's own report."""
    rows = [row for row in books.rows["agedAccountsReceivables"] if row["customerNumber"]]
    by = facts.get("by")
    customers = books.named("customers")
    table = summed(
        ("" if by is None else str(row["name"]) if by == "name" else str(customers[row["customerNumber"]][by]),
         Decimal(row["balanceDue"]))
        for row in rows
    )  # fmt: skip
    return {name: amount for name, amount in table.items() if amount or by is None}


def overdue(books: RawBooks, facts: Facts) -> Table:
    """Open invoices due before today, or longer ago."""
    limit = (books.today - timedelta(days=int(facts.get("late_by", 0)))).isoformat()
    by = facts.get("by")
    return summed(
        ("" if by is None else str(row[by]), books.local(row, "remainingAmount"))
        for row in books.rows["salesInvoices"]
        if row["status"] == "Open" and row["dueDate"] < limit
    )


def due(books: RawBooks, facts: Facts) -> Table:
    """Open invoices by the day they fall due."""
    by = facts.get("by")
    return summed(
        ("" if by is None else str(row[by]), books.local(row, "remainingAmount"))
        for row in books.rows["salesInvoices"]
        if row["status"] == "Open" and facts["first"] <= row["dueDate"] <= facts["last"]
    )


def absent(books: RawBooks, facts: Facts) -> Table:
    """Customers without a posted invoice, or stocked items without a sale, each counted as one."""
    first, last = _days(books, facts)
    if facts["entity"] == "customers":
        present = {row["customerNumber"] for row in books.posted("salesInvoices", first, last)}
    else:
        entries = [row for row in books.rows["itemLedgerEntries"] if row["entryType"] == "Sale"]
        present = {row["itemNumber"] for row in entries if first <= row["postingDate"] <= last and row["quantity"] < 0}
    return {
        str(row["displayName"]): Decimal(1)
        for row in books.rows[facts["entity"]]
        if row["number"] not in present and row.get("type", "Inventory") in ("Inventory", "Company", "Person")
    }


def buyers(books: RawBooks, facts: Facts) -> Table:
    """Customers with a posted invoice, each counted as one."""
    rows = books.posted("salesInvoices", *_days(books, facts))
    return {str(row["customerName"]): Decimal(1) for row in rows}


def idle(books: RawBooks, facts: Facts) -> Table:
    """Stocked items without any entry of the item ledger, each counted as one."""
    first, last = _days(books, facts)
    moved = {row["itemNumber"] for row in books.rows["itemLedgerEntries"] if first <= row["postingDate"] <= last}
    return {
        str(row["displayName"]): Decimal(1)
        for row in books.rows["items"]
        if row["type"] == "Inventory" and row["number"] not in moved
    }


def newcomers(books: RawBooks, facts: Facts) -> Table:
    """Customers whose first posted invoice lies in a stretch of days, each counted as one."""
    first, last = _days(books, facts)
    began: dict[str, str] = {}
    for row in books.posted("salesInvoices", "", "9999"):
        began[row["customerName"]] = min(row["postingDate"], began.get(row["customerName"], "9999"))
    return {name: Decimal(1) for name, day in began.items() if first <= day <= last}


def credit_excess(books: RawBooks, facts: Facts) -> Table:
    """What customers owe beyond their credit limit, by the ledger's own report."""
    owed = {row["customerNumber"]: Decimal(row["balanceDue"]) for row in books.rows["agedAccountsReceivables"]}
    rests = {
        str(row["displayName"]): owed.get(row["number"], Decimal(0)) - Decimal(row["creditLimit"])
        for row in books.rows["customers"]
        if row["creditLimit"]
    }
    return {name: rest for name, rest in rests.items() if rest > 0}


def invoices(books: RawBooks, facts: Facts) -> Table:
    """Posted invoices, each by its number."""
    first, last = _days(books, facts)
    return summed(
        (str(row["number"]), books.local(row, "totalAmountExcludingTax"))
        for row in books.posted("salesInvoices", first, last)
    )


def credited(books: RawBooks, facts: Facts) -> Table:
    """Posted credit memos by a field."""
    rows = books.posted("salesCreditMemos", *_days(books, facts))
    return summed((str(row[facts["by"]]), books.local(row, "totalAmountExcludingTax")) for row in rows)


def payments(books: RawBooks, facts: Facts) -> Table:
    """Payments in or out of the cash and bank accounts; of one party those whose text is its name."""
    first, last = _days(books, facts)
    accounts = {row["number"] for row in books.rows["accounts"] if "Cash" in row["subCategory"]}
    entries = [
        row
        for row in books.rows["generalLedgerEntries"]
        if row["documentType"] == "Payment"
        and row["accountNumber"] in accounts
        and first <= row["postingDate"] <= last
        and facts.get("party") in (None, row["description"])
    ]
    return {"": sum((Decimal(row[facts["side"]]) for row in entries), Decimal(0))}


def within(books: RawBooks, facts: Facts) -> Table:
    """The rows of another table above or below an amount, one of them, those but some, or the one at a place."""
    table = EXPECTED[facts["table"]["of"]](books, facts["table"])
    least, most = Decimal(facts.get("above", "-1e12")), Decimal(facts.get("below", "1e12"))
    one, left_out = facts.get("name"), facts.get("without", ())
    kept = {
        name: amount
        for name, amount in table.items()
        if least < amount < most and one in (None, name) and name not in left_out
    }
    if place := facts.get("place"):
        kept = dict(sorted(kept.items(), key=lambda row: -row[1])[place - 1 : place])
    return {"": sum(kept.values(), Decimal(0))} if facts.get("is_total") else kept


def vat(books: RawBooks, facts: Facts) -> Table:
    """VAT of posted sales less that of posted purchases, credit memos the other way round."""
    first, last = _days(books, facts)
    signs = {"salesInvoices": 1, "salesCreditMemos": -1, "purchaseInvoices": -1, "purchaseCreditMemos": 1}
    amounts = (
        sign * books.local(row, "totalTaxAmount")
        for entity, sign in signs.items()
        for row in books.posted(entity, first, last)
    )
    return {"": sum(amounts, Decimal(0))}


def unpaid_count(books: RawBooks, facts: Facts) -> Table:
    """How many posted invoices are open, or open and past their due date."""
    limit = books.today.isoformat() if facts.get("is_late") else "9999"
    open_ones = [row for row in books.rows["salesInvoices"] if row["status"] == "Open" and row["dueDate"] < limit]
    return {"": Decimal(len(open_ones))}


def left_to_ship(books: RawBooks, facts: Facts) -> Table:
    """What is not shipped of the lines of sales orders, at their net amount."""
    by = facts.get("by")
    found = []
    for row in books.rows["salesOrders"]:
        for line in row["salesOrderLines"] if not row["fullyShipped"] else ():
            rest = Decimal(line["quantity"]) - Decimal(line["shippedQuantity"])
            amount = Decimal(line["netAmount"]) * rest / Decimal(line["quantity"])
            worth = {**row, "rest": amount.quantize(CENT, rounding=ROUND_HALF_UP)}
            found.append(("" if by is None else str(row[by]), books.local(worth, "rest", "orderDate")))
    return summed(found)


def payables(books: RawBooks, facts: Facts) -> Table:
    """What is owed to vendors by the ledger's own report."""
    rows = [row for row in books.rows["agedAccountsPayables"] if row["vendorNumber"]]
    table = summed(("" if facts.get("by") is None else str(row["name"]), Decimal(row["balanceDue"])) for row in rows)
    return {name: amount for name, amount in table.items() if amount or facts.get("by") is None}


def purchases(books: RawBooks, facts: Facts) -> Table:
    """Posted purchase invoices less credit memos."""
    first, last = _days(books, facts)
    by = facts.get("by")
    pairs = [
        (_bucket(row, by), books.local(row, "totalAmountExcludingTax"))
        for row in books.posted("purchaseInvoices", first, last)
    ]
    pairs += [
        (_bucket(row, by), -books.local(row, "totalAmountExcludingTax"))
        for row in books.posted("purchaseCreditMemos", first, last)
    ]
    return summed(pairs)


def item_entries(books: RawBooks, facts: Facts) -> Table:
    """Sale entries of the item ledger: `amount` names the fields that are added."""
    first, last = _days(books, facts)
    items = books.named("items")
    by = facts.get("by")
    entries = [
        row
        for row in books.rows["itemLedgerEntries"]
        if row["entryType"] == "Sale" and first <= row["postingDate"] <= last
    ]
    return summed(
        (
            "" if by is None else str(items[row["itemNumber"]][by]),
            sum((-Decimal(row[f[1:]]) if f.startswith("-") else Decimal(row[f]) for f in facts["amount"]), Decimal(0)),
        )
        for row in entries
    )


def stock(books: RawBooks, facts: Facts) -> Table:
    """All movements of items: cost or quantity."""
    items = books.named("items")
    by = facts.get("by")
    return summed(
        ("" if by is None else str(items[row["itemNumber"]][by]), Decimal(row[facts["amount"]]))
        for row in books.rows["itemLedgerEntries"]
    )


def orders(books: RawBooks, facts: Facts) -> Table:
    """Sales orders that are not shipped in full, or those of them whose delivery date is past."""
    by = facts.get("by")
    rows = [row for row in books.rows["salesOrders"] if not row["fullyShipped"]]
    if facts.get("is_late"):
        rows = [row for row in rows if "0001-01-01" < row["requestedDeliveryDate"] < books.today.isoformat()]
    return summed(
        (
            "" if by is None else str(row[by]),
            Decimal(1) if facts.get("count") else books.local(row, "totalAmountExcludingTax", "orderDate"),
        )
        for row in rows
    )


def quotes(books: RawBooks, facts: Facts) -> Table:
    """Quotes."""
    rows = books.rows["salesQuotes"]
    return {"": sum((books.local(row, "totalAmountExcludingTax", "documentDate") for row in rows), Decimal(0))}


def ledger(books: RawBooks, facts: Facts) -> Table:
    """Credit less debit of the posting accounts of some categories, or of those with certain numbers."""
    first, last = _days(books, facts) if facts.get("is_flow", True) else ("", "9999")
    accounts = {
        row["number"]: row
        for row in books.rows["accounts"]
        if row["accountType"] == "Posting"
        and row["category"].replace("_x0020_", " ") in facts["categories"]
        and facts.get("within", "") in row["subCategory"]
        and row["number"] in facts.get("numbers", [row["number"]])
    }
    sign = -1 if facts.get("is_debit") else 1
    by = facts.get("by")
    return summed(
        (
            "" if by is None else str(accounts[row["accountNumber"]][by]),
            sign * (row["creditAmount"] - row["debitAmount"]),
        )
        for row in books.rows["generalLedgerEntries"]
        if row["accountNumber"] in accounts and first <= row["postingDate"] <= last
    )


def counted(books: RawBooks, facts: Facts) -> Table:
    """How many records there are."""
    return {"": Decimal(len(books.rows[facts["entity"]]))}


def ratio(books: RawBooks, facts: Facts) -> Table:
    """One table over another, two decimals."""
    over = EXPECTED[facts["over"]["of"]](books, facts["over"])
    by = EXPECTED[facts["under"]["of"]](books, facts["under"])
    scale = Decimal(facts.get("scale", 1))
    return {
        name: (amount * scale / by[name]).quantize(CENT, rounding=ROUND_HALF_UP)
        for name, amount in over.items()
        if by.get(name)
    }


def mean(books: RawBooks, facts: Facts) -> Table:
    """The total of another table over so many parts."""
    total = sum(EXPECTED[facts["table"]["of"]](books, facts["table"]).values(), Decimal(0))
    return {"": (total / facts["parts"]).quantize(CENT, rounding=ROUND_HALF_UP)}


def item_quantities(books: RawBooks, facts: Facts) -> Table:
    """Pieces that were bought or sold, of one item or with one party."""
    first, last = _days(books, facts)
    names = {number: str(row["displayName"]) for number, row in books.named(facts["parties"]).items()}
    items = books.named("items")
    entries = [
        row
        for row in books.rows["itemLedgerEntries"]
        if row["entryType"] == facts["entry_type"]
        and first <= row["postingDate"] <= last
        and facts["party"] == names.get(row["sourceNumber"])
        and facts.get("item") in (None, items[row["itemNumber"]]["displayName"])
    ]
    return {"": abs(sum((Decimal(row["quantity"]) for row in entries), Decimal(0)))}


EXPECTED: Mapping[str, Callable[[RawBooks, Facts], Table]] = {
    one.__name__: one
    for one in (
        sales, invoice_count, receivables, overdue, due, absent, buyers, idle, newcomers, credit_excess, invoices,
        credited, payments, within, payables,
        purchases, item_entries, stock, orders, quotes, ledger, vat, unpaid_count, left_to_ship,
        counted, ratio, mean, item_quantities,
    )
}  # fmt: skip


def field_of(books: RawBooks, facts: Facts) -> str | Decimal:
    """A field of one record."""
    row = next(row for row in books.rows[facts["entity"]] if row["displayName"] == facts["name"])
    value = row[facts["field"]]
    return Decimal(value) if isinstance(value, (int, Decimal)) and not isinstance(value, bool) else str(value)


def extreme(books: RawBooks, facts: Facts) -> str:
    """The name of the record whose field is the largest or the smallest."""
    choose = max if facts.get("is_largest", True) else min
    return str(choose(books.rows[facts["entity"]], key=lambda row: Decimal(row[facts["field"]]))["displayName"])


def owed_by(books: RawBooks, facts: Facts) -> Decimal:
    """What one customer owes by the ledger's own report."""
    return receivables(books, {"by": "name"}).get(facts["name"], Decimal(0))


def first_debtor_field(books: RawBooks, facts: Facts) -> str | Decimal:
    """A field of the customer who owes the most."""
    owed = receivables(books, {"by": "name"})
    return field_of(books, {**facts, "entity": "customers", "name": max(owed, key=lambda name: owed[name])})


def first_creditor_due(books: RawBooks, facts: Facts) -> str:
    """When the first open invoice of the vendor falls due to whom most is owed."""
    owed = payables(books, {"by": "name"})
    vendor = max(owed, key=lambda name: owed[name])
    bills = [row for row in books.rows["purchaseInvoices"] if row["status"] == "Open" and row["vendorName"] == vendor]
    return min(str(row["dueDate"]) for row in bills)


def largest_invoice_customer(books: RawBooks, facts: Facts) -> str:
    """Whose the largest posted invoice of some days is."""
    rows = books.posted("salesInvoices", *_days(books, facts))
    return str(max(rows, key=lambda row: books.local(row, "totalAmountExcludingTax"))["customerName"])


def last_payment(books: RawBooks, facts: Facts) -> str:
    """The day of the newest payment in the ledger that names a customer."""
    return max(
        str(row["postingDate"])
        for row in books.rows["generalLedgerEntries"]
        if row["documentType"] == "Payment" and row["description"] == facts["name"] and row["creditAmount"]
    )


def last_trade(books: RawBooks, facts: Facts) -> str:
    """The day of the newest sale or purchase of an item that was no return."""
    number = next(row["number"] for row in books.rows["items"] if row["displayName"] == facts["name"])
    sign = -1 if facts["entry_type"] == "Sale" else 1
    return max(
        str(row["postingDate"])
        for row in books.rows["itemLedgerEntries"]
        if row["itemNumber"] == number and row["entryType"] == facts["entry_type"] and row["quantity"] * sign > 0
    )


SAID: Mapping[str, Callable[[RawBooks, Facts], str | Decimal]] = {
    one.__name__: one for one in (
        field_of, extreme, owed_by, last_payment, last_trade, first_debtor_field, first_creditor_due,
        largest_invoice_customer,
    )
}  # fmt: skip
"""What the answer itself must say, where no figure is computed."""


def as_said(value: str | Decimal, language: str) -> str:
    """A value as an answer has it: an amount in the manner of the language."""
    if isinstance(value, str):
        return value
    plain = f"{value:,.2f}"
    return plain.translate(str.maketrans(",.", ".,")) if language == "es" else plain
