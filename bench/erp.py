"""What business questions cost on the medium demo company: measures, and the north-star question as a whole turn.

    python -m bench.erp            the table
    python -m bench.erp --json     one JSON object per line

On the companies that `bench.sandbox` makes once and keeps. The sandbox answers in the process, its time included. A
figure is CPU time, best of several rounds, and beside it the time on the wall; a turn is run on the built-in model, to
the specification of its chart.
"""

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time
from pathlib import Path
from time import perf_counter

from batuta.agents.erp.measures.compute import compute
from batuta.agents.erp.measures.records import MeasureRequest
from batuta.conversations.conversation import Conversation
from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.events.datasets import ChartDrawn
from batuta.kernel.clock import SystemClock
from batuta.kernel.ids import new_id
from batuta.language.calendar_math import Period
from batuta.sandbox.demo import DEMO_TODAY
from batuta.server.config import load_settings
from batuta.server.erp.connection import SANDBOX_FILE
from batuta.server.team import FirstTeam, first_team
from bench.measuring import Row, clock
from bench.sandbox import PREPARED, prepare

QUESTION = "¿Qué clientes nos deben más dinero? Hazme un gráfico"
MEASURE_MS, TURN_MS = 300, 2_000
ROUNDS = 5
YEAR = Period(first=DEMO_TODAY.replace(month=1, day=1), last=DEMO_TODAY)
CASES = {
    "sales by month": MeasureRequest(measure="sales", split=("month",), period=YEAR),
    "sales by month, with the year before": MeasureRequest(
        measure="sales", split=("month",), period=YEAR, compare_with=YEAR.year_before()
    ),
    "gross margin by month": MeasureRequest(measure="gross_margin", split=("month",), period=YEAR),
    "net income by month": MeasureRequest(measure="net_income", split=("month",), period=YEAR),
    "top debtors": MeasureRequest(measure="receivables", split=("customer",), top=10),
}


class DemoDayClock(SystemClock):
    """Noon on the day of the demo companies."""

    now = staticmethod(lambda: datetime.combine(DEMO_TODAY, time(12), tzinfo=UTC))


async def milliseconds(run: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """CPU time and time on the clock on the wall, the best of several rounds of each."""
    await run()
    spent, passed = [], []
    for _ in range(ROUNDS):
        began, began_at = clock(), perf_counter()
        await run()
        spent.append(clock() - began)
        passed.append(perf_counter() - began_at)
    return min(spent) * 1000, min(passed) * 1000


async def measured(team: FirstTeam) -> list[Row]:
    assert team.erp is not None
    access = team.erp
    books = await access.books()
    found = []
    for name, request in CASES.items():

        async def ask(request: MeasureRequest = request) -> None:
            await compute(books, access.measures, request)

        found += rows_of(name, await milliseconds(ask), MEASURE_MS)

    async def turn() -> None:
        session_id = new_id()
        library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id=session_id))
        services = {DATASETS_SERVICE: library, "language": "es"}
        done = await team.orchestrator.run(
            QUESTION, conversation=Conversation(), session_id=session_id, services=services
        )
        assert any(isinstance(event, ChartDrawn) for event in done.events), done.error

    return [*found, *rows_of("the north-star question, a whole turn", await milliseconds(turn), TURN_MS)]


def rows_of(what: str, times: tuple[float, float], most: int) -> list[Row]:
    """CPU time, which has an aim, and time on the wall, which a busy machine stretches."""
    spent, passed = times
    met = spent <= most
    return [
        Row(what=what, subject="ERP, size M", value=spent, unit="ms CPU", aim=f"≤ {most} ms", met=met),
        Row(what=f"{what}, on the wall", subject="ERP, size M", value=passed, unit="ms"),
    ]


async def rows() -> list[Row]:
    prepare()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(PREPARED, Path(folder) / SANDBOX_FILE)
        async with first_team(load_settings({}, None, data_dir=Path(folder)), clock=DemoDayClock()) as team:
            return await measured(team)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    is_json = parser.parse_args().json
    for one in asyncio.run(rows()):
        print(one.as_json() if is_json else f"{one.what:<40}{one.value:8.1f} {one.unit}   {one.aim}")


if __name__ == "__main__":
    main()
