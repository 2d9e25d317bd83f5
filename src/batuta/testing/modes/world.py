"""The world outside of a program: models, tools, what is done and undone in it, and a person who decides.

A world outlives the processes that are killed in it. Models are asked through the real client of a provider, down to
the body of the request: only the wire is missing.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest
from batuta.kernel.errors import LogicalError, ProviderUnavailableError, TransientError
from batuta.kernel.usage import Amount
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.llm.client import Endpoint
from batuta.llm.model import ModelRequest
from batuta.llm.openai.client import OpenAIChatModel
from batuta.llm.prices import Price, Prices
from batuta.llm.resilient import Protection, ResilientModel
from batuta.pipelines.options import RunOptions
from batuta.resilience.circuit_breaker import BreakerRecord, CircuitBreaker, MemoryBreakerState
from batuta.testing.clock import FakeClock
from batuta.testing.modes.expected import (
    CONCLUSION,
    EDITED,
    MAX_TRIES,
    NOT_ANSWERED,
    PLANNED_TASK,
    REJECTED,
    edited,
    verdict_on,
)
from batuta.testing.modes.programs import AgentNode, Fate, Health, PlanForm, Program, mark, nodes_of
from batuta.tools.invocation import ToolInvoker

MODEL = "oracle-1"
WORLD = "world"
"""The service by which tools find the world they work in."""
INPUT_TOKENS, OUTPUT_TOKENS = 10, 5
PRICES = Prices({MODEL: Price(input=Decimal(2), output=Decimal(8))})
COST_OF_AN_ANSWER = (INPUT_TOKENS * Decimal(2) + OUTPUT_TOKENS * Decimal(8)) / 1_000_000
WRONG = "not what was asked for"
SUPERVISOR = "supervisor"
DECIDER = "tester"
UNWELL = "the endpoint is not well"
SUPERVISOR_ENDPOINT = 99
BUDGETS = {"ample": 10_000_000, "used up": 1}
SEARCH = {"type": "function", "function": {"name": "provider_search", "parameters": {"type": "object"}}}
"""A tool of the provider, as settings name it beside an agent's own."""


@dataclass(slots=True)
class World:
    """Everything outside of one program."""

    program: Program
    clock: FakeClock = field(default_factory=FakeClock)
    done: Counter[str] = field(default_factory=Counter)
    undone: Counter[str] = field(default_factory=Counter)
    life: int = 1
    """Which process is alive. What fails once before it succeeds does so for each."""
    answers: int = 0
    tries: Counter[tuple[int, str]] = field(default_factory=Counter)
    failed_tries: int = 0
    """Failures of a provider that another try should follow, after a wait."""
    ledger: MemoryBudgetLedger = field(default_factory=MemoryBudgetLedger)
    breakers: MemoryBreakerState = field(default_factory=MemoryBreakerState)
    agents: dict[str, AgentNode] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    made: dict[str, str] = field(default_factory=dict)
    """What an action was given, by what it returned."""
    gone_on_from: set[str] = field(default_factory=set)
    """The failures that steps went on from, as these saw them."""

    def __post_init__(self) -> None:
        """Know the agents of the program by their names."""
        nodes = [node for member in self.program.members for node in nodes_of(member)]
        self.agents = {node.name: node for node in nodes if isinstance(node, AgentNode)}

    def options(self) -> RunOptions:
        """What every run of the program is given."""
        options = RunOptions(clock=self.clock, invoker=ToolInvoker(clock=self.clock), services={WORLD: self})
        if self.program.budget != "none":
            options["ledger"] = self.ledger
            options["budgets"] = [self.budget]
        return options

    @property
    def budget(self) -> Budget:
        """What all calls may take together."""
        return Budget(scope="tenant", id="all", limit_tokens=BUDGETS.get(self.program.budget))

    async def breaker_records(self) -> dict[str, BreakerRecord]:
        """How every breaker stands; since when is up to the clock."""
        return {key: replace(await self.breakers.read(key), since=0.0) for key in sorted(self.keys)}

    async def spent(self) -> Amount:
        """What the ledger says was used."""
        return await self.ledger.spent(self.budget)

    def act(self, name: str, what: str, fate: Fate = "succeeds") -> None:
        """Do something, or fail before anything is done."""
        if fate == "fails":
            raise LogicalError(f"{name} cannot")
        if fate == "fails for now":
            raise TransientError(f"{name} cannot now")
        self.done[f"{name}:{what}"] += 1

    def undo(self, name: str, what: str) -> None:
        """Take back what was done."""
        self.undone[f"{name}:{what}"] += 1

    def has_happened(self, name: str, what: str) -> bool:
        """Whether something was done and not undone."""
        key = f"{name}:{what}"
        return self.done[key] > self.undone[key]

    def decision_on(self, tool_name: str, args: Mapping[str, Any], *, is_about_outcome: bool) -> ApprovalDecision:
        """What a person decides: always the same about the same; what took place they know."""
        approved = ApprovalDecision.approve(by=DECIDER)
        if is_about_outcome:
            what = _what_is_meant(args)
            undone = tool_name.removeprefix("undo ")
            is_done = self.has_happened(undone, what) is (undone == tool_name)
            return ApprovalDecision.reject("it is done", by=DECIDER) if is_done else approved
        what = args["what"]
        verdict = verdict_on(what)
        if verdict == REJECTED:
            return ApprovalDecision.reject("too dear", by=DECIDER)
        return ApprovalDecision.edit({"what": edited(what)}, by=DECIDER) if verdict == EDITED else approved


