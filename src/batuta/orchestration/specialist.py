"""Specialists: whatever can answer a task becomes a member of the team, under one card; the registry holds them all.

    Specialist(erp, name="ERP", icon="📊", color="#0EA5E9")

A Batuta step or pipeline runs as it is. A compiled LangGraph graph runs as one effect of a declared kind, and what it
returns is emitted as canonical events.
"""

import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, get_args

from langchain_core.messages import HumanMessage
from langgraph.errors import GraphInterrupt
from pydantic import BaseModel, ConfigDict, TypeAdapter

from batuta.events.adapters import adapter_for as provider_adapter
from batuta.events.adapters.base import ProviderAdapter
from batuta.events.conversation import AssistantMessage
from batuta.events.envelope import EVENT_TYPES, Event
from batuta.events.normalizer import ModelCall, calls_in, normalize
from batuta.events.plans import AgentIdentity
from batuta.events.runtime import LlmRequest, LlmResponse
from batuta.kernel.effects import EffectKind
from batuta.kernel.errors import CannotHelpError, ConfigurationError, LogicalError
from batuta.kernel.ids import MessageId, canonical_id, new_id
from batuta.language.findings import LANGUAGES
from batuta.language.understanding import Intent, Understanding
from batuta.llm.prices import DEFAULT_PRICES
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.journal import Pending, Reconcile
from batuta.pipelines.outcomes import asking_a_person
from batuta.pipelines.scope import Scope
from batuta.pipelines.step import Step
from batuta.pipelines.typecheck import fits, type_name
from batuta.steps.agent import AgentStep
from batuta.steps.prompts import as_text
from batuta.tools.approval import ApprovalRequest
from batuta.tools.tool import tool

GraphReconcile = Callable[[str, str], Awaitable[str | None]]
"""Given the task and its idempotency key: the answer of a graph that did its work, `None` if it did not."""

IDEMPOTENCY_KEY = "idempotency_key"
"""Where a graph's nodes find the key of its task, in their configuration's `configurable`."""


@tool(effect="read")
async def cannot_help(reason: str) -> str:
    """Say that the task is not yours to do, and why; use it instead of any other tool, before you have done anything.

    For the tools of a worker that is a model: the supervisor decides who gets the task.
    """
    raise CannotHelpError(reason)


class AgentCard(BaseModel):
    """All that others know about a specialist: for the supervisor, the API and the screen."""

    model_config = ConfigDict(frozen=True)

    agent_id: str
    name: str
    icon: str | None = None
    color: str | None = None
    description: str = ""
    capabilities: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    examples: dict[str, tuple[str, ...]] = {}
    model_role: str | None = None
    instructions: str = ""
    """The system prompt; not shown to users."""

    @property
    def identity(self) -> AgentIdentity:
        """How it shows itself in events."""
        return AgentIdentity(agent_id=self.agent_id, agent_name=self.name, agent_icon=self.icon, agent_color=self.color)


_CARD_FIELDS = ", ".join(AgentCard.model_fields)


class Specialist:
    """A step or graph with a card."""

    def __init__(
        self,
        work: Any,
        *,
        name: str,
        agent_id: str | None = None,
        effect: EffectKind = "write",
        provider: str = "anthropic",
        understanding: Understanding | None = None,
        reconcile: GraphReconcile | None = None,
        **card: Any,
    ) -> None:
        """`understanding` says as data what it can be asked; without one, the examples of its card do. `reconcile`
        finds out what a graph that writes answered when its answer was lost; without it a person is asked.
        """
        if isinstance(work, Step) and reconcile is not None:
            raise ConfigurationError(f"{work.name}: `reconcile` is for graphs; actions and tools have their own")
        step = work if isinstance(work, Step) else _graph_step(work, agent_id, effect, provider, reconcile)
        if not fits(str, step.input_type):
            raise ConfigurationError(
                f"{step.name}: a specialist is given a task as text, but it takes {type_name(step.input_type)}"
            )
        if unknown := card.keys() - AgentCard.model_fields.keys():
            raise ConfigurationError(f"{step.name}: a card has no {', '.join(sorted(unknown))}; it has {_CARD_FIELDS}")
        if isinstance(step, AgentStep):
            card = {"instructions": step.instructions, "description": step.description, **card}
        self.card = AgentCard(agent_id=agent_id or step.name, name=name, tools=_tools_of(step), **card)
        self.understanding = _understanding(self.card, understanding)
        self.step: Step[str, str] = SpecialistStep(step, self.card, self.understanding)

    @property
    def agent_id(self) -> str:
        """The id it is known by."""
        return self.card.agent_id


