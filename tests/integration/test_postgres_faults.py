"""PostgreSQL with few connections, cancelled calls, transactions that commit out of order, and a failover."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import asyncpg
import pytest

from batuta.events.admission import admit
from batuta.events.queue import WorkStatus
from batuta.eventstore.migrations import migrate
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_append import append_one
from batuta.eventstore.postgres_database import SETTINGS, PostgresPool
from batuta.eventstore.postgres_projections import PostgresProjections
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.projectors import Projector
from batuta.kernel.errors import FencedError, StaleEpochError, StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.server.live.notifications import LocalNotificationBus, announcing_growth
from batuta.testing.eventlog import everything, noted, said, words
from tests.support.servers import PostgresServer
from tests.support.turns import say

Figure = Callable[[str, object], None]


@pytest.fixture
def narrow_postgres() -> Iterator[PostgresServer]:
    """PostgreSQL with twenty connections."""
    server = PostgresServer({"max_connections": "20", "superuser_reserved_connections": "3"})
    server.start()
    yield server
    server.discard()


async def test_ft20_writers_wait_their_turn_when_connections_are_few(
    narrow_postgres: PostgresServer, record_property: Figure
) -> None:
    """FT-20: three processes would like 36 connections of 20; refusals can be tried again, nothing is lost or stuck."""
    url = narrow_postgres.url(narrow_postgres.create_database())
    await migrate(url)
    logs = [PostgresEventLog(url) for _ in range(3)]
    sessions, refused = [new_id() for _ in range(48)], 0

    async def write(number: int) -> None:
        nonlocal refused
        log, session = logs[number % 3], sessions[number]
        for piece in range(10):
            batch = [noted(str(piece))]
            while True:
                try:
                    await log.append(session, batch)
                    await log.head(session)
                    break
                except StoreUnavailableError:
                    refused += 1
                    await asyncio.sleep(0.05)

    async with asyncio.timeout(120):
        await asyncio.gather(*(write(number) for number in range(48)))
    for log, session in zip(logs * 16, sessions, strict=True):
        assert [record.seq for record in await everything(log, session)] == list(range(1, 11))
    for log in logs:
        await log.close()
    record_property("figure", f"480 events, 0 lost, {refused} refused for a moment")


async def test_or09_transactions_that_commit_out_of_order_are_all_projected(log_url: str) -> None:
    """OR-09: thirty writers begin together and commit whenever; the projector, running all the while, skips none."""
    rng, sessions = Random(9), [new_id() for _ in range(30)]
    async with PostgresEventLog(log_url) as log:
        projections = PostgresProjections(log)
        projector = Projector(projections)
        projecting = asyncio.create_task(projector.run())

        async def write(session: str, pause: float) -> None:
            connection = await asyncpg.connect(log_url, server_settings=SETTINGS)
            try:
                async with connection.transaction():
                    await append_one(connection, admit(session, [said(session)]))
                    await asyncio.sleep(pause)
            finally:
                await connection.close()

        await asyncio.gather(*(write(session, rng.uniform(0, 1.5)) for session in sessions))
        async with asyncio.timeout(30):
            while len(await projections.rows("messages")) < len(sessions):
                await asyncio.sleep(0.05)
        projecting.cancel()
        await asyncio.gather(projecting, return_exceptions=True)
        found = [row["session_id"] for row in await projections.rows("messages")]
    assert sorted(found) == sorted(sessions)


async def test_a_projector_that_looks_by_time_leaves_a_session_to_the_one_that_is_at_it(log_url: str) -> None:
    """Also if that session is the only one that is due: every process looks, and one of them does the work."""
    session = new_id()
    async with PostgresEventLog(log_url) as log:
        projector = Projector(PostgresProjections(log))
        await log.append(session, [said("one")])
        assert await projector.run_once() == 1
        await log.append(session, [said("two")])
        at_it = await asyncpg.connect(log_url, server_settings=SETTINGS)
        try:
            async with at_it.transaction():
                moved = "UPDATE cursors SET failures = 0 WHERE session_id = $1"
                assert await at_it.execute(moved, session) == "UPDATE 1"
                assert await asyncio.wait_for(projector.run_once(), 30) == 0
        finally:
            await at_it.close()
        assert await projector.run_once() == 1


async def test_is03_a_cancelled_call_leaves_nothing_for_the_next_one(log_url: str, record_property: Figure) -> None:
    """IS-03: two people share two connections; a thousand calls, most of them cancelled at some point or other."""
    rng = Random(3)
    async with PostgresEventLog(PostgresPool(log_url, pool_size=2)) as log:
        owners = {new_id(): [f"{name} {number}" for number in range(3)] for name in ("ana", "ben")}
        for session, lines in owners.items():
            await log.append(session, [said(line) for line in lines])
        answered = 0

        async def read(session: str) -> None:
            nonlocal answered
            assert await words(log, session) == owners[session]
            answered += 1

        for _ in range(250):
            calls = [asyncio.create_task(read(rng.choice(list(owners)))) for _ in range(4)]
            await asyncio.sleep(rng.uniform(0, 0.004))
            for call in calls:
                if rng.random() < 0.7:
                    call.cancel()
            for result in await asyncio.gather(*calls, return_exceptions=True):
                assert result is None or isinstance(result, asyncio.CancelledError), result
        for session in owners:
            await read(session)
    record_property("figure", f"1,000 calls, {answered} answered, 0 with another's rows")


async def test_a_connection_that_was_refused_something_is_used_again_one_that_failed_is_not(log_url: str) -> None:
    async with PostgresEventLog(PostgresPool(log_url, pool_size=1)) as log:
        who = "SELECT pg_backend_pid()"

        async def end(*statements: str) -> int:
            """Run statements in a connection; the number of its process at the server."""
            async with log.database.connection() as connection:
                process: int = await connection.fetchval(who)
                for statement in statements:
                    await connection.execute(statement)
            return process

        first = await end()
        with pytest.raises(asyncpg.UndefinedTableError):
            await end("SELECT 1 FROM no_such_table")
        assert await end() == first
        with pytest.raises(asyncpg.UndefinedTableError):
            await end("BEGIN", "SELECT 1 FROM no_such_table")  # and the transaction is left open
        second = await end()
        assert second != first
        with pytest.raises(StoreUnavailableError):
            await end("SELECT pg_terminate_backend(pg_backend_pid())")
        assert await end() not in (first, second)


async def test_an_owner_finishes_its_turn_by_one_statement_and_another_by_none(log_url: str) -> None:
    statements: list[str] = []
    async with PostgresEventLog(PostgresPool(log_url, pool_size=1)) as log:
        queue = PostgresTurnQueue(log)
        turn = await say(queue, new_id(), "finish this")
        lease = await queue.lease("mine")
        assert lease is not None
        async with log.database.connection() as connection:
            connection.add_query_logger(lambda query: statements.append(query.query))
        await queue.finish(lease, "failed", error="no reason")
        await asyncio.sleep(0)  # the driver says it in the next turn of the loop
        assert len(statements) == 1
        await queue.finish(lease, "failed", error="no reason")  # as if the answer had been lost
        with pytest.raises(FencedError):
            await queue.finish(replace(lease, owner="another"), "completed")
        work = await queue.get(turn)
    assert work is not None
    assert (work.status, work.error) == (WorkStatus.FAILED, "no reason")


async def test_ld08_notifications_cost_an_append_no_statement(
    log_url: str, private_bus: LocalNotificationBus, record_property: Figure
) -> None:
    """LD-08: nothing is rung inside the transaction, so an append is the same statements with and without."""
    statements: list[str] = []
    async with PostgresEventLog(log_url) as log:
        await log.append(new_id(), [said("warm")])
        async with log.database.writer() as connection:
            connection.add_query_logger(lambda query: statements.append(query.query))
        await log.append(new_id(), [said("a")])
        alone = list(statements)
        with announcing_growth(log, private_bus):
            await log.append(new_id(), [said("a")])
    assert statements == [*alone, *alone]
    assert alone
    assert not any("NOTIFY" in statement.upper() for statement in statements)
    record_property("figure", f"{len(alone)} statements with and without")


@pytest.fixture
def private_bus() -> LocalNotificationBus:
    return LocalNotificationBus()


@pytest.mark.parametrize("kind", ["synchronous", "asynchronous"])
async def test_ft16_after_a_failover_nothing_acknowledged_is_missing_or_it_is_noticed(
    private_postgres: PostgresServer, kind: str, record_property: Figure
) -> None:
    """FT-16: the primary dies under writers and its standby is promoted."""
    url = private_postgres.url(private_postgres.create_database())
    await migrate(url)
    standby = PostgresServer(standby_of=private_postgres)
    try:
        standby.start()
        if kind == "synchronous":
            private_postgres.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            private_postgres.execute("SELECT pg_reload_conf()")
            while private_postgres.execute("SELECT sync_state FROM pg_stat_replication") != "sync":
                await asyncio.sleep(0.05)
        acknowledged = await _written_until_it_dies(private_postgres, standby, url, is_lagging=kind == "asynchronous")
        standby.execute("SELECT pg_promote()")
        missing = 0
        async with PostgresEventLog(standby.url(url.rpartition("/")[2])) as log:
            for session, (epoch, last) in acknowledged.items():
                head = await log.head(session)
                missing += max(0, last - head.last_seq)
                if head.last_seq < last:
                    with pytest.raises(StaleEpochError):
                        await log.read(session, after=last, epoch=epoch)
                assert (await log.append(session, [said("goes on")])).first_seq == head.last_seq + 1
    finally:
        standby.discard()
    assert missing == 0 if kind == "synchronous" else missing > 0
    count = sum(last for _, last in acknowledged.values())
    record_property("figure", f"{kind}: {count} acknowledged, {missing} missing")


async def _written_until_it_dies(
    primary: PostgresServer, standby: PostgresServer, url: str, *, is_lagging: bool
) -> dict[str, tuple[int, int]]:
    """What was acknowledged, by session, when the primary died."""
    acknowledged: dict[str, tuple[int, int]] = {}
    async with PostgresEventLog(url) as log:

        async def write(session: str) -> None:
            while True:
                try:
                    done = await log.append(session, [noted("x" * 500) for _ in range(20)])
                except StoreUnavailableError:
                    return
                acknowledged[session] = (done.epoch, done.first_seq + done.count - 1)

        writing = [asyncio.create_task(write(new_id())) for _ in range(6)]
        await asyncio.sleep(0.5)
        if is_lagging:  # what is written now is on the primary alone
            await asyncio.to_thread(standby.stop)
            behind = sum(last for _, last in acknowledged.values()) + 100
            async with asyncio.timeout(60):
                while sum(last for _, last in acknowledged.values()) < behind:
                    await asyncio.sleep(0.05)
        await asyncio.to_thread(primary.kill)
        await asyncio.gather(*writing)
    if is_lagging:
        standby.start()
    return acknowledged
