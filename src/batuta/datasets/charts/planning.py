"""From a request to figures: draft → rules → figures → rules → plan. Pure; all numbers of a chart are made here.

plan = plan_chart(dataset, request)
plan.figures        a dataset with exactly what is drawn
plan.kind, plan.notes
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from batuta.datasets.charts import rules
from batuta.datasets.charts.computing import (
    CHANGE,
    MEASURE,
    MEASURED,
    PERIOD_LABEL,
    PREVIOUS,
    compute_figures,
    reduce_to_figure,
)
from batuta.datasets.charts.draft import COUNT, ChartDraft, drafted
from batuta.datasets.charts.labels import (
    PARTS,
    axis_title,
    is_span,
    named_in_year,
    named_period,
    number_text,
    period_in_year,
    value_text,
    with_days,
)
from batuta.datasets.charts.parts_of_time import with_parts
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.words import KIND_NAMES, UNIT_NAMES, say
from batuta.datasets.charts.years import YEAR, beside_year_before, brings_comparison
from batuta.datasets.dataset import MAX_TITLE_CHARS, Column, Dataset, Provenance, dataset_name
from batuta.datasets.values import Value
from batuta.events.datasets import ChartKind
from batuta.language.wording import short_period

CHART_CONNECTOR = "chart"
"""The `connector` of the figures of a chart; their `query` is its request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPlan:
    """A chart that is ready to be drawn."""

    kind: ChartKind
    figures: Dataset
    """Exactly what is drawn: one row for each mark."""
    x: Column | None
    y: tuple[Column, ...]
    series: Column | None
    title: str
    description: str
    notes: tuple[str, ...]
    request: ChartRequest
    starts_at_zero: bool
    is_upright: bool
    """Whether bars stand: along time they do, names are read beside lying ones."""


def plan_chart(dataset: Dataset, request: ChartRequest) -> ChartPlan:
    """The chart that a request comes to. Raises `ChartRefusedError` where there is none to be drawn honestly."""
    dataset = with_parts(dataset, request)
    if request.compared is None or brings_comparison(dataset):
        return finished(settled(drafted(dataset, request)))
    beside = beside_year_before(dataset, request)
    draft = drafted(beside.dataset, beside.request)
    draft.request = request  # what follows changes what was asked for
    draft.notes.append(beside.note)
    return finished(settled(draft))


def settled(draft: ChartDraft) -> ChartDraft:
    """The draft with everything decided that its figures depend on: kind, columns, period."""
    for rule in rules.BEFORE_FIGURES:
        rule(draft)
    if draft.kind == "kpi":
        times = [column for column in draft.dataset.columns if column.type in ("date", "datetime")]
        draft.x = draft.x or (times[0] if times and draft.time_unit is not None else None)
        if not draft.is_temporal and (draft.x is None or draft.x.name != YEAR):
            draft.x = draft.series = None
    return draft


def finished(draft: ChartDraft) -> ChartPlan:
    """The plan of a settled draft."""
    compute_figures(draft)
    for rule in rules.AFTER_FIGURES:
        rule(draft)
    if draft.kind == "kpi" and len(draft.figures) != 1:
        reduce_to_figure(draft)
    return _planned(draft)


