"""The tools of the documents agent: search, read, list."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from batuta.agents.documents.library import RELEVANT, UNREAD_SERVICE, DocumentLibrary
from batuta.agents.documents.whole import (
    MAX_POINTS,
    Point,
    asks_for_all,
    compared_topic,
    compares,
    items_of,
    listed_in,
    meant_document,
    meant_pair,
    names_it,
    points_of,
    tells_change,
)
from batuta.knowledge.chunk import chunks_of
from batuta.knowledge.cite.answers import CitableDocument
from batuta.knowledge.disagree import Statement, contradictions, sentences_in
from batuta.knowledge.index import DocumentEntry, SearchScope
from batuta.knowledge.retrieve import RetrievedPassage
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool

MAX_PASSAGES = 6
MAX_PART_CHARS = 24_000
"""Of a document that is read whole, about 6,000 tokens a part."""
MAX_LISTED = 100
MAX_WORDINGS = 3
MAX_COMPARED = 3
"""Passages of each of two documents."""
_WORD = re.compile(r"[^\W_]+")
NEAR = 0.3
"""Relevance from which on a passage may say otherwise: a longer table is less about each of its rows."""


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
        whole = await _whole(library, query, scope) or await _compared(library, questions, scope)
        if whole is not None:
            return {**whole, **unread}
        spelt = await library.spelt(query, scope)
        questions = [_respelt(each, spelt) for each in questions]
        found = await library.search(questions, scope, limit=MAX_PASSAGES)
        parts = await library.parts_of_tables(found, scope)
        passages = [found_passage(each, has_other_rows=each.passage.passage_id in parts) for each in found]
        answer: dict[str, Any] = {"query": query, "passages": passages, **unread}
        answer |= {"read_as": spelt} if spelt else {}
        answer |= {"lacking": lacking} if (lacking := await library.lacking(questions[0], found, scope)) else {}
        disagreeing = [[_said(one), _said(other)] for one, other in contradictions(_statements(found), questions[-1])]
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


def _respelt(text: str, spelt: Mapping[str, str]) -> str:
    """A question with the words that the documents have for those that were mistyped."""
    return _WORD.sub(lambda word: spelt.get(word.group().lower(), word.group()), text) if spelt else text


async def _whole(library: DocumentLibrary, query: str, scope: SearchScope) -> dict[str, Any] | None:
    """What a question about whole documents asks for, each point as a passage of its own: the main points of one or of
    the two that are compared, or all that one lists. Nothing if it is another question, or names no document.
    """
    what, is_pair = listed_in(query), compares(query)
    if not (what or is_pair or asks_for_all(query)):
        return None
    entries, is_chosen = await library.entries(scope), scope.documents is not None
    if is_pair and compared_topic(query, meant_pair(query, entries, is_chosen=is_chosen)):
        return None
    one = None if is_pair else meant_document(query, entries, is_chosen=is_chosen)
    meant = meant_pair(query, entries, is_chosen=is_chosen) if is_pair else (one,) if one else ()
    if what and not meant:
        meant = await _listing(library, what, scope)
    passages: list[dict[str, Any]] = []
    titles: list[str] = []
    for entry in meant:
        content = await library.index.content(entry.document_id, scope)
        if content is None:
            return None
        if what:
            points = await asyncio.to_thread(items_of, content, entry.name, what)
        else:
            points = await asyncio.to_thread(points_of, content, limit=MAX_POINTS // len(meant))
        passages += [_point(point, entry.name, content.title) for point in points]
        titles.append(content.title or entry.name)
    if not passages:
        return None
    source = {"listed_from" if what else "summary_of": " · ".join(titles)}
    disagreeing = await _contradicted(
        library, [(str(each["file"]), str(each["text"])) for each in passages], meant, scope
    )
    return {"query": query, **source, "passages": passages, **({"disagreements": disagreeing} if disagreeing else {})}


async def _compared(library: DocumentLibrary, questions: list[str], scope: SearchScope) -> dict[str, Any] | None:
    """What each of two documents says of the thing in which a question compares them; nothing for another question."""
    query = questions[0]
    if not (compares(query) or tells_change(query)):
        return None
    entries = await library.entries(scope)
    pair = meant_pair(query, entries, is_chosen=scope.documents is not None)
    found = [
        await library.search(questions, replace(scope, documents=frozenset({entry.document_id})), limit=MAX_COMPARED)
        for entry in pair
    ]
    if not found or not all(found):
        return None
    passages = [found_passage(each) for own in found for each in own]
    return {"query": query, "compared": [entry.name for entry in pair], "passages": passages}


async def _listing(library: DocumentLibrary, what: str, scope: SearchScope) -> tuple[DocumentEntry, ...]:
    """The document that lists what the question wants every one of, where it is not named: the best match, if
    it has a section for it.
    """
    found = await library.search([what], scope, limit=1)
    if not found or found[0].relevance < RELEVANT:
        return ()
    entries = [each for each in await library.entries(scope) if each.document_id == found[0].passage.document_id]
    headings = " ".join(found[0].passage.headings)
    return tuple(entries) if names_it(headings, what, entries[0]) else ()


async def _contradicted(
    library: DocumentLibrary, points: Sequence[tuple[str, str]], meant: Sequence[DocumentEntry], scope: SearchScope
) -> list[list[dict[str, str]]]:
    """What other documents say otherwise than these points: an answer that leaves it out is not given."""
    ids = {entry.name: entry.document_id for entry in meant}
    statements = [Statement(document_id=ids[file], name=file, text=text) for file, text in points]
    pairs = [pair for statement in statements for pair in await library.contradicted(statement, scope)]
    return [[_said(one), _said(other)] for one, other in pairs]


def _point(point: Point, file: str, title: str) -> dict[str, Any]:
    return {
        "file": file,
        "title": title,
        "section": point.section,
        "place": point.place,
        "relevance": 1.0,
        "text": point.text,
    }


def _statements(found: list[RetrievedPassage]) -> list[Statement]:
    return [
        Statement(
            document_id=each.passage.document_id,
            name=each.passage.name,
            text=sentence,
            about=f"{each.passage.title} {' '.join(each.passage.headings)}",
        )
        for each in found
        if each.relevance >= NEAR
        for sentence in sentences_in(each.passage.text)
    ]


def _said(statement: Statement) -> dict[str, str]:
    return {"file": statement.name, "text": statement.text}


def found_passage(found: RetrievedPassage, *, has_other_rows: bool = False) -> dict[str, Any]:
    """A passage as a model gets it; of one that has only some rows of its table, with that."""
    passage = found.passage
    part = {"has_other_rows": True} if has_other_rows else {}
    return {
        **part,
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
