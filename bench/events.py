"""What one event costs, beside the same fields in a plain pydantic model; and how many a channel takes.

The floor of a row is pydantic's own cost: a model with the very same fields and configuration, and nothing of ours.
"""

import asyncio
import sys
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from batuta.events import AssistantMessage, Event, StepStarted, ToolRequest, UserMessage
from batuta.events.catalogue import decode, encode
from batuta.kernel.ids import new_id
from batuta.observability.channel import EventChannel
from bench.measuring import Row, best_seconds, clock

MOST = 1.2
CHANNEL_FLOOR = 50_000

SAMPLES: dict[type[Event], dict[str, Any]] = {
    UserMessage: {"content": "Which invoices are late?"},
    AssistantMessage: {"content": "INV-7 is 40 days late.", "source_agent_id": "erp_agent", "model": "m-1"},
    ToolRequest: {"tool_use_id": "toolu_01", "tool_name": "stock", "args": {"sku": "A"}, "source_agent_id": "erp"},
    StepStarted: {"step_name": "price", "step_type": "FunctionStep", "path": "orders/price"},
}


def plain(event_type: type[Event]) -> type[BaseModel]:
    """The fields of an event in a model that is only pydantic's."""
    fields: dict[str, Any] = {name: (field.annotation, field) for name, field in event_type.model_fields.items()}
    config = ConfigDict(frozen=True, ser_json_inf_nan="strings")
    return create_model(f"Plain{event_type.__name__}", __config__=config, **fields)


async def told_and_stored(event_type: type[Event], sample: dict[str, Any]) -> Row:
    """Construct and encode."""
    bare = plain(event_type)
    given = {**sample, "session_id": new_id(), "turn_id": new_id(), "correlation_id": "c"}

    async def ours() -> None:
        encode(event_type(**given))

    async def theirs() -> None:
        bare(**given).model_dump_json()

    floor, value = await best_seconds(theirs), await best_seconds(ours)
    return Row(
        what=f"construct and encode {event_type.route.type}",
        subject="batuta",
        value=value * 1e6,
        unit="µs",
        floor=floor * 1e6,
        ratio=value / floor,
        aim=f"≤ {MOST} × pydantic",
        met=value <= MOST * floor,
    )


async def read_back() -> Row:
    """Decode, with the look at version and type."""
    stored = encode(AssistantMessage(**SAMPLES[AssistantMessage]))

    async def ours() -> None:
        decode(stored)

    return Row(what="decode assistant_message", subject="batuta", value=await best_seconds(ours) * 1e6, unit="µs")


class Deaf:
    """Takes events and does nothing with them."""

    never_blocks = True

    def emit(self, event: Event) -> None:
        pass


async def emitted(count: int = 200_000) -> Row:
    """Events per second into a channel with one subscriber."""
    event = UserMessage(content="hello")
    with EventChannel() as channel:
        channel.attach(Deaf(), name="bench")
        began = clock()
        for _ in range(count):
            channel.emit(event)
        rate = count / (clock() - began)
    return Row(
        what="emission into the channel",
        subject="batuta",
        value=rate,
        unit="events/s",
        aim=f"≥ {CHANNEL_FLOOR}",
        met=rate >= CHANNEL_FLOOR,
    )


async def main() -> None:
    rows = [await told_and_stored(event_type, sample) for event_type, sample in SAMPLES.items()]
    for row in [*rows, await read_back(), await emitted()]:
        sys.stdout.write(row.as_json() + "\n")


if __name__ == "__main__":
    asyncio.run(main())
