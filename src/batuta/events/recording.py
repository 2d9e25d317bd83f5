"""What must hold before an event may be recorded."""

from batuta.events.envelope import Event, UnknownEvent
from batuta.kernel.errors import UnattributedEventError, UnknownEventTypeError


def ensure_attributed(event: Event) -> None:
    """Refuse an assistant-side event that does not say which agent produced it, and one without a row in the table."""
    if isinstance(event, UnknownEvent):
        raise UnknownEventTypeError(f"the catalogue has no event type {event.type!r}; add a row for it first")
    if event.route.needs_attribution and not event.source_agent_id:
        raise UnattributedEventError(
            f"a {event.type!r} event must name the agent that produced it; set source_agent_id when you make it"
        )
