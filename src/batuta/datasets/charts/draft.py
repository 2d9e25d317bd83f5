"""A chart in the making: what was asked for, brought together with the columns and rows of a dataset."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from batuta.datasets.charts.figures import Group, Key, calendar_places, period_start
from batuta.datasets.charts.labels import days_text, named_period, table_title, value_text
from batuta.datasets.charts.request import COUNTING, Aggregate, ChartFilter, ChartRequest, TimeUnit, WantedKind
from batuta.datasets.charts.vocabulary import COLUMN_WORDS, COUNTRY_WORDS, Words
from batuta.datasets.charts.words import say
from batuta.datasets.dataset import Column, Dataset, DatasetError, dataset_name
from batuta.datasets.values import CONVERTERS, NO_VALUE, Value
from batuta.events.datasets import RecordReference
from batuta.language.folding import fold
from batuta.language.lexicon import MONTHS

COUNT = "row_count"
BEFORE = "before"
"""The column of a dataset that holds the same figure of the period before."""
COMPARED = "value"
"""The column that it is compared with."""
MAX_NAMED_VALUES = 4
"""Values that a filter is said with."""


class ChartRefusedError(DatasetError):
    """A chart that would mislead, or cannot be drawn; says what to ask for instead."""


_PERIOD = re.compile(r"\d{4}(?:-(?:\d{2}(?:-\d{2})?|Q[1-4]|W\d{2}))?")


@dataclass(slots=True)
class ChartDraft:
    """What is known of a chart so far. Rules change it, and note what they changed."""

    request: ChartRequest
    dataset: Dataset
    kind: WantedKind
    x: Column | None
    ys: list[Column]
    series: Column | None
    aggregate: Aggregate
    time_unit: TimeUnit | None
    rows: list[Sequence[Value]]
    """Of the dataset, after filters."""
    references: Sequence[RecordReference | None]
    row_count: int
    """After filters; of a large table `rows` are only what its columns hold, and the engine counted."""
    source_rows: int
    """Before filters."""
    groups: dict[Key, Group] | None = None
    """Of a large table: what its figures are made of, as the engine grouped them."""
    bins: tuple[list[Decimal], list[int]] | None = None
    """Of a histogram of a large table: limits and counts."""
    notes: list[str] = field(default_factory=list)
    shown_periods: str = ""
    """The end of a time that alone is shown, and `shown_ranks` how many of the largest: the title says so."""
    shown_ranks: str = ""
    columns: list[Column] = field(default_factory=list)
    """Of the figures, once they are computed; so are `figures` and `records`."""
    figures: list[list[Value]] = field(default_factory=list)
    records: list[RecordReference | None] = field(default_factory=list)

    @property
    def language(self) -> str:
        """The reader's."""
        return self.request.language

    @property
    def table_title(self) -> str:
        """What its table is called, as its reader says it."""
        return table_title(self.dataset, self.language)

    @property
    def is_temporal(self) -> bool:
        """Whether the chart goes along time."""
        return self.x is not None and self.x.type in ("date", "datetime")

    @property
    def is_in_periods(self) -> bool:
        """Whether it goes along periods that stand as text: 2026-04, 2026-Q2, 2026-W14."""
        if self.x is None or self.x.type != "text" or self.x not in self.dataset.columns:
            return False
        place = self.place(self.x)
        labels = {str(row[place]) for row in self.rows if row[place] is not None} - {NO_VALUE}
        return bool(labels) and all(_PERIOD.fullmatch(label) for label in labels)

    @property
    def is_in_calendar(self) -> bool:
        """Whether it goes along names of months or weekdays, in the order of the year or the week."""
        if self.x is None or self.x.type != "text" or self.x not in self.dataset.columns:
            return False
        place = self.place(self.x)
        return bool(calendar_places({str(row[place]) for row in self.rows if row[place]}))

    @property
    def is_beside_time(self) -> bool:
        """Whether some of what goes along periods belongs to none of them: no line leads there."""
        return self.is_in_periods and any(NO_VALUE in row for row in self.rows)

    def currency_codes(self, column: Column) -> set[str]:
        """The currencies of a column whose rows say their own; an amount without a code is in another one.

        Rows of a large table hold no amounts, only what its columns hold.
        """
        code, amount = self.place(self.dataset.column(column.currency_column or "")), self.place(column)
        found = {str(row[code] or "") for row in self.rows if row[amount] is not None}
        return found or {str(row[code]) for row in self.rows if row[code] is not None}

    @property
    def is_of_currencies(self) -> bool:
        """Whether its figures are in several currencies, shown apart."""
        keys = {one.name for one in (self.x, self.series) if one is not None}
        is_amount = self.aggregate not in COUNTING
        return is_amount and any(y.currency_column in keys and len(self.currency_codes(y)) > 1 for y in self.ys)

    @property
    def filters_in_words(self) -> list[str]:
        """What its filters keep, each as a reader of its language says it."""
        said = []
        for one in self.request.filters:
            column = column_named(self.dataset, one.column, self.request)
            assert column is not None
            bounds = [bound_of(column, text, self.request) for text in (one.at_least, one.at_most)]
            if column.type in ("date", "datetime") and not one.values:
                first, last = (each.date() if isinstance(each, datetime) else each for each in bounds)
                said.append(days_text(first, last, self.language))
            elif len(one.values) > 2 and all(period_start(value) for value in one.values):
                said.append(" – ".join(named_period(one.values[end], self.language) for end in (0, -1)))
            else:
                more = "…" if len(one.values) > MAX_NAMED_VALUES else ""
                is_flag = column.type == "boolean"
                shown = [value_text(v == "true", self.language) if is_flag else v for v in one.values]
                named = ", ".join(shown[:MAX_NAMED_VALUES]) + more
                signs = [
                    f"{sign} {value_text(bound, self.language)}"
                    for sign, bound in zip("≥≤", bounds, strict=True)
                    if bound is not None
                ]
                said.append(f"{column.title.strip('¿?')}: {', '.join(part for part in (named, *signs) if part)}")
        return [part for part in said if part]

    def note(self, message: str, **facts: object) -> None:
        """Say what was mended."""
        self.notes.append(say(message, self.language, **facts))

    def refuse(self, message: str, **facts: object) -> ChartRefusedError:
        """The error that says why there is no chart."""
        return ChartRefusedError(say(message, self.language, **facts))

    def place(self, column: Column) -> int:
        """Where a column of the dataset stands."""
        return [one.name for one in self.dataset.columns].index(column.name)

    def figures_of(self, name: str) -> list[Any]:
        """The computed figures of one column, without what is missing."""
        place = [column.name for column in self.columns].index(name)
        return [row[place] for row in self.figures if row[place] is not None]


