"""What one event costs, beside the same fields in a plain pydantic model; and how many a channel takes.

The floor of a row is pydantic's own cost: a model with the very same fields and configuration, and nothing of ours.
"""

import asyncio
import sys
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from batuta.events import (
    AgentDecisionRecorded,
    AgentExecutionCompleted,
    AgentExecutionFailed,
    AgentExecutionStarted,
    AgentFallbackTriggered,
    AgentPipelineCompleted,
    AgentPipelineStarted,
    AgentRetryAttempted,
    AssistantMessage,
    Event,
    StepStarted,
    ToolRequest,
    UserMessage,
)
from batuta.events.catalogue import decode, encode
from batuta.kernel.ids import new_id
from batuta.observability.channel import EventChannel
from bench.measuring import Row, best_seconds, clock

MOST = 1.2
CHANNEL_FLOOR = 50_000

_REQUEST = "cita mañana 10am con Dr. Pérez"
_AGENT = {"agent_name": "parsing_agent", "agent_version": "1.0.0"}
_JUDGED = {"confidence": 0.92, "decision_type": "entity_extraction", "reasoning": "una cita con fecha relativa"}

SAMPLES: dict[type[Event], dict[str, Any]] = {
    UserMessage: {"content": "Which invoices are late?"},
    AssistantMessage: {"content": "INV-7 is 40 days late.", "source_agent_id": "erp_agent", "model": "m-1"},
    ToolRequest: {"tool_use_id": "toolu_01", "tool_name": "stock", "args": {"sku": "A"}, "source_agent_id": "erp"},
    StepStarted: {"step_name": "price", "step_type": "FunctionStep", "path": "orders/price"},
    AgentExecutionStarted: {
        **_AGENT,
        "input_type": "str",
        "input_summary": _REQUEST,
        "input_size_bytes": 32,
        "llm_provider": "qwen",
        "llm_model": "qwen-2.5",
        "temperature": 0.3,
        "max_tokens": 500,
    },
    AgentExecutionCompleted: {
        **_AGENT,
        **_JUDGED,
        "execution_time_ms": 1850,
        "execution_time_seconds": 1.85,
        "output_type": "Entities",
        "output_summary": "contacto: 'Dr. Pérez', fecha: 'mañana', hora: '10am'",
        "output_size_bytes": 512,
        "llm_tokens_used": 423,
        "llm_prompt_tokens": 287,
        "llm_completion_tokens": 136,
        "llm_cost_usd": Decimal("0.00042"),
    },
    AgentExecutionFailed: {
        **_AGENT,
        "error_type": "ProviderTimeoutError",
        "error_message": "no complete answer within 30 s",
        "error_code": "LLM_TIMEOUT",
        "error_category": "transient",
        "stage": "llm_call",
        "input_at_error": {"value": _REQUEST},
        "was_retried": True,
        "retry_count": 3,
        "max_retries_reached": True,
        "fallback_attempted": True,
        "fallback_successful": True,
        "execution_time_before_failure_ms": 30_000,
    },
    AgentDecisionRecorded: {
        **_JUDGED,
        "agent_name": "parsing_agent",
        "decision_id": "01A1DDE7-23B6-7867-94A3-EB354D4440A9",
        "decision_category": "extraction",
        "input_data": {"value": _REQUEST},
        "output_data": {"contacto": "Dr. Pérez", "fecha": "mañana", "hora": "10am"},
        "decision_duration_ms": 150,
    },
    AgentRetryAttempted: {
        "agent_name": "parsing_agent",
        "retry_attempt": 2,
        "original_error": "no complete answer within 30 s",
        "retry_reason": "timeout",
        "retry_strategy": "exponential_backoff",
        "delay_seconds": 4.0,
        "next_retry_at": datetime(2026, 1, 23, 10, 0, 39, tzinfo=UTC),
    },
    AgentFallbackTriggered: {
        "primary_agent": "parsing_agent",
        "fallback_agent": "regex_parsing_agent",
        "trigger_reason": "max_retries_exceeded",
        "primary_error": "no valid answer in 3 attempts",
        "fallback_successful": True,
        "fallback_output_summary": "contacto='Dr. Pérez', fecha='mañana'",
        "fallback_confidence": 0.65,
        "quality_delta": -0.27,
    },
    AgentPipelineStarted: {
        "pipeline_type": "appointment_creation",
        "agent_sequence": ("parsing", "temporal", "geo", "validation", "availability"),
        "sequence_length": 5,
        "user_prompt": _REQUEST,
        "user_timezone": "America/Mexico_City",
        "user_id": "user_12345",
    },
    AgentPipelineCompleted: {
        "pipeline_type": "appointment_creation",
        "status": "success",
        "final_outcome": "appointment_created",
        "total_execution_time_ms": 4850,
        "agents_executed": 5,
        "agents_succeeded": 5,
        "agents_failed": 0,
        "agents_retried": 0,
        "output_summary": "Dr. Pérez at 2026-01-24 10:00",
        "final_confidence": 0.89,
    },
}


