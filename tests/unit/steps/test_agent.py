"""Agents: one run from the request to its result."""

from datetime import timedelta
from typing import Any

import pytest

from batuta import AgentStep, Message, Pipeline
from batuta.events import Usage
from batuta.llm.model import ModelSettings
from batuta.pipelines.journal import MemoryJournal
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import tool
from tests.unit.steps.adders import GOOD, Sum, adder


async def test_a_valid_answer_is_the_result() -> None:
    model = ScriptedModel([GOOD])
    result = await adder(model).run("1 + 2")
    assert result.value == Sum(total=3)
    assert model.requests[0].system.startswith("Add.")
    assert model.requests[0].messages == (Message.user("1 + 2"),)
    model.assert_finished()


async def test_an_agent_without_a_conversation_writes_none() -> None:
    result = await adder(ScriptedModel([GOOD])).run("1 + 2")
    assert not result.is_error


async def test_usage_and_cost_add_up_over_all_attempts() -> None:
    """F-83: rejected answers cost too."""
    script = [Reply("no", usage=Usage(input=10, output=1)), Reply('{"total": 3}', usage=Usage(input=20, output=2))]
    pipeline = Pipeline("sum", adder(ScriptedModel(script)))
    result = await pipeline.run("x")
    assert result.metrics.usage == Usage(input=30, output=3)
    assert result.metrics.cost is None  # nobody knows the price


async def test_a_model_can_be_replaced_in_a_test() -> None:
    """F-87."""
    agent = adder(ScriptedModel([]))
    with agent.override(model=ScriptedModel([GOOD])):
        assert (await agent.run("x")).value.total == 3
    assert (await agent.run("x")).is_error


async def test_a_dry_run_asks_no_model() -> None:
    """F-11."""
    model = ScriptedModel([])
    assert (await adder(model, stand_in=Sum(total=0)).run("x", dry_run=True)).value.total == 0
    failed = await adder(model).run("x", dry_run=True)
    assert "stand_in" in failed.error.message
    assert not model.requests


async def test_a_repeated_run_gets_recorded_answers_and_results_back() -> None:
    """O-3: no model and no tool is asked twice."""
    calls: list[int] = []

    @tool(effect="write")
    async def count(n: int) -> int:
        """Count."""
        calls.append(n)
        return n

    def build(script: list[Any]) -> AgentStep[str, str]:
        return AgentStep(name="a", model=ScriptedModel(script), output=str, tools=[count])

    journal = MemoryJournal()
    first = await build([Reply(tool_calls=[ToolCall("count", {"n": 1})]), Reply("done")]).run(
        "x", journal=journal, correlation_id="c"
    )
    again = await build([]).run("x", journal=journal, correlation_id="c")
    assert first.value == again.value == "done"
    assert calls == [1]


def test_the_worst_case_is_known_before_anything_runs() -> None:
    """F-13."""

    @tool(timeout=5)
    async def look() -> str:
        """Look."""
        return ""

    agent = AgentStep(
        name="a", model=ScriptedModel([]), output=str, tools=[look], max_tool_iterations=4, settings=ModelSettings()
    )
    bounds = agent.bounds()
    assert (bounds.model_calls, bounds.tool_rounds, bounds.attempts) == (7, 4, 3)
    assert bounds.time is not None


@pytest.mark.parametrize(("step_seconds", "left"), [(5.0, 5.0), (600.0, 60.0)])
async def test_a_model_call_gets_no_more_time_than_is_left_outside(step_seconds: float, left: float) -> None:
    """F-74: nor more than its own settings say."""
    model = ScriptedModel([GOOD])
    settings = ModelSettings(timeout=timedelta(seconds=60))
    await adder(model, settings=settings, timeout=timedelta(seconds=step_seconds)).run("1 + 2")
    given = model.requests[0].settings.timeout.total_seconds()
    assert left - 1 < given <= left
