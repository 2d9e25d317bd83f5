"""The durable journal: the effects of a turn are in the log of its session, so that none is repeated.

    intend  -> effect.intended     a write begins; if nothing follows, its outcome is unknown
    record  -> effect.recorded     it brought this; on resume this is returned
    abandon -> effect.abandoned    it surely did not happen

The events of a turn are read once, when its next owner takes it up. From then on the owner is the only one who may
write, by its fence, so what it remembers is what the log holds; only after a failure to write it looks again.

What a `read` brought is noted while the run goes on: lost with a crash, it is read again. Every note about another
effect is durable before the run goes on, so that only reads are ever repeated.
"""

from collections import Counter
from collections.abc import Iterable

from pydantic import JsonValue

from batuta.events.emitter import Stamp
from batuta.events.envelope import Event, trusted
from batuta.events.log import EventLog
from batuta.events.runtime import EffectAbandoned, EffectIntended, EffectRecorded
from batuta.events.sink import Recorder, pipelined
from batuta.events.wire import events_in
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ConfigurationError, TransientError
from batuta.kernel.ids import EventId, id_within
from batuta.kernel.tasks import never_waits
from batuta.pipelines.journal import Effect, Pending, Recorded

PAGE = 1_000

_recorded = trusted(EffectRecorded)

EffectNote = EffectIntended | EffectRecorded | EffectAbandoned
"""What a journal writes of an effect."""


class DurableJournal:
    """The `Journal` of one owner of a turn, kept in the log through its recorder."""

    def __init__(
        self,
        log: EventLog,
        recorder: Recorder,
        stamp: Stamp,
        *,
        events: Iterable[Event] = (),
        accepted_at: int = 0,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        if stamp.session_id is None or stamp.turn_id is None:
            raise ConfigurationError("a durable journal belongs to a turn of a session: its stamp names both")
        self._log = log
        self._clock = clock
        self._session_id, self._turn_id = stamp.session_id, stamp.turn_id
        self._accepted_at = accepted_at
        self._recorder = recorder
        self._pipeline = pipelined(recorder)
        self._envelope = stamp.envelope()
        self._doubtful: set[str] = set()
        self._known: dict[str, Recorded | Pending] = {}
        self._abandoned: Counter[str] = Counter()
        self._notes: Counter[tuple[type[Event], str]] = Counter()
        """How often each kind of note was made of an effect: a write that is undone is intended twice."""
        for event in events:
            self._learn(event)

    @property
    def never_waits(self) -> bool:
        """Whether a note cannot be lost by a cancellation: it is with the recorder before anything is waited for."""
        return self._pipeline is not None or never_waits(self._recorder, "record")

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect."""
        if effect.key in self._doubtful:
            await self._look_again()
        return self._known.get(effect.key)

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen."""
        await self._write(EffectIntended(key=effect.key, kind=effect.kind, name=effect.name))

    async def record(self, effect: Effect, value: JsonValue) -> None:
        """Keep what an effect brought."""
        await self._write(_recorded(key=effect.key, kind=effect.kind, name=effect.name, result=value))

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Note that an intended effect surely did not happen."""
        await self._write(EffectAbandoned(key=effect.key, kind=effect.kind, name=effect.name, reason=reason))

    @property
    def pending(self) -> tuple[str, ...]:
        """The keys of writes whose outcome is unknown: for `reconcile`, or for a person."""
        return tuple(key for key, known in self._known.items() if isinstance(known, Pending))

    async def _write(self, event: EffectNote) -> None:
        # The same id for the same note whenever the turn is repeated, so that sending it again stores it once.
        number = self._notes[type(event), event.key]
        event_id = id_within(self._envelope["turn_id"], f"{event.type}|{event.key}|{number}")
        event.stamp({**self._envelope, "event_id": EventId(event_id), "timestamp": self._clock.now()})
        if self._pipeline is None:
            await self._write_and_wait(event)
            return
        waiting = self._pipeline.submit(event)
        self._learn(event)
        if waiting is None and event.kind != "read":
            waiting = self._pipeline.barrier()
        if waiting is not None:
            await waiting

    async def _write_and_wait(self, event: EffectNote) -> None:
        try:
            self._learn(await self._recorder.record(event))
        except TransientError:
            self._doubtful.add(event.key)
            raise

    async def _look_again(self) -> None:
        """After a failure only the log knows whether it holds a note."""
        events = await events_of_turn(self._log, self._session_id, self._turn_id, after=self._accepted_at)
        self._known.clear()
        self._abandoned.clear()
        self._notes.clear()
        for event in events:
            self._learn(event)
        self._doubtful.clear()

    def _learn(self, event: Event) -> None:
        if isinstance(event, EffectIntended):
            self._known[event.key] = Pending(self._abandoned[event.key], event.timestamp)
        elif isinstance(event, EffectRecorded):
            self._known[event.key] = Recorded(event.result)
        elif isinstance(event, EffectAbandoned):
            self._known.pop(event.key, None)
            self._abandoned[event.key] += 1
        else:
            return
        self._notes[type(event), event.key] += 1


async def events_of_turn(log: EventLog, session: str, turn_id: str, *, after: int = 0) -> list[Event]:
    """What the log holds of a turn, in order; `after` is where it was accepted, to read no more than needed."""
    found: list[Event] = []
    while True:
        page = await log.read_stored(session, after=after, limit=PAGE)
        found += events_in(page, types=(), turn_id=turn_id)
        if page.is_last:
            return found
        after = page.records[-1].seq
