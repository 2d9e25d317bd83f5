"""The stores when the world is bad: lost answers, dead servers, weak settings, tampering."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from batuta.events.log import Alarm
from batuta.events.queue import NewWork, WorkStatus
from batuta.eventstore.migrations import migrate
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_database import PostgresPool
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.redis import RedisEventLog
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel import failpoints
from batuta.kernel.errors import ConfigurationError, StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import everything, noted, said, words
from tests.support.faultproxy import fault_proxy
from tests.support.servers import PostgresServer, RedisServer
from tests.support.stores import Store
from tests.support.triggers import containing


async def test_ft01_an_append_postgres_did_without_an_answer_is_stored_once(
    postgres_server: PostgresServer, log_url: str
) -> None:
    """FT-01: the server commits, the connection is cut before its answer arrives."""
    async with fault_proxy(postgres_server.port) as proxy, PostgresEventLog(proxy.through(log_url)) as log:
        session = new_id()
        await log.append(session, [said("first")])
        batch = [said("lost answer")]
        proxy.drop_response(containing(batch[0].event_id.encode()))
        with pytest.raises(StoreUnavailableError):
            await log.append(session, batch)
        assert (await log.append(session, batch)).first_seq == 2
        assert await words(log, session) == ["first", "lost answer"]


async def test_work_postgres_accepted_without_an_answer_is_queued_once(
    postgres_server: PostgresServer, log_url: str
) -> None:
    async with fault_proxy(postgres_server.port) as proxy, PostgresEventLog(proxy.through(log_url)) as log:
        queue, work = PostgresTurnQueue(log), NewWork(session_id=new_id())
        await queue.depth()
        proxy.drop_response(containing(work.turn_id.encode()))
        message = said("hello")
        for _ in range(2):
            try:
                await queue.accept(work, [message], client_key="m1")
            except StoreUnavailableError:
                continue
        await queue.accept(work, [message], client_key="m1")
        assert await queue.depth() == {WorkStatus.QUEUED: 1}
        assert await words(log, str(work.session_id)) == ["hello"]


async def test_ft01_an_append_redis_did_without_an_answer_is_stored_once(
    redis_server: RedisServer, redis_url: str, log_url: str
) -> None:
    """FT-01: whether the client sends it again by itself or we do."""
    async with (
        fault_proxy(redis_server.port) as proxy,
        RedisEventLog(proxy.through(redis_url), PostgresEventLog(log_url)) as log,
    ):
        session = new_id()
        await log.append(session, [said("first")])
        batch = [said("lost answer")]
        proxy.drop_response(containing(batch[0].event_id.encode()), times=3)
        for _ in range(3):
            try:
                await log.append(session, batch)
            except StoreUnavailableError:
                continue
        assert (await log.append(session, batch)).first_seq == 2
        assert await words(log, session) == ["first", "lost answer"]


async def test_ft03_a_server_that_never_answers_does_not_hold_anybody_for_ever(
    postgres_server: PostgresServer, log_url: str
) -> None:
    """FT-03."""
    async with fault_proxy(postgres_server.port) as proxy:
        database = PostgresPool(proxy.through(log_url), command_seconds=0.5)
        async with PostgresEventLog(database) as log:
            session, batch = new_id(), [said("a")]
            await log.append(session, [said("before")])
            proxy.half_open()
            async with asyncio.timeout(60):
                with pytest.raises(StoreUnavailableError):
                    await log.append(session, batch)
            proxy.cut()
            await proxy.heal()
            assert (await log.append(session, batch)).first_seq == 2


async def test_cr08_a_killed_postgres_is_used_again_when_it_is_back(private_postgres: PostgresServer) -> None:
    """CR-08."""
    url = private_postgres.url(private_postgres.create_database())
    await migrate(url)
    async with PostgresEventLog(url) as log:
        session, batch = new_id(), [said("b")]
        await log.append(session, [said("a")])
        private_postgres.kill()
        with pytest.raises(StoreUnavailableError):
            await log.append(session, batch)
        private_postgres.start()
        assert (await log.append(session, batch)).first_seq == 2
        assert await words(log, session) == ["a", "b"]


@pytest.mark.parametrize("setting", ["fsync", "synchronous_commit", "full_page_writes"])
async def test_a_postgres_that_may_lose_what_it_acknowledged_is_refused(setting: str) -> None:
    """S-10."""
    server = PostgresServer({setting: "off"})
    try:
        server.start()
        url = server.url(server.create_database())
        await migrate(url)
        log = PostgresEventLog(url)
        with pytest.raises(ConfigurationError, match=setting):
            await log.__aenter__()
        await log.close()
    finally:
        server.discard()


async def test_a_database_without_the_schema_says_what_to_do(postgres_url: str) -> None:
    log = PostgresEventLog(postgres_url)
    with pytest.raises(ConfigurationError, match="migrate"):
        await log.append(new_id(), [said("a")])
    await log.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE message_events SET payload = '{}'",
        "UPDATE message_events SET payload = NULL, salt = NULL",
        "UPDATE message_events SET seq = seq + 1",
        "DELETE FROM message_events",
        "TRUNCATE message_events",
    ],
)
async def test_postgres_itself_refuses_to_change_the_log(log_url: str, statement: str) -> None:
    """S-21: contents go only with the erasure of their owner."""
    async with PostgresEventLog(log_url) as log:
        await log.append(new_id(), [said("a")])
        async with log.database.connection() as connection:
            with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="append-only"):
                await connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE message_events SET payload = '{}'",
        "UPDATE message_events SET payload = NULL, salt = NULL",
        "UPDATE message_events SET seq = seq + 1",
        "DELETE FROM message_events",
    ],
)
async def test_sqlite_itself_refuses_to_change_the_log(tmp_path: Path, statement: str) -> None:
    async with SqliteEventLog(tmp_path / "team.db") as log:
        await log.append(new_id(), [said("a")])
        with pytest.raises(StoreUnavailableError, match="append-only"):
            await log.database.write(lambda connection: connection.execute(statement))


async def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "team.db"
    path.write_bytes(b"something else entirely, and long enough to be looked at" * 100)
    log = SqliteEventLog(path)
    with pytest.raises(StoreUnavailableError, match="not a database"):
        await log.append(new_id(), [said("a")])
    await log.close()
    assert path.read_bytes().startswith(b"something else")


async def test_a_file_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "team.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version=99")
    log = SqliteEventLog(path)
    with pytest.raises(ConfigurationError, match="99"):
        await log.append(new_id(), [said("a")])
    await log.close()


@pytest.mark.parametrize("path", ["", ":memory:"])
def test_a_log_without_a_file_is_refused(path: str) -> None:
    with pytest.raises(ConfigurationError, match="MemoryEventLog"):
        SqliteEventLog(path)


async def test_a_closed_log_takes_nothing_more(store: Store) -> None:
    await store.log.append(new_id(), [said("a")])
    await store.log.close()
    if type(store.log).__name__ != "MemoryEventLog":
        with pytest.raises(StoreUnavailableError):
            await store.log.append(new_id(), [said("b")])


async def test_an_operation_that_fails_in_a_shared_commit_harms_no_other(tmp_path: Path) -> None:
    """One of the callers breaks the transaction after it wrote; the others' events are stored all the same."""
    async with SqliteEventLog(tmp_path / "team.db") as log:
        session = new_id()

        def broken(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO consumers VALUES ('half done')")
            raise ValueError("after it wrote")

        answers = await asyncio.gather(
            log.append(session, [said("a")]),
            log.database.write(broken),
            log.append(session, [said("b")]),
            return_exceptions=True,
        )
        assert isinstance(answers[1], ValueError)
        assert await words(log, session) == ["a", "b"]
        rows = await log.database.read(lambda connection: connection.execute("SELECT name FROM consumers").fetchall())
        assert rows == [("read_models",)]


async def test_a_commit_that_fails_once_is_repeated_for_each(tmp_path: Path) -> None:
    async with SqliteEventLog(tmp_path / "team.db") as log:
        session = new_id()
        with failpoints.active({"log.append.before_commit": "raise@1"}):
            await asyncio.gather(*(log.append(session, [noted(str(number))]) for number in range(5)))
        assert len(await everything(log, session)) == 5


async def test_a_foreign_row_in_the_way_is_an_alarm(log_url: str) -> None:
    """S-4: somebody wrote past the function; the position is taken by another event."""
    alarms: list[Alarm] = []
    async with PostgresEventLog(log_url, on_alarm=alarms.append) as log:
        session = new_id()
        await log.append(session, [said("a")])
        async with log.database.connection() as connection:
            await connection.execute(
                "INSERT INTO message_events SELECT session_id, 2, epoch, $1, type, occurred_at, payload, salt, digest,"
                " link FROM message_events",
                new_id(),
            )
        with pytest.raises(Exception, match="something else"):
            await log.append(session, [said("b")])
        assert [alarm.kind for alarm in alarms] == ["conflicting_event"]
        other = new_id()
        assert (await log.append(other, [said("fine")])).first_seq == 1


async def test_a_foreign_row_in_a_file_is_an_alarm(tmp_path: Path) -> None:
    """S-4: and no invitation to try again for ever."""
    alarms: list[Alarm] = []
    async with SqliteEventLog(tmp_path / "team.db", on_alarm=alarms.append) as log:
        session, other = new_id(), new_id()
        await log.append(session, [said("a")])
        with closing(sqlite3.connect(tmp_path / "team.db")) as foreign, foreign:
            foreign.execute(
                "INSERT INTO message_events SELECT session_id, 2, epoch, ?, type, occurred_at, payload, salt, digest,"
                " link FROM message_events",
                (new_id(),),
            )
        foreign.close()
        answers = await asyncio.gather(
            *(log.append(target, [said("b")]) for target in (other, session, other)), return_exceptions=True
        )
        assert [type(answer).__name__ for answer in answers] == ["Appended", "SequenceConflictError", "Appended"]
        assert [(alarm.kind, alarm.session_id) for alarm in alarms] == [("conflicting_event", session)]
        assert await words(log, other) == ["b", "b"]


async def test_two_processes_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    logs = [SqliteEventLog(tmp_path / "team.db") for _ in range(4)]
    session = new_id()
    await asyncio.gather(*(log.append(session, [said("a")]) for log in logs))
    assert len(await everything(logs[0], session)) == 4
    for log in logs:
        await log.close()


async def test_waiting_writers_are_bounded(tmp_path: Path) -> None:
    """T-21, I14: who comes when the line is full waits outside, and everybody is served in the end."""
    async with SqliteEventLog(tmp_path / "team.db") as log:
        log.database._group._room = asyncio.Semaphore(3)
        session = new_id()
        tasks = [asyncio.ensure_future(log.append(session, [noted(str(number))])) for number in range(40)]
        longest = 0
        while not all(task.done() for task in tasks):
            longest = max(longest, len(log.database._group._waiting))
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        assert 0 < longest <= 3
        assert len(await everything(log, session)) == 40
