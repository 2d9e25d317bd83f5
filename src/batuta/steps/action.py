"""Actions: steps that change something outside.

| mode              | the pipeline               | if a later step fails          | if its answer is lost        |
|-------------------|----------------------------|--------------------------------|------------------------------|
| `transactional`   | waits for it               | it is rolled back              | reconciled, or asked about   |
| `idempotent`      | waits for it               | it stays                       | done again                   |
| `fire_and_forget` | goes on; the run drains it | it stays                       | not repeated                 |
"""

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, partial
from typing import Any, Literal, NoReturn, TypeVar, overload

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError
from pydantic_core import to_json, to_jsonable_python

from batuta.kernel.effects import EffectKind
from batuta.kernel.errors import ConfigurationError, PipelineTypeError
from batuta.pipelines.bounds import Bounds, one_execution
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.journal import Pending, Reconcile
from batuta.pipelines.outcomes import asking_a_person, unknown_outcome
from batuta.pipelines.result import StepResult
from batuta.pipelines.runner import DRAIN_LIMIT, opened
from batuta.pipelines.step import FunctionStep, Signature, Step, name_of, read_signature
from batuta.pipelines.typecheck import type_name
from batuta.tools.approval import ApprovalRequest

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")

Mode = Literal["fire_and_forget", "transactional", "idempotent"]

RollBack = Callable[[Any, bool], Coroutine[Any, Any, None]]
"""Undoes an action, given its outcome and whether a failure of the undoing is kept."""

MAX_SHOWN_CHARS = 2_000

_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)
_KINDS: dict[Mode, EffectKind] = {"fire_and_forget": "write", "transactional": "write", "idempotent": "idempotent"}


