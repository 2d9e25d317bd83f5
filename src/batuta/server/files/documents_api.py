"""Documents over HTTP: search in them, open them at a place, see a page (P-35, W-9)."""

import base64
from typing import Annotated, Literal

from fastapi import Query
from pydantic import AwareDatetime, BaseModel

from batuta.server.files.documents import DocumentReader, OpenedDocument
from batuta.server.files.service import FileFilter, Files
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router

router = new_router(tags=["documents"])

DocumentId = Annotated[str, Query(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


class FoundPassage(BaseModel):
    """A passage of a document; `highlights` are begin and end of each match in `text`."""

    document_id: str
    is_own: bool
    """Whether it is one of my files, or a shared document."""
    name: str
    title: str
    place: str
    start: int
    end: int
    """Where it stands in the text of the document."""
    text: str
    highlights: list[tuple[int, int]]
    relevance: float


class FoundPassages(BaseModel):
    """What a search found."""

    items: list[FoundPassage]


class DocumentSegment(BaseModel):
    """A paragraph, heading or table row of a document."""

    start: int
    end: int
    kind: Literal["text", "heading", "row"]
    place: str
    section: str


class DocumentView(BaseModel):
    """A document's text, or the part of it around a span. Places count characters from the beginning of `text`."""

    document_id: str
    is_own: bool
    name: str
    title: str
    media_type: str
    text: str
    segments: list[DocumentSegment]
    start: int | None
    end: int | None
    page: int | None
    """Of a PDF: the page of the span."""
    is_part: bool


class PageView(BaseModel):
    """A page as a picture."""

    number: int
    pages: int
    width: int
    height: int
    png: str
    """In base64."""
    marks: list[tuple[float, float, float, float]]
    """Where the words stand: left, top, width and height as shares of the page."""


@router.get("/api/documents/search")
async def search_documents(
    caller: CurrentCaller,
    files: Annotated[Files, provided(Files)],
    q: Annotated[str, Query(min_length=1, max_length=1_000)],
    chosen: Annotated[list[str] | None, Query(max_length=200)] = None,
    folder: Annotated[str | None, Query(max_length=400)] = None,
    kind: Annotated[str | None, Query(max_length=20)] = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> FoundPassages:
    """Passages of my documents, and of the shared ones; with a filter, of mine alone.

    `since` and `until` are about when a file was uploaded.
    """
    wanted = FileFilter(folder=folder or None, kind=kind or None, since=since, until=until)
    found = await files.search(caller, q, chosen=chosen or (), wanted=wanted, limit=limit)
    return FoundPassages(
        items=[
            FoundPassage(
                document_id=each.passage.document_id,
                is_own=each.passage.owner == files.owner(caller),
                name=each.passage.name,
                title=each.passage.title,
                place=each.passage.place.label,
                start=each.passage.start,
                end=each.passage.end,
                text=each.passage.text,
                highlights=list(each.highlights),
                relevance=each.relevance,
            )
            for each in found
        ]
    )


@router.get("/api/documents/text")
async def open_document(
    caller: CurrentCaller,
    reader: Annotated[DocumentReader, provided(DocumentReader)],
    document_id: DocumentId,
    start: Annotated[int | None, Query(ge=0, le=2**40)] = None,
    end: Annotated[int | None, Query(ge=0, le=2**40)] = None,
) -> DocumentView:
    """The text of a document, at a place."""
    return _view(await reader.open(caller, document_id, start, end))


@router.get("/api/documents/page")
async def open_page(
    caller: CurrentCaller,
    reader: Annotated[DocumentReader, provided(DocumentReader)],
    document_id: DocumentId,
    number: Annotated[int, Query(ge=1, le=100_000)] = 1,
    words: Annotated[str, Query(max_length=4_000)] = "",
) -> PageView:
    """A page of a PDF as a picture, with the places of some words on it."""
    image = await reader.page(caller, document_id, number, words)
    return PageView(
        number=image.number,
        pages=image.pages,
        width=image.width,
        height=image.height,
        png=base64.b64encode(image.png).decode("ascii"),
        marks=list(image.marks),
    )


def _view(opened: OpenedDocument) -> DocumentView:
    return DocumentView(
        document_id=opened.entry.document_id,
        is_own=opened.is_own,
        name=opened.entry.name,
        title=opened.entry.title,
        media_type=opened.content.media_type,
        text=opened.text,
        segments=[
            DocumentSegment(
                start=segment.start,
                end=segment.end,
                kind=segment.kind,
                place=segment.place.label,
                section=segment.headings[-1] if segment.headings else "",
            )
            for segment in opened.segments
        ],
        start=opened.start,
        end=opened.end,
        page=opened.page,
        is_part=opened.is_part,
    )
