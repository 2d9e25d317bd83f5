"""What a tile shows, as it was when it was computed last: it is kept, so that a reload shows what was seen."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from batuta.datasets.charts.chart import draw
from batuta.datasets.charts.checking import checked_spec
from batuta.datasets.charts.planning import ChartPlan
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.spec import DATA_NAME, vega_lite
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.lineage import sources_of
from batuta.datasets.store import page_of
from batuta.events.datasets import Cell, ChartKind, Column, Provenance, RecordReference

MAX_TILE_ROWS = 500
"""Of a pinned table; the conversation has them all."""


class TileSnapshot(BaseModel):
    """A chart, a table or a figure with its data."""

    model_config = ConfigDict(frozen=True)

    kind: ChartKind
    title: str
    description: str
    notes: tuple[str, ...]
    language: str
    spec: dict[str, Any]
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    references: tuple[RecordReference | None, ...]
    totals: dict[str, Cell]
    row_count: int
    provenance: Provenance
    sources: tuple[Provenance, ...] = ()
    """Where the rows come from, through everything they were made of."""

    def withheld(self) -> "TileSnapshot":
        """The same tile without anything that was read."""
        return self.model_copy(
            update={
                "kind": "table", "description": "", "notes": (), "spec": {"data": {"name": DATA_NAME}}, "rows": (),
                "references": (), "totals": {}, "row_count": 0,
            }
        )  # fmt: skip


async def snapshot_of(library: DatasetLibrary, name: str, chart: ChartRequest | None) -> TileSnapshot:
    """The picture of a dataset in a library: drawn as asked, or its first rows. Raises `DatasetError`."""
    info = await library.get(name)
    sources = tuple(sources_of(info, await library.store.list(library.owner)))
    if chart is not None:
        return _of_chart((await draw(library, chart)).plan, sources)
    page = await page_of(library.store, library.owner, info, 0, MAX_TILE_ROWS)
    return TileSnapshot(
        kind="table",
        title=info.title or info.name,
        description="",
        notes=(),
        language="en",
        spec={"data": {"name": DATA_NAME}},
        columns=info.columns,
        rows=page.rows,
        references=page.references,
        totals=info.totals,
        row_count=info.row_count,
        provenance=info.provenance,
        sources=sources,
    )


def _of_chart(plan: ChartPlan, sources: tuple[Provenance, ...]) -> TileSnapshot:
    figures = plan.figures
    return TileSnapshot(
        kind=plan.kind,
        title=plan.title,
        description=plan.description,
        notes=plan.notes,
        language=plan.request.language,
        spec=checked_spec(vega_lite(plan), [column.name for column in figures.columns]),
        columns=tuple(figures.columns),
        rows=figures.first_rows(len(figures.rows)),
        references=tuple(figures.references),
        totals=figures.totals(),
        row_count=len(figures.rows),
        provenance=figures.provenance,
        sources=sources,
    )
