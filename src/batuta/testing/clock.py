"""A clock that a test owns: sleeping takes no time, and everything that waits wakes in the right order."""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, tzinfo=UTC)
TURNS_TO_SETTLE = 3
"""Turns of the event loop given to other tasks before time moves."""


class FakeClock:
    """Stands still until a task sleeps, then jumps to the earliest moment that is waited for."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._elapsed = 0.0
        self._waiting: list[tuple[float, int]] = []
        self._count = 0
        self.sleeps: list[float] = []
        """Every sleep asked for, in order."""

    def now(self) -> datetime:
        """The start, plus what has passed."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Seconds that have passed."""
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Let time pass without a task sleeping."""
        self._elapsed += seconds

    async def sleep(self, seconds: float) -> None:
        """Let other tasks go on; when this is the earliest that waits, move time here."""
        self.sleeps.append(seconds)
        self._count += 1
        place = (self._elapsed + max(seconds, 0.0), self._count)
        heapq.heappush(self._waiting, place)
        try:
            await self._wait_for_turn(place)
        finally:
            self._waiting.remove(place)
            heapq.heapify(self._waiting)
        self._elapsed = max(self._elapsed, place[0])

    async def _wait_for_turn(self, place: tuple[float, int]) -> None:
        while True:
            for _ in range(TURNS_TO_SETTLE):
                await asyncio.sleep(0)
            if self._waiting[0] == place:
                return
