"""A team whose models always say the same, with one tool of every kind, and a ledger of what really happened."""

import json
from collections import Counter
from typing import Any

from batuta import AgentStep
from batuta.kernel.messages import Answer
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import ToolContext, tool

USED = Usage(input=3, output=2)
"""By every call: what a turn took in all must be the same however often it was interrupted."""


class Habit:
    """A model that answers every request by a rule."""

    provider, name = "habit", "habit-1"

    def __init__(self, rule: Any) -> None:
        self._rule = rule

    async def generate(self, request: ModelRequest) -> Answer:
        answer = ScriptedModel([self._rule])._answer(self._rule(request))
        return answer.model_copy(update={"usage": USED})

    async def stream(self, request: ModelRequest) -> Any:
        yield await self.generate(request)


class Ledger:
    """The outside world: what was done to it, by key."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()

    def tools(self) -> dict[str, Any]:
        ledger = self.done

        @tool(effect="read")
        async def look(n: int) -> str:
            """Look something up."""
            ledger["look"] += 1
            return f"saw {n}"

        @tool(effect="idempotent")
        async def publish(page: str) -> str:
            """Publish a page."""
            ledger["publish"] += 1
            return f"published {page}"

        async def was_sent(args: dict[str, Any], ctx: ToolContext) -> str | None:
            return f"sent {args['to']}" if ledger[f"send {ctx.idempotency_key}"] else None

        @tool(effect="write", reconcile=was_sent)
        async def send(to: str, ctx: ToolContext) -> str:
            """Send a letter; the post office knows the key."""
            ledger[f"send {ctx.idempotency_key}"] += 1
            return f"sent {to}"

        async def was_booked(args: dict[str, Any], ctx: ToolContext) -> str | None:
            return f"booked {args['day']}" if ledger[f"book {ctx.idempotency_key}"] else None

        @tool(effect="write", approval="always", reconcile=was_booked)
        async def book(day: str, ctx: ToolContext) -> str:
            """Book a day, with somebody's consent."""
            ledger[f"book {ctx.idempotency_key}"] += 1
            return f"booked {day}"

        @tool(effect="write")
        async def shout(words: str, ctx: ToolContext) -> str:
            """Shout: nobody can find out afterwards whether it was heard."""
            ledger[f"shout {ctx.idempotency_key}"] += 1
            return f"shouted {words}"

        return {"look": look, "publish": publish, "send": send, "book": book, "shout": shout}

    @property
    def writes(self) -> dict[str, int]:
        """How often each write happened, by its key."""
        return {key: count for key, count in self.done.items() if " " in key}


def build(ledger: Ledger) -> Orchestrator:
    """Three steps, five tools."""
    tools = ledger.tools()
    scout = worker("scout", tools, ("look", {"n": 1}), ("publish", {"page": "home"}))
    clerk = worker("clerk", tools, ("send", {"to": "ana"}), ("book", {"day": "monday"}))
    crier = worker("crier", tools, ("shout", {"words": "done"}))
    return Orchestrator(supervisor=Habit(_supervise), agents=[scout, clerk, crier])


def worker(name: str, tools: dict[str, Any], *calls: tuple[str, dict[str, Any]]) -> Specialist:
    """A specialist that makes these calls and says what came of them."""

    def rule(request: ModelRequest) -> Reply:
        if request.tool_results:
            return Reply("; ".join(result.content for result in request.tool_results))
        return Reply(tool_calls=[ToolCall(tool_name, args, id=f"{name}-{tool_name}") for tool_name, args in calls])

    agent = AgentStep(name=name, model=Habit(rule), output=str, tools=[tools[n] for n, _ in calls])
    return Specialist(agent, name=name.title())


def _supervise(request: ModelRequest) -> Reply:
    if "Results of earlier steps:" in request.messages[-1].text:
        return Reply("Everything is done [1] [2] [3].")
    steps = [("scout", []), ("clerk", [0]), ("crier", [1])]
    return Reply(json.dumps({"steps": [{"agent_id": a, "task": f"do {a}", "depends_on": d} for a, d in steps]}))
