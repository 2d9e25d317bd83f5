"""Two things at once: what each of them does alone must still be true when they meet."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from batuta.eventstore import postgres_projections, sqlite_database, statements
from batuta.eventstore.audit import verify_session
from batuta.eventstore.redis import RedisEventLog
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel.errors import FencedError, StoreUnavailableError
from batuta.kernel.ids import SessionId, new_id
from batuta.kernel.tasks import cancelled
from batuta.testing.eventlog import everything, noted, said, words
from batuta.testing.turns.subject import leased, turn
from tests.contract.eventstore.test_projections import a_turn
from tests.support.servers import PostgresServer, RedisServer
from tests.support.stores import Store, postgres_opener, redis_opener

MARKS_OF = "SELECT 1 FROM dirty_sessions WHERE session_id = $1 FOR UPDATE"
HEAD_OF = "SELECT 1 FROM log_heads WHERE session_id = $1 FOR UPDATE"
TURN_OF = "SELECT 1 FROM turns WHERE session_id = $1 FOR UPDATE"
STOP_OF = "UPDATE turns SET is_cancelled = true WHERE session_id = $1 RETURNING 1"


@asynccontextmanager
async def held(url: str, query: str, session: str) -> AsyncIterator[None]:
    """Somebody else's transaction holds rows of a session within the block."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.fetch(query, session)
            yield
    finally:
        await connection.close()


@pytest.fixture
async def postgres(log_url: str) -> AsyncIterator[Store]:
    async with postgres_opener(log_url)() as store:
        yield store


async def waiting_for_a_lock(url: str, count: int) -> None:
    """Until so many statements wait for a lock."""
    connection = await asyncpg.connect(url)
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    try:
        async with asyncio.timeout(60):
            while await connection.fetchval(query) < count:
                await asyncio.sleep(0.02)
    finally:
        await connection.close()


async def test_is13_nothing_erased_comes_back_with_a_projector_that_was_at_it(postgres: Store, log_url: str) -> None:
    """IS-13: it has read the texts, and commits while the erasure is under way."""
    session = new_id()
    await postgres.audit.assign(SessionId(session), "ana")
    await postgres.log.append(session, a_turn(session))
    async with held(log_url, MARKS_OF, session):
        projecting = asyncio.create_task(postgres.projector.catch_up())
        await waiting_for_a_lock(log_url, 1)
        erasing = asyncio.create_task(postgres.audit.erase("ana"))
        await waiting_for_a_lock(log_url, 2)
    await asyncio.gather(projecting, erasing)
    await postgres.projector.catch_up()
    for table in ("messages", "tool_executions", "approvals", "sessions", "traces"):
        assert await postgres.projections.rows(table, SessionId(session)) == []


@pytest.mark.parametrize("is_new", [True, False])
async def test_a_rebuild_beside_a_projector_counts_nothing_twice(postgres: Store, log_url: str, is_new: bool) -> None:
    session = new_id()
    if not is_new:
        await postgres.log.append(session, [noted("before")])
        await postgres.projector.catch_up()
    await postgres.log.append(session, a_turn(session))
    async with held(log_url, MARKS_OF, session):
        projecting = asyncio.create_task(postgres.projector.catch_up())
        await waiting_for_a_lock(log_url, 1)
        rebuilding = asyncio.create_task(postgres.projector.rebuild())
        await waiting_for_a_lock(log_url, 2)
    await asyncio.gather(projecting, rebuilding)
    beside = {table: await postgres.projections.rows(table) for table in ("sessions", "usage", "messages")}
    await postgres.projector.rebuild()
    assert beside == {table: await postgres.projections.rows(table) for table in beside}


async def test_work_is_accepted_beside_an_erasure_without_a_deadlock(postgres: Store, log_url: str) -> None:
    session = new_id()
    await postgres.queue.accept(turn(session, user_id="ana"))
    async with held(log_url, HEAD_OF, session):
        accepting = asyncio.create_task(postgres.queue.accept(turn(session, user_id="ana"), [said("hello")]))
        await waiting_for_a_lock(log_url, 1)
        erasing = asyncio.create_task(postgres.audit.erase("ana"))
        await waiting_for_a_lock(log_url, 2)
    await asyncio.gather(accepting, erasing)


async def test_a_turn_that_is_stopped_while_it_pauses_does_not_wait(postgres: Store, log_url: str) -> None:
    """A rule that saw the row before it changed does not count."""
    session = new_id()
    await postgres.queue.accept(turn(session))
    lease = await leased(postgres.queue)
    async with held(log_url, STOP_OF, session):
        pausing = asyncio.create_task(postgres.queue.pause(lease, waiting_for="an answer"))
        await waiting_for_a_lock(log_url, 1)
    assert not await pausing
    work = await postgres.queue.get(lease.work.turn_id)
    assert work is not None
    assert (work.status, work.is_cancelled) == ("running", True)


