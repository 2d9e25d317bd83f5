"""A package imports only from lines below it; a folder that has no line fails."""

import os
import subprocess
import sys
from pathlib import Path

from tests.architecture.figures import ROOT


def test_the_layer_contracts_hold() -> None:
    outcome = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stdout[-4000:] + outcome.stderr
