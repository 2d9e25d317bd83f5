"""E-14: an event type that is added to the table alone takes the whole road, as its row says."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from batuta import Context, Pipeline, step
from batuta.events import Audience, Event, Persistence, UserMessage
from batuta.events.fold import fold
from batuta.events.log import Position
from batuta.events.wire import from_wire, to_contract, to_wire
from batuta.eventstore.recorder import TurnRecorder
from batuta.eventstore.replay import session_events
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel.errors import StepFailedError, UnattributedEventError
from batuta.kernel.ids import SessionId, new_id
from batuta.observability.channel import EventChannel, Interest
from batuta.server.live.feed import SessionFeed
from batuta.server.live.live_text import LiveEventSink
from batuta.server.live.notifications import LocalNotificationBus, Notification
from batuta.server.live.stored_events import DeliveredEvent
from batuta.testing import CapturingSink
from tests.support.own_events import weather_event

SESSION, TURN = SessionId(new_id()), new_id()


class Road:
    """A log in a file, a channel with somebody who exports, and a session that is followed."""

    def __init__(self, path: Path) -> None:
        self.log = SqliteEventLog(path)
        self.bus = LocalNotificationBus()
        self.exported = CapturingSink()
        self.ensured: list[int] = []

    async def ensure(self, session: str, seq: int) -> None:
        """Note which events wait for their read models."""
        self.ensured.append(seq)

    async def travel(self, kind: type[Event], **payload: str) -> list[DeliveredEvent]:
        """Tell the event in a pipeline; what a follower of the session is given of it."""

        @step
        async def look(text: str, ctx: Context) -> str:
            await ctx.emit(kind.model_validate(payload))
            return text

        feed = SessionFeed(self.log, self.bus, self)
        asked = UserMessage(session_id=SESSION, turn_id=TURN, content="Will it rain?")
        await self.log.append(SESSION, [asked])
        with feed.receiving(), EventChannel() as channel:
            channel.attach(self.exported, name="export", interest=Interest(types=frozenset({"weather_changed"})))
            async with aclosing(feed.follow(SESSION, Position(1, 0), pause_seconds=0.05)) as batches:
                given = await anext(batches)
                result = await Pipeline("sky", look).run(
                    "look",
                    session_id=SESSION,
                    turn_id=TURN,
                    sink=_Both(channel, LiveEventSink(self.bus)),
                    recorder=TurnRecorder(self.log, SESSION),
                )
                result.unwrap()
                self.bus.publish(Notification("appended", SESSION))
                while batch := await asyncio.wait_for(anext(batches), 5):
                    given += batch
        return [delivered for delivered in given if delivered.event.type == "weather_changed"]


class _Both:
    """Two observers as one."""

    def __init__(self, *sinks: EventChannel | LiveEventSink) -> None:
        self._sinks = sinks

    def emit(self, event: Event) -> None:
        for sink in self._sinks:
            sink.emit(event)


@pytest.fixture
async def road(tmp_path: Path) -> AsyncIterator[Road]:
    found = Road(tmp_path / "own.db")
    async with found.log:
        yield found


@pytest.mark.parametrize("audience", list(Audience))
@pytest.mark.parametrize("persistence", list(Persistence))
async def test_its_row_alone_says_how_it_is_recorded_delivered_exported_and_folded(
    road: Road, persistence: Persistence, audience: Audience
) -> None:
    with weather_event(persistence, audience) as kind:
        delivered = await road.travel(kind, sky="rain", source_agent_id="erp")
        stored = [event for event in await session_events(road.log, SESSION) if event.type == "weather_changed"]
        view = fold(from_wire(to_wire(each.event, epoch=1, previous_sequence=None)) for each in delivered)

        assert len(stored) == (persistence is not Persistence.TRANSIENT)
        assert len(delivered) == (audience is Audience.EXTERNAL)
        assert all(event == each.event for event, each in zip(stored, delivered, strict=False))
        (exported,) = map(to_contract, road.exported.events)
        assert (exported["event_type"], exported["sky"]) == ("weather_changed", "rain")
        is_shown = persistence is not Persistence.TRANSIENT and audience is Audience.EXTERNAL
        assert view.unknown == ({"weather_changed": 1} if is_shown else {})
        if is_shown:
            (item,) = view.turns[0].items
            assert item.model_dump(include={"event_type", "payload"}) == {
                "event_type": "weather_changed",
                "payload": {"sky": "rain"},
            }
        waited = [event for event in stored if event.sequence_number in road.ensured]
        assert bool(waited) == (persistence is Persistence.SYNC_REQUIRED)


async def test_its_role_alone_says_that_it_needs_an_agent(road: Road) -> None:
    """E-6: refused by the recorder, not stored as null."""
    with weather_event() as kind:
        with pytest.raises(StepFailedError) as refused:
            await road.travel(kind, sky="rain")
        assert isinstance(refused.value.error.exception, UnattributedEventError)
        assert kind.route.type not in {event.type for event in await session_events(road.log, SESSION)}
        assert not road.exported.events
