"""Re-execution: a recorded turn is run again, to understand it and to try something else.

    turn = recorded_turn(events, turn_id)
    again = await rerun(team, turn)                                             nothing but what was recorded
    again = await rerun(team, turn, start=turn.place("clerk"), changes=Changes(model="openai:gpt-5.2"))

Up to `start` recorded effects come back; from there on models are asked and tools that read are run, with the changes
asked for. Nothing is written, neither to the session nor to the world (`batuta.orchestration.rerun_effects`).
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Unpack

from batuta.events.conversation import UserMessage
from batuta.events.emitter import TurnNaming
from batuta.events.envelope import Event
from batuta.events.plans import AgentChanged
from batuta.events.runtime import EffectRecorded, TurnStarted
from batuta.events.tools import ApprovalRequested
from batuta.kernel.errors import NotRecordedError
from batuta.kernel.ids import canonical_id
from batuta.kernel.messages import Answer, Delta
from batuta.llm import factory
from batuta.llm.model import Model, ModelRequest
from batuta.llm.providers import parse_model
from batuta.orchestration.approvals import ApprovalPolicy, allow_remembered
from batuta.orchestration.conducting import TurnRequest
from batuta.orchestration.memory import conversation_before, decisions_in, remembered_calls
from batuta.orchestration.orchestrator import Orchestrator, Turn, TurnOptions
from batuta.orchestration.rerun_diff import TurnDiff, diff_of
from batuta.orchestration.rerun_effects import EffectUse, RecordedEffects, RehearsingApprover, RehearsingInvoker
from batuta.orchestration.specialist import SUPERVISOR_ID
from batuta.pipelines.options import RunOptions
from batuta.pipelines.step import Step
from batuta.steps.agent import AgentStep
from batuta.tools.approval import ApprovalDecision, ApprovalRequest
from batuta.tools.context import ANONYMOUS_USER, ToolUser

_MODEL_CALL = ":model:"
"""What stands between the place of an agent and the number of its model call in the key of an effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is different from `start` on."""

    model: Model | str | None = None
    """Used by every agent, or by `agent` alone."""
    instructions: str | None = None
    """The system prompt of `agent`, or of the agent that is asked first."""
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTurn:
    """A turn as the log holds it."""

    session_id: str
    turn_id: str
    request: TurnRequest
    events: tuple[Event, ...]
    before: tuple[Event, ...]
    """What the session held when the turn began."""
    user: ToolUser = ANONYMOUS_USER

    def place(self, where: str) -> int:
        """The position of an event id, of a sequence number, or of the first event of a step or agent."""
        found = next((event for event in self.events if _stands_at(event, where)), None)
        if found is None or found.sequence_number is None:
            known = dict.fromkeys(path for event in self.events if (path := getattr(event, "path", None)))
            raise NotRecordedError(
                f"turn {self.turn_id} has no event, step or agent {where!r}; its steps are {', '.join(known)}"
            )
        return found.sequence_number

    def first_asked(self, start: int) -> str:
        """The agent whose model was asked first from a position on."""
        for event in self.events:
            if isinstance(event, EffectRecorded) and (event.sequence_number or 0) >= start and _MODEL_CALL in event.key:
                return event.key.rpartition(_MODEL_CALL)[0].rpartition("/")[2].partition("~")[0]
        raise NotRecordedError(f"no model was asked from event {start} on; name the agent to change")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What came of a re-execution."""

    turn: Turn
    diff: TurnDiff
    effects: tuple[EffectUse, ...] = ()
    """Every effect in order, and where it came from."""


def recorded_turn(
    events: Sequence[Event], turn_id: str, *, user: ToolUser = ANONYMOUS_USER, target_agent_id: str | None = None
) -> RecordedTurn:
    """A turn from the events of its session. Raises `NotRecordedError`.

    The log does not hold on whose behalf a turn ran, and need not hold whom it was meant for: the queue does. Whether
    the supervisor was asked about a turn meant for one agent is seen in its events.
    """
    wanted = canonical_id(turn_id)
    own = [event for event in events if event.turn_id == wanted]
    asked = next((event for event in own if isinstance(event, UserMessage)), None)
    if asked is None or asked.session_id is None:
        raise NotRecordedError(f"the log holds no message that began turn {turn_id}")
    began = next((event for event in own if isinstance(event, TurnStarted)), own[0])
    return RecordedTurn(
        session_id=asked.session_id,
        turn_id=wanted,
        request=TurnRequest(
            text=asked.content,
            target_agent_id=target_agent_id or asked.target_agent_id,
            bypass_routing=not any(_is_supervised(event) for event in own),
        ),
        events=tuple(own),
        before=tuple(event for event in events[: events.index(began)] if event.turn_id != wanted),
        user=user,
    )


async def rerun(
    team: Orchestrator,
    turn: RecordedTurn,
    *,
    start: int | None = None,
    changes: Changes = Changes(),  # noqa: B008 - frozen
    **options: Unpack[RunOptions],
) -> Rerun:
    """Run a turn again. `start` is the position of the first event whose effects are live; without one none is.

    Raises `NotRecordedError` if the changes name no agent of the team.
    """
    journal = RecordedEffects(turn.events, first_live=start)
    naming = _PlaceKeeping(TurnNaming(turn.turn_id))
    harmless = _harmless(options, team, turn, journal)
    harmless["naming"] = naming
    with ExitStack() as changed:
        for agent, override in _overrides(team, turn, start, changes):
            changed.enter_context(agent.override(**override))
        outcome = await team.conduct(_as_it_stood(turn, start), **harmless)
    diff = diff_of(turn.events, outcome.events, places=naming.places, writes=journal.writes)
    return Rerun(turn=outcome, diff=diff, effects=tuple(journal.used))


