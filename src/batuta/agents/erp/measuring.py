"""The tool that answers business questions: a measure, split, filtered, over a period, compared (A-5)."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal

from batuta.agents.erp.access import ErpAccess, explained
from batuta.agents.erp.measures.compute import Figures, compute
from batuta.agents.erp.measures.model import Measure, MeasureBook
from batuta.agents.erp.measures.records import Books, CountedRecord, MeasureRequest
from batuta.datasets.dataset import Dataset, dataset_name
from batuta.datasets.library import library_of
from batuta.events.datasets import Column, Provenance, RecordReference
from batuta.kernel.errors import BatutaError, ToolFailedError
from batuta.language.calendar_math import Period
from batuta.language.periods import find_periods
from batuta.tools.context import LANGUAGE_SERVICE, ToolContext
from batuta.tools.tool import Tool, tool

Comparison = Literal["", "year_before", "period_before"]

_LABELS = {
    "en": {"before": "Before", "change": "Change", "change_percent": "Change %", "record": "Record", "date": "Date",
           "amount": "Amount", "original": "Original amount", "records": "records", "as_of": "as of {day}",
           "by": "{measure} by {split}"},
    "es": {"before": "Antes", "change": "Variación", "change_percent": "Variación %", "record": "Registro",
           "date": "Fecha", "amount": "Importe", "original": "Importe original", "records": "registros",
           "as_of": "a {day}", "by": "{measure} por {split}"},
}  # fmt: skip


def measure_tools(access: ErpAccess) -> tuple[Tool, Tool]:
    """The tools `list_measures` and `compute_measure`."""

    @tool(kind="retrieval")
    async def list_measures() -> dict[str, Any]:
        """The figures that can be computed, what each counts, and what it can be split by."""
        return {
            "measures": {
                one.id: {"title": dict(one.title), "counts": one.basis["en"], "split_by": access.measures.splits(one)}
                for one in access.measures.measures.values()
            }
        }

    @tool(kind="retrieval")
    async def compute_measure(
        measure: str,
        context: ToolContext,
        split_by: list[str] | None = None,
        where: dict[str, list[str]] | None = None,
        period: str = "",
        compare: Comparison = "",
        top: int | None = None,
        lowest_first: bool = False,
        company: str = "",
    ) -> Dataset:
        """Compute a business figure from the ERP's records: sales, margin, receivables, stock value and so on.

        Args:
            measure: The measure's id, such as `sales`, `receivables`, `gross_margin`; `list_measures` tells all.
            split_by: Dimensions, such as customer, item, category, country, salesperson, month, quarter, year, age.
            where: Only some values of dimensions: `{"country": ["ES"]}`.
            period: In words, English or Spanish: `this year`, `Q3`, `last 12 months`, `enero a marzo`, or two ISO dates
                with `..` between them. Without it this year; balances are always those of today.
            compare: With the same days of the year before, or with the period directly before.
            top: Only so many, the largest first.
            lowest_first: The smallest first instead.
            company: A part of the company's name; without it the first company.
            context: The call.
        """
        language = str(context.services.get(LANGUAGE_SERVICE, "en"))
        try:
            books = await access.books(company)
            asked = access.measures.measure(measure)
            span = resolve_period(period, books.today)
            request = MeasureRequest(
                measure=measure,
                split=tuple(split_by or ()),
                where={name: tuple(values) for name, values in (where or {}).items()},
                period=None if asked.kind == "balance" else span,
                compare_with=_compared(compare, span),
                top=top,
                is_ascending=lowest_first,
            )
            figures = await compute(books, access.measures, request)
        except BatutaError as error:
            raise explained(error) from error
        details = records_dataset(figures, books, access.measures, language)
        kept = await library_of(context).keep(details, key=f"{context.idempotency_key}:records")
        return figures_dataset(figures, books, access.measures, language, details_name=kept.name)

    return list_measures, compute_measure


def resolve_period(words: str, today: date) -> Period:
    """A period in words. Without words: this year up to today. Raises `ToolFailedError` for words without a period."""
    if not words.strip():
        return Period(first=today.replace(month=1, day=1), last=today)
    first, dots, last = words.partition("..")
    if dots:
        try:
            return Period(first=date.fromisoformat(first.strip()), last=date.fromisoformat(last.strip()))
        except ValueError as error:
            raise ToolFailedError(
                f"{words!r}: two ISO dates with .. between them, such as 2026-01-01..2026-03-31"
            ) from error
    found = find_periods(words, now=datetime(today.year, today.month, today.day, 12, tzinfo=UTC))
    if not found:
        raise ToolFailedError(
            f"{words[:60]!r} names no period; say `this year`, `Q3`, `last 12 months`, `enero a marzo` …"
        )
    period = found[0].value
    return Period(first=period.first, last=period.last)


def figures_dataset(figures: Figures, books: Books, book: MeasureBook, language: str, *, details_name: str) -> Dataset:
    """The figures as a table; `details_name` is the dataset with the records they are the sum of."""
    words = _LABELS.get(language, _LABELS["en"])
    measure = figures.measure
    is_compared = figures.total_before is not None
    columns = [_dimension_column(book, name, language) for name in figures.split]
    columns.append(_value_column(measure, "value", _text(measure.title, language), figures.currency))
    if is_compared:
        columns.append(_value_column(measure, "before", words["before"], figures.currency))
        columns.append(_value_column(measure, "change", words["change"], figures.currency))
        columns.append(
            Column(name="change_percent", type="decimal", label=words["change_percent"], unit="%", is_additive=False)
        )
    rows: list[list[Any]] = [
        [*row.group, row.value, *(_changes(row.value, row.before) if is_compared else ())] for row in figures.rows
    ]
    title = _text(measure.title, language)
    if figures.split:
        split = ", ".join(_text(book.dimensions[name].title, language).lower() for name in figures.split)
        title = words["by"].format(measure=title, split=split)
    return Dataset(
        name=dataset_name(f"{measure.id} {' '.join(figures.split)}"),
        title=f"{title} · {_when(figures, books, language)}",
        columns=columns,
        rows=rows,
        provenance=_provenance(figures, books, language, sources=(details_name,)),
    )


def records_dataset(figures: Figures, books: Books, book: MeasureBook, language: str) -> Dataset:
    """The records behind the figures, each row leading to its record; the split's columns say to which figure."""
    words = _LABELS.get(language, _LABELS["en"])
    measure = figures.measure
    columns = [
        *(_dimension_column(book, name, language) for name in figures.split),
        Column(name="record", type="text", label=words["record"]),
        Column(name="date", type="date", label=words["date"]),
        _value_column(measure, "amount", words["amount"], figures.currency),
        Column(name="original_amount", type="text", label=words["original"]),
    ]
    return Dataset(
        name=dataset_name(f"{measure.id} {' '.join(figures.split)} records"),
        title=f"{_text(measure.title, language)}: {words['records']}",
        columns=columns,
        rows=[[*one.group, one.label, one.day, one.amount, one.original] for one in figures.records],
        references=[_reference(one, books) for one in figures.records],
        provenance=_provenance(figures, books, language, sources=()),
    )