async def test_a_worker_does_not_wait_for_a_turn_that_another_is_taking(postgres: Store, log_url: str) -> None:
    first, second = new_id(), new_id()
    for session in (first, second):
        await postgres.queue.accept(turn(session), [said("hello")])
    async with held(log_url, TURN_OF, first), asyncio.timeout(60):
        lease = await postgres.queue.lease("ana")
    assert lease is not None
    assert lease.work.session_id == second


async def test_workers_that_look_at_the_same_time_take_each_turn_once(postgres: Store, log_url: str) -> None:
    sessions = [new_id() for _ in range(12)]
    for session in sessions:
        await postgres.queue.accept(turn(session), [said("hello")])
    async with postgres_opener(log_url)() as another:
        looks = [store.queue.lease(f"worker-{n}") for n in range(8) for store in (postgres, another)]
        leases = [lease for lease in await asyncio.gather(*looks) if lease is not None]
    assert sorted(str(lease.work.session_id) for lease in leases) == sorted(sessions)


async def test_a_message_that_is_sent_twice_at_once_is_one_turn(postgres: Store, log_url: str) -> None:
    work, message = turn(new_id(), user_id="ana"), said("hello")
    async with postgres_opener(log_url)() as another:
        stores = (postgres, another)
        sent = [store.queue.accept(work, [message], client_key="m1") for _ in range(4) for store in stores]
        answers = await asyncio.gather(*sent)
    assert len({(answer.work.turn_id, answer.appended) for answer in answers}) == 1
    assert await words(postgres.log, str(work.session_id)) == ["hello"]


async def test_a_session_that_is_held_delays_no_other_for_long(postgres: Store, log_url: str) -> None:
    """Appends share commits: one that has to wait for a foreign lock must not take the others with it."""
    mine, others = new_id(), [new_id() for _ in range(5)]
    await postgres.log.append(mine, [said("first")])
    async with held(log_url, HEAD_OF, mine):
        stuck = asyncio.create_task(postgres.log.append(mine, [said("second")]))
        await waiting_for_a_lock(log_url, 1)
        async with asyncio.timeout(60):
            await asyncio.gather(
                *(postgres.log.append(other, [said("hello")]) for other in (mine, *others)), return_exceptions=True
            )
        for other in others:
            assert await words(postgres.log, other) == ["hello"]
    await asyncio.gather(stuck, return_exceptions=True)


async def test_what_a_cancelled_caller_left_in_line_stays_before_what_comes_later(
    postgres: Store, log_url: str
) -> None:
    """A turn that is stopped while it records something must not find that behind its end."""
    blocked, session = sorted(new_id() for _ in range(2))
    await postgres.log.append(blocked, [said("first")])
    await postgres.log.append(session, [said("first")])
    async with held(log_url, HEAD_OF, blocked):
        begun = asyncio.create_task(postgres.log.append(blocked, [said("elsewhere")]))
        left = asyncio.create_task(postgres.log.append(session, [said("left")]))
        await waiting_for_a_lock(log_url, 1)
        left.cancel()
        end = asyncio.create_task(postgres.log.append(session, [said("the end")]))
        await asyncio.sleep(0.3)
    await asyncio.gather(begun, end)
    assert await words(postgres.log, session) == ["first", "left", "the end"]


