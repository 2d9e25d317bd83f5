"""The catalogue: every canonical event in one tagged union, and the way from stored JSON back to an event.

stored JSON -> upcast (version by version) -> the model named by `type`
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError
from pydantic_core import from_json

from batuta.events.conversation import (
    AssistantMessage,
    Complete,
    ContentRefused,
    ErrorOccurred,
    FeedbackGiven,
    SessionEnd,
    SessionStart,
    Thinking,
    TitleChanged,
    TurnPaused,
    UserMessage,
)
from batuta.events.datasets import ChartDrawn, DatasetStored
from batuta.events.envelope import EVENT_TYPES, Event, UnknownEvent
from batuta.events.plans import (
    AgentChanged,
    AgentHandoff,
    PlanCompleted,
    PlanGenerated,
    PlanStepCompleted,
    PlanStepStarted,
)
from batuta.events.progress import (
    ContentDelta,
    FileProgress,
    JobProgress,
    StepProgress,
    StreamDiscarded,
    TagCompleted,
    TagStarted,
    ThinkingDelta,
    ToolProgress,
)
from batuta.events.runtime import (
    AttemptRejected,
    BreakerChanged,
    BudgetRefused,
    EffectAbandoned,
    EffectIntended,
    EffectRecorded,
    HookFailed,
    LimiterThrottled,
    LlmExchanged,
    LlmRequest,
    LlmResponse,
    StepCompleted,
    StepFailed,
    StepStarted,
    ToolRefused,
    TurnResumed,
    TurnStarted,
)
from batuta.events.telemetry import (
    AgentDecisionRecorded,
    AgentExecutionCompleted,
    AgentExecutionFailed,
    AgentExecutionStarted,
    AgentFallbackTriggered,
    AgentPipelineCompleted,
    AgentPipelineStarted,
    AgentRetryAttempted,
)
from batuta.events.tools import ApprovalRequested, ApprovalResolved, ToolRequest, ToolResponse
from batuta.kernel.errors import UndecodableEventError, UnknownEventTypeError

CanonicalEvent = Annotated[
    SessionStart
    | SessionEnd
    | UserMessage
    | Thinking
    | AssistantMessage
    | TurnPaused
    | ContentRefused
    | ErrorOccurred
    | Complete
    | TitleChanged
    | FeedbackGiven
    | ToolRequest
    | ToolResponse
    | ApprovalRequested
    | ApprovalResolved
    | DatasetStored
    | ChartDrawn
    | PlanGenerated
    | PlanStepStarted
    | PlanStepCompleted
    | PlanCompleted
    | AgentHandoff
    | AgentChanged
    | ContentDelta
    | ThinkingDelta
    | ToolProgress
    | StepProgress
    | JobProgress
    | FileProgress
    | TagStarted
    | StreamDiscarded
    | TagCompleted
    | StepStarted
    | StepCompleted
    | StepFailed
    | HookFailed
    | LlmExchanged
    | LlmRequest
    | LlmResponse
    | AttemptRejected
    | EffectIntended
    | EffectRecorded
    | EffectAbandoned
    | ToolRefused
    | BreakerChanged
    | LimiterThrottled
    | BudgetRefused
    | TurnStarted
    | TurnResumed
    | AgentExecutionStarted
    | AgentExecutionCompleted
    | AgentExecutionFailed
    | AgentDecisionRecorded
    | AgentRetryAttempted
    | AgentFallbackTriggered
    | AgentPipelineStarted
    | AgentPipelineCompleted,
    Field(discriminator="type"),
]
"""Every event the product itself tells. Events added by users are in the table and decode the same way."""

Upcast = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTS: dict[tuple[str, int], Upcast] = {}
"""From (type, old version) to the function that lifts a stored event to the next version."""


def upcast(event_type: str, version: int) -> Callable[[Upcast], Upcast]:
    """Declare how events of one type and version become the next version."""

    def declare(function: Upcast) -> Upcast:
        if (event_type, version) in UPCASTS:
            raise ValueError(f"{event_type!r} version {version} already has an upcast")
        UPCASTS[event_type, version] = function
        return function

    return declare


def encode(event: Event) -> bytes:
    """An event as JSON, the one form in which it is stored and sent."""
    return event.__pydantic_serializer__.to_json(event)


def decode(data: bytes | str | Mapping[str, Any]) -> Event:
    """A stored event, lifted to its current version.

    Raises `UnknownEventTypeError` for a type the table does not hold, and `UndecodableEventError` for anything else
    that cannot be read.
    """
    fields = _fields(data)
    event_type = fields.get("type")
    model = EVENT_TYPES.get(event_type) if isinstance(event_type, str) else None
    if model is None:
        raise UnknownEventTypeError(f"the catalogue has no event type {event_type!r}")
    try:
        return model.model_validate(_lifted(fields, model))
    except (ValidationError, KeyError, TypeError, ValueError) as error:
        raise UndecodableEventError(f"cannot read a stored {event_type!r} event: {error}") from error


def decode_any(data: bytes | str | Mapping[str, Any]) -> Event:
    """Like `decode`, but an event of a type the table does not hold comes back as an `UnknownEvent`."""
    try:
        return decode(data)
    except UnknownEventTypeError:
        pass
    try:
        return UnknownEvent.model_validate(_fields(data))
    except ValidationError as error:
        raise UndecodableEventError(f"cannot read the envelope of a stored event: {error}") from error


def _fields(data: bytes | str | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(data, Mapping):
        return dict(data)
    try:
        fields = from_json(data)
    except ValueError as error:
        raise UndecodableEventError(f"a stored event is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise UndecodableEventError(f"a stored event is not a JSON object but {type(fields).__name__}")
    return fields


def _lifted(fields: dict[str, Any], model: type[Event]) -> dict[str, Any]:
    """Apply upcasts until the event has the version its model knows."""
    current = model.route.version
    version = int(fields.get("version", 1))
    if version > current:
        raise ValueError(f"version {version} is newer than the {current} this program knows")
    while version < current:
        fields = UPCASTS[model.route.type, version](fields)
        version += 1
    return {**fields, "version": current}
