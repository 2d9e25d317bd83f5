"""What a person may ask about: their own documents, the shared ones, and what they chose for this turn (A-11)."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from batuta.events.conversation import Citation
from batuta.kernel.users import ToolUser
from batuta.knowledge.cite.answers import CitableDocument
from batuta.knowledge.disagree import Statement, contradictions, sentences_in
from batuta.knowledge.folder import KnowledgeFolder
from batuta.knowledge.index import DocumentEntry, PassageIndex, SearchScope, StoredPassage
from batuta.knowledge.query import Term, terms_of
from batuta.knowledge.retrieve import RetrievedPassage, Retriever
from batuta.knowledge.synonyms import others_for
from batuta.knowledge.vectors.search import MeaningSearch
from batuta.knowledge.words import language_of, stems, tokens

SHARED = "shared"
"""The owner of what every user may read: the folder of the installation."""
CHOSEN_SERVICE = "chosen_documents"
"""The name under which a run may say which documents a person chose: their ids."""
UNREAD_SERVICE = "unread_documents"
"""The name under which a run may say which chosen documents were not read: `file`, and `why` by language."""
RELEVANT = 0.5
LACKING_FROM = 4
"""Passages that were found, of whose documents the words are known that they lack."""
MAX_COMPARED_CHARS = 400_000
"""Of a document whose every word is looked at."""
OWN_PASSAGES = 4
"""Among which the one is looked for that has most words of a message."""


def owner_of(user_id: str) -> str:
    """The owner of a person's documents in the index."""
    return f"user:{user_id}"


async def own_words(index: PassageIndex, user_id: str, text: str) -> str | None:
    """The words of a message that one passage of a person's own documents has, the passage that has most of them; its
    title and the name of its file count. By words alone: this is asked of every message.
    """
    scope = SearchScope(owners=(owner_of(user_id),))
    if not (await index.find((), scope, limit=1)).statistics.passages:
        return None  # most people have brought no documents: their messages are not taken apart for them
    found = await Retriever(index, synonyms=others_for).search(text, scope, limit=OWN_PASSAGES)
    asked = [(word, terms_of(word, others_for)) for word in dict.fromkeys(tokens(text))]
    held = [" ".join(word for word, terms in asked if _has_all(terms, _stems_of(each.passage))) for each in found]
    return max(held, key=lambda words: words.count(" "), default="") or None


def _stems_of(passage: StoredPassage) -> frozenset[str]:
    return _stems(f"{passage.title} {passage.name} {' '.join(passage.headings)} {passage.text}")


def _stems(text: str) -> frozenset[str]:
    """In both languages; the parts of a file's name are words."""
    words = set(tokens(re.sub(r"[_.-]+", " ", text)))
    return frozenset((*stems(words, "en"), *stems(words, "es")))


