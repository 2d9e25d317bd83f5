"""Requests as agents send them to a model."""

import json
from typing import Any

from batuta.kernel.answers import Answer
from batuta.kernel.messages import Message, ToolCallBlock, ToolResultBlock
from batuta.llm.model import ModelRequest, OutputSpec, ToolChoice, ToolSpec
from batuta.llm.offline.model import OfflineModel

CARDS = """You conduct a team of agents.

The agents:
- calculator_agent (Calculator): Exact arithmetic and the time. It can: calculate, tell the time. Examples: "What is 15% of 1,200?"; "¿Qué hora es en Tokio?".
- documents_agent (Documents): Answers from the company's documents. It can: search documents, quote policies. Examples: "How much may I spend on meals?"; "¿Cuántos días de vacaciones tengo?".
- appointments_agent (Agenda): Appointments in a calendar. It can: create appointments, move appointments. Examples: "cita mañana 10am con Dr. Pérez"; "Move my meeting with Ana to Friday 3pm".
"""  # noqa: E501 - the line format is what is read
DECISION = {
    "type": "object",
    "properties": {
        "steps": {"anyOf": [{"type": "array"}, {"type": "null"}]},
        "answer": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
}
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
    return await OfflineModel().generate(request)


async def decided(text: str, *before: Message, system: str = CARDS) -> dict[str, Any]:
    """What the model decides as supervisor."""
    output = OutputSpec(name="Decision", schema=DECISION)
    answer = await asked(ModelRequest(messages=(*before, Message.user(text)), system=system, output=output))
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
