"""How a measure becomes figures: its records are split and added up, and stay attached.

    figures = await compute(books, book, MeasureRequest(measure="receivables", split=("customer",), top=10))

Every row of the result keeps which records it is the sum of, so that a figure can be followed to them.
"""

import asyncio
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from batuta.agents.erp.measures.model import (
    AGE_DIMENSION,
    TIME_DIMENSIONS,
    AmountSource,
    Measure,
    MeasureBook,
    Texts,
)
from batuta.agents.erp.measures.periods import parts_of, shifted, time_bucket
from batuta.agents.erp.measures.records import (
    AGE_STEPS,
    CENT,
    Books,
    BooksReader,
    CountedRecord,
    MeasureError,
    MeasureRequest,
    counted_records,
    newest_before,
    require_goods,
)
from batuta.language.calendar_math import Period
from batuta.language.folding import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """One figure."""

    group: tuple[str, ...]
    value: Decimal | None
    before: Decimal | None = None
    share: Decimal | None = None
    """Which part of the whole it is, in percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureBound:
    """The amount above or below which figures are shown; with `is_days`, how late documents are at least."""

    side: str
    amount: Decimal
    is_inclusive: bool = False
    is_days: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The answer: rows, the total of all of them, and the records behind."""

    measure: Measure
    basis: Texts
    """What was counted, in words."""
    split: tuple[str, ...]
    rows: Sequence[FigureRow]
    total: Decimal | None
    total_before: Decimal | None
    records: Sequence[CountedRecord]
    period: Period | None
    queries: Sequence[str]
    currency: str | None
    is_cut: bool = False
    """Whether rows were left out because only the first were asked for."""
    shown_share: Decimal | None = None
    """Which part of the whole the rows are together, in percent, where each says its own."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values that alone were counted, by dimension."""
    without: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values that were not counted, by dimension."""
    place: int | None = None
    """Which row of the order is shown alone."""
    compared_with: Period | None = None
    bound: FigureBound | None = None
    """Beyond which amount or how late the rows are, where only some were asked for."""
    is_cut_at_today: bool = False
    """Whether a period that is not over is compared up to today, with as much of the other one."""
    change: str = ""
    """Whether only rows are shown that are less or more than before."""
    is_absence: bool = False
    """Whether the rows are those of which there is nothing, or something for the first time, each counted as one."""
    mean_of: tuple[Decimal, int] | None = None
    """The sum that is averaged, and over how many parts of time."""
    newest: date | None = None
    """The day of the newest record, where the period lies after all of them."""


async def compute(books: Books, book: MeasureBook, request: MeasureRequest) -> Figures:
    """Answer a request. Raises `MeasureError` for one that the measure cannot answer."""
    measure = book.measure(request.measure)
    if request.as_average:
        return await _compute_average(books, book, measure, request)
    if measure.ratio is not None:
        return await _compute_ratio(books, book, measure, request)
    if request.as_share:
        return await _compute_shares(books, book, request)
    if request.is_absence or request.is_newness or request.is_presence:
        return await _compute_members(books, book, measure, request)
    if not request.split:
        request = replace(request, split=measure.default_split)
    if measure.shows == "negative":
        request = replace(request, is_ascending=True)
    group = _choose(book, measure, request)
    reading = BooksReader(books)
    await require_goods(reading, group, request)
    records, queries = await counted_records(
        reading, group, request, request.period if measure.kind == "flow" else None
    )
    newest = None
    if not records and measure.kind == "flow" and request.period is not None and not measure.looks_ahead:
        newest = await newest_before(reading, group, request.period.first)
    earlier: Sequence[CountedRecord] = ()
    if request.compare_with is not None:
        if measure.kind != "flow":
            raise MeasureError(
                f"{measure.title['en']} is a balance of today; the books do not keep that of another day",
                spanish=f"{measure.title['es']} es un saldo de hoy; los libros no guardan el de otro día",
            )
        earlier, more = await counted_records(reading, group, request, request.compare_with)
        queries = [*queries, *more]
        if any(name in TIME_DIMENSIONS for name in request.split):
            earlier = _moved(earlier, request)
    rows = _rows(records, earlier, request)
    if measure.kind == "balance" and measure.unit == "money" and request.split:
        rows = [row for row in rows if row.value]  # of whom nothing is owed is none of those who owe
        owing = {row.group for row in rows}
        records = [one for one in records if one.group in owing]
    keeps = _SHOWN.get(measure.shows, request.keeps)
    rows = _changed(rows, request)
    if keeps is not None or request.change:
        rows = [row for row in rows if row.value is not None and (keeps is None or keeps(row.value))]
        kept = {row.group for row in rows}
        records = [one for one in records if one.group in kept]
        earlier = [one for one in earlier if one.group in kept]
    return Figures(
        measure=measure,
        basis=measure.basis if group is measure.sources[0] else group[0].records.basis or measure.basis,
        split=request.split,
        rows=_shown_rows(rows, request),
        total=sum((one.amount for one in records), Decimal(0)),
        total_before=sum((one.amount for one in earlier), Decimal(0)) if request.compare_with else None,
        records=records,
        period=request.period if measure.kind == "flow" else None,
        queries=queries,
        currency=books.currency if measure.unit == "money" else None,
        is_cut=len(_shown_rows(rows, request)) < len(rows),
        only=request.only,
        without=request.without,
        place=request.place,
        newest=newest,
    )


def keeps_beyond(side: str, amount: Decimal, *, is_inclusive: bool) -> Callable[[Decimal], bool]:
    """Which figures are above or below an amount."""
    compare = {
        ("above", False): operator.gt, ("above", True): operator.ge,
        ("below", False): operator.lt, ("below", True): operator.le,
    }[side, is_inclusive]  # fmt: skip
    return lambda value: bool(compare(value, amount))


_SHOWN: Mapping[str, Callable[[Decimal], bool]] = {
    "negative": lambda value: value < 0,
    "positive": lambda value: value > 0,
}
"""Which rows a measure shows that does not show all."""


_MEMBERS: Mapping[str, Mapping[str, str]] = {
    "without": {"en": "Without ", "es": "Sin "},
    "with": {"en": "With ", "es": "Con "},
    "first": {"en": "For the first time with ", "es": "Por primera vez con "},
}


async def _compute_members(books: Books, book: MeasureBook, measure: Measure, request: MeasureRequest) -> Figures:
    """The customers, vendors or items of which there is nothing, something, or something for the first time."""
    members = book.dimensions[request.split[0]].members if len(request.split) == 1 else None
    if members is None or (measure.kind != "flow" and not request.is_presence):
        raise MeasureError(f"{measure.title['en']}: only customers, vendors or items without any of it can be listed")
    group = _choose(book, measure, request)
    reading = BooksReader(books)
    period = request.period if measure.kind == "flow" else None
    counted, queries = await counted_records(reading, group, request, period)
    present = {one.group for one in counted if one.amount > 0}
    known: set[tuple[str, ...]] = set()
    if request.is_newness and period is not None:
        ever = Period(first=date.min, last=period.first - timedelta(days=1))
        earlier, before = await counted_records(reading, group, request, ever)
        known, queries = {one.group for one in earlier if one.amount > 0}, [*queries, *before]
    unknown = [name for name in (*request.only, *request.without) if not members.knows(name)]
    if unknown and not request.is_presence:
        raise MeasureError(f"{members.entity} cannot be limited by {', '.join(unknown)}")
    filed = replace(request, only={}, without={}) if unknown else request  # what they bought is no fact of a customer
    on_file, more = await counted_records(reading, (AmountSource(records=members, amount=("1",)),), filed, None)
    is_there = request.is_newness or request.is_presence
    wanted = present - known if is_there else {one.group for one in on_file} - present
    shown = sorted((one for one in on_file if one.group in wanted), key=lambda one: one.group)
    kind = "first" if request.is_newness else "with" if request.is_presence else "without"
    title = {language: word + measure.title[language].lower() for language, word in _MEMBERS[kind].items()}
    return Figures(
        measure=replace(measure, id=f"{kind}_{measure.id}", title=title, unit="count"),
        basis=group[0].records.basis or measure.basis,
        split=request.split,
        rows=[FigureRow(group=one.group, value=one.amount) for one in shown],
        total=Decimal(len(shown)),
        total_before=None,
        records=shown,
        period=period,
        queries=[*queries, *more],
        currency=None,
        only=request.only,
        without=request.without,
        is_absence=True,
    )


async def _compute_shares(books: Books, book: MeasureBook, request: MeasureRequest) -> Figures:
    """Each row with its part of the whole: of everything, also where only some rows are asked for."""
    split = request.split or tuple(request.only)
    if not split:
        raise MeasureError(
            "a share needs something to divide by, such as a country or a product",
            spanish="para una parte hace falta entre qué repartir, como un país o un producto",
        )
    whole = await compute(
        books, book, replace(request, split=split, only={}, top=None, place=None, keeps=None, as_share=False)
    )
    if not whole.total or whole.total < 0:
        raise MeasureError(
            f"{whole.measure.title['en']} has no total that could be divided",
            spanish=f"{whole.measure.title['es']} no tiene un total que se pueda repartir",
        )
    wanted = {name: frozenset(fold(value) for value in values) for name, values in request.only.items()}
    unseen = [name for name in wanted if name not in split]
    if unseen:
        raise MeasureError(f"a share can be limited to what it is split by; add {', '.join(unseen)} to the split")
    rows = [
        replace(row, share=_share_of(row.value or Decimal(0), whole.total))
        for row in whole.rows
        if all(fold(row.group[split.index(name)]) in allowed for name, allowed in wanted.items())
        and (request.keeps is None or request.keeps(row.value or Decimal(0)))
    ]
    rows = list(_shown_rows(rows, request))
    kept = {row.group for row in rows}
    records = [one for one in whole.records if one.group in kept]
    total = sum((one.amount for one in records), Decimal(0))
    return replace(whole, rows=rows, records=records, total=total, shown_share=_share_of(total, whole.total))


def _share_of(part: Decimal, whole: Decimal) -> Decimal:
    return (part * 100 / whole).quantize(Decimal("0.1"), ROUND_HALF_UP)


_MEAN = {"en": "average", "es": "media"}
_PER = {
    "day": {"en": "per day", "es": "por día"},
    "week": {"en": "per week", "es": "por semana"},
    "month": {"en": "per month", "es": "por mes"},
    "quarter": {"en": "per quarter", "es": "por trimestre"},
    "year": {"en": "per year", "es": "por año"},
}


async def _compute_average(books: Books, book: MeasureBook, measure: Measure, request: MeasureRequest) -> Figures:
    """The sum over the parts of the period that have begun: those without any record count, too."""
    unit = request.split[0] if len(request.split) == 1 else ""
    if unit not in TIME_DIMENSIONS or measure.kind != "flow" or request.period is None:
        raise MeasureError(
            f"{measure.title['en']}: an average needs a part of time, such as the month, and nothing else to split by",
            spanish=f"{measure.title['es']}: una media necesita una parte del tiempo, como el mes, y nada más",
        )
    span = replace(request.period, last=max(request.period.first, min(request.period.last, books.today)))
    whole = await compute(books, book, replace(request, split=(), as_average=False))
    count = parts_of(unit, span)
    mean = None if whole.total is None else (whole.total / count).quantize(CENT, rounding=ROUND_HALF_UP)
    title = {language: f"{text}, {_MEAN[language]} {_PER[unit][language]}" for language, text in measure.title.items()}
    shown = replace(measure, id=f"average_{measure.id}", title=title, kind="ratio")
    mean_of = None if whole.total is None else (whole.total, count)
    return replace(whole, measure=shown, rows=[FigureRow(group=(), value=mean)], total=mean, mean_of=mean_of)


async def _compute_ratio(books: Books, book: MeasureBook, measure: Measure, request: MeasureRequest) -> Figures:
    ratio = measure.ratio
    assert ratio is not None
    all_rows = replace(request, top=None, place=None, is_ascending=False, keeps=None, as_share=False)
    by_request = replace(all_rows, measure=ratio.by)
    if ratio.days is not None:
        span = Period(first=books.today - timedelta(days=ratio.days - 1), last=books.today)
        by_request = replace(by_request, period=span, compare_with=None)
        all_rows = replace(all_rows, period=span, compare_with=None)
    over, by = await asyncio.gather(
        compute(books, book, replace(all_rows, measure=ratio.over)), compute(books, book, by_request)
    )
    divisors = {row.group: row for row in by.rows}
    rows = []
    for row in over.rows:
        divisor = divisors.get(row.group)
        if divisor is None:
            continue
        rows.append(
            FigureRow(
                group=row.group,
                value=_quotient(row.value, divisor.value, ratio.scale),
                before=_quotient(row.before, divisor.before, ratio.scale),
            )
        )
    rows = _changed(_ordered(rows, request), request)
    if request.keeps is not None:
        rows = [row for row in rows if row.value is not None and request.keeps(row.value)]
    return Figures(
        measure=measure,
        basis=measure.basis,
        split=request.split,
        rows=_shown_rows(rows, request),
        total=_quotient(over.total, by.total, ratio.scale),
        total_before=_quotient(over.total_before, by.total_before, ratio.scale),
        records=[*over.records, *by.records],
        period=over.period or by.period,
        queries=[*over.queries, *by.queries],
        currency=books.currency if measure.unit == "money" else None,
        is_cut=len(_shown_rows(rows, request)) < len(rows),
        only=request.only,
        without=request.without,
        place=request.place,
    )


def _choose(book: MeasureBook, measure: Measure, request: MeasureRequest) -> tuple[AmountSource, ...]:
    """The first list of sources that knows every dimension asked for."""
    wanted = [*request.split, *request.only, *request.without]
    for group in measure.sources:
        if all(source.records.knows(name) for source in group for name in wanted):
            return group
    splits = book.splits(measure)
    unknown = [name for name in wanted if name not in splits] or wanted

    def named(names: Sequence[str], language: str) -> str:
        return ", ".join(book.dimensions[name].title[language].lower() for name in names)

    title = measure.title
    raise MeasureError(
        f"{title['en']} cannot be split by {named(unknown, 'en')}; it can by: {named(splits, 'en')}",
        spanish=f"{title['es']} no se puede desglosar por {named(unknown, 'es')}; se puede por: {named(splits, 'es')}",
    )


def _rows(
    records: Sequence[CountedRecord], earlier: Sequence[CountedRecord], request: MeasureRequest
) -> list[FigureRow]:
    sums: dict[tuple[str, ...], Decimal] = {}
    before: dict[tuple[str, ...], Decimal] = {}
    for one in records:
        sums[one.group] = sums.get(one.group, Decimal(0)) + one.amount
    for one in earlier:
        before[one.group] = before.get(one.group, Decimal(0)) + one.amount
    groups = dict.fromkeys((*sums, *before)) if request.split else {(): None}
    is_compared = request.compare_with is not None
    rows = [
        FigureRow(
            group=group,
            value=sums.get(group, Decimal(0)),
            before=before.get(group, Decimal(0)) if is_compared else None,
        )
        for group in groups
    ]
    return _ordered(rows, request)


def _ordered(rows: list[FigureRow], request: MeasureRequest) -> list[FigureRow]:
    """Time in time's order; everything else by size."""
    is_in_time = request.split and request.split[0] in (*TIME_DIMENSIONS, AGE_DIMENSION)
    if is_in_time and request.top is None and request.place is None and not request.is_ranked:
        order = {label: place for place, (_, label) in enumerate(AGE_STEPS)}
        return sorted(rows, key=lambda row: (order.get(row.group[0], 0), row.group))
    sign = 1 if request.is_ascending else -1
    return sorted(rows, key=lambda row: (sign * (row.value or Decimal(0)), row.group))


