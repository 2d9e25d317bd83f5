"""One program, all modes, one outcome (F-90).

100 programs in `make test`; `BATUTA_PROGRAMS=2000` and more in `make fuzz`. A failure names its seed and prints the
smallest program that shows it.
"""

import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_database import PostgresPool
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.testing.clock import FakeClock
from batuta.testing.modes.checking import check_program, modes_of
from batuta.testing.modes.programs import random_program
from batuta.testing.modes.running import OpenStore, Stores, passing_by
from tests.support.servers import APP_ROLE, PostgresServer

PROGRAMS = int(os.environ.get("BATUTA_PROGRAMS", "100"))
FIRST = int(os.environ.get("BATUTA_FIRST_PROGRAM", "0"))
BATCHES = 25


@pytest.fixture(scope="module")
def app_url(postgres_server: PostgresServer, platform_template: str) -> Iterator[str]:
    """The database of a platform, for the role that it is recommended to run under."""
    postgres_server.ensure_running()
    name = postgres_server.create_database(platform_template)
    yield postgres_server.url(name, role=APP_ROLE)
    postgres_server.drop_database(name)


@pytest.fixture
async def stores(tmp_path: Path, app_url: str) -> AsyncIterator[Stores]:
    """SQLite and PostgreSQL; the memory log is made anew for every run."""
    clock = FakeClock(datetime.now(UTC))
    async with (
        SqliteEventLog(str(tmp_path / "modes.db"), clock=clock) as sqlite,
        PostgresEventLog(PostgresPool(app_url)) as postgres,
    ):
        yield {
            "sqlite": OpenStore(sqlite, SqliteTurnQueue(sqlite), passing_by(clock)),
            "postgres": OpenStore(postgres, PostgresTurnQueue(postgres), partial(_let_pass, postgres)),
        }


async def _let_pass(log: PostgresEventLog, time: timedelta) -> None:
    """Move what is to come: this queue goes by the clock of its database."""
    async with log.database.connection() as connection:
        await connection.execute(_TIME_PASSED, time)


_TIME_PASSED = """
UPDATE turns SET lease_until = lease_until - $1::interval, not_before = not_before - $1::interval
WHERE status IN ('queued', 'running')"""


@pytest.mark.parametrize("batch", range(BATCHES))
async def test_a_program_comes_to_the_same_in_every_mode(batch: int, stores: Stores) -> None:
    """F-90: value or error, effects done and undone, usage, cost, breakers, what a person sees, the conversation."""
    size = max(PROGRAMS // BATCHES, 1)
    for seed in range(FIRST + batch * size, FIRST + (batch + 1) * size):
        await check_program(random_program(seed), modes_of(seed), stores, seed)
