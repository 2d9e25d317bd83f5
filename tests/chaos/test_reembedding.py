"""Kills while the vectors of a new model are made: the old ones answer until the new ones are complete (A-12)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from batuta.knowledge.index import PassageIndex
from batuta.knowledge.postgres_index import PostgresPassageIndex
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.knowledge.vectors.contract import active_space
from batuta.testing.knowledge import ADA, a_document
from batuta.testing.vectors import vector_of
from tests.chaos.reembedding import BATCH, opened_vectors
from tests.support.processes import Zygote

pytestmark = pytest.mark.chaos
PASSAGES = 40
STEPS = ("batch chosen", "before it is stored", "after", "before the next is chosen", "after")


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote(("tests.chaos.reembedding",))
    yield zygote
    zygote.close()


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file, or a database under the role that row-level security holds for."""
    if request.param == "sqlite":
        return str(tmp_path / "knowledge.sqlite3")
    return str(request.getfixturevalue("platform_url"))


async def test_a_killed_reembedding_goes_on_where_it_stopped_and_leaves_no_gap(zygote: Zygote, where: str) -> None:
    """Killed at each step of a batch in turn: no passage is left out, and none has two vectors."""
    is_file = not where.startswith("postgresql://")
    index: PassageIndex = SqlitePassageIndex(where) if is_file else PostgresPassageIndex(where)
    vectors = opened_vectors(where)
    await index.put(a_document("doc", *(f"passage about subject{number}" for number in range(PASSAGES))))

    async def run(model: str, kill_at: int) -> dict[str, int] | None:
        about = {"where": where, "model": model, "owner": "ada", "kill_at": kill_at}
        child = await zygote.spawn("tests.chaos.reembedding:catch_up", about)
        await child.wait(60)
        ended = next((each for each in child.messages if "ended" in each), None)
        await child.close()
        # PostgreSQL learns a moment later that the one who had the claim is dead.
        return ended if ended is None or ended["is_complete"] else await run(model, kill_at)

    assert await run("old", 0) is not None
    kills = 0
    while (ended := await run("new", 2 + kills % len(STEPS))) is None:
        kills += 1
        active = active_space(await vectors.spaces())
        assert active is not None
        if active.name == "test:old":
            near = await vectors.nearest("test:old", vector_of("passage about subject7"), ADA, limit=1)
            assert len(near) == 1, "the old vectors answer"
        assert kills < 60, "it gets nowhere"
    assert kills >= PASSAGES // BATCH
    assert ended["is_complete"]
    found = active_space(await vectors.spaces())
    assert found is not None
    assert found.name == "test:new"
    assert await vectors.count_unembedded("test:new", ADA) == 0
    near = await vectors.nearest("test:new", vector_of("passage about subject7"), ADA, limit=PASSAGES + 5)
    assert len({each.candidate.passage_id for each in near}) == len(near) == PASSAGES
    await vectors.close()
    await index.close()
