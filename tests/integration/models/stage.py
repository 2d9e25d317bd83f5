"""One of our clients in front of the simulator, and what may be left of it afterwards: nothing."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from batuta.kernel.messages import Answer, Delta, Message
from batuta.llm.client import ProviderModel
from batuta.llm.connections import CONNECTIONS
from batuta.llm.factory import client
from batuta.llm.model import Model, ModelRequest, ModelSettings
from batuta.llm.resilient import Protection, ResilientModel
from batuta.resilience.circuit_breaker import CircuitBreaker
from batuta.resilience.observer import observing
from batuta.simulator import PROVIDERS, Provider, Simulator
from batuta.testing.clock import FakeClock
from tests.unit.llm.doubles import Noted

NAMES: dict[str, str] = {
    "anthropic": "anthropic:claude-haiku-4-5",
    "openai_chat": "openai:gpt-5",
    "openai_responses": "openai-responses:gpt-5",
    "google": "google:gemini-3-pro",
    "compatible": "ollama:gpt-oss",
}
"""Our clients, each by a model of it."""
PATIENT = timedelta(seconds=10)


def protocol_of(who: str) -> Provider:
    """Whose protocol a client speaks: one of `NAMES`, or a model of a compatible endpoint."""
    return next((known for known in PROVIDERS if known == who), "openai_chat")


class Stage:
    """A bare client, and the same client protected, on a clock of its own.

    `who` is one of `NAMES`, or a model of a compatible endpoint; `provider` is the protocol it speaks.
    """

    def __init__(self, simulator: Simulator, who: str) -> None:
        self.simulator = simulator
        self.name = NAMES.get(who, who)
        self.provider = protocol_of(who)
        self.clock = FakeClock()
        self.noted = Noted()
        self.breaker = CircuitBreaker(clock=self.clock)
        self.bare: ProviderModel = client(self.name, api_key="key", base_url=base_url(simulator, self.provider))
        guard = Protection(breaker=self.breaker, clock=self.clock, rand=lambda: 0.5)
        self.protected = ResilientModel(self.bare, guard)
        self._tasks_before = asyncio.all_tasks()
        self._simulator_requests = 0

    def play(self, scenario: Mapping[str, Any]) -> None:
        self.simulator.play(scenario)

    async def warm_up(self) -> None:
        """Make the client's connection, which takes longer than an impatient call may, and forget that it was made."""
        await self.bare.generate(said())
        self._simulator_requests = len(self.simulator.requests)

    @property
    def tries(self) -> int:
        """Requests since the warm-up."""
        return len(self.simulator.requests) - self._simulator_requests

    async def ask(self, request: ModelRequest, *, streaming: bool) -> Answer:
        return await asked(self.bare, request, streaming=streaming)

    async def ask_protected(self, request: ModelRequest, *, streaming: bool) -> Answer:
        with observing(self.noted):
            return await asked(self.protected, request, streaming=streaming)

    async def close_without_a_trace(self) -> None:
        """Fails if a client, a connection, an open request or a task is left behind."""
        await self.bare.aclose()
        assert CONNECTIONS.count() == 0
        await self._settle(lambda: self.simulator.open_connections == 0, "connections are left open")
        await self._settle(lambda: self.simulator.open_streams == 0, "streams are left open")
        await self._settle(lambda: not self._own_tasks(), "tasks are left running")

    def _own_tasks(self) -> list["asyncio.Task[Any]"]:
        begun = asyncio.all_tasks() - self._tasks_before - {asyncio.current_task()}
        return [task for task in begun if not _is_the_simulators(task)]

    async def _settle(self, holds: Callable[[], bool], trouble: str) -> None:
        """What is being closed may take a moment, not more."""
        for _ in range(100):
            if holds():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"{trouble}: {self.simulator.open_connections} connections, tasks {self._own_tasks()}")


def _is_the_simulators(task: "asyncio.Task[Any]") -> bool:
    return "aiohttp/web_protocol.py" in str(task.get_coro())


async def asked(model: Model, request: ModelRequest, *, streaming: bool) -> Answer:
    if not streaming:
        return await model.generate(request)
    items: list[Delta | Answer] = [item async for item in model.stream(request)]
    last = items[-1]
    assert isinstance(last, Answer)
    return last


def base_url(simulator: Simulator, provider: Provider) -> str:
    return simulator.url + "/v1" if provider.startswith("openai") else simulator.url


def said(text: str = "hi", *, timeout: timedelta = PATIENT, **settings: Any) -> ModelRequest:
    return ModelRequest(messages=(Message.user(text),), settings=ModelSettings(timeout=timeout, **settings))
