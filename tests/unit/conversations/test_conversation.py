"""A conversation in memory (F-60)."""

from batuta.conversations.conversation import Conversation, KeptBookmark
from batuta.kernel.messages import Message


def test_everything_after_a_bookmark_can_be_forgotten() -> None:
    """F-23."""
    conversation = Conversation([Message.user("one")])
    bookmark = conversation.history.bookmark()
    conversation.add(Message.assistant("wrong"), Message.user("try again"))

    assert len(conversation.history.since(bookmark)) == 2
    conversation.history.clear_after(bookmark)

    assert conversation.messages == (Message.user("one"),)


def test_recent_messages_are_the_last_ones() -> None:
    history = Conversation([Message.user(str(number)) for number in range(5)]).history

    assert [message.text for message in history.recent(2)] == ["3", "4"]
    assert history.recent(0) == ()


def test_a_clone_is_independent() -> None:
    """F-7, F-60."""
    conversation = Conversation([Message.user("one")], metadata={"list": [1]})
    conversation.bookmarks.append(KeptBookmark(kind="manual", first=0, end=1, text="x"))

    clone = conversation.clone()
    clone.add(Message.user("two"))
    clone.metadata["list"].append(2)
    clone.bookmarks.clear()

    assert conversation.messages == (Message.user("one"),)
    assert conversation.metadata == {"list": [1]}
    assert len(conversation.bookmarks) == 1


def test_a_filtered_clone_drops_bookmarks_whose_positions_would_be_wrong() -> None:
    conversation = Conversation([Message.user("one"), Message.assistant("two")])
    conversation.bookmarks.append(KeptBookmark(kind="summary", first=0, end=1, text="x"))

    clone = conversation.clone(keep=lambda message: message.role == "assistant")

    assert clone.messages == (Message.assistant("two"),)
    assert clone.bookmarks == []
