"""Background work that goes on: what breaks is logged, begun again after a pause, and shown by `/readyz` meanwhile.

    supervisor = TaskSupervisor()
    async with supervisor.running({"projector": projector.run, …}): …

A database that starts up, a bug in one sampler, a reader that lost its server: none of them ends the process, and none
of them goes on unseen.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

log = logging.getLogger("batuta.server")

SHORTEST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 5.0
STEADY_SECONDS = 10.0
"""Work that has run for so long since it was begun again counts as well."""

EndlessWork = Callable[[], Awaitable[None]]


class NotReadyError(Exception):
    """Something does not work just now; the words are for `/readyz`, which is public."""


class TaskSupervisor:
    """Keeps the background work of a process going."""

    def __init__(self) -> None:
        self._failing: dict[str, str] = {}
        self.restarts = 0

    async def check(self) -> None:
        """Raise `NotReadyError` if some work broke lately."""
        if self._failing:
            named = ", ".join(f"{name} ({why})" for name, why in sorted(self._failing.items()))
            raise NotReadyError(f"begun again: {named}")

    @asynccontextmanager
    async def running(self, work: Mapping[str, EndlessWork]) -> AsyncIterator[None]:
        """Do this work beside the block, each piece for itself."""
        tasks = [asyncio.create_task(self.keep(name, each), name=name) for name, each in work.items()]
        await asyncio.sleep(0)  # all have begun before anything can end them
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for name in work:
                self._failing.pop(name, None)

    async def keep(self, name: str, work: EndlessWork) -> None:
        """Do one piece of work until it ends by itself or is cancelled."""
        pause = SHORTEST_PAUSE_SECONDS
        while True:
            begun = asyncio.get_running_loop().time()
            steady = asyncio.get_running_loop().call_later(STEADY_SECONDS, self._failing.pop, name, None)
            try:
                await work()
            except Exception as error:
                self._failing[name] = type(error).__name__
                self.restarts += 1
                log.exception("%s broke and is begun again", name)
            else:
                return
            finally:
                steady.cancel()
            is_steady = asyncio.get_running_loop().time() - begun >= STEADY_SECONDS
            pause = SHORTEST_PAUSE_SECONDS if is_steady else min(2 * pause, LONGEST_PAUSE_SECONDS)
            await asyncio.sleep(pause)
