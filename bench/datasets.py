"""A table of a million rows: kept, shown and added up, against the real server and Chromium.

    python -m bench.datasets            the table
    python -m bench.datasets --json     one JSON object per line

The platform runs in this process on a SQLite file, the SQL engine in a process of its own as always. Times are wall
time, the best of five, since other work on the machine only adds to them; memory is by how much the peak of this
process grew. `BATUTA_LARGE_ROWS` takes another number of rows.
"""

import argparse
import asyncio
import os
import resource
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from batuta.datasets.charts.chart import draw
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.dataset import Column
from batuta.datasets.large import LargeDataset
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.sql import query_datasets
from batuta.datasets.store import DatasetOwner
from batuta.server.database.engines import SystemDatabase
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.server.security.access_control import COOKIE
from batuta.server.storage import dataset_files
from batuta.testing.datasets import SOURCE
from bench.measuring import Row
from bench.tables import table
from tests.support.browser import chromium
from tests.support.platform import Person, Running, running, settings_for

ROWS = int(os.environ.get("BATUTA_LARGE_ROWS", "1000000"))
BATCH_ROWS = 5_000
TRIES = 5
FIRST_PAGE_MS, GROUP_BY_MS, GROWTH_MB = 300, 1_000, 250
COUNTRIES = ("España", "Portugal", "Francia", "Italia")
COLUMNS = (
    Column(name="entry", type="integer", is_additive=False),
    Column(name="country", type="text"),
    Column(name="amount", type="decimal", currency="EUR"),
    Column(name="day", type="date"),
    Column(name="note", type="text"),
)
GROUP_BY = "select country, sum(amount) as amount, count(*) as entries from entries group by country"

_FETCH = """async (path) => {
  const began = performance.now();
  const page = await (await fetch(path)).json();
  return [performance.now() - began, page.rows.length];
}"""


async def batches() -> AsyncIterator[list[list[Any]]]:
    for start in range(0, ROWS, BATCH_ROWS):
        yield [
            [n, COUNTRIES[n % 4], Decimal(n % 1000) / 100, date(2024, 1, 1) + timedelta(days=n % 700), f"asiento {n}"]
            for n in range(start, min(start + BATCH_ROWS, ROWS))
        ]


async def rows() -> AsyncIterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        async with running(settings_for(Path(folder))) as site:
            person = await site.person("ana@example.com")
            async for row in measured(site, person):
                yield row


async def measured(site: Running, person: Person) -> AsyncIterator[Row]:
    subject = f"{ROWS:,} rows"
    platform = site.platform
    store = DatabaseDatasetStore(SystemDatabase(platform.backends.database), dataset_files(platform.settings))
    owner = DatasetOwner(session_id=await person.session(), user_id=person.user_id)
    library = DatasetLibrary(store=store, owner=owner)
    peak, began = _peak_mb(), time.perf_counter()
    info = await library.keep(
        await LargeDataset.of_batches("entries", batches(), columns=COLUMNS, provenance=SOURCE), key="bench"
    )
    yield Row(what="kept", subject=subject, value=time.perf_counter() - began, unit="s")
    path = f"/api/sessions/{owner.session_id}/datasets/{info.dataset_id}/rows?limit=200"
    yield _judged("first page in the browser", subject, await in_browser(site, person, path), "ms", FIRST_PAGE_MS)
    deep = f"{path}&offset={ROWS - 200}"
    yield _judged("last page in the browser", subject, await in_browser(site, person, deep), "ms", FIRST_PAGE_MS)
    yield _judged("group-by", subject, await _best_ms(lambda: query_datasets(library, GROUP_BY)), "ms", GROUP_BY_MS)
    request = ChartRequest(dataset="entries", x="country", y=("amount",))
    yield Row(what="chart of it", subject=subject, value=await _best_ms(lambda: draw(library, request)), unit="ms")
    yield _judged("growth of the peak memory", subject, _peak_mb() - peak, "MB", GROWTH_MB)


async def in_browser(site: Running, person: Person, path: str) -> float:
    """Milliseconds until a page of rows is read in Chromium, the best of some."""
    async with chromium() as browser:
        context = await browser.new_context()
        await context.add_cookies([{"name": COOKIE, "value": person.http.cookies[COOKIE], "url": site.address}])
        page = await context.new_page()
        await page.goto(site.address)
        tries = [await page.evaluate(_FETCH, path) for _ in range(TRIES)]
        await context.close()
    assert all(count == 200 for _, count in tries), tries
    return float(min(milliseconds for milliseconds, _ in tries))


async def _best_ms(run: Callable[[], Awaitable[object]]) -> float:
    best = float("inf")
    for _ in range(TRIES):
        began = time.perf_counter()
        await run()
        best = min(best, time.perf_counter() - began)
    return best * 1000


def _judged(what: str, subject: str, value: float, unit: str, limit: float) -> Row:
    return Row(what=what, subject=subject, value=value, unit=unit, aim=f"≤ {limit:g} {unit}", met=value <= limit)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def told() -> list[str]:
    return [row.as_json() async for row in rows()]


def main(arguments: Any = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    lines = asyncio.run(told())
    print("\n".join(lines) if parser.parse_args(arguments).json else table(lines))


if __name__ == "__main__":
    main()
