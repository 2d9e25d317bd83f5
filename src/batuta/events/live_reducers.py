"""Reducers of what lives only while something runs. They decorate what the log holds and open nothing themselves."""

from collections.abc import Callable
from typing import Any, Literal

from batuta.events import progress
from batuta.events.envelope import Event
from batuta.events.view import ProgressView, SessionView, StreamView, TagView, ToolItem, TurnView
from batuta.events.view_edits import changed, in_turn, patch_item

StreamKind = Literal["thinking", "message"]
_OVER = ("success", "cancelled", "failed")


def boundary(view: SessionView, event: Event) -> SessionView:
    """A turn begins or ends to talk: whatever was still arriving is stale."""
    turns = tuple(changed(turn, streams=()) if turn.streams else turn for turn in view.turns)
    return changed(view, turns=turns, progress=())


def content_delta(view: SessionView, event: progress.ContentDelta) -> SessionView:
    """A piece of an answer."""
    return _stream(view, event, "message", _grown(event))


def thinking_delta(view: SessionView, event: progress.ThinkingDelta) -> SessionView:
    """A piece of thinking."""
    return _stream(view, event, "thinking", _grown(event))


def _grown(event: progress.ContentDelta | progress.ThinkingDelta) -> Callable[[StreamView], dict[str, Any]]:
    """The text with a piece more; one that begins at the beginning replaces it."""
    return lambda stream: {"content": event.delta if event.offset == 0 else stream.content + event.delta}


def stream_discarded(view: SessionView, event: progress.StreamDiscarded) -> SessionView:
    """What arrived of a message is void."""

    def without(turn: TurnView) -> TurnView:
        kept = tuple(stream for stream in turn.streams if not _is_from(stream, event))
        return turn if len(kept) == len(turn.streams) else changed(turn, streams=kept)

    return in_turn(view, event, without)


def tag_started(view: SessionView, event: progress.TagStarted) -> SessionView:
    """An artefact begins in the answer."""
    tag = TagView(tag=event.tag, attributes=event.attributes)
    return _stream(view, event, "message", lambda stream: {"tags": (*stream.tags, tag)})


def tag_completed(view: SessionView, event: progress.TagCompleted) -> SessionView:
    """The last open artefact of that name is complete; one that was never announced is added whole."""
    done = TagView(tag=event.tag, attributes=event.attributes, is_complete=True, size=event.size)

    def change(stream: StreamView) -> dict[str, Any]:
        for index in range(len(stream.tags) - 1, -1, -1):
            if stream.tags[index].tag == event.tag and not stream.tags[index].is_complete:
                return {"tags": (*stream.tags[:index], done, *stream.tags[index + 1 :])}
        return {"tags": (*stream.tags, done)}

    return _stream(view, event, "message", change)


def _stream(
    view: SessionView, event: Event, kind: StreamKind, change: Callable[[StreamView], dict[str, Any]]
) -> SessionView:
    """Change the stream of an event's message and agent, opened by its first piece."""

    def extend(turn: TurnView) -> TurnView:
        if turn.status in _OVER or _is_told(turn, kind, event):
            return turn
        current = next((stream for stream in turn.streams if _is_of(stream, kind, event)), None)
        if current is None:
            opened = StreamView(
                kind=kind, message_id=event.message_id, agent_id=event.source_agent_id, last_event_id=event.event_id
            )
            return changed(turn, streams=(*turn.streams, changed(opened, **change(opened))))
        if event.event_id <= current.last_event_id:  # ids are time-ordered: this piece was seen
            return turn
        grown = changed(current, **change(current), last_event_id=event.event_id)
        return changed(turn, streams=tuple(grown if stream is current else stream for stream in turn.streams))

    return in_turn(view, event, extend)


def _is_told(turn: TurnView, kind: StreamKind, event: Event) -> bool:
    """True if the complete message was stored before this piece arrived."""
    stored = "thinking" if kind == "thinking" else "assistant_message"
    return event.message_id is not None and any(
        item.kind == stored and item.message_id == event.message_id for item in reversed(turn.items)
    )


def _is_of(stream: StreamView, kind: StreamKind, event: Event) -> bool:
    return stream.kind == kind and _is_from(stream, event)


def _is_from(stream: StreamView, event: Event) -> bool:
    return (stream.message_id, stream.agent_id) == (event.message_id, event.source_agent_id)


def tool_progress(view: SessionView, event: progress.ToolProgress) -> SessionView:
    """How far a running tool is."""
    state = _progress(event, "tool", event.tool_use_id, event.tool_name)
    return in_turn(
        view,
        event,
        lambda turn: patch_item(
            turn,
            lambda item: isinstance(item, ToolItem) and item.tool_use_id == event.tool_use_id,
            lambda item: changed(item, progress=state) if item.state == "running" else item,
        ),
    )


def step_progress(view: SessionView, event: progress.StepProgress) -> SessionView:
    """How far a step is."""
    return _with_progress(view, _progress(event, "step", event.path, event.step_name))


def job_progress(view: SessionView, event: progress.JobProgress) -> SessionView:
    """How far a background job is."""
    return _with_progress(view, _progress(event, "job", event.job_id, event.status))


def file_progress(view: SessionView, event: progress.FileProgress) -> SessionView:
    """How far the processing of a file is."""
    return _with_progress(view, _progress(event, "file", event.file_id, event.stage))


def _progress(event: Any, kind: Literal["tool", "step", "job", "file"], key: str, label: str) -> ProgressView:
    return ProgressView(kind=kind, key=key, label=label, message=event.message, done=event.done, total=event.total)


def _with_progress(view: SessionView, state: ProgressView) -> SessionView:
    others = tuple(entry for entry in view.progress if (entry.kind, entry.key) != (state.kind, state.key))
    return changed(view, progress=(*others, state))
