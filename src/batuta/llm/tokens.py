"""How many tokens a request will take, before it is sent.

The heuristic errs on the high side: budgets are reserved by it. Texts of all languages have at least three bytes of
UTF-8 per token in the tokenizers of the large providers; a picture costs what the dearest provider takes for one.
"""

import json
from collections.abc import Callable
from math import ceil
from typing import Protocol

from batuta.kernel.extras import load_extra
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


def count_by_bytes(text: str) -> int:
    """Tokens of a text, by its length."""
    return ceil(len(text.encode()) / BYTES_PER_TOKEN)


def estimate_tokens(request: ModelRequest, count: CountText = count_by_bytes) -> int:
    """Tokens of a whole request."""
    blocks = sum(_of_block(block, count) for message in request.messages for block in message.content)
    tools = sum(count(_tool_text(tool.name, tool.description, tool.schema)) + TOKENS_PER_TOOL for tool in request.tools)
    output = count(json.dumps(request.output.schema)) if request.output else 0
    return count(request.system) + len(request.messages) * TOKENS_PER_MESSAGE + blocks + tools + output


def tiktoken_estimator(encoding: str = "o200k_base") -> TokenEstimator:
    """Count with OpenAI's own tokenizer (package `tiktoken`). The encoding's file is fetched once by that package."""
    tokenizer = load_extra("tiktoken", extra="openai", needed_for="exact token counts").get_encoding(encoding)

    def estimate(request: ModelRequest) -> int:
        return estimate_tokens(request, lambda text: len(tokenizer.encode_ordinary(text)))

    return estimate


def _of_block(block: ContentBlock, count: CountText) -> int:
    match block:
        case TextBlock() | ThinkingBlock():
            return count(block.text)
        case ToolCallBlock():
            return count(block.name + (block.invalid_args or json.dumps(block.args, default=str)))
        case ToolResultBlock():
            return count(block.content)
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


def _tool_text(name: str, description: str, schema: dict[str, object]) -> str:
    return f"{name} {description} {json.dumps(schema, default=str)}"
