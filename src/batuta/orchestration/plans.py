"""A plan: typed steps with dependencies, and the only ways it may change.

    plan   planning -> executing -> completed | failed | cancelled        (planning -> failed | cancelled)
    step   pending -> in_progress -> completed | failed                   (pending | in_progress -> skipped)

A plan is data: every move gives a new one, an illegal move raises, and the events of a plan are enough to rebuild it.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from batuta.events.envelope import Event
from batuta.events.plans import (
    AgentHandoff,
    ExpectedOutput,
    PlanCompleted,
    PlanGenerated,
    PlannedStep,
    PlanStepCompleted,
    PlanStepStarted,
)
from batuta.kernel.errors import LogicalError
from batuta.kernel.id_fields import UuidStr

PlanStatus = Literal["planning", "executing", "completed", "failed", "cancelled"]
StepStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]

PLAN_MOVES: dict[PlanStatus, frozenset[PlanStatus]] = {
    "planning": frozenset({"executing", "failed", "cancelled"}),
    "executing": frozenset({"completed", "failed", "cancelled"}),
    "completed": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}
STEP_MOVES: dict[StepStatus, frozenset[StepStatus]] = {
    "pending": frozenset({"in_progress", "skipped"}),
    "in_progress": frozenset({"completed", "failed", "skipped"}),
    "completed": frozenset(),
    "failed": frozenset(),
    "skipped": frozenset(),
}

UNSETTLED: tuple[StepStatus, ...] = ("pending", "in_progress")


class IllegalTransitionError(LogicalError):
    """A plan or one of its steps cannot change in this way."""


class PlanStep(BaseModel):
    """One step: who does what, after what."""

    model_config = ConfigDict(frozen=True)

    step_id: UuidStr
    step_index: int = Field(ge=0)
    agent_id: str
    task: str = Field(min_length=1)
    expected_output: ExpectedOutput | None = None
    depends_on: tuple[UuidStr, ...] = ()
    status: StepStatus = "pending"
    result: str | None = None
    error: str | None = None
    started_at: AwareDatetime | None = None
    completed_at: AwareDatetime | None = None

    def moved(self, status: StepStatus, at: datetime, **facts: Any) -> Self:
        """The step after a legal move."""
        if status not in STEP_MOVES[self.status]:
            raise IllegalTransitionError(f"step {self.step_index} is {self.status}; it cannot become {status}")
        moment = "started_at" if status == "in_progress" else "completed_at"
        return self.model_copy(update={"status": status, moment: at, **facts})


class Plan(BaseModel):
    """What the supervisor proposed and code runs."""

    model_config = ConfigDict(frozen=True)

    plan_id: UuidStr
    query: str
    status: PlanStatus = "planning"
    steps: tuple[PlanStep, ...] = Field(min_length=1)
    current_step_index: int = 0
    summary: str | None = None
    failure_reason: str | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    completed_at: AwareDatetime | None = None

    def step(self, step_id: str) -> PlanStep:
        """One of its steps."""
        return next(step for step in self.steps if step.step_id == step_id)

    def moved(self, status: PlanStatus, at: datetime, **facts: Any) -> Self:
        """The plan after a legal move."""
        if status not in PLAN_MOVES[self.status]:
            raise IllegalTransitionError(f"the plan is {self.status}; it cannot become {status}")
        if status == "completed" and any(step.status != "completed" for step in self.steps):
            raise IllegalTransitionError("a plan is completed when all its steps are")
        ended = {} if status == "executing" else {"completed_at": at}
        return self.model_copy(update={"status": status, "updated_at": at, **ended, **facts})

    def step_moved(self, step_id: str, status: StepStatus, at: datetime, **facts: Any) -> Self:
        """The plan after a legal move of one step."""
        if self.status != "executing":
            raise IllegalTransitionError(f"the plan is {self.status}; its steps move only while it is executing")
        before = self.step(step_id)
        if status == "in_progress" and not self._is_ready(before):
            raise IllegalTransitionError(f"step {before.step_index} waits for steps that are not completed")
        after = before.moved(status, at, **facts)
        steps = tuple(after if step.step_id == step_id else step for step in self.steps)
        return self.model_copy(update={"steps": steps, "updated_at": at, "current_step_index": after.step_index})

    def handed(self, step_id: str, agent_id: str) -> Self:
        """The plan after a step was handed to another agent: the one that took over did it."""
        steps = tuple(
            step.model_copy(update={"agent_id": agent_id}) if step.step_id == step_id else step for step in self.steps
        )
        return self.model_copy(update={"steps": steps})

    def ready(self) -> tuple[PlanStep, ...]:
        """Pending steps whose dependencies are all completed."""
        return tuple(step for step in self.steps if step.status == "pending" and self._is_ready(step))

    def blocked(self) -> tuple[PlanStep, ...]:
        """Pending steps that can never run, because something they depend on did not complete."""
        return tuple(step for step in self.steps if step.status == "pending" and self._is_blocked(step))

    @property
    def is_settled(self) -> bool:
        """Whether no step is left to run."""
        return not any(step.status in UNSETTLED for step in self.steps)

    def _is_ready(self, step: PlanStep) -> bool:
        return all(self.step(other).status == "completed" for other in step.depends_on)

    def _is_blocked(self, step: PlanStep) -> bool:
        return any(self.step(other).status in ("failed", "skipped") for other in step.depends_on)


def plan_from_events(events: Iterable[Event]) -> Plan | None:
    """The newest plan as its events tell it."""
    plan: Plan | None = None
    workers: dict[str, str] = {}
    for event in events:
        if isinstance(event, PlanGenerated):
            plan = _announced(event)
        elif isinstance(event, PlanStepStarted) and plan is not None:
            plan = _started(plan, event, workers)
        elif isinstance(event, AgentHandoff) and plan is not None and event.plan_step_id is not None:
            plan = plan.handed(event.plan_step_id, event.to_agent.agent_id)
        elif isinstance(event, PlanStepCompleted) and plan is not None:
            plan = plan.step_moved(event.step_id, event.status, event.timestamp, result=event.result, error=event.error)
        elif isinstance(event, PlanCompleted) and plan is not None:
            plan = plan.moved(event.status, event.timestamp, summary=event.summary, failure_reason=event.failure_reason)
    return plan


def _started(plan: Plan, event: PlanStepStarted, workers: dict[str, str]) -> Plan:
    """A step begins; or, under way, it has changed hands. `workers` are the agents whose begin was reported."""
    before, workers[event.step_id] = workers.get(event.step_id), event.agent_id
    if before not in (None, event.agent_id) and plan.step(event.step_id).status == "in_progress":
        return plan.handed(event.step_id, event.agent_id)
    return plan.step_moved(event.step_id, "in_progress", event.timestamp, agent_id=event.agent_id)


def announced_steps(plan: Plan, names: dict[str, str]) -> tuple[PlannedStep, ...]:
    """The steps as `plan_generated` tells them."""
    return tuple(
        PlannedStep(
            step_id=step.step_id,
            step_index=step.step_index,
            agent_id=step.agent_id,
            agent_name=names[step.agent_id],
            task=step.task,
            depends_on=step.depends_on,
            expected_output=step.expected_output,
        )
        for step in plan.steps
    )


def _announced(event: PlanGenerated) -> Plan:
    steps = tuple(
        PlanStep(
            step_id=step.step_id,
            step_index=step.step_index,
            agent_id=step.agent_id,
            task=step.task,
            depends_on=step.depends_on,
            expected_output=step.expected_output,
        )
        for step in event.steps
    )
    at = event.timestamp
    plan = Plan(plan_id=event.plan_id, query=event.query, steps=steps, created_at=at, updated_at=at)
    return plan.moved("executing", at)
