"""What a person may ask about: their own documents, the shared ones, and what they chose for this turn (A-11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from batuta.events.conversation import Citation
from batuta.kernel.users import ToolUser
from batuta.knowledge.cite.answers import CitableDocument
from batuta.knowledge.disagree import Statement, contradictions, sentences_in
from batuta.knowledge.folder import KnowledgeFolder
from batuta.knowledge.index import DocumentEntry, PassageIndex, SearchScope
from batuta.knowledge.retrieve import RetrievedPassage, Retriever
from batuta.knowledge.synonyms import others_for
from batuta.knowledge.vectors.search import MeaningSearch
from batuta.knowledge.words import language_of

SHARED = "shared"
"""The owner of what every user may read: the folder of the installation."""
CHOSEN_SERVICE = "chosen_documents"
"""The name under which a run may say which documents a person chose: their ids."""
UNREAD_SERVICE = "unread_documents"
"""The name under which a run may say which chosen documents were not read: `file`, and `why` by language."""
RELEVANT = 0.5


def owner_of(user_id: str) -> str:
    """The owner of a person's documents in the index."""
    return f"user:{user_id}"


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
