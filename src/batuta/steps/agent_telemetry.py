"""What the telemetry contract says of one agent execution. Confidence and reasons are read off the output, never
invented.
"""

import time
import traceback
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from batuta import events
from batuta.events.envelope import trusted
from batuta.kernel.errors import (
    BudgetExceededError,
    ErrorCategory,
    InvalidAnswerError,
    ProviderUnavailableError,
    category_of,
    code_of,
)
from batuta.kernel.ids import canonical_id, new_id
from batuta.llm.model import Model
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.result import Tally
from batuta.pipelines.summaries import size_of, summary_of
from batuta.pipelines.typecheck import type_name
from batuta.steps.correction import AttemptsExhaustedError, Corrections
from batuta.steps.judging import confidence_of, declared

if TYPE_CHECKING:
    from batuta.events.telemetry import AgentRetryAttempted, ContractCategory, RetryReason, RetryStrategy
    from batuta.resilience.circuit_breaker import BreakerChange
    from batuta.resilience.rate_limiter import Throttled
    from batuta.resilience.retry import Retry
    from batuta.steps.agent import AgentStep

_CATEGORIES: "dict[ErrorCategory, ContractCategory]" = {
    ErrorCategory.TRANSIENT: "transient",
    ErrorCategory.VALIDATION: "validation",
    ErrorCategory.SEMANTIC: "validation",
    ErrorCategory.LOGICAL: "permanent",
    ErrorCategory.CANCELLED: "permanent",
}


