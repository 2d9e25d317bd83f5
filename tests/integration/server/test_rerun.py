"""`batuta rerun` of a turn of the built-in model: its tools find what they had, and nothing is added to the session."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from batuta.llm.providers import OFFLINE_MODEL
from batuta.server.config import Settings
from batuta.server.team import first_team
from tests.support.platform import Person, running, settings_for

QUESTION = "¿Qué clientes nos deben más dinero? Hazme un gráfico"
FIGURES = {"dataset_stored", "chart_drawn"}


async def rerun(settings: Settings, turn: str, start: str) -> dict[str, Any]:
    """What the command says, from a shell."""
    environment = {**os.environ, "BATUTA_DATA_DIR": str(settings.data_dir), "BATUTA_MODEL": OFFLINE_MODEL}
    command = [sys.executable, "-c", "from batuta.cli import main; main()", "rerun", turn, "--from", start, "--json"]
    ran = await asyncio.to_thread(
        subprocess.run, command, env=environment, cwd=settings.data_dir, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    diff: dict[str, Any] = json.loads(ran.stdout)
    return diff


async def datasets(ana: Person, session: str) -> list[str]:
    found = (await ana.http.get(f"/api/sessions/{session}/datasets")).json()
    return [each["dataset_id"] for each in found["items"]]


async def test_a_turn_of_the_built_in_model_is_run_again_from_the_agent_that_counts(tmp_path: Path) -> None:
    """T-26: its figures are computed anew and its chart is drawn anew, in the reader's language."""
    settings = settings_for(tmp_path)
    async with first_team(settings) as team, running(settings, team=team.orchestrator) as site:
        ana = await site.person()
        await ana.http.patch("/api/settings", json={"language": "es"})
        session = await ana.session()
        events = await ana.ask(session, QUESTION)
        kept = await datasets(ana, session)
        diff = await rerun(settings, events[-1]["turn_id"], "erp_agent")
        assert diff["answer"]["before"] == diff["answer"]["after"]
        assert not FIGURES & {count["type"] for count in diff["events"]}
        assert await datasets(ana, session) == kept
        assert kept
