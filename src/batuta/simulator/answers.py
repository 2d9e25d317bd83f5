"""What a simulated provider says, written once and played over every wire format.

    Answer = blocks (text, thinking, tool_call, refusal, server_tool, raw) + stop + usage + fault

Token counts are neutral: ``input`` is the whole prompt (``cached`` and ``cache_write`` are parts of it) and ``output``
is everything generated (``reasoning`` is a part of it). Each wire format splits them its own way.
"""

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

Provider: TypeAlias = Literal["anthropic", "openai_chat", "openai_responses", "google"]
PROVIDERS: tuple[Provider, ...] = ("anthropic", "openai_chat", "openai_responses", "google")
ByProvider: TypeAlias = Provider | Literal["any"]
Stop: TypeAlias = Literal["end", "tool_calls", "max_tokens", "stop_sequence", "pause", "refusal"]
Json: TypeAlias = dict[str, Any]
FaultKind: TypeAlias = Literal[
    "bad_request",
    "unauthorized",
    "forbidden",
    "not_found",
    "too_large",
    "rate_limited",
    "server_error",
    "bad_gateway",
    "unavailable",
    "gateway_timeout",
    "overloaded",
    "slow_first_byte",
    "stalled_stream",
    "cut_mid_event",
    "cut_between_events",
    "malformed_json",
    "malformed_event",
    "wrong_content_type",
    "empty_body",
    "connection_reset",
    "reset_mid_stream",
    "error_event",
    "refusal",
    "max_tokens",
    "pause",
]


class AnswerPart(BaseModel):
    """Base of everything a scenario file may contain: frozen, and a misspelt key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class PlannedCitation(AnswerPart):
    """A source of the text that carries it: a web page when it has a ``url``, a document of the request otherwise."""

    cited_text: str
    url: str | None = None
    title: str = ""
    document: int = 0


class Text(AnswerPart):
    type: Literal["text"] = "text"
    text: str = ""
    data: Any = Field(default=None, alias="json")
    citations: tuple[PlannedCitation, ...] = ()

    @property
    def content(self) -> str:
        return self.text if self.data is None else json.dumps(self.data, ensure_ascii=False)


class PlannedThinking(AnswerPart):
    """Reasoning the client must send back untouched; ``redacted`` keeps its text from the client."""

    type: Literal["thinking"]
    text: str = ""
    signature: str | None = None
    redacted: bool = False


class PlannedToolCall(AnswerPart):
    """``arguments_text`` plays arguments that are not the JSON they should be."""

    type: Literal["tool_call"]
    name: str
    arguments: Json = Field(default_factory=dict)
    arguments_text: str | None = None
    id: str | None = None

    @property
    def arguments_json(self) -> str:
        return json.dumps(self.arguments, ensure_ascii=False) if self.arguments_text is None else self.arguments_text


class PlannedRefusal(AnswerPart):
    type: Literal["refusal"]
    text: str = "The simulated provider refuses to answer this."


class AnswerSource(AnswerPart):
    url: str
    title: str = ""


class ServerTool(AnswerPart):
    """A tool the provider runs itself: a web search with its sources, or code with its output."""

    type: Literal["server_tool"]
    name: Literal["web_search", "code_execution"]
    input: Json = Field(default_factory=dict)
    results: tuple[AnswerSource, ...] = ()
    output: str = ""


class Raw(AnswerPart):
    """A block in the provider's own words, for unknown types; a provider without an entry sends nothing."""

    type: Literal["raw"]
    payloads: dict[ByProvider, Json]

    def payload(self, provider: Provider) -> Json | None:
        return self.payloads.get(provider, self.payloads.get("any"))


Block: TypeAlias = Annotated[
    Text | PlannedThinking | PlannedToolCall | PlannedRefusal | ServerTool | Raw,
    Field(discriminator="type"),
]


class PlannedUsage(AnswerPart):
    input: int = Field(ge=0)
    output: int = Field(ge=0)
    cached: int = Field(default=0, ge=0)
    cache_write: int = Field(default=0, ge=0)
    reasoning: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _parts_fit_the_whole(self) -> "PlannedUsage":
        if self.cached + self.cache_write > self.input:
            raise ValueError("cached + cache_write exceed input: they are parts of it")
        if self.reasoning > self.output:
            raise ValueError("reasoning exceeds output: it is a part of it")
        return self


class Fault(AnswerPart):
    """A failure to play, by its name in the table of :mod:`batuta.simulator.faults`.

    ``times`` is how often it strikes before the answer itself is given. ``seconds`` is the wait of a timing fault,
    ``after_events`` how much of a stream comes before it, ``status`` the code an error event carries. ``clean`` ends a
    cut stream as if it were complete on the transport, as some proxies do.
    """

    kind: FaultKind
    times: int = Field(default=1, ge=1)
    seconds: float = Field(default=30.0, ge=0, le=3600)
    after_events: int = Field(default=3, ge=0)
    retry_after: float | None = Field(default=None, ge=0)
    retry_after_form: Literal["seconds", "date", "none"] = "seconds"
    status: int | None = Field(default=None, ge=400, le=599)
    message: str | None = None
    clean: bool = False


class Pace(AnswerPart):
    """How a stream is cut and how fast it comes; ``vary`` draws chunk sizes from the scenario's seed."""

    chunk_chars: int = Field(default=16, ge=1)
    vary: bool = False
    delay_ms: float = Field(default=0, ge=0)
    first_byte_ms: float = Field(default=0, ge=0)
    bytes_per_write: int | None = Field(default=None, ge=1)


class RawEvent(AnswerPart):
    event: str | None = None
    data: Any


class RawAnswer(AnswerPart):
    """A whole response verbatim: ``body`` for a plain request, ``events`` for a streaming one."""

    status: int = 200
    headers: dict[str, str] = Field(default_factory=dict)
    body: Any = None
    events: tuple[RawEvent, ...] = ()


class PlannedAnswer(AnswerPart):
    blocks: tuple[Block, ...] = ()
    stop: Stop | None = None
    stop_sequence: str | None = None
    usage: PlannedUsage | None = None
    fault: Fault | None = None
    pace: Pace | None = None
    raw: dict[ByProvider, RawAnswer] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _accept_bare_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"blocks": [{"type": "text", "text": value}]}
        if isinstance(value, dict) and "text" in value and "blocks" not in value:
            rest = {key: item for key, item in value.items() if key != "text"}
            return {**rest, "blocks": [{"type": "text", "text": value["text"]}]}
        return value

    @property
    def is_only_a_fault(self) -> bool:
        return self.fault is not None and not self.blocks and not self.raw

    @property
    def stop_reason(self) -> Stop:
        """The stop that was written, or the one the blocks imply."""
        if self.stop is not None:
            return self.stop
        if any(isinstance(block, PlannedRefusal) for block in self.blocks):
            return "refusal"
        return "tool_calls" if any(isinstance(block, PlannedToolCall) for block in self.blocks) else "end"

    def raw_for(self, provider: Provider) -> RawAnswer | None:
        return self.raw.get(provider, self.raw.get("any"))
