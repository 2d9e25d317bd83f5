"""Wiring: the only place that chooses backends. One process on one file, or many on PostgreSQL and Redis.

async with open_platform(settings, team) as platform: …      a web process (with a worker in it, unless set to 0)
async with open_worker(settings, team) as process: await process.run(stop)
"""

import asyncio
import logging
import os
import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.store import DatasetOwner
from batuta.events.fanout import FanOutSink
from batuta.events.log import EventLog, Position
from batuta.events.queue import Lease, TurnQueue
from batuta.eventstore.audit import AuditStore
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_audit import PostgresAudit
from batuta.eventstore.postgres_projections import PostgresProjections
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.projectors import Projector
from batuta.eventstore.replay import TraceIndex
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_audit import SqliteAudit
from batuta.eventstore.sqlite_projections import SqliteProjections
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.kernel.errors import StoreUnavailableError
from batuta.llm.model import Model
from batuta.llm.resilient import Protection, ResilientModel
from batuta.llm.thinking import Thinking
from batuta.observability.standard import Observers
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.pipelines.options import RunOptions
from batuta.server.agui.service import AguiRuns, Doors
from batuta.server.approvals.commands import approval_commands
from batuta.server.approvals.service import Approvals, Decision
from batuta.server.config import Settings, make_data_dir
from batuta.server.database.engines import Database, PostgresDatabase, SqliteDatabase, SystemDatabase, closing
from batuta.server.database.tables import approvals as approval_rows
from batuta.server.database.upgrade import is_exempt, migrate_file, migrate_server, require_migrated
from batuta.server.datasets.erasure import DatasetErasingAudit
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.server.identity.oidc import OidcLogins
from batuta.server.identity.passwords import Passwords
from batuta.server.identity.service import Identity
from batuta.server.keys.service import KeyRing
from batuta.server.live.feed import Delivery, Hub
from batuta.server.live.live_text import LiveSink
from batuta.server.live.notifications import Bus, Listener, LocalBus, News
from batuta.server.live.redis_notifications import RedisBus
from batuta.server.live.sockets import Sockets
from batuta.server.live.streams import Streams
from batuta.server.meta.service import Check, Health
from batuta.server.monitoring.observers import (
    Gauges,
    Source,
    metrics_port,
    of_clients,
    of_models,
    of_storage,
    of_work,
    watched,
    watcher,
)
from batuta.server.policy import EVENTS, JOBS
from batuta.server.problems import NotFoundProblem
from batuta.server.search.forgetting import WordForgettingAudit
from batuta.server.search.service import Search
from batuta.server.security.access_control import Gate
from batuta.server.security.ownership import Caller
from batuta.server.security.preferences import Preferences
from batuta.server.sessions.notifier import Announcements
from batuta.server.sessions.service import Sessions
from batuta.server.sessions.sources import ReadSource, Sources
from batuta.server.settings.service import PreferenceBook
from batuta.server.turns.commands import turn_commands
from batuta.server.turns.service import NewMessage, Turns
from batuta.server.worker.model_protection import Shield
from batuta.server.worker.persistence import LogDesk, StopBell, ring_on_growth
from batuta.server.worker.titling import Titles
from batuta.tools.context import LANGUAGE_SERVICE, TIME_ZONE_SERVICE

log = logging.getLogger("batuta.server")

REVALIDATE_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """What is kept, and where."""

    database: Database
    log: EventLog
    queue: TurnQueue
    projector: Projector
    traces: TraceIndex
    audit: AuditStore
    bus: Bus
    storage: Source
    checks: Mapping[str, Check] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """Everything a web process needs, wired together."""

    settings: Settings
    team: Orchestrator
    backends: Backends
    observers: Observers
    model_label: str
    is_offline: bool
    models: Sequence[str]
    """What people choose from, the default first."""
    gate: Gate
    identity: Identity
    oidc: OidcLogins
    preferences: PreferenceBook
    keys: KeyRing
    sessions: Sessions
    sources: Sources
    turns: Turns
    approvals: Approvals
    search: Search
    agui: AguiRuns
    delivery: Delivery
    sockets: Sockets
    streams: Streams
    health: Health

    async def revalidate(self) -> None:
        """End every live connection whose caller is no longer let in as it was."""
        sockets, streams = self.sockets.callers, self.streams.callers
        valid = await self.gate.still_valid({**sockets, **streams})
        self.streams.end(frozenset(streams) - valid)
        await self.sockets.end(frozenset(sockets) - valid)

    def clients(self) -> Mapping[str, int]:
        """How many are connected live, by the way they are."""
        return {"socket": len(self.sockets.callers), "stream": len(self.streams.callers)}

    async def close_connections(self) -> None:
        """Let go of whoever is connected, so that the process can end; they come back elsewhere and resume."""
        self.streams.close()
        await self.sockets.close()


