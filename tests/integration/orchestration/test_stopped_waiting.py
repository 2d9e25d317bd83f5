"""A turn that is stopped while nobody runs it, and whoever stops it dies at any moment: never over without an end."""

import contextlib
from collections.abc import AsyncIterator

import pytest

from batuta.events import ApprovalResolved, Complete
from batuta.events.queue import WorkStatus
from batuta.eventstore.teams import TeamStore
from batuta.kernel import failpoints
from batuta.kernel.failpoints import InjectedFaultError
from batuta.kernel.ids import new_id
from batuta.orchestration import TurnWorker
from batuta.orchestration.plans import plan_from_events
from tests.integration.orchestration.crew import Ledger, build
from tests.support.stores import Opener, Store

MOMENTS = [
    "log.append.before_commit",
    "log.append.after_commit",
    "queue.change.before_commit",
    "queue.change.after_commit",
]


@pytest.fixture
async def opened(opener: Opener) -> AsyncIterator[Store]:
    async with opener() as store:
        yield store


async def _ends(store: TeamStore, session: str) -> list[str]:
    return [e.status for e in await store.events(session) if isinstance(e, Complete) and e.status != "paused"]


async def _waiting_turn(store: TeamStore, *, is_paused: bool) -> tuple[str, str]:
    session = new_id()
    turn = await store.say(session, "go")
    if is_paused:
        await TurnWorker.at(store, build(Ledger())).run_until_idle()
        assert len(await store.waiting(session)) == 1
    return session, turn


@pytest.mark.parametrize("is_paused", [False, True], ids=["queued", "paused"])
@pytest.mark.parametrize("moment", MOMENTS)
async def test_whoever_stops_a_turn_may_die_at_any_moment(opened: Store, moment: str, is_paused: bool) -> None:
    """Either nothing was stopped, or its end is told; who stops it again, or takes it up, ends it once."""
    store = TeamStore(opened.log, opened.queue)
    session, turn = await _waiting_turn(store, is_paused=is_paused)
    with failpoints.active({moment: "raise@1"}), contextlib.suppress(InjectedFaultError):
        await store.stop(turn, by="ana")
    work = await store.queue.get(turn)
    assert work is not None
    assert await _ends(store, session) or work.status is not WorkStatus.CANCELLED, "it is over and says so nowhere"
    await opened.settle()
    if await _ends(store, session):  # whoever comes by settles the rest
        await store.queue.recover()
        await TurnWorker.at(store, build(Ledger())).run_until_idle()
    else:
        await store.stop(turn, by="ana")
    work = await store.queue.get(turn)
    assert work is not None
    assert work.status is WorkStatus.CANCELLED
    events = await store.events(session)
    assert await _ends(store, session) == ["cancelled"]
    assert [e.decision for e in events if isinstance(e, ApprovalResolved)] == ["rejected"] * is_paused
    plan = plan_from_events(events)
    assert plan is None or (plan.status, plan.is_settled) == ("cancelled", True)
