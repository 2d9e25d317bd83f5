"""The team of the platform's measurement, on a real provider client, and what the simulator answers it."""

import asyncio
import json
from typing import Any

from batuta.llm.factory import model
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.simulator import Simulator
from batuta.steps.agent import AgentStep
from batuta.tools.tool import tool
from tests.support.processes import say

MODEL = "anthropic:claude-sonnet-4-5"
WORDS = " ".join(f"word{number}" for number in range(60))
SCENARIO: dict[str, Any] = {
    "pace": {"chunk_chars": 24},
    "rules": [
        {"when": {"tool_result": "look_up"}, "answer": {"text": f"It is in stock. {WORDS}"}},
        {
            "when": {"tools": ["look_up"], "tool_result": False},
            "answer": {"blocks": [{"type": "tool_call", "name": "look_up", "arguments": {"item": "chair"}}]},
        },
        {
            "when": {"last_user": "."},
            "answer": {
                "text": json.dumps({"steps": [{"agent_id": "stock", "task": "Look the chair up.", "depends_on": []}]})
            },
        },
    ],
}
"""A turn: a plan, a tool call, and the answer in pieces: three model calls, one tool."""


@tool(effect="read")
async def look_up(item: str) -> str:
    """Look an item up."""
    return f"{item}: 12 in stock"


def team(url: str) -> Orchestrator:
    """A supervisor and one specialist, both at the simulator."""
    at_simulator = model(MODEL, api_key="any", base_url=url)
    stock = AgentStep(
        name="stock",
        model=at_simulator,
        output=str,
        instructions="Answer questions about stock.",
        tools=[look_up],
        is_streaming=True,
    )
    return Orchestrator(supervisor=at_simulator, agents=[Specialist(stock, name="Stock")])


async def simulate() -> None:
    """The provider, in a process of its own."""
    async with Simulator(SCENARIO) as simulator:
        say(ready=True, url=simulator.url)
        await asyncio.Event().wait()
