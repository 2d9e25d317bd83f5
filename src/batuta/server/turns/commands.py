"""Commands over the socket that begin and stop turns."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from batuta.kernel.id_fields import UuidStr
from batuta.server.live.sockets import Ack, SocketCommand
from batuta.server.security.ownership import Caller
from batuta.server.turns.service import NewMessage, Turns


class ChatMessage(NewMessage):
    """`chat:message`: a message to a session."""

    session_id: UuidStr


class StopRequest(BaseModel):
    """`chat:stop`: stop the turn of a session."""

    model_config = ConfigDict(extra="forbid")

    session_id: UuidStr


def turn_commands(turns: Turns) -> dict[str, SocketCommand]:
    """The commands by the name of their event."""

    async def send(caller: Caller, request: Any) -> Ack:
        message = NewMessage.model_validate(request.model_dump(exclude={"session_id"}))
        accepted, _ = await turns.accept(caller, request.session_id, message)
        return accepted.model_dump()

    async def stop(caller: Caller, request: Any) -> Ack:
        await turns.stop(caller, request.session_id)
        return {}

    return {"chat:message": SocketCommand(ChatMessage, send), "chat:stop": SocketCommand(StopRequest, stop)}
