"""A conversation can be marked, cut back and copied; a copy shares nothing that can change (F-60)."""

from datetime import UTC, datetime

import pytest

from batuta import Conversation, Message
from batuta.conversations import Bookmark, History, SlidingWindow
from batuta.kernel.ids import is_uuid

HELLO, HI, BYE = Message.user("hello"), Message.assistant("hi"), Message.user("bye")


def test_a_new_conversation_has_an_id_a_time_and_no_messages() -> None:
    conversation = Conversation(system_prompt="Be brief.")
    assert is_uuid(conversation.conversation_id)
    assert conversation.messages == ()
    assert conversation.system_prompt == "Be brief."
    assert conversation.created_at == conversation.last_activity_at
    assert conversation.created_at.tzinfo is UTC


def test_adding_messages_notes_the_time() -> None:
    conversation = Conversation([HELLO], created_at=datetime(2026, 1, 1, tzinfo=UTC))
    conversation.add(HI, BYE)
    assert conversation.messages == (HELLO, HI, BYE)
    assert conversation.last_activity_at > conversation.created_at


def test_a_bookmark_divides_a_history() -> None:
    history = History([HELLO])
    mark = history.bookmark()
    history.add(HI, BYE)
    assert history.since(mark) == (HI, BYE)
    history.clear_after(mark)
    assert history.messages == (HELLO,)
    assert history.since(mark) == ()


def test_a_bookmark_beyond_the_end_clears_nothing() -> None:
    history = History([HELLO])
    history.clear_after(Bookmark(5))
    assert history.messages == (HELLO,)


@pytest.mark.parametrize(("count", "kept"), [(0, ()), (-1, ()), (1, (BYE,)), (2, (HI, BYE)), (9, (HELLO, HI, BYE))])
def test_recent_gives_the_last_messages(count: int, kept: tuple[Message, ...]) -> None:
    assert History([HELLO, HI, BYE]).recent(count) == kept


def test_a_history_is_seen_through_a_sliding_window() -> None:
    """F-60, F-61: the first messages, the last ones that fit, and the history itself unchanged."""
    said = [
        m for n in range(20) for m in (Message.user(f"question {n} " + "x" * 100), Message.assistant(f"answer {n}"))
    ]
    history = History(said)
    seen = history.sliding_window(SlidingWindow(limit_tokens=200))
    assert seen[:2] == tuple(said[:2])
    assert seen[-2:] == tuple(said[-2:])
    assert 4 < len(seen) < 20
    assert history.messages == tuple(said)
    assert history.sliding_window() == tuple(said)


def test_a_history_is_sized_iterable_and_hands_out_no_list_of_its_own() -> None:
    history = History([HELLO, HI])
    assert len(history) == 2
    assert list(history) == [HELLO, HI]
    assert isinstance(history.messages, tuple)


def test_a_clone_shares_nothing_that_can_change() -> None:
    original = Conversation([HELLO], system_prompt="Be brief.", metadata={"tags": ["a"]})
    twin = original.clone()
    twin.add(HI)
    twin.metadata["tags"].append("b")
    twin.system_prompt = "Be long."
    assert original.messages == (HELLO,)
    assert original.metadata == {"tags": ["a"]}
    assert original.system_prompt == "Be brief."
    assert twin.conversation_id == original.conversation_id


def test_a_clone_shares_the_frozen_messages_themselves() -> None:
    """Deep and cheap: what cannot change need not be copied."""
    original = Conversation([HELLO])
    assert original.clone().messages[0] is original.messages[0]


def test_a_clone_can_be_scoped_to_some_messages() -> None:
    """F-7: a filter chooses which messages a branch sees."""
    original = Conversation([HELLO, HI, BYE])
    assert original.clone(lambda message: message.role == "user").messages == (HELLO, BYE)
    assert original.messages == (HELLO, HI, BYE)
