"""What was just stored is handed to those who stand before it; everybody else reads the log, and all see the same."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from batuta.events.conversation import AssistantMessage, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import Appended, Grown, Page, Position
from batuta.events.progress import ContentDelta
from batuta.events.runtime import TurnStarted
from batuta.events.tools import ToolRequest
from batuta.events.wire import wire_of_new
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel.errors import StaleEpochError
from batuta.kernel.failpoints import InjectedFaultError, active
from batuta.kernel.ids import SessionId, TurnId, new_id
from batuta.server.live.feed import SessionFeed
from batuta.server.live.live_text import LiveEventSink
from batuta.server.live.notifications import LocalNotificationBus, Notification, announcing_growth
from batuta.server.live.redis_notifications import coalesced
from batuta.server.live.stored_events import (
    MAX_BUFFERED_CHARACTERS,
    MAX_BUFFERED_EVENTS,
    MAX_BUFFERED_SECONDS,
    DeliveredEvent,
    SubscriberBuffer,
    stored_events,
)
from batuta.server.live.subscription import FeedSubscription

SESSION, TURN = SessionId(new_id()), TurnId(new_id())
START = Position(1, 0)
INTERNAL = TurnStarted(session_id=SESSION, turn_id=TURN, owner="w", attempt=1)


def answer(text: str, session: SessionId = SESSION) -> AssistantMessage:
    return AssistantMessage(session_id=session, turn_id=TURN, content=text, source_agent_id="a")


class Process:
    """A log as one process has it, and who follows there. Counts how often the log was read."""

    def __init__(self, log: MemoryEventLog | SqliteEventLog | None = None) -> None:
        self.log = log or MemoryEventLog()
        self.bus = LocalNotificationBus()
        self.feed = SessionFeed(self.log, self.bus, self)
        self.reads = 0
        self.projected: list[int] = []
        read = self.log.read

        async def counted(*args: object, **kwargs: object) -> Page:
            self.reads += 1
            return await read(*args, **kwargs)  # type: ignore[arg-type]

        self.log.read = counted  # type: ignore[method-assign]

    async def ensure(self, session: str, seq: int) -> None:
        self.projected.append(seq)

    @contextmanager
    def passing_on(self) -> Iterator[None]:
        with self.feed.receiving(), announcing_growth(self.log, self.bus):
            yield

    async def begun(self, *, pause_seconds: float = 0.01) -> AsyncGenerator[list[DeliveredEvent]]:
        """A follower that was given everything there is, and then that nothing came."""
        batches = self.feed.follow(SESSION, START, pause_seconds=pause_seconds)
        while await anext(batches):
            pass
        return batches

    async def reloaded(self) -> list[object]:
        """What a client is given that loads the session anew."""
        return [json.loads(item) for item in (await self.feed.read_wire(SESSION, after=0, limit=500)).items]


def texts(batch: list[DeliveredEvent]) -> list[str]:
    return [getattr(told.event, "content", "") for told in batch]


async def everything(batches: AsyncGenerator[list[DeliveredEvent]]) -> list[DeliveredEvent]:
    """What comes until nothing does."""
    found: list[DeliveredEvent] = []
    while batch := await asyncio.wait_for(anext(batches), 5):
        found += batch
    return found


async def test_who_stands_before_an_event_gets_it_without_a_look_into_the_log() -> None:
    here = Process()
    await here.log.append(SESSION, [answer("one")])
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            reads = here.reads
            await here.log.append(SESSION, [answer("two"), INTERNAL])
            await here.log.append(SESSION, [answer("¿three?\n"), answer('a "sequence_number":null, b')])
            given = await everything(batches)
            assert here.reads == reads
    assert [(told.previous_sequence, told.sequence_number) for told in given] == [(1, 2), (2, 4), (4, 5)]
    assert [json.loads(told.wire()) for told in given] == (await here.reloaded())[1:]


async def test_an_event_is_written_for_the_wire_once_for_all_who_are_given_it() -> None:
    here = Process()
    with here.passing_on():
        async with aclosing(await here.begun()) as first, aclosing(await here.begun()) as second:
            await here.log.append(SESSION, [answer("one")])
            ((mine,), (yours,)) = await anext(first), await anext(second)
    assert mine is yours
    assert mine.wire() is yours.wire()


async def test_what_is_given_is_what_the_log_keeps_not_what_it_was_given() -> None:
    """A value may look different once it was kept as JSON."""
    here, asked = Process(), datetime(2026, 11, 15, tzinfo=UTC)
    request = ToolRequest(
        session_id=SESSION, turn_id=TURN, tool_name="look", tool_use_id="t", args={"at": asked}, source_agent_id="a"
    )
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            await here.log.append(SESSION, [request])
            (told,) = await anext(batches)
    assert told.event == (await here.log.read(SESSION)).events[0]
    assert json.loads(told.wire())["args"] == {"at": "2026-11-15T00:00:00Z"}


async def test_a_follower_that_falls_behind_costs_little_and_misses_nothing() -> None:
    here, count = Process(), 3 * MAX_BUFFERED_EVENTS
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            (watch,) = here.feed._subscriptions[SESSION]
            for number in range(count):
                await here.log.append(SESSION, [answer(str(number))])
                assert len(watch.buffer._waiting) <= MAX_BUFFERED_EVENTS
            assert texts(await everything(batches)) == [str(number) for number in range(count)]


async def test_of_long_events_fewer_are_kept_for_a_slow_follower() -> None:
    here = Process()
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            (watch,) = here.feed._subscriptions[SESSION]
            for _ in range(5):
                await here.log.append(SESSION, [answer("x" * (MAX_BUFFERED_CHARACTERS // 3))])
                assert sum(len(one.payload) for one in watch.buffer._waiting) <= MAX_BUFFERED_CHARACTERS
            assert len(await everything(batches)) == 5


async def test_what_was_erased_while_a_slow_follower_took_its_time_is_not_shown() -> None:
    log = MemoryEventLog()
    here, now = Process(log), [0.0]
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            (watch,) = here.feed._subscriptions[SESSION]
            watch.buffer._monotonic = lambda: now[0]
            await log.append(SESSION, [answer("secret"), answer("kept")])
            log.store.sessions[SESSION].rows[0].payload = None
            now[0] += MAX_BUFFERED_SECONDS + 0.1
            assert texts(await everything(batches)) == ["kept"]


async def test_an_append_that_fails_is_handed_to_nobody() -> None:
    here = Process()
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            with active({"log.append.before_commit": "raise"}), pytest.raises(InjectedFaultError):
                await here.log.append(SESSION, [answer("lost")])
            assert await anext(batches) == []
            await here.log.append(SESSION, [answer("kept")])
            assert texts(await anext(batches)) == ["kept"]


async def test_an_append_whose_answer_got_lost_is_found_in_its_place() -> None:
    """It is stored and nobody was told: the next one does not follow on what was given."""
    here = Process()
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            with active({"log.append.after_commit": "raise"}), pytest.raises(InjectedFaultError):
                await here.log.append(SESSION, [answer("one")])
            await here.log.append(SESSION, [answer("two")])
            assert texts(await everything(batches)) == ["one", "two"]


async def test_what_is_stored_in_other_sessions_is_none_of_a_followers_business() -> None:
    here, other = Process(), SessionId(new_id())
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            await here.log.append(other, [answer("theirs", other)])
            await here.log.append(SESSION, [answer("mine")])
            assert texts(await everything(batches)) == ["mine"]


async def test_what_people_act_on_waits_for_its_rows_here_too() -> None:
    here = Process()
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            said = UserMessage(session_id=SESSION, turn_id=TURN, content="do it")
            await here.log.append(SESSION, [answer("one"), said, answer("three")])
            assert len(await anext(batches)) == 3
    assert here.projected == [2]


async def test_pieces_are_merged_with_what_was_handed() -> None:
    here, message = Process(), new_id()
    piece = ContentDelta(
        session_id=SESSION, turn_id=TURN, message_id=message, delta="Hel", original_index=2, source_agent_id="a"
    )
    stored = answer("Hello").model_copy(update={"message_id": message, "original_index": 3})
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            LiveEventSink(here.bus).emit(piece)
            await here.log.append(SESSION, [answer("first"), stored])
            given = await everything(batches)
            LiveEventSink(here.bus).emit(piece.model_copy(update={"delta": "ghost", "event_id": new_id()}))
            assert await anext(batches) == []
    assert [told.event.type for told in given] == ["assistant_message", "content_delta", "assistant_message"]


async def test_pieces_are_placed_among_what_was_handed_without_a_look_into_the_log() -> None:
    """A piece comes before the stored event that was emitted after it, and not at all once its message was."""
    here = Process()
    sink = LiveEventSink(here.bus)
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            reads, message = here.reads, new_id()
            piece = {"session_id": SESSION, "turn_id": TURN, "message_id": message, "source_agent_id": "a"}
            whole = AssistantMessage(**piece, content="Hello", original_index=4)
            sink.emit(ContentDelta(**piece, delta="Hel", original_index=2))
            await here.log.append(SESSION, [whole])
            batch = await anext(batches)
            late = ContentDelta(**piece, delta="lo", offset=3, original_index=3)
            here.bus.publish(Notification("live", SESSION, event=late))
            assert await anext(batches) == []
            assert here.reads == reads
    assert [(told.event.type, told.sequence_number) for told in batch] == [
        ("content_delta", None),
        ("assistant_message", 1),
    ]


async def test_what_is_stored_does_not_wait_for_pieces_to_gather() -> None:
    watch = FeedSubscription()
    watch.take()
    watch.buffer.advance(START)
    watch.add_live(ContentDelta(session_id=SESSION, turn_id=TURN, message_id=new_id(), delta="a", offset=0))
    gathering = asyncio.create_task(watch.gather(3_600))
    await asyncio.sleep(0)
    watch.add_live(ContentDelta(session_id=SESSION, turn_id=TURN, message_id=new_id(), delta="b", offset=0))
    await asyncio.sleep(0)
    assert not gathering.done()
    watch.push(stored_events(Grown(SESSION, Appended(epoch=1, first_seq=1, count=1), (answer("x"),), ("{}",))))
    await asyncio.wait_for(gathering, 60)
    assert await watch.wait(3_600)
    live, stored = watch.take()
    assert (len(live), [each.seq for each in stored or ()]) == (2, [1])


async def test_a_new_life_of_a_session_is_read_from_the_log() -> None:
    here = Process()
    await here.log.append(SESSION, [answer("one")])
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            await here.log.begin_epoch(SESSION)
            await here.log.append(SESSION, [answer("two")])
            given = await everything(batches)
    assert [(told.epoch, told.sequence_number) for told in given] == [(2, 2)]


async def test_who_saw_what_the_log_lost_is_told_to_load_again() -> None:
    """An older backup came back under the feet of a follower; the next event takes a place that it saw filled."""
    log = MemoryEventLog()
    here = Process(log)
    await log.append(SESSION, [answer("one"), answer("two"), answer("three")])
    with here.passing_on():
        async with aclosing(await here.begun()) as batches:
            _go_back(log, 1)
            await log.begin_epoch(SESSION)
            await log.append(SESSION, [answer("another two")])
            with pytest.raises(StaleEpochError):
                await everything(batches)


async def test_a_log_that_went_back_is_noticed_by_looking() -> None:
    log = MemoryEventLog()
    here = Process(log)
    await log.append(SESSION, [answer("one"), answer("two")])
    with here.passing_on():
        async with aclosing(await here.begun(pause_seconds=1)) as batches:
            await here.feed.compare_heads()
            _go_back(log, 1)
            await here.feed.compare_heads()
            with pytest.raises(StaleEpochError):
                await everything(batches)


def _go_back(log: MemoryEventLog, last: int) -> None:
    session = log.store.sessions[SESSION]
    del session.rows[last:]
    session.head = type(session.head)(epoch=session.head.epoch, last_seq=last, fence=session.head.fence)


async def test_growth_that_was_pushed_makes_no_follower_read_again() -> None:
    """Neither its notification nor the comparison of heads."""
    here = Process()
    heard: list[Notification] = []
    with here.passing_on(), here.bus.subscribed({"appended": heard.append}):
        async with aclosing(await here.begun()) as batches:
            await here.feed.compare_heads()
            reads = here.reads
            for number in range(3):
                await here.log.append(SESSION, [answer(str(number))])
                assert texts(await anext(batches)) == [str(number)]
                await here.feed.compare_heads()
            assert await anext(batches) == []
            assert here.reads == reads
    assert [(each.subject, each.position) for each in heard] == [(SESSION, (1, seq)) for seq in (1, 2, 3)]


async def test_what_one_follower_finds_in_the_log_the_others_learn_of(tmp_path: Path) -> None:
    """Somebody else stored it and the news of it got lost; one follower looked for a reason of its own."""
    async with SqliteEventLog(tmp_path / "log.db") as mine, SqliteEventLog(tmp_path / "log.db") as other:
        here = Process(mine)
        async with aclosing(await here.begun(pause_seconds=2)) as first, aclosing(await here.begun()) as second:
            await here.feed.compare_heads()
            await anext(second)
            await other.append(SESSION, [answer("theirs")])
            here.feed._subscriptions[SESSION][0].notify()
            assert texts(await anext(first)) == ["theirs"]
            await here.feed.compare_heads()
            assert texts(await anext(second)) == ["theirs"]


async def test_every_append_is_announced_once() -> None:
    """One whose extent the log does not know makes the followers read."""
    log, bus = MemoryEventLog(), LocalNotificationBus()
    heard: list[Notification] = []
    with announcing_growth(log, bus), bus.subscribed({"appended": heard.append}):
        await log.append(SESSION, [answer("one"), answer("two")])
        log.bells.ring([SESSION])
    assert [(each.subject, each.position) for each in heard] == [(SESSION, (1, 2)), (SESSION, None)]


def test_other_processes_hear_of_a_sessions_growth_once_and_of_everything_else_as_it_was() -> None:
    """Between two appends that are known there was one that is not: then the follower has to read."""
    other, stop = new_id(), Notification("stop", TURN)
    known = [Notification("appended", SESSION, position=Position(1, seq)) for seq in (1, 2, 3)]
    unknown, elsewhere = Notification("appended", SESSION), Notification("appended", other, position=Position(1, 9))
    assert coalesced([known[0], stop, elsewhere, known[1], stop]) == [known[1], stop, elsewhere, stop]
    assert coalesced([known[0], unknown, known[2]]) == [unknown]


class TestTwoProcesses:
    """On one file."""

    async def test_what_the_other_one_stored_in_between_is_told_in_its_place(self, tmp_path: Path) -> None:
        async with SqliteEventLog(tmp_path / "log.db") as mine, SqliteEventLog(tmp_path / "log.db") as other:
            here = Process(mine)
            with here.passing_on():
                async with aclosing(await here.begun(pause_seconds=0.2)) as batches:
                    await other.append(SESSION, [answer("theirs")])
                    await mine.append(SESSION, [answer("mine")])
                    assert texts(await everything(batches)) == ["theirs", "mine"]

    async def test_a_message_that_both_were_sent_is_shown_as_it_was_stored(self, tmp_path: Path) -> None:
        """By its client key it is the same, by its id it is not: the log holds the first."""
        first, again = answer("hello"), answer("hello")
        async with SqliteEventLog(tmp_path / "log.db") as mine, SqliteEventLog(tmp_path / "log.db") as other:
            here = Process(mine)
            with here.passing_on():
                async with aclosing(await here.begun(pause_seconds=0.2)) as batches:
                    await other.append(SESSION, [first], client_key="k")
                    await mine.append(SESSION, [again], client_key="k")
                    (told,) = await everything(batches)
        assert told.event.event_id == first.event_id

    @pytest.mark.parametrize("seed", range(8))
    async def test_whoever_stores_whatever_everybody_sees_the_log(self, tmp_path: Path, seed: int) -> None:
        """Once and in order, however fast one follows and whichever process one is in."""
        rng = Random(seed)
        async with SqliteEventLog(tmp_path / "log.db") as one, SqliteEventLog(tmp_path / "log.db") as two:
            here, there = Process(one), Process(two)
            with here.passing_on(), there.passing_on():
                followers = [asyncio.create_task(_slowly(process, rng.random())) for process in (here, here, there)]
                for _ in range(40):
                    events: list[Event] = [answer(new_id()) for _ in range(rng.choice((1, 1, 2, 5)))]
                    await rng.choice((one, two)).append(
                        SESSION, rng.choice((events, [INTERNAL.model_copy(update={"event_id": new_id()})]))
                    )
                    await asyncio.sleep(rng.choice((0, 0, 0.002)))
                for process in (here, there):
                    process.bus.publish(Notification("appended", SESSION))
                given = await asyncio.gather(*followers)
            reloaded = await here.reloaded()
        assert [[json.loads(told.wire()) for told in each] for each in given] == [reloaded] * 3


async def _slowly(process: Process, pace: float) -> list[DeliveredEvent]:
    found: list[DeliveredEvent] = []
    async with aclosing(process.feed.follow(SESSION, START, pause_seconds=0.5)) as batches:
        async for batch in batches:
            if not batch:
                return found
            found += batch
            await asyncio.sleep(pace * 0.01)
    return found


def test_only_what_follows_without_a_hole_is_taken() -> None:
    buffer = SubscriberBuffer()
    assert buffer.take() is None, "at first the log is read"
    buffer.advance(Position(1, 4))
    buffer.push(_stored(1, 4, 2))
    found = buffer.take()
    assert found is not None
    assert [one.seq for one in found] == [5], "what was read meanwhile is not given again"
    for epoch, first in ((1, 6), (2, 5)):
        buffer.push(_stored(epoch, first, 1))
        assert buffer.take() is None
    assert buffer.take() == []


def _stored(epoch: int, first: int, count: int) -> list:  # type: ignore[type-arg]
    events = tuple(answer(str(number)) for number in range(count))
    payloads = tuple(event.model_dump_json() for event in events)
    return stored_events(Grown(SESSION, Appended(epoch=epoch, first_seq=first, count=count), events, payloads))


def test_json_that_is_not_what_a_model_writes_has_to_be_read() -> None:
    event = answer("one")
    for payload in ("{}", '{"version":1,"sequence_number":null,"a":1}', event.placed(SESSION, 3).model_dump_json()):
        assert wire_of_new(event, payload, seq=1, epoch=1, previous_sequence=None) is None


async def test_silence_is_noticed_after_however_many_words() -> None:
    """One timer serves all waits of a follower."""
    watch = FeedSubscription()
    for _ in range(5):
        asyncio.get_running_loop().call_later(0.01, watch.notify)
        assert await watch.wait(0.04)
        watch.take()
    began = asyncio.get_running_loop().time()
    assert not await watch.wait(0.04)
    assert asyncio.get_running_loop().time() - began > 0.03
    watch.close()
