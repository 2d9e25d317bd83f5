"""One store of each kind, opened the same way, so that a test can be run on all of them."""

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from batuta.events.log import Alarm, EventLog
from batuta.events.queue import TurnQueue
from batuta.eventstore.audit import AuditStore
from batuta.eventstore.memory import MemoryEventLog, MemoryStore
from batuta.eventstore.memory_audit import MemoryAudit
from batuta.eventstore.memory_projections import MemoryProjections
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_audit import PostgresAudit
from batuta.eventstore.postgres_database import POOL_SIZE, PostgresPool
from batuta.eventstore.postgres_projections import PostgresProjections
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.projectors import ProjectionStore, Projector
from batuta.eventstore.redis import RedisEventLog
from batuta.eventstore.redis_projections import RedisAudit, ShippingProjector
from batuta.eventstore.redis_shipping import Shipper
from batuta.eventstore.redis_turns import RedisTurnQueue
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
    shipper: Shipper | None = None

    @property
    def background(self) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
        """What has to run beside the projector."""
        return () if self.shipper is None else (self.shipper.run,)

    async def settle(self) -> None:
        """Bring everything that is derived from the log up to date."""
        if self.shipper is not None:
            for session in await self.log.sessions():
                await self.shipper.ship(session)
        await self.projector.catch_up()


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


def postgres_opener(url: str, *, pool_size: int = POOL_SIZE) -> Opener:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        alarms: list[Alarm] = []
        async with PostgresEventLog(PostgresPool(url, pool_size=pool_size), on_alarm=alarms.append) as log:
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


def redis_opener(redis_url: str, url: str, *, pool_size: int = POOL_SIZE) -> Opener:
    """The log is in Redis; queue, read models and audit are in the database it is shipped to."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        alarms: list[Alarm] = []
        database = PostgresEventLog(PostgresPool(url, pool_size=pool_size), on_alarm=alarms.append)
        async with RedisEventLog(redis_url, database, on_alarm=alarms.append) as log:
            yield Store(
                log=log,
                queue=RedisTurnQueue(log),
                projections=PostgresProjections(database),
                projector=ShippingProjector(log, on_alarm=alarms.append),
                audit=RedisAudit(log),
                alarms=alarms,
                shipper=log.shipper,
            )

    return opened


def opener_of(place: Mapping[str, str]) -> Opener:
    """The store that is at a place, told as another process can be told."""
    if place["backend"] == "sqlite":
        return sqlite_opener(place["path"])
    if place["backend"] == "postgres":
        return postgres_opener(place["url"])
    return redis_opener(place["redis_url"], place["url"])
