"""The dialogue of an agent with its model: tools, their order, their events, and their limits."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from batuta import AgentStep, Cancellation, Conversation
from batuta.conversations.validity import problems_of
from batuta.events import AssistantMessage, ToolProgress, ToolRefused, ToolRequest, ToolResponse, Usage
from batuta.kernel.messages import Answer, Delta
from batuta.llm.model import ModelRequest
from batuta.pipelines.journal import MemoryJournal
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import ToolContext, tool
from batuta.tools.approval import ApprovalDecision, ApprovalRequest
from batuta.tools.context import ToolUser
from tests.support.garbage import left_to_the_collector
from tests.support.loops import run_in_virtual_time


@tool
async def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


def clerk(model: ScriptedModel, *tools: Any, **options: Any) -> AgentStep[str, str]:
    return AgentStep(name="clerk", model=model, output=str, tools=list(tools), **options)


async def test_results_go_back_in_call_order_and_the_exchange_joins_the_conversation() -> None:
    """F-25, F-80."""
    model = ScriptedModel(
        [Reply(tool_calls=[ToolCall("double", {"n": 1}), ToolCall("double", {"n": 2})]), Reply("2, 4")]
    )
    conversation = Conversation()
    result = await clerk(model, double).run("double 1 and 2", conversation=conversation)
    assert result.value == "2, 4"
    assert [answer.content for answer in model.requests[1].tool_results] == ["2", "4"]
    assert [message.role for message in conversation.messages] == ["user", "assistant", "tool", "assistant"]


async def test_a_call_whose_id_was_used_before_gets_one_of_its_own() -> None:
    """F-27: an endpoint that counts from one again, in a later answer or within one, confuses nobody."""
    again = [ToolCall("double", {"n": 2}, id="call_1"), ToolCall("double", {"n": 3}, id="call_1")]
    first = Reply(tool_calls=[ToolCall("double", {"n": 1}, id="call_1")])
    model = ScriptedModel([first, Reply(tool_calls=again), Reply("2, 4, 6")])
    sink, conversation = CapturingSink(), Conversation()
    await clerk(model, double).run("double 1, 2 and 3", conversation=conversation, sink=sink)
    told = {response.tool_use_id: response.content for response in sink.of(ToolResponse)}
    assert told == {"call_1": "2", "call_1_2": "4", "call_1_3": "6"}
    assert [request.tool_use_id for request in sink.of(ToolRequest)] == list(told)
    assert problems_of(model.requests[-1].messages) == problems_of(conversation.messages) == []


async def test_all_calls_of_one_answer_run_at_the_same_time() -> None:
    meeting = asyncio.Barrier(2)

    @tool
    async def meet() -> str:
        """Wait for the other one."""
        await meeting.wait()
        return "met"

    model = ScriptedModel([Reply(tool_calls=[ToolCall("meet"), ToolCall("meet")]), Reply("done")])
    async with asyncio.timeout(60):
        result = await clerk(model, meet).run("x")
    assert result.value == "done"


async def test_an_exclusive_tool_runs_alone() -> None:
    running: list[str] = []
    seen: list[list[str]] = []

    async def work(name: str) -> str:
        running.append(name)
        await asyncio.sleep(0)
        seen.append(list(running))
        running.remove(name)
        return name

    @tool(exclusive=True)
    async def alone(n: int) -> str:
        """Alone."""
        return await work(f"alone {n}")

    @tool
    async def shared() -> str:
        """Shared."""
        return await work("shared")

    calls = [ToolCall("alone", {"n": 1}), ToolCall("shared"), ToolCall("alone", {"n": 2})]
    model = ScriptedModel([Reply(tool_calls=calls), Reply("done")])
    await clerk(model, alone, shared).run("x")
    assert sorted(seen) == [["alone 1"], ["alone 2"], ["shared"]]
    assert [answer.content for answer in model.requests[1].tool_results] == ["alone 1", "shared", "alone 2"]


async def test_ld11_the_limit_of_rounds_fails_the_step_and_names_itself() -> None:
    model = ScriptedModel([Reply(tool_calls=[ToolCall("double", {"n": 1})])] * 9)
    result = await clerk(model, double, max_tool_iterations=3).run("x")
    assert "max_tool_iterations" in result.error.message
    assert result.error.code == "TOOL_LIMIT"


async def test_tools_that_ran_are_not_run_again_by_a_correction() -> None:
    """F-21a, F-81: the tool exchange stays, the feedback comes last."""
    calls: list[int] = []

    @tool
    async def count(n: int) -> int:
        """Count."""
        calls.append(n)
        return n

    model = ScriptedModel([Reply(tool_calls=[ToolCall("count", {"n": 1})]), Reply("no json"), Reply("[1]")])
    agent = AgentStep(name="a", model=model, output=list[int], tools=[count])
    conversation = Conversation()
    result = await agent.run("x", conversation=conversation)
    assert result.value == [1]
    assert calls == [1]
    assert [message.role for message in model.requests[2].messages] == ["user", "assistant", "tool", "user"]
    assert [message.role for message in conversation.messages] == ["user", "assistant", "tool", "assistant"]


async def test_requests_are_told_before_any_runs_and_usage_stands_once() -> None:
    """F-25, F-83: also when a message holds only tool calls."""
    calls = [ToolCall("double", {"n": n}) for n in (1, 2, 3)]
    model = ScriptedModel([Reply(tool_calls=calls, usage=Usage(input=5, output=5)), Reply("done")])
    sink = CapturingSink()
    await clerk(model, double).run("x", sink=sink)
    kinds = [event.type for event in sink.events if isinstance(event, (ToolRequest, ToolResponse))]
    assert kinds == ["tool_request"] * 3 + ["tool_response"] * 3
    assert [request.usage for request in sink.of(ToolRequest)].count(Usage(input=5, output=5)) == 1


async def test_a_refused_call_is_a_security_event_and_an_answer() -> None:
    """F-51: an agent sees only the tools it names; a user must hold the tool's roles."""

    @tool(effect="write", roles={"buyer"})
    async def order(sku: str) -> str:
        """Order."""
        return f"ordered {sku}"

    calls = [ToolCall("order", {"sku": "A"}), ToolCall("launch", {})]
    sink = CapturingSink()
    model = ScriptedModel([Reply(tool_calls=calls), Reply("sorry")])
    await clerk(model, order).run("x", sink=sink)
    assert [event.tool_name for event in sink.of(ToolRefused)] == ["order", "launch"]
    assert [answer.is_error for answer in model.requests[1].tool_results] == [True, True]
    allowed = ScriptedModel([Reply(tool_calls=calls[:1]), Reply("done")])
    await clerk(allowed, order).run("x", user=ToolUser(id="u1", roles=frozenset({"buyer"})))
    assert allowed.requests[1].tool_results[0].content == "ordered A"


