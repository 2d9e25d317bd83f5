"""The channel: bounded, never waits long, never drops what is persisted, counts what it drops (T-21)."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from batuta.events import ContentDelta, Event, EventSink, LlmExchanged, StepStarted
from batuta.events.catalogue import encode
from batuta.events.observers import watching
from batuta.observability.channel import EventChannel, Interest, Overflow, Subscription
from batuta.observability.spill import PORTION, Spill, SpillFile
from batuta.observability.subscription import MAX_CONTENTS
from batuta.testing import CapturingSink
from tests.unit.observability.told import CORRELATION, persisted, transient


class Gate:
    """A sink that lets nothing through until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.is_stuck = threading.Event()
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.is_stuck.set()
        assert self.open.wait(60)
        self.events.append(event)


@contextmanager
def stuck(
    overflow: Overflow, capacity: int = 3, *, bound: timedelta = timedelta(milliseconds=20)
) -> Iterator[tuple[EventChannel, Gate, Subscription]]:
    """A channel whose only subscriber holds one event in its hands and takes no other."""
    gate = Gate()
    with EventChannel(max_wait=bound) as channel:
        subscription = channel.attach(gate, name="gate", capacity=capacity, overflow=overflow)
        channel.emit(persisted(0))
        assert gate.is_stuck.wait(60)
        try:
            yield channel, gate, subscription
        finally:
            gate.open.set()


def names(gate: Gate) -> list[str]:
    return [event.step_name if isinstance(event, StepStarted) else f"d{event.delta}" for event in gate.events]  # type: ignore[attr-defined] # one of two


def test_a_channel_is_a_sink() -> None:
    assert isinstance(EventChannel(), EventSink)


def test_every_subscriber_gets_every_event_in_order() -> None:
    first, second = CapturingSink(), CapturingSink()
    events = [persisted(number) for number in range(1_000)]
    with EventChannel() as channel:
        channel.attach(first, name="first")
        channel.attach(second, name="second")
        for event in events:
            channel.emit(event)
        assert channel.drain()
        assert [each.delivered for each in channel.stats()] == [1_000, 1_000]
    assert first.events == second.events == events


def test_events_are_filtered_by_type_and_correlation_id() -> None:
    deltas, run = CapturingSink(), CapturingSink()
    with EventChannel() as channel:
        channel.attach(deltas, name="deltas", interest=Interest.in_types([ContentDelta]))
        channel.attach(run, name="run", interest=Interest.in_types(["step.started"], CORRELATION))
        for event in (persisted(1), transient(2), persisted(3, "another")):
            channel.emit(event)
        channel.drain()
    assert [event.type for event in deltas.events] == ["content_delta"]
    assert [(event.type, event.correlation_id) for event in run.events] == [("step.started", CORRELATION)]


def test_drop_lets_transient_events_go_first_and_counts_them() -> None:
    with stuck(Overflow.DROP) as (channel, gate, subscription):
        for event in (transient(1), persisted(2), transient(3), persisted(4), persisted(5), transient(6)):
            channel.emit(event)
        assert subscription.stats().dropped == 3
        assert subscription.stats().state == "connected"
        gate.open.set()
        channel.drain()
        assert names(gate) == ["s0", "s2", "s4", "s5"]


def test_a_buffer_full_of_persisted_events_disconnects_rather_than_drops() -> None:
    with stuck(Overflow.DROP) as (channel, gate, subscription):
        for number in range(1, 6):
            channel.emit(persisted(number))
        stats = subscription.stats()
        assert (stats.state, stats.dropped, stats.missed) == ("disconnected", 0, 2)
        gate.open.set()
        subscription.wait_until_idle(60)
        assert names(gate) == ["s0", "s1", "s2", "s3"], "what was accepted is handed over"


def test_disconnect_takes_all_or_nothing() -> None:
    with stuck(Overflow.DISCONNECT) as (channel, _, subscription):
        for number in range(1, 5):
            channel.emit(transient(number))
        stats = subscription.stats()
        assert (stats.state, stats.dropped, stats.missed) == ("disconnected", 0, 1)


