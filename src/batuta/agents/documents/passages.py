"""A document as passages: the paragraphs of each section, with the lines they stand on. Pure: text in, passages out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

MAX_PASSAGE_CHARS = 1_200

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A few paragraphs of one section."""

    file: str
    title: str
    section: str
    first_line: int
    text: str

    @property
    def place(self) -> str:
        """Where it stands."""
        return place_of(self.section, self.first_line)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    section: str


def place_of(section: str, line: int) -> str:
    """A place in a document, for readers of any language: `l.` is short for line and for línea."""
    return f"{section}, l. {line}" if section else f"l. {line}"


def title_of(file: str, text: str) -> str:
    """The first heading, else the first line of a plain text, else the name of the file."""
    headings = (match.group(2) for line in text.splitlines() if (match := _HEADING.match(line)))
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    plain = first if file.endswith(".txt") and len(first) < 80 else ""
    return next(headings, "") or plain or PurePath(file).stem


def passages_of(file: str, text: str) -> list[Passage]:
    """The passages of a document, in order."""
    title = title_of(file, text)
    return [
        Passage(
            file=file,
            title=title,
            section=lines[0].section,
            first_line=lines[0].number,
            text="\n".join(line.text for line in lines),
        )
        for lines in _groups(list(_lines(text, title)))
    ]


def section_at(text: str, line: int) -> str:
    """The section a line belongs to."""
    title = title_of("", text)
    return next((each.section for each in reversed(list(_lines(text, title))) if each.number <= line), "")


def _lines(text: str, title: str) -> Iterator[_Line]:
    """Every line that is no heading, with the section above it; the document's own title is no section."""
    section, is_code = "", False
    for number, line in enumerate(text.splitlines(), 1):
        is_code ^= _FENCE.match(line) is not None
        heading = None if is_code else _HEADING.match(line)
        if heading is None:
            yield _Line(number, line.rstrip(), section)
        else:
            section = "" if heading.group(2) == title else heading.group(2)


def _groups(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Paragraphs of one section together, as long as they stay short."""
    current: list[_Line] = []
    for paragraph in _paragraphs(lines):
        size = sum(len(line.text) for line in (*current, *paragraph))
        if current and (current[0].section != paragraph[0].section or size > MAX_PASSAGE_CHARS):
            yield current
            current = []
        gap = [_Line(paragraph[0].number - 1, "", paragraph[0].section)] if current else []
        current = [*current, *gap, *paragraph]
    if current:
        yield current


def _paragraphs(lines: list[_Line]) -> Iterator[list[_Line]]:
    current: list[_Line] = []
    for line in lines:
        if current and (not line.text.strip() or line.section != current[0].section):
            yield current
            current = []
        if line.text.strip():
            current.append(line)
    if current:
        yield current
