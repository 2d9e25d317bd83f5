"""The medium company: as large as it says, with sound books (spec A-3).

`make test` plays a tenth of it through for four months; `make fuzz` makes the whole of it (BATUTA_MEDIUM=1).
"""

import os
from dataclasses import replace

import pytest

from batuta.sandbox.business import business_central
from batuta.sandbox.demo import SIZES, create_demo
from batuta.sandbox.demo.generator import MEDIUM, SMALL
from batuta.sandbox.records import SandboxStore
from tests.unit.sandbox.business.books_check import check_books

DOCUMENTS = (
    "salesQuotes", "salesOrders", "salesInvoices", "salesCreditMemos", "purchaseOrders", "purchaseInvoices",
    "purchaseCreditMemos",
)  # fmt: skip
IS_WHOLE = bool(os.environ.get("BATUTA_MEDIUM"))
TENTH = replace(MEDIUM, customers=50, vendors=10, items=200, sales_a_month=MEDIUM.sales_a_month // 10, months=4)


def test_the_medium_company_is_as_large_as_it_says() -> None:
    assert (MEDIUM.customers, MEDIUM.items, MEDIUM.months) == (500, 2000, 24)
    assert SIZES["M"] == (MEDIUM, SMALL)


def test_the_documents_are_there_and_the_books_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Payments, shipments and receipts are not counted."""
    monkeypatch.setitem(SIZES, "tenth", (TENTH, replace(SMALL, months=1)))
    behaviour = business_central()
    store = SandboxStore(behaviour=behaviour)
    company, _ = create_demo(store, behaviour, size="M" if IS_WHOLE else "tenth")
    records = store.records(company)
    counts = {
        name: records.sql(f"SELECT COUNT(*) FROM {name} WHERE company = ?", (company,))[0][0] for name in DOCUMENTS
    }
    assert all(counts.values()), counts
    assert sum(counts.values()) >= (20_000 if IS_WHOLE else 200), counts
    check_books(records)
    store.close()
