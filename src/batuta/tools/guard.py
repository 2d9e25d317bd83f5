"""What a platform asks about every tool call, besides what its tool declares.

Roles, accounts and keys can be taken away while a turn waits or runs. So a guard is asked before each call, again
before a write runs, and once more about the person who agreed to it. A run of one's own has none.
"""

from typing import Protocol

from batuta.kernel.approvals import ApprovalDecision
from batuta.kernel.users import ToolUser


class CallGuard(Protocol):
    """Knows what the user of a run may do at this moment."""

    @property
    def asks_undeclared_writes(self) -> bool:
        """Whether a write that declares no approval needs one."""
        ...

    async def current_user(self, user: ToolUser) -> ToolUser:
        """The user with the roles they hold now. Raises `ToolRefusedError` if they may do nothing any more."""
        ...

    async def check_decision(self, decision: ApprovalDecision, role: str | None) -> None:
        """Raise `ToolRefusedError` if the approver of a call, or the key they used, has no right to approve it now."""
        ...
