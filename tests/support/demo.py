"""`batuta serve --demo` in a process of its own, as `make run` starts it: the first team on the built-in model."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from batuta.sandbox.opening import open_sandbox
from batuta.server.erp.connection import SANDBOX_FILE
from tests.support.learnt import with_learnt

START_SECONDS = 180
ADDRESS = re.compile(r"http://[\d.]+:\d+")
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")
PROGRAM = "from batuta.cli import main; main()"


@dataclass(frozen=True)
class Demo:
    """A platform that was started from the command line."""

    address: str
    data_dir: Path

    def booked(self, name: str) -> list[str]:
        """The entries of the calendar files that name somebody."""
        files = sorted((self.data_dir / "calendars").glob("*.ics"))
        text = "".join(file.read_text("utf-8") for file in files)
        return [entry for entry in text.split("BEGIN:VEVENT")[1:] if name in entry]


@asynccontextmanager
async def serving_demo(data_dir: Path) -> AsyncIterator[Demo]:
    """The platform, until it is no longer needed; without keys, so that the built-in model answers.

    Its demo companies are made before it starts, so that they are the same on whichever day the tests run.
    """
    open_sandbox(with_learnt(data_dir) / SANDBOX_FILE).store.close()
    environment = {name: value for name, value in os.environ.items() if name not in KEYS}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    messages = data_dir / "messages.txt"
    with messages.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", PROGRAM, "serve", "--demo", "--port", "0", "--data-dir", str(data_dir)),
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=stderr,
        )
    try:
        yield Demo(await _address(process, messages), data_dir)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _address(process: asyncio.subprocess.Process, messages: Path) -> str:
    """Where it says it listens."""
    async with asyncio.timeout(START_SECONDS):
        while process.returncode is None:
            if found := ADDRESS.search(messages.read_text("utf-8")):
                return found.group()
            await asyncio.sleep(0.1)
    raise AssertionError(f"the platform ended before it listened: {messages.read_text('utf-8')}")
