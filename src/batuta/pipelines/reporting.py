"""How a run reports its steps: the events, and values in them, never longer than the contract allows.

A pipeline that no one listens to needs none of it, so it is imported with the first report.
"""

from typing import Any

from pydantic import BaseModel

from batuta.events import AgentPipelineCompleted, AgentPipelineStarted, StepCompleted, StepStarted
from batuta.events.envelope import SUMMARY_LIMIT, trusted

step_started, step_completed = trusted(StepStarted), trusted(StepCompleted)
pipeline_started, pipeline_completed = trusted(AgentPipelineStarted), trusted(AgentPipelineCompleted)


def summary_of(value: Any) -> str:
    """A value in at most 200 characters."""
    text = value if isinstance(value, str) else _text_of(value)
    return text if len(text) <= SUMMARY_LIMIT else text[: SUMMARY_LIMIT - 1] + "…"


def size_of(value: Any) -> int:
    """Bytes of a value as text."""
    return len((value if isinstance(value, str) else _text_of(value)).encode("utf-8", "surrogatepass"))


def _text_of(value: Any) -> str:
    try:
        return value.model_dump_json() if isinstance(value, BaseModel) else repr(value)
    except Exception:  # a value that cannot describe itself must not fail the run that brought it
        return f"<{type(value).__name__}>"
