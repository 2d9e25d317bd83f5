"""One tool call, through the ladder:

    known → granted → roles → arguments → rights → approval → [ rate → concurrency → timeout → run ] → outcome

What a model gets wrong and what a tool raises comes back as a result for the model. Cancellation and other control
flow pass through, and so does what the caller's own seams raise (approver, `around`). The bracket runs inside
`around`, where the caller may journal it, or return what an earlier run recorded. An error after which it is unknown
whether a write took place is no result: it is raised out of the bracket, and `around` settles it.
"""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import (
    BatutaError,
    CannotHelpError,
    DeadlineExceededError,
    InvalidArgumentsError,
    RunCancelledError,
    ToolRefusedError,
    UnknownOutcomeError,
    code_of,
)
from batuta.kernel.messages import ToolCallBlock, ToolResultBlock, separated
from batuta.kernel.outcomes import is_outcome_unknown
from batuta.kernel.outgoing import within_tool_use
from batuta.tools.approval import ApprovalDecision, ApprovalRequest, Approver
from batuta.tools.arguments import as_json
from batuta.tools.audit import LOGGING_AUDIT, AuditOutcome, AuditSink, ToolAudit
from batuta.tools.context import ANONYMOUS_USER, ToolContext, ToolUser
from batuta.tools.guard import CallGuard
from batuta.tools.limits import ToolLimits
from batuta.tools.outcome import Execution, Refusal, ToolOutcome, as_content, keeps_itself, payloads
from batuta.tools.policy import APPROVAL_REASON
from batuta.tools.tool import Tool

log = logging.getLogger("batuta.tools")

MAX_ERROR_CHARS = 2_000
MAX_REFUSED_EDITS = 20
"""How often a call is asked about again: an approver that is a program could edit wrongly for ever."""
MAX_KEPT_NAMES = 20
MAX_KEPT_NAME_CHARS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """A call that passed every check and is about to run."""

    tool: Tool
    call: ToolCallBlock
    args: dict[str, Any]
    """As JSON says them."""
    values: dict[str, Any]
    """As the tool takes them."""
    idempotency_key: str
    """Names this call: what is asked and journalled about it."""
    intent_key: str
    """Names what is intended: a call that tries the same again has the same. The tool sees this one."""

    approved_by: str = ""
    """Who approved it, once it is approved."""


Execute = Callable[[], Awaitable[Execution]]
Around = Callable[[PreparedCall, Execute], Awaitable[Execution]]
OnProgress = Callable[[ToolCallBlock, str, float | None, float | None], Awaitable[None]]


IntentKey = Callable[[ToolCallBlock], str | None]
"""The key of what a call intends; `None`: the call is an intent of its own."""


def _its_own_intent(_: ToolCallBlock) -> str | None:
    return None


async def _just_run(_: PreparedCall, execute: Execute) -> Execution:
    return await execute()


