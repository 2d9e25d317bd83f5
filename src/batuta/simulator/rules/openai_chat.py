"""What OpenAI's chat completions API demands of a request.

An assistant message with tool calls is followed at once by one tool message per call, in any order, and a tool message
stands nowhere else.
"""

import re
from collections.abc import Iterator

from batuta.simulator.answers import Json
from batuta.simulator.rules.common import OPENAI_NAME, out_of_range, quoted, repeated, required, run
from batuta.simulator.rules.schemas import openai_root, openai_strict
from batuta.simulator.wire.asked import dicts, mapping, text_of

ROLES = ("developer", "system", "user", "assistant", "tool", "function")
SPEECH = ("content", "tool_calls", "function_call", "refusal", "audio")
REASONING_MODEL = re.compile(r"(o\d|gpt-[5-9])")


def problems(body: Json) -> list[str]:
    return run(CHECKS, body)


def _fields(body: Json) -> Iterator[str]:
    yield from required(body, {"model": str, "messages": list})
    if body.get("messages") == []:
        yield "messages: must not be empty"
    yield from out_of_range(body, "temperature", 0, 2)
    yield from out_of_range(body, "top_p", 0, 1)
    if body.get("stream_options") is not None and body.get("stream") is not True:
        yield "stream_options: only allowed when stream is enabled"
    if body.get("max_tokens") is not None and REASONING_MODEL.match(str(body.get("model"))):
        yield "max_tokens: not supported with this model, use max_completion_tokens"


def _messages(body: Json) -> Iterator[str]:
    for index, message in enumerate(dicts(body.get("messages"))):
        role = message.get("role")
        if role not in ROLES:
            yield f"messages[{index}].role: {role!r} is not one of {quoted(ROLES)}"
        elif role == "assistant":
            yield from _assistant(message, f"messages[{index}]")
        elif message.get("content") is None:
            yield f"messages[{index}].content: expected a string or an array, got null"


def _assistant(message: Json, where: str) -> Iterator[str]:
    if not any(message.get(key) is not None for key in SPEECH):
        yield f"{where}: an assistant message needs content or tool_calls"
    if message.get("tool_calls") == []:
        yield f"{where}.tool_calls: must not be an empty array"
    for position, call in enumerate(dicts(message.get("tool_calls"))):
        function = mapping(call.get("function"))
        place = f"{where}.tool_calls[{position}]"
        if not call.get("id") or call.get("type") not in ("function", "custom"):
            yield f"{place}: needs an id and the type 'function'"
        if call.get("type") == "function" and not isinstance(function.get("arguments"), str):
            yield f"{place}.function.arguments: must be a string of JSON"


def _pairs(body: Json) -> Iterator[str]:
    """Walk the history: ``open_calls`` are those whose tool message must come now."""
    open_calls: list[str] = []
    answered: list[str] = []
    for index, message in enumerate([*dicts(body.get("messages")), {"role": "end"}]):
        if message.get("role") == "tool":
            call_id = str(message.get("tool_call_id"))
            if call_id not in open_calls and call_id not in answered:
                yield (
                    f"messages[{index}]: a message with role 'tool' must respond to a preceding message with "
                    f"'tool_calls', no call {call_id} is open"
                )
            elif call_id in answered:
                yield f"messages[{index}]: tool_call_id {call_id} was answered before"
            else:
                open_calls.remove(call_id)
                answered.append(call_id)
            continue
        if open_calls:
            yield (
                f"messages[{index}]: an assistant message with 'tool_calls' must be followed by tool messages for each "
                f"'tool_call_id'; missing {quoted(open_calls)}"
            )
        open_calls = [str(call.get("id")) for call in dicts(message.get("tool_calls"))]
        answered = []


def _tools(body: Json) -> Iterator[str]:
    tools = dicts(body.get("tools"))
    if body.get("tools") == []:
        yield "tools: must not be an empty array"
    functions = [mapping(tool.get("function")) for tool in tools if tool.get("type") == "function"]
    for index, tool in enumerate(tools):
        if tool.get("type") not in ("function", "custom"):
            yield f"tools[{index}].type: must be 'function' or 'custom'"
    for function in functions:
        name = str(function.get("name", ""))
        if not OPENAI_NAME.fullmatch(name):
            yield f"tools: function name {name!r} must match {OPENAI_NAME.pattern}"
        if function.get("strict") is True:
            yield from openai_strict(function.get("parameters"), f"tools.{name}.parameters")
    for name in repeated(function.get("name") for function in functions):
        yield f"tools: function names must be unique, {name} is repeated"
    yield from _choice(body, [str(function.get("name")) for function in functions])


def _choice(body: Json, names: list[str]) -> Iterator[str]:
    choice = body.get("tool_choice")
    if choice is not None and not body.get("tools"):
        yield "tool_choice: only allowed when tools are given"
    if body.get("parallel_tool_calls") is not None and not body.get("tools"):
        yield "parallel_tool_calls: only allowed when tools are given"
    wanted = mapping(mapping(choice).get("function")).get("name")
    if wanted is not None and wanted not in names:
        yield f"tool_choice: function {wanted!r} is not among the tools"


def _response_format(body: Json) -> Iterator[str]:
    form = mapping(body.get("response_format"))
    if form.get("type") == "json_object" and "json" not in _all_text(body).lower():
        yield "response_format: the messages must contain the word 'json' to use the type json_object"
    if form.get("type") != "json_schema":
        return
    schema = mapping(form.get("json_schema"))
    if not OPENAI_NAME.fullmatch(str(schema.get("name", ""))):
        yield f"response_format.json_schema.name: must match {OPENAI_NAME.pattern}"
    yield from openai_root(schema.get("schema"), "response_format.json_schema.schema")
    if schema.get("strict") is True:
        yield from openai_strict(schema.get("schema"), "response_format.json_schema.schema")


def _all_text(body: Json) -> str:
    return " ".join(text_of(message.get("content")) for message in dicts(body.get("messages")))


CHECKS = (_fields, _messages, _pairs, _tools, _response_format)