def _planned(draft: ChartDraft) -> ChartPlan:
    is_upright = draft.is_temporal or draft.is_in_periods or draft.is_in_calendar or draft.kind == "histogram"
    title = _with_particulars(draft, draft.request.title or _title(draft))
    if draft.series is not None and draft.series.name == YEAR and (draft.is_temporal or draft.is_in_periods):
        _name_periods_of_years(draft)
    elif _is_named_by_period(draft) and len(draft.columns) > 1:
        unit = draft.time_unit or "day"
        draft.figures = [[*row, short_period(row[0], unit, draft.language)] for row in draft.figures]  # type: ignore[arg-type]
        draft.columns.append(Column(name=PERIOD_LABEL, type="text", label=draft.columns[0].title))
    elif draft.is_in_periods and draft.kind not in ("table", "kpi", "scatter", "histogram", "pie"):
        draft.figures = [[named_period(str(row[0] or ""), draft.language), *row[1:]] for row in draft.figures]
    figures = Dataset(
        name=dataset_name(f"{draft.dataset.name[:45]}_chart"),
        title=title,
        columns=draft.columns,
        rows=draft.figures,
        references=draft.records if any(draft.records) else (),
        provenance=Provenance(
            connector=CHART_CONNECTOR,
            company=draft.dataset.provenance.company,
            query=draft.request.model_dump_json(exclude_defaults=True),
            retrieved_at=draft.dataset.provenance.retrieved_at,
            record_count=draft.row_count,
            is_cut_short=draft.dataset.provenance.is_cut_short,
            sources=(draft.dataset.name,),
        ),
    )
    kind: Any = draft.kind
    return ChartPlan(
        kind=kind,
        figures=figures,
        x=_named(figures, draft.x),
        y=_ys(figures, draft),
        series=_named(figures, draft.series),
        title=title,
        description=_description(draft, figures, title.partition(PARTS)[0]),
        notes=tuple(draft.notes),
        request=draft.request,
        starts_at_zero=draft.request.starts_at_zero or draft.kind not in ("line", "scatter"),
        is_upright=is_upright,
    )


def _name_periods_of_years(draft: ChartDraft) -> None:
    """Periods of two years lie upon each other: their names do not say which year."""
    unit = draft.time_unit or "day"
    draft.figures = [
        [
            period_in_year(row[0], unit, draft.language)
            if isinstance(row[0], date)
            else named_in_year(str(row[0] or ""), draft.language),
            *row[1:],
        ]
        for row in draft.figures
    ]
    label = UNIT_NAMES[unit][draft.language].capitalize()
    draft.columns[0] = draft.x = draft.columns[0].model_copy(update={"type": "text", "label": label})


MOST_NAMED_PERIODS = 60
"""Periods that an axis names one by one; more of them lie on a scale of time."""


def _is_named_by_period(draft: ChartDraft) -> bool:
    """Whether an axis along time names its periods: marks of a month stand over that month, and not over some week."""
    if draft.kind in ("line", "area"):
        is_in_units = draft.time_unit is not None and draft.time_unit != "day"
        return draft.is_temporal and is_in_units and len({row[0] for row in draft.figures}) <= MOST_NAMED_PERIODS
    return draft.is_temporal and draft.kind in ("bar", "stacked", "heatmap", "combined")


def _named(figures: Dataset, column: Column | None) -> Column | None:
    return None if column is None else next((one for one in figures.columns if one.name == column.name), None)


def _ys(figures: Dataset, draft: ChartDraft) -> tuple[Column, ...]:
    """The columns of the figures that are drawn."""
    names = [MEASURED, COUNT, *(column.name for column in draft.ys)]
    found = [one for name in names for one in figures.columns if one.name == name]
    return tuple(dict.fromkeys(found))


def _title(draft: ChartDraft) -> str:
    numeric = [column.title for column in draft.columns if column.is_numeric and column.name not in (PREVIOUS, CHANGE)]
    y = say("and", draft.language).join(dict.fromkeys(numeric[:2])) or draft.table_title
    if draft.kind == "kpi" or draft.x is None:
        return y if draft.kind != "table" else draft.table_title
    if draft.kind == "histogram":
        return draft.columns[0].title
    is_along_time = draft.is_temporal or draft.is_in_periods
    x = UNIT_NAMES[draft.time_unit][draft.language] if is_along_time and draft.time_unit else draft.x.title.lower()
    if draft.series is not None and draft.series.name != MEASURE:
        return say("by_series", draft.language, y=y, x=x, series=draft.series.title.lower())
    return say("by", draft.language, y=y, x=x)


