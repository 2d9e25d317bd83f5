"""The log in PostgreSQL keeps the contract."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from batuta.events.log import Alarm, EventLog
from batuta.eventstore.postgres import PostgresEventLog
from batuta.testing.eventlog import EventLogContract, Subject


async def overwrite(url: str, session: str, seq: int, payload: str) -> None:
    """What a damaged disk or a foreign program might do, past the triggers that forbid it."""
    connection = await asyncpg.connect(url)
    await connection.execute("SET session_replication_role = replica")
    await connection.execute(
        "UPDATE message_events SET payload = $3 WHERE session_id = $1 AND seq = $2", session, seq, payload
    )
    await connection.close()


class TestPostgresEventLog(EventLogContract):
    @pytest.fixture
    async def subject(self, log_url: str) -> AsyncIterator[Subject]:
        alarms: list[Alarm] = []
        others: list[PostgresEventLog] = []

        async def another() -> EventLog:
            others.append(PostgresEventLog(log_url))
            return others[-1]

        async def damage(session: str, seq: int, payload: str) -> None:
            await overwrite(log_url, session, seq, payload)

        async with PostgresEventLog(log_url, on_alarm=alarms.append) as log:
            yield Subject(log=log, another=another, damage=damage, alarms=alarms)
        for other in others:
            await other.close()