def _shown_rows(rows: Sequence[FigureRow], request: MeasureRequest) -> Sequence[FigureRow]:
    """The rows that are asked for: the first ones, or the one at a place of the order."""
    if request.place is None:
        return rows if request.top is None else rows[: request.top]
    if request.place > len(rows):
        raise MeasureError(f"there are only {len(rows)} of them", spanish=f"solo hay {len(rows)}")
    return rows[request.place - 1 : request.place]


def _changed(rows: list[FigureRow], request: MeasureRequest) -> list[FigureRow]:
    """The rows that are less or more than before, the largest change first; all where that is not asked for."""
    if not request.change:
        return rows
    sign = 1 if request.change == "less" else -1
    changes = [
        ((row.value - row.before) * sign, row) for row in rows if row.value is not None and row.before is not None
    ]
    return [row for change, row in sorted(changes, key=lambda one: (one[0], one[1].group)) if change < 0]


def _moved(earlier: Sequence[CountedRecord], request: MeasureRequest) -> list[CountedRecord]:
    """Records of the period compared with, under the time of the period asked for: so they stand side by side."""
    assert request.period is not None
    assert request.compare_with is not None
    moved = []
    for one in earlier:
        if one.day is None:
            continue
        day = shifted(one.day, request.compare_with, request.period)
        group = tuple(
            time_bucket(name, day) if name in TIME_DIMENSIONS else value
            for name, value in zip(request.split, one.group, strict=True)
        )
        moved.append(replace(one, group=group))
    return moved


def _quotient(over: Decimal | None, by: Decimal | None, scale: int) -> Decimal | None:
    if over is None or by is None or by == 0:
        return None
    return (over * scale / by).quantize(CENT, rounding=ROUND_HALF_UP)
