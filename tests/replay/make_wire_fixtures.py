"""Writes the wire fixtures, and beside each the canonical events and the view that they come to.

    python -m tests.replay.make_wire_fixtures

Both test suites read them: Python reads the wire with its adapters, TypeScript folds the events.
"""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from batuta.events import Event, encode
from batuta.events.adapters import adapter_for
from batuta.events.catalogue import decode
from batuta.events.fold import fold
from tests.replay.recorded_wire import recorded
from tests.replay.wire_fixtures import WIRE
from tests.replay.written_wire import written

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def fixtures(recordings: Mapping[str, str]) -> dict[str, str]:
    """The text of every fixture by its path below `wire`, given those that are recorded."""
    wire = {path: _pretty(fixture) for path, fixture in written().items()} | dict(recordings)
    answers = {path: text for path, text in wire.items() if path.endswith(".whole.json")}
    return wire | {
        path.replace(".whole.json", ".canonical.json"): _pretty(_canonical(path, json.loads(text)))
        for path, text in answers.items()
    }


def _canonical(path: str, answer: Any) -> dict[str, Any]:
    """The events that an answer gives, as a log would hold them, and the view they fold to."""
    told = adapter_for(path.partition("/")[0]).normalize_message(answer, 1)
    events = [_stored(event, path, position) for position, event in enumerate(told, start=1)]
    return {
        "events": [json.loads(encode(event)) for event in events],
        "view": fold(events).model_dump(mode="json"),
    }


def _stored(event: Event, path: str, position: int) -> Event:
    """An event as a log would give it back: what is new in each one follows from its place."""
    envelope = {
        "event_id": _id(f"{path}#{position}"),
        "timestamp": BEGUN + timedelta(seconds=position),
        "session_id": _id(path),
        "turn_id": _id(f"{path}#turn"),
        "message_id": _id(f"{path}#message"),
        "sequence_number": position,
        "source_agent_id": "agent",
    }
    return decode(encode(event.model_copy(update=envelope)))


def _id(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, name)).upper()


def _pretty(fixture: Any) -> str:
    return json.dumps(fixture, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write all fixtures."""
    for path, text in fixtures(asyncio.run(recorded())).items():
        target = WIRE / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())


if __name__ == "__main__":
    main()
