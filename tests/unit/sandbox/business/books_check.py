"""What must hold of the books of a company at any time."""

from decimal import Decimal as Dec

from batuta.sandbox.records import Records
from batuta.sandbox.values import from_scaled

RECEIVABLES, PAYABLES, INVENTORY, ACCRUED = ("2310", "2320"), ("5410", "5420"), "2110", "5510"
_DOCUMENTS = {
    "salesQuotes": "salesQuoteLines",
    "salesOrders": "salesOrderLines",
    "salesInvoices": "salesInvoiceLines",
    "salesCreditMemos": "salesCreditMemoLines",
    "purchaseOrders": "purchaseOrderLines",
    "purchaseInvoices": "purchaseInvoiceLines",
    "purchaseCreditMemos": "purchaseCreditMemoLines",
}


def check_books(records: Records) -> None:
    """Assert every promise of the ledgers."""
    company = (records.company,)
    _every_document_balances(records)
    _control_accounts_are_open_entries(records)
    _stock_is_the_sum_of_its_entries(records)
    _documents_are_the_sum_of_their_lines(records)
    _sums_by_day_are_the_entries(records)
    unapplied = records.sql(
        "SELECT COUNT(*) FROM _party_entries WHERE company = ? AND remaining = 0 AND remaining_local <> 0", company
    )
    assert unapplied == [(0,)], "an entry is closed in one currency and open in the other"
    wrong = records.sql(
        "SELECT i.number, i.status, i.remainingAmount, e.remaining FROM salesInvoices i JOIN _party_entries e ON "
        "e.company = i.company AND e.document_id = i.id WHERE i.company = ? AND (i.remainingAmount <> ABS(e.remaining) "
        "OR (i.status = 'Open') <> (e.remaining <> 0))",
        company,
    )
    assert not wrong, f"the state of an invoice is not what its entry says: {wrong[:3]}"


def _every_document_balances(records: Records) -> None:
    wrong = records.sql(
        "SELECT documentNumber, SUM(debitAmount) - SUM(creditAmount) AS difference FROM generalLedgerEntries "
        "WHERE company = ? GROUP BY documentNumber, documentType, postingDate HAVING difference <> 0",
        (records.company,),
    )
    assert not wrong, f"out of balance: {wrong[:3]}"
    both = records.sql(
        "SELECT COUNT(*) FROM generalLedgerEntries WHERE company = ? AND (debitAmount = 0) = (creditAmount = 0)",
        (records.company,),
    )
    assert both == [(0,)], "an entry is debit or credit"


def _control_accounts_are_open_entries(records: Records) -> None:
    for party, accounts in (("Customer", RECEIVABLES), ("Vendor", PAYABLES)):
        open_entries = _sum(
            records, "SELECT SUM(remaining_local) FROM _party_entries WHERE company = ? AND party = ?", party
        )
        assert sum(balance(records, account) for account in accounts) == open_entries, party
    accrued = _sum(records, "SELECT SUM(value) FROM _accruals WHERE company = ?")
    assert balance(records, ACCRUED) == -accrued


def _stock_is_the_sum_of_its_entries(records: Records) -> None:
    wrong = records.sql(
        "SELECT i.number FROM items i LEFT JOIN _stock s ON s.company = i.company AND s.item = i.number WHERE "
        "i.company = ?1 AND (COALESCE(s.quantity, 0) <> (SELECT COALESCE(SUM(e.quantity), 0) FROM itemLedgerEntries e "
        "WHERE e.company = ?1 AND e.itemNumber = i.number) OR COALESCE(s.value, 0) <> (SELECT "
        "COALESCE(SUM(e.costAmountActual), 0) FROM itemLedgerEntries e WHERE e.company = ?1 AND "
        "e.itemNumber = i.number))",
        (records.company,),
    )
    assert not wrong, f"stock differs from its entries: {wrong[:3]}"
    value = _sum(records, "SELECT SUM(costAmountActual) FROM itemLedgerEntries WHERE company = ?")
    assert balance(records, INVENTORY) == value


def _documents_are_the_sum_of_their_lines(records: Records) -> None:
    for header, lines in _DOCUMENTS.items():
        wrong = records.sql(
            f"SELECT h.number FROM {header} h LEFT JOIN (SELECT documentId, SUM(netAmount) AS net, SUM(netTaxAmount) "
            f"AS tax, SUM(netAmountIncludingTax) AS total FROM {lines} WHERE company = ?1 GROUP BY documentId) l ON "
            "l.documentId = h.id WHERE h.company = ?1 AND (h.totalAmountExcludingTax <> COALESCE(l.net, 0) OR "
            "h.totalTaxAmount <> COALESCE(l.tax, 0) OR h.totalAmountIncludingTax <> COALESCE(l.total, 0) OR "
            "h.totalAmountIncludingTax <> h.totalAmountExcludingTax + h.totalTaxAmount)",
            (records.company,),
        )
        assert not wrong, f"{header}: total differs from lines: {wrong[:3]}"


def _sums_by_day_are_the_entries(records: Records) -> None:
    entries = _sums(records, "SELECT accountNumber, SUM(debitAmount - creditAmount) FROM generalLedgerEntries")
    days = _sums(records, "SELECT account, SUM(debit - credit) FROM _account_days")
    assert entries == days
    assert sum(days.values()) == 0, "the trial balance is not zero"


def balance(records: Records, account: str) -> Dec:
    return _sum(records, "SELECT SUM(debit - credit) FROM _account_days WHERE company = ? AND account = ?", account)


def _sum(records: Records, statement: str, *bound: str) -> Dec:
    return from_scaled(records.sql(statement, (records.company, *bound))[0][0] or 0)


def _sums(records: Records, statement: str) -> dict[str, Dec]:
    found = records.sql(f"{statement} WHERE company = ? GROUP BY 1", (records.company,))
    return {account: from_scaled(amount) for account, amount in found}
