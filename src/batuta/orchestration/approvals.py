"""Approvals inside a turn: asked once, shown as stored, decided by a person, recorded as events.

policy decides? -> yes: go on
-> no:  approval_requested -> decision known? -> approval_resolved -> go on
-> not yet: the turn suspends and holds nothing
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.kernel.errors import Suspended
from batuta.kernel.hidden_characters import reveal_hidden
from batuta.orchestration.remembering import RememberedCall
from batuta.pipelines.context import Context
from batuta.tools.approval import ApprovalDecision, ApprovalRequest, Approver

APPROVAL_LIFETIME = timedelta(days=7)
"""How long a decision is waited for. Whether an interrupted write took place is asked without an end: silence says
neither that it did nor that it did not.
"""

POLICY = "policy: "
"""What the name of a decider begins with that is a rule of the program."""
SESSION_POLICY = f"{POLICY}allowed in this session by "

ApprovalPolicy = Callable[[ApprovalRequest], ApprovalDecision | None]
"""Decides by rule, or leaves it to a person: by tool, by role, by amount."""


def allow_below(tool_name: str, field: str, limit: float) -> ApprovalPolicy:
    """Approve a tool by itself while a field of its arguments is between 0 and a limit.

    A negative amount is left to a person: it is no small one.
    """

    def decide(request: ApprovalRequest) -> ApprovalDecision | None:
        value = request.args.get(field)
        is_small = request.tool_name == tool_name and isinstance(value, (int, float)) and 0 <= value <= limit
        return ApprovalDecision.approve(by=f"{POLICY}{field} <= {limit:g}") if is_small else None

    return decide


def allow_role(tool_name: str, role: str) -> ApprovalPolicy:
    """Approve a tool by itself for users who hold a role."""

    def decide(request: ApprovalRequest) -> ApprovalDecision | None:
        is_trusted = request.tool_name == tool_name and role in request.user.roles
        return ApprovalDecision.approve(by=f"{POLICY}role {role}") if is_trusted else None

    return decide


def allow_remembered(calls: Sequence[RememberedCall]) -> ApprovalPolicy:
    """Approve calls that were allowed for the rest of the session: the same tool and target, at most the same amount.

    The approver of the first call approved this one, too: without their right it does not run.
    """

    def decide(request: ApprovalRequest) -> ApprovalDecision | None:
        fitting = (call for call in calls if call.covers(request.tool_name, request.args, request.agent_id))
        call = next(fitting, None)
        return None if call is None else ApprovalDecision.approve(by=f"{SESSION_POLICY}{call.by}", key_id=call.key_id)

    return decide


class Undecided:
    """No one is there to ask: the turn suspends until a decision is in the log."""

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """Suspend."""
        raise Suspended(f"{request.tool_name} waits for approval", waiting_for=request.idempotency_key)


class EmittingApprover:
    """Asks policies, then earlier decisions, then a person; emits what is asked and what is decided."""

    def __init__(
        self,
        ctx: Context,
        ask: Approver,
        *,
        policies: Sequence[ApprovalPolicy] = (),
        decided: Mapping[str, ApprovalResolved] | None = None,
        lifetime: timedelta = APPROVAL_LIFETIME,
    ) -> None:
        self._ctx = ctx
        self._ask = ask
        self._policies = policies
        self._decided = decided or {}
        self._lifetime = lifetime

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """The decision about one call."""
        is_for_people = request.is_about_outcome or request.required_role is not None
        for policy in () if is_for_people else self._policies:
            verdict = policy(request)
            if verdict is not None:
                return verdict
        approval_id = self._approval_id(request)
        await self._emit_requested(approval_id, request)
        if approval_id in self._decided:
            return as_decision(self._decided[approval_id])
        try:
            decision = await self._ask.decide(request)
        except Suspended as suspended:
            raise Suspended(str(suspended), waiting_for=approval_id) from None
        await self._emit_resolved(approval_id, decision)
        return decision

    def is_decided(self, request: ApprovalRequest) -> bool:
        """Whether a decision about this call is in the log."""
        return self._approval_id(request) in self._decided

    def _approval_id(self, request: ApprovalRequest) -> str:
        return self._ctx.stable_id(f"approval:{request.idempotency_key}")

    async def _emit_requested(self, approval_id: str, request: ApprovalRequest) -> None:
        await self._ctx.emit(
            ApprovalRequested(
                approval_id=approval_id,
                tool_use_id=request.tool_use_id,
                tool_name=request.tool_name,
                args=request.args,
                preview=None if request.preview is None else reveal_hidden(request.preview),
                reason=reveal_hidden(request.reason),
                required_role=request.required_role,
                expires_at=None if request.is_about_outcome else self._ctx.now + self._lifetime,
                source_agent_id=request.agent_id,
            )
        )

    async def _emit_resolved(self, approval_id: str, decision: ApprovalDecision) -> None:
        await self._ctx.emit(
            ApprovalResolved(
                approval_id=approval_id,
                decision=decision.verdict,
                args=decision.args or None,
                by=decision.by or "approver",
                reason=decision.reason or None,
            )
        )


_REASONS = {"expired": "it was not decided in time", "set_aside": "it was set aside"}


def as_decision(resolved: ApprovalResolved) -> ApprovalDecision:
    """A stored decision as tools understand it. What expired or was set aside is rejected."""
    if resolved.decision == "edited":
        return ApprovalDecision.edit(dict(resolved.args or {}), by=resolved.by, key_id=resolved.key_id or "")
    if resolved.decision == "approved":
        return ApprovalDecision.approve(by=resolved.by, key_id=resolved.key_id or "")
    reason = resolved.reason or _REASONS.get(resolved.decision, "")
    return ApprovalDecision.reject(reason, by=resolved.by)
