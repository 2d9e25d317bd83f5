"""A chart as a tool returns it: its figures are kept, an event tells of it, and the model hears what it shows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from batuta.datasets.charts.checking import checked_spec
from batuta.datasets.charts.draft import ChartRefusedError
from batuta.datasets.charts.large import LargeTable
from batuta.datasets.charts.planning import CHART_CONNECTOR, ChartPlan, plan_chart
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.spec import vega_lite
from batuta.datasets.charts.words import say
from batuta.datasets.dataset import Dataset
from batuta.datasets.large import LARGE_ROWS
from batuta.datasets.library import DatasetLibrary, dataset_id_of, library_of
from batuta.datasets.store import DatasetInfo
from batuta.events.datasets import ChartDrawn
from batuta.tools.context import ToolContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A planned chart (see `ResultObject`)."""

    plan: ChartPlan
    changes_chart_id: str | None = None
    """The chart that this one was made of, where it is that one with something changed."""

    async def as_tool_result(self, context: ToolContext) -> str:
        """Keep the figures and tell of the chart."""
        plan, library = self.plan, library_of(context)
        spec = checked_spec(vega_lite(plan), [column.name for column in plan.figures.columns])
        key = _key(context)
        info = await library.keep(plan.figures, key=key)
        event = ChartDrawn(
            chart_id=_chart_id(library, info.dataset_id),
            dataset_id=info.dataset_id,
            dataset_name=info.name,
            kind=plan.kind,
            title=plan.title,
            description=plan.description,
            spec=spec,
            request=plan.request.model_dump(mode="json", exclude_defaults=True),
            notes=plan.notes,
            language=plan.request.language,
            changes_chart_id=self.changes_chart_id,
            tool_use_id=context.tool_use_id,
        )
        context.emit(event)
        context.enrich(chart={"chart_id": event.chart_id, "kind": plan.kind, "dataset": info.name})
        return _summary(plan, info)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnBefore:
    """A chart of the conversation that a follow-up goes on from."""

    chart_id: str
    request: ChartRequest
    is_narrowed: bool
    """Whether its table was read again since, with fewer rows: it is drawn again without any other change."""


async def last_drawn(library: DatasetLibrary, context: ToolContext) -> DrawnBefore | None:
    """What was drawn last, and is meant by a follow-up: what is said after another table was read is said of that.

    A table with the same columns is the same question asked more narrowly ("only Spain"): it is drawn as the last one
    was. A call that is resumed does not find itself.
    """
    own = dataset_id_of(library.owner.session_id, _key(context))
    kept = [info for info in await library.store.list(library.owner) if info.dataset_id != own]
    charts = [info for info in kept if info.provenance.connector == CHART_CONNECTOR]
    if not charts:
        return None
    request = ChartRequest.model_validate_json(charts[-1].provenance.query)
    is_narrowed = kept[-1] is not charts[-1]
    if is_narrowed:
        source = next((info for info in kept if info.name == request.dataset), None)
        names = [one.name for one in kept[-1].columns]
        if source is None or [one.name for one in source.columns] != names[: len(source.columns)]:
            return None  # the same figures, or those of the period before beside them
        request = request.changed(dataset=kept[-1].name)
    return DrawnBefore(
        chart_id=_chart_id(library, charts[-1].dataset_id), request=request, is_narrowed=is_narrowed
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartTable:
    """A dataset of the conversation that charts are drawn of."""

    outline: Dataset
    """Its columns, and the values that a request may name: the dataset itself, unless it is large."""
    large: LargeTable | None

    async def drawn(
        self, request: ChartRequest, *, changes_chart_id: str | None = None, notes: Sequence[str] = ()
    ) -> Chart:
        """A chart of it, with notes of what was asked for. Raises `ChartRefusedError`, `DatasetError`."""
        plan = await self._plan(request)
        return Chart(plan=replace(plan, notes=(*notes, *plan.notes)), changes_chart_id=changes_chart_id)

    async def without_extremes(self, request: ChartRequest, which: str, count: int) -> ChartRequest:
        """The request without the largest or the smallest that its chart shows. Raises `ChartRefusedError`."""
        plan = await self._plan(request.changed(top=None))
        if plan.x is None or plan.x.type != "text" or not plan.y:
            raise ChartRefusedError(say("no_extremes", request.language))
        totals: dict[str, Decimal] = {}
        for name, figure in zip(plan.figures.values(plan.x.name), plan.figures.values(plan.y[0].name), strict=True):
            if figure is not None and name != say("others", request.language):
                totals[str(name)] = totals.get(str(name), Decimal(0)) + Decimal(str(figure))
        ranks = sorted(totals, key=lambda name: totals[name], reverse=which == "largest")
        return request.changed(excluded=[*request.excluded, *ranks[:count]])

    async def _plan(self, request: ChartRequest) -> ChartPlan:
        return plan_chart(self.outline, request) if self.large is None else await self.large.plan(self.outline, request)


async def open_table(library: DatasetLibrary, name: str) -> ChartTable:
    """A dataset by its name, to be drawn. Raises `DatasetError` where there is none."""
    info = await library.get(name)
    large = LargeTable(library, info) if info.row_count > LARGE_ROWS else None
    return ChartTable(outline=await (library.load(info) if large is None else large.outline()), large=large)


async def draw(library: DatasetLibrary, request: ChartRequest) -> Chart:
    """A chart over a dataset of the conversation. Raises `ChartRefusedError`, `DatasetError`."""
    return await (await open_table(library, request.dataset)).drawn(request)


def _chart_id(library: DatasetLibrary, figures_id: str) -> str:
    return dataset_id_of(library.owner.session_id, f"{figures_id}:chart")


def _key(context: ToolContext) -> str:
    """Of the figures that one call draws."""
    return f"{context.idempotency_key}:chart"


def _summary(plan: ChartPlan, info: DatasetInfo) -> str:
    summary: dict[str, Any] = {
        "chart": plan.title,
        "kind": plan.kind,
        "language": plan.request.language,
        "shows": plan.description,
        "source": plan.request.dataset,
        "dataset": info.name,
        "row_count": info.row_count,
        "totals": info.totals,
        "first_rows": [
            dict(zip([column.name for column in plan.figures.columns], row, strict=True))
            for row in plan.figures.first_rows(5)
        ],
        "notes": list(plan.notes),
    }
    return json.dumps({name: value for name, value in summary.items() if value}, ensure_ascii=False)
