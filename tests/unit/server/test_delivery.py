"""Delivery: stored events in order, transient pieces where they belong, a slow reader costs nothing (S-3)."""

import asyncio
from collections.abc import Collection, Mapping
from contextlib import aclosing

import pytest

from batuta.events.conversation import AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import Position
from batuta.events.progress import ContentDelta
from batuta.events.runtime import TurnStarted
from batuta.events.wire import Delivered
from batuta.eventstore.memory import MemoryEventLog
from batuta.kernel.errors import StaleEpochError
from batuta.kernel.ids import SessionId, new_id
from batuta.server.bus import LiveSink, LocalBus, News
from batuta.server.delivery import MOST_PIECES, Delivery, Hub, Watch, coalesced

SESSION, TURN, MESSAGE = SessionId(new_id()), new_id(), new_id()
START = Position(1, 0)


async def nothing_grew(session_ids: Collection[str]) -> Mapping[str, int]:
    return {}


def said(text: str, index: int = 0) -> UserMessage:
    return UserMessage(session_id=SESSION, turn_id=TURN, content=text, original_index=index)


def answer(text: str, index: int) -> AssistantMessage:
    return AssistantMessage(
        session_id=SESSION, turn_id=TURN, message_id=MESSAGE, content=text, original_index=index, source_agent_id="a"
    )


def piece(text: str, index: int, message_id: str = MESSAGE) -> ContentDelta:
    return ContentDelta(
        session_id=SESSION, turn_id=TURN, message_id=message_id, delta=text, original_index=index, source_agent_id="a"
    )


class Theatre:
    """A log, a bus and a hub whose clock nobody needs."""

    def __init__(self) -> None:
        self.log = MemoryEventLog()
        self.bus = LocalBus()
        self.hub = Hub(self.bus, nothing_grew)
        self.projected: list[int] = []
        self.delivery = Delivery(self.log, self.hub, self)

    async def ensure(self, session: str, seq: int) -> None:
        """Note how far the read models had to be."""
        self.projected.append(seq)

    async def store(self, *events: Event) -> None:
        await self.log.append(SESSION, events)
        self.bus.publish(News(kind="grown", ids=frozenset({SESSION})))


def told(batch: list[Delivered]) -> list[tuple[str, int | None]]:
    return [(delivered.event.type, delivered.event.sequence_number) for delivered in batch]


async def test_a_follower_gets_what_was_missed_and_then_what_comes() -> None:
    stage = Theatre()
    await stage.store(said("one"))
    with stage.bus.listening(stage.hub._take):
        async with aclosing(stage.delivery.follow(SESSION, START)) as batches:
            assert told(await anext(batches)) == [("user_message", 1)]
            await stage.store(said("two"))
            assert told(await anext(batches)) == [("user_message", 2)]


async def test_what_people_act_on_is_shown_only_when_its_rows_are_there() -> None:
    """A `sync_required` event is in the read models before anybody sees it."""
    stage = Theatre()
    await stage.store(said("one"), answer("two", 2))
    async with aclosing(stage.delivery.follow(SESSION, START)) as batches:
        await anext(batches)
    assert stage.projected == [1]


async def test_internal_events_are_passed_over_and_the_chain_stays_whole() -> None:
    """Every delivered event names the one delivered before it."""
    stage = Theatre()
    await stage.store(
        said("one"), TurnStarted(session_id=SESSION, turn_id=TURN, owner="w", attempt=1), answer("two", 5)
    )
    async with aclosing(stage.delivery.follow(SESSION, START)) as batches:
        batch = await anext(batches)
    assert [(each.previous_sequence, each.event.sequence_number) for each in batch] == [(0, 1), (1, 3)]


async def test_the_first_event_after_a_position_names_that_position() -> None:
    stage = Theatre()
    await stage.store(said("one"), TurnStarted(session_id=SESSION, turn_id=TURN, owner="w", attempt=1), said("two"))
    async with aclosing(stage.delivery.follow(SESSION, Position(1, 1))) as batches:
        (delivered,) = await anext(batches)
    assert (delivered.previous_sequence, delivered.event.sequence_number) == (1, 3)


async def test_a_position_of_a_lost_life_is_refused() -> None:
    stage = Theatre()
    await stage.store(said("one"))
    with pytest.raises(StaleEpochError):
        await anext(stage.delivery.follow(SESSION, Position(4, 1)))


