"""The emitter: recorded before observed, numbered in order, no branch on the type of an event."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from batuta.events import (
    ContentDelta,
    Emitter,
    Event,
    Stamp,
    StepStarted,
    UserMessage,
    decode,
    encode,
)
from batuta.events.agui import translate
from batuta.events.fold import fold
from batuta.events.recording import ensure_attributed
from batuta.events.sink import OnStored
from batuta.events.wire import from_wire, store_name, to_contract, to_wire
from batuta.kernel.errors import FencedError, RecordingFailedError
from batuta.kernel.ids import EventId, new_id
from tests.support.own_events import weather_event

SESSION = "019A8FD0-12AB-7CDE-8FAB-000000000001"
TURN = "019A8FD0-12AB-7CDE-8FAB-000000000002"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class Desk:
    """A recorder and an observer that write down, in one list, who saw what."""

    never_blocks = True

    def __init__(self, failure: Exception | None = None) -> None:
        self.seen: list[tuple[str, Event]] = []
        self._failure = failure

    async def record(self, event: Event) -> Event:
        if self._failure is not None:
            raise self._failure
        ensure_attributed(event)
        stored = event.model_copy(update={"sequence_number": len(self.seen) + 1})
        self.seen.append(("recorded", stored))
        return stored

    def emit(self, event: Event) -> None:
        self.seen.append(("observed", event))

    def told(self, how: str) -> list[Event]:
        return [event for who, event in self.seen if who == how]


def emitter(desk: Desk, *, recorder: bool = True, sink: bool = True) -> Emitter:
    stamp = Stamp(correlation_id="order-7", session_id=SESSION.lower(), turn_id=TURN.lower())
    return Emitter(stamp, now=lambda: NOON, sink=desk if sink else None, recorder=desk if recorder else None)


async def test_an_event_is_recorded_before_it_is_observed() -> None:
    """Both persisted kinds are in the log before anybody sees them."""
    desk = Desk()
    await emitter(desk).emit(UserMessage(content="hello"))
    assert [who for who, _ in desk.seen] == ["recorded", "observed"]
    assert desk.seen[1][1].sequence_number == 1


@pytest.mark.parametrize(
    "event", [StepStarted(step_name="s", step_type="t", path="p"), UserMessage(content="hello")], ids=lambda e: e.type
)
async def test_the_envelope_of_the_run_is_stamped_on_every_event(event: Event) -> None:
    """E-2, E-3: also on those that are not validated."""
    desk = Desk()
    await emitter(desk).emit(event, "p")
    event = desk.told("observed")[0]
    assert (event.session_id, event.turn_id, event.timestamp) == (SESSION, TURN, NOON)
    assert event.correlation_id == "order-7"
    assert event.trace_id is not None


async def test_positions_in_a_turn_are_dense_and_increasing() -> None:
    desk = Desk()
    tells = emitter(desk)
    for content in ("one", "two", "three"):
        await tells.emit(UserMessage(content=content))
    assert [event.original_index for event in desk.told("observed")] == [1, 2, 3]


async def test_a_transient_event_is_never_recorded() -> None:
    desk = Desk()
    await emitter(desk).emit(ContentDelta(delta="h", source_agent_id="erp"))
    assert [who for who, _ in desk.seen] == ["observed"]


async def test_a_recorder_that_fails_fails_the_step_as_transient() -> None:
    """T-20: the one recording sink is awaited; nobody sees what it did not take."""
    desk = Desk(OSError("disk full"))
    with pytest.raises(RecordingFailedError, match="disk full") as failure:
        await emitter(desk).emit(UserMessage(content="hello"))
    assert failure.value.retryable
    assert desk.seen == []


async def test_an_error_of_ours_passes_the_emitter_unchanged() -> None:
    desk = Desk(FencedError("another worker took over"))
    with pytest.raises(FencedError):
        await emitter(desk).emit(UserMessage(content="hello"))


async def test_without_a_recorder_everything_is_observed() -> None:
    desk = Desk()
    tells = emitter(desk, recorder=False)
    await tells.emit(UserMessage(content="hello"))
    await tells.emit(StepStarted(step_name="s", step_type="t", path="p"), "p")
    assert [event.type for event in desk.told("observed")] == ["user_message", "step.started"]


async def test_without_a_recorder_or_an_observer_an_event_stays_as_it_was_made() -> None:
    silent = emitter(Desk(), recorder=False, sink=False)
    assert not silent.is_heard
    event = UserMessage(content="hello")
    await silent.emit(event)
    assert event.original_index == 0


async def test_an_event_that_is_emitted_twice_is_two_events() -> None:
    """Each is in the log under its own id and position."""
    desk = Desk()
    tells, event = emitter(desk), UserMessage(content="hello")
    await tells.emit(event)
    await tells.emit(event)
    first, second = desk.told("recorded")
    assert first.event_id != second.event_id
    assert (first.original_index, second.original_index) == (1, 2)


class ByPlace:
    """Names events by the place that emits them."""

    def name(self, event: Event, key: str) -> str:
        return "019A8FD0-12AB-7CDE-8FAB-00000000000" + key

    def id_for(self, key: str) -> str:
        return self.name(UserMessage(content=""), key)


async def test_an_id_comes_from_the_place_unless_it_was_given_or_the_event_is_live() -> None:
    desk = Desk()
    tells = Emitter(Stamp(correlation_id="c"), now=lambda: NOON, recorder=desk, naming=ByPlace())
    given = EventId(new_id())
    live = UserMessage(content="hello")
    await tells.emit(UserMessage(content="hello"), "7")
    await tells.emit(UserMessage(content="hello", event_id=given), "7")
    await tells.emit(live, None)
    assert [event.event_id[-3:] for event in desk.told("recorded")] == ["007", given[-3:], live.event_id[-3:]]


@pytest.fixture
def weather_changed() -> Iterator[type[Event]]:
    """An event of somebody's own."""
    with weather_event() as kind:
        yield kind


