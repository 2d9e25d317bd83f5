"""Events that live only while something runs; a stored event supersedes them."""

from typing import Literal

from batuta.events.envelope import Event, RuntimeEvent
from batuta.kernel.id_fields import AnyId


class _Piece(RuntimeEvent):
    delta: str
    offset: int | None = None
    """How many characters of the text were sent before. At 0 the text begins, or is sent again from its beginning to
    a client that joined late: it replaces what is shown of it."""


class ContentDelta(_Piece):
    """A piece of an answer as it arrives."""

    type: Literal["content_delta"] = "content_delta"


class ThinkingDelta(_Piece):
    """A piece of thinking as it arrives."""

    type: Literal["thinking_delta"] = "thinking_delta"


class StreamDiscarded(Event):
    """The pieces of this message that were streamed are void: a client removes them.

    The message may be streamed again from its beginning under the same id (`retried`), or never be stored.
    """

    type: Literal["stream_discarded"] = "stream_discarded"
    reason: Literal["retried", "rejected", "failed"] = "failed"
    """The stream broke and begins anew, the answer was rejected, or no answer came of it."""


class _Progress(Event):
    message: str = ""
    done: float | None = None
    total: float | None = None


class ToolProgress(_Progress):
    """How far a tool is."""

    type: Literal["tool_progress"] = "tool_progress"
    tool_use_id: str
    tool_name: str


class StepProgress(_Progress):
    """How far a step is."""

    type: Literal["step_progress"] = "step_progress"
    step_name: str
    path: str


class JobProgress(_Progress):
    """How far a background job is."""

    type: Literal["job_progress"] = "job_progress"
    job_id: AnyId
    status: str = "running"


class FileProgress(_Progress):
    """How far the processing of a file is."""

    type: Literal["file_progress"] = "file_progress"
    file_id: AnyId
    stage: str


class _Tag(Event):
    tag: str
    attributes: dict[str, str] = {}


class TagStarted(_Tag):
    """A declared artefact begins inside the stream."""

    type: Literal["tag_started"] = "tag_started"


class TagCompleted(_Tag):
    """A declared artefact is complete."""

    type: Literal["tag_completed"] = "tag_completed"
    size: int = 0
