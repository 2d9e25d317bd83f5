"""What is found in a text: a value, where it stands, and what else it may mean.

Finding(value=date(2026, 3, 4), span=TextSpan(start=10, end=13), text="4/3", alternatives=(date(2026, 4, 3),))
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

Language = Literal["en", "es"]
LANGUAGES: tuple[Language, ...] = ("en", "es")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TextSpan:
    """A stretch of a text, in characters from its beginning; `end` is the first one after it."""

    start: int
    end: int

    def overlaps(self, other: "TextSpan") -> bool:
        """Whether both have a character in common."""
        return self.start < other.end and other.start < self.end

    def covers(self, other: "TextSpan") -> bool:
        """Whether the other lies within it."""
        return self.start <= other.start and other.end <= self.end

    def joined(self, other: "TextSpan") -> "TextSpan":
        """From the beginning of the first to the end of the last."""
        return TextSpan(start=min(self.start, other.start), end=max(self.end, other.end))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Generic[T]):
    """A value and the words it was read from."""

    value: T
    span: TextSpan
    text: str
    """The words, as they stand in the text."""
    alternatives: tuple[T, ...] = ()
    """What the same words may mean as well, likeliest first. Empty where they are clear."""
    reference: datetime | None = None
    """The moment, with its zone, from which the words were understood; none where they mean the same at any time."""


def longest_first(found: Iterable[Finding[T]]) -> list[Finding[T]]:
    """Findings without those that lie across a longer one, in the order of the text."""
    kept: list[Finding[T]] = []
    for each in sorted(found, key=lambda one: (one.span.start - one.span.end, one.span.start)):
        if not any(each.span.overlaps(other.span) for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda one: one.span)
