"""The tool that answers business questions: a measure, split, filtered, over a period, compared (A-5)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, Field

from batuta.agents.erp.access import NAME_SOURCES, ErpAccess, language_of
from batuta.agents.erp.measures.compute import FigureBound, Figures, compute, keeps_beyond
from batuta.agents.erp.measures.model import COMPANY_DIMENSION, Measure, MeasureBook
from batuta.agents.erp.measures.periods import in_whole_months, to_date
from batuta.agents.erp.measures.records import Books, CountedRecord, MeasureRequest
from batuta.agents.erp.rights import companies_for, company_for
from batuta.agents.erp.wording import figures_in_words, limits_in_words, when_of
from batuta.datasets.dataset import Dataset, dataset_name
from batuta.datasets.library import library_of
from batuta.events.datasets import Column, Provenance, RecordReference
from batuta.kernel.errors import BatutaError, ToolFailedError
from batuta.language.calendar_math import Period
from batuta.language.findings import LANGUAGES
from batuta.language.periods import find_periods
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool

DAYS_AHEAD = 30
"""How far what falls due is looked ahead where no period is named."""
OFFERED_MEASURES = 6
"""How many figures are named where one that was asked for does not exist."""
SPLIT_PREFIX = "by_"
NOT_PREFIX = "not:"
"""Before a name that does not count."""
"""A split may be said as `by_month`, too."""


class DayRange(BaseModel):
    """From the first day to the last, both included."""

    first: date
    last: date


class ValueBound(BaseModel):
    """Figures above or below an amount, or documents late by more than so many days."""

    side: Literal["above", "below"]
    amount: Decimal
    is_inclusive: bool = False
    is_days: bool = False

    def keeps(self) -> Callable[[Decimal], bool] | None:
        """Which figures it lets through; all, where it speaks of days."""
        return None if self.is_days else keeps_beyond(self.side, self.amount, is_inclusive=self.is_inclusive)

    def as_limit(self) -> FigureBound:
        """The same as the figures keep it, to be said in the answer."""
        return FigureBound(**self.model_dump())

    def late_by_days(self) -> int | None:
        """How late a document must be; none where it speaks of figures. Raises `ToolFailedError` for at most."""
        if not self.is_days:
            return None
        if self.side == "below":
            raise ToolFailedError("documents can be limited to those late by more than so many days, not by less")
        return int(self.amount)


class RowPlace(BaseModel):
    """One row of an order: 2 for the second."""

    place: int = Field(ge=1)


class CompareWith(BaseModel):
    """What a period is compared with."""

    kind: Literal["previous_year", "previous_period", "period", "whole", "average"]
    period: DayRange | None = None
    change: Literal["", "less", "more"] = ""
    """Only rows whose figure is less or more than it was."""


_LABELS = {
    "en": {"before": "Before", "change": "Change", "change_percent": "Change %", "record": "Record", "date": "Date",
           "amount": "Amount", "original": "Original amount", "records": "records", "share": "Share",
           "by": "{measure} by {split}",
           "one_company": "Each company keeps its own books, a figure is that of one. Name those you want: {names}.",
           "ahead": "That period has not begun; the books know what was, and no forecast.",
           "of_today": "{measure} is known as of today only: the books do not keep what it was on another day.",
           "nothing_called": "Nothing in the ERP is called “{name}”.",
           "no_such_figure": "“{name}” is kept as {kind}: there is no figure “{measure}” for it. You can ask for: "
                             "{others}."},
    "es": {"before": "Antes", "change": "Variación", "change_percent": "Variación %", "record": "Registro",
           "date": "Fecha", "amount": "Importe", "original": "Importe original", "records": "registros",
           "share": "Parte", "by": "{measure} por {split}",
           "one_company": "Cada empresa lleva sus libros, y una cifra es la de una. Nombra las que quieras: {names}.",
           "ahead": "Ese periodo no ha empezado; los libros saben lo que fue, y nada previsto.",
           "of_today": "{measure} solo se conoce a día de hoy: los libros no guardan lo que era otro día.",
           "nothing_called": "No hay nada en el ERP que se llame «{name}».",
           "no_such_figure": "«{name}» figura como {kind}: no existe para ello la cifra «{measure}». Puedes pedir: "
                             "{others}."},
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
        only: list[str] | None = None,
        period: str | DayRange = "",
        compare: CompareWith | None = None,
        top: int | RowPlace | None = None,
        ranking: Literal["", "most", "least", "absent", "new", "present"] = "",
        bound: ValueBound | None = None,
        company: str = "",
    ) -> Dataset:
        """Compute a business figure from the ERP's records: sales, margin, receivables, stock value and so on.

        Args:
            measure: The measure's id, such as `sales`, `receivables`, `gross_margin`; `list_measures` tells all.
            context: The call.
            split_by: Dimensions, such as customer, item, category, country, salesperson, month, quarter, year, age.
            only: Names of customers, vendors, items, categories, countries or salespeople that count, and no others; a
                value of another dimension as `city: Madrid`, one that does not count as `not: Spain`.
            period: In words, English or Spanish: `this year`, `Q3`, `last 12 months`, `enero a marzo`; or the first and
                the last day. Without it this year to date; balances are always those of today.
            compare: What to compare with: the same days of the year before, the period directly before, another one, or
                the whole (which part of it each row is; with `only`, of the whole without it); with `change` only
                what is less or more than it was. With `average` the mean per month, or what else of time it is split
                by.
            top: Only so many rows, the first of the order; or only the row at a place of it, such as the second.
            ranking: Whether the largest come first (most) or the smallest (least); or only the customers, vendors or
                items (whichever it is split by) of which there is nothing (absent), something (present), or
                something for the first time (new).
            bound: Only rows whose figure is above or below an amount; with `is_days`, of open documents only those due
                longer ago than so many days.
            company: A part of the company's name; without it the one that the user works in.
        """
        language, split_by = language_of(context), split_by or []
        counted = [name for name in only or () if not name.startswith(NOT_PREFIX)]
        left_out = [name.removeprefix(NOT_PREFIX).strip() for name in only or () if name.startswith(NOT_PREFIX)]
        change = "" if compare is None else compare.change
        try:
            books = await access.books((await company_for(access, company, context)).id)
            asked = access.measures.measure(measure)
            if f"{SPLIT_PREFIX}{COMPANY_DIMENSION}" in split_by or COMPANY_DIMENSION in split_by:
                await _require_one_company(access, company, context)
            span = resolve_period(period, books.today)
            if isinstance(period, str) and {"month", f"{SPLIT_PREFIX}month"} & set(split_by):
                span = in_whole_months(span, period, books.today)
            if asked.looks_ahead and period == "":
                span = Period(first=books.today, last=books.today + timedelta(days=DAYS_AHEAD))
            if is_of_today(asked) and span.last < books.today:
                raise ToolFailedError(_LABELS[language]["of_today"].format(measure=asked.title[language]))
            if asked.kind != "balance" and not asked.looks_ahead and span.first > books.today:
                raise ToolFailedError(_LABELS[language]["ahead"])
            asked_span, other = span, _compared(compare, span)
            if other is not None and compare is not None and compare.kind != "period" and not asked.looks_ahead:
                span, other = to_date(span, other, books.today)
            request = MeasureRequest(
                measure=measure,
                split=tuple(name.removeprefix(SPLIT_PREFIX) for name in split_by),
                only=named_values(access, asked, counted, language),
                without=named_values(access, asked, left_out, language),
                place=top.place if isinstance(top, RowPlace) else None,
                period=None if asked.kind == "balance" else span,
                compare_with=other,
                top=None if isinstance(top, RowPlace) else top,
                is_ranked=ranking in ("most", "least") or isinstance(top, RowPlace),
                is_ascending=ranking == "least",
                late_by_days=bound.late_by_days() if bound else None,
                keeps=bound.keeps() if bound else None,
                as_share=compare is not None and compare.kind == "whole",
                as_average=compare is not None and compare.kind == "average",
                is_absence=ranking == "absent",
                is_newness=ranking == "new",
                is_presence=ranking == "present",
                change=change,
            )
            figures = replace(
                await compute(books, access.measures, request),
                compared_with=other,
                bound=bound.as_limit() if bound else None,
                is_cut_at_today=span != asked_span,
                change=change,
            )
        except BatutaError as error:
            raise await access.failure(error, language) from error
        details = records_dataset(figures, books, access.measures, language)
        kept = await library_of(context).keep(details, key=f"{context.idempotency_key}:records")
        return figures_dataset(figures, books, access.measures, language, details_name=kept.name)

    return list_measures, compute_measure


def is_of_today(measure: Measure) -> bool:
    """Whether a measure is known as of today only: a balance, or a ratio of one over a fixed stretch of days."""
    return measure.kind == "balance" or (measure.ratio is not None and measure.ratio.days is not None)


def named_values(
    access: ErpAccess, measure: Measure, names: Sequence[str], language: str = "en"
) -> dict[str, tuple[str, ...]]:
    """Which dimension each name is a value of. Raises `ToolFailedError` for one that nothing has."""
    splits = access.measures.splits(measure)
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        dimension, colon, value = name.partition(":")
        if colon and dimension.strip() in access.measures.dimensions:
            found[dimension.strip()] = (*found.get(dimension.strip(), ()), value.strip())
            continue
        matches = [(kind, one) for kind in NAME_SOURCES for one in access.values_named(kind, name)]
        usable = [(kind, one) for kind, one in matches if kind in splits]
        if not usable:
            raise ToolFailedError(_no_such_figure(access.measures, measure, name[:60], matches, language))
        kind = usable[0][0]
        found[kind] = (*found.get(kind, ()), *(one for other, one in usable if other == kind))
    return found


async def _require_one_company(access: ErpAccess, company: str, context: ToolContext) -> None:
    """Raises `ToolFailedError` where a split by company would show one of several as if it were all."""
    known = await companies_for(access, context)
    if not company and len(known) > 1:
        names = "; ".join(one.display_name for one in known).rstrip(".")
        raise ToolFailedError(_LABELS[language_of(context)]["one_company"].format(names=names))


def _no_such_figure(
    book: MeasureBook, measure: Measure, name: str, matches: Sequence[tuple[str, str]], language: str
) -> str:
    """Why a measure cannot be limited to a name: what it names, and what can be asked about that."""
    words = _LABELS.get(language, _LABELS["en"])
    if not matches:
        return words["nothing_called"].format(name=name)
    kind, value = matches[0]
    known = [one for one in book.measures.values() if kind in book.splits(one)]
    return words["no_such_figure"].format(
        name=value,
        kind=_text(book.dimensions[kind].title, language).lower(),
        measure=_text(measure.title, language),
        others=", ".join(_text(one.title, language).lower() for one in known[:OFFERED_MEASURES]),
    )


def resolve_period(asked: str | DayRange, today: date) -> Period:
    """A period in words or days. Without any: this year to date. Raises `ToolFailedError` for words without one."""
    if isinstance(asked, DayRange):
        if asked.last < asked.first:
            raise ToolFailedError(f"the period ends ({asked.last}) before it begins ({asked.first})")
        return Period(first=asked.first, last=asked.last)
    if not asked.strip():
        return Period(first=today.replace(month=1, day=1), last=today)
    found = find_periods(asked, now=datetime(today.year, today.month, today.day, 12, tzinfo=UTC))
    if not found:
        raise ToolFailedError(
            f"{asked[:60]!r} names no period; say `this year`, `Q3`, `last 12 months`, `enero a marzo`"
        )
    return found[0].value


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
    if figures.shown_share is not None:
        columns.append(Column(name="share", type="decimal", label=words["share"], unit="%", is_additive=False))
    rows: list[list[Any]] = [
        [
            *row.group,
            row.value,
            *(_changes(row.value, row.before) if is_compared else ()),
            *([row.share] if figures.shown_share is not None else ()),
        ]
        for row in figures.rows
    ]
    title = _text(measure.title, language)
    if figures.split:
        split = ", ".join(_text(book.dimensions[name].title, language).lower() for name in figures.split)
        title = words["by"].format(measure=title, split=split)
    return Dataset(
        name=dataset_name(f"{measure.id} {' '.join(figures.split)}"),
        title=f"{title} · {when_of(figures, books, language)}{limits_in_words(figures, language)}",
        columns=columns,
        rows=rows,
        provenance=_provenance(figures, books, language, sources=(details_name,)),
        summary={each: figures_in_words(figures, books, book, each) for each in LANGUAGES},
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


def _provenance(figures: Figures, books: Books, language: str, *, sources: tuple[str, ...]) -> Provenance:
    counted = f"{_text(figures.basis, language)}; {when_of(figures, books, language)}"
    return Provenance(
        connector=books.connector.name,
        company=books.company.display_name,
        query=f"{figures.measure.id}: {counted}\n" + "\n".join(figures.queries),
        retrieved_at=datetime.now(UTC),
        record_count=len(figures.records),
        is_cut_short=figures.is_cut,
        sources=sources,
    )


def _compared(compare: CompareWith | None, span: Period) -> Period | None:
    if compare is None or compare.kind in ("whole", "average"):
        return None
    if compare.kind == "period":
        if compare.period is None:
            raise ToolFailedError("name the period to compare with")
        return resolve_period(compare.period, span.last)
    return span.year_before() if compare.kind == "previous_year" else span.before()


def _text(texts: Any, language: str) -> str:
    return str(texts.get(language) or texts["en"])
