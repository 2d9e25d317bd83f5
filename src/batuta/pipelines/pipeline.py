"""A pipeline: a named, forward-only chain of steps that is itself a step."""

import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator
from contextlib import aclosing, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from batuta import pipelines
from batuta.kernel.errors import BatutaError, PipelineTypeError, StepFailedError, Suspended
from batuta.kernel.tasks import await_shielded
from batuta.pipelines.context import Context, current_context, invocation_of
from batuta.pipelines.journal import PartialJournal
from batuta.pipelines.options import RunOptions
from batuta.pipelines.result import StepResult
from batuta.pipelines.runner import ENDING, STARTING, WORKING, is_unsettled, owes_an_end, with_rollback_failures
from batuta.pipelines.scope import Scope
from batuta.pipelines.step import Step

if TYPE_CHECKING:
    from batuta.conversations.conversation import Conversation
    from batuta.events.telemetry import PipelineStatus
    from batuta.pipelines.batch import Meter, Progress
    from batuta.pipelines.bounds import Bounds
    from batuta.pipelines.drawing import Drawing, Exit

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
Item = TypeVar("Item")


class Pipeline(Step[In_contra, Out_co]):
    """Steps that run one after the other and stop at the first error.

        Pipeline("orders", parse >> price)

    When a later step fails, the transactional actions that completed are rolled back in reverse order. An outcome that
    is unknown is no failure: then nothing is undone that it may be built on.
    """

    def __init__(
        self,
        name: str,
        steps: Step[In_contra, Out_co],
        *,
        timeout: timedelta | float | None = None,
    ) -> None:
        if not isinstance(steps, Step):
            raise PipelineTypeError(
                f"pipeline {name!r} has no steps; give it one, or several joined by >>, not {steps!r}"
            )
        super().__init__(name, input_type=steps.input_type, output_type=steps.output_type, timeout=timeout)
        self.steps = steps._links()
        self._refuse_duplicates()
        self._agents = tuple(step.name for step in _agents_in(self))

    def map(
        self,
        inputs: Iterable[Item] | AsyncIterable[Item],
        *,
        max_concurrency: int = 8,
        ordered: bool = True,
        on_progress: "Callable[[Progress], None] | None" = None,
        **options: Unpack[RunOptions],
    ) -> AsyncGenerator[StepResult[Out_co], None]:
        """Run it for every input, a few at a time. Errors are values; each run has its own copy of a conversation.

        With a journal, the effects of each input are kept under its content, so that a batch can be taken up again
        with the rest of its inputs. To leave before the end, close it (`async with aclosing(pipeline.map(…)) as
        results`), and nothing keeps running.
        """
        if max_concurrency < 1:
            raise ValueError(f"max_concurrency is at least 1, got {max_concurrency}")
        return self._map(inputs, max_concurrency, ordered, pipelines.Meter(inputs, on_progress), options)

    async def _map(
        self, inputs: Any, limit: int, ordered: bool, meter: "Meter", options: RunOptions
    ) -> AsyncGenerator[StepResult[Out_co], None]:
        seen: Counter[str] = Counter()

        async def start(number: int, value: Any) -> StepResult[Any]:
            name = await _name_in_batch(self, number, value, options, seen)
            return await self.run(value, **_own(options, name))

        async with aclosing(pipelines.results(inputs, start, limit, ordered=ordered)) as finished:
            async for result in finished:
                yield meter.count(result)

    async def _perform(self, value: In_contra, ctx: Context) -> Out_co:
        around = invocation_of(ctx).scope
        scope = Scope(self.name, around)
        if around.pipeline_name is None and ctx.is_heard:
            return await self._perform_reported(value, ctx, scope)
        return await self._in_turn(value, ctx, scope)

    async def _in_turn(self, value: Any, ctx: Context, scope: Scope) -> Out_co:
        """One step after the other; when one fails, what was done is undone."""
        invoke = invocation_of(ctx).run.invoke
        inner = invocation_of(invocation_of(ctx).within(scope))
        current: Any = value
        try:
            for step in self.steps:
                current = await invoke(step, current, inner)
        except Suspended:
            raise  # nothing failed: nothing is undone
        except BaseException as error:
            run = invocation_of(ctx).run
            if run.writing and isinstance(error, StepFailedError):
                await run.settle_cut_off(ctx.key)  # before anything is undone: it may have to be undone, too
            if scope.undo and not is_unsettled(error):
                is_kept = await run.begin_undoing(ctx.key, error)
                with_rollback_failures(error, await await_shielded(scope.roll_back(is_failure_kept=is_kept)))
            raise
        finally:
            scope.close()
        scope.hand_over_undo()
        result: Out_co = current
        return result

    async def _perform_reported(self, value: Any, ctx: Context, scope: Scope) -> Out_co:
        """The outermost pipeline is reported as a whole, too."""
        started = time.perf_counter()
        stage = STARTING
        try:
            await self._emit_started(ctx, value)
            stage = WORKING
            result = await self._in_turn(value, ctx, scope)
            stage = ENDING
            status: PipelineStatus = "partial_success" if scope.agents.is_partial else "success"
            await self._emit_completed(ctx, scope, started, status, result)
        except Suspended:
            raise  # it goes on later, and is reported then
        except BaseException as error:
            if owes_an_end(stage, error):
                with suppress(BatutaError):  # the error that brought us here is the one to report
                    await self._emit_completed(ctx, scope, started, "failed")
            raise
        return result

    async def _emit_started(self, ctx: Context, value: Any) -> None:
        zone = ctx.services.get("timezone")
        await invocation_of(ctx).emit(
            pipelines.pipeline_started(
                path=ctx.path,
                pipeline_type=self.name,
                agent_sequence=self._agents,
                sequence_length=len(self._agents),
                user_prompt=value if isinstance(value, str) else None,
                user_timezone=None if zone is None else str(zone),
                user_id=ctx.user.id,
            )
        )

    async def _emit_completed(
        self, ctx: Context, scope: Scope, started: float, status: "PipelineStatus", value: Any = None
    ) -> None:
        agents = scope.agents
        await invocation_of(ctx).emit(
            pipelines.pipeline_completed(
                path=ctx.path,
                pipeline_type=self.name,
                status=status,
                final_outcome=str(getattr(value, "outcome", None) or status),
                total_execution_time_ms=int((time.perf_counter() - started) * 1000),
                agents_executed=agents.executed,
                agents_succeeded=agents.succeeded,
                agents_failed=agents.failed,
                agents_retried=agents.retried,
                output_summary=None if status == "failed" else pipelines.summary_of(value),
                final_confidence=agents.last_confidence,
            )
        )

    def bounds(self) -> "Bounds":
        """The worst case, before anything runs."""
        inner = pipelines.in_turn(step.bounds() for step in self.steps)
        return pipelines.Bounds(executions=1).then(inner.below(self.name)).within(self.timeout)

    def children(self) -> tuple[Step[Any, Any], ...]:
        """Its steps."""
        return self.steps

    def _draw(self, drawing: "Drawing", entries: "list[Exit]") -> "list[Exit]":
        drawing.open_group(self.name)
        for step in self.steps:
            entries = step._draw(drawing, entries)
        drawing.close_group()
        return entries

    def _refuse_duplicates(self) -> None:
        seen: set[str] = set()
        for step in self.steps:
            if step.name in seen:
                raise PipelineTypeError(
                    f'pipeline {self.name!r} has two steps called {step.name!r}; give one another name with .named("…")'
                )
            seen.add(step.name)


async def _name_in_batch(step: Step[Any, Any], number: int, value: Any, options: RunOptions, seen: Counter[str]) -> str:
    """Under what a journal keeps the effects of one input, and how often that came before."""
    if (journal := options.get("journal")) is None:
        return ""
    name = await pipelines.name_in_batch(journal, step.name, number, value)
    seen[name] += 1
    return name if seen[name] == 1 else f"{name}~{seen[name]}"


def _own(options: RunOptions, name: str) -> RunOptions:
    """The options of one run of a batch: a conversation and a journal are not shared with the others."""
    own = options.copy()
    if (conversation := options.get("conversation") or _conversation_around()) is not None:
        own["conversation"] = conversation.clone()
    if (journal := options.get("journal")) is not None:
        own["journal"] = PartialJournal(journal, name)
    return own


def _conversation_around() -> "Conversation | None":
    """That of the step which runs the batch: its runs would see one another's messages in it, as time has it."""
    around = current_context.get()
    return around.conversation if around is not None and invocation_of(around).run.is_active else None


def _agents_in(step: Step[Any, Any]) -> Iterator[Step[Any, Any]]:
    """The agents below a step, in the order they stand."""
    if step.shape == "agent":
        yield step
    for child in step.children():
        yield from _agents_in(child)