@dataclass(slots=True)
class _PlaceKeeping:
    """Gives events the ids they had, and remembers which place each belongs to."""

    inner: TurnNaming
    places: dict[str, str] = field(default_factory=dict)

    def name(self, event: Event, key: str) -> str:
        named = self.inner.name(event, key)
        self.places[named] = key
        return named

    def id_for(self, key: str) -> str:
        return self.inner.id_for(key)


class LateModel:
    """A model by name that is made when it is first asked: who is never asked needs no key."""

    def __init__(self, name: str) -> None:
        self.provider, self.name = parse_model(name)
        self._declared = name
        self._model: Model | None = None

    async def generate(self, request: ModelRequest) -> Answer:
        """Answer once."""
        return await self._resolved().generate(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Answer piece by piece."""
        async for item in self._resolved().stream(request):
            yield item

    def _resolved(self) -> Model:
        if self._model is None:
            self._model = factory.client(self._declared)
        return self._model


def _harmless(options: RunOptions, team: Orchestrator, turn: RecordedTurn, journal: RecordedEffects) -> RunOptions:
    """What keeps the world and the session as they are."""
    tools = {name: tool for agent in agents_of(team) for name, tool in agent.tools.items()}
    given = options.copy()
    given["recorder"] = None
    given["journal"] = journal
    given["invoker"] = RehearsingInvoker(turn.events, journal)
    given["approver"] = RehearsingApprover(turn.events, decisions_in(turn.events), tools)
    given["conversation"] = conversation_before(turn.before, turn.turn_id)
    given["session_id"], given["turn_id"] = turn.session_id, turn.turn_id
    given["correlation_id"] = turn.events[0].correlation_id or turn.turn_id
    given["user"] = turn.user
    return given


def _as_it_stood(turn: RecordedTurn, start: int | None) -> TurnOptions:
    """The turn with the decisions that were asked for before the cut."""
    asked = (event for event in turn.events if isinstance(event, ApprovalRequested))
    early = {event.approval_id for event in asked if start is None or (event.sequence_number or 0) < start}
    decided = decisions_in(turn.events)
    return TurnOptions(
        request=turn.request,
        is_confirmed=True,
        decided={approval_id: decided[approval_id] for approval_id in early & decided.keys()},
        policies=(_as_remembered(turn),),
    )


def _as_remembered(turn: RecordedTurn) -> ApprovalPolicy:
    """Tools that were allowed for the session are allowed, except where the recorded turn asked all the same."""
    asked = [(event.tool_name, event.args) for event in turn.events if isinstance(event, ApprovalRequested)]
    allow = allow_remembered(remembered_calls((*turn.before, *turn.events)))

    def decide(request: ApprovalRequest) -> ApprovalDecision | None:
        return None if (request.tool_name, request.args) in asked else allow(request)

    return decide


def agents_of(team: Orchestrator) -> list[AgentStep[Any, Any]]:
    """Every agent of a team, the supervisor's first."""
    supervisor = team.supervisor
    steps: list[Step[Any, Any]] = [supervisor.plan, *supervisor.limited.values()]
    steps += [supervisor.reassign, supervisor.conclude]
    steps += [specialist.step for specialist in team.registry]
    return list({id(agent): agent for step in steps for agent in _agents_below(step)}.values())


def _agents_below(step: Step[Any, Any]) -> Iterator[AgentStep[Any, Any]]:
    if isinstance(step, AgentStep):
        yield step
    for child in step.children():
        yield from _agents_below(child)


def _overrides(
    team: Orchestrator, turn: RecordedTurn, start: int | None, changes: Changes
) -> list[tuple[AgentStep[Any, Any], dict[str, Any]]]:
    """What each agent is given instead of what it declares."""
    agents = agents_of(team)
    prompted = _prompted(turn, start, changes)
    for name in {changes.agent, prompted} - {None}:
        if name not in {agent.name for agent in agents}:
            known = ", ".join(dict.fromkeys(agent.name for agent in agents))
            raise NotRecordedError(f"the team has no agent {name!r}; it has {known}")
    return [
        (
            agent,
            {
                "model": _late(changes.model if changes.agent in (None, agent.name) else None, agent),
                "instructions": changes.instructions if agent.name == prompted else None,
            },
        )
        for agent in agents
    ]


def _prompted(turn: RecordedTurn, start: int | None, changes: Changes) -> str | None:
    if changes.instructions is None:
        return None
    return changes.agent or turn.first_asked(0 if start is None else start)


def _late(changed: Model | str | None, agent: AgentStep[Any, Any]) -> Model:
    model = agent.model if changed is None else changed
    return LateModel(model) if isinstance(model, str) else model


def _is_supervised(event: Event) -> bool:
    return isinstance(event, AgentChanged) and event.current_agent.agent_id == SUPERVISOR_ID


def _stands_at(event: Event, where: str) -> bool:
    path = getattr(event, "path", None)
    names = (event.event_id, str(event.sequence_number), path, getattr(event, "agent_name", None))
    if where in names or canonical_id(where) == event.event_id:
        return True
    return path is not None and path.startswith(f"{where}/")  # a step that only runs another has no event of its own
