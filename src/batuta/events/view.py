"""What a session looks like: the shape that `fold` builds and that screens read. Frozen, and equal by value.

SessionView ─┬─ turns ─┬─ items     what the log holds, in its order
             │         └─ streams   what is arriving and not yet in the log
             └─ progress, agents, feedback
"""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from batuta.events.conversation import Attachment, Citation
from batuta.events.datasets import Cell, ChartKind, Column, Provenance, RecordReference
from batuta.events.plans import AgentIdentity, ExpectedOutput, HandoffReason
from batuta.kernel.errors import ErrorCategory
from batuta.kernel.messages import StopReason
from batuta.kernel.usage import NO_USAGE, Usage

TurnStatus = Literal["queued", "running", "success", "cancelled", "failed", "paused"]
ToolState = Literal["running", "succeeded", "failed", "interrupted"]
ApprovalState = Literal["pending", "approved", "rejected", "edited", "expired", "set_aside"]
PlanStatus = Literal["executing", "completed", "failed", "cancelled"]
PlanStepStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]


class ViewModel(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, ser_json_inf_nan="strings")


class ProgressView(ViewModel):
    """How far something is that runs right now."""

    kind: Literal["tool", "step", "job", "file"]
    key: str
    label: str
    message: str = ""
    done: float | None = None
    total: float | None = None


class _Item(ViewModel):
    """The part every item shares: which event it came from, when, and from which agent."""

    event_id: str
    timestamp: datetime
    sequence_number: int | None = None
    message_id: str | None = None
    agent_id: str | None = None


class UserMessageItem(_Item):
    """What a person said."""

    kind: Literal["user_message"] = "user_message"
    content: str
    attachments: tuple[Attachment, ...] = ()
    client_message_id: str | None = None
    target_agent_id: str | None = None


class ThinkingItem(_Item):
    """What a model thought."""

    kind: Literal["thinking"] = "thinking"
    content: str
    is_redacted: bool = False
    model: str
    usage: Usage | None = None
    cost: Decimal | None = None


class AssistantMessageItem(_Item):
    """What an agent said."""

    kind: Literal["assistant_message"] = "assistant_message"
    content: str
    stop_reason: StopReason
    model: str
    usage: Usage | None = None
    cost: Decimal | None = None
    citations: tuple[Citation, ...] = ()
    opaque: tuple[dict[str, Any], ...] = ()


class ToolItem(_Item):
    """A tool call: what was asked and, once it is there, what came back."""

    kind: Literal["tool"] = "tool"
    tool_use_id: str
    tool_name: str
    args: dict[str, Any] = {}
    """As it runs or ran: what a person changed counts."""
    asked_args: dict[str, Any] | None = None
    """As the model asked, where a person changed them."""
    is_server_side: bool = False
    state: ToolState = "running"
    content: str | None = None
    error: str | None = None
    duration_ms: float | None = None
    details: dict[str, JsonValue] = {}
    answered_at: datetime | None = None
    progress: ProgressView | None = None


class ApprovalItem(_Item):
    """A tool call put before a person, and the decision."""

    kind: Literal["approval"] = "approval"
    approval_id: str
    tool_use_id: str
    tool_name: str
    args: dict[str, Any]
    preview: str | None = None
    reason: str
    required_role: str | None = None
    expires_at: datetime | None = None
    state: ApprovalState = "pending"
    decided_args: dict[str, Any] | None = None
    decided_by: str | None = None
    decision_reason: str | None = None
    decided_at: datetime | None = None


class DatasetItem(_Item):
    """A table that a tool brought: enough to show it before its rows are fetched."""

    kind: Literal["dataset"] = "dataset"
    dataset_id: str
    name: str
    title: str = ""
    columns: tuple[Column, ...]
    row_count: int
    totals: dict[str, Cell] = {}
    first_rows: tuple[tuple[Cell, ...], ...] = ()
    first_references: tuple[RecordReference | None, ...] = ()
    provenance: Provenance
    tool_use_id: str = ""


