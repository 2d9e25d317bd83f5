"""A team that stands still where a test can look at it: each model call and each tool call waits to be let on.

stops = Stops(); team = stepped_team(stops)
await stops.until(3); …; stops.go()
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from batuta.kernel.messages import Answer, Delta, TextBlock, ThinkingBlock, ToolCallBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.tool import Tool, tool

STEPS = ("north", "south", "west")
STOPS_OF_A_PLAN = 2 + 3 * len(STEPS)
"""The plan and its conclusion; of each step the call of the tool, the tool, and the answer."""
WAIT_SECONDS = 60
DICTATION = (
    "The first ",
    "half of **a bold",
    " word** and ",
    "a list:\n\n- one",
    " point\n- two",
    "\n\n| a | b |\n|---|",
    "---|\n| 1 | 2 |\n\n",
    "```python\nprint(",
    "'hello')\n```\n",
    "and the end.",
)
"""Pieces that end in the middle of a word, of a mark, of a table and of a block of code."""
THOUGHT = ("First I count ", "the sides, then ", "I add them up.")
"""Pieces of a thought that comes before an answer."""
LONG_ANSWER = " ".join(f"word{index}" for index in range(400))


@dataclass
class Stops:
    """Where the team stands still, counted from 1."""

    _count: int = 0
    _passed: int = 0
    _arrived: asyncio.Condition = field(default_factory=asyncio.Condition)
    _allowed: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def stand(self) -> None:
        """Wait to be let on."""
        async with self._arrived:
            self._count += 1
            self._arrived.notify_all()
        await self._allowed.acquire()

    async def until(self, number: int) -> None:
        """Let the team on until it stands at this stop."""
        self.go(number - 1 - self._passed)
        async with asyncio.timeout(WAIT_SECONDS), self._arrived:
            await self._arrived.wait_for(lambda: self._count >= number)

    def go(self, times: int = STOPS_OF_A_PLAN) -> None:
        """Let it on past so many stops; without a number to the end."""
        for _ in range(times):
            self._passed += 1
            self._allowed.release()


@dataclass
class SteppedModel:
    """Plans, calls a tool and answers by rule, each after a stop."""

    stops: Stops
    provider: str = "rules"
    name: str = "stepped-1"

    async def generate(self, request: ModelRequest) -> Answer:
        await self.stops.stand()
        return _answer(_said(request))

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        yield await self.generate(request)


@dataclass
class TalkativeModel:
    """Says a long answer slowly, word by word."""

    provider: str = "rules"
    name: str = "talkative-1"
    seconds_per_word: float = 0.06

    async def generate(self, request: ModelRequest) -> Answer:
        return _answer(LONG_ANSWER)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        for word in LONG_ANSWER.split():
            yield Delta("text", f"{word} ")
            await asyncio.sleep(self.seconds_per_word)
        yield _answer(LONG_ANSWER)


@dataclass
class DictatingModel:
    """Says an answer in pieces, and stands still after each."""

    stops: Stops
    provider: str = "rules"
    name: str = "dictating-1"

    async def generate(self, request: ModelRequest) -> Answer:
        return _answer("".join(DICTATION))

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        for piece in DICTATION:
            yield Delta("text", piece)
            await self.stops.stand()
        yield _answer("".join(DICTATION))


@dataclass
class ThinkingModel:
    """Thinks in pieces and stands still after each, then answers."""

    stops: Stops
    provider: str = "rules"
    name: str = "thinking-1"

    async def generate(self, request: ModelRequest) -> Answer:
        return _answer("There are four sides.", thought="".join(THOUGHT))

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        for piece in THOUGHT:
            yield Delta("thinking", piece)
            await self.stops.stand()
        yield Delta("text", "There are four sides.")
        yield await self.generate(request)


def stepped_team(stops: Stops) -> Orchestrator:
    """A surveyor who is asked three times in a row; a talker, a dictator and a thinker who are asked directly."""
    surveyor = AgentStep(
        name="surveyor",
        model=SteppedModel(stops),
        output=str,
        instructions="Survey.",
        tools=[_measuring(stops)],
    )
    talker = AgentStep(name="talker", model=TalkativeModel(), output=str, instructions="Talk.", is_streaming=True)
    dictator = AgentStep(
        name="dictator", model=DictatingModel(stops), output=str, instructions="Dictate.", is_streaming=True
    )
    thinker = AgentStep(
        name="thinker", model=ThinkingModel(stops), output=str, instructions="Think.", is_streaming=True
    )
    return Orchestrator(
        supervisor=SteppedModel(stops),
        agents=[
            Specialist(surveyor, name="Surveyor", icon="🧭", color="#10B981"),
            Specialist(talker, name="Talker", commands=("/talk",)),
            Specialist(dictator, name="Dictator", commands=("/dictate",)),
            Specialist(thinker, name="Thinker", commands=("/think",)),
        ],
    )


def _measuring(stops: Stops) -> Tool:
    @tool
    async def measure(side: str) -> str:
        """Measure one side."""
        await stops.stand()
        return f"{side} is {len(side)} metres"

    return measure


def _said(request: ModelRequest) -> str | ToolCallBlock:
    if request.output is not None:
        return _plan()
    if not request.tools:
        return "All sides are measured."
    if request.tool_results:
        return f"Measured: {request.tool_results[-1].content}"
    side = next(side for side in STEPS if f"{side} is" not in request.messages[-1].text)
    return ToolCallBlock(id=f"call_{side}", name="measure", args={"side": side})


def _plan() -> str:
    steps = [
        {"agent_id": "surveyor", "task": f"Measure the {side} side", "depends_on": list(range(index))}
        for index, side in enumerate(STEPS)
    ]
    return json.dumps({"steps": steps})


def _answer(said: str | ToolCallBlock, thought: str = "") -> Answer:
    content = TextBlock(text=said) if isinstance(said, str) else said
    return Answer(
        content=(ThinkingBlock(text=thought), content) if thought else (content,),
        stop_reason="success",
        model="rules",
        provider="rules",
        usage=Usage(input=10, output=5),
    )
