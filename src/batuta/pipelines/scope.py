"""What belongs to one run of a pipeline: its counts, its agents' record, and how to undo what it did."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from batuta.pipelines.result import Tally

Undo = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class AgentRecord:
    """How the agents of a pipeline fared."""

    executed: int = 0
    succeeded: int = 0
    failed: int = 0
    retried: int = 0
    is_partial: bool = False
    """A branch failed, a step was skipped or a fallback was used, and the run went on."""
    last_confidence: float | None = None

    def add(self, other: "AgentRecord") -> None:
        """Count what a nested pipeline did."""
        self.executed += other.executed
        self.succeeded += other.succeeded
        self.failed += other.failed
        self.retried += other.retried
        self.is_partial = self.is_partial or other.is_partial
        self.last_confidence = other.last_confidence if other.last_confidence is not None else self.last_confidence


@dataclass(slots=True)
class Scope:
    """Open while a pipeline runs; what is left in it when it succeeds belongs to the pipeline around it."""

    pipeline_name: str | None = None
    parent: "Scope | None" = None
    tally: Tally = field(default_factory=Tally)
    agents: AgentRecord = field(default_factory=AgentRecord)
    undo: list[Undo] = field(default_factory=list)

    def close(self) -> None:
        """Hand counts over to the scope around, whatever the outcome."""
        if self.parent is not None:
            self.parent.tally.add(self.tally)
            self.parent.agents.add(self.agents)

    def hand_over_undo(self) -> None:
        """The pipeline succeeded: a failure further out still undoes it."""
        if self.parent is not None:
            self.parent.undo.extend(self.undo)
            self.undo.clear()

    async def roll_back(self) -> None:
        """Undo in reverse order; one that fails is told as an event and does not keep the others from running."""
        while self.undo:
            with suppress(Exception, asyncio.CancelledError):
                await self.undo.pop()()
