"""Large datasets lie in the storage as files: bounded memory, quick pages, erased with their session (A-6).

BATUTA_LARGE_ROWS=1000000 python -m pytest -s tests/integration/server/test_large_datasets.py      prints the figures
"""

import os
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import pytest

from batuta.datasets.charts.chart import draw
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.dataset import Column, Dataset, DatasetError
from batuta.datasets.large import LargeDataset
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.sql import query_datasets
from batuta.datasets.store import DatasetOwner
from batuta.kernel.ids import new_id
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.principal import SYSTEM, acting_as
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.server.files.blobs import LocalBlobStore
from batuta.server.storage import dataset_files
from batuta.testing.datasets import NOW, SOURCE, DatasetStoreConformance, numbered
from tests.support.platform import Person, Running

ROWS = int(os.environ.get("BATUTA_LARGE_ROWS", "60000"))
BATCH = 5_000
COUNTRIES = ("España", "Portugal", "Francia", "Italia")
COLUMNS = (
    Column(name="entry", type="integer", is_additive=False),
    Column(name="country", type="text", label="País"),
    Column(name="amount", type="decimal", currency="EUR", label="Importe"),
    Column(name="day", type="date"),
    Column(name="note", type="text"),
)


async def batches(count: int = ROWS) -> AsyncIterator[list[list[Any]]]:
    """Entries of a ledger, a few thousand at a time."""
    for start in range(0, count, BATCH):
        yield [
            [n, COUNTRIES[n % 4], Decimal(n % 1000) / 100, date(2024, 1, 1) + timedelta(days=n % 700), f"asiento {n}"]
            for n in range(start, min(start + BATCH, count))
        ]


async def entries(count: int = ROWS) -> LargeDataset:
    return await LargeDataset.of_batches("entries", batches(count), columns=COLUMNS, provenance=SOURCE)


def store_of(site: Running) -> DatabaseDatasetStore:
    return DatabaseDatasetStore(SystemDatabase(site.platform.backends.database), dataset_files(site.platform.settings))


def kept_files(site: Running) -> list[Path]:
    folder = site.platform.settings.data_dir / "datasets"
    return [path for path in folder.rglob("*") if path.is_file()]


async def library_for(site: Running, person: Person) -> DatasetLibrary:
    owner = DatasetOwner(session_id=await person.session(), user_id=person.user_id)
    return DatasetLibrary(store=store_of(site), owner=owner)


class TestFileBackedStore(DatasetStoreConformance):
    """Every promise of a store, with every dataset in a file."""

    @pytest.fixture
    def store(self, site: Running, tmp_path: Path) -> DatabaseDatasetStore:
        database = SystemDatabase(site.platform.backends.database)
        return DatabaseDatasetStore(database, LocalBlobStore(tmp_path / "tables"), large_rows=0)

    @pytest.fixture
    async def owners(self, site: Running) -> tuple[DatasetOwner, DatasetOwner]:
        people = [await site.person("ana@example.com"), await site.person("ben@example.com")]
        first, second = [DatasetOwner(session_id=await one.session(), user_id=one.user_id) for one in people]
        return first, second


