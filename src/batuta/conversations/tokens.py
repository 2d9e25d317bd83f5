"""An estimate of tokens that needs no tokenizer: good enough to choose what is sent, never used for billing."""

from collections.abc import Callable, Iterable
from functools import singledispatch

from pydantic_core import to_json

from batuta.kernel.messages import (
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)

CHARS_PER_TOKEN = 4
TOKENS_PER_FOREIGN_CHAR = 0.75
"""Outside ASCII a token holds one or two characters."""
TOKENS_PER_MESSAGE = 4
TOKENS_PER_IMAGE = 1_000
BYTES_PER_DOCUMENT_TOKEN = 8

TokenCounter = Callable[[Message], int]


def estimate_text(text: str) -> int:
    """About how many tokens a text has."""
    if text.isascii():
        return -(-len(text) // CHARS_PER_TOKEN)
    foreign = sum(1 for char in text if not char.isascii())
    return -(-(len(text) - foreign) // CHARS_PER_TOKEN) + round(foreign * TOKENS_PER_FOREIGN_CHAR)


def estimate_message(message: Message) -> int:
    """About how many tokens a message has."""
    return TOKENS_PER_MESSAGE + sum(_estimate_block(block) for block in message.content)


def estimate(messages: Iterable[Message]) -> int:
    """About how many tokens messages have together."""
    return sum(map(estimate_message, messages))


@singledispatch
def _estimate_block(block: ContentBlock) -> int:
    return estimate_text(block.model_dump_json())


@_estimate_block.register
def _(block: TextBlock) -> int:
    return estimate_text(block.text)


@_estimate_block.register
def _(block: ThinkingBlock) -> int:
    return estimate_text(block.text)


@_estimate_block.register
def _(block: ToolCallBlock) -> int:
    return estimate_text(block.name) + estimate_text(to_json(block.args, fallback=str).decode())


@_estimate_block.register
def _(block: ToolResultBlock) -> int:
    return estimate_text(block.content)


@_estimate_block.register
def _(block: ImageBlock) -> int:
    return TOKENS_PER_IMAGE


@_estimate_block.register
def _(block: DocumentBlock) -> int:
    return TOKENS_PER_IMAGE if block.data is None else len(block.data) // BYTES_PER_DOCUMENT_TOKEN
