"""Socket.IO: commands with acknowledgements, and the log of sessions as it grows. WebSocket transport only.

    connect -> gate -> session:join (position) -> what was missed -> what comes

A handler validates, asks the gate and delegates. Every command is acknowledged with `{ok: true, …}` or
`{ok: false, problem: {…}}`. A socket is closed when what it was let in with ends.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import socketio
from engineio.packet import MESSAGE, Packet
from pydantic import BaseModel, ConfigDict, Field
from socketio.exceptions import ConnectionRefusedError as Refused

from batuta.events.log import EventLog, Position
from batuta.kernel.errors import StaleEpochError, StoreUnavailableError
from batuta.kernel.id_fields import UuidStr
from batuta.server.config import Settings
from batuta.server.database.principal import acting
from batuta.server.http.guard import bearer_of, cookies_of, is_own_origin
from batuta.server.http.text_checks import check_text
from batuta.server.live.feed import Delivery
from batuta.server.policy import EVENTS, Access, Rule
from batuta.server.problems import NotFoundProblem, Problem, TooManyProblem, UnauthorizedProblem, problem_of
from batuta.server.security.access_control import COOKIE, Gate
from batuta.server.security.ownership import OWNERSHIP, Caller

log = logging.getLogger("batuta.server")

CONNECT = Rule(Access.USER, "read")
LARGEST_FRAME = 262_144
MOST_WAITING = 256
"""Frames that may wait for a slow client; then its reader waits too."""
PATIENCE_SECONDS = 30.0
"""How long it waits before the client is sent away, to come back and resume."""
COMMANDS_PER_SECOND, COMMAND_BURST = 20.0, 60.0
MOST_JOINED = 50
RETRY_SECONDS = 1.0

Ack = dict[str, Any]


class JoinRequest(BaseModel):
    """Follow a session from a position on."""

    model_config = ConfigDict(extra="forbid")

    session_id: UuidStr
    epoch: int | None = Field(default=None, ge=0, le=2**53)
    last_sequence: int | None = Field(default=None, ge=0, le=2**53)


class LeaveRequest(BaseModel):
    """Follow a session no more."""

    model_config = ConfigDict(extra="forbid")

    session_id: UuidStr


@dataclass(slots=True)
class Connection:
    """One socket."""

    caller: Caller
    followers: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    credit: float = COMMAND_BURST
    credited_at: float = 0.0

    def spend(self, now: float) -> None:
        """Count a command. Raises `TooManyProblem`."""
        self.credit = min(COMMAND_BURST, self.credit + (now - self.credited_at) * COMMANDS_PER_SECOND)
        self.credited_at = now
        if self.credit < 1:
            raise TooManyProblem
        self.credit -= 1


class SocketCommand(NamedTuple):
    """A command that a domain offers over the socket: the shape of its content, and what handles it."""

    shape: type[BaseModel]
    handle: Callable[[Caller, Any], Awaitable[Ack]]


class Sockets:
    """All sockets of this process."""

    def __init__(
        self,
        settings: Settings,
        gate: Gate,
        log: EventLog,
        delivery: Delivery,
        commands: Mapping[str, SocketCommand],
    ) -> None:
        self._settings = settings
        self._gate = gate
        self._log = log
        self._delivery = delivery
        self._connections: dict[str, Connection] = {}
        self._own: dict[str, tuple[type[BaseModel], Callable[[str, Connection, Any], Awaitable[Ack]]]] = {
            "session:join": (JoinRequest, self._join),
            "session:leave": (LeaveRequest, self._leave),
        }
        self._commands = commands
        self._is_closed = False
        self.server = self._new_server()

    @property
    def events(self) -> frozenset[str]:
        """What clients can send."""
        return frozenset((*self._own, *self._commands))

    @property
    def callers(self) -> Mapping[str, Caller]:
        """Who is connected, by socket."""
        return {sid: connection.caller for sid, connection in self._connections.items()}

    async def tell_user(self, user_id: str, event: str, content: dict[str, Any]) -> None:
        """Send something to all sockets of a person."""
        await self.server.emit(event, content, room=_room(user_id))

    def is_present(self, user_id: str) -> bool:
        """Whether a person is connected here."""
        return any(connection.caller.user_id == user_id for connection in self._connections.values())

    async def end(self, sids: frozenset[str]) -> None:
        """Close some sockets."""
        for sid in sids:
            await self.server.disconnect(sid)

    async def close(self) -> None:
        """Close all of them. Harmless if repeated."""
        if self._is_closed:
            return
        self._is_closed = True
        await self.end(frozenset(self._connections))
        await self.server.shutdown()

    def _new_server(self) -> socketio.AsyncServer:
        server = socketio.AsyncServer(
            async_mode="asgi",
            transports=["websocket"],
            allow_upgrades=False,
            cors_allowed_origins=self._is_welcome,
            max_http_buffer_size=LARGEST_FRAME,
            ping_interval=20,
            ping_timeout=20,
            async_handlers=False,  # commands of one socket take effect in the order they were sent
            serializer="default",
        )
        server.on("connect", self._connect)
        server.on("disconnect", self._disconnect)
        server.on("*", self._receive)
        return server

    def _is_welcome(self, origin: str | None, environ: Mapping[str, Any]) -> bool:
        return origin is None or is_own_origin(origin, environ.get("HTTP_HOST"), self._settings)

    async def _connect(self, sid: str, environ: Mapping[str, Any], auth: Any) -> None:
        token = auth.get("token") if isinstance(auth, dict) else None
        secret = (
            (token if isinstance(token, str) else None)
            or bearer_of(environ.get("HTTP_AUTHORIZATION"))
            or cookies_of(environ.get("HTTP_COOKIE", "")).get(COOKIE)
        )
        try:
            caller = await self._gate.admit(CONNECT, secret, {})
        except (Problem, StoreUnavailableError) as error:
            problem = problem_of(error)
            raise Refused(problem.title, problem.body()) from None
        self._connections[sid] = Connection(caller, credited_at=asyncio.get_running_loop().time())
        await self.server.enter_room(sid, _room(caller.user_id))

    async def _disconnect(self, sid: str, reason: str) -> None:
        connection = self._connections.pop(sid, None)
        if connection is not None:
            for follower in connection.followers.values():
                follower.cancel()
            await asyncio.gather(*connection.followers.values(), return_exceptions=True)

    async def _receive(self, event: str, sid: str, *content: Any) -> Ack:
        """Every command of every socket: acknowledged, whatever happens."""
        try:
            return {"ok": True, **await self._handle(event, sid, content[0] if content else None)}
        except Exception as error:
            return {"ok": False, "problem": problem_of(error).body()}

    async def _handle(self, event: str, sid: str, content: Any) -> Ack:
        connection = self._connections.get(sid)
        if connection is None:
            raise UnauthorizedProblem
        connection.spend(asyncio.get_running_loop().time())
        rule = EVENTS.get(event)
        if rule is None:
            raise NotFoundProblem
        check_text(content)
        shape = self._own[event][0] if event in self._own else self._commands[event].shape
        request = shape.model_validate(content)
        ids = {name: getattr(request, name) for name in OWNERSHIP if hasattr(request, name)}
        caller = await self._gate.check(rule, connection.caller, ids)
        with acting(caller.behalf):
            if event in self._own:
                return await self._own[event][1](sid, connection, request)
            return await self._commands[event].handle(caller, request)

    async def _join(self, sid: str, connection: Connection, request: JoinRequest) -> Ack:
        head = await self._log.head(request.session_id)
        position = Position(request.epoch if request.epoch is not None else head.epoch, request.last_sequence or 0)
        ack = {"epoch": head.epoch, "last_sequence": head.last_seq, "resync": False}
        try:
            await self._log.read(request.session_id, after=position.seq, epoch=position.epoch, limit=1)
        except StaleEpochError:
            return {**ack, "resync": True}
        await self._stop_following(connection, request.session_id)
        if len(connection.followers) >= MOST_JOINED:
            raise TooManyProblem(f"A socket follows at most {MOST_JOINED} sessions.")
        connection.followers[request.session_id] = asyncio.create_task(
            self._follow(sid, request.session_id, position), name=f"follow {request.session_id}"
        )
        return ack

    async def _leave(self, sid: str, connection: Connection, request: LeaveRequest) -> Ack:
        await self._stop_following(connection, request.session_id)
        return {}

    async def _stop_following(self, connection: Connection, session_id: str) -> None:
        follower = connection.followers.pop(session_id, None)
        if follower is not None:
            follower.cancel()
            await asyncio.gather(follower, return_exceptions=True)

    async def _follow(self, sid: str, session_id: str, position: Position) -> None:
        """Hand a session's log to a socket, for as long as it is joined; a store that is away is waited for."""
        while True:
            try:
                async for batch in self._delivery.follow(session_id, position):
                    for told in batch:
                        await self._send(sid, told.wire())
                        position = Position(told.epoch, told.sequence_number or position.seq)
            except StaleEpochError:
                head = await self._log.head(session_id)
                await self.server.emit("session:resync", {"session_id": session_id, "epoch": head.epoch}, to=sid)
                return
            except StoreUnavailableError:
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:
                log.exception("the delivery of session %s failed", session_id)
                await self.server.disconnect(sid)
                return
            else:  # it was deleted
                return

    async def _send(self, sid: str, wire: str) -> None:
        """Send one event as soon as the client has taken enough of those before.

        It is the frame that `emit` would make, without reading and writing its JSON again.
        """
        engine_id = self.server.manager.eio_sid_from_sid(sid, "/")
        socket = self.server.eio.sockets.get(engine_id)
        if socket is None:
            return  # it left; whoever follows for it is about to be told
        waited = 0.0
        while socket.queue.qsize() > MOST_WAITING:
            if waited >= PATIENCE_SECONDS:
                await self.server.disconnect(sid)
                return
            await asyncio.sleep(0.05)
            waited += 0.05
        await socket.send(Packet(MESSAGE, f'2["agent:event",{wire}]'))


def _room(user_id: str) -> str:
    return f"user:{user_id}"
