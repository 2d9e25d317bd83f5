"""Branches side by side, merged into one typed output.

Each branch gets its own copy of the conversation. Merging happens in the order of the branches, one at a time.
"""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from math import ceil
from typing import Any, Generic, Literal, TypeVar, get_origin

from batuta.conversations.conversation import Conversation
from batuta.kernel.errors import LogicalError, PipelineTypeError, StepFailedError
from batuta.kernel.messages import Message
from batuta.kernel.tasks import all_or_first_failure
from batuta.pipelines.bounds import NOTHING, Bounds
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.drawing import Drawing, Exit
from batuta.pipelines.result import StepError
from batuta.pipelines.step import Step
from batuta.pipelines.typecheck import fits, type_name

In_contra = TypeVar("In_contra", contravariant=True)
Into_contra = TypeVar("Into_contra", contravariant=True)
Into = TypeVar("Into")
T = TypeVar("T")

Policy = Literal["fail_fast", "collect"]


class Branch(Generic[In_contra, Into_contra]):
    """A step, and how its result gets into the output. `scope` chooses the messages it sees."""

    __slots__ = ("merge", "scope", "step")

    def __init__(
        self,
        step: Step[In_contra, T],
        *,
        merge: Callable[[Into_contra, T], object],
        scope: Callable[[Message], bool] | None = None,
    ) -> None:
        if not isinstance(step, Step):
            raise PipelineTypeError(f"a branch holds a step, got {step!r}")
        if inspect.iscoroutinefunction(merge):
            raise PipelineTypeError(f"the merge of branch {step.name!r} is async; merging is a plain function call")
        self.step: Step[Any, Any] = step
        self.merge: Callable[[Any, Any], object] = merge
        self.scope = scope


class ParallelStep(Step[In_contra, Into]):
    """Runs branches concurrently and merges what they give into a new `into()`.

    `fail_fast` cancels the siblings of the first branch that fails. `collect` lets all of them end; what succeeded
    is merged, and the failures go to `on_failures(output, errors)` if it is given, else they fail the step together.
    """

    shape = "join"

    def __init__(
        self,
        into: Callable[[], Into],
        branches: Sequence[Branch[In_contra, Into]],
        *,
        name: str = "parallel",
        max_concurrency: int | None = None,
        on_failure: Policy = "fail_fast",
        on_failures: Callable[[Into, list[StepError]], object] | None = None,
    ) -> None:
        _check(name, branches, max_concurrency, on_failure)
        super().__init__(
            name,
            input_type=_common_input(name, branches),
            output_type=_made_by(into),
        )
        self._into = into
        self._branches = tuple(branches)
        self._limit = max_concurrency
        self._policy = on_failure
        self._on_failures = on_failures

    async def _perform(self, value: In_contra, ctx: Context) -> Into:
        slots = asyncio.Semaphore(self._limit) if self._limit else None
        work = [self._in_slot(branch, value, ctx, slots) for branch in self._branches]
        if self._policy == "fail_fast":
            return self._merged(await all_or_first_failure(work), ctx)
        return await self._collected(await asyncio.gather(*work, return_exceptions=True), ctx)

    async def _in_slot(
        self, branch: Branch[Any, Any], value: Any, ctx: Context, slots: asyncio.Semaphore | None
    ) -> Any:
        if slots is None:
            return await ctx.invoke(branch.step, value, conversation=_copy_for(branch, ctx))
        async with slots:
            return await ctx.invoke(branch.step, value, conversation=_copy_for(branch, ctx))

    def _merged(self, results: Sequence[Any], ctx: Context) -> Into:
        output = self._into()
        for branch, result in zip(self._branches, results, strict=True):
            self._merge_one(branch, output, result)
        return output

    async def _collected(self, results: Sequence[Any], ctx: Context) -> Into:
        output = self._into()
        errors: list[StepError] = []
        for branch, result in zip(self._branches, results, strict=True):
            if isinstance(result, StepFailedError):
                errors.append(result.error)
            elif isinstance(result, BaseException):
                raise result
            else:
                self._merge_one(branch, output, result)
        if errors:
            await self._settle(output, errors, ctx)
        return output

    def _merge_one(self, branch: Branch[Any, Any], output: Into, result: Any) -> None:
        try:
            branch.merge(output, result)
        except Exception as error:
            raise LogicalError(f"{self.name}: merging branch {branch.step.name!r} raised {error!r}") from error

    async def _settle(self, output: Into, errors: list[StepError], ctx: Context) -> None:
        if self._on_failures is not None:
            await ctx.go_on()
            invocation_of(ctx).scope.agents.is_partial = True
            self._on_failures(output, errors)
            return
        first = errors[0]
        raise StepFailedError(
            StepError(
                message="; ".join(str(error) for error in errors),
                step_name=first.step_name,
                path=first.path,
                category=first.category,
                code=first.code,
                exception=first.exception,
                causes=tuple(errors),
            )
        ) from first.exception

    def bounds(self) -> Bounds:
        """Itself and all branches; with fewer slots than branches they take turns."""
        inner = [branch.step.bounds().below(self.name) for branch in self._branches]
        beside = reduce(Bounds.beside, inner, NOTHING)
        rounds = ceil(len(inner) / self._limit) if self._limit else 1
        longest = None if beside.time is None else beside.time * rounds
        return Bounds(executions=1).then(replace(beside, time=longest))

    def children(self) -> tuple[Step[Any, Any], ...]:
        """The steps of its branches."""
        return tuple(branch.step for branch in self._branches)

    def _draw(self, drawing: Drawing, entries: list[Exit]) -> list[Exit]:
        fork = drawing.node(self.name, "join")
        drawing.arrows(entries, fork)
        ends = [end for branch in self._branches for end in branch.step._draw(drawing, [Exit(fork)])]
        join = drawing.node("merge", "join")
        drawing.arrows(ends, join)
        return [Exit(join, type_name(self.output_type))]


