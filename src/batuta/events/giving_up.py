"""How a turn ends that was tried as often as it may be: nobody runs it any more, so the queue tells its end. Pure."""

from collections.abc import Iterable, Sequence

from batuta.events.conversation import Complete, ErrorOccurred
from batuta.events.envelope import Event
from batuta.events.queue import Work
from batuta.kernel.errors import ErrorCategory

CODE = "TURN_GIVEN_UP"


def end_of_dead_turn(told: Sequence[Event], work: Work, error: str) -> list[Event]:
    """What its user learns; nothing if the turn has told its own end. `told` is what the turn has told.

    Its plan stays as it is: a person may have the turn tried again, and then it goes on.
    """
    if end_in(told) is not None:
        return []
    facts = work.stamp.envelope()
    why = f"the turn was given up after {work.attempts} attempts: {error}"
    failure = ErrorOccurred(**facts, code=CODE, message=why, category=ErrorCategory.LOGICAL)
    return [failure, Complete(**facts, status="failed", caused_by=failure.event_id)]


def end_in(told: Iterable[Event]) -> Complete | None:
    """The end that a turn has told. That it was given up is none: it may have been revived since."""
    given_up: set[str] = set()
    for event in told:
        if isinstance(event, ErrorOccurred) and event.code == CODE:
            given_up.add(event.event_id)
        elif isinstance(event, Complete) and event.status != "paused" and event.caused_by not in given_up:
            return event
    return None
