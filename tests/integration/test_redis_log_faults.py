"""The Redis log on a slow way, a full disk, too little memory, a damaged file, and after a failover."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
import redis

from batuta.events.log import Alarm
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.redis import RedisEventLog
from batuta.kernel.errors import StaleEpochError, StoreUnavailableError
from batuta.kernel.ids import SessionId, new_id
from batuta.testing.eventlog import everything, noted, said, words
from tests.support.faultproxy import Shape, fault_proxy
from tests.support.servers import RedisServer, ServerStartError


@pytest.fixture
async def alarms() -> list[Alarm]:
    return []


@pytest.fixture
async def log(private_redis: RedisServer, log_url: str, alarms: list[Alarm]) -> AsyncIterator[RedisEventLog]:
    async with RedisEventLog(private_redis.url(), PostgresEventLog(log_url), on_alarm=alarms.append) as opened:
        yield opened


async def test_ft02_a_slow_redis_reorders_nothing(redis_server: RedisServer, redis_url: str, log_url: str) -> None:
    """FT-02: 200 ms there and back, give or take 100: ten writers to one session, each in its own order."""
    async with fault_proxy(redis_server.port) as proxy:
        proxy.shape = Shape(latency=timedelta(milliseconds=100), jitter=timedelta(milliseconds=50))
        async with RedisEventLog(proxy.through(redis_url), PostgresEventLog(log_url)) as log:
            session = new_id()

            async def write(writer: int) -> None:
                for number in range(5):
                    await log.append(session, [said(f"{writer}/{number}")])

            await asyncio.gather(*(write(writer) for writer in range(10)))
            await proxy.heal()
            found = await words(log, session)
    assert len(found) == 50
    for writer in range(10):
        assert [each for each in found if each.startswith(f"{writer}/")] == [f"{writer}/{n}" for n in range(5)]


class NarrowRedis(RedisServer):
    """Redis whose files may not grow beyond a size."""

    file_bytes = 120_000

    def _command(self) -> list[str]:
        limit = [] if not self.file_bytes else ["prlimit", f"--fsize={self.file_bytes}"]
        return [*limit, *super()._command()]


@pytest.fixture
def private_redis(request: pytest.FixtureRequest) -> Iterator[RedisServer]:
    """Redis of this test alone; a narrow one for the test of a full disk."""
    server = NarrowRedis() if "ft07" in request.node.name else RedisServer()
    server.start()
    yield server
    server.discard()


async def test_ft07_a_redis_whose_disk_is_full_refuses_and_loses_nothing_it_acknowledged(
    log: RedisEventLog, private_redis: NarrowRedis
) -> None:
    """FT-07: its file may not grow; what was acknowledged is there when it may, and what was refused is not."""
    session, acknowledged = new_id(), 0
    await log.append(session, [said("first")])
    batch, is_full = [said("x" * 1_000)], False
    while not is_full:
        try:
            await log.append(session, batch)
        except StoreUnavailableError:
            is_full = True
        else:
            acknowledged += 1
            batch = [said("x" * 1_000)]
    assert acknowledged > 5
    if private_redis.is_running:
        private_redis.kill()
    private_redis.file_bytes = 0
    private_redis.start()
    assert (await log.append(session, batch)).count == 1
    stored = await everything(log, session)
    assert [record.seq for record in stored] == list(range(1, acknowledged + 3))


async def test_ft18_a_redis_out_of_memory_refuses_instead_of_forgetting(
    log: RedisEventLog, private_redis: RedisServer
) -> None:
    """FT-18."""
    session, acknowledged = new_id(), 0
    await log.append(session, [said("first")])
    with private_redis.client() as client:
        client.config_set("maxmemory", int(client.info("memory")["used_memory"]) + 300_000)
        is_full = False
        while not is_full:
            try:
                await log.append(session, [said("x" * 2_000)])
            except StoreUnavailableError:
                is_full = True
            else:
                acknowledged += 1
        assert acknowledged > 5
        assert client.info("stats")["evicted_keys"] == 0
        client.config_set("maxmemory", 0)
    assert (await log.append(session, [said("last")])).first_seq == acknowledged + 2
    assert len(await everything(log, session)) == acknowledged + 2


@pytest.mark.parametrize("damage", ["cut", "cut more", "flipped"])
async def test_ft19_a_damaged_file_never_gives_a_number_out_twice(
    private_redis: RedisServer, log_url: str, damage: str
) -> None:
    """FT-19: Redis refuses the file, or what is missing in it is noticed; a seen position is never another event's."""
    alarms: list[Alarm] = []
    rng, session = Random(damage), new_id()
    async with RedisEventLog(private_redis.url(), PostgresEventLog(log_url), on_alarm=alarms.append) as log:
        await log.append(session, [said(f"shipped {number}") for number in range(5)])
        await log.shipper.ship(SessionId(session))
        seen = [await log.append(session, [noted(f"in Redis alone {number}")]) for number in range(5)]
        before = {(record.epoch, record.seq): record.event for record in await everything(log, session)}
        private_redis.kill()
        _damage(next(private_redis.data.rglob("*.incr.aof")), damage, rng)
        try:
            private_redis.start()
        except ServerStartError:
            return  # refused, and told so by Redis itself
        again = await log.append(session, [said("afterwards")])
        assert (again.epoch, again.first_seq) not in before
        assert again.first_seq > 5, "what the database holds is not overwritten"
        if again.first_seq <= seen[-1].first_seq:
            with pytest.raises(StaleEpochError):
                await log.read(session, after=seen[-1].first_seq, epoch=seen[-1].epoch)
            assert "log_went_back" in [alarm.kind for alarm in alarms] or again.epoch > seen[-1].epoch


