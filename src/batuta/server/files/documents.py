"""Documents opened at a place: the text around some words, and pages as pictures (W-9).

A document is a file of the caller or one of the folder that every user may read. The index is asked for it within that
scope, so that another user's document is not there.
"""

from dataclasses import dataclass
from pathlib import Path

from batuta.agents.documents.library import SHARED, owner_of
from batuta.knowledge.document import DocumentText, Segment
from batuta.knowledge.extract.extractor import Extractor
from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.pages import PageImage
from batuta.knowledge.index import DocumentEntry, PassageIndex, SearchScope
from batuta.server.files.service import Files
from batuta.server.problems import NotFoundProblem
from batuta.server.security.ownership import Caller

MAX_SHOWN_CHARS = 120_000
MAX_SHOWN_SEGMENTS = 4_000
PDF = "application/pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDocument:
    """A part of a document's text. Segments and the marked span count from the beginning of that part."""

    entry: DocumentEntry
    is_own: bool
    """Whether it is a file of the caller, which has a page of its own."""
    content: DocumentText
    text: str
    segments: tuple[Segment, ...]
    start: int | None
    end: int | None
    page: int | None
    """Of a PDF: where the marked span is."""

    @property
    def is_part(self) -> bool:
        """Whether there is more than is shown."""
        return self.content.is_partial or len(self.text) < len(self.content.text)


class DocumentReader:
    """Opens documents for those who may read them."""

    def __init__(self, files: Files, index: PassageIndex, extractor: Extractor, *, shared_folder: Path | None) -> None:
        self._files = files
        self._index = index
        self._extractor = extractor
        self._shared_folder = shared_folder

    async def open(self, caller: Caller, document_id: str, start: int | None, end: int | None) -> OpenedDocument:
        """A document's text around a span, or its beginning."""
        entry, content = await self._found(caller, document_id)
        is_marked = start is not None and end is not None and 0 <= start < end <= len(content.text)
        begin = max(0, start - MAX_SHOWN_CHARS // 2) if is_marked and start is not None else 0
        text = content.text[begin : begin + MAX_SHOWN_CHARS]
        segment = content.segment_at(start) if is_marked and start is not None else None
        return OpenedDocument(
            entry=entry,
            is_own=entry.owner == owner_of(caller.user_id),
            content=content,
            text=text,
            segments=_between(content, begin, begin + len(text)),
            start=start - begin if is_marked and start is not None else None,
            end=min(len(text), end - begin) if is_marked and end is not None else None,
            page=segment.place.number if segment is not None and segment.place.kind == "page" else None,
        )

    async def page(self, caller: Caller, document_id: str, number: int, words: str) -> PageImage:
        """A page of a PDF, with the places of some words on it."""
        entry, content = await self._found(caller, document_id)
        path = await self._path(entry)
        if content.media_type != PDF or path is None:
            raise NotFoundProblem
        try:
            return await self._extractor.page(path, number, words)
        except ExtractionFailedError as error:
            raise NotFoundProblem from error

    async def _found(self, caller: Caller, document_id: str) -> tuple[DocumentEntry, DocumentText]:
        scope = SearchScope(owners=(owner_of(caller.user_id), SHARED), documents=frozenset({document_id}))
        entries = await self._index.entries(scope)
        content = await self._index.content(document_id, scope)
        if not entries or content is None:
            raise NotFoundProblem
        return entries[0], content

    async def _path(self, entry: DocumentEntry) -> Path | None:
        if entry.owner != SHARED:
            return (await self._files.content(entry.document_id))[1]
        if self._shared_folder is None:
            return None
        path = (self._shared_folder / entry.name).resolve()
        return path if path.is_relative_to(self._shared_folder.resolve()) and path.is_file() else None


def _between(content: DocumentText, begin: int, end: int) -> tuple[Segment, ...]:
    """The segments that lie in a part of the text, counted from its beginning."""
    inside = [segment for segment in content.segments if begin <= segment.start and segment.end <= end]
    return tuple(
        Segment(
            start=segment.start - begin,
            end=segment.end - begin,
            place=segment.place,
            kind=segment.kind,
            headings=segment.headings,
        )
        for segment in inside[:MAX_SHOWN_SEGMENTS]
    )
