"""The log in memory keeps the contract."""

import pytest

from batuta.events.log import Alarm, EventLog
from batuta.eventstore.memory import MemoryEventLog
from batuta.testing.eventlog import EventLogContract, Subject


class TestMemoryEventLog(EventLogContract):
    @pytest.fixture
    async def subject(self) -> Subject:
        alarms: list[Alarm] = []
        log = MemoryEventLog(on_alarm=alarms.append)

        async def another() -> EventLog:
            return MemoryEventLog(log.store)

        async def damage(session: str, seq: int, payload: str) -> None:
            rows = next(rows for owner, rows in log.store.sessions.items() if owner == session)
            rows.rows[seq - 1].payload = payload

        return Subject(log=log, another=another, damage=damage, alarms=alarms)
