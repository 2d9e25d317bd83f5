"""The pytest plugin is there without being asked for."""

from collections.abc import Awaitable, Callable

import pytest
from pydantic import BaseModel

from batuta import AgentStep, Pipeline, action, step
from batuta.llm.model import ModelRequest
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import CrashReport, Reply, ScriptedModel, ToolCall
from batuta.tools import tool

Matrix = Callable[..., Awaitable[CrashReport]]


def build() -> Orchestrator:
    worker = AgentStep(name="clerk", model=ScriptedModel([Reply("done")]), output=str)
    return Orchestrator(
        supervisor=ScriptedModel([Reply('{"answer": "Hello!"}')]), agents=[Specialist(worker, name="C")]
    )


async def test_a_users_own_team_is_killed_at_every_boundary(crash_matrix: Matrix) -> None:
    report = await crash_matrix(build, "hi")
    report.check()
    assert report.boundaries > 5


class Order(BaseModel):
    number: str
    total: int


async def test_a_users_own_pipeline_is_killed_at_every_boundary(crash_matrix: Matrix) -> None:
    """Its input and output are its own types; what an action changed is changed once."""
    charged: list[str] = []

    @step
    async def price(number: str) -> Order:
        return Order(number=number, total=7)

    @action(mode="idempotent")
    async def charge(order: Order) -> Order:
        if order.number not in charged:
            charged.append(order.number)
        return order

    report = await crash_matrix(lambda: Pipeline("sale", price >> charge), "A-100", reset=charged.clear)
    report.check()
    assert report.boundaries > 5
    assert charged == ["A-100"]


async def test_a_pipeline_that_forgets_what_it_did_is_found_out(crash_matrix: Matrix) -> None:
    """What happens outside the journal happens again, and the result tells."""
    runs: list[str] = []

    @step
    async def count(number: str) -> int:
        runs.append(number)
        return len(runs)

    report = await crash_matrix(lambda: Pipeline("count", count), "A-100", reset=runs.clear)
    with pytest.raises(AssertionError, match="crashes were felt"):
        report.check()


async def test_a_pipelines_unknown_write_is_asked_about(crash_matrix: Matrix) -> None:
    shouted: list[str] = []

    @tool(effect="write")
    async def shout(words: str) -> str:
        """Shout."""
        shouted.append(words)
        return "shouted"

    def crier() -> AgentStep[str, str]:
        def line(request: ModelRequest) -> Reply:
            if request.tool_results:
                return Reply("done")
            return Reply(tool_calls=[ToolCall("shout", {"words": "hey"}, id="1")])

        return AgentStep(name="crier", model=ScriptedModel([line, line]), output=str, tools=[shout])

    most: list[int] = []

    def reset() -> None:
        most.append(len(shouted))
        shouted.clear()

    report = await crash_matrix(crier, "go", reset=reset)
    report.check()
    assert report.asked
    assert max(most) == 1, "a write happened twice"
