"""An observer that raises or blocks never breaks or slows a run (F-87)."""

import logging
import threading
import time

import pytest

from batuta import Pipeline, step
from batuta.events import Event
from tests.support.runs import EventList


@step
async def double(value: int) -> int:
    return value * 2


pipeline = Pipeline("p", double >> double.named("again"))
EVENTS = 8


class Raises:
    def __init__(self) -> None:
        self.seen = 0

    def emit(self, event: Event) -> None:
        self.seen += 1
        message = "the disk of the observer is full"
        raise OSError(message)


class Blocks:
    """Takes its time with every event, on whatever thread it is called."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.threads: set[int] = set()
        self.has_seen_all = threading.Event()

    def emit(self, event: Event) -> None:
        threading.Event().wait(0.06)
        self.threads.add(threading.get_ident())
        self.events.append(event)
        if len(self.events) == EVENTS:
            self.has_seen_all.set()


async def test_an_observer_that_raises_breaks_nothing_and_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    sink = Raises()
    assert (await pipeline.run(1, sink=sink)).value == 4
    assert sink.seen == EVENTS
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "observer Raises raised on step.started" in caplog.text


async def test_an_observer_that_blocks_gets_a_thread_of_its_own_and_misses_nothing() -> None:
    sink, seen = Blocks(), EventList()
    started = time.perf_counter()
    assert (await pipeline.run(1, sink=sink)).value == 4
    took = time.perf_counter() - started
    assert sink.has_seen_all.wait(10)
    await pipeline.run(1, sink=seen)
    assert [event.type for event in sink.events] == [event.type for event in seen.events]
    assert len(sink.threads) == 2
    assert took < EVENTS * 0.06, "only the first event was waited for"


async def test_an_observer_known_to_block_is_not_waited_for_again() -> None:
    """However many runs it watches, it has one thread."""

    class BlocksOften(Blocks):
        pass

    sink = BlocksOften()
    await pipeline.run(1, sink=sink)
    before = threading.active_count()
    started = time.perf_counter()
    for _ in range(5):
        await pipeline.run(1, sink=sink)
    assert time.perf_counter() - started < 0.06
    assert threading.active_count() == before
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "batuta-BlocksOften"]
    assert thread.daemon
