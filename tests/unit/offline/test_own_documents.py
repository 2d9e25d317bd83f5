"""What the ERP does not understand and a document says is answered by the document, and the other way round (A-10, A-40)."""

from pathlib import Path

import pytest

from tests.support.asked_team import AskedTeam

pytestmark = pytest.mark.timeout(300)

NOTES = (
    "# Incidencias\n\n## Pedidos\n\nEl pedido 4471 está retenido en la aduana de Valencia desde el lunes.\n\n"
    "# Incidents\n\n## Stock of the unicorns\n\nThe stock of the plush unicorns was burnt in May.\n"
)


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("¿Qué pasó con el pedido 4471?", "es", "retenido en la aduana"),
        ("¿Qué pasó con el pedido 4472?", "es", "Los documentos no dicen nada"),
        ("how much stock of unicorns do we have?", "en", "plush unicorns"),
        ("how much stock of dragons do we have?", "en", "I do not know what “dragons” means"),
        ("how much stock do we have in value?", "en", "Stock value"),
    ],
)
async def test_the_one_that_knows_answers(tmp_path: Path, text: str, language: str, said: str) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "notes.md").write_text(NOTES, encoding="utf-8")
    (tmp_path / "data").mkdir()
    asked = AskedTeam(tmp_path / "data", documents_dir=folder)
    async with asked.team:
        outcome = await asked.ask([text], language)
    assert said in outcome.answer
