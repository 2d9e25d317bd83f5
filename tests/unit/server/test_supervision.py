"""Background work that breaks is begun again, and `/readyz` knows."""

import asyncio

import pytest

from batuta.server.supervision import NotReadyError, TaskSupervisor


async def test_work_that_breaks_is_begun_again_and_reported() -> None:
    supervisor = TaskSupervisor()
    begun = 0
    steady = asyncio.Event()

    async def work() -> None:
        nonlocal begun
        begun += 1
        if begun < 3:
            raise RuntimeError("the server is starting up")
        steady.set()
        await asyncio.Event().wait()

    async with supervisor.running({"projector": work}):
        await steady.wait()
        with pytest.raises(NotReadyError, match=r"projector \(RuntimeError\)"):
            await supervisor.check()
    assert (begun, supervisor.restarts) == (3, 2)
    await supervisor.check()


async def test_one_piece_that_breaks_leaves_the_others_alone() -> None:
    supervisor = TaskSupervisor()
    is_cancelled = asyncio.Event()

    async def sound() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            is_cancelled.set()
            raise

    async def broken() -> None:
        raise ValueError

    async with supervisor.running({"sound": sound, "broken": broken}):
        while not supervisor.restarts:
            await asyncio.sleep(0)
        assert not is_cancelled.is_set()
    assert is_cancelled.is_set()
