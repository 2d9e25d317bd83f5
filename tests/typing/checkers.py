"""Runs a static checker of this environment on one file, with the project's settings."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def checked(tool: str, *arguments: str, source: Path) -> subprocess.CompletedProcess[str]:
    """What `mypy` or `basedpyright` says of a file."""
    return subprocess.run(
        [BIN / tool, *arguments, str(source)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=110
    )
