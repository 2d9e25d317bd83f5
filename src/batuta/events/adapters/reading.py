"""What an adapter finds in one message before its blocks are read, and the way from raw blocks to canonical ones."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeGuard

from batuta.events.adapters.plain import Fields
from batuta.kernel.ids import new_id
from batuta.kernel.messages import ContentBlock, OpaqueBlock, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultBlock
from batuta.kernel.usage import Usage

log = logging.getLogger("batuta.events")

BlockReader = Callable[[Fields], Iterable[ContentBlock]]
"""Canonical blocks of one raw block. Raises `UnreadableError` when it is not what its type promises."""

BlockTable = Mapping[str, BlockReader]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockReading:
    """One message of a model, sorted but not yet translated."""

    blocks: list[Any]
    stop: str | None = None
    explanation: str | None = None
    model: str | None = None
    response_id: str | None = None
    usage: Usage | None = None
    facts: Fields = field(default_factory=dict)
    """Whatever stands beside the blocks and belongs to them."""


@lru_cache(maxsize=1024)
def warn_of_unknown_block(provider: str, block_type: str) -> None:
    """Say once that a kind of block has no canonical form."""
    log.warning("%s sent a block of unknown type %r; it is kept as it came", provider, block_type)


@lru_cache(maxsize=1024)
def warn_of_malformed_block(provider: str, block_type: str) -> None:
    """Say once that a kind of block could not be read."""
    log.warning("%s sent a block of type %r that cannot be read; it is kept as it came", provider, block_type)


def opaque(provider: str, raw: Any) -> OpaqueBlock:
    """A block kept as it came."""
    return OpaqueBlock(provider=provider, data=raw if isinstance(raw, dict) else {"value": raw})


def marked(block: ContentBlock, provider: str) -> ContentBlock:
    """A signed thought says whose it is: no other provider can read its signature, and some refuse a foreign one."""
    if not isinstance(block, ThinkingBlock) or not (block.signature or block.redacted) or provider in block.extra:
        return block
    return block.model_copy(update={"extra": {**block.extra, provider: {}}})


def settled(blocks: Iterable[ContentBlock], response_id: str | None) -> tuple[ContentBlock, ...]:
    """The blocks that hold something; every call has an id, every result its call's id and name."""
    desk = _Pairing(response_id)
    found: list[ContentBlock] = []
    for block in blocks:
        before = found[-1] if found else None
        if isinstance(before, TextBlock) and _only_cites(block):
            found[-1] = before.model_copy(update={"citations": (*before.citations, *block.citations)})
        elif not _is_hollow(block):
            found.append(desk.settle(block))
    return tuple(found)


def _only_cites(block: ContentBlock) -> TypeGuard[TextBlock]:
    """Whether a block is nothing but the sources of the text before it, as LangChain's streams have them."""
    return isinstance(block, TextBlock) and not block.text and bool(block.citations)


def _is_hollow(block: ContentBlock) -> bool:
    """Whether a block holds nothing at all, such as the empty text beside a tool call."""
    if isinstance(block, TextBlock):
        return not (block.text or block.citations or block.extra)
    if isinstance(block, ThinkingBlock):
        return not (block.text or block.signature or block.redacted or block.extra)
    return False


class _Pairing:
    """Gives ids to calls that came without one, and to server-side results the call they answer."""

    def __init__(self, response_id: str | None) -> None:
        self._response_id = response_id
        self._names: dict[str, str] = {}
        self._open: list[str] = []
        self._given = 0

    def settle(self, block: ContentBlock) -> ContentBlock:
        if isinstance(block, ToolCallBlock):
            return self._call(block)
        if isinstance(block, ToolResultBlock):
            return self._result(block)
        return block

    def _call(self, call: ToolCallBlock) -> ToolCallBlock:
        if not call.id:
            call = call.model_copy(update={"id": self._new_id()})
        self._names[call.id] = call.name
        if call.is_server_side:
            self._open.append(call.id)
        return call

    def _result(self, result: ToolResultBlock) -> ToolResultBlock:
        call_id = result.tool_use_id or (self._open[0] if self._open else self._new_id())
        if call_id in self._open:
            self._open.remove(call_id)
        name = self._names.get(call_id, result.tool_name)
        return result.model_copy(update={"tool_use_id": call_id, "tool_name": name})

    def _new_id(self) -> str:
        self._given += 1
        return f"call_{self._response_id}_{self._given}" if self._response_id else f"call_{new_id()}"
