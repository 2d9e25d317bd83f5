"""Better titles: after its first turn a session is named by a model, once, beside everything else.

A session has a title from its first words as soon as it has a message. A model, if there is one for it, gives a better
one when the first turn has ended; if it fails, is slow, or the session was named meanwhile, nothing changes. The call
is in the log before it is made. One whose process died is counted, as lost, when the session's next turn has ended.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from batuta.events.conversation import Complete, TitleChanged, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.runtime import LlmRequest, LlmResponse
from batuta.events.turn_ends import ends_of_lost_calls
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import BatutaError, IdempotencyConflictError
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Answer, Message
from batuta.kernel.usage import Amount, LostTries
from batuta.llm.budgeted import worst_case
from batuta.llm.model import Model, ModelRequest
from batuta.llm.prices import FREE
from batuta.llm.roles import DEFAULT_ROLES, ModelRole
from batuta.server.sessions.naming import MODEL_TITLE_KEY
from batuta.server.turns.titles import title_of

log = logging.getLogger("batuta.server")

ROLE = "session_title"
TIMEOUT = timedelta(seconds=20)
LOST_AFTER = 3 * TIMEOUT
"""A call that began so long ago and has no end in the log is not being made any more."""
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

    def __init__(
        self,
        events: EventLog,
        model: Model,
        *,
        role: ModelRole = DEFAULT_ROLES[ROLE],
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._log = events
        self._model = model
        self._clock = clock
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
        beginning = (await self._log.read(session_id, after=0, limit=BEGINNING)).events
        await self._end_lost_calls(session_id, beginning)
        said = first_words(beginning, ended)
        if said is None:
            return
        answer = await self._ask(said, ended)
        title = title_of(answer.text.strip().strip("\"'«»“”"))
        if title:
            with contextlib.suppress(IdempotencyConflictError):  # it was named meanwhile
                named = TitleChanged(**_context(ended), title=title)
                await self._log.append(session_id, [named], client_key=MODEL_TITLE_KEY)

    async def _ask(self, said: str, ended: Complete) -> Answer:
        """What the model answers. The call is recorded as every other one: it costs, and is found in its trace."""
        model, session_id = self._model, str(ended.session_id)
        call = {**_context(ended), "call_id": new_id(), "path": ROLE, "source_agent_id": ROLE}
        asked = ModelRequest(
            messages=(Message.user(said[:LONGEST_MESSAGE]),), system=INSTRUCTIONS, settings=self._settings
        )
        most = None if model.provider in FREE else worst_case(asked, model)
        reserved = {} if most is None else {"reserved_tokens": most.tokens, "reserved_cost": most.money}
        request = LlmRequest(**call, provider=model.provider, model=model.name, attempt=1, **reserved)
        await self._log.append(session_id, [request])
        answer, failure, lost, started = None, None, list[Amount](), time.perf_counter()
        try:
            with LostTries() as lost:
                async with asyncio.timeout(TIMEOUT.total_seconds()):
                    answer = await model.generate(asked)
        except BaseException as error:
            failure = type(error).__name__
            raise
        finally:
            response = LlmResponse(
                **call,
                provider=model.provider,
                model=model.name if answer is None else answer.model,
                duration_ms=(time.perf_counter() - started) * 1000,
                success=answer is not None,
                error=failure,
                stop_reason=None if answer is None else answer.stop_reason,
                response_id=None if answer is None else answer.response_id,
                usage=None if answer is None else answer.usage,
                cost=None if answer is None else answer.cost,
                lost_tokens=sum(lost, Amount()).tokens,
                lost_cost=sum(lost, Amount()).money if lost else None,
            )
            await self._log.append(session_id, [response])
        return answer

    async def _end_lost_calls(self, session_id: str, beginning: Sequence[Event]) -> None:
        """Count calls of processes that died in them."""
        latest = self._clock.now() - LOST_AFTER
        calls = [event for event in beginning if isinstance(event, (LlmRequest, LlmResponse)) and event.path == ROLE]
        for end in ends_of_lost_calls(call for call in calls if call.timestamp < latest):
            with contextlib.suppress(IdempotencyConflictError):  # another process ended it
                await self._log.append(session_id, [end], client_key=f"{ROLE}:{end.call_id}")


def _context(ended: Complete) -> dict[str, Any]:
    """Where a title belongs: to the trace of the turn it follows, not to the turn, which is over."""
    return {"session_id": ended.session_id, "correlation_id": ended.correlation_id, "trace_id": ended.trace_id}


def first_words(events: tuple[Event, ...] | list[Event], ended: Complete) -> str | None:
    """What the first turn asked, if that is the one that ended and no title was chosen."""
    said = next((event for event in events if isinstance(event, UserMessage)), None)
    is_named = any(isinstance(event, TitleChanged) and not event.is_automatic for event in events)
    return None if said is None or said.turn_id != ended.turn_id or is_named else said.content
