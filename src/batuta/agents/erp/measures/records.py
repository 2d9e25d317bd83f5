"""The records behind a measure: read through the connector, looked up, dated, converted to the local currency."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any, Literal

from batuta.agents.erp.measures.model import (
    AGE_DIMENSION,
    COMPANY_DIMENSION,
    TIME_DIMENSIONS,
    AmountSource,
    CountedRecords,
    LedgerBalance,
)
from batuta.agents.erp.measures.periods import time_bucket
from batuta.connectors.erp import ErpCompany, ErpConnector, ErpRecord, RecordQuery
from batuta.connectors.odata.filters import AllOf, Compare, Filter, OneOf
from batuta.datasets.values import NO_VALUE
from batuta.kernel.errors import LogicalError
from batuta.language.calendar_math import Period
from batuta.language.folding import fold

CENT = Decimal("0.01")
MAX_RECORDS = 200_000
LOOKUP_CHUNK = 20
"""How many keys are looked up in one request; more records are read whole."""
AGE_STEPS = ((0, "0"), (30, "1–30"), (60, "31–60"), (90, "61–90"), (10**9, "> 90"))
UNSET_DATE = date(1, 1, 1)
UNSET_ID = "00000000-0000-0000-0000-000000000000"
ZERO = Decimal(0)
ValueReader = Callable[[Mapping[str, Any]], str]
"""Reads the value of a dimension from the fields of a record."""


class MeasureError(LogicalError):
    """A question that this measure cannot answer; the message says what it can, `spanish` the same in Spanish."""

    def __init__(self, message: str, *, spanish: str = "") -> None:
        super().__init__(message)
        self.spanish = spanish


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest:
    """A question, as data."""

    measure: str
    split: tuple[str, ...] = ()
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Dimension to the values that count; compared without case and accents."""
    without: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Dimension to the values that do not count."""
    place: int | None = None
    """Only the row that stands there in the order: 2 for the second largest."""
    period: Period | None = None
    compare_with: Period | None = None
    top: int | None = None
    is_ranked: bool = False
    """Whether rows are ordered by size also where they follow each other in time."""
    is_ascending: bool = False
    keeps: Callable[[Decimal], bool] | None = None
    """Only rows whose figure passes."""
    is_presence: bool = False
    """Only the members of the split's dimension of which there is something, each counted as one."""
    is_newness: bool = False
    """Only the customers or vendors of which there is something in the period for the first time."""
    change: Literal["", "less", "more"] = ""
    """Only rows whose figure is less or more than in the period compared with, the largest change first."""
    as_share: bool = False
    """Also which part of the whole each row is."""
    as_average: bool = False
    """The mean per month, or whatever part of time it is split by, instead of a row for each."""
    is_absence: bool = False
    """Only members of the split's dimension of which there is nothing."""
    late_by_days: int | None = None
    """Of open documents only those due longer ago than so many days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedRecord:
    """One record and how much it counts."""

    entity: str
    key: str
    label: str
    company: str
    day: date | None
    amount: Decimal
    """In the local currency, where it is money."""
    group: tuple[str, ...]
    """The values of the dimensions asked for."""
    original: str = ""
    """The amount in the document's own currency, where that differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """A company's ERP as measures see it."""

    connector: ErpConnector
    company: ErpCompany
    currency: str
    today: date


class BooksReader:
    """Reads what one question needs, each thing once."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self._rates: dict[str, list[tuple[date, Decimal]]] | None = None
        self._accounts: Mapping[str, tuple[str, ...]] | None = None

    async def records(self, query: RecordQuery) -> tuple[list[ErpRecord], str]:
        """All records of a query, and its address."""
        found: list[ErpRecord] = []
        url = ""
        async for page in self.books.connector.pages(self.books.company.id, query):
            found += page.records
            url = url or page.url
            _require_not_too_many(found)
        return found, url

    async def records_together(self, queries: Sequence[RecordQuery]) -> list[tuple[list[ErpRecord], str]]:
        """All records of several queries, of one state of the books, and their addresses."""
        if len(queries) == 1:
            return [await self.records(queries[0])]
        answers = []
        for pages in await self.books.connector.read_together(self.books.company.id, queries):
            found = [record for page in pages for record in page.records]
            _require_not_too_many(found)
            answers.append((found, pages[0].url))
        return answers

    async def accounts(self, role: str) -> tuple[str, ...]:
        """The numbers of the posting accounts that play a role in the books."""
        if self._accounts is None:
            rows, _ = await self.records(
                RecordQuery(entity="accounts", select=("id", "number", "category", "subCategory", "accountType"))
            )
            self._accounts = _account_roles(rows)
        return self._accounts[role]

    async def rate(self, currency: str, day: date) -> Decimal:
        """How much one unit of a currency is in the local one, as of a day."""
        if self._rates is None:
            rows, _ = await self.records(RecordQuery(entity="currencyExchangeRates"))
            rates: dict[str, list[tuple[date, Decimal]]] = {}
            for row in rows:
                amount = Decimal(row.values["relationalExchangeRateAmount"]) / Decimal(row.values["exchangeRateAmount"])
                start = date.fromisoformat(str(row.values["startingDate"]))
                rates.setdefault(str(row.values["currencyCode"]), []).append((start, amount))
            self._rates = {code: sorted(steps) for code, steps in rates.items()}
        steps = [amount for start, amount in self._rates.get(currency, ()) if start <= day]
        if not steps:
            raise MeasureError(f"there is no exchange rate of {currency} on {day}; add one in the ERP")
        return steps[-1]

    async def looked_up(
        self, records: CountedRecords, alias: str, rows: Sequence[ErpRecord]
    ) -> Mapping[str, Mapping[str, Any]]:
        """The records behind a lookup, by the value that leads to them."""
        lookup = records.lookups[alias]
        fields = {path.partition(".")[2] for path in records.dimensions.values() if path.startswith(f"{alias}.")}
        wanted = {str(row.values.get(lookup.our_field, "")) for row in rows} - {""}
        where: Filter | None = None
        if len(wanted) <= LOOKUP_CHUNK:
            where = OneOf(lookup.its_field, tuple(sorted(wanted))) if wanted else None
            if not wanted:
                return {}
        found, _ = await self.records(
            RecordQuery(entity=lookup.entity, where=where, select=tuple(sorted(fields | {lookup.its_field, "id"})))
        )
        return {str(row.values[lookup.its_field]): row.values for row in found}


