"""What is being told: whoever joins in the middle gets texts from their beginning, and how far everything else is.

    model -> LiveSink (numbers the pieces, keeps the text so far) -> bus -> Watch (lets each character through once)
                 ^------------------ joined: tell it again ---------------------'

Only the process that runs a turn keeps its texts, and only until they are stored. A piece that got lost on the way is
noticed by the next one's offset, and the text is asked for again. Of what else is shown only while something runs, the
last word about each thing is kept: how far a tool or a step is, which artefacts of an answer began and ended.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from batuta.events.conversation import AssistantMessage, Complete, Thinking
from batuta.events.envelope import Event
from batuta.events.log import Position
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
from batuta.server.live.buffer import Fresh, Handover
from batuta.server.live.notifications import Bus, News

MOST_CHARACTERS = 8_000_000
"""Of all texts of a process together; those that grew longest ago are forgotten first."""
FORGOTTEN_SECONDS = 120.0
"""A text that did not grow for so long belongs to a turn that this process lost."""
MOST_PIECES = 512
MOST_REMEMBERED = 1_000
MOST_MARKS = 10_000
"""Of all turns of a process together; those told longest ago are forgotten first."""

Piece = ContentDelta | ThinkingDelta
Key = tuple[str, str | None, str | None, str | None]


def key_of(piece: Event) -> Key:
    """Which text a piece belongs to."""
    return piece.type, piece.turn_id, piece.message_id, piece.source_agent_id


def joined(first: Piece, second: Piece) -> Piece:
    """Two neighbouring pieces as one."""
    return second.model_copy(update={"delta": first.delta + second.delta, "offset": first.offset})


@dataclass(slots=True)
class Draft:
    """A text as far as it was told."""

    last: Piece
    length: int = 0
    grown_at: float = 0.0
    parts: list[str] | None = field(default_factory=list)
    """Nothing if the text was too much to keep."""


class Drafts:
    """The texts that the turns of this process are telling."""

    def __init__(
        self, *, most_characters: int = MOST_CHARACTERS, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._drafts: OrderedDict[Key, Draft] = OrderedDict()
        self._most = most_characters
        self._kept = 0
        self._monotonic = monotonic

    def add(self, piece: Piece) -> Piece:
        """The piece, with its place in its text."""
        key = key_of(piece)
        if key not in self._drafts:
            self._forget_lost()
        draft = self._drafts.setdefault(key, Draft(piece))
        numbered = piece.model_copy(update={"offset": draft.length})
        draft.last, draft.grown_at = numbered, self._monotonic()
        draft.length += len(piece.delta)
        if draft.parts is not None:
            draft.parts.append(piece.delta)
            self._kept += len(piece.delta)
        self._drafts.move_to_end(key)
        self._make_room()
        return numbered

    def close(self, event: Event) -> None:
        """A stored message supersedes its pieces, and so does one that is void; the end of a turn all of them."""
        if isinstance(event, Complete):
            self._drop(lambda key: key[1] == event.turn_id)
        elif isinstance(event, (AssistantMessage, Thinking, StreamDiscarded)) and event.message_id is not None:
            self._drop(lambda key: key[2] == event.message_id)

    def of(self, session_ids: Collection[str]) -> list[Piece]:
        """The texts that are being told in these sessions, each as one piece from its beginning."""
        self._forget_lost()
        found = [draft for draft in self._drafts.values() if draft.last.session_id in session_ids]
        return [
            draft.last.model_copy(update={"delta": "".join(draft.parts), "offset": 0})
            for draft in found
            if draft.parts is not None
        ]

    def _make_room(self) -> None:
        for draft in self._drafts.values():
            if self._kept <= self._most:
                return
            self._kept -= 0 if draft.parts is None else draft.length
            draft.parts = None

    def _forget_lost(self) -> None:
        latest = self._monotonic() - FORGOTTEN_SECONDS
        self._drop(lambda key: self._drafts[key].grown_at < latest)

    def _drop(self, is_over: Callable[[Key], bool]) -> None:
        for key in [key for key in self._drafts if is_over(key)]:
            draft = self._drafts.pop(key)
            self._kept -= 0 if draft.parts is None else draft.length


Thing = tuple[str, ...]


class Marks:
    """What was told last about each tool, step, job, file and artefact of the turns that run here."""

    def __init__(self, *, most: int = MOST_MARKS) -> None:
        self._marks: OrderedDict[Thing, Event] = OrderedDict()
        self._most = most

    def add(self, event: Event) -> None:
        """Keep it instead of what was told before about the same."""
        thing = _thing_of(event)
        if thing is None:
            return
        self._marks[thing] = event
        self._marks.move_to_end(thing)
        if len(self._marks) > self._most:
            self._marks.popitem(last=False)

    def close(self, event: Event) -> None:
        """A tool's answer ends its progress, a message stored or void its artefacts, the end of a turn everything."""
        if isinstance(event, Complete):
            self._drop(lambda mark: mark.turn_id == event.turn_id)
        elif isinstance(event, ToolResponse):
            self._drop(lambda mark: isinstance(mark, ToolProgress) and mark.tool_use_id == event.tool_use_id)
        elif isinstance(event, (AssistantMessage, StreamDiscarded)) and event.message_id is not None:
            self._drop(lambda mark: isinstance(mark, _TAGS) and mark.message_id == event.message_id)

    def of(self, session_ids: Collection[str]) -> list[Event]:
        """What holds in these sessions now, in the order in which it was told."""
        found = [mark for mark in self._marks.values() if mark.session_id in session_ids]
        return sorted(found, key=lambda mark: (str(mark.turn_id), mark.original_index))

    def _drop(self, is_over: Callable[[Event], bool]) -> None:
        for thing in [thing for thing, mark in self._marks.items() if is_over(mark)]:
            del self._marks[thing]


