"""Lists, comparisons and versions of documents with the built-in model, asked as people ask (A-10, A-13)."""

from pathlib import Path

import pytest

from batuta.conversations.conversation import Conversation
from tests.unit.agents.documents.test_whole import asked, cited, written

HEAD = "# Rates\n\n| Boat | Price EUR |\n|---|---|\n"
FILES = {
    "rates 2025": f"{HEAD}| Canoe | 14 |\n| Canoe Large | 19 |\n| Pedal boat | 25 |\n",
    "rates 2026": f"{HEAD}| Canoe | 16 |\n| Canoe Large | 22 |\n| Pedal boat | 28 |\n",
    "acta 2026-01-12": (
        "# Acta de la junta\n\n## Muelle\n\nSe aprueban 90.000 euros para el muelle.\n\n## Tareas\n\n"
        "- Pintar el hangar: Eva Soto, antes del 20 de febrero de 2026.\n"
        "- Comprar remos: Luis Paz, antes del 2 de marzo de 2026.\n"
    ),
    "acta 2026-02-09": (
        "# Acta de la junta\n\n## Muelle\n\nEl presupuesto del muelle sube a 97.500 euros.\n\n## Tareas\n\n"
        "- Reparar la grúa: Ana Rey, antes del 30 de abril de 2026.\n"
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, **FILES)


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("What did the Canoe Large cost in 2025?", ("19", "rates 2025"), ("22", "14")),
        ("What is the price of the Canoe Large in the rates of 2026?", ("22",), ("19", "16")),
        ("How much has the Canoe Large risen from the rates of 2025 to those of 2026?", ("19", "22"), ("14",)),
        ("Compara el presupuesto del muelle en las actas de enero y febrero", ("90.000", "97.500"), ("grúa",)),
        ("Haz una lista de las fechas límite del acta de enero", ("20 de febrero", "2 de marzo"), ("30 de abril",)),
        ("List the deadlines in the minutes of 9 February", ("30 de abril",), ("20 de febrero",)),
        ("¿Qué tareas se acordaron en el acta de enero?", ("hangar", "remos"), ("grúa",)),
    ],
)
async def test_a_date_names_the_version(
    question: str, said: tuple[str, ...], unsaid: tuple[str, ...], folder: Path, tmp_path: Path
) -> None:
    turn = await asked(question, folder, tmp_path)
    quoted = " ".join(each.quote for each in cited(turn))
    assert [each for each in said if each not in f"{turn.answer}"] == []
    assert [each for each in unsaid if each in quoted] == []


async def test_versions_that_are_not_told_apart_are_both_cited(folder: Path, tmp_path: Path) -> None:
    turn = await asked("What does the Canoe Large cost?", folder, tmp_path)
    assert {each.source for each in cited(turn)} == {"rates 2025.md", "rates 2026.md"}


@pytest.mark.parametrize(
    ("before", "then", "said", "unsaid"),
    [
        ("What did the Canoe Large cost in the rates of 2025?", "And in those of 2026?", "22", "19"),
        ("What did the Canoe Large cost in the rates of 2025?", "and the pedal boat?", "Pedal boat", "Large"),
    ],
)
async def test_a_follow_up_puts_another_thing_in_its_place(
    before: str, then: str, said: str, unsaid: str, folder: Path, tmp_path: Path
) -> None:
    conversation = Conversation()
    await asked(before, folder, tmp_path, conversation=conversation)
    turn = await asked(then, folder, tmp_path, conversation=conversation)
    quoted = " ".join(each.quote for each in cited(turn))
    assert said in quoted
    assert unsaid not in quoted
