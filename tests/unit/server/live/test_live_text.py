"""Texts that are being told: numbered pieces, bounded memory, each character once."""

import asyncio
import threading

from batuta.events.conversation import AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.fold import fold
from batuta.events.progress import (
    ContentDelta,
    StepProgress,
    StreamDiscarded,
    TagCompleted,
    TagStarted,
    ThinkingDelta,
    ToolProgress,
)
from batuta.events.tools import ToolRequest, ToolResponse
from batuta.events.view import SessionView
from batuta.events.wire import Delivered
from batuta.kernel.ids import SessionId, TurnId, new_id
from batuta.server.live.live_text import ABANDONED_SECONDS, DraftTexts, LatestProgress, LiveEventSink, Piece
from batuta.server.live.notifications import LocalNotificationBus, Notification
from batuta.server.live.subscription import MAX_LIVE_EVENTS, LiveEventQueue

SESSION, TURN, MESSAGE = SessionId(new_id()), TurnId(new_id()), new_id()


def piece(text: str, message_id: str = MESSAGE, offset: int | None = None) -> ContentDelta:
    return ContentDelta(
        session_id=SESSION, turn_id=TURN, message_id=message_id, delta=text, offset=offset, source_agent_id="a"
    )


def thought(text: str) -> ThinkingDelta:
    return ThinkingDelta(session_id=SESSION, turn_id=TURN, message_id=MESSAGE, delta=text, source_agent_id="a")


def texts(pieces: list[Piece]) -> list[tuple[int | None, str]]:
    return [(each.offset, each.delta) for each in pieces]


def taken(watch: LiveEventQueue) -> list[tuple[int | None, str]]:
    return texts([each for each in watch.take() if isinstance(each, (ContentDelta, ThinkingDelta))])


def test_pieces_are_numbered_by_the_characters_before_them() -> None:
    drafts = DraftTexts()
    assert texts([drafts.add(piece("¿Qué")), drafts.add(piece(" tal?"))]) == [(0, "¿Qué"), (4, " tal?")]
    assert texts(drafts.in_session(SESSION)) == [(0, "¿Qué tal?")]
    assert drafts.in_session(new_id()) == []


def test_thinking_and_speaking_are_texts_of_their_own() -> None:
    drafts = DraftTexts()
    drafts.add(thought("hm"))
    drafts.add(piece("Yes"))
    assert texts(drafts.in_session(SESSION)) == [(0, "hm"), (0, "Yes")]


def test_a_text_told_again_carries_the_id_of_its_last_piece() -> None:
    """Whoever saw that piece knows that there is nothing new."""
    drafts = DraftTexts()
    drafts.add(piece("a"))
    last = drafts.add(piece("b"))
    assert drafts.in_session(SESSION)[0].event_id == last.event_id


def test_a_stored_message_and_the_end_of_a_turn_close_texts() -> None:
    drafts, other = DraftTexts(), new_id()
    drafts.add(piece("a"))
    drafts.add(piece("b", other))
    drafts.close(AssistantMessage(session_id=SESSION, turn_id=TURN, message_id=MESSAGE, content="a"))
    assert texts(drafts.in_session(SESSION)) == [(0, "b")]
    drafts.close(Complete(session_id=SESSION, turn_id=TURN, status="cancelled"))
    assert drafts.in_session(SESSION) == []


def test_a_text_that_is_void_begins_anew_for_those_who_watch_and_those_who_join() -> None:
    """A stream broke: of its first words nothing is told again, and none of the new ones is taken for an old one."""
    bus, early, late = LocalNotificationBus(), LiveEventQueue(), LiveEventQueue()
    heard: list[Notification] = []
    live = LiveEventSink(bus)
    void = StreamDiscarded(session_id=SESSION, turn_id=TURN, message_id=MESSAGE, reason="retried", source_agent_id="a")
    with bus.subscribed({"live": heard.append}):
        tag = TagStarted(tag="chart", session_id=SESSION, turn_id=TURN, message_id=MESSAGE, source_agent_id="a")
        for event in (thought("hm"), tag, piece("Twelve ch"), void, piece("Twelve")):
            live.emit(event)
    pieces = [notification.event for notification in heard if notification.event is not None]
    assert [early.add(event) for event in pieces] == [True] * 5
    assert [getattr(event, "delta", event.type) for event in early.take()] == [
        "hm",
        "tag_started",
        "Twelve ch",
        "stream_discarded",
        "Twelve",
    ]
    heard.clear()
    with bus.subscribed({"live": heard.append}):
        live.publish_again(Notification("followed", SESSION))
    for notification in heard:
        assert notification.event is not None
        assert late.add(notification.event)
        assert early.add(notification.event)
    assert taken(late) == [(0, "Twelve")]
    assert taken(early) == []


def test_too_much_text_is_not_kept_but_still_numbered() -> None:
    """Memory is bounded: whoever joins such a text late waits for the stored message."""
    drafts = DraftTexts(max_characters=10)
    drafts.add(piece("x" * 8))
    drafts.add(piece("y" * 8, new_id()))
    assert texts(drafts.in_session(SESSION)) == [(0, "y" * 8)]
    assert drafts.add(piece("z")).offset == 8


def test_texts_of_a_turn_that_was_lost_are_forgotten() -> None:
    now = [0.0]
    drafts = DraftTexts(monotonic=lambda: now[0])
    drafts.add(piece("a"))
    now[0] = ABANDONED_SECONDS + 1
    assert drafts.in_session(SESSION) == []


