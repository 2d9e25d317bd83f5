"""Approvals of durable turns, in one file and on PostgreSQL: decided once, executed as stored, expired, remembered."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from batuta.events import (
    ApprovalRequested,
    ApprovalResolved,
    Complete,
    Event,
    PlanCompleted,
    PlanStepCompleted,
    Recorder,
    ToolResponse,
    UserMessage,
)
from batuta.events.fold import fold
from batuta.events.queue import Lease, WorkStatus
from batuta.events.sink import OnStored, PipelinedRecorder
from batuta.events.wire import Delivered
from batuta.eventstore.teams import TeamStore
from batuta.kernel.clock import SYSTEM_CLOCK, SystemClock
from batuta.kernel.errors import ConflictError, LogicalError
from batuta.kernel.ids import new_id
from batuta.orchestration import Orchestrator, TurnWorker
from batuta.orchestration.approvals import APPROVAL_LIFETIME
from batuta.orchestration.plans import plan_from_events
from batuta.orchestration.worker import PersistenceFactory, WorkerSettings
from batuta.pipelines.journal import Journal
from batuta.tools import ApprovalDecision
from tests.integration.orchestration.crew import Ledger, build
from tests.support.processes import Zygote
from tests.support.stores import opener_of

DECIDERS = "tests.integration.orchestration.deciders"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Where the store is, as another process can be told."""
    if request.param == "sqlite":
        return {"backend": "sqlite", "path": str(tmp_path / "team.db")}
    return {"backend": "postgres", "url": request.getfixturevalue("log_url")}


@pytest.fixture
async def store(place: dict[str, str]) -> AsyncIterator[TeamStore]:
    async with opener_of(place)() as opened:
        yield TeamStore(opened.log, opened.queue)


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    started = Zygote([DECIDERS])
    yield started
    started.close()


async def _asked(store: TeamStore, team: Orchestrator) -> tuple[str, str, ApprovalRequested]:
    """A turn that waits for a decision about `book`."""
    session = new_id()
    turn = await store.say(session, "go")
    await TurnWorker.at(store, team).run_until_idle()
    (asked,) = await store.waiting(session)
    assert (asked.tool_name, asked.args) == ("book", {"day": "monday"})
    return session, turn, asked


async def _status(store: TeamStore, turn: str) -> WorkStatus:
    work = await store.queue.get(turn)
    assert work is not None
    return work.status


class WrongClock(SystemClock):
    """The clock of a process whose time of day is wrong."""

    def __init__(self, lead: timedelta) -> None:
        self._lead = lead

    def now(self) -> datetime:
        return SYSTEM_CLOCK.now() + self._lead


WRONG_BY = [timedelta(days=8), timedelta(hours=2), timedelta(hours=-2), timedelta(days=-8)]


@pytest.fixture(params=WRONG_BY, ids=str)
def wrong_clock(request: pytest.FixtureRequest) -> WrongClock:
    return WrongClock(request.param)


async def test_a_wrong_clock_neither_shortens_nor_lengthens_an_approval(
    store: TeamStore, wrong_clock: WrongClock
) -> None:
    """O-30: it expires by the clock of the store, wherever it is asked, decided and executed."""
    ledger, session = Ledger(), new_id()
    wrong = TeamStore(store.log, store.queue, clock=wrong_clock)
    worker = TurnWorker.at(wrong, build(ledger), WorkerSettings(options=lambda lease: {"clock": wrong_clock}))
    turn = await wrong.say(session, "go")
    await worker.run_until_idle()
    (asked,) = await wrong.waiting(session)
    assert asked.expires_at is not None
    assert abs(asked.expires_at - await store.queue.now() - APPROVAL_LIFETIME) < timedelta(minutes=5)
    await wrong.decide(asked, ApprovalDecision.approve(by="ana"))
    await worker.run_until_idle()
    assert await _status(store, turn) is WorkStatus.COMPLETED
    assert [count for key, count in ledger.writes.items() if key.startswith("book ")] == [1]


async def test_a_wrong_clock_accepts_no_late_decision_and_refuses_none_in_time(
    store: TeamStore, wrong_clock: WrongClock
) -> None:
    """What a process with the right clock has asked, decided by another."""
    ledger, wrong = Ledger(), TeamStore(store.log, store.queue, clock=wrong_clock)
    _, _, late = await _asked(store, _hasty(ledger))
    await asyncio.sleep(0.5)
    with pytest.raises(ConflictError, match="book was not decided in time"):
        await wrong.decide(late, ApprovalDecision.approve(by="ana"))
    _, _, early = await _asked(store, build(ledger))
    await wrong.decide(early, ApprovalDecision.approve(by="ana"))
    worker = TurnWorker.at(wrong, build(ledger), WorkerSettings(options=lambda lease: {"clock": wrong_clock}))
    await worker.run_until_idle()
    assert [count for key, count in ledger.writes.items() if key.startswith("book ")] == [1]


