"""The runner wraps every step, without exception: hooks, events, deadline, result.

start             begins a run, or joins the one around it
Run.invoke      one step: before hooks -> started -> work within its deadline -> completed or failed -> after hooks
"""

import asyncio
import time
from collections.abc import Awaitable, Coroutine
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from batuta.conversations.conversation import Conversation
from batuta.events.emitter import Emitter, Stamp
from batuta.events.runtime import HookFailed, StepCompleted, StepFailed, StepStarted
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.errors import ConfigurationError, RecordingFailedError, RunCancelledError, StepFailedError, Suspended
from batuta.kernel.ids import new_id
from batuta.pipelines.cancellation import Cancellation
from batuta.pipelines.context import Context, current_context
from batuta.pipelines.options import RunOptions
from batuta.pipelines.result import Metrics, StepError, StepResult
from batuta.pipelines.scope import Scope
from batuta.resilience.deadlines import Deadline, within
from batuta.tools.context import ANYBODY

if TYPE_CHECKING:
    from batuta.pipelines.step import Step

DRAIN_LIMIT = timedelta(seconds=30)
"""How long a finished run waits for its fire-and-forget actions."""

_JOINING = frozenset({"conversation", "timeout"})


async def start(step: "Step[Any, Any]", value: Any, options: RunOptions) -> StepResult[Any]:
    """Run a step: as a child of the step that is running here, or as a run of its own."""
    around = current_context.get()
    if around is not None and around._run.is_active:
        return await _join(step, value, around, options)
    return await Run(options).execute(step, value, options)


