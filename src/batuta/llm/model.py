"""What a model is to the rest of Batuta: something that answers a request, whole or as a stream."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from batuta.kernel.errors import SettingsError
from batuta.kernel.numbers import check_duration, check_number

if TYPE_CHECKING:  # declaring agents takes no messages
    from batuta.kernel.messages import Answer, Delta, Message, ToolResultBlock
    from batuta.language.understanding import Understanding

ToolChoice = Literal["auto", "required", "none"]

MODEL_CALL_TIMEOUT = timedelta(seconds=120)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """How a model should answer. `None` leaves a setting to the provider."""

    temperature: float | None = None
    max_tokens: int | None = None
    thinking_budget_tokens: int | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    timeout: timedelta = MODEL_CALL_TIMEOUT
    caches_prompt: bool = False
    """Ask the provider to cache the system prompt and tools, where it can."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Passed to the provider as it is."""

    def __post_init__(self) -> None:
        """Refuse what no provider could take; what only some of them refuse is checked before a call."""
        check_number("max_tokens", self.max_tokens, at_least=1, error=SettingsError)
        check_number("thinking_budget_tokens", self.thinking_budget_tokens, at_least=1, error=SettingsError)
        check_number("temperature", self.temperature, is_whole=False, error=SettingsError)
        check_number("top_p", self.top_p, at_most=1, is_whole=False, error=SettingsError)
        check_duration("timeout", self.timeout, error=SettingsError)


@dataclass(frozen=True, kw_only=True)
class ToolSpec:
    """A tool as a model sees it."""

    name: str
    description: str
    schema: dict[str, Any]

    @cached_property
    def text(self) -> str:
        """All of it as text, to count its tokens."""
        return f"{self.name} {self.description} {json.dumps(self.schema, default=str)}"


@dataclass(frozen=True, kw_only=True)
class OutputSpec:
    """The structure an answer must have, for providers that can enforce it."""

    name: str
    schema: dict[str, Any]

    @cached_property
    def text(self) -> str:
        """The schema as text, to count its tokens."""
        return json.dumps(self.schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """Everything a model needs to answer once."""

    messages: "tuple[Message, ...]"
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = "auto"
    output: OutputSpec | None = None
    settings: ModelSettings = ModelSettings()
    understanding: "tuple[Understanding, ...]" = ()
    """What the agents can be asked, as data: for a model that reads no prose, such as the built-in one."""
    metadata: dict[str, str] = field(default_factory=dict)
    """Facts for interceptors and providers: user, session, agent, correlation id."""

    @property
    def text(self) -> str:
        """The system prompt and the words of all messages."""
        blocks = (block for message in self.messages for block in message.content)
        words = [block.text for block in blocks if block.type == "text"]
        return "\n".join([self.system, *words])

    @property
    def tool_results(self) -> "tuple[ToolResultBlock, ...]":
        """The results that answer the last assistant message, in call order."""
        results: list[ToolResultBlock] = []
        for message in reversed(self.messages):
            if message.role == "assistant":
                break
            results[:0] = message.tool_results
        return tuple(results)


@runtime_checkable
class Model(Protocol):
    """A language model, or something that stands in for one.

    Raises only errors of Batuta's tree: transient ones may be tried again, logical ones may not. Cancelling a call
    closes its connection.
    """

    @property
    def provider(self) -> str:
        """Who serves it, such as `anthropic`."""
        ...

    @property
    def name(self) -> str:
        """The model's name at its provider."""
        ...

    async def generate(self, request: ModelRequest) -> "Answer":
        """Answer once."""
        ...

    def stream(self, request: ModelRequest) -> "AsyncIterator[Delta | Answer]":
        """Answer piece by piece; the last item is the whole answer, equal to what `generate` gives."""
        ...