def test_spill_keeps_persisted_events_in_a_file_in_order() -> None:
    with stuck(Overflow.SPILL) as (channel, gate, subscription):
        for number in range(1, 2_001):
            channel.emit(persisted(number))
            channel.emit(transient(number))
        stats = subscription.stats()
        assert stats.depth == 2_000 + 1
        assert stats.spilled == 2_000 - 2
        gate.open.set()
        assert channel.drain()
        assert [name for name in names(gate) if name.startswith("s")] == [f"s{number}" for number in range(2_001)]
        assert subscription.stats().dropped == 1_999
        channel.emit(persisted(9_999))
        channel.drain()
        assert names(gate)[-1] == "s9999", "once it has caught up the buffer takes over again"


def test_what_comes_while_others_wait_in_the_file_waits_behind_them() -> None:
    subscription = Subscription("s", capacity=2, overflow=Overflow.SPILL, max_wait=0.01)
    for number in (1, 2, 3):
        subscription.offer(persisted(number))
    first = subscription.take(1) or []
    subscription.offer(persisted(4))  # there is room in the buffer, but 3 came before
    rest = [event for _ in range(3) for event in subscription.take(1) or []]
    assert [event.step_name for event in first + rest if isinstance(event, StepStarted)] == ["s1", "s2", "s3", "s4"]


def written(spill: Spill) -> Spill:
    """The same, once its thread has written something."""
    until(lambda: spill.size > 0)
    return spill


def until(holds: Callable[[], bool]) -> None:
    """Return once it does."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.001)


def test_a_spilled_event_comes_back_as_it_was() -> None:
    spill, event = Spill("s"), persisted(7)
    assert spill.put(event, 0)
    assert written(spill).size > 100
    [line] = spill.take(5)
    assert isinstance(line, bytes)
    assert StepStarted.model_validate_json(line) == event
    assert len(spill) == 0
    spill.close()


def test_what_is_put_and_taken_at_once_keeps_its_order() -> None:
    """However far the writing is: in the file, in hand, or not begun."""
    spill, taken = Spill("s"), list[Event]()

    def produce() -> None:
        for number in range(5_000):
            assert spill.put(persisted(number), 1)

    producer = threading.Thread(target=produce)
    producer.start()
    while producer.is_alive() or len(spill):
        taken += [StepStarted.model_validate_json(e) if isinstance(e, bytes) else e for e in spill.take(100)]
    spill.close()
    assert [event.step_name for event in taken if isinstance(event, StepStarted)] == [f"s{n}" for n in range(5_000)]


def test_a_producer_does_not_make_text_of_what_it_spills(monkeypatch: pytest.MonkeyPatch) -> None:
    """T-21: that, and the disk, is what made runs slow beside a subscriber that hangs."""
    by: set[str] = set()

    def noted(event: Event) -> bytes:
        by.add(threading.current_thread().name)
        return encode(event)

    monkeypatch.setattr("batuta.observability.spill.encode", noted)
    with stuck(Overflow.SPILL) as (channel, gate, subscription):
        for number in range(1, 500):
            channel.emit(persisted(number))
        until(lambda: bool(by))
        gate.open.set()
        assert channel.drain()
    assert by == {f"batuta-{subscription.name}-spill"}


def test_a_disk_that_hangs_costs_a_producer_the_bound_once_and_then_the_subscriber(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Memory is bounded too."""
    monkeypatch.setattr("batuta.observability.spill.UNWRITTEN", 10)
    monkeypatch.setattr("batuta.observability.spill.MAX_UNWRITTEN", 200)
    hangs = threading.Event()

    def hang(_: SpillFile, __: bytes) -> None:
        hangs.wait(60)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(SpillFile, "append", hang)
    with stuck(Overflow.SPILL) as (channel, _, subscription):
        for number in range(1_000):
            channel.emit(persisted(number))
        stats = subscription.stats()
        hangs.set()
    assert stats.state == "disconnected"
    assert stats.spilled <= 200 + PORTION
    assert stats.waits <= 1, "once it is known to hang, nothing waits for it"


def test_a_disk_that_does_not_give_back_what_it_took_disconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    """The subscriber knows that it missed something, and where to read on."""
    is_taken = threading.Event()
    monkeypatch.setattr(SpillFile, "append", lambda file, lines: is_taken.set())
    with stuck(Overflow.SPILL) as (channel, gate, subscription):
        for number in range(1, 51):
            channel.emit(persisted(number))
        assert is_taken.wait(60)
        gate.open.set()
        assert channel.drain()
        stats = subscription.stats()
    assert (stats.state, stats.delivered + stats.missed) == ("disconnected", 51)
    assert stats.missed > 0


