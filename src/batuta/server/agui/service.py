"""AG-UI: a run is a turn. What a client sends becomes a message or a decision; what it gets is the log, translated."""

import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from batuta.events.agui import AguiEvent, translate
from batuta.events.conversation import Complete
from batuta.events.envelope import Event
from batuta.events.log import EventLog, Position
from batuta.events.tools import ApprovalResolved
from batuta.eventstore.journal import events_of_turn
from batuta.kernel.ids import is_uuid
from batuta.server.live.feed import SessionFeed
from batuta.server.live.sse import LiveStream
from batuta.server.problems import FieldProblem, InvalidProblem
from batuta.server.security.ownership import Caller

PAGE = 1_000


class AguiMessage(BaseModel):
    """A message as AG-UI writes it; only what users say is read."""

    model_config = ConfigDict(extra="allow")

    id: str = Field(max_length=100)
    role: str
    content: Any = None


class Resume(BaseModel):
    """An answer to an interrupt."""

    model_config = ConfigDict(extra="allow")

    interruptId: str  # noqa: N815 - the protocol's spelling
    status: Literal["resolved", "cancelled"]
    payload: dict[str, Any] | bool | None = None


class RunAgentInput(BaseModel):
    """What an AG-UI client sends to begin a run."""

    model_config = ConfigDict(extra="allow")

    threadId: str = Field(min_length=1, max_length=200)  # noqa: N815 - the protocol's spelling
    runId: str = Field(min_length=1, max_length=200)  # noqa: N815
    messages: list[AguiMessage] = Field(default=[], max_length=1_000)
    resume: list[Resume] | None = Field(default=None, max_length=50)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformPort:
    """What the other domains do for AG-UI."""

    own_session: Callable[[Caller, str], Awaitable[None]]
    """Make sure the session is there and the caller's; a new id gets a new session."""
    send: Callable[[Caller, str, str, str], Awaitable[tuple[str, Position]]]
    """Send a message (session, client id, text): its turn, and where it begins."""
    decide: Callable[[Caller, str, str, Mapping[str, Any]], Awaitable[str]]
    """Answer an approval of a session: the turn that goes on. One of another session is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOfTurn:
    """A run that was begun: which turn it shows, from where on, and how the client calls it."""

    session_id: str
    turn_id: str
    position: Position
    names: Mapping[str, str]


class AguiRuns:
    """Begins runs and follows them."""

    def __init__(self, log: EventLog, feed: SessionFeed, platform: PlatformPort) -> None:
        self._log = log
        self._feed = feed
        self._platform = platform

    async def begin(self, caller: Caller, request: RunAgentInput) -> RunOfTurn:
        """Say or decide what the client sent."""
        session_id = session_of(caller, request.threadId)
        await self._platform.own_session(caller, session_id)
        if request.resume:
            turn_id, position = await self._go_on(caller, session_id, request.resume)
        else:
            message_id, text = _last_words(request.messages)
            turn_id, position = await self._platform.send(caller, session_id, message_id, text)
        names = {"threadId": request.threadId, "runId": request.runId}
        return RunOfTurn(session_id=session_id, turn_id=turn_id, position=position, names=names)

    async def follow(self, run: RunOfTurn, stream: LiveStream) -> AsyncGenerator[list[AguiEvent]]:
        """The turn as it is stored, to its end or its pause, in the events of the protocol."""
        _, state = translate(await self._past(run))
        turn = self._feed.follow_turn(run.session_id, run.turn_id, run.position, stream=stream)
        async with aclosing(turn) as batches:
            async for batch in batches:
                events, state = translate((delivered.event for delivered in batch), state)
                yield [_renamed(event, run.names) for event in events]

    async def _go_on(self, caller: Caller, session_id: str, answers: Sequence[Resume]) -> tuple[str, Position]:
        turn_id = ""
        for answer in answers:
            turn_id = await self._platform.decide(caller, session_id, answer.interruptId, _decision(answer))
        epoch = (await self._log.head(session_id)).epoch
        history = await events_of_turn(self._log, session_id, turn_id)
        return turn_id, Position(epoch, resume_point(history, {answer.interruptId.upper() for answer in answers}))

    async def _past(self, run: RunOfTurn) -> list[Event]:
        """What came before the run, so that its plans and approvals are known."""
        found: list[Event] = []
        after = 0
        while after < run.position.seq:
            limit = min(PAGE, run.position.seq - after)
            page = await self._log.read(run.session_id, after=after, limit=limit)
            if not page.records:
                break
            found += [event for event in page.events if event.is_visible]
            after = page.records[-1].seq
        return found


def resume_point(history: Sequence[Event], approval_ids: Collection[str]) -> int:
    """Where the run that a decision opens begins: where the turn had stopped before it was decided.

    It is the same place whenever the decision is sent, so an answer that comes again, or that was given elsewhere,
    gets the same run. A turn that was over before gets its last one.
    """
    decided = [_seq(event) for event in history if _answers(event, approval_ids)]
    ends = [event for event in history if isinstance(event, Complete)]
    over = [_seq(end) for end in ends if end.status != "paused"]
    before = min([*decided[-1:], *over[-1:]], default=None)
    stops = [_seq(end) for end in ends if before is None or _seq(end) < before]
    return stops[-1] if stops else min(map(_seq, history), default=1) - 1


def session_of(caller: Caller, thread_id: str) -> str:
    """The session of a thread: its id if it is one of ours, else one that only this caller's thread has."""
    if is_uuid(thread_id):
        return thread_id.upper()
    return str(uuid.uuid5(uuid.UUID(caller.user_id), thread_id)).upper()


def _answers(event: Event, approval_ids: Collection[str]) -> bool:
    return isinstance(event, ApprovalResolved) and event.approval_id in approval_ids


def _seq(event: Event) -> int:
    return event.sequence_number or 0


def _last_words(messages: Sequence[AguiMessage]) -> tuple[str, str]:
    last = next((message for message in reversed(messages) if message.role == "user"), None)
    text = "" if last is None else _text(last.content)
    if last is None or not text.strip():
        raise InvalidProblem(fields=[FieldProblem(field="messages", message="there is no message of a user in it")])
    return last.id, text


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("type") == "text")


def _decision(answer: Resume) -> dict[str, Any]:
    """A decision, from the shapes clients use: `{decision, args?}`, `{approved}`, `{editedArgs}` or true and false."""
    if answer.status == "cancelled":
        return {"decision": "reject", "reason": "cancelled"}
    payload = {"approved": answer.payload} if isinstance(answer.payload, bool) else (answer.payload or {})
    if "decision" in payload:
        return {name: payload[name] for name in ("decision", "args", "reason", "remember") if name in payload}
    if isinstance(edited := payload.get("editedArgs"), dict):
        return {"decision": "edit", "args": edited}
    if isinstance(approved := payload.get("approved"), bool):
        return {"decision": "approve" if approved else "reject", "reason": payload.get("reason")}
    raise InvalidProblem(fields=[FieldProblem(field="resume", message="say `approved` or `decision` in the payload")])


def _renamed(event: AguiEvent, names: Mapping[str, str]) -> AguiEvent:
    """With the client's own names for thread and run."""
    return {**event, **{name: given for name, given in names.items() if name in event}}
