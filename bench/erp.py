"""What business questions cost on the medium demo company: measures, and the north-star question as a whole turn.

    python -m bench.erp            the table
    python -m bench.erp --json     one JSON object per line

On the companies that `bench.sandbox` makes once and keeps. The sandbox answers in the process, its time included. A
figure is CPU time, best of several rounds; a turn is run on the built-in model, to the specification of its chart.
"""

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time
from pathlib import Path

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


async def milliseconds(run: Callable[[], Awaitable[object]]) -> float:
    await run()
    best = float("inf")
    for _ in range(ROUNDS):
        began = clock()
        await run()
        best = min(best, clock() - began)
    return best * 1000


async def measured(team: FirstTeam) -> list[Row]:
    assert team.erp is not None
    access = team.erp
    books = await access.books()
    found = []
    for name, request in CASES.items():

        async def ask(request: MeasureRequest = request) -> None:
            await compute(books, access.measures, request)

        found.append(row(name, await milliseconds(ask), MEASURE_MS))

    async def turn() -> None:
        session_id = new_id()
        library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id=session_id))
        services = {DATASETS_SERVICE: library, "language": "es"}
        done = await team.orchestrator.run(
            QUESTION, conversation=Conversation(), session_id=session_id, services=services
        )
        assert any(isinstance(event, ChartDrawn) for event in done.events), done.error

    return [*found, row("the north-star question, a whole turn", await milliseconds(turn), TURN_MS)]


def row(what: str, value: float, most: int) -> Row:
    return Row(what=what, subject="ERP, size M", value=value, unit="ms", aim=f"≤ {most} ms", met=value <= most)


async def rows() -> list[Row]:
    prepare()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(PREPARED, Path(folder) / SANDBOX_FILE)
        team = first_team(load_settings({}, None, data_dir=Path(folder)), clock=DemoDayClock())
        await team.prepare()
        return await measured(team)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    is_json = parser.parse_args().json
    for one in asyncio.run(rows()):
        print(one.as_json() if is_json else f"{one.what:<40}{one.value:8.1f} {one.unit}   {one.aim}")


if __name__ == "__main__":
    main()
