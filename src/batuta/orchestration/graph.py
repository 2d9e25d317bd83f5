"""The supervisor graph, built on LangGraph once per team; each turn brings its own conductor as context."""

from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from batuta.orchestration.conducting import Conductor
from batuta.orchestration.state import AgentState

NODES = ("route", "direct", "supervise", "execute", "conclude")


def build_graph() -> Any:
    """The compiled graph of a turn."""
    graph = StateGraph(AgentState, context_schema=Conductor)
    for name in NODES:
        graph.add_node(name, _node(name))
    graph.add_edge(START, "route")
    return graph.compile(name="batuta_turn")


def _node(name: str) -> Any:
    async def run(state: AgentState, runtime: Runtime[Conductor]) -> Any:
        return await getattr(runtime.context, name)(state)

    run.__name__ = name
    return run
