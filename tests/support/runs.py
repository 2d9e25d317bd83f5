"""What tests of the runtime look at: the events of a run, whether they balance, and which tasks are left."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from batuta.events import (
    AgentPipelineCompleted,
    AgentPipelineStarted,
    Event,
    StepCompleted,
    StepFailed,
    StepStarted,
)

E = TypeVar("E", bound=Event)


class EventList:
    """A sink that keeps what it sees."""

    never_blocks = True

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)

    def of(self, event_type: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, event_type)]

    def paths(self, event_type: type[StepStarted | StepCompleted | StepFailed]) -> list[str]:
        return [event.path for event in self.of(event_type)]


class SlowRecorder:
    """A recorder that takes a few turns of the loop for every event, like one that waits for a disk."""

    def __init__(self, turns: int = 2) -> None:
        self.events: list[Event] = []
        self._turns = turns

    async def record(self, event: Event) -> Event:
        for _ in range(self._turns):
            await asyncio.sleep(0)
        self.events.append(event)
        for _ in range(self._turns):
            await asyncio.sleep(0)
        return event


def unbalanced(events: Iterable[Event]) -> dict[str, int]:
    """Paths whose steps did not begin as often as they ended, with the difference; pipelines too."""
    balance: Counter[str] = Counter()
    for event in events:
        if isinstance(event, StepStarted):
            balance[event.path] += 1
        elif isinstance(event, (StepCompleted, StepFailed)):
            balance[event.path] -= 1
        elif isinstance(event, AgentPipelineStarted):
            balance[f"pipeline {event.pipeline_type}"] += 1
        elif isinstance(event, AgentPipelineCompleted):
            balance[f"pipeline {event.pipeline_type}"] -= 1
    return {path: count for path, count in balance.items() if count}


def tasks_left() -> set[str]:
    """The tasks that are still there besides the one that asks."""
    return {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}
