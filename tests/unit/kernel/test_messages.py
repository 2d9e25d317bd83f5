"""Messages and answers: frozen, made of blocks, the same after a trip through JSON (F-40)."""

import pytest
from pydantic import ValidationError

from batuta.kernel.messages import (
    Answer,
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

BLOCKS: tuple[ContentBlock, ...] = (
    TextBlock(text="hello", citations=({"url": "https://example.org"},)),
    ThinkingBlock(text="hm", signature="abc"),
    ToolCallBlock(id="c1", name="add", args={"a": 1}),
    ToolResultBlock(tool_use_id="c1", content="2", is_error=False),
    ImageBlock(media_type="image/png", data=b"aGk="),
    DocumentBlock(media_type="application/pdf", name="a.pdf", url="https://example.org/a.pdf"),
    OpaqueBlock(provider="acme", data={"x": [1, None]}),
)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.type)
def test_every_kind_of_block_survives_json(block: ContentBlock) -> None:
    message = Message(role="assistant", content=(block,))
    assert Message.model_validate_json(message.model_dump_json()) == message


def test_messages_and_blocks_are_frozen() -> None:
    message = Message.user("hi")
    with pytest.raises(ValidationError, match="frozen"):
        setattr(message, "role", "system")  # noqa: B010 - a type checker refuses the plain form
    with pytest.raises(ValidationError, match="frozen"):
        setattr(message.content[0], "text", "ho")  # noqa: B010


def test_an_unknown_block_is_refused() -> None:
    with pytest.raises(ValidationError, match="video"):
        Message.model_validate({"role": "user", "content": [{"type": "video"}]})


def test_text_is_the_words_without_thinking_and_tools() -> None:
    message = Message.assistant((*BLOCKS, TextBlock(text=" world")), agent_id="erp")
    assert message.text == "hello world"
    assert message.agent_id == "erp"
    assert [call.name for call in message.tool_calls] == ["add"]
    assert [result.content for result in message.tool_results] == ["2"]


def test_what_the_provider_ran_itself_is_not_asked_of_us() -> None:
    own = ToolCallBlock(id="s1", name="web_search", is_server_side=True)
    answer = Answer(content=(own, *BLOCKS))
    assert [call.id for call in answer.tool_calls] == ["c1"]
    assert answer.as_message("rag").tool_calls == answer.tool_calls


def test_the_short_constructors_make_the_usual_messages() -> None:
    picture = ImageBlock(media_type="image/png", url="https://example.org/a.png")
    assert Message.system("rules").role == "system"
    assert Message.user("look", picture).content[1] == picture
    assert Message.assistant("done").content == (TextBlock(text="done"),)
    assert Message.tool([ToolResultBlock(tool_use_id="c1", content="2")]).role == "tool"


def test_an_answer_keeps_words_and_thoughts_apart() -> None:
    answer = Answer(content=BLOCKS)
    assert (answer.text, answer.thinking) == ("hello", "hm")
