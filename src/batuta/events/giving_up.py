"""How a turn ends whose attempts are used up: no worker runs it any more, so the queue writes its end. Pure."""

from collections.abc import Iterable, Sequence

from batuta.events.conversation import Complete, ErrorOccurred
from batuta.events.envelope import Event
from batuta.events.lost_calls import ends_of_lost_calls
from batuta.events.queue import Work
from batuta.kernel.errors import ErrorCategory

CODE = "TURN_GIVEN_UP"


def end_of_dead_turn(history: Sequence[Event], work: Work, error: str) -> list[Event]:
    """The closing events; none if the turn has written its own end. `history` holds the turn's events so far.

    Its plan stays as it is: a person may have the turn tried again, and then it goes on.
    """
    if end_in(history) is not None:
        return []
    facts = work.stamp.envelope()
    why = f"the turn was given up after {work.attempts} attempts: {error}"
    failure = ErrorOccurred(**facts, code=CODE, message=why, category=ErrorCategory.LOGICAL)
    return [*ends_of_lost_calls(history), failure, Complete(**facts, status="failed", caused_by=failure.event_id)]


def end_in(history: Iterable[Event]) -> Complete | None:
    """The end that a turn has written. That it was given up is none: it may have been revived since."""
    given_up: set[str] = set()
    for event in history:
        if isinstance(event, ErrorOccurred) and event.code == CODE:
            given_up.add(event.event_id)
        elif isinstance(event, Complete) and event.status != "paused" and event.caused_by not in given_up:
            return event
    return None