async def require_goods(reading: BooksReader, group: Sequence[AmountSource], request: MeasureRequest) -> None:
    """See that no service is asked about where none is kept: nothing found of it would be a wrong figure."""
    named = request.only.get("item", ())
    if not named or all(source.records.has_services for source in group):
        return
    found, _ = await reading.records(
        RecordQuery(entity="items", where=OneOf("displayName", named), select=("id", "displayName", "type"))
    )
    services = sorted(str(one.values["displayName"]) for one in found if one.values.get("type") == "Service")
    if services:
        names = ", ".join(services)
        raise MeasureError(
            f"{names}: a service, of which the item ledger keeps nothing",
            spanish=f"{names}: es un servicio y el libro de productos no guarda nada de él",
        )


async def counted_records(
    reading: BooksReader, group: Sequence[AmountSource], request: MeasureRequest, period: Period | None
) -> tuple[list[CountedRecord], list[str]]:
    """The records of several sources, and the addresses they were read from."""
    queries = [await _query_of(reading, source, request, period) for source in group]
    counted: list[CountedRecord] = []
    urls: list[str] = []
    for source, (rows, url) in zip(group, await reading.records_together(queries), strict=True):
        counted += await _counted_of(reading, source, request, rows)
        urls.append(url)
    return counted, urls


def _require_not_too_many(records: Sequence[ErpRecord]) -> None:
    if len(records) > MAX_RECORDS:
        raise MeasureError(f"more than {MAX_RECORDS} records; ask about a shorter period")


