"""What a person does with sessions. Names and judgements are events; the rest is read."""

import base64
import binascii
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from batuta.events.conversation import FeedbackGiven
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.sink import EventSink
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.ids import SessionId, new_id
from batuta.observability.propagation import arrived_with
from batuta.server.database.engines import Database
from batuta.server.live.feed import ReadModels, SessionFeed, WirePage
from batuta.server.live.notifications import Notification, NotificationBus
from batuta.server.problems import InvalidProblem, NotFoundProblem
from batuta.server.security.ownership import Caller
from batuta.server.sessions import repository
from batuta.server.sessions.naming import choose_title
from batuta.server.sessions.repository import TOKENS, ListQuery, Summary
from batuta.server.sessions.timeline import TurnTimeline, view_of

NANOS = Decimal(1_000_000_000)
PAGE = 1_000


@dataclass(frozen=True, slots=True)
class EventsPage:
    """Some events that a user may see."""

    epoch: int
    events: Sequence[Event]
    last_sequence: int
    has_more: bool


class Eraser(Protocol):
    """Erases the contents of a session, so that the rest still verifies."""

    async def erase_session(self, session_id: SessionId) -> object:
        """Cancel its turns, fence their owners, empty its events and read models."""
        ...


ReadTables = Callable[[str, Caller], Awaitable[Sequence[Mapping[str, Any]]]]
"""The tables of a session with their rows, as the export for one reader holds them."""