def plain(event_type: type[Event]) -> type[BaseModel]:
    """The fields of an event in a model that is only pydantic's."""
    fields: dict[str, Any] = {name: (field.annotation, field) for name, field in event_type.model_fields.items()}
    config = ConfigDict(frozen=True, ser_json_inf_nan="strings")
    return create_model(f"Plain{event_type.__name__}", __config__=config, **fields)


async def told_and_stored(event_type: type[Event], sample: dict[str, Any]) -> Row:
    """Construct and encode."""
    bare = plain(event_type)
    given = {**sample, "session_id": new_id(), "turn_id": new_id(), "correlation_id": "c"}

    async def ours() -> None:
        encode(event_type(**given))

    async def theirs() -> None:
        bare(**given).model_dump_json()

    floor, value = await best_seconds(theirs), await best_seconds(ours)
    return Row(
        what=f"construct and encode {event_type.route.type}",
        subject="batuta",
        value=value * 1e6,
        unit="µs",
        floor=floor * 1e6,
        ratio=value / floor,
        aim=f"≤ {MOST} × pydantic",
        met=value <= MOST * floor,
    )


async def read_back() -> Row:
    """Decode, with the look at version and type."""
    stored = encode(AssistantMessage(**SAMPLES[AssistantMessage]))

    async def ours() -> None:
        decode(stored)

    return Row(what="decode assistant_message", subject="batuta", value=await best_seconds(ours) * 1e6, unit="µs")


class Counting:
    """Takes events and does nothing with them but count."""

    def __init__(self) -> None:
        self.heard = 0

    never_blocks = True

    def emit(self, event: Event) -> None:
        self.heard += 1


async def emitted(count: int = 200_000) -> Row:
    """Events per second into a channel with one subscriber: every kind of the samples in turn, telemetry included."""
    events = [event_type(**sample) for event_type, sample in SAMPLES.items()]
    rounds, listener = count // len(events), Counting()
    with EventChannel() as channel:
        channel.attach(listener, name="bench")
        began = clock()
        for _ in range(rounds):
            for event in events:
                channel.emit(event)
        rate = rounds * len(events) / (clock() - began)
    assert listener.heard == rounds * len(events), "what is emitted arrives"
    return Row(
        what="emission into the channel",
        subject="batuta",
        value=rate,
        unit="events/s",
        aim=f"≥ {CHANNEL_FLOOR}",
        met=rate >= CHANNEL_FLOOR,
    )


async def main() -> None:
    rows = [await told_and_stored(event_type, sample) for event_type, sample in SAMPLES.items()]
    for row in [*rows, await read_back(), await emitted()]:
        sys.stdout.write(row.as_json() + "\n")


if __name__ == "__main__":
    asyncio.run(main())
