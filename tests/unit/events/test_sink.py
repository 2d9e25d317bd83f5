"""Sinks made of sinks."""

from batuta.events import FanOutSink, FilterSink, TitleChanged, UserMessage
from batuta.events.envelope import Event
from tests.support.runs import EventList

HELLO = UserMessage(content="hello")
TITLE = TitleChanged(title="Greeting")


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
