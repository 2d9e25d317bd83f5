"""Artefacts in a stream: an agent may put things between declared tags, which are handed to a handler as they come.

    <file path="a.py">print(1)</file>   ->   opened(file, {path}) · text · closed(file)

Pure: feed pieces of text in any cut, get the same pieces out. What stands outside declared tags is ordinary text.
"""

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag that an agent may use, and who takes what stands in it."""

    name: str
    handler: Callable[..., Awaitable[None]] | None = None
    discard: Callable[[dict[str, str]], Awaitable[None]] | None = None
    """Called with the attributes of a void artefact, whole or in part: its stream broke and begins anew, or the
    answer around it was rejected."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A declared tag begins."""

    tag: str
    attributes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Inside:
    """A piece of what stands in a tag."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A declared tag ends, or the text did."""

    tag: str
    size: int


@dataclass(frozen=True, slots=True)
class Outside:
    """Ordinary text."""

    text: str


Piece = Opened | Inside | Closed | Outside

_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_LONGEST_TAG = 1_000
"""A `<` followed by more than this without a `>` is no tag."""


class TagParser:
    """Finds declared tags in a text that comes in pieces."""

    def __init__(self, tags: Iterable[str]) -> None:
        names = "|".join(re.escape(name) for name in tags)
        self._opening = re.compile(rf"<({names})(\s[^<>]*)?>")
        self._prefixes = tuple(f"<{name}" for name in names.split("|"))
        self._buffer = ""
        self._tag: str | None = None
        self._size = 0

    def feed(self, text: str) -> list[Piece]:
        """Take a piece of text and return what is certain now."""
        self._buffer += text
        pieces: list[Piece] = []
        while self._step(pieces):
            pass
        return pieces

    def close(self) -> list[Piece]:
        """The text ends: what was held back, and an open tag."""
        pieces: list[Piece] = []
        if self._tag is None:
            _add_outside(pieces, self._buffer)
        else:
            self._add_inside(pieces, self._buffer)
            pieces.append(Closed(self._tag, self._size))
        self._buffer, self._tag = "", None
        return pieces

    def _step(self, pieces: list[Piece]) -> bool:
        """Consume up to the next tag; whether there may be more to consume."""
        return self._outside(pieces) if self._tag is None else self._inside(pieces)

    def _outside(self, pieces: list[Piece]) -> bool:
        found = self._opening.search(self._buffer)
        if found is None:
            self._release(pieces)
            return False
        _add_outside(pieces, self._buffer[: found.start()])
        self._tag, self._size = found.group(1), 0
        pieces.append(Opened(self._tag, _attributes(found.group(2) or "")))
        self._buffer = self._buffer[found.end() :]
        return True

    def _inside(self, pieces: list[Piece]) -> bool:
        assert self._tag is not None
        closing = f"</{self._tag}>"
        end = self._buffer.find(closing)
        if end < 0:
            keep = _partial_suffix(self._buffer, closing)
            self._add_inside(pieces, self._buffer[: len(self._buffer) - keep])
            self._buffer = self._buffer[len(self._buffer) - keep :]
            return False
        self._add_inside(pieces, self._buffer[:end])
        pieces.append(Closed(self._tag, self._size))
        self._buffer, self._tag = self._buffer[end + len(closing) :], None
        return True

    def _release(self, pieces: list[Piece]) -> None:
        """Let text go that cannot become a tag any more."""
        start = self._buffer.rfind("<")
        tail = self._buffer[start:] if start >= 0 else ""
        may_be_tag = (
            tail != ""
            and len(tail) <= _LONGEST_TAG
            and ">" not in tail
            and any(prefix.startswith(tail) or tail.startswith(prefix) for prefix in self._prefixes)
        )
        cut = start if may_be_tag else len(self._buffer)
        _add_outside(pieces, self._buffer[:cut])
        self._buffer = self._buffer[cut:]

    def _add_inside(self, pieces: list[Piece], text: str) -> None:
        if text and self._tag is not None:
            self._size += len(text)
            pieces.append(Inside(self._tag, text))


def _add_outside(pieces: list[Piece], text: str) -> None:
    if text:
        pieces.append(Outside(text))


def _attributes(text: str) -> dict[str, str]:
    return {name: double or single or bare for name, double, single, bare in _ATTRIBUTE.findall(text)}


def _partial_suffix(text: str, whole: str) -> int:
    """How many characters at the end of a text may be the beginning of `whole`."""
    return next((n for n in range(min(len(whole) - 1, len(text)), 0, -1) if text.endswith(whole[:n])), 0)