async def _ignore_progress(_: ToolCallBlock, message: str, done: float | None, total: float | None) -> None:
    """Discards progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallScope:
    """On whose behalf calls are made, what they may use, and who watches. Shared by the calls of one agent."""

    tools: Mapping[str, Tool]
    agent_id: str = ""
    user: ToolUser = ANONYMOUS_USER
    correlation_id: str = ""
    services: Mapping[Any, Any] = field(default_factory=dict)
    approver: Approver | None = None
    around: Around = _just_run
    """Runs a call; what it raises passes through. Alone, a lost answer is looked up, or reported as unknown."""
    intent_key: IntentKey = _its_own_intent
    on_progress: OnProgress = _ignore_progress


class _Refused(Exception):  # noqa: N818 - a way down the ladder, never seen outside
    def __init__(self, refusal: Refusal, message: str) -> None:
        super().__init__(message)
        self.refusal = refusal


class _Unauthorized(_Refused):
    """The user has no right to a call whose arguments are sound."""

    def __init__(self, prepared: PreparedCall, message: str) -> None:
        super().__init__(Refusal.FORBIDDEN, message)
        self.prepared = prepared

    async def execution(self) -> Execution:
        return _refusal(self.refusal, str(self))


class ToolInvoker:
    """Runs tool calls. One per process: rate and concurrency limits hold for everything that shares it."""

    def __init__(
        self,
        *,
        limits: ToolLimits | None = None,
        audit: AuditSink | None = None,
        clock: Clock = SYSTEM_CLOCK,
        guard: CallGuard | None = None,
    ) -> None:
        self._guard = guard
        self._limits = limits or ToolLimits(clock=clock)
        self._audit = audit
        self._clock = clock

    async def invoke(self, call: ToolCallBlock, scope: CallScope, *, idempotency_key: str = "") -> ToolOutcome:
        """Answer one call. `idempotency_key` must be the same whenever the same call is resumed."""
        started = self._clock.monotonic()
        prepared = None
        try:
            scope, loss = (scope, None) if self._guard is None else await _with_current_rights(scope, self._guard)
            prepared = self._prepare(call, scope, idempotency_key)
            prepared = await self._approved(prepared, scope, loss)
        except _Unauthorized as refused:
            # Through the journal: a call that ran before its right was taken away keeps its result.
            prepared = refused.prepared
            execution = await scope.around(prepared, refused.execution)
            self._record_refusal(call, scope, idempotency_key, refused)
        except _Refused as refused:
            execution = _refusal(refused.refusal, str(refused))
            self._record_refusal(call, scope, idempotency_key, refused)
        else:
            execution = await self._run_around(prepared, scope)
        return _outcome(call, prepared, execution, self._clock.monotonic() - started)

    async def _run_around(self, prepared: PreparedCall, scope: CallScope) -> Execution:
        """Run through the caller's seam. Where there is none, what was lost is settled here."""
        try:
            return await scope.around(prepared, lambda: self._execute(prepared, scope))
        except Exception as error:
            if scope.around is not _just_run or not is_outcome_unknown(error):
                raise
            return await _settled_alone(prepared, scope, error)

    def _prepare(self, call: ToolCallBlock, scope: CallScope, idempotency_key: str) -> PreparedCall:
        tool = scope.tools.get(call.name)
        if tool is None:
            known = ", ".join(scope.tools) or "none"
            raise _Refused(Refusal.UNKNOWN_TOOL, f"there is no tool {call.name[:64]!r} here; there are: {known}")
        if missing := tool.policy.roles - scope.user.roles:
            words = f"{tool.name} needs the role {', '.join(sorted(missing))}, which the user does not hold"
            raise _Refused(Refusal.MISSING_ROLE, words)
        values = _checked(tool, call.args, call.invalid_args)
        key = idempotency_key or call.id
        intent = scope.intent_key(call) if tool.policy.effect == "write" else None
        return PreparedCall(
            tool=tool, call=call, args=call.args, values=values, idempotency_key=key, intent_key=intent or key
        )

    async def _approved(self, prepared: PreparedCall, scope: CallScope, loss: ToolRefusedError | None) -> PreparedCall:
        tool = prepared.tool
        if loss is not None:
            raise _Unauthorized(prepared, f"{tool.name} refused: {loss}")
        role, why = None, None
        if tool.policy.authorize is not None:
            context = _context(prepared, scope)
            try:
                role = await _authorized(prepared, context)
            except ToolRefusedError as error:
                raise _Unauthorized(prepared, f"{tool.name} refused: {error}") from None
            why = context.facts.get(APPROVAL_REASON)
        is_cautious = self._guard is not None and self._guard.asks_undeclared_writes
        is_undeclared = tool.policy.effect == "write" and tool.policy.approval is None
        if not (tool.policy.needs_approval(prepared.values) or (is_cautious and is_undeclared)):
            return prepared
        if scope.approver is None:
            raise _Refused(Refusal.APPROVAL_NEEDED, f"approval needed: {tool.name} runs only with an approval")
        request = await _approval_request(prepared, scope, role)
        if why:
            request = replace(request, reason=str(why))
        decision = await scope.approver.decide(request)
        while (problem := _refused_edit(prepared, decision)) and request.refused_edits < MAX_REFUSED_EDITS:
            request = _asked_again(prepared, request.refused_edits + 1, request, problem)
            decision = await scope.approver.decide(request)
        decided = _as_decided(prepared, decision)
        await self._check_decision(decided, decision, role, scope)
        return decided

    async def _check_decision(
        self, decided: PreparedCall, decision: ApprovalDecision, role: str | None, scope: CallScope
    ) -> None:
        """An approval counts only while its approver has the right to give it. An edit can need another one."""
        if self._guard is None:
            return
        try:
            if decision.verdict == "edited":
                role = await _authorized(decided, _context(decided, scope)) or role
            await self._guard.check_decision(decision, role)
        except ToolRefusedError as error:
            raise _Unauthorized(decided, f"{decided.tool.name} refused: {error}") from None

    async def _execute(self, prepared: PreparedCall, scope: CallScope) -> Execution:
        """Run within the tool's limits and write the audit, whatever happens."""
        started = self._clock.monotonic()
        outcome: AuditOutcome = "cancelled"
        detail = ""
        try:
            loss = None
            if self._guard is not None and prepared.tool.policy.effect == "write":
                _, loss = await _with_current_rights(scope, self._guard)
            if loss is None:
                execution = await self._run_within_limits(prepared, scope)
            else:
                execution = _refusal(Refusal.FORBIDDEN, f"{prepared.tool.name} refused: {loss}")
        except Exception as error:
            outcome, detail = "unknown", code_of(error)
            raise
        else:
            outcome = "refused" if execution.refusal else "failed" if execution.is_error else "succeeded"
            detail = execution.refusal or execution.error or ""
            return execution
        finally:
            self._record(
                prepared.call, scope, prepared.intent_key, tool=prepared.tool, args=prepared.args,
                outcome=outcome, detail=detail, duration_seconds=self._clock.monotonic() - started,
            )  # fmt: skip

    async def _run_within_limits(self, prepared: PreparedCall, scope: CallScope) -> Execution:
        tool = prepared.tool
        if tool.policy.limits.rate is not None:
            wait_seconds = await self._limits.take(tool, scope.user.id)
            if wait_seconds > 0:
                words = f"{tool.name} was asked too often; try again in {wait_seconds:.1f} s"
                return _refusal(Refusal.RATE_LIMITED, words)
        async with AsyncExitStack() as slot:
            try:
                await slot.enter_async_context(self._limits.slot(tool))
            except TimeoutError:
                return _refusal(Refusal.BUSY, f"{tool.name} is busy with other calls; try again later")
            # Out here, since a write that times out by itself has an unknown outcome: it was not refused.
            return await self._run_to_a_result(prepared, scope)

    async def _run_to_a_result(self, prepared: PreparedCall, scope: CallScope) -> Execution:
        """Whatever the tool returns or raises, as a result; control flow passes through.

        So does an error that leaves open whether a write took place: it is no answer yet.
        """
        context = _context(prepared, scope)
        try:
            value = await self._limits.guarded(prepared.tool, lambda: _run_within_timeout(prepared, context))
        except RunCancelledError:
            raise
        except Exception as error:  # whatever a tool raises is an answer to the model
            if prepared.tool.policy.effect == "write" and is_outcome_unknown(error):
                raise
            return _failure(prepared.tool, error, context)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # This call was not cancelled: the tool let a cancellation of its own escape.
            if prepared.tool.policy.effect == "write":
                words = f"{prepared.tool.name} was cut off by a cancellation of its own"
                raise UnknownOutcomeError(words, effect_key=prepared.intent_key) from error
            return _failure(prepared.tool, error, context)
        return await _execution_of(value, prepared.tool, context)

    def _record_refusal(self, call: ToolCallBlock, scope: CallScope, key: str, refused: _Refused) -> None:
        tool = scope.tools.get(call.name)
        is_kept = tool is not None and refused.refusal is not Refusal.OVERSIZED_ARGUMENTS
        args = call.args if is_kept else _names_only(call.args)
        self._record(call, scope, key, tool=tool, args=args, outcome="refused", detail=refused.refusal)

    def _record(
        self, call: ToolCallBlock, scope: CallScope, key: str, *, tool: Tool | None, args: Any, **facts: Any
    ) -> None:
        if self._audit is None and not LOGGING_AUDIT.is_on:
            return
        entry = ToolAudit(
            at=self._clock.now(),
            tool_name=call.name,
            tool_version=tool.policy.version if tool else None,
            effect=tool.policy.effect if tool else None,
            tool_use_id=call.id,
            idempotency_key=key,
            agent_id=scope.agent_id,
            user_id=scope.user.id,
            correlation_id=scope.correlation_id,
            args=tool.policy.redacted(args) if tool else args,
            **facts,
        )
        (self._audit or LOGGING_AUDIT).record(entry)


