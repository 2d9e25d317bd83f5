"""From an answer to its events, one per block in block order.

The tokens of a model message stand on exactly one of its events: its last assistant message with words, else its last
tool request, else its last thinking.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypedDict

from batuta.events.conversation import AssistantMessage, Citation, ContentRefused, Thinking, TurnPaused
from batuta.events.envelope import Event, trusted
from batuta.events.tools import ToolRequest, ToolResponse
from batuta.kernel.ids import EventId, MessageId, new_id
from batuta.kernel.messages import (
    Answer,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    OpaqueBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)

_assistant_message = trusted(AssistantMessage)
_thinking_event = trusted(Thinking)
_request_event = trusted(ToolRequest)
_response_event = trusted(ToolResponse)


class Origin(TypedDict, total=False):
    """Which message the events belong to, who made it, and where they stand; the id and the time of one of them."""

    message_id: MessageId
    source_agent_id: str
    original_index: int
    event_id: EventId
    timestamp: datetime


def events_of(
    answer: Answer, index: int = 0, *, message_id: str | None = None, source_agent_id: str | None = None
) -> list[Event]:
    """The events of one answer; numbered from `index`, if there is one."""
    origin: Origin = {}
    if message_id is not None:
        origin["message_id"] = MessageId(message_id)
    if source_agent_id is not None:
        origin["source_agent_id"] = source_agent_id
    blocks = _blocks_of(answer)
    carrier = blocks[0] if len(blocks) == 1 else _carrier_of(blocks)
    events: list[Event] = []
    for block in blocks:
        if index:
            origin["original_index"] = index + len(events)
        # Complete, whether they are emitted or not: who asks an adapter for events has no run that would stamp them.
        own: Origin = {**origin, "event_id": EventId(new_id()), "timestamp": datetime.now(UTC)}
        events.append(_EVENTS[type(block)](_Part(block, answer, own, block is carrier)))
    if answer.stop_reason in ("paused", "refused"):
        if index:
            origin["original_index"] = index + len(events)
        events.append(_ending(answer, origin))
    return events


def _carrier_of(blocks: Sequence[ContentBlock]) -> ContentBlock:
    """The block whose event carries the tokens of the whole message."""
    return next(block for is_carrier in _CARRIERS for block in reversed(blocks) if is_carrier(block))


class _Part(NamedTuple):
    """One block of an answer."""

    block: Any
    answer: Answer
    origin: Origin
    has_usage: bool


def _blocks_of(answer: Answer) -> list[ContentBlock]:
    """The blocks that say something; an empty text where nothing else can carry the tokens, or say it was cut."""
    blocks = [block for block in answer.content if type(block) is not TextBlock or block.text or block.citations]
    kinds = set(map(type, blocks))
    if kinds.isdisjoint(_MESSAGES if answer.stop_reason == "max_tokens" else _CARRYING):
        blocks.append(TextBlock(text=""))
    return blocks


def _message(part: _Part, content: str = "", *, citations: Any = (), opaque: Any = ()) -> AssistantMessage:
    return _assistant_message(
        content=content,
        stop_reason=part.answer.stop_reason,
        model=part.answer.model,
        usage=part.answer.usage if part.has_usage else None,
        cost=part.answer.cost if part.has_usage else None,
        citations=citations,
        opaque=opaque,
        **part.origin,
    )


def _text(part: _Part) -> Event:
    block: TextBlock = part.block
    return _message(part, block.text, citations=tuple(map(Citation.model_validate, block.citations)))


def _thinking(part: _Part) -> Event:
    block: ThinkingBlock = part.block
    return _thinking_event(
        content=block.text,
        signature=block.signature,
        redacted=block.redacted,
        model=part.answer.model,
        usage=part.answer.usage if part.has_usage else None,
        cost=part.answer.cost if part.has_usage else None,
        **part.origin,
    )


def _tool_request(part: _Part) -> Event:
    block: ToolCallBlock = part.block
    return _request_event(
        tool_use_id=block.id,
        tool_name=block.name,
        args=block.args,
        invalid_args=block.invalid_args,
        is_server_side=block.is_server_side,
        model=part.answer.model,
        usage=part.answer.usage if part.has_usage else None,
        **part.origin,
    )


def _tool_response(part: _Part) -> Event:
    block: ToolResultBlock = part.block
    return _response_event(
        tool_use_id=block.tool_use_id,
        tool_name=block.tool_name,
        content=block.content,
        success=not block.is_error,
        error=block.content if block.is_error else None,
        details=block.extra.get(part.answer.provider, {}),
        **part.origin,
    )


def _opaque(part: _Part) -> Event:
    return _message(part, opaque=(part.block.data,))


def _medium(part: _Part) -> Event:
    return _message(part, opaque=(part.block.model_dump(mode="json", exclude_none=True),))


_MESSAGES = (TextBlock, OpaqueBlock, ImageBlock, DocumentBlock)
"""The blocks that become assistant messages."""

_CARRYING = (*_MESSAGES, ToolCallBlock, ThinkingBlock)
"""The blocks whose events can carry tokens."""

_CARRIERS: tuple[Callable[[ContentBlock], bool], ...] = (
    lambda block: isinstance(block, TextBlock) and bool(block.text),
    lambda block: isinstance(block, _MESSAGES),
    lambda block: isinstance(block, ToolCallBlock),
    lambda block: isinstance(block, ThinkingBlock) and bool(block.text),
    lambda block: isinstance(block, ThinkingBlock),
)
"""Which block is it, the best one first."""

_EVENTS: dict[type[ContentBlock], Callable[[_Part], Event]] = {
    TextBlock: _text,
    ThinkingBlock: _thinking,
    ToolCallBlock: _tool_request,
    ToolResultBlock: _tool_response,
    OpaqueBlock: _opaque,
    ImageBlock: _medium,
    DocumentBlock: _medium,
}


def _ending(answer: Answer, origin: Origin) -> Event:
    """What a pause or a refusal adds after the blocks."""
    reason = answer.stop_explanation or answer.raw_stop_reason or answer.stop_reason
    if answer.stop_reason == "paused":
        return TurnPaused(reason=reason, **origin)
    return ContentRefused(reason=reason, model=answer.model, **origin)