class ActionStep(Step[In_contra, Out_co]):
    """A side effect. It passes its input on unless its function returns a value."""

    shape = "effect"

    def __init__(
        self,
        function: Callable[..., Coroutine[Any, Any, Any]],
        *,
        mode: Mode,
        name: str | None = None,
        timeout: timedelta | float | None = None,
        rollback: Callable[[Any], object] | None = None,
        reconcile: Callable[[Any], object] | None = None,
        stand_in: Any = None,
    ) -> None:
        signature = read_signature(function)
        self._passes_on = signature.output_type is type(None)
        super().__init__(
            name or name_of(function),
            input_type=signature.input_type,
            output_type=signature.input_type if self._passes_on else signature.output_type,
            timeout=timeout,
        )
        self.mode: Mode = mode
        self._function = function
        self._takes_context = signature.takes_context
        self._stand_in = stand_in
        self._background: Step[Any, Any] = FunctionStep(
            self._act, Signature(self.input_type, bool, takes_context=True), name="background", timeout=timeout
        )
        self._rollback = self._helper("rollback", rollback, DRAIN_LIMIT)
        self._reconcile = self._helper("reconcile", reconcile, self.timeout)
        self._check()

    async def _perform(self, value: In_contra, ctx: Context) -> Out_co:
        if ctx.is_dry_run:
            return self._pretend(value)
        if self.mode == "fire_and_forget":
            invocation_of(ctx).run.in_background(ctx.invoke(self._background, value))
            return self._passed_on(value)
        outcome = await self._act(value, ctx)
        return self._passed_on(value if self._passes_on else outcome)

    async def _act(self, value: Any, ctx: Context) -> Any:
        """Call the function once: a recorded outcome is returned instead. It can be undone as soon as it is done."""
        undo = _Undo(None if self._rollback is None else partial(self._undo, value, ctx), ctx)

        async def act() -> Any:
            outcome = await (self._function(value, ctx) if self._takes_context else self._function(value))
            if isinstance(outcome, StepResult):
                outcome = opened(outcome, ctx)
            outcome = True if self._passes_on else outcome
            undo.offer(outcome)
            return outcome

        has_journal = invocation_of(ctx).run.journal is not None
        codec = self._codec if has_journal else _ANYTHING  # what is not kept need not be serializable
        outcome = await ctx.effect(
            act,
            codec,
            kind=_KINDS[self.mode],
            name=self.name,
            reconcile=self._reconciler(value, ctx, undo),
            ask=self._asker(value, ctx, undo) if self.mode == "transactional" else self._left_open(ctx),
            stand_in=lambda: True if self._passes_on else self._pretend(value),
        )
        undo.offer(outcome)
        return outcome

    async def _undo(self, value: Any, ctx: Context, outcome: Any, is_failure_kept: bool) -> None:
        """Roll back in good time, whatever is left of the deadline that may have caused it."""
        rollback = self._rollback
        assert rollback is not None
        result = value if self._passes_on else outcome
        timeless = invocation_of(ctx).within(invocation_of(ctx).scope, is_timeless=True)
        reconcile = self._reconcile

        async def is_undone() -> bool:
            assert reconcile is not None
            return not await timeless.invoke(reconcile, value)

        await ctx.undo(
            lambda: timeless.invoke(rollback, result),
            kind=_KINDS[self.mode],
            name=self.name,
            is_undone=None if reconcile is None else is_undone,
            is_failure_kept=is_failure_kept,
            args={"value": _shown(value)},
        )

    def bounds(self) -> Bounds:
        """Itself, and its rollback, reconciliation or background work."""
        helpers = sum(helper is not None for helper in (self._rollback, self._reconcile))
        if self.mode == "fire_and_forget":
            return Bounds(executions=2 + helpers, cleanup=DRAIN_LIMIT)
        own = one_execution(self.name, self.timeout, 1 if self._reconcile is None else 2)
        return replace(own, executions=1 + helpers, cleanup=DRAIN_LIMIT if self._rollback else timedelta())

    def _reconciler(self, value: Any, ctx: Context, undo: "_Undo") -> Reconcile[Any] | None:
        reconcile = self._reconcile
        if reconcile is None:
            return None

        async def find_out(_: Pending) -> Any:
            # Whatever is left of the deadline that may have cut the action off.
            timeless = invocation_of(ctx).within(invocation_of(ctx).scope, is_timeless=True)
            found = await timeless.invoke(reconcile, value)
            outcome = (True if found else None) if self._passes_on else found
            if outcome is not None:
                undo.offer(outcome)
            return outcome

        return find_out

    def _left_open(self, ctx: Context) -> Reconcile[Any]:
        """It runs in the background, so no one is asked: it is not repeated, and its step says why."""

        async def refuse(_: Pending) -> Any:
            raise unknown_outcome(ctx, self.name, "this was begun, and no answer to it came back")

        return refuse

    def _asker(self, value: Any, ctx: Context, undo: "_Undo") -> Reconcile[Any] | None:
        """Ask the approver of this run whether the action took place."""

        def about() -> ApprovalRequest:
            return ApprovalRequest(
                tool_use_id=ctx.stable_id(f"action:{self.name}"),
                tool_name=self.name,
                args={"value": _shown(value)},
                idempotency_key=f"{ctx.idempotency_key}:{self.name}",
                agent_id=ctx.agent_id or self.name,
            )

        def done(words: str) -> bool:
            if not self._passes_on:
                raise unknown_outcome(ctx, self.name, words)
            undo.offer(True)
            return True

        return asking_a_person(ctx, about, done)

    def _helper(self, name: str, function: Any, timeout: timedelta | None) -> Step[Any, Any] | None:
        """A function that belongs to the action, as a step of its own: its calls have events too."""
        if function is None:
            return None
        if not callable(function):
            raise PipelineTypeError(f"{self.name}: {name} is a function, got {function!r}")

        async def call(value: Any) -> Any:
            outcome = function(value)
            return await outcome if inspect.isawaitable(outcome) else outcome

        return FunctionStep(call, Signature(Any, Any, takes_context=False), name=name, timeout=timeout)

    def _passed_on(self, value: Any) -> Out_co:
        result: Out_co = value
        return result

    def _pretend(self, value: Any) -> Out_co:
        """The stand-in of a dry run."""
        if callable(self._stand_in):
            result: Out_co = self._stand_in(value)
            return result
        if self._stand_in is None and not self._passes_on:
            raise ConfigurationError(
                f"{self.name}: a dry run does not act, and this action returns {type_name(self.output_type)}; "
                "say what to return instead with `stand_in`"
            )
        return self._passed_on(value if self._stand_in is None else self._stand_in)

    @cached_property
    def _codec(self) -> TypeAdapter[Any]:
        try:
            return TypeAdapter(bool if self._passes_on else self.output_type)
        except PydanticSchemaGenerationError as error:
            raise ConfigurationError(
                f"{self.name}: {type_name(self.output_type)} cannot be kept in a journal; return a pydantic model "
                "or plain data"
            ) from error

    def _check(self) -> None:
        if self.mode not in _KINDS:
            raise PipelineTypeError(f"{self.name}: mode is one of {', '.join(_KINDS)}, got {self.mode!r}")
        if (self._rollback is not None) != (self.mode == "transactional"):
            raise PipelineTypeError(f"{self.name}: a transactional action has a rollback, and only such an action")
        if self.mode == "fire_and_forget" and not self._passes_on:
            raise PipelineTypeError(f"{self.name}: a fire_and_forget action is not awaited, so it returns None")


