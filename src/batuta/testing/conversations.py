"""The conformance suite of conversation stores. Inherit it and say how to make an empty store.

class TestMyConversationStore(ConversationStoreConformance):
@pytest.fixture
async def store(self) -> MyStore: ...
"""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from batuta.conversations.conversation import KeptBookmark
from batuta.conversations.stores.store import ConversationRecord, ConversationStore
from batuta.kernel.errors import ConflictError, TooManyConversationsError, UnknownConversationError
from batuta.kernel.ids import new_id
from batuta.kernel.messages import (
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)

START = datetime(2026, 1, 1, 12, 30, 15, 123456, tzinfo=UTC)
LATER = START + timedelta(hours=1)

EVERY_KIND: tuple[Message, ...] = (
    Message.user("¿cuántos? \u0000 😀", ImageBlock(media_type="image/png", data=b"iVBORw==")),
    Message.assistant(
        [
            ThinkingBlock(text="hm", signature="s"),
            TextBlock(text="Let me look."),
            ToolCallBlock(id="1", name="stock", args={"sku": "A", "deep": {"list": [1, 2.5, None, True]}}),
        ],
        "clerk",
    ),
    Message.tool([ToolResultBlock(tool_use_id="1", tool_name="stock", content="7")]),
    Message.assistant("Seven.", "clerk"),
)


def a_record(user_id: str | None = "ada", **facts: object) -> ConversationRecord:
    """A new conversation's record."""
    record = ConversationRecord(
        conversation_id=new_id(), user_id=user_id, created_at=START, last_activity_at=START, system_prompt="Be kind."
    )
    return replace(record, **facts)  # type: ignore[arg-type]


async def _raises(error: type[Exception], attempt: object) -> None:
    try:
        await attempt  # type: ignore[misc]
    except error:
        return
    raise AssertionError(f"expected {error.__name__}")


