"""What tests compare of events: everything but what is new in each of them."""

from collections.abc import Iterable
from typing import Any

from batuta.events import Event
from batuta.events.adapters import BaseAdapter, adapter_for
from batuta.kernel.messages import Answer

FRESH = {"event_id", "timestamp"}


def seen(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Events without their ids and times."""
    return [event.model_dump(mode="json", exclude=FRESH) for event in events]


def read_stream(adapter: BaseAdapter, chunks: Iterable[Any]) -> Answer:
    """The answer that a stream adds up to."""
    reader = adapter.stream()
    for chunk in chunks:
        reader.feed(chunk)
    return reader.close()


def read_whole(provider: str, message: Any) -> Answer:
    """The answer in a message of a provider."""
    return adapter_for(provider).read_message(message)


def facts(answer: Answer) -> Any:
    """All that an answer says."""
    return without_nulls(answer.model_dump(mode="json"))


def without_nulls(value: Any) -> Any:
    """Providers write `null` for what is absent; SDK objects keep or leave that out."""
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value
