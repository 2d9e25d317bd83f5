"""Many conversations per user: titles, limit, archive, ownership, export (F-63)."""

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from batuta.conversations.conversation import KeptBookmark
from batuta.conversations.manager import ConversationManager, clean_title
from batuta.conversations.stores.memory import MemoryConversationStore
from batuta.kernel.errors import (
    ConflictError,
    ProviderUnavailableError,
    TooManyConversationsError,
    UnknownConversationError,
)
from batuta.kernel.messages import Message
from batuta.testing.clock import FakeClock
from tests.unit.conversations.test_summaries import SummaryModel


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def manager(clock: FakeClock) -> ConversationManager:
    return ConversationManager(store=MemoryConversationStore(), clock=clock)


async def started(manager: ConversationManager, text: str = "How many A-100 are left?") -> str:
    opened = await manager.start("ada")
    opened.conversation.add(Message.user(text), Message.assistant("Seven."))
    await manager.save(opened)
    return opened.conversation.conversation_id


async def test_a_conversation_is_saved_and_gone_on_with(manager: ConversationManager) -> None:
    conversation_id = await started(manager)

    opened = await manager.open(conversation_id, "ada")
    opened.conversation.add(Message.user("And B-200?"))
    await manager.save(opened)
    await manager.save(opened)

    again = await manager.open(conversation_id, "ada")
    assert [message.text for message in again.conversation.messages] == [
        "How many A-100 are left?",
        "Seven.",
        "And B-200?",
    ]


async def test_the_first_message_gives_the_title(manager: ConversationManager) -> None:
    conversation_id = await started(manager)

    assert (await manager.open(conversation_id, "ada")).title == "How many A-100 are left?"


async def test_a_model_may_find_the_title(clock: FakeClock) -> None:
    model = SummaryModel('"Stock of A-100"\n')
    manager = ConversationManager(store=MemoryConversationStore(), titler=model, clock=clock)  # type: ignore[arg-type]
    conversation_id = await started(manager)

    opened = await manager.open(conversation_id, "ada")
    opened.conversation.add(Message.user("And B-200?"))
    await manager.save(opened)

    assert opened.title == "Stock of A-100"
    assert len(model.requests) == 1


async def test_a_model_that_fails_leaves_the_first_words(clock: FakeClock) -> None:
    model = SummaryModel()
    model.error = ProviderUnavailableError("overloaded")
    manager = ConversationManager(store=MemoryConversationStore(), titler=model, clock=clock)  # type: ignore[arg-type]

    conversation_id = await started(manager)

    assert (await manager.open(conversation_id, "ada")).title == "How many A-100 are left?"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  two\nlines\t here ", "two lines here"),
        ('"Quoted"', "Quoted"),
        ("**Bold**", "Bold"),
        ("a\x1b[31mred\x00", "a [31mred"),
        ("w" * 80, "w" * 59 + "…"),
        ("", ""),
    ],
)
def test_a_title_is_one_short_clean_line(text: str, title: str) -> None:
    assert clean_title(text) == title


async def test_is01_somebody_elses_conversation_looks_like_none(manager: ConversationManager) -> None:
    """IS-01: the answer is the same as for an id that does not exist."""
    conversation_id = await started(manager)
    attempts: list[Callable[[str | None], Awaitable[object]]] = [
        lambda user: manager.open(conversation_id, user),
        lambda user: manager.export(conversation_id, user),
        lambda user: manager.rename(conversation_id, user, "mine"),
        lambda user: manager.archive(conversation_id, user),
        lambda user: manager.delete(conversation_id, user),
    ]

    for attempt in attempts:
        for user in ("eve", None, ""):
            with pytest.raises(UnknownConversationError, match=f"^there is no conversation {conversation_id}$"):
                await attempt(user)
    assert (await manager.open(conversation_id, "ada")).title == "How many A-100 are left?"


async def test_two_who_go_on_at_once_do_not_overwrite_each_other(manager: ConversationManager) -> None:
    conversation_id = await started(manager)
    first, second = await manager.open(conversation_id, "ada"), await manager.open(conversation_id, "ada")
    first.conversation.add(Message.user("one"))
    second.conversation.add(Message.user("two"))

    await manager.save(first)
    with pytest.raises(ConflictError):
        await manager.save(second)


async def test_saved_messages_cannot_be_taken_back(manager: ConversationManager) -> None:
    opened = await manager.start("ada")
    bookmark = opened.conversation.history.bookmark()
    opened.conversation.add(Message.user("x"))
    await manager.save(opened)
    opened.conversation.history.clear_after(bookmark)

    with pytest.raises(ConflictError, match="taken back"):
        await manager.save(opened)


async def test_a_user_has_at_most_fifty_active_conversations(manager: ConversationManager) -> None:
    ids = [(await manager.start("ada")).conversation.conversation_id for _ in range(50)]

    with pytest.raises(TooManyConversationsError):
        await manager.start("ada")

    await manager.archive(ids[0], "ada")
    await manager.start("ada")
    await manager.start("grace")


async def test_conversations_idle_for_thirty_days_are_archived(manager: ConversationManager, clock: FakeClock) -> None:
    await started(manager)
    clock.advance(timedelta(days=29).total_seconds())
    recent = await started(manager)
    assert await manager.archive_idle() == 0

    clock.advance(timedelta(days=2).total_seconds())

    assert await manager.archive_idle() == 1
    assert [record.conversation_id for record in await manager.store.find("ada")] == [recent]


async def test_an_export_is_json_and_holds_everything(manager: ConversationManager) -> None:
    opened = await manager.start("ada", system_prompt="Be kind.", metadata={"channel": "web"})
    opened.conversation.add(Message.user("hola"))
    opened.conversation.bookmarks.append(KeptBookmark(kind="key_point", first=0, end=1, text="greeting"))
    await manager.save(opened)

    exported = json.loads(json.dumps(await manager.export(opened.conversation.conversation_id, "ada")))

    assert (exported["version"], exported["title"], exported["system_prompt"]) == (1, "hola", "Be kind.")
    assert Message.model_validate(exported["messages"][0]) == Message.user("hola")
    assert (exported["bookmarks"][0]["text"], exported["metadata"]) == ("greeting", {"channel": "web"})


async def test_bookmarks_are_saved_once(manager: ConversationManager) -> None:
    opened = await manager.start("ada")
    opened.conversation.bookmarks.append(KeptBookmark(kind="manual", first=0, end=1, text="x"))
    await manager.save(opened)
    await manager.save(opened)

    again = await manager.open(opened.conversation.conversation_id, "ada")
    assert (len(again.conversation.bookmarks), again.saved_bookmarks) == (1, 1)


async def test_a_deleted_conversation_is_gone(manager: ConversationManager) -> None:
    conversation_id = await started(manager)

    await manager.delete(conversation_id, "ada")

    with pytest.raises(UnknownConversationError):
        await manager.open(conversation_id, "ada")
