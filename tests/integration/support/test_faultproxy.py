"""The fault proxy, in front of a small server that answers each line with the same line."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from random import Random

import asyncpg
import pytest
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from tests.support.faultproxy import Direction, FaultProxy, Shape, fault_proxy
from tests.support.servers import PostgresServer, RedisServer
from tests.support.triggers import after_bytes, any_request, containing, sometimes

LONGEST_LINE = 1 << 22


class EchoServer:
    """Answers a line with the line, and remembers what it was asked: it "executes" it."""

    def __init__(self) -> None:
        self.executed: list[bytes] = []
        self.ended = asyncio.Event()
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                self.executed.append(line)
                writer.write(line)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()
            self.ended.set()


@asynccontextmanager
async def echo_server() -> AsyncIterator[EchoServer]:
    echo = EchoServer()
    async with await asyncio.start_server(echo.serve, "127.0.0.1", 0, limit=LONGEST_LINE) as listener:
        echo.port = listener.sockets[0].getsockname()[1]
        yield echo


@pytest.fixture
async def echo() -> AsyncIterator[EchoServer]:
    async with echo_server() as server:
        yield server


@pytest.fixture
async def proxy(echo: EchoServer) -> AsyncIterator[FaultProxy]:
    async with fault_proxy(echo.port) as proxy:
        yield proxy


class Client:
    """A line-wise client with bounds on its patience."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def of(cls, proxy: FaultProxy) -> "Client":
        return cls(*await asyncio.open_connection("127.0.0.1", proxy.port, limit=LONGEST_LINE))

    def send(self, line: bytes) -> None:
        self.writer.write(line)

    async def receive(self, seconds: float = 60.0) -> bytes:
        async with asyncio.timeout(seconds):
            return await self.reader.readline()

    async def ask(self, line: bytes) -> bytes:
        self.send(line)
        return await self.receive()

    async def is_reset(self) -> bool:
        try:
            await self.receive()
        except ConnectionResetError:
            return True
        return False


@pytest.fixture
async def client(proxy: FaultProxy) -> AsyncIterator[Client]:
    client = await Client.of(proxy)
    yield client
    client.writer.close()


async def seconds_of(act: Callable[[], Awaitable[object]]) -> float:
    started = time.monotonic()
    await act()
    return time.monotonic() - started


async def test_without_faults_bytes_pass_both_ways(proxy: FaultProxy, client: Client) -> None:
    assert await client.ask(b"hello\n") == b"hello\n"
    assert proxy.counters.bytes_forwarded == {Direction.TO_SERVER: 6, Direction.TO_CLIENT: 6}
    assert proxy.counters.accepted == 1


async def test_a_megabyte_passes_unharmed(client: Client) -> None:
    data = Random(1).randbytes(1 << 20).replace(b"\n", b" ") + b"\n"
    assert await client.ask(data) == data


async def test_the_end_of_a_connection_is_passed_on(proxy: FaultProxy, client: Client, echo: EchoServer) -> None:
    client.send(b"last words\n")
    client.writer.write_eof()
    assert await client.receive() == b"last words\n"
    assert await client.receive() == b""
    async with asyncio.timeout(60):
        await echo.ended.wait()
        while proxy.open_connections:
            await asyncio.sleep(0)


async def test_latency_delays_each_way(proxy: FaultProxy, client: Client) -> None:
    proxy.shape = Shape(latency=timedelta(milliseconds=50))
    assert await seconds_of(lambda: client.ask(b"late\n")) >= 0.1


async def test_latency_delays_pipelined_requests_and_answers_them_in_turn(proxy: FaultProxy, client: Client) -> None:
    """The delay that was asked for has passed, both ways; how much more is for a busy machine to say."""
    proxy.shape = Shape(latency=timedelta(milliseconds=100))

    async def pipeline() -> None:
        for number in range(20):
            client.send(b"%d\n" % number)
            await asyncio.sleep(0.001)
        assert [await client.receive() for _ in range(20)] == [b"%d\n" % number for number in range(20)]

    assert await seconds_of(pipeline) >= 0.2


async def test_jitter_never_reorders(proxy: FaultProxy, client: Client) -> None:
    proxy.shape = Shape(latency=timedelta(milliseconds=5), jitter=timedelta(milliseconds=5))
    lines = [b"%d\n" % number for number in range(100)]
    for line in lines:
        client.send(line)
        await asyncio.sleep(0)
    assert [await client.receive() for _ in lines] == lines


def test_jitter_gives_or_takes_and_repeats_with_its_seed() -> None:
    shape = Shape(latency=timedelta(seconds=2), jitter=timedelta(seconds=1))
    delays = [shape.delay(Random(seed)) for seed in range(50)]
    assert 1.0 <= min(delays) < 1.5 < 2.5 < max(delays) <= 3.0
    assert delays == [shape.delay(Random(seed)) for seed in range(50)]


