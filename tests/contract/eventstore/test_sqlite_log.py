"""The log in an SQLite file keeps the contract."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from batuta.events.log import Alarm, EventLog
from batuta.eventstore import sqlite_database
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_audit import SqliteAudit
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import SessionId, new_id
from batuta.testing.eventlog import EventLogContract, Subject, said


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


async def test_is13_what_a_reader_keeps_from_being_erased_is_told_and_erased_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """IS-13: somebody who reads an older state of the file needs the write-ahead log, and what was deleted with it."""
    monkeypatch.setattr(sqlite_database, "BUSY_SECONDS", 0.1)
    path, mine, other = tmp_path / "team.db", new_id(), SessionId(new_id())
    async with SqliteEventLog(path) as log:
        audit = SqliteAudit(log)
        await audit.assign(SessionId(mine), "ana")
        await log.append(mine, [said("canary-one")])
        await log.append(other, [said("canary-two")])
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM message_events").fetchone()
            assert (await audit.erase_session(other)).sessions == (other,)
            assert "write-ahead log" in caplog.text
            with pytest.raises(StoreUnavailableError, match="try again"):
                await audit.erase("ana")
        assert (await audit.erase("ana")).sessions == ()
        assert b"canary" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


async def test_only_a_batch_that_is_refused_is_looked_for_among_what_is_stored(tmp_path: Path) -> None:
    """FT-01 without its price: hardly any batch comes again, and the index of the ids notices one that does."""
    async with SqliteEventLog(tmp_path / "team.db") as log:
        session, events = new_id(), [said("one"), said("two")]
        await log.append(session, [said("before")])
        asked: list[str] = []
        await log.database.write(lambda connection: connection.set_trace_callback(asked.append))
        first = await log.append(session, events)
        looks = [statement for statement in asked if "WHERE event_id IN" in statement]
        again = await log.append(session, events)
        assert (looks, again.first_seq, again.is_new) == ([], first.first_seq, False)
        assert any("WHERE event_id IN" in statement for statement in asked)
        assert (await log.head(session)).last_seq == 3
