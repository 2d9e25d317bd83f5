"""Live text: what a running turn shows before it is stored, kept so that a late follower gets it from its beginning.

    model -> LiveEventSink (numbers the pieces, keeps the text so far) -> notification `live` -> FeedSubscription
                 ^-------------------- notification `followed`: publish it again --------------------'

Only the process that runs a turn keeps its texts, and only until they are stored. A follower notices a lost piece by
the next one's offset, and asks for the text again. Of progress and artefacts only the latest event about each is kept.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from batuta.events.conversation import AssistantMessage, Complete, Thinking
from batuta.events.envelope import Event
from batuta.events.progress import (
    ContentDelta,
    FileProgress,
    JobProgress,
    StepProgress,
    StreamDiscarded,
    TagCompleted,
    TagStarted,
    ThinkingDelta,
    ToolProgress,
)
from batuta.events.routing import Persistence
from batuta.events.tools import ToolResponse
from batuta.server.live.notifications import Notification, NotificationBus

MAX_CHARACTERS = 8_000_000
"""Of all texts of a process together; those that grew longest ago are dropped first."""
ABANDONED_SECONDS = 120.0
"""A text that did not grow for so long belongs to a turn that this process lost."""
MAX_PROGRESS_EVENTS = 10_000
"""Of all turns of a process together; the oldest are dropped first."""

Piece = ContentDelta | ThinkingDelta
Key = tuple[str, str | None, str | None, str | None]


def key_of(piece: Event) -> Key:
    """Which text a piece belongs to."""
    return piece.type, piece.turn_id, piece.message_id, piece.source_agent_id


def joined(first: Piece, second: Piece) -> Piece:
    """Two neighbouring pieces as one."""
    return second.model_copy(update={"delta": first.delta + second.delta, "offset": first.offset})


@dataclass(slots=True)
class DraftText:
    """A text as far as it was streamed."""

    last: Piece
    length: int = 0
    grown_at: float = 0.0
    parts: list[str] | None = field(default_factory=list)
    """None if the text was too long to keep."""


class DraftTexts:
    """The texts that the turns of this process are streaming."""

    def __init__(
        self, *, max_characters: int = MAX_CHARACTERS, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._drafts: OrderedDict[Key, DraftText] = OrderedDict()
        self._max = max_characters
        self._kept = 0
        self._monotonic = monotonic

    def add(self, piece: Piece) -> Piece:
        """The piece, with its place in its text."""
        key = key_of(piece)
        if key not in self._drafts:
            self._drop_abandoned()
        draft = self._drafts.setdefault(key, DraftText(piece))
        numbered = piece.model_copy(update={"offset": draft.length})
        draft.last, draft.grown_at = numbered, self._monotonic()
        draft.length += len(piece.delta)
        if draft.parts is not None:
            draft.parts.append(piece.delta)
            self._kept += len(piece.delta)
        self._drafts.move_to_end(key)
        for oldest in self._drafts.values():
            if self._kept <= self._max:
                break
            self._kept -= 0 if oldest.parts is None else oldest.length
            oldest.parts = None
        return numbered

    def close(self, event: Event) -> None:
        """A stored message supersedes its pieces, and so does one that is void; the end of a turn all of them."""
        if isinstance(event, Complete):
            self._drop(lambda key: key[1] == event.turn_id)
        elif isinstance(event, (AssistantMessage, Thinking, StreamDiscarded)) and event.message_id is not None:
            self._drop(lambda key: key[2] == event.message_id)

    def in_session(self, session_id: str) -> list[Piece]:
        """The texts that are being streamed in a session, each as one piece from its beginning."""
        self._drop_abandoned()
        found = [draft for draft in self._drafts.values() if draft.last.session_id == session_id]
        return [
            draft.last.model_copy(update={"delta": "".join(draft.parts), "offset": 0})
            for draft in found
            if draft.parts is not None
        ]

    def _drop_abandoned(self) -> None:
        latest = self._monotonic() - ABANDONED_SECONDS
        self._drop(lambda key: self._drafts[key].grown_at < latest)

    def _drop(self, is_over: Callable[[Key], bool]) -> None:
        for key in [key for key in self._drafts if is_over(key)]:
            draft = self._drafts.pop(key)
            self._kept -= 0 if draft.parts is None else draft.length


ProgressSubject = tuple[str, ...]


class LatestProgress:
    """The latest event about each tool, step, job, file and artefact of the turns that run here."""

    def __init__(self, *, max_events: int = MAX_PROGRESS_EVENTS) -> None:
        self._events: OrderedDict[ProgressSubject, Event] = OrderedDict()
        self._max = max_events

    def add(self, event: Event) -> None:
        """Keep it in place of the one before about the same subject."""
        subject = _subject_of(event)
        if subject is None:
            return
        self._events[subject] = event
        self._events.move_to_end(subject)
        if len(self._events) > self._max:
            self._events.popitem(last=False)

    def close(self, event: Event) -> None:
        """A tool's answer ends its progress, a message stored or void its artefacts, the end of a turn everything."""
        if isinstance(event, Complete):
            self._drop(lambda kept: kept.turn_id == event.turn_id)
        elif isinstance(event, ToolResponse):
            self._drop(lambda kept: isinstance(kept, ToolProgress) and kept.tool_use_id == event.tool_use_id)
        elif isinstance(event, (AssistantMessage, StreamDiscarded)) and event.message_id is not None:
            self._drop(lambda kept: isinstance(kept, _TAGS) and kept.message_id == event.message_id)

    def in_session(self, session_id: str) -> list[Event]:
        """The latest events of a session, in the order in which they were emitted."""
        found = [event for event in self._events.values() if event.session_id == session_id]
        return sorted(found, key=lambda event: (str(event.turn_id), event.original_index))

    def _drop(self, is_over: Callable[[Event], bool]) -> None:
        for subject in [subject for subject, event in self._events.items() if is_over(event)]:
            del self._events[subject]


