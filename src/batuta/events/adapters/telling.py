"""From an answer to the events that tell it, one per block in block order.

The tokens of a model message stand on exactly one of its events: its last assistant message with words, else its last
tool request, else its last thinking.
"""

from collections.abc import Callable
from typing import Any

from batuta.events.conversation import AssistantMessage, Citation, ContentRefused, Thinking, TurnPaused
from batuta.events.envelope import Event
from batuta.events.tools import ToolRequest, ToolResponse
from batuta.kernel.answers import Answer
from batuta.kernel.messages import (
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    OpaqueBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)

Draft = tuple[type[Event], dict[str, Any]]

_USAGE_CARRIERS: tuple[type[Event], ...] = (AssistantMessage, ToolRequest, Thinking)


def events_of(answer: Answer, index: int = 1, **envelope: Any) -> list[Event]:
    """The events of one answer, numbered from `index`; `envelope` fields are set on each of them."""
    return [
        event_type(original_index=index + offset, **envelope, **payload)
        for offset, (event_type, payload) in enumerate(drafts_of(answer))
    ]


def drafts_of(answer: Answer) -> list[Draft]:
    """The same as types and payloads, for whoever stamps the envelope."""
    drafts = [_TELLERS[type(block)](block, answer) for block in answer.content if not _says_nothing(block)]
    if _needs_an_ending(drafts, answer):
        drafts.append(_message(answer, content=""))
    _put_usage(drafts, answer)
    drafts.extend(_endings(answer))
    return drafts


def _says_nothing(block: ContentBlock) -> bool:
    return isinstance(block, TextBlock) and not block.text and not block.citations


def _message(answer: Answer, **payload: Any) -> Draft:
    return AssistantMessage, {"stop_reason": answer.stop_reason, "model": answer.model, **payload}


def _said(block: TextBlock, answer: Answer) -> Draft:
    citations = tuple(Citation.model_validate(citation) for citation in block.citations)
    return _message(answer, content=block.text, citations=citations)


def _thought(block: ThinkingBlock, answer: Answer) -> Draft:
    return Thinking, {
        "content": block.text,
        "signature": block.signature,
        "redacted": block.redacted,
        "model": answer.model,
    }


def _asked(block: ToolCallBlock, answer: Answer) -> Draft:
    return ToolRequest, {
        "tool_use_id": block.id,
        "tool_name": block.name,
        "args": block.args,
        "invalid_args": block.invalid_args,
        "is_server_side": block.is_server_side,
        "model": answer.model,
    }


def _brought(block: ToolResultBlock, answer: Answer) -> Draft:
    return ToolResponse, {
        "tool_use_id": block.tool_use_id,
        "tool_name": block.tool_name,
        "content": block.content,
        "success": not block.is_error,
        "error": block.content if block.is_error else None,
        "details": block.extra.get(answer.provider, {}),
    }


def _kept(block: OpaqueBlock, answer: Answer) -> Draft:
    return _message(answer, content="", opaque=(block.data,))


def _shown(block: ImageBlock | DocumentBlock, answer: Answer) -> Draft:
    return _message(answer, content="", opaque=(block.model_dump(mode="json", exclude_none=True),))


_TELLERS: dict[type[ContentBlock], Callable[[Any, Answer], Draft]] = {
    TextBlock: _said,
    ThinkingBlock: _thought,
    ToolCallBlock: _asked,
    ToolResultBlock: _brought,
    OpaqueBlock: _kept,
    ImageBlock: _shown,
    DocumentBlock: _shown,
}


def _needs_an_ending(drafts: list[Draft], answer: Answer) -> bool:
    """Whether an empty message must carry the tokens, or the news that the answer was cut."""
    told = {event_type for event_type, _ in drafts}
    is_cut = answer.stop_reason == "max_tokens" and AssistantMessage not in told
    return is_cut or told.isdisjoint(_USAGE_CARRIERS)


def _put_usage(drafts: list[Draft], answer: Answer) -> None:
    carrier = next(kind for kind in _USAGE_CARRIERS if any(event_type is kind for event_type, _ in drafts))
    payloads = [payload for event_type, payload in drafts if event_type is carrier]
    payload = next((payload for payload in reversed(payloads) if payload.get("content")), payloads[-1])
    payload["usage"] = answer.usage
    if "cost" in carrier.model_fields:
        payload["cost"] = answer.cost


def _endings(answer: Answer) -> list[Draft]:
    """What a pause or a refusal adds after the blocks."""
    reason = answer.stop_explanation or answer.raw_stop_reason or answer.stop_reason
    if answer.stop_reason == "paused":
        return [(TurnPaused, {"reason": reason})]
    if answer.stop_reason == "refused":
        return [(ContentRefused, {"reason": reason, "model": answer.model})]
    return []
