"""What is derived from each recorded session: its events as they are read today, its views, its outside forms."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from batuta.events import Event, encode
from batuta.events.agui import translate
from batuta.events.catalogue import decode_any
from batuta.events.fold import fold
from batuta.events.wire import to_wire
from tools.record import SESSIONS

EPOCH = 1
PARTS = 4


def recordings(folder: Path = SESSIONS) -> list[Path]:
    """The recorded sessions."""
    return sorted(path for path in folder.glob("*.jsonl") if path.suffixes == [".jsonl"])


def read(path: Path) -> list[Event]:
    """The events of a recording."""
    return [decode_any(line) for line in path.read_bytes().splitlines()]


def events_text(events: Iterable[Event]) -> str:
    """The events as this version reads them: lifted, and with the fields that came later."""
    return "".join(encode(event).decode() + "\n" for event in events)


def views_text(events: list[Event]) -> str:
    """The view at the end, and on the way where things are still arriving."""
    stops = [len(events) * part // PARTS for part in range(1, PARTS)]
    return _pretty(
        {
            "midway": [{"after": stop, "view": _json(fold(events[:stop]))} for stop in stops],
            "final": _json(fold(events)),
        }
    )


def wire_text(events: Iterable[Event]) -> str:
    """The session as a socket would send it, once each."""
    return _lines(_sent(events))


def agui_text(events: Iterable[Event]) -> str:
    """The session as an AG-UI stream."""
    return _lines(translate(events)[0])


def _sent(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    previous = None
    for event in events:
        if event.is_visible:
            yield to_wire(event, epoch=EPOCH, previous_sequence=previous)
            previous = event.sequence_number or previous


def derived(folder: Path = SESSIONS) -> dict[Path, str]:
    """Every derived file and what it must hold."""
    files = {}
    for path in recordings(folder):
        events = read(path)
        files[path.with_suffix(".events.jsonl")] = events_text(events)
        files[path.with_suffix(".view.json")] = views_text(events)
        files[path.with_suffix(".wire.jsonl")] = wire_text(events)
        files[path.with_suffix(".agui.jsonl")] = agui_text(events)
    return files


def _json(view: Any) -> Any:
    return view.model_dump(mode="json")


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
