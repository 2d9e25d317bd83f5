"""Delivery: stored events in order, transient pieces where they belong, a slow reader costs nothing (S-3)."""

import asyncio
import json
from contextlib import aclosing

import pytest

from batuta.events.conversation import AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import Head, Page, Position, Record
from batuta.events.progress import ContentDelta
from batuta.events.runtime import TurnStarted
from batuta.events.wire import to_wire
from batuta.eventstore.memory import MemoryEventLog
from batuta.kernel.errors import StaleEpochError
from batuta.kernel.ids import SessionId, new_id
from batuta.server.live.feed import PAGE, SessionFeed
from batuta.server.live.live_text import LiveEventSink
from batuta.server.live.notifications import LocalNotificationBus, Notification
from batuta.server.live.stored_events import DeliveredEvent
from batuta.server.live.subscription import MAX_CLOSED, FeedCursor

SESSION, TURN, MESSAGE = SessionId(new_id()), new_id(), new_id()
START = Position(1, 0)


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


class Stage:
    """A log in memory, a bus, and a feed that is only notified by the test."""

    def __init__(self) -> None:
        self.log = MemoryEventLog()
        self.bus = LocalNotificationBus()
        self.projected: list[int] = []
        self.feed = SessionFeed(self.log, self.bus, self)

    async def ensure(self, session: str, seq: int) -> None:
        """Note how far the read models had to be."""
        self.projected.append(seq)

    async def store(self, *events: Event) -> None:
        await self.log.append(SESSION, events)
        self.bus.publish(Notification("appended", SESSION))


def told(batch: list[DeliveredEvent]) -> list[tuple[str, int | None]]:
    return [(delivered.event.type, delivered.event.sequence_number) for delivered in batch]


async def test_a_follower_gets_what_was_missed_and_then_what_comes() -> None:
    stage = Stage()
    await stage.store(said("one"))
    with stage.feed.receiving():
        async with aclosing(stage.feed.follow(SESSION, START)) as batches:
            assert told(await anext(batches)) == [("user_message", 1)]
            await stage.store(said("two"))
            assert told(await anext(batches)) == [("user_message", 2)]


async def test_what_people_act_on_is_shown_only_when_its_rows_are_there() -> None:
    """A `sync_required` event is in the read models before anybody sees it."""
    stage = Stage()
    await stage.store(said("one"), answer("two", 2))
    async with aclosing(stage.feed.follow(SESSION, START)) as batches:
        await anext(batches)
    assert stage.projected == [1]


async def test_internal_events_are_passed_over_and_the_chain_stays_whole() -> None:
    """Every delivered event names the one delivered before it."""
    stage = Stage()
    await stage.store(
        said("one"), TurnStarted(session_id=SESSION, turn_id=TURN, owner="w", attempt=1), answer("two", 5)
    )
    async with aclosing(stage.feed.follow(SESSION, START)) as batches:
        batch = await anext(batches)
    assert [(each.previous_sequence, each.event.sequence_number) for each in batch] == [(0, 1), (1, 3)]


async def test_the_first_event_after_a_position_names_that_position() -> None:
    stage = Stage()
    await stage.store(said("one"), TurnStarted(session_id=SESSION, turn_id=TURN, owner="w", attempt=1), said("two"))
    async with aclosing(stage.feed.follow(SESSION, Position(1, 1))) as batches:
        (delivered,) = await anext(batches)
    assert (delivered.previous_sequence, delivered.event.sequence_number) == (1, 3)


async def test_a_position_of_a_lost_life_is_refused() -> None:
    stage = Stage()
    await stage.store(said("one"))
    with pytest.raises(StaleEpochError):
        await anext(stage.feed.follow(SESSION, Position(4, 1)))


async def test_silence_is_told_so_that_connections_stay_open() -> None:
    stage = Stage()
    async with aclosing(stage.feed.follow(SESSION, START, pause_seconds=0.01)) as batches:
        assert await anext(batches) == []


