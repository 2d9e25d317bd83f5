"""The log in an SQLite file keeps the contract."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from batuta.events.log import Alarm, EventLog
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.testing.eventlog import EventLogContract, Subject


def overwrite(path: Path, session: str, seq: int, payload: str) -> None:
    """What a damaged disk or a foreign program might do, past the triggers that forbid it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        (guard,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'message_events_only_lose_content'"
        ).fetchone()
        connection.execute("DROP TRIGGER message_events_only_lose_content")
        connection.execute(
            "UPDATE message_events SET payload = ? WHERE session_id = ? AND seq = ?", (payload, session, seq)
        )
        connection.execute(guard)
    connection.close()


class TestSqliteEventLog(EventLogContract):
    @pytest.fixture
    async def subject(self, tmp_path: Path) -> AsyncIterator[Subject]:
        path = tmp_path / "team.db"
        alarms: list[Alarm] = []
        others: list[SqliteEventLog] = []

        async def another() -> EventLog:
            others.append(SqliteEventLog(path))
            return others[-1]

        async def damage(session: str, seq: int, payload: str) -> None:
            overwrite(path, session, seq, payload)

        async with SqliteEventLog(path, on_alarm=alarms.append) as log:
            yield Subject(log=log, another=another, damage=damage, alarms=alarms)
        for other in others:
            await other.close()
