"""What a run cost is the sum of its model calls, exactly, whichever way it is added up (F-45, F-83)."""

import random
from collections import defaultdict
from decimal import Decimal
from typing import Any

from batuta import AgentStep, Branch, ParallelStep, Pipeline
from batuta.events import LlmResponse, Usage
from batuta.kernel.answers import Answer
from batuta.llm.model import ModelRequest
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import tool


@tool
async def look(n: int) -> int:
    """Look something up."""
    return n


class Metered(ScriptedModel):
    """A scripted model whose every answer has a price of its own."""

    def __init__(self, script: list[Reply], chance: random.Random) -> None:
        super().__init__(script)
        self._chance = chance

    async def generate(self, request: ModelRequest) -> Answer:
        answer = await super().generate(request)
        cost = Decimal(self._chance.randrange(1, 10**7)).scaleb(-9)
        usage = Usage(input=self._chance.randrange(500), output=self._chance.randrange(500))
        return answer.model_copy(update={"cost": cost, "usage": usage})


def random_agent(name: str, chance: random.Random) -> AgentStep[str, Any]:
    """An agent that uses tools some rounds, is wrong some times, and answers."""
    rounds = [Reply(tool_calls=[ToolCall("look", {"n": n})]) for n in range(chance.randrange(3))]
    mistakes = [Reply("no json")] * chance.randrange(3)
    return AgentStep(
        name=name, model=Metered([*rounds, *mistakes, Reply("[1]")], chance), output=list[int], tools=[look]
    )


async def test_costs_by_step_attempt_and_agent_add_up_to_the_total() -> None:
    chance = random.Random(45)
    for number in range(50):
        agents = [random_agent(f"agent-{n}", chance) for n in range(chance.randrange(1, 5))]
        branches: list[Branch[str, list[int]]] = [
            Branch(agent, merge=lambda into, value: into.extend(value)) for agent in agents
        ]
        sink = CapturingSink()
        result = await Pipeline(f"p{number}", ParallelStep(list, branches)).run("go", sink=sink)
        calls = sink.of(LlmResponse)
        for way in ("path", "source_agent_id", "call_id"):
            sums: defaultdict[str, Decimal] = defaultdict(Decimal)
            for call in calls:
                assert call.cost is not None
                sums[getattr(call, way)] += call.cost
            assert sum(sums.values(), Decimal()) == result.metrics.cost
        assert sum((call.usage for call in calls if call.usage), Usage()) == result.metrics.usage
