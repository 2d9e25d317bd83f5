"""The processes that are killed: workers of the crew, and the world that outlives them."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator, MutableMapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.tools.context import ToolContext
from batuta.tools.tool import ToolBody
from tests.integration.orchestration import busy_crew, crew
from tests.integration.orchestration.crew import Ledger
from tests.support.processes import say
from tests.support.stores import opener_of
from tests.support.turns import TurnPersistence

CONCURRENCY = 25
LEASE = timedelta(seconds=4)
PAUSE_SECONDS = 0.03


class Lines(MutableMapping[str, int]):
    """Counts in a file, one line per deed, written at once: whoever is killed, what was done stays done."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._path.touch()

    def __getitem__(self, key: str) -> int:
        return self._counts()[key]

    def __setitem__(self, key: str, value: int) -> None:
        """One more: several processes count, so what was read before does not matter."""
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, f"{key}\n".encode())
        finally:
            os.close(file)

    def __delitem__(self, key: str) -> None:
        raise NotImplementedError("what was done cannot be undone")

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts())

    def __len__(self) -> int:
        return len(self._counts())

    def _counts(self) -> Counter[str]:
        return Counter(self._path.read_text().splitlines())


class FileLedger(Ledger):
    """A ledger that several processes share and none takes with it. Its tools take their time, to be interrupted."""

    def __init__(self, path: str, *, pause_seconds: float = PAUSE_SECONDS) -> None:
        self.done = Lines(path)  # type: ignore[assignment] # counts all the same
        self._pause_seconds = pause_seconds

    def tools(self) -> dict[str, Any]:
        pause = self._pause_seconds
        return {name: replace(tool, body=_slowly(tool.body, pause)) for name, tool in super().tools().items()}


def _slowly(body: ToolBody, pause_seconds: float) -> ToolBody:
    """Before the deed nothing has happened, after it nobody knows yet: both last long enough to die in."""

    async def run(args: dict[str, Any], context: ToolContext) -> Any:
        await asyncio.sleep(pause_seconds)
        outcome = await body(args, context)
        await asyncio.sleep(pause_seconds)
        return outcome

    return run


CREWS = {"calm": crew.build, "busy": busy_crew.build}
"""One step after the other, and everything at once."""


async def work(place: dict[str, str], ledger: str, owner: str, crew: str) -> None:
    """Run turns for ever."""
    async with opener_of(place)() as store:
        settings = WorkerSettings(owner=owner, concurrency=CONCURRENCY, lease=LEASE)
        worker = TurnWorker(
            CREWS[crew](FileLedger(ledger)), store.queue, store.log, TurnPersistence(store.log), settings
        )
        say(ready=True)
        await worker.run(asyncio.Event())
