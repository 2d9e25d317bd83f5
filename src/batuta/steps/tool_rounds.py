"""One round of tools: what a model asked for in one answer is run, through the journal, and reported.

    calls of an answer -> side by side, those that want to be alone afterwards -> results in call order

An agent whose model asks for no tool never comes here, and nothing of it is imported.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from batuta.events.envelope import EVENT_TYPES, trusted
from batuta.events.progress import ToolProgress
from batuta.events.runtime import ToolRefused
from batuta.events.tools import ToolResponse
from batuta.kernel.approvals import ApprovalRequest
from batuta.kernel.errors import CannotHelpError, UnknownOutcomeError
from batuta.kernel.ids import canonical_id
from batuta.kernel.messages import ToolCallBlock, ToolResultBlock
from batuta.kernel.tasks import all_or_first_failure
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.journal import Reconcile
from batuta.pipelines.outcomes import asking_a_person
from batuta.tools.invocation import CallScope, Execute, PreparedCall, default_invoker, reconciler, surely_not_done
from batuta.tools.outcome import Execution, IntentKeys, ToolOutcome

if TYPE_CHECKING:
    from batuta.steps.agent import AgentStep

_EXECUTION = TypeAdapter(Execution)
_tool_response = trusted(ToolResponse)


class ToolRound:
    """The tool calls of one answer. `number` is that of the model call that asked for them."""

    def __init__(
        self, agent: "AgentStep[Any, Any]", ctx: Context, agent_id: str, number: int, intents: IntentKeys
    ) -> None:
        self._tools = agent.tools
        self._ctx = ctx
        self._place = invocation_of(ctx)
        self._agent_id = agent_id
        self._number = number
        self._intents = intents
        self._keys: dict[str, str] = {}
        self._unknown: list[UnknownOutcomeError] = []

    async def run(self, calls: Sequence[ToolCallBlock]) -> list[ToolResultBlock]:
        """Run the calls of one answer: side by side, except those that want to be alone, which follow in order.

        If the outcome of one of them is unknown, the others still end, and then the agent does: its model learns
        neither that it was done nor that it failed.
        """
        outcomes: dict[int, ToolOutcome] = {}
        tools = [self._tools.get(call.name) for call in calls]
        writes = [call for call, tool in zip(calls, tools, strict=True) if tool and tool.policy.effect == "write"]
        self._keys = self._intents.take(writes)
        shared = [
            i for i, call in enumerate(calls) if not ((tool := self._tools.get(call.name)) and tool.policy.exclusive)
        ]
        scope = self._call_scope()
        together = await all_or_first_failure(self._run_tool(i, calls[i], scope) for i in shared)
        outcomes.update((i, outcome) for i, outcome in zip(shared, together, strict=True) if outcome is not None)
        for i in (i for i in range(len(calls)) if i not in shared):
            if not self._unknown and (outcome := await self._run_tool(i, calls[i], scope)) is not None:
                outcomes[i] = outcome
        if self._unknown:
            raise self._unknown[0]
        for outcome in outcomes.values():
            if outcome.error == CannotHelpError.code:
                raise CannotHelpError(outcome.result.content)
        return [outcomes[i].result for i in range(len(calls))]

    def _call_scope(self) -> CallScope:
        """Made when it is needed: kept here, it and the round would keep one another from being freed."""
        return CallScope(
            tools=self._tools,
            agent_id=self._agent_id,
            user=self._ctx.user,
            correlation_id=self._ctx.correlation_id,
            services=self._ctx.services,
            approver=self._place.run.approver,
            around=self._once,
            intent_key=lambda call: self._keys.get(call.id),
            on_progress=self._progress,
        )

    async def _run_tool(self, position: int, call: ToolCallBlock, scope: CallScope) -> ToolOutcome | None:
        """What came of a call; None if it is unknown."""
        key = f"{self._ctx.idempotency_key}:{self._number}.{position}"
        invoker = self._place.run.policies.invoker or default_invoker()
        try:
            outcome = await invoker.invoke(call, scope, idempotency_key=key)
        except UnknownOutcomeError as unknown:
            self._unknown.append(unknown)
            await self._place.emit(self._open_end(call, unknown), live=True)
            return None
        if not outcome.result.is_error and call.id in self._keys:
            self._intents.succeeded(self._keys[call.id])
        if outcome.is_security_event:
            await self._place.emit(
                ToolRefused(
                    tool_name=call.name,
                    tool_use_id=call.id,
                    path=self._place.path,
                    reason=outcome.result.content,
                    user_id=self._ctx.user.id,
                    source_agent_id=canonical_id(self._agent_id),
                )
            )
        if self._ctx.is_heard:
            await self._place.emit(
                _tool_response(
                    tool_use_id=call.id,
                    tool_name=call.name,
                    content=outcome.result.content,
                    success=not outcome.result.is_error,
                    error=outcome.error,
                    duration_ms=outcome.duration_seconds * 1000,
                    details=outcome.details,
                    executed_args=outcome.changed_args,
                    source_agent_id=canonical_id(self._agent_id),
                )
            )
        for payload in outcome.events:
            event_type = EVENT_TYPES[str(payload["type"])]
            await self._place.emit(event_type.model_validate({**payload, "source_agent_id": self._agent_id}))
        return outcome

    def _open_end(self, call: ToolCallBlock, unknown: UnknownOutcomeError) -> ToolResponse:
        return ToolResponse(
            tool_use_id=call.id,
            tool_name=call.name,
            content=str(unknown),
            success=False,
            error=unknown.code,
            duration_ms=0.0,
            source_agent_id=canonical_id(self._agent_id),
        )

    async def _once(self, prepared: PreparedCall, execute: Execute) -> Execution:
        """Run a tool through the journal. Only of a write it may have to be found out whether it took place."""
        effect = prepared.tool.policy.effect
        name = f"tool:{prepared.tool.name}:{prepared.idempotency_key.rpartition(':')[2]}"
        if effect != "write":
            return await self._ctx.effect(execute, _EXECUTION, kind=effect, name=name)
        return await self._ctx.effect(
            execute,
            _EXECUTION,
            kind=effect,
            name=name,
            reconcile=reconciler(prepared, self._call_scope()),
            ask=self._asker(prepared),
            not_done=lambda lost: surely_not_done(prepared, lost),
            settles_within=prepared.tool.policy.settles_within,
        )

    def _asker(self, prepared: PreparedCall) -> Reconcile[Execution] | None:
        """A person knows what a tool cannot find out: whether an interrupted call took place."""

        def about() -> ApprovalRequest:
            return ApprovalRequest(
                tool_use_id=prepared.call.id,
                tool_name=prepared.tool.name,
                args=prepared.args,
                idempotency_key=prepared.idempotency_key,
                agent_id=self._agent_id,
            )

        return asking_a_person(self._ctx, about, lambda words: Execution(content=words))

    async def _progress(self, call: ToolCallBlock, message: str, done: float | None, total: float | None) -> None:
        progress = ToolProgress(
            tool_use_id=call.id,
            tool_name=call.name,
            message=message,
            done=done,
            total=total,
            source_agent_id=self._agent_id,
        )
        await self._place.emit(progress, live=True)
