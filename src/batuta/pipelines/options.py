"""What a run can be given besides its input."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, TypedDict

from batuta.conversations.conversation import Conversation
from batuta.events.sink import EventSink, Recorder
from batuta.kernel.clock import Clock
from batuta.pipelines.cancellation import Cancellation
from batuta.pipelines.hooks import Hook
from batuta.pipelines.journal import Journal


class RunOptions(TypedDict, total=False):
    """Everything is optional. A run inside a running step takes only `conversation` and `timeout`."""

    conversation: Conversation | None
    """What was said so far; agents read it and write to it."""
    timeout: timedelta | float | None
    """How long the whole run may take (seconds if a number)."""
    sink: EventSink | None
    """Sees every event; must be cheap."""
    recorder: Recorder | None
    """Stores every persisted event before the run goes on."""
    journal: Journal | None
    """Returns recorded effects instead of repeating them."""
    cancellation: Cancellation | None
    """Lets somebody else stop the run."""
    hooks: Sequence[Hook]
    """Run around every step."""
    services: Mapping[str, Any]
    """Available to steps as `ctx.services`."""
    correlation_id: str | None
    """Ties everything about this run together; made up when absent."""
    trace_id: str | None
    session_id: str | None
    turn_id: str | None
    dry_run: bool
    """Replace effects by their stand-ins."""
    clock: Clock