class SpecialistStep(Step[str, str]):
    """Runs a specialist's work in its name: every event in it is attributed to it."""

    is_announced = False

    def __init__(self, work: Step[Any, Any], card: AgentCard, understanding: Understanding) -> None:
        super().__init__(card.agent_id, input_type=str, output_type=str)
        self._work = work
        self._understanding = understanding
        self._agent_id = card.agent_id
        self._description = card.description

    async def _perform(self, value: str, ctx: Context) -> str:
        scope = Scope(
            parent=invocation_of(ctx).scope,
            agent_id=self._agent_id,
            agent_description=self._description or None,
            parent_trace_id=invocation_of(ctx).run.emitter.trace_id,
            understanding=(self._understanding,),
        )
        own = None if ctx.conversation is None else ctx.conversation.clone()
        try:
            outcome = await invocation_of(ctx).within(scope, conversation=own).invoke(self._work, value)
        finally:
            scope.hand_over_undo()
            scope.close()
        answer = as_text(outcome)
        if scope.last_words != answer:
            message_id = MessageId(ctx.stable_id("answer"))
            await ctx.emit(AssistantMessage(content=answer, source_agent_id=self._agent_id, message_id=message_id))
        return answer

    def children(self) -> tuple[Step[Any, Any], ...]:
        """Its work."""
        return (self._work,)


class GraphStep(Step[str, str]):
    """A foreign LangGraph graph as one effect: its nodes are not ours to resume."""

    def __init__(
        self,
        graph: Any,
        name: str,
        effect: EffectKind,
        adapter: ProviderAdapter,
        reconcile: GraphReconcile | None = None,
    ) -> None:
        super().__init__(name, input_type=str, output_type=str)
        self._graph = graph
        self._reconcile = reconcile
        self._effect = effect
        self._adapter = adapter

    async def _perform(self, value: str, ctx: Context) -> str:
        result = await ctx.effect(
            lambda: self._run(value, ctx),
            _GRAPH_RESULT,
            kind=self._effect,
            name=f"graph:{self.name}",
            reconcile=self._reconciler(value, ctx),
            ask=self._asker(value, ctx),
            stand_in=lambda: GraphResult(answer=f"({self.name} was not run)", events=[]),
        )
        if not result.answer:
            raise LogicalError(
                f"{self.name} ended without a message; a graph is given its task in `messages` and answers there"
            )
        await self._emit_calls(result, ctx)
        for event in result.events:
            fields = {**event, "source_agent_id": ctx.agent_id or self.name}
            await ctx.emit(EVENT_TYPES[event["type"]].model_validate(fields))
        if result.events:
            invocation_of(ctx).scope.last_words = result.answer
        return result.answer

    async def _emit_calls(self, result: "GraphResult", ctx: Context) -> None:
        """What the graph's models took, call by call. How long each took it does not say: they share its time."""
        for number, call in enumerate(result.calls):
            cost = DEFAULT_PRICES.cost(call.provider, call.model, call.usage)
            call_id = ctx.stable_id(f"graph:{self.name}:call:{number}")
            agent_id = canonical_id(ctx.agent_id or self.name)
            await ctx.emit(
                LlmRequest(
                    call_id=call_id,
                    path=ctx.path,
                    provider=call.provider,
                    model=call.model,
                    attempt=1,
                    source_agent_id=agent_id,
                )
            )
            await ctx.emit(
                LlmResponse(
                    call_id=call_id,
                    path=ctx.path,
                    provider=call.provider,
                    model=call.model,
                    duration_ms=result.duration_ms / len(result.calls),
                    usage=call.usage,
                    cost=cost,
                    source_agent_id=agent_id,
                )
            )
            invocation_of(ctx).scope.tally.add_call(call.usage, cost)

    def _reconciler(self, task: str, ctx: Context) -> "Reconcile[GraphResult] | None":
        reconcile = self._reconcile
        if reconcile is None:
            return None

        async def look_up(_: Pending) -> GraphResult | None:
            answer = await reconcile(task, ctx.idempotency_key)
            return None if answer is None else GraphResult(answer=answer, events=[])

        return look_up

    def _asker(self, task: str, ctx: Context) -> "Reconcile[GraphResult] | None":
        """Asks the turn's approver whether an interrupted graph did its work."""

        def about() -> ApprovalRequest:
            return ApprovalRequest(
                tool_use_id=ctx.stable_id(f"graph:{self.name}"),
                tool_name=self.name,
                args={"task": task},
                idempotency_key=f"{ctx.idempotency_key}:graph",
                agent_id=ctx.agent_id or self.name,
            )

        return asking_a_person(ctx, about, lambda words: GraphResult(answer=words, events=[]))

    async def _run(self, task: str, ctx: Context) -> "GraphResult":
        started = time.perf_counter()
        try:
            state = await self._graph.ainvoke(
                {"messages": [HumanMessage(task)]}, {"configurable": {IDEMPOTENCY_KEY: ctx.idempotency_key}}
            )
        except GraphInterrupt:
            state = {"__interrupt__": True}
        if "__interrupt__" in state:
            raise LogicalError(
                f"{self.name} called interrupt(), but a graph runs here as one effect and cannot be resumed inside; to "
                'ask a person, let a Batuta agent do that part with a tool that has approval="always"'
            )
        events = normalize(state, self._adapter, session_id=new_id(), agent_id=self.name)
        messages = [event for event in events if isinstance(event, AssistantMessage)]
        answer = messages[-1].content if messages else ""
        return GraphResult(
            answer=answer,
            events=[_payload(event) for event in events],
            calls=calls_in(state, self._adapter),
            duration_ms=(time.perf_counter() - started) * 1000,
        )


