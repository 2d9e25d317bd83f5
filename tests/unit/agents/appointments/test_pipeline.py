"""The appointment pipeline of the event contract (A-30)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from batuta import MemoryJournal
from batuta.agents.appointments import Booking, appointment_pipeline
from batuta.events.envelope import Event
from batuta.kernel.errors import ProviderUnavailableError, Suspended
from batuta.llm.model import Model
from batuta.offline.model import OfflineModel
from batuta.testing import CapturingSink, Reply, ScriptedModel
from batuta.testing.clock import FakeClock
from batuta.tools import ApprovalDecision, ApprovalRequest

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
PARSED = (
    '{"intent": "appointment_creation", "language": "es", "date_text": "manana", "time_text": "10am", '
    '"contact": "Dr. Pérez", "title": "Cita con Dr. Pérez", "confidence": 0.92, "reasoning": "clear"}'
)


class Says:
    """Decides every request the same way."""

    def __init__(self, decision: ApprovalDecision | None) -> None:
        self.decision = decision
        self.asked: list[ApprovalRequest] = []

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked.append(request)
        if self.decision is None:
            raise Suspended("later", waiting_for="somebody")
        return self.decision


YES = ApprovalDecision.approve("me")


async def run(text: str, model: Model, tmp_path: Path, decision: ApprovalDecision | None = YES, **options: Any) -> Any:
    clock = options.pop("desk_clock", None) or FakeClock(NOW)
    pipeline = appointment_pipeline(model, data_dir=tmp_path, clock=clock, time_zone="Europe/Madrid")
    return await pipeline.run(text, approver=Says(decision), **options)


def types(sink: CapturingSink) -> list[str]:
    return [event.type for event in sink.events]


def of(sink: CapturingSink, event_type: str) -> list[Any]:
    found: list[Event] = [event for event in sink.events if event.type == event_type]
    return found


async def test_a_request_becomes_an_appointment(tmp_path: Path) -> None:
    sink = CapturingSink()
    result = await run("cita mañana 10am con Dr. Pérez", ScriptedModel([Reply(PARSED)]), tmp_path, sink=sink)
    booking: Booking = result.value
    assert booking.outcome == "appointment_created"
    assert booking.details["start"] == "2026-11-17T10:00:00+01:00"
    [completed] = of(sink, "agent.pipeline.completed")
    assert (completed.pipeline_type, completed.final_outcome, completed.status) == (
        "appointment_creation",
        "appointment_created",
        "success",
    )


async def test_every_step_records_its_decision(tmp_path: Path) -> None:
    sink = CapturingSink()
    await run("cita mañana 10am con Dr. Pérez", ScriptedModel([Reply(PARSED)]), tmp_path, sink=sink)
    assert [event.decision_type for event in of(sink, "agent.decision.recorded")] == [
        "pipeline_selection",
        "entity_extraction",
        "temporal_resolution",
        "place_resolution",
        "request_validation",
        "availability",
    ]


async def test_all_eight_events_of_the_contract_are_told(tmp_path: Path) -> None:
    sink = CapturingSink()
    unsure = PARSED.replace("0.92", "0.1")
    await run("cita mañana 10am con Dr. Pérez", ScriptedModel([Reply(unsure), Reply(unsure)]), tmp_path, sink=sink)
    await run("cita mañana 12:00 con Dr. Pérez", ScriptedModel([Reply(PARSED)]), tmp_path, sink=sink)
    assert {
        "agent.execution.started",
        "agent.execution.completed",
        "agent.execution.failed",
        "agent.decision.recorded",
        "agent.retry.attempted",
        "agent.fallback.triggered",
        "agent.pipeline.started",
        "agent.pipeline.completed",
    } <= set(types(sink))


@pytest.mark.parametrize("model", ["unavailable", "offline"])
async def test_rules_take_over_when_the_model_cannot(tmp_path: Path, model: str) -> None:
    chosen: Model = OfflineModel()
    if model == "unavailable":
        chosen = ScriptedModel([ProviderUnavailableError("down")] * 20)
    sink = CapturingSink()
    result = await run("cita mañana 10am con Dr. Pérez", chosen, tmp_path, sink=sink, clock=FakeClock(NOW))
    assert result.value.outcome == "appointment_created"
    [fallback] = of(sink, "agent.fallback.triggered")
    assert (fallback.primary_agent, fallback.fallback_agent) == ("parsing_agent", "rule_parsing_agent")
    assert fallback.fallback_confidence == 0.65


async def test_a_conflict_is_an_outcome(tmp_path: Path) -> None:
    await run("cita mañana 10am con Dr. Pérez", OfflineModel(), tmp_path)
    result = await run("cita mañana 10:30 con Luis", OfflineModel(), tmp_path)
    assert result.value.outcome == "conflict_detected"
    assert [each.title for each in result.value.conflicts] == ["Cita con Dr. Pérez"]


async def test_the_coordinator_chooses_rescheduling(tmp_path: Path) -> None:
    await run("Book a meeting with Ana tomorrow at 10am", OfflineModel(), tmp_path)
    sink = CapturingSink()
    result = await run("move my meeting with Ana to Friday 3pm", OfflineModel(), tmp_path, sink=sink)
    assert result.value.outcome == "appointment_moved"
    assert of(sink, "agent.pipeline.started")[0].pipeline_type == "rescheduling"


async def test_nothing_is_booked_without_consent(tmp_path: Path) -> None:
    result = await run("cita mañana 10am", OfflineModel(), tmp_path, ApprovalDecision.reject("no"))
    assert result.value.outcome == "not_approved"
    assert not list(tmp_path.glob("**/*.ics"))


async def test_a_run_that_waited_over_midnight_books_the_day_that_was_meant_once(tmp_path: Path) -> None:
    """The days are those of the request; a repeated run does not see its own booking as a conflict."""
    journal, clock = MemoryJournal(), FakeClock(NOW)
    facts: dict[str, Any] = {"journal": journal, "turn_id": None, "correlation_id": "one", "desk_clock": clock}
    with pytest.raises(Suspended):
        await run("cita mañana 10am con Ana", OfflineModel(), tmp_path, None, **facts)
    clock.advance(timedelta(days=2).total_seconds())
    first = await run("cita mañana 10am con Ana", OfflineModel(), tmp_path, **facts)
    again = await run("cita mañana 10am con Ana", OfflineModel(), tmp_path, **facts)
    assert first.value.details["start"] == "2026-11-17T10:00:00+01:00"
    assert again.value == first.value
