"""What belongs to one run of a pipeline: its counts, its agents' record, and how to undo what it did."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from batuta.pipelines.result import Tally

if TYPE_CHECKING:  # only passed on
    from batuta.language.understanding import Understanding

Undo = Callable[[bool], Awaitable["Sequence[Undo] | None"]]
"""Undoes something; it learns whether the failure that led to it is kept, so that a repeated run fails again there.
What it returns is to be undone next, in reverse order.
"""


@dataclass(slots=True)
class AgentRecord:
    """How the agents of a pipeline fared."""

    executed: int = 0
    succeeded: int = 0
    failed: int = 0
    retried: int = 0
    writes: int = 0
    """How often something was written outside, or may have been, and was not undone."""
    is_partial: bool = False
    """A branch failed, a step was skipped or a fallback was used, and the run went on."""
    last_confidence: float | None = None

    def add(self, other: "AgentRecord") -> None:
        """Count what a nested pipeline did."""
        self.executed += other.executed
        self.succeeded += other.succeeded
        self.failed += other.failed
        self.retried += other.retried
        self.writes += other.writes
        self.is_partial = self.is_partial or other.is_partial
        self.last_confidence = other.last_confidence if other.last_confidence is not None else self.last_confidence


@dataclass(slots=True)
class Scope:
    """Open while a pipeline runs; what is left in it when it succeeds belongs to the pipeline around it."""

    pipeline_name: str | None = None
    parent: "Scope | None" = None
    agent_id: str | None = None
    """The specialist that everything in here is attributed to, if there is one."""
    agent_description: str | None = None
    """What that specialist is for."""
    parent_trace_id: str | None = None
    """The trace that agents in here work for as sub-agents, if they are some."""
    is_standing_in: bool = False
    """What runs in here is a fallback."""
    last_words: str | None = None
    """The last thing an agent in here said in the conversation."""
    understanding: "tuple[Understanding, ...]" = ()
    """What the agents in here can be asked, as data."""
    cite: Callable[[str], tuple[Any, ...]] | None = None
    """Finds the citations in what an agent in here says."""
    check: Callable[[str], None] | None = None
    """Raises `Rejected` for what an agent in here may not say."""
    tally: Tally = field(default_factory=Tally)
    agents: AgentRecord = field(default_factory=AgentRecord)
    undo: list[Undo] = field(default_factory=list)
    is_closed: bool = False

    def __post_init__(self) -> None:
        """Belong to the same specialist as the scope around, and be as much below something as that."""
        parent = self.parent
        if parent is None:
            return
        if self.agent_id is None:
            self.agent_id, self.agent_description = parent.agent_id, parent.agent_description
        if self.parent_trace_id is None:
            self.parent_trace_id = parent.parent_trace_id
        self.is_standing_in = self.is_standing_in or parent.is_standing_in
        self.understanding = self.understanding or parent.understanding

    def close(self) -> None:
        """Hand counts over to the scope around, whatever the outcome."""
        self.is_closed = True
        if self.parent is not None:
            self.parent.tally.add(self.tally)
            self.parent.agents.add(self.agents)
            self.parent.last_words = self.last_words or self.parent.last_words

    def offer_undo(self, undo: Undo) -> None:
        """Add a way to undo something: here, or around if this is over already, as when it was only looked up later
        that something took place.
        """
        scope = self
        while scope.is_closed and scope.parent is not None:
            scope = scope.parent
        scope.undo.append(undo)

    def hand_over_undo(self) -> None:
        """The pipeline succeeded: a failure further out still undoes it."""
        if self.parent is not None:
            self.parent.undo.extend(self.undo)
            self.undo.clear()

    async def roll_back(self, *, is_failure_kept: bool = False) -> list[BaseException]:
        """Undo in reverse order; what could not be undone. One that fails does not keep the others from running."""
        failures: list[BaseException] = []
        while self.undo:
            try:
                self.undo.extend(await self.undo.pop()(is_failure_kept) or ())
            except (Exception, asyncio.CancelledError) as error:
                failures.append(error)
        return failures
