"""The tools of the graphing agent: draw a chart, change the last one."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from batuta.datasets.attached import take_attached
from batuta.datasets.charts.asking import ChartReading, reading_of
from batuta.datasets.charts.beside import joined_tables
from batuta.datasets.charts.chart import Chart, ChartTable, last_drawn, open_table
from batuta.datasets.charts.labels import table_title
from batuta.datasets.charts.planning import CHART_CONNECTOR
from batuta.datasets.charts.request import Aggregate, ChartFilter, ChartRequest, TimeUnit, WantedKind, amended
from batuta.datasets.charts.table_words import is_period_column
from batuta.datasets.charts.words import UNIT_NAMES, say
from batuta.datasets.dataset import Dataset, DatasetError
from batuta.datasets.large import LARGE_ROWS
from batuta.datasets.library import DatasetLibrary, library_of
from batuta.datasets.tools import list_datasets, query_datasets
from batuta.language.detection import detect_language
from batuta.tools.context import LANGUAGE_SERVICE, ToolContext
from batuta.tools.tool import tool

MAX_BROUGHT = 10
"""Tables of one message that its words are compared with."""


class ChartOptions(BaseModel):
    """What is said less often: how figures are put together, conditions on columns, a title."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    aggregate: Aggregate | None = None
    filters: tuple[ChartFilter, ...] | None = None
    title: str | None = None
    asked: str = ""
    """The request in the user's own words: what it names counts where nothing else is given."""


@tool(effect="read", timeout=30.0)
async def draw_chart(
    context: ToolContext,
    dataset: str | list[str] = "",
    kind: WantedKind = "auto",
    x: str | None = None,
    y: list[str] | None = None,
    series: str | None = None,
    time_unit: TimeUnit | None = None,
    top: int | None = None,
    only: list[str] | None = None,
    options: ChartOptions | None = None,
) -> Chart:
    """Draw a chart of a dataset. Figures are computed here; what would mislead is mended or refused, and said.

    Args:
        context: Given by the run.
        dataset: Its name; the last one of the conversation if empty. Several that have the same columns to compare by
            are drawn beside one another.
        kind: The kind of chart, or auto.
        x: The column to compare by: a category or a time.
        y: The columns with figures.
        series: A column to split the figures by, in colours.
        time_unit: The period to add up by, along time.
        top: Show only so many, the largest first.
        only: Values to keep, such as a country or a customer.
        options: How figures are put together, conditions on columns, and a title in the user's language.
    """
    library, language = library_of(context), _language(context, options)
    brought = await take_attached(library, context, language)
    notes: tuple[str, ...] = ()
    if isinstance(dataset, list):
        dataset, notes = await _beside(library, context, dataset, language) if dataset else ("", ())
    name = dataset or await _meant(library, brought, _asked(options)) or await _last_source(library, language)
    table = await open_table(library, name)
    reading = reading_of(_asked(options), table.outline)
    if brought and not dataset and not reading.changes and not reading.asks_chart and kind == "auto":
        kind = "table"  # what came without a request is shown as it is
    elif not dataset:
        notes = (*notes, *_require_read(reading, table.outline, language, is_brought=bool(brought)))
    words = reading.changes
    wanted = None if kind == "auto" or kind in reading.kinds_in_names else kind
    given = _given(_changes(x, y, series, time_unit, top, only, options), wanted, words)
    _require_places(reading, language)
    request = amended(ChartRequest(dataset=name, language=language), {**words, **given})
    request = _without_time(request, table.outline) if dataset else request
    times = {column.name for column in table.outline.columns if column.type in ("date", "datetime")}
    is_split = request.series in times
    if request.time_unit is not None and request.x is None and not is_split and not dataset:
        request = request.changed(x=await _time_column(library, request, request.time_unit))
    return await table.drawn(await _without_dropped(table, request, words), notes=notes)


