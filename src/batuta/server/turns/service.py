"""A message becomes a turn: accepted once, durably, and then run by a worker. Stop is a command, not a disconnect."""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Annotated

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from batuta.events.conversation import Attachment, TitleChanged, UserMessage
from batuta.events.log import EventLog, Position
from batuta.events.queue import Accepted, NewWork, TurnQueue, Work, WorkStatus
from batuta.events.sink import EventSink
from batuta.eventstore.stopping import stop_turn
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import IdempotencyConflictError
from batuta.kernel.ids import MessageId, new_id
from batuta.observability.propagation import arrived
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.fair_use import Arrival, Arrivals, TurnLimits
from batuta.server.live.notifications import Notification, NotificationBus
from batuta.server.problems import (
    ConflictProblem,
    FieldProblem,
    InvalidProblem,
    NotFoundProblem,
    TooLargeProblem,
    TooManyProblem,
)
from batuta.server.security.ownership import Caller, is_there
from batuta.server.security.turn_rights import KEY_CONTEXT
from batuta.server.turns import repository
from batuta.server.turns.repository import OpenTurn
from batuta.server.turns.titles import title_of

log = logging.getLogger("batuta.server")

MAX_THINKING_TOKENS = 16_000
"""With an answer beside it, still within what every thinking model can say at once."""

ClientId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,100}$")]

CompanyOf = Callable[[Caller], Awaitable[str | None]]
"""The id of the ERP company that the user works in; None where there is none."""


class NewMessage(BaseModel):
    """What a person says."""

    model_config = ConfigDict(extra="forbid")

    client_message_id: ClientId
    text: str = Field(min_length=1, pattern=r"\S")
    attachments: Annotated[list[Attachment], Field(max_length=20)] = []
    folders: Annotated[list[Annotated[str, StringConstraints(min_length=1, max_length=400)]], Field(max_length=20)] = []
    """Folders of one's own files, if the question is about those alone."""
    target_agent_id: str | None = Field(default=None, max_length=100)
    enable_thinking: bool | None = None
    """Whether the models think before they answer; without it as the person prefers."""
    thinking_budget: int | None = Field(default=None, ge=0, le=MAX_THINKING_TOKENS)
    """How many tokens each of their calls may think; 0 for none."""
    company: str | None = Field(default=None, max_length=200)
    """The id of the company of the ERP that it is about; without it the one that the person works in."""
    auto_search: bool | None = None
    """Clients may send it: whether uploaded documents are searched without being asked."""


class AcceptedTurn(BaseModel):
    """The answer to an accepted message: the same whenever it is sent again."""

    turn_id: str
    client_message_id: str
    is_queued: bool


