"""`batuta run` draws a run as a tree: live in a terminal, as one last picture elsewhere, never among the results."""

import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-c", "from batuta.cli import main; main()", "run")
PIPELINE = """
import pathlib, time
from batuta import Pipeline, step

GO_ON = pathlib.Path(__file__).with_name("go-on")

@step
async def first(text: str) -> str:
    return text.upper()

@step
async def second(text: str) -> str:
    import asyncio
    async with asyncio.timeout(30):
        while not GO_ON.exists():
            await asyncio.sleep(0.01)
    if text == "FAIL":
        raise ValueError("it was asked to")
    return text + "!"

work = Pipeline("work", first >> second)
"""


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """A pipeline whose second step waits until a file says that it may go on."""
    file = tmp_path / "work.py"
    file.write_text(PIPELINE)
    return file


class Screen:
    """What a terminal was told so far."""

    def __init__(self, terminal: int) -> None:
        self.text = ""
        self._terminal = terminal
        self._grew = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def shows(self, pattern: str) -> bool:
        """Whether it shows something, at the latest in half a minute."""
        with self._grew:
            return self._grew.wait_for(lambda: re.search(pattern, self.text) is not None, 30)

    def close(self) -> None:
        """Once every program left it."""
        self._reader.join(30)
        os.close(self._terminal)

    def _read(self) -> None:
        while True:
            try:
                more = os.read(self._terminal, 65_536)
            except OSError:  # Linux says so when the last program left the terminal
                return
            with self._grew:
                self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", more.decode(errors="replace"))
                self._grew.notify_all()


def test_a_terminal_sees_each_step_while_it_runs(pipeline: Path) -> None:
    terminal, inside = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    words = [*COMMAND, f"{pipeline}:work", "-i", "go"]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=inside, stdin=inside, env=env)
    os.close(inside)
    screen = Screen(terminal)
    try:
        assert screen.shows("✓ first"), screen.text
        assert screen.shows("◌ second"), "the tree is drawn before the run is over"
        assert "✓ second" not in screen.text
        assert running.poll() is None
        pipeline.with_name("go-on").touch()
        assert screen.shows("✓ second"), screen.text
        told, _ = running.communicate(timeout=30)
        assert (running.returncode, told.decode().strip()) == (0, "GO!"), "the tree is not mixed with the result"
    finally:
        running.kill()
        running.communicate()
        screen.close()


@pytest.mark.parametrize(("text", "code", "sign"), [("go", 0, "✓ second"), ("fail", 1, "✗ second")])
def test_elsewhere_the_last_picture_is_left(pipeline: Path, text: str, code: int, sign: str) -> None:
    pipeline.with_name("go-on").touch()
    words = [*COMMAND, f"{pipeline}:work", "-i", text]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, done.stderr
    assert done.stderr.count(sign) == 1
    assert "✓ first" in done.stderr
    assert done.stdout.strip() == ("GO!" if code == 0 else "")