def _what_is_meant(args: Mapping[str, Any]) -> str:
    """The text that a question is about: itself, or inside of the object that it shows."""
    shown = args.get("value", args.get("what", ""))
    return str(shown["text"] if isinstance(shown, dict) else shown)


@dataclass(frozen=True, slots=True)
class PersonInWorld:
    """The approver of a run: decides at once."""

    world: World

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """Decide about one call."""
        return self.world.decision_on(request.tool_name, request.args, is_about_outcome=request.is_about_outcome)


@dataclass(slots=True)
class Stage:
    """Where a program that was built once is run in one world after the other. Breakers and clocks are the world's."""

    world: World

    async def read(self, key: str) -> BreakerRecord:
        """The record of a breaker in this world."""
        self.world.keys.add(key)
        return await self.world.breakers.read(key)

    async def replace(self, key: str, seen: BreakerRecord, record: BreakerRecord) -> bool:
        """Replace it."""
        return await self.world.breakers.replace(key, seen, record)

    def now(self) -> datetime:
        """The time of this world."""
        return self.world.clock.now()

    def monotonic(self) -> float:
        """Seconds that have passed in it."""
        return self.world.clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep in it."""
        await self.world.clock.sleep(seconds)

    def model(self, endpoint: int) -> ResilientModel:
        """The protected model of an endpoint. How long it waits is up to the clock of the run."""
        address = Endpoint(api_key="none", base_url=f"https://endpoint-{endpoint}.example/v1")
        protection = Protection(breaker=CircuitBreaker(state=self, clock=self), rand=lambda: 0.5)
        return ResilientModel(OracleModel(self, endpoint, address), protection)


class OracleModel(OpenAIChatModel):
    """A model that answers as the program says, by what the body of the request holds and nothing else."""

    def __init__(self, stage: Stage, endpoint: int, address: Endpoint) -> None:
        super().__init__(MODEL, address, prices=PRICES)
        self._stage = stage
        self._place = endpoint

    @property
    def _world(self) -> World:
        return self._stage.world

    @property
    def _health(self) -> Health:
        return "up" if self._place == SUPERVISOR_ENDPOINT else self._world.program.health_of(self._place)

    async def _send(self, body: dict[str, Any], request: ModelRequest) -> Any:
        message = self._message(body)
        return {
            "id": "answer",
            "object": "chat.completion",
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": _finish(message)}],
            "usage": _USAGE,
        }

    async def _events(self, body: dict[str, Any], request: ModelRequest) -> AsyncIterator[Any]:
        head = {"id": "answer", "object": "chat.completion.chunk", "model": MODEL}
        try:
            message = self._message(body)
        except ProviderUnavailableError:
            if self._health == "breaks":
                yield {**head, "choices": [{"index": 0, "delta": {"content": "§half"}, "finish_reason": None}]}
            raise
        words = message.get("content") or ""
        for piece in (words[:5], words[5:]):
            if piece:
                yield {**head, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
        calls = [{"index": index, **call} for index, call in enumerate(message.get("tool_calls", ()))]
        if calls:
            yield {**head, "choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": None}]}
        yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(message)}]}
        yield {**head, "choices": [], "usage": _USAGE}

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer, unless the endpoint is not well."""
        exchange = _Exchange(body)
        if self._health != "up":
            self._stumble(exchange, is_down=self._health == "down")
        self._world.answers += 1
        if exchange.agent == SUPERVISOR:
            return _supervised(self._world.program, body)
        return _answer(self._world.agents[exchange.agent], exchange)

    def _stumble(self, exchange: "_Exchange", *, is_down: bool) -> None:
        call = self._world.life, exchange.identity
        self._world.tries[call] += 1
        number = self._world.tries[call]
        if is_down or number % 2:
            self._world.failed_tries += not is_down or number % MAX_TRIES != 0
            raise ProviderUnavailableError(UNWELL, status=500)


