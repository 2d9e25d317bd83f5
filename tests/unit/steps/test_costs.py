"""What a run cost is the sum of its model calls, exactly, whichever way it is added up (F-45, F-83)."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from batuta import AgentStep, Branch, ChatAgentStep, Conversation, Message, ParallelStep, Pipeline, step
from batuta.events import NO_TOOL, LlmResponse, Usage, costs_of
from batuta.kernel.errors import ProviderRejectedError, ProviderUnavailableError
from batuta.llm.resilient import Protection
from batuta.resilience.retry import fixed_delay
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import Tool, tool

ONE_TRY = Protection(retry=fixed_delay(max_attempts=1), breaker=None)
PRICES = st.integers(0, 10**10).map(lambda nanos: Decimal(nanos).scaleb(-9))
USAGES = st.builds(Usage, input=st.integers(0, 500), output=st.integers(0, 500))


@dataclass(frozen=True)
class Plan:
    """An agent to be: what each of its answers is and costs, and the agents that serve it as tools."""

    answers: tuple[tuple[str, Decimal, Usage], ...]
    helpers: tuple["Plan", ...] = ()
    breaks_off: bool = False


def plans(helpers: st.SearchStrategy[tuple[Plan, ...]]) -> st.SearchStrategy[Plan]:
    answers = st.lists(st.tuples(st.sampled_from(["tools", "look", "wrong", "right"]), PRICES, USAGES), max_size=6)
    return st.builds(Plan, answers.map(tuple), helpers, st.booleans())


def helped(inner: st.SearchStrategy[Plan]) -> st.SearchStrategy[Plan]:
    return plans(st.lists(inner, max_size=2).map(tuple))


PLANS = st.recursive(plans(st.just(())), helped, max_leaves=5)


@tool
async def look() -> str:
    """Look something up."""
    return "seen"


def agent_of(plan: Plan, name: str) -> AgentStep[str, Any]:
    """An agent that answers as planned; where the plan ends too soon, its provider fails and its fallback stands in."""
    helpers = [tool_of(helper, f"{name}h{n}") for n, helper in enumerate(plan.helpers)]
    script: list[Any] = [_reply(kind, cost, usage, helpers) for kind, cost, usage in plan.answers]
    script.append(ProviderUnavailableError("gone") if plan.breaks_off else ProviderRejectedError("no"))
    return AgentStep(
        name=name,
        model=ScriptedModel(script),
        output=list[int],
        tools=[look, *helpers],
        fallback=_nothing if plan.breaks_off else None,
    )


def tool_of(plan: Plan, name: str) -> Tool:
    """An agent as a tool: its body runs the agent within the run that is going on. A new one for each call."""

    async def ask() -> str:
        """Ask an agent."""
        result = await agent_of(plan, f"{name}-agent").run("help")
        return "failed" if result.is_error else str(result.value)

    return tool(name=name)(ask)


@step
async def _nothing(value: str) -> list[int]:
    return []


def _reply(kind: str, cost: Decimal, usage: Usage, helpers: list[Tool]) -> Reply:
    calls = {"look": [ToolCall("look", {})], "tools": [ToolCall(each.name, {}) for each in helpers]}.get(kind, [])
    return Reply("[1]" if kind == "right" else "no json", tool_calls=calls, cost=cost, usage=usage)


@given(st.lists(PLANS, min_size=1, max_size=4))
async def test_costs_by_step_attempt_tool_and_agent_add_up_to_the_total(trees: list[Plan]) -> None:
    """With corrections, tools, agents as tools to any depth, parallel branches, fallbacks and providers that fail."""
    branches: list[Branch[str, list[int]]] = [
        Branch(agent_of(plan, f"agent{n}"), merge=lambda into, value: into.extend(value))
        for n, plan in enumerate(trees)
    ]
    sink = CapturingSink()
    work = Pipeline("work", ParallelStep(list, branches, on_failure="collect"))
    result = await work.run("go", sink=sink, protection=ONE_TRY)
    costs = costs_of(sink.events)
    assert costs.total == result.metrics.cost
    for table in (costs.by_step, costs.by_attempt, costs.by_agent, costs.by_tool, costs.by_model):
        assert sum((cost for cost in table.values() if cost is not None), Decimal()) == costs.total
    answered = [call.usage for call in sink.of(LlmResponse) if call.usage is not None]
    assert sum(answered, Usage()) == result.metrics.usage


async def test_what_an_agent_costs_as_a_tool_is_the_tools() -> None:
    """And what the agent that uses it asks for itself is nobody's but its own."""
    helper = AgentStep(
        name="helper", model=ScriptedModel([_priced("found", "0.2"), _priced("again", "0.4")]), output=str
    )

    @tool
    async def research(question: str) -> str:
        """Ask somebody who knows."""
        return (await helper.run(question)).value

    ask = [ToolCall("research", {"question": "a"}), ToolCall("research", {"question": "b"})]
    chief = AgentStep(
        name="chief",
        model=ScriptedModel([_priced("", "1", ask), _priced("no", "2"), _priced("[1]", "4")]),
        output=list[int],
        tools=[research],
    )
    sink = CapturingSink()
    result = await chief.run("go", sink=sink)
    costs = costs_of(sink.events)
    assert result.metrics.cost == costs.total == Decimal("7.6")
    assert costs.by_tool == {NO_TOOL: Decimal(7), "research": Decimal("0.6")}
    assert costs.by_agent == {"chief": Decimal(7), "helper": Decimal("0.6")}
    assert costs.by_step == {"chief": Decimal(7), "chief/helper": Decimal("0.6")}
    assert costs.by_attempt[("chief", 1)] == Decimal(3)
    assert costs.by_attempt[("chief", 2)] == Decimal(4)


async def test_the_summary_of_a_chat_is_a_call_like_any_other() -> None:
    past = [m for n in range(6) for m in (Message.user(f"question {n}"), Message.assistant(f"answer {n}"))]
    chat = ChatAgentStep(
        name="chat", model=ScriptedModel([_priced("ok", "1")]), summary_model=ScriptedModel([_priced("short", "0.25")])
    )
    sink = CapturingSink()
    result = await chat.run("and now?", conversation=Conversation(past), sink=sink)
    assert costs_of(sink.events).by_agent == {"chat": Decimal("1.25")}
    assert result.metrics.cost == Decimal("1.25")


async def test_a_price_nobody_knows_makes_its_sums_unknown_and_no_others() -> None:
    known = AgentStep(name="known", model=ScriptedModel([_priced("a", "1")]), output=str)
    unknown = AgentStep(name="unknown", model=ScriptedModel([Reply("b", usage=Usage(input=1), cost=None)]), output=str)
    sink = CapturingSink()
    result = await (known >> unknown).run("go", sink=sink)
    costs = costs_of(sink.events)
    assert costs.by_agent == {"known": Decimal(1), "unknown": None}
    assert costs.total is result.metrics.cost is None


def _priced(text: str, cost: str, calls: list[ToolCall] | None = None) -> Reply:
    return Reply(text, tool_calls=calls or [], cost=Decimal(cost), usage=Usage(input=1, output=1))
