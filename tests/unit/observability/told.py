"""Events as a run would tell them, with a time that the test chooses."""

from datetime import UTC, datetime, timedelta
from typing import Any

from batuta.events import (
    AgentExecutionCompleted,
    AgentExecutionStarted,
    ContentDelta,
    Event,
    LlmRequest,
    LlmResponse,
    StepCompleted,
    StepFailed,
    StepStarted,
    ToolRequest,
    ToolResponse,
)

START = datetime(2026, 1, 23, 10, tzinfo=UTC)
CORRELATION = "01A1DD71-619D-7ACA-AC09-5C62D00049DC"
TRACE = "01a1dd71619d7acaac095c62d00049dc"


class Story:
    """Tells events a millisecond apart."""

    def __init__(self, correlation_id: str = CORRELATION, trace_id: str = TRACE) -> None:
        self.events: list[Event] = []
        self._ids = {"correlation_id": correlation_id, "trace_id": trace_id}

    def tell(self, event_type: type[Event], **fields: Any) -> "Story":
        timestamp = START + timedelta(milliseconds=len(self.events))
        self.events.append(event_type(timestamp=timestamp, **self._ids, **fields))
        return self

    def step(self, path: str, kind: str = "FunctionStep") -> "Story":
        return self.tell(StepStarted, **_place(path, kind))

    def done(self, path: str, kind: str = "FunctionStep") -> "Story":
        return self.tell(StepCompleted, **_place(path, kind), duration_ms=1.0)

    def failed(self, path: str, message: str = "boom") -> "Story":
        why = {"category": "logical", "code": "BROKEN", "message": message}
        return self.tell(StepFailed, **_place(path, "FunctionStep"), duration_ms=1.0, **why)

    def agent(self, name: str, **fields: Any) -> "Story":
        return self.tell(
            AgentExecutionStarted,
            **fields,
            agent_name=name,
            agent_version="1.0.0",
            input_type="str",
            input_summary="",
            input_size_bytes=0,
            llm_provider="openai",
            llm_model="gpt-5",
        )

    def agent_done(self, name: str, **fields: Any) -> "Story":
        return self.tell(
            AgentExecutionCompleted,
            agent_name=name,
            agent_version="1.0.0",
            execution_time_ms=5,
            execution_time_seconds=0.005,
            output_type="str",
            output_summary="",
            output_size_bytes=0,
            **fields,
        )

    def call(self, path: str, call_id: str, *, is_answered: bool = True, **fields: Any) -> "Story":
        common = {"call_id": call_id, "path": path, "provider": "openai", "model": "gpt-5"}
        self.tell(LlmRequest, **common, attempt=1)
        return self.tell(LlmResponse, **common, duration_ms=1.0, **fields) if is_answered else self

    def tool(self, use: str, call_id: str, *, is_answered: bool = True, success: bool = True) -> "Story":
        common = {"tool_use_id": use, "tool_name": "stock", "source_agent_id": "clerk"}
        self.tell(ToolRequest, **common, message_id=call_id)
        if not is_answered:
            return self
        return self.tell(ToolResponse, **common, content="7", success=success, duration_ms=0.5)


def _place(path: str, kind: str) -> dict[str, Any]:
    return {
        "step_name": path.rpartition("/")[2],
        "step_type": kind,
        "path": path,
        "pipeline_name": path.partition("/")[0],
    }


def persisted(number: int = 0, correlation_id: str = CORRELATION) -> Event:
    return StepStarted(step_name=f"s{number}", step_type="x", path=f"s{number}", correlation_id=correlation_id)


def transient(number: int = 0) -> Event:
    return ContentDelta(delta=str(number), correlation_id=CORRELATION)
