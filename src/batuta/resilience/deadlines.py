"""Deadlines as scopes. They nest (request > pipeline > step > model call > tool); none outlives the one around it."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Any, TypeVar

from batuta.kernel.errors import DeadlineExceededError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Deadline:
    """A moment on the event loop's clock."""

    at: float

    @classmethod
    def after(cls, limit: timedelta | float) -> "Deadline":
        """The moment that is `limit` (seconds if a number) from now."""
        return cls(asyncio.get_running_loop().time() + seconds_of(limit))

    def sooner(self, other: "Deadline | None") -> "Deadline":
        """Whichever comes first."""
        return self if other is None or self.at <= other.at else other

    def remaining_seconds(self) -> float:
        """Seconds left; never negative."""
        return max(0.0, self.at - asyncio.get_running_loop().time())


def expire(scope: asyncio.Timeout, at: float) -> None:
    """Have a scope that was entered without a limit end at a moment of the event loop's clock.

    A timer that is not needed any more may stay with the loop until a hundred others do, and with it the context
    variables it was made under: the run, its events and its conversation. So it is made under none.
    """
    contextvars.Context().run(scope.reschedule, at)


async def within(deadline: Deadline, act: Callable[[], Awaitable[T]], *, what: str) -> T:
    """Await something until its deadline; past it, cancel it and raise `DeadlineExceededError` naming it."""
    scope = asyncio.timeout(None)
    try:
        async with scope:
            expire(scope, deadline.at)
            return await act()
    except TimeoutError as error:
        if scope.expired():
            raise DeadlineExceededError(f"{what} did not finish before its deadline") from error
        raise


class StreamDeadline:
    """A time limit for many waits, one after another: the items of a stream. One timer serves all of them.

        deadline = StreamDeadline(seconds)
        try:
            while ...:
                with deadline:
                    item = await anext(items)
                yield item
        finally:
            deadline.stop()

    A scope of asyncio may not stay open across a `yield`, where foreign code runs, and a scope per item costs as much
    as the item. Time that passes between two waits counts, but only a wait is cut short. Raises `TimeoutError`.
    """

    __slots__ = ("_cancelling", "_is_cutting", "_is_late", "_seconds", "_task", "_timer")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._is_late = False
        self._is_cutting = False
        loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle = loop.call_later(seconds, self._expire, context=contextvars.Context())

    def stop(self) -> None:
        """The stream is over."""
        self._timer.cancel()

    def __enter__(self) -> None:
        """Begin to wait for the next item."""
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        if self._is_late:
            # What is there already is still taken: only a wait that really waits is cut short.
            self._timer = asyncio.get_running_loop().call_soon(self._expire)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The item came, or something else happened."""
        task, self._task = self._task, None
        if self._is_late:
            self._timer.cancel()
        if not self._is_cutting or task is None:
            return
        self._is_cutting = False
        # Another task may have cancelled, too: then it is theirs.
        if task.uncancel() <= self._cancelling and isinstance(error, asyncio.CancelledError):
            raise TimeoutError(f"no end within {self._seconds:g} s") from error

    def _expire(self) -> None:
        self._is_late = True
        if self._task is not None:
            self._is_cutting = True
            self._task.cancel()


def seconds_of(limit: timedelta | float) -> float:
    """A limit in seconds, given either way."""
    return limit.total_seconds() if isinstance(limit, timedelta) else float(limit)
