"""The contract's targets hold with every sink on, and nobody who hangs slows a run (T-20, T-21, T-28).

The long form is `python -m tests.chaos.soak_observability`: 600,000 events.
"""

import itertools
import sys
import threading

import pytest

from batuta import AgentStep, Pipeline
from batuta.events import Event, EventSink, FanOutSink, Recorder
from batuta.kernel.clock import Clock
from batuta.observability.channel import EventChannel, Overflow
from batuta.testing import Reply, ScriptedModel
from examples.appointments import book
from tests.chaos.soak_observability import measure

EVENTS = 20_000
HANGS_SECONDS = 60.0
"""More than the ten that the target names."""
CAPACITY = 100
"""Small, so that it is full at once."""


@pytest.mark.slow
async def test_the_contract_holds_with_every_sink_on() -> None:
    """Nothing is ever lost, and every run is whole. How fast that is `make soak` says, on a machine left alone."""
    found = await measure(EVENTS, rate=1_500)
    sys.stdout.write(f"{found}\n")
    assert (found.lost, found.trace_completion) == (0, 1.0)
    assert found.events >= EVENTS


class LosesEnds(FanOutSink):
    """Does not tell the end of every second run."""

    def __init__(self, sink: EventSink) -> None:
        super().__init__(sink)
        self._ends = itertools.count()

    def emit(self, event: Event) -> None:
        if event.type != "agent.pipeline.completed" or next(self._ends) % 2:
            super().emit(event)


async def test_runs_that_never_end_would_be_found_out() -> None:
    """The target above can be missed: half of the runs do not tell their end, and that is seen at once."""
    losing: list[LosesEnds] = []

    async def lossy(sink: EventSink, clock: Clock, recorder: Recorder | None, session_id: str | None) -> None:
        losing.append(losing[0] if losing else LosesEnds(sink))
        await book(losing[0], clock, recorder, session_id)

    found = await measure(600, 100_000, lossy)
    assert found.lost == 0
    assert found.trace_completion == pytest.approx(0.5, abs=0.05)


class Hanging:
    """Takes one event and does not come back until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.seen = 0

    def emit(self, event: Event) -> None:
        self.seen += 1
        self.let_go.wait(HANGS_SECONDS)


@pytest.mark.parametrize("overflow", list(Overflow))
async def test_a_hanging_subscriber_does_not_hold_a_run(overflow: Overflow) -> None:
    """While its buffer fills, when it is full, and ever after. What that costs `bench.observability` says."""
    work = Pipeline("work", AgentStep(name="worker", model=ScriptedModel([Reply("fine")] * 90), output=str))
    with EventChannel() as channel:
        hanging = Hanging()
        stuck = channel.attach(hanging, name="stuck", capacity=CAPACITY, overflow=overflow)
        for _ in range(90):
            assert (await work.run("go", sink=channel)).value == "fine"
        is_full = stuck.stats()
        assert is_full.delivered == 0, "it hung all the time"
        assert channel.emitted > 5 * CAPACITY, "and its buffer was full for most of it"
        assert is_full.waits <= 2, "and once it is known to hang, nothing waits for it"
        hanging.let_go.set()
        if overflow is Overflow.SPILL:
            assert channel.drain()
            assert stuck.stats().delivered == channel.emitted, "nothing that is persisted is lost"
