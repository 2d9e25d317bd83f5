"""The examples are the acceptance examples, run as they are, and are typed (issue 2)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.figures import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
GIVEN = ROOT.parent / "shared" / "spec" / "examples"
BIN = Path(sys.executable).parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=110)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path) -> None:
    outcome = run(sys.executable, "-W", "error", example)
    assert outcome.returncode == 0, outcome.stderr


@pytest.mark.parametrize(
    "tool", [["mypy", "--no-error-summary"], ["basedpyright", "--pythonpath", sys.executable]], ids=lambda tool: tool[0]
)
def test_the_examples_are_typed(tool: list[str]) -> None:
    outcome = run(BIN / tool[0], *tool[1:], *EXAMPLES)
    assert outcome.returncode == 0, outcome.stdout


def test_the_examples_that_were_given_are_unchanged() -> None:
    """Compared where the given ones are at hand; elsewhere there is nothing to compare with."""
    for given in GIVEN.glob("*.py") if GIVEN.is_dir() else ():
        ours = ROOT / "examples" / given.name
        if ours.exists():
            assert ours.read_bytes() == given.read_bytes(), given.name


def test_there_are_examples() -> None:
    assert {"hello_pipeline", "parallel"} <= {example.stem for example in EXAMPLES}
