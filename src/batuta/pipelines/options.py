"""What a run can be given besides its input.

`RunOptions` are the keywords of `run(value, …)`. A run takes them apart when it begins; what travels with it from then
on are values with names, such as its `CallPolicies`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self, TypedDict

from batuta.events.emitter import Naming
from batuta.events.sink import EventSink, Recorder
from batuta.kernel.clock import Clock
from batuta.kernel.users import ToolUser
from batuta.pipelines.cancellation import Cancellation
from batuta.pipelines.hooks import Hook
from batuta.pipelines.journal import Journal

if TYPE_CHECKING:  # what only agents need is not imported with a pipeline
    from batuta.conversations.conversation import Conversation
    from batuta.llm.budget import Budget, BudgetLedger
    from batuta.llm.resilient import Protection
    from batuta.llm.thinking import ThinkingOptions
    from batuta.tools.approval import Approver
    from batuta.tools.invocation import ToolInvoker


class RunOptions(TypedDict, total=False):
    """Everything is optional. A run inside a running step takes only `conversation` and `timeout`."""

    conversation: "Conversation | None"
    """What was said so far; agents read it and write to it."""
    timeout: timedelta | float | None
    """How long the whole run may take (seconds if a number)."""
    sink: EventSink | None
    """Sees every event; must be cheap."""
    recorder: Recorder | None
    """Stores every persisted event before the run goes on."""
    naming: Naming | None
    """Gives the events of a run that may be repeated the same ids each time."""
    journal: Journal | None
    """Returns recorded effects instead of repeating them."""
    cancellation: Cancellation | None
    """Lets another task stop the run."""
    hooks: Sequence[Hook]
    """Run around every step."""
    user: ToolUser
    """On whose behalf the run acts; tools check its roles."""
    approver: "Approver | None"
    """Decides about tool calls that need approval; without one they are refused."""
    invoker: "ToolInvoker"
    """Runs tool calls; share one so that limits count together."""
    protection: "Protection"
    """Retries, breaker and limiter of model calls; share one so that breakers count together."""
    models: Mapping[str, str]
    """Which models take the place of which in this run, by name: `{"openai:gpt-5.2": "google:gemini-2.5-flash"}`."""
    thinking: "ThinkingOptions"
    """Whether models think before they answer, and how much; without it as each agent declares."""
    budgets: "Sequence[Budget]"
    """What the run may use; a model call that does not fit is not made."""
    ledger: "BudgetLedger"
    """Keeps the accounts of the budgets."""
    services: Mapping[str, Any]
    """Available to steps as `ctx.services`."""
    correlation_id: str | None
    """Ties everything about this run together; made up when absent."""
    trace_id: str | None
    session_id: str | None
    turn_id: str | None
    dry_run: bool
    """Replace effects by their stand-ins."""
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationOptions:
    """What one call of `run` decides for itself, also where it joins a run that is under way."""

    conversation: "Conversation | None" = None
    timeout: timedelta | float | None = None

    @classmethod
    def of(cls, options: RunOptions) -> Self:
        """The part of a run's options that its outermost step alone is given."""
        return cls(conversation=options.get("conversation"), timeout=options.get("timeout"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPolicies:
    """What holds for every call of a model or a tool in a run; the options of the same names say what each is for."""

    invoker: "ToolInvoker | None" = None
    protection: "Protection | None" = None
    models: Mapping[str, str] = field(default_factory=dict)
    thinking: "ThinkingOptions | None" = None
    budgets: "Sequence[Budget]" = ()
    ledger: "BudgetLedger | None" = None

    @classmethod
    def of(cls, options: RunOptions) -> Self:
        """The policies among the options of a run."""
        return cls(
            invoker=options.get("invoker"),
            protection=options.get("protection"),
            models=options.get("models", {}),
            thinking=options.get("thinking"),
            budgets=options.get("budgets", ()),
            ledger=options.get("ledger"),
        )
