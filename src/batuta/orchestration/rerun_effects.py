"""The effects of a re-execution: recorded ones come back, later ones happen if they only read, nothing is written.

recorded before the cut  -> what was recorded
after it, reading        -> for real
after it, changing       -> the result of the same call in the recorded turn, else a stand-in
no cut, not recorded     -> the re-execution ends there
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import JsonValue

from batuta.events.envelope import Event
from batuta.events.runtime import EffectAbandoned, EffectRecorded
from batuta.events.tools import ApprovalRequested, ApprovalResolved, ToolRequest, ToolResponse
from batuta.kernel.errors import NotRecordedError, WriteForbiddenError
from batuta.kernel.messages import ToolCallBlock
from batuta.orchestration.approvals import Undecided, as_decision
from batuta.pipelines.journal import STEP_FAILURE, Effect, Recorded
from batuta.tools.approval import ApprovalDecision, ApprovalRequest
from batuta.tools.invocation import Around, CallScope, Execute, PreparedCall, ToolInvoker
from batuta.tools.outcome import Execution, ToolOutcome
from batuta.tools.tool import Tool

Source = Literal["recorded", "live", "stand_in"]

TOOL = "tool:"
"""How the effects of tool calls are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectUse:
    """Where one effect of a re-execution came from."""

    key: str
    name: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteUse:
    """Something that would have changed the world, and what was given instead."""

    name: str
    args: Mapping[str, Any] | None
    """As the log may hold them; `None` for what is no tool call."""
    source: Literal["recorded", "stand_in"]


