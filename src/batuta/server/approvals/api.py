"""Approvals over HTTP."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel

from batuta.kernel.id_fields import UuidStr
from batuta.server.approvals.service import Approvals, DecisionRequest
from batuta.server.http.dependencies import CurrentCaller, provided
from batuta.server.http.guard import new_router

router = new_router(tags=["approvals"])

ApprovalsService = Annotated[Approvals, provided(Approvals)]


class ApprovalView(BaseModel):
    """A tool call that waits for a decision."""

    approval_id: str
    session_id: str
    tool_name: str
    args: dict[str, Any]
    preview: str | None
    reason: str
    expires_at: datetime | None
    state: str


class ApprovalList(BaseModel):
    """Some approvals."""

    items: list[ApprovalView]


class Decided(BaseModel):
    """How it stands."""

    state: str


@router.get("/api/approvals")
async def list_approvals(
    caller: CurrentCaller,
    approvals: ApprovalsService,
    state: Annotated[Literal["pending", "approved", "rejected", "edited", "expired"] | None, Query()] = None,
) -> ApprovalList:
    """What I may decide, or could."""
    found = await approvals.for_caller(caller, state)
    views = [
        ApprovalView(
            approval_id=approval.approval_id,
            session_id=approval.session_id,
            tool_name=approval.tool_name,
            args=approval.args,
            preview=approval.preview,
            reason=approval.reason,
            expires_at=approval.expires_at,
            state=approval.state,
        )
        for approval in found
    ]
    return ApprovalList(items=views)


@router.post("/api/approvals/{approval_id}")
async def decide(
    approval_id: UuidStr, body: DecisionRequest, caller: CurrentCaller, approvals: ApprovalsService
) -> Decided:
    """Decide about a tool call."""
    return Decided(state=await approvals.decide(caller, approval_id, body))
