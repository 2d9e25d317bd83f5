"""The team that works while its processes are killed: it answers, streams, and books with somebody's consent. What
its models served, and what it booked, is kept in files that outlive the processes.
"""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from batuta.kernel.ids import new_id
from batuta.kernel.messages import Answer, ToolCallBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool
from tests.chaos.workers import PAUSE_SECONDS, Lines
from tests.support.platform import RuleModel


@dataclass
class BilledModel(RuleModel):
    """A model whose provider writes down what it served before the answer is on its way."""

    bill: Lines = field(kw_only=True)

    async def generate(self, request: ModelRequest) -> Answer:
        answer = await super().generate(request)
        await asyncio.sleep(PAUSE_SECONDS)
        response_id = new_id()
        usage = Usage(input=7 * len(request.messages), output=1 + len(answer.text) % 50)
        self.bill[f"{request.metadata['correlation_id']} {response_id} {usage.total}"] = 1
        await asyncio.sleep(PAUSE_SECONDS)
        return answer.model_copy(update={"usage": usage, "response_id": response_id})


def team(ledger: str, bill: str) -> Orchestrator:
    """A supervisor that answers or plans, an agent that streams, and a clerk whose bookings are kept in a file."""
    served = Lines(bill)
    clerk = AgentStep(
        name="clerk",
        model=BilledModel(_clerk, bill=served),
        output=str,
        instructions="Book.",
        tools=[_booking(Lines(ledger))],
    )
    echo = AgentStep(
        name="echo", model=BilledModel(_echo, bill=served), output=str, instructions="Repeat.", is_streaming=True
    )
    return Orchestrator(
        supervisor=BilledModel(_supervise, bill=served),
        agents=[Specialist(clerk, name="Clerk"), Specialist(echo, name="Echo")],
    )


def bookings(ledger: Path) -> list[str]:
    """What was booked, once for each time it was."""
    return [line.split(" ")[0] for line in ledger.read_text().splitlines()]


def _booking(ledger: Lines) -> Tool:
    def line(args: dict[str, Any], ctx: ToolContext) -> str:
        return f"{args['what']} {ctx.idempotency_key}"

    async def was_booked(args: dict[str, Any], ctx: ToolContext) -> str | None:
        return f"booked {args['what']}" if ledger[line(args, ctx)] else None

    @tool(effect="write", approval="always", reconcile=was_booked)
    async def book(what: str, ctx: ToolContext) -> str:
        """Book something. Before and after the deed there is time to die in."""
        await asyncio.sleep(PAUSE_SECONDS)
        ledger[line({"what": what}, ctx)] = 1
        await asyncio.sleep(PAUSE_SECONDS)
        return f"booked {what}"

    return book


def _supervise(request: ModelRequest) -> str:
    text = request.messages[-1].text
    if text.startswith("book "):
        return json.dumps({"steps": [{"agent_id": "clerk", "task": text, "depends_on": []}]})
    return json.dumps({"answer": f"You said: {text[:200]}"})


def _clerk(request: ModelRequest) -> str | ToolCallBlock:
    if request.tool_results:
        return f"Done: {request.tool_results[-1].content}"
    text = next(message.text for message in reversed(request.messages) if "book " in message.text)
    return ToolCallBlock(id="call_1", name="book", args={"what": text.split("book ")[1].split()[0]})


def _echo(request: ModelRequest) -> str:
    return f"echo {request.messages[-1].text} " + " ".join(f"word{number}" for number in range(40))
