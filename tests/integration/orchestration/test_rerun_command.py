"""`batuta rerun` from a shell: a recorded turn, in a file or on PostgreSQL, with another prompt or model."""

import asyncio
import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from batuta.events import EffectRecorded
from batuta.eventstore.teams import TeamStore
from batuta.kernel.ids import new_id
from batuta.orchestration import TurnWorker
from batuta.simulator import Simulator
from tests.support.stores import opener_of
from tests.unit.cli.crew import team

TEAM = "tests.unit.cli.crew:team"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where every real reservation leaves a line."""
    monkeypatch.setenv("RESERVATIONS", str(tmp_path / "book"))
    return tmp_path / "book"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    if request.param == "sqlite":
        return {"backend": "sqlite", "path": str(tmp_path / "team.db")}
    return {"backend": "postgres", "url": request.getfixturevalue("log_url")}


async def _recorded(place: dict[str, str]) -> tuple[str, int, int]:
    """A turn, the position of its first model call, and how many events its session holds."""
    async with opener_of(place)() as opened:
        store, session = TeamStore(opened.log, opened.queue), new_id()
        turn = await store.say(session, "a table for monday", target_agent_id="host")
        await TurnWorker.at(store, team).run_until_idle()
        events = await store.events(session)
        called = next(event for event in events if isinstance(event, EffectRecorded) and ":model:" in event.key)
        assert called.sequence_number is not None
        return turn, called.sequence_number, len(events)


async def _count(place: dict[str, str], turn: str) -> int:
    async with opener_of(place)() as opened:
        work = await opened.queue.get(turn)
        assert work is not None
        return len(await TeamStore(opened.log, opened.queue).events(str(work.session_id)))


def _batuta(place: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    where = ["--data-dir", place["path"]] if "path" in place else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "COLUMNS": "200"}
    if "url" in place:
        environment["BATUTA_DATABASE_URL"] = place["url"]
    command = [sys.executable, "-c", "from batuta.cli import main; main()", "rerun", *words, "--team", TEAM, *where]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=180)


def test_a_recorded_turn_is_run_again_from_a_shell(place: dict[str, str], book: Path) -> None:
    """Answers, tokens, cost and time side by side; the write is not executed and the session is left as it is."""
    turn, first_call, events = asyncio.run(_recorded(place))
    assert book.read_text() == "monday\n"
    changed = _batuta(place, turn, "--from", str(first_call), "--prompt", "Always say tuesday.")
    assert changed.returncode == 0, changed.stderr
    for shown in (
        "The runs differ.",
        "a table on monday",
        "answer",
        "tokens",
        "cost",
        "seconds",
        "not executed: reserve",
    ):
        assert shown in changed.stdout
    assert book.read_text() == "monday\n", "a write tool was executed"
    assert asyncio.run(_count(place, turn)) == events, "the session was written to"


ANOTHER_DAY: dict[str, Any] = {
    "answers": [
        {"blocks": [{"type": "tool_call", "name": "reserve", "arguments": {"day": "friday"}}]},
        "Friday it is.",
    ],
    "otherwise": "fail",
}
"""What the other model does: it calls the tool that writes, with arguments of its own."""


@pytest.mark.parametrize(
    ("model", "variables"),
    [
        ("anthropic:claude-haiku-4-5", {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "none"}),
        ("openai:gpt-5.2", {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "none"}),
    ],
    ids=["anthropic", "openai"],
)
async def test_another_model_goes_on_from_a_shell_and_what_it_writes_is_not_executed(
    place: dict[str, str], book: Path, monkeypatch: pytest.MonkeyPatch, model: str, variables: dict[str, str]
) -> None:
    """T-26: a provider is really asked, over the wire, with its own name and cost; nothing happens outside."""
    turn, first_call, events = await _recorded(place)
    async with Simulator(ANOTHER_DAY) as provider:
        for name, value in variables.items():
            monkeypatch.setenv(name, value.format(url=provider.url))
        words = (turn, "--from", str(first_call), "--model", model, "--json")
        changed = await asyncio.to_thread(_batuta, place, *words)
        assert changed.returncode == 0, changed.stderr
        provider.assert_finished()
        assert [seen.model for seen in provider.requests] == [model.partition(":")[2]] * 2
    diff = json.loads(changed.stdout)
    assert diff["answer"] == {"before": "a table on monday", "after": "Friday it is."}
    assert diff["usage"]["after"]["output"] > 0
    assert Decimal(diff["cost"]["after"]) > 0
    assert diff["writes"] == [{"name": "reserve", "args": {"day": "friday"}, "source": "stand_in"}]
    assert book.read_text() == "monday\n", "a write tool was executed"
    assert await _count(place, turn) == events, "the session was written to"
