"""Number series of a company, and counters of entries."""

from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.numbers import next_number
from batuta.sandbox.records import Records

FIRST_NUMBERS = {
    "customers": "C00010",
    "vendors": "V00010",
    "items": "1000",
    "contacts": "CT000001",
    "employees": "E00010",
    "bankAccounts": "B010",
    "salesQuotes": "1001",
    "salesOrders": "101001",
    "salesInvoices": "102001",
    "postedSalesInvoices": "103001",
    "salesShipments": "102001",
    "salesCreditMemos": "1001",
    "postedSalesCreditMemos": "104001",
    "purchaseOrders": "106001",
    "purchaseInvoices": "107001",
    "postedPurchaseInvoices": "108001",
    "purchaseReceipts": "107001",
    "purchaseCreditMemos": "1001",
    "postedPurchaseCreditMemos": "109001",
    "generalJournal": "G00001",
    "customerPayments": "G02001",
    "vendorPayments": "G04001",
    "stockAdjustments": "T00001",
}
"""What each series begins with; the values are those that people know from demonstration companies."""


def take_number(records: Records, series: str) -> str:
    """The next number of a series."""
    found = records.sql("SELECT last FROM _numbers WHERE company = ? AND series = ?", (records.company, series))
    number = next_number(found[0][0]) if found else FIRST_NUMBERS[series]
    records.sql("INSERT OR REPLACE INTO _numbers VALUES (?, ?, ?)", (records.company, series, number))
    return number


def take_free_number(records: Records, set_name: str) -> str:
    """The next number of a set's series that no record has taken by hand."""
    number = take_number(records, set_name)
    while records.exists(set_name, number=number):
        number = take_number(records, set_name)
    return number


def take_count(records: Records, name: str, count: int = 1) -> int:
    """Reserve consecutive entry numbers; the first of them."""
    done = records.sql(
        "INSERT INTO _counters VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET last = last + excluded.last RETURNING last",
        (records.company, name, count),
    )
    if not done:
        raise ApplicationError(f"There are no entry numbers left for {name}.")
    return int(done[0][0]) - count + 1
