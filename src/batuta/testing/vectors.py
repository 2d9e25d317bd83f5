"""The conformance suite of vector indexes. Inherit it and say how to make an empty index with its passages.

class TestMyVectors(VectorIndexConformance):
@pytest.fixture
async def index(self) -> MyIndex: ...
@pytest.fixture
async def vectors(self) -> MyVectors: ...
"""

import random
from collections.abc import Sequence
from decimal import Decimal

from batuta.knowledge.index import PassageIndex, SearchScope
from batuta.knowledge.vectors.contract import NearPassage, SpentOnVectors, VectorIndex
from batuta.llm.embedding import Vector
from batuta.testing.knowledge import ADA, BEN, a_document

SPACE = "test:letters"
OTHER_SPACE = "test:other"
LENGTH = 64
BOTH = SearchScope(owners=("ada", "ben"))


def vector_of(text: str, length: int = LENGTH) -> Vector:
    """A vector that follows from the words of a text: those that share words lie near each other."""
    numbers = [0.0] * length
    for word in text.lower().replace(".", " ").split():
        chance = random.Random(word)  # noqa: S311 - the same each time
        for _ in range(8):
            numbers[chance.randrange(length)] += chance.choice((-1.0, 1.0))
    return tuple(numbers) if any(numbers) else (1.0, *numbers[1:])


async def embed_all(vectors: VectorIndex, scope: SearchScope, space: str = SPACE) -> int:
    """Give every passage of a scope its vector."""
    passages = await vectors.unembedded(space, scope, limit=10_000)
    for passage in passages:
        made = [(passage.passage_id, vector_of(passage.text))]
        await vectors.add(space, passage.owner, made, SpentOnVectors(tokens=3, cost=Decimal("0.5")))
    return len(passages)


def near_names(found: Sequence[NearPassage]) -> list[str]:
    """The documents of what was found, in order."""
    return [each.candidate.document_id for each in found]


