"""Texts that are being told: numbered pieces, bounded memory, each character once."""

import asyncio
import threading

from batuta.events.conversation import AssistantMessage, Complete
from batuta.events.progress import ContentDelta, ThinkingDelta, ToolProgress
from batuta.kernel.ids import SessionId, TurnId, new_id
from batuta.server.bus import LocalBus, News
from batuta.server.drafts import FORGOTTEN_SECONDS, MOST_PIECES, Drafts, LiveSink, Piece, Watch

SESSION, TURN, MESSAGE = SessionId(new_id()), TurnId(new_id()), new_id()


def piece(text: str, message_id: str = MESSAGE, offset: int | None = None) -> ContentDelta:
    return ContentDelta(
        session_id=SESSION, turn_id=TURN, message_id=message_id, delta=text, offset=offset, source_agent_id="a"
    )


def thought(text: str) -> ThinkingDelta:
    return ThinkingDelta(session_id=SESSION, turn_id=TURN, message_id=MESSAGE, delta=text, source_agent_id="a")


def texts(pieces: list[Piece]) -> list[tuple[int | None, str]]:
    return [(each.offset, each.delta) for each in pieces]


def taken(watch: Watch) -> list[tuple[int | None, str]]:
    return texts([each for each in watch.take() if isinstance(each, (ContentDelta, ThinkingDelta))])


def test_pieces_are_numbered_by_the_characters_before_them() -> None:
    drafts = Drafts()
    assert texts([drafts.add(piece("¿Qué")), drafts.add(piece(" tal?"))]) == [(0, "¿Qué"), (4, " tal?")]
    assert texts(drafts.of([SESSION])) == [(0, "¿Qué tal?")]
    assert drafts.of([new_id()]) == []


def test_thinking_and_speaking_are_texts_of_their_own() -> None:
    drafts = Drafts()
    drafts.add(thought("hm"))
    drafts.add(piece("Yes"))
    assert texts(drafts.of([SESSION])) == [(0, "hm"), (0, "Yes")]


def test_a_text_told_again_carries_the_id_of_its_last_piece() -> None:
    """Whoever saw that piece knows that there is nothing new."""
    drafts = Drafts()
    drafts.add(piece("a"))
    last = drafts.add(piece("b"))
    assert drafts.of([SESSION])[0].event_id == last.event_id


def test_a_stored_message_and_the_end_of_a_turn_close_texts() -> None:
    drafts, other = Drafts(), new_id()
    drafts.add(piece("a"))
    drafts.add(piece("b", other))
    drafts.close(AssistantMessage(session_id=SESSION, turn_id=TURN, message_id=MESSAGE, content="a"))
    assert texts(drafts.of([SESSION])) == [(0, "b")]
    drafts.close(Complete(session_id=SESSION, turn_id=TURN, status="cancelled"))
    assert drafts.of([SESSION]) == []


def test_too_much_text_is_not_kept_but_still_numbered() -> None:
    """Memory is bounded: whoever joins such a text late waits for the stored message."""
    drafts = Drafts(most_characters=10)
    drafts.add(piece("x" * 8))
    drafts.add(piece("y" * 8, new_id()))
    assert texts(drafts.of([SESSION])) == [(0, "y" * 8)]
    assert drafts.add(piece("z")).offset == 8


def test_texts_of_a_turn_that_was_lost_are_forgotten() -> None:
    now = [0.0]
    drafts = Drafts(monotonic=lambda: now[0])
    drafts.add(piece("a"))
    now[0] = FORGOTTEN_SECONDS + 1
    assert drafts.of([SESSION]) == []


def test_a_watch_lets_every_character_through_once() -> None:
    watch = Watch()
    for offset, text in ((0, "abc"), (0, "abcde"), (3, "de"), (2, "cdef"), (0, "ab")):
        assert watch.add(piece(text, offset=offset))
    assert taken(watch) == [(0, "abcdef")]


def test_a_watch_tells_of_a_hole_and_goes_on_when_it_is_filled() -> None:
    watch = Watch()
    assert watch.add(piece("abc", offset=0))
    assert not watch.add(piece("ghi", offset=6))
    assert taken(watch) == [(0, "abc")]
    assert watch.add(piece("abcdefghi", offset=0))
    assert taken(watch) == [(3, "defghi")]


def test_only_neighbouring_pieces_of_one_text_are_joined() -> None:
    watch, other = Watch(), new_id()
    for each in (piece("a", offset=0), piece("b", offset=1), piece("x", other, offset=0), piece("c", offset=2)):
        watch.add(each)
    assert taken(watch) == [(0, "ab"), (0, "x"), (2, "c")]


def test_when_too_many_pieces_wait_a_text_is_lost_from_there_on_and_told_again() -> None:
    """A slow reader costs a bounded number of pieces, and never sees a hole."""
    watch, messages = Watch(), [new_id() for _ in range(MOST_PIECES + 1)]
    for message_id in messages:
        watch.add(piece("a", message_id, offset=0))
    assert not watch.add(piece("b", messages[0], offset=1))
    assert len(watch.take()) == MOST_PIECES
    assert watch.add(piece("ab", messages[0], offset=0))
    assert taken(watch) == [(0, "ab")]


async def test_a_sink_that_is_called_from_a_thread_publishes_in_its_loop() -> None:
    """An observer that was slow twice is moved to a thread; the bus is not safe there."""
    bus, threads = LocalBus(), list[int]()
    sink = LiveSink(bus)
    progress = ToolProgress(session_id=SESSION, turn_id=TURN, tool_use_id="t", tool_name="book")

    def note(_news: News) -> None:
        threads.append(threading.get_ident())

    with bus.listening(note):
        sink.emit(progress)
        await asyncio.to_thread(sink.emit, progress)
        await asyncio.sleep(0)
    assert threads == [threading.get_ident()] * 2