def drafted(dataset: Dataset, request: ChartRequest) -> ChartDraft:
    """Columns found by name or label, rows filtered, and a kind chosen where none was asked for.

    Raises `ChartRefusedError` for a column or value that is not there.
    """
    rows, references = _filtered(dataset, request)
    return draft_of(dataset, request, rows, references)


def draft_of(
    dataset: Dataset,
    request: ChartRequest,
    rows: list[Sequence[Value]],
    references: Sequence[RecordReference | None],
) -> ChartDraft:
    """A draft of rows that are filtered already."""
    x = column_named(dataset, request.x, request)
    series = column_named(dataset, request.series, request)
    named = [found for name in request.y if (found := column_named(dataset, name, request)) is not None]
    ys = [column for column in named if column.is_numeric or request.aggregate in COUNTING]  # words do not add up
    draft = ChartDraft(
        request=request, dataset=dataset, kind=request.kind, x=x, ys=ys, series=series, aggregate=request.aggregate,
        time_unit=request.time_unit, rows=rows, references=references, row_count=len(rows),
        source_rows=len(dataset.rows),
    )  # fmt: skip
    _choose(draft)
    return draft


def _choose(draft: ChartDraft) -> None:
    """Fill in what was not said: figures, what they are compared by, and the kind."""
    taken = {column.name for column in (draft.x, draft.series) if column is not None}
    numeric = [column for column in draft.dataset.columns if column.is_numeric and column.name not in taken]
    if not draft.ys and draft.aggregate != "count":
        additive = sorted(
            (one for one in numeric if one.is_additive), key=lambda one: not (one.currency or one.currency_column)
        )
        if sum(fold(column.title).rstrip(".") in MONTHS for column in additive) > 2:
            raise draft.refuse("months_as_columns", dataset=draft.table_title)
        wanted = {"scatter": 2, "combined": 2}.get(draft.kind, 1)
        draft.ys = (additive or numeric)[:wanted] if draft.kind != "scatter" else numeric[:2]
    _add_comparison(draft)
    is_rows = draft.kind == "table" and draft.request.top is None  # the largest are found once they are added up
    if draft.x is None and draft.kind not in ("kpi", "histogram", "scatter") and not is_rows:
        draft.x = default_x(draft)
    if draft.x is None and draft.series is not None and draft.kind in ("auto", "bar", "stacked"):
        draft.x, draft.series = draft.series, None  # there is nothing else to compare by
    if draft.kind == "heatmap" and draft.series is None and draft.x is not None:
        draft.series = default_x(draft)
    is_time_aside = draft.series is not None and draft.series.type in ("date", "datetime") and not draft.is_temporal
    if draft.kind == "heatmap" and is_time_aside:
        draft.x, draft.series = draft.series, draft.x  # time goes along, and is cut to its periods
    if draft.kind == "auto":
        is_along_time = draft.is_temporal or (draft.is_in_periods and not draft.is_beside_time)
        draft.kind = "kpi" if draft.x is None else "line" if is_along_time else "bar"


