"""Batuta's own small messages: a role and frozen content blocks.

Providers' words stay in their adapters; everything above speaks these.
"""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, JsonValue

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
