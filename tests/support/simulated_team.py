"""The world of a simulation that outlives its processes: what was really done, what a provider really served, and a
team that acts on it.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar, cast

from batuta.kernel.errors import ProviderUnavailableError
from batuta.kernel.messages import Answer, ContentBlock, Delta, TextBlock, ToolCallBlock
from batuta.kernel.usage import Usage
from batuta.llm.model import ModelRequest
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.testing.simulation import SimulatedLoop
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool
from tests.support.history import ServedCall

T = TypeVar("T")
CALLS = {
    "look": ("look",),
    "send": ("look", "send"),
    "shout": ("shout",),
    "book": ("book",),
    "all": ("look", "publish", "send", "book", "shout"),
}
"""What the clerk does, by what a message asks for."""
WISHES = (*CALLS, "talk", "plan")
SLOWEST_SECONDS = 10.0
"""On its way a request takes up to eight seconds in the worst weather, also if its sender is dead by then."""


@dataclass
class World:
    """Everything outside the processes of one simulation."""

    loop: SimulatedLoop
    done: Counter[str] = field(default_factory=Counter)
    """How often each write happened, by its key."""
    served: list[ServedCall] = field(default_factory=list)
    """What the provider answered and counts, whether or not the answer arrived."""


_WORLDS: dict[asyncio.AbstractEventLoop, World] = {}


@contextmanager
def world_of(loop: SimulatedLoop) -> Iterator[World]:
    """The world around a simulation; the team finds it by the loop it runs on."""
    try:
        yield _WORLDS.setdefault(loop, World(loop))
    finally:
        del _WORLDS[loop]


def _world() -> World:
    return _WORLDS[asyncio.get_running_loop()]


@cache
def team() -> Orchestrator:
    """A supervisor that plans, a clerk with one tool of every kind, and one who talks in pieces. It holds no state, so
    that all processes of all simulations share it.
    """
    clerk = AgentStep(name="clerk", model=_ServedModel(_clerk), output=str, tools=_tools(), instructions="Act.")
    talker = AgentStep(name="talker", model=_ServedModel(_talk), output=str, is_streaming=True, instructions="Talk.")
    return Orchestrator(
        supervisor=_ServedModel(_supervise),
        agents=[Specialist(clerk, name="Clerk"), Specialist(talker, name="Talker")],
    )


def _tools() -> list[Tool]:
    async def outside(act: Callable[[], T]) -> T:
        return await _world().loop.outside(act, _network_error)

    async def do(key: str) -> str:
        world = _world()

        def act() -> str:
            world.done[key] += 1
            return f"done {key.split(' ', maxsplit=1)[0]}"

        return await outside(act)

    def found(name: str) -> Any:
        async def was_done(args: dict[str, Any], ctx: ToolContext) -> str | None:
            world, key = _world(), f"{name} {ctx.idempotency_key}"
            return await world.loop.outside(lambda: f"done {name}" if world.done[key] else None)

        return was_done

    @tool(effect="read")
    async def look(n: int) -> str:
        """Look something up."""
        return await outside(lambda: f"saw {n}")

    @tool(effect="idempotent")
    async def publish(n: int) -> str:
        """Publish a page."""
        return await outside(lambda: f"published {n}")

    @tool(effect="write", reconcile=found("send"), settles_within=SLOWEST_SECONDS)
    async def send(n: int, ctx: ToolContext) -> str:
        """Send a letter; the post office knows the key."""
        return await do(f"send {ctx.idempotency_key}")

    @tool(effect="write", approval="always", reconcile=found("book"), settles_within=SLOWEST_SECONDS)
    async def book(n: int, ctx: ToolContext) -> str:
        """Book a day, with consent."""
        return await do(f"book {ctx.idempotency_key}")

    @tool(effect="write", settles_within=SLOWEST_SECONDS)
    async def shout(n: int, ctx: ToolContext) -> str:
        """Shout: whether it was heard cannot be found out afterwards."""
        return await do(f"shout {ctx.idempotency_key}")

    return [look, publish, send, book, shout]


def _network_error(why: str) -> Exception:
    return ConnectionRefusedError(why) if "not reached" in why else ConnectionResetError(why)


def _provider_error(why: str) -> Exception:
    return ProviderUnavailableError(why)


@dataclass
class _ServedModel:
    """A model at a provider that counts what it serves."""

    rule: Any
    provider: str = "simulated"
    name: str = "simulated-1"

    async def generate(self, request: ModelRequest) -> Answer:
        world = _world()
        return await world.loop.outside(lambda: self._serve(request, world), _provider_error)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        answer = await self.generate(request)
        for word in answer.text.split(" "):
            yield Delta("text", f"{word} ")
            await asyncio.sleep(0.02 * _world().loop.random.random())
        yield answer

    def _serve(self, request: ModelRequest, world: World) -> Answer:
        said = self.rule(request)
        content = (TextBlock(text=said),) if isinstance(said, str) else tuple(said)
        usage = Usage(input=len(request.messages) * 7, output=1 + len(str(said)) % 50)
        response_id = f"r{len(world.served)}"
        turn = str(request.metadata["correlation_id"])
        world.served.append(ServedCall(turn=turn, response_id=response_id, tokens=usage.total))
        return Answer(
            content=cast("tuple[ContentBlock, ...]", content),
            stop_reason="success",
            model=self.name,
            provider=self.provider,
            usage=usage,
            response_id=response_id,
        )


def _clerk(request: ModelRequest) -> str | list[ToolCallBlock]:
    if request.tool_results:
        return "; ".join(result.content for result in request.tool_results)
    wish = next((word for word in request.messages[-1].text.split() if word in CALLS), "look")
    return [ToolCallBlock(id=f"call_{name}", name=name, args={"n": n}) for n, name in enumerate(CALLS[wish])]


def _talk(request: ModelRequest) -> str:
    return "one two three four five six seven eight"


def _supervise(request: ModelRequest) -> str:
    text = request.messages[-1].text
    if request.output is None or "Results of earlier steps:" in text:
        return "It is done [1]."
    steps = [
        {"agent_id": "clerk", "task": "please send", "depends_on": []},
        {"agent_id": "talker", "task": "talk", "depends_on": [0]},
    ]
    return json.dumps({"steps": steps})