async def _with_current_rights(scope: CallScope, guard: CallGuard) -> tuple[CallScope, ToolRefusedError | None]:
    """The scope with the roles its user holds now, and why the user may do nothing any more, if so."""
    try:
        return replace(scope, user=await guard.current_user(scope.user)), None
    except ToolRefusedError as error:
        return scope, error


@cache
def default_invoker() -> ToolInvoker:
    """The invoker of this process, for runs that are given none."""
    return ToolInvoker()


def reconciler(prepared: PreparedCall, scope: CallScope) -> Callable[[object], Awaitable[Execution | None]] | None:
    """How to find out what an interrupted call brought, if the tool can tell; `None` from it: it did not happen."""
    reconcile = prepared.tool.policy.reconcile
    if reconcile is None:
        return None

    async def look_up(_: object) -> Execution | None:
        context = _context(prepared, scope)
        async with asyncio.timeout(prepared.tool.policy.limits.timeout.total_seconds()):
            value = await reconcile(prepared.values, context)
        return None if value is None else await _execution_of(value, prepared.tool, context)

    return look_up


def surely_not_done(prepared: PreparedCall, lost: Exception) -> Execution:
    """The result for the model of a call whose answer was lost and that did not take place."""
    words = f"{_failure_words(prepared.tool, lost)}. It was looked up: nothing was done, so it may be tried again."
    return Execution(content=words[:MAX_ERROR_CHARS], is_error=True, error=code_of(lost))


