"""The fold: events in, what a person sees out. The same function for live, reload and replay.

    fold(all) == fold(second_half, fold(first_half))
    fold(live events, once the turn ended) == fold(stored events)

Its twin in TypeScript reads the same recorded sessions.
"""

from collections.abc import Callable, Iterable
from typing import Any

from batuta.events import live_reducers as live
from batuta.events import reducers as stored
from batuta.events.envelope import Event
from batuta.events.routing import Persistence
from batuta.events.view import SessionView
from batuta.events.view_edits import changed
from batuta.events.wire import Delivered

Reducer = Callable[[SessionView, Any], SessionView]

REDUCERS: dict[str, Reducer] = {
    "session_start": live.boundary,
    "session_end": live.boundary,
    "user_message": stored.user_message,
    "thinking": stored.thinking,
    "assistant_message": stored.assistant_message,
    "turn_paused": stored.turn_paused,
    "content_refused": stored.content_refused,
    "error": stored.error,
    "complete": stored.complete,
    "title_changed": stored.title_changed,
    "feedback_given": stored.feedback_given,
    "tool_request": stored.tool_request,
    "tool_response": stored.tool_response,
    "approval_requested": stored.approval_requested,
    "approval_resolved": stored.approval_resolved,
    "dataset_stored": stored.dataset_stored,
    "chart_drawn": stored.chart_drawn,
    "plan_generated": stored.plan_generated,
    "plan_step_started": stored.plan_step_started,
    "plan_step_completed": stored.plan_step_completed,
    "plan_completed": stored.plan_completed,
    "agent_handoff": stored.agent_handoff,
    "content_delta": live.content_delta,
    "thinking_delta": live.thinking_delta,
    "stream_discarded": live.stream_discarded,
    "tag_started": live.tag_started,
    "tag_completed": live.tag_completed,
    "tool_progress": live.tool_progress,
    "step_progress": live.step_progress,
    "job_progress": live.job_progress,
    "file_progress": live.file_progress,
}
"""What each visible event does to a view."""

EMPTY = SessionView()


def fold(events: Iterable[Event | Delivered], view: SessionView | None = None) -> SessionView:
    """The view after some events, in the order of the log. Repeated events change nothing, internal ones are dropped.

    An event of a type that has no reducer becomes an `other` item and is counted in `unknown`.
    """
    view = EMPTY if view is None else view
    for each in events:
        event, epoch = (each.event, each.epoch) if isinstance(each, Delivered) else (each, view.epoch)
        if event.is_visible and not _was_seen(view, event, epoch):
            view = _advanced(_reduced(view, event), event, epoch)
    return view


def _reduced(view: SessionView, event: Event) -> SessionView:
    reducer = REDUCERS.get(event.type)
    if reducer is not None:
        return reducer(view, event)
    return view if event.persistence is Persistence.TRANSIENT else stored.other(view, event)


def _was_seen(view: SessionView, event: Event, epoch: int | None) -> bool:
    """Whether the log position of an event lies at or before the last one folded."""
    if event.sequence_number is None:
        return False
    return (epoch or 0, event.sequence_number) <= (view.epoch or 0, view.last_sequence)


def _advanced(view: SessionView, event: Event, epoch: int | None) -> SessionView:
    if event.persistence is Persistence.TRANSIENT:
        return view
    position: dict[str, Any] = {"session_id": event.session_id or view.session_id}
    if event.sequence_number is not None:
        position |= {"epoch": epoch, "last_sequence": event.sequence_number}
    return changed(view, **position)
