"""The orchestrator: many agents, one conductor. A message becomes a turn; everything it does is emitted as events.

team = Orchestrator(supervisor="anthropic:claude-sonnet-4-6", agents=[Specialist(erp, name="ERP"), …])
turn = await team.run("Which invoices are late?")
"""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Unpack

from batuta.events.conversation import (
    AssistantMessage,
    Complete,
    CompletionStatus,
    ErrorOccurred,
    SessionStart,
    TurnPaused,
    UserMessage,
)
from batuta.events.envelope import Event
from batuta.events.observers import FanOutSink
from batuta.events.sink import EventSink, OnStored, PipelinedRecorder
from batuta.events.tools import ApprovalResolved
from batuta.kernel.errors import ConfigurationError, Suspended
from batuta.kernel.ids import EventId, MessageId, new_id
from batuta.kernel.messages import Message, StopReason
from batuta.kernel.usage import Usage
from batuta.llm.model import Model, ModelSettings
from batuta.orchestration.approvals import APPROVAL_LIFETIME, ApprovalPolicy, EmittingApprover, Undecided
from batuta.orchestration.conducting import Conductor, TurnRequest, build_graph
from batuta.orchestration.plan_execution import FailurePolicy
from batuta.orchestration.plans import Plan
from batuta.orchestration.specialist import AgentRegistry, Specialist
from batuta.orchestration.state import AgentState, HandoffRecord, OperationMode, new_state
from batuta.orchestration.supervisor import MAX_PLAN_STEPS, Supervisor
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.options import RunOptions
from batuta.pipelines.result import StepError
from batuta.pipelines.step import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What came of a turn."""

    status: CompletionStatus
    answer: str | None
    events: tuple[Event, ...]
    plan: Plan | None
    handoffs: tuple[HandoffRecord, ...]
    mode: OperationMode
    error: StepError | None
    usage: Usage
    cost: Decimal | None
    state: AgentState
    session_id: str
    turn_id: str
    waiting_for: str | None = None
    """The approval a paused turn waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOptions:
    """What a turn is given besides its message."""

    request: TurnRequest
    is_confirmed: bool = False
    """The user's message is in the log already."""
    decided: dict[str, ApprovalResolved] = field(default_factory=dict)
    """Decisions made while the turn was paused."""
    policies: tuple[ApprovalPolicy, ...] = ()
    store_lead: timedelta = timedelta()
    """How far the store's clock, by which approvals expire, is ahead of the one of this process."""


class Orchestrator:
    """A team: a supervisor and its specialists."""

    def __init__(
        self,
        *,
        supervisor: Model | str,
        agents: Sequence[Specialist],
        instructions: str = "",
        settings: ModelSettings | None = None,
        max_steps: int = MAX_PLAN_STEPS,
        failure_policy: FailurePolicy | None = None,
        approval_policies: Sequence[ApprovalPolicy] = (),
        approval_lifetime: timedelta = APPROVAL_LIFETIME,
        is_streaming: bool = False,
    ) -> None:
        if max_steps < 1:
            raise ConfigurationError(f"max_steps is at least 1, got {max_steps}")
        self.registry = AgentRegistry(agents)
        self.supervisor = Supervisor(
            supervisor,
            self.registry,
            instructions=instructions,
            settings=settings,
            max_steps=max_steps,
            is_streaming=is_streaming,
        )
        self.failure_policy = failure_policy or FailurePolicy()
        self.failure_policy.check(self.registry.names)
        self.approval_policies = tuple(approval_policies)
        self.approval_lifetime = approval_lifetime
        self.graph = build_graph()

    async def run(
        self,
        text: str,
        *,
        target_agent_id: str | None = None,
        bypass_routing: bool = True,
        **options: Unpack[RunOptions],
    ) -> Turn:
        """Answer one message. With a `conversation` it is read, and the request and the answer join it."""
        request = TurnRequest(text=text, target_agent_id=target_agent_id, bypass_routing=bypass_routing)
        return await self.conduct(TurnOptions(request=request), **options)

    async def conduct(self, turn: TurnOptions, **options: Unpack[RunOptions]) -> Turn:
        """Run a turn, for the first time or again after an interruption."""
        options.setdefault("session_id", new_id())
        options.setdefault("turn_id", new_id())
        kept = _TurnEvents(options.get("sink"))
        options["sink"] = kept.sink
        recorder, history = options.get("recorder"), kept.events
        if isinstance(recorder, PipelinedRecorder):
            history = []
            options["recorder"] = _NotingRecorder(recorder, history)
        step = TurnStep(self, turn, history)
        result = await step.run(turn.request.text, **options)
        conversation = options.get("conversation")
        if conversation is not None and not result.is_error and step.waiting_for is None:
            conversation.add(Message.user(turn.request.text), Message.assistant(result.value))
        outcome = Turn(
            status=step.status,
            answer=None if result.is_error or step.waiting_for else result.value,
            events=tuple(kept.events),
            plan=step.conductor.plan if step.conductor else None,
            handoffs=tuple(step.conductor.handoffs.records) if step.conductor else (),
            mode=step.conductor.mode if step.conductor else "autonomous",
            error=result.error if result.is_error else None,
            usage=result.metrics.usage,
            cost=result.metrics.cost,
            state=step.conductor.state if step.conductor else new_state(),
            session_id=str(options["session_id"]),
            turn_id=str(options["turn_id"]),
            waiting_for=step.waiting_for,
        )
        if step.conductor is not None:
            step.conductor.close()
        return outcome


