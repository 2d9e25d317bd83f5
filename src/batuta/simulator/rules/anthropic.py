"""What Anthropic's Messages API demands of a request.

Consecutive messages of one role count as one turn, as the service joins them. A tool result must stand first in the
turn right after its call. Thinking comes back as it was given, and manual thinking excludes sampling settings, forced
tools and prefilling.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from batuta.simulator.answers import Json
from batuta.simulator.rules.common import out_of_range, quoted, repeated, required, run
from batuta.simulator.rules.schemas import anthropic_output
from batuta.simulator.wire.asked import dicts, mapping
from batuta.simulator.wire.turn import is_foreign_signature

ROLES = ("user", "assistant", "system")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
MIN_BUDGET = 1024
MAX_CACHE_POINTS = 4
THOUGHTS = ("thinking", "redacted_thinking")


@dataclass(frozen=True)
class TurnOf:
    """The joined messages of one role, with the place where they start."""

    where: str
    role: str
    blocks: tuple[Json, ...]

    def ids(self, kind: str, key: str) -> list[str]:
        return [str(block.get(key)) for block in self.blocks if block.get("type") == kind]

    @property
    def uses(self) -> list[str]:
        return self.ids("tool_use", "id")

    @property
    def results(self) -> list[str]:
        return self.ids("tool_result", "tool_use_id")


def problems(body: Json) -> list[str]:
    return run(CHECKS, body)


def _fields(body: Json) -> Iterator[str]:
    yield from required(body, {"model": str, "max_tokens": int, "messages": list})
    if isinstance(body.get("max_tokens"), int) and body["max_tokens"] < 0:
        yield "max_tokens: must not be negative"
    if body.get("messages") == []:
        yield "messages: at least one message is required"


def _roles(body: Json) -> Iterator[str]:
    messages = dicts(body.get("messages"))
    for index, message in enumerate(messages):
        if message.get("role") not in ROLES:
            yield f"messages.{index}.role: must be one of {quoted(ROLES)}, got {message.get('role')!r}"
    turns = _turns(body)
    if turns and turns[0].role == "assistant":
        yield "messages: the first message must have the role user"


def _contents(body: Json) -> Iterator[str]:
    messages = dicts(body.get("messages"))
    for index, message in enumerate(messages):
        is_last_assistant = index == len(messages) - 1 and message.get("role") == "assistant"
        if not message.get("content") and not is_last_assistant:
            yield f"messages.{index}: content must not be empty, except in a final assistant message"
        for position, block in enumerate(dicts(message.get("content"))):
            if block.get("type") == "text" and not block.get("text"):
                yield f"messages.{index}.content.{position}: text blocks must not be empty"


def _calls_have_results(body: Json) -> Iterator[str]:
    turns = _turns(body)
    for turn, following in zip(turns, [*turns[1:], None], strict=False):
        answered = following.results if following else []
        missing = [use for use in turn.uses if use not in answered]
        if missing:
            yield f"{turn.where}: `tool_use` without a `tool_result` in the next message: {quoted(missing)}"


def _results_have_calls(body: Json) -> Iterator[str]:
    turns = _turns(body)
    for before, turn in zip([None, *turns], turns, strict=False):
        known = before.uses if before else []
        orphans = [result for result in turn.results if result not in known]
        if orphans:
            yield f"{turn.where}: `tool_result` without a `tool_use` in the previous message: {quoted(orphans)}"
        if turn.results and turn.role != "user":
            yield f"{turn.where}: `tool_result` blocks belong in user messages"
        for twice in repeated(turn.results):
            yield f"{turn.where}: more than one `tool_result` for {twice}"


def _results_come_first(body: Json) -> Iterator[str]:
    for turn in _turns(body):
        kinds = [block.get("type") == "tool_result" for block in turn.blocks]
        if kinds != sorted(kinds, reverse=True):
            yield f"{turn.where}: `tool_result` blocks must come before all other content"


def _call_ids_are_unique(body: Json) -> Iterator[str]:
    for use in repeated(use for turn in _turns(body) for use in turn.uses):
        yield f"messages: `tool_use` ids must be unique, {use} is repeated"


def _roles_of_blocks(body: Json) -> Iterator[str]:
    for turn in _turns(body):
        wrong = {str(block.get("type")) for block in turn.blocks} & {"tool_use", *THOUGHTS}
        if turn.role != "assistant" and wrong:
            yield f"{turn.where}: {quoted(sorted(wrong))} blocks belong in assistant messages"


def _signatures(body: Json) -> Iterator[str]:
    for turn in _turns(body):
        for position, block in enumerate(turn.blocks):
            where = f"{turn.where}.content.{position}"
            signature = block.get("signature")
            if block.get("type") == "redacted_thinking" and not block.get("data"):
                yield f"{where}.data: field required"
            if block.get("type") != "thinking":
                continue
            if not isinstance(signature, str) or not signature:
                yield f"{where}.signature: field required, thinking must be sent back with its signature"
            elif is_foreign_signature(str(block.get("thinking")), signature) and block.get("thinking"):
                yield f"{where}: invalid `signature`, the thinking block was changed"


def _thinking_starts_the_tool_turn(body: Json) -> Iterator[str]:
    """In the middle of a tool loop the assistant turn must still open with its thinking."""
    turns = _turns(body)
    if not _is_manual_thinking(body) or len(turns) < 2 or not turns[-1].results:
        return
    turn = turns[-2]
    first = turn.blocks[0].get("type") if turn.blocks else None
    if first not in THOUGHTS:
        yield (
            f"{turn.where}.content.0: expected `thinking` or `redacted_thinking`, found `{first}`: "
            "with thinking enabled a tool turn must start with its thinking"
        )


def _thinking_settings(body: Json) -> Iterator[str]:
    if not _is_manual_thinking(body):
        return
    budget, limit = mapping(body.get("thinking")).get("budget_tokens"), body.get("max_tokens")
    if not isinstance(budget, int) or budget < MIN_BUDGET:
        yield f"thinking.budget_tokens: must be at least {MIN_BUDGET}"
    elif isinstance(limit, int) and limit <= budget:
        yield "max_tokens: must be greater than thinking.budget_tokens"


def _thinking_excludes(body: Json) -> Iterator[str]:
    if mapping(body.get("thinking")).get("type") not in ("enabled", "adaptive"):
        return
    if body.get("temperature") not in (None, 1):
        yield "temperature: may only be 1 when thinking is enabled"
    if body.get("top_k") is not None:
        yield "top_k: must be unset when thinking is enabled"
    for problem in out_of_range(body, "top_p", 0.95, 1):
        yield f"{problem}, as thinking is enabled"
    if mapping(body.get("tool_choice")).get("type") in ("any", "tool"):
        yield "tool_choice: thinking may not be enabled when tool_choice forces tool use"


def _prefill(body: Json) -> Iterator[str]:
    messages = dicts(body.get("messages"))
    last = messages[-1] if messages else {}
    blocks = _blocks(last)
    final = blocks[-1] if blocks else {}
    if last.get("role") != "assistant" or final.get("type") != "text":
        return
    if str(final.get("text")) != str(final.get("text")).rstrip():
        yield "messages: a final assistant message must not end with whitespace"
    is_continued = any(block.get("type") == "server_tool_use" for block in blocks)
    if _is_manual_thinking(body) and not is_continued:
        yield "messages: a final assistant message cannot be prefilled when thinking is enabled"
    if mapping(body.get("output_config")).get("format"):
        yield "messages: a final assistant message cannot be prefilled with output_config.format"


def _tools(body: Json) -> Iterator[str]:
    tools = dicts(body.get("tools"))
    for index, tool in enumerate(tools):
        if not TOOL_NAME.fullmatch(str(tool.get("name", ""))):
            yield f"tools.{index}.name: must match {TOOL_NAME.pattern}"
        if tool.get("type") in (None, "custom") and mapping(tool.get("input_schema")).get("type") != "object":
            yield f"tools.{index}.input_schema.type: must be 'object'"
    for name in repeated(tool.get("name") for tool in tools):
        yield f"tools: names must be unique, {name} is repeated"
    choice = mapping(body.get("tool_choice"))
    if choice and choice.get("type") != "none" and not tools:
        yield "tool_choice: may only be given together with tools"
    if choice.get("type") == "tool" and choice.get("name") not in [tool.get("name") for tool in tools]:
        yield f"tool_choice.name: {choice.get('name')!r} is not among the tools"


def _output_schema(body: Json) -> Iterator[str]:
    form = mapping(mapping(body.get("output_config")).get("format"))
    if form.get("type") == "json_schema":
        yield from anthropic_output(form.get("schema"), "output_config.format.schema")


def _ranges(body: Json) -> Iterator[str]:
    yield from out_of_range(body, "temperature", 0, 1)
    yield from out_of_range(body, "top_p", 0, 1)


def _cache_points(body: Json) -> Iterator[str]:
    points = _count_cache_points({key: body.get(key) for key in ("system", "messages", "tools")})
    if points > MAX_CACHE_POINTS:
        yield f"cache_control: at most {MAX_CACHE_POINTS} blocks may carry it, found {points}"


def _count_cache_points(value: object) -> int:
    if isinstance(value, list):
        return sum(map(_count_cache_points, value))
    if isinstance(value, dict):
        return bool(value.get("cache_control")) + sum(map(_count_cache_points, value.values()))
    return 0


def _is_manual_thinking(body: Json) -> bool:
    return mapping(body.get("thinking")).get("type") == "enabled"


def _blocks(message: Json) -> tuple[Json, ...]:
    content = message.get("content")
    return ({"type": "text", "text": content},) if isinstance(content, str) else tuple(dicts(content))


def _turns(body: Json) -> list[TurnOf]:
    turns: list[TurnOf] = []
    for index, message in enumerate(dicts(body.get("messages"))):
        role = str(message.get("role"))
        if role == "system":
            continue
        if turns and turns[-1].role == role:
            turns[-1] = TurnOf(turns[-1].where, role, turns[-1].blocks + _blocks(message))
        else:
            turns.append(TurnOf(f"messages.{index}", role, _blocks(message)))
    return turns


CHECKS = (
    _fields,
    _roles,
    _contents,
    _calls_have_results,
    _results_have_calls,
    _results_come_first,
    _call_ids_are_unique,
    _roles_of_blocks,
    _signatures,
    _thinking_starts_the_tool_turn,
    _thinking_settings,
    _thinking_excludes,
    _prefill,
    _tools,
    _output_schema,
    _ranges,
    _cache_points,
)
