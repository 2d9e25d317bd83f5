"""The log under test, and the words in which the suite speaks about it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from batuta.events.conversation import UserMessage
from batuta.events.log import Alarm, EventLog, Record
from batuta.events.runtime import EffectRecorded


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The log under test, and what the suite does to it from outside."""

    log: EventLog
    another: Callable[[], Awaitable[EventLog]]
    """Open one more log on the same store, as another process would. The fixture closes it."""
    damage: Callable[[str, int, str], Awaitable[None]]
    """Put this text in place of what the store holds at a position of a session."""
    alarms: list[Alarm] = field(default_factory=list)
    """What the log under test reported."""
    event_bytes: int = 1_048_576
    """The size limit it was configured with."""


def said(text: str, **envelope: Any) -> UserMessage:
    """A person's message."""
    return UserMessage(content=text, **envelope)


def noted(key: str, result: Any = None, **envelope: Any) -> EffectRecorded:
    """Something an owner of a turn writes down."""
    return EffectRecorded(key=key, kind="read", name="note", result=result, **envelope)


async def everything(log: EventLog, session: str, limit: int = 500) -> list[Record]:
    """All records of a session, page by page."""
    records: list[Record] = []
    while True:
        page = await log.read(session, after=records[-1].seq if records else 0, limit=limit)
        records += page.records
        if page.is_last:
            return records


async def words(log: EventLog, session: str) -> list[str]:
    """What the people of a session said, in order."""
    return [record.event.content for record in await everything(log, session) if isinstance(record.event, UserMessage)]


def is_dense(records: Sequence[Record]) -> bool:
    """Whether positions are 1, 2, 3 … without holes."""
    return [record.seq for record in records] == list(range(1, len(records) + 1))
