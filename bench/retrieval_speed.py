"""How long a question takes among many passages: `python -m bench.retrieval_speed`.

Words are drawn as people use them: a few very often, most of them seldom. A question is some words of one passage, the
frequent ones included, in any order. A tenth of the passages belongs to one owner and a hundredth to another.
Processor time is given beside the clock, and the aim is held against the lesser of the two: the machine may be shared.
On PostgreSQL (`--store postgres`, under the role that row-level security holds for) it is this process's and the
server's together.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import accumulate
from pathlib import Path
from random import Random

import psutil

from batuta.knowledge.document import DocumentText, Location, Segment
from batuta.knowledge.index import IndexedDocument, PassageIndex, SearchScope
from batuta.knowledge.postgres_index import PostgresPassageIndex
from batuta.knowledge.retrieve import Retriever
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.server.database.upgrade import migrate_server
from bench.tables import verdict
from tests.support.servers import APP_ROLE, PostgresServer

WORDS = 60_000
PASSAGE_WORDS = 70
PASSAGES_OF_A_DOCUMENT = 25
QUESTION_WORDS = 8
ASKED = 200
MOST_MS = 15.0
SHARES = {"one": 0.01, "ten": 0.10, "most": 0.89}
_SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi xo zu bra cle dri flo gre pla tre".split()  # noqa: SIM905


class Texts:
    """Passages of words whose frequency falls with their rank."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        self._words = [self._word(number) for number in range(WORDS)]
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(WORDS)))

    def passage(self) -> list[str]:
        return self._chance.choices(self._words, cum_weights=self._weights, k=PASSAGE_WORDS)

    def question(self, passage: Sequence[str]) -> str:
        return " ".join(self._chance.sample(list(passage), QUESTION_WORDS))

    def _word(self, number: int) -> str:
        parts = []
        number += len(_SYLLABLES)
        while number:
            number, at = divmod(number, len(_SYLLABLES))
            parts.append(_SYLLABLES[at])
        return "".join(parts)


def document(name: str, owner: str, passages: Sequence[Sequence[str]]) -> IndexedDocument:
    """Each passage is a page."""
    text, segments = "", []
    for number, words in enumerate(passages, 1):
        said = " ".join(words)
        place = Location(kind="page", number=number)
        segments.append(Segment(start=len(text), end=len(text) + len(said), place=place, headings=()))
        text += said + "\n"
    content = DocumentText(title=name, text=text, segments=tuple(segments))
    return IndexedDocument(document_id=name, owner=owner, name=name, content=content)


async def fill(index: PassageIndex, texts: Texts, owner: str, count: int) -> list[tuple[str, str]]:
    """So many passages of an owner: questions, each with its document."""
    questions = []
    for number in range(-(-count // PASSAGES_OF_A_DOCUMENT)):
        passages = [texts.passage() for _ in range(PASSAGES_OF_A_DOCUMENT)]
        name = f"{owner}-{number}"
        await index.put(document(name, owner, passages))
        questions.append((texts.question(passages[0]), name))
    return questions


async def ask(
    index: PassageIndex, owner: str, questions: Sequence[tuple[str, str]], cpu_seconds: Callable[[], float]
) -> bool:
    """Print the figures of an owner; whether the aim is met."""
    retriever, scope = Retriever(index), SearchScope(owners=(owner,))
    await retriever.search(questions[0][0], scope)
    wall, processor, first = [], cpu_seconds(), 0
    for question, name in questions:
        began = time.perf_counter()
        found = await retriever.search(question, scope)
        wall.append(1000 * (time.perf_counter() - began))
        first += bool(found) and found[0].passage.document_id == name
    used = 1000 * (cpu_seconds() - processor) / len(questions)
    wall.sort()
    is_met = min(wall[len(wall) // 2], used) <= MOST_MS
    print(
        f"{owner:5} hit@1 {first / len(questions):.3f}  p50 {wall[len(wall) // 2]:.1f} ms  "
        f"p95 {wall[int(len(wall) * 0.95)]:.1f} ms  processor {used:.1f} ms   aim ≤ {MOST_MS:g} ms "
        f"{'met' if is_met else 'MISSED'}",
        flush=True,
    )
    return is_met


@asynccontextmanager
async def opened(store: str) -> AsyncIterator[tuple[PassageIndex, Callable[[], float]]]:
    """An empty index, and what tells the processor time of all that works for it."""
    if store == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            index: PassageIndex = SqlitePassageIndex(Path(folder, "bench.sqlite3"))
            yield index, time.process_time
            await index.close()
        return
    server = PostgresServer()
    server.start()
    try:
        database = server.create_database()
        server.create_role(APP_ROLE)
        await migrate_server(server.url(database), grant_to=APP_ROLE)
        index = PostgresPassageIndex(server.url(database, role=APP_ROLE))
        yield index, lambda: time.process_time() + _server_seconds(server.pid)
        await index.close()
    finally:
        server.discard()


def _server_seconds(pid: int) -> float:
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return float(sum(times.user + times.system for times in (process.cpu_times() for process in family)))


async def main(passages: int, store: str) -> None:
    """Build, ask, print."""
    texts = Texts(19)
    async with opened(store) as (index, cpu_seconds):
        began = time.perf_counter()
        asked = {
            owner: (await fill(index, texts, owner, int(passages * share)))[:ASKED] for owner, share in SHARES.items()
        }
        print(f"{passages} passages in {time.perf_counter() - began:.0f} s", flush=True)
        missed = [owner for owner, questions in asked.items() if not await ask(index, owner, questions, cpu_seconds)]
    print(verdict(len(missed)))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--passages", type=int, default=100_000)
    arguments.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    given = arguments.parse_args()
    asyncio.run(main(given.passages, given.store))
