"""A new project works at once, by the words of its own README (P-1)."""

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.demo import KEYS, PROGRAM

COMMANDS = {
    "batuta": [sys.executable, "-P", "-c", PROGRAM],
    "pytest": [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider"],  # `-P`: as the script `pytest` starts
}


def run(folder: Path, *words: str) -> str:
    """What a command in a folder prints on its standard output, if it ends well."""
    environment = {name: value for name, value in os.environ.items() if name not in KEYS}
    own = [path for path in sys.path if path and Path(path).resolve() != folder]
    environment |= {"PYTHONPATH": os.pathsep.join(own), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*COMMANDS[words[0]], *words[1:]]
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    run(tmp_path, "batuta", "init", "shop")
    return tmp_path / "shop"


def test_every_command_of_its_readme_works(project: Path) -> None:
    lines = [line.strip() for line in (project / "README.md").read_text().splitlines() if line.startswith("    ")]
    said = {line: run(project, *shlex.split(line)) for line in lines}
    assert "1 passed" in said["pytest"]
    assert any("draw" in line and "-->" in drawn for line, drawn in said.items())


def test_its_configuration_names_what_it_needs(project: Path) -> None:
    declared = tomllib.loads((project / "pyproject.toml").read_text())
    assert declared["project"]["dependencies"] == ["batuta-ai[cli]"]
