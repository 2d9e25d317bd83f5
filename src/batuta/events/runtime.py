"""Events of the runtime itself: steps, model calls, effects, limits, turns. Never shown to users."""

from decimal import Decimal
from typing import Any, Literal

from pydantic import JsonValue

from batuta.events.envelope import RuntimeEvent
from batuta.events.steps import HookFailed, StepCompleted, StepFailed, StepStarted
from batuta.kernel.effects import EffectKind
from batuta.kernel.messages import StopReason
from batuta.kernel.usage import Usage

__all__ = [
    "AttemptRejected",
    "BreakerChanged",
    "BudgetRefused",
    "EffectAbandoned",
    "EffectIntended",
    "EffectRecorded",
    "HookFailed",
    "LimiterThrottled",
    "LlmExchanged",
    "LlmRequest",
    "LlmResponse",
    "StepCompleted",
    "StepFailed",
    "StepStarted",
    "ToolRefused",
    "TurnResumed",
    "TurnStarted",
]


class LlmRequest(RuntimeEvent):
    """A model is about to be called; written before, so that a call without an end can be found."""

    type: Literal["llm.request"] = "llm.request"
    call_id: str
    path: str
    provider: str
    model: str
    attempt: int
    """Which of the answers that its agent judges the call works towards, counted from one."""
    caller_tool: str | None = None
    """The tool whose body made the call, if one did: an agent that serves another as a tool."""
    is_streaming: bool = False
    settings: dict[str, JsonValue] = {}
    """How the model should answer, as far as it was set: `temperature`, `max_tokens`, `seed` …"""
    output_type: Literal["text", "json"] = "text"
    """Whether it should answer in words or in a structure."""
    estimated_input_tokens: int | None = None
    reserved_tokens: int | None = None
    """The most that one try may take. It counts for the call if its process dies and no answer is ever known."""
    reserved_cost: Decimal | None = None
    """What that would cost, where a price is known."""


class LlmResponse(RuntimeEvent):
    """A model call ended."""

    type: Literal["llm.response"] = "llm.response"
    call_id: str
    path: str
    provider: str
    model: str
    attempt: int = 1
    caller_tool: str | None = None
    duration_ms: float
    success: bool = True
    error: str | None = None
    stop_reason: StopReason | None = None
    tool_calls: int = 0
    """How many tools the answer asks for."""
    response_id: str | None = None
    """What the provider calls the answer: the name to give when asking it about a call."""
    usage: Usage | None = None
    cost: Decimal | None = None
    lost_tokens: int = 0
    """Charged to budgets for tries of this call whose answer was lost; estimated, and not part of `usage`."""
    lost_cost: Decimal | None = None
    """What those cost; not part of `cost`."""

    @property
    def paid(self) -> Decimal | None:
        """What the call cost in all; nothing where no price is known."""
        known = [cost for cost in (self.cost, self.lost_cost) if cost is not None]
        return sum(known, Decimal()) if known else None


class LlmExchanged(RuntimeEvent):
    """What a model was given and what it said, for observers that ask for contents (`wants_contents`).

    Emitted before the response, and only to sinks that ask: the conversation itself is in other events. Never stored.
    """

    type: Literal["llm.exchanged"] = "llm.exchanged"
    call_id: str
    path: str
    system: str
    messages: tuple[dict[str, Any], ...]
    """Each as a `Message` says itself: its `role`, and its `content` of blocks."""
    tools: tuple[dict[str, Any], ...] = ()
    """Those on offer, each with its `name`, `description` and `parameters`."""
    answer: dict[str, Any] | None = None
    """The message that came back; nothing where the call failed."""


class AttemptRejected(RuntimeEvent):
    """An answer failed a validation; the agent tries again or gives up."""

    type: Literal["attempt.rejected"] = "attempt.rejected"
    path: str
    attempt: int
    kind: Literal["structural", "semantic", "confidence"]
    message: str
    answer: str = ""


class EffectIntended(RuntimeEvent):
    """A write is about to happen; without a matching `effect.recorded` its outcome is unknown."""

    type: Literal["effect.intended"] = "effect.intended"
    key: str
    kind: EffectKind
    name: str


class EffectRecorded(RuntimeEvent):
    """What an effect brought; on resume it is returned instead of being done again."""

    type: Literal["effect.recorded"] = "effect.recorded"
    key: str
    kind: EffectKind
    name: str
    result: JsonValue


class EffectAbandoned(RuntimeEvent):
    """An intended write surely did not happen; it may be done another time."""

    type: Literal["effect.abandoned"] = "effect.abandoned"
    key: str
    kind: EffectKind
    name: str
    reason: str


class ToolRefused(RuntimeEvent):
    """A tool call that was not allowed: a security event."""

    type: Literal["tool.refused"] = "tool.refused"
    tool_name: str
    tool_use_id: str
    path: str
    reason: str
    user_id: str | None = None


class BreakerChanged(RuntimeEvent):
    """A circuit breaker changed its state."""

    type: Literal["breaker.changed"] = "breaker.changed"
    path: str | None = None
    """The place of the step that met it."""
    key: str
    previous: Literal["closed", "open", "half_open"]
    current: Literal["closed", "open", "half_open"]
    failures: int = 0


class LimiterThrottled(RuntimeEvent):
    """A rate limiter delayed or refused a call."""

    type: Literal["limiter.throttled"] = "limiter.throttled"
    path: str | None = None
    """The place of the step that met it."""
    key: str
    wait_seconds: float
    refused: bool = False


class BudgetRefused(RuntimeEvent):
    """A model call did not fit the budget and was not made."""

    type: Literal["budget.refused"] = "budget.refused"
    path: str | None = None
    """The place of the step that met it."""
    scope: str
    limit: str
    needed: str
    left: str


class TurnStarted(RuntimeEvent):
    """A worker began a turn."""

    type: Literal["turn.started"] = "turn.started"
    owner: str
    attempt: int = 1
    user_id: str | None = None


class TurnResumed(RuntimeEvent):
    """A worker took a turn up again, after a pause or the death of its last owner."""

    type: Literal["turn.resumed"] = "turn.resumed"
    owner: str
    attempt: int
    reason: Literal["recovered", "decided", "retried"]
    user_id: str | None = None