def test_a_delay_is_never_negative() -> None:
    assert all(Shape(jitter=timedelta(seconds=1)).delay(Random(seed)) >= 0 for seed in range(20))


async def test_bandwidth_is_bounded(proxy: FaultProxy, client: Client) -> None:
    proxy.shape = Shape(bytes_per_second=100_000)
    assert await seconds_of(lambda: client.ask(b"x" * 10_000 + b"\n")) >= 0.1


async def test_a_cut_resets_both_sides_at_once(proxy: FaultProxy, client: Client, echo: EchoServer) -> None:
    await client.ask(b"hello\n")
    assert proxy.cut() == 1
    assert await client.is_reset()
    async with asyncio.timeout(60):
        await echo.ended.wait()
    assert proxy.counters.cut == 1


async def test_after_a_cut_a_new_connection_works(proxy: FaultProxy, client: Client) -> None:
    proxy.cut()
    again = await Client.of(proxy)
    assert await again.ask(b"back\n") == b"back\n"
    again.writer.close()


async def test_a_cut_after_so_many_bytes_falls_in_the_middle_of_an_answer(proxy: FaultProxy, client: Client) -> None:
    """FT-05: a reset in the middle of a frame."""
    proxy.cut_after(8, Direction.TO_CLIENT)
    assert await client.ask(b"12345\n") == b"12345\n"
    client.send(b"12345\n")
    with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
        await client.reader.readexactly(6)
    assert proxy.counters.bytes_forwarded[Direction.TO_CLIENT] == 8


async def test_a_cut_after_so_many_bytes_falls_in_the_middle_of_a_request(
    proxy: FaultProxy, client: Client, echo: EchoServer
) -> None:
    proxy.cut_after(3, Direction.TO_SERVER)
    client.send(b"never whole\n")
    assert await client.is_reset()
    assert proxy.counters.bytes_forwarded[Direction.TO_SERVER] == 3
    assert b"never whole\n" not in echo.executed


async def test_a_cut_after_bytes_happens_once(proxy: FaultProxy, client: Client) -> None:
    proxy.cut_after(3, Direction.TO_SERVER)
    client.send(b"never whole\n")
    assert await client.is_reset()
    again = await Client.of(proxy)
    assert await again.ask(b"whole again\n") == b"whole again\n"
    again.writer.close()


async def test_half_open_takes_everything_and_answers_nothing(
    proxy: FaultProxy, client: Client, echo: EchoServer
) -> None:
    """FT-03: the server accepts but never answers."""
    proxy.half_open()
    newcomer = await Client.of(proxy)
    for victim in (client, newcomer):
        victim.send(b"anyone?\n")
        with pytest.raises(TimeoutError):
            await victim.receive(0.05)
    assert echo.executed == []
    assert proxy.counters.bytes_swallowed == 16
    newcomer.writer.close()


async def test_half_open_towards_the_client_lets_the_server_execute(
    proxy: FaultProxy, client: Client, echo: EchoServer
) -> None:
    proxy.half_open(Direction.TO_CLIENT)
    client.send(b"do it\n")
    with pytest.raises(TimeoutError):
        await client.receive(0.05)
    assert echo.executed == [b"do it\n"]


async def test_a_connection_that_lost_bytes_stays_dead_when_healed(proxy: FaultProxy, client: Client) -> None:
    proxy.half_open()
    client.send(b"lost\n")
    with pytest.raises(TimeoutError):
        await client.receive(0.05)
    await proxy.heal()
    client.send(b"later\n")
    with pytest.raises(TimeoutError):
        await client.receive(0.05)


async def test_a_connection_that_lost_nothing_works_when_healed(proxy: FaultProxy, client: Client) -> None:
    await client.ask(b"before\n")
    proxy.half_open()
    await proxy.heal()
    assert await client.ask(b"after\n") == b"after\n"


async def test_refusing_spares_open_connections(proxy: FaultProxy, client: Client) -> None:
    await client.ask(b"before\n")
    proxy.refuse()
    with pytest.raises(ConnectionRefusedError):
        await Client.of(proxy)
    assert await client.ask(b"after\n") == b"after\n"


async def test_healing_takes_connections_on_the_same_port(proxy: FaultProxy) -> None:
    port = proxy.port
    proxy.refuse()
    await proxy.heal()
    assert proxy.port == port
    client = await Client.of(proxy)
    assert await client.ask(b"open\n") == b"open\n"
    client.writer.close()


async def test_healing_ends_every_fault(proxy: FaultProxy, client: Client) -> None:
    proxy.shape = Shape(latency=timedelta(seconds=60))
    proxy.drop_response(times=None)
    proxy.cut_after(1, Direction.TO_SERVER)
    await proxy.heal()
    assert await client.ask(b"well\n") == b"well\n"


