"""Many conversations per user: titles, a limit of active ones, an archive, and export.

A conversation belongs to its user. Another user's looks exactly like one that does not exist.
"""

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pydantic_core import to_jsonable_python

from batuta.conversations.conversation import Conversation
from batuta.conversations.stores.store import ConversationRecord, ConversationStore, StoredConversation
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import BatutaError, ConflictError, UnknownConversationError
from batuta.kernel.messages import Message
from batuta.kernel.numbers import check_duration, check_number
from batuta.llm.model import Model, ModelRequest, ModelSettings

log = logging.getLogger("batuta.conversations")

MAX_ACTIVE = 50
IDLE_BEFORE_ARCHIVE = timedelta(days=30)
MAX_TITLE_CHARS = 60
EXPORT_VERSION = 1


@dataclass(slots=True)
class OpenConversation:
    """A conversation in use, and how much of it the store has."""

    conversation: Conversation
    user_id: str | None
    title: str = ""
    saved_messages: int = 0
    saved_bookmarks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationManager:
    """The conversations of all users in one store."""

    store: ConversationStore
    titler: Model | None = None
    """Finds titles; without one the first words of the user are the title."""
    max_active: int = MAX_ACTIVE
    idle_before_archive: timedelta = IDLE_BEFORE_ARCHIVE
    clock: Clock = field(default=SYSTEM_CLOCK)

    def __post_init__(self) -> None:
        """Refuse limits that leave no room for a message."""
        check_number("max_active", self.max_active, at_least=1)
        check_duration("idle_before_archive", self.idle_before_archive)

    async def start(
        self, user_id: str | None, *, system_prompt: str = "", metadata: dict[str, Any] | None = None
    ) -> OpenConversation:
        """Begin a conversation. Raises `TooManyConversationsError` when the user has too many active ones."""
        now = self.clock.now()
        conversation = Conversation(system_prompt=system_prompt, metadata=metadata, created_at=now)
        record = ConversationRecord(
            conversation_id=conversation.conversation_id,
            user_id=user_id,
            system_prompt=system_prompt,
            metadata=conversation.metadata,
            created_at=now,
            last_activity_at=now,
        )
        await self.store.create(record, max_active=self.max_active)
        return OpenConversation(conversation, user_id)

    async def open(self, conversation_id: str, user_id: str | None) -> OpenConversation:
        """Go on with a conversation of this user."""
        stored = await self._owned(conversation_id, user_id)
        conversation = stored.conversation()
        return OpenConversation(conversation, user_id, stored.record.title, len(stored.messages), len(stored.bookmarks))

    async def save(self, opened: OpenConversation) -> None:
        """Keep what was added since it was opened or saved; the first message of the user gives the title.

        Raises `ConflictError` if another writer added messages meanwhile, or saved ones were taken back.
        """
        conversation = opened.conversation
        added = conversation.messages[opened.saved_messages :]
        if len(conversation.messages) < opened.saved_messages:
            raise ConflictError("messages that were saved were taken back; open the conversation again")
        if added:
            await self.store.append(
                conversation.conversation_id, added, after=opened.saved_messages, at=self.clock.now()
            )
            opened.saved_messages += len(added)
        for bookmark in conversation.bookmarks[opened.saved_bookmarks :]:
            await self.store.add_bookmark(conversation.conversation_id, bookmark)
            opened.saved_bookmarks += 1
        await self._give_title(opened)

    async def rename(self, conversation_id: str, user_id: str | None, title: str) -> None:
        """Give a conversation of this user another title."""
        await self._owned(conversation_id, user_id)
        await self.store.rename(conversation_id, clean_title(title))

    async def archive(self, conversation_id: str, user_id: str | None) -> None:
        """Put a conversation of this user away; a new message brings it back."""
        await self._owned(conversation_id, user_id)
        await self.store.archive(conversation_id, self.clock.now())

    async def archive_idle(self) -> int:
        """Archive conversations that were not used for long; how many."""
        now = self.clock.now()
        return await self.store.archive_idle(since=now - self.idle_before_archive, at=now)

    async def delete(self, conversation_id: str, user_id: str | None) -> None:
        """Forget a conversation of this user."""
        await self._owned(conversation_id, user_id)
        await self.store.delete(conversation_id)

    async def export(self, conversation_id: str, user_id: str | None) -> dict[str, Any]:
        """Everything about a conversation of this user, as JSON values."""
        stored = await self._owned(conversation_id, user_id)
        whole = to_jsonable_python(stored)
        return {"version": EXPORT_VERSION, **whole["record"], **{key: whole[key] for key in ("messages", "bookmarks")}}

    async def _owned(self, conversation_id: str, user_id: str | None) -> StoredConversation:
        stored = await self.store.load(conversation_id)
        if stored is None or stored.record.user_id != user_id:
            raise UnknownConversationError(f"there is no conversation {conversation_id}")
        return stored

    async def _give_title(self, opened: OpenConversation) -> None:
        said = next((message.text for message in opened.conversation.messages if message.role == "user"), "")
        if opened.title or not said.strip():
            return
        opened.title = await self._found_title(said)
        await self.store.rename(opened.conversation.conversation_id, opened.title)

    async def _found_title(self, said: str) -> str:
        if self.titler is None:
            return clean_title(said)
        request = ModelRequest(
            system="Give this conversation a title of at most six words, in its language. Answer with the title alone.",
            messages=(Message.user(said[:2_000]),),
            settings=ModelSettings(max_tokens=50),
        )
        try:
            answer = await self.titler.generate(request)
        except BatutaError as error:
            log.warning("no title from the model: %s", error)
            return clean_title(said)
        return clean_title(answer.text) or clean_title(said)


def clean_title(text: str) -> str:
    """One short line without quotes around it or control characters in it."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split()).strip("\"'`*# ")
    return line if len(line) <= MAX_TITLE_CHARS else line[: MAX_TITLE_CHARS - 1].rstrip() + "…"