async def test_silence_is_told_so_that_connections_stay_open() -> None:
    stage = Theatre()
    async with aclosing(stage.delivery.follow(SESSION, START, pause_seconds=0.01)) as batches:
        assert await anext(batches) == []


async def test_pieces_come_before_the_stored_event_that_was_told_after_them() -> None:
    stage = Theatre()
    with stage.bus.listening(stage.hub._take):
        async with aclosing(stage.delivery.follow(SESSION, START, pause_seconds=0.01)) as batches:
            await anext(batches)
            sink = LiveSink(stage.bus)
            sink.emit(piece("Hel", 2))
            sink.emit(piece("lo", 3))
            await stage.store(said("hi", 1), answer("Hello", 4))
            batch = await anext(batches)
    assert told(batch) == [("user_message", 1), ("content_delta", None), ("assistant_message", 2)]
    assert getattr(batch[1].event, "delta", "") == "Hello"


async def test_a_piece_that_comes_after_its_message_is_dropped() -> None:
    """The message was shown: a late piece would be a ghost."""
    stage = Theatre()
    await stage.store(answer("Hello", 4))
    with stage.bus.listening(stage.hub._take):
        async with aclosing(stage.delivery.follow(SESSION, START, pause_seconds=0.05)) as batches:
            await anext(batches)
            LiveSink(stage.bus).emit(piece("lo", 3))
            LiveSink(stage.bus).emit(piece("new", 5, message_id=new_id()))
            batch = await anext(batches)
    assert [getattr(each.event, "delta", "") for each in batch] == ["new"]


async def test_nothing_transient_is_shown_after_the_end_of_a_turn() -> None:
    stage = Theatre()
    await stage.store(Complete(session_id=SESSION, turn_id=TURN, status="success"))
    with stage.bus.listening(stage.hub._take):
        async with aclosing(stage.delivery.follow(SESSION, START, pause_seconds=0.05)) as batches:
            await anext(batches)
            LiveSink(stage.bus).emit(piece("ghost", 9, message_id=new_id()))
            assert await anext(batches) == []


async def test_a_turn_is_followed_to_its_end() -> None:
    """Other turns of the session are left out."""
    stage = Theatre()
    other = UserMessage(session_id=SESSION, turn_id=new_id(), content="other")
    end = Complete(session_id=SESSION, turn_id=TURN, status="success")
    await stage.store(said("one"), other, end, other.model_copy(update={"event_id": new_id()}))
    batches = [batch async for batch in stage.delivery.follow_turn(SESSION, TURN, START)]
    assert [told(batch) for batch in batches] == [[("user_message", 1), ("complete", 3)]]


async def test_a_hub_notices_growth_that_nobody_told() -> None:
    """News may get lost; the heads are looked at by time."""
    heads: dict[str, int] = {}

    async def look(session_ids: Collection[str]) -> Mapping[str, int]:
        return {session_id: heads[session_id] for session_id in session_ids if session_id in heads}

    hub = Hub(LocalBus(), look)
    with hub.watch(SESSION) as watch:
        running = asyncio.create_task(hub.run())
        heads[SESSION] = 1
        assert await watch.wait(2)
        watch.take()
        heads[SESSION] = 2
        assert await watch.wait(2)
        running.cancel()


def test_too_many_pieces_push_out_the_oldest() -> None:
    watch = Watch()
    for number in range(MOST_PIECES + 10):
        watch.add(piece(str(number), number))
    pieces = watch.take()
    assert len(pieces) == MOST_PIECES
    assert pieces[-1].original_index == MOST_PIECES + 9


def test_only_neighbouring_pieces_of_one_text_are_joined() -> None:
    other = new_id()
    pieces = [piece("a", 1), piece("b", 2), piece("x", 3, other), piece("c", 4)]
    assert [getattr(each, "delta", "") for each in coalesced(pieces)] == ["ab", "x", "c"]


def test_a_listener_that_fails_harms_nobody() -> None:
    bus = LocalBus()
    heard: list[News] = []

    def broken(news: News) -> None:
        raise RuntimeError

    with bus.listening(broken), bus.listening(heard.append):
        bus.publish(News(kind="work"))
    assert [news.kind for news in heard] == ["work"]
    bus.publish(News(kind="work"))
    assert len(heard) == 1
