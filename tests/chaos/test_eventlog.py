"""Short forms of the chaos runs: few kills, every backend, every figure zero."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from batuta.events.emitter import Stamp
from batuta.events.queue import NewWork, WorkStatus
from batuta.eventstore.migrations import migrate
from batuta.kernel.ids import new_id
from tests.chaos.children import journal_of, pay
from tests.chaos.eventlog import BACKENDS, CHILDREN, run, servers
from tests.support.processes import Zygote
from tests.support.stores import opener_of

pytestmark = pytest.mark.chaos


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    zygote = Zygote([CHILDREN])
    yield zygote
    zygote.close()


@pytest.mark.parametrize("backend", BACKENDS)
async def test_cr01_cr02_cr10_killed_writers_and_projectors_lose_double_and_reorder_nothing(
    zygote: Zygote, backend: str
) -> None:
    """CR-01, CR-02, CR-10: ten kills, five thousand events."""
    with servers(backend) as place:
        report = await run(zygote, place, kills=10, events=5_000, seed=7)
    report.require(acknowledged=5_000)


@pytest.mark.parametrize("backend", BACKENDS)
async def test_cr13_an_owner_frozen_past_its_lease_does_nothing_more(
    zygote: Zygote, backend: str, tmp_path: Path
) -> None:
    """CR-13: another takes the turn over; the first wakes up, is refused everything, and the effect happened once."""
    ledger, session = tmp_path / "ledger", new_id()
    with servers(backend) as place:
        if "url" in place:
            await migrate(place["url"])
        async with opener_of(place)() as store:
            accepted = await store.queue.accept(NewWork(session_id=session))
            arguments = {"place": place, "ledger": str(ledger), "lease_seconds": 0.2}
            async with zygote.running(f"{CHILDREN}:own_a_turn", arguments) as first:
                first.pause()
                while not (await store.queue.recover()).requeued:
                    pass
                lease = await store.queue.lease("second")
                assert lease is not None
                stamp = Stamp(correlation_id=new_id(), session_id=session, turn_id=accepted.work.turn_id)
                await pay(await journal_of(store, stamp, lease.fence), str(ledger), "second")
                first.resume()
                assert (await first.message("refusals"))["refusals"] == 3
                await store.queue.finish(lease, "completed")
            work = await store.queue.get(accepted.work.turn_id)
    assert ledger.read_text() == "second\n"
    assert work is not None
    assert work.status is WorkStatus.COMPLETED
