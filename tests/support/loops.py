"""An event loop whose time is free: whoever sleeps wakes at once, and the clock has moved.

with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner: runner.run(story())
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Time stands still while anything can run, and then jumps to the next timer."""

    def __init__(self) -> None:
        self.moment = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self.moment


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None and not (ready := super().select(0)):
            message = "everything waits for something that cannot happen"
            raise RuntimeError(message)
        if timeout:
            self._loop.moment += timeout
        return ready if timeout is None else super().select(0)


def run_in_virtual_time(story: Coroutine[Any, Any, T]) -> T:
    """Run a story on a loop whose time is free."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(story)