def test_a_watch_lets_every_character_through_once() -> None:
    watch = LiveEventQueue()
    for offset, text in ((0, "abc"), (0, "abcde"), (3, "de"), (2, "cdef"), (0, "ab")):
        assert watch.add(piece(text, offset=offset))
    assert taken(watch) == [(0, "abcdef")]


def test_a_watch_tells_of_a_hole_and_goes_on_when_it_is_filled() -> None:
    watch = LiveEventQueue()
    assert watch.add(piece("abc", offset=0))
    assert not watch.add(piece("ghi", offset=6))
    assert taken(watch) == [(0, "abc")]
    assert watch.add(piece("abcdefghi", offset=0))
    assert taken(watch) == [(3, "defghi")]


def test_only_neighbouring_pieces_of_one_text_are_joined() -> None:
    watch, other = LiveEventQueue(), new_id()
    for each in (piece("a", offset=0), piece("b", offset=1), piece("x", other, offset=0), piece("c", offset=2)):
        watch.add(each)
    assert taken(watch) == [(0, "ab"), (0, "x"), (2, "c")]


def test_when_too_many_pieces_wait_a_text_is_lost_from_there_on_and_told_again() -> None:
    """A slow reader costs a bounded number of pieces, and never sees a hole."""
    watch, messages = LiveEventQueue(), [new_id() for _ in range(MAX_LIVE_EVENTS + 1)]
    for message_id in messages:
        watch.add(piece("a", message_id, offset=0))
    assert not watch.add(piece("b", messages[0], offset=1))
    assert len(watch.take()) == MAX_LIVE_EVENTS
    assert watch.add(piece("ab", messages[0], offset=0))
    assert taken(watch) == [(0, "ab")]


async def test_a_sink_that_is_called_from_a_thread_publishes_in_its_loop() -> None:
    """An observer that was slow twice is moved to a thread; the bus is not safe there."""
    bus, threads = LocalNotificationBus(), list[int]()
    sink = LiveEventSink(bus)
    progress = ToolProgress(session_id=SESSION, turn_id=TURN, tool_use_id="t", tool_name="book")

    def note(_notification: Notification) -> None:
        threads.append(threading.get_ident())

    with bus.subscribed({"live": note}):
        sink.emit(progress)
        await asyncio.to_thread(sink.emit, progress)
        await asyncio.sleep(0)
    assert threads == [threading.get_ident()] * 2


OF_TURN = {"session_id": SESSION, "turn_id": TURN}
OF_ANSWER = {**OF_TURN, "message_id": MESSAGE, "source_agent_id": "a"}


def told_while_running() -> list[Event]:
    """A text with an artefact in it, a tool that tells how far it is, and a step."""
    return [
        piece("See "),
        TagStarted(**OF_ANSWER, tag="chart", attributes={"id": "c1"}, original_index=1),
        piece("<bars>"),
        TagCompleted(**OF_ANSWER, tag="chart", attributes={"id": "c1"}, size=6, original_index=2),
        TagStarted(**OF_ANSWER, tag="chart", original_index=3),
        ToolProgress(**OF_TURN, tool_use_id="t", tool_name="book", done=1, total=3, original_index=4),
        ToolProgress(**OF_TURN, tool_use_id="t", tool_name="book", done=2, total=3, original_index=5),
        StepProgress(**OF_TURN, step_name="look", path="look", message="reading", original_index=6),
    ]


STORED = (
    UserMessage(**OF_TURN, message_id=new_id(), content="hello", sequence_number=1),
    ToolRequest(**OF_ANSWER, tool_use_id="t", tool_name="book", args={}, sequence_number=2),
)


def seen_by(watch: LiveEventQueue) -> SessionView:
    """What a tab shows that was given the start of the turn, and then what its watch took."""
    return fold(Delivered(event, 1) for event in (*STORED, *watch.take()))


def test_a_late_tab_shows_what_an_early_one_shows_and_that_one_sees_nothing_twice() -> None:
    bus, early, late = LocalNotificationBus(), LiveEventQueue(), LiveEventQueue()
    sink, watches = LiveEventSink(bus), [early]

    def show(notification: Notification) -> None:
        for watch in watches:
            assert notification.event is None or watch.add(notification.event)

    with bus.subscribed({"live": show, "followed": sink.publish_again}):
        for event in told_while_running():
            sink.emit(event)
        watches.append(late)
        bus.publish(Notification("followed", SESSION))
    before, after = seen_by(early).model_dump(), seen_by(late).model_dump()
    [turn] = before["turns"]
    assert [tag["is_complete"] for tag in turn["streams"][0]["tags"]] == [True, False]
    assert after == before


def test_what_has_ended_is_not_told_again() -> None:
    marks = LatestProgress()
    for event in told_while_running():
        marks.add(event)
    assert len(marks.in_session(SESSION)) == 5
    marks.close(ToolResponse(**OF_ANSWER, tool_use_id="t", tool_name="book", content="", success=True))
    marks.close(AssistantMessage(**OF_ANSWER, content="See <bars>"))
    assert [mark.type for mark in marks.in_session(SESSION)] == ["step_progress"]
    marks.close(Complete(**OF_TURN, status="success"))
    assert marks.in_session(SESSION) == []


def test_no_more_than_so_many_marks_are_kept() -> None:
    marks = LatestProgress(max_events=2)
    for number in range(3):
        marks.add(ToolProgress(**OF_TURN, tool_use_id=str(number), tool_name="book", original_index=number))
    assert [getattr(mark, "tool_use_id", None) for mark in marks.in_session(SESSION)] == ["1", "2"]
