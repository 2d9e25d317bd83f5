"""Pipelined recording: the run goes on while its events are stored, and waits only at a barrier."""

import asyncio
from datetime import timedelta

import pytest

from batuta.events.admission import Batch
from batuta.events.conversation import AssistantMessage, Complete
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.events.progress import ContentDelta
from batuta.events.sink import PipelinedRecorder
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.recorder import FlushPolicy, Patience, TurnRecorder
from batuta.kernel.errors import FencedError, RecordingFailedError, StoreUnavailableError, UnattributedEventError
from batuta.kernel.ids import new_id
from batuta.testing.clock import FakeClock
from batuta.testing.eventlog import said, words

AT_BARRIERS = FlushPolicy(linger=timedelta(hours=1))


class SlowLog(MemoryEventLog):
    """A log whose commits take until somebody lets them through."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[list[str]] = []
        self.open = asyncio.Event()
        self.failures: list[Exception] = []

    async def append_batch(self, batch: Batch) -> Appended:
        self.commits.append([event.type for event in batch.events])
        await self.open.wait()
        if self.failures:
            raise self.failures.pop(0)
        return await super().append_batch(batch)


@pytest.fixture
def log() -> SlowLog:
    return SlowLog()


@pytest.fixture
def session() -> str:
    return new_id()


async def _turns_of_the_loop(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_the_run_goes_on_while_its_events_are_stored(log: SlowLog, session: str) -> None:
    recorder = TurnRecorder(log, session, flushing=AT_BARRIERS)
    assert isinstance(recorder, PipelinedRecorder)
    assert [recorder.submit(said(name)) for name in "abc"] == [None] * 3
    waiting = asyncio.create_task(recorder.barrier())
    await _turns_of_the_loop()
    assert recorder.submit(said("d")) is None
    assert not waiting.done()
    log.open.set()
    await waiting
    assert [len(commit) for commit in log.commits] == [3], "the fourth was told after the barrier"


async def test_no_event_is_shown_before_it_is_durable(log: SlowLog, session: str) -> None:
    """S-3: and then with its position, in order."""
    shown: list[Event] = []
    recorder = TurnRecorder(log, session, flushing=AT_BARRIERS)
    for name in "ab":
        recorder.submit(said(name), shown.append)
    waiting = asyncio.create_task(recorder.barrier())
    await _turns_of_the_loop()
    assert shown == []
    log.open.set()
    await waiting
    assert [event.sequence_number for event in shown] == [1, 2]
    assert tuple(shown) == (await log.read(session)).events


async def test_what_is_not_stored_is_shown_in_its_turn(log: SlowLog, session: str) -> None:
    """A piece of text, and an event the log has since an earlier run, come after what was told before them."""
    log.open.set()
    known = await TurnRecorder(log, session).record(said("known"))
    shown: list[Event] = []
    recorder = TurnRecorder(log, session, history=[known], flushing=AT_BARRIERS)
    piece = ContentDelta(delta="…", source_agent_id="erp")
    for event in (piece, said("new"), known, piece):
        recorder.submit(event, shown.append)
    assert [event.type for event in shown] == ["content_delta"], "nothing was before it"
    await recorder.barrier()
    assert [event.sequence_number for event in shown] == [None, 2, 1, None]


async def test_events_that_nobody_waits_for_are_stored_soon(log: SlowLog, session: str) -> None:
    """S-7: a person who watches sees them, although the run does something long."""
    log.open.set()
    is_shown = asyncio.Event()
    TurnRecorder(log, session, flushing=FlushPolicy(linger=timedelta(0))).submit(said("a"), lambda _: is_shown.set())
    async with asyncio.timeout(60):
        await is_shown.wait()
    assert await words(log, session) == ["a"]


async def test_a_large_batch_goes_out_by_itself(log: SlowLog, session: str) -> None:
    """S-7."""
    recorder = TurnRecorder(log, session, flushing=FlushPolicy(linger=timedelta(hours=1), batch_events=3))
    for name in "abc":
        recorder.submit(said(name))
    await _turns_of_the_loop()
    assert [len(commit) for commit in log.commits] == [3]
    log.open.set()
    await recorder.barrier()


async def test_too_many_waiting_events_hold_the_run_back(log: SlowLog, session: str) -> None:
    """Memory is bounded: whoever tells more than the store takes has to wait."""
    recorder = TurnRecorder(log, session, flushing=FlushPolicy(linger=timedelta(hours=1), most_waiting_events=2))
    assert recorder.submit(said("a")) is None
    waiting = recorder.submit(said("b"))
    assert waiting is not None
    log.open.set()
    await waiting
    assert await words(log, session) == ["a", "b"]


async def test_too_many_waiting_bytes_hold_the_run_back(log: SlowLog, session: str) -> None:
    recorder = TurnRecorder(log, session, flushing=FlushPolicy(linger=timedelta(hours=1), most_waiting_bytes=1_000))
    waiting = recorder.submit(said("a" * 1_000))
    assert waiting is not None
    log.open.set()
    await waiting


async def test_a_cancelled_barrier_takes_nothing_back(log: SlowLog, session: str) -> None:
    recorder = TurnRecorder(log, session, flushing=AT_BARRIERS)
    recorder.submit(said("a"))
    waiting = asyncio.create_task(recorder.barrier())
    await _turns_of_the_loop()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    log.open.set()
    await recorder.barrier()
    assert await words(log, session) == ["a"]


async def test_a_failed_commit_surfaces_at_the_next_barrier_and_is_final(log: SlowLog, session: str) -> None:
    """T-20: as transient. Nothing told after it is stored: the log holds a beginning of the run, never a hole."""
    log.open.set()
    log.failures = [StoreUnavailableError("away")] * 2
    recorder = TurnRecorder(log, session, flushing=AT_BARRIERS, patience=Patience(attempts=2), clock=FakeClock())
    recorder.submit(said("a"))
    with pytest.raises(RecordingFailedError, match="2 attempts") as failure:
        await recorder.barrier()
    assert failure.value.retryable
    with pytest.raises(RecordingFailedError):
        recorder.submit(said("b"))
    with pytest.raises(RecordingFailedError):
        await recorder.barrier()
    assert (await log.head(session)).last_seq == 0


async def test_a_fenced_owner_stops_at_the_next_barrier(log: SlowLog, session: str) -> None:
    log.open.set()
    recorder = TurnRecorder(log, session, fence=1, flushing=AT_BARRIERS)
    recorder.submit(said("mine"))
    await log.raise_fence(session, 2)
    with pytest.raises(FencedError):
        await recorder.barrier()


async def test_an_event_that_may_not_enter_fails_who_told_it_and_nobody_else(log: SlowLog, session: str) -> None:
    """E-6."""
    log.open.set()
    recorder = TurnRecorder(log, session, flushing=AT_BARRIERS)
    recorder.submit(said("before"))
    with pytest.raises(UnattributedEventError):
        recorder.submit(AssistantMessage(content="by nobody"))
    recorder.submit(said("after"))
    await recorder.barrier()
    assert await words(log, session) == ["before", "after"]


async def test_ft01_a_batch_of_unknown_fate_is_sent_again_as_it_was(session: str) -> None:
    """FT-01: what was told meanwhile does not join it, or the log would find known events mixed with new ones."""

    class Deaf(MemoryEventLog):
        async def append_batch(self, batch: Batch) -> Appended:
            appended = await super().append_batch(batch)
            if not lost:
                lost.append(batch)
                recorder.submit(said("meanwhile"))
                raise StoreUnavailableError("the answer got lost")
            return appended

    lost: list[Batch] = []
    log = Deaf()
    recorder = TurnRecorder(log, session, flushing=AT_BARRIERS, clock=FakeClock())
    recorder.submit(said("a"))
    recorder.submit(said("b"))
    await recorder.barrier()
    await recorder.barrier()
    assert await words(log, session) == ["a", "b", "meanwhile"]


async def test_the_rows_of_a_sync_required_event_are_there_when_it_is_shown(log: SlowLog, session: str) -> None:
    """E-1."""
    log.open.set()
    seen: list[str] = []

    class Projector:
        async def ensure(self, session: str, seq: int) -> None:
            seen.append(f"rows up to {seq}")

    recorder = TurnRecorder(log, session, projector=Projector(), flushing=AT_BARRIERS)
    recorder.submit(said("a"), lambda event: seen.append(event.type))
    recorder.submit(Complete(status="success"), lambda event: seen.append(event.type))
    await recorder.barrier()
    assert seen == ["rows up to 2", said("a").type, "complete"]
