"""Better titles: after its first turn a session is named by a model, once, beside everything else.

A session has a title from its first words as soon as it has a message. A model, if there is one for it, gives a better
one when the first turn has ended; if it fails, is slow, or somebody named the session meanwhile, nothing changes.
"""

import asyncio
import logging
import time
from dataclasses import replace
from datetime import timedelta

from batuta.events.conversation import Complete, TitleChanged, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.runtime import LlmResponse
from batuta.kernel.answers import Answer
from batuta.kernel.errors import BatutaError, IdempotencyConflictError
from batuta.kernel.ids import SessionId, new_id
from batuta.kernel.messages import Message
from batuta.llm.model import Model, ModelRequest
from batuta.llm.roles import DEFAULT_ROLES, ModelRole
from batuta.server.naming import MODEL_TITLE_KEY
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


class Titles:
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
                async with asyncio.timeout(TIMEOUT.total_seconds()):
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
        started = time.perf_counter()
        answer = await self._model.generate(
            ModelRequest(messages=(Message.user(said[:LONGEST_MESSAGE]),), system=INSTRUCTIONS, settings=self._settings)
        )
        title = title_of(answer.text.strip().strip("\"'«»“”"))
        call = _call(session_id, answer, (time.perf_counter() - started) * 1000)
        named = [TitleChanged(session_id=SessionId(session_id), title=title)] if title else []
        try:
            await self._log.append(session_id, [call, *named], client_key=MODEL_TITLE_KEY)
        except IdempotencyConflictError:  # somebody named it meanwhile; the call was made all the same
            await self._log.append(session_id, [call])


def first_words(events: tuple[Event, ...] | list[Event], ended: Complete) -> str | None:
    """What the first turn asked, if that is the one that ended and nobody chose a title."""
    said = next((event for event in events if isinstance(event, UserMessage)), None)
    is_named = any(isinstance(event, TitleChanged) and not event.is_automatic for event in events)
    return None if said is None or said.turn_id != ended.turn_id or is_named else said.content


def _call(session_id: str, answer: Answer, duration_ms: float) -> LlmResponse:
    """The call, so that what it cost is counted like every other."""
    return LlmResponse(
        session_id=SessionId(session_id),
        call_id=new_id(),
        path=ROLE,
        provider=answer.provider,
        model=answer.model,
        duration_ms=duration_ms,
        stop_reason=answer.stop_reason,
        usage=answer.usage,
        cost=answer.cost,
        source_agent_id=ROLE,
    )
