"""From a program to what runs: steps, actions, agents with tools, pipelines, a team."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from batuta.kernel.errors import LogicalError, Rejected, TransientError
from batuta.llm.model import ModelSettings
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.plan_execution import FailurePolicy
from batuta.orchestration.specialist import Specialist
from batuta.pipelines.context import Context
from batuta.pipelines.pipeline import Pipeline
from batuta.pipelines.result import StepError, StepResult
from batuta.pipelines.step import Step, step
from batuta.steps.action import action
from batuta.steps.agent import AgentStep
from batuta.steps.parallel import Branch, ParallelStep
from batuta.steps.switch import SwitchStep
from batuta.testing.modes.expected import MAX_ATTEMPTS, case_of
from batuta.testing.modes.programs import (
    ActionNode,
    AgentNode,
    BatchNode,
    ChoiceNode,
    ParallelNode,
    PipelineNode,
    PlainNode,
    Program,
    ProgramNode,
    RecoverNode,
    RepeatNode,
    ValueForm,
    mark,
)
from batuta.testing.modes.world import SEARCH, SUPERVISOR, SUPERVISOR_ENDPOINT, WORLD, Stage, World
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool


class ChoiceCase(Enum):
    """What a switch of a program decides on."""

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"


class Letter:
    """A text inside of an object whose class says nothing but its name: no fields, no comparison, no words."""

    def __init__(self, text: str) -> None:
        self.text = text


@dataclass(frozen=True)
class Card:
    """A text inside of a data class."""

    text: str


FORMS: Mapping[ValueForm, Callable[[str], Any]] = {"text": str, "plain class": Letter, "data class": Card}


def text_in(value: Any) -> str:
    """The text that a value is or holds."""
    return value if isinstance(value, str) else str(value.text)


class Worded(BaseModel):
    """A structured answer."""

    text: str


class GatheredTexts:
    """What branches of a program gave, and how many failed."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.texts: list[str] = []
        self.failures = 0

    def add(self, value: Any) -> None:
        """What one branch gave."""
        self.texts.append(text_in(value))

    def count(self, errors: list[StepError]) -> None:
        """The branches that failed."""
        self.failures = len(errors)


