"""Requests of OpenAI's chat completions API, which many others speak with small differences (`ChatDialect`)."""

from collections.abc import Iterator

from batuta.kernel.errors import SettingsError
from batuta.kernel.messages import ContentBlock, DocumentBlock, ImageBlock, Message, TextBlock, ToolResultBlock
from batuta.llm.encoding.common import (
    Json,
    arguments_of,
    data_url,
    effort_of,
    is_text,
    spoken,
    system_text,
    text_of_document,
    with_extra,
    without_none,
)
from batuta.llm.encoding.schemas import openai_format
from batuta.llm.model import ModelRequest
from batuta.llm.providers import OPENAI, ChatDialect

PROVIDER = "openai"


def encode_request(request: ModelRequest, model: str, dialect: ChatDialect = OPENAI) -> Json:
    """The body of a request, without `stream`."""
    settings = request.settings
    body = without_none(
        model=model,
        messages=list(_messages(request)),
        tools=_tools(request),
        tool_choice=request.tool_choice if request.tools and request.tool_choice != "auto" else None,
        response_format=_response_format(request) if dialect.has_schema else None,
        reasoning_effort=_effort(request, dialect),
        temperature=settings.temperature,
        top_p=settings.top_p,
        stop=list(settings.stop) or None,
        seed=settings.seed,
        **{dialect.max_tokens_field: settings.max_tokens},
    )
    return with_extra(body, request)


def _effort(request: ModelRequest, dialect: ChatDialect) -> str | None:
    budget = request.settings.thinking_budget_tokens
    return effort_of(budget) if budget is not None and dialect.has_effort else None


def _tools(request: ModelRequest) -> list[Json] | None:
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
        }
        for tool in request.tools
    ] or None


def _response_format(request: ModelRequest) -> Json | None:
    schema = None if request.output is None else openai_format(request.output.name, request.output.schema)
    return None if schema is None else {"type": "json_schema", "json_schema": schema}


def _messages(request: ModelRequest) -> Iterator[Json]:
    if system := system_text(request):
        yield {"role": "system", "content": system}
    for message in spoken(request):
        yield from _ENCODERS[message.role](message)


def _assistant(message: Message) -> Iterator[Json]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments_of(call)}}
        for call in message.tool_calls
    ]
    text = message.text
    if calls or text:
        yield without_none(role="assistant", content=text or None, tool_calls=calls or None)


def _results(message: Message) -> Iterator[Json]:
    for block in message.content:
        if isinstance(block, ToolResultBlock):
            yield {"role": "tool", "tool_call_id": block.tool_use_id, "content": result_text(block)}
    yield from _user(Message(role="user", content=tuple(after_results(message))))


def after_results(message: Message) -> Iterator[ContentBlock]:
    """What does not fit into results of tools, which are text alone: what they attached, and what a user says."""
    for block in message.content:
        if not isinstance(block, ToolResultBlock):
            yield block
        elif block.attachments:
            yield TextBlock(text=f"[attached by {block.tool_name or 'a tool'}, call {block.tool_use_id}]")
            yield from block.attachments


def result_text(block: ToolResultBlock) -> str:
    """A tool's result for APIs without a mark for errors."""
    is_plain = not block.is_error or block.content.lower().startswith("error")
    return block.content if is_plain else f"Error: {block.content}"


def _user(message: Message) -> Iterator[Json]:
    parts = [part for block in message.content if (part := _part(block)) is not None]
    if len(parts) == 1 and parts[0]["type"] == "text":
        yield {"role": "user", "content": parts[0]["text"]}
    elif parts:
        yield {"role": "user", "content": parts}


def _part(block: ContentBlock) -> Json | None:
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text} if block.text else None
        case ImageBlock():
            return {"type": "image_url", "image_url": {"url": block.url or data_url(block)}}
        case DocumentBlock():
            return _document(block)
        case _:
            return None


def _document(block: DocumentBlock) -> Json:
    if is_text(block):
        return {"type": "text", "text": text_of_document(block)}
    if block.data is None:
        raise SettingsError("chat completions take no document by address: give its data, or use openai-responses")
    return {"type": "file", "file": {"filename": block.name or "document", "file_data": data_url(block)}}


_ENCODERS = {"user": _user, "assistant": _assistant, "tool": _results}
