"""Events of plans and of handoffs between agents."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from batuta.events.envelope import Event
from batuta.kernel.id_fields import AnyId

HandoffReason = Literal["plan_step", "capability_match", "user_request", "error_recovery", "clarification"]

ExpectedOutput = Literal["text", "data", "visualization", "confirmation"]


class AgentIdentity(BaseModel):
    """How an agent shows itself."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    agent_id: AnyId
    agent_name: str
    agent_icon: str | None = None
    agent_color: str | None = None


class PlannedStep(BaseModel):
    """One step as the plan announced it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    step_id: AnyId
    step_index: int = Field(ge=0)
    agent_id: AnyId
    agent_name: str
    task: str
    depends_on: tuple[AnyId, ...] = ()
    expected_output: ExpectedOutput | None = None


class PlanGenerated(Event):
    """The supervisor proposed a plan and code accepted it."""

    type: Literal["plan_generated"] = "plan_generated"
    plan_id: AnyId
    query: str
    steps: tuple[PlannedStep, ...]
    estimated_steps: int = Field(ge=1)


class PlanStepStarted(Event):
    """A step of the plan is being worked on; emitted again, with its new agent, when it changes hands."""

    type: Literal["plan_step_started"] = "plan_step_started"
    plan_id: AnyId
    step_id: AnyId
    step_index: int
    agent_id: AnyId
    agent_name: str
    task: str


class PlanStepCompleted(Event):
    """A step of the plan ended."""

    type: Literal["plan_step_completed"] = "plan_step_completed"
    plan_id: AnyId
    step_id: AnyId
    step_index: int
    status: Literal["completed", "failed", "skipped"]
    result: str | None = None
    error: str | None = None


class PlanCompleted(Event):
    """The plan ended."""

    type: Literal["plan_completed"] = "plan_completed"
    plan_id: AnyId
    status: Literal["completed", "failed", "cancelled"]
    summary: str | None = None
    failure_reason: str | None = None


class AgentHandoff(Event):
    """Work went from one agent to another, and why."""

    type: Literal["agent_handoff"] = "agent_handoff"
    handoff_id: AnyId
    from_agent: AgentIdentity
    to_agent: AgentIdentity
    reason: HandoffReason
    explanation: str | None = None
    plan_step_id: AnyId | None = None


class AgentChanged(Event):
    """Another agent is active now."""

    type: Literal["agent_changed"] = "agent_changed"
    previous_agent: AgentIdentity
    current_agent: AgentIdentity
