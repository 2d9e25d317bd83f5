"""The durable journal: what a turn did outside is in the log of its session, so that nobody does it again.

    intend  -> effect.intended     a write begins; if nothing follows, its outcome is unknown
    record  -> effect.recorded     it brought this; on resume this is returned
    abandon -> effect.abandoned    it surely did not happen

The events of a turn are read once, when its next owner takes it up. From then on the owner is the only one who may
write, by its fence, so what it remembers is what the log holds; only after a failure to write it looks again.
"""

import uuid
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue

from batuta.events.emitter import Stamp
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.runtime import EffectAbandoned, EffectIntended, EffectRecorded
from batuta.events.sink import Recorder
from batuta.events.stored import events_in
from batuta.kernel.errors import ConfigurationError, TransientError
from batuta.kernel.tasks import never_waits
from batuta.pipelines.journal import Effect, Pending, Recorded

PAGE = 1_000


class DurableJournal:
    """The `Journal` of one owner of a turn, kept in the log through its recorder."""

    def __init__(
        self, log: EventLog, recorder: Recorder, stamp: Stamp, *, events: Iterable[Event] = (), accepted_at: int = 0
    ) -> None:
        if stamp.session_id is None or stamp.turn_id is None:
            raise ConfigurationError("a durable journal belongs to a turn of a session: its stamp names both")
        self._log = log
        self._session_id, self._turn_id = stamp.session_id, stamp.turn_id
        self._accepted_at = accepted_at
        self._recorder = recorder
        self._fields = stamp.fields()
        self._doubtful: set[str] = set()
        self._known: dict[str, Recorded | Pending] = {}
        self._attempts: dict[str, int] = {}
        for event in events:
            self._learn(event)

    @property
    def never_waits(self) -> bool:
        """Whether a note is kept without suspending: its recorder decides."""
        return never_waits(self._recorder, "record")

    async def recall(self, effect: Effect) -> Recorded | Pending | None:
        """What is known of an effect."""
        if effect.key in self._doubtful:
            await self._look_again()
        return self._known.get(effect.key)

    async def intend(self, effect: Effect) -> None:
        """Note that a write is about to happen."""
        await self._write(EffectIntended, effect)

    async def record(self, effect: Effect, value: JsonValue) -> None:
        """Keep what an effect brought."""
        await self._write(EffectRecorded, effect, result=value)

    async def abandon(self, effect: Effect, reason: str) -> None:
        """Note that an intended effect surely did not happen."""
        await self._write(EffectAbandoned, effect, reason=reason)

    @property
    def pending(self) -> tuple[str, ...]:
        """The keys of writes whose outcome is unknown: for `reconcile`, or for a person."""
        return tuple(key for key, known in self._known.items() if isinstance(known, Pending))

    async def _write(self, event_type: type[Event], effect: Effect, **facts: Any) -> None:
        event = event_type.adopt(
            {
                **event_type.template(),
                **self._fields,
                "event_id": self._id_of(event_type, effect),
                "timestamp": datetime.now(UTC),
                "key": effect.key,
                "kind": effect.kind,
                "name": effect.name,
                **facts,
            }
        )
        try:
            self._learn(await self._recorder.record(event))
        except TransientError:
            self._doubtful.add(effect.key)
            raise

    async def _look_again(self) -> None:
        """After a failure nobody knows whether a note is in the log: the log does."""
        events = await events_of_turn(self._log, self._session_id, self._turn_id, after=self._accepted_at)
        self._known.clear()
        self._attempts.clear()
        for event in events:
            self._learn(event)
        self._doubtful.clear()

    def _id_of(self, event_type: type[Event], effect: Effect) -> str:
        """The same for the same note of the same attempt, so that sending it again stores it once."""
        place = (
            f"{self._fields.get('turn_id')}|{effect.key}|{self._attempts.get(effect.key, 0)}|{event_type.route.type}"
        )
        return str(uuid.uuid5(_NAMESPACE, place)).upper()

    def _learn(self, event: Event) -> None:
        learn = _LESSONS.get(type(event))
        if learn is not None:
            learn(self, event)

    def _begun(self, event: EffectIntended) -> None:
        self._known[event.key] = Pending(self._attempts.get(event.key, 0))

    def _done(self, event: EffectRecorded) -> None:
        self._known[event.key] = Recorded(event.result)

    def _void(self, event: EffectAbandoned) -> None:
        self._known.pop(event.key, None)
        self._attempts[event.key] = self._attempts.get(event.key, 0) + 1


_NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")

_LESSONS: dict[type[Event], Callable[[DurableJournal, Any], None]] = {
    EffectIntended: DurableJournal._begun,  # noqa: SLF001 - the table of its own methods
    EffectRecorded: DurableJournal._done,  # noqa: SLF001
    EffectAbandoned: DurableJournal._void,  # noqa: SLF001
}


async def events_of_turn(log: EventLog, session: str, turn_id: str, *, after: int = 0) -> list[Event]:
    """What the log holds of a turn, in order; `after` is where it was accepted, to read no more than needed."""
    found: list[Event] = []
    while True:
        page = await log.read_stored(session, after=after, limit=PAGE)
        found += events_in(page, types=(), turn_id=turn_id)
        if page.is_last:
            return found
        after = page.records[-1].seq
