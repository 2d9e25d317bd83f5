"""Workers: turns in order, stopped at once, taken over, paused without holding anything (O-2, O-3, O-4)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from batuta import step
from batuta.events import (
    ApprovalRequested,
    ApprovalResolved,
    AssistantMessage,
    Complete,
    Event,
    StepStarted,
    TurnResumed,
    UserMessage,
    wire,
)
from batuta.events.admission import revive
from batuta.events.emitter import Stamp
from batuta.events.log import EventLog
from batuta.events.queue import Lease, NewWork, TurnQueue, WorkStatus
from batuta.events.sink import Recorder
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.recorder import TurnRecorder
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.kernel.ids import new_id
from batuta.orchestration import Orchestrator, Specialist
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.pipelines.journal import Journal
from batuta.testing import ScriptedModel
from batuta.testing.turns.subject import EXPIRED
from bench.turn_case import QUESTION
from bench.turns import team
from tests.integration.orchestration.crew import Ledger, build
from tests.support.garbage import left_to_the_collector


@dataclass
class Store:
    """A log and its queue, and the desk at which owners write to them."""

    log: EventLog
    queue: TurnQueue

    def recorder(self, lease: Lease, history: Any) -> TurnRecorder:
        return TurnRecorder(self.log, str(lease.work.session_id), fence=lease.fence, history=history)

    def journal(self, lease: Lease, recorder: Recorder, history: Any) -> Journal:
        stamp = Stamp(correlation_id="c", session_id=lease.work.session_id, turn_id=lease.work.turn_id)
        return DurableJournal(self.log, recorder, stamp, events=history)

    def worker(self, team: Orchestrator, owner: str = "w", **others: Any) -> TurnWorker:
        settings = WorkerSettings(owner=owner, lease=others.pop("lease", timedelta(seconds=30)))
        return TurnWorker(team, self.queue, self.log, self, settings, **others)

    async def say(self, session_id: str, text: str, **payload: Any) -> str:
        turn_id = new_id()
        message = UserMessage(content=text, session_id=session_id, turn_id=turn_id)
        work = NewWork(turn_id=turn_id, session_id=session_id, payload={"text": text, **payload})
        await self.queue.accept(work, [message], client_key=turn_id)
        return turn_id

    async def events(self, session_id: str) -> tuple[Event, ...]:
        return (await self.log.read(session_id, limit=10_000)).events

    async def status(self, turn_id: str) -> WorkStatus:
        work = await self.queue.get(turn_id)
        assert work is not None
        return work.status


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param == "memory":
        memory = MemoryEventLog()
        yield Store(memory, MemoryTurnQueue(memory))
        return
    async with SqliteEventLog(tmp_path / "team.db") as sqlite:
        yield Store(sqlite, SqliteTurnQueue(sqlite))


def one(work: Any) -> Orchestrator:
    return Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(work, name=work.name.title())])


@step
async def echo(task: str) -> str:
    return f"echo {task}"


async def test_turns_of_a_session_run_in_order_and_see_what_was_said(store: Store) -> None:
    """O-2."""
    session = new_id()
    for text in ("one", "two", "three"):
        await store.say(session, text, target_agent_id="echo")
    assert await store.worker(one(echo)).run_until_idle() == 3
    said = [event.content for event in await store.events(session) if isinstance(event, AssistantMessage)]
    assert said == ["echo one", "echo two", "echo three"]


async def test_a_turn_whose_lease_ran_out_is_taken_up_until_nothing_is_left(store: Store) -> None:
    """S-5: `run_until_idle` recovers, too."""
    session = new_id()
    turn = await store.say(session, "one", target_agent_id="echo")
    assert await store.queue.lease("dead", length=EXPIRED) is not None
    assert await store.worker(one(echo)).run_until_idle() == 1
    assert await store.status(turn) is WorkStatus.COMPLETED


async def test_or14_an_approval_pauses_the_turn_and_a_decision_resumes_it_elsewhere(store: Store) -> None:
    """O-4, O-30: edited arguments are what is executed, once."""
    ledger, session = Ledger(), new_id()
    turn = await store.say(session, "go")
    await store.worker(build(ledger), "first").run_until_idle()
    assert await store.status(turn) is WorkStatus.PAUSED
    (asked,) = [event for event in await store.events(session) if isinstance(event, ApprovalRequested)]
    answer = ApprovalResolved(
        approval_id=asked.approval_id,
        decision="edited",
        args={"day": "tuesday"},
        by="ana",
        session_id=session,
        turn_id=turn,
    )
    await store.log.append(session, [answer])
    assert await store.queue.resume(turn, waiting_for=asked.approval_id)
    assert not await store.queue.resume(turn, waiting_for=asked.approval_id)
    await store.worker(build(ledger), "second").run_until_idle()
    assert await store.status(turn) is WorkStatus.COMPLETED
    events = await store.events(session)
    assert any("booked tuesday" in event.model_dump_json() for event in events)
    assert set(ledger.writes.values()) == {1}
    assert [event.reason for event in events if isinstance(event, TurnResumed)] == ["decided"]
    assert [event.sequence_number for event in events] == list(range(1, len(events) + 1))


async def test_a_later_message_waits_for_a_paused_turn(store: Store) -> None:
    """O-2: also while a turn waits for a decision."""
    session = new_id()
    first = await store.say(session, "go")
    second = await store.say(session, "and then?")
    await store.worker(build(Ledger())).run_until_idle()
    assert await store.status(first) is WorkStatus.PAUSED
    assert await store.status(second) is WorkStatus.QUEUED


class Bell:
    def __init__(self) -> None:
        self.rung = asyncio.Event()

    async def wait(self, turn_id: str) -> None:
        await self.rung.wait()


async def test_a_stop_ends_a_running_turn_at_once(store: Store) -> None:
    """O-2: what was produced is kept, `complete` says cancelled."""
    begun, bell = asyncio.Event(), Bell()

    @step
    async def slow(task: str) -> str:
        begun.set()
        await asyncio.sleep(60)
        return ""

    session = new_id()
    turn = await store.say(session, "go", target_agent_id="slow")
    running = asyncio.create_task(store.worker(one(slow), signals=bell).run_until_idle())
    await begun.wait()
    await store.queue.cancel(turn)
    bell.rung.set()
    async with asyncio.timeout(60):
        await running
    assert await store.status(turn) is WorkStatus.CANCELLED
    last = [event for event in await store.events(session) if isinstance(event, Complete)]
    assert [event.status for event in last] == ["cancelled"]


async def test_a_stop_is_heard_by_the_heartbeat_alone(store: Store) -> None:
    begun = asyncio.Event()

    @step
    async def slow(task: str) -> str:
        begun.set()
        await asyncio.sleep(60)
        return ""

    turn = await store.say(new_id(), "go", target_agent_id="slow")
    worker = store.worker(one(slow), lease=timedelta(milliseconds=300))
    running = asyncio.create_task(worker.run_until_idle())
    await begun.wait()
    await store.queue.cancel(turn)
    async with asyncio.timeout(60):
        await running
    assert await store.status(turn) is WorkStatus.CANCELLED


class Frozen:
    """The queue as a stopped process sees it: its heartbeat never comes through."""

    def __init__(self, queue: TurnQueue) -> None:
        self._queue = queue

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    async def heartbeat(self, lease: Lease) -> bool:
        await asyncio.sleep(60)
        return False


class Late(Frozen):
    """The queue of a process whose heartbeat comes when it is too late."""

    def __init__(self, queue: TurnQueue) -> None:
        super().__init__(queue)
        self.gate = asyncio.Event()

    async def heartbeat(self, lease: Lease) -> bool:
        await self.gate.wait()
        return await self._queue.heartbeat(lease)


async def test_an_owner_that_lost_its_lease_writes_nothing_more(store: Store) -> None:
    """S-5: two owners of one turn; the stale one is fenced."""
    gate, begun = asyncio.Event(), asyncio.Event()
    calls: list[str] = []

    @step
    async def work(task: str) -> str:
        calls.append(task)
        begun.set()
        if len(calls) == 1:
            await gate.wait()
        return "done"

    session = new_id()
    turn = await store.say(session, "go", target_agent_id="work")
    lease = await store.queue.lease("stale", length=EXPIRED)
    assert lease is not None
    asleep = TurnWorker(one(work), Frozen(store.queue), store.log, store, WorkerSettings(owner="stale"))
    # Its own clock does not tell it: the store has to.
    stale = asyncio.create_task(asleep.run_turn(replace(lease, length=timedelta(minutes=1))))
    await begun.wait()
    await store.queue.recover()
    assert await store.worker(one(work), "fresh").run_until_idle() == 1
    before = len(await store.events(session))
    gate.set()
    await stale
    assert await store.status(turn) is WorkStatus.COMPLETED
    assert len(await store.events(session)) == before


async def test_a_worker_stops_without_losing_what_it_was_doing(store: Store) -> None:
    """P-3: drained, or left to another worker."""
    begun = asyncio.Event()

    @step
    async def slow(task: str) -> str:
        begun.set()
        await asyncio.sleep(60)
        return ""

    turn = await store.say(new_id(), "go", target_agent_id="slow")
    settings = WorkerSettings(owner="w", drain=timedelta(milliseconds=50))
    worker = TurnWorker(one(slow), store.queue, store.log, store, settings)
    stop = asyncio.Event()
    running = asyncio.create_task(worker.run(stop))
    await begun.wait()
    stop.set()
    async with asyncio.timeout(60):
        await running
    assert await store.status(turn) is WorkStatus.QUEUED


async def test_a_turn_left_by_a_stopped_worker_is_finished_by_another(store: Store) -> None:
    """P-3: the log does not say that the turn was stopped, because it was not."""
    begun, session = asyncio.Event(), new_id()

    @step
    async def work(task: str) -> str:
        if not begun.is_set():
            begun.set()
            await asyncio.sleep(60)
        return "done"

    turn = await store.say(session, "go", target_agent_id="work")
    first = asyncio.create_task(store.worker(one(work), "first").run_until_idle())
    await begun.wait()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert await store.worker(one(work), "second").run_until_idle() == 1
    assert await store.status(turn) is WorkStatus.COMPLETED
    ends = [event.status for event in await store.events(session) if isinstance(event, Complete)]
    assert ends == ["success"]


async def test_an_owner_whose_orphaned_turn_waits_for_another_does_not_end_it(store: Store) -> None:
    """S-5: found by the recovery and not yet leased again, the turn has no owner; the log must stay open."""
    begun, session = asyncio.Event(), new_id()

    @step
    async def work(task: str) -> str:
        if not begun.is_set():
            begun.set()
            await asyncio.sleep(60)
        return "done"

    turn = await store.say(session, "go", target_agent_id="work")
    lease = await store.queue.lease("stale", length=EXPIRED)
    assert lease is not None
    held = Late(store.queue)
    worker = TurnWorker(one(work), held, store.log, store, WorkerSettings(owner="stale"))
    running = asyncio.create_task(worker.run_turn(replace(lease, length=timedelta(seconds=3))))
    await begun.wait()
    assert (await store.queue.recover()).requeued == (turn,)
    held.gate.set()
    await running
    assert not [event for event in await store.events(session) if isinstance(event, Complete)]
    assert await store.worker(one(work), "fresh").run_until_idle() == 1
    assert await store.status(turn) is WorkStatus.COMPLETED


async def test_a_turn_in_a_long_session_does_not_read_all_of_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a turn costs, and the memory it takes, must not grow with the steps that were ever taken in the session."""
    session = new_id()
    for _ in range(3):
        past = {"session_id": session, "turn_id": new_id(), "step_name": "s", "step_type": "t", "path": "s"}
        await store.log.append(session, [StepStarted(**past) for _ in range(200)])
    await store.say(session, "hello", target_agent_id="echo")
    read: list[int] = []

    def counting(owner: str, seq: int, event_id: str, payload: str | bytes) -> Event:
        read.append(seq)
        return revive(owner, seq, event_id, payload)

    monkeypatch.setattr(wire, "revive", counting)
    assert await store.worker(one(echo)).run_until_idle() == 1
    assert 601 in read
    assert min(read) == 601


async def test_a_finished_turn_leaves_nothing_to_the_garbage_collector(store: Store) -> None:
    """Turns that keep themselves alive in circles make every other turn of the process wait for the collector."""
    worker = store.worker(team())

    async def run() -> None:
        turn = await store.say(new_id(), QUESTION)
        await worker.run_until_idle()
        assert await store.status(turn) is WorkStatus.COMPLETED

    assert await left_to_the_collector(run) == 0
