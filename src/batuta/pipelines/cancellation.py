"""A handle to stop a run from outside, and to ask from inside whether that was done."""

import asyncio


class Cancellation:
    """Hand it to `run(cancellation=…)`; `cancel()` stops the run, which then returns a `cancelled` error.

    It belongs to one event loop; from another thread use `loop.call_soon_threadsafe(handle.cancel)`.
    """

    __slots__ = ("_tasks", "reason")

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self.reason: str | None = None

    @property
    def is_requested(self) -> bool:
        """Whether the run has been asked to stop."""
        return self.reason is not None

    def cancel(self, reason: str = "stopped on request") -> None:
        """Stop every run that holds this handle; what is in flight is cancelled at once."""
        if self.is_requested:
            return
        self.reason = reason
        for task in self._tasks:
            task.cancel(reason)

    def attach(self, task: "asyncio.Task[object]") -> None:
        """Let a task be stopped by this handle. Callers check `is_requested` before."""
        self._tasks.add(task)

    async def detach(self, task: "asyncio.Task[object]") -> bool:
        """The task no longer answers to this handle; says whether it was stopped by this handle alone."""
        self._tasks.discard(task)
        if not self.is_requested:
            return False
        if task.uncancel() > 0:
            return False
        await _pending_cancellation(self.reason)
        return True


async def _pending_cancellation(reason: str | None) -> None:
    """Take in a cancellation that was asked for and not raised yet, so that it does not hit the caller."""
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError as error:
        if error.args != (reason,):
            raise