async def test_pieces_come_before_the_stored_event_that_was_told_after_them() -> None:
    stage = Stage()
    with stage.feed.receiving():
        async with aclosing(stage.feed.follow(SESSION, START, pause_seconds=0.01)) as batches:
            await anext(batches)
            sink = LiveEventSink(stage.bus)
            sink.emit(piece("Hel", 2))
            sink.emit(piece("lo", 3))
            await stage.store(said("hi", 1), answer("Hello", 4))
            batch = await anext(batches)
    assert told(batch) == [("user_message", 1), ("content_delta", None), ("assistant_message", 2)]
    assert getattr(batch[1].event, "delta", "") == "Hello"


async def test_a_piece_that_comes_after_its_message_is_dropped() -> None:
    """The message was shown: a late piece would be a ghost."""
    stage = Stage()
    await stage.store(answer("Hello", 4))
    with stage.feed.receiving():
        async with aclosing(stage.feed.follow(SESSION, START, pause_seconds=0.05)) as batches:
            await anext(batches)
            LiveEventSink(stage.bus).emit(piece("lo", 3))
            LiveEventSink(stage.bus).emit(piece("new", 5, message_id=new_id()))
            batch = await anext(batches)
    assert [getattr(each.event, "delta", "") for each in batch] == ["new"]


async def test_nothing_transient_is_shown_after_the_end_of_a_turn() -> None:
    stage = Stage()
    await stage.store(Complete(session_id=SESSION, turn_id=TURN, status="success"))
    with stage.feed.receiving():
        async with aclosing(stage.feed.follow(SESSION, START, pause_seconds=0.05)) as batches:
            await anext(batches)
            LiveEventSink(stage.bus).emit(piece("ghost", 9, message_id=new_id()))
            assert await anext(batches) == []


async def test_a_turn_is_followed_to_its_end() -> None:
    """Other turns of the session are left out."""
    stage = Stage()
    other = UserMessage(session_id=SESSION, turn_id=new_id(), content="other")
    end = Complete(session_id=SESSION, turn_id=TURN, status="success")
    await stage.store(said("one"), other, end, other.model_copy(update={"event_id": new_id()}))
    batches = [batch async for batch in stage.feed.follow_turn(SESSION, TURN, START)]
    assert [told(batch) for batch in batches] == [[("user_message", 1), ("complete", 3)]]


async def test_growth_without_a_notification_is_noticed_by_comparing_heads() -> None:
    """A notification may get lost."""
    stage = Stage()
    with stage.feed.subscribed(SESSION) as subscription:
        running = asyncio.create_task(stage.feed.run())
        for text in ("one", "two"):
            await stage.log.append(SESSION, [said(text)])
            assert await subscription.wait(2)
            subscription.take()
        running.cancel()


async def test_who_joins_in_the_middle_of_a_text_gets_it_from_its_beginning() -> None:
    """A reloaded page shows the same as one that was there all the time."""
    stage = Stage()
    sink = LiveEventSink(stage.bus)
    await stage.store(said("hi", 1))
    with stage.feed.receiving(), stage.bus.subscribed({"followed": sink.publish_again}):
        sink.emit(piece("Hel", 2))
        sink.emit(piece("lo ", 3))
        async with aclosing(stage.feed.follow(SESSION, Position(1, 1))) as batches:
            (beginning,) = await anext(batches)
            sink.emit(piece("Ana", 4))
            (more,) = await anext(batches)
    told = [(getattr(each.event, "offset", None), getattr(each.event, "delta", "")) for each in (beginning, more)]
    assert told == [(0, "Hello "), (6, "Ana")]


async def test_nobody_gets_twice_what_another_one_asked_for() -> None:
    stage = Stage()
    sink = LiveEventSink(stage.bus)
    with (
        stage.feed.receiving(),
        stage.bus.subscribed({"followed": sink.publish_again}),
        stage.feed.subscribed(SESSION) as first,
    ):
        sink.emit(piece("Hel", 2))
        with stage.feed.subscribed(SESSION):
            sink.emit(piece("lo", 3))
    assert [getattr(each, "delta", "") for each in first.live.take()] == ["Hello"]


