"""Live streams end when they are told to, and leave their source in good order however they end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from batuta.server.live.streams import Stream, Streams
from batuta.server.security.ownership import Caller, Credential

ANA = Caller(
    user_id="ana",
    workspace_id="w",
    email="ana@example.com",
    name="Ana",
    roles=frozenset(),
    credential=Credential(kind="login", digest="d"),
)


class Source:
    """Gives numbers, then waits for ever; tells whether it was left in good order."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.is_waiting = asyncio.Event()
        self.is_left = False

    async def numbers(self) -> AsyncGenerator[int]:
        try:
            for number in range(self.count):
                yield number
            self.is_waiting.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.is_left = True


async def read(stream: Stream, source: Source) -> list[int]:
    numbers = source.numbers()
    async with aclosing(numbers), aclosing(stream.until_ended(numbers)) as valid:
        return [number async for number in valid]


async def test_a_stream_ends_while_its_source_is_waited_for() -> None:
    stream, source = Stream(ANA), Source(3)
    reading = asyncio.create_task(read(stream, source))
    await source.is_waiting.wait()
    stream.end()
    stream.end()
    assert await reading == [0, 1, 2]
    assert source.is_left


async def test_a_stream_that_was_ended_before_it_began_gives_nothing() -> None:
    stream = Stream(ANA)
    stream.end()
    assert await read(stream, Source(3)) == []


@pytest.mark.parametrize("times", [1, 2, 5])
async def test_a_response_that_is_cancelled_again_and_again_leaves_its_source_in_good_order(times: int) -> None:
    stream, source = Stream(ANA), Source(1)
    reading = asyncio.create_task(read(stream, source))
    await source.is_waiting.wait()
    for _ in range(times):
        reading.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_what_runs_out_of_time_in_the_source_is_not_taken_for_the_end() -> None:
    async def late() -> AsyncGenerator[int]:
        yield 1
        raise TimeoutError("the store did not answer")

    with pytest.raises(TimeoutError, match="store"):
        [number async for number in Stream(ANA).until_ended(late())]


async def test_streams_that_come_after_the_end_say_nothing() -> None:
    streams = Streams()
    streams.close()
    with streams.open(ANA) as stream:
        assert await read(stream, Source(2)) == []
