"""Any compiled LangGraph graph joins the team; what it says is told as canonical events."""

import asyncio
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from batuta import step
from batuta.events import AssistantMessage, ToolRequest, ToolResponse
from batuta.orchestration import Orchestrator, Specialist
from batuta.testing import CapturingSink, Reply, ScriptedModel


def weather_graph() -> Any:
    """A graph as somebody else wrote it: a node that calls a tool, and one that answers."""

    async def look(state: MessagesState) -> dict[str, Any]:
        call = {"name": "forecast", "args": {"city": "Oslo"}, "id": "call_1"}
        return {"messages": [AIMessage("", tool_calls=[call]), ToolMessage("12°, rain", tool_call_id="call_1")]}

    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"Take an umbrella: {state['messages'][-1].content}.")]}

    graph = StateGraph(MessagesState)
    graph.add_node("look", look)
    graph.add_node("answer", answer)
    graph.add_edge(START, "look")
    graph.add_edge("look", "answer")
    graph.add_edge("answer", END)
    return graph.compile()


@step
async def tailor(task: str) -> str:
    return "The grey coat."


async def main() -> None:
    team = Orchestrator(
        supervisor=ScriptedModel(
            [
                Reply(
                    '{"steps": [{"agent_id": "weather", "task": "weather in Oslo"},'
                    ' {"agent_id": "tailor", "task": "what to wear", "depends_on": [0]}]}'
                ),
                Reply("Rain in Oslo [1]: the grey coat [2], and an umbrella."),
            ]
        ),
        agents=[
            # its nodes are not ours to resume: the whole graph is one effect, here one that only reads
            Specialist(weather_graph(), name="Weather", agent_id="weather", icon="🌦", effect="read"),
            Specialist(tailor, name="Tailor"),
        ],
    )
    sink = CapturingSink()

    turn = await team.run("What shall I wear in Oslo?", sink=sink)

    assert turn.answer == "Rain in Oslo [1]: the grey coat [2], and an umbrella."
    [request], [response] = sink.of(ToolRequest), sink.of(ToolResponse)
    assert (request.tool_name, request.source_agent_id) == ("forecast", "weather")
    assert (response.tool_use_id, response.content) == ("call_1", "12°, rain")
    said = [(event.source_agent_id, event.content) for event in sink.of(AssistantMessage)]
    assert said[:2] == [("weather", "Take an umbrella: 12°, rain."), ("tailor", "The grey coat.")]
    assert turn.state.get("active_agent") == "supervisor"  # the raw LangGraph state of the turn is there, too


asyncio.run(main())
