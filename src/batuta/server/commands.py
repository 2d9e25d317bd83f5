"""What clients command over the socket: the same services as over HTTP, under other names."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from batuta.kernel.id_fields import UuidStr
from batuta.server.approvals.service import Approvals, Decision
from batuta.server.ownership import Caller
from batuta.server.turns.service import NewMessage, Turns

Ack = dict[str, Any]


class ChatMessage(NewMessage):
    """A message to a session."""

    session_id: UuidStr


class StopRequest(BaseModel):
    """Stop what runs in a session."""

    model_config = ConfigDict(extra="forbid")

    session_id: UuidStr


class ApprovalAnswer(Decision):
    """A decision about a tool call."""

    approval_id: UuidStr


class SocketCommands:
    """Delegates commands."""

    def __init__(self, turns: Turns, approvals: Approvals) -> None:
        self._turns = turns
        self._approvals = approvals

    def handlers(self) -> Mapping[str, tuple[type[BaseModel], Callable[[Caller, Any], Awaitable[Ack]]]]:
        """By event: the shape of what is sent, and who does it."""
        return {
            "chat:message": (ChatMessage, self._say),
            "chat:stop": (StopRequest, self._stop),
            "approval:resolve": (ApprovalAnswer, self._decide),
        }

    async def _say(self, caller: Caller, request: ChatMessage) -> Ack:
        message = NewMessage.model_validate(request.model_dump(exclude={"session_id"}))
        answer, _ = await self._turns.accept(caller, request.session_id, message)
        return answer.model_dump()

    async def _stop(self, caller: Caller, request: StopRequest) -> Ack:
        await self._turns.stop(caller, request.session_id)
        return {}

    async def _decide(self, caller: Caller, request: ApprovalAnswer) -> Ack:
        decision = Decision.model_validate(request.model_dump(exclude={"approval_id"}))
        return {"state": await self._approvals.decide(caller, request.approval_id, decision)}
