"""The recorder: phase one, on every store."""

import pytest

from batuta.events.admission import Batch
from batuta.events.conversation import AssistantMessage, Complete
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.events.progress import ContentDelta
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.recorder import Patience, TurnRecorder
from batuta.kernel.errors import FencedError, RecordingFailedError, StoreUnavailableError, UnattributedEventError
from batuta.kernel.ids import SessionId, new_id
from batuta.testing.clock import FakeClock
from batuta.testing.eventlog import everything, noted, said, words
from tests.support.stores import Store


async def test_a_recorded_event_comes_back_with_its_position(store: Store) -> None:
    """S-1: and as the log will give it to a reader."""
    session = new_id()
    recorder = TurnRecorder(store.log, session.lower(), fence=1)
    stored = [await recorder.record(noted("a")), await recorder.record(noted("b"))]
    assert [event.sequence_number for event in stored] == [1, 2]
    assert tuple(stored) == (await store.log.read(session)).events


async def test_what_was_submitted_is_stored_in_order_at_the_barrier(store: Store) -> None:
    session, shown = new_id(), list[Event]()
    recorder = TurnRecorder(store.log, session)
    for event in (said("a"), ContentDelta(delta="…"), said("b")):
        assert recorder.submit(event, shown.append) is None
    await recorder.barrier()
    assert [event.sequence_number for event in shown] == [1, None, 2]
    assert await words(store.log, session) == ["a", "b"]


async def test_a_sync_required_event_is_in_the_read_models_when_it_is_returned(store: Store) -> None:
    """E-1: `user_message` and `complete` are sync_required; what they follow is projected with them."""
    session = new_id()
    recorder = TurnRecorder(store.log, session, projector=store.projector)
    await recorder.record(said("hello"))
    (row,) = await store.projections.rows("messages", SessionId(session))
    assert row["content"] == "hello"
    await recorder.record(noted("between"))
    await recorder.record(Complete(status="success"))
    (summary,) = await store.projections.rows("sessions", SessionId(session))
    assert (summary["last_seq"], summary["status"], summary["turn_count"]) == (3, "success", 1)


async def test_a_repeated_run_tells_nothing_twice(store: Store) -> None:
    """O-3: the same ids with other times and durations give back what was stored first."""
    session, event = new_id(), noted("a")
    first = await TurnRecorder(store.log, session, fence=1).record(event)
    again = TurnRecorder(store.log, session, fence=2, history=[first])
    retold = noted("a", event_id=event.event_id)
    assert retold.timestamp != event.timestamp
    assert await again.record(retold) == first
    assert (await again.record(noted("b"))).sequence_number == 2


async def test_a_stale_owner_records_nothing(store: Store) -> None:
    session = new_id()
    await store.log.raise_fence(session, 2)
    with pytest.raises(FencedError):
        await TurnRecorder(store.log, session, fence=1).record(noted("late"))


async def test_an_event_nobody_signed_is_refused(store: Store) -> None:
    """E-6."""
    with pytest.raises(UnattributedEventError):
        await TurnRecorder(store.log, new_id()).record(AssistantMessage(content="by nobody"))


class Absent(MemoryEventLog):
    """A log that is away for the first calls: it executes them, but nobody hears its answer."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls_to_lose = calls

    async def append_batch(self, batch: Batch) -> Appended:
        answer = await super().append_batch(batch)
        if self.calls_to_lose:
            self.calls_to_lose -= 1
            raise StoreUnavailableError("the answer got lost")
        return answer


async def test_ft01_a_store_that_is_away_for_a_moment_is_asked_again() -> None:
    """FT-01: executed, but the caller saw a timeout; the event is stored once."""
    log, session, clock = Absent(2), new_id(), FakeClock()
    stored = await TurnRecorder(log, session, clock=clock).record(noted("a"))
    assert stored.sequence_number == 1
    assert len(await everything(log, session)) == 1


async def test_a_store_that_stays_away_fails_the_step() -> None:
    """T-20: as transient, so that the step is tried again or the turn given back."""
    recorder = TurnRecorder(Absent(9), new_id(), patience=Patience(attempts=2), clock=FakeClock())
    with pytest.raises(RecordingFailedError, match="2 attempts"):
        await recorder.record(noted("a"))
