"""Where events go. One road: everything worth reporting passes through an `EventSink`.

A sink handed to a run is an observer: it watches from beside the run and can neither break nor slow it (`observers`).
The one recording sink (`Recorder`) is awaited.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

if TYPE_CHECKING:
    from batuta.events.envelope import Event

OnStored = Callable[["Event"], object]
"""Called with an event once it is durable and has its position."""


@runtime_checkable
class EventSink(Protocol):
    """Takes every event of a run, in the order of emission, one at a time; what it raises is reported, not passed on.

    It is called on a thread beside the loop, so it may write a file or print. One that belongs on the loop, for
    instance because it feeds an `asyncio.Queue`, and that never blocks, says so: `never_blocks = True` in the class
    that defines its `emit`; it is then called in line.

    Contents of model calls are delivered only to a sink that asks for them: `wants_contents = True`. It then gets
    `llm.exchanged` events as well.
    """

    def emit(self, event: "Event") -> None:
        """Take one event."""
        ...


@runtime_checkable
class Recorder(Protocol):
    """The recording sink: awaited before the run goes on; its failure fails the step that emitted the event.

    Recording is guarded against cancellation by a task of its own. A recorder that never suspends, because it keeps
    events in memory, says so and is spared it: `never_waits = True` in the class that defines its `record`.
    """

    async def record(self, event: "Event") -> "Event":
        """Store one event and return it as stored (with its position)."""
        ...


@runtime_checkable
class PipelinedRecorder(Recorder, Protocol):
    """A recorder that stores events while the run goes on. What must not happen before they are durable waits for
    `barrier`.

    Events are stored in the order they were submitted, each only after all those before it, so that a crash leaves a
    prefix of what the run emitted and never a hole. The first failure is final: everything submitted from then on is
    refused with it, and the next barrier raises it.
    """

    def submit(self, event: "Event", on_stored: OnStored | None = None) -> Awaitable[None] | None:
        """Take one event. If it returns something, too much waits to be stored: a barrier, which has to be awaited.

        `on_stored` is called for one event after the other, in order; for one that is not stored (transient, or in the
        log since an earlier run) when its turn has come.
        """
        ...

    async def barrier(self) -> None:
        """Return when everything submitted so far is durable. Cancelling the wait takes nothing back."""
        ...


def pipelined(recorder: Recorder | None) -> PipelinedRecorder | None:
    """The recorder, if it stores events while the run goes on."""
    # By its methods: a runtime protocol takes long to find out, and every recorded run asks.
    if callable(getattr(recorder, "submit", None)) and callable(getattr(recorder, "barrier", None)):
        return cast("PipelinedRecorder", recorder)
    return None
