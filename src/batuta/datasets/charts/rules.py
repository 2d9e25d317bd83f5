"""Rules against charts that mislead. One table: each rule mends the draft and notes it, or refuses.

| rule | when | what happens |
|---|---|---|
| empty | no rows are left | refused |
| unit of no time | a period was asked for, and names are compared | said, or refused for names of months |
| mixed currencies | figures of several currencies, not split by them | shown apart, or refused |
| nothing to count | no numeric column | rows are counted |
| not additive | a price or rate would be added up | averages |
| other units | figures of several units on one axis | those of the first unit |
| stack of one | bars on top of one another without anything to split by | plain bars |
| scatter of one | a scatter plot with one figure | bars |
| line without order | a line along categories | bars |
| pie of no whole | averages, or along time, as a pie | bars |
| area of no whole | averages on top of one another | lines |
| crowded scatter | more points than can be told apart | refused |
| too many periods | more points along time than pixels | a coarser unit |
| negative pie | a negative part, or nothing at all | bars |
| negative stack | a negative part in a stack | side by side |
| too many categories | more than can be read | the largest and the others, or a table |
| too many series | more than can be told apart | the largest and the others |
| gaps in an area | a period in which a part of the area has no figure | zero |
| gaps in time | a period between others, or one line in it, has no figures | its place stays empty, and said |
| single point | one value | a figure |
| histogram of one | a histogram was asked for by something else too | said |
| cut axis | bars or areas that do not begin at zero | from zero |
| cut data | the source was cut short | said |
| chosen values | values or a time were kept, or left out by name | said |
| one colour | a colour was asked for where colours tell parts apart | said |
| figure bounds | figures outside of what was asked for | left out, and said |
| latest | more periods than were asked for | the last ones, and said |
| top periods | the largest of several periods were asked for | those, as bars along time, and said |
| share of no whole | percentages of averages, of negative parts or of nothing | the figures themselves |
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from batuta.datasets.charts.draft import COUNT, ChartDraft, column_named, default_x
from batuta.datasets.charts.figures import missing_periods, period_of
from batuta.datasets.charts.labels import named_period
from batuta.datasets.charts.request import COUNTING, TimeUnit, WantedKind
from batuta.datasets.charts.words import UNIT_NAMES, say
from batuta.datasets.dataset import Column
from batuta.datasets.sql import SQL_CONNECTOR
from batuta.datasets.values import NO_VALUE, Value
from batuta.language.folding import fold
from batuta.language.wording import short_period

MAX_CATEGORIES = 20
MAX_SLICES = 7
MAX_SERIES = 8
MAX_PERIODS = 400
MAX_POINTS = 5_000
MAX_TABLE_ROWS = 10_000
ONE_COLOUR: Final = ("bar", "histogram", "line", "area", "scatter")
"""Kinds whose marks have one colour, unless they are split by something."""
MAX_NAMED = 6
"""Periods that a note names."""

_COARSER: Final[tuple[TimeUnit, ...]] = ("day", "week", "month", "quarter", "year")

Rule = Callable[[ChartDraft], None]


def empty(draft: ChartDraft) -> None:
    """Nothing comes of nothing."""
    if not draft.rows:
        is_filtered = bool(draft.request.filters or draft.request.only)
        words = {"en": " that pass the filter", "es": " que cumplan el filtro"}[draft.language] if is_filtered else ""
        raise draft.refuse("empty", dataset=draft.table_title, filtered=words)


def mixed_currencies(draft: ChartDraft) -> None:
    """Euros and dollars make no sum: they are shown apart, and never as parts of one whole."""
    is_rows = draft.kind == "table" and draft.x is None
    for column in () if is_rows or draft.aggregate in COUNTING else draft.ys:  # else nothing is added up
        code = column.currency_column
        codes = (
            []
            if code is None
            else sorted(one or say("no_currency", draft.language) for one in draft.currency_codes(column))
        )
        if code is None or len(codes) < 2:
            continue
        facts = {"y": column.title, "codes": ", ".join(codes), "column": draft.dataset.column(code).title}
        is_bounded = draft.request.at_least is not None or draft.request.at_most is not None
        if code not in {one.name for one in (draft.x, draft.series) if one is not None}:
            if is_bounded or draft.series is not None or draft.kind not in _SPLIT_BY_CURRENCY or len(draft.ys) > 1:
                raise draft.refuse("mixed_currencies", **facts)
            _split_by_currency(draft, draft.dataset.column(code))
            draft.note("currencies_apart", **facts)
        elif is_bounded:
            raise draft.refuse("mixed_currencies", **facts)
        if _SPLIT_BY_CURRENCY.get(draft.kind, draft.kind) != draft.kind:
            if draft.kind != "kpi":
                draft.note("area_no_whole" if draft.kind == "area" else "pie_no_whole")
            draft.kind = _SPLIT_BY_CURRENCY[draft.kind]


_SPLIT_BY_CURRENCY: Final[Mapping[str, WantedKind]] = {
    "bar": "bar", "stacked": "bar", "pie": "bar", "kpi": "bar", "line": "line", "area": "line", "table": "table",
}  # fmt: skip
"""What a kind of chart becomes when its figures are in several currencies: nothing is stacked, nothing is a share."""


def _split_by_currency(draft: ChartDraft, currency: Column) -> None:
    if draft.x is None:
        draft.x = currency
    else:
        draft.series = currency


def unit_of_no_time(draft: ChartDraft) -> None:
    """Names cannot be cut to years: months that are only names are no years, and customers are compared as they are."""
    if draft.time_unit is None or draft.x is None or draft.x.type != "text" or draft.kind in ("kpi", "table"):
        return
    is_split_by_time = draft.series is not None and draft.series.type in ("date", "datetime")
    unit = _unit_named(draft.x.title)
    if draft.is_in_periods or is_split_by_time or unit == draft.time_unit:
        return
    if unit is not None:
        known = ", ".join(column.title for column in draft.dataset.columns)
        raise draft.refuse("no_time", dataset=draft.table_title, known=known)
    draft.note("unit_of_no_time", unit=UNIT_NAMES[draft.time_unit][draft.language], x=draft.x.title)
    draft.time_unit = None


def _unit_named(title: str) -> TimeUnit | None:
    """The unit of time that a column is called by."""
    return next((unit for unit in _COARSER if fold(title) in {unit, *map(fold, UNIT_NAMES[unit].values())}), None)


def nothing_to_count(draft: ChartDraft) -> None:
    """Without a figure, rows are the figure."""
    if not draft.ys and (draft.kind != "table" or draft.x is not None):
        if draft.aggregate != "count":
            draft.note("counted")
        draft.aggregate = "count"


def not_additive(draft: ChartDraft) -> None:
    """A sum of prices says nothing."""
    unfit = [column for column in draft.ys if not column.is_additive]
    if unfit and draft.aggregate == "sum" and draft.kind not in ("scatter", "histogram", "table"):
        draft.aggregate = "average"
        draft.note("averaged", y=unfit[0].title)


def other_units(draft: ChartDraft) -> None:
    """One axis measures one thing; a combined chart has two."""
    if draft.kind in ("scatter", "combined", "table", "kpi") or len(draft.ys) < 2:
        return
    first = draft.ys[0]
    left = [column for column in draft.ys if (column.unit, column.currency) != (first.unit, first.currency)]
    if left:
        draft.ys = [column for column in draft.ys if column not in left]
        draft.note("other_units", left=", ".join(column.title for column in left), kept=first.title)


def stack_of_one(draft: ChartDraft) -> None:
    """A stack of one part is a bar."""
    if draft.kind == "stacked" and draft.series is None and len(draft.ys) < 2:
        draft.kind = "bar"
        draft.note("stack_of_one")


def one_figure_of_series(draft: ChartDraft) -> None:
    """Colours tell the parts of a series apart: only the first of several figures has room."""
    kinds = ("bar", "stacked", "line", "area", "pie", "heatmap")
    if draft.series is not None and len(draft.ys) > 1 and draft.aggregate != "count" and draft.kind in kinds:
        kept, *left = draft.ys
        titles = ", ".join(column.title for column in left)
        draft.note("one_figure_only", kept=kept.title, series=draft.series.title, left=titles)
        draft.ys = [kept]


def scatter_of_one(draft: ChartDraft) -> None:
    """Two figures make a point."""
    if draft.kind == "scatter" and len(draft.ys) < 2:
        draft.kind = "bar"
        draft.x = draft.x or default_x(draft)
        draft.note("scatter_needs_two")


def line_without_order(draft: ChartDraft) -> None:
    """Between two customers there is nothing to go through."""
    is_ordered = (draft.is_in_periods and not draft.is_beside_time) or draft.is_in_calendar
    is_unordered = draft.x is not None and draft.x.type in ("text", "boolean") and not is_ordered
    if draft.kind in ("line", "area") and draft.x is not None and is_unordered:
        draft.kind = "bar"
        draft.note("line_without_order", x=draft.x.title)


def pie_of_no_whole(draft: ChartDraft) -> None:
    """Slices are parts of a sum."""
    if draft.kind in ("pie", "stacked") and draft.aggregate not in ("sum", "count"):
        draft.kind = "bar"
        draft.note("pie_no_whole")
    if draft.kind == "pie" and (draft.is_temporal or draft.is_in_periods):
        draft.kind = "bar"
        draft.note("pie_no_whole")


def area_of_no_whole(draft: ChartDraft) -> None:
    """Averages on top of one another add up to nothing."""
    is_stacked = draft.series is not None or len(draft.ys) > 1
    if draft.kind == "area" and is_stacked and draft.aggregate not in ("sum", "count"):
        draft.kind = "line"
        draft.note("area_no_whole")


def crowded_scatter(draft: ChartDraft) -> None:
    """A cloud of a million points is a blot."""
    if draft.kind == "scatter" and draft.row_count > MAX_POINTS:
        raise draft.refuse("too_many_points", count=draft.row_count, most=MAX_POINTS)


def too_many_periods(draft: ChartDraft) -> None:
    """More points than pixels are added up by the next longer period."""
    if not draft.is_temporal or draft.x is None or draft.kind in ("scatter", "table"):
        return
    place = draft.place(draft.x)
    days = {row[place] for row in draft.rows if row[place] is not None}
    most = MAX_PERIODS if draft.kind in ("line", "area") else 60
    begin = _COARSER.index(draft.time_unit) if draft.time_unit else 0
    for unit in _COARSER[begin:]:
        if len({period_of(day, unit) for day in days}) <= most:  # type: ignore[arg-type] # a temporal column
            if unit != (draft.time_unit or "day"):
                draft.note("coarser_time", unit=UNIT_NAMES[unit][draft.language])
                draft.time_unit = unit
            return
    draft.time_unit = "year"


def figure_bounds(draft: ChartDraft) -> None:
    """Keep figures within what was asked for, once they are added up."""
    low, high = draft.request.at_least, draft.request.at_most
    if low is None and high is None:
        return
    if draft.kind in ("scatter", "histogram"):
        draft.note("no_bounds")
        return
    before = draft.figures
    sizes = {key: size for key, size in _totals(draft).items() if _is_within(size, low, high)}
    _keep(draft, 0, set(sizes))
    if not draft.figures:
        raise draft.refuse("nothing_within", dataset=draft.table_title)
    if len(draft.figures) < len(before):
        draft.note("within", shown=len(sizes), all=len({row[0] for row in before}))


def gaps_in_time(draft: ChartDraft) -> None:
    """A month without figures keeps its place on the axis: a line that goes on over it tells of figures there."""
    is_along_time = draft.is_temporal or draft.is_in_periods
    is_reordered = draft.request.order in ("largest", "smallest") and not draft.is_temporal
    asks_for_some = (
        draft.request.top is not None or draft.request.at_least is not None or draft.request.at_most is not None
    )
    if not is_along_time or is_reordered or asks_for_some or draft.kind not in ("line", "area", "bar", "stacked"):
        return
    periods = list(dict.fromkeys(row[0] for row in draft.figures if row[0] not in (None, NO_VALUE)))
    missing = missing_periods(periods, draft.time_unit) if len(periods) > 1 else []
    if missing:
        _note_gaps(draft, missing)
    parts = list(dict.fromkeys(tuple(row[1:-1]) for row in draft.figures))
    if len(periods) + len(missing) > (MAX_PERIODS if draft.kind in ("line", "area") else MAX_CATEGORIES):
        return
    known = {tuple(row[:-1]) for row in draft.figures}
    shown = (
        [*periods, *missing] if draft.kind == "line" else missing
    )  # each line breaks where its own figure is missing
    gaps = [[period, *part, None] for period in shown for part in parts if (period, *part) not in known]
    if not gaps:
        return
    pairs = [*zip(draft.figures, draft.records, strict=True), *((row, None) for row in gaps)]
    pairs.sort(key=lambda pair: (pair[0][0] is None, str(pair[0][0])))
    draft.figures, draft.records = [row for row, _ in pairs], [record for _, record in pairs]


def _note_gaps(draft: ChartDraft, missing: Sequence[Value]) -> None:
    names = [_period_name(draft, one) for one in missing[:MAX_NAMED]]
    draft.note("time_gaps", periods=", ".join(names) + ("…" if len(missing) > MAX_NAMED else ""))


def _period_name(draft: ChartDraft, period: Value) -> str:
    if isinstance(period, date):
        return short_period(period, draft.time_unit or "day", draft.language)
    return named_period(str(period), draft.language)


def latest(draft: ChartDraft) -> None:
    """Keep the end of a time."""
    wanted = draft.request.last
    if wanted is None or not (draft.is_temporal or draft.is_in_periods):
        return
    periods = sorted({row[0] for row in draft.figures if row[0] not in (None, NO_VALUE)}, key=str)
    if len(periods) > wanted:
        _keep(draft, 0, set(periods[-wanted:]))
        draft.note("last_only", shown=wanted, all=len(periods))
        ends = [_period_name(draft, one) for one in dict.fromkeys((periods[-wanted], periods[-1]))]
        draft.shown_periods = " – ".join(ends)


def top_periods(draft: ChartDraft) -> None:
    """The largest periods stay in the order of time; a line through them would go where nothing is shown."""
    wanted = draft.request.top
    is_along_time = draft.is_temporal or draft.is_in_periods
    if wanted is None or not is_along_time or draft.kind in ("scatter", "histogram", "kpi", "pie"):
        return
    if draft.is_of_currencies:
        draft.note("currencies_no_rank")
        return
    is_smallest = draft.request.order == "smallest"
    periods = ranked(draft, 0, is_smallest=is_smallest)
    if len(periods) <= wanted:
        return
    _keep(draft, 0, set(periods[:wanted]))
    _note_ranks(draft, wanted, len(periods), is_smallest=is_smallest)
    if draft.kind in ("line", "area"):
        draft.kind = "bar" if draft.kind == "line" or draft.series is None else "stacked"
        draft.note("periods_apart")


def _note_ranks(draft: ChartDraft, shown: int, count: int, *, is_smallest: bool) -> None:
    draft.note("bottom_only" if is_smallest else "top_only", shown=shown, all=count)
    draft.shown_ranks = say("title_bottom" if is_smallest else "title_top", draft.language, shown=shown)


def share(draft: ChartDraft) -> None:
    """Percentages of a sum, where there is one."""
    if not draft.request.is_share or draft.kind in ("scatter", "table", "combined"):
        return
    figure = draft.columns[-1]
    values = draft.figures_of(figure.name)
    total = sum((Decimal(str(value)) for value in values), Decimal(0))
    is_count = draft.aggregate == "count" or draft.kind == "histogram"
    is_sum = is_count or (draft.aggregate == "sum" and figure.is_additive)
    is_sum = is_sum and not draft.is_of_currencies and draft.request.compared is None  # two years are no whole
    if not is_sum or not figure.is_numeric or total <= 0 or any(value < 0 for value in values):
        draft.note("share_no_whole")
        return
    label = re.sub(r"\s*[(\[]\s*(?:€|\$|£|[A-Z]{3})\s*[)\]]", "", figure.title) or figure.title
    draft.columns[-1] = figure.model_copy(update={"type": "decimal", "unit": "%", "currency": None, "label": label})
    draft.figures = [
        [*row[:-1], None if row[-1] is None else round(Decimal(str(row[-1])) * 100 / total, 2)] for row in draft.figures
    ]


def negative_pie(draft: ChartDraft) -> None:
    """A slice has no negative angle, and a whole of nothing no slices."""
    if draft.kind == "pie":
        figures = draft.figures_of(_figure(draft))
        if any(value < 0 for value in figures) or not any(figures):
            draft.kind = "bar"
            draft.note("pie_negative")


def negative_stack(draft: ChartDraft) -> None:
    """A stack with a hole in it shows no sum."""
    is_stacked = draft.kind in ("stacked", "area") and draft.series is not None
    if is_stacked and any(value < 0 for value in draft.figures_of(_figure(draft))):
        draft.kind = "bar" if draft.kind == "stacked" else "line"
        draft.note("stack_negative")


def too_many_categories(draft: ChartDraft) -> None:
    """What cannot be read is not shown: the largest and the others, or a table where others cannot be added up."""
    has_limit = draft.kind in ("bar", "stacked", "pie", "combined", "heatmap")
    is_cut_table = draft.kind == "table" and draft.request.top is not None
    if not (has_limit or is_cut_table) or draft.x is None or draft.is_temporal:
        return
    if draft.is_in_calendar and draft.request.top is None and draft.kind != "pie":
        return
    most = draft.request.top or (MAX_SLICES - 1 if draft.kind == "pie" else MAX_CATEGORIES)
    limit = draft.request.top or (MAX_SLICES if draft.kind == "pie" else MAX_CATEGORIES)
    is_wanted = draft.request.top is not None
    is_smallest = draft.request.order == "smallest" and is_wanted
    sizes = ranked(draft, 0, is_smallest=is_smallest)
    if len(sizes) <= limit:
        return
    is_ranked = not draft.is_of_currencies
    can_add = draft.aggregate in ("sum", "count") and draft.kind not in ("heatmap", "combined") and is_ranked
    if is_wanted and not is_ranked:
        draft.note("currencies_no_rank")
    is_wanted = is_wanted and is_ranked
    if not is_ranked and len(sizes) <= MAX_CATEGORIES:
        return
    if not can_add and not is_wanted:
        draft.note("many_to_table", all=len(sizes), x=draft.x.title)
        draft.kind = "table"
        return
    kept = set(sizes[:most])
    is_cut = draft.kind != "pie" and not (draft.request.has_rest and can_add)
    if is_wanted and (is_cut or is_smallest):
        _keep(draft, 0, kept)
        _note_ranks(draft, most, len(sizes), is_smallest=is_smallest)
        return
    others = say("others", draft.language)
    _merge(draft, 0, kept, others)
    draft.note("top_and_others", shown=most, all=len(sizes), others=others)


def too_many_series(draft: ChartDraft) -> None:
    """Eight colours can be told apart."""
    if draft.series is None or draft.kind in ("table", "heatmap", "scatter", "kpi"):
        return
    sizes = ranked(draft, 1)
    if len(sizes) <= MAX_SERIES:
        return
    kept = set(sizes[: MAX_SERIES - 1])
    others = say("others", draft.language)
    if draft.aggregate in ("sum", "count"):
        _merge(draft, 1, kept, others)
        draft.note("series_cut", shown=MAX_SERIES - 1, all=len(sizes), others=others)
    else:
        _keep(draft, 1, kept)
        draft.note("top_only", shown=MAX_SERIES - 1, all=len(sizes))


def gaps_in_area(draft: ChartDraft) -> None:
    """What is not there is nothing in a sum. A renderer draws it as zero, so the figures say it too."""
    if draft.kind != "area" or draft.series is None:
        return
    known = {(row[0], row[1]) for row in draft.figures if row[-1] is not None}
    periods, parts = (list(dict.fromkeys(row[place] for row in draft.figures)) for place in (0, 1))
    missing = [(period, part) for period in periods for part in parts if (period, part) not in known]
    if not missing:
        return
    zero = Decimal(0) if draft.columns[-1].type == "decimal" else 0
    pairs = [pair for pair in zip(draft.figures, draft.records, strict=True) if pair[0][-1] is not None]
    pairs += [([period, part, zero], None) for period, part in missing]
    pairs.sort(key=lambda pair: periods.index(pair[0][0]))
    draft.figures, draft.records = [row for row, _ in pairs], [record for _, record in pairs]
    draft.note("gaps_are_zero", series=draft.series.title)


def single_point(draft: ChartDraft) -> None:
    """One value is a figure, not a chart."""
    if draft.kind in ("line", "area", "bar", "stacked", "pie") and len(draft.figures) == 1:
        draft.kind = "kpi"
        draft.note("single_point")


def histogram_of_one(draft: ChartDraft) -> None:
    """Bins of one figure have no room for a second column to compare by."""
    asked = draft.request.series or draft.request.x
    if draft.kind == "histogram" and asked is not None and asked not in draft.request.y:
        column = column_named(draft.dataset, asked, draft.request)
        draft.note("histogram_of_one", x="" if column is None else column.title)


def cut_axis(draft: ChartDraft) -> None:
    """The length of a bar is its value."""
    if not draft.request.starts_at_zero and draft.kind in ("bar", "stacked", "area", "histogram", "combined"):
        draft.note("axis_from_zero")


def cut_data(draft: ChartDraft) -> None:
    """A part is not the whole."""
    source = draft.dataset.provenance
    is_chosen = bool(draft.request.only or draft.request.excluded or draft.request.filters)
    is_wanted = draft.request.top is not None and draft.source_rows <= draft.request.top
    is_wanted = is_wanted or bool(source.sources and source.connector != SQL_CONNECTOR)  # a measure's first rows
    if source.is_cut_short and is_wanted and not is_chosen:
        draft.note("there_are_more", rows=draft.source_rows)
    elif source.is_cut_short:
        draft.note("cut_short", rows=draft.source_rows, records=source.record_count or "?")


def chosen_values(draft: ChartDraft) -> None:
    """What was asked for in an earlier message is not seen in the chart."""
    for message, values in (
        ("only", (*draft.filters_in_words, *draft.request.only)),
        ("without", draft.request.excluded),
    ):
        if values:
            draft.note(message, values=", ".join(values).rstrip("."))


def one_colour(draft: ChartDraft) -> None:
    """A colour that tells parts apart is not to be had for all of them, and a figure has none."""
    is_apart = draft.series is not None or draft.kind not in ONE_COLOUR
    if draft.request.colour is not None and is_apart:
        draft.note("no_colour" if draft.kind in ("table", "kpi") else "colours_apart")


BEFORE_FIGURES: Final[tuple[Rule, ...]] = (
    empty, unit_of_no_time, mixed_currencies, nothing_to_count, not_additive, other_units, stack_of_one,
    one_figure_of_series, scatter_of_one, line_without_order,
    pie_of_no_whole, area_of_no_whole, crowded_scatter, too_many_periods,
)  # fmt: skip
AFTER_FIGURES: Final[tuple[Rule, ...]] = (
    histogram_of_one, gaps_in_time, latest, top_periods, figure_bounds, share, negative_pie, negative_stack,
    too_many_categories, too_many_series, gaps_in_area, single_point, cut_axis, cut_data, chosen_values, one_colour,
)  # fmt: skip
"""In this order."""


def ranked(draft: ChartDraft, place: int, *, is_smallest: bool = False) -> list[Value]:
    """The categories by their figures, the largest first or the smallest: a loss is less than nothing.

    What has no figure is last in both.
    """
    totals = _totals(draft, place)
    known = sorted(totals, key=lambda key: totals[key], reverse=not is_smallest)
    return [*known, *dict.fromkeys(row[place] for row in draft.figures if row[place] not in totals)]


def _figure(draft: ChartDraft) -> str:
    """The name of the column that is drawn."""
    return draft.columns[-1].name if draft.ys or draft.aggregate == "count" else COUNT


def _totals(draft: ChartDraft, place: int = 0) -> dict[Value, Decimal]:
    """The figures of each category or series, added up over the rest."""
    totals: dict[Value, Decimal] = {}
    for row in draft.figures:
        if row[-1] is not None:
            totals[row[place]] = totals.get(row[place], Decimal(0)) + Decimal(str(row[-1]))
    return totals


def _is_within(size: Decimal, low: Decimal | None, high: Decimal | None) -> bool:
    return (low is None or size >= low) and (high is None or size <= high)


def _keep(draft: ChartDraft, place: int, kept: set[Value]) -> None:
    pairs = [(row, record) for row, record in zip(draft.figures, draft.records, strict=True) if row[place] in kept]
    draft.figures = [row for row, _ in pairs]
    draft.records = [record for _, record in pairs]


def _merge(draft: ChartDraft, place: int, kept: set[Value], others: str) -> None:
    """Add up what is not kept, at the end."""
    numeric = [number for number, column in enumerate(draft.columns) if column.is_numeric]
    merged: dict[tuple[Any, ...], list[Any]] = {}
    rest = [row for row in draft.figures if row[place] not in kept]
    _keep(draft, place, kept)
    for row in rest:
        named = [others if number == place else value for number, value in enumerate(row)]
        key = tuple(value for number, value in enumerate(named) if number not in numeric)
        before = merged.get(key)
        if before is None:
            merged[key] = named
            continue
        for number in numeric:
            before[number] = _added(before[number], named[number])
    draft.figures += merged.values()
    draft.records += [None] * len(merged)


def _added(first: Any, second: Any) -> Any:
    return second if first is None else first if second is None else first + second
