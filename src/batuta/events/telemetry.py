"""The telemetry contract, version 1.0.0: eight events that the runner tells for every execution."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from batuta.events.envelope import SUMMARY_LIMIT, Event, RuntimeEvent, UtcDatetime

CONTRACT_VERSION = "1.0.0"

Summary = Annotated[str, Field(max_length=SUMMARY_LIMIT)]
Confidence = Annotated[float, Field(ge=0, le=1)]
ContractCategory = Literal["transient", "permanent", "validation"]
PipelineStatus = Literal["success", "partial_success", "failed"]
RetryReason = Literal["timeout", "error", "low_confidence"]
RetryStrategy = Literal["exponential_backoff", "fixed_delay"]


class _Telemetry(RuntimeEvent):
    """What the eight have in common beside the envelope."""

    path: str | None = None
    """Where the step stands that it is about, beyond the contract: agents of the same name may work side by side.
    Events of other systems, and of earlier versions, do not say.
    """


class AgentExecutionStarted(_Telemetry):
    """An agent begins. A sub-agent (below another agent, in a specialist, in a run inside a run) names the trace it
    works for.
    """

    type: Literal["agent.execution.started"] = "agent.execution.started"
    agent_name: str
    agent_version: str
    agent_description: str | None = None
    """What it is for, as it was declared."""
    parent_trace_id: str | None = None
    input_type: str
    input_summary: Summary
    input_size_bytes: int
    llm_provider: str | None = None
    llm_model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None


class AgentExecutionCompleted(_Telemetry):
    """An agent brought a valid result.

    `fallback_used`: the result is a fallback's, because this agent stood in for another. The other one is reported as
    failed, with `fallback_successful`: an execution ends once.
    """

    type: Literal["agent.execution.completed"] = "agent.execution.completed"
    agent_name: str
    agent_version: str
    execution_time_ms: int
    execution_time_seconds: float
    output_type: str
    output_summary: Summary
    output_size_bytes: int
    confidence: Confidence | None = None
    decision_type: str | None = None
    reasoning: str | None = None
    llm_tokens_used: int | None = None
    llm_prompt_tokens: int | None = None
    llm_completion_tokens: int | None = None
    llm_cost_usd: Decimal | None = None
    was_retried: bool = False
    retry_count: int = 0
    fallback_used: bool = False


class AgentExecutionFailed(_Telemetry):
    """An agent failed."""

    type: Literal["agent.execution.failed"] = "agent.execution.failed"
    agent_name: str
    agent_version: str
    error_type: str
    error_message: str
    error_code: str
    error_category: ContractCategory
    stage: str
    input_at_error: dict[str, Any] | None = None
    partial_output: dict[str, Any] | None = None
    stack_trace: str | None = None
    was_retried: bool = False
    retry_count: int = 0
    max_retries_reached: bool = False
    fallback_attempted: bool = False
    fallback_successful: bool | None = None
    execution_time_before_failure_ms: int


class AgentDecisionRecorded(_Telemetry):
    """A decision and why it was taken."""

    type: Literal["agent.decision.recorded"] = "agent.decision.recorded"
    agent_name: str
    decision_id: str
    decision_type: str | None = None
    decision_category: str | None = None
    reasoning: str | None = None
    confidence: Confidence | None = None
    input_data: dict[str, Any] = {}
    output_data: dict[str, Any] = {}
    decision_duration_ms: int = 0
    was_cached: bool = False
    cache_hit_key: str | None = None


class AgentRetryAttempted(_Telemetry):
    """An agent tries again.

    Emitted when the retry is decided, `retry_successful` being null, and once more with the outcome when it is known:
    `caused_by` then names the first telling. A retry that was cut off has no outcome.
    """

    type: Literal["agent.retry.attempted"] = "agent.retry.attempted"
    agent_name: str
    retry_attempt: int = Field(ge=1)
    original_error: str
    retry_reason: RetryReason
    retry_strategy: RetryStrategy
    delay_seconds: float
    next_retry_at: UtcDatetime
    retry_successful: bool | None = None

    def settled(self, *, is_successful: bool) -> "AgentRetryAttempted":
        """The event that says what this retry came to."""
        return AgentRetryAttempted(
            path=self.path,
            agent_name=self.agent_name,
            source_agent_id=self.source_agent_id,
            retry_attempt=self.retry_attempt,
            original_error=self.original_error,
            retry_reason=self.retry_reason,
            retry_strategy=self.retry_strategy,
            delay_seconds=self.delay_seconds,
            next_retry_at=self.next_retry_at,
            retry_successful=is_successful,
            caused_by=self.event_id,
        )


class AgentFallbackTriggered(_Telemetry):
    """Another step took over.

    `quality_delta` is its confidence less that of the newest answer of the primary agent that declared one.
    """

    type: Literal["agent.fallback.triggered"] = "agent.fallback.triggered"
    primary_agent: str
    fallback_agent: str
    trigger_reason: str
    primary_error: str
    fallback_successful: bool
    fallback_output_summary: Summary | None = None
    fallback_confidence: Confidence | None = None
    quality_delta: float | None = None


class AgentPipelineStarted(_Telemetry):
    """A pipeline begins."""

    type: Literal["agent.pipeline.started"] = "agent.pipeline.started"
    pipeline_type: str
    agent_sequence: tuple[str, ...]
    sequence_length: int
    user_prompt: str | None = None
    user_timezone: str | None = None
    user_id: str | None = None


class AgentPipelineCompleted(_Telemetry):
    """A pipeline ended; in part, if a branch failed, a step was skipped or a fallback was used."""

    type: Literal["agent.pipeline.completed"] = "agent.pipeline.completed"
    pipeline_type: str
    status: PipelineStatus
    final_outcome: str
    total_execution_time_ms: int
    agents_executed: int
    agents_succeeded: int
    agents_failed: int
    agents_retried: int
    output_summary: Summary | None = None
    final_confidence: Confidence | None = None


def is_retry(event: Event) -> bool:
    """Whether an event tells of a retry; the outcome of one, which is emitted later, is no further retry."""
    return isinstance(event, AgentRetryAttempted) and event.retry_successful is None