def _has_all(terms: Sequence[Term], words: frozenset[str]) -> bool:
    return bool(terms) and all(term.all_stems & words for term in terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLibrary:
    """Documents in one index, seen by one person at a time."""

    index: PassageIndex
    folder: KnowledgeFolder | None = None
    meaning: MeaningSearch | None = None
    """Vectors beside the words, where an embedding model is set."""
    has_samples: bool = False
    """Whether the folder only shows what can be asked: what a person brought answers before it, and alone."""

    def scope(self, user: ToolUser, services: Mapping[Any, Any]) -> SearchScope:
        """What this person may search now."""
        owners = (owner_of(user.id), SHARED) if user.id else (SHARED,)
        chosen = services.get(CHOSEN_SERVICE)
        return SearchScope(owners=owners, documents=None if chosen is None else frozenset(map(str, chosen)))

    async def search(self, questions: Sequence[str], scope: SearchScope, *, limit: int) -> list[RetrievedPassage]:
        """The passages that fit best; those in the language of the question first, where they know enough of it."""
        await self.ready()
        retriever = Retriever(self.index, synonyms=others_for, meaning=self.meaning)
        own = self._without_samples(scope)
        found = await retriever.search_all(questions, own, limit=limit)
        if own != scope and not any(each.relevance >= RELEVANT for each in found):
            found = await retriever.search_all(questions, scope, limit=limit)
        language = language_of(questions[0])
        same = [each for each in found if each.passage.language == language]
        knows_enough = any(each.relevance >= RELEVANT for each in same)
        is_asked_alone = len(questions) == 1 or (
            found[:1] == same[:1] and all(language_of(each, default=language) == language for each in questions)
        )
        return same if knows_enough and is_asked_alone else found

    async def spelt(self, question: str, scope: SearchScope) -> dict[str, str]:
        """The words of a question that stand nowhere and are one slip away from one that does, with that one."""
        await self.ready()
        return await Retriever(self.index, synonyms=others_for).spelt(question, scope)

    async def lacking(
        self, question: str, found: Sequence[RetrievedPassage], scope: SearchScope
    ) -> dict[str, list[str]]:
        """For each document that was found first, the words of a question that stand nowhere in it."""
        words = [(word, terms_of(word, others_for)) for word in dict.fromkeys(tokens(question))]
        first = {each.passage.document_id: each.passage.name for each in found[:LACKING_FROM]}
        lacking: dict[str, list[str]] = {}
        for document_id, name in first.items():
            content = await self.index.content(document_id, scope)
            if content is not None and len(content.text) <= MAX_COMPARED_CHARS:
                held = await asyncio.to_thread(_stems, f"{content.title} {name} {content.text}")
                lacking[name] = [word for word, terms in words if not any(term.all_stems & held for term in terms)]
        return lacking

    async def parts_of_tables(self, found: Sequence[RetrievedPassage], scope: SearchScope) -> frozenset[int]:
        """The passages that have rows of a table which goes on outside them, by their ids."""
        parts: set[int] = set()
        for document_id in {each.passage.document_id for each in found}:
            content = await self.index.content(document_id, scope)
            if content is None:
                continue
            rows = [segment for segment in content.segments if segment.kind == "row"]
            for passage in (each.passage for each in found if each.passage.document_id == document_id):
                is_part = any(
                    row.headings == passage.headings
                    and row.place.name == passage.place.name
                    and not passage.start <= row.start < passage.end
                    for row in rows
                )
                parts |= {passage.passage_id} if is_part else set()
        return frozenset(parts)

    async def named(self, name: str, scope: SearchScope) -> list[CitableDocument]:
        """The documents of a name; a person's own before the shared ones."""
        entries = [entry for entry in await self.entries(scope) if entry.name == name]
        ordered = sorted(entries, key=lambda entry: scope.owners.index(entry.owner))
        return [
            CitableDocument(document_id=entry.document_id, name=entry.name, content=content)
            for entry in ordered
            if (content := await self.index.content(entry.document_id, scope)) is not None
        ]

    async def text(self, citation: Citation, user_id: str) -> str | None:
        """The stored text that a citation points to, for a person who may read it."""
        scope = self.scope(ToolUser(id=user_id), {})
        if citation.document_id is None:
            named = await self.named(citation.source, scope)
            return named[0].content.text if named else None
        await self.ready()
        content = await self.index.content(citation.document_id, scope)
        return None if content is None else content.text

    async def entries(self, scope: SearchScope) -> list[DocumentEntry]:
        """The documents there are."""
        await self.ready()
        return await self.index.entries(scope)

    async def contradicted(
        self, statement: Statement, scope: SearchScope, *, limit: int = 8
    ) -> list[tuple[Statement, Statement]]:
        """What other documents say otherwise about the same thing."""
        own = self._without_samples(scope)
        is_own = own != scope and await self.index.content(statement.document_id, own) is not None
        found = await Retriever(self.index).search(statement.text, own if is_own else scope, limit=limit)
        others = [
            Statement(document_id=each.passage.document_id, name=each.passage.name, text=sentence)
            for each in found
            if each.passage.document_id != statement.document_id
            for sentence in sentences_in(each.passage.text)
        ]
        return [pair for pair in contradictions([statement, *others]) if pair[0] is statement]

    def _without_samples(self, scope: SearchScope) -> SearchScope:
        owners = tuple(owner for owner in scope.owners if owner != SHARED)
        return replace(scope, owners=owners) if self.has_samples and owners else scope

    async def ready(self) -> None:
        """Wait for the folder of the installation to be indexed."""
        if self.folder is not None:
            await self.folder.ready()

    async def close(self) -> None:
        """End what reads files, and let go of the index."""
        if self.folder is not None:
            await self.folder.extractor.close()
        await self.index.close()
