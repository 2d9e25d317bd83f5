"""The setup of one company: local currency, home country, posting groups, global dimensions."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.setup import PostingSetup, TaxRate
from batuta.sandbox.records import Records
from batuta.sandbox.values import from_scaled

DOMESTIC, UNION, EXPORT = "DOMESTIC", "EU", "EXPORT"
UNION_COUNTRIES = frozenset(
    [
        "AT",
        "BE",
        "BG",
        "CY",
        "CZ",
        "DE",
        "DK",
        "EE",
        "ES",
        "FI",
        "FR",
        "GR",
        "HR",
        "HU",
        "IE",
        "IT",
        "LT",
        "LU",
        "LV",
        "MT",
        "NL",
        "PL",
        "PT",
        "RO",
        "SE",
        "SI",
        "SK",
    ]
)


@dataclass(frozen=True, kw_only=True)
class CompanySetup:
    """What posting needs to know of a company; stored as JSON when the company is made."""

    local_currency: str
    country: str
    posting: PostingSetup
    global_dimensions: tuple[str, ...] = ()

    def business_group(self, country: str) -> str:
        """The posting group of a customer or vendor by the country they are in."""
        if country in {"", self.country}:
            return DOMESTIC
        return UNION if country in UNION_COUNTRIES and self.country in UNION_COUNTRIES else EXPORT


def company_setup(records: Records) -> CompanySetup:
    """The setup of the company that the records belong to."""
    return records.store.remember(("_company_setup", records.company), lambda: _stored_setup(records))


def _stored_setup(records: Records) -> CompanySetup:
    found = records.sql("SELECT setup FROM _company_setup WHERE company = ?", (records.company,))
    if not found:
        raise ApplicationError("This company has no posting setup. Create it with the generator of demo companies.")
    return _parsed(found[0][0])


def store_setup(records: Records, setup: CompanySetup) -> None:
    posting = {
        name: [[*([key] if isinstance(key, str) else key), *_leaf(leaf)] for key, leaf in value.items()]
        if isinstance(value, Mapping)
        else value
        for name, value in ((name, getattr(setup.posting, name)) for name in setup.posting.__slots__)
    }
    stored = {**asdict(setup), "posting": posting}
    records.sql("INSERT OR REPLACE INTO _company_setup VALUES (?, ?)", (records.company, json.dumps(stored)))
    records.store.forget()


def local_currency(records: Records) -> str:
    return company_setup(records).local_currency


def exchange_rate(records: Records, currency: str, on: date) -> Decimal:
    """Local currency for one unit of a currency on a day: 1 for the local one."""
    if currency in {"", local_currency(records)}:
        return Decimal(1)
    found = records.sql(
        "SELECT exchangeRateAmount, relationalExchangeRateAmount FROM currencyExchangeRates WHERE company = ? AND "
        "currencyCode = ? AND startingDate <= ? ORDER BY startingDate DESC LIMIT 1",
        (records.company, currency, on.isoformat()),
    )
    if not found or not found[0][0]:
        raise ApplicationError(f"There is no exchange rate for currency {currency} on {on}.")
    return from_scaled(found[0][1]) / from_scaled(found[0][0])


@lru_cache(maxsize=64)
def _parsed(stored: str) -> CompanySetup:
    raw: dict[str, Any] = json.loads(stored)
    posting = raw.pop("posting")
    for name in ("receivables", "payables"):
        posting[name] = dict(posting[name])
    for name in ("sales", "purchases"):
        posting[name] = {(business, product): account for business, product, account in posting[name]}
    for name in ("sales_tax", "purchase_tax"):
        posting[name] = {
            (business, product): TaxRate(percent=Decimal(percent), is_reverse_charge=reverse)
            for business, product, percent, reverse in posting[name]
        }
    raw["global_dimensions"] = tuple(raw["global_dimensions"])
    return CompanySetup(posting=PostingSetup(**posting), **raw)


def _leaf(leaf: str | TaxRate) -> list[object]:
    return [leaf] if isinstance(leaf, str) else [str(leaf.percent), leaf.is_reverse_charge]