def test_too_much_in_a_file_disconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("batuta.observability.subscription.MAX_SPILL_BYTES", 1_000)
    with stuck(Overflow.SPILL) as (channel, _, subscription):
        told_until_disconnected(channel, subscription)


def test_a_full_disk_disconnects_loses_nothing_accepted_and_does_not_reach_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(_: SpillFile, __: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SpillFile, "append", full)
    with stuck(Overflow.SPILL) as (channel, gate, subscription):
        accepted = told_until_disconnected(channel, subscription) - 1
        gate.open.set()
        subscription.wait_until_idle(60)
        assert [name for name in names(gate) if name.startswith("s")] == [f"s{n}" for n in range(accepted + 1)]


def told_until_disconnected(channel: EventChannel, subscription: Subscription) -> int:
    """How many events that took."""
    end = time.monotonic() + 60
    number = 0
    while subscription.stats().state == "connected":
        assert time.monotonic() < end, "it is still connected"
        number += 1
        channel.emit(persisted(number))
    return number


def test_what_a_subscription_raises_does_not_reach_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Subscription, __: Event) -> None:
        raise RuntimeError("Event loop is closed")

    monkeypatch.setattr(Subscription, "offer", broken)
    with EventChannel() as channel:
        channel.attach(CapturingSink(), name="broken")
        channel.emit(persisted())


def test_a_run_calls_the_channel_directly() -> None:
    """It promises what the guard would enforce; in a thread of its own it would hear the end of a run too late."""
    channel = EventChannel()
    assert watching(channel) is channel
    channel.close()


def test_block_waits_for_room_within_the_bound() -> None:
    with stuck(Overflow.BLOCK, bound=timedelta(seconds=10)) as (channel, gate, subscription):
        for number in range(1, 4):
            channel.emit(persisted(number))
        threading.Timer(0.005, gate.open.set).start()
        channel.emit(persisted(4))
        channel.drain()
        assert names(gate) == ["s0", "s1", "s2", "s3", "s4"]
        assert subscription.stats().waits == 1


def test_block_waits_once_per_stall_and_never_longer_than_the_bound() -> None:
    with stuck(Overflow.BLOCK) as (channel, _, subscription):
        for number in range(1, 4):
            channel.emit(persisted(number))
        for number in range(200):
            channel.emit(transient(number))
        stats = subscription.stats()
        assert (stats.waits, stats.dropped, stats.state) == (1, 200, "connected")


def test_the_bound_is_for_all_subscribers_together() -> None:
    """T-21: a producer waits no longer than the bound, however many subscribers hang."""
    gates = [Gate() for _ in range(4)]
    with EventChannel(max_wait=timedelta(milliseconds=100)) as channel:
        subscriptions = [
            channel.attach(gate, name=f"gate-{number}", capacity=1, overflow=Overflow.BLOCK)
            for number, gate in enumerate(gates)
        ]
        channel.emit(persisted(0))
        assert all(gate.is_stuck.wait(5) for gate in gates)
        channel.emit(persisted(1))
        channel.emit(transient(2))
        assert [stats.waits for stats in channel.stats()] == [1, 1, 1, 1]
        assert sum(each.max_wait for each in subscriptions) == pytest.approx(0.1)
        for gate in gates:
            gate.open.set()


def test_a_subscriber_that_raises_is_reported_once_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    class Failing:
        seen = 0

        def emit(self, event: Event) -> None:
            self.seen += 1
            raise ValueError("no")

    failing = Failing()
    with caplog.at_level(logging.ERROR, "batuta.observability"), EventChannel() as channel:
        channel.attach(failing, name="failing")
        for number in range(5):
            channel.emit(persisted(number))
        channel.drain()
        assert channel.stats()[0].failures == 5
    assert failing.seen == 5
    assert len(caplog.records) == 1


async def test_an_async_subscriber_sees_events_as_they_come() -> None:
    with EventChannel() as channel:
        async with channel.subscribe(name="live", interest=Interest.in_types([StepStarted])) as events:
            asyncio.get_running_loop().call_later(0.001, channel.emit, persisted(1))
            first = await asyncio.wait_for(anext(events), 5)
            thread = threading.Thread(target=channel.emit, args=(persisted(2),))
            thread.start()
            second = await asyncio.wait_for(anext(events), 5)
            thread.join()
        channel.emit(persisted(3))
        assert channel.stats() == []
    assert [event.step_name for event in (first, second) if isinstance(event, StepStarted)] == ["s1", "s2"]