async def newest_before(reading: BooksReader, group: Sequence[AmountSource], day: date) -> date | None:
    """When the newest of some records was, if that is before a day: later periods are empty because the books end."""
    days = []
    for records in (source.records for source in group):
        if records.date is None:
            continue
        where = await _where(reading, records, None, None)
        found, _ = await reading.records(
            RecordQuery(
                entity=records.entity,
                where=where,
                select=(records.key, records.date),
                order_by=(f"{records.date} desc",),
                limit=1,
            )
        )
        days += [known for row in found if (known := _day(row.values.get(records.date))) is not None]
    newest = max(days, default=None)
    return newest if newest is not None and newest < day else None


async def _query_of(
    reading: BooksReader, source: AmountSource, request: MeasureRequest, period: Period | None
) -> RecordQuery:
    records = source.records
    paths = _paths(records, request).values()
    return RecordQuery(
        entity=records.entity,
        where=await _where(reading, records, period, request.late_by_days),
        select=_selected(source, paths, _aliases(paths)),
        expand=(source.lines,) if source.lines else (),
        has_versions=False,
    )


def _used(request: MeasureRequest) -> tuple[str, ...]:
    """The dimensions that a request splits or limits by."""
    return tuple(dict.fromkeys((*request.split, *request.only, *request.without)))


def _paths(records: CountedRecords, request: MeasureRequest) -> Mapping[str, str]:
    """Where the dimensions of a request stand in records."""
    return {name: records.dimensions[name] for name in _used(request) if name in records.dimensions}


def _aliases(paths: Iterable[str]) -> set[str]:
    """The lookups that some paths go through."""
    return {path.partition(".")[0] for path in paths if "." in path}


async def _counted_of(
    reading: BooksReader, source: AmountSource, request: MeasureRequest, rows: Sequence[ErpRecord]
) -> list[CountedRecord]:
    records = source.records
    used, paths = _used(request), _paths(records, request)
    aliases = _aliases(paths.values())
    lookups = {alias: await reading.looked_up(records, alias, rows) for alias in aliases}
    readers = {name: _reader_of(reading.books, records, name, paths.get(name, ""), lookups) for name in used}
    limits = [(readers[name], named, is_kept) for name, named, is_kept in _limits(request)]
    make = _maker(
        reading.books, source, [readers[name] for name in request.split], await _rates_for(reading, source, rows)
    )
    counted = []
    explained: dict[str, Decimal] = {}
    for row in rows:
        values = row.values
        is_wanted = not limits or all((fold(read(values)) in named) is kept for read, named, kept in limits)
        if not is_wanted and records.balance is None:
            continue
        one = make(values)
        if records.balance is not None:
            party = str(values[records.balance.party])
            explained[party] = explained.get(party, Decimal(0)) + one.amount
        if is_wanted:
            counted.append(one)
    if records.balance is not None and request.late_by_days is None:
        counted += await _unexplained(reading, records.balance, explained, used, request)
    return counted


async def _unexplained(
    reading: BooksReader,
    balance: LedgerBalance,
    explained: Mapping[str, Decimal],
    used: Sequence[str],
    request: MeasureRequest,
) -> list[CountedRecord]:
    """What the ledger holds of a party beyond its records: credits and payments that were not applied yet."""
    report, _ = await reading.records(RecordQuery(entity=balance.entity, select=(balance.party, balance.amount)))
    rests = {
        party: rest
        for row in report
        if (party := str(row.values[balance.party])) != UNSET_ID
        and (rest := Decimal(row.values[balance.amount]) - explained.get(party, Decimal(0)))
    }
    if not rests:
        return []
    fields = ("id", "number", *balance.dimensions.values())
    found, _ = await reading.records(RecordQuery(entity=balance.parties, select=tuple(dict.fromkeys(fields))))
    counted = []
    for row in found:
        if row.id not in rests:
            continue
        values = {
            name: plain_member(row.values.get(balance.dimensions[name])) if name in balance.dimensions else NO_VALUE
            for name in used
        }
        values |= {name: AGE_STEPS[0][1] for name in used if name == AGE_DIMENSION}
        if all((fold(values[name]) in named) is is_kept for name, named, is_kept in _limits(request)):
            counted.append(
                CountedRecord(
                    entity=balance.entity,
                    key=row.id,
                    label=str(row.values.get("number", "")),
                    company=reading.books.company.display_name,
                    day=None,
                    amount=rests[row.id],
                    group=tuple(values[name] for name in request.split),
                )
            )
    return counted


