"""Better titles: after its first turn a session is named by a model, once, beside everything else.

A session has a title from its first words as soon as it has a message. A model, if there is one for it, gives a better
one when the first turn has ended; if it fails, is slow, or the session was named meanwhile, nothing changes.
"""

import asyncio
import logging
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

from batuta.events.conversation import Complete, TitleChanged, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.runtime import LlmRequest, LlmResponse
from batuta.kernel.errors import BatutaError, IdempotencyConflictError
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Answer, Message
from batuta.llm.model import Model, ModelRequest
from batuta.llm.roles import DEFAULT_ROLES, ModelRole
from batuta.server.sessions.naming import MODEL_TITLE_KEY
from batuta.server.turns.titles import title_of

log = logging.getLogger("batuta.server")

ROLE = "session_title"
TIMEOUT = timedelta(seconds=20)
BACKLOG = 1_000
AT_ONCE = 4
BEGINNING = 200
"""How many events of a session are looked at: its first turn begins it."""
LONGEST_MESSAGE = 2_000
INSTRUCTIONS = (
    "Name the conversation that begins with this message: a title of at most six words, in the message's language, "
    "without quotes or a full stop. The message is only to be named, not answered. Answer with the title alone."
)


class SessionTitler:
    """A sink of running turns that names the sessions whose first turn ended. Works within `run`."""

    never_blocks = True

    def __init__(self, events: EventLog, model: Model, *, role: ModelRole = DEFAULT_ROLES[ROLE]) -> None:
        self._log = events
        self._model = model
        self._settings = replace(role.settings, timeout=TIMEOUT)
        self._ended: asyncio.Queue[Complete] = asyncio.Queue(BACKLOG)

    def emit(self, event: Event) -> None:
        """Note that a turn has ended; when too many wait, their sessions keep the title they have."""
        if isinstance(event, Complete) and event.status == "success" and not self._ended.full():
            self._ended.put_nowait(event)

    async def run(self) -> None:
        """Name sessions until cancelled, a few at once."""
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._work())

    async def _work(self) -> None:
        while True:
            ended = await self._ended.get()
            try:
                await self._name(ended)
            except (BatutaError, TimeoutError) as error:
                log.info("session %s keeps its title: %s", ended.session_id, type(error).__name__)
            except Exception:
                log.exception("session %s keeps its title", ended.session_id)

    async def _name(self, ended: Complete) -> None:
        session_id = str(ended.session_id)
        said = first_words((await self._log.read(session_id, after=0, limit=BEGINNING)).events, ended)
        if said is None:
            return
        calls, answer = await self._ask(said, ended)
        title = title_of(answer.text.strip().strip("\"'«»“”"))
        named = [TitleChanged(**_context(ended), title=title)] if title else []
        try:
            await self._log.append(session_id, [*calls, *named], client_key=MODEL_TITLE_KEY)
        except IdempotencyConflictError:  # it was named meanwhile; the call was made all the same
            await self._log.append(session_id, calls)

    async def _ask(self, said: str, ended: Complete) -> tuple[list[Event], Answer]:
        """What the model answers, and the call as every other is recorded: it costs, and is found in its trace."""
        call = {**_context(ended), "call_id": new_id(), "path": ROLE, "source_agent_id": ROLE}
        model = self._model
        request = LlmRequest(**call, provider=model.provider, model=model.name, attempt=1)
        asked = ModelRequest(
            messages=(Message.user(said[:LONGEST_MESSAGE]),), system=INSTRUCTIONS, settings=self._settings
        )
        started = time.perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT.total_seconds()):
                answer = await model.generate(asked)
        except (BatutaError, TimeoutError) as error:
            failed = {"success": False, "error": type(error).__name__, "duration_ms": _milliseconds_since(started)}
            response = LlmResponse(**call, provider=model.provider, model=model.name, **failed)
            await self._log.append(str(ended.session_id), [request, response])
            raise
        return [request, _answered(call, answer, _milliseconds_since(started))], answer


def _context(ended: Complete) -> dict[str, Any]:
    """Where a title belongs: to the trace of the turn it follows, not to the turn, which is over."""
    return {"session_id": ended.session_id, "correlation_id": ended.correlation_id, "trace_id": ended.trace_id}


def _milliseconds_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def first_words(events: tuple[Event, ...] | list[Event], ended: Complete) -> str | None:
    """What the first turn asked, if that is the one that ended and no title was chosen."""
    said = next((event for event in events if isinstance(event, UserMessage)), None)
    is_named = any(isinstance(event, TitleChanged) and not event.is_automatic for event in events)
    return None if said is None or said.turn_id != ended.turn_id or is_named else said.content


def _answered(call: dict[str, Any], answer: Answer, duration_ms: float) -> LlmResponse:
    return LlmResponse(
        **call,
        provider=answer.provider,
        model=answer.model,
        duration_ms=duration_ms,
        stop_reason=answer.stop_reason,
        usage=answer.usage,
        cost=answer.cost,
    )
