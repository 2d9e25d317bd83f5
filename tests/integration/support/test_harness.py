"""The parts together: real writers killed, a real server killed, and the verifier's word on what is left."""

from collections.abc import Iterator
from random import Random

import pytest

from tests.support.history import AckedAppend, History, LogEntry
from tests.support.processes import Child, Zygote
from tests.support.servers import RedisServer
from tests.support.verifier import verify

HERE = "tests.integration.support.children"


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote([HERE])
    yield zygote
    zygote.close()


def acknowledged(children: list[Child]) -> tuple[AckedAppend, ...]:
    return tuple(AckedAppend(**said["acked"]) for child in children for said in child.messages if "acked" in said)


def stream(server: RedisServer) -> tuple[LogEntry, ...]:
    with server.client() as client:
        entries = [(str(place, "ascii").split("-"), facts) for place, facts in client.xrange("s")]
    return tuple(
        LogEntry(session="s", epoch=int(epoch), seq=int(seq) + 1, event_id=facts[b"event_id"].decode())
        for (epoch, seq), facts in entries
    )


async def kill_writers(zygote: Zygote, server: RedisServer, kills: int) -> list[Child]:
    rng, children = Random(11), []
    for number in range(kills):
        arguments = {"url": server.url(), "session": "s", "client": f"c{number}"}
        async with zygote.running(f"{HERE}:append_for_ever", arguments) as child:
            await child.count(5)
            await child.kill_within(rng, 0.0, 0.05)
            children.append(child)
    return children


@pytest.mark.chaos
async def test_killed_writers_and_a_killed_durable_server_lose_nothing(
    zygote: Zygote, private_redis: RedisServer
) -> None:
    children = await kill_writers(zygote, private_redis, kills=5)
    private_redis.kill()
    private_redis.start()
    report = verify(History(acked=acknowledged(children), log=stream(private_redis)), backend="redis", kills=6)
    report.require(acknowledged=20)


@pytest.mark.chaos
async def test_a_server_that_does_not_keep_what_it_acknowledged_is_found_out(zygote: Zygote) -> None:
    server = RedisServer({"appendonly": "no"})
    server.start()
    children = await kill_writers(zygote, server, kills=2)
    server.kill()
    server.start()
    report = verify(History(acked=acknowledged(children), log=stream(server)), backend="redis", kills=3)
    assert report.figures["lost"] == report.acknowledged >= 8
    server.discard()
