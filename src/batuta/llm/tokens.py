"""How many tokens a request will take, before it is sent.

A rule of thumb that means to err on the high side, since budgets are reserved by it: words count a token per three
bytes, digits and symbols (JSON, code) are denser. Where it matters, count with the model's own tokenizer
(`estimator_with`).
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil
from typing import Any, Protocol

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
from batuta.llm.model import ModelRequest

BYTES_PER_TOKEN = 3
TOKENS_PER_SYMBOL = 0.6
SYMBOL = re.compile(r"[^\w\s]|\d")
TOKENS_PER_MESSAGE = 8
TOKENS_PER_TOOL = 24
TOKENS_PER_IMAGE = 1_600
BYTES_PER_DOCUMENT_TOKEN = 20
"""Of a document that is no text; a PDF page of 50 kB costs about 2,500 tokens."""
LEAST_TOKENS_OF_DOCUMENT = 3_000

CountText = Callable[[str], int]


class TokenEstimator(Protocol):
    """Estimates the input tokens of a request."""

    def __call__(self, request: ModelRequest) -> int:
        """Tokens that the request will take, rather too many than too few."""
        ...


def count_roughly(text: str) -> int:
    """Tokens of a text, by its length and its symbols."""
    symbols = SYMBOL.findall(text)
    rest = len(text.encode()) - len(symbols)  # a symbol is one character
    return ceil(rest / BYTES_PER_TOKEN + len(symbols) * TOKENS_PER_SYMBOL)


def estimate_tokens(request: ModelRequest, count: CountText = count_roughly) -> int:
    """Tokens of a whole request."""
    blocks = sum(_of_block(block, count) for message in request.messages for block in message.content)
    tools = sum(_counted(count, tool.text) + TOKENS_PER_TOOL for tool in request.tools)
    output = _counted(count, request.output.text) if request.output else 0
    return _counted(count, request.system) + len(request.messages) * TOKENS_PER_MESSAGE + blocks + tools + output


@lru_cache(maxsize=1_024)
def _counted(count: CountText, text: str) -> int:
    """The same for a text that one request after the other repeats."""
    return count(text)


def estimator_with(encode: Callable[[str], Sequence[Any]]) -> TokenEstimator:
    """An estimator that counts texts with a tokenizer: anything that turns a text into a sequence of tokens."""

    def count(text: str) -> int:
        return len(encode(text))

    def estimate(request: ModelRequest) -> int:
        return estimate_tokens(request, count)

    return estimate


def _of_block(block: ContentBlock, count: CountText) -> int:
    match block:
        case TextBlock() | ThinkingBlock():
            return count(block.text)
        case ToolCallBlock():
            return count(block.name + (block.invalid_args or json.dumps(block.args, default=str)))
        case ToolResultBlock():
            return count(block.content) + sum(_of_block(each, count) for each in block.attachments)
        case ImageBlock():
            return TOKENS_PER_IMAGE
        case DocumentBlock():
            return _of_document(block, count)
        case OpaqueBlock():
            return count(json.dumps(block.data, default=str))


def _of_document(block: DocumentBlock, count: CountText) -> int:
    data = block.data or b""
    if block.media_type.startswith("text/") and data:
        return count(data.decode(errors="replace"))
    return max(len(data) // BYTES_PER_DOCUMENT_TOKEN, LEAST_TOKENS_OF_DOCUMENT)
