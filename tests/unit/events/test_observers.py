"""Observers raise, dawdle or never come back, and whoever tells them an event does not notice."""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from batuta.events import FanOutSink, FilterSink, UserMessage
from batuta.events import observers as observing
from batuta.events.envelope import Event
from batuta.events.observers import InLine, Observer, promises_not_to_block, watching
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


def test_a_sink_is_called_beside_the_caller_and_has_seen_all_when_the_run_ends() -> None:
    sink, told = Plain(), messages(1000)
    tell(sink, told).settle()
    assert sink.events == told
    assert threading.get_ident() not in sink.threads


def test_nobody_waits_for_a_sink_that_is_stuck(stuck: Stuck, caplog: pytest.LogCaptureFixture) -> None:
    started = time.perf_counter()
    observer = tell(stuck, messages(100))
    told_in = time.perf_counter() - started
    observer.settle()
    assert told_in < 1
    assert time.perf_counter() - started < 1 + observing.START_SECONDS
    assert stuck.events == []
    assert "observer Stuck is slow" in caplog.text


def test_one_that_is_known_to_be_behind_is_not_waited_for_again(stuck: Stuck, monkeypatch: pytest.MonkeyPatch) -> None:
    observer = tell(stuck, messages(1))
    observer.settle()
    monkeypatch.setattr(Observer, "catches_up", lambda *_: pytest.fail("waited again"))
    observer.emit(HELLO)
    observer.settle()
    monkeypatch.undo()


def test_what_a_slow_sink_had_before_it_is_seen_in_the_end(stuck: Stuck) -> None:
    told = messages(50)
    observer = tell(stuck, told)
    observer.settle()
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
    both.settle()
    assert other.events == [HELLO, *told]
    assert stuck.events == []


def test_as_many_as_like_may_be_stuck_at_once() -> None:
    sinks = [Stuck() for _ in range(8)]
    late, told = Plain(), messages(5)
    for sink in sinks:
        tell(sink, messages(1)).settle()
    tell(late, told).settle()
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
    watcher.settle()
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

    kept = CapturingSink()
    observer = watching(FilterSink(kept, accepts))
    started = time.perf_counter()
    observer.emit(HELLO)
    assert time.perf_counter() - started < 1
    released.set()
    assert isinstance(observer, Observer)
    assert observer.catches_up(PATIENCE)
    assert kept.events == [HELLO]


def test_all_runs_share_the_observer_of_a_sink() -> None:
    sink = Plain()
    observer = watching(sink)
    assert watching(sink) is observer
    assert watching(observer) is observer


def test_threads_end_when_nobody_tells_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observing, "IDLE_SECONDS", 0.01)
    threads = observing._Threads()
    monkeypatch.setattr(observing, "_threads", threads)
    sink, told = Plain(), messages(1)
    tell(sink, told).settle()
    end = time.monotonic() + PATIENCE
    while threads._count and time.monotonic() < end:
        time.sleep(0.01)
    assert threads._count == 0
    tell(sink, told).settle()
    assert sink.events == told * 2


def test_a_forked_child_has_observers_of_its_own(stuck: Stuck) -> None:
    tell(stuck, messages(3)).settle()
    sink = Plain()
    observer = tell(sink, messages(2))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        sink.events.clear()
        observer.emit(HELLO)
        observer.settle()
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
observer.settle()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["0", "1", "2"]
