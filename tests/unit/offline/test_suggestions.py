"""Every suggestion of the first screen leads somewhere on a fresh install without a key (A-40)."""

from pathlib import Path

import pytest

from tests.support.asked_team import AskedTeam

pytestmark = pytest.mark.timeout(600)

LEADS_NOWHERE = (
    "I cannot answer", "No puedo responder", "The documents do not", "Los documentos no", "Do you mean", "¿Quieres decir",
    "I could not do that", "No he podido hacerlo", "What should it show", "¿Qué tiene que mostrar", "Which figure", "¿Qué cifra",
)  # fmt: skip


async def test_every_suggestion_leads_somewhere(tmp_path: Path) -> None:
    asked = AskedTeam(tmp_path)
    suggested = [
        (language, text)
        for card in asked.team.orchestrator.registry.cards
        for language, texts in card.examples.items()
        for text in texts
    ]
    async with asked.team:
        outcomes = {text: await asked.ask([text], language) for language, text in suggested}
    assert len(outcomes) >= 30
    lost = [(text, str(each)) for text, each in outcomes.items() if each.answer.startswith(LEADS_NOWHERE)]
    assert lost == []
