"""Turns are found by where they stand, the newest first, in every queue."""

from batuta.events.queue import NewWork, WorkStatus
from batuta.kernel.ids import new_id
from tests.support.stores import Store


async def test_turns_are_found_by_status(store: Store) -> None:
    waiting = [(await store.queue.accept(NewWork(session_id=new_id()))).work.turn_id for _ in range(3)]
    lease = await store.queue.lease("w")
    assert lease is not None
    running = lease.work.turn_id
    queued = await store.queue.find({WorkStatus.QUEUED}, limit=10)
    assert [work.turn_id for work in queued] == sorted(set(waiting) - {running}, reverse=True)
    assert [work.turn_id for work in await store.queue.find({WorkStatus.RUNNING}, limit=10)] == [running]
    assert len(await store.queue.find({WorkStatus.QUEUED, WorkStatus.RUNNING}, limit=2)) == 2
    assert not await store.queue.find({WorkStatus.DEAD}, limit=10)