_TAGS = (TagStarted, TagCompleted)


def _thing_of(event: Event) -> Thing | None:
    """What an event tells about; each beginning and end of an artefact is a thing of its own."""
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


class LiveSink:
    """The sink of running turns: passes on what is shown and never stored, and tells it again to who joins late."""

    never_blocks = True

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._drafts = Drafts()
        self._marks = Marks()
        self._loop: asyncio.AbstractEventLoop | None = None

    def emit(self, event: Event) -> None:
        """Publish a transient event that users may see."""
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:  # a sink that was slow is called from a thread; the bus lives in the loop
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._emit, event)
                return
        self._emit(event)

    def take(self, news: News) -> None:
        """Tell again what is being told in sessions that somebody joined."""
        if news.kind == "joined":
            for event in (*self._drafts.of(news.ids), *self._marks.of(news.ids)):
                self._publish(event)

    def _emit(self, event: Event) -> None:
        self._drafts.close(event)
        self._marks.close(event)
        is_live = event.persistence is Persistence.TRANSIENT and event.is_visible
        if is_live and event.session_id is not None:
            self._marks.add(event)
            self._publish(self._drafts.add(event) if isinstance(event, (ContentDelta, ThinkingDelta)) else event)

    def _publish(self, event: Event) -> None:
        self._bus.publish(News(kind="live", ids=frozenset({str(event.session_id)}), event=event))


class Watch:
    """What one follower has not looked at yet."""

    def __init__(self) -> None:
        self.is_over = False
        self.handed = Handover()
        self._is_woken = False
        self._waiter: asyncio.Future[bool] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._silent_at = 0.0
        self._pieces: deque[Event] = deque()
        self._expected: OrderedDict[Key, int] = OrderedDict()
        """How much of each text was taken."""
        self._seen: OrderedDict[str, None] = OrderedDict()
        """The last of all other events that came: they may be told again for somebody else."""

    @property
    def has_pieces(self) -> bool:
        """Whether something transient waits."""
        return bool(self._pieces)

    def wake(self, position: Position | None = None) -> None:
        """There may be something in the log: up to a position, if that is known."""
        if position is None or not self.handed.reaches(position):
            self.handed.look()
            self._wake()

    def hand(self, fresh: Sequence[Fresh]) -> None:
        """Something was stored in this process."""
        self.handed.add(fresh)
        self._wake()

    def end(self) -> None:
        """There is nothing more to watch."""
        self.is_over = True
        self.handed.look()
        self._wake()

    def close(self) -> None:
        """Nobody waits any more."""
        if self._timer is not None:
            self._timer.cancel()

    def add(self, event: Event) -> bool:
        """A transient event; says no if a text has a hole before it, which has to be told again."""
        if isinstance(event, StreamDiscarded):
            for key in [key for key in self._expected if key[2] == event.message_id]:
                del self._expected[key]
        if not isinstance(event, (ContentDelta, ThinkingDelta)) or event.offset is None:
            if event.event_id not in self._seen:
                self._note(event.event_id)
                self._append(event)
            return True
        key = key_of(event)
        expected = self._expected.get(key, 0)
        if event.offset > expected:
            return False
        rest = event.delta[expected - event.offset :]
        if rest:
            self._expected[key] = expected + len(rest)
            self._append(event.model_copy(update={"delta": rest, "offset": expected}))
            if len(self._expected) > MOST_REMEMBERED:
                self._expected.popitem(last=False)
        return True

    def take(self) -> list[Event]:
        """The transient events since the last call."""
        self._is_woken = False
        pieces = list(self._pieces)
        self._pieces.clear()
        return pieces

    async def wait(self, seconds: float) -> bool:
        """Return when there is something to look at, or after a while: whether there is."""
        if self._is_woken:
            return True
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        self._silent_at = loop.time() + seconds
        if self._timer is None or self._timer.when() > self._silent_at:
            self._set_timer(loop)
        try:
            return await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        self._is_woken = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(True)

    def _set_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        """One timer that is late rather than one for each wait: hardly any of these lasts to its end."""
        self.close()
        self._timer = loop.call_at(self._silent_at, self._look_at_the_time, loop)

    def _look_at_the_time(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        if self._waiter is None or self._waiter.done():
            return  # the next wait sets it again
        if loop.time() < self._silent_at:
            self._set_timer(loop)
        else:
            self._waiter.set_result(False)

    def _note(self, event_id: str) -> None:
        self._seen[event_id] = None
        if len(self._seen) > MOST_REMEMBERED:
            self._seen.popitem(last=False)

    def _append(self, event: Event) -> None:
        last = self._pieces[-1] if self._pieces else None
        if (
            isinstance(event, (ContentDelta, ThinkingDelta))
            and isinstance(last, (ContentDelta, ThinkingDelta))
            and key_of(last) == key_of(event)
        ):
            self._pieces[-1] = joined(last, event)
        else:
            self._pieces.append(event)
        if len(self._pieces) > MOST_PIECES:
            self._lose_oldest()
        self._wake()

    def _lose_oldest(self) -> None:
        """When too many wait, the oldest is lost; a text from there on, so that it is asked for again."""
        lost = self._pieces.popleft()
        if isinstance(lost, (ContentDelta, ThinkingDelta)) and lost.offset is not None:
            key = key_of(lost)
            self._expected[key] = lost.offset
            self._pieces = deque(piece for piece in self._pieces if key_of(piece) != key)
