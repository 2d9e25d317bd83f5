"""The Redis log when Redis is killed, comes back with older data, forgets everything, or is set up too weakly."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from batuta.events.log import Alarm, Appended
from batuta.events.queue import NewWork
from batuta.eventstore.audit import verify_session
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_audit import PostgresAudit
from batuta.eventstore.redis import RedisEventLog
from batuta.eventstore.redis_connection import Call
from batuta.eventstore.redis_projections import RedisAudit
from batuta.eventstore.redis_turns import RedisTurnQueue
from batuta.kernel import failpoints
from batuta.kernel.errors import ConfigurationError, StaleEpochError, StoreUnavailableError
from batuta.kernel.ids import SessionId, new_id
from batuta.testing.eventlog import everything, noted, said, words
from tests.support.servers import RedisServer


@pytest.fixture
async def alarms() -> list[Alarm]:
    return []


@pytest.fixture
async def log(private_redis: RedisServer, log_url: str, alarms: list[Alarm]) -> AsyncIterator[RedisEventLog]:
    async with RedisEventLog(private_redis.url(), PostgresEventLog(log_url), on_alarm=alarms.append) as opened:
        yield opened


async def test_cr04_a_killed_redis_loses_nothing_and_begins_a_new_epoch(
    log: RedisEventLog, private_redis: RedisServer, alarms: list[Alarm]
) -> None:
    """CR-04, FP14: what was acknowledged and not yet shipped is there; nothing is alarming about it."""
    session = new_id()
    await log.append(session, [said("a"), said("b")])
    private_redis.kill()
    private_redis.start()
    again = await log.append(session, [said("c")])
    assert (again.epoch, again.first_seq) == (2, 3)
    assert await words(log, session) == ["a", "b", "c"]
    await log.shipper.ship(SessionId(session))
    assert [(record.epoch, record.seq) for record in await everything(log.database, session)] == [
        (1, 1),
        (1, 2),
        (2, 3),
    ]
    assert alarms == []


async def test_cr07_a_redis_that_went_back_reuses_no_number_and_raises_an_alarm(
    log: RedisEventLog, private_redis: RedisServer, alarms: list[Alarm]
) -> None:
    """CR-07: it comes back with older data than was shipped; nothing is dropped."""
    session = new_id()
    await log.append(session, [said("a")])
    private_redis.stop()
    older = private_redis.snapshot()
    private_redis.start()
    await log.append(session, [said("b"), said("c")])
    await log.shipper.ship(SessionId(session))
    private_redis.restart(older)
    again = await log.append(session, [said("d")])
    assert again.first_seq == 4
    assert await words(log, session) == ["a", "b", "c", "d"]
    assert [alarm.kind for alarm in alarms] == ["log_went_back"]
    await log.shipper.ship(SessionId(session))
    assert await words(log.database, session) == ["a", "b", "c", "d"]
    assert (await verify_session(PostgresAudit(log.database), session)).is_sound


async def test_numbers_that_only_redis_knew_and_lost_are_void(
    log: RedisEventLog, private_redis: RedisServer, alarms: list[Alarm]
) -> None:
    """A reader who saw them holds a position of a lost epoch and is told to start afresh."""
    session = new_id()
    await log.append(session, [said("a")])
    await log.shipper.ship(SessionId(session))
    lost = await log.append(session, [said("seen, then lost")])
    private_redis.flush()
    again = await log.append(session, [said("b")])
    assert again.first_seq == lost.first_seq
    assert again.epoch > lost.epoch
    with pytest.raises(StaleEpochError):
        await log.read(session, after=lost.first_seq, epoch=lost.epoch)
    assert [alarm.kind for alarm in alarms] == ["log_went_back"]


async def test_a_flushed_redis_costs_nothing_that_was_shipped(log: RedisEventLog, private_redis: RedisServer) -> None:
    """S-11."""
    session = new_id()
    await log.append(session, [said("a")], client_key="m1")
    await log.append(session, [noted("b")], fence=3)
    await log.raise_fence(session, 3)
    await log.shipper.ship_all()
    private_redis.flush()
    assert await words(log, session) == ["a"]
    assert (await log.append(session, [said("a")], client_key="m1")).first_seq == 1
    assert (await log.head(session)).fence == 3
    assert (await log.append(session, [noted("c")], fence=3)).first_seq == 3


async def test_ft01_an_event_sent_again_after_redis_forgot_it_is_stored_once(
    log: RedisEventLog, private_redis: RedisServer
) -> None:
    """FT-01: its answer got lost, then Redis lost its memory."""
    session, batch = new_id(), [said("a"), said("b")]
    first = await log.append(session, batch)
    await log.shipper.ship_all()
    private_redis.flush()
    assert await log.append(session, batch) == first
    assert await words(log, session) == ["a", "b"]


async def test_or07_events_beyond_what_redis_keeps_are_read_from_the_database(
    log: RedisEventLog, private_redis: RedisServer
) -> None:
    """OR-07, FP11: trimmed by what the database holds, never by length."""
    log.shipper._kept = 3
    session = new_id()
    await log.append(session, [said(str(number)) for number in range(10)])
    await log.shipper.ship(SessionId(session))
    assert await log.connection.client.xlen(log.keys.log(session)) == 3
    assert await words(log, session) == [str(number) for number in range(10)]
    page = await log.read(session, after=5, epoch=1)
    assert [record.seq for record in page.records] == [6, 7, 8, 9, 10][: len(page.records)]


async def test_a_session_at_rest_costs_redis_only_its_position_and_goes_on_as_if_it_had_not(
    log: RedisEventLog, private_redis: RedisServer, alarms: list[Alarm]
) -> None:
    """Or Redis would fill up with sessions that nobody comes back to."""
    session, batch = new_id(), [said("a"), said("b")]
    first = await log.append(session, batch, client_key="m1")
    assert await log.shipper.let_rest(0) == 0, "the database does not hold it yet"
    await log.shipper.ship_all()
    assert await log.shipper.let_rest(60) == 0, "it was used just now"
    assert await log.shipper.let_rest(0) == 1
    keys = {str(key).split(":")[1] for key in await log.connection.client.keys("*")}
    assert keys <= {"head", "shipping"}
    assert await words(log, session) == ["a", "b"]
    assert (await log.head(session)).last_seq == 2
    assert await log.append(session, batch, client_key="m1") == first
    assert await log.append(session, [said("c")]) == Appended(epoch=1, first_seq=3, count=1)
    await log.shipper.ship_all()
    assert await log.shipper.let_rest(0) == 1
    private_redis.restart()
    assert (await log.append(session, [said("d")])).epoch == 2
    assert await words(log, session) == ["a", "b", "c", "d"]
    assert alarms == []


async def test_nothing_is_trimmed_that_the_database_does_not_hold(log: RedisEventLog) -> None:
    log.shipper._kept = 0
    session = new_id()
    await log.append(session, [said("a")])
    await log.shipper.ship(SessionId(session))
    await log.append(session, [said("b")])
    assert await log.connection.client.xlen(log.keys.log(session)) == 1
    assert await words(log, session) == ["a", "b"]


async def test_shippers_share_the_work_without_doubling_it(log: RedisEventLog, redis_url: str, log_url: str) -> None:
    sessions = [new_id() for _ in range(5)]
    for session in sessions:
        await log.append(session, [said(str(number)) for number in range(20)])
    await asyncio.gather(*(log.shipper.ship_all() for _ in range(4)), *(log.shipper.ship(SessionId(sessions[0])),))
    for session in sessions:
        await log.shipper.ship(SessionId(session))
        assert await words(log.database, session) == [str(number) for number in range(20)]


async def test_a_foreign_entry_in_the_stream_is_an_alarm_not_a_loss(log: RedisEventLog, alarms: list[Alarm]) -> None:
    """The database holds another event at that position; what it holds stays."""
    session = new_id()
    await log.append(session, [said("ours")])
    await log.shipper.ship(SessionId(session))
    key = log.keys.log(session)
    await log.connection.client.delete(key)
    payload = said("foreign", session_id=session).model_dump_json()
    fields: dict[Any, Any] = {"e": "1", "i": new_id(), "p": payload}
    await log.connection.client.xadd(key, fields, id="3-0")
    await log.shipper.ship(SessionId(session))
    assert [alarm.kind for alarm in alarms] == ["shipping_gap"]
    assert await words(log.database, session) == ["ours"]


async def test_a_foreign_entry_in_the_way_is_an_alarm(log: RedisEventLog, alarms: list[Alarm]) -> None:
    """S-4: somebody wrote past the script; the position is taken, and asking again would not free it."""
    session, other = new_id(), new_id()
    await log.append(session, [said("a")])
    await log.append(other, [said("a")])
    planted: dict[Any, Any] = {"e": "1", "i": new_id(), "p": "{}"}
    await log.connection.client.xadd(log.keys.log(session), planted, id="2-0")
    answers = await asyncio.gather(
        *(log.append(target, [said("b")]) for target in (other, session, other)), return_exceptions=True
    )
    assert [type(answer).__name__ for answer in answers] == ["Appended", "SequenceConflictError", "Appended"]
    assert [(alarm.kind, alarm.session_id) for alarm in alarms] == [("conflicting_event", session)]


async def test_se03_an_entry_that_is_no_event_stops_its_session_alone(log: RedisEventLog, alarms: list[Alarm]) -> None:
    """SE-03: planted in the stream; an alarm, and other sessions are shipped."""
    bad, good = new_id(), new_id()
    await log.append(bad, [said("a")])
    await log.append(good, [said("b")])
    planted: dict[Any, Any] = {"e": "1", "i": new_id(), "p": "cos\nsystem\n"}
    await log.connection.client.xadd(log.keys.log(bad), planted, id="2-0")
    await log.shipper.ship_all()
    assert [alarm.kind for alarm in alarms] == ["shipping_undecodable"]
    assert await words(log.database, good) == ["b"]


async def test_a_session_that_redis_cannot_write_harms_no_other(log: RedisEventLog) -> None:
    """A foreign writer put something else in its place: its appends fail, those that share the call do not."""
    bad, good = new_id(), [new_id() for _ in range(5)]
    for session in (bad, *good):
        await log.append(session, [said("a")])
    await log.connection.client.delete(log.keys.log(bad))
    await log.connection.client.set(log.keys.log(bad), "foreign")
    answers = await asyncio.gather(
        *(log.append(session, [said("b")]) for session in (*good[:3], bad, *good[3:])), return_exceptions=True
    )
    assert [type(answer).__name__ for answer in answers] == [
        *["Appended"] * 3,
        "StoreUnavailableError",
        *["Appended"] * 2,
    ]
    for session in good:
        assert await words(log, session) == ["a", "b"]


async def test_many_new_sessions_are_begun_together(
    log: RedisEventLog, private_redis: RedisServer, log_url: str, alarms: list[Alarm]
) -> None:
    """Also if another process begins the same ones at the same time: each begins once, in epoch 1."""
    sessions = [new_id() for _ in range(40)]
    database = PostgresEventLog(log_url)
    async with RedisEventLog(private_redis.url(), database, on_alarm=alarms.append) as other:
        answers = await asyncio.gather(
            *(each.append(session, [said("a")]) for session in sessions for each in (log, other))
        )
    assert {answer.epoch for answer in answers} == {1}
    assert sorted(answer.first_seq for answer in answers) == [1] * 40 + [2] * 40
    assert alarms == []


async def test_two_processes_begin_a_session_one_after_the_other(
    log: RedisEventLog, private_redis: RedisServer, log_url: str, alarms: list[Alarm], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who came between the other's looks at the two stores would leave them in different epochs."""
    session, run, has_looked = new_id(), log.connection.run, asyncio.Event()

    async def run_and_linger(*calls: Call) -> Any:
        answers = await run(*calls)
        if calls[0].script == "head" and not has_looked.is_set():
            has_looked.set()
            await asyncio.wait({second}, timeout=0.5)
        return answers

    async def append_meanwhile(other: RedisEventLog) -> Appended:
        await has_looked.wait()
        return await other.append(session, [said("b")])

    monkeypatch.setattr(log.connection, "run", run_and_linger)
    async with RedisEventLog(private_redis.url(), PostgresEventLog(log_url), on_alarm=alarms.append) as other:
        second = asyncio.create_task(append_meanwhile(other))
        answers = await asyncio.gather(log.append(session, [said("a")]), second)
    assert has_looked.is_set()
    assert sorted((answer.epoch, answer.first_seq) for answer in answers) == [(1, 1), (1, 2)]
    assert (await log.database.head(session)).epoch == 1
    assert alarms == []


