"""Conversations in the memory of this process."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime

from batuta.conversations.conversation import KeptBookmark
from batuta.conversations.stores.store import ConversationRecord, StoredConversation
from batuta.conversations.tokens import estimate
from batuta.kernel.errors import ConflictError, TooManyConversationsError, UnknownConversationError
from batuta.kernel.messages import Message


class MemoryConversationStore:
    """Keeps conversations until the process ends."""

    def __init__(self) -> None:
        self._kept: dict[str, StoredConversation] = {}

    async def create(self, record: ConversationRecord, *, max_active: int | None = None) -> None:
        """Keep a new conversation."""
        if record.conversation_id in self._kept:
            raise ConflictError(f"there is a conversation {record.conversation_id} already")
        active = sum(1 for kept in self._kept.values() if _is_active_of(kept.record, record.user_id))
        if max_active is not None and active >= max_active:
            raise TooManyConversationsError(f"{active} conversations are active, at most {max_active} may be")
        fresh = replace(record, metadata=deepcopy(record.metadata), message_count=0, token_count=0)
        self._kept[record.conversation_id] = StoredConversation(record=fresh, messages=())

    async def append(self, conversation_id: str, messages: Sequence[Message], *, after: int, at: datetime) -> None:
        """Add messages."""
        kept = self._known(conversation_id)
        if len(kept.messages) != after:
            raise ConflictError(f"the conversation has {len(kept.messages)} messages, not {after}; load it again")
        record = replace(
            kept.record,
            last_activity_at=at,
            archived_at=None,
            message_count=after + len(messages),
            token_count=kept.record.token_count + estimate(messages),
        )
        self._kept[conversation_id] = replace(kept, record=record, messages=(*kept.messages, *messages))

    async def add_bookmark(self, conversation_id: str, bookmark: KeptBookmark) -> None:
        """Keep a bookmark."""
        kept = self._known(conversation_id)
        others = [mark for mark in kept.bookmarks if _place(mark) != _place(bookmark)]
        bookmarks = tuple(sorted([*others, bookmark], key=lambda mark: (mark.first, mark.end, mark.kind)))
        self._kept[conversation_id] = replace(kept, bookmarks=bookmarks)

    async def load(self, conversation_id: str) -> StoredConversation | None:
        """The whole conversation."""
        kept = self._kept.get(conversation_id)
        return None if kept is None else replace(kept, record=_copy(kept.record))

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give it another title."""
        kept = self._known(conversation_id)
        self._kept[conversation_id] = replace(kept, record=replace(kept.record, title=title))

    async def archive(self, conversation_id: str, at: datetime | None) -> None:
        """Archive it or take it back."""
        kept = self._known(conversation_id)
        self._kept[conversation_id] = replace(kept, record=replace(kept.record, archived_at=at))

    async def archive_idle(self, *, since: datetime, at: datetime) -> int:
        """Archive what has been idle."""
        records = [kept.record for kept in self._kept.values()]
        idle = [record for record in records if record.archived_at is None and record.last_activity_at < since]
        for record in idle:
            await self.archive(record.conversation_id, at)
        return len(idle)

    async def find(
        self, user_id: str | None, *, is_archived: bool = False, limit: int = 50, offset: int = 0
    ) -> list[ConversationRecord]:
        """A user's conversations."""
        found = [
            kept.record
            for kept in self._kept.values()
            if kept.record.user_id == user_id and (kept.record.archived_at is not None) == is_archived
        ]
        found.sort(key=lambda record: (record.last_activity_at, record.conversation_id), reverse=True)
        return [_copy(record) for record in found[offset : offset + limit]]

    async def delete(self, conversation_id: str) -> None:
        """Forget it."""
        self._kept.pop(conversation_id, None)

    def _known(self, conversation_id: str) -> StoredConversation:
        if conversation_id not in self._kept:
            raise UnknownConversationError(f"there is no conversation {conversation_id}")
        return self._kept[conversation_id]


def _is_active_of(record: ConversationRecord, user_id: str | None) -> bool:
    return record.user_id == user_id and record.archived_at is None


def _place(mark: KeptBookmark) -> tuple[str, int, int]:
    return mark.kind, mark.first, mark.end


def _copy(record: ConversationRecord) -> ConversationRecord:
    return replace(record, metadata=deepcopy(record.metadata))
