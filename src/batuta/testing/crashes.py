"""The crash matrix: your team or pipeline is killed at every event boundary, and goes on as if nothing had happened.

    report = await crash_matrix(build_team, "book monday")
    report.check()

`build` makes a fresh team, or a fresh pipeline, for every process that would start. The matrix first runs a turn
undisturbed, then three times for every event it stored: the worker is killed when everything before that event is in
the log, when the event is too, and when only that is in the log which the run waited for; another worker finishes the
turn. What a person sees in the end (`batuta.testing.views`) must be the same, and no effect that was recorded may have
happened twice; what a read brought may have been lost on its way to the log, and is read again. What your code does
behind Batuta's back is seen only if you let the matrix look:

    report = await crash_matrix(build_team, "book monday", outside=lambda: list(sent), reset=sent.clear)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from batuta.events.conversation import UserMessage
from batuta.events.emitter import Stamp, TurnNaming
from batuta.events.envelope import Event
from batuta.events.queue import NewWork, WorkStatus
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.kernel.ids import new_id
from batuta.orchestration.approvals import as_decision
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.pipelines.result import StepError
from batuta.pipelines.step import Step
from batuta.testing.clock import FakeClock
from batuta.testing.mortality import DEATHS, Death, Killed, MortalPersistence
from batuta.testing.views import UNKNOWN_OUTCOME, difference, seen_by_a_person
from batuta.tools.approval import ApprovalDecision, ApprovalRequest

MAX_LIVES = 20

Decide = Callable[[ApprovalRequested], ApprovalResolved | ApprovalDecision]

_WHERE: dict[Death, str] = {
    "before": "killed before event {}",
    "after": "killed after event {}",
    "unsaved": "killed at event {} with what was not waited for",
}


def approve(requested: ApprovalRequested) -> ApprovalResolved:
    """Say yes to everything, except that an interrupted call is taken as done."""
    decision = "rejected" if _is_about_outcome(requested) else "approved"
    return ApprovalResolved(approval_id=requested.approval_id, decision=decision, by="tester")


def _is_about_outcome(requested: ApprovalRequested) -> bool:
    return UNKNOWN_OUTCOME in requested.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashReport:
    """What became of every crash."""

    boundaries: int
    """How many events the undisturbed turn stored."""
    differences: tuple[str, ...] = ()
    """Crashes after which a person would have seen something else."""
    repeated: tuple[str, ...] = ()
    """Recorded effects that happened again, and crashes after which the world outside was another one."""
    asked: tuple[str, ...] = ()
    """Crashes in the middle of a write without `reconcile`: a person was asked, and the answer is what is seen."""

    def check(self) -> None:
        """Fail if a crash changed anything."""
        problems = [*self.differences, *self.repeated]
        if problems:
            raise AssertionError(
                f"{len(problems)} crashes were felt, in {self.boundaries} events:\n" + "\n".join(problems)
            )


@dataclass(slots=True)
class _Stage:
    """One session in memory, and the workers that come and go."""

    build: Callable[[], Orchestrator]
    decide: Decide
    clock: FakeClock = field(default_factory=FakeClock)
    log: MemoryEventLog = field(init=False)
    queue: MemoryTurnQueue = field(init=False)
    session_id: str = field(default_factory=new_id)
    turn_id: str = field(default_factory=new_id)
    outcome: str = ""
    """Of a pipeline; what came of a turn is in its events."""

    def __post_init__(self) -> None:
        self.log = MemoryEventLog(clock=self.clock)
        self.queue = MemoryTurnQueue(self.log)

    async def accept(self, message: str) -> None:
        asked = UserMessage(content=message, session_id=self.session_id, turn_id=self.turn_id)
        work = NewWork(turn_id=self.turn_id, session_id=self.session_id, payload={"text": message})
        await self.queue.accept(work, [asked], client_key="message")

    async def play(self, desk: "MortalPersistence") -> None:
        """Let workers live and die until the turn has ended."""
        for life in range(MAX_LIVES):
            worker = TurnWorker(self.build(), self.queue, self.log, desk, WorkerSettings(owner=f"worker-{life}"))
            try:
                await worker.run_until_idle()
            except Killed:
                self.clock.advance(timedelta(minutes=1).total_seconds())
                await self.queue.recover()
                continue
            if await self._is_over():
                return
            await self._answer_questions()
        raise AssertionError(f"the turn did not end within {MAX_LIVES} lives")

    async def events(self) -> tuple[Event, ...]:
        return (await self.log.read(self.session_id, limit=100_000)).events

    async def questions(self) -> list[ApprovalRequested]:
        """What a person was asked."""
        return [event for event in await self.events() if isinstance(event, ApprovalRequested)]

    async def _is_over(self) -> bool:
        work = await self.queue.get(self.turn_id)
        return work is not None and work.status not in (WorkStatus.QUEUED, WorkStatus.RUNNING, WorkStatus.PAUSED)

    async def _answer_questions(self) -> None:
        events = await self.events()
        decided = {event.approval_id for event in events if isinstance(event, ApprovalResolved)}
        for asked in events:
            if isinstance(asked, ApprovalRequested) and asked.approval_id not in decided:
                answer = _resolved(asked, self.decide(asked)).model_copy(
                    update={"session_id": self.session_id, "turn_id": self.turn_id}
                )
                await self.log.append(self.session_id, [answer])
                await self.queue.resume(self.turn_id, waiting_for=asked.approval_id)


@dataclass(slots=True)
class _BareStage:
    """A pipeline without a team, run again and again with the same log as its journal."""

    step: Callable[[], Step[Any, Any]]
    decide: Decide
    log: MemoryEventLog = field(default_factory=MemoryEventLog)
    session_id: str = field(default_factory=new_id)
    turn_id: str = field(default_factory=new_id)
    outcome: str = ""
    asked: list[ApprovalRequested] = field(default_factory=list)
    """What the approver of the test was asked. It is in no log: of a bare pipeline the caller's approver decides."""
    _value: Any = None

    async def accept(self, message: Any) -> None:
        self._value = message

    async def play(self, desk: "MortalPersistence") -> None:
        """Let runs live and die until one comes to its end."""
        for _ in range(MAX_LIVES):
            history = await self.events()
            stamp = Stamp(correlation_id=self.turn_id, session_id=self.session_id, turn_id=self.turn_id)
            recorder = desk.mortal(self.session_id, history)
            try:
                result = await self.step().run(
                    self._value,
                    recorder=recorder,
                    journal=DurableJournal(self.log, recorder, stamp, events=history),
                    naming=TurnNaming(self.turn_id),
                    approver=_Answering(self),
                    session_id=self.session_id,
                    turn_id=self.turn_id,
                    correlation_id=self.turn_id,
                )
            except Killed:
                continue
            self.outcome = _told(result.error) if result.is_error else repr(result.value)
            return
        raise AssertionError(f"the pipeline did not end within {MAX_LIVES} lives")

    async def events(self) -> tuple[Event, ...]:
        return (await self.log.read(self.session_id, limit=100_000)).events

    async def questions(self) -> list[ApprovalRequested]:
        """What a person was asked."""
        return self.asked


