"""The commands as a whole: each is there, loads only what it needs, and names the extra it lacks."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from batuta.cli.app import COMMANDS, app, load
from batuta.cli.output import version


def test_it_tells_its_version() -> None:
    told = CliRunner().invoke(app, ["--version"])
    assert (told.exit_code, told.output) == (0, f"batuta {version()}\n")


def test_the_version_is_told_without_loading_the_platform() -> None:
    heavy = ("fastapi", "sqlalchemy", "langgraph", "langchain_core")
    program = f"import sys, batuta.cli.app; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded == "[]\n"


def test_the_doctor_loads_what_a_check_needs_with_the_check() -> None:
    heavy = ("aiohttp", "sqlalchemy", "batuta.sandbox.service", "batuta.agents.erp.access", "batuta.llm.factory")
    program = f"import sys, batuta.cli.doctor; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded == "[]\n"


def test_the_accounts_are_looked_up_without_the_team_and_its_events() -> None:
    heavy = ("fastapi", "langgraph", "langchain_core", "aiohttp", "alembic", "batuta.agents", "batuta.events.catalogue")
    program = f"import sys, batuta.cli.users; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded == "[]\n"


def test_the_list_of_commands_loads_none_of_them() -> None:
    program = """
import sys
from typer.testing import CliRunner
from batuta.cli.app import app
shown = CliRunner().invoke(app, ["--help"])
assert "doctor" in shown.output, shown.output
print(sorted(name for name in sys.modules if name.startswith(("batuta.server", "batuta.agents", "sqlalchemy"))))
"""
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded == "[]\n"


def test_a_misspelt_command_is_answered_with_the_one_that_is_meant() -> None:
    shown = CliRunner().invoke(app, ["dotor"])
    assert shown.exit_code == 2
    assert "Did you mean 'doctor'?" in shown.output


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_with_the_words_it_explains_itself_with(name: str) -> None:
    first_paragraph = (load(name).help or "").partition("\n\n")[0]
    assert COMMANDS[name].help == " ".join(first_paragraph.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    told = CliRunner().invoke(app, [name, "--help"])
    assert told.exit_code == 0, told.output
    assert f"batuta {name}" in told.output


def test_a_command_that_lacks_something_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "batuta.cli.simulate", None)
    told = CliRunner().invoke(app, ["simulate"])
    assert told.exit_code == 2
    assert 'pip install "batuta-ai[simulator]"' in " ".join(told.output.split())
