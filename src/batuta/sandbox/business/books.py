"""Writes a posting into the books of a company: general ledger, customers and vendors, stock, tax."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from batuta.sandbox.business.company import company_setup
from batuta.sandbox.business.dimensions import DimensionWriter
from batuta.sandbox.business.fields import day, is_set, text
from batuta.sandbox.business.series import take_count
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import ZERO
from batuta.sandbox.ledger.costing import StockCost
from batuta.sandbox.ledger.entries import (
    NOTHING_ACCRUED,
    AccountEntry,
    Accrual,
    EntryKind,
    Party,
    PartyEntry,
    Posting,
    StockEntry,
)
from batuta.sandbox.records import Records
from batuta.sandbox.values import from_scaled, to_scaled

_NO_SOURCE = "_x0020_"


@dataclass(frozen=True, kw_only=True)
class PostedDocument:
    """What all entries of a posting share."""

    number: str
    posting_date: date
    kind: EntryKind = EntryKind.NONE
    id: str = ""
    external_number: str = ""
    party: Party | None = None
    party_id: str = ""
    party_number: str = ""
    stock_entry: str = _NO_SOURCE
    stock_document: str = _NO_SOURCE
    stock_number: str = ""


def check_posting_date(records: Records, posting_date: date) -> None:
    """Refuse dates outside the period in which the company allows posting."""
    if not is_set(posting_date):
        raise ApplicationError("Posting Date must have a value.")
    setup = (records.find("generalLedgerSetup") or [{}])[0]
    first, last = day(setup, "allowPostingFrom"), day(setup, "allowPostingTo")
    if (is_set(first) and posting_date < first) or (is_set(last) and posting_date > last):
        raise ApplicationError(f"Posting Date {posting_date} is not within your range of allowed posting dates.")


def write_posting(records: Records, posting: Posting, document: PostedDocument) -> list[str]:
    """Store all entries; the ids of the customer and vendor entries in their order."""
    if posting.difference:
        raise ApplicationError(f"Document {document.number} is out of balance by {posting.difference}.")
    write_accounts(records, posting.accounts, document)
    _write_stock(records, posting.stock, document)
    _write_costs(records, posting)
    _write_taxes(records, posting, document)
    return [_write_party(records, entry, document) for entry in posting.parties]


def write_accounts(records: Records, entries: Sequence[AccountEntry], document: PostedDocument) -> None:
    """Entries of the general ledger with their dimensions, and the sums by account and day."""
    if not entries:
        return
    ids = _account_ids(records, entries)
    entry_number = take_count(records, "generalLedgerEntries", len(entries))
    dimensions = []
    for at, entry in enumerate(entries):
        row = records.insert(
            "generalLedgerEntries",
            {
                "entryNumber": entry_number + at,
                "postingDate": document.posting_date,
                "documentNumber": document.number,
                "documentType": document.kind.value,
                "accountId": ids[entry.account],
                "accountNumber": entry.account,
                "description": entry.description[:100],
                "debitAmount": max(entry.amount, ZERO),
                "creditAmount": max(-entry.amount, ZERO),
            },
        )
        dimensions.append((str(row["id"]), entry.dimensions))
    if any(each for _, each in dimensions):
        DimensionWriter(records).write("generalLedgerEntries", dimensions)
    records.sql_many(
        "INSERT INTO _account_days VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET debit = debit + excluded.debit, "
        "credit = credit + excluded.credit",
        [
            (
                records.company,
                entry.account,
                document.posting_date.isoformat(),
                to_scaled(max(entry.amount, ZERO)),
                to_scaled(max(-entry.amount, ZERO)),
            )
            for entry in entries
        ],
    )


def _account_ids(records: Records, entries: Sequence[AccountEntry]) -> dict[str, str]:
    numbers = sorted({entry.account for entry in entries})
    marks = ", ".join("?" * len(numbers))
    found = records.sql(
        f"SELECT number, id, blocked, accountType FROM accounts WHERE company = ? AND number IN ({marks})",
        (records.company, *numbers),
    )
    ids = {each[0]: each[1] for each in found}
    for missing in (each for each in numbers if each not in ids):
        raise ApplicationError(f"The account {missing} is not in the chart of accounts.")
    for account, _, blocked, kind in found:
        if blocked or kind != "Posting":
            raise ApplicationError(f"The account {account} cannot be posted to: it is blocked or a heading or total.")
    return ids


def stock_costs(records: Records, items: Sequence[str]) -> dict[str, StockCost]:
    """What is in stock of items, by number; an item without movements has the unit cost of its card."""
    marks = ", ".join("?" * len(items))
    statement = (
        "SELECT i.number, COALESCE(s.quantity, 0), COALESCE(s.value, 0), COALESCE(s.unit_cost, i.unitCost) "
        "FROM items i LEFT JOIN _stock s ON s.company = i.company AND s.item = i.number "
        f"WHERE i.company = ? AND i.number IN ({marks})"
    )
    found = records.sql(statement, (records.company, *items))
    return {
        item: StockCost(quantity=from_scaled(quantity), value=from_scaled(value), unit_cost=from_scaled(cost))
        for item, quantity, value, cost in found
    }


def accruals_of(records: Records, lines: Sequence[str]) -> dict[str, Accrual]:
    marks = ", ".join("?" * len(lines))
    found = records.sql(
        f"SELECT line, quantity, value FROM _accruals WHERE company = ? AND line IN ({marks})",
        (records.company, *lines),
    )
    return {line: Accrual(quantity=from_scaled(quantity), value=from_scaled(value)) for line, quantity, value in found}


def _write_stock(records: Records, entries: Sequence[StockEntry], document: PostedDocument) -> None:
    moved = [entry for entry in entries if entry.quantity]
    entry_number = take_count(records, "itemLedgerEntries", len(moved)) if moved else 0
    for at, entry in enumerate(moved):
        if entry.correction:
            _correct_sold(records, entry)
        records.insert(
            "itemLedgerEntries",
            {
                "entryNumber": entry_number + at,
                "itemNumber": entry.item,
                "postingDate": document.posting_date,
                "entryType": document.stock_entry,
                "sourceNumber": document.party_number,
                "sourceType": document.party.value if document.party else _NO_SOURCE,
                "documentNumber": document.stock_number or document.number,
                "documentType": document.stock_document,
                "quantity": entry.quantity,
                "salesAmountActual": entry.sales,
                "costAmountActual": entry.cost,
            },
        )
    for entry in (each for each in entries if not each.quantity and each.sales):
        _add_sales(records, entry, document)


def _correct_sold(records: Records, entry: StockEntry) -> None:
    """Goods arrived dearer or cheaper than what was sold before them: the latest sale takes the difference."""
    records.sql(
        "UPDATE itemLedgerEntries SET costAmountActual = costAmountActual - ?, _version = _version + 1 WHERE rowid = "
        "(SELECT rowid FROM itemLedgerEntries WHERE company = ? AND itemNumber = ? AND quantity < 0 "
        "ORDER BY entryNumber DESC LIMIT 1)",
        (to_scaled(entry.correction), records.company, entry.item),
    )


def _add_sales(records: Records, entry: StockEntry, document: PostedDocument) -> None:
    """Goods that were shipped earlier are invoiced now: their latest movement learns its sales amount."""
    records.sql(
        "UPDATE itemLedgerEntries SET salesAmountActual = salesAmountActual + ?, _version = _version + 1 WHERE rowid = "
        "(SELECT rowid FROM itemLedgerEntries WHERE company = ? AND itemNumber = ? AND sourceNumber = ? AND "
        "quantity < 0 ORDER BY entryNumber DESC LIMIT 1)",
        (to_scaled(entry.sales), records.company, entry.item, document.party_number),
    )


def _write_costs(records: Records, posting: Posting) -> None:
    moved = {entry.item for entry in posting.stock if entry.quantity}
    company = records.company
    costs = [(item, cost) for item, cost in posting.costs.items() if item in moved]
    records.sql_many(
        "INSERT OR REPLACE INTO _stock VALUES (?, ?, ?, ?, ?)",
        [(company, item, to_scaled(c.quantity), to_scaled(c.value), to_scaled(c.unit_cost)) for item, c in costs],
    )
    records.sql_many(
        "UPDATE items SET unitCost = ?1, _version = _version + 1 WHERE company = ?2 AND number = ?3 AND unitCost <> ?1",
        [(to_scaled(cost.unit_cost), company, item) for item, cost in costs],
    )
    records.sql_many(
        "INSERT OR REPLACE INTO _accruals VALUES (?, ?, ?, ?)",
        [(company, line, to_scaled(a.quantity), to_scaled(a.value)) for line, a in posting.accruals.items()],
    )
    records.sql_many(
        "DELETE FROM _accruals WHERE company = ? AND line = ?",
        [(company, line) for line, accrual in posting.accruals.items() if accrual == NOTHING_ACCRUED],
    )


def _write_taxes(records: Records, posting: Posting, document: PostedDocument) -> None:
    records.sql_many(
        "INSERT INTO _tax_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                records.company,
                document.party.value if document.party else "",
                document.number,
                document.posting_date.isoformat(),
                tax.business_group,
                tax.tax_group,
                to_scaled(tax.percent),
                to_scaled(tax.base),
                to_scaled(tax.tax),
                int(tax.is_reverse_charge),
            )
            for tax in posting.taxes
        ],
    )


def _write_party(records: Records, entry: PartyEntry, document: PostedDocument) -> str:
    entry_id = records.store.new_id()
    control = control_account(records, entry.party, entry.number)
    amount, local = to_scaled(entry.amount), to_scaled(entry.local)
    records.sql(
        "INSERT INTO _party_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            records.company,
            entry_id,
            take_count(records, "partyEntries"),
            entry.party.value,
            party_id(records, entry.party, entry.number),
            entry.kind.value,
            document.id,
            document.number,
            document.external_number,
            document.posting_date.isoformat(),
            entry.due.isoformat(),
            entry.currency,
            amount,
            local,
            amount,
            local,
            to_scaled(entry.sales_local),
            control,
            entry.description,
        ),
    )
    if entry.party is Party.VENDOR:
        _offer_for_application(records, entry_id, entry, document)
    return entry_id


def _offer_for_application(records: Records, entry_id: str, entry: PartyEntry, document: PostedDocument) -> None:
    """Open entries of vendors can be marked for a payment through the API."""
    vendor = records.first("vendors", number=entry.number) or {}
    records.insert(
        "applyVendorEntries",
        {
            "id": entry_id,
            "postingDate": document.posting_date,
            "documentType": entry.kind.value,
            "documentNumber": document.number,
            "externalDocumentNumber": document.external_number,
            "vendorNumber": entry.number,
            "vendorName": text(vendor, "displayName"),
            "description": entry.description[:100],
            "remainingAmount": entry.amount,
        },
    )


def party_id(records: Records, party: Party, number_: str) -> str:
    table = "customers" if party is Party.CUSTOMER else "vendors"
    found = records.sql(f"SELECT id FROM {table} WHERE company = ? AND number = ?", (records.company, number_))
    if not found:
        raise ApplicationError(f"The {party.value.lower()} {number_} does not exist.")
    return str(found[0][0])


def business_group(records: Records, party: str) -> str:
    """The posting group of a customer or vendor, by id."""
    statement, bound = (
        "SELECT business_group FROM _posting_groups WHERE company = ? AND party_id = ?",
        (records.company, party),
    )
    found = records.store.remember(("_posting_groups", *bound), lambda: records.sql(statement, bound))
    return str(found[0][0]) if found else ""


def control_account(records: Records, party: Party, number_: str) -> str:
    setup = company_setup(records).posting
    group = business_group(records, party_id(records, party, number_))
    accounts = setup.receivables if party is Party.CUSTOMER else setup.payables
    account = accounts.get(group)
    if account is None:
        raise ApplicationError(f"The {party.value.lower()} {number_} has no posting group with a control account.")
    return account