async def test_of_many_deciders_at_once_one_counts(place: dict[str, str], store: TeamStore, zygote: Zygote) -> None:
    """O-30: four processes edit at the same moment; what the log holds is what is executed and what is shown."""
    ledger = Ledger()
    session, turn, asked = await _asked(store, build(ledger))
    days = ["tuesday", "wednesday", "thursday", "friday"]
    at = time.time() + 2
    arguments = [{"place": place, "session": session, "day": day, "at": at} for day in days]
    children = [await zygote.spawn(f"{DECIDERS}:decide", one) for one in arguments]
    said = [await child.message("counted", 30) for child in children]
    for child in children:
        await child.close()
    (winner,) = [one["day"] for one in said if one["counted"]]
    assert all("decided otherwise already" in one["error"] for one in said if not one["counted"])
    await TurnWorker.at(store, build(ledger)).run_until_idle()
    events = await store.events(session)
    (resolved,) = [event for event in events if isinstance(event, ApprovalResolved)]
    assert (resolved.decision, resolved.args, resolved.by) == ("edited", {"day": winner}, winner)
    (booked,) = [e.content for e in events if isinstance(e, ToolResponse) and e.tool_name == "book"]
    assert booked == f"booked {winner}"
    assert [count for key, count in ledger.writes.items() if key.startswith("book ")] == [1]
    view = fold(Delivered(event, 1) for event in events)
    (card,) = [item for shown in view.turns for item in shown.items if item.kind == "approval"]
    assert (card.args, card.decided_args) == ({"day": "monday"}, {"day": winner})
    assert asked.approval_id == resolved.approval_id
    assert await _status(store, turn) is WorkStatus.COMPLETED


async def test_the_same_decision_of_two_people_is_one(store: TeamStore) -> None:
    session, _, asked = await _asked(store, build(Ledger()))
    await asyncio.gather(*(store.decide(asked, ApprovalDecision.approve(by=who)) for who in ("ana", "eve", "bob")))
    decided = [event for event in await store.events(session) if isinstance(event, ApprovalResolved)]
    assert len(decided) == 1


async def test_an_approval_that_nobody_decides_is_rejected_by_the_clock(store: TeamStore) -> None:
    """O-30: the turn wakes by itself, once, and goes on without the call."""
    ledger = Ledger()
    session, turn, asked = await _asked(store, _hasty(ledger))
    await asyncio.sleep(0.5)
    assert (await store.queue.recover()).requeued == (turn,)
    assert await TurnWorker.at(store, _hasty(ledger)).run_until_idle() == 1
    assert await _status(store, turn) is WorkStatus.COMPLETED
    events = await store.events(session)
    (resolved,) = [event for event in events if isinstance(event, ApprovalResolved)]
    assert (resolved.decision, resolved.by, resolved.approval_id) == ("expired", "clock", asked.approval_id)
    assert (resolved.correlation_id, resolved.trace_id) == (asked.correlation_id, asked.trace_id)
    (answer,) = [event for event in events if isinstance(event, ToolResponse) and event.tool_name == "book"]
    assert not answer.success
    assert "it was not decided in time" in answer.content
    assert not [key for key in ledger.writes if key.startswith("book ")]


async def test_nobody_decides_after_the_expiry(store: TeamStore) -> None:
    session, turn, asked = await _asked(store, _hasty(Ledger()))
    await asyncio.sleep(0.5)
    for _ in range(2):
        with pytest.raises(ConflictError, match="book was not decided in time"):
            await store.decide(asked, ApprovalDecision.approve(by="ana"))
    await TurnWorker.at(store, _hasty(Ledger())).run_until_idle()
    assert await _status(store, turn) is WorkStatus.COMPLETED
    decided = [event for event in await store.events(session) if isinstance(event, ApprovalResolved)]
    assert [event.decision for event in decided] == ["expired"]


async def test_a_tool_that_was_allowed_for_the_session_is_not_asked_about_again(store: TeamStore) -> None:
    """O-31."""
    ledger = Ledger()
    session, _, asked = await _asked(store, build(ledger))
    await store.decide(asked, ApprovalDecision.approve(by="ana"), remember="session")
    worker = TurnWorker.at(store, build(ledger))
    await worker.run_until_idle()
    again = await store.say(session, "go")
    await worker.run_until_idle()
    assert await _status(store, again) is WorkStatus.COMPLETED
    assert [count for key, count in ledger.writes.items() if key.startswith("book ")] == [1, 1]
    elsewhere = await store.say(new_id(), "go")
    await worker.run_until_idle()
    assert await _status(store, elsewhere) is WorkStatus.PAUSED, "another session is asked"


