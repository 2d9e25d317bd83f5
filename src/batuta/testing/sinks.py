"""A sink that keeps what it sees."""

from typing import TypeVar

from batuta.events.envelope import Event

E = TypeVar("E", bound=Event)


class CapturingSink:
    """Keeps every event in order."""

    never_blocks = True

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Keep an event."""
        self.events.append(event)

    def of(self, event_type: type[E]) -> list[E]:
        """The events of one type, in order."""
        return [event for event in self.events if isinstance(event, event_type)]

    @property
    def types(self) -> list[str]:
        """The types of all events, in order."""
        return [event.type for event in self.events]
