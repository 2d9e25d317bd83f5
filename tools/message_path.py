"""How much of our code one chat message passes: files and functions, from the request to the end of its turn.

    python -m tools.message_path             the counts, and the lines of `src`
    python -m tools.message_path --list      every file with the functions it passed

A real turn on the embedded platform with the team and the offline model that come with it: the message is sent over
HTTP and its turn is followed as server-sent events. What is imported or started before the message does not count, nor
what not every one of a few such messages passes, nor what a task of the platform does without a message, too: it looks
for work and for those who have left all the time, the more often the longer a message takes.
"""

import argparse
import asyncio
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import httpx

from batuta.kernel.ids import new_id
from batuta.server.app import create_app
from batuta.server.config import load_settings
from batuta.server.team import first_team
from batuta.server.wiring import open_platform

SOURCE = Path(__file__).parents[1] / "src" / "batuta"
QUESTIONS = ("What is 12 * 7?", "What is 13 * 8?", "What is 14 * 9?")
WARM_UP = "What is 2 + 3?"
IDLE_SECONDS = 3.0


Call = tuple[str, CodeType]
"""The task that called, and what."""


class Passed:
    """The functions of ours that ran every time it watched, without what the same task runs when nothing is asked."""

    def __init__(self) -> None:
        self._calls: set[Call] = set()
        self._idle: set[Call] = set()
        self._always: set[CodeType] | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count the calls within the block."""
        with self._noting():
            yield
        codes = {code for _, code in self._calls - self._idle}
        self._always = codes if self._always is None else self._always & codes

    async def idling(self, seconds: float) -> None:
        """Learn what runs without a message."""
        with self._noting():
            await asyncio.sleep(seconds)
        self._idle |= self._calls

    @contextmanager
    def _noting(self) -> Iterator[None]:
        self._calls = set()
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def by_file(self) -> dict[str, list[str]]:
        """The names of the functions that ran, by file."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for code in self._always or ():
            if code.co_filename.startswith(str(SOURCE)) and not code.co_name.startswith("<"):
                found[code.co_filename.removeprefix(f"{SOURCE}/")].add(code.co_qualname)
        return {file: sorted(names) for file, names in sorted(found.items())}

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            self._calls.add((_task(), frame.f_code))


def _task() -> str:
    """What the calling task runs: it may be started again and again."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # another thread
        return threading.current_thread().name
    return "" if task is None else str(getattr(task.get_coro(), "__qualname__", ""))


async def passed_by_a_message(data_dir: Path) -> dict[str, list[str]]:
    """What a message passes that is not the first one of its process."""
    settings = load_settings({}, data_dir=data_dir, is_demo=True)
    passed = Passed()
    async with (
        first_team(settings) as team,
        open_platform(settings, team.orchestrator, model=team.model) as platform,
    ):
        transport = httpx.ASGITransport(create_app(platform))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60) as http:
            login = (await http.post("/api/auth/demo")).raise_for_status()
            http.headers["X-CSRF-Token"] = login.json()["csrf_token"]
            session = (await http.post("/api/sessions", json={})).raise_for_status().json()["session_id"]
            await _send(http, session, WARM_UP)
            await passed.idling(IDLE_SECONDS)
            for question in QUESTIONS:
                with passed.watching():
                    answer = await _send(http, session, question)
                assert '"complete"' in answer, answer[-500:]
    return passed.by_file()


async def _send(http: httpx.AsyncClient, session_id: str, text: str) -> str:
    message = {"client_message_id": new_id(), "text": text}
    headers = {"Accept": "text/event-stream"}
    answer = await http.post(f"/api/sessions/{session_id}/messages", json=message, headers=headers)
    return answer.raise_for_status().text


def lines_of_source() -> int:
    """The lines of every Python file of ours."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE.rglob("*.py"))


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print every file with its functions")
    is_listed = parser.parse_args().list
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(passed_by_a_message(Path(folder)))
    if is_listed:
        for file, names in found.items():
            print(f"{file}: {', '.join(names)}")  # noqa: T201 - the list is the point
    packages: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file, names in found.items():
        counts = packages[file.partition("/")[0]]
        counts[0] += 1
        counts[1] += len(names)
    for package, (files, functions) in sorted(packages.items()):
        print(f"{package:<16}{files:>5} files {functions:>6} functions")  # noqa: T201
    total = sum(len(names) for names in found.values())
    print(f"{'in all':<16}{len(found):>5} files {total:>6} functions; {lines_of_source():,} lines of src")  # noqa: T201


if __name__ == "__main__":
    main()
