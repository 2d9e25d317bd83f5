"""An agent: a model call whose mistakes are repaired inside.

    AgentStep(name="write", model="anthropic:claude-haiku-4-5", instructions="Write Python.", output=Code,
              validate=compiles)

It builds the prompt, calls the model, runs the tools it asks for, judges the answer, and asks again with feedback
until the answer is valid or its attempts are used up. Nothing invalid leaves it.
"""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack, overload

from batuta import conversations, llm, pipelines, steps
from batuta.kernel.errors import ConfigurationError, PipelineTypeError
from batuta.kernel.numbers import check_number
from batuta.llm.model import Model, ModelSettings, OutputSpec
from batuta.pipelines.context import Context
from batuta.pipelines.step import Step
from batuta.pipelines.typecheck import type_name
from batuta.steps.correction import MIN_FEEDBACK_TOKENS, AttemptLimits
from batuta.steps.judging import Judge
from batuta.steps.parser import adapter_for
from batuta.steps.prompts import Prompt, as_text

if TYPE_CHECKING:  # what a run says and does, and what only some agents have, is imported where it is needed
    from decimal import Decimal

    from batuta.events.conversation import Citation
    from batuta.kernel.messages import Answer, Message
    from batuta.pipelines.bounds import Bounds
    from batuta.steps.artefacts import Tag
    from batuta.tools.tool import Tool

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class _Override:
    """What an agent is given inside a block instead of what it declares."""

    model: Model | str | None = None
    instructions: str | None = None


_AS_DECLARED = _Override()
_overrides: ContextVar["Mapping[AgentStep[Any, Any], _Override]"] = ContextVar("batuta_agent_overrides")


class AgentOptions(TypedDict, total=False):
    """Settings of an agent besides its name, model and output."""

    description: str
    """What it is for, in a sentence: on its card and in its traces."""
    instructions: str
    """The system prompt."""
    prompt: str
    """A template of the input's fields; without it text is sent as it is and a model as JSON."""
    tools: "Sequence[Tool]"
    """The only tools this agent may use."""
    settings: ModelSettings
    max_attempts: int
    """How many answers are judged (3)."""
    max_structural: int
    max_semantic: int
    """How many of them may fail each validation; at most `max_attempts`."""
    max_tool_iterations: int
    """How many rounds of tools (10)."""
    min_confidence: float
    """An output with a lower `confidence`, between 0 and 1, is corrected."""
    feedback_tokens: int
    """How long the feedback to a rejected answer may be (500); at least 64."""
    takes_cut_text: bool
    """A text that was cut off at `max_tokens` counts as an answer; by default in a chat, where a person reads it."""
    is_grounded: bool
    """The first call must use a tool; by default only for workers of a team."""
    is_streaming: bool
    """Tell deltas while the answer arrives: its thoughts, and its words if it is speaking."""
    is_speaking: bool
    """Tell its answers, and the deltas of their text, as messages of the conversation; by default those that are plain
    text. A structured answer is for code, so its JSON is not shown unless this says so."""
    cite: "Callable[[str], Sequence[Citation]]"
    """Finds the citations in what it says; they are sent with its messages."""
    tags: "Sequence[Tag]"
    """Artefacts it may put between tags."""
    timeout: timedelta | float
    stand_in: Any
    """What a dry run gives instead of asking the model."""
    version: str
    decision_type: str
    decision_category: str