async def test_a_dropped_response_was_executed_by_the_server(
    proxy: FaultProxy, client: Client, echo: EchoServer
) -> None:
    """FT-01: done, but the one who asked never learns of it."""
    proxy.drop_response()
    client.send(b"pay 100\n")
    assert await client.is_reset()
    assert echo.executed == [b"pay 100\n"]
    assert proxy.counters.dropped_responses == 1
    assert proxy.counters.bytes_forwarded[Direction.TO_CLIENT] == 0


async def test_a_response_is_dropped_only_for_the_request_meant(
    proxy: FaultProxy, client: Client, echo: EchoServer
) -> None:
    proxy.drop_response(containing(b"pay"))
    assert await client.ask(b"look\n") == b"look\n"
    client.send(b"pay\n")
    assert await client.is_reset()
    assert echo.executed == [b"look\n", b"pay\n"]


async def test_a_response_is_dropped_as_often_as_asked(proxy: FaultProxy) -> None:
    proxy.drop_response(times=2)
    outcomes = []
    for _ in range(4):
        client = await Client.of(proxy)
        client.send(b"x\n")
        outcomes.append(await client.is_reset())
        client.writer.close()
    assert outcomes == [True, True, False, False]


async def test_an_unreachable_server_resets_the_client(proxy: FaultProxy, echo: EchoServer) -> None:
    async with fault_proxy(1) as nowhere:
        client = await Client.of(nowhere)
        assert await client.is_reset()
        client.writer.close()
        assert nowhere.counters.unreachable == 1


async def test_leaving_the_block_ends_open_connections(echo: EchoServer) -> None:
    async with fault_proxy(echo.port) as proxy:
        client = await Client.of(proxy)
        await client.ask(b"hello\n")
    assert proxy.open_connections == 0
    assert await client.is_reset()
    client.writer.close()


async def test_an_error_in_the_block_is_not_wrapped(echo: EchoServer) -> None:
    with pytest.raises(ZeroDivisionError):
        async with fault_proxy(echo.port):
            raise ZeroDivisionError


def test_an_address_is_led_through_the_proxy() -> None:
    proxy = FaultProxy("127.0.0.1", 5432, Random(0))
    proxy.port = 9999
    assert proxy.through("postgresql://me:secret@127.0.0.1:5432/db") == "postgresql://me:secret@127.0.0.1:9999/db"
    assert proxy.through("redis://localhost:6379/0") == "redis://127.0.0.1:9999/0"


@pytest.mark.parametrize("split", range(1, 6))
def test_a_needle_is_found_where_two_chunks_share_it(split: int) -> None:
    matches = containing(b"needle")()
    assert not matches(b"hay needl")
    matches = containing(b"needle")()
    assert not matches(b"hay " + b"needle"[:split])
    assert matches(b"needle"[split:] + b" hay")
    assert not matches(b" more hay")


def test_a_needle_of_one_byte_is_found_once() -> None:
    matches = containing(b"!")()
    assert [matches(chunk) for chunk in (b"a!", b"b", b"!c")] == [True, False, True]


def test_bytes_are_counted_for_each_connection() -> None:
    trigger = after_bytes(10)
    one, other = trigger(), trigger()
    assert [one(b"12345"), other(b"123456789"), one(b"12345"), other(b"")] == [False, False, True, False]


def test_sometimes_is_as_often_as_it_says() -> None:
    matches = sometimes(any_request, 0.25, Random(3))()
    assert 200 < sum(matches(b"") for _ in range(1000)) < 300


async def test_an_insert_whose_answer_was_dropped_is_in_the_table(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    async with fault_proxy(postgres_server.port) as proxy:
        connection = await asyncpg.connect(proxy.through(postgres_url))
        await connection.execute("CREATE TABLE paid (reference text)")
        proxy.drop_response(containing(b"invoice-7"))
        with pytest.raises((asyncpg.PostgresConnectionError, ConnectionError)):
            await connection.execute("INSERT INTO paid VALUES ($1)", "invoice-7")
        assert proxy.counters.dropped_responses == 1
        connection.terminate()
    assert postgres_server.execute("SELECT * FROM paid", postgres_url.rpartition("/")[2]) == "invoice-7"


async def test_an_append_whose_answer_was_dropped_is_in_the_stream(redis_server: RedisServer, redis_url: str) -> None:
    async with fault_proxy(redis_server.port) as proxy:
        proxy.drop_response(containing(b"XADD"))
        once = redis.asyncio.Redis.from_url(proxy.through(redis_url), retry=Retry(NoBackoff(), 0))
        with pytest.raises(redis.ConnectionError):
            await once.xadd("log", {"event": "paid"})
        await once.aclose()
    with redis_server.client() as client:
        assert client.xlen("log") == 1
