"""Time arrives as a parameter, so that a test can own it."""

import asyncio
import time
from datetime import UTC, datetime
from functools import partial
from typing import Protocol


class Clock(Protocol):
    """What the rest of Batuta knows about time."""

    def now(self) -> datetime:
        """The time of day, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; only differences mean anything."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        ...


class SystemClock:
    """The machine's own clock."""

    now = staticmethod(partial(datetime.now, UTC))
    """The time of day, in UTC."""

    monotonic = staticmethod(time.monotonic)
    """Seconds since an arbitrary moment."""

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking the event loop."""
        await asyncio.sleep(seconds)


SYSTEM_CLOCK = SystemClock()
