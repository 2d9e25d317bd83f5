"""Estimates of tokens: rather too many than too few."""

import pytest
import tiktoken

from batuta.kernel.messages import DocumentBlock, ImageBlock, Message, ToolCallBlock, ToolResultBlock
from batuta.llm.model import ModelRequest, OutputSpec, ToolSpec
from batuta.llm.tokens import (
    LEAST_TOKENS_OF_DOCUMENT,
    TOKENS_PER_IMAGE,
    TOKENS_PER_MESSAGE,
    count_roughly,
    estimate_tokens,
    estimator_with,
)

BYTES = {bytes([number]): number for number in range(256)}


def tokens(*messages: Message, **fields: object) -> int:
    return estimate_tokens(ModelRequest(messages=messages, **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["plain words " * 50, "Rechnung für Größe " * 50, "請把發票寄給我" * 50])
def test_words_of_any_script_count_about_a_token_per_three_bytes(text: str) -> None:
    assert len(text.encode()) / 4 <= count_roughly(text) <= len(text.encode()) / 2


def test_symbols_and_digits_are_denser_than_words() -> None:
    data = '{"a":1250.75,"b":[1,2,3]}' * 20
    assert count_roughly(data) > count_roughly("x" * len(data)) * 1.3


def test_a_tokenizer_can_do_the_counting() -> None:
    bytewise = tiktoken.Encoding("bytewise", pat_str=r"(?s).+", mergeable_ranks=BYTES, special_tokens={})
    exact = estimator_with(bytewise.encode_ordinary)(ModelRequest(messages=(Message.user("abcdefghij"),)))
    assert exact == 10 + TOKENS_PER_MESSAGE


def test_everything_that_is_sent_counts() -> None:
    plain = tokens(Message.user("hi"))
    tool = ToolSpec(name="find", description="finds", schema={"type": "object"})
    assert tokens(Message.user("hi"), system="Be kind.") > plain
    assert tokens(Message.user("hi"), tools=(tool,)) > plain
    assert tokens(Message.user("hi"), output=OutputSpec(name="o", schema={"type": "object"})) > plain
    call = Message.assistant([ToolCallBlock(id="1", name="find", args={"x": "y" * 300})])
    result = Message.tool([ToolResultBlock(tool_use_id="1", content="z" * 300)])
    assert tokens(Message.user("hi"), call) >= plain + 100
    assert tokens(Message.user("hi"), result) >= plain + 100


def test_pictures_and_documents_count() -> None:
    image = ImageBlock(media_type="image/png", url="https://example.com/a.png")
    pdf = DocumentBlock(media_type="application/pdf", url="https://example.com/a.pdf")
    assert tokens(Message.user("", image)) >= TOKENS_PER_IMAGE
    assert tokens(Message.user("", pdf)) >= LEAST_TOKENS_OF_DOCUMENT
