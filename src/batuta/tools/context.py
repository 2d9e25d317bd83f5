"""What a running tool knows about its call, and what it may tell while it runs."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import to_jsonable_python

from batuta.events.envelope import Event
from batuta.kernel.users import ANONYMOUS_USER, LANGUAGE_SERVICE, TIME_ZONE_SERVICE, ToolUser

__all__ = ["ANONYMOUS_USER", "LANGUAGE_SERVICE", "TIME_ZONE_SERVICE", "ReportProgress", "ToolContext", "ToolUser"]


ReportProgress = Callable[[str, float | None, float | None], Awaitable[None]]
"""Takes a message, how much is done and how much there is."""


async def _ignore(message: str, done: float | None, total: float | None) -> None:
    """Discards events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One call, seen from inside. A parameter annotated with this type receives it and is not in the schema."""

    tool_use_id: str = ""
    idempotency_key: str = ""
    """The same for the same call whenever it is resumed, and for a write that is tried again until it succeeded; hand
    it to systems that know such keys.
    """
    agent_id: str = ""
    user: ToolUser = ANONYMOUS_USER
    approved_by: str = ""
    """Who approved this call, once it is approved."""
    correlation_id: str = ""
    services: Mapping[Any, Any] = field(default_factory=dict)
    report: ReportProgress = _ignore
    facts: dict[str, Any] = field(default_factory=dict)
    """What `enrich` added; it goes into the details of the tool's own event."""

    events: list[Event] = field(default_factory=list)
    """What `emit` added; it is emitted right after the tool's own event."""

    async def progress(self, message: str, *, done: float | None = None, total: float | None = None) -> None:
        """Tell how far the work is."""
        await self.report(message, done, total)

    def enrich(self, **facts: Any) -> None:
        """Add facts to the event of this call: `ctx.enrich(rows=12, source="ledger")`."""
        self.facts.update(to_jsonable_python(facts, inf_nan_mode="strings", fallback=str))

    def emit(self, event: Event) -> None:
        """Add an event of your own to the turn. It is kept with the outcome of this call: a resumed turn tells the same
        one again without a second run. Envelope fields are filled in on emission.
        """
        self.events.append(event)
