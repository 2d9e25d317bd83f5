"""`batuta turns`: a dead turn is seen, tried again, or left; `batuta replay` reads a team's own file."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from batuta.cli.app import app
from batuta.events.queue import Work
from batuta.eventstore.teams import open_team_store
from batuta.kernel.ids import new_id
from batuta.orchestration.worker import TurnWorker
from tests.support.turns import say
from tests.unit.cli.crew import team

EXPIRED = timedelta(seconds=-1)


async def _kill(path: Path) -> str:
    async with open_team_store(path) as store:
        turn_id = await say(store.queue, new_id(), "a table for monday", target_agent_id="host")
        for _ in range(5):
            assert await store.queue.lease("doomed", length=EXPIRED) is not None
            await store.queue.recover()
    return turn_id


async def _finished(path: Path, turn_id: str) -> Work | None:
    async with open_team_store(path) as store:
        await TurnWorker.at(store, team).run_until_idle()
        return await store.queue.get(turn_id)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "team.db"


@pytest.fixture
def dead(file: Path) -> str:
    return asyncio.run(_kill(file))


def batuta(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    return result.exit_code, result.output


def test_five_lost_leases_make_a_turn_dead_and_it_is_listed(file: Path, dead: str) -> None:
    code, text = batuta("turns", "list", "--status", "dead", "--data-dir", str(file))
    assert code == 0
    assert dead in text
    assert "5/5" in text


def test_a_dead_turn_is_tried_again_and_goes_on(file: Path, dead: str) -> None:
    code, text = batuta("turns", "retry", dead, "--data-dir", str(file))
    assert (code, "is queued again" in text) == (0, True)
    work = asyncio.run(_finished(file, dead))
    assert work is not None
    assert work.status == "completed"


def test_only_a_dead_turn_can_be_tried_again(file: Path, dead: str) -> None:
    code, text = batuta("turns", "retry", new_id(), "--data-dir", str(file))
    assert (code, "is not dead" in text) == (1, True)


def test_a_turn_that_waits_is_given_up(file: Path) -> None:
    async def wait() -> str:
        async with open_team_store(file) as store:
            return await say(store.queue, new_id(), "a table for monday", target_agent_id="host")

    turn_id = asyncio.run(wait())
    code, text = batuta("turns", "give-up", turn_id, "--data-dir", str(file))
    assert (code, "is over" in text) == (0, True)
    code, text = batuta("turns", "give-up", turn_id, "--data-dir", str(file))
    assert (code, "is over already" in text) == (1, True)


def test_replay_reads_the_file_of_a_team(file: Path, dead: str) -> None:
    code, text = batuta("replay", dead, "--data-dir", str(file))
    assert (code, "Traceback" in text) == (0, False)
    code, text = batuta("replay", "trc_abc", "--data-dir", str(file))
    assert (code, "by a turn id or a session id" in text) == (2, True)
