"""A turn as a whole: its state, its usage, its memory, its stop, and nothing of anybody else's."""

import asyncio
from typing import Any

import pytest

from batuta import Cancellation, Conversation, Message, Pipeline, step
from batuta.events import (
    AssistantMessage,
    Complete,
    PlanCompleted,
    PlanStepCompleted,
    Usage,
)
from batuta.kernel.messages import StopReason
from batuta.orchestration.plans import plan_from_events
from batuta.orchestration.state import dump_state, load_state
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import tool
from tests.unit.orchestration.teams import agent, answer, failing, of, plan, team


async def test_the_state_holds_what_was_done() -> None:
    """O-10, O-14: tools, model, identity, mode."""

    @tool(effect="read")
    async def count() -> str:
        """Count."""
        return "7"

    worker = agent("erp", [Reply(tool_calls=[ToolCall("count", {}, id="c1")]), Reply("Seven.")], tools=[count])
    turn = await team([plan(("erp", "look", []))], worker).run("how many?")
    (execution,) = turn.state["tool_executions"]
    assert (execution.tool_use_id, execution.tool_name, execution.result, execution.success) == (
        "c1",
        "count",
        "7",
        True,
    )
    assert turn.state["used_model"] == "scripted"
    assert turn.state["current_agent_identity"].agent_id == "erp"
    assert turn.state["operation_mode"] == "autonomous"
    assert load_state(dump_state(turn.state)) == turn.state


async def test_a_turn_can_be_stopped_at_once() -> None:
    """O-2, O-23: the user can cancel a running plan."""
    begun = asyncio.Event()

    @step
    async def slow(task: str) -> str:
        begun.set()
        await asyncio.sleep(60)
        return ""

    handle = Cancellation()
    running = asyncio.create_task(team([plan(("slow", "x", []))], slow).run("q", cancellation=handle))
    await begun.wait()
    handle.cancel()
    turn = await running
    assert turn.status == "cancelled"
    assert (of(turn, Complete)[-1].status, of(turn, Complete)[-1].stop_reason) == ("cancelled", None)
    assert of(turn, PlanCompleted)[-1].status == "cancelled"
    assert [settled.status for settled in of(turn, PlanStepCompleted)] == ["skipped"]
    rebuilt = plan_from_events(turn.events)
    assert rebuilt is not None
    assert turn.plan is not None
    assert (rebuilt.status, rebuilt.is_settled) == (turn.plan.status, turn.plan.is_settled) == ("cancelled", True)


async def test_usage_adds_up_over_everybody() -> None:
    """O-27."""
    used = Usage(input=10, output=2)
    supervisor = [Reply(plan(("erp", "x", [])).text, usage=used)]
    turn = await team(supervisor, agent("erp", [Reply("7", usage=used)])).run("q")
    assert turn.usage == Usage(input=20, output=4)
    assert of(turn, Complete)[0].usage == turn.usage


async def test_the_supervisor_sees_what_was_said_and_the_turn_joins_it() -> None:
    conversation = Conversation([Message.user("I am Ana."), Message.assistant("Hello Ana.")])
    model = ScriptedModel([answer("You are Ana.")])
    crew = team([], agent("erp", []))
    with crew.supervisor.plan.override(model=model):
        await crew.run("Who am I?", conversation=conversation)
    assert [m.text for m in model.requests[0].messages] == ["I am Ana.", "Hello Ana.", "Who am I?"]
    assert [m.text for m in conversation.messages][-2:] == ["Who am I?", "You are Ana."]


async def test_two_turns_at_the_same_time_never_see_each_other() -> None:
    """O-1: all mutable state belongs to the turn."""

    @step
    async def echo(task: str) -> str:
        await asyncio.sleep(0)
        return f"echo {task}"

    class Echoes:
        provider, name = "scripted", "echo"

        async def generate(self, request: Any) -> Any:
            task = request.messages[-1].text
            return ScriptedModel([plan(("echo", task, []))])._answer(plan(("echo", task, [])))

        def stream(self, request: Any) -> Any:
            raise NotImplementedError

    crew = team([], echo)
    with crew.supervisor.plan.override(model=Echoes()):
        turns = await asyncio.gather(*(crew.run(f"canary-{n}") for n in range(50)))
    for n, turn in enumerate(turns):
        assert turn.answer == f"echo canary-{n}"
        told = "".join(event.model_dump_json() for event in turn.events)
        assert not any(f'canary-{other}"' in told for other in range(50) if other != n)


@pytest.mark.parametrize("reason", ["success", "max_tokens"])
async def test_the_end_of_a_turn_says_why_its_answer_ended(reason: StopReason) -> None:
    """E-7."""
    worker = agent("erp", [Reply("Seven, and then", stop_reason=reason)], takes_cut_text=True)
    turn = await team([], worker).run("q", target_agent_id="erp")
    assert [(end.status, end.stop_reason) for end in of(turn, Complete)] == [("success", reason)]


async def test_a_turn_that_failed_does_not_say_that_its_answer_is_whole() -> None:
    """E-7: what was said on the way is not its answer."""
    worker = Pipeline("erp", agent("speaker", [Reply("Let me see.")]) >> failing("breaker", RuntimeError("broken")))
    turn = await team([], worker).run("q", target_agent_id="erp")
    assert of(turn, AssistantMessage)
    assert [(end.status, end.stop_reason) for end in of(turn, Complete)] == [("failed", None)]
