"""Two runs of one turn, side by side: what was said, what each step brought, and what it took."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar

from batuta.events.conversation import AssistantMessage, Complete
from batuta.events.envelope import Event
from batuta.events.routing import Persistence
from batuta.events.telemetry import AgentDecisionRecorded, AgentExecutionCompleted, AgentExecutionFailed
from batuta.kernel.usage import NO_USAGE, Usage
from batuta.orchestration.rerun_effects import WriteUse

T_co = TypeVar("T_co", covariant=True)

BOOKKEEPING = frozenset(
    {
        "effect.intended",
        "effect.recorded",
        "effect.abandoned",
        "llm.request",
        "llm.response",
        "turn.started",
        "turn.resumed",
        "turn_paused",
        "user_message",
        "approval_resolved",
    }
)
"""What tells how a run came about, and not what it did: recorded effects leave none of it."""


@dataclass(frozen=True, slots=True)
class RerunChange(Generic[T_co]):
    """A value of the recorded run, and of the new one."""

    before: T_co
    after: T_co

    @property
    def is_same(self) -> bool:
        """Whether nothing changed."""
        return self.before == self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFacts:
    """What one execution of an agent brought and took."""

    agent: str
    output: Mapping[str, Any] | None = None
    error: str | None = None
    tokens: int | None = None
    cost: Decimal | None = None
    milliseconds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDiff:
    """One place in both runs; a side is `None` if that run did not come there."""

    place: str
    before: StepFacts | None
    after: StepFacts | None

    @property
    def is_same(self) -> bool:
        """Whether it brought the same."""
        return _brought(self.before) == _brought(self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCount:
    """How often both runs emitted an event."""

    type: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDiff:
    """What a re-execution changed."""

    status: RerunChange[str]
    answer: RerunChange[str | None]
    usage: RerunChange[Usage]
    cost: RerunChange[Decimal | None]
    seconds: RerunChange[float]
    steps: tuple[StepDiff, ...] = ()
    events: tuple[EventCount, ...] = ()
    """Only those that were not emitted equally often."""
    writes: tuple[WriteUse, ...] = field(default=())
    """Everything that would have changed the world: none of it happened."""

    @property
    def is_same(self) -> bool:
        """Whether both runs came to the same: the same end, the same answer, the same result of every step."""
        return self.status.is_same and self.answer.is_same and all(step.is_same for step in self.steps)


def diff_of(
    before: Sequence[Event], after: Sequence[Event], *, places: Mapping[str, str], writes: Iterable[WriteUse] = ()
) -> TurnDiff:
    """Compare two runs of a turn; `places` says where in the code an event id belongs."""
    first, second = _ending(before), _ending(after)
    return TurnDiff(
        status=RerunChange(_status(first), _status(second)),
        answer=RerunChange(_last_words(before), _last_words(after)),
        usage=RerunChange(*(NO_USAGE if end is None else end.usage for end in (first, second))),
        cost=RerunChange(*(None if end is None else end.cost for end in (first, second))),
        seconds=RerunChange(_seconds(before), _seconds(after)),
        steps=_steps(_facts(before, places), _facts(after, places)),
        events=_counts(before, after),
        writes=tuple(writes),
    )


def _brought(facts: StepFacts | None) -> tuple[Mapping[str, Any] | None, str | None] | None:
    return None if facts is None else (facts.output, facts.error)


def _ending(events: Sequence[Event]) -> Complete | None:
    return next((event for event in reversed(events) if isinstance(event, Complete)), None)


def _status(end: Complete | None) -> str:
    return "unfinished" if end is None else end.status


def _last_words(events: Sequence[Event]) -> str | None:
    said = (
        event.content for event in reversed(events) if isinstance(event, AssistantMessage) and not event.is_internal
    )
    return next((words for words in said if words), None)


def _seconds(events: Sequence[Event]) -> float:
    """How long a turn ran, without the time it was paused."""
    return sum(event.duration_ms or 0.0 for event in events if isinstance(event, Complete)) / 1000


def _facts(events: Sequence[Event], places: Mapping[str, str]) -> dict[str, StepFacts]:
    """What each execution brought, by its place; where that is not known, by agent and number."""
    found: dict[str, dict[str, Any]] = {}
    numbers: Counter[tuple[type[Event], str]] = Counter()
    for event in events:
        if not isinstance(event, (AgentDecisionRecorded, AgentExecutionCompleted, AgentExecutionFailed)):
            continue
        kind = (type(event), event.agent_name)
        numbers[kind] += 1
        place = places.get(event.event_id) or f"{event.agent_name} #{numbers[kind]}"
        found.setdefault(place, {"agent": event.agent_name}).update(_facts_in(event))
    return {place: StepFacts(**facts) for place, facts in found.items()}


def _facts_in(event: AgentDecisionRecorded | AgentExecutionCompleted | AgentExecutionFailed) -> dict[str, Any]:
    if isinstance(event, AgentDecisionRecorded):
        return {"output": event.output_data}
    if isinstance(event, AgentExecutionFailed):
        return {"error": event.error_message, "milliseconds": event.execution_time_before_failure_ms}
    return {
        "tokens": event.llm_tokens_used,
        "cost": event.llm_cost_usd,
        "milliseconds": event.execution_time_ms,
    }


def _steps(before: Mapping[str, StepFacts], after: Mapping[str, StepFacts]) -> tuple[StepDiff, ...]:
    places = dict.fromkeys([*before, *after])
    return tuple(StepDiff(place=place, before=before.get(place), after=after.get(place)) for place in places)


def _counts(before: Iterable[Event], after: Iterable[Event]) -> tuple[EventCount, ...]:
    first, second = _by_type(before), _by_type(after)
    return tuple(
        EventCount(type=type_, before=first[type_], after=second[type_])
        for type_ in sorted(first | second)
        if first[type_] != second[type_]
    )


def _by_type(events: Iterable[Event]) -> Counter[str]:
    return Counter(event.type for event in events if _is_deed(event))


def _is_deed(event: Event) -> bool:
    is_pause = isinstance(event, Complete) and event.status == "paused"
    return event.persistence is not Persistence.TRANSIENT and event.type not in BOOKKEEPING and not is_pause
