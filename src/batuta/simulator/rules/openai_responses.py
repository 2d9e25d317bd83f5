"""What OpenAI's responses API demands of a request.

Calls and outputs are paired by ``call_id`` anywhere in the history, which is the input after the items of the previous
response. A reasoning item must be followed by the item it led to, and that item by no means comes back without it.
"""

import re
from collections.abc import Iterator, Sequence

from batuta.simulator.answers import Json
from batuta.simulator.rules.common import OPENAI_NAME, out_of_range, quoted, repeated, required, run
from batuta.simulator.rules.schemas import openai_root, openai_strict
from batuta.simulator.wire.asked import dicts, mapping

ROLES = ("user", "assistant", "system", "developer")
ID_PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}
LED_BY_REASONING = re.compile(r"fc_([0-9a-f]+)_\d+")
MIN_OUTPUT_TOKENS = 16
OUTPUTS_OF = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
}


def problems(body: Json, earlier: Sequence[Json] | None) -> list[str]:
    """The rules a body breaks; ``earlier`` is what the previous response holds, ``None`` if it is not stored."""
    if earlier is None:
        return [f"previous_response_id: no response with id {body.get('previous_response_id')!r} is stored"]
    cannot_judge = not earlier and bool(body.get("previous_response_id") or body.get("conversation"))
    pairing = [] if cannot_judge else list(_pairs([*earlier, *_items(body)]))
    return [*run(CHECKS, body), *pairing]


def _fields(body: Json) -> Iterator[str]:
    yield from required(body, {"model": str})
    given = body.get("input")
    if not given and not body.get("previous_response_id") and not body.get("prompt") and not body.get("conversation"):
        yield "input: one of input, previous_response_id, prompt or conversation must be given"
    if given is not None and not isinstance(given, str | list):
        yield "input: must be a string or an array of items"
    if body.get("previous_response_id") and body.get("conversation"):
        yield "conversation: cannot be used together with previous_response_id"
    if isinstance(body.get("max_output_tokens"), int) and body["max_output_tokens"] < MIN_OUTPUT_TOKENS:
        yield f"max_output_tokens: must be at least {MIN_OUTPUT_TOKENS}"
    yield from out_of_range(body, "temperature", 0, 2)
    yield from out_of_range(body, "top_p", 0, 1)


def _shapes(body: Json) -> Iterator[str]:
    for index, item in enumerate(_items(body)):
        where = f"input[{index}]"
        kind = item.get("type", "message")
        if kind == "message" and item.get("role") not in ROLES:
            yield f"{where}.role: {item.get('role')!r} is not one of {quoted(ROLES)}"
        if kind == "message" and item.get("content") is None:
            yield f"{where}.content: field required"
        if kind == "function_call" and not isinstance(item.get("arguments"), str):
            yield f"{where}.arguments: must be a string of JSON"
        if kind == "function_call_output" and not isinstance(item.get("output"), str | list):
            yield f"{where}.output: must be a string or an array of content"
        yield from _own_id(item, str(kind), where)


def _own_id(item: Json, kind: str, where: str) -> Iterator[str]:
    prefix = ID_PREFIXES.get(kind)
    if prefix and item.get("id") and not str(item["id"]).startswith(prefix):
        yield f"{where}.id: {item['id']!r} is not an id that begins with {prefix!r}"


def _parts(body: Json) -> Iterator[str]:
    """The two directions have their own text types; a swap is a common mistake."""
    for index, item in enumerate(_items(body)):
        wrong = "input_text" if item.get("role") == "assistant" else "output_text"
        for position, part in enumerate(dicts(item.get("content"))):
            if item.get("role") and part.get("type") == wrong:
                yield f"input[{index}].content[{position}].type: {wrong!r} does not fit the role {item['role']}"


def _pairs(items: Sequence[Json]) -> Iterator[str]:
    for call_kind, output_kind in OUTPUTS_OF.items():
        calls = [str(item.get("call_id")) for item in items if item.get("type") == call_kind]
        outputs = [str(item.get("call_id")) for item in items if item.get("type") == output_kind]
        for call_id in (call for call in calls if call not in outputs):
            yield f"input: no tool output found for {call_kind} {call_id}"
        for call_id in (output for output in outputs if output not in calls):
            yield f"input: no tool call found for {output_kind} with call_id {call_id}"
        for call_id in repeated(outputs):
            yield f"input: more than one {output_kind} for call_id {call_id}"
    yield from _outputs_after_calls(items)
    yield from _reasoning(items)


def _outputs_after_calls(items: Sequence[Json]) -> Iterator[str]:
    places = {str(item.get("call_id")): at for at, item in enumerate(items) if item.get("type") == "function_call"}
    for at, item in enumerate(items):
        call_id = str(item.get("call_id"))
        if item.get("type") == "function_call_output" and places.get(call_id, -1) > at:
            yield f"input: the output of call_id {call_id} stands before its call"


def _reasoning(items: Sequence[Json]) -> Iterator[str]:
    known = {str(item.get("id")) for item in items if item.get("type") == "reasoning"}
    for item, following in zip(items, [*items[1:], {}], strict=False):
        is_input = following.get("role") in ("user", "system", "developer") or not following
        if item.get("type") == "reasoning" and (is_input or following.get("type") == "function_call_output"):
            yield f"input: item {item.get('id')!r} of type 'reasoning' came without its required following item"
        led = LED_BY_REASONING.fullmatch(str(item.get("id")))
        if led and f"rs_{led.group(1)}" not in known:
            yield (
                f"input: item {item.get('id')!r} of type 'function_call' came without its required 'reasoning' item "
                f"'rs_{led.group(1)}'"
            )


def _tools(body: Json) -> Iterator[str]:
    tools = dicts(body.get("tools"))
    functions = [tool for tool in tools if tool.get("type") == "function"]
    for index, tool in enumerate(tools):
        if "function" in tool:
            yield f"tools[{index}]: name and parameters stand beside type here, not under 'function'"
        elif tool.get("type") == "function" and not OPENAI_NAME.fullmatch(str(tool.get("name", ""))):
            yield f"tools[{index}].name: must match {OPENAI_NAME.pattern}"
        elif tool.get("type") == "function" and tool.get("strict") is True:
            yield from openai_strict(tool.get("parameters"), f"tools[{index}].parameters")
    names = [tool.get("name") for tool in functions]
    for name in repeated(names):
        yield f"tools: function names must be unique, {name} is repeated"
    choice = mapping(body.get("tool_choice"))
    if choice.get("type") == "function" and choice.get("name") not in names:
        yield f"tool_choice: function {choice.get('name')!r} is not among the tools"


def _text_format(body: Json) -> Iterator[str]:
    form = mapping(mapping(body.get("text")).get("format"))
    if body.get("response_format") is not None:
        yield "response_format: moved to text.format in this API"
    if form.get("type") != "json_schema":
        return
    if not OPENAI_NAME.fullmatch(str(form.get("name", ""))):
        yield f"text.format.name: must match {OPENAI_NAME.pattern}"
    yield from openai_root(form.get("schema"), "text.format.schema")
    if form.get("strict") is True:
        yield from openai_strict(form.get("schema"), "text.format.schema")


def _items(body: Json) -> list[Json]:
    return dicts(body.get("input"))


CHECKS = (_fields, _shapes, _parts, _tools, _text_format)
