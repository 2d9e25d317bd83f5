"""Sinks made of sinks."""

from typing import cast

import pytest

from batuta.events import FanOutSink, FilterSink, LlmExchanged, TitleChanged, UserMessage
from batuta.events.envelope import Event
from batuta.events.observers import watching
from batuta.events.sink import Recorder, pipelined
from tests.support.runs import EventList

HELLO = UserMessage(content="hello")
TITLE = TitleChanged(title="Greeting")
SAID = LlmExchanged(call_id="c", path="clerk", system="Count.", messages=())


class Raising:
    never_blocks = True

    def emit(self, event: Event) -> None:
        raise RuntimeError("out of ink")


def test_fan_out_hands_each_event_to_every_sink_in_order() -> None:
    first, second = EventList(), EventList()
    fan_out = FanOutSink(first, second)
    fan_out.emit(HELLO)
    fan_out.emit(TITLE)
    assert first.events == second.events == [HELLO, TITLE]


def test_a_raising_sink_keeps_nothing_from_the_others() -> None:
    """T-20: an observer that raises never breaks a run."""
    last = EventList()
    FanOutSink(Raising(), last).emit(HELLO)
    assert last.events == [HELLO]


def test_a_filter_by_type_lets_only_those_through() -> None:
    kept = EventList()
    sink = FilterSink(kept, [TitleChanged])
    sink.emit(HELLO)
    sink.emit(TITLE)
    assert kept.events == [TITLE]


def test_a_filter_by_predicate_lets_only_what_it_accepts_through() -> None:
    kept = EventList()
    sink = FilterSink(kept, lambda event: event.type == "user_message")
    sink.emit(HELLO)
    sink.emit(TITLE)
    assert kept.events == [HELLO]


class Curious(EventList):
    wants_contents = True


class CuriousBesideTheLoop:
    """Is called on a thread, as it does not promise never to block."""

    wants_contents = True

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)


def everything(_: Event) -> bool:
    return True


@pytest.mark.parametrize("accepts", [everything, [LlmExchanged]], ids=["predicate", "types"])
def test_contents_pass_a_filter_only_to_those_behind_it_who_ask(accepts: object) -> None:
    asks, beside = Curious(), EventList()
    watching(FilterSink(FanOutSink(asks, beside), accepts)).disclose(SAID)  # type: ignore[arg-type]
    assert asks.events == [SAID]
    assert not beside.events


def test_whoever_hands_contents_to_a_fan_out_reaches_only_those_who_ask() -> None:
    """A sink of one's own that passes everything on makes nobody see more than they asked for."""
    asks, beside = Curious(), EventList()
    FanOutSink(asks, FanOutSink(beside)).emit(SAID)
    assert asks.events == [SAID]
    assert not beside.events


async def test_a_filtered_sink_beside_the_loop_asks_for_contents_like_any_other() -> None:
    asks = CuriousBesideTheLoop()
    sink = FilterSink(asks, everything)
    assert sink.wants_contents
    sink.disclose(SAID)
    await sink.settle()
    assert asks.events == [SAID]


def test_a_recorder_that_borrows_its_methods_is_pipelined_too() -> None:
    """What counts is what an object can do, not what its class spells out."""

    class Borrowing:
        def __init__(self) -> None:
            self.record = self.barrier = self.submit = print

    class Plain:
        async def record(self, event: Event) -> Event:
            return event

    borrowing = cast("Recorder", Borrowing())
    assert pipelined(borrowing) is borrowing
    assert pipelined(Plain()) is None
    assert pipelined(None) is None