_TAGS = (TagStarted, TagCompleted)


def _subject_of(event: Event) -> ProgressSubject | None:
    """What an event is about; each beginning and end of an artefact is a subject of its own."""
    scope = (str(event.session_id), str(event.turn_id), event.type)
    match event:
        case TagStarted() | TagCompleted():
            return (*scope, event.event_id)
        case ToolProgress(tool_use_id=name) | StepProgress(path=name):
            return (*scope, name)
        case JobProgress(job_id=name) | FileProgress(file_id=name):
            return (*scope, str(name))
        case _:
            return None


class LiveEventSink:
    """The sink of running turns for what is shown and never stored; publishes it again for late followers."""

    never_blocks = True

    def __init__(self, bus: NotificationBus) -> None:
        self._bus = bus
        self._drafts = DraftTexts()
        self._progress = LatestProgress()
        self._loop: asyncio.AbstractEventLoop | None = None

    def emit(self, event: Event) -> None:
        """Publish a transient event that users may see."""
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:  # a slow sink is called from a thread; the bus belongs to the loop
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._emit, event)
                return
        self._emit(event)

    def publish_again(self, notification: Notification) -> None:
        """Publish the texts and progress of a session that has a new follower (`followed`)."""
        for event in (
            *self._drafts.in_session(notification.subject),
            *self._progress.in_session(notification.subject),
        ):
            self._publish(event)

    def _emit(self, event: Event) -> None:
        self._drafts.close(event)
        self._progress.close(event)
        is_live = event.persistence is Persistence.TRANSIENT and event.is_visible
        if is_live and event.session_id is not None:
            self._progress.add(event)
            self._publish(self._drafts.add(event) if isinstance(event, (ContentDelta, ThinkingDelta)) else event)

    def _publish(self, event: Event) -> None:
        self._bus.publish(Notification("live", str(event.session_id), event=event))
