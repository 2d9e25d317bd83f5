"""Socket.IO: commands with acknowledgements, and the log of sessions as it grows. WebSocket transport only.

    connect -> access control -> session:join (position) -> what was missed -> what comes

A handler validates, checks access and delegates. Every command is acknowledged with `{ok: true, …}` or
`{ok: false, problem: {…}}`. A socket is closed when the login or key it was opened with ends.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import socketio
from engineio.packet import MESSAGE, Packet
from pydantic import BaseModel, ConfigDict, Field
from socketio.exceptions import ConnectionRefusedError as Refused

from batuta.events.log import EventLog, Position
from batuta.kernel.errors import StaleEpochError, StoreUnavailableError
from batuta.kernel.id_fields import UuidStr
from batuta.kernel.ids import canonical_id, is_uuid
from batuta.server.config import Settings
from batuta.server.database.principal import acting_as
from batuta.server.fair_use import limits_of_connections
from batuta.server.http.guard import bearer_of, check_content, cookies_of, is_own_origin, login_of, origin_at
from batuta.server.http.protocols import ABORT
from batuta.server.live.feed import SessionFeed
from batuta.server.live.frames import MAX_WAITING_BYTES, CountingSocketServer, FrameJson
from batuta.server.live.notifications import Notification, NotificationBus
from batuta.server.live.stored_events import DeliveredEvent
from batuta.server.policy import EVENTS, Access, AccessRule
from batuta.server.precedence import MessagePrecedence
from batuta.server.problems import NotFoundProblem, Problem, TooManyProblem, UnauthorizedProblem, problem_of
from batuta.server.security.access_control import AccessControl, shown_credential
from batuta.server.security.ownership import APPROVER, OWNERSHIP, Caller
from batuta.server.security.refusals import STATUSES as REFUSALS
from batuta.server.security.refusals import AccessRefusal, AccessRefusals

log = logging.getLogger("batuta.server")

CONNECT = AccessRule(Access.USER, "read")
MAX_FRAME_BYTES = 262_144
SLOW_CLIENT_SECONDS = 30.0
"""How long the feed of a slow client waits for it; then it is disconnected and can resume."""
GOODBYE_SECONDS = 5.0
"""How long a client that is disconnected may take to leave, before its connection is ended."""
COMMANDS_PER_SECOND, COMMAND_BURST = 20.0, 60.0
MAX_JOINED_SESSIONS = 50
RETRY_SECONDS = 1.0
PING_SECONDS, PONG_SECONDS = 20, 20
"""How often a client is asked whether it is there, and how long its answer may take: then its socket is closed."""
LOGIN_SECONDS = 10.0
"""How long a connection may stay open without logging in."""

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
    origin: str
    """Where it comes from, for the audit trail."""
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


class SocketServer:
    """All sockets of this process."""

    def __init__(
        self,
        settings: Settings,
        access: AccessControl,
        log: EventLog,
        feed: SessionFeed,
        commands: Mapping[str, SocketCommand],
        precedence: MessagePrecedence,
        refusals: AccessRefusals,
    ) -> None:
        self._refusals = refusals
        self._settings = settings
        self._access = access
        self._log = log
        self._feed = feed
        self._connections: dict[str, Connection] = {}
        self._own: dict[str, tuple[type[BaseModel], Callable[[str, Connection, Any], Awaitable[Ack]]]] = {
            "session:join": (JoinRequest, self._join),
            "session:leave": (LeaveRequest, self._leave),
        }
        self._commands = commands
        self._precedence = precedence
        self._is_closed = False
        self._silent: dict[str, float] = {}
        self.server = self._new_server()

    @property
    def events(self) -> frozenset[str]:
        """What clients can send."""
        return frozenset((*self._own, *self._commands))

    @property
    def callers(self) -> Mapping[str, Caller]:
        """Who is connected, by socket."""
        return {sid: connection.caller for sid, connection in self._connections.items()}

    async def run(self, bus: NotificationBus) -> None:
        """Send `user` notifications to the sockets of their user until cancelled."""
        waiting: asyncio.Queue[Notification] = asyncio.Queue()
        with bus.subscribed({"user": waiting.put_nowait}):
            while True:
                notification = await waiting.get()
                await self.emit_to_user(notification.subject, notification.name, notification.content or {})

    async def emit_to_user(self, user_id: str, event: str, content: Mapping[str, Any]) -> None:
        """Send an event to all sockets of a user in this process."""
        await self.server.emit(event, dict(content), room=_room(user_id))

    @property
    def has_connections(self) -> bool:
        """Whether there is any socket in this process."""
        return bool(self._connections)

    def is_connected(self, user_id: str) -> bool:
        """Whether a user has a socket in this process."""
        return any(connection.caller.user_id == user_id for connection in self._connections.values())

    def approvers(self, workspace_id: str) -> frozenset[str]:
        """The users with a socket in this process who approve in a workspace."""
        callers = (connection.caller for connection in self._connections.values())
        return frozenset(c.user_id for c in callers if c.workspace_id == workspace_id and APPROVER in c.roles)

    async def end(self, sids: frozenset[str]) -> None:
        """Close some sockets, whatever their clients do."""
        for sid in sids:
            engine_id = self.server.manager.eio_sid_from_sid(sid, "/")
            await self.server.disconnect(sid)
            await self._hang_up(engine_id)

    async def close(self) -> None:
        """Close all of them. Harmless if repeated."""
        if self._is_closed:
            return
        self._is_closed = True
        await self.end(frozenset(self._connections))
        await self.server.shutdown()

    def _new_server(self) -> socketio.AsyncServer:
        server = CountingSocketServer(
            async_mode="asgi",
            transports=["websocket"],
            allow_upgrades=False,
            cors_allowed_origins=self._is_own_origin,
            max_http_buffer_size=MAX_FRAME_BYTES,
            ping_interval=PING_SECONDS,
            ping_timeout=PONG_SECONDS,
            async_handlers=False,  # commands of one socket take effect in the order they were sent
            serializer="default",
            json=FrameJson,
        )
        server.on("connect", self._connect)
        server.on("disconnect", self._disconnect)
        server.on("*", self._receive)
        return server

    def _is_own_origin(self, origin: str | None, environ: Mapping[str, Any]) -> bool:
        return origin is None or is_own_origin(origin, environ.get("HTTP_HOST"), self._settings)

    async def _connect(self, sid: str, environ: Mapping[str, Any], auth: Any) -> None:
        token = auth.get("token") if isinstance(auth, dict) else None
        secret = (
            (token if isinstance(token, str) else None)
            or bearer_of(environ.get("HTTP_AUTHORIZATION"))
            or login_of(cookies_of(environ.get("HTTP_COOKIE", "")))
        )
        client = environ.get("asgi.scope", {}).get("client")
        origin = origin_at(client[0] if client else "unknown")
        try:
            caller = await self._access.admit(CONNECT, secret, {})
            limits = limits_of_connections(self._settings)
            limits.check_callers(caller, self.callers.values(), "open sockets at this server", "TOO_MANY_SOCKETS")
        except (Problem, StoreUnavailableError) as error:
            problem = problem_of(error)
            self._note(AccessRefusal.of(problem, "connect", origin, credential=shown_credential(secret)))
            raise Refused(problem.title, problem.body()) from None
        self._connections[sid] = Connection(caller, origin, credited_at=asyncio.get_running_loop().time())
        await self.server.enter_room(sid, _room(caller.user_id))

    async def close_silent(self) -> None:
        """Close connections that were opened and did not log in within `LOGIN_SECONDS`."""
        now = asyncio.get_running_loop().time()
        known = {self.server.manager.eio_sid_from_sid(sid, "/") for sid in self._connections}
        silent = {
            engine_id: self._silent.get(engine_id, now)
            for engine_id in self.server.eio.sockets
            if engine_id not in known
        }
        self._silent = silent
        for engine_id, since in silent.items():
            if now - since >= LOGIN_SECONDS:
                await self._hang_up(engine_id)

    async def close_slow(self) -> None:
        """Close sockets for which more waits than a feed leaves there: answers and notifications that are not taken."""
        for engine_id, socket in list(self.server.eio.sockets.items()):
            if socket.queue.waiting_bytes > 2 * MAX_WAITING_BYTES:
                self._abort(engine_id)

    async def _hang_up(self, engine_id: str | None) -> None:
        """Say goodbye, and end the connection if its client stays. Nothing waits for the client here."""
        socket = self.server.eio.sockets.get(engine_id)
        if socket is not None:
            asyncio.get_running_loop().call_later(GOODBYE_SECONDS, self._ending_of(engine_id))
            await socket.close(wait=False)
            socket.queue.put_nowait(None)  # its writer closes it after that

    def _abort(self, engine_id: str) -> None:
        """End a connection at once; its client can resume."""
        self._ending_of(engine_id)()

    def _ending_of(self, engine_id: str | None) -> Callable[[], None]:
        """What ends a connection: taken while it is known, because goodbyes make it forgotten."""
        scope = self.server.environ.get(engine_id, {}).get("asgi.scope", {})
        end: Callable[[], None] = scope.get("extensions", {}).get(ABORT, {}).get("call", lambda: None)
        return end

    async def _disconnect(self, sid: str, reason: str) -> None:
        connection = self._connections.pop(sid, None)
        if connection is not None:
            for follower in connection.followers.values():
                follower.cancel()
            await asyncio.gather(*connection.followers.values(), return_exceptions=True)

    async def _receive(self, event: str, sid: str, *content: Any) -> Ack:
        """Every command of every socket: acknowledged, whatever happens."""
        connection = self._connections.get(sid)
        if connection is None:
            return {"ok": False, "problem": UnauthorizedProblem().body()}
        try:
            return {"ok": True, **await self._handle(event, sid, connection, content[0] if content else None)}
        except Exception as error:
            problem = problem_of(error)
            if event in EVENTS:
                ids = _ids_in(content[0] if content else None)
                self._note(AccessRefusal.of(problem, event, connection.origin, caller=connection.caller, ids=ids))
            return {"ok": False, "problem": problem.body()}

    def _note(self, refusal: AccessRefusal) -> None:
        if refusal.status in REFUSALS:
            self._refusals.note(refusal)

    async def _handle(self, event: str, sid: str, connection: Connection, content: Any) -> Ack:
        connection.spend(asyncio.get_running_loop().time())
        rule = EVENTS.get(event)
        if rule is None:
            raise NotFoundProblem
        check_content(content)
        shape = self._own[event][0] if event in self._own else self._commands[event].shape
        request = shape.model_validate(content)
        ids = {name: getattr(request, name) for name in OWNERSHIP if hasattr(request, name)}
        async with self._precedence.by_priority(rule.priority):
            caller = await self._access.check(rule, connection.caller, ids)
            with acting_as(caller.principal):
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
        if len(connection.followers) >= MAX_JOINED_SESSIONS:
            raise TooManyProblem(f"A socket follows at most {MAX_JOINED_SESSIONS} sessions.")
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
        """Send the feed of a session to a socket while it is joined; an unavailable store is waited for."""
        while True:
            try:
                async for batch in self._feed.follow(session_id, position):
                    await self._send(sid, batch)
                    position = _position_after(batch, position)
            except StaleEpochError:
                head = await self._log.head(session_id)
                await self.server.emit("session:resync", {"session_id": session_id, "epoch": head.epoch}, to=sid)
                return
            except StoreUnavailableError:
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:
                log.exception("the feed of session %s failed", session_id)
                await self.server.disconnect(sid)
                return
            else:  # it was deleted
                return

    async def _send(self, sid: str, batch: Sequence[DeliveredEvent]) -> None:
        """Send events as soon as the client has taken enough of those before.

        The frames are those that `emit` would make, without reading and writing the JSON of the events again.
        """
        engine_id = self.server.manager.eio_sid_from_sid(sid, "/")
        socket = self.server.eio.sockets.get(engine_id)
        if socket is None:
            return  # it has disconnected, and the task that follows for it is about to be cancelled
        for delivered in batch:
            if not await self._has_room(socket):
                self._abort(engine_id)
                return
            await socket.send(Packet(MESSAGE, f'2["agent:event",{delivered.wire()}]'))

    async def _has_room(self, socket: Any) -> bool:
        """Whether the client takes what waits for it, sooner or later."""
        waited = 0.0
        while socket.queue.waiting_bytes > MAX_WAITING_BYTES:
            if waited >= SLOW_CLIENT_SECONDS:
                return False
            await asyncio.sleep(0.05)
            waited += 0.05
        return True


def _ids_in(content: Any) -> dict[str, str]:
    """The ids that a command names."""
    given = content if isinstance(content, dict) else {}
    named = {name: canonical_id(given[name]) for name in OWNERSHIP if isinstance(given.get(name), str)}
    return {name: value for name, value in named.items() if is_uuid(value)}


def _position_after(batch: Sequence[DeliveredEvent], position: Position) -> Position:
    """Where a client stands that received a batch; live events have no position."""
    for delivered in reversed(batch):
        if delivered.sequence_number is not None:
            return Position(delivered.epoch, delivered.sequence_number)
    return position


def _room(user_id: str) -> str:
    return f"user:{user_id}"
