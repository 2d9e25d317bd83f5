"""The queue under test, and the words in which the suite speaks about it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from batuta.events.log import EventLog
from batuta.events.queue import Lease, NewWork, TurnQueue
from batuta.kernel.ids import new_id

EXPIRED = timedelta(seconds=-1)
"""The length of a lease that has run out before it is looked at."""
NO_DELAY = timedelta()
AN_HOUR = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class QueueSubject:
    """The queue under test, the log of the same store, and what the suite does to them from outside."""

    queue: TurnQueue
    log: EventLog
    another: Callable[[], Awaitable[TurnQueue]]
    """One more queue on the same store, as another process would open it."""
    project: Callable[[], Awaitable[None]]
    """Bring the read models up to date."""


async def leased(queue: TurnQueue, owner: str = "worker", **options: Any) -> Lease:
    """A lease on work that must be there."""
    lease = await queue.lease(owner, **options)
    assert lease is not None, "there is nothing to do"
    return lease


def turn(session: str | None = None, **fields: Any) -> NewWork:
    """A turn of a session, of a new one if none is given."""
    return NewWork(session_id=session or new_id(), **fields)
