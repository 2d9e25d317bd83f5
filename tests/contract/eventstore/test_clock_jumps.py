"""FT-11: a clock that jumps back moves no event, steals no lease and makes nothing younger than it is."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from batuta.events.log import EventLog
from batuta.events.queue import NewWork, TurnQueue
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_projections import MemoryProjections
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_projections import PostgresProjections
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.projectors import ProjectionStore
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_projections import SqliteProjections
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.kernel.ids import new_id
from batuta.testing import FakeClock
from batuta.testing.eventlog import everything, said, words
from batuta.testing.turns import leased

AN_HOUR_BACK = -3600.0
LEASE = timedelta(seconds=30)


@dataclass(frozen=True, kw_only=True)
class Timed:
    """A store whose clock the test owns."""

    log: EventLog
    queue: TurnQueue
    projections: ProjectionStore
    clock: FakeClock


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def timed(request: pytest.FixtureRequest, tmp_path: Path, log_url: str) -> AsyncIterator[Timed]:
    clock = FakeClock()
    async with AsyncExitStack() as stack:
        if request.param == "memory":
            memory = MemoryEventLog(clock=clock)
            yield Timed(log=memory, queue=MemoryTurnQueue(memory), projections=MemoryProjections(memory), clock=clock)
        elif request.param == "sqlite":
            file = await stack.enter_async_context(SqliteEventLog(tmp_path / "team.db", clock=clock))
            yield Timed(log=file, queue=SqliteTurnQueue(file), projections=SqliteProjections(file), clock=clock)
        else:
            server = await stack.enter_async_context(PostgresEventLog(log_url, clock=clock))
            yield Timed(
                log=server, queue=PostgresTurnQueue(server), projections=PostgresProjections(server), clock=clock
            )


async def test_events_keep_their_order_when_the_clock_jumps_back(timed: Timed) -> None:
    session = new_id()
    for text in ("a", "b", "c"):
        await timed.log.append(session, [said(text, timestamp=timed.clock.now())])
        timed.clock.advance(AN_HOUR_BACK)
    assert await words(timed.log, session) == ["a", "b", "c"]
    assert [record.seq for record in await everything(timed.log, session)] == [1, 2, 3]


async def test_no_lease_is_stolen_when_the_clock_jumps_back(timed: Timed) -> None:
    """Its owner goes on, and nobody else gets the work."""
    await timed.queue.accept(NewWork(session_id=new_id()), [said("go")])
    lease = await leased(timed.queue, "first", length=LEASE)
    timed.clock.advance(AN_HOUR_BACK)
    assert (await timed.queue.recover()).requeued == ()
    assert await timed.queue.lease("second") is None
    assert await timed.queue.heartbeat(lease) is False
    await timed.queue.finish(lease, "completed")


async def test_work_accepted_after_the_jump_is_done(timed: Timed) -> None:
    """What was accepted before keeps its place; what is accepted now does not wait for the old time."""
    await timed.queue.accept(NewWork(session_id=new_id()))
    await timed.queue.finish(await leased(timed.queue), "completed")
    timed.clock.advance(AN_HOUR_BACK)
    accepted = await timed.queue.accept(NewWork(session_id=new_id()))
    assert (await leased(timed.queue)).work.turn_id == accepted.work.turn_id


async def test_read_models_are_never_behind_by_less_than_nothing(timed: Timed) -> None:
    await timed.log.append(new_id(), [said("a")])
    timed.clock.advance(AN_HOUR_BACK)
    assert await timed.projections.lag() >= timedelta()