@asynccontextmanager
async def open_platform(
    settings: Settings,
    team: Orchestrator,
    *,
    model_label: str = "",
    is_offline: bool = False,
    models: Sequence[str] = (),
    title_model: Model | None = None,
    read_source: ReadSource | None = None,
) -> AsyncIterator[Platform]:
    """A running platform without its HTTP server. With a model for titles, sessions are named by it.

    Of several `models` people choose one that takes the place of the first, wherever the team names that.
    """
    async with AsyncExitStack() as stack:
        observers = stack.enter_context(watched(settings, "batuta"))
        backends = await _open_backends(settings, stack)
        hub = Hub(backends.bus, backends.log.heads, backends.log.listening)
        model = ModelLabel(model_label or next(iter(settings.models), "offline"), is_offline, models)
        platform = _wire(settings, team, backends, observers, hub, model, read_source)
        announcements = Announcements(backends.bus, platform.sessions, platform.sockets)
        shield = Shield(settings)
        gauges = Gauges(observers.metrics, [*_figures(backends, shield), of_clients(platform.clients)])
        work = [hub.run(), announcements.run(), _revalidate(platform), gauges.run(), *_housekeeping(backends)]
        await stack.enter_async_context(_background(work))
        if settings.worker_concurrency:
            await stack.enter_async_context(_working(settings, team, backends, observers, shield, models, title_model))
        stack.push_async_callback(platform.close_connections)
        yield platform


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """A worker and its ears."""

    worker: TurnWorker
    ears: Listener
    bus: Bus
    metrics_url: str | None
    """Where it answers Prometheus."""

    async def run(self, stop: asyncio.Event) -> None:
        """Run turns until the event is set."""
        with self.bus.listening(self.ears):
            await self.worker.run(stop)


@asynccontextmanager
async def open_worker(
    settings: Settings, team: Orchestrator, *, models: Sequence[str] = (), title_model: Model | None = None
) -> AsyncIterator[WorkerProcess]:
    """A worker process. Its models and the one for titles are those of `open_platform`."""
    async with AsyncExitStack() as stack:
        observers = stack.enter_context(watched(settings, "batuta-worker"))
        backends = await _open_backends(settings, stack)
        shield = Shield(settings)
        titles = _titles(backends, title_model, shield)
        worker, ears = _worker(settings, team, backends, observers, shield, models, titles)
        gauges = Gauges(observers.metrics, _figures(backends, shield))
        named = [titles.run()] if titles is not None else []
        await stack.enter_async_context(_background([gauges.run(), *named, *_housekeeping(backends)]))
        metrics_url = stack.enter_context(metrics_port(settings, observers))
        yield WorkerProcess(worker, ears, backends.bus, metrics_url)


async def migrate(settings: Settings, *, grant_to: str | None = None) -> None:
    """Bring the database up to date: the log's tables and the platform's; let a role of PostgreSQL use them."""
    if settings.database_url is not None:
        await migrate_server(settings.database_url.get_secret_value(), grant_to=grant_to)
        return
    make_data_dir(settings.data_dir)
    async with SqliteEventLog(settings.database_file):
        await migrate_file(settings.database_file)


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[Backends]:
    """What is kept, without anybody working on it: for commands that look."""
    async with AsyncExitStack() as stack:
        yield await _open_backends(settings, stack)


async def _open_backends(settings: Settings, stack: AsyncExitStack) -> Backends:
    if settings.database_url is None:
        return await _open_file(settings, stack)
    return await _open_server(settings, stack, settings.database_url.get_secret_value())


async def _open_file(settings: Settings, stack: AsyncExitStack) -> Backends:
    """Embedded: one file, nothing to install, brought up to date at every start."""
    await migrate(settings)
    events = await stack.enter_async_context(SqliteEventLog(settings.database_file))
    database = SqliteDatabase(settings.database_file)
    await stack.enter_async_context(closing(database))
    projections = SqliteProjections(events)
    return Backends(
        database=database,
        log=events,
        queue=SqliteTurnQueue(events, kinds=JOBS),
        projector=Projector(projections),
        traces=projections,
        audit=WordForgettingAudit(DatasetErasingAudit(SqliteAudit(events), database), database),
        bus=LocalBus(),
        storage=_room_in(settings),
    )


