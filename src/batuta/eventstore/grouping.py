"""Group commit: what arrives while one commit is under way shares the next one.

There is no delay to gather a group: an idle store commits at once, a busy one commits together what arrived during the
last commit. The queue is bounded: a caller waits for room, which slows producers down instead of filling memory.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Generic, TypeVar

from batuta.kernel.errors import StoreUnavailableError

MAX_EVENTS = 128
"""In one commit. More would keep the first of them waiting for the last without saving much."""
MAX_WAITING = 1_024

T = TypeVar("T")
R = TypeVar("R")

_Group = list[tuple[T, "asyncio.Future[R]"]]
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
        self._most_commits = workers
        self._commits: set[asyncio.Future[Sequence[R | BaseException]]] = set()
        self._is_due = False
        """Whether the line is going to be looked at before the loop waits: all who came by then go together."""
        self._is_closed = False

    async def submit(self, item: T) -> R:
        """Store one item and return its result. A caller that is cancelled leaves its item, and its place, in line."""
        await self._room.acquire()
        if self._is_closed:
            self._room.release()
            raise StoreUnavailableError("the store is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        self._waiting.append((item, future))
        if not self._is_due and len(self._commits) < self._most_commits:
            self._is_due = True
            loop.call_soon(self._send_groups)
        return await future

    async def close(self) -> None:
        """Store what is in the line, then take no more."""
        self._is_closed = True
        self._send_groups()
        while self._commits:
            await asyncio.wait(self._commits)

    def _send_groups(self) -> None:
        """Send what waits on its way, as far as commits are free for it."""
        self._is_due = False
        while len(self._commits) < self._most_commits and (group := self._next_group()):
            self._send(group)

    def _next_group(self) -> "_Group[T, R]":
        """What goes together now; nothing if the line is empty, or holds only what has to wait for another commit."""
        group: _Group[T, R] = []
        passed: _Group[T, R] = []
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

    def _send(self, group: "_Group[T, R]") -> None:
        self._on_their_way.update(self._key(item) for item, _ in group)
        try:
            sent = self._commit([item for item, _ in group])
        except Exception as error:
            self._settle(group, [error] * len(group))
            return
        commit = asyncio.ensure_future(sent)  # a commit in a thread is a future already: no task waits for it
        self._commits.add(commit)
        commit.add_done_callback(partial(self._committed, group))

    def _committed(self, group: "_Group[T, R]", commit: "asyncio.Future[Sequence[R | BaseException]]") -> None:
        self._commits.discard(commit)
        if commit.cancelled():
            self._abandon(group)
            return
        error = commit.exception()
        self._settle(group, commit.result() if error is None else [error] * len(group))
        self._send_groups()

    def _settle(self, group: "_Group[T, R]", answers: Sequence[R | BaseException]) -> None:
        self._on_their_way.difference_update(self._key(item) for item, _ in group)
        self._answer(group, answers)

    def _abandon(self, group: "_Group[T, R]") -> None:
        """Answer those on their way and in the line when a commit was ended from outside."""
        self._settle(group, [StoreUnavailableError("the store was shut down")] * len(group))
        left = list(self._waiting)
        self._waiting.clear()
        self._answer(left, [StoreUnavailableError("the store was shut down")] * len(left))

    def _answer(self, group: "_Group[T, R]", answers: Sequence[R | BaseException]) -> None:
        for (_, future), answer in zip(group, answers, strict=True):
            self._room.release()
            if future.done():
                continue  # the caller was cancelled meanwhile
            if isinstance(answer, BaseException):
                future.set_exception(answer)
            else:
                future.set_result(answer)