def _add_comparison(draft: ChartDraft) -> None:
    """A table that brings the figure of the period before was asked for to compare: both are drawn."""
    before = next((one for one in draft.dataset.columns if one.name == BEFORE and one.is_numeric), None)
    is_drawn_alone = [column.name for column in draft.ys] == [COMPARED] and draft.series is None
    if before is not None and is_drawn_alone and draft.kind in ("auto", "bar", "line"):
        draft.ys = [*draft.ys, before]


def default_x(draft: ChartDraft) -> Column | None:
    """What figures are compared by if nothing is said: names, or times for a chart along time."""
    taken = (*draft.ys, draft.x, draft.series)
    free = [column for column in draft.dataset.columns if column not in taken]
    times = [column for column in free if column.type in ("date", "datetime")]
    texts = [column for column in free if column.type in ("text", "boolean") and not _is_currency_code(draft, column)]
    texts.sort(key=lambda column: _is_identity(draft, column))  # a document's number comes after what it is about
    along_time = draft.kind in ("line", "area") or draft.time_unit is not None
    preferred = [*times, *texts] if along_time else [*texts, *times]
    return preferred[0] if preferred else None


MOST_NAMES = 20
"""Rows up to which each of them may be a bar with its own name."""


def _is_identity(draft: ChartDraft, column: Column) -> bool:
    """Whether a column of a long table tells each row from every other: nothing is added up by it."""
    values = draft.dataset.values(column.name)
    return len(values) > MOST_NAMES and len(set(values)) == len(values)


def _is_currency_code(draft: ChartDraft, column: Column) -> bool:
    return any(one.currency_column == column.name for one in draft.dataset.columns)


def column_named(dataset: Dataset, wanted: str | None, request: ChartRequest) -> Column | None:
    """A column by its name or label, however it is written."""
    if not wanted:
        return None
    folded = dataset_name(wanted)
    for column in dataset.columns:
        if folded in (column.name, dataset_name(column.title)):
            return column
    words = _same_meaning(wanted, COLUMN_WORDS)
    for column in dataset.columns:
        parts = {*column.name.split("_"), *dataset_name(column.title).split("_"), dataset_name(column.title)}
        if words & parts:
            return column
    known = ", ".join(column.name for column in dataset.columns)
    raise ChartRefusedError(say("no_column", request.language, dataset=dataset.name, column=wanted, known=known))


def _filtered(dataset: Dataset, request: ChartRequest) -> tuple[list[Sequence[Value]], list[RecordReference | None]]:
    wanted = (*request.filters, *value_filters(dataset, request, request.only))
    tests = [_test(dataset, one, request) for one in wanted]
    gone = [_test(dataset, one, request) for one in value_filters(dataset, request, request.excluded)]
    references = dataset.references or [None] * len(dataset.rows)
    kept = [
        (row, reference)
        for row, reference in zip(dataset.rows, references, strict=True)
        if all(test(row) for test in tests) and not any(test(row) for test in gone)
    ]
    return [row for row, _ in kept], [reference for _, reference in kept]


def value_filters(dataset: Dataset, request: ChartRequest, values: Sequence[str]) -> list[ChartFilter]:
    """Filters for values that were named without their column; several of one column are alternatives."""
    found: dict[str, list[str]] = {}
    for value in values:
        meant = {dataset_name(value), *_same_meaning(value, COUNTRY_WORDS)}
        texts = [column for column in dataset.columns if column.type == "text"]
        column = next(
            (one for one in texts if meant & {dataset_name(str(v or "")) for v in dataset.values(one.name)}), None
        )
        if column is None:
            raise ChartRefusedError(say("no_value", request.language, dataset=dataset.name, value=value))
        found.setdefault(column.name, []).extend(sorted(meant))
    return [ChartFilter(column=name, values=tuple(values)) for name, values in found.items()]


def _same_meaning(word: str, table: Words) -> set[str]:
    """All words of the group that a word belongs to, folded."""
    folded = dataset_name(word)
    groups = ({dataset_name(one) for one in (key, *words)} for key, words in table.items())
    return next((group for group in groups if folded in group), set())


def _test(dataset: Dataset, wanted: ChartFilter, request: ChartRequest) -> Any:
    column = column_named(dataset, wanted.column, request)
    assert column is not None
    place = [one.name for one in dataset.columns].index(column.name)
    values = {dataset_name(value) for value in wanted.values}
    low, high = (bound_of(column, text, request) for text in (wanted.at_least, wanted.at_most))

    def passes(row: Sequence[Any]) -> bool:
        value = row[place]
        if values and dataset_name(str("" if value is None else value)) not in values:
            return False
        if value is None:
            return not values and low is None and high is None
        return (low is None or value >= low) and (high is None or value <= high)

    return passes


def bound_of(column: Column, text: str | None, request: ChartRequest) -> Any:
    if text is None:
        return None
    try:
        return CONVERTERS[column.type](text)
    except (ValueError, TypeError, InvalidOperation) as error:
        facts = {"column": column.title, "value": text[:80]}
        raise ChartRefusedError(say("no_bound", request.language, **facts)) from error


def is_day(value: Value) -> bool:
    """Whether a value lies in time."""
    return isinstance(value, date)
