"""Conversations that every wire format must be able to carry."""

from batuta.kernel.messages import (
    DocumentBlock,
    ImageBlock,
    Message,
    OpaqueBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from batuta.llm.model import ModelRequest, ModelSettings, OutputSpec, ToolSpec

FIND = ToolSpec(name="find", description="Finds.", schema={"type": "object", "properties": {"q": {"type": "string"}}})
PERSON = OutputSpec(name="person", schema={"type": "object", "properties": {"name": {"type": "string"}}})
CALL = ToolCallBlock(id="c1", name="find", args={"q": "x"})
BROKEN_CALL = ToolCallBlock(id="c2", name="find", invalid_args='{"q": ')
RESULT = ToolResultBlock(tool_use_id="c1", tool_name="find", content="found")
FAILURE = ToolResultBlock(tool_use_id="c2", tool_name="find", content="not JSON", is_error=True)
IMAGE = ImageBlock(media_type="image/png", data=b"aGVsbG8=")
IMAGE_AT = ImageBlock(media_type="image/png", url="https://example.com/a.png")
PDF = DocumentBlock(media_type="application/pdf", name="a.pdf", data=b"aGVsbG8=")
NOTE = DocumentBlock(media_type="text/plain", name="note", data=b"aGVsbG8=")


def asked(*messages: Message, **fields: object) -> ModelRequest:
    return ModelRequest(messages=messages or (Message.user("hi"),), **fields)  # type: ignore[arg-type]


def with_settings(**settings: object) -> ModelRequest:
    return asked(settings=ModelSettings(**settings))  # type: ignore[arg-type]


TOOL_LOOP = asked(
    Message.user("hi"),
    Message.assistant([TextBlock(text="I look."), CALL, BROKEN_CALL]),
    Message.tool([RESULT, FAILURE]),
    Message.user("and now?"),
    tools=(FIND,),
)
ATTACHMENTS = asked(Message.user("look", IMAGE, IMAGE_AT, PDF, NOTE))
FOREIGN = asked(
    Message.user("hi"),
    Message.assistant(
        [
            ThinkingBlock(text="hm", signature="s", extra={"elsewhere": {"id": "1"}}),
            OpaqueBlock(provider="elsewhere", data={"type": "odd"}),
            TextBlock(text="yes"),
        ]
    ),
    Message.user("go on"),
)
HOLLOW = asked(
    Message.user("hi"), Message.assistant([]), Message.user(""), Message.system("Be brief."), Message.user("hello?")
)
EVERYTHING = {
    "tool loop": TOOL_LOOP,
    "attachments": ATTACHMENTS,
    "foreign blocks": FOREIGN,
    "hollow messages": HOLLOW,
    "structured": asked(output=PERSON),
    "forced": asked(tools=(FIND,), tool_choice="required"),
}
