"""A write that is interrupted twice is asked about twice (O-4)."""

from collections.abc import Awaitable, Sequence

from batuta.events.envelope import Event
from batuta.events.queue import Lease, Work, WorkStatus
from batuta.events.runtime import EffectIntended, EffectRecorded
from batuta.events.sink import OnStored, PipelinedRecorder, Recorder
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.kernel.ids import new_id
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.pipelines.journal import Journal
from batuta.testing import FakeClock
from batuta.testing.mortality import Killed
from batuta.testing.views import UNKNOWN_OUTCOME
from tests.integration.orchestration.crew import Ledger, build
from tests.support.turns import TurnPersistence, say


async def test_every_interruption_of_a_write_is_a_question_of_its_own() -> None:
    """O-4: told to do it now, the worker does it and dies again; nobody may take the old answer for a new one."""
    ledger = Ledger()
    stage = _Twice(ledger)
    await stage.play()
    assert stage.answers == ["approved", "rejected"]
    assert [count for key, count in ledger.writes.items() if key.startswith("shout")] == [1]


class _Twice:
    """One turn whose shout is interrupted before it is heard, and again right after."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.log = MemoryEventLog(clock=(clock := FakeClock()))
        self.queue = MemoryTurnQueue(self.log)
        self.clock = clock
        self.answers: list[str] = []
        self._deaths = iter((EffectIntended, EffectRecorded))
        self._next_death = next(self._deaths, None)

    async def play(self) -> None:
        session = new_id()
        turn = await say(self.queue, session, "go")
        for life in range(10):
            try:
                await TurnWorker(
                    build(self.ledger), self.queue, self.log, self, WorkerSettings(owner=f"w{life}")
                ).run_until_idle()
            except Killed:
                self.clock.advance(60)
                await self.queue.recover()
            work = await self.queue.get(turn)
            assert work is not None
            if work.status is WorkStatus.COMPLETED:
                return
            if work.status is WorkStatus.PAUSED:
                await self._answer(work, session)
        raise AssertionError("the turn did not end")

    async def _answer(self, work: Work, session: str) -> None:
        events = (await self.log.read(session, limit=10_000)).events
        (asked,) = [e for e in events if isinstance(e, ApprovalRequested) and e.approval_id == work.waiting_for]
        is_heard = any(key.startswith("shout") for key in self.ledger.writes)
        decision = "rejected" if is_heard else "approved"
        if UNKNOWN_OUTCOME in asked.reason:
            self.answers.append(decision)
        facts = {"approval_id": asked.approval_id, "by": "ana", "session_id": session, "turn_id": work.turn_id}
        await self.log.append(session, [ApprovalResolved.model_validate({"decision": decision, **facts})])
        await self.queue.resume(work.turn_id, waiting_for=asked.approval_id)

    def recorder(self, lease: Lease, told: Sequence[Event]) -> PipelinedRecorder:
        return _Mortal(TurnPersistence(self.log).recorder(lease, told), self)

    def journal(self, lease: Lease, recorder: Recorder, told: Sequence[Event]) -> Journal:
        return TurnPersistence(self.log).journal(lease, recorder, told)

    def is_time_to_die(self, event: Event) -> bool:
        """After the first intention to shout, and before what came of the second one is kept."""
        is_shout = isinstance(event, (EffectIntended, EffectRecorded)) and event.name.startswith("tool:shout")
        if not is_shout or type(event) is not self._next_death:
            return False
        self._next_death = next(self._deaths, None)
        return True


class _Mortal:
    def __init__(self, inner: PipelinedRecorder, stage: _Twice) -> None:
        self._inner = inner
        self._stage = stage
        self.barrier = inner.barrier
        self.record = inner.record

    def submit(self, event: Event, on_stored: OnStored | None = None) -> Awaitable[None] | None:
        is_fatal = self._stage.is_time_to_die(event)
        if is_fatal and isinstance(event, EffectRecorded):
            raise Killed
        waiting = self._inner.submit(event, on_stored)
        return self._die() if is_fatal else waiting

    async def _die(self) -> None:
        await self._inner.barrier()
        raise Killed
