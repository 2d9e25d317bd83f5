"""Some calls need a person's consent. What is asked is what would be executed, shown by the tool's own preview."""

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from batuta.kernel.users import ANONYMOUS_USER, ToolUser


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A call that waits for a decision."""

    tool_use_id: str
    tool_name: str
    args: dict[str, Any]
    idempotency_key: str = ""
    preview: str | None = None
    reason: str = ""
    agent_id: str = ""
    user: ToolUser = ANONYMOUS_USER
    correlation_id: str = ""
    required_role: str | None = None
    """The role that the person who decides must hold; no rule decides instead."""
    is_about_outcome: bool = False
    """The call was interrupted: approving does it again, rejecting says that it is done already."""
    refused_edits: int = 0
    """How often this call was edited to arguments that its tool does not take, and is therefore asked about again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecision:
    """What was decided, by whom, and why."""

    verdict: Literal["approved", "rejected", "edited"]
    by: str = ""
    reason: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    """The arguments to use instead, when edited; they are checked like any others."""
    key_id: str = ""
    """The API key that brought the decision; empty for a person who is logged in."""

    @classmethod
    def approve(cls, by: str = "", key_id: str = "") -> "ApprovalDecision":
        """Run it as it is."""
        return cls(verdict="approved", by=by, key_id=key_id)

    @classmethod
    def reject(cls, reason: str = "", by: str = "") -> "ApprovalDecision":
        """Do not run it; the model learns why."""
        return cls(verdict="rejected", by=by, reason=reason)

    @classmethod
    def edit(cls, args: dict[str, Any], by: str = "", key_id: str = "") -> "ApprovalDecision":
        """Run it with other arguments."""
        return cls(verdict="edited", by=by, args=args, key_id=key_id)


class Approver(Protocol):
    """Decides about calls. It may wait, and it may pause the run by raising what its caller understands."""

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """Decide about one call. The same call may be asked about again after a resume."""
        ...
