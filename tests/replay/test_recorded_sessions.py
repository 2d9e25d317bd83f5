"""Recorded sessions: readable for ever, and the same in every form derived from them."""

import json
from pathlib import Path
from typing import Any

import pytest

from batuta.events import ROUTES, Event, Persistence, encode
from batuta.events.agui import translate
from batuta.events.catalogue import decode_any
from batuta.events.fold import fold
from batuta.events.view import SessionView
from batuta.events.wire import from_wire
from tools.replays import read, recordings

RECORDINGS = recordings()
EACH = pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)


def expected(path: Path) -> SessionView:
    return SessionView.model_validate(json.loads(path.with_suffix(".view.json").read_text())["final"])


def test_there_are_enough_of_them_and_they_show_every_event() -> None:
    seen = {event.type for path in RECORDINGS for event in read(path)}
    assert len(RECORDINGS) >= 12
    assert set(ROUTES) <= seen


@EACH
def test_nothing_of_a_recorded_event_is_lost_when_it_is_read(path: Path) -> None:
    """E-4: later versions may add fields; every recorded one is still there."""
    for line in path.read_bytes().splitlines():
        recorded, read_back = json.loads(line), json.loads(encode(decode_any(line)))
        assert recorded == _as_far_as(recorded, read_back)


@EACH
def test_the_live_view_is_the_recorded_one(path: Path) -> None:
    """E-20."""
    assert fold(read(path)) == expected(path)


@EACH
def test_the_reloaded_view_is_the_recorded_one(path: Path) -> None:
    """E-20: live and reload are equal, field by field."""
    stored = [event for event in read(path) if event.persistence is not Persistence.TRANSIENT]
    assert fold(stored) == expected(path)


@EACH
def test_the_view_from_the_socket_is_the_recorded_one(path: Path) -> None:
    sent = [json.loads(line) for line in path.with_suffix(".wire.jsonl").read_text().splitlines()]
    assert fold(map(from_wire, sent)) == expected(path).model_copy(update={"epoch": 1})


@EACH
def test_the_socket_never_carries_an_internal_event(path: Path) -> None:
    """E-5."""
    internal = {event.event_id for event in read(path) if not event.is_visible}
    sent = {json.loads(line)["event_id"] for line in path.with_suffix(".wire.jsonl").read_text().splitlines()}
    assert not internal & sent


@EACH
def test_previous_sequence_chains_what_one_audience_was_given(path: Path) -> None:
    """E-2: a client never assumes +1."""
    sent = [json.loads(line) for line in path.with_suffix(".wire.jsonl").read_text().splitlines()]
    last = None
    for event in sent:
        assert event["previous_sequence"] == last
        last = event["sequence_number"] or last


@EACH
def test_the_agui_stream_can_be_translated_in_parts(path: Path) -> None:
    """E-21: the state carries over."""
    events: list[Event] = read(path)
    whole, _ = translate(events)
    told, state = translate(events[: len(events) // 2])
    rest, _ = translate(events[len(events) // 2 :], state)
    assert told + rest == whole


def _as_far_as(recorded: Any, read_back: Any) -> Any:
    """What was read back, without what a later version added to it."""
    if isinstance(recorded, dict):
        return {name: _as_far_as(recorded[name], read_back[name]) for name in recorded}
    if isinstance(recorded, list):
        return [_as_far_as(one, other) for one, other in zip(recorded, read_back, strict=True)]
    return read_back
