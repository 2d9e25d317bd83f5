"""What documents nearly say is not taken for what was asked (A-10, A-12)."""

from pathlib import Path

import pytest

from tests.unit.agents.documents.test_whole import asked, cited, written

FILES = {
    "ropes": "# Ropes\n\n## Loads\n\n| Rope | Load |\n|---|---|\n| 8 mm | 90 kg |\n| 10 mm | 140 kg |\n",
    "cuerdas": "# Cuerdas\n\nLa cuerda trenzada aguanta 90 kilos y se revisa cada seis meses.\n",
    "catalogo": "# Catálogo\n\nCuerda trenzada: 21 EUR\n\nArnés de pecho: 48 EUR\n",
    "hotel": (
        "# Normas del hotel\n\n## Animales\n\nSe admiten perros pequeños. Los loros no se admiten.\n\n"
        "## Ruido\n\nSe guarda silencio de 22:00 a 7:00.\n\n"
        "## Cuenta\n\nLas donaciones de 2025 fueron de 4.300 euros.\n"
    ),
    "audit": "# Audit\n\nThe audit of ISO 9001 in May found two deviations.\n",
    "taller": "# Taller\n\nLa escalera se guarda en la cochera de la calle Real.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, **FILES)


@pytest.mark.parametrize(
    ("question", "unsaid"),
    [
        ("What load does the 12 mm rope bear?", "12 mm"),
        ("¿Se admiten tortugas en el hotel?", "tortugas"),
        ("What did the audit of ISO 27001 find?", "iso 27001"),
        ("¿A qué hora hay que abandonar el hotel?", "no dicen nada"),
    ],
)
async def test_another_thing_of_the_kind_is_no_answer(question: str, unsaid: str, folder: Path, tmp_path: Path) -> None:
    turn = await asked(question, folder, tmp_path)
    assert f"{turn.answer}".startswith(("The documents do not say", "Los documentos no dicen"))
    assert unsaid in f"{turn.answer}"


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("What load does the 10 mm rope bear?", "140 kg"),
        ("¿Qué precio tiene la cuerda trenzada?", "21 EUR"),
        ("¿A cuánto ascendieron las donaciones de 2025?", "4.300 euros"),
        ("Where is the ladder stored?", "La escalera se guarda en la cochera"),
        ("¿Se admiten loros en el hotel?", "Los loros no se admiten"),
    ],
)
async def test_what_was_asked_is_quoted(question: str, quoted: str, folder: Path, tmp_path: Path) -> None:
    turn = await asked(question, folder, tmp_path)
    assert quoted in " ".join(each.quote for each in cited(turn))
