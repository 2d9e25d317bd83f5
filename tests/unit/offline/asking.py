"""Requests as agents send them to a model."""

import json
from datetime import UTC, datetime
from typing import Any

from batuta.agents.appointments.understanding import UNDERSTANDING as AGENDA
from batuta.agents.calculator.understanding import UNDERSTANDING as CALCULATOR
from batuta.agents.documents.understanding import understanding as documents
from batuta.kernel.messages import Answer, Message, ToolCallBlock, ToolResultBlock
from batuta.language.understanding import Understanding
from batuta.llm.model import ModelRequest, OutputSpec, ToolChoice, ToolSpec
from batuta.offline.model import OfflineModel
from batuta.orchestration.supervisor import Decision
from batuta.testing.clock import FakeClock

TEAM = (
    Understanding(agent_id="calculator_agent", name="Calculator", intents=CALCULATOR.intents),
    Understanding(agent_id="appointments_agent", name="Agenda", intents=AGENDA.intents),
    Understanding(agent_id="documents_agent", name="Documents", intents=documents(lambda: ("Travel policy",)).intents),
)
NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
DECISION = Decision.model_json_schema()
CALCULATE = ToolSpec(
    name="calculate",
    description="Compute an arithmetic expression exactly.",
    schema={
        "type": "object",
        "properties": {"expression": {"type": "string", "description": "For example `(1200 * 0.19) / 12`."}},
        "required": ["expression"],
    },
)
CLOCK = ToolSpec(
    name="current_time",
    description="Tell the current date, time and weekday.",
    schema={
        "type": "object",
        "properties": {
            "zone": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "description": "An IANA time zone such as `Europe/Madrid`.",
            }
        },
    },
)
TOOLS = (CALCULATE, CLOCK)


def request(text: str, **fields: Any) -> ModelRequest:
    return ModelRequest(messages=(Message.user(text),), **fields)


async def asked(request: ModelRequest) -> Answer:
    return await OfflineModel(FakeClock(NOW)).generate(request)


async def decided(text: str, *before: Message, team: tuple[Understanding, ...] = TEAM) -> dict[str, Any]:
    """What the model decides as supervisor."""
    output = OutputSpec(name="Decision", schema=DECISION)
    answer = await asked(ModelRequest(messages=(*before, Message.user(text)), understanding=team, output=output))
    decision: dict[str, Any] = json.loads(answer.text)
    return decision


async def called(text: str, *tools: ToolSpec, tool_choice: ToolChoice = "required") -> list[tuple[str, dict[str, Any]]]:
    """The tools it calls first, with their arguments."""
    answer = await asked(request(text, tools=tools or TOOLS, tool_choice=tool_choice))
    return [(call.name, call.args) for call in answer.tool_calls]


async def told(text: str, result: str, tool: str = "look", *, args: Any = None, is_error: bool = False) -> str:
    """What it says about the result of a tool."""
    call = ToolCallBlock(id="1", name=tool, args=args or {})
    outcome = ToolResultBlock(tool_use_id="1", tool_name=tool, content=result, is_error=is_error)
    messages = (Message.user(text), Message.assistant([call]), Message.tool([outcome]))
    answer = await asked(ModelRequest(messages=messages, tools=TOOLS))
    return answer.text
