"""What a session's log says about its past: the conversation so far, and what was decided."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from batuta.conversations.conversation import Conversation
from batuta.events.conversation import AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.log import EventLog, Stored, StoredPage
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.events.wire import events_in
from batuta.kernel.messages import Message
from batuta.orchestration.remembering import RememberedCall

MEMORABLE = frozenset(
    model.route.type for model in (UserMessage, AssistantMessage, Complete, ApprovalRequested, ApprovalResolved)
)
"""What these functions look at of the turns before."""

PAGE = 1_000
MAX_CHARACTERS = 8_000_000
"""Of all sessions together that a process remembers; those whose last turn is longest ago are forgotten first."""
EVENT_CHARACTERS = 500
"""What an event takes besides its content."""


class _Past(NamedTuple):
    """What a session's log said up to a position."""

    epoch: int
    seq: int
    event_id: str
    events: tuple[Event, ...]
    """Those that are memorable."""
    characters: int

    def is_continued_by(self, page: StoredPage) -> bool:
        """Whether a page that begins with the last record finds it as it was: not erased, and in the same epoch."""
        if not page.records or page.records[0].payload is None:
            return False
        last = page.records[0]
        return (page.head.epoch, last.seq, last.event_id) == (self.epoch, self.seq, self.event_id)


class SessionPasts:
    """Reads what a turn has to know of its session: everything of its own, and what is memorable of the others.

    Of sessions whose last turn ran here only the end is read: a long conversation is not decoded at every turn. An
    erasure takes the contents of a session all at once, so its last record tells whether there was one.
    """

    def __init__(self, log: EventLog, *, max_characters: int = MAX_CHARACTERS) -> None:
        self._log = log
        self._max = max_characters
        self._characters = 0
        self._pasts: OrderedDict[str, _Past] = OrderedDict()

    async def of_turn(self, session_id: str, turn_id: str, *, is_new: bool) -> list[Event]:
        """The past of a turn, in order; one that is not new may have events of every kind, anywhere."""
        known = self._forget(session_id) if is_new else None
        page = await self._log.read_stored(session_id, after=known.seq - 1 if known else 0, limit=PAGE)
        if known is not None:
            if known.is_continued_by(page):
                page = replace(page, records=page.records[1:])
            else:
                known = None
                page = await self._log.read_stored(session_id, after=0, limit=PAGE)
        found: list[Event] = [] if known is None else list(known.events)
        last: Stored | _Past | None = known
        while True:
            found += events_in(page, types=MEMORABLE, turn_id=turn_id)
            last = page.records[-1] if page.records else last
            if page.is_last:
                break
            page = await self._log.read_stored(session_id, after=page.records[-1].seq, limit=PAGE)
        if is_new and last is not None:
            memorable = tuple([event for event in found if event.type in MEMORABLE])
            size = sum(EVENT_CHARACTERS + len(getattr(event, "content", None) or "") for event in memorable)
            self._forget(session_id)  # another turn of it may have been read meanwhile
            self._pasts[session_id] = _Past(page.head.epoch, last.seq, last.event_id, memorable, size)
            self._characters += size
            while self._characters > self._max:
                self._forget(next(iter(self._pasts)))
        return found

    def _forget(self, session_id: str) -> _Past | None:
        past = self._pasts.pop(session_id, None)
        self._characters -= 0 if past is None else past.characters
        return past


def conversation_before(events: Iterable[Event], turn_id: str) -> Conversation:
    """What was said in the turns before one: each request, and the last word it was given.

    Work between agents stays out: its result is in the last word. So the history is valid for every provider. A turn
    that failed leaves nothing, as in a conversation that is kept in memory; what came of one that was stopped stays.
    """
    answered: set[str] = set()
    said: dict[str, list[Message]] = {}
    for event in events:
        if event.turn_id is None or event.turn_id == turn_id or event.is_internal:
            continue
        turn = said.setdefault(event.turn_id, [])
        if isinstance(event, UserMessage):
            turn[:0] = [Message.user(event.content)]
        elif isinstance(event, AssistantMessage) and event.content:
            turn[1:] = [Message.assistant(event.content, event.source_agent_id)]
        elif isinstance(event, Complete) and event.status in ("success", "cancelled"):
            answered.add(event.turn_id)
    return Conversation(
        message for turn_id, turn in said.items() if turn_id in answered and len(turn) == 2 for message in turn
    )


def decisions_in(events: Iterable[Event]) -> dict[str, ApprovalResolved]:
    """Decisions by approval; the first one counts."""
    decided: dict[str, ApprovalResolved] = {}
    for event in events:
        if isinstance(event, ApprovalResolved):
            decided.setdefault(event.approval_id, event)
    return decided


def remembered_calls(events: Iterable[Event]) -> tuple[RememberedCall, ...]:
    """Calls that a user allowed for the rest of the session, as they ran. A call that was refused allows nothing,
    whatever is written beside the refusal.
    """
    asked: dict[str, ApprovalRequested] = {}
    allowed: list[RememberedCall] = []
    for event in events:
        if isinstance(event, ApprovalRequested):
            asked[event.approval_id] = event
        elif isinstance(event, ApprovalResolved) and event.approval_id in asked and _allows_the_session(event):
            request = asked[event.approval_id]
            args = event.args if event.decision == "edited" and event.args is not None else request.args
            allowed.append(
                RememberedCall(
                    tool_name=request.tool_name,
                    args=args,
                    by=event.by,
                    key_id=event.key_id or "",
                    agent_id=request.source_agent_id or "",
                )
            )
    return tuple(allowed)


def _allows_the_session(resolved: ApprovalResolved) -> bool:
    return resolved.remember == "session" and resolved.decision in ("approved", "edited")
