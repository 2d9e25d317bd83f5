"""`batuta rerun`: a turn of an embedded store, run again from the command line (T-26)."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from batuta.cli.app import app
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.kernel.ids import new_id
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from tests.support.turns import TurnPersistence, say
from tests.unit.cli.crew import team

TEAM = str(Path(__file__).with_name("crew.py")) + ":team"


async def _play(path: Path) -> str:
    async with SqliteEventLog(path) as log:
        queue = SqliteTurnQueue(log)
        turn_id = await say(queue, new_id(), "a table for monday", target_agent_id="host")
        await TurnWorker(team, queue, log, TurnPersistence(log), WorkerSettings(owner="w")).run_until_idle()
    return turn_id


@pytest.fixture
def turn_id(tmp_path: Path) -> str:
    return asyncio.run(_play(tmp_path / "batuta.db"))


def batuta(tmp_path: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["rerun", *words, "--team", TEAM, "--data-dir", str(tmp_path)])
    return result.exit_code, result.output


def test_a_turn_without_changes_comes_to_the_same(tmp_path: Path, turn_id: str) -> None:
    code, text = batuta(tmp_path, turn_id)
    assert code == 0
    assert "Both runs came to the same. 3 effects recorded, 0 live." in text
    assert "a table on monday" in text


def test_other_instructions_bring_another_answer_and_the_write_is_not_executed(tmp_path: Path, turn_id: str) -> None:
    code, text = batuta(tmp_path, turn_id, "--from", "host", "--prompt", "Always say tuesday.", "--json")
    assert code == 0
    diff = json.loads(text)
    assert diff["answer"] == {
        "before": "a table on monday",
        "after": "[stand-in: reserve was not executed, this is a re-execution]",
    }
    assert diff["writes"] == [{"name": "reserve", "args": {"day": "tuesday"}, "source": "stand_in"}]


def test_the_stand_in_is_shown_to_people(tmp_path: Path, turn_id: str) -> None:
    _, text = batuta(tmp_path, turn_id, "--from", "host", "--prompt", "Always say tuesday.")
    assert "The runs differ." in text
    assert "not executed: reserve" in text
    assert "stand-in, nothing like it is recorded" in " ".join(text.split())


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--model", "openai:gpt-5"], "--from"),
        (["--from", "nobody"], "no event, step or agent"),
        (["--from", "host", "--prompt", "x", "--agent", "nobody"], "no agent"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, turn_id: str, words: list[str], problem: str) -> None:
    code, text = batuta(tmp_path, turn_id, *words)
    assert code == 2
    assert problem in " ".join(text.split())


def test_a_turn_nobody_knows_is_said(tmp_path: Path, turn_id: str) -> None:
    code, text = batuta(tmp_path, new_id())
    assert code == 2
    assert "there is no turn" in text


def test_a_place_without_a_database_is_said_and_left_alone(tmp_path: Path) -> None:
    code, text = batuta(tmp_path, new_id())
    assert code == 2
    assert "--data-dir" in text
    assert list(tmp_path.iterdir()) == []