async def test_approval_decides_about_a_call() -> None:
    """F-53: the approver of the run decides; without one the call is refused to the model."""

    @tool(effect="write", approval=lambda args: args["amount"] > 100)
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    class Halving:
        async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
            return ApprovalDecision.edit({"amount": request.args["amount"] // 2})

    def script() -> ScriptedModel:
        calls = [ToolCall("pay", {"amount": 50}), ToolCall("pay", {"amount": 200})]
        return ScriptedModel([Reply(tool_calls=calls), Reply("done")])

    alone = script()
    await clerk(alone, pay).run("x")
    assert [answer.is_error for answer in alone.requests[1].tool_results] == [False, True]
    assert "approval needed" in alone.requests[1].tool_results[1].content
    approved = script()
    await clerk(approved, pay).run("x", approver=Halving())
    assert [answer.content for answer in approved.requests[1].tool_results] == ["paid 50", "paid 100"]


async def test_a_tool_tells_its_progress_and_enriches_its_event() -> None:
    """F-54."""

    @tool
    async def slow(ctx: ToolContext) -> str:
        """Slow."""
        await ctx.progress("half", done=1, total=2)
        ctx.enrich(rows=7)
        return "done"

    sink = CapturingSink()
    await clerk(ScriptedModel([Reply(tool_calls=[ToolCall("slow")]), Reply("ok")]), slow).run("x", sink=sink)
    (progress,) = sink.of(ToolProgress)
    assert (progress.message, progress.done, progress.total) == ("half", 1, 2)
    assert sink.of(ToolResponse)[0].details == {"rows": 7}


async def test_redacted_arguments_stay_out_of_events() -> None:
    @tool(redact={"pin"})
    async def unlock(pin: str) -> str:
        """Unlock."""
        return "open"

    sink = CapturingSink()
    model = ScriptedModel([Reply(tool_calls=[ToolCall("unlock", {"pin": "swordfish"})]), Reply("ok")])
    await clerk(model, unlock).run("x", sink=sink)
    assert sink.of(ToolRequest)[0].args == {"pin": "[redacted]"}
    assert not any("swordfish" in event.model_dump_json() for event in sink.events)


async def test_idempotency_keys_are_stable_across_repetitions() -> None:
    """F-53."""
    keys: list[str] = []

    @tool(effect="write")
    async def book(ctx: ToolContext) -> str:
        """Book."""
        keys.append(ctx.idempotency_key)
        return "booked"

    for _ in range(2):
        model = ScriptedModel([Reply(tool_calls=[ToolCall("book"), ToolCall("book")]), Reply("ok")])
        await clerk(model, book).run("x", correlation_id="same")
    assert keys[:2] == keys[2:]
    assert len(set(keys)) == 2


async def test_a_grounded_agent_must_use_a_tool_first() -> None:
    model = ScriptedModel([Reply(tool_calls=[ToolCall("double", {"n": 1})]), Reply("2")])
    await clerk(model, double, is_grounded=True).run("x")
    assert [request.tool_choice for request in model.requests] == ["required", "auto"]


async def test_a_paused_answer_is_continued() -> None:
    """The provider paused its turn: it is asked again with what it said."""
    model = ScriptedModel([Reply("Let me look", stop_reason="paused"), Reply("It is 4.")])
    result = await clerk(model).run("2 + 2")
    assert result.value == "It is 4."
    assert model.requests[1].messages[-1].text == "Let me look"


async def test_stopping_a_stream_keeps_what_was_said() -> None:
    """O-2: what was produced is kept."""

    class Slow(ScriptedModel):
        async def stream(self, request: Any) -> Any:
            async for item in super().stream(request):
                yield item
                if getattr(item, "text", "") == "two ":
                    await asyncio.sleep(60)

    sink = CapturingSink()
    agent = clerk(Slow([Reply("one two three")]), is_streaming=True)
    task = asyncio.create_task(agent.run("x", sink=sink))
    while not any(getattr(event, "delta", "") == "two " for event in sink.events):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert [message.content for message in sink.of(AssistantMessage)] == ["one two "]


async def test_a_finished_run_leaves_nothing_to_the_garbage_collector() -> None:
    """Runs that keep themselves alive in circles make everybody wait for the collector."""

    async def run(**options: Any) -> None:
        model = ScriptedModel([Reply(tool_calls=[ToolCall("double", {"n": 1})]), Reply("2")])
        (await clerk(model, double).run("double 1", sink=CapturingSink(), **options)).unwrap()

    assert await left_to_the_collector(run) == 0
    assert await left_to_the_collector(lambda: run(journal=MemoryJournal())) == 0


class Hesitant:
    """Begins a sentence and never ends it."""

    provider, name = "test", "hesitant"

    def __init__(self, then: Callable[[], object] = bool) -> None:
        self._then = then

    async def generate(self, request: ModelRequest) -> Answer:
        raise NotImplementedError

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Answer]:
        yield Delta("text", "The total is 4")
        self._then()
        await asyncio.Event().wait()


def test_a_sentence_that_a_time_limit_cut_off_is_taken_back() -> None:
    """F-30: nobody chose to end it there, and half a figure is a wrong one."""
    sink = CapturingSink()
    agent = AgentStep(name="clerk", model=Hesitant(), output=str, is_streaming=True, timeout=0.5)
    result = run_in_virtual_time(agent.run("How much?", sink=sink))
    assert result.error is not None
    assert result.error.category == "transient"
    assert [event.type for event in sink.events if event.type in ("assistant_message", "stream_discarded")] == [
        "stream_discarded"
    ]


async def test_a_sentence_that_a_person_stopped_stays() -> None:
    sink, handle = CapturingSink(), Cancellation()
    model = Hesitant(then=lambda: asyncio.get_running_loop().call_soon(handle.cancel, "enough"))
    agent = AgentStep(name="clerk", model=model, output=str, is_streaming=True)
    await agent.run("How much?", sink=sink, cancellation=handle)
    assert [event.content for event in sink.events if isinstance(event, AssistantMessage)] == ["The total is 4"]
