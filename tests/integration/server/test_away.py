"""Servers that are away for a while under a platform that goes on: what is refused and shown, who serves instead."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from batuta.eventstore.migrations import migrate as migrate_log
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.redis import RedisEventLog
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import SessionId, new_id
from batuta.testing.eventlog import said, words
from tests.support.faultproxy import FaultProxy, fault_proxy
from tests.support.platform import Person, Running, running, settings_for
from tests.support.servers import PostgresServer, RedisServer


async def test_cr09_while_postgres_is_away_a_log_in_redis_goes_on(
    private_postgres: PostgresServer, redis_url: str
) -> None:
    """CR-09: known sessions are appended to; the database catches up when it is back, and nothing is lost."""
    url = private_postgres.url(private_postgres.create_database())
    await migrate_log(url)
    async with RedisEventLog(redis_url, PostgresEventLog(url)) as log:
        session = new_id()
        await log.append(session, [said("before")])
        private_postgres.kill()
        for number in range(20):
            await log.append(session, [said(f"away {number}")])
        with pytest.raises(StoreUnavailableError):
            await log.shipper.ship(SessionId(session))
        private_postgres.start()
        await log.shipper.ship(SessionId(session))
        assert await words(log.database, session) == ["before", *(f"away {number}" for number in range(20))]


@pytest.fixture
async def cut_off(
    platform_url: str, redis_url: str, redis_server: RedisServer, postgres_server: PostgresServer, tmp_path: Path
) -> AsyncIterator[tuple[Running, Running, FaultProxy, FaultProxy]]:
    """Two web processes; the first reaches Redis and PostgreSQL through proxies."""
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(fault_proxy(redis_server.port))
        postgres = await stack.enter_async_context(fault_proxy(postgres_server.port))
        away = settings_for(tmp_path, database_url=postgres.through(platform_url), redis_url=redis.through(redis_url))
        near = settings_for(tmp_path, database_url=platform_url, redis_url=redis_url)
        first = await stack.enter_async_context(running(away))
        second = await stack.enter_async_context(running(near))
        for site in (first, second):
            site.stage.gate.set()
        yield first, second, redis, postgres


async def at(site: Running, person: Person) -> Person:
    """The same login at another web process."""
    other = site.stranger()
    other.http.cookies.set("batuta_session", person.http.cookies["batuta_session"], domain="127.0.0.1")
    other.be((await other.http.get("/api/me")).json())
    return other


async def _readiness(site: Running, *, is_ready: bool) -> dict[str, str]:
    async with asyncio.timeout(60):
        while True:
            answer = await site.stranger().http.get("/readyz")
            if (answer.status_code == 200) is is_ready:
                checks: dict[str, str] = answer.json()["checks"]
                return checks
            await asyncio.sleep(0.1)


async def test_ft04_a_process_cut_off_from_its_servers_says_so_and_another_serves(
    cut_off: tuple[Running, Running, FaultProxy, FaultProxy],
) -> None:
    """FT-04: first from Redis, then from PostgreSQL; a session goes on at the other process, and here afterwards."""
    first, second, redis, postgres = cut_off
    ana = await first.person()
    session = await ana.session()
    await ana.ask(session, "one")
    there = await at(second, ana)
    for proxy, name in ((redis, "redis"), (postgres, "database")):
        proxy.refuse()
        proxy.cut()
        assert (await _readiness(first, is_ready=False))[name] != "ok"
        await there.ask(session, f"without {name}")
        await proxy.heal()
        await _readiness(first, is_ready=True)
    events = await ana.ask(session, "four")
    numbers = [event["sequence_number"] for event in events]
    assert numbers == sorted(set(numbers))
    assert [event["type"] for event in events].count("complete") == 4