def _limits(request: MeasureRequest) -> list[tuple[str, frozenset[str], bool]]:
    """The dimensions that a request is limited by, with their folded values and whether those count or do not."""
    return [
        (name, frozenset(fold(value) for value in values), is_kept)
        for limits, is_kept in ((request.only, True), (request.without, False))
        for name, values in limits.items()
    ]


def _selected(source: AmountSource, paths: Iterable[str], aliases: Iterable[str]) -> tuple[str, ...]:
    """Only the fields that are needed: a list is read many times faster so."""
    records = source.records
    fields = {records.key, records.label, records.date, records.due, records.currency, records.rate_date}
    fields |= set() if source.lines else {part.lstrip("-") for part in source.amount if part != "1"}
    fields |= {path for path in paths if "." not in path}
    fields |= {records.lookups[alias].our_field for alias in aliases}
    fields |= set() if records.balance is None else {records.balance.party}
    return tuple(sorted(name for name in fields if name))


async def _where(
    reading: BooksReader, records: CountedRecords, period: Period | None, late_by_days: int | None
) -> Filter | None:
    parts: list[Filter] = []
    for name, operator, value in records.where:
        if operator == "in":
            assert isinstance(value, str)
            accounts = await reading.accounts(value.removeprefix("@accounts:"))
            if not accounts:
                raise MeasureError(
                    f"the chart of accounts has no account of the kind {value.removeprefix('@accounts:')}"
                )
            parts.append(OneOf(name, accounts))
        else:
            parts.append(Compare(name, operator, reading.books.today if value == "@today" else value))  # type: ignore[arg-type]
    if records.date is not None and period is not None:
        parts += [Compare(records.date, "ge", period.first), Compare(records.date, "le", period.last)]
    if late_by_days is not None:
        if records.due is None:
            raise MeasureError(f"{records.entity} has no due date, so nothing there is late")
        parts.append(Compare(records.due, "lt", reading.books.today - timedelta(days=late_by_days)))
    return AllOf(*parts) if parts else None


async def _rates_for(
    reading: BooksReader, source: AmountSource, rows: Sequence[ErpRecord]
) -> Mapping[tuple[str, date], Decimal]:
    """The exchange rates that some records need, by currency and day."""
    records = source.records
    if not records.currency or source.amount == ("1",):
        return {}
    rated = records.rate_date or records.date or ""
    needed = {(str(row.values.get(records.currency, "")), _day(row.values.get(rated))) for row in rows}
    return {
        (currency, day or reading.books.today): await reading.rate(currency, day or reading.books.today)
        for currency, day in needed
        if currency and currency != reading.books.currency
    }


def _maker(
    books: Books,
    source: AmountSource,
    split: Sequence[ValueReader],
    rates: Mapping[tuple[str, date], Decimal],
) -> Callable[[Mapping[str, Any]], CountedRecord]:
    """What makes a counted record of a row: tens of thousands are made, so what all share is worked out once."""
    records = source.records
    currency_field = records.currency if source.amount != ("1",) else None
    parts = [(part.lstrip("-"), part.startswith("-")) for part in source.amount]
    company, date_field = books.company.display_name, records.date or ""
    rated = records.rate_date or date_field

    def make(values: Mapping[str, Any]) -> CountedRecord:
        day = _day(values.get(date_field))
        amount, original = _counted_amount(source, parts, values), ""
        currency = values.get(currency_field) if currency_field else None
        if currency and currency != books.currency:
            original = f"{amount} {currency}"
            converted = amount * rates[str(currency), _day(values.get(rated)) or books.today]
            amount = converted.quantize(CENT, rounding=ROUND_HALF_UP)
        return CountedRecord(
            entity=records.entity,
            key=str(values.get(records.key, "")),
            label=str(values.get(records.label, "")),
            company=company,
            day=day,
            amount=amount,
            group=tuple([read(values) for read in split]),
            original=original,
        )

    return make