async def test_an_async_subscriber_that_lags_is_told_by_the_end_of_its_events() -> None:
    with EventChannel() as channel:
        async with channel.subscribe(name="slow", capacity=2, overflow=Overflow.BLOCK) as events:
            for number in range(5):
                channel.emit(persisted(number))
            assert channel.stats()[0].waits == 0, "in its own loop nobody can wait for it"
            seen = [event async for event in events]
            assert len(seen) == 2
            assert channel.stats()[0].state == "disconnected"


def test_where_to_read_on_after_a_disconnection() -> None:
    with EventChannel() as channel:
        subscription = channel.attach(CapturingSink(), name="reader")
        for number in (11, 12, 13):
            channel.emit(persisted().model_copy(update={"sequence_number": number}))
        channel.drain()
        assert subscription.stats().last_sequence_number == 13


def test_events_of_several_threads_are_all_counted() -> None:
    with EventChannel() as channel:
        channel.attach(CapturingSink(), name="all", capacity=100_000)
        threads = [threading.Thread(target=emit_often, args=(channel, persisted())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert channel.drain()
        assert channel.emitted == channel.stats()[0].delivered == 40_000


def test_detaching_ends_a_subscription() -> None:
    kept = CapturingSink()
    with EventChannel() as channel:
        subscription = channel.attach(kept, name="kept")
        channel.emit(persisted(1))
        channel.drain()
        channel.detach(subscription)
        channel.emit(persisted(2))
    assert len(kept.events) == 1


def test_a_sink_that_was_detached_in_the_middle_is_given_nothing_more() -> None:
    """Whoever detaches a sink may close it next: what its thread holds already is not handed over either."""
    gate = Gate()
    with EventChannel() as channel:
        subscription = channel.attach(gate, name="gate")
        for number in range(100):
            channel.emit(persisted(number))
        assert gate.is_stuck.wait(60)
        channel.detach(subscription)
        gate.open.set()
        _wait_for_end_of("batuta-gate")
        assert len(gate.events) <= 1
        assert channel.drain(timedelta(0)), "a channel does not wait for whom it let go"


def test_what_was_not_seen_before_the_close_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    with stuck(Overflow.SPILL) as (channel, _, _):
        channel.close(timedelta(0))
    assert "closed after 0 s before all was seen by: gate" in caplog.text


def test_subscribers_that_come_and_go_leave_nothing_behind() -> None:
    with EventChannel() as channel:
        for _ in range(50):
            channel.detach(channel.attach(CapturingSink(), name="passer-by"))
        assert channel.stats() == []
        assert channel._pumps == []


def _wait_for_end_of(thread_name: str) -> None:
    for thread in threading.enumerate():
        if thread.name == thread_name:
            thread.join(5)
            assert not thread.is_alive()


def test_a_buffer_has_room_for_something() -> None:
    with pytest.raises(ValueError, match="at least one event"):
        Subscription("none", capacity=0, overflow=Overflow.DROP, max_wait=0.01)


def emit_often(channel: EventChannel, event: Event) -> None:
    for _ in range(10_000):
        channel.emit(event)


def contents(number: int) -> Event:
    return LlmExchanged(call_id=str(number), path="p", system="", messages=({"role": "user", "content": []},))


def test_few_contents_wait_for_a_subscriber_that_lags() -> None:
    """Each holds a whole conversation: thousands of them would fill the memory long before they fill the buffer."""
    gate = Gate()
    with EventChannel() as channel:
        subscription = channel.attach(gate, name="gate", interest=Interest(has_contents=True))
        channel.emit(persisted(0))
        assert gate.is_stuck.wait(60)
        for number in range(MAX_CONTENTS + 10):
            channel.emit(contents(number))
            channel.emit(persisted(number + 1))
        assert subscription.stats().dropped == 10
        gate.open.set()
        assert channel.drain()
        assert [event.call_id for event in gate.events if isinstance(event, LlmExchanged)] == [
            str(number) for number in range(MAX_CONTENTS)
        ]
        assert sum(isinstance(event, StepStarted) for event in gate.events) == MAX_CONTENTS + 11
        channel.emit(contents(0))
        assert channel.drain()
        assert subscription.stats().dropped == 10, "there is room again"
