"""Requests of OpenAI's Responses API. Nothing is kept on the provider's side: reasoning travels encrypted."""

from collections.abc import Iterator

from batuta.kernel.messages import (
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    Message,
    OpaqueBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from batuta.llm.encoding.common import (
    Json,
    arguments_of,
    data_url,
    effort_of,
    is_text,
    kept,
    spoken,
    system_text,
    text_of_document,
    with_extra,
    without_none,
)
from batuta.llm.encoding.schemas import openai_format
from batuta.llm.model import ModelRequest
from batuta.llm.openai.encode_chat import result_text

PROVIDER = "openai"
INCLUDED = ["reasoning.encrypted_content"]


def encode_request(request: ModelRequest, model: str) -> Json:
    """The body of a request, without `stream`."""
    settings = request.settings
    body = without_none(
        model=model,
        input=[item for message in spoken(request) for item in _items(message)],
        instructions=system_text(request) or None,
        tools=_tools(request),
        tool_choice=request.tool_choice if request.tools and request.tool_choice != "auto" else None,
        text=_text_format(request),
        reasoning=_reasoning(request),
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_output_tokens=settings.max_tokens,
        store=False,
        include=INCLUDED,
    )
    return with_extra(body, request)


def _tools(request: ModelRequest) -> list[Json] | None:
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.schema,
            "strict": False,
        }
        for tool in request.tools
    ] or None


def _text_format(request: ModelRequest) -> Json | None:
    schema = None if request.output is None else openai_format(request.output.name, request.output.schema)
    return None if schema is None else {"format": {"type": "json_schema", **schema}}


def _reasoning(request: ModelRequest) -> Json | None:
    budget = request.settings.thinking_budget_tokens
    return None if budget is None else {"effort": effort_of(budget), "summary": "auto"}


def _items(message: Message) -> Iterator[Json]:
    if message.role == "assistant":
        yield from _assistant(message)
        return
    for block in message.content:
        if isinstance(block, ToolResultBlock):
            yield {"type": "function_call_output", "call_id": block.tool_use_id, "output": _output(block)}
    parts = [part for block in message.content if (part := _part(block)) is not None]
    if parts:
        yield {"type": "message", "role": "user", "content": parts}


def _output(block: ToolResultBlock) -> str | list[Json]:
    """Text alone, or with what the tool attached."""
    if not block.attachments:
        return result_text(block)
    blocks: list[ContentBlock] = [TextBlock(text=result_text(block)), *block.attachments]
    return [part for each in blocks if (part := _part(each)) is not None]


def _part(block: ContentBlock) -> Json | None:
    match block:
        case TextBlock():
            return {"type": "input_text", "text": block.text} if block.text else None
        case ImageBlock():
            return {"type": "input_image", "image_url": block.url or data_url(block)}
        case DocumentBlock() if is_text(block):
            return {"type": "input_text", "text": text_of_document(block)}
        case DocumentBlock() if block.url is not None:
            return {"type": "input_file", "file_url": block.url}
        case DocumentBlock():
            return {"type": "input_file", "filename": block.name or "document", "file_data": data_url(block)}
        case _:
            return None


def _assistant(message: Message) -> Iterator[Json]:
    """The items of an answer; reasoning stands only before what it led to, and an item is sent once."""
    items = [item for block in message.content for item in _item(block)]
    sent: set[str] = set()
    for place, item in enumerate(items, 1):
        is_stranded = item["type"] == "reasoning" and place == len(items)
        item_id = item.get("id")
        if is_stranded or item_id in sent:
            continue
        if item_id is not None and item["type"] != "message":
            sent.add(item_id)
        yield item


def _item(block: ContentBlock) -> Iterator[Json]:
    match block:
        case TextBlock() if block.text:
            words = {"type": "output_text", "text": block.text, "annotations": []}
            phase = kept(block, PROVIDER).get("phase")
            yield without_none(type="message", role="assistant", content=[words], phase=phase)
        case ThinkingBlock():
            yield from _thought(block)
        case ToolCallBlock() | ToolResultBlock() if block.is_server_side:
            yield from filter(None, [dict(kept(block, PROVIDER))])
        case ToolCallBlock():
            yield _call(block)
        case OpaqueBlock() if block.provider == PROVIDER:
            yield dict(block.data)


def _thought(block: ThinkingBlock) -> Iterator[Json]:
    """Reasoning goes back with its id and encrypted content; without both the API cannot use it."""
    item_id = kept(block, PROVIDER).get("id")
    if item_id is not None and block.signature is not None:
        summary = [{"type": "summary_text", "text": block.text}] if block.text else []
        yield {"type": "reasoning", "id": item_id, "summary": summary, "encrypted_content": block.signature}


def _call(block: ToolCallBlock) -> Json:
    extra = kept(block, PROVIDER)
    if extra.get("type") in ("custom", "custom_tool_call"):
        words = str(block.args.get("input", ""))
        return {"type": "custom_tool_call", "call_id": block.id, "name": block.name, "input": words}
    # Without its own id: with one, the API insists on the reasoning that led to it, which may be gone by now.
    return {"type": "function_call", "call_id": block.id, "name": block.name, "arguments": arguments_of(block)}
