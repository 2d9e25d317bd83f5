"""A few rows by their keys are read in the event loop's own thread; what has to wait, waits in another."""

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from batuta.eventstore.sqlite_database import SqliteFile
from batuta.server.database.engines import SqlitePlatformDatabase


def busy() -> sqlite3.OperationalError:
    """What SQLite answers while another process holds the file."""
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return error


class Asked:
    """A query that notes the threads it ran in, and is refused in the event loop's own as often as it is told to be."""

    def __init__(self, *refusals: Exception) -> None:
        self.threads: list[int] = []
        self._refusals = list(refusals)

    def __call__(self, connection: Any) -> int:
        self.threads.append(threading.get_ident())
        if self._refusals:
            raise self._refusals.pop()
        cursor = connection if isinstance(connection, sqlite3.Connection) else connection.connection.cursor()
        return int(cursor.execute("SELECT 7").fetchone()[0])


@pytest.fixture
async def platform(tmp_path: Path) -> Any:
    database = SqlitePlatformDatabase(tmp_path / "a.sqlite3")
    yield database
    await database.close()


@pytest.fixture
async def events(tmp_path: Path) -> Any:
    file = SqliteFile(tmp_path / "b.sqlite3")
    await file.open()
    yield file
    await file.close()


@pytest.mark.parametrize("name", ["platform", "events"])
async def test_rows_by_their_keys_need_no_other_thread(
    name: str, platform: SqlitePlatformDatabase, events: SqliteFile
) -> None:
    asked = Asked()
    assert await {"platform": platform, "events": events}[name].look_up(asked) == 7  # type: ignore[attr-defined]
    assert asked.threads == [threading.get_ident()]


async def test_what_is_locked_for_a_moment_is_waited_for_in_another_thread(
    platform: SqlitePlatformDatabase, events: SqliteFile
) -> None:
    for database, refusal in ((platform, sa.exc.OperationalError("", {}, busy())), (events, busy())):
        asked = Asked(refusal)
        assert await database.look_up(asked) == 7
        here, there = asked.threads
        assert here == threading.get_ident() != there


async def test_a_look_up_keeps_nothing_open_that_an_erasure_would_have_to_wait_for(events: SqliteFile) -> None:
    """What was deleted leaves the write-ahead log only if no reader is in the middle of something."""
    await events.write(lambda connection: connection.execute("CREATE TABLE t (a)").close())
    await asyncio.gather(*(events.look_up(lambda c: c.execute("SELECT * FROM t").fetchone()) for _ in range(3)))
    assert await events.empty_write_ahead_log()