async def _open_server(settings: Settings, stack: AsyncExitStack, url: str) -> Backends:
    """Distributed: PostgreSQL keeps everything; Redis, if there is one, carries news."""
    events = await stack.enter_async_context(PostgresEventLog(url))
    database = await stack.enter_async_context(closing(PostgresDatabase(url)))
    await require_migrated(database)
    if await database.read(is_exempt):
        log.warning("the role of BATUTA_DATABASE_URL sees through row-level security: use one that is no superuser")
    projections = PostgresProjections(events)
    bus: Bus = LocalBus()
    checks: dict[str, Check] = {}
    if settings.redis_url is not None:
        redis = RedisBus(settings.redis_url.get_secret_value())
        await stack.enter_async_context(redis.running())
        bus, checks = redis, {"redis": redis.ping}
    return Backends(
        database=database,
        log=events,
        queue=PostgresTurnQueue(events, kinds=JOBS),
        projector=Projector(projections),
        traces=projections,
        audit=DatasetErasingAudit(PostgresAudit(events), database),
        bus=bus,
        storage=of_storage(
            lambda: SystemDatabase(database).read(_database_bytes), lambda used: settings.storage_capacity_bytes
        ),
        checks=checks,
    )


def _room_in(settings: Settings) -> Source:
    """A file can grow until the disk is full, or to what was set."""

    async def used() -> int:
        files = (settings.database_file, settings.database_file.with_name(f"{settings.database_file.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    return of_storage(
        used, lambda used: settings.storage_capacity_bytes or used + shutil.disk_usage(settings.data_dir).free
    )


def _database_bytes(connection: sa.Connection) -> int:
    return int(connection.execute(sa.select(sa.func.pg_database_size(sa.func.current_database()))).scalar_one())


class ModelLabel(NamedTuple):
    """What people are told of the model in use."""

    label: str
    is_offline: bool
    choices: Sequence[str]


def _wire(
    settings: Settings,
    team: Orchestrator,
    backends: Backends,
    observers: Observers,
    hub: Hub,
    model: ModelLabel,
    read_source: ReadSource | None,
) -> Platform:
    database, events, queue, bus = backends.database, backends.log, backends.queue, backends.bus
    everything = SystemDatabase(database)
    gate = Gate(everything, idle=timedelta(hours=settings.login_idle_hours))
    delivery = Delivery(events, hub, backends.projector)
    sessions = Sessions(database, events, backends.audit, backends.projector, bus, delivery, observer=observers.sink)
    agent_ids = frozenset(card.agent_id for card in team.registry.cards)
    limits: dict[str, Any] = {"agent_ids": agent_ids, "max_chars": settings.max_message_chars}
    turns = Turns(database, events, queue, bus, observer=observers.sink, **limits)
    approvals = Approvals(database, events, queue, backends.projector, bus)
    return Platform(
        settings=settings,
        team=team,
        backends=backends,
        observers=observers,
        model_label=model.label,
        is_offline=model.is_offline,
        models=model.choices,
        gate=gate,
        identity=Identity(everything, settings, Passwords()),
        oidc=OidcLogins(everything, settings),
        preferences=PreferenceBook(database, models=model.choices, agents=agent_ids),
        keys=KeyRing(database),
        sessions=sessions,
        sources=Sources(database, read_source or _no_source),
        turns=turns,
        approvals=approvals,
        search=Search(database),
        agui=AguiRuns(events, delivery, _doors(gate, sessions, turns, approvals, database)),
        delivery=delivery,
        sockets=Sockets(settings, gate, events, delivery, {**turn_commands(turns), **approval_commands(approvals)}),
        streams=Streams(),
        health=Health(database, events, more=backends.checks),
    )


async def _no_source(name: str) -> str | None:
    return None


def _doors(gate: Gate, sessions: Sessions, turns: Turns, approvals: Approvals, database: Database) -> Doors:
    async def own_session(caller: Caller, session_id: str) -> None:
        try:
            await gate.check(EVENTS["session:join"], caller, {"session_id": session_id})
        except NotFoundProblem:
            await sessions.create(caller, session_id=session_id)

    async def say(caller: Caller, session_id: str, client_message_id: str, text: str) -> tuple[str, Position]:
        message = NewMessage(client_message_id=client_message_id, text=text)
        answer, position = await turns.accept(caller, session_id, message)
        return answer.turn_id, position

    async def decide(caller: Caller, approval_id: str, fields: Mapping[str, Any]) -> str:
        allowed = await gate.check(EVENTS["approval:resolve"], caller, {"approval_id": approval_id})
        await approvals.decide(allowed, approval_id, Decision.model_validate(fields))
        query = sa.select(approval_rows.c.turn_id).where(approval_rows.c.approval_id == approval_id.upper())
        return str(await database.read(lambda connection: connection.execute(query).scalar()))

    return Doors(own_session=own_session, say=say, decide=decide)


def _worker(
    settings: Settings,
    team: Orchestrator,
    backends: Backends,
    observers: Observers,
    shield: Shield,
    models: Sequence[str],
    titles: Titles | None,
) -> tuple[TurnWorker, Listener]:
    """A worker, and what it listens to the news with."""
    bell, live = StopBell(), LiveSink(backends.bus)
    worker = TurnWorker(
        team,
        backends.queue,
        backends.log,
        LogDesk(backends.log, backends.projector),
        WorkerSettings(
            owner=f"{socket.gethostname()}-{os.getpid()}",
            concurrency=max(1, settings.worker_concurrency),
            lease=timedelta(seconds=settings.lease_seconds),
            drain=timedelta(seconds=settings.shutdown_seconds),
            options=_options(backends.database, shield.protection, models),
            watch=watcher(observers),
        ),
        signals=bell,
        live=live if titles is None else FanOutSink(live, titles),
    )

    def hear(news: News) -> None:
        bell.take(news)
        live.take(news)
        if news.kind == "work":
            worker.ring()

    return worker, hear


def _titles(backends: Backends, model: Model | None, shield: Shield) -> Titles | None:
    """Whoever names sessions, with a model under the same protection as those of turns."""
    return None if model is None else Titles(backends.log, ResilientModel(model, shield.protection))


def _options(
    database: Database, protection: Protection, models: Sequence[str]
) -> Callable[[Lease], Awaitable[RunOptions]]:
    """How models are asked in a run, and what it knows about the person it works for: where "tomorrow at ten" is, the
    language they read, the model they chose, and whether it thinks.
    """
    book = PreferenceBook(database)
    datasets = DatabaseDatasetStore(SystemDatabase(database))

    async def options(lease: Lease) -> RunOptions:
        if lease.work.user_id is None:
            return RunOptions(protection=protection)
        owner = DatasetOwner(session_id=lease.work.session_id or "", user_id=lease.work.user_id)
        likes = await book.of(lease.work.user_id)
        return RunOptions(
            protection=protection,
            services={
                TIME_ZONE_SERVICE: likes.timezone,
                LANGUAGE_SERVICE: likes.language,
                DATASETS_SERVICE: DatasetLibrary(store=datasets, owner=owner),
            },
            models={models[0]: likes.model} if likes.model is not None and likes.model in models else {},
            thinking=_thinking(lease.work.payload, likes),
        )

    return options


def _thinking(payload: Mapping[str, Any], likes: Preferences) -> Thinking:
    """As the message says, else as the person prefers; a budget without more is a wish to think."""
    budget = payload.get("thinking_budget")
    is_on = payload.get("enable_thinking", likes.enable_thinking if budget is None else True)
    return Thinking(is_on=is_on and budget != 0, budget_tokens=budget or None)


@asynccontextmanager
async def _working(
    settings: Settings,
    team: Orchestrator,
    backends: Backends,
    observers: Observers,
    shield: Shield,
    models: Sequence[str],
    title_model: Model | None,
) -> AsyncIterator[None]:
    """Run turns within the block; at its end they finish, or are left to another worker."""
    titles = _titles(backends, title_model, shield)
    worker, ears = _worker(settings, team, backends, observers, shield, models, titles)
    stop = asyncio.Event()
    with backends.bus.listening(ears):
        async with _background([titles.run()] if titles is not None else []), asyncio.TaskGroup() as group:
            group.create_task(worker.run(stop), name="worker")
            try:
                yield
            finally:
                stop.set()


def _figures(backends: Backends, shield: Shield) -> list[Source]:
    return [of_work(backends.queue, backends.projector), backends.storage, of_models(shield.limits)]


def _housekeeping(backends: Backends) -> Sequence[Awaitable[None]]:
    return [backends.projector.run(), ring_on_growth(backends.log, backends.bus)]


async def _revalidate(platform: Platform) -> None:
    """Notice within seconds what was changed by another process."""
    while True:
        await asyncio.sleep(REVALIDATE_SECONDS)
        try:
            await platform.revalidate()
        except StoreUnavailableError as error:
            log.warning("who is logged in cannot be looked up: %s", error)


@asynccontextmanager
async def _background(work: Sequence[Awaitable[None]]) -> AsyncIterator[None]:
    """Run endless work beside the block; if some of it breaks, the block ends too."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_endless(one)) for one in work]
        await asyncio.sleep(0)  # all have begun before anything can end them
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


async def _endless(work: Awaitable[None]) -> None:
    await work