class ChartItem(_Item):
    """A chart over a dataset of the session."""

    kind: Literal["chart"] = "chart"
    chart_id: str
    dataset_id: str
    dataset_name: str
    chart_kind: ChartKind
    title: str = ""
    description: str = ""
    spec: dict[str, Any]
    request: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    language: str = "en"
    changes_chart_id: str | None = None
    tool_use_id: str = ""


class PlanStepView(ViewModel):
    """One step of a plan and how it stands."""

    step_id: str
    step_index: int
    agent_id: str
    agent_name: str
    task: str
    depends_on: tuple[str, ...] = ()
    expected_output: ExpectedOutput | None = None
    status: PlanStepStatus = "pending"
    result: str | None = None
    error: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


class PlanItem(_Item):
    """A plan with its steps."""

    kind: Literal["plan"] = "plan"
    plan_id: str
    query: str
    status: PlanStatus = "executing"
    steps: tuple[PlanStepView, ...]
    summary: str | None = None
    failure_reason: str | None = None
    ended_at: datetime | None = None


class HandoffItem(_Item):
    """Work went from one agent to another."""

    kind: Literal["handoff"] = "handoff"
    handoff_id: str
    from_agent: AgentIdentity
    to_agent: AgentIdentity
    reason: HandoffReason
    explanation: str | None = None
    plan_step_id: str | None = None


class PauseItem(_Item):
    """The turn waits."""

    kind: Literal["pause"] = "pause"
    reason: str
    approval_id: str | None = None


class RefusalItem(_Item):
    """The provider would not answer."""

    kind: Literal["refusal"] = "refusal"
    reason: str
    model: str


class ErrorItem(_Item):
    """Something went wrong."""

    kind: Literal["error"] = "error"
    code: str
    message: str
    category: ErrorCategory
    retryable: bool


class OtherItem(_Item):
    """An event that has no form of its own here, with its payload."""

    kind: Literal["other"] = "other"
    event_type: str
    payload: dict[str, Any]


Item = Annotated[
    UserMessageItem
    | ThinkingItem
    | AssistantMessageItem
    | ToolItem
    | ApprovalItem
    | DatasetItem
    | ChartItem
    | PlanItem
    | HandoffItem
    | PauseItem
    | RefusalItem
    | ErrorItem
    | OtherItem,
    Field(discriminator="kind"),
]


class TagView(ViewModel):
    """A declared artefact inside a stream."""

    tag: str
    attributes: dict[str, str] = {}
    is_complete: bool = False
    size: int = 0


class StreamView(ViewModel):
    """Thinking or an answer while it arrives; gone once the log holds the whole."""

    kind: Literal["thinking", "message"]
    message_id: str | None = None
    agent_id: str | None = None
    content: str = ""
    tags: tuple[TagView, ...] = ()
    last_event_id: str


class TurnView(ViewModel):
    """One message of a person and everything it set in motion."""

    turn_id: str | None
    status: TurnStatus
    started_at: datetime
    ended_at: datetime | None = None
    stop_reason: StopReason | None = None
    usage: Usage = NO_USAGE
    """What its model calls used so far; the turn's own total once it says so."""
    cost: Decimal | None = None
    duration_ms: float | None = None
    items: tuple[Item, ...] = ()
    streams: tuple[StreamView, ...] = ()


class FeedbackView(ViewModel):
    """How a person judged a message."""

    rating: int
    comment: str = ""


class SessionView(ViewModel):
    """A session as a person sees it."""

    session_id: str | None = None
    title: str | None = None
    is_title_automatic: bool = True
    current_agent_id: str | None = None
    epoch: int | None = None
    last_sequence: int = 0
    turns: tuple[TurnView, ...] = ()
    agents: dict[str, AgentIdentity] = {}
    feedback: dict[str, FeedbackView] = {}
    """By the id of the message that was judged."""
    progress: tuple[ProgressView, ...] = ()
    unknown: dict[str, int] = {}
    """How many events had no form of their own here, by type."""