async def _join(step: "Step[Any, Any]", value: Any, around: Context, options: RunOptions) -> StepResult[Any]:
    if foreign := sorted(set(options) - _JOINING):
        raise ConfigurationError(
            f"{step.name}: this run joins {around.path!r}, which is running; {', '.join(foreign)} can only be given "
            "to the outermost run"
        )
    return await around._run.measured(step, value, around, options)


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
        self.services = options.get("services", {})
        self.user = options.get("user", ANYBODY)
        self.approver = options.get("approver")
        self.options = options
        self.is_dry_run = options.get("dry_run", False)
        self.cancellation = options.get("cancellation") or Cancellation()
        self.is_active = True
        self._has_handle = options.get("cancellation") is not None
        self._background: set[asyncio.Task[Any]] = set()
        self._repetitions: dict[str, int] = {}

    async def execute(self, step: "Step[Any, Any]", value: Any, options: RunOptions) -> StepResult[Any]:
        """The outermost invocation: it can be stopped by its handle, and it leaves no task behind."""
        root = Context(self, Scope(), "", None, None, None)
        try:
            if not self._has_handle:
                return await self.measured(step, value, root, options)
            return await self._stoppable(step, value, root, options)
        except BaseException:
            self._cancel_background()
            raise
        finally:
            if self._background:
                await self._drain()
            self.is_active = False

    async def measured(
        self, step: "Step[Any, Any]", value: Any, parent: Context, options: RunOptions
    ) -> StepResult[Any]:
        """A step's value or error as a result, with what it took."""
        started = time.perf_counter()
        scope = Scope(parent._scope.pipeline_name, parent._scope)
        timeout = options.get("timeout")
        deadline = parent.deadline if timeout is None else Deadline.after(timeout).sooner(parent.deadline)
        ctx = parent._within(scope, deadline=deadline)
        try:
            act = self.invoke(step, value, ctx, options.get("conversation"))
            outcome = await (act if timeout is None or deadline is None else _until(deadline, act, step.name))
        except StepFailedError as failure:
            return StepResult(None, failure.error, scope.tally.metrics(time.perf_counter() - started))
        except Exception as error:
            located = StepError.of(error, step_name=step.name, path=_path_below(parent, step))
            return StepResult(None, located, scope.tally.metrics(time.perf_counter() - started))
        else:
            return StepResult(outcome, None, scope.tally.metrics(time.perf_counter() - started))
        finally:
            scope.hand_over_undo()
            scope.close()

    async def invoke(
        self, step: "Step[Any, Any]", value: Any, parent: Context, conversation: Conversation | None = None
    ) -> Any:
        """Run one step as a child of another. There is no other way."""
        if step.is_transparent:
            return await step._perform(value, parent._within(parent._scope, conversation=conversation))
        ctx = Context(
            self, parent._scope, step.name, parent, conversation or parent.conversation, self._deadline(step, parent)
        )
        started = time.perf_counter()
        facts: dict[str, Any] = {
            "step_name": step.name,
            "step_type": step.kind,
            "pipeline_name": parent._scope.pipeline_name,
            "path": ctx.path,
            "parent_step": parent.step_name or None,
        }
        token = current_context.set(ctx)
        is_told = False
        try:
            refusal = await self._before(ctx, value) if self.hooks else None
            await self.emitter.tell_own(StepStarted, facts, ctx.key)
            is_told = True
            if refusal is not None:
                raise refusal  # noqa: TRY301 - a hook refuses where the step would have begun
            if step.timeout is None:
                outcome = await step._perform(value, ctx)
            else:
                outcome = await self._within_own_deadline(step, value, ctx)
            if type(outcome) is StepResult:
                outcome = _opened(outcome, ctx)
            facts["duration_ms"] = (time.perf_counter() - started) * 1000
            if ctx.notes is not None:
                facts["attributes"] = ctx.notes
            await self.emitter.tell_own(StepCompleted, facts, ctx.key)
        except Suspended:
            raise  # it neither completed nor failed: it goes on later
        except BaseException as error:
            failure = _failure(error, ctx)
            if is_told:
                facts["duration_ms"] = (time.perf_counter() - started) * 1000
                await self._tell_failed(failure, facts, ctx.key)
            if self.hooks:
                await self._after(ctx, StepResult(None, failure, Metrics()))
            if isinstance(error, StepFailedError) or not isinstance(error, Exception):
                raise
            raise StepFailedError(failure) from error
        finally:
            current_context.reset(token)
        if self.hooks:
            await self._after(ctx, StepResult(outcome, None, Metrics()))
        return outcome

    def in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start something the run owns but does not wait for until its end."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def numbered(self, path: str, parent: Context | None) -> str:
        """A path that tells repetitions of the same step apart, in the order they begin."""
        base = f"{parent.key}/{path.rpartition('/')[2]}" if parent is not None and parent.key else path
        count = self._repetitions[base] = self._repetitions.get(base, 0) + 1
        return base if count == 1 else f"{base}~{count}"

    async def _stoppable(
        self, step: "Step[Any, Any]", value: Any, root: Context, options: RunOptions
    ) -> StepResult[Any]:
        task = asyncio.current_task()
        assert task is not None
        self.cancellation.attach(task)
        try:
            return await self.measured(step, value, root, options)
        except asyncio.CancelledError as error:
            if not self.cancellation.is_requested or task.uncancel() > 0:
                raise
            stopped = RunCancelledError(self.cancellation.reason or "stopped")
            stopped.__cause__ = error
            self._cancel_background()
            return StepResult(None, StepError.of(stopped, step_name=step.name, path=step.name), Metrics())
        finally:
            self.cancellation.detach(task)

    def _deadline(self, step: "Step[Any, Any]", parent: Context) -> Deadline | None:
        if step.timeout is None:
            return parent.deadline
        return Deadline.after(step.timeout).sooner(parent.deadline)

    async def _within_own_deadline(self, step: "Step[Any, Any]", value: Any, ctx: Context) -> Any:
        assert ctx.deadline is not None
        return await within(ctx.deadline, lambda: step._perform(value, ctx), what=f"step {ctx.path!r}")

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
                await ctx.tell(HookFailed, hook=type(hook).__name__, path=ctx.path, message=str(error))

    async def _tell_failed(self, failure: StepError, facts: dict[str, Any], key: str) -> None:
        reason = {"category": failure.category, "code": failure.code, "message": failure.message}
        try:
            await self.emitter.tell_own(StepFailed, {**facts, **reason}, key)
        except RecordingFailedError:
            return  # the recorder is why the step failed, or cannot hear that it did: the error itself still travels

    def _cancel_background(self) -> None:
        for task in self._background:
            task.cancel("the run was cancelled")

    async def _drain(self) -> None:
        """Wait for what was started in the background; what outlives the limit is cancelled and told as failed."""
        tasks = set(self._background)
        _, late = await asyncio.wait(tasks, timeout=DRAIN_LIMIT.total_seconds())
        for task in late:
            task.cancel("the run is over")
        await asyncio.gather(*tasks, return_exceptions=True)


async def _until(deadline: Deadline, act: Awaitable[Any], name: str) -> Any:
    return await within(deadline, lambda: act, what=f"run of {name!r}")


def _path_below(parent: Context, step: "Step[Any, Any]") -> str:
    return f"{parent.path}/{step.name}" if parent.path else step.name


def _failure(error: BaseException, ctx: Context) -> StepError:
    """The error that left a step: a child's keeps its own place."""
    if isinstance(error, StepFailedError) and isinstance(error.error, StepError) and error.error.path:
        return error.error
    return StepError.of(error, step_name=ctx.step_name, path=ctx.path)


def _opened(result: StepResult[Any], ctx: Context) -> Any:
    """A result returned by a step: its value, or its error put in its place."""
    if not result.is_error:
        return result.unwrap()
    error = result.error
    if error.path:
        raise StepFailedError(error) from error.exception
    located = StepError(
        message=error.message,
        step_name=ctx.step_name,
        path=ctx.path,
        category=error.category,
        code=error.code,
        exception=error.exception,
        causes=error.causes,
    )
    raise StepFailedError(located) from error.exception
