"""A team in which everything happens at once: parallel steps, a retry, a fallback, a correction, a stream, an agent
inside a tool, and a question to a person while all that goes on.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

from batuta import AgentStep, step
from batuta.kernel.errors import Rejected, TransientError
from batuta.kernel.messages import Answer, Delta
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist
from batuta.pipelines.context import Context
from batuta.testing import Reply, ToolCall
from batuta.tools import tool
from tests.integration.orchestration.crew import Habit, Ledger, worker

STEPS: tuple[tuple[str, list[int]], ...] = (
    ("weather", []),
    ("poet", []),
    ("chief", []),
    ("clerk", []),
    ("oracle", [0]),
    ("crier", [0, 1, 2, 3, 4]),
)


class Talker(Habit):
    """A habit that is told word by word."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        answer = await self.generate(request)
        for word in answer.text.split(" "):
            yield Delta("text", f"{word} ")
        yield answer


def build(ledger: Ledger) -> Orchestrator:
    """Six steps; all but two depend on nothing."""
    tools = ledger.tools()
    clerk = worker("clerk", tools, ("book", {"day": "monday"}), ("look", {"n": 1}))
    crier = worker("crier", tools, ("shout", {"words": "done"}))
    agents = [_weather(ledger), _poet(), _chief(tools), clerk, _oracle(), crier]
    return Orchestrator(supervisor=Talker(_supervise), agents=agents, is_streaming=True)


def _supervise(request: ModelRequest) -> Reply:
    if "Results of earlier steps:" in request.messages[-1].text:
        return Reply("Everything is done [1] [2] [3] [4] [5] [6].")
    return Reply(json.dumps({"steps": [{"agent_id": a, "task": f"do {a}", "depends_on": d} for a, d in STEPS]}))


def _weather(ledger: Ledger) -> Specialist:
    """Fails at the first call of every turn, in a way that passes."""

    @step
    async def weather(task: str, ctx: Context) -> str:
        asked = f"weather:{ctx.run_key}"
        ledger.done[asked] += 1
        if ledger.done[asked] == 1:
            raise TransientError("the station is busy")
        return "sunny"

    return Specialist(weather, name="Weather")


def _poet() -> Specialist:
    """Streams; its first answer is rejected and taken back."""

    async def rhymes(text: str, ctx: Context) -> None:
        if "day" not in text:
            raise Rejected("it does not rhyme", hint="End with day.")

    def rule(request: ModelRequest) -> Reply:
        return Reply("bright is the day" if "rhyme" in request.messages[-1].text else "bright is the morning")

    poet = AgentStep(name="poet", model=Talker(rule), output=str, validate=rhymes, is_streaming=True)
    return Specialist(poet, name="Poet")


def _chief(tools: dict[str, Any]) -> Specialist:
    """Has a letter written by an agent inside its tool."""

    def writes(request: ModelRequest) -> Reply:
        if request.tool_results:
            return Reply(request.tool_results[-1].content)
        return Reply(tool_calls=[ToolCall("send", {"to": request.messages[-1].text}, id="scribe-send")])

    scribe = AgentStep(name="scribe", model=Habit(writes), output=str, tools=[tools["send"]])

    @tool(effect="idempotent")
    async def write_to(who: str) -> str:
        """Have the scribe write to somebody."""
        return (await scribe.run(who)).value

    return worker("chief", {"write_to": write_to}, ("write_to", {"who": "ana"}))


def _oracle() -> Specialist:
    """None of its answers is accepted; somebody stands in."""

    async def is_plain(text: str, ctx: Context) -> None:
        raise Rejected("nobody understands that")

    deputy = AgentStep(name="deputy", model=Habit(lambda request: Reply("it will stay so")), output=str)
    oracle = AgentStep(
        name="oracle",
        model=Habit(lambda request: Reply("the owl knows")),
        output=str,
        validate=is_plain,
        max_attempts=2,
        fallback=deputy,
    )
    return Specialist(oracle, name="Oracle")
