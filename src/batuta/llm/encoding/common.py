"""What the wire formats share: turns, attachments, the scale of thinking."""

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from batuta.kernel.errors import SettingsError
from batuta.kernel.messages import DocumentBlock, ImageBlock, Message, ToolCallBlock
from batuta.llm.model import ModelRequest

Json = dict[str, Any]
Effort = Literal["low", "medium", "high"]

EFFORTS: tuple[tuple[int, Effort], ...] = ((2_048, "low"), (8_192, "medium"))
"""Up to how many tokens of thinking a provider that knows no budget is asked for which effort; beyond is high."""


def effort_of(budget_tokens: int) -> Effort:
    """The effort that comes nearest to a budget of thinking tokens."""
    return next((effort for limit, effort in EFFORTS if budget_tokens <= limit), "high")


def system_text(request: ModelRequest) -> str:
    """The system prompt with the system messages of the conversation."""
    said = (message.text for message in request.messages if message.role == "system")
    return "\n\n".join(text for text in (request.system, *said) if text)


def spoken(request: ModelRequest) -> Iterator[Message]:
    """The messages that are turns of the conversation."""
    return (message for message in request.messages if message.role != "system")


def without_none(**fields: Any) -> Json:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def with_extra(body: Json, request: ModelRequest) -> Json:
    """A body with what the settings pass to the provider as it is.

    Tools join those of the request. What makes the request itself cannot be replaced: the answer would not belong to
    the conversation.
    """
    extra = request.settings.extra
    if taken := sorted(extra.keys() & _OF_THE_REQUEST):
        raise SettingsError(f"ModelSettings.extra cannot replace {', '.join(taken)}: that comes with the request")
    tools = [*body.get("tools", ()), *extra.get("tools", ())]
    return {**body, **extra, **({"tools": tools} if tools else {})}


_OF_THE_REQUEST = frozenset({"model", "messages", "input", "contents", "system", "instructions", "system_instruction"})


def base64_of(block: ImageBlock | DocumentBlock) -> str:
    """The content of an attachment, as text. Raises `SettingsError` if it has none."""
    if block.data is None:
        raise SettingsError(f"a {block.type} needs data or a url that this provider accepts")
    return base64.b64encode(block.data).decode("ascii")


def data_url(block: ImageBlock | DocumentBlock) -> str:
    """The content of an attachment as a data address."""
    return f"data:{block.media_type};base64,{base64_of(block)}"


def is_text(block: DocumentBlock) -> bool:
    """Whether a document is given as plain text, which every provider reads."""
    return block.media_type.startswith("text/") and block.data is not None


def text_of_document(block: DocumentBlock) -> str:
    """A text document with its name."""
    words = (block.data or b"").decode("utf-8", errors="replace")
    return f"{block.name}:\n{words}" if block.name else words


def arguments_of(call: ToolCallBlock) -> str:
    """The arguments of a call as JSON text, or the text that was none."""
    return (
        call.invalid_args if call.invalid_args is not None else json.dumps(call.args, ensure_ascii=False, default=str)
    )


def kept(block: Any, provider: str) -> Json:
    """What a provider wants to have sent back with a block."""
    extra: Json = block.extra.get(provider, {})
    return extra


def is_foreign(block: Any, provider: str) -> bool:
    """Whether a block carries something of another provider only."""
    return bool(block.extra) and provider not in block.extra


def merge_turns(turns: Iterable[tuple[str, list[Json]]]) -> list[tuple[str, list[Json]]]:
    """Consecutive turns of one role as one; turns without content are left out."""
    merged: list[tuple[str, list[Json]]] = []
    for role, content in turns:
        if content and merged and merged[-1][0] == role:
            merged[-1][1].extend(content)
        elif content:
            merged.append((role, list(content)))
    return merged
