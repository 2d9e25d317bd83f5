"""How exact and how fast search by vectors is under the owner filter: `python -m bench.vectors`.

Vectors are drawn round some hundred centres, as texts on some hundred subjects give them. Recall is against all the
distances of the owner's passages, computed one by one.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from batuta.knowledge.index import SearchScope
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.knowledge.vectors.arithmetic import numpy
from batuta.knowledge.vectors.contract import SpentOnVectors
from batuta.knowledge.vectors.sqlite import SqliteVectorIndex
from batuta.testing.knowledge import a_document

SPACE = "bench:clusters"
CENTRES = 300
SPREAD = 0.8
SHARES = {"one": 0.01, "ten": 0.10, "rest": 0.89}
PAGES = 100
ASKED = 40


async def main(passages: int, dimensions: int) -> None:
    """Build, ask, print."""
    np = numpy()
    chance = np.random.default_rng(7)
    centres = chance.normal(size=(CENTRES, dimensions))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.sqlite3")
        index = SqlitePassageIndex(path)
        vectors = SqliteVectorIndex(path)
        for owner, share in SHARES.items():
            count = max(PAGES, int(passages * share))
            made = await _filled(index, vectors, owner, _drawn(chance, centres, count))
            await _measured(vectors, owner, made, _drawn(chance, centres, ASKED))
        await vectors.close()
        await index.close()


def _drawn(chance: Any, centres: Any, count: int) -> Any:
    np = numpy()
    places = centres[chance.integers(0, len(centres), count)] + SPREAD * chance.normal(size=(count, centres.shape[1]))
    return (places / np.linalg.norm(places, axis=1, keepdims=True)).astype("f4")


async def _filled(index: SqlitePassageIndex, vectors: SqliteVectorIndex, owner: str, drawn: Any) -> dict[int, Any]:
    scope = SearchScope(owners=(owner,))
    for number in range(-(-len(drawn) // PAGES)):
        await index.put(a_document(f"{owner}{number}", *["page"] * PAGES, owner=owner, title=""))
    made: dict[int, Any] = {}
    while waiting := await vectors.unembedded(SPACE, scope, limit=2_000):
        rows = {each.passage_id: drawn[(len(made) + at) % len(drawn)] for at, each in enumerate(waiting)}
        await vectors.add(SPACE, owner, [(key, tuple(map(float, row))) for key, row in rows.items()], SpentOnVectors())
        made |= rows
    return made


async def _measured(vectors: SqliteVectorIndex, owner: str, made: dict[int, Any], asked: Any) -> None:
    np = numpy()
    keys, matrix = list(made), np.stack(list(made.values()))
    times, found = [], 0
    for question in asked:
        begun = time.perf_counter()
        near = await vectors.nearest(SPACE, tuple(map(float, question)), SearchScope(owners=(owner,)), limit=10)
        times.append((time.perf_counter() - begun) * 1_000)
        best = {keys[row] for row in np.argsort(-(matrix @ question), kind="stable")[:10]}
        found += len(best & {each.candidate.passage_id for each in near})
    print(
        f"{owner:5} {len(keys):7} passages  recall@10 {found / (10 * len(asked)):.4f}  "
        f"median {statistics.median(times):.1f} ms  least {min(times):.1f} ms",
        flush=True,
    )


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--passages", type=int, default=100_000)
    arguments.add_argument("--dimensions", type=int, default=384)
    given = arguments.parse_args()
    asyncio.run(main(given.passages, given.dimensions))
