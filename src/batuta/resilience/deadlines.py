"""Deadlines as scopes. They nest (request > pipeline > step > model call > tool); none outlives the one around it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

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


async def within(deadline: Deadline, act: Callable[[], Awaitable[T]], *, what: str) -> T:
    """Await something until its deadline; past it, cancel it and raise `DeadlineExceededError` naming it."""
    scope = asyncio.timeout_at(deadline.at)
    try:
        async with scope:
            return await act()
    except TimeoutError as error:
        if scope.expired():
            raise DeadlineExceededError(f"{what} did not finish before its deadline") from error
        raise


def seconds_of(limit: timedelta | float) -> float:
    """A limit in seconds, given either way."""
    return limit.total_seconds() if isinstance(limit, timedelta) else float(limit)
