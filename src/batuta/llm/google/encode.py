"""Requests of Google's generateContent, as the arguments of its SDK: `model`, `contents`, `config`.

Thoughts are not sent back; the signatures that stand for them travel on texts and calls.
"""

import base64
import re
from typing import Any

from batuta.kernel.messages import (
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    Message,
    OpaqueBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from batuta.llm.encoding.common import Json, kept, merge_turns, spoken, system_text, with_extra, without_none
from batuta.llm.model import ModelRequest, ToolChoice

PROVIDER = "google"
MODES: dict[ToolChoice, str | None] = {"auto": None, "required": "ANY", "none": "NONE"}
GENERATION = re.compile(r"gemini-(\d+)")
FIRST_WITH_TOOLS_AND_SCHEMA = 3
SERVER_PARTS = ("executable_code", "code_execution_result", "tool_call", "tool_response")


def encode_request(request: ModelRequest, model: str) -> Json:
    """The arguments of `generate_content` and `generate_content_stream`."""
    return {"model": model, "contents": _contents(request), "config": _config(request, model)}


def _config(request: ModelRequest, model: str) -> Json:
    settings = request.settings
    config = without_none(
        system_instruction=system_text(request) or None,
        tools=_tools(request),
        tool_config=_tool_config(request),
        thinking_config=_thinking(request),
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_output_tokens=settings.max_tokens,
        stop_sequences=list(settings.stop) or None,
        seed=settings.seed,
        **_schema(request, model),
    )
    return with_extra(config, request)


def _tools(request: ModelRequest) -> list[Json] | None:
    functions = [
        {"name": tool.name, "description": tool.description, "parameters_json_schema": tool.schema}
        for tool in request.tools
    ]
    return [{"function_declarations": functions}] if functions else None


def _tool_config(request: ModelRequest) -> Json | None:
    mode = MODES[request.tool_choice]
    return {"function_calling_config": {"mode": mode}} if mode and request.tools else None


def _thinking(request: ModelRequest) -> Json | None:
    budget = request.settings.thinking_budget_tokens
    return None if budget is None else {"thinking_budget": budget, "include_thoughts": True}


def _schema(request: ModelRequest, model: str) -> Json:
    """The structure of the answer; older models cannot have one beside tools."""
    if request.output is None or (request.tools and not _combines(model)):
        return {}
    return {"response_mime_type": "application/json", "response_json_schema": request.output.schema}


def _combines(model: str) -> bool:
    generation = GENERATION.search(model)
    return generation is None or int(generation.group(1)) >= FIRST_WITH_TOOLS_AND_SCHEMA


def _contents(request: ModelRequest) -> list[Json]:
    turns = merge_turns((_role(message), _parts(message)) for message in _separated(request))
    return [{"role": role.removesuffix("_results"), "parts": parts} for role, parts in turns]


def _separated(request: ModelRequest) -> list[Message]:
    """Results of tools in turns of their own: they may not share one with what a user says next."""
    separated: list[Message] = []
    for message in spoken(request):
        results = tuple(block for block in message.content if isinstance(block, ToolResultBlock))
        if message.role == "assistant" or not results:
            separated.append(message)
            continue
        separated.append(Message(role="tool", content=results))
        rest = tuple(block for block in message.content if not isinstance(block, ToolResultBlock))
        separated.append(Message(role="user", content=rest))
    return separated


def _role(message: Message) -> str:
    return {"assistant": "model", "tool": "user_results"}.get(message.role, "user")


def _parts(message: Message) -> list[Json]:
    attached = [each for block in message.content if isinstance(block, ToolResultBlock) for each in block.attachments]
    return [part for block in (*message.content, *attached) if (part := _part(block)) is not None]


def _part(block: ContentBlock) -> Json | None:
    match block:
        case TextBlock():
            return {"text": block.text, **_signature(block)} if block.text else None
        case ToolCallBlock() | ToolResultBlock() if block.is_server_side:
            return _server_part(block)
        case ToolCallBlock():
            return {"function_call": {"id": block.id, "name": block.name, "args": block.args}, **_signature(block)}
        case ToolResultBlock():
            return _response(block)
        case ImageBlock() | DocumentBlock():
            return _attachment(block)
        case OpaqueBlock() if block.provider == PROVIDER:
            return _bytes_restored(block.data)
        case _:
            return None


def _signature(block: TextBlock | ToolCallBlock) -> Json:
    return _bytes_restored({name: kept(block, PROVIDER)[name] for name in kept(block, PROVIDER)})


def _bytes_restored(part: Any) -> Json:
    """A part as it came, with its signature in the bytes that the SDK wants."""
    signature = part.get("thought_signature")
    return part if not isinstance(signature, str) else {**part, "thought_signature": base64.b64decode(signature)}


def _server_part(block: ToolCallBlock | ToolResultBlock) -> Json | None:
    part = kept(block, PROVIDER)
    return _bytes_restored(part) if any(name in part for name in SERVER_PARTS) else None


def _response(block: ToolResultBlock) -> Json:
    outcome = {"error" if block.is_error else "output": block.content}
    return {"function_response": {"id": block.tool_use_id, "name": block.tool_name, "response": outcome}}


def _attachment(block: ImageBlock | DocumentBlock) -> Json:
    if block.data is not None:
        return {"inline_data": {"mime_type": block.media_type, "data": block.data}}
    return {"file_data": {"mime_type": block.media_type, "file_uri": block.url}}