@pytest.mark.timeout(900)
async def test_a_large_dataset_is_stored_in_bounded_memory_and_read_in_pages(
    site: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    """First page, deep page and a group-by, right after it is stored; the figures are printed."""
    ana = await site.person("ana@example.com")
    library = await library_for(site, ana)
    peak, began = _peak_bytes(), time.perf_counter()
    info = await library.keep(await entries(), key="call")
    stored, grown = time.perf_counter() - began, _peak_bytes() - peak
    path = f"/api/sessions/{library.owner.session_id}/datasets/{info.dataset_id}/rows"
    first, first_seconds = await _timed(lambda: ana.http.get(path, params={"limit": 200}))
    deep, deep_seconds = await _timed(lambda: ana.http.get(path, params={"limit": 200, "offset": ROWS - 150}))
    query = "select country, sum(amount) as amount, count(*) as n from entries group by country order by country"
    result, sql_seconds = await _timed(lambda: query_datasets(library, query))
    with capsys.disabled():
        sys.stdout.write(
            f"\nrows={ROWS} stored_s={stored:.1f} peak_rss_growth_mb={grown / 2**20:.0f} file_mb="
            f"{info.byte_count / 2**20:.1f} first_page_ms={first_seconds * 1000:.0f} "
            f"deep_page_ms={deep_seconds * 1000:.0f} group_by_ms={sql_seconds * 1000:.0f}\n"
        )
    assert [row[0] for row in first.json()["rows"]] == list(range(200))
    assert [row[0] for row in deep.json()["rows"]] == list(range(ROWS - 150, ROWS))
    assert deep.json()["rows"][-1][2] == f"{Decimal((ROWS - 1) % 1000) / 100:.2f}"
    assert isinstance(result, Dataset)
    expected = sum((Decimal(n % 1000) / 100 for n in range(0, ROWS, 4)), Decimal(0))
    assert dict(zip(result.values("country"), result.values("amount"), strict=True))["España"] == expected
    assert info.totals["amount"] == f"{sum(Decimal(n % 1000) for n in range(ROWS)) / 100:.2f}"
    assert grown < 200 * 2**20
    assert len(kept_files(site)) == 1


@pytest.mark.timeout(900)
async def test_charts_and_files_of_a_large_dataset_take_bounded_memory(
    site: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    """The engine groups, and files are written batch by batch: every row is in them, none is left out."""
    ana = await site.person("ana@example.com")
    library = await library_for(site, ana)
    info = await library.keep(await entries(), key="call")
    peak = _peak_bytes()
    request = ChartRequest(dataset="entries", x="day", series="country", time_unit="year", only=("España", "Italia"))
    chart, chart_seconds = await _timed(lambda: draw(library, request))
    path = f"/api/sessions/{library.owner.session_id}/datasets/{info.dataset_id}/file"
    lines, csv_seconds = await _timed(lambda: _line_count(ana, path))
    cells, xlsx_seconds = await _timed(lambda: _cell_count(ana, path))
    grown = _peak_bytes() - peak
    with capsys.disabled():
        sys.stdout.write(
            f"\nrows={ROWS} chart_ms={chart_seconds * 1000:.0f} csv_s={csv_seconds:.1f} xlsx_s={xlsx_seconds:.1f} "
            f"peak_rss_growth_mb={grown / 2**20:.0f}\n"
        )
    wanted = [n for n in range(ROWS) if n % 4 in (0, 3)]
    assert sum(chart.plan.figures.values("amount")) == sum((Decimal(n % 1000) / 100 for n in wanted), Decimal(0))
    assert chart.plan.figures.provenance.record_count == len(wanted)
    assert lines == ROWS + 1
    assert cells == (ROWS + 1) * len(COLUMNS)
    assert grown < 150 * 2**20


async def test_a_large_result_of_a_query_is_a_file_too(site: Running) -> None:
    """Its rows never are in this process all at once, and its moments, days and decimals stay what they are."""
    library = await library_for(site, await site.person("ana@example.com"))
    await library.keep(await entries(), key="call")
    result = await query_datasets(library, "select entry, amount, day from entries where entry >= 5", name="part")
    assert isinstance(result, LargeDataset)
    info = await library.keep(result, key="query")
    assert not result.path.exists()
    assert (info.row_count, [column.type for column in info.columns]) == (ROWS - 5, ["integer", "decimal", "date"])
    assert await library.rows(info, limit=1) == [(5, Decimal("0.05"), date(2024, 1, 6))]


async def test_large_files_go_with_their_session_and_only_with_it(site: Running) -> None:
    """Erased, exported and owned like every dataset."""
    ana, ben = await site.person("ana@example.com"), await site.person("ben@example.com")
    mine, other = await library_for(site, ana), await library_for(site, ben)
    info = await mine.keep(await entries(300), key="call")
    kept = await other.keep(await entries(300), key="call")
    assert len(kept_files(site)) == 2
    for session in (mine.owner.session_id, other.owner.session_id):
        answer = await ben.http.get(f"/api/sessions/{session}/datasets/{info.dataset_id}/rows")
        assert answer.status_code == 404
    assert await store_of(site).table_file(other.owner, info.dataset_id) is None
    exported = (await ana.http.get(f"/api/sessions/{mine.owner.session_id}/export")).json()["datasets"]
    assert [(one["row_count"], len(one["rows"]) + one["rows_left_out"]) for one in exported] == [(300, 300)]
    assert (await ana.http.delete(f"/api/sessions/{mine.owner.session_id}")).status_code == 204
    assert [path.name for path in kept_files(site)] == [kept.file]
    await site.platform.backends.audit.erase(ben.user_id)
    assert kept_files(site) == []


class BrokenStorage(LocalBlobStore):
    """A storage whose disk is full."""

    async def append(self, upload_id: str, chunks: AsyncIterator[bytes], *, begin: int, limit: int) -> int:
        raise OSError(28, "No space left on device")


async def test_a_file_that_could_not_be_written_is_written_again_and_leaves_nothing(site: Running) -> None:
    """A worker dies between the row and the file: the call is resumed; a session that is deleted instead is empty."""
    owner = (await library_for(site, await site.person("ana@example.com"))).owner
    storage = site.platform.settings.data_dir / "datasets"
    broken = DatabaseDatasetStore(SystemDatabase(site.platform.backends.database), BrokenStorage(storage), large_rows=0)
    dataset_id = new_id()
    with pytest.raises(OSError, match="No space"):
        await broken.save(owner, dataset_id, numbered(10), now=NOW)
    assert await store_of(site).block(owner, dataset_id, 0) is None
    whole = DatabaseDatasetStore(
        SystemDatabase(site.platform.backends.database), dataset_files(site.platform.settings), large_rows=0
    )
    await whole.save(owner, dataset_id, numbered(10), now=NOW)
    assert [one.name for one in await whole.list(owner)] == ["numbers"]
    assert len(kept_files(site)) == 1
    with acting_as(SYSTEM):
        await site.platform.sessions.delete(owner.session_id)
    assert kept_files(site) == []
    with pytest.raises(DatasetError, match="deleted"):
        await whole.save(owner, new_id(), numbered(10), now=NOW)
    assert kept_files(site) == []


async def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    return await call(), time.perf_counter() - began


async def _line_count(person: Person, path: str) -> int:
    async with person.http.stream("GET", path, params={"format": "csv"}) as answer:
        return sum([chunk.count(b"\r\n") async for chunk in answer.aiter_bytes()])


async def _cell_count(person: Person, path: str) -> int:
    with tempfile.TemporaryFile() as file:
        async with person.http.stream("GET", path, params={"format": "xlsx"}, timeout=300) as answer:
            async for chunk in answer.aiter_bytes():
                file.write(chunk)
        with zipfile.ZipFile(file) as book, book.open("xl/worksheets/sheet1.xml") as sheet:
            return sum(chunk.count(b"<c ") for chunk in _whole_tags(sheet))


def _whole_tags(sheet: IO[bytes]) -> Iterator[bytes]:
    """The content of a sheet in pieces that end where a tag does."""
    rest = b""
    while chunk := sheet.read(2**20):
        whole, mark, rest = (rest + chunk).rpartition(b">")
        yield whole + mark


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
