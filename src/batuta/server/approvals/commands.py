"""The command over the socket that answers an approval."""

from typing import Any

from batuta.kernel.id_fields import UuidStr
from batuta.server.approvals.service import Approvals, DecisionRequest
from batuta.server.live.sockets import Ack, SocketCommand
from batuta.server.security.ownership import Caller


class ApprovalAnswer(DecisionRequest):
    """`approval:resolve`: a decision about a tool call."""

    approval_id: UuidStr


def approval_commands(approvals: Approvals) -> dict[str, SocketCommand]:
    """The commands by the name of their event."""

    async def resolve(caller: Caller, request: Any) -> Ack:
        decision = DecisionRequest.model_validate(request.model_dump(exclude={"approval_id"}))
        return {"state": await approvals.decide(caller, request.approval_id, decision)}

    return {"approval:resolve": SocketCommand(ApprovalAnswer, resolve)}
