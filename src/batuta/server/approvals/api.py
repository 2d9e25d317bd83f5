"""Approvals over HTTP."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel

from batuta.events.wire import to_wire
from batuta.kernel.id_fields import UuidStr
from batuta.server.approvals.repository import Approval
from batuta.server.approvals.service import Approvals, DecisionRequest
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router
from batuta.server.security.ownership import Caller

router = new_router(tags=["approvals"])

ApprovalsService = Annotated[Approvals, provided(Approvals)]


class ApprovalView(BaseModel):
    """A tool call that waits, or waited, for a decision, with who asks for it."""

    approval_id: str
    session_id: str
    turn_id: str | None
    tool_name: str
    agent_id: str | None
    args: dict[str, Any]
    preview: str | None
    reason: str
    """Why it waits; for an amount above the limit, which."""
    required_role: str | None
    """The role that the approver must hold; present while it waits."""
    requested_at: datetime | None
    expires_at: datetime | None
    asked_by: str
    """The name of the person whose conversation asks."""
    is_mine: bool
    """Whether that is the caller: then the conversation itself can be opened."""
    title: str | None
    """What the conversation is called."""
    state: str
    decided_args: dict[str, Any] | None
    decided_by: str | None
    """The name of who decided, where it was a person."""
    decision_reason: str | None
    decided_at: datetime | None


class ApprovalContext(BaseModel):
    """The conversation around a request, to read: events as clients fold them."""

    epoch: int
    events: list[dict[str, Any]]


class ApprovalList(BaseModel):
    """Some approvals."""

    items: list[ApprovalView]


class Decided(BaseModel):
    """How it stands."""

    state: str


ApprovalStateName = Literal["pending", "approved", "rejected", "edited", "expired", "set_aside"]


@router.get("/api/approvals")
async def list_approvals(
    caller: CurrentCaller,
    approvals: ApprovalsService,
    state: Annotated[ApprovalStateName | None, Query()] = None,
) -> ApprovalList:
    """What I may decide, or could."""
    found = await approvals.for_caller(caller, state)
    people = {one.owner_id for one in found} | {one.decided_by for one in found if one.decided_by}
    names = await approvals.names(people)
    roles = await approvals.required_roles(found)
    return ApprovalList(items=[_view(one, caller, names, roles.get(one.approval_id)) for one in found])


@router.get("/api/approvals/{approval_id}/context")
async def read_context(approval_id: UuidStr, caller: CurrentCaller, approvals: ApprovalsService) -> ApprovalContext:
    """The turn that asks, and what was said just before it."""
    epoch, events = await approvals.context(caller, approval_id)
    return ApprovalContext(
        epoch=epoch, events=[to_wire(event, epoch=epoch, previous_sequence=None) for event in events]
    )


@router.post("/api/approvals/{approval_id}")
async def decide(
    approval_id: UuidStr, body: DecisionRequest, caller: CurrentCaller, approvals: ApprovalsService
) -> Decided:
    """Decide about a tool call."""
    return Decided(state=await approvals.decide(caller, approval_id, body))


def _view(approval: Approval, caller: Caller, names: Mapping[str, str], role: str | None) -> ApprovalView:
    by = approval.decided_by
    return ApprovalView(
        approval_id=approval.approval_id,
        session_id=approval.session_id,
        turn_id=approval.turn_id,
        tool_name=approval.tool_name,
        agent_id=approval.agent_id,
        args=approval.args,
        preview=approval.preview,
        reason=approval.reason,
        required_role=role,
        requested_at=approval.requested_at,
        expires_at=approval.expires_at,
        asked_by=names.get(approval.owner_id, ""),
        is_mine=approval.owner_id == caller.user_id,
        title=approval.title,
        state=approval.state,
        decided_args=approval.decided_args,
        decided_by=None if by is None else names.get(by, by),
        decision_reason=approval.decision_reason,
        decided_at=approval.resolved_at,
    )
