"""Actions: steps that change something outside.

| mode              | the pipeline               | if a later step fails          | after an interruption        |
|-------------------|----------------------------|--------------------------------|------------------------------|
| `transactional`   | waits for it               | it is rolled back              | reconciled, or asked about   |
| `idempotent`      | waits for it               | it stays                       | done again                   |
| `fire_and_forget` | goes on; the run drains it | it stays                       | not repeated                 |
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar, overload

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError

from batuta.events.runtime import EffectKind
from batuta.kernel.errors import ConfigurationError, PipelineTypeError
from batuta.pipelines.bounds import Bounds, one_execution
from batuta.pipelines.context import Context
from batuta.pipelines.runner import DRAIN_LIMIT
from batuta.pipelines.step import FunctionStep, Signature, Step, read_signature
from batuta.pipelines.typecheck import fits, type_name

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")

Mode = Literal["fire_and_forget", "transactional", "idempotent"]

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
        rollback: Callable[[Any], Awaitable[None]] | None = None,
        reconcile: Callable[[Any], Awaitable[Any]] | None = None,
        stand_in: Any = None,
    ) -> None:
        signature = read_signature(function, sys._getframe(1).f_locals)  # noqa: SLF001 - names local to the caller
        self._passes_on = fits(signature.output_type, type(None))
        super().__init__(
            name or function.__name__,
            input_type=signature.input_type,
            output_type=signature.input_type if self._passes_on else signature.output_type,
            timeout=timeout,
        )
        self.mode: Mode = mode
        self._function = function
        self._takes_context = signature.takes_context
        self._background: Step[Any, Any] = FunctionStep(
            self._act, Signature(signature.input_type, type(None), takes_context=True), name="background"
        )
        self._rollback = _rollback_step(rollback, self.output_type)
        self._reconcile = reconcile
        self._stand_in = stand_in
        self._check()

    async def _perform(self, value: In_contra, ctx: Context) -> Out_co:
        if ctx.is_dry_run:
            return self._pretend(value)
        if self.mode == "fire_and_forget":
            ctx._run.in_background(ctx.invoke(self._background, value))
            return self._passed_on(value)
        outcome = await self._act(value, ctx)
        result: Out_co = self._passed_on(value) if self._passes_on else outcome
        if self._rollback is not None:
            ctx._scope.undo.append(lambda: self._undo(result, ctx))
        return result

    async def _act(self, value: Any, ctx: Context) -> Any:
        """Call the function once: a recorded outcome is returned instead."""
        return await ctx.effect(
            lambda: self._function(value, ctx) if self._takes_context else self._function(value),
            self._codec,
            kind=_KINDS[self.mode],
            name=self.name,
            reconcile=self._reconciler(value),
        )

    async def _undo(self, result: Any, ctx: Context) -> None:
        """Roll back in good time, whatever is left of the deadline that may have caused it."""
        assert self._rollback is not None
        timeless = ctx._within(ctx._scope, is_timeless=True)
        async with asyncio.timeout(DRAIN_LIMIT.total_seconds()):
            await timeless.invoke(self._rollback, result)

    def bounds(self) -> Bounds:
        """Itself, and its rollback or background work."""
        extra = self._rollback is not None or self.mode == "fire_and_forget"
        return one_execution(self.name, self.timeout, 2 if extra else 1)

    def _reconciler(self, value: Any) -> Callable[[], Awaitable[Any]] | None:
        reconcile = self._reconcile
        if reconcile is None:
            return None
        return lambda: reconcile(value)

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
            return TypeAdapter(type(None) if self._passes_on else self.output_type)
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
            raise PipelineTypeError(f"{self.name}: nobody waits for a fire_and_forget action, so it returns None")


class ActionDecorator(Generic[A]):
    """What `@action(...)` returns, as type checkers see it."""

    @overload
    def __call__(self, function: Callable[[A], Coroutine[Any, Any, None]], /) -> Step[A, A]: ...
    @overload
    def __call__(self, function: Callable[[A, Context], Coroutine[Any, Any, None]], /) -> Step[A, A]: ...
    @overload
    def __call__(self, function: Callable[[A], Coroutine[Any, Any, B]], /) -> Step[A, B]: ...
    @overload
    def __call__(self, function: Callable[[A, Context], Coroutine[Any, Any, B]], /) -> Step[A, B]: ...
    def __call__(self, function: Any, /) -> Any:
        """Never called: `action` returns a plain function with this signature."""
        raise NotImplementedError


def action(
    *,
    mode: Mode,
    name: str | None = None,
    timeout: timedelta | float | None = None,
    rollback: Callable[[Any], Awaitable[None]] | None = None,
    reconcile: Callable[[Any], Awaitable[Any]] | None = None,
    stand_in: Any = None,
) -> ActionDecorator[Any]:
    """Make an action of an async function.

    `rollback(result)` undoes a transactional action; `reconcile(value)` finds out, after an interruption, what a
    begun one brought (`None`: it did not happen); `stand_in` is what a dry run gives instead.
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


def _rollback_step(rollback: Callable[[Any], Awaitable[None]] | None, of: Any) -> Step[Any, None] | None:
    if rollback is None:
        return None

    async def run(result: Any) -> None:
        await rollback(result)

    return FunctionStep(run, Signature(of, type(None), takes_context=False), name="rollback")
