"""Events of tools and of the approvals that some of them need."""

from typing import Any, Literal, Self

from pydantic import JsonValue, model_validator

from batuta.events.envelope import Event, UtcDatetime
from batuta.events.routing import is_internal
from batuta.kernel.id_fields import AnyId
from batuta.kernel.usage import Usage

MCP_DETAILS = "mcp"
"""The detail under which a tool of an MCP server says by which call of the protocol it ran."""


class _ToolEvent(Event):
    """Routing tools move control between agents: what they ask and answer is internal."""

    tool_use_id: str
    tool_name: str

    @model_validator(mode="before")
    @classmethod
    def _hide_routing_tools(cls, data: Any) -> Any:
        """Decide visibility here, where the tool's name is known."""
        if isinstance(data, dict) and is_internal(cls.route.type, tool_name=str(data.get("tool_name", ""))):
            return {**data, "is_internal": True}
        return data

    @classmethod
    def adopt(cls, fields: dict[str, Any]) -> Self:
        """The same decision for what is not validated."""
        event = super().adopt(fields)
        if is_internal(cls.route.type, tool_name=event.tool_name):
            event.__dict__["is_internal"] = True
        return event


class ToolRequest(_ToolEvent):
    """A model asks for a tool."""

    type: Literal["tool_request"] = "tool_request"
    args: dict[str, Any] = {}
    invalid_args: str | None = None
    """The raw text of arguments that were no JSON object."""
    is_server_side: bool = False
    """The provider runs this tool itself."""
    model: str = "unknown"
    usage: Usage | None = None
    """Tokens of the model message, on exactly one of its events."""


class ToolResponse(_ToolEvent):
    """What the tool answered, or why it did not run."""

    type: Literal["tool_response"] = "tool_response"
    content: str
    success: bool
    error: str | None = None
    duration_ms: float = 0.0
    details: dict[str, JsonValue] = {}
    """Facts the tool added to its own event."""
    executed_args: dict[str, Any] | None = None
    """The arguments it ran with, where a person changed those that were asked for."""


class ApprovalRequested(Event):
    """A tool call waits for a person. What is shown is what will be executed."""

    type: Literal["approval_requested"] = "approval_requested"
    approval_id: AnyId
    tool_use_id: str
    tool_name: str
    args: dict[str, Any]
    preview: str | None = None
    reason: str
    required_role: str | None = None
    """The role that the person who decides must hold."""
    expires_at: UtcDatetime | None = None


class ApprovalResolved(Event):
    """A person, a policy or the clock decided."""

    type: Literal["approval_resolved"] = "approval_resolved"
    approval_id: AnyId
    decision: Literal["approved", "rejected", "edited", "expired", "set_aside"]
    """`set_aside`: not now. Nothing runs, and the conversation goes on."""
    args: dict[str, Any] | None = None
    by: str
    key_id: str | None = None
    """The API key that brought the decision: it counts only while the key does."""
    reason: str | None = None
    remember: Literal["session"] | None = None
    """Allow the same tool for the rest of the session; says nothing beside a rejection."""