def _shown(value: Any) -> Any:
    """What an action was given, as a person can be shown it."""
    shown = to_jsonable_python(value, fallback=_described)
    text = shown if isinstance(shown, str) else to_json(shown).decode()
    return shown if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


def _described(value: Any) -> Any:
    """An object that is no data: in its own words, else by its public attributes. Its address says nothing."""
    is_worded = any(getattr(type(value), name) is not getattr(object, name) for name in ("__str__", "__repr__"))
    if is_worded:
        return str(value)
    attributes = {name: held for name, held in getattr(value, "__dict__", {}).items() if not name.startswith("_")}
    return attributes or type(value).__name__


class ActionDecorator:
    """What `@action(...)` returns, as type checkers see it."""

    @overload
    def __call__(self, function: Callable[[A], Coroutine[Any, Any, None]], /) -> Step[A, A]: ...
    @overload
    def __call__(self, function: Callable[[A, Context], Coroutine[Any, Any, None]], /) -> Step[A, A]: ...
    @overload
    def __call__(self, function: Callable[[A], Coroutine[Any, Any, StepResult[B]]], /) -> Step[A, B]: ...
    @overload
    def __call__(self, function: Callable[[A, Context], Coroutine[Any, Any, StepResult[B]]], /) -> Step[A, B]: ...
    @overload
    def __call__(self, function: Callable[[A], Coroutine[Any, Any, B]], /) -> Step[A, B]: ...
    @overload
    def __call__(self, function: Callable[[A, Context], Coroutine[Any, Any, B]], /) -> Step[A, B]: ...
    def __call__(self, function: Any, /) -> NoReturn:
        """Never called: `action` returns a plain function with this signature."""
        raise NotImplementedError


def action(
    *,
    mode: Mode,
    name: str | None = None,
    timeout: timedelta | float | None = None,
    rollback: Callable[[Any], object] | None = None,
    reconcile: Callable[[Any], object] | None = None,
    stand_in: Any = None,
) -> ActionDecorator:
    """Make an action of an async function.

    `rollback(result)` undoes a transactional action; `reconcile(value)` finds out, after an interruption, what a
    begun one brought (`None`: it did not happen; for an action that returns nothing, whether it happened). Both may
    be async. `stand_in` is what a dry run gives instead, or a function of the value.
    """

    def make(function: Callable[..., Coroutine[Any, Any, Any]]) -> Step[Any, Any]:
        return ActionStep(
            function,
            mode=mode,
            name=name,
            timeout=timeout,
            rollback=rollback,
            reconcile=reconcile,
            stand_in=stand_in,
        )

    return make  # type: ignore[return-value] # a function with the decorator's signature


class _Undo:
    """Offers an action's rollback to the pipeline around it, once: when it is done, or found in the journal."""

    __slots__ = ("_ctx", "_is_offered", "_outcome", "_roll_back")

    def __init__(self, roll_back: RollBack | None, ctx: Context) -> None:
        self._roll_back = roll_back
        self._ctx = ctx
        self._is_offered = False
        self._outcome: Any = None

    def offer(self, outcome: Any) -> None:
        """Have it undone if the pipeline fails; what is offered last is what its rollback is given."""
        roll_back = self._roll_back
        self._outcome = outcome
        if roll_back is None or self._is_offered:
            return
        self._is_offered = True
        invocation_of(self._ctx).scope.offer_undo(lambda is_kept: roll_back(self._outcome, is_kept))
