"""Where everything is kept: one SQLite file, or PostgreSQL with Redis. The only module that chooses.

async with open_backends(settings) as backends: …
"""

import logging
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa

from batuta.events.log import EventLog
from batuta.events.queue import TurnQueue
from batuta.eventstore.audit import AuditStore
from batuta.eventstore.base import StoreLog
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_audit import PostgresAudit
from batuta.eventstore.postgres_projections import PostgresProjections
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.projectors import Projector
from batuta.eventstore.redis import RedisEventLog
from batuta.eventstore.redis_projections import RedisAudit, ShippingProjector
from batuta.eventstore.redis_turns import RedisTurnQueue
from batuta.eventstore.replay import TraceIndex
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_audit import SqliteAudit
from batuta.eventstore.sqlite_projections import SqliteProjections
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.server.boards import repository as boards
from batuta.server.config import Settings, make_data_dir
from batuta.server.database.engines import Database, SqlitePlatformDatabase, SystemDatabase, closing
from batuta.server.database.postgres_engine import PostgresPlatformDatabase
from batuta.server.database.shared_secrets import shared_secret
from batuta.server.database.upgrade import is_exempt, migrate_file, migrate_server, require_migrated
from batuta.server.datasets.erasure import DatasetErasingAudit
from batuta.server.live.notifications import LocalNotificationBus, NotificationBus
from batuta.server.live.redis_notifications import RedisNotificationBus
from batuta.server.meta.service import Check
from batuta.server.monitoring.gauges import GaugeSource, storage_gauges
from batuta.server.policy import JOBS
from batuta.server.search.forgetting import WordForgettingAudit
from batuta.server.storage import dataset_files
from batuta.server.supervision import NotReadyError

log = logging.getLogger("batuta.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """The open stores of a process."""

    database: Database
    log: EventLog
    queue: TurnQueue
    projector: Projector
    traces: TraceIndex
    audit: AuditStore
    bus: NotificationBus
    storage: GaugeSource
    checks: Mapping[str, Check] = field(default_factory=dict)
    """What readiness asks besides the database and the log."""


async def migrate(settings: Settings, *, grant_to: str | None = None) -> None:
    """Bring the database up to date: the log's tables and the platform's; let a role of PostgreSQL use them."""
    if settings.database_url is not None:
        await migrate_server(settings.database_url.get_secret_value(), grant_to=grant_to)
        return
    make_data_dir(settings.data_dir)
    async with SqliteEventLog(settings.database_file):
        await migrate_file(settings.database_file)


@asynccontextmanager
async def open_backends(settings: Settings) -> AsyncIterator[Backends]:
    """The stores that the settings name, open within the block."""
    async with AsyncExitStack() as stack:
        if settings.database_url is None:
            yield await _open_file(settings, stack)
        else:
            yield await _open_server(settings, stack, settings.database_url.get_secret_value())


async def _open_file(settings: Settings, stack: AsyncExitStack) -> Backends:
    """Embedded: one file, nothing to install, brought up to date at every start."""
    await migrate(settings)
    events = await stack.enter_async_context(SqliteEventLog(settings.database_file))
    database = SqlitePlatformDatabase(settings.database_file)
    await stack.enter_async_context(closing(database))
    projections = SqliteProjections(events)

    async def used_bytes() -> int:
        files = (settings.database_file, settings.database_file.with_name(f"{settings.database_file.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def capacity_bytes(used: int) -> int:
        return settings.storage_capacity_bytes or used + shutil.disk_usage(settings.data_dir).free

    return Backends(
        database=database,
        log=events,
        queue=SqliteTurnQueue(events, kinds=JOBS),
        projector=Projector(projections),
        traces=projections,
        audit=WordForgettingAudit(
            DatasetErasingAudit(
                SqliteAudit(events), database, erase_more=boards.erase_of_user, files=dataset_files(settings)
            ),
            database,
        ),
        bus=LocalNotificationBus(),
        storage=storage_gauges(used_bytes, capacity_bytes),
        checks={"writes": _writing(events)},
    )


async def _open_server(settings: Settings, stack: AsyncExitStack, url: str) -> Backends:
    """Distributed: PostgreSQL keeps everything; Redis, if there is one, carries notifications, and if it is chosen for
    that, takes events first.
    """
    events = await stack.enter_async_context(PostgresEventLog(url))
    database = await stack.enter_async_context(closing(PostgresPlatformDatabase(url)))
    await require_migrated(database)
    if await database.read(is_exempt):
        log.warning("the role of BATUTA_DATABASE_URL sees through row-level security: use one that is no superuser")
    projections = PostgresProjections(events)
    bus: NotificationBus = LocalNotificationBus()
    checks: dict[str, Check] = {"writes": _writing(events, database)}
    if settings.redis_url is not None:
        key = await shared_secret(SystemDatabase(database), "notifications")
        redis = RedisNotificationBus(settings.redis_url.get_secret_value(), key)
        await stack.enter_async_context(redis.running())
        bus, checks = redis, {**checks, "redis": redis.ping}
    storage = storage_gauges(
        lambda: SystemDatabase(database).read(_database_bytes), lambda used: settings.storage_capacity_bytes
    )
    if settings.event_log == "redis" and settings.redis_url is not None:
        first = await stack.enter_async_context(RedisEventLog(settings.redis_url.get_secret_value(), events))
        return Backends(
            database=database,
            log=first,
            queue=RedisTurnQueue(first, kinds=JOBS),
            projector=ShippingProjector(first),
            traces=projections,
            audit=DatasetErasingAudit(
                RedisAudit(first), database, erase_more=boards.erase_of_user, files=dataset_files(settings)
            ),
            bus=bus,
            storage=storage,
            checks={**checks, "writes": _writing(first, database)},
        )
    return Backends(
        database=database,
        log=events,
        queue=PostgresTurnQueue(events, kinds=JOBS),
        projector=Projector(projections),
        traces=projections,
        audit=DatasetErasingAudit(
            PostgresAudit(events), database, erase_more=boards.erase_of_user, files=dataset_files(settings)
        ),
        bus=bus,
        storage=storage,
        checks=checks,
    )


def _writing(events: StoreLog, server: Database | None = None) -> Check:
    """Whether something could not be stored a moment ago, or a server says beforehand that it would not."""

    def is_read_only(connection: sa.Connection) -> bool:
        return bool(connection.execute(_IS_READ_ONLY).scalar())

    async def check() -> None:
        if server is not None and await server.read(is_read_only):
            raise NotReadyError("the database is read-only; is it a standby?")
        if events.refusals.is_recent:
            raise NotReadyError("refused a moment ago; is the disk full?")

    return check


_IS_READ_ONLY = sa.text("SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean")


def _database_bytes(connection: sa.Connection) -> int:
    return int(connection.execute(sa.select(sa.func.pg_database_size(sa.func.current_database()))).scalar_one())
