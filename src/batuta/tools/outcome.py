"""What came of a tool call: always a result for the model, never an exception; and the keys of what calls intend.

A model that tries the same write again, with the same arguments, intends the same as before, until it has succeeded:
its calls carry one key, so that a system which knows keys does it once. After a success the same call is a new intent.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeGuard

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import PydanticSerializationError, to_json

from batuta.events.envelope import Event
from batuta.kernel.errors import ToolFailedError
from batuta.kernel.messages import DocumentBlock, ImageBlock, ToolCallBlock, ToolResultBlock
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool


class Refusal(StrEnum):
    """Why a call was not executed."""

    UNKNOWN_TOOL = "unknown_tool"
    MISSING_ROLE = "missing_role"
    OVERSIZED_ARGUMENTS = "oversized_arguments"
    INVALID_ARGUMENTS = "invalid_arguments"
    APPROVAL_NEEDED = "approval_needed"
    APPROVAL_REJECTED = "approval_rejected"
    RATE_LIMITED = "rate_limited"
    BUSY = "busy"
    FORBIDDEN = "forbidden"
    """The tool itself refused: a path outside its root, a private address, a statement that writes."""


SECURITY_REFUSALS = frozenset(Refusal) - {Refusal.INVALID_ARGUMENTS, Refusal.RATE_LIMITED, Refusal.BUSY}
"""Refusals that are reported as `tool.refused`."""


class ResultObject(Protocol):
    """A tool's value that is more than its text: it is kept somewhere, and the model is given a summary of it."""

    async def as_tool_result(self, context: ToolContext) -> str:
        """Keep the value, idempotently by `context.idempotency_key`; return what the model reads.

        `context.enrich` and `context.emit` say where it is kept.
        """
        ...


def keeps_itself(value: object) -> TypeGuard[ResultObject]:
    """Whether a value is a result object. `isinstance` is slow for a protocol, and every value of a tool is asked."""
    return hasattr(type(value), "as_tool_result")


class Execution(BaseModel):
    """What running a tool brought. Plain data: it can be journalled and returned on resume instead of a second run."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    content: str
    attachments: tuple[ImageBlock | DocumentBlock, ...] = ()
    is_error: bool = False
    error: str | None = None
    """The code of what went wrong."""
    refusal: Refusal | None = None
    details: dict[str, JsonValue] = Field(default_factory=dict)
    events: list[dict[str, JsonValue]] = Field(default_factory=list)
    """What the tool emitted besides its answer, without envelopes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What came of one call."""

    call: ToolCallBlock
    result: ToolResultBlock
    tool: Tool | None = None
    args: dict[str, Any] = field(default_factory=dict)
    """The arguments as they were used, which an approver may have changed."""
    error: str | None = None
    refusal: Refusal | None = None
    details: dict[str, JsonValue] = field(default_factory=dict)
    events: list[dict[str, JsonValue]] = field(default_factory=list)
    duration_seconds: float = 0.0

    @property
    def is_security_event(self) -> bool:
        """Whether the caller has to report it as `tool.refused`."""
        return self.refusal in SECURITY_REFUSALS

    @property
    def changed_args(self) -> dict[str, Any] | None:
        """The arguments it ran with as they may be shown, if an approver changed them."""
        if self.tool is None or self.args == self.call.args:
            return None
        shown: dict[str, Any] = self.tool.policy.redacted(self.args)
        return shown


_ENVELOPE = frozenset(Event.model_fields) - {"type"}


def payloads(events: list[Event]) -> list[dict[str, JsonValue]]:
    """Events as plain data, without the envelope that the turn stamps on them."""
    return [event.model_dump(mode="json", exclude=set(_ENVELOPE)) for event in events]


def as_content(value: Any, max_chars: int) -> str:
    """A tool's value as a model reads it: text as it is, anything else as JSON, cut where it is too long."""
    try:
        text = value if isinstance(value, str) else to_json(value, inf_nan_mode="strings").decode()
    except PydanticSerializationError as error:
        raise ToolFailedError(f"the tool returned something that is no JSON: {error}") from error
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[cut: {len(text)} characters, the first {max_chars} are shown; ask for less]"


_encode = json.JSONEncoder(sort_keys=True, default=str).encode


class IntentKeys:
    """Gives the calls of one agent their keys. The same calls with the same outcomes get the same keys again."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._succeeded: dict[str, set[int]] = {}

    def take(self, calls: Sequence[ToolCallBlock]) -> dict[str, str]:
        """The keys of the calls of one answer, by their ids: equal calls side by side are different intents."""
        keys: dict[str, str] = {}
        taken: dict[str, set[int]] = {}
        for call in calls:
            intent = f"{self._prefix}:{call.name}:{_digest(call.args)}"
            used = taken.setdefault(intent, set(self._succeeded.get(intent, ())))
            number = next(number for number in range(1, len(used) + 2) if number not in used)
            used.add(number)
            keys[call.id] = f"{intent}~{number}"
        return keys

    def succeeded(self, key: str) -> None:
        """What was intended under a key is done."""
        intent, _, number = key.rpartition("~")
        self._succeeded.setdefault(intent, set()).add(int(number))


def _digest(args: Mapping[str, Any]) -> str:
    return hashlib.sha256(_encode(args).encode()).hexdigest()[:16]
