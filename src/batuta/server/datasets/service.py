"""What a person does with datasets: look at rows, take them away as a file, see a chart again."""

import asyncio
import contextlib
import logging
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any

from batuta.datasets.charts.chart import draw
from batuta.datasets.charts.planning import CHART_CONNECTOR, ChartPlan
from batuta.datasets.charts.rendering import PictureFormat, Theme, bound, pictures, render
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.charts.spec import vega_lite
from batuta.datasets.dataset import DatasetError
from batuta.datasets.files import MAX_XLSX_CELLS, csv_lines, xlsx_writer
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.lineage import sources_of
from batuta.datasets.processes import ProcessLimit
from batuta.datasets.store import DatasetInfo, DatasetOwner, DatasetPage, DatasetStore, page_of, rows_in
from batuta.events.datasets import Provenance
from batuta.kernel.errors import BatutaError
from batuta.server.problems import ForbiddenProblem, NotFoundProblem, TooLargeProblem

log = logging.getLogger("batuta.server")

SPOOLED_BYTES = 8 * 1024 * 1024
"""A file up to this size is made in memory."""

MAX_EXPORTED_ROWS = 100_000
"""Of all tables together in the file of a whole session; a file of a table alone has them all."""

MAX_EXPORTED_PICTURES = 100
EXPORT_LIMIT = ProcessLimit(seconds=60)
"""For all pictures of an export together; what takes longer leaves without them."""

CheckSources = Callable[[Sequence[Provenance]], Awaitable[None]]
"""Raises `ForbiddenProblem` if rows of these sources may not be read any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnChart:
    """A chart with its figures."""

    plan: ChartPlan
    spec: dict[str, Any]

    @property
    def is_drawing(self) -> bool:
        """Whether there is something to draw: a figure and a table are shown as text."""
        return self.plan.kind not in ("kpi", "table")


class Datasets:
    """The datasets of all users. Whether a session and a dataset in it are the caller's was asked before."""

    def __init__(self, store: DatasetStore) -> None:
        self._store = store

    async def of_session(self, session_id: str) -> Sequence[DatasetInfo]:
        """The datasets of a session, oldest first; figures of charts are not among them."""
        kept = await self._store.list(_owner(session_id))
        return [info for info in kept if info.provenance.connector != CHART_CONNECTOR]

    async def get(self, session_id: str, dataset_id: str) -> DatasetInfo:
        """A dataset without its rows."""
        found = await self._store.find(_owner(session_id), dataset_id)
        if found is None:
            raise NotFoundProblem
        return found

    async def sources(self, session_id: str, info: DatasetInfo) -> list[Provenance]:
        """Where the rows of a dataset come from: its own provenance, and that of all datasets it was made of."""
        return sources_of(info, await self._store.list(_owner(session_id)))

    async def page(self, session_id: str, dataset_id: str, start: int, limit: int) -> DatasetPage:
        """Some rows."""
        info = await self.get(session_id, dataset_id)
        return await page_of(self._store, _owner(session_id), info, start, limit)

    async def csv(self, session_id: str, info: DatasetInfo) -> AsyncIterator[str]:
        """A CSV file, block by block."""
        yield "\ufeff" + "".join(csv_lines(info.columns, ()))  # a mark by which spreadsheets know UTF-8
        async for rows in rows_in(self._store, _owner(session_id), info):
            lines = csv_lines(info.columns, rows)
            next(lines)
            yield await asyncio.to_thread("".join, lines)

    async def xlsx(self, session_id: str, info: DatasetInfo) -> IO[bytes]:
        """A workbook, in a file that is gone when it is closed. Raises `TooLargeProblem`."""
        if info.row_count * len(info.columns) > MAX_XLSX_CELLS:
            raise TooLargeProblem("The table has more cells than a workbook takes: download it as CSV.")
        out = tempfile.SpooledTemporaryFile(SPOOLED_BYTES)  # noqa: SIM115 - its sender closes it
        try:
            with xlsx_writer(out, info.columns, title=info.title or info.name) as write:
                async for rows in rows_in(self._store, _owner(session_id), info):
                    await asyncio.to_thread(write, rows)
        except BaseException:
            out.close()
            raise
        out.seek(0)
        return out

    async def exported(self, session_id: str, check: CheckSources) -> list[dict[str, Any]]:
        """All tables of a session with their rows and sources; the figures of charts are among them.

        A table that is cut says how many rows are left out, and where all are. One whose sources may not be read
        any more comes without rows, and says so. The figures of a chart come with its picture.
        """
        found: list[dict[str, Any]] = []
        room = MAX_EXPORTED_ROWS
        kept = await self._store.list(_owner(session_id))
        for info in kept:
            withheld = None
            try:
                await check(sources_of(info, kept))
            except ForbiddenProblem as refused:
                withheld = str(refused)
            page = await page_of(self._store, _owner(session_id), info, 0, 0 if withheld else room)
            room -= len(page.rows)
            all_rows = f"/api/sessions/{session_id}/datasets/{info.dataset_id}/file"
            found.append(
                {
                    "dataset_id": info.dataset_id,
                    "name": info.name,
                    "title": info.title,
                    "columns": [column.model_dump(mode="json") for column in info.columns],
                    "row_count": info.row_count,
                    "rows": [list(row) for row in page.rows],
                    "rows_left_out": info.row_count - len(page.rows),
                    "all_rows": all_rows if len(page.rows) < info.row_count else None,
                    "withheld": withheld,
                    "picture": None,
                    "provenance": info.provenance.model_dump(mode="json"),
                }
            )
        readable = [one for one in found if one["withheld"] is None]
        drawn = await self._drawn(session_id, [one["dataset_id"] for one in readable])
        return [one | {"picture": drawn.get(one["dataset_id"])} for one in found]

    async def _drawn(self, session_id: str, dataset_ids: Sequence[str]) -> dict[str, str]:
        """Those of some datasets that are charts, as PNG in Base64; without what cannot be drawn any more."""
        specs: dict[str, dict[str, Any]] = {}
        for dataset_id in dataset_ids:
            with contextlib.suppress(NotFoundProblem, DatasetError):
                chart = await self.chart(session_id, dataset_id)
                if chart.is_drawing and len(specs) < MAX_EXPORTED_PICTURES:
                    specs[dataset_id] = bound(chart.spec, chart.plan.figures, language=chart.plan.request.language)
        try:
            made = await pictures(list(specs.values()), "png", EXPORT_LIMIT) if specs else []
        except BatutaError as error:
            log.warning("session %s is exported without pictures: %s", session_id, error)
            return {}
        return dict(zip(specs, made, strict=True))

    async def chart(self, session_id: str, dataset_id: str) -> DrawnChart:
        """The chart whose figures a dataset holds, planned again from what it was drawn of."""
        info = await self.get(session_id, dataset_id)
        if info.provenance.connector != CHART_CONNECTOR:
            raise NotFoundProblem
        library = DatasetLibrary(store=self._store, owner=_owner(session_id))
        plan = (await draw(library, ChartRequest.model_validate_json(info.provenance.query))).plan
        return DrawnChart(plan=plan, spec=vega_lite(plan))

    async def picture(self, session_id: str, dataset_id: str, wanted: PictureFormat, theme: Theme) -> bytes:
        """A chart as a picture."""
        chart = await self.chart(session_id, dataset_id)
        plan = chart.plan
        if not chart.is_drawing:
            raise NotFoundProblem
        return await render(chart.spec, plan.figures, wanted, language=plan.request.language, theme=theme)


def _owner(session_id: str) -> DatasetOwner:
    return DatasetOwner(session_id=session_id)
