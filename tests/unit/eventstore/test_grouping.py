"""Group commit: nobody waits for company, nobody is harmed by a neighbour."""

import asyncio
from collections.abc import Sequence

import pytest

from batuta.eventstore.grouping import GroupCommit
from batuta.kernel.errors import StoreUnavailableError


class Disk:
    """Commits when it is let go, and remembers in which groups."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.go = asyncio.Event()

    async def commit(self, items: Sequence[int]) -> Sequence[int | BaseException]:
        self.groups.append(list(items))
        await self.go.wait()
        return [ValueError(str(item)) if item < 0 else item * 10 for item in items]


async def several(group: GroupCommit[int, int], *items: int) -> list["asyncio.Task[int]"]:
    tasks = [asyncio.create_task(group.submit(item)) for item in items]
    for _ in ("submitted", "sent", "being committed"):
        await asyncio.sleep(0)
    return tasks


async def test_an_idle_store_commits_at_once_and_a_busy_one_together() -> None:
    """S-7."""
    disk = Disk()
    group = GroupCommit(disk.commit)
    first = await several(group, 1)
    rest = await several(group, 2, 3, 4)
    disk.go.set()
    assert await asyncio.gather(*first, *rest) == [10, 20, 30, 40]
    assert disk.groups == [[1], [2, 3, 4]]


async def test_a_group_is_bounded_and_keeps_the_order() -> None:
    disk = Disk()
    group = GroupCommit(disk.commit, weight=lambda item: item, max_weight=5)
    disk.go.set()
    await asyncio.gather(*(await several(group, 1, 2, 3, 9, 1, 1)))
    assert disk.groups == [[1, 2], [3], [9], [1, 1]]


async def test_one_refusal_is_that_of_one_caller() -> None:
    disk = Disk()
    group = GroupCommit(disk.commit)
    disk.go.set()
    answers = await asyncio.gather(*(await several(group, 1, -2, 3)), return_exceptions=True)
    assert (answers[0], answers[2]) == (10, 30)
    assert isinstance(answers[1], ValueError)


async def test_a_commit_that_fails_fails_its_group_alone() -> None:
    async def failing(items: Sequence[int]) -> Sequence[int]:
        if 1 in items:
            raise StoreUnavailableError("away")
        return items

    group: GroupCommit[int, int] = GroupCommit(failing, max_weight=1)
    answers = await asyncio.gather(*(await several(group, 1, 2)), return_exceptions=True)
    assert isinstance(answers[0], StoreUnavailableError)
    assert answers[1] == 2


async def test_a_cancelled_caller_leaves_its_item_in_the_line() -> None:
    disk = Disk()
    group = GroupCommit(disk.commit)
    first = await several(group, 1)
    waiting = await several(group, 2, 3)
    waiting[0].cancel()
    disk.go.set()
    assert await first[0] == 10
    assert await waiting[1] == 30
    assert disk.groups == [[1], [2, 3]]


async def test_the_line_is_bounded() -> None:
    disk = Disk()
    group = GroupCommit(disk.commit, max_waiting=2)
    tasks = await several(group, 1, 2, 3, 4)
    assert sum(map(len, disk.groups)) + len(group._waiting) == 2
    disk.go.set()
    assert await asyncio.gather(*tasks) == [10, 20, 30, 40]


async def test_closing_stores_what_is_in_the_line_and_takes_no_more() -> None:
    disk = Disk()
    group = GroupCommit(disk.commit)
    tasks = await several(group, 1, 2)
    disk.go.set()
    await group.close()
    assert await asyncio.gather(*tasks) == [10, 20]
    with pytest.raises(StoreUnavailableError):
        await group.submit(3)


async def test_a_commit_that_is_ended_from_outside_leaves_nobody_waiting() -> None:
    disk = Disk()
    group = GroupCommit(disk.commit)
    tasks = [*(await several(group, 1)), *(await several(group, 2))]
    for commit in group._commits:
        commit.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(answer, StoreUnavailableError) for answer in answers)


async def test_with_two_workers_the_next_group_does_not_wait_for_the_last_one() -> None:
    disk = Disk()
    group = GroupCommit(disk.commit, workers=2)
    tasks = [*(await several(group, 1)), *(await several(group, 2)), *(await several(group, 3, 4))]
    assert disk.groups == [[1], [2]]
    disk.go.set()
    assert await asyncio.gather(*tasks) == [10, 20, 30, 40]
    assert disk.groups == [[1], [2], [3, 4]]
