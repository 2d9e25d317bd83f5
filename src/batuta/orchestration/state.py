"""The state of a turn as LangGraph keeps it: old graphs that know only some of it still run.

Every field has a reducer and a default. `dump_state` and `load_state` take it to JSON and back, by an allow-list of
types and never by pickle.
"""

import operator
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AnyMessage, messages_from_dict, messages_to_dict
from pydantic import AwareDatetime, BaseModel, ConfigDict, JsonValue

from batuta.events.envelope import Event
from batuta.events.plans import AgentIdentity, HandoffReason
from batuta.events.tools import ToolResponse
from batuta.kernel.id_fields import UuidStr
from batuta.orchestration.plans import Plan

OperationMode = Literal["autonomous", "directed"]

ORCHESTRATOR = AgentIdentity(agent_id="orchestrator", agent_name="Orchestrator", agent_icon="🎯", agent_color="#8B5CF6")
"""Who acts before any agent does."""


class HandoffRecord(BaseModel):
    """Work that went from one agent to another."""

    model_config = ConfigDict(frozen=True)

    handoff_id: UuidStr
    from_agent_id: str
    to_agent_id: str
    reason: HandoffReason
    explanation: str | None = None
    payload: dict[str, JsonValue] | None = None
    plan_step_id: UuidStr | None = None
    timestamp: AwareDatetime


class DirectedModeContext(BaseModel):
    """Whom the user picked, and whether the supervisor is asked at all."""

    model_config = ConfigDict(frozen=True)

    target_agent_id: str
    bypass_routing: bool = True


class ToolExecution(BaseModel):
    """A tool that ran in this turn."""

    model_config = ConfigDict(frozen=True)

    tool_use_id: str
    tool_name: str
    result: str = ""
    success: bool = True
    error: str | None = None


def executions_in(events: Iterable[Event]) -> list[ToolExecution]:
    """The tools that ran, as a turn's events tell it."""
    return [
        ToolExecution(
            tool_use_id=event.tool_use_id,
            tool_name=event.tool_name,
            result=event.content,
            success=event.success,
            error=event.error,
        )
        for event in events
        if isinstance(event, ToolResponse)
    ]


def keep_last(before: Any, after: Any) -> Any:
    """The newer value, if there is one."""
    return before if after is None else after


def merge(before: dict[str, Any] | None, after: dict[str, Any] | None) -> dict[str, Any]:
    """Both, the newer one's values winning."""
    return {**(before or {}), **(after or {})}


def replace_plan(before: Plan | None, after: Plan | None) -> Plan | None:
    """The newer plan as a whole, stamped; nothing clears it."""
    return None if after is None else after.model_copy(update={"updated_at": datetime.now(UTC)})


def replace(before: Any, after: Any) -> Any:
    """The newer value, whatever it is."""
    return after


class AgentState(TypedDict, total=False):
    """What the nodes of a turn's graph read and write."""

    messages: Annotated[list[AnyMessage], operator.add]
    active_agent: Annotated[str, keep_last]
    context: Annotated[dict[str, Any], merge]
    tool_executions: Annotated[list[ToolExecution], operator.add]
    used_model: Annotated[str | None, keep_last]
    plan: Annotated[Plan | None, replace_plan]
    current_agent_identity: Annotated[AgentIdentity, keep_last]
    handoff_history: Annotated[list[HandoffRecord], operator.add]
    operation_mode: Annotated[OperationMode, keep_last]
    directed_mode_context: Annotated[DirectedModeContext | None, replace]


def new_state(**fields: Any) -> AgentState:
    """A state with every default in place."""
    state: AgentState = {
        "messages": [],
        "active_agent": ORCHESTRATOR.agent_id,
        "context": {},
        "tool_executions": [],
        "used_model": None,
        "plan": None,
        "current_agent_identity": ORCHESTRATOR,
        "handoff_history": [],
        "operation_mode": "autonomous",
        "directed_mode_context": None,
    }
    return {**state, **fields}  # type: ignore[typeddict-item]


def has_plan(state: AgentState) -> bool:
    """Whether a plan is there."""
    return state.get("plan") is not None


def is_directed(state: AgentState) -> bool:
    """Whether the user picked an agent: directed mode, and the context that says whom."""
    return state.get("operation_mode") == "directed" and state.get("directed_mode_context") is not None


class StoredMessage(BaseModel):
    """A message in the form LangChain gives and takes: its kind, and its fields."""

    type: str
    data: dict[str, Any]


class _Stored(BaseModel):
    """A state as JSON: every field of `AgentState`, each with its default."""

    messages: list[StoredMessage] = []
    active_agent: str = ORCHESTRATOR.agent_id
    context: dict[str, JsonValue] = {}
    tool_executions: list[ToolExecution] = []
    used_model: str | None = None
    plan: Plan | None = None
    current_agent_identity: AgentIdentity = ORCHESTRATOR
    handoff_history: list[HandoffRecord] = []
    operation_mode: OperationMode = "autonomous"
    directed_mode_context: DirectedModeContext | None = None


def dump_state(state: AgentState) -> dict[str, Any]:
    """A state as JSON."""
    messages = messages_to_dict(state.get("messages", []))
    return _Stored.model_validate({**state, "messages": messages}).model_dump(mode="json")


def load_state(data: dict[str, Any]) -> AgentState:
    """A state from JSON; what an older writer did not know has its default."""
    stored = _Stored.model_validate(data)
    fields = {name: getattr(stored, name) for name in _Stored.model_fields}
    messages = messages_from_dict([message.model_dump() for message in stored.messages])
    return new_state(**{**fields, "messages": messages})


def state_schema() -> dict[str, Any]:
    """The JSON Schema of a stored state."""
    return _Stored.model_json_schema()
