"""The doubles of `batuta.testing` do what they say."""

import pytest

from batuta import AgentStep, Context, step
from batuta.events import StepStarted, UserMessage
from batuta.kernel.messages import Answer, Delta, Message
from batuta.llm.model import ModelRequest
from batuta.testing import AskedStep, CapturingSink, FakeClock, Reply, ScriptedModel, ScriptedTools, ToolCall, run_alone
from batuta.testing.models import UnexpectedRequestError
from batuta.tools import tool

REQUEST = ModelRequest(messages=(Message.user("hi"),))


async def test_an_unexpected_request_fails_and_is_reported_at_the_end() -> None:
    """F-46, F-87."""
    model = ScriptedModel([Reply("one")])
    await model.generate(REQUEST)
    model.assert_finished()
    with pytest.raises(UnexpectedRequestError):
        await model.generate(REQUEST)
    with pytest.raises(UnexpectedRequestError):
        model.assert_finished()


def test_unused_lines_are_reported() -> None:
    with pytest.raises(AssertionError, match="1 scripted line"):
        ScriptedModel([Reply("never")]).assert_finished()


async def test_a_line_may_be_an_error_or_a_function_of_the_request() -> None:
    model = ScriptedModel([ValueError("no"), lambda request: Reply(request.messages[0].text.upper())])
    with pytest.raises(ValueError, match="no"):
        await model.generate(REQUEST)
    assert (await model.generate(REQUEST)).text == "HI"


async def test_a_stream_adds_up_to_the_answer() -> None:
    model = ScriptedModel([Reply(" one  two\nthree ", thinking="hm hm")])
    items = [item async for item in model.stream(REQUEST)]
    deltas = [item for item in items if isinstance(item, Delta)]
    answer = items[-1]
    assert isinstance(answer, Answer)
    assert "".join(delta.text for delta in deltas if delta.kind == "text") == answer.text
    assert "".join(delta.text for delta in deltas if delta.kind == "thinking") == answer.thinking


def test_a_sink_gives_typed_lists() -> None:
    """F-87."""
    sink = CapturingSink()
    sink.emit(UserMessage(content="hi"))
    sink.emit(StepStarted(step_name="s", step_type="t", path="p"))
    assert [event.content for event in sink.of(UserMessage)] == ["hi"]
    assert sink.types == ["user_message", "step.started"]


@tool
async def stock(sku: str) -> int:
    """Units on hand."""
    raise AssertionError("really called")


def clerk(*calls: ToolCall) -> tuple[AgentStep[str, str], ScriptedModel]:
    model = ScriptedModel([Reply(tool_calls=list(calls)), Reply("done")])
    return AgentStep(name="clerk", model=model, output=str, tools=[stock]), model


async def test_scripted_tools_answer_without_a_real_call() -> None:
    """F-46."""
    agent, model = clerk(ToolCall("stock", {"sku": "A"}), ToolCall("stock", {"wrong": 1}), ToolCall("ghost", {}))
    clock = FakeClock()
    tools = ScriptedTools({"stock": lambda sku: {"A": 7}[sku]}, latency_seconds=2.0, clock=clock)
    await agent.run("x", invoker=tools)
    assert tools.calls == [("stock", {"sku": "A"})]
    assert [answer.is_error for answer in model.requests[1].tool_results] == [False, True, True]
    assert clock.sleeps == [2.0]


async def test_a_tool_without_an_answer_fails_like_a_tool() -> None:
    agent, model = clerk(ToolCall("stock", {"sku": "A"}))
    await agent.run("x", invoker=ScriptedTools({}))
    assert "no answer" in model.requests[1].tool_results[0].content


@step
async def shout(text: str) -> str:
    raise AssertionError("really run")


@step
async def twice(text: str, ctx: Context) -> str:
    return await ctx.invoke(shout, text) + await ctx.invoke(shout, text * 2)


async def test_a_step_alone_records_what_it_asks_for() -> None:
    """F-46: a context that records which steps were asked for."""
    result, asked = await run_alone(twice, "a", {"shout": "A!"})
    assert result.value == "A!A!"
    assert asked == [AskedStep("shout", "a"), AskedStep("shout", "aa")]
    failed, _ = await run_alone(twice, "a", {})
    assert "no answer" in failed.error.message
