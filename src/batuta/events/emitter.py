"""Emits events: stamps the envelope of a run on them, records what must be recorded, then informs the observer.

`TurnNaming` gives stable names to what a turn emits that may be run again: the same place in the code gives an event
the same id, a version 8 UUID of the time of the turn and a digest of turn, place, type and number.
"""

from collections.abc import Awaitable, Callable, Generator
from datetime import datetime
from functools import cache
from types import coroutine
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from batuta.events.observers import watching
from batuta.events.sink import EventSink, Recorder, pipelined
from batuta.kernel.errors import BatutaError, RecordingFailedError
from batuta.kernel.ids import EventId, SessionId, TraceId, TurnId, canonical_id, id_within, new_id, trace_id_for
from batuta.kernel.tasks import await_shielded, never_waits

if TYPE_CHECKING:
    from batuta.events.envelope import Envelope, Event


class Stamp(NamedTuple):
    """The part of the envelope that all events of a run share."""

    correlation_id: str
    trace_id: str | None = None
    session_id: str | None = None
    turn_id: str | None = None

    def envelope(self) -> "Envelope":
        """As fields of an event, without what is absent."""
        envelope: Envelope = {
            "correlation_id": canonical_id(self.correlation_id),
            "trace_id": TraceId(self.trace_id) if self.trace_id else trace_id_for(self.correlation_id),
        }
        if self.session_id is not None:
            envelope["session_id"] = SessionId(canonical_id(self.session_id))
        if self.turn_id is not None:
            envelope["turn_id"] = TurnId(canonical_id(self.turn_id))
        return envelope


class Naming(Protocol):
    """Gives an event the same id whenever the same code emits it again, so that a resumed run repeats no event."""

    def name(self, event: "Event", key: str) -> str:
        """The id of an event emitted at the place `key`."""
        ...

    def id_for(self, key: str) -> str:
        """The id of something made at the place `key`."""
        ...


class Emitter:
    """Emits the events of one run, in order: stamped, recorded where their row says so, then observed."""

    __slots__ = (
        "_envelope",
        "_naming",
        "_never_waits",
        "_now",
        "_observe",
        "_pipeline",
        "_recorder",
        "_watcher",
        "is_heard",
        "is_recorded",
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
        self._envelope: Envelope = {"original_index": 0, **stamp.envelope()}
        self._now = now
        self._watcher = watching(sink) if sink is not None else None
        self._observe = self._watcher.emit if self._watcher is not None else None
        self._recorder = recorder
        self._pipeline = None if recorder is None else pipelined(recorder)
        self.is_recorded = recorder is not None
        """Whether what is emitted outlives the run."""
        self.is_heard = sink is not None or recorder is not None
        """Whether there is an observer or a recorder."""
        self._never_waits = recorder is not None and never_waits(recorder, "record")
        self._naming = naming

    def stable_id(self, key: str) -> str:
        """A new id, or the one this place had before."""
        return new_id() if self._naming is None else self._naming.id_for(key)

    @property
    def is_asked_for_contents(self) -> bool:
        """Whether an observer wants to see what models are given and say."""
        return self._watcher is not None and self._watcher.wants_contents

    def disclose(self, event: "Event") -> None:
        """Show contents to the observers that ask for them, and to no other."""
        if self._watcher is not None:
            self._envelope["original_index"] += 1
            self._envelope["timestamp"] = self._now()
            self._watcher.disclose(event.stamp(self._envelope))

    def barrier(self) -> Awaitable[None]:
        """Wait until everything emitted so far is durable and delivered: outside effects may depend on it."""
        return _DONE if self._pipeline is None else self._pipeline.barrier()

    async def settle(self) -> None:
        """At the end of the run: everything it emitted is durable, and the observer has its moment to see the rest.

        Raises what kept the recorder from storing it.
        """
        if self._pipeline is not None:
            durable = self._pipeline.barrier()
            await (durable if self._never_waits else await_shielded(durable))
        if self._watcher is not None and not self._watcher.is_settled():
            await self._watcher.settle()

    @property
    def trace_id(self) -> str:
        """The trace that everything emitted here belongs to."""
        return self._envelope["trace_id"]

    def emit(self, event: "Event", key: str | None = None) -> Awaitable[None]:
        """Stamp an event, record it if its row says so, and show it to the observer. The result has to be awaited.

        `key` names the place in the code that emits it: a run that is repeated gives the event the same id again. A
        cancellation that leaves the wait does so after the event was emitted, a failure instead of emitting it.
        """
        if not self.is_heard:
            return _DONE
        envelope, naming = self._envelope, self._naming
        envelope["original_index"] += 1
        envelope["timestamp"] = self._now()
        if naming is None or key is None or event.has_own_id:
            stamped = event.stamp(envelope)
        else:
            stamped = event.stamp({**envelope, "event_id": EventId(naming.name(event, key))})
        recorder, observe = self._recorder, self._observe
        if self._pipeline is not None:
            waiting = self._pipeline.submit(stamped, observe)
            if waiting is None and stamped.is_sync_required:
                waiting = self._pipeline.barrier()
            return waiting or _DONE
        if recorder is not None and not stamped.is_transient:
            recording = self._record_and_show(stamped, recorder)
            return recording if self._never_waits else await_shielded(recording)
        if observe is not None:
            observe(stamped)
        return _DONE

    async def _record_and_show(self, event: "Event", recorder: Recorder) -> None:
        try:
            recorded = await recorder.record(event)
        except BatutaError:
            raise
        except Exception as error:
            raise RecordingFailedError(f"the recorder did not take a {event.type!r} event: {error}") from error
        if self._observe is not None:
            self._observe(recorded)


@coroutine
def _nothing() -> Generator[None, None, None]:
    """Wait for what has already happened."""
    yield from ()


# A generator that has ended ends every wait at once, and need not be made anew for each event.
_ENDED = _nothing()
next(_ENDED, None)
_DONE = cast("Awaitable[None]", _ENDED)


DISTINGUISHING = (
    "tool_use_id",
    "approval_id",
    "step_id",
    "handoff_id",
    "message_id",
    "attempt",
    "status",
    "retry_successful",
)
"""Fields that tell apart what one place emits in no fixed order."""


@cache
def _distinguishing(event_type: "type[Event]") -> tuple[str, ...]:
    return tuple(field for field in DISTINGUISHING if field in event_type.model_fields)


class TurnNaming:
    """Names the events of one run of one turn."""

    def __init__(self, turn_id: str) -> None:
        self._turn_id = turn_id
        self._emitted: dict[str, int] = {}

    def name(self, event: "Event", key: str) -> str:
        """The id of an event."""
        fields = event.__dict__
        marks = [str(fields[field]) for field in _distinguishing(type(event)) if fields[field] is not None]
        place = f"{event.type}|{key}|{'|'.join(marks)}"
        number = self._emitted[place] = self._emitted.get(place, 0) + 1
        return self.id_for(f"{place}|{number}")

    def id_for(self, key: str) -> str:
        """The id of a place."""
        return id_within(self._turn_id, key)
