"""How well and how fast passages are found, on documents of our own making: `python -m bench.retrieval`.

Each document is about one company and subject, in English or Spanish; each question asks for one clause in other words
than the clause has. Questions about subjects that no document has measure when the search says that it found nothing.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from pathlib import Path

from batuta.knowledge.extract.reading import read
from batuta.knowledge.index import IndexedDocument, SearchScope
from batuta.knowledge.retrieve import Retriever
from batuta.knowledge.sqlite_index import SqlitePassageIndex
from batuta.knowledge.synonyms import others_for

COMPANIES = (
    "Acerinor Brisa Calipso Dornier Ebrolux Ferrotec Galvan Hidrasol Iberpack Jarama Kelmer Lumina Montblau Norvia "
    "Olivares Petrosa Roldan Sorolla Tecnivo Ursa Valmar Wexford Xantia Yeste Zafiro Albion Bramley Corvus Delphi"
)
CLAUSES = {
    "en": {
        "Payment": ("Invoices of {c} are payable within {n} days after receipt.", "when must {c} be paid?"),
        "Warranty": ("{c} guarantees its machines for {n} months from delivery.", "how long is the warranty of {c}?"),
        "Delay": ("For each week of late delivery {c} owes a penalty of {n} percent.", "fine for {c} delivering late"),
        "Termination": (
            "Either side may cancel the agreement with {c} with {n} days of notice.",
            "end of the {c} deal",
        ),
        "Support": ("{c} answers support requests within {n} hours on working days.", "response time of {c} support"),
        "Insurance": ("{c} carries liability insurance of {n} million euros.", "how much is {c} insured for?"),
        "Returns": ("Unopened goods may be sent back to {c} within {n} days.", "can we return goods to {c}?"),
        "Prices": ("{c} raises its prices once a year by at most {n} percent.", "price increase of {c}"),
    },
    "es": {
        "Pago": ("Las facturas de {c} se pagan a los {n} días de su recepción.", "¿cuándo hay que pagar a {c}?"),
        "Garantía": (
            "{c} garantiza sus máquinas durante {n} meses desde la entrega.",
            "¿cuánto dura la garantía de {c}?",
        ),
        "Demora": (
            "Por cada semana de retraso {c} debe una penalización del {n} por ciento.",
            "multa si {c} entrega tarde",
        ),
        "Rescisión": ("El acuerdo con {c} puede rescindirse con {n} días de preaviso.", "terminar el contrato con {c}"),
        "Soporte": (
            "{c} responde a las incidencias en {n} horas laborables.",
            "tiempo de respuesta del soporte de {c}",
        ),
        "Seguro": (
            "{c} tiene un seguro de responsabilidad de {n} millones de euros.",
            "¿por cuánto está asegurada {c}?",
        ),
        "Devoluciones": (
            "La mercancía sin abrir puede devolverse a {c} en {n} días.",
            "¿se puede devolver material a {c}?",
        ),
        "Precios": ("{c} sube sus precios una vez al año, como máximo un {n} por ciento.", "subida de precios de {c}"),
    },
}
ABSENT = {
    "en": ("who painted the ceiling of the chapel?", "best recipe for lentil soup", "distance from Earth to Mars",
           "symptoms of a broken ankle", "who won the chess championship?", "how do volcanoes erupt?"),
    "es": ("¿quién pintó la capilla?", "receta de sopa de lentejas", "distancia de la Tierra a Marte",
           "síntomas de un tobillo roto", "¿quién ganó el torneo de ajedrez?", "¿cómo se forma un volcán?"),
}  # fmt: skip
OWNER = SearchScope(owners=("bench",))
RELEVANT = 0.5


async def main(copies: int, questions: int) -> None:
    """Build, ask, print."""
    chance = random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        index = SqlitePassageIndex(Path(folder, "bench.sqlite3"))
        cases, passages, seconds = await _built(index, chance, copies)
        retriever = Retriever(index, synonyms=others_for)
        first = fifth = 0
        times = []
        asked = chance.sample(cases, min(questions, len(cases)))
        for question, document_id, heading in asked:
            begun = time.perf_counter()
            found = await retriever.search(question, OWNER)
            times.append((time.perf_counter() - begun) * 1_000)
            hits = [(each.passage.document_id, each.passage.headings[-1:]) for each in found]
            first += hits[:1] == [(document_id, (heading,))]
            fifth += (document_id, (heading,)) in hits[:5]
        absent = [await retriever.search(each, OWNER) for texts in ABSENT.values() for each in texts]
        refused = sum(all(each.relevance < RELEVANT for each in found) for found in absent)
        print(f"{passages} passages in {seconds:.1f} s")
        print(f"hit@1 {first / len(asked):.3f}  hit@5 {fifth / len(asked):.3f}  of {len(asked)} questions")
        print(f"absent subjects refused: {refused} of {len(absent)}")
        print(
            f"median {statistics.median(times):.1f} ms, p95 {sorted(times)[int(len(times) * 0.95)]:.1f} ms a question"
        )
        await index.close()


async def _built(
    index: SqlitePassageIndex, chance: random.Random, copies: int
) -> tuple[list[tuple[str, str, str]], int, float]:
    cases: list[tuple[str, str, str]] = []
    count, begun = 0, time.perf_counter()
    for copy in range(copies):
        for company in COMPANIES.split():
            name = company if not copy else f"{company}{copy}"
            language = chance.choice(("en", "es"))
            lines = [f"# {'Agreement with' if language == 'en' else 'Contrato con'} {name}"]
            for heading, (clause, question) in CLAUSES[language].items():
                lines += [f"## {heading}", clause.format(c=name, n=chance.randint(2, 90))]
                cases.append((question.format(c=name), name, heading))
            content = read("\n\n".join(lines).encode(), f"{name}.md", max_chars=100_000)
            await index.put(IndexedDocument(document_id=name, owner="bench", name=f"{name}.md", content=content))
            count += len(CLAUSES[language])
    return cases, count, time.perf_counter() - begun


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--copies", type=int, default=10, help="documents of each company")
    arguments.add_argument("--questions", type=int, default=400)
    given = arguments.parse_args()
    asyncio.run(main(given.copies, given.questions))
