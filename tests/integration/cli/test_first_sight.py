"""The first sight of the platform on a terminal: a few friendly lines, nothing else, and a clean end (P-1)."""

import asyncio
import os
import pty
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.support.demo import KEYS, PROGRAM

WAIT_SECONDS = 60
COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Terminal:
    """A command at a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self._words = words
        self.said = ""

    async def __aenter__(self) -> "Terminal":
        environment = {name: value for name, value in os.environ.items() if name not in KEYS}
        environment |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TERM": "xterm", "COLUMNS": "120"}
        self._ours, theirs = pty.openpty()
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", PROGRAM, *self._words),
            env=environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            preexec_fn=os.setsid,
        )
        os.close(theirs)
        asyncio.get_running_loop().add_reader(self._ours, self._read)
        return self

    async def __aexit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._ours)
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        os.close(self._ours)

    async def until(self, is_enough: Callable[[str], bool]) -> None:
        async with asyncio.timeout(WAIT_SECONDS):
            while not is_enough(self.said):
                assert self.process.returncode is None, self.said
                await asyncio.sleep(0.05)

    async def end(self) -> int:
        """Press Ctrl-C; the exit code."""
        self.process.send_signal(2)
        async with asyncio.timeout(WAIT_SECONDS):
            code = await self.process.wait()
        await asyncio.sleep(0.1)
        return code

    def _read(self) -> None:
        with suppress(OSError):  # the other side is gone
            self.said += COLOUR.sub("", os.read(self._ours, 65_536).decode()).replace("\r\n", "\n")


async def test_a_demo_tells_where_it_is_and_how_to_stop_it_and_nothing_else(tmp_path: Path) -> None:
    async with Terminal("serve", "--demo", "--port", "0", "--data-dir", str(tmp_path / "data")) as terminal:
        await terminal.until(lambda said: "Ctrl-C" in said)
        code = await terminal.end()
    progress, *lines = [line.strip() for line in terminal.said.splitlines() if line.strip()]
    assert code == 0
    assert progress == "learning what the team can be asked: a few seconds"
    assert lines[0].startswith("Batuta ")
    assert lines[0].endswith(" is ready")
    assert [line.split("  ")[0] for line in lines[1:6]] == ["Open", "Log in", "Model", "Data", "Stop"]
    assert re.search(r"http://127\.0\.0\.1:\d+$", lines[1])
    assert "one click" in lines[2]
    assert "Built-in deterministic model; set ANTHROPIC_API_KEY" in lines[3]
    assert "embedded mode" in lines[4]
    assert lines[6:] == ["Batuta has stopped."]


async def test_ctrl_c_while_it_starts_ends_it_without_a_traceback(tmp_path: Path) -> None:
    """Wherever the start is at that moment."""
    words = ("serve", "--demo", "--port", "0", "--data-dir", str(tmp_path / "data"))
    async with Terminal(*words) as terminal:
        async with asyncio.timeout(WAIT_SECONDS):
            while not (tmp_path / "data/batuta.db").exists():
                await asyncio.sleep(0.005)
        await terminal.end()
    assert "Traceback" not in terminal.said
    assert "Error" not in terminal.said
