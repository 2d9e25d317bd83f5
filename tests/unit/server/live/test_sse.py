"""A live stream ends when its caller loses access or the server stops, and its feed with it (P-20)."""

import asyncio
from contextlib import aclosing

from batuta.events.conversation import UserMessage
from batuta.events.log import Position
from batuta.eventstore.memory import MemoryEventLog
from batuta.kernel.ids import SessionId, TurnId, new_id
from batuta.server.live.feed import SessionFeed
from batuta.server.live.notifications import LocalNotificationBus
from batuta.server.live.sse import LiveStream, LiveStreams
from batuta.server.security.ownership import Caller, Credential

SESSION = SessionId(new_id())
START = Position(1, 0)
ANA = Caller(
    user_id="ana",
    workspace_id="w",
    email="ana@example.com",
    name="Ana",
    roles=frozenset(),
    credential=Credential(kind="login", digest="d"),
)


class ReadModelsOfNothing:
    """Read models that are always up to date."""

    async def ensure(self, session: str, seq: int) -> None:
        return None


async def feed_of_one_message() -> SessionFeed:
    log = MemoryEventLog()
    await log.append(SESSION, [UserMessage(session_id=SESSION, turn_id=TurnId(new_id()), content="hello")])
    return SessionFeed(log, LocalNotificationBus(), ReadModelsOfNothing())


async def read(feed: SessionFeed, stream: LiveStream, is_waiting: asyncio.Event | None = None) -> int:
    """How many events a stream gave before it ended."""
    count = 0
    async with aclosing(feed.follow(SESSION, START, stream=stream)) as batches:
        async for batch in batches:
            count += len(batch)
            if is_waiting is not None:
                is_waiting.set()
    return count


async def test_a_stream_ends_while_its_feed_waits_for_more() -> None:
    feed, stream, is_waiting = await feed_of_one_message(), LiveStream(ANA), asyncio.Event()
    reading = asyncio.create_task(read(feed, stream, is_waiting))
    await is_waiting.wait()
    stream.end()
    stream.end()
    assert await asyncio.wait_for(reading, 60) == 1
    assert not feed._subscriptions


async def test_a_stream_that_was_ended_before_it_began_gives_nothing() -> None:
    stream = LiveStream(ANA)
    stream.end()
    assert await read(await feed_of_one_message(), stream) == 0


async def test_a_cancelled_response_leaves_no_subscription() -> None:
    feed, is_waiting = await feed_of_one_message(), asyncio.Event()
    reading = asyncio.create_task(read(feed, LiveStream(ANA), is_waiting))
    await is_waiting.wait()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert reading.cancelled()
    assert not feed._subscriptions


async def test_streams_that_are_opened_after_the_end_give_nothing() -> None:
    streams = LiveStreams()
    streams.close()
    with streams.open(ANA) as stream:
        assert await read(await feed_of_one_message(), stream) == 0
    assert not streams.callers
