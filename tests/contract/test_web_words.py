"""The web application has Spanish words for everything the first team shows: agents, descriptions, tools."""

import json
import re
from pathlib import Path

import pytest

from batuta.llm.providers import OFFLINE_MODEL
from batuta.server.config import load_settings
from batuta.server.team import first_team

SPANISH = Path(__file__).parents[2] / "web/src/lib/i18n/es/names.ts"


@pytest.fixture
def shown(tmp_path: Path) -> set[str]:
    cards = first_team(load_settings({"BATUTA_MODEL": OFFLINE_MODEL}, data_dir=tmp_path)).orchestrator.registry.cards
    return {words for card in cards for words in (card.name, card.description, *card.tools)}


def test_what_the_first_team_shows_has_spanish_words(shown: set[str]) -> None:
    keys = re.findall(r'^  ("[^"]+"|\w+):', SPANISH.read_text("utf-8"), re.MULTILINE)
    known = {json.loads(key) if key.startswith('"') else key for key in keys}
    assert "Documents" in shown
    assert "search_documents" in shown
    assert shown - known == set()
