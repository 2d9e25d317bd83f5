"""Users take turns at a queue (O-2, SE-31): one with many turns delays another by one at most."""

from batuta.events.queue import NewWork
from batuta.kernel.ids import new_id
from tests.support.stores import Opener

MANY = 120


def turn_of(user_id: str) -> NewWork:
    """A turn in a session of its own."""
    return NewWork(session_id=new_id(), payload={"text": "x"}, user_id=user_id)


async def test_a_user_with_many_turns_delays_another_by_one(opener: Opener) -> None:
    """One worker, one place: after what runs comes whoever was not served yet."""
    async with opener() as store:
        for _ in range(MANY):
            await store.queue.accept(turn_of("ANA"))
        running = await store.queue.lease("worker")
        assert running is not None
        for name in ("BEN", "EVE"):
            await store.queue.accept(turn_of(name))
        served = []
        for _ in range(4):
            await store.queue.finish(running, "completed")
            running = await store.queue.lease("worker")
            assert running is not None
            served.append(running.work.user_id)
        assert served == ["BEN", "EVE", "ANA", "ANA"]


async def test_places_are_shared_between_users(opener: Opener) -> None:
    """Of several places, whoever holds fewest gets the next."""
    async with opener() as store:
        for _ in range(4):
            await store.queue.accept(turn_of("ANA"))
        for _ in range(2):
            await store.queue.accept(turn_of("BEN"))
        leases = [await store.queue.lease("worker") for _ in range(4)]
        assert [lease.work.user_id for lease in leases if lease is not None] == ["ANA", "BEN", "ANA", "BEN"]


async def test_work_of_nobody_is_not_held_back(opener: Opener) -> None:
    async with opener() as store:
        mine = [(await store.queue.accept(NewWork(session_id=new_id(), payload={}))).work.turn_id for _ in range(3)]
        leases = [await store.queue.lease("worker") for _ in range(3)]
        assert [lease.work.turn_id for lease in leases if lease is not None] == mine
