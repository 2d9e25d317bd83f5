"""Bookmarks that are kept with a conversation (F-61)."""

from batuta.conversations.conversation import Conversation, KeptBookmark
from batuta.kernel.messages import Message


def test_a_clone_has_bookmarks_of_its_own() -> None:
    """F-7, F-60."""
    conversation = Conversation([Message.user("one")])
    conversation.bookmarks.append(KeptBookmark(kind="manual", first=0, end=1, text="x"))

    clone = conversation.clone()
    assert clone.bookmarks == conversation.bookmarks
    clone.bookmarks.clear()

    assert len(conversation.bookmarks) == 1


def test_a_filtered_clone_drops_bookmarks_whose_positions_would_be_wrong() -> None:
    conversation = Conversation([Message.user("one"), Message.assistant("two")])
    conversation.bookmarks.append(KeptBookmark(kind="summary", first=0, end=1, text="x"))

    clone = conversation.clone(keep=lambda message: message.role == "assistant")

    assert clone.messages == (Message.assistant("two"),)
    assert clone.bookmarks == []


def test_a_filter_that_keeps_everything_so_far_keeps_no_bookmarks_either() -> None:
    """Whatever a filter lets through, positions in the original are not taken over as positions in the copy."""
    conversation = Conversation([Message.user("one"), Message.assistant("two")])
    conversation.bookmarks.append(KeptBookmark(kind="manual", first=0, end=1, text="x"))
    conversation.bookmarks.append(KeptBookmark(kind="summary", first=1, end=2, text="y"))

    clone = conversation.clone(keep=lambda message: True)

    assert clone.messages == conversation.messages
    assert clone.bookmarks == []
    assert len(conversation.bookmarks) == 2
