"""Datasets over HTTP: validate, delegate, nothing else."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import IO, Annotated, Any, Literal

from fastapi import Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from batuta.datasets.store import DatasetInfo
from batuta.events.datasets import Cell, ChartKind, Column, Provenance, RecordReference
from batuta.kernel.id_fields import UuidStr
from batuta.server.datasets.service import Datasets
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.problems import ForbiddenProblem
from batuta.server.security.source_rights import SourceRights

router = new_router(tags=["datasets"])

DatasetsService = Annotated[Datasets, provided(Datasets)]
SourceRightsService = Annotated[SourceRights, provided(SourceRights)]


async def _readable(
    session_id: UuidStr,
    dataset_id: UuidStr,
    caller: CurrentCaller,
    datasets: DatasetsService,
    rights: SourceRightsService,
) -> DatasetInfo:
    """The dataset, if the caller still has the right to read where its rows come from."""
    info = await datasets.get(session_id, dataset_id)
    await rights.check_sources(caller, await datasets.sources(session_id, info))
    return info


ReadableDataset = Annotated[DatasetInfo, Depends(_readable)]

MAX_PAGE = 5_000
SENT_BYTES = 256 * 1024
PICTURES = {"png": "image/png", "svg": "image/svg+xml"}
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class DatasetHead(BaseModel):
    """A dataset without its rows."""

    dataset_id: UuidStr
    name: str
    title: str
    columns: list[Column]
    row_count: int
    totals: dict[str, Cell]
    provenance: Provenance
    created_at: datetime


class DatasetList(BaseModel):
    """The datasets of a session."""

    items: list[DatasetHead]


class DatasetRows(BaseModel):
    """Some rows, with the records behind them where they are known."""

    offset: int
    rows: list[list[Cell]]
    references: list[RecordReference | None]
    row_count: int


class ChartWithData(BaseModel):
    """A chart: Vega-Lite that names its data, and the data."""

    kind: ChartKind
    title: str
    description: str
    notes: list[str]
    language: str
    spec: dict[str, Any]
    columns: list[Column]
    rows: list[list[Cell]]


@router.get("/api/sessions/{session_id}/datasets")
async def list_datasets(
    session_id: UuidStr, caller: CurrentCaller, datasets: DatasetsService, rights: SourceRightsService
) -> DatasetList:
    """The tables of a session; totals only of those whose sources the caller may read."""
    items = []
    for info in await datasets.of_session(session_id):
        try:
            await rights.check_sources(caller, await datasets.sources(session_id, info))
            items.append(_head(info))
        except ForbiddenProblem:
            items.append(_head(replace(info, totals={})))
    return DatasetList(items=items)


@router.get("/api/sessions/{session_id}/datasets/{dataset_id}")
async def read_dataset(session_id: UuidStr, dataset_id: UuidStr, info: ReadableDataset) -> DatasetHead:
    """A table without its rows."""
    return _head(info)


@router.get("/api/sessions/{session_id}/datasets/{dataset_id}/rows")
async def rows(
    session_id: UuidStr,
    dataset_id: UuidStr,
    info: ReadableDataset,
    datasets: DatasetsService,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 200,
) -> DatasetRows:
    """Some rows of a table, in their order."""
    page = await datasets.page(session_id, dataset_id, offset, limit)
    return DatasetRows(
        offset=offset,
        rows=[list(row) for row in page.rows],
        references=list(page.references),
        row_count=info.row_count,
    )


@router.get("/api/sessions/{session_id}/datasets/{dataset_id}/file", response_class=Response)
async def file(
    session_id: UuidStr,
    info: ReadableDataset,
    datasets: DatasetsService,
    format: Literal["csv", "xlsx"] = "csv",  # noqa: A002 - the API's word
) -> Response:
    """A table as a file."""
    headers = {"content-disposition": f'attachment; filename="{_file_name(info)}.{format}"'}
    if format == "csv":
        return StreamingResponse(datasets.csv(session_id, info), media_type="text/csv; charset=utf-8", headers=headers)
    return StreamingResponse(_sent(await datasets.xlsx(session_id, info)), media_type=XLSX, headers=headers)


@router.get("/api/sessions/{session_id}/datasets/{dataset_id}/chart")
async def chart(
    session_id: UuidStr, dataset_id: UuidStr, info: ReadableDataset, datasets: DatasetsService
) -> ChartWithData:
    """The chart whose figures a table holds: specification and data."""
    drawn = await datasets.chart(session_id, dataset_id)
    plan = drawn.plan
    return ChartWithData(
        kind=plan.kind,
        title=plan.title,
        description=plan.description,
        notes=list(plan.notes),
        language=plan.request.language,
        spec=drawn.spec,
        columns=list(plan.figures.columns),
        rows=[list(row) for row in plan.figures.first_rows(MAX_PAGE)],
    )


@router.get("/api/sessions/{session_id}/datasets/{dataset_id}/picture", response_class=Response)
async def picture(
    session_id: UuidStr,
    dataset_id: UuidStr,
    info: ReadableDataset,
    datasets: DatasetsService,
    format: Literal["png", "svg"] = "png",  # noqa: A002 - the API's word
    theme: Literal["light", "dark"] = "light",
) -> Response:
    """A chart as a picture."""
    content = await datasets.picture(session_id, dataset_id, format, theme)
    headers = {"content-disposition": f'attachment; filename="{_file_name(info)}.{format}"'}
    return Response(content, media_type=PICTURES[format], headers=headers)


def _sent(made: IO[bytes]) -> Iterator[bytes]:
    with made:
        while chunk := made.read(SENT_BYTES):
            yield chunk


def _head(info: DatasetInfo) -> DatasetHead:
    return DatasetHead(
        dataset_id=info.dataset_id,
        name=info.name,
        title=info.title,
        columns=list(info.columns),
        row_count=info.row_count,
        totals=info.totals,
        provenance=info.provenance,
        created_at=info.created_at,
    )


def _file_name(info: DatasetInfo) -> str:
    return re.sub(r"[^a-z0-9_]", "", info.name) or "dataset"
