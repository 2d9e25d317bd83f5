"""Whether the documents agent says that it does not know: `python -m bench.honesty`.

Half of the documents of `bench.retrieval` are indexed, and every question is asked: about those that are there, about
those that are not, and about subjects that no document has at all. An answer is what the built-in model writes from
what the search tool gives it. Refused at the wrong place costs precision, answered at the wrong place costs recall.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from batuta.agents.documents.library import SHARED, DocumentLibrary
from batuta.agents.documents.tools import MAX_PASSAGES, found_passage
from batuta.knowledge.cite.answers import NOT_SAID
from batuta.knowledge.extract.reading import read
from batuta.knowledge.index import IndexedDocument, SearchScope
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.language.detection import detect_language
from batuta.offline.evidence import cited_answer
from bench.retrieval import ABSENT, CLAUSES, COMPANIES
from bench.tables import verdict

LEAST_REFUSED, LEAST_PRECISION = 0.85, 0.90
OTHER_SUBJECTS = {
    "en": (
        "is there a gym near the warehouse?", "may I bring my dog to work?", "how long is parental leave?",
        "who feeds the office cat?", "which vaccines do I need for Brazil?", "what colour is the new logo?",
        "how do I reset the coffee machine?", "when was the cathedral of Burgos built?", "who wrote Don Quixote?",
        "how many legs does a spider have?", "what is the capital of Mongolia?", "recommend a good novel",
        "why is the sky blue?", "how do bees make honey?", "who is the mayor of Lisbon?", "is chess a sport?",
    ),
    "es": (
        "¿hay gimnasio cerca del almacén?", "¿puedo traer a mi perro al trabajo?", "¿cuánto dura el permiso parental?",
        "¿quién da de comer al gato?", "¿qué vacunas hacen falta para Brasil?", "¿de qué color es el logotipo nuevo?",
        "¿cómo se limpia la cafetera?", "¿cuándo se construyó la catedral de Burgos?", "¿quién escribió el Quijote?",
        "¿cuántas patas tiene una araña?", "¿cuál es la capital de Mongolia?", "recomiéndame una novela",
        "¿por qué el cielo es azul?", "¿cómo hacen miel las abejas?", "¿quién es el alcalde de Lisboa?",
        "¿es el ajedrez un deporte?",
    ),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Honesty:
    """What was asked and what came of it."""

    answerable: int
    answered: int
    absent: int
    refused: int

    @property
    def share_refused(self) -> float:
        return self.refused / self.absent

    @property
    def precision(self) -> float:
        """Of all refusals, those that were right."""
        return self.refused / (self.refused + self.answerable - self.answered)

    def line(self) -> str:
        return (
            f"answered {self.answered} of {self.answerable} that the documents answer; refused {self.refused} of "
            f"{self.absent} that they do not ({self.share_refused:.3f}), precision {self.precision:.3f}"
        )


async def measured(folder: Path, *, companies: int, seed: int = 5) -> Honesty:
    """Index half of the companies, ask about all of them and about other things."""
    chance = random.Random(seed)
    names = chance.sample(COMPANIES.split(), companies)
    index = SqlitePassageIndex(folder / "honesty.sqlite3")
    library, scope = DocumentLibrary(index=index), SearchScope(owners=(SHARED,))
    counts: Counter[tuple[bool, bool]] = Counter()
    subjects = [each for table in (ABSENT, OTHER_SUBJECTS) for texts in table.values() for each in texts]
    asked = [(each, False) for each in subjects]
    for place, name in enumerate(names):
        language = chance.choice(("en", "es"))
        asked += [(question.format(c=name), place % 2 == 0) for _, question in CLAUSES[language].values()]
        if place % 2 == 0:
            lines = [f"# {'Agreement with' if language == 'en' else 'Contrato con'} {name}"]
            for heading, (clause, _) in CLAUSES[language].items():
                lines += [f"## {heading}", clause.format(c=name, n=chance.randint(2, 90))]
            content = read("\n\n".join(lines).encode(), f"{name}.md", max_chars=100_000)
            await index.put(IndexedDocument(document_id=name, owner=SHARED, name=f"{name}.md", content=content))
    for question, is_answerable in asked:
        found = await library.search([question], scope, limit=MAX_PASSAGES)
        value = {"passages": [found_passage(each) for each in found]}
        answer = cited_answer([(question, "", value)], detect_language(question, "en"))
        counts[is_answerable, NOT_SAID.match(answer) is None] += 1
    await index.close()
    return Honesty(
        answerable=counts[True, True] + counts[True, False],
        answered=counts[True, True],
        absent=counts[False, True] + counts[False, False],
        refused=counts[False, False],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--companies", type=int, default=28)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        honesty = asyncio.run(measured(Path(folder), companies=given.companies))
    sys.stdout.write(honesty.line() + "\n")
    missed = (honesty.share_refused < LEAST_REFUSED) + (honesty.precision < LEAST_PRECISION)
    sys.stdout.write(verdict(missed) + "\n")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