@pytest.mark.parametrize(
    ("name", "value"), [("appendfsync", "everysec"), ("appendonly", "no"), ("maxmemory-policy", "allkeys-lru")]
)
async def test_cr05_cr06_a_redis_that_may_lose_what_it_acknowledged_is_refused(
    log: RedisEventLog, private_redis: RedisServer, name: str, value: str
) -> None:
    """S-10."""
    with private_redis.client() as client:
        client.config_set(name, value)
    with pytest.raises(ConfigurationError, match=name):
        await log.durability()


async def test_an_absent_redis_is_a_transient_failure(log: RedisEventLog, private_redis: RedisServer) -> None:
    session, batch = new_id(), [said("a")]
    private_redis.kill()
    with pytest.raises(StoreUnavailableError):
        await log.append(session, batch)
    private_redis.start()
    assert (await log.append(session, batch)).first_seq == 1


async def test_work_accepted_by_a_process_that_died_is_appended_by_its_owner(log: RedisEventLog) -> None:
    """S-5: the row is the acceptance; the message reaches the log before the turn does anything."""
    queue, session = RedisTurnQueue(log), new_id()
    with failpoints.active({"queue.accept.after_commit": "raise"}), pytest.raises(failpoints.InjectedFaultError):
        await queue.accept(NewWork(session_id=session), [said("hello")], client_key="m1")
    assert await words(log, session) == []
    lease = await queue.lease("worker")
    assert lease is not None
    assert await words(log, session) == ["hello"]
    again = await queue.accept(NewWork(session_id=session), [said("hello")], client_key="m1")
    assert (again.work.turn_id, again.appended) == (lease.work.turn_id, Appended(epoch=1, first_seq=1, count=1))
    assert await words(log, session) == ["hello"]


async def test_is11_an_erased_text_is_gone_from_redis(log: RedisEventLog, private_redis: RedisServer) -> None:
    """IS-11: from its memory at once, from its file after the rewrite."""
    session, canary = new_id(), "canary-51b2"
    audit = RedisAudit(log)
    await audit.assign(SessionId(session), "ana")
    await log.append(session, [said(canary)], client_key="m1")
    assert _files_with(private_redis, canary)
    await audit.erase("ana")
    assert await log.connection.client.keys("*log*") == []
    async with asyncio.timeout(60):
        while _files_with(private_redis, canary):
            await asyncio.sleep(0.05)
    assert [record.event for record in await everything(log, session)] == [None]


def _files_with(server: RedisServer, text: str) -> list[str]:
    return [path.name for path in server.data.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
