"""The contract of conversation stores. The suite in `batuta.testing.conversations` proves an implementation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from batuta.conversations.conversation import Conversation, KeptBookmark
from batuta.kernel.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRecord:
    """What is known about a conversation without reading it."""

    conversation_id: str
    created_at: datetime
    last_activity_at: datetime
    user_id: str | None = None
    title: str = ""
    system_prompt: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    archived_at: datetime | None = None
    message_count: int = 0
    token_count: int = 0
    """An estimate of all messages together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConversation:
    """A conversation as it was kept."""

    record: ConversationRecord
    messages: tuple[Message, ...]
    bookmarks: tuple[KeptBookmark, ...] = ()

    def conversation(self) -> Conversation:
        """A conversation to go on with."""
        conversation = Conversation(
            self.messages,
            conversation_id=self.record.conversation_id,
            system_prompt=self.record.system_prompt,
            metadata=self.record.metadata,
            created_at=self.record.created_at,
        )
        conversation.last_activity_at = self.record.last_activity_at
        conversation.bookmarks = list(self.bookmarks)
        return conversation


class ConversationStore(Protocol):
    """Keeps conversations. Every call is atomic; what was acknowledged is durable as far as the medium is.

    Any call may raise `StoreUnavailableError`, and those that name a conversation `UnknownConversationError`.
    """

    async def create(self, record: ConversationRecord, *, max_active: int | None = None) -> None:
        """Keep a new conversation.

        Raises `ConflictError` if the id is used, `TooManyConversationsError` if its user already has `max_active`
        that are not archived; two who ask at the same moment cannot both take the last place.
        """
        ...

    async def append(self, conversation_id: str, messages: Sequence[Message], *, after: int, at: datetime) -> None:
        """Add messages behind the first `after` ones, all or none; an archived conversation becomes active again.

        Raises `ConflictError` if there are more or fewer than `after`: another writer was faster.
        """
        ...

    async def add_bookmark(self, conversation_id: str, bookmark: KeptBookmark) -> None:
        """Keep a bookmark. The same range and kind again replaces it."""
        ...

    async def load(self, conversation_id: str) -> StoredConversation | None:
        """The whole conversation as it was at one moment, or `None`."""
        ...

    async def rename(self, conversation_id: str, title: str) -> None:
        """Give it another title."""
        ...

    async def archive(self, conversation_id: str, at: datetime | None) -> None:
        """Archive it, or take it back with `None`."""
        ...

    async def archive_idle(self, *, since: datetime, at: datetime) -> int:
        """Archive every active conversation without activity since a moment; how many that were."""
        ...

    async def find(
        self, user_id: str | None, *, is_archived: bool = False, limit: int = 50, offset: int = 0
    ) -> list[ConversationRecord]:
        """A user's conversations, the last active first."""
        ...

    async def delete(self, conversation_id: str) -> None:
        """Forget it and everything in it. Unknown ones are no error."""
        ...
