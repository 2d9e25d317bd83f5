"""A turn that reads a table, queries it, draws it and changes the chart, on any store; and what is left of it.

stage = await memory_stage()
outcome = await play(stage, kill_at=7, how="unsaved")       # dies at its seventh event, another worker goes on
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from batuta.agents.graphing.tools import GRAPHING_TOOLS
from batuta.datasets.charts.planning import CHART_CONNECTOR
from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetInfo, DatasetOwner, DatasetStore, page_of
from batuta.events.datasets import ChartDrawn, DatasetStored
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import Lease, TurnQueue, WorkStatus
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.kernel.ids import new_id
from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.orchestration.worker import PersistenceFactory, TurnWorker, WorkerSettings
from batuta.pipelines.options import RunOptions
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.datasets.service import Datasets
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.steps.agent import AgentStep
from batuta.testing.mortality import Death, Killed, MortalPersistence
from batuta.testing.views import seen_in_order
from batuta.tools.context import LANGUAGE_SERVICE
from tests.support.chart_team import BY_COUNTRY, SalesBook
from tests.support.platform import RuleModel, running
from tests.support.turns import say

QUESTION = "Ventas por país, en un gráfico; después por mes"
MAX_LIVES = 5
LEASE = timedelta(seconds=30)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read_sales", {}),
    ("query_datasets", {"sql": BY_COUNTRY, "name": "by_country", "title": "Ventas por país"}),
    ("draw_chart", {"dataset": "by_country", "kind": "bar", "x": "country", "y": ["amount"]}),
    ("draw_chart", {"dataset": "sales", "kind": "bar", "x": "customer", "y": ["amount"], "top": 2}),
    ("change_chart", {"time_unit": "month"}),
)
"""What the analyst does, one after the other."""


@dataclass
class Meter:
    """What costs money, counted where it happens: model calls by what they were asked."""

    calls: Counter[str] = field(default_factory=Counter)

    def count(self, what: str) -> None:
        """One more."""
        self.calls[what] += 1


def dataset_team(meter: Meter, book: SalesBook | None = None) -> Orchestrator:
    """A supervisor that plans, and an analyst that reads, queries, draws and redraws."""

    def supervise(request: ModelRequest) -> str:
        meter.count(f"supervisor {len(request.messages)}")
        return json.dumps({"steps": [{"agent_id": "analyst", "task": QUESTION, "depends_on": []}]})

    def analyse(request: ModelRequest) -> str | ToolCallBlock:
        done = sum(len(message.tool_results) for message in request.messages)
        meter.count(f"analyst {done}")
        if done == len(CALLS):
            return "España compra más."
        name, args = CALLS[done]
        return ToolCallBlock(id=f"c{done}", name=name, args=args)

    tools = [(book or SalesBook()).read_tool(), *GRAPHING_TOOLS]
    analyst = AgentStep(name="analyst", model=RuleModel(analyse), output=str, instructions="Draw.", tools=tools)
    return Orchestrator(supervisor=RuleModel(supervise), agents=[Specialist(analyst, name="Analyst")])


@dataclass(frozen=True, kw_only=True)
class DatasetStage:
    """Where turns with datasets are run: log, queue and dataset store of one kind."""

    log: EventLog
    queue: TurnQueue
    datasets: DatasetStore
    begin: Callable[[], Awaitable[tuple[str, str]]]
    """Accept the question in a session of its own: session and turn."""


@asynccontextmanager
async def memory_stage() -> AsyncIterator[DatasetStage]:
    """Everything in memory."""
    log = MemoryEventLog()
    queue = MemoryTurnQueue(log)

    async def begin() -> tuple[str, str]:
        session = new_id()
        return session, await say(queue, session, QUESTION)

    yield DatasetStage(log=log, queue=queue, datasets=MemoryDatasetStore(), begin=begin)


@asynccontextmanager
async def platform_stage(settings: Settings) -> AsyncIterator[DatasetStage]:
    """The platform's stores: one SQLite file, or PostgreSQL under the recommended role. Its own worker rests."""
    async with running(settings, team=dataset_team(Meter())) as site:
        ana = await site.person("ana@example.com")

        async def begin() -> tuple[str, str]:
            session = await ana.session()
            return session, str((await ana.say(session, QUESTION))["turn_id"])

        backends = site.platform.backends
        store = DatabaseDatasetStore(SystemDatabase(backends.database))
        yield DatasetStage(log=backends.log, queue=backends.queue, datasets=store, begin=begin)


