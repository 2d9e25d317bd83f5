"""One store of each kind, opened the same way, so that a test can be run on all of them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from batuta.events.log import Alarm, EventLog
from batuta.events.queue import TurnQueue
from batuta.eventstore.audit import AuditStore
from batuta.eventstore.memory import MemoryEventLog, MemoryStore
from batuta.eventstore.memory_audit import MemoryAudit
from batuta.eventstore.memory_projections import MemoryProjections
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_audit import PostgresAudit
from batuta.eventstore.postgres_projections import PostgresProjections
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.projectors import ProjectionStore, Projector
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_audit import SqliteAudit
from batuta.eventstore.sqlite_projections import SqliteProjections
from batuta.eventstore.sqlite_turns import SqliteTurnQueue


@dataclass(frozen=True, kw_only=True)
class Store:
    """A log, its queue, its read models and what it alarmed about."""

    log: EventLog
    queue: TurnQueue
    projections: ProjectionStore
    projector: Projector
    audit: AuditStore
    alarms: list[Alarm]


Opener = Callable[[], AbstractAsyncContextManager[Store]]


def memory_opener() -> Opener:
    shared = MemoryStore()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        alarms: list[Alarm] = []
        log = MemoryEventLog(shared, on_alarm=alarms.append)
        projections = MemoryProjections(log)
        projector = Projector(projections, on_alarm=alarms.append)
        yield Store(
            log=log,
            queue=MemoryTurnQueue(log),
            projections=projections,
            projector=projector,
            audit=MemoryAudit(log),
            alarms=alarms,
        )

    return opened


def sqlite_opener(path: str) -> Opener:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        alarms: list[Alarm] = []
        async with SqliteEventLog(path, on_alarm=alarms.append) as log:
            projections = SqliteProjections(log)
            projector = Projector(projections, on_alarm=alarms.append)
            yield Store(
                log=log,
                queue=SqliteTurnQueue(log),
                projections=projections,
                projector=projector,
                audit=SqliteAudit(log),
                alarms=alarms,
            )

    return opened


def postgres_opener(url: str) -> Opener:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        alarms: list[Alarm] = []
        async with PostgresEventLog(url, on_alarm=alarms.append) as log:
            projections = PostgresProjections(log)
            projector = Projector(projections, on_alarm=alarms.append)
            yield Store(
                log=log,
                queue=PostgresTurnQueue(log),
                projections=projections,
                projector=projector,
                audit=PostgresAudit(log),
                alarms=alarms,
            )

    return opened
