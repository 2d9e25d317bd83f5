"""Search by meaning beside words: vectors made in the background, kept by model, never a gap (A-12, P-35)."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from batuta.kernel.errors import ProviderUnavailableError
from batuta.knowledge.retrieve import Retriever
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.knowledge.vectors.contract import active_space
from batuta.knowledge.vectors.embedder import PassageEmbedder
from batuta.knowledge.vectors.search import MeaningSearch
from batuta.knowledge.vectors.sqlite import SqliteVectorIndex
from batuta.llm.embedding import EmbeddingModel, EmbeddingPurpose, Embeddings, space_of
from batuta.testing.knowledge import ADA, a_document, names
from batuta.testing.vectors import vector_of

SAME = {"lodging": "hotels", "alojamiento": "hotels"}


class WordVectors:
    """A model whose vectors follow from words, some of which mean the same. It can be away."""

    provider = "test"
    dimensions = None
    batch_size = 8

    def __init__(self, name: str = "one") -> None:
        self.name = name
        self.calls = 0
        self.fails_after: int | None = None

    async def embed(self, texts: Sequence[str], purpose: EmbeddingPurpose) -> Embeddings:
        if self.fails_after is not None and self.calls >= self.fails_after:
            raise ProviderUnavailableError("away")
        self.calls += 1
        meant = [" ".join(SAME.get(word, word) for word in text.lower().split()) for text in texts]
        return Embeddings(vectors=tuple(map(vector_of, meant)), model=self.name)


class Shelf:
    """Documents with vectors of whichever models there are."""

    def __init__(self, folder: Path) -> None:
        self.index = SqlitePassageIndex(folder / "knowledge.sqlite3")
        self.vectors = SqliteVectorIndex(folder / "knowledge.sqlite3")
        self.models: dict[str, WordVectors] = {}

    def embedder(self, model: WordVectors, *, batch: int = 64) -> PassageEmbedder:
        self.models[space_of(model)] = model
        return PassageEmbedder(vectors=self.vectors, model=model, model_of=self.model_of, batch_passages=batch)

    def model_of(self, space: str) -> EmbeddingModel | None:
        return self.models.get(space)

    @property
    def retriever(self) -> Retriever:
        return Retriever(self.index, meaning=MeaningSearch(vectors=self.vectors, model_of=self.model_of))

    async def active(self) -> str | None:
        space = active_space(await self.vectors.spaces())
        return None if space is None else space.name


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    opened = Shelf(tmp_path)
    for name, text in (("hotel", "hotels cost money"), ("pump", "pumps need oil"), ("car", "cars need fuel")):
        await opened.index.put(a_document(name, text, title=""))
    yield opened
    await opened.vectors.close()
    await opened.index.close()


async def test_a_passage_is_found_that_shares_no_word_with_the_question(shelf: Shelf) -> None:
    assert await shelf.retriever.search("lodging", ADA) == []
    await shelf.embedder(WordVectors()).catch_up(["ada"])
    assert names(await shelf.retriever.search("lodging", ADA))[0] == "hotel"


async def test_words_and_meaning_together_decide_the_order(shelf: Shelf) -> None:
    await shelf.embedder(WordVectors()).catch_up(["ada"])
    found = await shelf.retriever.search("lodging cost", ADA)
    assert names(found)[0] == "hotel"
    assert found[0].similarity is not None


async def test_the_old_model_answers_until_the_new_one_is_complete(shelf: Shelf) -> None:
    old, new = WordVectors("old"), WordVectors("new")
    await shelf.embedder(old).catch_up(["ada"])
    new.fails_after = 1
    assert not await shelf.embedder(new, batch=2).catch_up(["ada"])
    assert await shelf.active() == "test:old"
    assert names(await shelf.retriever.search("lodging", ADA))[0] == "hotel"
    new.fails_after = None
    assert await shelf.embedder(new, batch=2).catch_up(["ada"])
    assert await shelf.active() == "test:new"
    assert new.calls == 2, "a batch that was stored is not paid for again"
    old.fails_after = 0
    assert names(await shelf.retriever.search("lodging", ADA))[0] == "hotel"


async def test_a_document_that_comes_during_the_change_is_found_by_both_models(shelf: Shelf) -> None:
    old, new = WordVectors("old"), WordVectors("new")
    await shelf.embedder(old).catch_up(["ada"])
    await shelf.index.put(a_document("late", "alojamiento en Madrid", title=""))
    await shelf.embedder(new).embed(ADA)
    assert await shelf.active() == "test:old"
    assert "late" in names(await shelf.retriever.search("lodging", ADA))


async def test_search_goes_on_by_words_while_the_provider_is_away(shelf: Shelf) -> None:
    model = WordVectors()
    await shelf.embedder(model).catch_up(["ada"])
    model.fails_after = 0
    assert names(await shelf.retriever.search("hotels", ADA)) == ["hotel"]
    assert await shelf.retriever.search("lodging", ADA) == []


async def test_a_question_is_embedded_once(shelf: Shelf) -> None:
    model = WordVectors()
    await shelf.embedder(model).catch_up(["ada"])
    calls, retriever = model.calls, shelf.retriever
    await retriever.search("lodging", ADA)
    await retriever.search("lodging", ADA)
    assert model.calls == calls + 1


async def test_progress_counts_passages(shelf: Shelf) -> None:
    seen: list[tuple[int, int]] = []

    async def progress(done: int, total: int) -> None:
        seen.append((done, total))

    await shelf.embedder(WordVectors(), batch=2).embed(ADA, progress)
    assert seen == [(2, 3), (3, 3)]
