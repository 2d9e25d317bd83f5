"""The runner wraps every step, without exception: hooks, events, deadline, result.

start        begins a run, or joins the one around it
Run.invoke   one step: before hooks -> started -> work within its deadline -> completed or failed -> after hooks
"""

import asyncio
import logging
import time
import traceback
from collections.abc import Awaitable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from batuta import events, pipelines
from batuta.events.emitter import Emitter, Stamp
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.errors import (
    BatutaError,
    ConfigurationError,
    DeadlineExceededError,
    RunCancelledError,
    StepFailedError,
    Suspended,
    UnknownOutcomeError,
)
from batuta.kernel.ids import new_id
from batuta.kernel.outcomes import is_outcome_unknown
from batuta.kernel.tasks import await_shielded
from batuta.kernel.users import ANONYMOUS_USER
from batuta.pipelines.cancellation import Cancellation
from batuta.pipelines.context import Context, Invocation, current_context, invocation_of
from batuta.pipelines.hooks import Hook
from batuta.pipelines.journal import Effect
from batuta.pipelines.options import CallPolicies, InvocationOptions, RunOptions
from batuta.pipelines.result import Metrics, StepError, StepResult
from batuta.pipelines.scope import Scope
from batuta.resilience.deadlines import Deadline, within

if TYPE_CHECKING:
    from batuta.conversations.conversation import Conversation
    from batuta.pipelines.journaling import Doing
    from batuta.pipelines.spending import SpendingCodec
    from batuta.pipelines.step import Step

DRAIN_LIMIT = timedelta(seconds=30)
"""How long a finished run waits for its fire-and-forget actions."""

STACK_FRAMES = 6
"""How many frames of an exception a failed step's event holds."""

_JOINING = frozenset({"conversation", "timeout"})
_KNOWN = frozenset(RunOptions.__annotations__)
_NOTHING: dict[str, Any] = {}

BEFORE, STARTING, WORKING, ENDING = range(4)
"""Phases of something whose begin and end are reported."""

_clock = time.perf_counter

log = logging.getLogger("batuta.pipelines")


async def start(step: "Step[Any, Any]", value: Any, options: RunOptions) -> StepResult[Any]:
    """Run a step: as a child of the step that is running here, or as a run of its own."""
    if not options.keys() <= _KNOWN:
        raise TypeError(f"{step.name}: no such option of a run: {', '.join(sorted(options.keys() - _KNOWN))}")
    around = current_context.get()
    if around is not None and invocation_of(around).run.is_active:
        return await _join(step, value, invocation_of(around), options)
    return await Run(options).execute(step, value, InvocationOptions.of(options))


async def _join(step: "Step[Any, Any]", value: Any, around: Invocation, options: RunOptions) -> StepResult[Any]:
    if foreign := sorted(set(options) - _JOINING):
        raise ConfigurationError(
            f"{step.name}: this run joins {around.path!r}, which is running; {', '.join(foreign)} can only be given "
            "to the outermost run"
        )
    return await around.run.measured(step, value, around, InvocationOptions.of(options))


