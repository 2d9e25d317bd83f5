"""Events of a session: what people and agents say, and how a turn ends."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from batuta.events.envelope import Event
from batuta.kernel.errors import ErrorCategory
from batuta.kernel.id_fields import AnyId
from batuta.kernel.messages import StopReason
from batuta.kernel.usage import NO_USAGE, Usage

CompletionStatus = Literal["success", "cancelled", "failed", "paused"]
"""How a turn ended, or that it waits for a decision."""


class Attachment(BaseModel):
    """Something a user sent along with a message."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    file_id: AnyId
    name: str = ""
    media_type: str = ""
    size_bytes: int = 0


class Citation(BaseModel):
    """Where a statement comes from: the source, the place in it, and the words quoted."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    source: str
    title: str = ""
    place: str = ""
    quote: str = ""
    url: str | None = None
    start: int | None = None
    end: int | None = None
    document_id: str | None = None
    """The stored document that the words stand in, where it is one of ours."""
    raw: dict[str, JsonValue] | None = None
    """The provider's own words, where it gave some."""


class SessionStart(Event):
    """A turn begins to talk."""

    type: Literal["session_start"] = "session_start"


class SessionEnd(Event):
    """Nothing more comes for now."""

    type: Literal["session_end"] = "session_end"


class UserMessage(Event):
    """What a person said."""

    type: Literal["user_message"] = "user_message"
    content: str
    attachments: tuple[Attachment, ...] = ()
    client_message_id: AnyId | None = None
    target_agent_id: AnyId | None = None


class Thinking(Event):
    """What a model thought before it answered."""

    type: Literal["thinking"] = "thinking"
    content: str
    signature: str | None = None
    redacted: str | None = None
    model: str = "unknown"
    usage: Usage | None = None
    cost: Decimal | None = None


class AssistantMessage(Event):
    """What an agent said."""

    type: Literal["assistant_message"] = "assistant_message"
    content: str
    stop_reason: StopReason = "success"
    model: str = "unknown"
    usage: Usage | None = None
    cost: Decimal | None = None
    citations: tuple[Citation, ...] = ()
    opaque: tuple[dict[str, Any], ...] = ()
    """Blocks of the provider that have no canonical form, kept as they came."""


class TurnPaused(Event):
    """The turn waits: for the provider to be asked again, or for a person."""

    type: Literal["turn_paused"] = "turn_paused"
    reason: str
    approval_id: AnyId | None = None


class ContentRefused(Event):
    """The provider would not answer."""

    type: Literal["content_refused"] = "content_refused"
    reason: str
    model: str = "unknown"


class ErrorOccurred(Event):
    """Something went wrong that the user should know of."""

    type: Literal["error"] = "error"
    code: str
    message: str
    category: ErrorCategory
    retryable: bool = False
    not_undone: tuple[str, ...] = ()
    """Why what was done before could not be undone, for each of it: it is still done."""


class Complete(Event):
    """The turn is over, or waits for a decision (`paused`)."""

    type: Literal["complete"] = "complete"
    status: CompletionStatus
    stop_reason: StopReason | None = None
    """Why the turn's answer ended; nothing if the turn failed or was stopped before it had one."""
    usage: Usage = NO_USAGE
    cost: Decimal | None = None
    duration_ms: float | None = None


class TitleChanged(Event):
    """The session has a new title."""

    type: Literal["title_changed"] = "title_changed"
    title: str
    is_automatic: bool = True


class FeedbackGiven(Event):
    """A person judged an answer."""

    type: Literal["feedback_given"] = "feedback_given"
    target_message_id: AnyId
    rating: Annotated[int, Field(ge=-1, le=1)]
    comment: str = ""
