"""Batuta's own small messages (a role and frozen content blocks), and a model's answer, whole or piece by piece.

Providers' words stay in their adapters; everything above speaks these.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, JsonValue

from batuta.kernel.usage import Usage

Role = Literal["system", "user", "assistant", "tool"]


class _Block(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True)


class _ModelBlock(_Block):
    extra: dict[str, dict[str, JsonValue]] = Field(default_factory=dict)
    """By provider: what it wants to have sent back with this block (item ids, signatures, its own form of it)."""


class TextBlock(_ModelBlock):
    """Words."""

    type: Literal["text"] = "text"
    text: str
    citations: tuple[JsonValue, ...] = ()


class ThinkingBlock(_ModelBlock):
    """What a model thought before it answered. The provider's `signature` lets it be sent back unchanged."""

    type: Literal["thinking"] = "thinking"
    text: str
    signature: str | None = None
    redacted: str | None = None


class ToolCallBlock(_ModelBlock):
    """A model's wish to have a tool run."""

    type: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    args: dict[str, Any] = Field(default_factory=dict)
    invalid_args: str | None = None
    """The raw text of arguments that were no JSON object; the call is answered with an error."""
    is_server_side: bool = False
    """The provider ran this tool itself; it needs no result from us."""


class ImageBlock(_Block):
    """A picture, by content or by address."""

    is_attachment: ClassVar[bool] = True
    """Known by this mark where agents are declared, without importing this module."""
    type: Literal["image"] = "image"
    media_type: str
    data: Base64Bytes | None = None
    url: str | None = None


class DocumentBlock(_Block):
    """A document, by content or by address."""

    is_attachment: ClassVar[bool] = True
    type: Literal["document"] = "document"
    media_type: str
    name: str = ""
    data: Base64Bytes | None = None
    url: str | None = None


class ToolResultBlock(_ModelBlock):
    """What a tool answered, or why it was not run."""

    type: Literal["tool_result"] = "tool_result"
    tool_use_id: str
    tool_name: str = ""
    content: str
    attachments: tuple[ImageBlock | DocumentBlock, ...] = ()
    """Pictures and documents that the tool gave beside its words."""
    is_error: bool = False
    is_server_side: bool = False
    """The provider ran the tool; this is part of the model's own message."""


class OpaqueBlock(_Block):
    """Something of one provider that has no canonical form: kept, sent back to that provider, shown as unknown."""

    type: Literal["opaque"] = "opaque"
    provider: str
    data: dict[str, JsonValue]


ContentBlock = Annotated[
    TextBlock | ThinkingBlock | ToolCallBlock | ToolResultBlock | ImageBlock | DocumentBlock | OpaqueBlock,
    Field(discriminator="type"),
]


class Message(BaseModel):
    """One message of a conversation."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    role: Role
    content: tuple[ContentBlock, ...]
    agent_id: str | None = None
    """Who said it, for messages of an assistant."""

    @classmethod
    def system(cls, text: str) -> Self:
        """A system message of one text."""
        return cls(role="system", content=(TextBlock(text=text),))

    @classmethod
    def user(cls, text: str, *attachments: ImageBlock | DocumentBlock) -> Self:
        """A user message of a text and what is attached to it."""
        return cls(role="user", content=(TextBlock(text=text), *attachments))

    @classmethod
    def assistant(cls, content: str | Iterable[ContentBlock], agent_id: str | None = None) -> Self:
        """An assistant message of a text or of blocks."""
        blocks = (TextBlock(text=content),) if isinstance(content, str) else tuple(content)
        return cls(role="assistant", content=blocks, agent_id=agent_id)

    @classmethod
    def tool(cls, results: Iterable[ToolResultBlock]) -> Self:
        """The results of the calls of one assistant message, in call order."""
        return cls(role="tool", content=tuple(results))

    @property
    def text(self) -> str:
        """All its words, without thinking and tools."""
        return "".join(block.text for block in self.content if isinstance(block, TextBlock))

    @property
    def tool_calls(self) -> tuple[ToolCallBlock, ...]:
        """The tool calls it asks for, without those the provider ran itself."""
        calls = (block for block in self.content if isinstance(block, ToolCallBlock))
        return tuple(call for call in calls if not call.is_server_side)

    @property
    def tool_results(self) -> tuple[ToolResultBlock, ...]:
        """The tool results it brings, without those the provider made itself."""
        results = (block for block in self.content if isinstance(block, ToolResultBlock))
        return tuple(result for result in results if not result.is_server_side)


Attachment = ImageBlock | DocumentBlock
DEPTH = 2
"""How deep is looked: a field of a value, or an item of a list in it."""


def separated(value: Any) -> tuple[Any, tuple[Attachment, ...]]:
    """A value with its attachments replaced by their names, and the attachments; most values have none."""
    if isinstance(value, str):
        return value, ()
    found: list[Attachment] = []
    rest = _without(value, found, DEPTH)
    return (rest, tuple(found)) if found else (value, ())


def _without(value: Any, found: list[Attachment], depth: int) -> Any:
    if isinstance(value, Attachment):
        found.append(value)
        return f"[{value.type} {len(found)}]"
    if depth == 0:
        return value
    if isinstance(value, (list, tuple)):
        return [_without(item, found, depth - 1) for item in value]
    if isinstance(value, Mapping):
        return {name: _without(item, found, depth - 1) for name, item in value.items()}
    if isinstance(value, BaseModel):
        return {name: _without(getattr(value, name), found, depth - 1) for name in type(value).model_fields}
    return value


StopReason = Literal["success", "max_tokens", "paused", "refused"]


class Answer(BaseModel):
    """One whole answer of a model."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    content: tuple[ContentBlock, ...]
    stop_reason: StopReason = "success"
    raw_stop_reason: str | None = None
    """The provider's own word, as it came."""
    stop_explanation: str | None = None
    """What the provider said about why it stopped, where it said something."""
    model: str = "unknown"
    """The model that was really used, as the provider named it."""
    provider: str = "unknown"
    response_id: str | None = None
    usage: Usage | None = None
    cost: Decimal | None = None
    cache_key: str | None = None
    """Under what it was found in a cache of answers, if it was."""

    @property
    def text(self) -> str:
        """All its words, without thinking and tools."""
        return "".join(block.text for block in self.content if isinstance(block, TextBlock))

    @property
    def thinking(self) -> str:
        """What the model thought."""
        return "".join(block.text for block in self.content if isinstance(block, ThinkingBlock))

    @property
    def tool_calls(self) -> tuple[ToolCallBlock, ...]:
        """The tools it asks for, in order, without those the provider ran itself."""
        return tuple([block for block in self.content if isinstance(block, ToolCallBlock) and not block.is_server_side])

    def as_message(self, agent_id: str | None = None) -> Message:
        """The answer as a message of a conversation."""
        return Message.assistant(self.content, agent_id)


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer while it streams."""

    kind: Literal["text", "thinking", "tool_call"]
    text: str
    tool_name: str | None = None