def _reference(one: CountedRecord, books: Books) -> RecordReference:
    return RecordReference(entity=one.entity, key=one.key, company=books.company.id)


def _dimension_column(book: MeasureBook, name: str, language: str) -> Column:
    return Column(name=dataset_name(name), type="text", label=_text(book.dimensions[name].title, language))


def _value_column(measure: Measure, name: str, label: str, currency: str | None) -> Column:
    units = {"percent": "%", "days": "d", "quantity": None, "count": None, "money": None}
    return Column(
        name=name,
        type="decimal",
        label=label,
        unit=units[measure.unit],
        currency=currency,
        is_additive=measure.kind != "ratio",
    )


def _changes(value: Decimal | None, before: Decimal | None) -> list[Decimal | None]:
    if value is None or before is None:
        return [before, None, None]
    percent = None if before == 0 else ((value - before) * 100 / abs(before)).quantize(Decimal("0.1"))
    return [before, value - before, percent]


def _when(figures: Figures, books: Books, language: str) -> str:
    words = _LABELS.get(language, _LABELS["en"])
    if figures.period is None:
        return words["as_of"].format(day=books.today.isoformat())
    return f"{figures.period.first.isoformat()} – {figures.period.last.isoformat()}"


def _provenance(figures: Figures, books: Books, language: str, *, sources: tuple[str, ...]) -> Provenance:
    counted = f"{_text(figures.measure.basis, language)}; {_when(figures, books, language)}"
    return Provenance(
        connector=books.connector.name,
        company=books.company.display_name,
        query=f"{figures.measure.id}: {counted}\n" + "\n".join(figures.queries),
        retrieved_at=datetime.now(UTC),
        record_count=len(figures.records),
        is_cut_short=figures.is_cut,
        sources=sources,
    )


def _compared(compare: Comparison, span: Period) -> Period | None:
    if not compare:
        return None
    return span.year_before() if compare == "year_before" else span.before()


def _text(texts: Any, language: str) -> str:
    return str(texts.get(language) or texts["en"])
