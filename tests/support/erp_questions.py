"""Business questions as the ERP agent reads them, over a few records."""

import asyncio
from datetime import UTC, date, datetime
from typing import Any

from batuta.agents.erp.access import ErpAccess
from batuta.language.interpretation import Interpretation, Interpreter
from batuta.testing.erp import MemoryErp

NOW = datetime(2026, 9, 30, 12, tzinfo=UTC)


def record(number: str, name: str = "", **values: Any) -> dict[str, Any]:
    return {"id": number, "number": number, "code": number, "displayName": name, "city": "", **values}


def known_access() -> ErpAccess:
    """What is known of a small company, its names learnt."""
    books = MemoryErp(
        {
            "customers": [
                record("10000", "Casa Lola, S.L.", city="Sevilla"),
                record("20000", "Hoteles Mar, S.A."),
                record("30000", "Hoteles Sol, S.A."),
            ],
            "vendors": [record("10000", "Maderas Sur, S.A.")],
            "items": [record("1000", "Mesa Roble 90"), record("1001", "Maceta Barro S")],
            "itemCategories": [record("MESAS", "Mesas")],
            "countriesRegions": [record("PT", "Portugal"), record("FR", "France")],
            "salespeoplePurchasers": [],
            "accounts": [
                record("8110", "Rent", category="Expense", accountType="Posting"),
                record("8720", "Salaries", category="Expense", accountType="Posting"),
            ],
        }
    )
    access = ErpAccess(connector=books, today=lambda: date(2026, 9, 30))
    asyncio.run(access.learn_names())
    return access


def read(erp: Interpreter, text: str, last: str = "") -> Interpretation:
    """What a question most likely means; `▸` stands before what is asked on."""
    return erp.interpret(text, now=NOW, last=last)[0]