async def _settled_alone(prepared: PreparedCall, scope: CallScope, lost: Exception) -> Execution:
    """What a call without a run around it came to, when its answer was lost."""
    look_up = reconciler(prepared, scope)
    if look_up is not None:
        try:
            found = await look_up(None)
        except Exception:  # it cannot be looked up now either
            log.warning("%s: what came of a lost call cannot be looked up", prepared.tool.name, exc_info=True)
        else:
            return surely_not_done(prepared, lost) if found is None else found
    words = (
        str(lost)
        if isinstance(lost, UnknownOutcomeError)
        else f"{prepared.tool.name}: no answer came back ({_words(lost)}), so it is not known whether it took place. "
        "It is neither done nor failed until a person has looked; do not call it again for the same purpose."
    )
    return Execution(content=words[:MAX_ERROR_CHARS], is_error=True, error=UnknownOutcomeError.code)


async def _execution_of(value: Any, tool: Tool, context: ToolContext) -> Execution:
    """What a tool returned, as it is journalled. A `ResultObject` keeps itself first."""
    try:
        shown = await value.as_tool_result(context) if keeps_itself(value) else value
        shown, attached = separated(shown)
        content = as_content(shown, tool.policy.max_result_chars)
    except Exception as error:
        if tool.policy.effect != "write":
            return _failure(tool, error, context)
        # It took place, whatever became of its value: to say that it failed would invite a second time.
        content = f"{tool.name} was done, but what it returned cannot be shown: {_words(error)}"[:MAX_ERROR_CHARS]
        attached = ()
    return Execution(content=content, attachments=attached, details=context.facts, events=payloads(context.events))


