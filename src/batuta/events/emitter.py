"""Tells events: stamps the envelope of a run on them, records what must be recorded, then informs the observer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from batuta.events.observers import watching
from batuta.events.sink import EventSink, PipelinedRecorder, Recorder
from batuta.kernel.errors import BatutaError, RecordingFailedError
from batuta.kernel.ids import EventId, canonical_id, new_id, trace_id_for
from batuta.kernel.tasks import never_waits, to_the_end

if TYPE_CHECKING:  # a run that nobody listens to makes no events
    from batuta.events.envelope import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The part of the envelope that all events of a run share."""

    correlation_id: str
    trace_id: str | None = None
    session_id: str | None = None
    turn_id: str | None = None

    def fields(self) -> dict[str, Any]:
        """As constructor arguments, without what is absent."""
        fields = {
            "correlation_id": canonical_id(self.correlation_id),
            "trace_id": self.trace_id or trace_id_for(self.correlation_id),
            "session_id": self.session_id and canonical_id(self.session_id),
            "turn_id": self.turn_id and canonical_id(self.turn_id),
        }
        return {name: value for name, value in fields.items() if value is not None}


class Naming(Protocol):
    """Gives an event the same id whenever the same code tells it again, so that a resumed run tells nothing twice."""

    def name(self, event_type: "type[Event]", key: str, payload: Mapping[str, Any]) -> str:
        """The id of an event told at the place `key`."""
        ...

    def id_for(self, key: str) -> str:
        """The id of something made at the place `key`."""
        ...


class Emitter:
    """Tells the events of one run, in order."""

    __slots__ = (
        "_fields",
        "_index",
        "_naming",
        "_never_waits",
        "_now",
        "_observe",
        "_pipeline",
        "_recorder",
        "_watcher",
        "is_heard",
        "stamp",
    )

    def __init__(
        self,
        stamp: Stamp,
        *,
        now: Callable[[], datetime],
        sink: EventSink | None = None,
        recorder: Recorder | None = None,
        naming: Naming | None = None,
    ) -> None:
        self.stamp = stamp
        self._fields = stamp.fields()
        self._now = now
        self._watcher = watching(sink) if sink is not None else None
        self._observe = self._watcher.emit if self._watcher is not None else None
        self._recorder = recorder
        self._pipeline = recorder if isinstance(recorder, PipelinedRecorder) else None
        self.is_heard = sink is not None or recorder is not None
        """Whether anybody listens."""
        self._never_waits = never_waits(recorder, "record")
        self._naming = naming
        self._index = 0

    def stable_id(self, key: str) -> str:
        """A new id, or the one this place had before."""
        return new_id() if self._naming is None else self._naming.id_for(key)

    @property
    def is_asked_for_contents(self) -> bool:
        """Whether an observer wants to see what models are given and say."""
        return self._watcher is not None and self._watcher.wants_contents

    def disclose(self, event_type: "type[Event]", facts: dict[str, Any]) -> None:
        """Show contents to the observers that ask for them, and to nobody else."""
        if self._watcher is not None:
            self._watcher.disclose(self._made(event_type, facts, None))

    async def barrier(self) -> None:
        """Return when everything told so far is durable and has been shown: what depends on it outside may happen."""
        if self._pipeline is not None:
            await self._pipeline.barrier()

    async def settle(self) -> None:
        """At the end of the run: everything it told is durable, and the observer has its moment to see the rest.

        Raises what kept the recorder from storing it.
        """
        if self._pipeline is not None:
            await to_the_end(self._pipeline.barrier())
        if self._watcher is not None and not self._watcher.is_settled():
            await self._watcher.settle()

    @property
    def trace_id(self) -> str:
        """The trace that everything told here belongs to."""
        trace: str = self._fields["trace_id"]
        return trace

    async def tell(
        self, event_type: "type[Event]", payload: Mapping[str, Any], key: str | None = None
    ) -> EventId | None:
        """Make an event, record it if its row says so, and show it to the observer; its id, if anybody listens.

        `key` names the place in the code that tells it; a run that is repeated gives it the same id again.
        """
        if self._observe is None and self._recorder is None:
            return None
        self._index += 1
        event = event_type(
            event_id=self._id_for(event_type, payload, key),
            timestamp=self._now(),
            original_index=self._index,
            **self._fields,
            **payload,
        )
        if (publishing := self._publish(event)) is not None:
            await publishing
        return event.event_id

    async def tell_own(self, event_type: "type[Event]", facts: dict[str, Any], key: str | None) -> None:
        """The same for what the runtime itself says about every step: its own words are not validated again."""
        telling = self.announce(event_type, facts, key)
        if telling is not None:
            await telling

    def announce(self, event_type: "type[Event]", facts: dict[str, Any], key: str | None) -> Awaitable[None] | None:
        """`tell_own` without waiting where nothing has to be waited for: what it returns has to be awaited.

        A cancellation that leaves that wait does so after the event was told, a failure instead of telling it.
        """
        observe = self._observe
        if observe is None and self._recorder is None:
            return None
        event = self._made(event_type, facts, key)
        if self._recorder is None and observe is not None:
            observe(event)
            return None
        return self._publish(event)

    def _made(self, event_type: "type[Event]", facts: dict[str, Any], key: str | None) -> "Event":
        """An event of the runtime's own words, not validated."""
        self._index += 1
        fields = {**event_type.template(), **self._fields, **facts}
        fields["event_id"] = new_id() if self._naming is None else self._id_for(event_type, facts, key)
        fields["timestamp"] = self._now()
        fields["original_index"] = self._index
        return event_type.adopt(fields)

    def _id_for(self, event_type: "type[Event]", payload: Mapping[str, Any], key: str | None) -> str:
        if self._naming is None or key is None:
            return new_id()
        return self._naming.name(event_type, key, payload)

    def _publish(self, event: "Event") -> Awaitable[None] | None:
        """Have it stored and shown; what has to be waited for, if something has."""
        if self._pipeline is not None:
            waiting = self._pipeline.submit(event, self._observe)
            return self._pipeline.barrier() if waiting is None and event.is_sync_required else waiting
        if self._recorder is not None and not event.is_transient:
            recording = self._record_and_show(event, self._recorder)
            return recording if self._never_waits else to_the_end(recording)
        if self._observe is not None:
            self._observe(event)
        return None

    async def _record_and_show(self, event: "Event", recorder: Recorder) -> None:
        recorded = await self._record(event, recorder)
        if self._observe is not None:
            self._observe(recorded)

    async def _record(self, event: "Event", recorder: Recorder) -> "Event":
        try:
            return await recorder.record(event)
        except BatutaError:
            raise
        except Exception as error:
            raise RecordingFailedError(f"the recorder did not take a {event.type!r} event: {error}") from error
