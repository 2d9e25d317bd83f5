"""What a model answers, whole or piece by piece, in Batuta's own words."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict

from batuta.kernel.messages import ContentBlock, Message, TextBlock, ThinkingBlock, ToolCallBlock
from batuta.kernel.usage import Usage

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
