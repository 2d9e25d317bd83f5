"""The same three agent runs with other frameworks.

python -m bench.agent_peers PEER CASE          one JSON object (started by bench.agents, in its own environment)
"""

import asyncio
import contextlib
import json
import os
import sys
import warnings
from importlib.metadata import version
from typing import Any

from bench.agent_cases import ANSWER, ARGUMENTS, QUESTION, RIGHT, TOOLS, WRONG, City, require_right
from bench.measuring import cpu_microseconds

warnings.simplefilter("ignore")
os.environ["LANGSMITH_TRACING"] = "false"


def pydantic_ai(case: str) -> Any:
    """Pydantic AI with a function as its model."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    async def answer(messages: Any, info: Any) -> Any:
        is_first = len(messages) == 1
        if case == "correction":
            return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, WRONG if is_first else RIGHT)])
        if case == "tools" and is_first:
            return ModelResponse(parts=[ToolCallPart(tool.__name__, ARGUMENTS) for tool in TOOLS])
        return ModelResponse(parts=[TextPart(ANSWER)])

    options: dict[str, Any] = {"output_type": City, "retries": 2} if case == "correction" else {}
    agent = Agent(FunctionModel(answer), tools=TOOLS if case == "tools" else (), **options)

    async def run() -> object:
        return (await agent.run(QUESTION)).output

    return run


def langchain(case: str) -> Any:
    """LangChain's `create_agent`."""
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ToolStrategy
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Scripted(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: Any, *_: Any, **__: Any) -> Any:
            return ChatResult(generations=[ChatGeneration(message=_langchain_answer(case, messages, AIMessage))])

        async def _agenerate(self, messages: Any, *_: Any, **__: Any) -> Any:
            return self._generate(messages)

    structure = ToolStrategy(City) if case == "correction" else None
    agent = create_agent(Scripted(), tools=list(TOOLS) if case == "tools" else [], response_format=structure)

    async def run() -> object:
        state = await agent.ainvoke({"messages": [{"role": "user", "content": QUESTION}]})
        return state["structured_response"] if case == "correction" else state["messages"][-1].content

    return run


def _langchain_answer(case: str, messages: Any, message: Any) -> Any:
    is_first = len(messages) == 1
    if case == "correction":
        return message("", tool_calls=[{"name": "City", "args": WRONG if is_first else RIGHT, "id": "c1"}])
    if case == "tools" and is_first:
        calls = [{"name": tool.__name__, "args": ARGUMENTS, "id": tool.__name__} for tool in TOOLS]
        return message("", tool_calls=calls)
    return message(ANSWER)


def agent_framework(case: str) -> Any:
    """Microsoft Agent Framework; it does not correct by itself, so the caller asks again."""
    from agent_framework import Agent, BaseChatClient, ChatResponse, Content, Message
    from agent_framework._middleware import ChatMiddlewareLayer
    from agent_framework._tools import FunctionInvocationLayer
    from agent_framework.observability import ChatTelemetryLayer, disable_instrumentation

    disable_instrumentation()
    asked = 0

    def contents(messages: Any) -> list[Any]:
        nonlocal asked
        asked += 1
        if case == "correction":
            return [json.dumps(WRONG if asked % 2 else RIGHT)]
        if case == "tools" and len(messages) == 1:
            raw = json.dumps(ARGUMENTS)
            return [Content.from_function_call(tool.__name__, tool.__name__, arguments=raw) for tool in TOOLS]
        return [ANSWER]

    class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, ChatTelemetryLayer, BaseChatClient):  # type: ignore[misc]
        async def _inner_get_response(self, *, messages: Any, **_: Any) -> Any:
            said = [Message(role="assistant", contents=contents(messages))]
            return ChatResponse(messages=said, response_format=City if case == "correction" else None)

    agent = Agent(Scripted(), tools=list(TOOLS) if case == "tools" else None)

    async def run() -> object:
        if case != "correction":
            return (await agent.run(QUESTION)).text
        for _ in range(2):
            answer = await agent.run(QUESTION, options={"response_format": City})
            with contextlib.suppress(Exception):
                return answer.value
        raise AssertionError("two answers, none valid")

    return run


PEERS = {
    "agent-framework-core": agent_framework,
    "langchain": langchain,
    "pydantic-ai-slim": pydantic_ai,
}


async def measured(peer: str, case: str) -> dict[str, Any]:
    """What one run of a peer costs."""
    run = PEERS[peer](case)
    require_right(case, await run())
    return {"who": f"{peer} {version(peer)}", "case": case, "microseconds": await cpu_microseconds(run)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measured(*sys.argv[1:3]))), flush=True)
    os._exit(0)
