"""Group commit: what arrives while one commit is under way shares the next one.

There is no delay to gather a group: an idle store commits at once, a busy one commits together what arrived during the
last commit. The queue is bounded: a caller waits for room, which slows producers down instead of filling memory.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

from batuta.kernel.errors import StoreUnavailableError

MAX_EVENTS = 128
"""In one commit. More would keep the first of them waiting for the last without saving much."""
MAX_WAITING = 1_024

T = TypeVar("T")
R = TypeVar("R")

Commit = Callable[[Sequence[T]], Awaitable[Sequence[R | BaseException]]]
"""Stores a group in one transaction and answers each member: its result, or why it alone was refused."""


class GroupCommit(Generic[T, R]):
    """Lets concurrent callers share commits.

    With several `workers` the next group is on its way while the last one is being committed. Items with the same `key`
    keep the order they came in all the same: none is sent while an earlier one is on its way.
    """

    def __init__(
        self,
        commit: Commit[T, R],
        *,
        weight: Callable[[T], int] = lambda _: 1,
        key: Callable[[T], Hashable] = id,
        max_weight: int = MAX_EVENTS,
        max_waiting: int = MAX_WAITING,
        workers: int = 1,
    ) -> None:
        self._commit = commit
        self._weight = weight
        self._key = key
        self._on_their_way: set[Hashable] = set()
        self._max_weight = max_weight
        self._room = asyncio.Semaphore(max_waiting)
        self._waiting: deque[tuple[T, asyncio.Future[R]]] = deque()
        self._most_workers = workers
        self._workers: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def submit(self, item: T) -> R:
        """Store one item and return its result. A caller that is cancelled leaves its item, and its place, in line."""
        await self._room.acquire()
        if self._is_closed:
            self._room.release()
            raise StoreUnavailableError("the store is closed")
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if len(self._workers) < self._most_workers:
            self._workers.add(asyncio.create_task(self._drain(), name="batuta-group-commit"))
        return await future

    async def close(self) -> None:
        """Store what is in the line, then take no more."""
        self._is_closed = True
        for worker in tuple(self._workers):
            await asyncio.shield(worker)

    async def _drain(self) -> None:
        try:
            while group := self._next_group():
                await self._commit_group(group)
        except BaseException:
            self._abandon()
            raise
        finally:
            self._workers -= {task for task in (asyncio.current_task(),) if task is not None}

    def _next_group(self) -> list[tuple[T, asyncio.Future[R]]]:
        """What goes together now; nothing if the line is empty, or holds only what has to wait for another worker."""
        group: list[tuple[T, asyncio.Future[R]]] = []
        passed: list[tuple[T, asyncio.Future[R]]] = []
        weight = 0
        while self._waiting:
            item = self._waiting[0][0]
            if self._key(item) in self._on_their_way:
                passed.append(self._waiting.popleft())
                continue
            weight += self._weight(item)
            if group and weight > self._max_weight:
                break
            group.append(self._waiting.popleft())
        self._waiting.extendleft(reversed(passed))
        return group

    async def _commit_group(self, group: Sequence[tuple[T, asyncio.Future[R]]]) -> None:
        answers: Sequence[R | BaseException]
        keys = {self._key(item) for item, _ in group}
        self._on_their_way |= keys
        try:
            answers = await self._commit([item for item, _ in group])
        except BaseException as error:
            failure = error if isinstance(error, Exception) else StoreUnavailableError("the store was shut down")
            self._answer(group, [failure] * len(group))
            if not isinstance(error, Exception):
                raise
        else:
            self._answer(group, answers)
        finally:
            self._on_their_way -= keys

    def _abandon(self) -> None:
        """Answer those still in the line when the worker was ended from outside."""
        left = list(self._waiting)
        self._waiting.clear()
        self._answer(left, [StoreUnavailableError("the store was shut down")] * len(left))

    def _answer(self, group: Sequence[tuple[T, asyncio.Future[R]]], answers: Sequence[R | BaseException]) -> None:
        for (_, future), answer in zip(group, answers, strict=True):
            self._room.release()
            if future.done():
                continue  # the caller was cancelled meanwhile
            if isinstance(answer, BaseException):
                future.set_exception(answer)
            else:
                future.set_result(answer)
