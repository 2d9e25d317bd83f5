"""Observers raise, dawdle or never come back, and whoever tells them an event does not notice."""

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from batuta import Pipeline, step
from batuta.events import FanOutSink, FilterSink, StepCompleted, UserMessage, observer_threads
from batuta.events import observers as observing
from batuta.events.envelope import Event
from batuta.events.observers import InLine, Observer, Watcher, promises_not_to_block, watching
from batuta.kernel.errors import ConfigurationError
from batuta.testing import CapturingSink

HELLO = UserMessage(content="hello")
PATIENCE = 10.0


class Plain:
    """A sink that promises nothing."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.threads: set[int] = set()

    def emit(self, event: Event) -> None:
        self.threads.add(threading.get_ident())
        self.events.append(event)


class Stuck(Plain):
    """Does not come back from an event before it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.is_at_it = threading.Event()
        self.release = threading.Event()

    def emit(self, event: Event) -> None:
        self.is_at_it.set()
        self.release.wait(PATIENCE)
        super().emit(event)


class Raising(Plain):
    def emit(self, event: Event) -> None:
        super().emit(event)
        raise RuntimeError("out of ink")


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    sink = Stuck()
    yield sink
    sink.release.set()
    observer = watching(sink)
    assert isinstance(observer, Observer)
    assert observer.catches_up(PATIENCE)


def messages(count: int) -> list[UserMessage]:
    return [UserMessage(content=str(number)) for number in range(count)]


def tell(sink: Plain, events: list[UserMessage]) -> Observer:
    observer = watching(sink)
    assert isinstance(observer, Observer)
    for event in events:
        observer.emit(event)
    return observer


def settle(watcher: Watcher) -> None:
    """What the end of a run does."""
    if not watcher.is_settled():
        asyncio.run(watcher.settle())


@step
async def double(value: int) -> int:
    return value * 2


def test_a_sink_is_called_beside_the_caller_and_has_seen_all_when_the_run_ends() -> None:
    sink, told = Plain(), messages(1000)
    settle(tell(sink, told))
    assert sink.events == told
    assert threading.get_ident() not in sink.threads


def test_nobody_waits_for_a_sink_that_is_stuck(stuck: Stuck, caplog: pytest.LogCaptureFixture) -> None:
    settle(tell(stuck, messages(100)))
    assert stuck.events == []
    assert "observer Stuck is slow" in caplog.text


def test_one_that_is_known_to_be_behind_is_not_waited_for_again(stuck: Stuck, monkeypatch: pytest.MonkeyPatch) -> None:
    observer = tell(stuck, messages(1))
    settle(observer)
    monkeypatch.setattr(Observer, "catches_up", lambda *_: pytest.fail("waited again"))
    observer.emit(HELLO)
    assert observer.is_settled()
    monkeypatch.undo()


def test_what_a_slow_sink_had_before_it_is_seen_in_the_end(stuck: Stuck) -> None:
    told = messages(50)
    observer = tell(stuck, told)
    settle(observer)
    stuck.release.set()
    assert observer.catches_up(PATIENCE)
    assert stuck.events == told


def test_a_stuck_sink_keeps_nothing_from_the_others(stuck: Stuck) -> None:
    other, told = Plain(), messages(20)
    both = FanOutSink(stuck, other)
    both.emit(HELLO)
    assert stuck.is_at_it.wait(PATIENCE)
    for event in told:
        both.emit(event)
    settle(both)
    assert other.events == [HELLO, *told]
    assert stuck.events == []


def test_as_many_as_like_may_be_stuck_at_once() -> None:
    sinks = [Stuck() for _ in range(8)]
    late, told = Plain(), messages(5)
    for sink in sinks:
        settle(tell(sink, messages(1)))
    settle(tell(late, told))
    assert late.events == told
    for sink in sinks:
        sink.release.set()
    for sink in sinks:
        observer = watching(sink)
        assert isinstance(observer, Observer)
        assert observer.catches_up(PATIENCE)


def test_a_sink_is_never_called_twice_at_once_however_many_tell_it() -> None:
    """Several runs, in several threads, with one sink: each event once, those of one run in their order."""

    class Alone(Plain):
        inside = 0
        at_most = 0

        def emit(self, event: Event) -> None:
            self.inside += 1
            self.at_most = max(self.at_most, self.inside)
            super().emit(event)
            self.inside -= 1

    sink = Alone()
    told = [[UserMessage(content=f"{run} {number:03}") for number in range(300)] for run in range(6)]
    runs = [threading.Thread(target=tell, args=(sink, events)) for events in told]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    observer = watching(sink)
    assert isinstance(observer, Observer)
    assert observer.catches_up(PATIENCE)
    assert sink.at_most == 1
    seen = [event.content for event in sink.events if isinstance(event, UserMessage)]
    assert len(seen) == 1800
    for number, events in enumerate(told):
        assert [text for text in seen if text.startswith(f"{number} ")] == [event.content for event in events]


