"""Requests of Anthropic's Messages API."""

import re

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
    base64_of,
    effort_of,
    is_foreign,
    is_text,
    kept,
    merge_turns,
    spoken,
    system_text,
    with_extra,
    without_none,
)
from batuta.llm.encoding.schemas import anthropic_schema
from batuta.llm.model import ModelRequest, ToolChoice

PROVIDER = "anthropic"
DEFAULT_MAX_TOKENS = 4_096
"""The API wants a number; beyond the thinking if there is some."""
CACHED: Json = {"type": "ephemeral"}
TOOL_CHOICES: dict[ToolChoice, Json | None] = {"auto": None, "required": {"type": "any"}, "none": {"type": "none"}}
ADAPTIVE_MODEL = re.compile(r"claude-(?:(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])|mythos|fable)")
"""Models that decide themselves how much to think: a budget becomes an effort."""
THOUGHTS = ("thinking", "redacted_thinking")


def encode_request(request: ModelRequest, model: str) -> Json:
    """The body of a request, without `stream`."""
    settings = request.settings
    messages = _messages(request)
    thinking = _thinking(request, model, messages)
    body = without_none(
        model=model,
        max_tokens=settings.max_tokens or DEFAULT_MAX_TOKENS + (settings.thinking_budget_tokens or 0),
        messages=messages,
        system=_system(request),
        tools=_tools(request),
        tool_choice=TOOL_CHOICES[request.tool_choice] if request.tools else None,
        thinking=thinking,
        output_config=_output_config(request, thinking),
        temperature=settings.temperature,
        top_p=settings.top_p,
        stop_sequences=list(settings.stop) or None,
        metadata={"user_id": request.metadata["user"]} if "user" in request.metadata else None,
    )
    return with_extra(body, request)


def _system(request: ModelRequest) -> str | list[Json] | None:
    text = system_text(request)
    if text and request.settings.caches_prompt:
        return [{"type": "text", "text": text, "cache_control": CACHED}]
    return text or None


def _tools(request: ModelRequest) -> list[Json] | None:
    tools: list[Json] = [
        {"name": tool.name, "description": tool.description, "input_schema": {"type": "object", **tool.schema}}
        for tool in request.tools
    ]
    if tools and request.settings.caches_prompt:
        tools[-1]["cache_control"] = CACHED
    return tools or None


def _thinking(request: ModelRequest, model: str, messages: list[Json]) -> Json | None:
    budget = request.settings.thinking_budget_tokens
    if budget is None:
        return None
    if ADAPTIVE_MODEL.match(model):
        return {"type": "adaptive", "display": "summarized"}
    if _continues_without_thinking(messages):
        # The API takes no thinking in the middle of a tool loop that began without (another model, another setting).
        return None
    return {"type": "enabled", "budget_tokens": budget}


def _continues_without_thinking(messages: list[Json]) -> bool:
    if len(messages) < 2 or messages[-1]["content"][0]["type"] != "tool_result":
        return False
    return messages[-2]["content"][0]["type"] not in THOUGHTS


def _output_config(request: ModelRequest, thinking: Json | None) -> Json | None:
    config: Json = {}
    if request.output is not None and (schema := anthropic_schema(request.output.schema)) is not None:
        config["format"] = {"type": "json_schema", "schema": schema}
    if thinking is not None and thinking["type"] == "adaptive":
        config["effort"] = effort_of(request.settings.thinking_budget_tokens or 0)
    return config or None


def _messages(request: ModelRequest) -> list[Json]:
    turns = merge_turns((_role(message), _content(message)) for message in spoken(request))
    return [{"role": role, "content": _results_first(content)} for role, content in turns]


def _role(message: Message) -> str:
    return "assistant" if message.role == "assistant" else "user"


def _results_first(content: list[Json]) -> list[Json]:
    return sorted(content, key=lambda block: block["type"] != "tool_result")


def _content(message: Message) -> list[Json]:
    blocks = (_block(block) for block in message.content)
    return [block for block in blocks if block is not None]


def _block(block: ContentBlock) -> Json | None:
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text} if block.text.strip() else None
        case ThinkingBlock():
            return _thought(block)
        case ToolCallBlock():
            return _call(block)
        case ToolResultBlock():
            return _result(block)
        case ImageBlock():
            return {"type": "image", "source": _source(block)}
        case DocumentBlock():
            return without_none(type="document", source=_document_source(block), title=block.name or None)
        case OpaqueBlock():
            return dict(block.data) if block.provider == PROVIDER else None


def _thought(block: ThinkingBlock) -> Json | None:
    """Thinking goes back only to whom it came from: another provider's signature would be refused."""
    if is_foreign(block, PROVIDER):
        return None
    if block.redacted is not None:
        return {"type": "redacted_thinking", "data": block.redacted}
    if block.signature is None:
        return None
    return {"type": "thinking", "thinking": block.text, "signature": block.signature}


def _call(block: ToolCallBlock) -> Json | None:
    if block.is_server_side:
        return kept(block, PROVIDER) or None
    return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.args}


def _result(block: ToolResultBlock) -> Json | None:
    if block.is_server_side:
        return kept(block, PROVIDER) or None
    error = True if block.is_error else None
    content: str | list[Json | None] = block.content
    if block.attachments:
        words = [{"type": "text", "text": block.content}] if block.content else []
        content = [*words, *(_block(each) for each in block.attachments)]
    return without_none(type="tool_result", tool_use_id=block.tool_use_id, content=content, is_error=error)


def _source(block: ImageBlock | DocumentBlock) -> Json:
    if block.url is not None:
        return {"type": "url", "url": block.url}
    return {"type": "base64", "media_type": block.media_type, "data": base64_of(block)}


def _document_source(block: DocumentBlock) -> Json:
    if is_text(block):
        words = (block.data or b"").decode("utf-8", errors="replace")
        return {"type": "text", "media_type": "text/plain", "data": words}
    return _source(block)