class Sessions:
    """The sessions of all users."""

    def __init__(
        self,
        database: Database,
        log: EventLog,
        eraser: Eraser,
        read_models: ReadModels,
        bus: NotificationBus,
        feed: SessionFeed,
        *,
        observer: EventSink,
        read_tables: ReadTables | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._observer = observer
        self._read_tables = read_tables
        self._database = database
        self._log = log
        self._eraser = eraser
        self._read_models = read_models
        self._bus = bus
        self._feed = feed
        self._clock = clock

    async def create(self, caller: Caller, title: str | None = None, session_id: str | None = None) -> Summary:
        """A new session; with an unused id, if one is given."""
        wanted, now = session_id or new_id(), self._clock.now()

        try:
            await self._database.write(lambda connection: repository.add(connection, wanted, caller, title, now))
        except IntegrityError as error:  # a session has, or had, this id: it is not said whose
            raise NotFoundProblem from error
        if title is not None:
            await self._named(wanted, title)
        return await self._changed(wanted)

    async def page(self, caller: Caller, query: ListQuery) -> tuple[Sequence[Summary], str | None]:
        """Some sessions, and the cursor of the next ones."""
        one_more = ListQuery(limit=query.limit + 1, after=query.after, words=query.words, is_archived=query.is_archived)
        found = await self._database.read(lambda connection: repository.page(connection, caller, one_more))
        shown = found[: query.limit]
        is_last = len(found) <= query.limit
        return shown, None if is_last else cursor_of(shown[-1].updated_at, shown[-1].session_id)

    async def get(self, session_id: str) -> Summary:
        """A session."""
        found = await self._database.read(lambda connection: repository.one(connection, session_id))
        if found is None:
            raise NotFoundProblem
        return found

    async def some(self, session_ids: Collection[str]) -> Sequence[Summary]:
        """Those of some sessions that are there."""
        return await self._database.read(lambda connection: repository.some(connection, session_ids))

    async def change(self, session_id: str, *, title: str | None = None, is_archived: bool | None = None) -> Summary:
        """Rename a session, put it away, or take it out again."""
        if is_archived is not None:
            await self._database.write(lambda connection: repository.archive(connection, session_id, is_archived))
        if title is not None:
            await self._named(session_id, title)
        return await self._changed(session_id)

    async def delete(self, session_id: str) -> None:
        """Stop what runs in it and take its contents away for good; from now on it is not found.

        What it cost stays, without content, and so does the chain that proves what there was.
        """
        now = self._clock.now()
        unfinished = await self._database.read(lambda connection: repository.unfinished_turns(connection, session_id))
        await self._database.write(lambda connection: repository.delete(connection, session_id, now))
        await self._read_models.ensure(session_id, (await self._log.head(session_id)).last_seq)
        await self._eraser.erase_session(SessionId(session_id))
        for turn_id in unfinished:
            self._bus.publish(Notification("stop", turn_id))
        self._bus.publish(Notification("deleted", session_id))

    async def owner_of(self, session_id: str) -> str | None:
        """Whose session it is, or was before it was deleted."""
        return await self._database.read(lambda connection: repository.owner_of(connection, session_id))

    async def events(self, session_id: str, *, after: int, limit: int) -> EventsPage:
        """What a client folds: the events a user may see, in order."""
        page = await self._feed.read(session_id, after=after, limit=limit)
        visible = [event for event in page.events if event.is_visible]
        last = page.records[-1].seq if page.records else after
        return EventsPage(page.head.epoch, visible, last, not page.is_last)

    async def wire_events(self, session_id: str, *, after: int, limit: int) -> WirePage:
        """The same as JSON, for a client that opens a session."""
        return await self._feed.read_wire(session_id, after=after, limit=limit)

    async def all_events(self, session_id: str) -> tuple[int, list[Event]]:
        """The epoch, and every event a user may see."""
        found: list[Event] = []
        after = 0
        while True:
            page = await self.events(session_id, after=after, limit=PAGE)
            found += page.events
            after = page.last_sequence
            if not page.has_more:
                return page.epoch, found

    async def tables(self, session_id: str, caller: Caller) -> Sequence[Mapping[str, Any]]:
        """The tables of a session with those of their rows that the caller may read now."""
        return () if self._read_tables is None else await self._read_tables(session_id, caller)

    async def messages(self, session_id: str, *, after: int, limit: int) -> Sequence[Mapping[str, Any]]:
        """Rows of the read model."""
        return await self._database.read(
            lambda connection: repository.message_page(connection, session_id, after, limit)
        )

    async def timeline(self, session_id: str, turn_id: str) -> TurnTimeline:
        """Every event of a turn, also those that users do not see in the conversation."""
        begin = await self._database.read(lambda connection: repository.accepted_at(connection, turn_id))
        found: list[Event] = []
        after = begin - 1
        while True:
            page = await self._log.read(session_id, after=after, limit=PAGE)
            found += [event for event in page.events if event.turn_id == turn_id]
            if page.is_last:
                return view_of(turn_id, found)
            after = page.records[-1].seq

    async def usage(self, session_id: str) -> dict[str, Any]:
        """Tokens and cost, together, by agent and by model."""

        def sums(connection: sa.Connection) -> list[Sequence[Mapping[str, Any]]]:
            return [repository.usage_by(connection, session_id, column) for column in (None, "agent_id", "model")]

        total, by_agent, by_model = await self._database.read(sums)
        return {
            **_share(total[0]),
            "by_agent": [{"agent_id": row["agent_id"], **_share(row)} for row in by_agent],
            "by_model": [{"model": row["model"], **_share(row)} for row in by_model],
        }

    async def judge(self, session_id: str, message_id: str, rating: int, comment: str) -> None:
        """Keep what a person thinks of an answer."""
        if not await self._database.read(lambda c: repository.has_message(c, session_id, message_id)):
            raise NotFoundProblem
        judgement = FeedbackGiven(
            **arrived_with(),
            session_id=SessionId(session_id),
            target_message_id=message_id,
            rating=rating,
            comment=comment,
        )
        await self._append(session_id, judgement)

    async def _append(self, session_id: str, event: Event) -> None:
        appended = await self._log.append(session_id, [event])
        self._observer.emit(event)
        await self._read_models.ensure(session_id, appended.last_seq)

    async def _named(self, session_id: str, title: str) -> None:
        appended = await choose_title(self._log, session_id, title)
        await self._read_models.ensure(session_id, appended.last_seq)

    async def _changed(self, session_id: str) -> Summary:
        self._bus.publish(Notification("changed", session_id))
        return await self.get(session_id)


def cursor_of(touched_at: datetime, session_id: str) -> str:
    """Where a page ended, as a word for the client."""
    return base64.urlsafe_b64encode(f"{touched_at.isoformat()}|{session_id}".encode()).decode()


def place_of(cursor: str) -> tuple[datetime, str]:
    """Where a page ended. Raises `InvalidProblem` for a word that was never given out."""
    try:
        moment, _, session_id = base64.b64decode(cursor.encode(), altchars=b"-_", validate=True).decode().partition("|")
        touched_at = datetime.fromisoformat(moment)
    except (ValueError, binascii.Error, UnicodeError) as error:
        raise InvalidProblem("There is no page with this cursor.", code="BAD_CURSOR") from error
    if touched_at.tzinfo is None:
        raise InvalidProblem("There is no page with this cursor.", code="BAD_CURSOR")
    return touched_at, session_id


def _share(row: Mapping[str, Any]) -> dict[str, Any]:
    cost = row["cost_nanos"]
    return {
        "usage": {name: int(row[name]) for name in TOKENS},
        "cost": None if cost is None else format(Decimal(int(cost)) / NANOS, "f"),
    }