class RecordedEffects:
    """The `Journal` of a re-execution. It keeps nothing: what happens here is forgotten."""

    def __init__(self, events: Iterable[Event], *, first_live: int | None) -> None:
        self._first_live = first_live
        self._recorded: dict[str, EffectRecorded] = {}
        self._failed: dict[str, str] = {}
        for event in events:
            if isinstance(event, EffectRecorded):
                self._recorded[event.key] = event
            elif isinstance(event, EffectAbandoned):
                self._failed[event.key] = event.reason
        self.used: list[EffectUse] = []
        self.writes: list[WriteUse] = []

    async def recall(self, effect: Effect) -> Recorded | None:
        """What the recorded turn got, as far as it counts here."""
        known = self._recorded.get(effect.key)
        if effect.name == STEP_FAILURE and known is None:
            return None
        if known is not None and self._counts(known, effect):
            self._note(effect, "recorded")
            return Recorded(known.result)
        if self._first_live is None:
            raise NotRecordedError(self._missing(effect))
        if effect.kind == "read":
            self._note(effect, "live")
            return None
        self._note(effect, "stand_in")
        raise WriteForbiddenError(f"{effect.name} would change the world; a re-execution does not, and has no stand-in")

    async def intend(self, effect: Effect) -> None:
        """Refuse: not even an undoing is done here."""
        raise WriteForbiddenError(f"{effect.name} would change the world; a re-execution does not")

    async def record(self, effect: Effect, value: JsonValue) -> None:
        """Forget it."""

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Forget it."""

    def _counts(self, known: EffectRecorded, effect: Effect) -> bool:
        """Before the cut always; after it for actions. A tool call after it is compared by its arguments first."""
        if self._first_live is None or (known.sequence_number or 0) < self._first_live:
            return True
        return effect.kind != "read" and not effect.name.startswith(TOOL)

    def _note(self, effect: Effect, source: Source) -> None:
        self.used.append(EffectUse(key=effect.key, name=effect.name, source=source))
        if effect.kind != "read" and source != "live" and not effect.name.startswith(TOOL):
            self.writes.append(WriteUse(name=effect.name, args=None, source=source))

    def _missing(self, effect: Effect) -> str:
        reason = self._failed.get(effect.key)
        outcome = f"it did not happen ({reason})" if reason else "it is not in the log"
        return (
            f"{effect.name} at {effect.key!r} has no recorded result: {outcome}; choose an event to go on from for real"
        )


class _Call:
    """A tool call of the recorded turn and its answer."""

    __slots__ = ("args", "is_used", "response", "tool_name")

    def __init__(self, request: ToolRequest, response: ToolResponse) -> None:
        self.tool_name = request.tool_name
        self.args = request.args if response.executed_args is None else response.executed_args
        self.response = response
        self.is_used = False


class RehearsingInvoker(ToolInvoker):
    """Runs tools that read. One that changes something is answered by the same call of the recorded turn."""

    def __init__(self, events: Iterable[Event], journal: RecordedEffects) -> None:
        super().__init__()
        self._calls = list(_answered_calls(events))
        self._writes = journal.writes

    async def invoke(self, call: ToolCallBlock, scope: CallScope, *, idempotency_key: str = "") -> ToolOutcome:
        """Answer one call, changing nothing outside."""
        harmless = replace(scope, tools=_without_previews(scope.tools), around=self._standing_in(scope.around))
        return await super().invoke(call, harmless, idempotency_key=idempotency_key)

    def _standing_in(self, around: Around) -> Around:
        async def run(prepared: PreparedCall, execute: Execute) -> Execution:
            try:
                execution = await around(prepared, execute)
            except WriteForbiddenError:
                return self._answer(prepared)
            if prepared.tool.policy.effect != "read":
                self._note(prepared, "recorded")
            return execution

        return run

    def _answer(self, prepared: PreparedCall) -> Execution:
        same = self._same_call(prepared)
        self._note(prepared, "stand_in" if same is None else "recorded")
        if same is None:
            return Execution(content=f"[stand-in: {prepared.tool.name} was not executed, this is a re-execution]")
        same.is_used = True
        answer = same.response
        return Execution(
            content=answer.content, is_error=not answer.success, error=answer.error, details=dict(answer.details)
        )

    def _same_call(self, prepared: PreparedCall) -> _Call | None:
        """The first call of the same tool with the same arguments that did not answer another one."""
        args = prepared.tool.policy.redacted(prepared.args)
        same = (call for call in self._calls if call.tool_name == prepared.tool.name and call.args == args)
        return next((call for call in same if not call.is_used), None)

    def _note(self, prepared: PreparedCall, source: Literal["recorded", "stand_in"]) -> None:
        args = prepared.tool.policy.redacted(prepared.args)
        self._writes.append(WriteUse(name=prepared.tool.name, args=args, source=source))


class RehearsingApprover:
    """Decides after the cut: as it was decided about the same call, or freely where nothing is executed anyway."""

    def __init__(self, events: Iterable[Event], decided: Mapping[str, ApprovalResolved], tools: Mapping[str, Tool]):
        self._asked = [event for event in events if isinstance(event, ApprovalRequested)]
        self._decided = decided
        self._tools = tools

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """The decision about one call. An undecided call that reads suspends the turn."""
        same = [e for e in self._asked if (e.tool_name, e.args) == (request.tool_name, request.args)]
        decided = [self._decided[e.approval_id] for e in same if e.approval_id in self._decided]
        if len(decided) > request.refused_edits:
            return as_decision(decided[request.refused_edits])
        tool = self._tools.get(request.tool_name)
        if tool is not None and tool.policy.effect != "read":
            return ApprovalDecision.approve(by="re-execution: nothing is executed")
        return await Undecided().decide(request)


def _answered_calls(events: Iterable[Event]) -> Iterable[_Call]:
    asked: dict[tuple[str, str | None], ToolRequest] = {}
    for event in events:
        if isinstance(event, ToolRequest):
            asked[event.tool_use_id, event.source_agent_id] = event
        elif isinstance(event, ToolResponse):
            request = asked.pop((event.tool_use_id, event.source_agent_id), None)
            if request is not None:
                yield _Call(request, event)


def _without_previews(tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """A preview may look things up, and none is shown here."""
    return {
        name: tool if tool.policy.preview is None else replace(tool, policy=replace(tool.policy, preview=None))
        for name, tool in tools.items()
    }
