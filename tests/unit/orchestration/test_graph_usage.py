"""What the models of a LangGraph graph take is counted like any other call, under their real names (O-27)."""

from decimal import Decimal
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic import TypeAdapter

from batuta import Context, MemoryJournal, step
from batuta.events import Complete, LlmResponse, Usage
from batuta.events.costs import costs_of
from batuta.kernel.errors import TransientError
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.tools import tool
from tests.unit.orchestration.teams import agent, of, plan, team

HAIKU = {"model_name": "claude-haiku-4-5", "model_provider": "anthropic"}


def graph_of(*messages: Any) -> Any:
    """A graph that says these messages, as somebody else's chat model would."""

    async def talk(state: MessagesState) -> dict[str, Any]:
        return {"messages": list(messages)}

    return compiled(talk)


def compiled(node: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    return graph.compile()


def spoken(text: str, tokens: tuple[int, int], **fields: Any) -> AIMessage:
    used = {"input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": sum(tokens)}
    return AIMessage(text, usage_metadata=used, response_metadata=HAIKU, **fields)


def weather() -> Orchestrator:
    call = {"name": "forecast", "args": {}, "id": "c1"}
    said = [spoken("", (100, 20), tool_calls=[call]), ToolMessage("rain", tool_call_id="c1"), spoken("Rain.", (150, 5))]
    return team([], Specialist(graph_of(*said), name="Weather", agent_id="weather", effect="read"))


async def test_every_call_of_a_graph_is_recorded_with_its_model_and_cost() -> None:
    turn = await weather().run("q", target_agent_id="weather")
    calls = of(turn, LlmResponse)
    assert [(call.provider, call.model, call.source_agent_id) for call in calls] == [
        ("anthropic", "claude-haiku-4-5", "weather")
    ] * 2
    assert [(call.usage.input, call.usage.output) for call in calls] == [(100, 20), (150, 5)]
    assert len({call.call_id for call in calls}) == 2
    assert turn.usage == of(turn, Complete)[-1].usage == Usage(input=250, output=25)
    assert turn.cost is not None
    assert turn.cost > Decimal(0)
    assert costs_of(turn.events).by_agent == {"weather": turn.cost}
    assert costs_of(turn.events).by_model == {"anthropic:claude-haiku-4-5": turn.cost}


async def test_a_graph_that_is_not_run_again_has_still_been_paid_for() -> None:
    """What is in the journal comes back with what it took."""
    journal = MemoryJournal()
    first = await weather().run("q", target_agent_id="weather", journal=journal)
    again = await weather().run("q", target_agent_id="weather", journal=journal)
    assert (again.answer, again.usage, again.cost) == (first.answer, first.usage, first.cost)


async def test_a_message_that_says_nothing_of_tokens_counts_nothing() -> None:
    turn = await team([], Specialist(graph_of(AIMessage("Rain.")), name="W", agent_id="weather")).run(
        "q", target_agent_id="weather"
    )
    assert (turn.answer, of(turn, LlmResponse), turn.usage) == ("Rain.", [], Usage())


def with_an_agent_inside() -> Orchestrator:
    """A graph whose node is a Batuta agent."""
    inner = agent("inner", [Reply("Rain.", usage=Usage(input=7, output=3))])

    async def node(state: MessagesState) -> dict[str, Any]:
        result = await inner.run(str(state["messages"][-1].content))
        return {"messages": [AIMessage(result.value)]}

    specialist = Specialist(compiled(node), name="Weather", agent_id="weather", effect="read")
    return Orchestrator(supervisor=ScriptedModel([]), agents=[specialist])


async def test_a_batuta_agent_in_a_node_is_counted_once() -> None:
    """It joins the turn: its calls are told by itself, in the name of the specialist."""
    turn = await with_an_agent_inside().run("q", target_agent_id="weather")
    assert [(call.model, call.source_agent_id) for call in of(turn, LlmResponse)] == [("scripted", "weather")]
    assert turn.usage == Usage(input=7, output=3)


async def test_a_batuta_agent_in_a_node_that_is_not_run_again_has_still_been_paid_for() -> None:
    """O-27: the graph is one effect; what was taken inside comes back with it."""
    journal = MemoryJournal()
    first = await with_an_agent_inside().run("q", target_agent_id="weather", journal=journal)
    again = await with_an_agent_inside().run("q", target_agent_id="weather", journal=journal)
    assert again.answer == first.answer == "Rain."
    assert again.usage == first.usage == Usage(input=7, output=3)
    assert of(again, Complete)[-1].usage == Usage(input=7, output=3)


async def test_an_agent_in_a_tool_that_is_not_run_again_has_still_been_paid_for() -> None:
    """O-27: also where several tools run side by side, each with an agent of its own."""

    def chief() -> Orchestrator:
        helper = agent("helper", [Reply("sunny", usage=Usage(input=5, output=1))] * 2)

        @tool(effect="read")
        async def ask(place: str) -> str:
            """Ask the helper."""
            return (await helper.run(place)).value

        calls = [ToolCall("ask", {"place": place}, id=place) for place in ("here", "there")]
        boss = agent("chief", [Reply(tool_calls=calls), Reply("Sunny everywhere.")], tools=[ask])
        return team([], boss)

    journal = MemoryJournal()
    first = await chief().run("q", target_agent_id="chief", journal=journal)
    again = await chief().run("q", target_agent_id="chief", journal=journal)
    assert first.usage.input >= 10
    assert (again.answer, again.usage, again.cost) == (first.answer, first.usage, first.cost)


async def test_an_agent_in_a_graph_that_failed_has_still_been_paid_for() -> None:
    """O-27: the plan went on from the failure, so it comes back with what was taken before it."""
    runs = list[str]()

    def forecasters() -> Orchestrator:
        inner = agent("inner", [Reply("Rain.", usage=Usage(input=7, output=3))] * 2)

        async def node(state: MessagesState) -> dict[str, Any]:
            runs.append("run")
            result = await inner.run(str(state["messages"][-1].content))
            if len(runs) == 1:
                raise TransientError("the satellite is behind the moon")
            return {"messages": [AIMessage(result.value)]}

        weather = Specialist(compiled(node), name="Weather", agent_id="weather", effect="read")
        return Orchestrator(supervisor=ScriptedModel([plan(("weather", "look", []))]), agents=[weather])

    journal = MemoryJournal()
    first = await forecasters().run("q", journal=journal)
    again = await forecasters().run("q", journal=journal)
    assert (len(runs), first.answer, again.answer) == (2, "Rain.", "Rain.")
    assert (again.usage, again.cost) == (first.usage, first.cost)
    assert first.usage.input >= 14


async def test_a_failure_that_is_kept_without_agents_inside_is_raised_as_ever() -> None:
    """Nothing was taken, and nothing is counted."""

    def tried() -> Any:
        @step
        async def look(task: str, ctx: Context) -> str:
            async def fail() -> str:
                raise TransientError("busy")

            with pytest.raises(TransientError, match="busy"):
                await ctx.effect(fail, TypeAdapter(str), kind="read", name="sky")
            await ctx.go_on()
            return "no idea"

        return look

    journal = MemoryJournal()
    first, again = await tried().run("q", journal=journal), await tried().run("q", journal=journal)
    assert (first.value, again.value) == ("no idea", "no idea")
    assert again.metrics.usage == first.metrics.usage == Usage()