def test_what_does_not_fit_into_the_backlog_is_counted_and_said(
    stuck: Stuck, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(observing, "BACKLOG", 3)
    observer = tell(stuck, messages(1))
    assert stuck.is_at_it.wait(PATIENCE)
    for event in messages(10):
        observer.emit(event)
    assert observer.dropped == 7
    assert [record.getMessage() for record in caplog.records if "behind" in record.getMessage()] == [
        "observer Stuck is 3 events behind; it misses user_message and more"
    ]


@pytest.mark.parametrize("promise", [True, False])
def test_a_raising_sink_is_reported_once(promise: bool, caplog: pytest.LogCaptureFixture) -> None:
    kind = type("Raising", (Raising,), {"emit": Raising.emit, "never_blocks": promise})
    sink = kind()
    watcher = watching(sink)
    for event in messages(3):
        watcher.emit(event)
    settle(watcher)
    assert len(sink.events) == 3
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [
        "observer Raising raised on user_message: RuntimeError('out of ink')"
    ]


def test_a_sink_that_promises_not_to_block_is_called_in_line() -> None:
    class Promising(Plain):
        never_blocks = True

        def emit(self, event: Event) -> None:
            super().emit(event)

    sink = Promising()
    watcher = watching(sink)
    watcher.emit(HELLO)
    assert type(watcher) is InLine
    assert sink.threads == {threading.get_ident()}


def test_a_promise_is_not_inherited_by_another_emit() -> None:
    class Slow(CapturingSink):
        def emit(self, event: Event) -> None:
            time.sleep(1)

    assert promises_not_to_block(CapturingSink())
    assert not promises_not_to_block(Slow())


def test_a_predicate_that_blocks_is_an_observer_too() -> None:
    released = threading.Event()

    def accepts(event: Event) -> bool:
        return released.wait(PATIENCE)

    kept = Plain()
    watcher = FilterSink(kept, accepts)
    watcher.emit(HELLO)
    assert kept.events == [], "nobody waited for the predicate"
    released.set()
    settle(watcher)
    assert kept.events == [HELLO]


async def test_a_filter_calls_a_sink_where_the_sink_belongs() -> None:
    """One that feeds an `asyncio.Queue` says that it never blocks, and is called on the loop behind a filter too."""

    class Queued:
        never_blocks = True

        def __init__(self) -> None:
            self.queue: asyncio.Queue[Event] = asyncio.Queue()
            self.threads: set[int] = set()

        def emit(self, event: Event) -> None:
            self.threads.add(threading.get_ident())
            self.queue.put_nowait(event)

    by_type, by_predicate = Queued(), Queued()
    sink = FanOutSink(FilterSink(by_type, [StepCompleted]), FilterSink(by_predicate, lambda event: True))
    await Pipeline("double", double).run(1, sink=sink)
    assert by_type.threads == by_predicate.threads == {threading.get_ident()}
    assert by_type.queue.qsize() == 2


async def test_a_list_behind_a_filter_and_a_fan_out_is_complete_when_the_run_ends() -> None:
    sink = Plain()
    await Pipeline("double", double).run(1, sink=FilterSink(FanOutSink(sink), [StepCompleted]))
    assert [event.type for event in sink.events] == ["step.completed", "step.completed"]


async def test_a_predicate_that_raises_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def accepts(event: Event) -> bool:
        raise RuntimeError("no idea")

    for sink in (CapturingSink(), Plain()):
        result = await Pipeline("double", double).run(1, sink=FilterSink(sink, accepts))
        assert result.unwrap() == 2
    assert caplog.text.count("RuntimeError('no idea')") == 2


@pytest.mark.parametrize("raised", [SystemExit(3), asyncio.CancelledError(), KeyboardInterrupt()], ids=repr)
def test_a_sink_that_raises_what_ends_threads_goes_on(raised: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    class Ending(Plain):
        def emit(self, event: Event) -> None:
            super().emit(event)
            raise raised

    sink, told = Ending(), messages(3)
    settle(tell(sink, told))
    assert sink.events == told
    assert observing._threads._busy == 0
    assert caplog.text.count("observer Ending raised") == 1


async def test_a_cancellation_that_a_sink_raises_in_line_is_not_the_runs() -> None:
    class Cancelling:
        never_blocks = True

        def emit(self, event: Event) -> None:
            raise asyncio.CancelledError

    assert (await Pipeline("double", double).run(1, sink=Cancelling())).unwrap() == 2


async def test_a_stuck_sink_keeps_nothing_from_the_others_while_the_run_is_quiet(stuck: Stuck) -> None:
    """Nothing more is told that would bring the others to a thread."""
    other = Plain()

    @step
    async def wait(value: int) -> int:
        end = time.monotonic() + PATIENCE
        while not other.events and time.monotonic() < end:
            await asyncio.sleep(0.005)
        return len(other.events)

    await tell(Plain(), messages(1)).settle()  # there is a thread, and it is free
    seen = await Pipeline("wait", wait).run(1, sink=FanOutSink(stuck, other))
    assert seen.unwrap() > 0


async def test_the_loop_is_free_while_a_run_waits_for_its_observers(stuck: Stuck) -> None:
    """However many events wait and however many observers are stuck, it is the patience for one that is waited."""
    observer = tell(stuck, messages(observing.BACKLOG))
    assert stuck.is_at_it.wait(PATIENCE)
    looks = 0
    settling = asyncio.create_task(FanOutSink(*[observer] * 8).settle())
    while not settling.done():
        await asyncio.sleep(0)
        looks += 1
    assert looks > 1
    assert observer.is_settled()


@pytest.mark.parametrize("events", [1, observing.BACKLOG])
def test_the_patience_with_a_stuck_sink_does_not_grow_with_what_it_misses(stuck: Stuck, events: int) -> None:
    observer = tell(stuck, messages(1))
    assert stuck.is_at_it.wait(PATIENCE)
    patience = observing._Patience(observer, events)
    looks = 0
    while patience.lasts(observing.LOOK_SECONDS):
        looks += 1
    assert looks * observing.LOOK_SECONDS <= observing.PATIENCE_SECONDS


def test_when_all_threads_are_held_up_nobody_waits_for_one_to_begin(
    stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observer_threads, "MAX_THREADS", 1)
    monkeypatch.setattr(observing, "_threads", observer_threads.ObserverThreads())
    tell(stuck, messages(1))
    assert stuck.is_at_it.wait(PATIENCE)
    sink = Plain()
    observer = tell(sink, messages(1))
    patience = observing._Patience(observer, 1)
    assert sum(1 for _ in iter(lambda: patience.lasts(observing.LOOK_SECONDS), False)) <= 4
    stuck.release.set()
    assert observer.catches_up(PATIENCE)
    assert len(sink.events) == 1


async def test_a_machine_without_threads_harms_no_run_and_observers_see_all_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(observing, "_threads", observer_threads.ObserverThreads())
    sink = Plain()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refused)
        patch.setattr(observing, "START_SECONDS", 0.01)
        assert (await Pipeline("double", double).run(1, sink=sink)).unwrap() == 2
    assert sink.events == []
    assert "no thread for observers" in caplog.text
    assert (await Pipeline("double", double).run(1, sink=sink)).unwrap() == 2
    observer = watching(sink)
    assert isinstance(observer, Observer)
    assert observer.catches_up(PATIENCE)
    assert [event.type for event in sink.events].count("step.completed") == 4


def test_two_threads_that_begin_with_a_sink_at_once_share_its_observer(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2)
    make = Observer.__init__

    def slowly(self: Observer, sink: Plain) -> None:
        time.sleep(0.05)
        make(self, sink)

    monkeypatch.setattr(Observer, "__init__", slowly)
    sink = Plain()
    found: list[Watcher] = []

    def begin() -> None:
        both.wait(PATIENCE)
        found.append(watching(sink))

    threads = [threading.Thread(target=begin) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]


class Awaited:
    async def emit(self, event: Event) -> None:
        raise AssertionError(event)


@pytest.mark.parametrize(
    ("sink", "advice"),
    [
        ([], "a sink is an object with a method emit\\(event\\), got \\[\\]"),
        (Plain, "a sink is an object with a method emit"),
        (Awaited(), "Awaited.emit is async and would not be awaited: write `def emit`"),
    ],
)
async def test_what_is_no_sink_is_refused_before_anything_runs(sink: Any, advice: str) -> None:
    with pytest.raises(ConfigurationError, match=advice):
        await Pipeline("double", double).run(1, sink=sink)
    with pytest.raises(ConfigurationError, match=advice):
        FanOutSink(sink)


def test_all_runs_share_the_observer_of_a_sink() -> None:
    sink = Plain()
    observer = watching(sink)
    assert watching(sink) is observer
    assert watching(observer) is observer


def test_threads_end_when_nobody_tells_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observer_threads, "IDLE_SECONDS", 0.01)
    threads = observer_threads.ObserverThreads()
    monkeypatch.setattr(observing, "_threads", threads)
    sink, told = Plain(), messages(1)
    settle(tell(sink, told))
    end = time.monotonic() + PATIENCE
    while threads._count and time.monotonic() < end:
        time.sleep(0.01)
    assert threads._count == 0
    settle(tell(sink, told))
    assert sink.events == told * 2


def test_a_forked_child_has_observers_of_its_own(stuck: Stuck) -> None:
    settle(tell(stuck, messages(3)))
    sink = Plain()
    observer = tell(sink, messages(2))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        sink.events.clear()
        observer.emit(HELLO)
        settle(observer)
        os.write(writing, str(len(sink.events)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "1"
    os.waitpid(child, 0)


def test_a_process_that_ends_waits_for_an_observer_that_is_behind() -> None:
    program = """
import time
from batuta.events import UserMessage
from batuta.events.observers import watching

class Slow:
    def emit(self, event):
        time.sleep(0.1)
        print(event.content, flush=True)

observer = watching(Slow())
for number in range(3):
    observer.emit(UserMessage(content=str(number)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["0", "1", "2"]
