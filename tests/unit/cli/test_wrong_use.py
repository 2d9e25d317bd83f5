"""What a command says when it cannot do what it is asked: one line that tells what to do, never a traceback."""

import os
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from batuta.cli.app import app


@pytest.fixture(autouse=True)
def clean_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("BATUTA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BATUTA_DATA_DIR", str(tmp_path / "data"))


def batuta(*words: str, given: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words), input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, " ".join(result.output.split())


@pytest.mark.parametrize("command", ["serve", "simulate"])
def test_an_address_that_is_taken_is_told_before_anything_is_opened(command: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, said = batuta(command, "--port", str(port))
    assert code == 2
    assert f"cannot listen on 127.0.0.1:{port}" in said
    assert "--port" in said
    assert not (tmp_path / "data/batuta.db").exists()


def test_a_host_that_is_not_here_is_told() -> None:
    code, said = batuta("serve", "--host", "192.0.2.1", "--port", "0")
    assert code == 2
    assert "cannot listen on 192.0.2.1:0: " in said


@pytest.mark.parametrize("command", ["serve", "migrate", "chat"])
def test_a_data_folder_that_cannot_be_is_told(command: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, said = batuta(command, "--data-dir", str(tmp_path / "file" / "data"))
    assert code == 2
    assert "cannot be made: Not a directory; choose another with --data-dir" in said


@pytest.mark.parametrize(
    "command", [("audit", "verify"), ("audit", "accounts"), ("audit", "erasures"), ("user", "list"), ("files", "list")]
)
def test_a_file_in_the_place_of_the_data_folder_is_told(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "team.db").touch()
    code, said = batuta(*command, "--data-dir", str(tmp_path / "team.db"))
    assert code == 2
    assert "--data-dir" in said


@pytest.mark.parametrize("command", [("replay",), ("audit", "counts")])
def test_looking_for_an_execution_makes_no_data_folder(command: tuple[str, ...], tmp_path: Path) -> None:
    code, said = batuta(*command, "01A1DDE2-A77E-7E88-9DB7-2AF8B25F00FE", "--data-dir", str(tmp_path / "nothing"))
    assert (code, "there is no database" in said, "--data-dir" in said) == (2, True, True)
    assert not (tmp_path / "nothing").exists()


def test_a_project_is_not_written_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in ("file", "file/within"):
        code, said = batuta("init", str(tmp_path / folder))
        assert code == 2
        assert said.startswith("error:")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_scenario_that_is_not_there_is_told_instead_of_an_address() -> None:
    code, said = batuta("simulate", "nowhere.yaml")
    assert code == 2
    assert "cannot read scenario nowhere.yaml" in said
    assert "listens" not in said


def test_an_agent_nobody_knows_is_told_with_those_there_are() -> None:
    code, said = batuta("chat", "--agent", "nobody")
    assert code == 2
    assert "there is no agent 'nobody'; there are " in said
    assert "calculator" in said


def test_a_conversation_ends_with_its_input() -> None:
    """So that `echo question | batuta chat` works."""
    code, said = batuta("chat", given="What is 15% of 1,200?\n")
    assert code == 0
    assert "180" in said.split("calculate")[-1]
    assert "Aborted" not in said


def test_the_doctor_looks_and_leaves_nothing_behind(tmp_path: Path) -> None:
    code, said = batuta("doctor")
    assert code in (0, 1)  # 1 where the web application is not built
    assert "✓ SQLite: there is no database yet; the first `batuta serve` makes it" in said
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_knows_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, said = batuta("doctor", "--data-dir", str(tmp_path / "file" / "data"))
    assert code == 1
    assert "cannot be made or written; choose another with --data-dir" in said


def test_the_answer_of_several_agents_is_told_once_with_its_sources() -> None:
    told = CliRunner().invoke(app, ["chat"], input="How much can I spend on hotels? And what is 3*130?\n")
    assert told.stdout.count("Hotels may cost up to 130 euros") == 1
    assert told.stdout.count("3 × 130 = 390") == 1
    assert "[1] Travel policy, Hotels, l. 16" in told.stderr
    assert "[2] Calculator" in told.stderr


def test_one_can_talk_to_a_team_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN_TEAM)
    code, said = batuta("chat", "--team", f"{tmp_path}/mine.py:team", given="hello\n")
    assert code == 0
    assert "you said hello" in said


OWN_TEAM = """
from batuta import step
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import Reply, ScriptedModel

@step
async def echo(text: str) -> str:
    return "you said " + text

plan = Reply('{"steps": [{"agent_id": "echo", "task": "hello"}]}')
team = Orchestrator(supervisor=ScriptedModel([plan]), agents=[Specialist(echo, name="Echo")])
"""