class BuiltProgram:
    """A program, built once; what it does happens in the world on its stage."""

    def __init__(self, program: Program, *, is_streaming: bool = False) -> None:
        """Build nothing yet."""
        self.program = program
        self.is_streaming = is_streaming
        self.stage = Stage(World(program))
        self.form = FORMS[program.form]
        """Makes of a text what the program's nodes take."""

    @cached_property
    def pipeline(self) -> Step[Any, Any]:
        """The first member, as a pipeline of its own."""
        return self._pipeline(self.program.members[0])

    @cached_property
    def team(self) -> Orchestrator:
        """All members under a supervisor."""
        members = [Specialist(self._member(member), name=member.name) for member in self.program.members]
        return Orchestrator(
            supervisor=self.stage.model(SUPERVISOR_ENDPOINT),
            agents=members,
            instructions=f"agent:{SUPERVISOR} ",
            failure_policy=FailurePolicy(
                retries=0, then="fail_plan" if self.program.fails_whole else "skip_dependents"
            ),
            is_streaming=self.is_streaming,
        )

    def _member(self, node: PipelineNode) -> Step[str, str]:
        """A member of a team takes and gives texts."""
        pipeline = self._pipeline(node)
        if self.form is str:
            return pipeline
        return Pipeline(node.name, self._filled(node.name) >> pipeline >> self._opened(node.name))

    def _filled(self, name: str) -> Step[Any, Any]:
        async def fill(value: Any) -> Any:
            return self.form(text_in(value))

        return step(name=f"{name}-fill")(fill)

    def _opened(self, name: str) -> Step[Any, str]:
        async def open_it(value: Any) -> str:
            return text_in(value)

        return step(name=f"{name}-open")(open_it)

    def _node(self, node: ProgramNode) -> Step[Any, Any]:
        build: Callable[..., Step[Any, Any]] = getattr(self, f"_{type(node).__name__.removesuffix('Node').lower()}")
        return build(node)

    def _plain(self, node: PlainNode) -> Step[Any, Any]:
        async def work(value: Any) -> Any:
            if node.fate == "fails":
                raise LogicalError(f"{node.name} fails")
            if node.fate == "fails for now":
                raise TransientError(f"{node.name} fails for now")
            if node.fate == "refuses":
                return StepResult.from_error(f"{node.name} refuses", category="validation")
            return self.form(mark(node.name, text_in(value)))

        return step(name=node.name)(work)

    def _action(self, node: ActionNode) -> Step[Any, Any]:
        stage = self.stage

        async def act(value: Any) -> None:
            text = text_in(value)
            if node.mode != "idempotent" or not stage.world.has_happened(node.name, text):
                stage.world.act(node.name, text, node.fate)

        async def act_and_return(value: Any) -> str:
            await act(value)
            made = mark(node.name, text_in(value))
            stage.world.made[made] = text_in(value)
            return made

        async def undo(result: Any) -> None:
            if node.undo_fails:
                raise LogicalError(f"{node.name} cannot be undone")
            text = text_in(result)
            stage.world.undo(node.name, stage.world.made.get(text, text) if node.returns else text)

        async def reconcile(value: Any) -> Any:
            has_happened = stage.world.has_happened(node.name, text_in(value))
            return (mark(node.name, text_in(value)) if node.returns else True) if has_happened else None

        is_transactional = node.mode == "transactional"
        made_of: Any = act_and_return if node.returns else act
        acted: Step[Any, Any] = action(
            mode=node.mode,
            name=node.name,
            rollback=undo if is_transactional else None,
            reconcile=reconcile if node.can_tell else None,
        )(made_of)
        return acted >> self._filled(node.name) if node.returns and self.form is not str else acted

    def _agent(self, node: AgentNode) -> Step[Any, Any]:
        async def is_right(value: Any, _: Context) -> None:
            if not str(getattr(value, "text", value)).startswith("§"):
                raise Rejected("this is not what was asked for", hint="say what was asked for")

        options: dict[str, Any] = {}
        if node.fallback is not None and not node.is_structured:
            options["fallback"] = self._plain(node.fallback)
        agent: AgentStep[str, Any] = AgentStep(
            name=node.name,
            model=self.stage.model(node.endpoint),
            instructions=f"agent:{node.name} ",
            output=Worded if node.is_structured else str,
            validate=is_right,
            tools=self._tools(node),
            max_attempts=MAX_ATTEMPTS,
            settings=ModelSettings(extra={"tools": [SEARCH]}) if node.has_extra_tools else ModelSettings(),
            is_streaming=self.is_streaming,
            **options,
        )
        answered: Step[Any, Any] = agent
        if node.is_structured:
            answered = Pipeline(f"{node.name}-text", agent >> self._opened(node.name))
        if self.form is str:
            return answered
        return self._opened(f"{node.name}-request") >> answered >> self._filled(node.name)

    def _tools(self, node: AgentNode) -> list[Tool]:
        named = dict.fromkeys(name for names in node.rounds for name in names)
        return [self._delegate(node) if name == "delegate" else TOOLS[name] for name in named]

    def _delegate(self, node: AgentNode) -> Tool:
        assert node.delegate is not None
        inner = self._pipeline(node.delegate)

        async def run_inner(values: dict[str, Any], _: ToolContext) -> str:
            result = await inner.run(self.form(values["what"]))
            return "failed" if result.is_error else text_in(result.value)

        return replace(DELEGATE, body=run_inner)

    def _pipeline(self, node: PipelineNode) -> Step[Any, Any]:
        parts = [self._node(part) for part in node.parts]
        chain = parts[0]
        for part in parts[1:]:
            chain = chain >> part
        return Pipeline(node.name, chain)

    def _choice(self, node: ChoiceNode) -> Step[Any, Any]:
        cases = [self._node(case) for case in node.cases]
        members = list(ChoiceCase)
        by_member = {member: cases[index % len(cases)] for index, member in enumerate(members)}
        return SwitchStep(ChoiceCase, by_member, on=lambda value: members[case_of(text_in(value))], name=node.name)

    def _parallel(self, node: ParallelNode) -> Step[Any, Any]:
        gather = ParallelStep(
            GatheredTexts,
            [Branch(self._node(branch), merge=GatheredTexts.add) for branch in node.branches],
            name=f"{node.name}-branches",
            max_concurrency=node.limit,
            on_failure="fail_fast" if node.policy == "all" else "collect",
            on_failures=GatheredTexts.count if node.policy == "tolerate" else None,
        )

        async def join(gathered: GatheredTexts) -> Any:
            return self.form(mark(node.name, *gathered.texts, str(gathered.failures)))

        return Pipeline(node.name, gather >> step(name=f"{node.name}-join")(join))

    def _repeat(self, node: RepeatNode) -> Step[Any, Any]:
        child = self._node(node.child)

        async def repeat(value: Any, ctx: Context) -> Any:
            for number in range(node.times):
                value = await ctx.invoke(child, self.form(f"{text_in(value)}~{number}"))
            return value

        return step(name=node.name)(repeat)

    def _recover(self, node: RecoverNode) -> Step[Any, Any]:
        child = self._node(node.child)

        async def recover(value: Any, ctx: Context) -> Any:
            result = await child.run(value)
            if not result.is_error:
                return result.value
            self.stage.world.gone_on_from.add(f"{node.name}: {_facts_of(result.error)}")
            await ctx.go_on()
            return self.form(mark(node.name, "recovered"))

        return step(name=node.name)(recover)

    def _batch(self, node: BatchNode) -> Step[Any, Any]:
        child = self._pipeline(node.child)
        assert isinstance(child, Pipeline)

        async def batch(value: Any, ctx: Context) -> Any:
            inputs = [self.form(f"{text_in(value)}#{number}") for number in range(node.size)]
            results = [result async for result in child.map(inputs, max_concurrency=2)]
            if any(result.is_error for result in results):
                await ctx.go_on()
            texts = ("failed" if result.is_error else text_in(result.value) for result in results)
            return self.form(mark(node.name, *texts))

        return step(name=node.name)(batch)