async def test_a_text_that_is_stored_is_told_again_to_nobody() -> None:
    stage = Stage()
    sink = LiveEventSink(stage.bus)
    with stage.feed.receiving(), stage.bus.subscribed({"followed": sink.publish_again}):
        sink.emit(piece("Hel", 2))
        sink.emit(answer("Hello", 3))
        with stage.feed.subscribed(SESSION) as watch:
            assert watch.live.take() == []


async def test_the_text_so_far_comes_after_all_pages_of_a_long_session() -> None:
    """Its turn is told on the last page; before it nobody could show the text."""
    stage = Stage()
    sink = LiveEventSink(stage.bus)
    await stage.store(*(said(str(number)) for number in range(PAGE + 1)))
    with stage.feed.receiving(), stage.bus.subscribed({"followed": sink.publish_again}):
        sink.emit(piece("Hel", 2))
        async with aclosing(stage.feed.follow(SESSION, START)) as batches:
            assert {kind for kind, _ in told(await anext(batches))} == {"user_message"}
            assert told(await anext(batches)) == [("user_message", PAGE + 1), ("content_delta", None)]


async def test_a_piece_that_got_lost_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """News may get lost between processes; a text never shows a hole."""
    monkeypatch.setattr("batuta.server.live.feed.ASK_SECONDS", 0.0)
    stage = Stage()
    sink = LiveEventSink(stage.bus)
    with stage.bus.subscribed({"followed": sink.publish_again}), stage.feed.subscribed(SESSION) as watch:
        sink.emit(piece("lost ", 1))
        with stage.feed.receiving():
            await asyncio.sleep(0.01)
            sink.emit(piece("found", 2))
    assert [(getattr(each, "offset", 0), getattr(each, "delta", "")) for each in watch.live.take()] == [
        (0, "lost found")
    ]


def test_a_listener_that_fails_harms_nobody() -> None:
    bus = LocalNotificationBus()
    heard: list[Notification] = []

    def broken(notification: Notification) -> None:
        raise RuntimeError

    with bus.subscribed({"work": broken}), bus.subscribed({"work": heard.append}):
        bus.publish(Notification("work"))
        bus.publish(Notification("stop", TURN))
    assert [notification.kind for notification in heard] == ["work"]
    bus.publish(Notification("work"))
    assert len(heard) == 1


async def test_a_page_for_whoever_opens_a_session_is_what_a_follower_is_given() -> None:
    """As JSON, without what users may not see, and only when the rows of what people act on are there."""
    stage = Stage()
    begun = TurnStarted(session_id=SESSION, turn_id=TURN, owner="w", attempt=1)
    await stage.store(said("one"), begun, answer("two", 5), begun.model_copy(update={"event_id": new_id()}))
    async with aclosing(stage.feed.follow(SESSION, START)) as batches:
        followed = [
            to_wire(d.event, epoch=d.epoch, previous_sequence=d.previous_sequence) for d in await anext(batches)
        ]
    stage.projected.clear()
    whole = await stage.feed.read_wire(SESSION, after=0, limit=10)
    assert [json.loads(item) for item in whole.items] == followed
    assert (whole.epoch, whole.last_sequence, whole.has_more, stage.projected) == (1, 4, False, [1])
    part = await stage.feed.read_wire(SESSION, after=1, limit=2)
    assert (len(part.items), part.last_sequence, part.has_more) == (1, 3, True)


def test_what_a_follower_remembers_is_bounded() -> None:
    """A tab may stay open for weeks."""
    cursor = FeedCursor(after=0, previous=0, epoch=1)
    ends = [Complete(session_id=SESSION, turn_id=new_id(), status="success") for _ in range(MAX_CLOSED + 5)]
    records = tuple(Record(1, seq, end) for seq, end in enumerate(ends, 1))
    cursor.merge(Page(records=records, head=Head(last_seq=len(records))), [])
    assert len(cursor.closed) == MAX_CLOSED
    assert ends[-1].turn_id in cursor.closed