class ConversationStoreConformance:
    """What every conversation store promises (F-62)."""

    async def test_a_new_conversation_is_empty_and_as_it_was_given(self, store: ConversationStore) -> None:
        record = a_record(metadata={"channel": "web", "n": [1, {"a": None}]}, title="Stock")

        await store.create(record)

        stored = await store.load(record.conversation_id)
        assert stored is not None
        assert (stored.record, stored.messages, stored.bookmarks) == (record, (), ())

    async def test_messages_come_back_as_they_were(self, store: ConversationStore) -> None:
        record = a_record()
        await store.create(record)

        await store.append(record.conversation_id, EVERY_KIND, after=0, at=LATER)

        stored = await store.load(record.conversation_id)
        assert stored is not None
        assert stored.messages == EVERY_KIND
        assert (stored.record.message_count, stored.record.last_activity_at) == (4, LATER)
        assert stored.record.token_count > 0

    async def test_a_loaded_conversation_can_be_gone_on_with(self, store: ConversationStore) -> None:
        record = a_record(metadata={"a": 1})
        await store.create(record)
        await store.append(record.conversation_id, EVERY_KIND, after=0, at=LATER)

        stored = await store.load(record.conversation_id)

        assert stored is not None
        conversation = stored.conversation()
        assert (conversation.conversation_id, conversation.system_prompt) == (record.conversation_id, "Be kind.")
        assert (conversation.messages, conversation.metadata) == (EVERY_KIND, {"a": 1})
        assert (conversation.created_at, conversation.last_activity_at) == (START, LATER)

    async def test_what_a_reader_changes_stays_the_readers(self, store: ConversationStore) -> None:
        record = a_record(metadata={"list": [1]})
        await store.create(record)
        first = await store.load(record.conversation_id)
        assert first is not None

        first.record.metadata["list"].append(2)

        second = await store.load(record.conversation_id)
        assert second is not None
        assert second.record.metadata == {"list": [1]}

    async def test_the_second_of_two_writers_learns_of_the_first(self, store: ConversationStore) -> None:
        record = a_record()
        await store.create(record)
        await store.append(record.conversation_id, EVERY_KIND[:2], after=0, at=LATER)

        for after in (0, 1, 3):
            await _raises(ConflictError, store.append(record.conversation_id, EVERY_KIND[2:], after=after, at=LATER))

        stored = await store.load(record.conversation_id)
        assert stored is not None
        assert stored.messages == EVERY_KIND[:2]

    async def test_of_many_writers_at_once_exactly_one_succeeds(self, store: ConversationStore) -> None:
        record = a_record()
        await store.create(record)

        outcomes = await asyncio.gather(
            *(
                store.append(record.conversation_id, [Message.user(f"{writer}")] * 2, after=0, at=LATER)
                for writer in range(8)
            ),
            return_exceptions=True,
        )

        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConflictError"] * 7 + ["NoneType"]
        stored = await store.load(record.conversation_id)
        assert stored is not None
        assert len(stored.messages) == 2
        assert stored.messages[0] == stored.messages[1]

    async def test_an_id_is_used_once(self, store: ConversationStore) -> None:
        record = a_record()
        await store.create(record)

        await _raises(ConflictError, store.create(replace(record, user_id="eve")))

        stored = await store.load(record.conversation_id)
        assert stored is not None
        assert stored.record.user_id == "ada"

    async def test_what_is_not_there_is_said_so(self, store: ConversationStore) -> None:
        unknown_id = new_id()
        mark = KeptBookmark(kind="manual", first=0, end=1, text="x", created_at=START)

        assert await store.load(unknown_id) is None
        await _raises(UnknownConversationError, store.append(unknown_id, EVERY_KIND, after=0, at=LATER))
        await _raises(UnknownConversationError, store.rename(unknown_id, "x"))
        await _raises(UnknownConversationError, store.archive(unknown_id, LATER))
        await _raises(UnknownConversationError, store.add_bookmark(unknown_id, mark))
        await store.delete(unknown_id)

    async def test_bookmarks_are_kept_in_order_and_replaced_in_place(self, store: ConversationStore) -> None:
        record = a_record()
        await store.create(record)
        late = KeptBookmark(kind="summary", first=10, end=20, text="later", created_at=START)
        early = KeptBookmark(kind="summary", first=0, end=10, text="once", created_at=START)
        point = KeptBookmark(kind="key_point", first=3, end=4, text="ñ", created_at=LATER)

        for mark in (late, early, point, replace(early, text="again")):
            await store.add_bookmark(record.conversation_id, mark)

        stored = await store.load(record.conversation_id)
        assert stored is not None
        assert stored.bookmarks == (replace(early, text="again"), point, late)

    async def test_a_users_conversations_come_last_active_first(self, store: ConversationStore) -> None:
        times = [START + timedelta(minutes=minute) for minute in (2, 0, 1)]
        records = [a_record(last_activity_at=time) for time in times]
        for record in (*records, a_record("eve"), a_record(None)):
            await store.create(record)

        found = await store.find("ada")

        assert [record.last_activity_at.minute for record in found] == [32, 31, 30]
        assert await store.find("ada", limit=1, offset=1) == found[1:2]
        assert len(await store.find(None)) == 1

    async def test_records_in_a_list_count_their_messages(self, store: ConversationStore) -> None:
        record = a_record()
        await store.create(record)
        await store.append(record.conversation_id, EVERY_KIND, after=0, at=LATER)

        (found,) = await store.find("ada")

        assert found.message_count == 4
        assert found.token_count > 0

    async def test_a_title_can_be_changed(self, store: ConversationStore) -> None:
        record = a_record()
        await store.create(record)

        await store.rename(record.conversation_id, "Robert'); DROP TABLE conversation_messages;--")

        (found,) = await store.find("ada")
        assert found.title == "Robert'); DROP TABLE conversation_messages;--"

    async def test_an_archived_conversation_is_listed_apart_until_it_is_written_to(
        self, store: ConversationStore
    ) -> None:
        record = a_record()
        await store.create(record)

        await store.archive(record.conversation_id, LATER)

        assert await store.find("ada") == []
        assert [found.archived_at for found in await store.find("ada", is_archived=True)] == [LATER]
        await store.append(record.conversation_id, EVERY_KIND, after=0, at=LATER)
        assert [found.archived_at for found in await store.find("ada")] == [None]

    async def test_only_idle_conversations_are_archived(self, store: ConversationStore) -> None:
        """F-63."""
        idle, busy = a_record(last_activity_at=START), a_record(last_activity_at=LATER)
        await store.create(idle)
        await store.create(busy)

        assert await store.archive_idle(since=START + timedelta(minutes=1), at=LATER) == 1

        assert [found.conversation_id for found in await store.find("ada")] == [busy.conversation_id]
        assert await store.archive_idle(since=START + timedelta(minutes=1), at=LATER) == 0

    async def test_a_user_has_at_most_so_many_active_conversations(self, store: ConversationStore) -> None:
        """F-63."""
        first = a_record()
        await store.create(first, max_active=2)
        await store.create(a_record(), max_active=2)

        await _raises(TooManyConversationsError, store.create(a_record(), max_active=2))

        await store.create(a_record("eve"), max_active=2)
        await store.archive(first.conversation_id, LATER)
        await store.create(a_record(), max_active=2)

    async def test_the_last_place_is_given_once(self, store: ConversationStore) -> None:
        outcomes = await asyncio.gather(
            *(store.create(a_record(), max_active=3) for _ in range(8)), return_exceptions=True
        )

        assert sum(outcome is None for outcome in outcomes) == 3
        assert len(await store.find("ada")) == 3

    async def test_nothing_is_left_of_a_deleted_conversation(self, store: ConversationStore) -> None:
        record = a_record()
        await store.create(record)
        await store.append(record.conversation_id, EVERY_KIND, after=0, at=LATER)
        mark = KeptBookmark(kind="manual", first=0, end=1, text="x", created_at=START)
        await store.add_bookmark(record.conversation_id, mark)

        await store.delete(record.conversation_id)

        assert await store.load(record.conversation_id) is None
        await store.create(record)
        again = await store.load(record.conversation_id)
        assert again is not None
        assert (again.messages, again.bookmarks) == ((), ())