def _names_only(args: Mapping[str, Any]) -> dict[str, str]:
    """Arguments without declared redaction, or too many to keep."""
    return {name[:MAX_KEPT_NAME_CHARS]: "[not kept]" for name in list(args)[:MAX_KEPT_NAMES]}


def _checked(tool: Tool, args: Mapping[str, Any], invalid_args: str | None = None) -> dict[str, Any]:
    if invalid_args is not None:
        words = f"{tool.name} was not executed: its arguments are no JSON object"
        raise _Refused(Refusal.INVALID_ARGUMENTS, words)
    limit = tool.policy.max_argument_bytes
    try:
        raw = as_json(args)
        # UTF-8 has at most four bytes per character, so short texts need no second look.
        if len(raw) * 4 > limit and len(raw.encode("utf-8", "surrogatepass")) > limit:
            words = f"{tool.name} was not executed: its arguments are larger than {limit} bytes"
            raise _Refused(Refusal.OVERSIZED_ARGUMENTS, words)
        return tool.arguments.check(raw)
    except InvalidArgumentsError as error:
        raise _Refused(Refusal.INVALID_ARGUMENTS, f"{tool.name} was not executed: {error}") from None


async def _authorized(prepared: PreparedCall, context: ToolContext) -> str | None:
    """The role that a decision about this call needs. Raises `ToolRefusedError` if the user may not make it."""
    authorize = prepared.tool.policy.authorize
    if authorize is None:
        return None
    try:
        return await authorize(prepared.values, context)
    except BatutaError as error:
        if isinstance(error, ToolRefusedError):
            raise
        raise ToolRefusedError(f"its rights cannot be checked now: {error}") from error


async def _approval_request(prepared: PreparedCall, scope: CallScope, role: str | None) -> ApprovalRequest:
    return ApprovalRequest(
        required_role=role,
        tool_use_id=prepared.call.id,
        tool_name=prepared.tool.name,
        args=prepared.args,
        idempotency_key=prepared.idempotency_key,
        preview=await _preview(prepared, scope),
        reason=f"{prepared.tool.name} ({prepared.tool.policy.effect}) asks for approval",
        agent_id=scope.agent_id,
        user=scope.user,
        correlation_id=scope.correlation_id,
    )


def _refused_edit(prepared: PreparedCall, decision: ApprovalDecision) -> str:
    """Why the edited arguments cannot be used, if they cannot."""
    if decision.verdict != "edited":
        return ""
    try:
        _checked(prepared.tool, decision.args)
    except _Refused as refused:
        return str(refused)
    return ""


def _asked_again(prepared: PreparedCall, time: int, request: ApprovalRequest, problem: str) -> ApprovalRequest:
    """The same question under a key of its own: a mistake in an edit does not use up the decision."""
    return replace(
        request,
        idempotency_key=f"{prepared.idempotency_key}:edit-{time}",
        reason=f"The edited arguments cannot be used: {problem}. Decide again: edit otherwise, approve or reject.",
        refused_edits=time,
    )


async def _preview(prepared: PreparedCall, scope: CallScope) -> str | None:
    """What the tool shows; a preview that fails leaves the arguments to speak for themselves."""
    preview = prepared.tool.policy.preview
    if preview is None:
        return None
    try:
        async with asyncio.timeout(prepared.tool.policy.limits.timeout.total_seconds()):
            shown = _call_preview(preview, prepared, scope)
            text: str = await shown if inspect.isawaitable(shown) else shown
            return text
    except Exception as error:  # a broken preview must not keep a person from deciding
        return f"(no preview: {type(error).__name__})"