@tool(effect="read", timeout=30.0)
async def change_chart(
    context: ToolContext,
    kind: WantedKind | None = None,
    x: str | None = None,
    y: list[str] | None = None,
    series: str | None = None,
    time_unit: TimeUnit | None = None,
    top: int | None = None,
    only: list[str] | None = None,
    options: ChartOptions | None = None,
) -> Chart:
    """Draw the last chart of the conversation again with something changed; what is not named stays as it was.

    Args:
        context: Given by the run.
        kind: Another kind of chart.
        x: Another column to compare by.
        y: Other figures.
        series: A column to split by.
        time_unit: Another period; compares by the dataset's time if the chart did not.
        top: Show only so many.
        only: Values to keep, such as a country.
        options: How figures are put together, conditions on columns, and a title.
    """
    library, language = library_of(context), _language(context, options)
    last = await last_drawn(library, context)
    brought = await take_attached(library, context, language)
    if last is not None and brought and last.request.dataset not in brought:
        last = None
    if last is None and not brought and kind is None and not _asked(options):
        raise DatasetError(say("no_chart", language))
    # "as a line" may be said of a table, too
    before = ChartRequest(dataset=await _meant(library, brought, _asked(options))) if last is None else last.request
    language = detect_language(_asked(options), language if last is None else before.language)
    before = before.changed(language=language, dataset=before.dataset or await _last_source(library, language))
    table = await open_table(library, before.dataset)
    reading = reading_of(_asked(options), table.outline)
    words = reading.changes
    wanted = None if kind in reading.kinds_in_names else kind
    changes = {**words, **_given(_changes(x, y, series, time_unit, top, only, options), wanted, words)}
    if reading.asks_chart and before.kind == "table":
        changes.setdefault("kind", "auto")  # "now as a chart"
    if not changes and (last is None or not last.is_narrowed):
        known = ", ".join(column.title for column in table.outline.columns)
        raise DatasetError(say("nothing_named", language, asked=_asked(options)[:80], known=known))
    is_narrowed = last is not None and last.is_narrowed  # the table was read again by these words
    notes = () if is_narrowed else _require_read(reading, table.outline, language, is_brought=bool(brought))
    _require_places(reading, language)
    if "time_unit" in changes and "x" not in changes:
        column = await _time_column(library, before, changes["time_unit"])
        changes |= {"x": column, "kind": changes.get("kind", "auto")}
    request = await _without_dropped(table, amended(before, changes, reading.replaced), changes)
    return await table.drawn(request, changes_chart_id=None if last is None else last.chart_id, notes=notes)


def _changes(
    x: str | None,
    y: list[str] | None,
    series: str | None,
    time_unit: TimeUnit | None,
    top: int | None,
    only: list[str] | None,
    options: ChartOptions | None,
) -> dict[str, Any]:
    """What was said, by the names of a request; the rest is `None`."""
    said = {"x": x, "y": y, "series": series, "time_unit": time_unit, "top": top, "only": only}
    return said | (options or ChartOptions()).model_dump(exclude={"asked"})


def _asked(options: ChartOptions | None) -> str:
    return "" if options is None else options.asked


def _without_time(request: ChartRequest, table: Dataset) -> ChartRequest:
    """The request of a table that was read for it and knows no time: "by country", after a line by month."""
    is_timed = any(
        column.type in ("date", "datetime") or column.name == unit or is_period_column(column, unit)
        for column in table.columns
        for unit in UNIT_NAMES
    )
    if request.time_unit is None or is_timed:
        return request
    return request.changed(time_unit=None, kind="auto" if request.kind in ("line", "area") else request.kind)


def _require_read(reading: ChartReading, table: Dataset, language: str, *, is_brought: bool) -> tuple[str, ...]:
    """Refuse to draw what was asked for in words that are not of the table: the chart would answer another question.

    Of a table that came with the message a word may tell of something else; then it is noted.
    """
    if not reading.unread:
        return ()
    has_figure = bool(reading.changes.keys() & {"y", "aggregate"})  # else the word may be what is measured
    if is_brought and reading.names_table and has_figure and not reading.asks_unread:
        return _not_understood(reading, language)
    known = ", ".join(column.title for column in table.columns)
    facts = {"words": _quoted(reading.unread, language), "dataset": table.title or table.name, "known": known}
    raise DatasetError(say("unread", language, **facts))


