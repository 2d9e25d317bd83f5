"""The tools of the graphing agent: draw a chart, change the last one."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from batuta.datasets.charts.chart import Chart, draw, last_request
from batuta.datasets.charts.request import Aggregate, ChartFilter, ChartRequest, TimeUnit, WantedKind
from batuta.datasets.dataset import DatasetError
from batuta.datasets.library import DatasetLibrary, library_of
from batuta.datasets.tools import list_datasets, query_datasets
from batuta.tools.context import LANGUAGE_SERVICE, ToolContext
from batuta.tools.tool import tool


class ChartOptions(BaseModel):
    """What is said less often: how figures are put together, conditions on columns, a title."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    aggregate: Aggregate | None = None
    filters: tuple[ChartFilter, ...] | None = None
    title: str | None = None


@tool(effect="read", timeout=30.0)
async def draw_chart(
    context: ToolContext,
    dataset: str = "",
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
        dataset: Its name; the last one of the conversation if empty.
        kind: The kind of chart, or auto.
        x: The column to compare by: a category or a time.
        y: The columns with figures.
        series: A column to split the figures by, in colours.
        time_unit: The period to add up by, along time.
        top: Show only so many, the largest first.
        only: Values to keep, such as a country or a customer.
        options: How figures are put together, conditions on columns, and a title in the user's language.
    """
    library = library_of(context)
    request = ChartRequest(dataset=dataset or await _last_source(library), language=_language(context))
    return await draw(library, request.changed(kind=kind, **_changes(x, y, series, time_unit, top, only, options)))


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
    library = library_of(context)
    before = await last_request(library)
    if before is None and kind is None:
        raise DatasetError("there is no chart to change in this conversation; draw one first")
    if before is None:  # "as a line", said of a table
        before = ChartRequest(dataset=await _last_source(library), language=_language(context))
    changes = _changes(x, y, series, time_unit, top, only, options)
    request = before.changed(kind=kind, language=_language(context), **changes)
    if time_unit is not None and x is None:
        request = request.changed(x=await _time_column(library, request), kind=kind or "auto")
    return await draw(library, request)


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
    return said | (options or ChartOptions()).model_dump()


GRAPHING_TOOLS = (draw_chart, change_chart, list_datasets, query_datasets)


async def _last_source(library: DatasetLibrary) -> str:
    """The last dataset that is not a chart's own."""
    kept = [info for info in await library.store.list(library.owner) if info.provenance.connector != "chart"]
    if not kept:
        raise DatasetError("there is no dataset in this conversation yet: read one first")
    return kept[-1].name


async def _time_column(library: DatasetLibrary, request: ChartRequest) -> str | None:
    """The dataset's time, unless the chart goes along one already."""
    info = await library.get(request.dataset)
    current = info.column(request.x) if request.x else None
    if current is not None and current.type in ("date", "datetime"):
        return current.name
    times = [column.name for column in info.columns if column.type in ("date", "datetime")]
    if not times:
        known = ", ".join(column.name for column in info.columns)
        raise DatasetError(f"{info.name} has no column with a time; it has: {known}")
    return times[0]


def _language(context: ToolContext) -> Literal["en", "es"]:
    return "es" if context.services.get(LANGUAGE_SERVICE) == "es" else "en"
