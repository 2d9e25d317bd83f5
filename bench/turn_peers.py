"""The same turn as a LangGraph graph of LangChain agents.

    python -m bench.turn_peers WAY          one JSON object (started by bench.turns, in its own environment)

WAY is `bare`, or `checkpointed` for a graph that keeps its state after every node, in memory.
"""

import asyncio
import json
import operator
import os
import sys
import uuid
import warnings
from importlib.metadata import version
from typing import Annotated, Any, TypedDict

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

from bench.measuring import cpu_microseconds
from bench.turn_case import CONCLUSION, CREW, PLAN, QUESTION, RESULTS_HEADING, done, report

warnings.simplefilter("ignore")
os.environ["LANGSMITH_TRACING"] = "false"


class Step(BaseModel):
    """A step of the plan."""

    agent_id: str
    task: str
    depends_on: list[int] = []


class Plan(BaseModel):
    """What the supervisor proposes."""

    steps: list[Step]


class State(TypedDict):
    """The state of the turn."""

    question: str
    plan: list[Step]
    results: Annotated[list[str], operator.add]
    answer: str


class Scripted(BaseChatModel):
    """Answers by a rule, at once."""

    rule: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: Any, *_: Any, **__: Any) -> Any:
        return ChatResult(generations=[ChatGeneration(message=self.rule(messages))])

    async def _agenerate(self, messages: Any, *_: Any, **__: Any) -> Any:
        return self._generate(messages)


def _tool(name: str) -> Any:
    async def run(n: int) -> str:
        """Do what the name says."""
        return done(name)

    return tool(name)(run)


def _worker(name: str) -> Any:
    def rule(messages: Any) -> AIMessage:
        if isinstance(messages[-1], ToolMessage):
            return AIMessage(report(name))
        return AIMessage("", tool_calls=[{"name": each, "args": {"n": 1}, "id": each} for each in CREW[name]])

    return create_agent(Scripted(rule=rule), tools=[_tool(each) for each in CREW[name]], name=name)


def _planning(messages: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "Plan", "args": {"steps": PLAN}, "id": "plan"}])


async def _said(agent: Any, text: str) -> dict[str, Any]:
    found: dict[str, Any] = await agent.ainvoke({"messages": [{"role": "user", "content": text}]})
    return found


def graph(checkpointer: Any = None) -> Any:
    """Plan, execute in the order of the dependencies, conclude."""
    planner = create_agent(Scripted(rule=_planning), tools=[], response_format=ToolStrategy(Plan))
    writer = create_agent(Scripted(rule=lambda _: AIMessage(CONCLUSION)), tools=[])
    workers = {name: _worker(name) for name in CREW}

    async def supervise(state: State) -> dict[str, Any]:
        return {"plan": (await _said(planner, state["question"]))["structured_response"].steps}

    async def execute(state: State) -> dict[str, Any]:
        results: list[str] = []
        for step in state["plan"]:
            earlier = [results[position] for position in step.depends_on]
            task = "\n\n".join([step.task, RESULTS_HEADING, *earlier]) if earlier else step.task
            results.append((await _said(workers[step.agent_id], task))["messages"][-1].content)
        return {"results": results}

    async def conclude(state: State) -> dict[str, Any]:
        asked = "\n".join([state["question"], RESULTS_HEADING, *state["results"]])
        return {"answer": (await _said(writer, asked))["messages"][-1].content}

    builder = StateGraph(State)
    builder.add_sequence([("supervise", supervise), ("execute", execute), ("conclude", conclude)])
    builder.add_edge(START, "supervise")
    builder.add_edge("conclude", END)
    return builder.compile(checkpointer=checkpointer)


async def measured(way: str) -> dict[str, Any]:
    """What one turn costs."""
    compiled = graph(InMemorySaver() if way == "checkpointed" else None)

    async def run() -> None:
        config = {"configurable": {"thread_id": str(uuid.uuid4())}}
        state = await compiled.ainvoke({"question": QUESTION, "results": []}, config)
        if state["answer"] != CONCLUSION:
            raise AssertionError(state)

    return {"who": f"langchain {version('langchain')}, {way}", "microseconds": await cpu_microseconds(run, rounds=30)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measured(sys.argv[1]))), flush=True)
    os._exit(0)