class GraphResult(BaseModel):
    """What a foreign graph said, as plain data that a journal can keep."""

    model_config = ConfigDict(frozen=True)

    answer: str
    events: list[dict[str, Any]]
    calls: list[ModelCall] = []
    duration_ms: float = 0.0


_GRAPH_RESULT = TypeAdapter(GraphResult)
_ENVELOPE = frozenset(Event.model_fields) - {"type", "message_id", "is_internal"}


def _payload(event: Event) -> dict[str, Any]:
    """An event without the envelope that the turn stamps on it."""
    return {name: value for name, value in event.model_dump(mode="json").items() if name not in _ENVELOPE}


def _graph_step(
    graph: Any, agent_id: str | None, effect: EffectKind, provider: str, reconcile: GraphReconcile | None
) -> GraphStep:
    if not hasattr(graph, "ainvoke"):
        raise ConfigurationError(f"a specialist is a step, a pipeline or a compiled LangGraph graph, got {graph!r}")
    if effect not in get_args(EffectKind):
        raise ConfigurationError(f"effect is one of {', '.join(get_args(EffectKind))}, got {effect!r}")
    name = agent_id or getattr(graph, "name", None) or "graph"
    return GraphStep(graph, name, effect, provider_adapter(provider), reconcile)


def _understanding(card: AgentCard, given: Understanding | None) -> Understanding:
    """What a specialist understands: what it brings, or one intent of the examples on its card."""
    intents = given.intents if given is not None else ()
    examples = {language: texts for language in LANGUAGES if (texts := card.examples.get(language))}
    if given is None and examples:
        intents = (Intent(id="task", examples=examples, label={"en": card.description}),)
    return Understanding(agent_id=card.agent_id, name=card.name, intents=intents)


def _tools_of(step: Step[Any, Any]) -> tuple[str, ...]:
    """The tools that the agents below a step may use."""
    own = tuple(getattr(step, "tools", ()))
    below = tuple(tool for child in step.children() for tool in _tools_of(child))
    return tuple(dict.fromkeys((*own, *below)))


SUPERVISOR_ID = "supervisor"
_COMMAND = re.compile(r"/[^\W\d][\w-]*")
RESERVED = frozenset({SUPERVISOR_ID, "orchestrator"})


class AgentRegistry:
    """Specialists by id, in the order they were given."""

    def __init__(self, specialists: Iterable[Specialist] = ()) -> None:
        self._members: dict[str, Specialist] = {}
        self._commands: dict[str, str] = {}
        for specialist in specialists:
            self.add(specialist)

    def add(self, specialist: Specialist) -> None:
        """Take a specialist into the team."""
        if not isinstance(specialist, Specialist):
            raise ConfigurationError(f"a team is made of specialists: write Specialist({specialist!r}, name=…)")
        agent_id = specialist.agent_id
        if agent_id in RESERVED or agent_id in self._members:
            raise ConfigurationError(f"the team already has an agent {agent_id!r}; give this one another agent_id")
        for command in specialist.card.commands:
            if not command.startswith("/") or command.casefold() in self._commands or len(command.split()) != 1:
                raise ConfigurationError(
                    f"{agent_id}: the command {command!r} is taken, does not start with '/', or is more than one word"
                )
            self._commands[command.casefold()] = agent_id
        self._members[agent_id] = specialist

    def __iter__(self) -> Iterator[Specialist]:
        """The specialists."""
        return iter(self._members.values())

    def __len__(self) -> int:
        """How many there are."""
        return len(self._members)

    def __contains__(self, agent_id: str) -> bool:
        """True if an agent has this id."""
        return agent_id in self._members

    def __getitem__(self, agent_id: str) -> Specialist:
        """The specialist of an id."""
        return self._members[agent_id]

    @property
    def cards(self) -> tuple[AgentCard, ...]:
        """What is known about each."""
        return tuple(specialist.card for specialist in self)

    @property
    def understanding(self) -> tuple[Understanding, ...]:
        """What each can be asked, as data."""
        return tuple(specialist.understanding for specialist in self)

    @property
    def names(self) -> dict[str, str]:
        """Names by id."""
        return {card.agent_id: card.name for card in self.cards}

    def for_command(self, text: str) -> tuple[str, str] | None:
        """Whom a slash command means and what it says: `/erp late invoices` is (`erp_agent`, `late invoices`).

        However it is written, large or small.
        """
        command, *rest = text.split(maxsplit=1) or [""]
        agent_id = self._commands.get(command.casefold())
        return None if agent_id is None else (agent_id, "".join(rest).strip())

    def unknown_command(self, text: str) -> str | None:
        """The slash command that a text begins with, if no agent has it. A path or a lone slash is none."""
        command = text.split(maxsplit=1)[0] if text.strip() else ""
        is_unknown = bool(self._commands) and command.casefold() not in self._commands
        return command if is_unknown and _COMMAND.fullmatch(command) else None

    @property
    def commands(self) -> tuple[str, ...]:
        """All slash commands."""
        return tuple(command for specialist in self for command in specialist.card.commands)
