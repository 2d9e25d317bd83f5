"""A run that is recorded while it goes on: what it waits for, and what it does not (O-3)."""

from datetime import timedelta
from typing import Any

import pytest

from batuta import AgentStep, Pipeline, step
from batuta.events.admission import Batch
from batuta.events.envelope import Event
from batuta.events.log import Appended
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.recorder import FlushPolicy, Patience, TurnRecorder
from batuta.kernel.errors import RecordingFailedError, StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.kernel.messages import Answer, TextBlock
from batuta.llm.model import ModelRequest
from batuta.testing.clock import FakeClock
from tests.support.runs import EventList

AT_BARRIERS = FlushPolicy(linger=timedelta(hours=1))


class CountingLog(MemoryEventLog):
    """Counts commits, and refuses them from a certain one on."""

    def __init__(self, takes: int = 1_000) -> None:
        super().__init__()
        self.commits = 0
        self._takes = takes

    async def append_batch(self, batch: Batch) -> Appended:
        if self.commits >= self._takes:
            raise StoreUnavailableError("away")
        self.commits += 1
        return await super().append_batch(batch)


class LookingModel:
    """A model that looks into the log when it is asked."""

    provider, name = "scripted", "scripted-1"

    def __init__(self, log: MemoryEventLog, session: str) -> None:
        self._log = log
        self._session = session
        self.found: list[list[str]] = []

    async def generate(self, request: ModelRequest) -> Answer:
        events = (await self._log.read(self._session)).events
        self.found.append([event.type for event in events])
        return Answer(content=(TextBlock(text="done"),), model=self.name, provider=self.provider)

    def stream(self, request: ModelRequest) -> Any:
        raise NotImplementedError


@step
async def double(value: int) -> int:
    return value * 2


async def test_that_a_model_is_asked_is_in_the_log_before_it_is() -> None:
    """O-27: a kill cannot hide a call that has to be paid for; everything told before it is durable with it."""
    log, session = CountingLog(), new_id()
    model = LookingModel(log, session)
    agent = AgentStep(name="clerk", model=model, output=str)
    result = await agent.run("go", recorder=TurnRecorder(log, session, flushing=AT_BARRIERS), session_id=session)
    assert result.value == "done"
    assert model.found == [["step.started", "agent.execution.started", "llm.request"]]
    assert log.commits == 2, "one barrier for the call, one for the end of the run"


async def test_a_run_returns_when_all_of_it_is_durable_and_was_seen() -> None:
    log, session, sink = CountingLog(), new_id(), EventList()
    pipeline = Pipeline("p", double)
    await pipeline.run(1, recorder=TurnRecorder(log, session, flushing=AT_BARRIERS), session_id=session, sink=sink)
    stored: tuple[Event, ...] = (await log.read(session)).events
    assert log.commits == 1
    assert [event.sequence_number for event in sink.events] == list(range(1, len(stored) + 1))


@pytest.mark.parametrize("takes", [0, 1])
async def test_a_run_that_could_not_be_recorded_has_failed_as_transient(takes: int) -> None:
    """T-20: before the model is asked, or at the end when nobody waits for anything else."""
    log, session = CountingLog(takes), new_id()
    model = LookingModel(log, session)
    recorder = TurnRecorder(log, session, flushing=AT_BARRIERS, patience=Patience(attempts=1), clock=FakeClock())
    result = await AgentStep(name="clerk", model=model, output=str).run("go", recorder=recorder, session_id=session)
    assert isinstance(result.error.exception, RecordingFailedError)
    assert result.error.is_retryable
    assert len(model.found) == takes
