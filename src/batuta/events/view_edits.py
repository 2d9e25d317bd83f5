"""Small moves on a `SessionView` that the reducers are made of: find a turn, add an item, change one."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from batuta.events.envelope import Event
from batuta.events.view import Item, SessionView, StreamView, TurnView, ViewModel

V = TypeVar("V", bound=ViewModel)
TurnChange = Callable[[TurnView], TurnView]

BUSY = ("queued", "running", "paused")
"""A turn in one of these keeps later ones waiting."""


def changed(view: V, **fields: Any) -> V:
    """A copy with some fields replaced."""
    return view.model_copy(update=fields)


def item_head(event: Event) -> dict[str, Any]:
    """The fields every item takes from its event."""
    return {
        "event_id": event.event_id,
        "timestamp": event.timestamp,
        "sequence_number": event.sequence_number,
        "message_id": event.message_id,
        "agent_id": event.source_agent_id,
    }


def turn_of(view: SessionView, event: Event) -> TurnView | None:
    """The turn an event belongs to, if the log holds its start."""
    return next((turn for turn in reversed(view.turns) if turn.turn_id == event.turn_id), None)


def with_turn(view: SessionView, event: Event, change: TurnChange) -> SessionView:
    """Change the turn of a stored event; the first event of a turn opens it."""
    if turn_of(view, event) is None:
        is_waiting = any(turn.status in BUSY for turn in view.turns)
        opened = TurnView(
            turn_id=event.turn_id, status="queued" if is_waiting else "running", started_at=event.timestamp
        )
        view = changed(view, turns=(*view.turns, opened))
    return in_turn(view, event, change)


def in_turn(view: SessionView, event: Event, change: TurnChange) -> SessionView:
    """Change the turn of an event; nothing happens if there is none."""
    current = turn_of(view, event)
    after = current and change(current)
    if after is current or after is None:
        return view
    return changed(view, turns=tuple(after if turn is current else turn for turn in view.turns))


def add_item(item: Item) -> TurnChange:
    """Add an item at the end of a turn, once."""
    return lambda turn: turn if has_item(turn, item.event_id) else changed(turn, items=(*turn.items, item))


def has_item(turn: TurnView, event_id: str) -> bool:
    """Whether an event was already seen; a repeated one is usually among the last."""
    return any(item.event_id == event_id for item in reversed(turn.items))


def woken(turn: TurnView) -> TurnView:
    """An agent at work ends waiting."""
    return changed(turn, status="running") if turn.status in ("queued", "paused") else turn


def patch_item(turn: TurnView, matches: Callable[[Item], bool], change: Callable[[Any], Any]) -> TurnView:
    """Change the last item that matches."""
    for index in range(len(turn.items) - 1, -1, -1):
        if matches(turn.items[index]):
            items = (*turn.items[:index], change(turn.items[index]), *turn.items[index + 1 :])
            return changed(turn, items=items)
    return turn


def patch_anywhere(view: SessionView, matches: Callable[[Item], bool], change: Callable[[Any], Any]) -> SessionView:
    """Change the last matching item of the session, whichever turn holds it."""
    for index in range(len(view.turns) - 1, -1, -1):
        turn = patch_item(view.turns[index], matches, change)
        if turn is not view.turns[index]:
            return changed(view, turns=(*view.turns[:index], turn, *view.turns[index + 1 :]))
    return view


def without_streams(turn: TurnView, kind: str, event: Event) -> TurnView:
    """Drop the streams that a stored event supersedes: of its message, or else of its agent."""
    kept = tuple(stream for stream in turn.streams if not (stream.kind == kind and _is_same_speech(stream, event)))
    return turn if len(kept) == len(turn.streams) else changed(turn, streams=kept)


def _is_same_speech(stream: StreamView, event: Event) -> bool:
    if stream.message_id is not None and event.message_id is not None:
        return stream.message_id == event.message_id
    return stream.agent_id == event.source_agent_id


def keyed(table: Mapping[str, V], key: str, value: V) -> dict[str, V]:
    """A table with one entry set."""
    return {**table, key: value}