def _with_particulars(draft: ChartDraft, title: str) -> str:
    """A title with what is not seen in the picture: the currency, period and filter of the table, and chosen values."""
    drawn = next((one for one in draft.columns if one.is_numeric and one.name not in (PREVIOUS, CHANGE)), None)
    is_own = bool(draft.request.title)
    if (
        draft.kind not in ("table", "histogram", "scatter", "combined")
        and (not is_own or draft.kind == "pie")  # an axis says it, and a pie has none
        and drawn is not None
        and (drawn.currency or drawn.unit == "%")
    ):
        label = axis_title(drawn)
        title = (
            title.replace(drawn.title, label, 1)
            if drawn.title in title
            else f"{title} ({drawn.currency or drawn.unit})"
        )
    said = [part for part in draft.dataset.title.split(PARTS)[1:] if not (draft.shown_periods and is_span(part))]
    parts = [*(with_days(part, draft.language) for part in said), *draft.filters_in_words]
    parts += [part for part in (draft.shown_periods, draft.shown_ranks) if part]
    for message, values in (("only", draft.request.only), ("without", draft.request.excluded)):
        if values:
            parts.append(say(message, draft.language, values=", ".join(values)).rstrip("."))
    return PARTS.join([title, *parts])[:MAX_TITLE_CHARS]


def _description(draft: ChartDraft, figures: Dataset, title: str) -> str:
    """What the chart shows, in words, for screen readers."""
    kind = KIND_NAMES[draft.kind][draft.language]
    ys = _ys(figures, draft)
    if not ys or not figures.rows:
        return f"{kind}: {title}"
    place = [column.name for column in figures.columns].index(ys[0].name)
    rows = [row for row in figures.rows if row[place] is not None]
    if not rows:
        return f"{kind}: {title}"
    highest, lowest = (choose(rows, key=lambda row: float(row[place])) for choose in (max, min))
    shown = {"kind": kind, "title": title.rstrip("."), "high": value_text(highest[place], draft.language)}
    if draft.kind == "scatter":
        return say("describe_points", draft.language, **shown, count=len(rows))
    if draft.is_of_currencies:  # none of them is higher than one of another
        return say("describe_values", draft.language, **shown, count=len(rows))
    if len(rows) == 1 and draft.kind == "table" and figures.columns[0].name != ys[0].name:
        shown["high"] += f" ({_label(draft, rows[0])})"
    if len(rows) == 1:
        return _described_figure(draft, dict(zip([one.name for one in figures.columns], rows[0], strict=True)), shown)
    low = value_text(lowest[place], draft.language)
    at_high, at_low = (_label(draft, row) for row in (highest, lowest))
    return say("describe", draft.language, **shown, count=len(rows), at_high=at_high, low=low, at_low=at_low)


def _described_figure(draft: ChartDraft, figures: Mapping[str, Value], shown: Mapping[str, str]) -> str:
    before, change = figures.get(PREVIOUS), figures.get(CHANGE)
    if not isinstance(before, int | float | Decimal) or not isinstance(change, int | float | Decimal):
        return say("describe_one", draft.language, **shown)
    share = (
        f"{number_text(Decimal(str(change)) * 100 / abs(Decimal(str(before))), draft.language, 1)} %" if before else ""
    )
    facts = {"before": value_text(before, draft.language), "change": share or value_text(change, draft.language)}
    return say("describe_compared", draft.language, **shown, **facts)


def _label(draft: ChartDraft, row: Sequence[Value]) -> str:
    """What a figure belongs to: a name, a day, or a period."""
    if isinstance(row[0], date) and draft.is_temporal:
        named = short_period(row[0], draft.time_unit or "day", draft.language)
    else:
        named = named_period(value_text(row[0], draft.language), draft.language)
    is_split = draft.series is not None and len(row) > 2 and isinstance(row[1], str)
    return f"{named}, {row[1]}" if is_split else named
