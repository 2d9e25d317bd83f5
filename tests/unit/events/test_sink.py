"""Sinks: observers that raise or block do not harm the run they watch."""

import logging
import threading

import pytest

from batuta.events import Event, FanOutSink, FilterSink, TitleChanged, UserMessage
from batuta.events import sink as sinks
from batuta.events.sink import GuardedSink, guarded

HELLO = UserMessage(content="hello")
TITLE = TitleChanged(title="Greeting")
PATIENCE = 10.0


class Collecting:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)


class Raising:
    def emit(self, event: Event) -> None:
        raise RuntimeError("out of ink")


class Blocking:
    """Does not come back before it is released, and remembers who called it."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.done = threading.Event()
        self.threads: list[str] = []

    def emit(self, event: Event) -> None:
        self.threads.append(threading.current_thread().name)
        if event is TITLE:
            self.done.set()
        else:
            self.release.wait(PATIENCE)


def test_fan_out_hands_each_event_to_every_sink_in_order() -> None:
    first, second = Collecting(), Collecting()
    fan_out = FanOutSink(first, second)
    fan_out.emit(HELLO)
    fan_out.emit(TITLE)
    assert first.events == second.events == [HELLO, TITLE]


def test_a_raising_sink_keeps_nothing_from_the_others(caplog: pytest.LogCaptureFixture) -> None:
    """T-20: an observer that raises never breaks a run."""
    last = Collecting()
    FanOutSink(Raising(), last).emit(HELLO)
    assert last.events == [HELLO]


def test_a_raising_sink_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    sink = GuardedSink(Raising())
    with caplog.at_level(logging.ERROR, logger="batuta.events"):
        for _ in range(3):
            sink.emit(HELLO)
    assert [record.getMessage() for record in caplog.records] == [
        "observer Raising raised on user_message: RuntimeError('out of ink')"
    ]


def test_a_blocking_sink_gets_a_thread_of_its_own(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """T-20: it may hold the run up twice in a row, not more; once may be the machine's fault."""
    monkeypatch.setattr(sinks, "SLOW_SECONDS", -1.0)
    blocking = Blocking()
    blocking.release.set()
    sink = GuardedSink(blocking)
    sink.emit(HELLO)
    sink.emit(HELLO)
    blocking.release.clear()
    sink.emit(HELLO)
    sink.emit(TITLE)
    assert not blocking.done.is_set()
    blocking.release.set()
    assert blocking.done.wait(PATIENCE)
    here = threading.current_thread().name
    assert blocking.threads == [here, here, "batuta-Blocking", "batuta-Blocking"]
    assert "gets a thread of its own" in caplog.text


def test_a_blocked_sink_counts_what_it_had_to_drop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks, "SLOW_SECONDS", -1.0)
    monkeypatch.setattr(sinks, "BACKLOG", 2)
    blocking = Blocking()
    blocking.release.set()
    sink = GuardedSink(blocking)
    sink.emit(HELLO)
    sink.emit(HELLO)
    blocking.release.clear()
    for _ in range(10):
        sink.emit(HELLO)
    assert sink.dropped in (7, 8)  # two wait; one more if the thread has taken its first
    blocking.release.set()


def test_a_filter_by_type_lets_only_those_through() -> None:
    kept = Collecting()
    sink = FilterSink(kept, [TitleChanged])
    sink.emit(HELLO)
    sink.emit(TITLE)
    assert kept.events == [TITLE]


def test_a_filter_by_predicate_lets_only_what_it_accepts_through() -> None:
    kept = Collecting()
    sink = FilterSink(kept, lambda event: event.type == "user_message")
    sink.emit(HELLO)
    sink.emit(TITLE)
    assert kept.events == [HELLO]


def test_a_guarded_sink_is_not_guarded_again() -> None:
    sink = guarded(Collecting())
    assert guarded(sink) is sink
    assert isinstance(sink, GuardedSink)
