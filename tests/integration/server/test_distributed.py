"""Several processes on PostgreSQL and Redis: no sticky sessions, any worker, nothing lost with Redis (P-2, S-11).

The processes are platforms of their own in one test process: they share nothing but the servers.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from batuta.events.progress import ContentDelta
from batuta.eventstore.redis import RedisEventLog
from batuta.kernel.ids import SessionId, new_id
from batuta.server.live.message_seal import MessageSeal
from batuta.server.live.notifications import KINDS, Notification
from batuta.server.live.redis_notifications import CHANNEL, RedisNotificationBus
from batuta.server.wiring import open_worker
from tests.support.platform import Person, Running, Stage, has_ended, running, settings_for
from tests.support.servers import RedisServer

KEY = b"a key of the test"


@pytest.fixture
async def sites(platform_url: str, redis_url: str, tmp_path: Path) -> AsyncIterator[list[Running]]:
    """Two web processes that run no turns, and a worker."""
    options = {"database_url": platform_url, "redis_url": redis_url, "worker_concurrency": 0}
    stop, stage = asyncio.Event(), Stage()
    stage.gate.set()
    async with AsyncExitStack() as stack:
        web = [await stack.enter_async_context(running(settings_for(tmp_path, **options))) for _ in range(2)]
        process = await stack.enter_async_context(open_worker(settings_for(tmp_path, **options), stage.team()))
        working = asyncio.create_task(process.run(stop))
        yield web
        stop.set()
        await working


async def at(site: Running, person: Person) -> Person:
    """The same login at another web process."""
    other = site.stranger()
    other.http.cookies.set("batuta_session", person.http.cookies["batuta_session"], domain="127.0.0.1")
    other.be((await other.http.get("/api/me")).json())
    return other


async def test_a_turn_is_followed_at_another_process_than_it_was_sent_to(sites: list[Running]) -> None:
    """Also its transient pieces, which only the worker made; and the list there is in step."""
    here = await sites[0].person()
    there = await at(sites[1], here)
    session = await here.session()
    tab = await there.tab()
    await tab.command("session:join", {"session_id": session})
    words = " ".join(f"w{number}" for number in range(60))
    turn = await here.say(session, words, target_agent_id="echo")
    await tab.until(lambda: has_ended(tab.events, turn["turn_id"]))
    assert "content_delta" in [event["type"] for event in tab.events]
    stored = await here.events(session)
    assert [event["sequence_number"] for event in tab.stored] == [event["sequence_number"] for event in stored]
    await tab.until(lambda: bool(tab.changes) and tab.changes[-1]["status"] == "idle")


async def test_a_late_tab_at_a_process_that_heard_nothing_gets_the_text_from_its_beginning(
    sites: list[Running], platform_url: str, redis_url: str, tmp_path: Path
) -> None:
    """The web process starts while the worker tells an answer: it asks for what it missed."""
    here = await sites[0].person()
    session = await here.session()
    tab = await here.tab()
    await tab.command("session:join", {"session_id": session})
    words = " ".join(f"w{number}" for number in range(400))
    turn = await here.say(session, words, target_agent_id="echo")
    await tab.until(lambda: any(event["type"] == "content_delta" for event in tab.events))
    options = {"database_url": platform_url, "redis_url": redis_url, "worker_concurrency": 0}
    async with running(settings_for(tmp_path, **options)) as fresh:
        late = await (await at(fresh, here)).tab()
        await late.command("session:join", {"session_id": session})
        await late.until(lambda: has_ended(late.events, turn["turn_id"]))
    told = [event["delta"] for event in late.events if event["type"] == "content_delta"]
    answer = [event["content"] for event in late.stored if event["type"] == "message"][-1]
    assert answer.strip() == f"echo {words}"
    # The stored answer may overtake the last pieces, which are then not needed any more.
    assert told[0].startswith("echo w0 w1")
    assert answer.startswith("".join(told).rstrip())


async def test_se07_a_logout_at_one_process_closes_sockets_at_the_other(sites: list[Running]) -> None:
    """SE-07: within five seconds, everywhere."""
    here = await sites[0].person()
    tab = await (await at(sites[1], here)).tab()
    await here.http.post("/api/auth/logout")
    await tab.until(lambda: not tab.client.connected)


async def test_a_flushed_redis_costs_nothing(sites: list[Running], redis_server: RedisServer) -> None:
    """S-11: news get lost, data do not."""
    ana = await sites[0].person()
    session = await ana.session()
    await ana.ask(session, "before")
    redis_server.flush()
    events = await ana.ask(session, "after")
    assert [event["type"] for event in events].count("complete") == 2


async def test_a_platform_whose_events_go_to_redis_first(platform_url: str, redis_url: str, tmp_path: Path) -> None:
    """S-11: chosen by a setting. What was said is there for another process on the database alone."""
    options = {"database_url": platform_url, "redis_url": redis_url}
    async with running(settings_for(tmp_path, event_log="redis", **options)) as site:
        assert isinstance(site.platform.backends.log, RedisEventLog)
        ana = await site.person()
        session = await ana.session()
        told = await ana.ask(session, "hello")
        assert [event["type"] for event in told].count("complete") == 1
        await site.platform.backends.projector.catch_up()
    async with running(settings_for(tmp_path, worker_concurrency=0, **options)) as other:
        shown = await (await at(other, ana)).events(session)
    assert [event["sequence_number"] for event in shown] == [event["sequence_number"] for event in told]


async def test_readiness_tells_of_redis(sites: list[Running]) -> None:
    ready = (await sites[0].stranger().http.get("/readyz")).json()
    assert ready["checks"] == dict.fromkeys(("event log", "writes", "database", "redis", "background work"), "ok")


async def test_a_user_is_notified_at_whichever_process_they_are_connected_to(sites: list[Running]) -> None:
    """W-12: what ended elsewhere shows in the page; other users hear nothing of it."""
    ana, bob = await sites[0].person("ana@example.com"), await sites[1].person("bob@example.com")
    shown: dict[str, list[dict[str, Any]]] = {"ana": [], "bob": []}
    for name, person in (("ana", await at(sites[1], ana)), ("bob", bob)):
        tab = await person.tab()
        tab.client.on("job:ended", shown[name].append)
    content = {"job_id": new_id(), "status": "failed"}
    async with asyncio.timeout(60):
        while not shown["ana"]:
            bus = sites[0].platform.backends.bus
            bus.publish(Notification("user", ana.user_id, name="job:ended", content=content))
            await asyncio.sleep(0.1)
    assert shown["ana"][0] == content
    assert not shown["bob"]


async def test_notifications_reach_the_other_processes(redis_url: str) -> None:
    """Each process hears the others, and itself once."""
    first, second = RedisNotificationBus(redis_url, KEY), RedisNotificationBus(redis_url, KEY)
    heard: dict[str, list[Notification]] = {"first": [], "second": []}
    piece = ContentDelta(session_id=SessionId(new_id()), delta="ñ", source_agent_id="a", message_id=new_id())
    async with first.running(), second.running():
        with first.subscribed({"live": heard["first"].append}), second.subscribed({"live": heard["second"].append}):
            async with asyncio.timeout(60):
                while not heard["second"]:
                    first.publish(Notification("live", str(piece.session_id), event=piece))
                    await asyncio.sleep(0.1)
    assert heard["second"][0].event == piece
    assert len(heard["first"]) >= len(heard["second"])


@pytest.mark.parametrize(
    "forged",
    [
        b"",
        b"\x00\xff",
        b"[" * 200_000,
        b"v1.00.{}",
        json.dumps({"origin": "evil", "notifications": [{"kind": "user", "subject": "ANA", "name": "x"}]}).encode(),
        MessageSeal(b"another key").sealed({"origin": "evil", "notifications": [{"kind": "work"}]}),
        MessageSeal(KEY).sealed({"origin": "evil", "notifications": [{"kind": "no such kind"}]}),
        MessageSeal(KEY).sealed({"origin": "evil", "notifications": 7}),
        MessageSeal(KEY, now=lambda: 0.0).sealed({"origin": "evil", "notifications": [{"kind": "work"}]}),
        b"x" * 2_000_000,
    ],
    ids=["empty", "bytes", "deep", "unsigned", "as before", "another key", "kind", "shape", "old", "large"],
)
async def test_se04_what_somebody_else_writes_to_redis_is_dropped_and_counted(redis_url: str, forged: bytes) -> None:
    """SE-04: the reader goes on, and hears the next message of ours."""
    first, second = RedisNotificationBus(redis_url, KEY), RedisNotificationBus(redis_url, KEY)
    heard: list[Notification] = []
    async with first.running(), second.running(), Redis.from_url(redis_url) as attacker:
        with second.subscribed(dict.fromkeys(KINDS, heard.append)):  # type: ignore[arg-type]
            async with asyncio.timeout(60):
                while not second.dropped:
                    await attacker.publish(CHANNEL, forged)
                    await asyncio.sleep(0.05)
                assert heard == []
                while not heard:
                    first.publish(Notification("work"))
                    await asyncio.sleep(0.05)
            await second.ping()
    assert {each.kind for each in heard} == {"work"}


async def test_se04_a_message_counts_once(redis_url: str) -> None:
    """SE-04: one that somebody recorded and sends again is dropped."""
    message = MessageSeal(KEY).sealed({"origin": "first", "notifications": [{"kind": "work"}]})
    bus = RedisNotificationBus(redis_url, KEY)
    heard: list[Notification] = []
    async with bus.running(), Redis.from_url(redis_url) as attacker:
        with bus.subscribed({"work": heard.append}):
            async with asyncio.timeout(60):
                while bus.dropped < 3:
                    await attacker.publish(CHANNEL, message)
                    await asyncio.sleep(0.05)
    assert len(heard) == 1


async def test_a_bus_that_is_closed_while_it_connects_closes(redis_url: str) -> None:
    """As under a command that looks something up and ends: at any moment of the connection."""
    for step in range(100):
        async with asyncio.timeout(60), RedisNotificationBus(redis_url, KEY).running():
            await asyncio.sleep(step / 10_000)
