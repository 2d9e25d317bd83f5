"""A document as text with places: what an extractor gives, what is stored, and what citations are checked against."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

LocationKind = Literal["line", "page", "slide", "sheet", "section", "part"]
SegmentKind = Literal["text", "heading", "row"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where in the original a piece of text stands."""

    kind: LocationKind
    number: int = 0
    """Of the line, page or slide, from 1; 0 where the format has none."""
    name: str = ""
    """Of the sheet or the part of an e-mail."""
    cells: str = ""
    """A range of a sheet, such as `A2:F9`."""

    @property
    def label(self) -> str:
        """The place in a few characters that readers of English and Spanish both understand."""
        return _LABELS[self.kind].format(self=self).strip("! ")


_LABELS: Mapping[LocationKind, str] = {
    "line": "l. {self.number}",
    "page": "p. {self.number}",
    "slide": "№ {self.number}",
    "sheet": "{self.name}!{self.cells}",
    "section": "{self.name}",
    "part": "{self.name}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A paragraph, heading or table row: a span of the text with its place and the headings above it."""

    start: int
    end: int
    place: Location
    kind: SegmentKind = "text"
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """The text of one document. Segments are in order and do not overlap."""

    title: str
    text: str
    segments: tuple[Segment, ...]
    media_type: str = "text/plain"
    extractor: str = ""
    """Name and version: two extractors give the same page in different words."""
    is_partial: bool = False
    """Whether the document went on after the limit of text."""

    def segment_at(self, offset: int) -> Segment | None:
        """The segment that holds an offset, or the last one before it."""
        low, high = 0, len(self.segments)
        while low < high:
            middle = (low + high) // 2
            if self.segments[middle].start <= offset:
                low = middle + 1
            else:
                high = middle
        return self.segments[low - 1] if low else None

    def place_at(self, start: int, end: int) -> str:
        """A span's place for a reader: its innermost heading, and page, slide, cells or line."""
        segment = self.segment_at(start)
        if segment is None:
            return ""
        place = segment.place
        if place.kind == "line":
            line_breaks = self.text.count("\n", segment.start, start)
            place = Location(kind="line", number=place.number + line_breaks)
        elif place.kind == "sheet":
            last = self.segment_at(max(start, end - 1))
            place = spanning(place, last.place if last else place)
        heading = segment.headings[-1] if segment.headings and segment.place.kind != "sheet" else ""
        return ", ".join(dict.fromkeys(part for part in (heading, place.label) if part))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A few segments of one section, small enough to be ranked and shown as one passage."""

    start: int
    end: int
    headings: tuple[str, ...]
    place: Location


def spanning(first: Location, last: Location) -> Location:
    """The cells from one range to another of the same sheet; elsewhere the first place."""
    if first.kind != "sheet" or last.kind != "sheet" or first.name != last.name or first == last:
        return first
    begin, end = first.cells.partition(":")[0], last.cells.rpartition(":")[2]
    return Location(kind="sheet", number=first.number, name=first.name, cells=f"{begin}:{end}")


def to_json(document: DocumentText) -> dict[str, Any]:
    """As JSON that `from_json` reads back."""
    return asdict(document)


def from_json(data: Mapping[str, Any]) -> DocumentText:
    """A document from what `to_json` gave."""
    segments = tuple(
        Segment(
            **{**segment, "place": Location(**segment["place"]), "headings": tuple(segment["headings"])},
        )
        for segment in data["segments"]
    )
    return DocumentText(**{**data, "segments": segments})
