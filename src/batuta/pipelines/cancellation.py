"""A handle to stop a run from outside, and to ask from inside whether that was done."""

import asyncio


class Cancellation:
    """Hand it to `run(cancellation=…)`; `cancel()` stops the run, which then returns a `cancelled` error."""

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
        """Let a task be stopped by this handle."""
        self._tasks.add(task)
        if self.is_requested:
            task.cancel(self.reason)

    def detach(self, task: "asyncio.Task[object]") -> None:
        """The task has ended."""
        self._tasks.discard(task)