class Turns:
    """Accepts messages and stops turns."""

    def __init__(
        self,
        database: Database,
        log: EventLog,
        queue: TurnQueue,
        bus: NotificationBus,
        *,
        agent_ids: Collection[str],
        limits: TurnLimits,
        observer: EventSink,
        working_company: CompanyOf | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._working_company = working_company
        self._observer = observer
        self._database = database
        self._system = SystemDatabase(database)
        self._log = log
        self._queue = queue
        self._bus = bus
        self._agent_ids = agent_ids
        self._limits = limits
        self._arrivals = Arrivals()
        self._clock = clock

    async def accept(self, caller: Caller, session_id: str, message: NewMessage) -> tuple[AcceptedTurn, Position]:
        """Accept a message, once, and say from where on its turn can be followed.

        Raises `ConflictProblem` if its id stands for another message.
        """
        self._check(message)
        ids = [str(attachment.file_id).upper() for attachment in message.attachments]
        if ids and not await self._database.read(
            lambda connection: all(is_there(connection, caller, {"file_id": each}) for each in ids)
        ):  # a file of another person is answered like one that does not exist (IS-07)
            raise NotFoundProblem("One of the attached files does not exist. Upload it first.")
        arrival = Arrival(new_id(), caller.user_id, caller.workspace_id)
        with self._arrivals.noting(arrival) as before:
            waiting = await self._check_open(arrival, session_id, message, before)
            if message.company is None and self._working_company is not None:
                # Fixed now: one chosen while a write waits for its approval must not move that write.
                message = message.model_copy(update={"company": await self._working_company(caller)})
            accepted = await self._accept(caller, session_id, message, arrival.turn_id)
        turn_id = accepted.work.turn_id
        has_title = await self._database.write(
            lambda connection: repository.touch(connection, session_id, self._clock.now())
        )
        if not has_title:
            await self._entitle(accepted.work, session_id, message.text)
        self._bus.publish(Notification("work"))
        answer = AcceptedTurn(
            turn_id=turn_id,
            client_message_id=message.client_message_id,
            is_queued=any(turn.turn_id != turn_id for turn in waiting),
        )
        assert accepted.appended is not None
        return answer, Position(accepted.appended.epoch, accepted.appended.first_seq - 1)

    async def _check_open(
        self, arrival: Arrival, session_id: str, message: NewMessage, before: Sequence[Arrival]
    ) -> list[OpenTurn]:
        """The unfinished turns of the session; there may be only so many in all. Raises `TooManyProblem`."""
        most, besides = self._limits.unfinished.of_a_workspace, [each.turn_id for each in before]

        def look(connection: sa.Connection) -> tuple[tuple[int, int], list[OpenTurn]]:
            counts = repository.count_open(
                connection, arrival.user_id, arrival.workspace_id, most=most, besides=besides
            )
            return counts, repository.open_turns(connection, session_id)

        # For the platform itself: the turns of others in the workspace are hidden from this person.
        (of_user, of_workspace), of_session = await self._system.look_up(look)
        of_user += sum(each.user_id == arrival.user_id for each in before)
        try:
            self._limits.unfinished.check(of_user, of_workspace + len(before), "unfinished requests", "TOO_MANY_TURNS")
        except TooManyProblem:
            key = _client_key(message)
            if not await self._system.look_up(lambda c: repository.is_accepted(c, session_id, key)):
                raise
        return of_session

    async def stop(self, caller: Caller, session_id: str) -> None:
        """Stop the turn that holds the session: the running one, or the one that waits first."""
        first = next(iter(await self._open(session_id)), None)
        if first is not None:
            await self._end(first.turn_id, caller)

    async def withdraw(self, caller: Caller, session_id: str, turn_id: str) -> None:
        """Take back a message that waits behind another turn; taken back already, nothing happens.

        Raises `NotFoundProblem` if the session has no such message, `ConflictProblem` if its turn is the one that runs.
        """
        ahead, *behind = [turn.turn_id for turn in await self._open(session_id)] or [""]
        if turn_id in behind:
            await self._end(turn_id, caller)
            return
        work = await self._queue.get(turn_id)
        if work is None or work.session_id != session_id:
            raise NotFoundProblem("This session has no such message.")
        if turn_id == ahead or work.status is not WorkStatus.CANCELLED:
            raise ConflictProblem("It is being answered, or was: it cannot be taken back.", code="TURN_BEGUN")

    async def _end(self, turn_id: str, caller: Caller) -> None:
        stopped = await stop_turn(self._log, self._queue, turn_id, by=caller.user_id)
        self._bus.publish(Notification("stop", turn_id))
        if stopped is not None and stopped.is_over:
            for event in stopped.events:
                self._observer.emit(event)
            self._bus.publish(Notification("work"))

    def _check(self, message: NewMessage) -> None:
        if len(message.text) > self._limits.message_chars:
            raise TooLargeProblem(
                f"A message has at most {self._limits.message_chars} characters.", code="MESSAGE_TOO_LONG"
            )
        if "\x00" in message.text or any("\ud800" <= character <= "\udfff" for character in message.text):
            raise InvalidProblem(fields=[FieldProblem(field="text", message="it holds characters that are no text")])
        if message.target_agent_id is not None and message.target_agent_id not in self._agent_ids:
            raise InvalidProblem(fields=[FieldProblem(field="target_agent_id", message="there is no such agent")])

    async def _accept(self, caller: Caller, session_id: str, message: NewMessage, turn_id: str) -> Accepted:
        context = arrived()
        # What the worker gets. Nothing in it may differ when the same message is sent again.
        payload = message.model_dump(mode="json", exclude={"client_message_id", "attachments"}, exclude_none=True)
        payload["attachments"] = [attachment.model_dump(mode="json") for attachment in message.attachments]
        payload["roles"] = sorted(caller.roles)
        work = NewWork(
            turn_id=turn_id,
            session_id=session_id,
            payload=payload,
            user_id=caller.user_id,
            tenant_id=caller.workspace_id,
            max_attempts=self._limits.attempts,
            # The key that brings a message is named: a turn does not outlive it.
            context=({} if context is None else context.carried())
            | ({KEY_CONTEXT: caller.credential.digest} if caller.credential.kind == "key" else {}),
        )
        said = UserMessage(
            **work.stamp.envelope(),
            message_id=MessageId(new_id()),
            content=message.text,
            attachments=tuple(message.attachments),
            client_message_id=message.client_message_id,
            target_agent_id=message.target_agent_id,
        )
        try:
            return await self._queue.accept(work, [said], client_key=_client_key(message))
        except IdempotencyConflictError as error:
            raise ConflictProblem(
                "This client_message_id was used for another message; use a new one.", code=error.code
            ) from error

    async def _entitle(self, work: Work, session_id: str, text: str) -> None:
        """Name a session after its first message. A client key makes sure that it happens once."""
        title = title_of(text)
        if not title:
            return
        named = TitleChanged(**work.stamp.envelope(), title=title)
        try:
            await self._log.append(session_id, [named], client_key="title")
        except IdempotencyConflictError:
            log.debug("session %s got its title from another message", session_id)

    async def _open(self, session_id: str) -> list[OpenTurn]:
        return await self._database.read(lambda connection: repository.open_turns(connection, session_id))


def _client_key(message: NewMessage) -> str:
    return f"message/{message.client_message_id}"
