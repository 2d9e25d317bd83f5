"""The modes: how a program is run, and what is seen of it afterwards.

outcome = await run_in(Mode(family="turn", store="sqlite", is_killed=True), program, stores, dice)
"""

import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from batuta.conversations.conversation import Conversation
from batuta.events.conversation import Complete, ErrorOccurred
from batuta.events.emitter import Stamp, TurnNaming
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.queue import TurnQueue, WorkStatus
from batuta.events.runtime import LlmResponse
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.eventstore.teams import TeamStore
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Message
from batuta.kernel.usage import NO_USAGE, Amount, Usage
from batuta.orchestration.memory import conversation_before
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.pipelines.journal import MemoryJournal
from batuta.pipelines.options import RunOptions
from batuta.pipelines.result import StepResult
from batuta.resilience.circuit_breaker import BreakerRecord
from batuta.testing.clock import FakeClock
from batuta.testing.modes.building import BuiltProgram, text_in
from batuta.testing.modes.expected import ANOTHER_REQUEST, REQUEST
from batuta.testing.modes.programs import Program
from batuta.testing.modes.world import UNWELL, PersonInWorld, World
from batuta.testing.mortality import DEATHS, Killed, MortalPersistence
from batuta.testing.sinks import CapturingSink
from batuta.testing.views import UNKNOWN_OUTCOME, seen_by_a_person

MAX_LIVES = 200
"""A program may ask for many approvals, one after the other."""
GIVEN_BACK = timedelta(seconds=2)
"""How much time passes for a turn that a worker gave back because its store was away for a moment."""
NEVER_ENDED = "the turn was given up without a word"
NEVER_TAKEN_UP = "the lease of a dead owner ran out, and the turn was not taken up"

Family = Literal["run", "turn"]
StoreName = Literal["nothing", "journal", "memory", "sqlite", "postgres"]


@dataclass(frozen=True, kw_only=True)
class Mode:
    """One way to run a program: as a run of its own or as a turn of a team, and what is kept of it where."""

    family: Family = "run"
    store: StoreName = "nothing"
    is_streaming: bool = False
    is_killed: bool = False

    def __str__(self) -> str:
        """How it is called in reports."""
        words = [self.family, "with", self.store]
        return " ".join([*words, *["streamed"] * self.is_streaming, *["killed"] * self.is_killed])


@dataclass(frozen=True, kw_only=True)
class ModeOutcome:
    """What is seen of a program that was run in one mode."""

    value: str | None = None
    failure: str | None = None
    """The category and the code of the error, if it failed."""
    message: str | None = None
    not_undone: int = 0
    """How much the error names that could not be undone."""
    gone_on_from: frozenset[str] = frozenset()
    """The failures that steps went on from, as these saw them in any of its lives."""
    done: Counter[str] = field(default_factory=Counter)
    undone: Counter[str] = field(default_factory=Counter)
    usage: Usage = NO_USAGE
    cost: Decimal | None = None
    breakers: Mapping[str, BreakerRecord] = field(default_factory=dict)
    spent: Amount = field(default_factory=Amount)
    waits: int = 0
    due_waits: int = 0
    """How often a model call should have waited before another try."""
    view: Any = None
    """What a person sees of the events; nothing without a listener."""
    last_agent: str | None = None
    """Who acted last in what a person sees."""
    is_side_by_side: bool = False
    """Whether parts of the program may run at the same time."""
    conversation: tuple[str, ...] = ()
    lost: Amount = field(default_factory=Amount)
    """What is reported of tries that were charged and brought no answer."""
    said_to_another_request: str | None = None
    """The code of the error for another request with a journal that was used."""
    events_stored: int = 0


@dataclass(frozen=True, slots=True)
class OpenStore:
    """A log and its queue, open for the length of a test."""

    log: EventLog
    queue: TurnQueue
    let_pass: Callable[[timedelta], Awaitable[None]]
    """Has time pass by the clock that leases and waiting turns go by."""


Stores = Mapping[str, OpenStore]


async def run_in(
    mode: Mode, built: BuiltProgram, stores: Stores, dice: random.Random, *, kill_within: int = 0
) -> ModeOutcome:
    """Run a program once in a mode. A killed one dies at one of its first `kill_within` events."""
    world = built.stage.world = World(built.program, clock=FakeClock(datetime.now(UTC)))
    kill_at = dice.randint(1, max(kill_within, 1)) if mode.is_killed else None
    how = dice.choice(DEATHS)
    if mode.store in ("memory", "sqlite", "postgres"):
        opened = stores.get(mode.store) or _in_memory(world)
        persistence = MortalPersistence(opened.log, kill_at=kill_at, how=how)
        if mode.family == "turn":
            return await _Turn(world, built, opened, persistence).outcome()
        return await _DurableRun(world, built, opened, persistence).outcome()
    if mode.family == "turn":
        return await _turn_in_memory(world, built.team)
    return await _run_in_memory(world, built, is_repeated=mode.store == "journal")