def _world_of(ctx: ToolContext) -> World:
    world: World = ctx.services[WORLD]
    return world


@tool(effect="read")
async def look(what: str) -> str:
    """Look something up."""
    return mark("look", what)


def _found(name: str) -> Callable[[dict[str, Any], ToolContext], Awaitable[str | None]]:
    """Finds out whether a tool whose answer was lost did its work. (A person who is asked says it in other words.)"""

    async def look_up(args: dict[str, Any], ctx: ToolContext) -> str | None:
        return f"{name} done" if _world_of(ctx).has_happened(name, args["what"]) else None

    return look_up


@tool(effect="write", reconcile=_found("note"))
async def note(what: str, ctx: ToolContext) -> str:
    """Write something down."""
    _world_of(ctx).act("note", what)
    return "note done"


@tool(effect="idempotent")
async def send(what: str, ctx: ToolContext) -> str:
    """Send something; sent twice it arrives once."""
    if not _world_of(ctx).has_happened("send", what):
        _world_of(ctx).act("send", what)
    return "send done"


def _facts_of(failure: StepError) -> tuple[Any, ...]:
    """What a step that goes on from a failure can know of it, whatever mode it runs in."""
    raised = type(failure.exception).__name__ if failure.exception is not None else None
    return (failure.category.value, failure.code, raised, failure.last_answer, len(failure.rejections))


@tool(effect="read")
async def stumble(what: str) -> str:
    """Fail."""
    raise LogicalError("cannot")


@tool(effect="write", approval="always", reconcile=_found("pay"))
async def pay(what: str, ctx: ToolContext) -> str:
    """Pay, if it is approved."""
    _world_of(ctx).act("pay", what)
    return "pay done"


@tool(name="delegate", effect="read")
async def _delegated(what: str) -> str:
    """Let a pipeline do it."""
    raise LogicalError("an agent brings its own")


TOOLS = {made.name: made for made in (look, note, send, stumble, pay)}
DELEGATE = _delegated
