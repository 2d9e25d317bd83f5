"""Stable names for a turn that may be run again: the same place in the code gives an event the same id.

An id is a version 8 UUID: the time of the turn, then a digest of turn, place, type and number.
"""

from functools import cache

from batuta.events.envelope import Event
from batuta.kernel.ids import id_within

DISTINGUISHING = (
    "tool_use_id",
    "approval_id",
    "step_id",
    "handoff_id",
    "message_id",
    "attempt",
    "status",
    "retry_successful",
)
"""Fields that tell apart what one place emits in no fixed order."""


@cache
def _distinguishing(event_type: type[Event]) -> tuple[str, ...]:
    return tuple(field for field in DISTINGUISHING if field in event_type.model_fields)


class TurnNaming:
    """Names the events of one run of one turn."""

    def __init__(self, turn_id: str) -> None:
        self._turn_id = turn_id
        self._emitted: dict[str, int] = {}

    def name(self, event: Event, key: str) -> str:
        """The id of an event."""
        fields = event.__dict__
        marks = [str(fields[field]) for field in _distinguishing(type(event)) if fields[field] is not None]
        place = f"{event.type}|{key}|{'|'.join(marks)}"
        number = self._emitted[place] = self._emitted.get(place, 0) + 1
        return self.id_for(f"{place}|{number}")

    def id_for(self, key: str) -> str:
        """The id of a place."""
        return id_within(self._turn_id, key)
