"""A model that plays a script: deterministic, in process, and strict about what the script does not hold."""

import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from batuta.kernel.errors import LogicalError
from batuta.kernel.messages import Answer, ContentBlock, Delta, StopReason, TextBlock, ThinkingBlock, ToolCallBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest


class UnexpectedRequestError(LogicalError):
    """A scripted model was asked more often than its script has lines."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call in a scripted reply. Ids are made up when absent: `call_1`, `call_2` …"""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One line of a script: what the model answers."""

    text: str = ""
    tool_calls: Iterable[ToolCall] = ()
    thinking: str | None = None
    usage: Usage | None = None
    cost: Decimal | None = None
    """In US dollars; unknown unless the script says it."""
    stop_reason: StopReason = "success"
    model: str = "scripted"


Line = Reply | Exception | Callable[[ModelRequest], Reply]
"""A reply, an error to raise, or a function of the request."""


class ScriptedModel:
    """Plays its lines in order. `requests` keeps what it was asked; `assert_finished()` checks that all was played."""

    provider = "scripted"

    def __init__(self, script: Iterable[Line], *, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self._script = list(script)
        self._position = 0
        self._calls = 0
        self._overrun: UnexpectedRequestError | None = None

    async def generate(self, request: ModelRequest) -> Answer:
        """Play the next line."""
        return self._next(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        """Play the next line word by word."""
        answer = self._next(request)
        for block in answer.content:
            if isinstance(block, TextBlock):
                for word in _words(block.text):
                    yield Delta("text", word)
            elif isinstance(block, ThinkingBlock):
                for word in _words(block.text):
                    yield Delta("thinking", word)
        yield answer

    def assert_finished(self) -> None:
        """Fail if lines were not played, or if more was asked than the script holds."""
        if self._overrun is not None:
            raise self._overrun
        unused = self._script[self._position :]
        if unused:
            raise AssertionError(f"{len(unused)} scripted line(s) were not played; the next is {unused[0]!r}")

    def _next(self, request: ModelRequest) -> Answer:
        self.requests.append(request)
        if self._position >= len(self._script):
            self._overrun = UnexpectedRequestError(
                f"request {len(self.requests)} is not in the script, which has {len(self._script)} line(s); "
                f"the last message was {request.messages[-1].text[:80]!r}"
            )
            raise self._overrun
        line = self._script[self._position]
        self._position += 1
        if isinstance(line, Exception):
            raise line
        return self._answer(line if isinstance(line, Reply) else line(request))

    def _answer(self, reply: Reply) -> Answer:
        content: list[ContentBlock] = []
        if reply.thinking is not None:
            content.append(ThinkingBlock(text=reply.thinking))
        if reply.text:
            content.append(TextBlock(text=reply.text))
        content.extend(self._call(call) for call in reply.tool_calls)
        return Answer(
            content=tuple(content),
            stop_reason=reply.stop_reason,
            model=reply.model,
            provider=self.provider,
            usage=reply.usage,
            cost=reply.cost,
        )

    def _call(self, call: ToolCall) -> ToolCallBlock:
        self._calls += 1
        return ToolCallBlock(id=call.id or f"call_{self._calls}", name=call.name, args=dict(call.args))


def _words(text: str) -> list[str]:
    """A text cut after each blank; joined, it is the text again."""
    return re.findall(r"\S*\s*", text)[:-1]