class VectorIndexConformance:
    """What every vector index promises (A-12, P-35, IS-06)."""

    async def test_the_nearest_come_first(self, index: PassageIndex, vectors: VectorIndex) -> None:
        await index.put(a_document("hotel", "hotels cost money"))
        await index.put(a_document("pump", "pumps need oil"))
        await embed_all(vectors, ADA)
        found = await vectors.nearest(SPACE, vector_of("hotels cost"), ADA)
        assert near_names(found) == ["hotel", "pump"]
        assert found[0].similarity > found[1].similarity

    async def test_nothing_of_another_owner_is_compared(self, index: PassageIndex, vectors: VectorIndex) -> None:
        await index.put(a_document("a", "falcon project"))
        await index.put(a_document("b", "falcon project", owner="ben"))
        await embed_all(vectors, ADA)
        assert await vectors.count_unembedded(SPACE, BEN) == 1
        await embed_all(vectors, BEN)
        assert near_names(await vectors.nearest(SPACE, vector_of("falcon"), ADA)) == ["a"]
        assert set(near_names(await vectors.nearest(SPACE, vector_of("falcon"), BOTH))) == {"a", "b"}

    async def test_a_vector_is_not_kept_for_another_owners_passage(
        self, index: PassageIndex, vectors: VectorIndex
    ) -> None:
        await index.put(a_document("b", "falcon project", owner="ben"))
        [passage] = await vectors.unembedded(SPACE, BEN, limit=9)
        await vectors.add(SPACE, "ada", [(passage.passage_id, vector_of("falcon"))], SpentOnVectors())
        assert await vectors.nearest(SPACE, vector_of("falcon"), BOTH) == []

    async def test_an_owner_of_one_percent_finds_its_nearest_ten(
        self, index: PassageIndex, vectors: VectorIndex
    ) -> None:
        for number in range(99):
            await index.put(a_document(f"x{number}", f"report {number} on turnover", owner="ben"))
        await index.put(a_document("mine", "report on turnover"))
        await embed_all(vectors, BOTH)
        assert near_names(await vectors.nearest(SPACE, vector_of("turnover report"), ADA)) == ["mine"]

    async def test_chosen_documents_are_searched_alone(self, index: PassageIndex, vectors: VectorIndex) -> None:
        for name in "abc":
            await index.put(a_document(name, f"hotels {name * 3}"))
        await embed_all(vectors, ADA)
        chosen = SearchScope(owners=("ada",), documents=frozenset({"b"}))
        assert near_names(await vectors.nearest(SPACE, vector_of("hotels"), chosen)) == ["b"]

    async def test_vectors_go_with_their_document(self, index: PassageIndex, vectors: VectorIndex) -> None:
        await index.put(a_document("a", "hotels cost money"))
        await embed_all(vectors, ADA)
        await index.put(a_document("a", "pumps need oil"))
        assert await vectors.nearest(SPACE, vector_of("hotels"), ADA) == []
        assert await vectors.count_unembedded(SPACE, ADA) == 1
        await embed_all(vectors, ADA)
        await index.remove(ADA)
        assert await vectors.nearest(SPACE, vector_of("pumps"), ADA) == []

    async def test_a_vector_that_comes_after_the_erasure_is_not_kept(
        self, index: PassageIndex, vectors: VectorIndex
    ) -> None:
        await index.put(a_document("a", "hotels cost money"))
        [passage] = await vectors.unembedded(SPACE, ADA, limit=9)
        await index.remove(ADA)
        await vectors.add(SPACE, "ada", [(passage.passage_id, vector_of("hotels"))], SpentOnVectors())
        assert await vectors.nearest(SPACE, vector_of("hotels"), ADA) == []

    async def test_a_new_space_takes_the_place_of_the_old_one(self, index: PassageIndex, vectors: VectorIndex) -> None:
        await index.put(a_document("a", "hotels cost money"))
        await embed_all(vectors, ADA)
        await vectors.activate(SPACE)
        await embed_all(vectors, ADA, OTHER_SPACE)
        assert [(space.name, space.is_active) for space in await vectors.spaces()] == [
            (SPACE, True),
            (OTHER_SPACE, False),
        ]
        await vectors.activate(OTHER_SPACE)
        [only] = await vectors.spaces()
        assert (only.name, only.is_active, only.dimensions, only.tokens) == (OTHER_SPACE, True, LENGTH, 3)
        assert only.cost == Decimal("0.5")
        assert await vectors.nearest(SPACE, vector_of("hotels"), ADA) == []
        assert near_names(await vectors.nearest(OTHER_SPACE, vector_of("hotels"), ADA)) == ["a"]

    async def test_a_space_has_one_length(self, index: PassageIndex, vectors: VectorIndex) -> None:
        await index.put(a_document("a", "hotels", "pumps"))
        first, second = await vectors.unembedded(SPACE, ADA, limit=9)
        await vectors.add(SPACE, "ada", [(first.passage_id, vector_of("hotels"))], SpentOnVectors())
        try:
            await vectors.add(SPACE, "ada", [(second.passage_id, (1.0, 0.0))], SpentOnVectors())
        except ValueError:
            assert await vectors.count_unembedded(SPACE, ADA) == 1
        else:
            raise AssertionError("vectors of two lengths were kept in one space")
        assert await vectors.nearest(SPACE, (1.0, 0.0), ADA) == []

    async def test_an_unknown_price_stays_unknown(self, index: PassageIndex, vectors: VectorIndex) -> None:
        await index.put(a_document("a", "hotels", "pumps"))
        first, second = await vectors.unembedded(SPACE, ADA, limit=9)
        await vectors.add(SPACE, "ada", [(first.passage_id, vector_of("x"))], SpentOnVectors(cost=None))
        await vectors.add(SPACE, "ada", [(second.passage_id, vector_of("y"))], SpentOnVectors(cost=Decimal(1)))
        assert (await vectors.spaces())[0].cost is None