async def test_a_rejection_is_not_remembered(store: TeamStore) -> None:
    """O-31: refused where it is decided; what is rejected is asked about again."""
    ledger = Ledger()
    session, _, asked = await _asked(store, build(ledger))
    with pytest.raises(LogicalError, match="a rejection is not remembered"):
        await store.decide(asked, ApprovalDecision.reject("no", by="ana"), remember="session")
    assert [waiting.approval_id for waiting in await store.waiting(session)] == [asked.approval_id]
    await store.decide(asked, ApprovalDecision.reject("no", by="ana"))
    worker = TurnWorker.at(store, build(ledger))
    await worker.run_until_idle()
    again = await store.say(session, "go")
    await worker.run_until_idle()
    assert await _status(store, again) is WorkStatus.PAUSED


async def test_a_turn_that_is_stopped_while_it_waits_ends_with_its_plan(store: TeamStore) -> None:
    """O-2, O-23: nobody is asked any more, the plan is cancelled, and the next message is answered."""
    ledger = Ledger()
    session, turn, asked = await _asked(store, build(ledger))
    assert await store.stop(turn, by="ana")
    assert not await store.stop(turn, by="eve")
    events = await store.events(session)
    assert [(e.decision, e.by) for e in events if isinstance(e, ApprovalResolved)] == [("rejected", "ana")]
    assert [e.status for e in events if isinstance(e, PlanStepCompleted)] == ["completed", "skipped", "skipped"]
    assert [e.status for e in events if isinstance(e, PlanCompleted)] == ["cancelled"]
    assert [e.status for e in events if isinstance(e, Complete)] == ["paused", "cancelled"]
    rebuilt = plan_from_events(events)
    assert rebuilt is not None
    assert (rebuilt.status, rebuilt.is_settled) == ("cancelled", True)
    with pytest.raises(ConflictError):
        await store.decide(asked, ApprovalDecision.approve(by="ana"))
    await store.say(session, "go")
    assert await TurnWorker.at(store, build(ledger)).run_until_idle() == 1


class Heard:
    """Signals that ring as soon as somebody wants a turn stopped."""

    def __init__(self) -> None:
        self.rung = asyncio.Event()

    async def wait(self, turn_id: str) -> None:
        await self.rung.wait()


class StopsAfter(PersistenceFactory):
    """A desk at which somebody stops the turn when a number of its events are stored, and waits for that."""

    def __init__(self, store: TeamStore, count: int, bell: Heard) -> None:
        self._store = store
        self._left = count
        self._bell = bell

    def recorder(self, lease: Lease, told: Sequence[Event]) -> PipelinedRecorder:
        self._lease, self._recorder = lease, self._store.recorder(lease, told)
        self.barrier, self.record = self._recorder.barrier, self._recorder.record
        return self

    def journal(self, lease: Lease, recorder: Recorder, told: Sequence[Event]) -> Journal:
        return self._store.journal(lease, recorder, told)

    def submit(self, event: Event, on_stored: OnStored | None = None) -> Awaitable[None] | None:
        waiting = self._recorder.submit(event, on_stored)
        self._left -= not event.is_transient
        return self._stop() if self._left == 0 and not event.is_transient else waiting

    async def _stop(self) -> None:
        await self._recorder.barrier()
        assert await self._store.stop(self._lease.work.turn_id, by="ana")
        self._bell.rung.set()


@pytest.mark.slow
@pytest.mark.parametrize("is_heard", [True, False], ids=["heard", "unheard"])
async def test_a_turn_that_is_stopped_anywhere_before_it_waits_ends(store: TeamStore, is_heard: bool) -> None:
    """O-2: whatever the stop crosses, before the run, in it, or while it lets go: one end, nobody is asked any more."""
    session, _, _ = await _asked(store, build(Ledger()))
    until_it_waits = [e for e in await store.events(session) if not isinstance(e, UserMessage)]
    assert [e.type for e in until_it_waits][-2:] == ["turn_paused", "complete"]
    for count in range(1, len(until_it_waits) + 1):
        session, bell = new_id(), Heard()
        turn = await store.say(session, "go")
        desk = StopsAfter(store, count, bell)
        signals = bell if is_heard else None
        await TurnWorker(
            build(Ledger()), store.queue, store.log, desk, WorkerSettings(), signals=signals
        ).run_until_idle()
        events = await store.events(session)
        assert await _status(store, turn) is WorkStatus.CANCELLED, f"stopped after event {count}"
        assert [e.status for e in events if isinstance(e, Complete) and e.status != "paused"] == ["cancelled"]
        assert await store.waiting(session) == []
        plan = plan_from_events(events)
        assert plan is None or plan.is_settled


def _hasty(ledger: Ledger) -> Orchestrator:
    """The crew, whose approvals are waited for a moment only."""
    team = build(ledger)
    team.approval_lifetime = timedelta(seconds=0.3)
    return team
