"""Right and wrong emissions, as users and the runtime write them. Checked statically, never run.

Every wrong one stands on a line of its own that ends in its `type: ignore`: see `tests/typing/test_emissions.py`.
"""

from typing import Literal

from batuta import Context
from batuta.events import AssistantMessage, Event, StepStarted, ToolResponse


class DoorOpened(Event):
    """An event of a user's own."""

    type: Literal["door.opened"] = "door.opened"  # pyright: ignore[reportIncompatibleVariableOverride]
    door: str
    hour: int = 0


async def right(ctx: Context) -> None:
    """What the checkers accept."""
    await ctx.emit(AssistantMessage(content="Good morning", source_agent_id="porter"))
    await ctx.emit(ToolResponse(tool_use_id="1", tool_name="look", content="open", success=True))
    await ctx.emit(StepStarted(step_name="look", step_type="FunctionStep", path="look"))
    await ctx.emit(DoorOpened(door="front", hour=7), live=True)


async def wrong(ctx: Context) -> None:
    """What the checkers refuse: a misspelt field, a wrong type, a missing field, no event, no such option."""
    await ctx.emit(AssistantMessage(contents="Good morning"))  # type: ignore[call-arg]
    await ctx.emit(AssistantMessage(content=7))  # pyright: ignore[reportArgumentType]
    await ctx.emit(ToolResponse(tool_use_id="1", tool_name="look", content="open"))  # type: ignore[call-arg]
    await ctx.emit(ToolResponse(tool_use_id="1", tool_name="look", content="", success="yes"))  # pyright: ignore[reportArgumentType]
    await ctx.emit(StepStarted(step_name="look", step_kind="FunctionStep", path="look"))  # type: ignore[call-arg]
    await ctx.emit(StepStarted(step_name="look", step_type=None, path="look"))  # pyright: ignore[reportArgumentType]
    await ctx.emit(DoorOpened(dor="front"))  # type: ignore[call-arg]
    await ctx.emit(DoorOpened(door="front", hour="seven"))  # pyright: ignore[reportArgumentType]
    await ctx.emit(DoorOpened)  # type: ignore[arg-type]
    await ctx.emit({"type": "door.opened"})  # type: ignore[arg-type]
    await ctx.emit(DoorOpened(door="front"), transient=True)  # type: ignore[call-arg]