def _call_preview(preview: Callable[..., Any], prepared: PreparedCall, scope: CallScope) -> Any:
    if len(inspect.signature(preview).parameters) < 2:
        return preview(prepared.values)
    return preview(prepared.values, _context(prepared, scope))


def _as_decided(prepared: PreparedCall, decision: ApprovalDecision) -> PreparedCall:
    if decision.verdict == "rejected":
        reason = f": {decision.reason}" if decision.reason else ""
        raise _Refused(Refusal.APPROVAL_REJECTED, f"{prepared.tool.name} was not approved{reason}")
    if decision.verdict == "edited":
        values = _checked(prepared.tool, decision.args)
        return replace(prepared, args=decision.args, values=values, approved_by=decision.by)
    return replace(prepared, approved_by=decision.by)


async def _run_within_timeout(prepared: PreparedCall, context: ToolContext) -> Any:
    seconds = prepared.tool.policy.limits.timeout.total_seconds()
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline:
            with within_tool_use(prepared.call.id, prepared.tool.name):
                if prepared.approved_by:  # rights may have changed while the decision was pending
                    await _authorized(prepared, context)
                return await prepared.tool.body(prepared.values, context)
    except TimeoutError as error:
        if deadline.expired():
            raise DeadlineExceededError(f"it did not answer within {seconds:g} s") from error
        raise


def _context(prepared: PreparedCall, scope: CallScope) -> ToolContext:
    async def report(message: str, done: float | None, total: float | None) -> None:
        await scope.on_progress(prepared.call, message, done, total)

    return ToolContext(
        tool_use_id=prepared.call.id,
        idempotency_key=prepared.intent_key,
        agent_id=scope.agent_id,
        user=scope.user,
        approved_by=prepared.approved_by,
        correlation_id=scope.correlation_id,
        services=scope.services,
        report=report,
    )


def _failure(tool: Tool, error: BaseException, context: ToolContext) -> Execution:
    """What a tool that failed leaves: its words, and what it had kept before it did, which is there all the same."""
    refusal = None
    if isinstance(error, ToolRefusedError):
        refusal, content = Refusal.FORBIDDEN, f"{tool.name} refused: {error}"[:MAX_ERROR_CHARS]
    elif isinstance(error, CannotHelpError):  # the agent's word about its task, no failure of the tool
        content = str(error)
    else:
        content = _failure_words(tool, error)[:MAX_ERROR_CHARS]
    return Execution(
        content=content,
        is_error=True,
        error=code_of(error) if refusal is None else refusal.upper(),
        refusal=refusal,
        details=context.facts,
        events=payloads(context.events),
    )


def _failure_words(tool: Tool, error: BaseException) -> str:
    return f"{tool.name} failed: {_words(error)}"


def _words(error: BaseException) -> str:
    return str(error) if isinstance(error, BatutaError) else f"{type(error).__name__}: {error}"


def _refusal(refusal: Refusal, words: str) -> Execution:
    return Execution(content=words[:MAX_ERROR_CHARS], is_error=True, error=refusal.upper(), refusal=refusal)


def _outcome(
    call: ToolCallBlock, prepared: PreparedCall | None, execution: Execution, duration_seconds: float
) -> ToolOutcome:
    return ToolOutcome(
        call=call,
        result=ToolResultBlock(
            tool_use_id=call.id,
            tool_name=call.name,
            content=execution.content,
            attachments=execution.attachments,
            is_error=execution.is_error,
        ),
        tool=prepared.tool if prepared else None,
        args=prepared.args if prepared else call.args,
        error=execution.error,
        refusal=execution.refusal,
        details=execution.details,
        events=execution.events,
        duration_seconds=duration_seconds,
    )
