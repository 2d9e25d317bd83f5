"""The figures of a draft, each kind of chart in its own way. Pure: from rows, or from what the engine made of them."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from batuta.datasets.charts import rules
from batuta.datasets.charts.draft import BEFORE, COUNT, ChartDraft
from batuta.datasets.charts.figures import (
    Group,
    Key,
    aggregated,
    binned,
    calendar_places,
    grouped,
    in_longer_period,
    period_of,
)
from batuta.datasets.charts.labels import number_text, value_text
from batuta.datasets.charts.request import Aggregate
from batuta.datasets.charts.words import AGGREGATE_NAMES, UNIT_NAMES, say
from batuta.datasets.dataset import Column
from batuta.datasets.values import Value
from batuta.language.folding import fold
from batuta.language.lexicon import MONTHS
from batuta.language.wording import short_period

PERIOD_LABEL = "period_label"
MEASURE = "measure"
MEASURED = "value"
PREVIOUS, CHANGE = "previous", "change"


def compute_figures(draft: ChartDraft) -> None:
    """Fill in the figures, each kind in its own way."""
    special = {"histogram": _binned, "scatter": _points, "kpi": _single, "table": _table}
    special.get(draft.kind, _compared)(draft)


def _compared(draft: ChartDraft) -> None:
    """Figures by category or period, and by series."""
    if draft.x is None:
        raise draft.refuse("nothing_to_compare", dataset=draft.table_title)
    if draft.kind == "heatmap" and draft.series is None:
        raise draft.refuse("needs_two_categories")
    keys = [draft.x] if draft.series is None else [draft.x, draft.series]
    groups = _without_blanks(draft, draft.groups) if draft.groups is not None else _groups_of_rows(draft, keys)
    made: list[list[Value]] = []
    for key, group in groups.items():
        values = [aggregated(one, _how(draft)) for one in group.figures]
        made.append([*key, *([group.row_count] if draft.aggregate == "count" else values)])
    draft.records = [group.reference for group in groups.values()]
    draft.columns = [*(_key_column(draft, column) for column in keys), *_figure_columns(draft)]
    draft.figures = made
    if len(draft.ys) > 1 and draft.kind not in ("combined",) and draft.aggregate != "count":
        _fold_measures(draft)
    _order(draft)


def _how(draft: ChartDraft) -> Aggregate:
    """How the figures of a group become one; those that the engine grouped are one already."""
    return draft.aggregate if draft.groups is None else "sum"


def _groups_of_rows(draft: ChartDraft, keys: Sequence[Column]) -> dict[Key, Group]:
    rows, records = _with_periods(draft)
    if draft.series is not None and draft.series.type in ("date", "datetime") and draft.time_unit is not None:
        unit, split = draft.time_unit, draft.place(draft.series)
        rows = [[period_of(v, unit) if n == split and v is not None else v for n, v in enumerate(row)] for row in rows]
    places = [draft.place(column) for column in keys]
    if draft.series is not None and draft.series.type == "text":
        split, blank = draft.place(draft.series), say("blank", draft.language)
        rows = [[blank if n == split and not v else v for n, v in enumerate(row)] for row in rows]
    return grouped(rows, places, [draft.place(column) for column in draft.ys], records)


def _without_blanks(draft: ChartDraft, groups: dict[Key, Group]) -> dict[Key, Group]:
    """Groups that the engine made: those without a time are left out, those without a name get one."""
    assert draft.x is not None
    if draft.is_temporal:
        kept = {key: group for key, group in groups.items() if key[0] is not None}
        if left := sum(group.row_count for key, group in groups.items() if key[0] is None):
            draft.note("left_out", count=left, x=draft.x.title)
        return {_with_blank_names(draft, key): group for key, group in kept.items()}
    return {_with_blank_names(draft, key): group for key, group in groups.items()}


def _with_blank_names(draft: ChartDraft, key: Key) -> Key:
    columns = (draft.x, draft.series)
    blank = say("blank", draft.language)
    return tuple(
        blank if value is None and column is not None and column.type == "text" else value
        for value, column in zip(key, columns, strict=False)
    )


def _with_periods(draft: ChartDraft) -> tuple[list[Any], list[Any]]:
    """The rows with times cut to periods; those without a time are left out, and so is an empty category named."""
    assert draft.x is not None
    place = draft.place(draft.x)
    if not draft.is_temporal:
        empty = say("blank", draft.language) if draft.x.type == "text" else None
        if draft.is_in_periods and draft.time_unit in ("quarter", "year"):
            longer = draft.time_unit
            draft.rows = [
                [in_longer_period(str(v), longer) if n == place and v else v for n, v in enumerate(row)]
                for row in draft.rows
            ]
        if draft.x.type != "text" or all(row[place] not in (None, "") for row in draft.rows):
            return draft.rows, list(draft.references)
        return [[empty if n == place and not v else v for n, v in enumerate(row)] for row in draft.rows], list(
            draft.references
        )
    unit = draft.time_unit or "day"
    kept = [(row, record) for row, record in zip(draft.rows, draft.references, strict=True) if row[place] is not None]
    if len(kept) < len(draft.rows):
        draft.note("left_out", count=len(draft.rows) - len(kept), x=draft.x.title)
    cut = [[period_of(v, unit) if n == place else v for n, v in enumerate(row)] for row, _ in kept]  # type: ignore[arg-type]
    return cut, [record for _, record in kept]


def _key_column(draft: ChartDraft, column: Column) -> Column:
    is_cut = column is draft.x or draft.time_unit is not None
    if column is draft.x and draft.is_in_periods and draft.time_unit is not None:
        return column.model_copy(update={"label": UNIT_NAMES[draft.time_unit][draft.language].capitalize()})
    return column.model_copy(update={"type": "date"}) if is_cut and column.type in ("date", "datetime") else column


def _figure_columns(draft: ChartDraft) -> list[Column]:
    if draft.aggregate == "count":
        return [Column(name=COUNT, type="integer", label=say("count", draft.language))]
    label = AGGREGATE_NAMES[draft.aggregate][draft.language]
    is_divided = draft.aggregate in ("average", "median")
    if draft.aggregate == "distinct":
        return [Column(name=one.name, type="integer", label=label.format(y=one.title)) for one in draft.ys]
    return [
        column.model_copy(
            update={
                "label": label.format(y=column.title),
                "type": "decimal" if column.type == "integer" and is_divided else column.type,
                "is_additive": column.is_additive and draft.aggregate == "sum",
                "currency": column.currency or _only_currency(draft, column),
                "currency_column": None,
            }
        )
        for column in draft.ys
    ]


def _only_currency(draft: ChartDraft, column: Column) -> str | None:
    """The currency that all rows share, where each row says its own."""
    if column.currency_column is None:
        return None
    codes = draft.currency_codes(column)
    code = next(iter(codes)) if len(codes) == 1 else ""
    return code if len(code) == 3 and code.isalpha() and code.isupper() else None


def _fold_measures(draft: ChartDraft) -> None:
    """Several figures of one unit become one column, with their names as the series."""
    width = len(draft.ys)
    keys = draft.columns[:-width]
    measures = draft.columns[-width:]
    if draft.series is not None:  # a series is shown already: only the first figure has room
        draft.ys = draft.ys[:1]
        draft.figures = [[*row[: len(keys)], row[len(keys)]] for row in draft.figures]
        draft.columns = [*keys, measures[0]]
        return
    kinds = {column.type for column in measures}
    kind = next(iter(kinds)) if len(kinds) == 1 else "decimal"
    value = measures[0].model_copy(update={"name": MEASURED, "label": "", "type": kind})
    titles = [column.title for column in measures]
    names = [
        f"{title} ({column.name})" if titles.count(title) > 1 else title
        for title, column in zip(titles, measures, strict=True)
    ]  # equal ones would lie upon each other
    series = Column(name=MEASURE, type="text", label=" / ".join(names)[:200])
    draft.figures = [
        [row[0], name, row[len(keys) + place]] for row in draft.figures for place, name in enumerate(names)
    ]
    draft.records = [record for record in draft.records for _ in measures]
    draft.columns = [keys[0], series, value.model_copy(update={"label": series.label})]
    draft.series = series


def _order(draft: ChartDraft) -> None:
    """As it was asked for; else along time by time, and the largest first."""
    pairs = list(zip(draft.figures, draft.records, strict=True))
    is_ordered = draft.is_temporal or draft.is_in_periods or (draft.x is not None and draft.x.is_numeric)
    is_ordered = is_ordered or draft.is_of_currencies  # no sum of euros and dollars makes one the largest
    calendar = {} if is_ordered or draft.request.order else _calendar_places(draft)
    order = draft.request.order or ("label" if is_ordered else "largest")
    if calendar:
        pairs.sort(key=lambda pair: calendar.get(str(pair[0][0]), len(MONTHS)))
    elif order == "label" or draft.is_temporal:
        is_text = draft.x is not None and draft.x.type == "text"
        pairs.sort(key=lambda pair: (pair[0][0] is None, fold(str(pair[0][0])) if is_text else pair[0][0]))
    else:
        ranks = {key: rank for rank, key in enumerate(rules.ranked(draft, 0, is_smallest=order == "smallest"))}
        pairs.sort(key=lambda pair: ranks[pair[0][0]])
    draft.figures = [row for row, _ in pairs]
    draft.records = [record for _, record in pairs]


def _calendar_places(draft: ChartDraft) -> Mapping[str, int]:
    blank = say("blank", draft.language)
    return calendar_places({str(row[0]) for row in draft.figures if row[0] not in (None, blank)})


def _binned(draft: ChartDraft) -> None:
    """How many rows lie in each range of a figure."""
    column = draft.ys[0] if draft.ys else None
    if column is None:
        raise draft.refuse("nothing_to_compare", dataset=draft.dataset.name)
    edges, counts = draft.bins or binned(
        [row[draft.place(column)] for row in draft.rows], is_whole=column.type == "integer"
    )
    if not counts:
        raise draft.refuse("empty", dataset=draft.table_title, filtered="")
    low = Column(name="range_from", type="decimal", label=column.title, unit=column.unit, currency=column.currency)
    draft.columns = [
        Column(name="range_label", type="text", label=column.title, unit=column.unit, currency=column.currency),
        low,
        low.model_copy(update={"name": "range_to"}),
        Column(name=COUNT, type="integer", label=say("count", draft.language)),
    ]
    texts = [number_text(edge, draft.language, max(0, -int(edge.normalize().as_tuple().exponent))) for edge in edges]
    is_of_one = column.type == "integer" and edges[1] - edges[0] == 1
    labels = [low if is_of_one else say("from_to", draft.language, low=low, high=high) for low, high in pairwise(texts)]
    draft.figures = [[labels[n], edges[n], edges[n + 1], count] for n, count in enumerate(counts)]
    draft.records = [None] * len(draft.figures)
    draft.x, draft.series = draft.columns[0], None


def _points(draft: ChartDraft) -> None:
    """Two figures of each row."""
    columns = [*draft.ys[:2], *([draft.series] if draft.series else []), *([draft.x] if draft.x else [])]
    columns = list(dict.fromkeys(columns))
    places = [draft.place(column) for column in columns]
    pairs = [
        ([row[place] for place in places], record)
        for row, record in zip(draft.rows, draft.references, strict=True)
        if row[places[0]] is not None and row[places[1]] is not None
    ]
    blank, are_names = say("blank", draft.language), [column.type == "text" for column in columns]
    draft.columns = columns
    draft.figures = [
        [blank if is_name and not value else value for value, is_name in zip(row, are_names, strict=True)]
        for row, _ in pairs
    ]
    draft.records = [record for _, record in pairs]


def _single(draft: ChartDraft) -> None:
    """One figure; along time the last period beside the one before it."""
    if draft.x is not None:
        _compared(draft)
        return
    figures = [draft.place(column) for column in draft.ys]
    (group,) = (draft.groups or grouped(draft.rows, [], figures, draft.references)).values()
    values = [aggregated(one, _how(draft)) for one in group.figures]
    draft.columns = _figure_columns(draft)
    draft.figures = [[group.row_count] if draft.aggregate == "count" else values]
    draft.records = [group.reference]
    _compare_with_before(draft)


def _compare_with_before(draft: ChartDraft) -> None:
    """A single row that brings the figure of the period before it shows both, and the difference."""
    before = next((one for one in draft.dataset.columns if one.name == BEFORE and one.is_numeric), None)
    if before is None or len(draft.rows) != 1 or draft.aggregate == "count" or len(draft.columns) != 1:
        return
    (value,) = draft.figures[0]
    previous: Any = draft.rows[0][draft.place(before)]
    if previous is None or value is None or before.name == draft.columns[0].name:
        return
    figure = draft.columns[0]
    draft.columns += [figure.model_copy(update={"name": name}) for name in (PREVIOUS, CHANGE)]
    draft.figures = [[value, previous, value - previous]]


def reduce_to_figure(draft: ChartDraft) -> None:
    """The last period with the one before it, and the difference."""
    last, before = draft.figures[-1], draft.figures[-2] if len(draft.figures) > 1 else None
    value = draft.columns[-1]
    unit = draft.time_unit or "day"
    label = (
        short_period(last[0], unit, draft.language)
        if isinstance(last[0], date)
        else value_text(last[0], draft.language)
    )
    difference: Any = None if before is None or last[-1] is None or before[-1] is None else last[-1] - before[-1]  # type: ignore[operator]
    draft.columns = [
        Column(name=PERIOD_LABEL, type="text", label=UNIT_NAMES[unit][draft.language]),
        value,
        value.model_copy(update={"name": PREVIOUS}),
        value.model_copy(update={"name": CHANGE}),
    ]
    draft.figures = [[label, last[-1], None if before is None else before[-1], difference]]
    draft.records = [draft.records[-1]]
    draft.x = draft.series = None
    draft.ys = [value]


def _table(draft: ChartDraft) -> None:
    """Rows as they are, or grouped if it was said by what."""
    if draft.x is not None:
        _compared(draft)
        return
    if draft.row_count > rules.MAX_TABLE_ROWS:
        draft.note("table_cut", shown=rules.MAX_TABLE_ROWS, all=draft.row_count)
    draft.columns = list(draft.dataset.columns)
    draft.figures = [list(row) for row in draft.rows[: rules.MAX_TABLE_ROWS]]
    draft.records = list(draft.references[: rules.MAX_TABLE_ROWS])
