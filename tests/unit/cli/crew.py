"""A team of one, whose model does what its instructions say."""

import os
from pathlib import Path
from typing import Any

from batuta import AgentStep
from batuta.kernel.messages import Answer
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import tool


@tool(effect="write")
async def reserve(day: str) -> str:
    """Reserve a table; where a book is kept, every reservation is a line in it."""
    if book := os.environ.get("RESERVATIONS"):
        with Path(book).open("a") as lines:
            lines.write(f"{day}\n")
    return f"a table on {day}"


class Obedient:
    """Reserves for monday unless its instructions name another day."""

    provider, name = "obedient", "obedient-1"

    async def generate(self, request: ModelRequest) -> Answer:
        if request.tool_results:
            return await ScriptedModel([Reply(request.tool_results[0].content)]).generate(request)
        day = "tuesday" if "tuesday" in request.system else "monday"
        return await ScriptedModel([Reply(tool_calls=[ToolCall("reserve", {"day": day})])]).generate(request)

    async def stream(self, request: ModelRequest) -> Any:
        yield await self.generate(request)


host = AgentStep(name="host", model=Obedient(), output=str, tools=[reserve], instructions="Reserve tables.")
team = Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(host, name="Host")])