class TurnStep(Step[str, str]):
    """The outermost step of a turn: emits its beginning and its end."""

    is_transparent = True

    def __init__(self, team: Orchestrator, turn: TurnOptions, history: Sequence[Event]) -> None:
        super().__init__("turn", input_type=str, output_type=str)
        self._team = team
        self._turn = turn
        self._history = history
        self.conductor: Conductor | None = None
        self.status: CompletionStatus = "failed"
        self.waiting_for: str | None = None

    async def _perform(self, value: str, ctx: Context) -> str:
        started = time.perf_counter()
        await self._open(value, ctx)
        self.conductor = Conductor(self._team, self._turn.request, ctx, self._history)
        run = invocation_of(ctx).run
        run.approver = EmittingApprover(
            ctx,
            run.approver or Undecided(),
            policies=(*self._team.approval_policies, *self._turn.policies),
            decided=self._turn.decided,
            lifetime=self._team.approval_lifetime + self._turn.store_lead,
        )
        try:
            answer = await self.conductor.conduct()
        except Suspended as suspended:
            await run.keep_what_failed_beside()
            await self._pause(ctx, suspended, started)
            return ""
        except asyncio.CancelledError:
            await self.conductor.stop()
            await self._close(ctx, "cancelled", started)
            raise
        except Exception as error:
            failure = getattr(error, "error", None) or StepError.of(error, step_name=self.name)
            await self._emit_error(ctx, failure)
            await self._close(ctx, "failed", started)
            raise
        await self._close(ctx, "success", started)
        return answer

    async def _open(self, text: str, ctx: Context) -> None:
        await ctx.emit(SessionStart())
        if not self._turn.is_confirmed:
            await ctx.emit(
                UserMessage(
                    content=text,
                    target_agent_id=self._turn.request.target_agent_id,
                    message_id=MessageId(ctx.stable_id("request")),
                )
            )

    async def _pause(self, ctx: Context, suspended: Suspended, started: float) -> None:
        self.waiting_for = suspended.waiting_for
        await ctx.emit(
            TurnPaused(
                reason=str(suspended),
                approval_id=suspended.waiting_for,
                source_agent_id=self.conductor.handoffs.current.agent_id if self.conductor else "orchestrator",
            )
        )
        await self._close(ctx, "paused", started)

    async def _close(self, ctx: Context, status: CompletionStatus, started: float) -> None:
        self.status = status
        tally = invocation_of(ctx).scope.tally
        await ctx.emit(
            Complete(
                event_id=EventId(ctx.stable_id(f"complete:{status}:{self.waiting_for or ''}")),
                status=status,
                stop_reason=self._stop_reason(status),
                usage=tally.usage,
                cost=tally.cost,
                duration_ms=(time.perf_counter() - started) * 1000,
            )
        )

    def _stop_reason(self, status: str) -> StopReason | None:
        """That of the answer: a turn that failed or was stopped has none, whatever it said on the way."""
        if status == "success":
            said = (event.stop_reason for event in reversed(self._history) if isinstance(event, AssistantMessage))
            return next(said, "success")
        return "paused" if status == "paused" else None

    async def _emit_error(self, ctx: Context, failure: StepError) -> None:
        await ctx.emit(
            ErrorOccurred(
                code=failure.code,
                message=failure.message,
                category=failure.category,
                retryable=failure.is_retryable,
                not_undone=tuple(map(str, failure.rollback_failures)),
            )
        )


class _TurnEvents:
    """Keeps a turn's events beside the other sinks."""

    never_blocks = True

    def __init__(self, other: EventSink | None) -> None:
        self.events: list[Event] = []
        self._other = other

    @property
    def sink(self) -> EventSink:
        """What a run is given."""
        return self if self._other is None else FanOutSink(self, self._other)

    def emit(self, event: Event) -> None:
        """Keep an event."""
        self.events.append(event)


class _NotingRecorder:
    """Keeps a turn's events from the moment of emission: the turn itself must not wait until it is durable."""

    def __init__(self, recorder: PipelinedRecorder, history: list[Event]) -> None:
        self._recorder = recorder
        self._history = history
        self.barrier = recorder.barrier
        self.record = recorder.record

    def submit(self, event: Event, on_stored: OnStored | None = None) -> Awaitable[None] | None:
        """Keep the event, and hand it on."""
        self._history.append(event)
        return self._recorder.submit(event, on_stored)
