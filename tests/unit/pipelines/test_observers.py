"""An observer that raises or blocks never breaks or slows a run (F-87, T-20)."""

import asyncio
import logging
import threading

import pytest

from batuta import Pipeline, step
from batuta.events import Event
from tests.support.runs import EventList


@step
async def double(value: int) -> int:
    return value * 2


pipeline = Pipeline("p", double >> double.named("again"))
EVENTS = 8


class Plain:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)


class Raises(Plain):
    def emit(self, event: Event) -> None:
        super().emit(event)
        message = "the disk of the observer is full"
        raise OSError(message)


class NeverReturns(Plain):
    """Until the test is over."""

    def __init__(self) -> None:
        super().__init__()
        self.is_over = threading.Event()

    def emit(self, event: Event) -> None:
        self.is_over.wait(60)
        super().emit(event)


async def test_an_observer_that_raises_breaks_nothing_and_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    sink = Raises()
    assert (await pipeline.run(1, sink=sink)).value == 4
    assert len(sink.events) == EVENTS
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "observer Raises raised on step.started" in caplog.text


async def test_a_plain_list_of_events_is_complete_and_in_order_when_the_run_returns() -> None:
    for _ in range(50):
        sink, promised = Plain(), EventList()
        await pipeline.run(1, sink=sink)
        await pipeline.run(1, sink=promised)
        assert [event.type for event in sink.events] == [event.type for event in promised.events]


async def test_an_observer_that_never_returns_does_not_hold_a_run() -> None:
    """Not the first one and not the ones after it; and it has seen everything once it comes to itself."""
    sink = NeverReturns()
    for _ in range(20):
        assert (await pipeline.run(1, sink=sink)).value == 4
    assert not sink.events, "it hung all the time"
    sink.is_over.set()
    for _ in range(1000):
        if len(sink.events) == 20 * EVENTS:
            break
        await asyncio.sleep(0.01)
    assert len(sink.events) == 20 * EVENTS


async def test_an_observer_that_blocks_does_not_hold_up_other_work_of_the_loop() -> None:
    sink, ticks = NeverReturns(), 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await pipeline.run(1, sink=sink)
    before = ticks
    async with asyncio.timeout(60):
        while ticks < before + 10:
            await asyncio.sleep(0.001)
    ticking.cancel()
    assert not sink.is_over.is_set()
    sink.is_over.set()


async def test_a_thousand_runs_with_a_sink_each_need_no_thousand_threads() -> None:
    sinks = [Plain() for _ in range(1000)]
    before = threading.active_count()
    await asyncio.gather(*(pipeline.run(1, sink=sink) for sink in sinks))
    assert {len(sink.events) for sink in sinks} == {EVENTS}
    assert threading.active_count() - before < 10
