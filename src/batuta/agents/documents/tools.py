"""The tools of the documents agent: search, read, list."""

import asyncio
from typing import Any

from batuta.agents.documents.library import RELEVANT, UNREAD_SERVICE, DocumentLibrary
from batuta.agents.documents.whole import asks_for_all, meant_document, points_of
from batuta.knowledge.chunk import chunks_of
from batuta.knowledge.cite.answers import CitableDocument
from batuta.knowledge.disagree import Statement, contradictions, sentences_in
from batuta.knowledge.index import SearchScope
from batuta.knowledge.retrieve import RetrievedPassage
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool

MAX_PASSAGES = 6
MAX_PART_CHARS = 24_000
"""Of a document that is read whole, about 6,000 tokens a part."""
MAX_LISTED = 100
MAX_WORDINGS = 3


def document_tools(library: DocumentLibrary) -> tuple[Tool, Tool]:
    """The tools over one library; each call sees what its user may see."""

    @tool(kind="retrieval")
    async def search_documents(query: str, ctx: ToolContext, other_wordings: list[str] | None = None) -> dict[str, Any]:
        """Search the documents for what a question asks, such as policies, prices, deadlines or rules.

        Args:
            query: The question in the user's own words.
            ctx: On whose behalf.
            other_wordings: The same question in other words, and in the other language of the documents.
        """
        scope = library.scope(ctx.user, ctx.services)
        questions = [query, *(other_wordings or ())[:MAX_WORDINGS]]
        unread = {"unread": list(ctx.services[UNREAD_SERVICE])} if ctx.services.get(UNREAD_SERVICE) else {}
        whole = await _whole(library, query, scope) if asks_for_all(query) else None
        if whole is not None:
            return {**whole, **unread}
        found = await library.search(questions, scope, limit=MAX_PASSAGES)
        answer: dict[str, Any] = {"query": query, "passages": [found_passage(each) for each in found], **unread}
        disagreeing = [[_said(one), _said(other)] for one, other in contradictions(_statements(found), query)]
        return {**answer, "disagreements": disagreeing} if disagreeing else answer

    @tool(kind="retrieval")
    async def read_document(file: str, ctx: ToolContext, part: int = 1) -> dict[str, Any]:
        """Read one document whole.

        Args:
            file: The file name, as a search result gives it.
            ctx: On whose behalf.
            part: Which part, from 1, of a document that has several.
        """
        scope = library.scope(ctx.user, ctx.services)
        documents = await library.named(file, scope)
        if not documents:
            known = [entry.name for entry in await library.entries(scope)]
            return {"file": file, "passages": [], "known_files": known[:MAX_LISTED]}
        parts = _parts(documents[0])
        number = min(max(part, 1), len(parts))
        return {"file": file, "part": number, "parts": len(parts), "passages": parts[number - 1]}

    return search_documents, read_document


async def _whole(library: DocumentLibrary, query: str, scope: SearchScope) -> dict[str, Any] | None:
    """The main points of the document that a question names, each as a passage of its own; nothing if it names none."""
    entries = await library.entries(scope)
    meant = meant_document(query, entries, is_chosen=scope.documents is not None)
    content = None if meant is None else await library.index.content(meant.document_id, scope)
    if meant is None or content is None:
        return None
    points = await asyncio.to_thread(points_of, content)
    passages = [
        {
            "file": meant.name,
            "title": content.title,
            "section": point.section,
            "place": point.place,
            "relevance": 1.0,
            "text": point.text,
        }
        for point in points
    ]
    return {"query": query, "summary_of": content.title or meant.name, "passages": passages} if passages else None


def _statements(found: list[RetrievedPassage]) -> list[Statement]:
    return [
        Statement(document_id=each.passage.document_id, name=each.passage.name, text=sentence)
        for each in found
        if each.relevance >= RELEVANT
        for sentence in sentences_in(each.passage.text)
    ]


def _said(statement: Statement) -> dict[str, str]:
    return {"file": statement.name, "text": statement.text}


def found_passage(found: RetrievedPassage) -> dict[str, Any]:
    """A passage as a model gets it."""
    passage = found.passage
    return {
        "file": passage.name,
        "title": passage.title,
        "section": passage.headings[-1] if passage.headings else "",
        "place": passage.place.label,
        "relevance": found.relevance,
        "text": passage.text,
    }


def _parts(document: CitableDocument) -> list[list[dict[str, Any]]]:
    """The passages of a document, in parts that fit into a request."""
    content = document.content
    parts: list[list[dict[str, Any]]] = [[]]
    size = 0
    for chunk in chunks_of(content):
        text = content.text[chunk.start : chunk.end]
        if size and size + len(text) > MAX_PART_CHARS:
            parts.append([])
            size = 0
        size += len(text)
        parts[-1].append(
            {
                "file": document.name,
                "title": content.title,
                "section": chunk.headings[-1] if chunk.headings else "",
                "place": chunk.place.label,
                "relevance": 1.0,
                "text": text,
            }
        )
    return parts