async def test_ft17_after_a_failover_the_old_primary_s_events_are_not_the_log_s(
    private_redis: RedisServer, log_url: str
) -> None:
    """FT-17: a process that still talks to the old primary is told when it ships; nothing of it gets into the log."""
    replica = RedisServer({"replicaof": f"127.0.0.1 {private_redis.port}", "masterauth": private_redis.password})
    replica.start()
    old_alarms: list[Alarm] = []
    try:
        session = new_id()
        async with (
            RedisEventLog(private_redis.url(), PostgresEventLog(log_url), on_alarm=old_alarms.append) as old,
            RedisEventLog(replica.url(), PostgresEventLog(log_url)) as new,
        ):
            await old.append(session, [said("before")])
            await old.shipper.ship(SessionId(session))
            await _replicated(private_redis, replica)
            with replica.client() as client:
                client.replicaof("NO", "ONE")
            promoted = await new.append(session, [said("on the new primary")])
            stale = await old.append(session, [said("on the old primary")])
            assert promoted.epoch > stale.epoch
            await new.shipper.ship(SessionId(session))
            for more in ("and more", "and more"):
                await old.shipper.ship(SessionId(session))
                assert await words(new.database, session) == ["before", "on the new primary"]
                assert [alarm.kind for alarm in old_alarms] == ["shipping_stale"], "a conflict is never passed over"
                old_alarms.clear()
                await old.append(session, [said(more)])
    finally:
        replica.discard()


async def test_ld02_a_burst_is_taken_and_shipped_without_a_loss(
    redis_url: str, log_url: str, record_property: Callable[[str, object], None]
) -> None:
    """LD-02: as fast as twenty writers can, while the shipper runs; then the database holds all of it."""
    began = asyncio.get_running_loop().time()
    async with RedisEventLog(redis_url, PostgresEventLog(log_url)) as log:
        sessions = [new_id() for _ in range(20)]

        async def write(session: str) -> None:
            for number in range(15):
                await log.append(session, [noted(f"{number}/{piece}") for piece in range(10)])

        shipping = asyncio.create_task(log.shipper.run())
        await asyncio.gather(*(write(session) for session in sessions))
        rate = 3_000 / (asyncio.get_running_loop().time() - began)
        shipping.cancel()
        await asyncio.gather(shipping, return_exceptions=True)
        await log.shipper.ship_all()
        for session in sessions:
            records = await everything(log.database, session)
            assert [record.seq for record in records] == list(range(1, 151))
    record_property("figure", f"0 of 3,000 lost, {rate:,.0f} events a second")


def _damage(path: Path, damage: str, rng: Random) -> None:
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        place = rng.randrange(len(content) // 2, len(content))
        content[place] ^= 0xFF
    else:
        del content[-rng.randrange(20, 200 if damage == "cut" else 1_500) :]
    path.write_bytes(content)


async def _replicated(primary: RedisServer, replica: RedisServer) -> None:
    with primary.client() as first, replica.client() as second:
        async with asyncio.timeout(60):
            while _offset(first, "master_repl_offset") != _offset(second, "slave_repl_offset"):
                await asyncio.sleep(0.05)


def _offset(client: redis.Redis, name: str) -> object:
    return client.info("replication").get(name)