def _made_by(factory: Callable[[], Any]) -> Any:
    """The type that a factory gives: itself if it is one, else what it says it returns."""
    if isinstance(factory, type) or get_origin(factory) is not None:
        return factory
    return inspect.get_annotations(factory, eval_str=True).get("return", Any) if inspect.isfunction(factory) else Any


def _copy_for(branch: Branch[Any, Any], ctx: Context) -> Conversation | None:
    return None if ctx.conversation is None else ctx.conversation.clone(branch.scope)


def _common_input(name: str, branches: Sequence[Branch[Any, Any]]) -> Any:
    for candidate in (branch.step.input_type for branch in branches):
        if all(fits(candidate, branch.step.input_type) for branch in branches):
            return candidate
    takes = ", ".join(f"{b.step.name} takes {type_name(b.step.input_type)}" for b in branches)
    raise PipelineTypeError(f"{name}: its branches do not take the same input: {takes}")


def _check(name: str, branches: Sequence[Branch[Any, Any]], limit: int | None, policy: str) -> None:
    if not isinstance(branches, Sequence):
        raise PipelineTypeError(f"{name}: the branches come in a list, [Branch(…), …], got {branches!r}")
    if not branches:
        raise PipelineTypeError(f"{name}: a parallel step has at least one branch")
    for branch in branches:
        if not isinstance(branch, Branch):
            raise PipelineTypeError(f"{name}: a branch is Branch(step, merge=…), got {branch!r}")
    if limit is not None and limit < 1:
        raise PipelineTypeError(f"{name}: max_concurrency is at least 1, got {limit}")
    if policy not in ("fail_fast", "collect"):
        raise PipelineTypeError(f"{name}: on_failure is 'fail_fast' or 'collect', got {policy!r}")
    names = [branch.step.name for branch in branches]
    for twice in sorted({n for n in names if names.count(n) > 1}):
        raise PipelineTypeError(f'{name}: two branches are called {twice!r}; rename one with .named("…")')
