"""The log in Redis streams, with PostgreSQL behind it, keeps the contract."""

from collections.abc import AsyncIterator

import pytest

from batuta.events.log import Alarm, EventLog
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.redis import RedisEventLog
from batuta.kernel.ids import SessionId
from batuta.testing.eventlog import EventLogContract, Subject
from tests.contract.eventstore.test_postgres_log import overwrite


class TestRedisEventLog(EventLogContract):
    @pytest.fixture
    async def subject(self, redis_url: str, log_url: str) -> AsyncIterator[Subject]:
        alarms: list[Alarm] = []
        others: list[RedisEventLog] = []

        async def another() -> EventLog:
            others.append(RedisEventLog(redis_url, PostgresEventLog(log_url)))
            return others[-1]

        async def damage(session: str, seq: int, payload: str) -> None:
            """Where it will be read from: in the database, after Redis let go of it."""
            await log.shipper.ship(SessionId(session))
            await log.connection.client.delete(log.keys.log(session))
            await overwrite(log_url, session, seq, payload)

        async with RedisEventLog(redis_url, PostgresEventLog(log_url), on_alarm=alarms.append) as log:
            yield Subject(log=log, another=another, damage=damage, alarms=alarms)
        for other in others:
            await other.close()