class _Exchange:
    """What a request says: who asks, what, what tools brought so far, and whether an answer was refused."""

    def __init__(self, body: dict[str, Any]) -> None:
        messages = body["messages"]
        system = messages[0]["content"]
        self.agent = system.partition("agent:")[2].split()[0]
        self.tools = {tool["function"]["name"] for tool in body.get("tools", ())}
        asked = [n for n, said in enumerate(messages) if said["role"] == "user" and _is_request(said)]
        place = asked[-1] if asked else len(messages) - 1
        self.request = str(messages[place]["content"])
        after = messages[place + 1 :]
        self.rounds = sum(bool(said.get("tool_calls")) for said in after)
        self.contents = [_content(said["content"]) for said in after if said["role"] == "tool"]
        self.feedback = [str(said["content"]) for said in after if said["role"] == "user"]
        self.identity = json.dumps([self.agent, self.request, self.rounds, self.contents, self.feedback])


def _is_request(message: Mapping[str, Any]) -> bool:
    return str(message["content"]).startswith("§")


def _content(text: str) -> str:
    return NOT_ANSWERED if text.startswith("Error") else text


def _answer(node: AgentNode, exchange: _Exchange) -> dict[str, Any]:
    if exchange.rounds < len(node.rounds):
        names = node.rounds[exchange.rounds]
        if exchange.tools >= {*names, *(["provider_search"] if node.has_extra_tools else [])}:
            return {"role": "assistant", "content": None, "tool_calls": _calls(node, names, exchange)}
    is_wrong = bool(node.wrong) and (node.wrong > 1 or not exchange.feedback)
    right = mark(node.name, exchange.request, *exchange.contents)
    words = WRONG if is_wrong else json.dumps({"text": right}) if node.is_structured else right
    return {"role": "assistant", "content": words}


def _calls(node: AgentNode, names: tuple[str, ...], exchange: _Exchange) -> list[dict[str, Any]]:
    number = str(exchange.rounds)
    whats = [mark(node.name, exchange.request, number, str(position)) for position in range(len(names))]
    return [
        {"id": f"call_{what}", "type": "function", "function": {"name": name, "arguments": json.dumps({"what": what})}}
        for name, what in zip(names, whats, strict=True)
    ]


def _supervised(program: Program, body: dict[str, Any]) -> dict[str, Any]:
    """The plan, if a structure is asked for; else the last word."""
    if "response_format" not in body:
        return {"role": "assistant", "content": CONCLUSION}
    steps = [
        {"agent_id": member.name, "task": PLANNED_TASK.format(index), "depends_on": list(program.depends_on[index])}
        for index, member in enumerate(program.members)
    ]
    plans: dict[PlanForm, Any] = {
        "whole": {"decision": {"steps": steps}},
        "bare": {"steps": steps},
        "announced": {"decision": {"steps": steps, "answer": "I will have this done."}},
    }
    return {"role": "assistant", "content": json.dumps(plans[program.plan])}


def _finish(message: Mapping[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


_USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}
