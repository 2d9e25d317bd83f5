"""One example of every event that users never see."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from batuta.events import (
    AgentDecisionRecorded,
    AgentExecutionCompleted,
    AgentExecutionFailed,
    AgentExecutionStarted,
    AgentFallbackTriggered,
    AgentPipelineCompleted,
    AgentPipelineStarted,
    AgentRetryAttempted,
    AttemptRejected,
    BreakerChanged,
    BudgetRefused,
    EffectIntended,
    EffectRecorded,
    Event,
    HookFailed,
    LimiterThrottled,
    LlmRequest,
    LlmResponse,
    StepCompleted,
    StepFailed,
    StepStarted,
    ToolRefused,
    TurnResumed,
    TurnStarted,
)
from tools.script import START, USAGE

_STEP: dict[str, Any] = {"step_name": "parse", "step_type": "agent", "pipeline_name": "main", "path": "main/parse"}
_CALL: dict[str, Any] = {"call_id": "c1", "path": "main/parse", "provider": "sim", "model": "sim-1"}
_AGENT: dict[str, Any] = {"agent_name": "parser", "agent_version": "1.0.0"}

INTERNAL_EVENTS: list[tuple[type[Event], dict[str, Any]]] = [
    (TurnStarted, {"owner": "worker-1"}),
    (TurnResumed, {"owner": "worker-2", "attempt": 2, "reason": "recovered"}),
    (StepStarted, _STEP),
    (StepCompleted, _STEP | {"duration_ms": 3.5, "attributes": {"intent": "order"}}),
    (StepFailed, _STEP | {"duration_ms": 1.0, "category": "logical", "code": "X", "message": "no"}),
    (HookFailed, {"hook": "audit", "path": "main/parse", "message": "no"}),
    (LlmRequest, _CALL | {"attempt": 1, "is_streaming": True}),
    (LlmResponse, _CALL | {"duration_ms": 800.0, "stop_reason": "success", "usage": USAGE, "cost": Decimal("0.1")}),
    (AttemptRejected, {"path": "main/parse", "attempt": 1, "kind": "semantic", "message": "no", "answer": "{}"}),
    (EffectIntended, {"key": "k", "kind": "write", "name": "create_order"}),
    (EffectRecorded, {"key": "k", "kind": "write", "name": "create_order", "result": {"id": 7}}),
    (ToolRefused, {"tool_name": "rm", "tool_use_id": "t", "path": "main", "reason": "not allowed"}),
    (BreakerChanged, {"key": "sim", "previous": "closed", "current": "open", "failures": 5}),
    (LimiterThrottled, {"key": "sim", "wait_seconds": 0.5}),
    (BudgetRefused, {"scope": "day", "limit": "1.00", "needed": "0.20", "left": "0.10"}),
    (
        AgentPipelineStarted,
        {"pipeline_type": "order", "agent_sequence": ("parser", "checker"), "sequence_length": 2, "user_prompt": "hi"},
    ),
    (
        AgentExecutionStarted,
        _AGENT | {"input_type": "str", "input_summary": "hi", "input_size_bytes": 2, "llm_provider": "sim"},
    ),
    (
        AgentRetryAttempted,
        {
            "agent_name": "parser",
            "retry_attempt": 1,
            "original_error": "timeout",
            "retry_reason": "timeout",
            "retry_strategy": "exponential_backoff",
            "delay_seconds": 0.5,
            "next_retry_at": START + timedelta(seconds=1),
        },
    ),
    (
        AgentDecisionRecorded,
        {
            "agent_name": "parser",
            "decision_id": "d1",
            "decision_type": "entity_extraction",
            "decision_category": "extraction",
            "confidence": 0.9,
            "output_data": {"n": 1},
        },
    ),
    (
        AgentExecutionCompleted,
        _AGENT
        | {
            "execution_time_ms": 12,
            "execution_time_seconds": 0.012,
            "output_type": "Order",
            "output_summary": "1 order",
            "output_size_bytes": 20,
            "llm_cost_usd": Decimal("0.00042"),
        },
    ),
    (
        AgentExecutionFailed,
        _AGENT
        | {
            "error_type": "ProviderTimeoutError",
            "error_message": "no answer",
            "error_code": "LLM_TIMEOUT",
            "error_category": "transient",
            "stage": "llm_call",
            "execution_time_before_failure_ms": 30000,
        },
    ),
    (
        AgentFallbackTriggered,
        {
            "primary_agent": "parser",
            "fallback_agent": "regex",
            "trigger_reason": "max_retries_exceeded",
            "primary_error": "no answer",
            "fallback_successful": True,
        },
    ),
    (
        AgentPipelineCompleted,
        {
            "pipeline_type": "order",
            "status": "partial_success",
            "final_outcome": "ordered",
            "total_execution_time_ms": 42,
            "agents_executed": 2,
            "agents_succeeded": 1,
            "agents_failed": 1,
            "agents_retried": 1,
        },
    ),
]
