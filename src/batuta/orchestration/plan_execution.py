"""Running a plan: what is ready runs side by side, results go to dependents, failures follow the policy.

Code decides all of it. The supervisor is asked only when a worker says that a task is not its own.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from batuta.events.plans import PlanCompleted, PlanGenerated, PlanStepCompleted, PlanStepStarted
from batuta.events.telemetry import AgentRetryAttempted
from batuta.events.turn_ends import REASON as STOPPED
from batuta.kernel.errors import CannotHelpError, ConfigurationError, ErrorCategory, StepFailedError, Suspended
from batuta.orchestration.plans import UNSETTLED, Plan, PlanStep, StepStatus, announced_steps
from batuta.orchestration.specialist import SUPERVISOR_ID
from batuta.orchestration.supervisor import task_with_results
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.result import StepError
from batuta.pipelines.scope import Scope
from batuta.pipelines.step import Step

if TYPE_CHECKING:
    from batuta.orchestration.conducting import Conductor


AfterFailure = Literal["skip_dependents", "fail_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailurePolicy:
    """What happens to a step that fails: transient errors are tried again, then `then`.

    `skip_dependents` lets independent steps go on; `fail_plan` stops what has not begun. A step that has written
    something, or may have, is neither tried again nor handed to another: that would write it twice.
    """

    retries: int = 1
    then: AfterFailure = "skip_dependents"
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """Who takes over from whom when retries are used up (an `error_recovery` handoff)."""

    def __post_init__(self) -> None:
        """Refuse what could not be followed."""
        if self.retries < 0:
            raise ConfigurationError(f"retries is 0 or more, got {self.retries}")
        if self.then not in get_args(AfterFailure):
            raise ConfigurationError(f"then is one of {', '.join(get_args(AfterFailure))}, got {self.then!r}")

    def check(self, known: Collection[str]) -> None:
        """Refuse stand-ins that the team does not have, or that would stand in for themselves."""
        for agent_id, taker in self.stand_ins.items():
            for missing in {agent_id, taker} - set(known):
                raise ConfigurationError(f"stand_ins: there is no agent {missing!r}; there are {', '.join(known)}")
            if agent_id == taker:
                raise ConfigurationError(f"stand_ins: {agent_id} cannot stand in for itself; raise `retries` instead")


class PlanExecution:
    """One plan while it runs."""

    def __init__(self, plan: Plan, conductor: "Conductor", policy: FailurePolicy) -> None:
        self.plan = plan
        self._conductor = conductor
        self._policy = policy
        self._names = conductor.registry.names
        self._suspensions: list[Suspended] = []
        self._reported: set[str] = set()
        """The steps whose end has been emitted."""

    async def run(self, ctx: Context) -> Plan:
        """Run it to its end, or suspend when everything that could run has."""
        announced = announced_steps(self.plan, self._names)
        self.plan = self.plan.moved("executing", ctx.now)
        await ctx.emit(
            PlanGenerated(
                plan_id=self.plan.plan_id,
                query=self.plan.query,
                steps=announced,
                estimated_steps=len(announced),
                source_agent_id=SUPERVISOR_ID,
            )
        )
        await self._run_steps(ctx)
        if self._suspensions:
            raise self._suspensions[0]
        failed = [step for step in self.plan.steps if step.status != "completed"]
        if failed:
            first = next((step for step in failed if step.status == "failed"), failed[0])
            await self._finish(ctx, "failed", failure_reason=f"step {first.step_index}: {first.error}")
        else:
            await self._finish(ctx, "completed")
        return self.plan

    async def stop(self, ctx: Context) -> None:
        """End it because its turn was stopped: while it ran, or when it had just decided to wait."""
        if self.plan.status == "executing":
            await self._skip_all(ctx, STOPPED)
            await self._finish(ctx, "cancelled", failure_reason=STOPPED)

    async def _run_steps(self, ctx: Context) -> None:
        """Start every step as soon as what it depends on is there.

        A waiting step holds back only its dependents: it stays in progress, and whatever else there is
        runs to its end. When the turn is taken up again, what those did is found at their places.
        """
        running: dict[asyncio.Task[None], PlanStep] = {}
        try:
            while True:
                has_failed = any(step.status == "failed" for step in self.plan.steps)
                # A failure that stops the rest does so at once; else what begins is what has all its needs reported.
                ready = () if has_failed and self._policy.then == "fail_plan" else self.plan.ready()
                for step in [step for step in ready if self._reported.issuperset(step.depends_on)]:
                    self.plan = self.plan.step_moved(step.step_id, "in_progress", ctx.now)
                    running[asyncio.create_task(self._run_step(step, ctx))] = step
                if not running:
                    return
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    del running[task]
                    task.result()
                # What cannot begin any more is skipped after the end of what blocks it: that may still be recorded.
                while blocked := next((step for step in self.plan.blocked() if self._is_cause_reported(step)), None):
                    await self._settle(ctx, blocked, "skipped", error="a step it depends on did not complete")
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _run_step(self, step: PlanStep, ctx: Context) -> None:
        """One step, in the name of the plan."""
        try:
            result = await ctx.invoke(_AssignedStep(self, step), "")
        except Suspended as suspended:
            self._suspensions.append(suspended)
        except StepFailedError as failure:
            await self._settle(ctx, step, "failed", error=failure.error.full_message)
            if self._policy.then == "fail_plan":
                await self._skip_all(ctx, "another step failed", ("pending",))
        else:
            await self._settle(ctx, step, "completed", result=result)

    async def attempt(self, step: PlanStep, ctx: Context) -> str:
        """Hand a step to its agent; try again, or hand it to another, as the policy says."""
        await self._conductor.hand_over(ctx, SUPERVISOR_ID, step.agent_id, "plan_step", None, step.step_id)
        await self._emit_started(step, step.agent_id, ctx)
        agent_id, retries = step.agent_id, _Retries(ctx)
        task = task_with_results(step, self.plan, self._names)
        while True:
            try:
                result = await ctx.invoke(self._conductor.registry[agent_id].step, task)
            except StepFailedError as failure:
                error: StepError = failure.error
                await retries.settle(is_successful=False)
                if invocation_of(ctx).scope.agents.writes:
                    raise
                if error.category is ErrorCategory.TRANSIENT and retries.count < self._policy.retries:
                    await ctx.go_on()
                    await retries.begin(agent_id, error)
                    continue
                await ctx.go_on()  # with another agent, or the plan without this step
                taker = await self._next_agent(step, agent_id, error, ctx)
                if taker is None:
                    raise
                self.plan = self.plan.handed(step.step_id, taker)
                await self._emit_started(step, taker, ctx)
                agent_id, retries = taker, _Retries(ctx)
            else:
                await retries.settle(is_successful=True)
                return result

    async def _next_agent(self, step: PlanStep, agent_id: str, error: StepError, ctx: Context) -> str | None:
        """Who takes over a failed step; each step changes hands at most once."""
        if agent_id != step.agent_id:
            return None
        if error.code == CannotHelpError.code:
            return await self._conductor.reassign(step, error.message, ctx)
        taker = self._policy.stand_ins.get(agent_id)
        if taker is not None:
            await self._conductor.hand_over(ctx, agent_id, taker, "error_recovery", error.message, step.step_id)
        return taker

    async def _emit_started(self, step: PlanStep, agent_id: str, ctx: Context) -> None:
        """Say who works on a step from now on: again when it changes hands."""
        await ctx.emit(
            PlanStepStarted(
                plan_id=self.plan.plan_id,
                step_id=step.step_id,
                step_index=step.step_index,
                agent_id=agent_id,
                agent_name=self._names[agent_id],
                task=step.task,
                source_agent_id=SUPERVISOR_ID,
            )
        )

    async def _settle(
        self,
        ctx: Context,
        step: PlanStep,
        status: Literal["completed", "failed", "skipped"],
        *,
        result: str | None = None,
        error: str | None = None,
    ) -> None:
        self.plan = self.plan.step_moved(step.step_id, status, ctx.now, result=result, error=error)
        await ctx.emit(
            PlanStepCompleted(
                plan_id=self.plan.plan_id,
                step_id=step.step_id,
                step_index=step.step_index,
                status=status,
                result=result,
                error=error,
                source_agent_id=SUPERVISOR_ID,
            )
        )
        self._reported.add(step.step_id)

    def _is_cause_reported(self, step: PlanStep) -> bool:
        return any(need in self._reported and self.plan.step(need).status != "completed" for need in step.depends_on)

    async def _skip_all(self, ctx: Context, why: str, statuses: tuple[StepStatus, ...] = UNSETTLED) -> None:
        """Skip what stands so. Looked up each time: while emitting, others begin, end or are skipped elsewhere."""
        while left := next((step for step in self.plan.steps if step.status in statuses), None):
            await self._settle(ctx, left, "skipped", error=why)

    async def _finish(
        self, ctx: Context, status: Literal["completed", "failed", "cancelled"], failure_reason: str | None = None
    ) -> None:
        self.plan = self.plan.moved(status, ctx.now, failure_reason=failure_reason)
        await ctx.emit(
            PlanCompleted(
                plan_id=self.plan.plan_id, status=status, failure_reason=failure_reason, source_agent_id=SUPERVISOR_ID
            )
        )


class _Retries:
    """How often an agent was asked again to do its step, reported like any other retry (T-5).

    They come from the supervisor, not from the agent: the agent's calls of the next attempt are reported on their own,
    and their place is that of the plan's step.
    """

    def __init__(self, ctx: Context) -> None:
        self.count = 0
        self._ctx = ctx
        self._open: AgentRetryAttempted | None = None

    async def begin(self, agent_id: str, error: StepError) -> None:
        """Say that the agent begins again."""
        self.count += 1
        self._open = AgentRetryAttempted(
            path=self._ctx.path,
            agent_name=agent_id,
            source_agent_id=SUPERVISOR_ID,
            retry_attempt=self.count,
            original_error=error.message,
            retry_reason="timeout" if "TIMEOUT" in error.code else "error",
            retry_strategy="fixed_delay",
            delay_seconds=0.0,
            next_retry_at=self._ctx.now,
        )
        await self._ctx.emit(self._open)

    async def settle(self, *, is_successful: bool) -> None:
        """Say what the open retry came to, if there is one."""
        attempted, self._open = self._open, None
        if attempted is not None:
            await self._ctx.emit(attempted.settled(is_successful=is_successful))


class _AssignedStep(Step[str, str]):
    """A step of the plan as a step of the run: its name is its position, so that its place is always the same."""

    def __init__(self, execution: PlanExecution, step: PlanStep) -> None:
        super().__init__(f"step-{step.step_index + 1}", input_type=str, output_type=str)
        self._execution = execution
        self._step = step

    async def _perform(self, value: str, ctx: Context) -> str:
        scope = Scope(
            None, invocation_of(ctx).scope
        )  # of its own, so that it is known whether this step wrote anything
        try:
            return await self._execution.attempt(self._step, invocation_of(ctx).within(scope))
        except StepFailedError:
            await ctx.go_on()  # the plan does, without this step; it may have failed after a write
            raise
        finally:
            scope.hand_over_undo()
            scope.close()
