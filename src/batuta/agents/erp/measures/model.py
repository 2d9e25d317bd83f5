"""Measures as values: read from the shipped definitions, and from a file of the same form per workspace."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from batuta.connectors.odata.filters import FilterValue
from batuta.kernel.errors import ConfigurationError

MeasureKind = Literal["flow", "balance", "ratio"]
MeasureUnit = Literal["money", "quantity", "count", "percent", "days"]
TIME_DIMENSIONS = ("day", "week", "month", "quarter", "year")
AGE_DIMENSION = "age"
COMPANY_DIMENSION = "company"

Texts = Mapping[str, str]
"""A text by language."""
Words = Mapping[str, tuple[str, ...]]
"""What people say, by language."""
Condition = tuple[str, str, FilterValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLookup:
    """Another record that tells more about a row."""

    entity: str
    its_field: str
    our_field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerBalance:
    """A report that knows what the ledger holds of each party, so that its records can be completed to that."""

    entity: str
    party: str
    """The field that names the party, in the report and in the records."""
    amount: str
    parties: str
    """The entity of the parties, where their dimensions stand."""
    dimensions: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedRecords:
    """The records that figures stand in."""

    name: str
    entity: str
    label: str
    """The field a row is called by."""
    where: tuple[Condition, ...] = ()
    key: str = "id"
    date: str | None = None
    due: str | None = None
    currency: str | None = None
    rate_date: str | None = None
    """The field with the day of the exchange rate, where that is not `date`."""
    lookups: Mapping[str, RecordLookup] = field(default_factory=dict)
    dimensions: Mapping[str, str] = field(default_factory=dict)
    balance: LedgerBalance | None = None
    basis: Texts | None = None
    """What is counted, where that is less than the measure says."""
    has_services: bool = True
    """Whether services are among them; the item ledger keeps goods alone."""

    def knows(self, dimension: str) -> bool:
        """Whether rows can be split by it."""
        if dimension in TIME_DIMENSIONS:
            return self.date is not None
        return dimension == COMPANY_DIMENSION or (
            self.due is not None if dimension == AGE_DIMENSION else dimension in self.dimensions
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountSource:
    """Records and how much each of them counts."""

    records: CountedRecords
    amount: tuple[str, ...]
    """Fields that are added; a leading minus subtracts; `1` counts the record."""
    lines: str | None = None
    """The lines of a document that count instead of the document itself, each with `amount`."""
    done: tuple[str, str] | None = None
    """A line's quantity and how much of it is done: only the rest of its amount counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRatio:
    """One measure over another."""

    over: str
    by: str
    scale: int = 1
    days: int | None = None
    """What is counted over time is taken over so many days to today, whatever was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Something the business counts."""

    id: str
    title: Texts
    basis: Texts
    """What is counted and what is not, in words."""
    words: Words
    kind: MeasureKind
    unit: MeasureUnit
    sources: tuple[tuple[AmountSource, ...], ...] = ()
    ratio: MeasureRatio | None = None
    default_split: tuple[str, ...] = ()
    """The split where nothing else is asked for."""
    shows: Literal["all", "negative", "positive"] = "all"
    """`negative`: only rows below zero, the lowest first; `positive`: only rows above zero."""
    looks_ahead: bool = False
    """Whether it is known for days to come: what falls due is, sales are not."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """Which measure is meant where a qualifier is said with it: `overdue` makes payables overdue payables."""
    ranked_split: str | None = None
    """The split where the largest or smallest is asked for and no other split."""
    counterpart: str | None = None
    """Which measure the same words mean where this one cannot be split as asked: what customers buy are sales."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureDimension:
    """Something figures can be split by."""

    id: str
    title: Texts
    words: Words
    ranked_by: str | None = None
    """The measure that makes one of them the best, where none is named."""
    members: CountedRecords | None = None
    """The records of all that there are, also those of which nothing is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureBook:
    """All measures of a workspace."""

    measures: Mapping[str, Measure]
    dimensions: Mapping[str, MeasureDimension]
    qualifiers: Mapping[str, Words] = field(default_factory=dict)
    """Words that change which measure is meant, by what they say."""

    def measure(self, name: str) -> Measure:
        """A measure by its id. Raises `ConfigurationError` that names those there are."""
        if name not in self.measures:
            raise ConfigurationError(
                f"there is no measure {name[:60]!r}; there are: {', '.join(sorted(self.measures))}"
            )
        return self.measures[name]

    def splits(self, measure: Measure) -> tuple[str, ...]:
        """The dimensions a measure can be split by."""
        if measure.ratio is not None:
            own = [self.splits(self.measures[name]) for name in (measure.ratio.over, measure.ratio.by)]
            return tuple(name for name in own[0] if name in own[1])
        known = [
            name
            for name in self.dimensions
            if any(all(source.records.knows(name) for source in group) for group in measure.sources)
        ]
        return tuple(known)


NO_MEASURES = MeasureBook(measures={}, dimensions={})
"""For an ERP of which only the metadata is known: there is nothing to compute figures from."""


@cache
def standard_measures() -> MeasureBook:
    """The measures that come with the agent."""
    return parse_measures(files(__package__).joinpath("definitions.toml").read_text(encoding="utf-8"), where="shipped")


def load_measures(path: Path, base: MeasureBook | None = None) -> MeasureBook:
    """The standard measures, or those of `base`, with a file's added or replaced. Raises `ConfigurationError`."""
    base = standard_measures() if base is None else base
    return parse_measures(path.read_text(encoding="utf-8"), where=str(path), base=base)