def _in_memory(world: World) -> OpenStore:
    clock = FakeClock(world.clock.now())
    log = MemoryEventLog(clock=clock)
    return OpenStore(log, MemoryTurnQueue(log), passing_by(clock))


def passing_by(clock: FakeClock) -> Callable[[timedelta], Awaitable[None]]:
    """Has time pass for a store that goes by this clock."""

    async def let_pass(time: timedelta) -> None:
        clock.advance(time.total_seconds())

    return let_pass


async def _run_in_memory(world: World, built: BuiltProgram, *, is_repeated: bool) -> ModeOutcome:
    """One run in this process; with a journal nothing is heard, and a success is repeated from what was kept."""
    pipeline, form = built.pipeline, built.form
    conversation, sink = Conversation(), CapturingSink()
    options = _decided(world, conversation)
    if not is_repeated:
        options["sink"], options["session_id"], options["turn_id"] = sink, new_id(), new_id()
        result = await pipeline.run(form(REQUEST), **options)
        return await _of_run(world, result, conversation, sink.events)
    options["journal"], options["correlation_id"] = MemoryJournal(), new_id()
    result = await pipeline.run(form(REQUEST), **options)
    if not result.is_error:
        conversation = options["conversation"] = Conversation()
        result = await pipeline.run(form(REQUEST), **options)
    seen = await _of_run(world, result, conversation, ())
    another = await pipeline.run(form(ANOTHER_REQUEST), **options)
    return replace(seen, said_to_another_request=another.error.code if another.is_error else None)


def _decided(world: World, conversation: Conversation) -> RunOptions:
    """The options of a run with a person beside it."""
    options = world.options()
    options["approver"] = PersonInWorld(world)
    options["conversation"] = conversation
    return options


@dataclass(slots=True)
class _DurableRun:
    """A run without a team, with a log as its journal, begun again whenever its process dies."""

    world: World
    built: BuiltProgram
    store: OpenStore
    persistence: MortalPersistence
    session_id: str = field(default_factory=new_id)
    turn_id: str = field(default_factory=new_id)

    async def outcome(self) -> ModeOutcome:
        for _ in range(MAX_LIVES):
            history = (await self.store.log.read(self.session_id, limit=100_000)).events
            conversation = Conversation()
            try:
                result = await self._live(history, conversation)
            except Killed:
                self.world.life += 1
                continue
            events = (await self.store.log.read(self.session_id, limit=100_000)).events
            return await _of_run(self.world, result, conversation, events, stored=self.persistence.written)
        raise AssertionError(f"the run did not end within {MAX_LIVES} lives")

    async def _live(self, history: tuple[Event, ...], conversation: Conversation) -> StepResult[Any]:
        stamp = Stamp(correlation_id=self.turn_id, session_id=self.session_id, turn_id=self.turn_id)
        recorder = self.persistence.mortal(self.session_id, history)
        options = _decided(self.world, conversation)
        options["recorder"], options["naming"] = recorder, TurnNaming(self.turn_id)
        options["journal"] = DurableJournal(self.store.log, recorder, stamp, events=history)
        options["session_id"], options["turn_id"] = self.session_id, self.turn_id
        options["correlation_id"] = self.turn_id
        return await self.built.pipeline.run(self.built.form(REQUEST), **options)


async def _of_run(
    world: World, result: StepResult[Any], conversation: Conversation, events: Any, *, stored: int = 0
) -> ModeOutcome:
    return await _seen(
        world,
        value=None if result.is_error else text_in(result.value),
        failure=_well_known(f"{result.error.category.value} {result.error.code}") if result.is_error else None,
        message=_well_known(result.error.message) if result.is_error else None,
        not_undone=len(result.error.rollback_failures) if result.is_error else 0,
        usage=result.metrics.usage,
        cost=result.metrics.cost,
        **_shown(events),
        conversation=tuple(map(_as_text, conversation.messages)),
        lost=_lost(events),
        events_stored=stored,
    )


async def _seen(world: World, **facts: Any) -> ModeOutcome:
    return ModeOutcome(
        done=+world.done,
        undone=+world.undone,
        gone_on_from=frozenset(map(_well_known, world.gone_on_from)),
        breakers=await world.breaker_records(),
        spent=await world.spent(),
        waits=len(world.clock.sleeps),
        due_waits=world.failed_tries,
        is_side_by_side=world.program.is_side_by_side,
        **facts,
    )


async def _turn_in_memory(world: World, team: Orchestrator) -> ModeOutcome:
    """A turn of a team in this process, with nothing kept."""
    conversation = Conversation()
    turn = await team.run(REQUEST, target_agent_id=_target(world.program), **_decided(world, conversation))
    return await _of_turn(world, turn.events, conversation)


