"""The default scenario: answers that follow from the request alone.

"use tool add with {"a": 1}"    -> that call, several in one sentence are parallel calls
tool_choice forces a tool       -> a call with sample arguments
the history ends in a result    -> a sentence that repeats it
a JSON schema is asked for      -> the smallest value that fits
anything else                   -> "You said: ..."
"""

import json
import re
from collections.abc import Iterator

from batuta.simulator.answers import Block, Json, PlannedAnswer, PlannedThinking, PlannedToolCall, Text
from batuta.simulator.samples import sample
from batuta.simulator.wire.asked import WireRequest, mapping

_WANTED_CALL = re.compile(r"\btool\s+([\w.-]+)\s+with\s+(?=\{)", re.IGNORECASE)


def echo(asked: WireRequest) -> PlannedAnswer:
    thoughts = (
        (PlannedThinking(type="thinking", text="The simulated provider thinks."),) if asked.wants_thinking else ()
    )
    return PlannedAnswer(blocks=(*thoughts, *_blocks(asked)))


def _blocks(asked: WireRequest) -> tuple[Block, ...]:
    if asked.tool_results:
        results = "; ".join(f"{result.name or 'tool'} answered {result.text}" for result in asked.tool_results)
        return _closing(asked, results)
    calls = tuple(_wanted_calls(asked.last_user_text)) or tuple(_forced_call(asked))
    return calls or _closing(asked, f"You said: {asked.last_user_text}")


def _closing(asked: WireRequest, text: str) -> tuple[Block, ...]:
    if asked.output_schema is None:
        return (Text(text=text),)
    return (Text(text=json.dumps(sample(asked.output_schema), ensure_ascii=False)),)


def _wanted_calls(text: str) -> Iterator[PlannedToolCall]:
    for found in _WANTED_CALL.finditer(text):
        arguments = _leading_object(text[found.end() :])
        if arguments is not None:
            yield PlannedToolCall(type="tool_call", name=found.group(1), arguments=arguments)


def _leading_object(text: str) -> Json | None:
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _forced_call(asked: WireRequest) -> Iterator[PlannedToolCall]:
    named = [tool for tool in asked.tools if asked.forced_tool in (tool.name, "*")]
    for tool in named[:1]:
        yield PlannedToolCall(type="tool_call", name=tool.name, arguments=mapping(sample(tool.parameters)))
