"""Application of customer and vendor entries in the books, and the state of documents that follows from it."""

from collections.abc import Sequence
from datetime import date

from batuta.sandbox.business.books import PostedDocument, write_accounts
from batuta.sandbox.business.company import company_setup
from batuta.sandbox.business.fields import text
from batuta.sandbox.business.series import take_number
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.application import OpenEntry, apply_entry, exchange_entries
from batuta.sandbox.ledger.entries import PostingError
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row, from_scaled, to_scaled

_COLUMNS = "id, currency, remaining, remaining_local"


def open_entry(records: Records, entry_id: str) -> OpenEntry:
    statement = f"SELECT {_COLUMNS} FROM _party_entries WHERE company = ? AND id = ?"
    return _entry(records.sql(statement, (records.company, entry_id))[0])


def document_entry(records: Records, document_id: str) -> OpenEntry:
    """The entry of a posted document."""
    found = records.sql(
        f"SELECT {_COLUMNS} FROM _party_entries WHERE company = ? AND document_id = ?",
        (records.company, document_id),
    )
    if not found:
        raise ApplicationError("The document is not posted, so nothing can be applied to it.")
    return _entry(found[0])


def apply_entries(records: Records, entry_id: str, targets: Sequence[OpenEntry], on: date) -> None:
    """Close an entry against others, book what the exchange rate made of it, and keep the trail."""
    try:
        applied = apply_entry(open_entry(records, entry_id), targets)
    except PostingError as error:
        raise ApplicationError(str(error)) from None
    company = records.company
    records.sql_many(
        "UPDATE _party_entries SET remaining = ?, remaining_local = ? WHERE company = ? AND id = ?",
        [
            (to_scaled(each.remaining), to_scaled(each.remaining_local), company, each.id)
            for each in (applied.entry, *applied.targets)
        ],
    )
    records.sql_many(
        "INSERT INTO _applications VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                company,
                part.entry,
                part.against,
                on.isoformat(),
                to_scaled(part.amount),
                to_scaled(part.local),
                to_scaled(part.against_local),
            )
            for part in applied.applications
        ],
    )
    records.sql_many(
        "UPDATE applyVendorEntries SET remainingAmount = ?, applied = 0, appliesToId = '' WHERE company = ? AND id = ?",
        [(to_scaled(each.remaining), company, each.id) for each in (applied.entry, *applied.targets)],
    )
    records.sql_many(
        "DELETE FROM applyVendorEntries WHERE company = ? AND id = ?",
        [(company, each.id) for each in (applied.entry, *applied.targets) if not each.remaining],
    )
    control = records.sql("SELECT control FROM _party_entries WHERE company = ? AND id = ?", (company, entry_id))[0][0]
    entries = exchange_entries(applied.applications, control, company_setup(records).posting)
    if entries:
        document = PostedDocument(number=take_number(records, "generalJournal"), posting_date=on)
        write_accounts(records, entries, document)


def refresh_document(records: Records, document_id: str) -> None:
    """State and remaining amount of a posted invoice or credit memo by what is left of its entry."""
    entry = document_entry(records, document_id)
    for set_name in ("salesInvoices", "salesCreditMemos", "purchaseInvoices", "purchaseCreditMemos"):
        row = records.get(set_name, document_id)
        if row is None:
            continue
        if text(row, "status") in {"Canceled", "Corrective"}:
            return
        values: Row = {"status": "Open" if entry.remaining else "Paid"}
        if "remainingAmount" in row:
            values["remainingAmount"] = abs(entry.remaining)
        if any(row[name] != value for name, value in values.items()):
            records.update(set_name, document_id, values=values)
        return


def _entry(found: tuple[str, str, int, int]) -> OpenEntry:
    return OpenEntry(
        id=found[0], currency=found[1], remaining=from_scaled(found[2]), remaining_local=from_scaled(found[3])
    )