@dataclass(slots=True)
class _Turn:
    """A turn that workers take up one after the other, from a store."""

    world: World
    built: BuiltProgram
    store: OpenStore
    persistence: MortalPersistence
    session_id: str = field(default_factory=new_id)

    async def outcome(self) -> ModeOutcome:
        team_store = TeamStore(self.store.log, self.store.queue, clock=self.world.clock)
        work = None
        turn_id = await team_store.say(self.session_id, REQUEST, target_agent_id=_target(self.world.program))
        for life in range(MAX_LIVES):
            try:
                await self._worker(f"worker-{life}").run_until_idle()
            except Killed:
                self.world.life += 1
                await self.store.let_pass(WorkerSettings().lease + timedelta(seconds=1))
                continue
            work = await self.store.queue.get(turn_id)
            if work is not None and work.status not in (WorkStatus.QUEUED, WorkStatus.RUNNING, WorkStatus.PAUSED):
                events = await team_store.events(self.session_id)
                before = conversation_before(events, new_id())
                return await _of_turn(self.world, events, before, stored=self.persistence.written)
            if work is not None and work.status is WorkStatus.RUNNING:
                return await _seen(self.world, failure=NEVER_TAKEN_UP)
            if not await self._decide(team_store):
                await self.store.let_pass(GIVEN_BACK)
        raise AssertionError(f"the turn did not end within {MAX_LIVES} lives; it is {work}")

    def _worker(self, owner: str) -> TurnWorker:
        settings = WorkerSettings(owner=owner, options=lambda _: self.world.options())
        return TurnWorker(self.built.team, self.store.queue, self.store.log, self.persistence, settings)

    async def _decide(self, team_store: TeamStore) -> int:
        waiting = await team_store.waiting(self.session_id)
        for asked in waiting:
            is_about_outcome = UNKNOWN_OUTCOME in asked.reason
            decision = self.world.decision_on(asked.tool_name, asked.args, is_about_outcome=is_about_outcome)
            await team_store.decide(asked, decision)
        return len(waiting)


async def _of_turn(world: World, events: Any, conversation: Conversation, *, stored: int = 0) -> ModeOutcome:
    ends = [event for event in events if isinstance(event, Complete) and event.status != "paused"]
    errors = [event for event in events if isinstance(event, ErrorOccurred)]
    if not ends:
        return await _seen(world, failure=NEVER_ENDED, **_shown(events))
    end = ends[-1]
    is_failed = end.status != "success"
    said = [message.text for message in conversation.messages]
    return await _seen(
        world,
        value=None if is_failed or not said else said[-1],
        failure=_well_known(f"{errors[-1].category.value} {errors[-1].code}") if is_failed and errors else None,
        message=_well_known(errors[-1].message) if is_failed and errors else None,
        not_undone=len(errors[-1].not_undone) if is_failed and errors else 0,
        usage=end.usage,
        cost=end.cost,
        **_shown(events),
        conversation=tuple(said),
        lost=_lost(events),
        events_stored=stored,
    )


def _shown(events: Sequence[Event]) -> dict[str, Any]:
    """What a person sees, and by itself who acted last: that is chance among agents side by side."""
    if not events:
        return {}
    view = _well_known(seen_by_a_person(events))
    return {"last_agent": view.pop("current_agent_id"), "view": view}


def _lost(events: Iterable[Event]) -> Amount:
    calls = [event for event in events if isinstance(event, LlmResponse)]
    return sum((Amount(call.lost_tokens, call.lost_cost or Decimal(0)) for call in calls), Amount())


def _well_known(seen: Any) -> Any:
    """The same, with a breaker's refusal shown as what opened it: how many tries it took is compared by itself."""
    if isinstance(seen, dict):
        return {key: _well_known(part) for key, part in seen.items()}
    if isinstance(seen, list):
        return [_well_known(part) for part in seen]
    if not isinstance(seen, str):
        return seen
    seen = _REFUSAL.sub(UNWELL, seen).replace("CIRCUIT_OPEN", "PROVIDER_UNAVAILABLE")
    return seen.replace("CircuitOpenError", "ProviderUnavailableError")


_REFUSAL = re.compile(r"openai at \S+ failed \d+ times in a row; calls are refused for another \d+ s")


def _target(program: Program) -> str | None:
    return None if program.is_team else program.members[0].name


def _as_text(message: Message) -> str:
    """A message without the ids that every run makes up anew."""
    parts = [f"{block.type}:{_words(block)}" for block in message.content]
    return f"{message.role}|{'|'.join(parts)}"


def _words(block: Any) -> str:
    return str(getattr(block, "text", None) or getattr(block, "content", None) or getattr(block, "args", ""))
