"""Collects the segments of a document while a reader walks through it, up to a limit of text."""

import re
from dataclasses import dataclass, field

from batuta.knowledge.document import DocumentText, Location, Segment, SegmentKind

MAX_CHARS = 4_000_000
MAX_HEADING_CHARS = 200
MAX_SEGMENTS = 200_000

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200b\u202f\u205f\u3000]+")


class TextLimitReached(Exception):  # noqa: N818 - not a failure: the part before it is kept
    """The document has more text than is kept."""


@dataclass(slots=True)
class TextBuilder:
    """A document under construction."""

    max_chars: int = MAX_CHARS
    title: str = ""
    _parts: list[str] = field(default_factory=list)
    _segments: list[Segment] = field(default_factory=list)
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _length: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether no text has come yet."""
        return not self._length

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings above what comes next."""
        return tuple(name for _, name in self._headings)

    def heading(self, text: str, location: Location, *, level: int) -> None:
        """A heading: of what follows, until one of its level or above. The first one may be the document's title."""
        words = clean(text).replace("\n", " ")[:MAX_HEADING_CHARS].strip()
        if not words:
            return
        self._headings = [above for above in self._headings if above[0] < level]
        if not self.title and not self._segments:
            self.title = words
        self._append(words, location, "heading")
        if words != self.title:
            self._headings.append((level, words))

    def section(self, *headings: str) -> None:
        """Put these headings above what comes next, in place of those that stand there."""
        self._headings = [(level, clean(name)[:MAX_HEADING_CHARS]) for level, name in enumerate(headings, 1) if name]

    def add(self, text: str, location: Location, kind: SegmentKind = "text") -> None:
        """A paragraph or row."""
        words = clean(text).strip("\n")
        if words.strip():
            self._append(words, location, kind)

    def _append(self, words: str, location: Location, kind: SegmentKind) -> None:
        left = self.max_chars - self._length
        if left <= 0 or len(self._segments) >= MAX_SEGMENTS:
            raise TextLimitReached
        is_cut, words = len(words) > left, words[:left]
        separator = "" if not self._parts else "\n" if kind == "row" and self._segments[-1].kind == "row" else "\n\n"
        start = self._length + len(separator)
        self._parts.extend((separator, words))
        self._length = start + len(words)
        self._segments.append(Segment(start=start, end=self._length, place=location, kind=kind, headings=self.headings))
        if is_cut:
            raise TextLimitReached

    def built(self, *, name: str, media_type: str, extractor: str, is_partial: bool = False) -> DocumentText:
        """The document. Without a title it is called by its name."""
        return DocumentText(
            title=self.title or name,
            text="".join(self._parts),
            segments=tuple(self._segments),
            media_type=media_type,
            extractor=extractor,
            is_partial=is_partial,
        )


def clean(text: str) -> str:
    """Without control characters, one blank where there are many, lines ended by a line feed."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return _BLANKS.sub(" ", _CONTROL.sub("", unified))