class AgentStep(Step[In_contra, Out_co]):
    """A model call with tools, validation and correction."""

    shape = "agent"
    remembers = True
    """Whether a valid answer joins the conversation."""

    @overload
    def __init__(
        self: "AgentStep[str, B]",
        *,
        name: str,
        model: Model | str,
        output: type[B],
        validate: Callable[[B, Context], Awaitable[None]] | None = ...,
        fallback: Step[str, B] | None = ...,
        **options: Unpack[AgentOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "AgentStep[A, B]",
        *,
        name: str,
        model: Model | str,
        input: type[A],
        output: type[B],
        validate: Callable[[B, Context], Awaitable[None]] | None = ...,
        fallback: Step[A, B] | None = ...,
        **options: Unpack[AgentOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "AgentStep[Any, Any]",
        *,
        name: str,
        model: Model | str,
        input: Any = ...,
        output: Any,
        validate: Callable[[Any, Context], Awaitable[None]] | None = ...,
        fallback: Step[Any, Any] | None = ...,
        **options: Unpack[AgentOptions],
    ) -> None: ...
    def __init__(
        self,
        *,
        name: str,
        model: Model | str,
        output: Any,
        input: Any = str,  # noqa: A002 - the word users look for
        validate: Callable[[Any, Context], Awaitable[None]] | None = None,
        fallback: Step[Any, Any] | None = None,
        **options: Unpack[AgentOptions],
    ) -> None:
        """Declare an agent; everything that can be checked now is checked now."""
        super().__init__(name, input_type=input, output_type=output, timeout=options.get("timeout"))
        _check_options(name, options)
        check_model(name, model)
        _check_types(name, fallback, options)
        self.model = model
        """The model as declared: an object, or a name that is resolved when it is needed."""
        self.description = options.get("description", "")
        self.instructions = options.get("instructions", "")
        self._prompt = Prompt(options["prompt"], input, owner=name) if "prompt" in options else None
        self._stand_in = options.get("stand_in")
        self.fallback = fallback
        self.settings = options.get("settings", ModelSettings())
        self.attempts = _attempts(name, options)
        self.judge = Judge(
            output=output,
            validate=validate,
            min_confidence=options.get("min_confidence"),
            takes_cut_text=options.get("takes_cut_text", False),
            takes_no_text=bool(options.get("tags")),
        )
        self.tools = steps.tools_by_name(name, tools) if (tools := options.get("tools")) else {}
        self.tool_specs = tuple(tool.spec for tool in self.tools.values())
        self.tags = {tag.name: tag for tag in options.get("tags", ())}
        self.max_tool_iterations = options.get("max_tool_iterations", 10)
        self.feedback_tokens = options.get("feedback_tokens", 500)
        self.is_grounded = options.get("is_grounded")
        self.is_streaming = options.get("is_streaming", False)
        self.is_speaking = options.get("is_speaking", output is str)
        self.cite = options.get("cite")
        self.version = options.get("version", "1.0.0")
        self.decision_type = options.get("decision_type")
        self.decision_category = options.get("decision_category")
        self.output_spec: OutputSpec | None = None
        if output is not str:
            called = getattr(output, "__name__", name)
            self.output_spec = OutputSpec(name=called, schema=adapter_for(output).json_schema())
        self._structure = _in_words(self.output_spec)

    async def _perform(self, value: In_contra, ctx: Context) -> Out_co:
        if ctx.is_dry_run:
            return self._pretend()
        result: Out_co = await steps.AgentExecution(self, value, ctx).run()
        return result

    @contextmanager
    def override(self, *, model: Model | str | None = None, instructions: str | None = None) -> Iterator[None]:
        """Use another model or other instructions inside the block: for tests of agents that stand at module level."""
        if model is not None:
            check_model(self.name, model)
        outer = self._override()
        inner = _Override(
            outer.model if model is None else model,
            outer.instructions if instructions is None else instructions,
        )
        token = _overrides.set({**_overrides.get({}), self: inner})
        try:
            yield
        finally:
            _overrides.reset(token)

    def model_for(self, ctx: Context) -> Model:
        """The model of one execution, protected and budgeted."""
        override = self._override()
        return steps.with_run_policies(self.model if override.model is None else override.model, ctx)

    def _override(self) -> _Override:
        return _overrides.get({}).get(self, _AS_DECLARED)

    def prompt_for(self, value: Any, rest: Any) -> str:
        """What is said to the model about the input; `rest` is what is left of it without attachments."""
        return as_text(rest) if self._prompt is None else self._prompt.fill(value)

    def system_prompt(self, ctx: Context) -> str:
        """The instructions, after those of the conversation, and the structure of the answer."""
        own = ctx.conversation.system_prompt if ctx.conversation is not None else ""
        override = self._override()
        instructions = self.instructions if override.instructions is None else override.instructions
        return "\n\n".join(part for part in (own, instructions, self._structure) if part)

    async def opening(self, request: "Message", ctx: Context) -> "tuple[Message, ...]":
        """What was said before, as any provider takes it, and the request."""
        before = conversations.valid_history(ctx.conversation.messages) if ctx.conversation is not None else ()
        return (*before, request)

    def finished(self, output: Any, value: Any, answer: "Answer") -> Any:
        """The result made of a valid output, for those who give something else than that output."""
        return output

    def bounds(self) -> "Bounds":
        """The worst case of its calls, and of its fallback after them."""
        rounds = self.max_tool_iterations if self.tools else 0
        calls = self.attempts.total + rounds
        dearest = self._dearest_call()
        own = pipelines.Bounds(
            executions=1,
            model_calls=calls,
            tool_rounds=rounds,
            attempts=self.attempts.total,
            time=self._longest(calls, rounds),
            cost=None if dearest is None else dearest * calls,
            unbounded=(f"{self.name}: the price or the context of its model is not known",) if dearest is None else (),
        ).within(self.timeout)
        return own if self.fallback is None else own.then(self.fallback.bounds().below(self.name))

    def children(self) -> tuple[Step[Any, Any], ...]:
        """Its fallback, if it has one."""
        return () if self.fallback is None else (self.fallback,)

    def _dearest_call(self) -> "Decimal | None":
        """The most that one call of its model can cost, if that is known."""
        model = self._override().model or self.model
        if isinstance(model, str):
            provider, name = llm.parse_model(model)
            return llm.DEFAULT_PRICES.dearest_call(provider, name, self.settings.max_tokens)
        return llm.prices_of(model).dearest_call(model.provider, model.name, self.settings.max_tokens)

    def _longest(self, calls: int, rounds: int) -> timedelta:
        slowest = max((tool.policy.limits.timeout for tool in self.tools.values()), default=timedelta())
        return self.settings.timeout * calls + slowest * rounds

    def _pretend(self) -> Out_co:
        if self._stand_in is None:
            raise ConfigurationError(
                f"{self.name}: a dry run asks no model; say what it gives instead with `stand_in` "
                f"(a {type_name(self.output_type)})"
            )
        return self._stand_in  # type: ignore[no-any-return] # as declared


def _attempts(name: str, options: AgentOptions) -> AttemptLimits:
    attempts = AttemptLimits(
        total=options.get("max_attempts", 3),
        structural=options.get("max_structural"),
        semantic=options.get("max_semantic"),
    )
    for kind, own in (("max_structural", attempts.structural), ("max_semantic", attempts.semantic)):
        if own is not None and not 1 <= own <= attempts.total:
            raise PipelineTypeError(f"{name}: {kind} is between 1 and max_attempts ({attempts.total}), got {own}")
    return attempts


def _in_words(spec: OutputSpec | None) -> str:
    """The structure in words: some providers enforce it, none is confused by it."""
    if spec is None:
        return ""
    return f"Answer with JSON of this schema and nothing else:\n{json.dumps(spec.schema, ensure_ascii=False)}"


_RANGES: dict[str, tuple[int, int | None]] = {
    "max_attempts": (1, None),
    "max_structural": (1, None),
    "max_semantic": (1, None),
    "max_tool_iterations": (1, None),
    "min_confidence": (0, 1),
    "feedback_tokens": (MIN_FEEDBACK_TOKENS, None),
}
"""The least and the most that each numeric option may be."""


def _check_options(name: str, options: AgentOptions) -> None:
    unknown = sorted(set(options) - AgentOptions.__optional_keys__)
    if unknown:
        raise PipelineTypeError(f"{name}: an agent has no option {', '.join(unknown)}")
    for option, (at_least, at_most) in _RANGES.items():
        check_number(
            f"{name}: {option}",
            options.get(option),
            at_least=at_least,
            at_most=at_most,
            is_whole=option != "min_confidence",
            error=PipelineTypeError,
        )


def check_model(name: str, model: Any) -> None:
    """Refuse what is no model, and a name that no provider answers to; keys and SDKs are asked for in a run."""
    if isinstance(model, str):
        try:
            llm.parse_model(model)
        except ConfigurationError as error:
            raise PipelineTypeError(f"{name}: {error}") from error
    elif not callable(getattr(model, "generate", None)):
        raise PipelineTypeError(
            f"{name}: a model is a name such as 'anthropic:claude-sonnet-4-6', or a Model; got {model!r}"
        )


def _check_types(name: str, fallback: Any, options: AgentOptions) -> None:
    """Validate the types of arguments when the agent is declared, not in the middle of a run."""
    if fallback is not None and not isinstance(fallback, Step):
        raise PipelineTypeError(f"{name}: a fallback is a step, got {fallback!r}; make one with @step")
    settings = options.get("settings", ModelSettings())
    if not isinstance(settings, ModelSettings):
        raise PipelineTypeError(f"{name}: settings are ModelSettings(…), got {settings!r}")
    for option in _TEXTS:
        given = options.get(option, "")
        if not isinstance(given, str):
            raise PipelineTypeError(f"{name}: {option} is text, got {given!r}")
    for tag in options.get("tags", ()):
        if not isinstance(tag, steps.Tag):
            raise PipelineTypeError(f"{name}: a tag is declared as Tag('file', handler), got {tag!r}")


_TEXTS = ("description", "instructions", "prompt", "version", "decision_type", "decision_category")
"""The options that are text."""
