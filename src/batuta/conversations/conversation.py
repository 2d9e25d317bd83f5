"""A conversation in memory: an id, a system prompt, and a history that can be marked, cut back and copied cheaply.

Messages are frozen, so a copy shares them and copies only the list.
"""

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Self

from batuta.conversations.window import SlidingWindow
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Message


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place in a history: everything before it."""

    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBookmark:
    """A remark about a range of messages that is kept with the conversation."""

    kind: Literal["summary", "key_point", "manual"]
    first: int
    """Position of the first message it is about."""
    end: int
    """Position behind the last one."""
    text: str
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


class History:
    """The messages of a conversation, in order."""

    __slots__ = ("_messages",)

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = list(messages)

    def __len__(self) -> int:
        """How many messages there are."""
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        """The messages in order."""
        return iter(self._messages)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages in order."""
        return tuple(self._messages)

    def add(self, *messages: Message) -> None:
        """Append messages."""
        self._messages.extend(messages)

    def bookmark(self) -> Bookmark:
        """Mark the present end."""
        return Bookmark(len(self._messages))

    def since(self, bookmark: Bookmark) -> tuple[Message, ...]:
        """The messages added after a bookmark."""
        return tuple(self._messages[bookmark.position :])

    def clear_after(self, bookmark: Bookmark) -> None:
        """Forget everything added after a bookmark."""
        del self._messages[bookmark.position :]

    def recent(self, count: int) -> tuple[Message, ...]:
        """The last `count` messages."""
        return tuple(self._messages[-count:]) if count > 0 else ()

    def sliding_window(self, window: SlidingWindow = SlidingWindow()) -> tuple[Message, ...]:  # noqa: B008 - frozen
        """The first messages and as many of the last as fit a token budget, always a valid history."""
        return window.apply(self._messages)

    def copy(self) -> "History":
        """An independent history of the same messages."""
        return History(self._messages)


class Conversation:
    """Business context of a run: mutable, owned by its holder, copied for every parallel branch."""

    __slots__ = (
        "bookmarks",
        "conversation_id",
        "created_at",
        "history",
        "last_activity_at",
        "metadata",
        "system_prompt",
    )

    def __init__(
        self,
        messages: Iterable[Message] = (),
        *,
        conversation_id: str | None = None,
        system_prompt: str = "",
        metadata: dict[str, Any] | None = None,
        created_at: datetime | None = None,
    ) -> None:
        self.conversation_id = conversation_id or new_id()
        self.system_prompt = system_prompt
        self.history = History(messages)
        self.bookmarks: list[KeptBookmark] = []
        self.metadata = dict(metadata or {})
        self.created_at = created_at or datetime.now(UTC)
        self.last_activity_at = self.created_at

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages in order."""
        return self.history.messages

    def add(self, *messages: Message) -> None:
        """Append messages and note the time."""
        self.history.add(*messages)
        self.last_activity_at = datetime.now(UTC)

    def clone(self, keep: Callable[[Message], bool] | None = None) -> Self:
        """An independent copy with the same id, of all messages or of those a filter keeps."""
        copy = object.__new__(type(self))
        copy.conversation_id = self.conversation_id
        copy.system_prompt = self.system_prompt
        copy.bookmarks = list(self.bookmarks) if keep is None else []
        copy.metadata = deepcopy(self.metadata) if self.metadata else {}
        copy.created_at = self.created_at
        copy.last_activity_at = self.last_activity_at
        copy.history = self.history.copy() if keep is None else History(filter(keep, self.history))
        return copy