@dataclass(frozen=True, kw_only=True)
class DatasetOutcome:
    """What is left of a turn."""

    view: Any
    """What a person sees, with the names of datasets instead of their ids."""
    tables: list[Any]
    """Every dataset that is kept: head, rows and records."""
    specs: list[Any]
    """Every chart as the API plans it again."""
    orphans: list[str]
    """Datasets that no event tells of, and events whose dataset is not there."""
    calls: Counter[str]
    repeated: list[str]
    """Effects that were recorded, and happened all the same."""
    event_count: int


def options_of(store: DatasetStore) -> Callable[[Lease], RunOptions]:
    """What a run is given: the datasets of its session."""

    def options(lease: Lease) -> RunOptions:
        assert lease.work.session_id is not None
        library = DatasetLibrary(store=store, owner=DatasetOwner(session_id=lease.work.session_id))
        return RunOptions(services={DATASETS_SERVICE: library, LANGUAGE_SERVICE: "es"})

    return options


async def play(stage: DatasetStage, *, kill_at: int | None = None, how: Death = "before") -> DatasetOutcome:
    """Run the turn to its end; a worker that dies is followed by another one."""
    session, turn = await stage.begin()
    meter, book = Meter(), SalesBook()
    persistence = MortalPersistence(stage.log, kill_at=kill_at, how=how)
    for life in range(MAX_LIVES):
        settings = WorkerSettings(owner=f"worker-{life}", lease=LEASE, options=options_of(stage.datasets))
        worker = TurnWorker(dataset_team(meter, book), stage.queue, stage.log, persistence, settings)
        try:
            await worker.run_until_idle()
        except Killed:
            assert persistence.lease is not None
            await stage.queue.release(persistence.lease)
            continue
        work = await stage.queue.get(turn)
        assert work is not None
        assert work.status is WorkStatus.COMPLETED, work
        return await outcome_of(
            stage, session, meter.calls, repeated=persistence.repeated, event_count=persistence.written
        )
    raise AssertionError(f"the turn did not end within {MAX_LIVES} lives")


async def wait_for_end(stage: DatasetStage, turn: str, meter: Meter, persistence: PersistenceFactory) -> None:
    """Go on with a turn once the lease of its dead owner has run out."""
    settings = WorkerSettings(owner="survivor", lease=LEASE, options=options_of(stage.datasets))
    worker = TurnWorker(dataset_team(meter), stage.queue, stage.log, persistence, settings)
    async with asyncio.timeout(120):
        while (work := await stage.queue.get(turn)) is None or work.status is not WorkStatus.COMPLETED:
            await worker.run_until_idle()
            await asyncio.sleep(0.05)


async def outcome_of(
    stage: DatasetStage, session: str, calls: Counter[str], *, repeated: Sequence[str] = (), event_count: int = 0
) -> DatasetOutcome:
    """What is left of the turn of a session."""
    events = (await stage.log.read(session, limit=10_000)).events
    owner = DatasetOwner(session_id=session)
    kept = await stage.datasets.list(owner)
    charts = [info for info in kept if info.provenance.connector == CHART_CONNECTOR]
    service = Datasets(stage.datasets)
    return DatasetOutcome(
        view=_with_names(seen_in_order(events), events),
        tables=[await _table(stage.datasets, owner, info) for info in kept],
        specs=[(await service.chart(session, info.dataset_id)).spec for info in charts],
        orphans=_orphans(events, kept),
        calls=calls,
        repeated=list(repeated),
        event_count=event_count,
    )


async def _table(store: DatasetStore, owner: DatasetOwner, info: DatasetInfo) -> Any:
    page = await page_of(store, owner, info, 0, 10_000)
    source = info.provenance.model_dump(mode="json", exclude={"retrieved_at"})
    return [info.name, info.title, info.columns, info.totals, source, page.rows, page.references]


def _orphans(events: tuple[Event, ...], kept: Any) -> list[str]:
    told = Counter(event.dataset_id for event in events if isinstance(event, DatasetStored | ChartDrawn))
    there = {info.dataset_id: info.name for info in kept}
    unknown = [f"{name} is kept and told of by no event" for one, name in there.items() if one not in told]
    missing = [f"{one} is told of and not kept" for one in told if one not in there]
    return [*unknown, *missing, *(f"{one} is told of {count} times" for one, count in told.items() if count > 1)]


def _with_names(view: Any, events: tuple[Event, ...]) -> Any:
    """Ids of datasets and charts are made of the session's: names and places stand for them."""
    text = json.dumps(view, sort_keys=True)
    for place, event in enumerate(event for event in events if isinstance(event, DatasetStored | ChartDrawn)):
        text = text.replace(event.dataset_id, f"dataset {place}")
        if isinstance(event, ChartDrawn):
            text = text.replace(event.chart_id, f"chart {place}")
    return json.loads(text)
