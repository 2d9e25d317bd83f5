"""Conversations as agents really leave them: turns that run to their end, fail, are corrected, denied or cancelled.

Nothing is put into a conversation by hand. A model that improvises answers real agents, and every request that one of
them sends is kept.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Any

from batuta import AgentStep, ChatAgentStep, Conversation, Rejected
from batuta.conversations.summaries import summaries_of
from batuta.conversations.window import SlidingWindow
from batuta.kernel.errors import ProviderRejectedError
from batuta.kernel.messages import Answer, ContentBlock, Delta, TextBlock, ThinkingBlock, ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.pipelines.context import Context
from batuta.tools import tool
from batuta.tools.invocation import ToolInvoker

SIGNED = {
    "anthropic": ThinkingBlock(text="hm", signature="by-anthropic", extra={"anthropic": {}}),
    "openai": ThinkingBlock(text="hm", signature="by-openai", extra={"openai": {"id": "rs_1"}}),
    "google": ThinkingBlock(text="hm", signature="by-google", extra={"google": {}}),
}


class Stuck:
    """Where a life waits until it is cancelled."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    async def wait(self) -> None:
        self.reached.set()
        await asyncio.Event().wait()


_stuck: ContextVar[Stuck] = ContextVar("stuck")
"""That of the turn that runs, for its tools."""


class Improviser:
    """A model that answers whatever comes to its mind; now and then it fails, or says nothing for ever."""

    name = "improviser"

    def __init__(self, dice: random.Random, stuck: Stuck, judge: Callable[[ModelRequest], None]) -> None:
        self.provider = dice.choice([*SIGNED])
        self._dice = dice
        self._stuck = stuck
        self._judge = judge
        self._calls = 0

    async def generate(self, request: ModelRequest) -> Answer:
        self._judge(request)
        luck = self._dice.random()
        if luck < 0.05:
            await self._stuck.wait()
        if luck < 0.08:
            raise ProviderRejectedError("no", status=400)
        content = self._words() if not request.tools or self._dice.random() < 0.6 else self._tool_calls()
        stop = "max_tokens" if luck > 0.97 else "success"
        return Answer(content=(*self._thoughts(), *content), provider=self.provider, model=self.name, stop_reason=stop)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        answer = await self.generate(request)
        if answer.text:
            yield Delta(kind="text", text=answer.text)
        yield answer

    def _thoughts(self) -> list[ContentBlock]:
        return [SIGNED[self.provider]] if self._dice.random() < 0.4 else []

    def _words(self) -> list[ContentBlock]:
        return [TextBlock(text=self._dice.choice(["", "wrong", "yes", "yes", "some words", "x" * 300]))]

    def _tool_calls(self) -> list[ContentBlock]:
        names = self._dice.choices(["stock", "fails", "order", "pay", "launch", "waits"], [9, 2, 2, 2, 1, 1], k=3)
        calls: list[ContentBlock] = []
        for name in names[: self._dice.randint(1, 3)]:
            self._calls += self._dice.random() < 0.9  # some providers give the same id twice
            args = {} if self._dice.random() < 0.1 else {"sku": "A"}
            calls.append(ToolCallBlock(id=f"call_{self._calls}", name=name, args=args))
        return [*(self._words() if self._dice.random() < 0.3 else []), *calls]


class Life:
    """One conversation; `seen` counts what happened in it, `problems` are what the judge said of its requests."""

    def __init__(self, seed: int, judge: Callable[[ModelRequest], list[str]]) -> None:
        self._dice = random.Random(seed)
        self._judge = judge
        self.conversation = Conversation()
        self.seen: Counter[str] = Counter()
        self.problems: list[str] = []

    async def live(self) -> None:
        for turn in range(self._dice.randint(1, 9)):
            await self._turn(f"request {turn} " + "y" * self._dice.choice([0, 0, 400]))
        self.seen["summaries"] += len(summaries_of(self.conversation))

    async def _turn(self, request: str) -> None:
        stuck = Stuck()
        _stuck.set(stuck)
        agent = self._agent(stuck)
        run = asyncio.create_task(agent.run(request, conversation=self.conversation, sink=self, invoker=ToolInvoker()))
        waiting = asyncio.create_task(stuck.reached.wait())
        await asyncio.wait([run, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not run.done():
            run.cancel()
            self.seen["cancelled"] += 1
        (outcome,) = await asyncio.gather(run, return_exceptions=True)
        if not isinstance(outcome, asyncio.CancelledError):
            assert not isinstance(outcome, BaseException), outcome
            self.seen["failed" if outcome.is_error else "answered"] += 1

    def _agent(self, stuck: Stuck) -> AgentStep[str, str]:
        model = Improviser(self._dice, stuck, self._judged)
        options: Any = {"tools": TOOLS, "max_attempts": self._dice.randint(1, 3), "max_tool_iterations": 3}
        if self._dice.random() < 0.25:
            return AgentStep(name="strict", model=model, output=str, validate=_not_wrong, **options)
        window = SlidingWindow(limit_tokens=self._dice.randint(60, 900), keep_first=self._dice.randint(0, 3))
        return ChatAgentStep(
            name="chat",
            model=model,
            window=window if self._dice.random() < 0.7 else None,
            summarizes=self._dice.random() < 0.8,
            is_streaming=self._dice.random() < 0.5,
            **options,
        )

    def _judged(self, request: ModelRequest) -> None:
        self.seen["requests"] += 1
        self.seen["cut by a window"] += len(request.messages) < len(self.conversation.messages)
        self.problems += self._judge(request)  # raised here, it would be a failure of the run and nothing else

    never_blocks = True

    def emit(self, event: Any) -> None:
        self.seen[event.type] += 1


@tool
async def stock(sku: str) -> str:
    """Units on hand."""
    return "7"


@tool
async def fails(sku: str) -> str:
    """Fails."""
    raise ValueError("no such thing")


@tool(roles={"buyer"})
async def order(sku: str) -> str:
    """Needs a role that nobody holds."""
    return "ordered"


@tool(effect="write", approval="always")
async def pay(sku: str) -> str:
    """Needs an approval that nobody gives."""
    return "paid"


@tool
async def waits(sku: str) -> str:
    """Never comes back."""
    await _stuck.get().wait()
    return "never"


TOOLS = (stock, fails, order, pay, waits)


async def _not_wrong(value: str, _: Context) -> None:
    if value == "wrong":
        raise Rejected("this is wrong", hint="say yes")