async def test_an_event_added_to_the_table_is_recorded_exported_delivered_and_folded(
    weather_changed: type[Event],
) -> None:
    """E-14: strategy and audience come from the table; nothing on the road asks for the type."""
    desk = Desk()
    await emitter(desk).emit(weather_changed.model_validate({"sky": "rain", "source_agent_id": "erp"}))
    (stored,) = desk.told("recorded")
    assert decode(encode(stored)) == stored
    assert store_name(stored.type) == "weather_observed"

    exported = to_contract(stored)
    assert (exported["event_type"], exported["sky"]) == ("weather_changed", "rain")

    sent = to_wire(stored, epoch=1, previous_sequence=None)
    assert sent["type"] == "weather"
    assert from_wire(sent).event == stored

    (item,) = fold([from_wire(sent)]).turns[0].items
    assert item.model_dump(include={"kind", "event_type", "payload"}) == {
        "kind": "other",
        "event_type": "weather_changed",
        "payload": {"sky": "rain"},
    }
    told, _ = translate([stored])
    custom: dict[str, Any] = told[-1]
    assert (custom["type"], custom["name"], custom["value"]) == ("CUSTOM", "weather_changed", {"sky": "rain"})


class Pipeline:
    """A recorder that stores when it is told to, and notes who waited."""

    never_blocks = True

    def __init__(self, failure: Exception | None = None) -> None:
        self.seen: list[str] = []
        self._failure = failure
        self._waiting: list[tuple[Event, OnStored | None]] = []

    def submit(self, event: Event, on_stored: OnStored | None = None) -> None:
        self.seen.append(f"submitted {event.type}")
        self._waiting.append((event, on_stored))

    async def barrier(self) -> None:
        self.seen.append("barrier")
        if self._failure is not None:
            raise self._failure
        while self._waiting:
            event, on_stored = self._waiting.pop(0)
            if on_stored is not None:
                on_stored(event)

    async def record(self, event: Event) -> Event:
        raise AssertionError("a pipelined recorder is given events by `submit`")

    def emit(self, event: Event) -> None:
        self.seen.append(f"observed {event.type}")


def begun() -> StepStarted:
    return StepStarted(step_name="s", step_type="t", path="p")


def pipelined(pipeline: Pipeline) -> Emitter:
    return Emitter(Stamp(correlation_id="c"), now=lambda: NOON, sink=pipeline, recorder=pipeline)


async def test_a_pipelined_recorder_is_waited_for_only_where_the_row_says_so() -> None:
    """`sync_required` is a barrier; anything else is stored while the run goes on."""
    pipeline = Pipeline()
    tells = pipelined(pipeline)
    await tells.emit(begun(), "p")
    await tells.emit(ContentDelta(delta="h", source_agent_id="erp"))
    assert pipeline.seen == ["submitted step.started", "submitted content_delta"]
    await tells.emit(UserMessage(content="hello"))
    assert pipeline.seen[2:] == [
        "submitted user_message",
        "barrier",
        "observed step.started",
        "observed content_delta",
        "observed user_message",
    ]


async def test_a_run_ends_when_everything_it_told_is_durable() -> None:
    pipeline = Pipeline()
    tells = pipelined(pipeline)
    await tells.emit(begun(), "p")
    await tells.settle()
    assert pipeline.seen == ["submitted step.started", "barrier", "observed step.started"]


async def test_what_could_not_be_stored_surfaces_at_the_barrier() -> None:
    tells = pipelined(Pipeline(RecordingFailedError("the disk is full")))
    await tells.emit(begun(), "p")
    with pytest.raises(RecordingFailedError):
        await tells.barrier()
