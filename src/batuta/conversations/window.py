"""What of a long history a model sees: the first messages and as many of the last as fit a token budget.

A tool call and its results stay together or go together, and the result is always a valid history.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from batuta.conversations.tokens import TokenCounter, estimate_message
from batuta.conversations.validity import exchanges, valid_history
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.messages import Message

WINDOW_TOKENS = 4_000
KEEP_FIRST = 2

_Part = tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingWindow:
    """The first `keep_first` messages and the last ones, within `limit_tokens`.

    What the user said last and everything since is never left out, even when it alone is larger than the budget.
    """

    limit_tokens: int = WINDOW_TOKENS
    keep_first: int = KEEP_FIRST
    count_tokens: TokenCounter = estimate_message

    def __post_init__(self) -> None:
        """Refuse a window nothing fits in."""
        if self.limit_tokens < 1 or self.keep_first < 0:
            raise ConfigurationError(f"a window has room for something, got {self.limit_tokens}, {self.keep_first}")

    def apply(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        """The part of a history to send; all of it when it fits."""
        parts = exchanges(valid_history(messages))
        if self._size(parts) <= self.limit_tokens:
            return _flat(parts)
        required = _first_required(parts)
        head = self._head(parts[:required], self.limit_tokens - self._size(parts[required:]))
        tail = self._tail(parts, required, self.limit_tokens - self._size(head), first=len(head))
        return valid_history(_flat(head + tail))

    def _head(self, parts: Sequence[_Part], budget: int) -> list[_Part]:
        """The first parts that hold `keep_first` messages, as far as they fit."""
        head: list[_Part] = []
        while len(_flat(head)) < self.keep_first and len(head) < len(parts):
            if self._size([*head, parts[len(head)]]) > budget:
                break
            head.append(parts[len(head)])
        return head

    def _tail(self, parts: Sequence[_Part], required: int, budget: int, first: int) -> list[_Part]:
        """The last parts that fit: the required ones, and before them whatever there is room for."""
        start = required
        left = budget - self._size(parts[required:])
        while start > first and (size := self._size([parts[start - 1]])) <= left:
            left -= size
            start -= 1
        return list(parts[start:])

    def _size(self, parts: Iterable[_Part]) -> int:
        return sum(self.count_tokens(message) for part in parts for message in part)


def _first_required(parts: Sequence[_Part]) -> int:
    """Where the present turn begins: the user's last message."""
    spoken = [index for index, part in enumerate(parts) if part[0].role == "user"]
    return spoken[-1] if spoken else len(parts)


def _flat(parts: Iterable[_Part]) -> tuple[Message, ...]:
    return tuple(message for part in parts for message in part)