def _not_understood(reading: ChartReading, language: str) -> tuple[str, ...]:
    return (say("words_unread", language, words=_quoted(reading.unread, language)),) if reading.unread else ()


def _quoted(words: Sequence[str], language: str) -> str:
    return ", ".join(f"«{word}»" if language == "es" else f"“{word}”" for word in words)


def _require_places(reading: ChartReading, language: str) -> None:
    if reading.unplaced:
        raise DatasetError(say("too_many_columns", language, left=", ".join(reading.unplaced)))


async def _beside(
    library: DatasetLibrary, context: ToolContext, names: Sequence[str], language: str
) -> tuple[str, tuple[str, ...]]:
    """The table that shows the figures of several, kept; or the last that has rows to compare, and what is left out."""
    tables = [await library.get(name) for name in dict.fromkeys(names)]
    made = await joined_tables(library, tables)
    if made is not None:
        return (await library.introduce(made, context, key=f"{context.idempotency_key}:beside")).name, ()
    drawn = next((table for table in reversed(tables) if table.row_count > 1), tables[-1])
    left = ", ".join(table.title or table.name for table in tables if table is not drawn)
    return drawn.name, (say("not_beside", language, left=left, drawn=drawn.title or drawn.name),)


def _given(changes: dict[str, Any], kind: WantedKind | None, words: dict[str, Any]) -> dict[str, Any]:
    """What was said by name, without what was not; the number of "the two smallest" that are left out is no top."""
    unmeant = {"top"} if "dropped" in words else set()
    return {name: v for name, v in {**changes, "kind": kind}.items() if v is not None and name not in unmeant}


GRAPHING_TOOLS = (draw_chart, change_chart, list_datasets, query_datasets)


async def _without_dropped(table: ChartTable, request: ChartRequest, words: dict[str, Any]) -> ChartRequest:
    """The request without what its chart shows as the largest or the smallest, where that is not wanted."""
    return await table.without_extremes(request, *words["dropped"]) if "dropped" in words else request


async def _meant(library: DatasetLibrary, brought: Sequence[str], asked: str) -> str:
    """Of the tables that came with a message the first that takes its words, else the first; empty without any."""
    for name in brought[:MAX_BROUGHT] if len(brought) > 1 else ():
        reading = reading_of(asked, (await open_table(library, name)).outline)
        if reading.names_table and not reading.unread:
            return name
    return brought[0] if brought else ""


async def _last_source(library: DatasetLibrary, language: str) -> str:
    """The last dataset that is not a chart's own."""
    kept = [info for info in await library.store.list(library.owner) if info.provenance.connector != CHART_CONNECTOR]
    if not kept:
        raise DatasetError(say("no_dataset", language))
    return kept[-1].name


async def _time_column(library: DatasetLibrary, request: ChartRequest, unit: TimeUnit) -> str | None:
    """The dataset's time, unless the chart goes along one already; or its periods as text, such as 2026-Q2."""
    info = await library.get(request.dataset)
    current = info.column(request.x) if request.x else None
    if current is not None and current.type in ("date", "datetime"):
        return current.name
    times = [column.name for column in info.columns if column.type in ("date", "datetime")]
    times += [column.name for column in info.columns if column.name == unit or is_period_column(column, unit)]
    can_add = info.row_count <= LARGE_ROWS and all(one.is_additive for one in info.columns if one.is_numeric)
    if not times and can_add:  # months make quarters
        shorter = {"quarter": ("month",), "year": ("month", "quarter")}.get(unit, ())
        times = [one.name for one in info.columns if any(is_period_column(one, each) for each in shorter)]
    if not times:
        known = ", ".join(column.name for column in info.columns)
        raise DatasetError(say("no_time", request.language, dataset=table_title(info, request.language), known=known))
    return times[0]


def _language(context: ToolContext, options: ChartOptions | None) -> Literal["en", "es"]:
    """The language of the request, in which it is answered; the reader's where its words tell none."""
    reader: Literal["en", "es"] = "es" if context.services.get(LANGUAGE_SERVICE) == "es" else "en"
    return detect_language(_asked(options), reader)