def parse_measures(text: str, *, where: str, base: MeasureBook | None = None) -> MeasureBook:
    """Read definitions. What is wrong is said with the place it stands in."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{where}: {error}") from error
    try:
        records = {name: _records(name, one) for name, one in document.get("records", {}).items()}
        if base is not None:
            records = {**_records_of(base), **records}
        measures = {name: _measure(name, one, records) for name, one in document.get("measure", {}).items()}
        dimensions = {
            name: MeasureDimension(
                id=name,
                title=one["title"],
                words=_words(one["words"]),
                ranked_by=one.get("ranked_by"),
                members=records[one["members"]] if "members" in one else None,
            )
            for name, one in document.get("dimension", {}).items()
        }
        qualifiers = {name: _words(one["words"]) for name, one in document.get("qualifier", {}).items()}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ConfigurationError(f"{where}: a definition is incomplete or of the wrong form: {error!r}") from error
    book = MeasureBook(
        measures={**(base.measures if base else {}), **measures},
        dimensions={**(base.dimensions if base else {}), **dimensions},
        qualifiers={**(base.qualifiers if base else {}), **qualifiers},
    )
    for measure in book.measures.values():
        for other in (*measure.variants.values(), *([measure.counterpart] if measure.counterpart else ())):
            book.measure(other)
        if measure.ratio is not None:
            book.measure(measure.ratio.over)
            book.measure(measure.ratio.by)
        elif not measure.sources:
            raise ConfigurationError(f"{where}: {measure.id} has neither sources nor a ratio")
    return book


def _records_of(book: MeasureBook) -> dict[str, CountedRecords]:
    return {
        source.records.name: source.records
        for measure in book.measures.values()
        for group in measure.sources
        for source in group
    }


def _records(name: str, facts: Mapping[str, Any]) -> CountedRecords:
    return CountedRecords(
        name=name,
        entity=facts["entity"],
        label=facts["label"],
        where=tuple((part[0], part[1], part[2]) for part in facts.get("where", ())),
        key=facts.get("key", "id"),
        date=facts.get("date"),
        due=facts.get("due"),
        currency=facts.get("currency"),
        rate_date=facts.get("rate_date"),
        lookups={
            alias: RecordLookup(entity=one[0], its_field=one[1], our_field=one[2])
            for alias, one in facts.get("lookups", {}).items()
        },
        dimensions=facts.get("dimensions", {}),
        basis=facts.get("basis"),
        has_services=facts.get("has_services", True),
        balance=LedgerBalance(**facts["balance"]) if "balance" in facts else None,
    )


def _measure(name: str, facts: Mapping[str, Any], records: Mapping[str, CountedRecords]) -> Measure:
    ratio = facts.get("ratio")
    return Measure(
        id=name,
        title=facts["title"],
        basis=facts["basis"],
        words=_words(facts["words"]),
        kind=facts["kind"],
        unit=facts["unit"],
        sources=tuple(tuple(_source(one, records) for one in group) for group in facts.get("sources", ())),
        ratio=None if ratio is None else MeasureRatio(**ratio),
        default_split=tuple(facts.get("default_split", ())),
        shows=facts.get("shows", "all"),
        looks_ahead=bool(facts.get("looks_ahead", False)),
        variants=facts.get("variants", {}),
        ranked_split=facts.get("ranked_split"),
        counterpart=facts.get("counterpart"),
    )


def _source(facts: Mapping[str, Any], records: Mapping[str, CountedRecords]) -> AmountSource:
    return AmountSource(
        records=records[facts["records"]],
        amount=tuple(facts["amount"]),
        lines=facts.get("lines"),
        done=(facts["done"][0], facts["done"][1]) if "done" in facts else None,
    )


def _words(facts: Mapping[str, Any]) -> Words:
    return {language: tuple(words) for language, words in facts.items()}
