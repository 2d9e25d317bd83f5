"""Cut a document into passages of one section each, 300 to 400 tokens, with the headings above them. Pure.

A passage never crosses a page, slide or sheet, so that its place is one; a longer segment is cut between sentences.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from batuta.knowledge.document import Chunk, DocumentText, Segment, spanning

TARGET_TOKENS = 350
CHARS_PER_TOKEN = 4
TARGET_CHARS = TARGET_TOKENS * CHARS_PER_TOKEN

_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|\n+")
_SPACE = re.compile(r"\s+")


def chunks_of(document: DocumentText) -> list[Chunk]:
    """The passages of a document, in order. Headings are kept as a field of what stands below them."""
    return [
        Chunk(
            start=group[0].start,
            end=group[-1].end,
            headings=group[0].headings,
            place=spanning(group[0].place, group[-1].place),
        )
        for group in _groups(document)
        if document.text[group[0].start : group[-1].end].strip()
    ]


def _groups(document: DocumentText) -> Iterator[list[Segment]]:
    current: list[Segment] = []
    for segment in _pieces(document):
        if segment.kind == "heading":
            continue
        if current and not _fits(current, segment):
            yield current
            current = []
        current.append(segment)
    if current:
        yield current


def _fits(current: list[Segment], segment: Segment) -> bool:
    first = current[0]
    is_same_place = (first.place.kind, first.place.name) == (segment.place.kind, segment.place.name)
    if first.place.kind in ("page", "slide"):
        is_same_place = is_same_place and first.place.number == segment.place.number
    is_short = segment.end - first.start <= TARGET_CHARS
    is_same_section = first.headings == segment.headings
    return is_same_place and is_short and is_same_section


def _pieces(document: DocumentText) -> Iterator[Segment]:
    """Segments, the long ones cut."""
    for segment in document.segments:
        if segment.end - segment.start <= TARGET_CHARS:
            yield segment
        else:
            yield from _cut(document.text, segment)


def _cut(text: str, segment: Segment) -> Iterator[Segment]:
    start = segment.start
    while segment.end - start > TARGET_CHARS:
        end = _cut_at(text, start, start + TARGET_CHARS)
        yield _part(text, segment, start, end)
        start = end
    if start < segment.end:
        yield _part(text, segment, start, segment.end)


def _part(text: str, segment: Segment, start: int, end: int) -> Segment:
    if segment.place.kind != "line":
        return replace(segment, start=start, end=end)
    number = segment.place.number + text.count("\n", segment.start, start)
    return replace(segment, start=start, end=end, place=replace(segment.place, number=number))


def _cut_at(text: str, start: int, limit: int) -> int:
    """The end of the last sentence before the limit, else the last space, else the limit: some texts have neither."""
    window = text[start:limit]
    for boundary in (_SENTENCE_END, _SPACE):
        ends = [match.end() for match in boundary.finditer(window) if match.end() >= TARGET_CHARS // 3]
        if ends:
            return start + ends[-1]
    return limit