async def test_a_locked_file_holds_many_writers_no_longer_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_database, "BUSY_SECONDS", 0.5)
    path = tmp_path / "log.db"
    async with SqliteEventLog(path) as log:
        await log.append(new_id(), [said("x")])
        with closing(sqlite3.connect(path, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            async with asyncio.timeout(60):
                answers = await asyncio.gather(
                    *(log.append(new_id(), [said("x")]) for _ in range(100)), return_exceptions=True
                )
    assert {type(answer) for answer in answers} == {StoreUnavailableError}


async def test_readers_of_many_sessions_after_a_restart_share_few_connections(
    private_redis: RedisServer, postgres_server: PostgresServer, log_url: str
) -> None:
    async with redis_opener(private_redis.url(), log_url)() as store:
        sessions = [new_id() for _ in range(60)]
        for session in sessions:
            await store.log.append(session, [said("x")])
        private_redis.restart()
        await asyncio.gather(*(store.log.head(session) for session in sessions))
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        assert int(postgres_server.execute(query, log_url.rsplit("/", 1)[1])) < 20


async def test_an_event_id_that_redis_forgot_stops_its_session_alone(redis_url: str, log_url: str) -> None:
    async with redis_opener(redis_url, log_url)() as store:
        assert store.shipper is not None
        assert isinstance(store.log, RedisEventLog)
        event = said("x")
        await store.log.append(new_id(), [event])
        await store.shipper.ship_all()
        await store.log.connection.client.delete(store.log.keys.ids)
        await store.log.append(twice := new_id(), [event])
        await store.log.append(other := new_id(), [said("y")])
        await store.shipper.ship_all()
        assert (await store.log.database.head(other)).last_seq == 1
        assert twice in {alarm.session_id for alarm in store.alarms}


async def test_read_models_that_cannot_follow_are_an_error_not_a_wait(redis_url: str, log_url: str) -> None:
    async with redis_opener(redis_url, log_url)() as store:
        assert isinstance(store.log, RedisEventLog)
        session = new_id()
        await store.log.append(session, [said("x")])
        await store.log.connection.client.xadd(store.log.keys.log(SessionId(session)), {"a": "b"}, id="2-0")
        async with asyncio.timeout(60):
            with pytest.raises(StoreUnavailableError):
                await store.projector.ensure(session, 2)
        assert await words(store.log, session) == ["x"]


async def test_read_models_follow_while_redis_is_written_to_without_a_pause(redis_url: str, log_url: str) -> None:
    async with redis_opener(redis_url, log_url)() as store:

        async def write() -> None:
            session = new_id()
            while True:
                await store.log.append(session, [noted("x")])

        tasks = [asyncio.create_task(write()) for _ in range(20)]
        tasks.append(asyncio.create_task(store.projector.run()))
        try:
            async with asyncio.timeout(30):
                while len(await store.projections.rows("sessions")) < 20:
                    await asyncio.sleep(0.1)
        finally:
            await cancelled(tasks)


@pytest.mark.parametrize("turns", range(6))
async def test_a_projector_that_is_cancelled_while_it_writes_ends(
    postgres: Store, monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    """The driver forgets a cancellation that comes while the server still reads, or waits long for half an answer."""
    await postgres.log.append(new_id(), [said("long " * 20_000) for _ in range(40)])
    writing = asyncio.Event()

    def upsert(*shape: Any) -> str:
        writing.set()
        return statements.upsert(*shape)

    monkeypatch.setattr(postgres_projections, "upsert", upsert)
    task = asyncio.create_task(postgres.projector.run())
    async with asyncio.timeout(60):
        await writing.wait()
        for _ in range(turns):
            await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await cancelled([task])
    assert task.cancelled()


async def test_a_token_that_overtakes_a_lease_does_not_make_it_worthless(
    redis_url: str, log_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes after the lease looked at Redis and before it is written down."""
    async with redis_opener(redis_url, log_url)() as store:
        log, session = store.log, new_id()
        assert isinstance(log, RedisEventLog)
        await store.queue.accept(turn(session))
        look = log.fence_in_redis

        async def overtaken(session_id: str) -> int:
            seen = await look(session_id)
            monkeypatch.undo()
            await log.append(session_id, [noted("by hand")], fence=seen + 5)
            return seen

        monkeypatch.setattr(log, "fence_in_redis", overtaken)
        lease = await leased(store.queue)
        assert lease.work.attempts == 1
        await log.append(session, [noted("mine")], fence=lease.fence)


async def test_is13_what_an_owner_appends_to_redis_during_an_erasure_is_erased_too(
    redis_url: str, log_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IS-13: after all was shipped and before the owner is shut out. What comes later is kept and shipped as ever."""
    async with redis_opener(redis_url, log_url)() as store:
        assert store.shipper is not None
        session = SessionId(new_id())
        await store.audit.assign(session, "ana")
        await store.log.append(session, [noted("before")], fence=7)
        ship_all = store.shipper.ship_all

        async def just_in_time() -> None:
            await ship_all()
            await store.log.append(session, [noted("late")], fence=7)

        with monkeypatch.context() as patch:
            patch.setattr(store.shipper, "ship_all", just_in_time)
            assert (await store.audit.erase("ana")).events == 2
        with pytest.raises(FencedError):
            await store.log.append(session, [noted("too late")], fence=7)
        await store.log.append(session, [said("a new beginning")])
        await store.settle()
        events = [record.event for record in await everything(store.log, session)]
        assert events[:2] == [None, None]
        assert await words(store.log, session) == ["a new beginning"]
        assert (await verify_session(store.audit, session)).is_sound
        assert store.alarms == []
