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


@pytest.mark.parametrize("is_declared", [False, True], ids=["a plain step", "an action that is not idempotent"])
async def test_an_effect_that_happens_twice_is_found_in_the_world_outside(
    crash_matrix: Matrix, is_declared: bool
) -> None:
    """The result of the pipeline does not tell; what it did does."""
    sent: list[str] = []

    async def send(to: str) -> str:
        sent.append(to)
        return "sent"

    def build() -> Pipeline[str, str]:
        return Pipeline("letters", action(mode="idempotent")(send) if is_declared else step(send))

    blind = await crash_matrix(build, "Ana", reset=sent.clear)
    blind.check()
    report = await crash_matrix(build, "Ana", reset=sent.clear, outside=lambda: list(sent))
    with pytest.raises(AssertionError, match=r"outside there is \['Ana', 'Ana'\] instead of \['Ana'\]"):
        report.check()


async def test_a_teams_tool_that_happens_twice_is_found_in_the_world_outside(crash_matrix: Matrix) -> None:
    sent: list[str] = []

    @tool(effect="idempotent")
    async def send(to: str) -> str:
        """Send a letter."""
        sent.append(to)
        return "sent"

    def build() -> Orchestrator:
        def line(request: ModelRequest) -> Reply:
            return (
                Reply("done") if request.tool_results else Reply(tool_calls=[ToolCall("send", {"to": "Ana"}, id="1")])
            )

        clerk = AgentStep(name="clerk", model=ScriptedModel([line, line]), output=str, tools=[send])
        return Orchestrator(supervisor=ScriptedModel([]), agents=[Specialist(clerk, name="C", commands=("/send",))])

    report = await crash_matrix(build, "/send it", reset=sent.clear, outside=lambda: list(sent))
    assert not report.differences
    with pytest.raises(AssertionError, match="outside there is"):
        report.check()


async def test_a_recorded_effect_that_happens_again_is_found(
    crash_matrix: Matrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a journal that forgets the log still keeps one record; the matrix says all the same what happened."""

    async def forget(self: object, effect: object) -> None:
        return None

    monkeypatch.setattr("batuta.eventstore.journal.DurableJournal.recall", forget)

    @action(mode="idempotent")
    async def charge(order: str) -> str:
        return order

    report = await crash_matrix(lambda: Pipeline("sale", charge), "A-100")
    with pytest.raises(AssertionError, match="had been recorded and happened again"):
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