class AgentTelemetry:
    """Emits the events of one execution."""

    def __init__(self, agent: "AgentStep[Any, Any]", ctx: Context, value: Any) -> None:
        self._agent = agent
        self._ctx = ctx
        self._place = invocation_of(ctx)
        self._value = value
        self._started = time.perf_counter()
        self._correction: AgentRetryAttempted | None = None
        """The correction whose outcome is still open."""
        self._call_retries: dict[Retry, AgentRetryAttempted] = {}
        """The same for model calls that are tried again."""
        self._retries = 0
        """Of this agent alone; the counts of the scope have those of its fallback and of agents below it too."""
        self._has_repeated_calls = False
        self._failed_after_ms = 0
        self.on_void: Callable[[], Awaitable[None]] | None = None
        """Called when what a stream brought so far does not belong to the answer."""

    @property
    def was_retried(self) -> bool:
        """Whether the agent has tried something again."""
        return self._retries > 0

    def note_failure(self) -> None:
        """It failed now, whatever its fallback takes."""
        self._failed_after_ms = self._milliseconds()

    async def started(self, model: Model, parent_trace_id: str | None) -> None:
        """T-1."""
        if not self._place.run.emitter.is_heard:
            return
        settings, scope = self._agent.settings, self._place.scope
        await self._place.emit(
            trusted(events.AgentExecutionStarted)(
                path=self._place.path,
                agent_name=self._agent.name,
                agent_version=self._agent.version,
                agent_description=self._agent.description or scope.agent_description,
                source_agent_id=canonical_id(scope.agent_id or self._agent.name),
                parent_trace_id=parent_trace_id,
                input_type=type(self._value).__name__,
                input_summary=summary_of(self._value),
                input_size_bytes=size_of(self._value),
                llm_provider=model.provider,
                llm_model=model.name,
                temperature=settings.temperature,
                max_tokens=settings.max_tokens,
            )
        )

    async def completed(self, output: Any, tally: Tally, cache_key: str | None = None) -> None:
        """T-2 and T-4: the result, and the decision it is; `cache_key` says where an answer was found."""
        if not self._place.run.emitter.is_heard:
            return
        milliseconds = self._milliseconds()
        confidence = confidence_of(output)
        decision_type = _words(declared(output, "decision_type")) or self._agent.decision_type
        reasoning = _words(declared(output, "reasoning"))
        await self._place.emit(
            trusted(events.AgentDecisionRecorded)(
                path=self._place.path,
                agent_name=self._agent.name,
                decision_id=new_id(),
                decision_type=decision_type,
                decision_category=self._agent.decision_category,
                reasoning=reasoning,
                confidence=confidence,
                input_data=_as_data(self._value),
                output_data=_as_data(output),
                decision_duration_ms=milliseconds,
                was_cached=cache_key is not None,
                cache_hit_key=cache_key,
            )
        )
        await self._place.emit(
            trusted(events.AgentExecutionCompleted)(
                path=self._place.path,
                agent_name=self._agent.name,
                agent_version=self._agent.version,
                execution_time_ms=milliseconds,
                execution_time_seconds=milliseconds / 1000,
                output_type=type_name(type(output)),
                output_summary=summary_of(output),
                output_size_bytes=size_of(output),
                confidence=confidence,
                decision_type=decision_type,
                reasoning=reasoning,
                llm_tokens_used=tally.usage.total or None,
                llm_prompt_tokens=tally.usage.input or None,
                llm_completion_tokens=tally.usage.output or None,
                llm_cost_usd=tally.cost,
                was_retried=self.was_retried,
                retry_count=self._retries,
                fallback_used=self._place.scope.is_standing_in,
            )
        )

    async def failed(self, error: BaseException, *, fallback_successful: bool | None = None) -> None:
        """T-3. A call that did not fit a budget is reported as such, too."""
        if isinstance(error, BudgetExceededError):
            await self._budget_refused(error)
        last_answer = getattr(error, "last_answer", None)
        await self._place.emit(
            events.AgentExecutionFailed(
                path=self._place.path,
                agent_name=self._agent.name,
                agent_version=self._agent.version,
                error_type=type(error).__name__,
                error_message=str(error) or type(error).__name__,
                error_code=code_of(error),
                error_category=_CATEGORIES[category_of(error)],
                stage=_stage(error),
                input_at_error=_as_data(self._value),
                partial_output=None if last_answer is None else {"answer": last_answer},
                stack_trace="".join(traceback.format_exception(error, limit=-6)),
                was_retried=self.was_retried,
                retry_count=self._retries,
                max_retries_reached=isinstance(error, AttemptsExhaustedError) or self._outlasted_retries(error),
                fallback_attempted=fallback_successful is not None,
                fallback_successful=fallback_successful,
                execution_time_before_failure_ms=self._failed_after_ms,
            )
        )

    def _outlasted_retries(self, error: BaseException) -> bool:
        """Whether a call was tried again until its policy gave up."""
        return self._has_repeated_calls and category_of(error) is ErrorCategory.TRANSIENT

    async def _budget_refused(self, error: BudgetExceededError) -> None:
        await self._place.emit(
            events.BudgetRefused(
                path=self._place.path,
                scope=error.scope,
                limit=error.limit,
                needed=error.needed,
                left=error.left,
                source_agent_id=canonical_id(self._ctx.agent_id or self._agent.name),
            )
        )

    async def rejected(self, corrections: Corrections, answer: str, *, is_final: bool) -> None:
        """F-81 and T-5: an answer was rejected; a correction counts as a retry without delay."""
        await self.corrected(is_successful=False)
        last = corrections.rejections[-1]
        await self._place.emit(
            events.AttemptRejected(
                path=self._place.path,
                attempt=last.attempt,
                kind=last.kind,
                message=last.message,
                answer=answer,
                source_agent_id=canonical_id(self._agent.name),
            )
        )
        if not is_final:
            self._retries += 1
            reason: RetryReason = "low_confidence" if last.kind == "confidence" else "error"
            self._correction = self._retry(last.attempt, last.message, reason)
            await self._place.emit(self._correction)

    async def corrected(self, *, is_successful: bool) -> None:
        """T-5: what the open correction came to, if there is one."""
        correction, self._correction = self._correction, None
        if correction is not None:
            await self._place.emit(correction.settled(is_successful=is_successful))

    async def fell_back(
        self, error: BaseException, output: Any, corrections: Corrections, *, is_successful: bool
    ) -> None:
        """T-6."""
        assert self._agent.fallback is not None
        confidence = confidence_of(output) if is_successful else None
        is_exhausted = isinstance(error, AttemptsExhaustedError)
        await self._place.emit(
            events.AgentFallbackTriggered(
                path=self._place.path,
                primary_agent=self._agent.name,
                fallback_agent=self._agent.fallback.name,
                trigger_reason="max_retries_exceeded" if is_exhausted else "llm_unavailable",
                primary_error=str(error),
                fallback_successful=is_successful,
                fallback_output_summary=summary_of(output) if is_successful else None,
                fallback_confidence=confidence,
                quality_delta=_difference(confidence, corrections.confidence),
            )
        )

    # what the protections of the model report (ResilienceObserver)

    async def retry_attempted(self, retry: "Retry") -> None:
        """A model call is tried again."""
        self._place.scope.tally.retries += 1
        self._retries += 1
        self._has_repeated_calls = True
        is_timeout = isinstance(retry.error, TimeoutError) or "TIMEOUT" in code_of(retry.error)
        reason: RetryReason = "timeout" if is_timeout else "error"
        attempted = self._retry(retry.attempt, str(retry.error), reason, retry.delay_seconds, retry.strategy)
        self._call_retries[retry] = attempted
        await self._place.emit(attempted, live=True)
        if retry.discards_deltas and self.on_void is not None:
            await self.on_void()

    async def retry_settled(self, retry: "Retry", *, is_successful: bool) -> None:
        """A model call that was tried again brought an answer, or failed again."""
        attempted = self._call_retries.pop(retry, None)
        if attempted is not None:
            await self._place.emit(attempted.settled(is_successful=is_successful), live=True)

    async def breaker_changed(self, change: "BreakerChange") -> None:
        """A breaker moved."""
        await self._place.emit(
            events.BreakerChanged(
                path=self._place.path,
                key=change.key,
                previous=change.previous,
                current=change.current,
                failures=change.failures,
            ),
            live=True,
        )

    async def limiter_throttled(self, throttled: "Throttled") -> None:
        """A call waits for, or is refused by, a limiter."""
        await self._place.emit(
            events.LimiterThrottled(
                path=self._place.path,
                key=throttled.key,
                wait_seconds=throttled.wait_seconds,
                refused=throttled.refused,
            ),
            live=True,
        )

    async def degraded(self, key: str, error: BaseException) -> None:
        """A provider outlasted the whole retry policy."""
        self._ctx.note(degraded=key)

    def _retry(
        self,
        attempt: int,
        error: str,
        reason: "RetryReason",
        delay_seconds: float = 0.0,
        strategy: "RetryStrategy" = "fixed_delay",
    ) -> "AgentRetryAttempted":
        return events.AgentRetryAttempted(
            path=self._place.path,
            agent_name=self._agent.name,
            retry_attempt=attempt,
            original_error=error,
            retry_reason=reason,
            retry_strategy=strategy,
            delay_seconds=delay_seconds,
            next_retry_at=self._ctx.now + timedelta(seconds=delay_seconds),
        )

    def _milliseconds(self) -> int:
        return int((time.perf_counter() - self._started) * 1000)


def _stage(error: BaseException) -> str:
    if isinstance(error, AttemptsExhaustedError):
        return "validation"
    if isinstance(error, InvalidAnswerError):
        return "json_parse"
    if isinstance(error, ProviderUnavailableError):
        return "llm_call"
    return "tool_call" if code_of(error) == "TOOL_LIMIT" else "execution"


def _difference(fallback: float | None, primary: float | None) -> float | None:
    return None if fallback is None or primary is None else round(fallback - primary, 6)


def _words(value: Any) -> str | None:
    return str.__str__(value) if isinstance(value, str) else None


def _as_data(value: Any) -> dict[str, Any]:
    """A value as the contract's dictionaries hold it."""
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        data: dict[str, Any] = dump(mode="json")
        return data
    return {"value": value if isinstance(value, (str, int, float, bool, type(None))) else summary_of(value)}