@dataclass(frozen=True, slots=True)
class _Answering:
    """Asks the approver of the test, and keeps what was asked."""

    stage: _BareStage

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        asked = ApprovalRequested(
            approval_id=f"{self.stage.turn_id}:{request.idempotency_key}",
            tool_use_id=request.tool_use_id,
            tool_name=request.tool_name,
            args=request.args,
            reason=request.reason,
            source_agent_id=request.agent_id,
        )
        self.stage.asked.append(asked)
        return as_decision(_resolved(asked, self.stage.decide(asked)))


def _resolved(asked: ApprovalRequested, given: ApprovalResolved | ApprovalDecision) -> ApprovalResolved:
    if isinstance(given, ApprovalResolved):
        return given
    args = given.args if given.verdict == "edited" else None
    return ApprovalResolved(
        approval_id=asked.approval_id, decision=given.verdict, args=args, by=given.by or "tester", reason=given.reason
    )


def _told(error: StepError) -> str:
    return f"failed: {error.category.value} {error.code} at {error.path}: {error.full_message}"


async def crash_matrix(
    build: Callable[[], Orchestrator | Step[Any, Any]],
    message: Any,
    *,
    decide: Decide = approve,
    same: Callable[[Sequence[Event]], Any] | None = None,
    reset: Callable[[], object] = lambda: None,
    outside: Callable[[], Any] = lambda: None,
    stride: int = 1,
) -> CrashReport:
    """Kill a team's turn, or the run of a pipeline, at every event it stores, with and without what is on its way.

    `same` reduces a log to what must not change, by default to what a person sees of it; the result of a pipeline must
    not change either. `reset` puts the
    world outside back to where it was; it is called before every turn, never within one. `outside` gives a copy of what
    the turn did to that world: it must be the same after every crash, except where a person was asked, because then
    the answer decides. A `stride` of 5 takes every fifth boundary, for long turns that are tested often.
    """
    reduce = same or seen_by_a_person
    stage_of: type[_Stage | _BareStage] = _BareStage if isinstance(build(), Step) else _Stage

    async def played(
        kill_at: int | None = None, how: Death = "before"
    ) -> tuple[_Stage | _BareStage, MortalPersistence]:
        """One turn or run from its beginning to its end, killed once on the way or never."""
        reset()
        stage = stage_of(build, decide)  # type: ignore[arg-type] # which of both it builds was seen above
        await stage.accept(message)
        desk = MortalPersistence(stage.log, kill_at, how)
        await stage.play(desk)
        return stage, desk

    calm, calm_desk = await played()
    expected, world = await _view(calm, reduce), outside()
    differences: list[str] = []
    repeated: list[str] = []
    asked: list[str] = []
    boundaries = [(place, how) for place in range(1, calm_desk.written + 1) for how in DEATHS]
    for place, how in boundaries[::stride]:
        stage, desk = await played(place, how)
        questions = await stage.questions()
        where = _WHERE[how].format(place)
        if any(map(_is_about_outcome, questions)):
            asked.append(where)
        elif (found := await _view(stage, reduce)) != expected:
            differences.append(f"{where}: {difference(found, expected)}")
        if where not in asked and (changed := outside()) != world:
            repeated.append(f"{where}: outside there is {changed!r} instead of {world!r}")
        repeated.extend(f"{where}: {key} had been recorded and happened again" for key in desk.repeated)
    return CrashReport(
        boundaries=calm_desk.written,
        differences=tuple(differences),
        repeated=tuple(repeated),
        asked=tuple(asked),
    )


async def _view(stage: _Stage | _BareStage, reduce: Callable[[Sequence[Event]], Any]) -> tuple[Any, str]:
    return reduce(await stage.events()), stage.outcome
