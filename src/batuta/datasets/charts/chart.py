"""A chart as a tool returns it: its figures are kept, an event tells of it, and the model hears what it shows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from batuta.datasets.charts.checking import checked_spec
from batuta.datasets.charts.large import LargeTable
from batuta.datasets.charts.planning import CHART_CONNECTOR, ChartPlan, plan_chart
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.spec import vega_lite
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

    async def as_tool_result(self, context: ToolContext) -> str:
        """Keep the figures and tell of the chart."""
        plan, library = self.plan, library_of(context)
        spec = checked_spec(vega_lite(plan), [column.name for column in plan.figures.columns])
        key = _key(context)
        info = await library.keep(plan.figures, key=key)
        event = ChartDrawn(
            chart_id=dataset_id_of(library.owner.session_id, f"{key}:{plan.kind}"),
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


async def last_request(library: DatasetLibrary, context: ToolContext) -> ChartRequest | None:
    """What was drawn last in this conversation: a follow-up changes it. A call that is resumed does not find itself."""
    kept: Sequence[DatasetInfo] = await library.store.list(library.owner)
    own = chart_figures_id(library, context)
    charts = [info for info in kept if info.provenance.connector == CHART_CONNECTOR and info.dataset_id != own]
    return ChartRequest.model_validate_json(charts[-1].provenance.query) if charts else None


def chart_figures_id(library: DatasetLibrary, context: ToolContext) -> str:
    """The id of the figures that a call draws, whenever it is resumed."""
    return dataset_id_of(library.owner.session_id, _key(context))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartTable:
    """A dataset of the conversation that charts are drawn of."""

    outline: Dataset
    """Its columns, and the values that a request may name: the dataset itself, unless it is large."""
    large: LargeTable | None

    async def drawn(self, request: ChartRequest) -> Chart:
        """A chart of it. Raises `ChartRefusedError`, `DatasetError`."""
        if self.large is None:
            return Chart(plan=plan_chart(self.outline, request))
        return Chart(plan=await self.large.plan(self.outline, request))


async def open_table(library: DatasetLibrary, name: str) -> ChartTable:
    """A dataset by its name, to be drawn. Raises `DatasetError` where there is none."""
    info = await library.get(name)
    large = LargeTable(library, info) if info.row_count > LARGE_ROWS else None
    return ChartTable(outline=await (library.load(info) if large is None else large.outline()), large=large)


async def draw(library: DatasetLibrary, request: ChartRequest) -> Chart:
    """A chart over a dataset of the conversation. Raises `ChartRefusedError`, `DatasetError`."""
    return await (await open_table(library, request.dataset)).drawn(request)


def _key(context: ToolContext) -> str:
    """Of the figures that one call draws."""
    return f"{context.idempotency_key}:chart"


def _summary(plan: ChartPlan, info: DatasetInfo) -> str:
    summary: dict[str, Any] = {
        "chart": plan.title,
        "kind": plan.kind,
        "shows": plan.description,
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