class Run:
    """Everything that one run, from its outermost step inwards, has in common."""

    def __init__(self, options: RunOptions) -> None:
        self.clock = options.get("clock", SYSTEM_CLOCK)
        self.emitter = Emitter(
            Stamp(
                correlation_id=options.get("correlation_id") or new_id(),
                trace_id=options.get("trace_id"),
                session_id=options.get("session_id"),
                turn_id=options.get("turn_id"),
            ),
            now=self.clock.now,
            sink=options.get("sink"),
            recorder=options.get("recorder"),
            naming=options.get("naming"),
        )
        self.journal = options.get("journal")
        self.hooks = tuple(options.get("hooks", ()))
        self.services = MappingProxyType(options.get("services", _NOTHING))
        self.user = options.get("user", ANONYMOUS_USER)
        self.approver = options.get("approver")
        self.policies = CallPolicies.of(options)
        self.is_dry_run = options.get("dry_run", False)
        self.cancellation = options.get("cancellation") or Cancellation()
        self.is_active = True
        self._is_turn = options.get("naming") is not None
        """Whether its repetition names everything the same: the journal of a turn knows the request it belongs to."""
        self._background: set[asyncio.Task[Any]] = set()
        self._repetitions: dict[str, int] = {}
        self._failures: dict[str, tuple[Effect, Exception, SpendingCodec[Any] | None]] = {}
        self._begun: set[str] = set()
        self.key = self.emitter.stamp.turn_id or self.emitter.stamp.correlation_id
        """What names this run in idempotency keys: its turn, what its journal remembers, or its correlation id."""
        self.undone: list[Effect] = []
        """What was undone."""
        self._rolled_back: list[Effect] = []
        """What stands for failures that led to undoing."""
        self.writing: dict[str, Doing[Any]] = {}
        """Writes that are under way, or were when something around them was cut off."""

    async def execute(self, step: "Step[Any, Any]", value: Any, options: InvocationOptions) -> StepResult[Any]:
        """The outermost invocation: it can be stopped by its handle, and it leaves no task behind."""
        if self.cancellation.is_requested:
            return self._stopped(step)
        task = asyncio.current_task()
        assert task is not None
        self.cancellation.attach(task)
        try:
            result = await self._execute(step, value, options)
        except asyncio.CancelledError as error:
            if await self.cancellation.detach(task):
                return self._stopped(step, error)
            raise
        except BaseException:
            await self.cancellation.detach(task)
            raise
        finally:
            self.is_active = False
            self.approver = None  # it may know this run, and then neither would be freed at once
        if await self.cancellation.detach(task) and result.is_error:
            return self._stopped(step)
        return result

    async def _execute(self, step: "Step[Any, Any]", value: Any, options: InvocationOptions) -> StepResult[Any]:
        if self.journal is not None and not self._is_turn:
            try:
                self.key = await pipelines.check_input(self.journal, step.name, value, self.key)
            except BatutaError as error:
                return StepResult(None, StepError.of(error, step_name=step.name, path=step.name), Metrics())
        scope = Scope()
        try:
            result = await self.measured(step, value, Invocation(self, scope), options)
            if result.is_error and self.writing:
                result = await self._without_doubt(step, result)
            if result.is_error and scope.undo and not isinstance(result.error.exception, UnknownOutcomeError):
                is_kept = await self.begin_undoing("", StepFailedError(result.error))
                failures = await await_shielded(scope.roll_back(is_failure_kept=is_kept))
                result = StepResult(None, _not_undone(result.error, failures), result.metrics)
            if self._background:
                await self._drain()
            if result.is_error and not self._is_turn:
                await self._forget_undone()
            return await self._settled(step, result)
        except Suspended:
            await await_shielded(self._stop_background())
            await self.keep_what_failed_beside()
            await self.emitter.settle()
            raise
        except BaseException:
            await await_shielded(self._abandon(scope))
            with suppress(BatutaError):  # why the run ends says more than that not all of it was recorded
                await self.emitter.settle()
            raise

    async def begin_undoing(self, key: str, error: BaseException) -> bool:
        """Keep what failed at a place or below it before anything is undone because of it; whether it is kept.

        If this run dies while it undoes, its repetition comes here again, does nothing anew and goes on undoing.
        """
        if self.journal is None or not isinstance(error, StepFailedError):
            return False
        self._rolled_back += await self.keep_failures(key)
        return True

    async def keep_what_failed_beside(self) -> None:
        """What failed beside a step that waits fails again when the run goes on. What was cut off is tried again."""
        self._failures = {
            key: noted
            for key, noted in self._failures.items()
            if not isinstance(raised_by(noted[1]), DeadlineExceededError)
        }
        await self.keep_failures()

    async def _forget_undone(self) -> None:
        """All is undone: another run with the same journal begins anew. A turn is not run again."""
        if self.journal is None:
            return
        for effect in self.undone:
            await pipelines.forget(self.journal, effect)
        for effect in self._rolled_back:
            await self.journal.abandon(effect, "undone")

    async def settle_cut_off(self, key: str = "") -> None:
        """Find out about writes at a place that were cut off: by a deadline, or because something beside them failed.

        Raises `UnknownOutcomeError` if it stays unknown, `Suspended` if a person has to say. A stopped run asks
        no one any more: the run that repeats it finds what was begun.
        """
        places = (f"{key}/", f"{key}:") if key else ("",)
        while not self.cancellation.is_requested:
            left = next((doing for begun, doing in self.writing.items() if begun.startswith(places)), None)
            if left is None:
                return
            del self.writing[left.effect.key]
            lost = DeadlineExceededError(f"{left.effect.name} was cut off before its answer came")
            await await_shielded(pipelines.settle_cut_off(self.journal, left, lost))

    async def _without_doubt(self, step: "Step[Any, Any]", result: StepResult[Any]) -> StepResult[Any]:
        """The error of a run, unless it left something undecided that is worse to know nothing about."""
        try:
            await self.settle_cut_off()
        except BatutaError as error:
            error.__cause__ = error.__cause__ or result.error.exception
            return StepResult(None, StepError.of(error, step_name=step.name, path=step.name), result.metrics)
        return result

    async def _settled(self, step: "Step[Any, Any]", result: StepResult[Any]) -> StepResult[Any]:
        """The result once everything emitted is durable; a run that could not be recorded has failed."""
        try:
            await self.emitter.settle()
        except BatutaError as error:
            located = StepError.of(error, step_name=step.name, path=step.name)
            return StepResult(None, located, result.metrics)
        return result

    async def measured(
        self, step: "Step[Any, Any]", value: Any, parent: Invocation, options: InvocationOptions
    ) -> StepResult[Any]:
        """A step's value or error as a result, with what it took."""
        started = _clock()
        scope = Scope(parent.scope.pipeline_name, parent.scope)
        if parent.path:  # a run inside of a run
            scope.parent_trace_id = self.emitter.trace_id
        timeout = options.timeout
        deadline = parent.deadline if timeout is None else Deadline.after(timeout).sooner(parent.deadline)
        inner = invocation_of(parent.within(scope, deadline=deadline))
        try:
            act = self.invoke(step, value, inner, options.conversation)
            if timeout is None or deadline is None:
                outcome = await act
            else:
                outcome = await within(deadline, lambda: act, what=f"run of {step.name!r}")
        except StepFailedError as failure:
            return StepResult(None, failure.error, scope.tally.metrics(_clock() - started))
        except Exception as error:
            path = f"{parent.path}/{step.name}" if parent.path else step.name
            located = StepError.of(error, step_name=step.name, path=path)
            return StepResult(None, located, scope.tally.metrics(_clock() - started))
        else:
            return StepResult(outcome, None, scope.tally.metrics(_clock() - started))
        finally:
            scope.hand_over_undo()
            scope.close()

    async def invoke(
        self, step: "Step[Any, Any]", value: Any, parent: Invocation, conversation: "Conversation | None" = None
    ) -> Any:
        """Run one step as a child of another. There is no other way."""
        if step.is_transparent:
            return await step._perform(value, parent.within(parent.scope, conversation=conversation))
        scope = parent.scope
        if conversation is None:
            conversation = parent.conversation
        deadline = parent.deadline if step.timeout is None else Deadline.after(step.timeout).sooner(parent.deadline)
        invocation = Invocation(self, scope, step.name, parent, conversation, deadline)
        ctx = Context(invocation)
        emitter = self.emitter
        is_announced = step.is_announced and emitter.is_heard
        token = current_context.set(ctx)
        stage = BEFORE
        started = _clock()
        try:
            refusal = await self._before(ctx, value) if self.hooks else None
            stage = STARTING
            if is_announced:
                await self._emit_started(step, invocation)
            stage = WORKING
            if refusal is not None:
                raise refusal  # noqa: TRY301 - a hook refuses where the step would have begun
            if self.journal is not None:
                await pipelines.fail_again(self.journal, invocation.key)
            if step.timeout is None:
                outcome = await step._perform(value, ctx)
            else:
                outcome = await self._within_own_deadline(step, value, ctx)
            if type(outcome) is StepResult:
                outcome = opened(outcome, ctx)
            if self.journal is not None:
                await pipelines.fail_again(self.journal, invocation.key, has_effects=True)
            stage = ENDING
            if is_announced:
                completed = pipelines.step_completed(
                    step_name=step.name,
                    step_type=step.kind,
                    pipeline_name=scope.pipeline_name,
                    path=invocation.path,
                    parent_step=parent.step_name or None,
                    duration_ms=(_clock() - started) * 1000,
                    attributes=invocation.notes,
                )
                await emitter.emit(completed, invocation.key)
        except Suspended:
            raise  # it neither completed nor failed: it goes on later
        except BaseException as error:
            failure = await self._failed(error, step, ctx, started, stage)
            if getattr(error, "error", None) is failure or not isinstance(error, Exception):
                raise
            raise StepFailedError(failure) from error
        finally:
            current_context.reset(token)
        if self.hooks:
            await self._after(ctx, StepResult(outcome, None, Metrics(duration_seconds=_clock() - started)))
        return outcome

    def in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start something the run owns but does not wait for until its end."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background_ended)

    def _background_ended(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled():
            task.exception()  # reported by an event of its step: seen, so that asyncio does not report it as lost

    def note_failure(self, effect: Effect, error: Exception, spending: "SpendingCodec[Any] | None" = None) -> None:
        """Remember what failed, until the run goes on or ends. A write of unknown outcome has to be settled first."""
        if self.journal is None or pipelines.is_of_the_run(error):
            return
        if effect.kind != "write" or not is_outcome_unknown(error):
            self._failures[effect.key] = effect, error, spending

    def note_effect(self, effect: Effect) -> None:
        """Remember where there were effects."""
        self._begun.add(effect.key)

    def _note_failure_of_step(self, error: BaseException, failure: StepError, ctx: Context) -> None:
        """Remember the innermost step that failed: tried again it might not."""
        if self.journal is None or not isinstance(error, Exception) or failure.path != ctx.path:
            return
        if not isinstance(failure.exception, UnknownOutcomeError):
            places = (f"{ctx.key}/", f"{ctx.key}:")
            has_effects = any(begun.startswith(places) for begun in self._begun)
            self.note_failure(pipelines.failure_of_step(ctx.key, has_effects=has_effects), StepFailedError(failure))

    async def keep_failures(self, key: str = "") -> list[Effect]:
        """Keep what failed at a place or below it; what stands for it."""
        places = (f"{key}/", f"{key}:") if key else ("",)
        kept: list[Effect] = []
        for failed in [failed for failed in self._failures if failed.startswith(places)]:
            effect, error, spending = self._failures.pop(failed)
            assert self.journal is not None
            if await self.journal.recall(effect) is None:
                await pipelines.keep_failure(self.journal, effect, error, spending)
                kept.append(effect)
        return kept

    def numbered(self, path: str, parent: Invocation | None) -> str:
        """A path that tells repetitions of the same step apart, in the order they begin."""
        base = f"{parent.key}/{path.rpartition('/')[2]}" if parent is not None and parent.key else path
        count = self._repetitions[base] = self._repetitions.get(base, 0) + 1
        return base if count == 1 else f"{base}~{count}"

    def _stopped(self, step: "Step[Any, Any]", cause: BaseException | None = None) -> StepResult[Any]:
        stopped = RunCancelledError(self.cancellation.reason or "stopped")
        stopped.__cause__ = cause
        return StepResult(None, StepError.of(stopped, step_name=step.name, path=step.name), Metrics())

    async def _within_own_deadline(self, step: "Step[Any, Any]", value: Any, ctx: Context) -> Any:
        assert ctx.deadline is not None
        try:
            return await within(ctx.deadline, lambda: step._perform(value, ctx), what=f"step {ctx.path!r}")
        except DeadlineExceededError:
            if self.writing:
                await self.settle_cut_off(ctx.key)
            raise

    async def _before(self, ctx: Context, value: Any) -> Exception | None:
        for hook in self.hooks:
            try:
                await hook.before(ctx, value)
            except Exception as error:
                return error
        return None

    async def _after(self, ctx: Context, result: StepResult[Any]) -> None:
        for hook in reversed(self.hooks):
            try:
                await hook.after(ctx, result)
            except Exception as error:
                await self._emit_hook_failed(hook, ctx, error)

    async def _emit_hook_failed(self, hook: Hook, ctx: Context, error: Exception) -> None:
        try:
            await ctx.emit(events.HookFailed(hook=type(hook).__name__, path=ctx.path, message=str(error)))
        except BatutaError:
            log.exception("after hook %s of %s raised %r, and that was not recorded", type(hook), ctx.path, error)

    async def _failed(
        self, error: BaseException, step: "Step[Any, Any]", ctx: Context, started: float, stage: int
    ) -> StepError:
        """The error that leaves a step, after it was emitted."""
        failure = _failure(error, ctx)
        if stage == WORKING:
            self._note_failure_of_step(error, failure, ctx)
        duration = _clock() - started
        if owes_an_end(stage, error):
            await self._emit_failed(failure, step, ctx, duration)
        if self.hooks:
            await self._after(ctx, StepResult(None, failure, Metrics(duration_seconds=duration)))
        return failure

    def _emit_started(self, step: "Step[Any, Any]", invocation: Invocation) -> Awaitable[None]:
        begun = pipelines.step_started(
            step_name=step.name,
            step_type=step.kind,
            pipeline_name=invocation.scope.pipeline_name,
            path=invocation.path,
            parent_step=None if invocation.parent is None else invocation.parent.step_name or None,
        )
        return self.emitter.emit(begun, invocation.key)

    async def _emit_failed(self, failure: StepError, step: "Step[Any, Any]", ctx: Context, duration: float) -> None:
        if not ctx.is_heard:
            return
        invocation = invocation_of(ctx)
        raised = failure.exception if failure.path == ctx.path else None
        if not step.is_announced:
            if failure.path != ctx.path:
                return
            with suppress(BatutaError):
                await self._emit_started(step, invocation)
        failed = events.StepFailed(
            step_name=step.name,
            step_type=step.kind,
            pipeline_name=invocation.scope.pipeline_name,
            path=ctx.path,
            parent_step=None if invocation.parent is None else invocation.parent.step_name or None,
            duration_ms=duration * 1000,
            attributes=invocation.notes,
            category=failure.category,
            code=failure.code,
            message=failure.message,
            error_type=None if raised is None else type(raised).__name__,
            stack_trace=None if raised is None else "".join(traceback.format_exception(raised, limit=-STACK_FRAMES)),
        )
        # The recorder may be why the step failed, or unable to take that it did: the error itself still travels.
        with suppress(BatutaError):
            await self.emitter.emit(failed, ctx.key)

    async def _abandon(self, scope: Scope) -> None:
        """The run was cancelled: stop what it started and undo what it did."""
        await self._stop_background()
        for failure in await scope.roll_back():
            log.error("a cancelled run could not be rolled back: %r", failure, exc_info=failure)

    async def _drain(self) -> None:
        """Wait for what was started in the background; what outlives the limit is cancelled and reported as failed."""
        now = asyncio.get_running_loop().time
        end = now() + DRAIN_LIMIT.total_seconds()
        while self._background and (left := end - now()) > 0:
            await asyncio.wait(self._background, timeout=left)
        if self._background:
            await await_shielded(self._stop_background())

    async def _stop_background(self) -> None:
        now = asyncio.get_running_loop().time
        end = now() + DRAIN_LIMIT.total_seconds()
        while self._background and (left := end - now()) > 0:
            for task in self._background:
                task.cancel("the run is over")
            await asyncio.wait(self._background, timeout=left)
        if self._background:
            log.error("%s background tasks of a run do not stop when they are cancelled", len(self._background))


def owes_an_end(stage: int, error: BaseException) -> bool:
    """True if a begin was reported and no end.

    While an event is emitted, a cancellation is raised afterwards, and a failure instead of it.
    """
    if stage == STARTING:
        return not isinstance(error, Exception)
    return stage == WORKING or (stage == ENDING and isinstance(error, Exception))


def _failure(error: BaseException, ctx: Context) -> StepError:
    """The error that left a step: a child's keeps its own place."""
    if isinstance(error, StepFailedError) and isinstance(error.error, StepError):
        return _located(error.error, ctx)
    return StepError.of(error, step_name=ctx.step_name, path=ctx.path)


def is_unsettled(error: BaseException) -> bool:
    """True if a step ended because the outcome of a write in it is unknown."""
    return isinstance(raised_by(error), UnknownOutcomeError)


def raised_by(error: BaseException) -> BaseException | None:
    """What made a step fail, if that was raised; any other error itself."""
    return error.error.exception if isinstance(error, StepFailedError) and isinstance(error.error, StepError) else error


def with_rollback_failures(error: BaseException, failures: Sequence[BaseException]) -> None:
    """Note on the failure of a step what could not be undone after it."""
    if isinstance(error, StepFailedError) and isinstance(error.error, StepError):
        error.error = _not_undone(error.error, failures)
    elif failures:
        log.error("what was done before %r could not be undone: %s", error, failures)


def _not_undone(error: StepError, failures: Sequence[BaseException]) -> StepError:
    kept = tuple(
        failure.error
        if isinstance(failure, StepFailedError) and isinstance(failure.error, StepError)
        else StepError.of(failure)
        for failure in failures
    )
    return replace(error, rollback_failures=(*error.rollback_failures, *kept)) if kept else error


def _located(error: StepError, ctx: Context) -> StepError:
    return error if error.path else replace(error, step_name=ctx.step_name, path=ctx.path)


def opened(result: StepResult[Any], ctx: Context) -> Any:
    """A result returned by a step: its value, or its error put in its place."""
    if not result.is_error:
        return result.unwrap()
    raise StepFailedError(_located(result.error, ctx)) from result.error.exception