def _counted_amount(source: AmountSource, parts: Sequence[tuple[str, bool]], values: Mapping[str, Any]) -> Decimal:
    """How much a record counts: by its own fields, or by its lines as far as they are not done."""
    if source.lines is None:
        return _amount(parts, values)
    return sum((_left_of_line(source, parts, line) for line in values.get(source.lines) or ()), ZERO)


def _left_of_line(source: AmountSource, parts: Sequence[tuple[str, bool]], line: Mapping[str, Any]) -> Decimal:
    amount = _amount(parts, line)
    if source.done is None:
        return amount
    quantity, done = (Decimal(line.get(name) or 0) for name in source.done)
    return (amount * (quantity - done) / quantity).quantize(CENT, ROUND_HALF_UP) if quantity else ZERO


def _amount(parts: Sequence[tuple[str, bool]], values: Mapping[str, Any]) -> Decimal:
    """The sum of some fields, each with whether it is taken away; `1` counts the record."""
    total = ZERO
    for name, is_negative in parts:
        if name == "1":
            total += 1
        elif value := values.get(name):
            amount = value if isinstance(value, Decimal) else Decimal(value)
            total = total - amount if is_negative else total + amount
    return total


def _reader_of(
    books: Books,
    records: CountedRecords,
    name: str,
    path: str,
    lookups: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> ValueReader:
    """What reads the value of a dimension from a row."""
    if name in TIME_DIMENSIONS:
        date_field = records.date or ""
        return lambda values: time_bucket(name, _day(values.get(date_field)))
    if name == AGE_DIMENSION:
        due_field = records.due or ""
        return lambda values: _age(_day(values.get(due_field)), books.today)
    if name == COMPANY_DIMENSION:
        return lambda values: books.company.display_name
    alias, _, field_name = path.partition(".")
    if not field_name:
        return lambda values: plain_member(values.get(path))
    our_field, found = records.lookups[alias].our_field, lookups[alias]
    return lambda values: plain_member(found.get(str(values.get(our_field, "")), {}).get(field_name))


def _account_roles(rows: Sequence[ErpRecord]) -> Mapping[str, tuple[str, ...]]:
    """Which posting accounts play which role, by category, and by subcategory where it is finer."""
    posting = [row.values for row in rows if row.values.get("accountType") == "Posting"]

    def numbers(*categories: str, within: tuple[str, ...] = ()) -> tuple[str, ...]:
        return tuple(
            str(one["number"])
            for one in posting
            if fold(plain_member(one.get("category"))) in categories
            and (not within or any(word in fold(str(one.get("subCategory", ""))) for word in within))
        )

    other_income = numbers("income", within=("exchange", "interest", "gain", "other"))
    other_expense = numbers("expense", within=("exchange", "interest", "tax", "loss", "other", "financ"))
    return {
        "sales": tuple(number for number in numbers("income") if number not in other_income),
        "expense": numbers("expense"),
        "operating": tuple(number for number in numbers("expense") if number not in other_expense),
        "result": numbers("income", "cost of goods sold", "expense"),
        "cash": numbers("assets", within=("cash", "bank")),
    }


def _age(due: date | None, today: date) -> str:
    late = 0 if due is None else (today - due).days
    return next(label for limit, label in AGE_STEPS if late <= limit)


@lru_cache(maxsize=4096)
def _day(value: str | None) -> date | None:
    """A day; `None` where none is set. Cached: thousands of records share a few hundred days."""
    if not value:
        return None
    day = date.fromisoformat(value[:10])
    return None if day == UNSET_DATE else day


def plain_member(value: Any) -> str:
    """An encoded member name as people read it."""
    text = "" if value is None else str(value)
    if "_x00" not in text:
        return text.strip()
    for code, sign in (("_x0020_", " "), ("_x002F_", "/"), ("_x002D_", "-"), ("_x002E_", ".")):
        text = text.replace(code, sign)
    return text.strip()
