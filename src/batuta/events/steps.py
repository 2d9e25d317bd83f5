"""Events that the runner tells about every step; apart from the others because every pipeline needs them."""

from typing import Any, Literal

from batuta.events.envelope import RuntimeEvent
from batuta.kernel.errors import ErrorCategory


class _StepEvent(RuntimeEvent):
    step_name: str
    step_type: str
    pipeline_name: str | None = None
    path: str
    parent_step: str | None = None
    attributes: dict[str, Any] = {}


class StepStarted(_StepEvent):
    """The runner begins a step."""

    type: Literal["step.started"] = "step.started"


class StepCompleted(_StepEvent):
    """A step returned a value."""

    type: Literal["step.completed"] = "step.completed"
    duration_ms: float


class StepFailed(_StepEvent):
    """A step returned an error, raised, or was cancelled."""

    type: Literal["step.failed"] = "step.failed"
    duration_ms: float
    category: ErrorCategory
    code: str
    message: str
    error_type: str | None = None
    """The class of the exception that was raised here; nothing where a failure of a child passes through."""
    stack_trace: str | None = None
    """The innermost frames of that exception."""


class HookFailed(RuntimeEvent):
    """An after hook raised; the step's result stands."""

    type: Literal["hook.failed"] = "hook.failed"
    hook: str
    path: str
    message: str
