"""A Spanish appointment by five agents, told in full: the eight telemetry events, with a retry, a fallback, decisions."""

import asyncio
import json
import re
from datetime import date, datetime, timedelta
from typing import Any

from pydantic import BaseModel

from batuta import AgentStep, Context, ModelSettings, Pipeline, Rejected, StepResult, step
from batuta.events import (
    AgentDecisionRecorded,
    AgentExecutionCompleted,
    AgentExecutionFailed,
    AgentExecutionStarted,
    AgentFallbackTriggered,
    AgentPipelineCompleted,
    AgentPipelineStarted,
    AgentRetryAttempted,
    EventSink,
    Recorder,
    Usage,
)
from batuta.events.wire import to_contract
from batuta.kernel.clock import Clock
from batuta.kernel.errors import ProviderUnavailableError
from batuta.testing import CapturingSink, Reply, ScriptedModel
from batuta.testing.clock import FakeClock
from batuta.tools.context import ToolUser

REQUEST = "cita mañana 10am con Dr. Pérez"
TODAY = date(2026, 1, 22)
TIMEZONE = "America/Mexico_City"
AGENTS = ("parsing_agent", "temporal_agent", "geo_agent", "validation_agent", "availability_agent")


class Judged(BaseModel):
    confidence: float
    reasoning: str


class Entities(Judged):
    contacto: str
    fecha: str
    hora: str


class Moment(Judged):
    contacto: str
    inicio: datetime


class Visit(Moment):
    lugar: str


class CheckedVisit(Visit):
    problemas: list[str] = []


class Appointment(Visit):
    outcome: str


@step
async def regex_parsing_agent(text: str, ctx: Context) -> Entities:
    """What code alone can read; less sure than a model, and always there."""
    contact, hour = re.search(r"con (.+)$", text), re.search(r"(\d{1,2})\s?(am|pm)", text)
    assert contact and hour, "the request names nobody or no hour"
    found = {"contacto": contact[1], "fecha": "mañana" if "mañana" in text else "hoy", "hora": hour[0]}
    await ctx.decide(
        "entity_extraction",
        category="extraction",
        reasoning="leído con expresiones regulares",
        confidence=0.65,
        input_data={"prompt": text},
        output_data=found,
    )
    return Entities(**found, confidence=0.65, reasoning="leído con expresiones regulares")


async def lies_ahead(moment: Moment, ctx: Context) -> None:
    if moment.inicio.date() <= TODAY:
        raise Rejected(f"{moment.inicio:%Y-%m-%d} is not after {TODAY}", hint="'mañana' is the day after today")


def answer(**fields: Any) -> Reply:
    return Reply(json.dumps(fields, default=str), usage=Usage(input=287, output=136), model="qwen-2.5")


def pipeline() -> Pipeline[str, Appointment]:
    down = ProviderUnavailableError("503 from the provider: overloaded", status=503)
    visit = {"contacto": "Dr. Pérez", "inicio": "2026-01-23T10:00:00-06:00", "lugar": "Consultorio 4, Roma Norte"}
    too_early = {**visit, "inicio": "2026-01-22T10:00:00-06:00"}

    def agent(name: str, kind: str, category: str, takes: Any, gives: Any, script: list[Any], **more: Any) -> Any:
        return AgentStep(
            name=name,
            model=ScriptedModel(script, name="qwen-2.5"),
            instructions=f"Hoy es {TODAY:%Y-%m-%d} en {TIMEZONE}. Responde con JSON.",
            input=takes,
            output=gives,
            settings=ModelSettings(temperature=0.3, max_tokens=500),
            decision_type=kind,
            decision_category=category,
            **more,
        )

    guess = answer(contacto="Pérez", fecha="mañana", hora="10", confidence=0.38, reasoning="¿10am o 10pm?")
    parsing = agent(
        AGENTS[0],
        "entity_extraction",
        "extraction",
        str,
        Entities,
        [guess, *[down] * 10],  # not sure enough; asked again, the provider is down
        min_confidence=0.6,
        fallback=regex_parsing_agent,
    )
    temporal = agent(
        AGENTS[1],
        "temporal_resolution",
        "resolution",
        Entities,
        Moment,
        [
            answer(**too_early, confidence=0.9, reasoning="'mañana' es hoy"),  # rejected: the day is not ahead
            answer(**visit, confidence=1.0, reasoning="'mañana' resuelto a 2026-01-23 desde 2026-01-22"),
        ],
        validate=lies_ahead,
    )
    geo = agent(
        AGENTS[2], "place_resolution", "resolution", Moment, Visit, [answer(**visit, confidence=0.95, reasoning="su consultorio")]
    )
    validation = agent(
        AGENTS[3], "visit_validation", "validation", Visit, CheckedVisit,
        [answer(**visit, problemas=[], confidence=0.97, reasoning="sin conflictos de horario laboral")],
    )
    availability = agent(
        AGENTS[4], "slot_booking", "resolution", CheckedVisit, Appointment,
        [answer(**visit, outcome="appointment_created", confidence=0.89, reasoning="hueco libre a las 10:00")],
    )
    return Pipeline("appointment_creation", parsing >> temporal >> geo >> validation >> availability)


async def book(
    sink: EventSink, clock: Clock | None = None, recorder: Recorder | None = None, session_id: str | None = None
) -> StepResult[Appointment]:
    """Book the appointment of the request; unless a clock says otherwise, waiting between retries takes no time."""
    return await pipeline().run(
        REQUEST, sink=sink, clock=clock or FakeClock(), services={"timezone": TIMEZONE}, user=ToolUser(id="user_12345"),
        recorder=recorder, session_id=session_id,
    )


async def main() -> None:
    sink = CapturingSink()
    result = await book(sink)

    assert result.value.contacto == "Dr. Pérez" and result.value.inicio.hour == 10

    started = sink.of(AgentPipelineStarted)[0]
    assert (started.pipeline_type, started.agent_sequence, started.sequence_length) == ("appointment_creation", AGENTS, 5)
    assert (started.user_prompt, started.user_timezone, started.user_id) == (REQUEST, TIMEZONE, "user_12345")

    begun = sink.of(AgentExecutionStarted)
    assert tuple(event.agent_name for event in begun) == AGENTS and {event.parent_trace_id for event in begun} == {None}
    assert begun[0].input_type == "str" and begun[0].input_summary == REQUEST
    assert begun[0].input_size_bytes == len(REQUEST.encode()) and begun[0].agent_version == "1.0.0"
    assert (begun[0].llm_provider, begun[0].llm_model) == ("scripted", "qwen-2.5")
    assert (begun[0].temperature, begun[0].max_tokens) == (0.3, 500)

    told = [event for event in sink.of(AgentRetryAttempted) if event.agent_name == "parsing_agent"]
    unsure, *retries = [event for event in told if event.retry_successful is None]  # while it is running
    assert unsure.retry_reason == "low_confidence" and "0.38 is below 0.6" in unsure.original_error
    assert [event.retry_attempt for event in retries] == list(range(1, len(retries) + 1)) and retries
    assert retries[0].retry_reason == "error" and retries[0].retry_strategy == "exponential_backoff"
    assert retries[0].delay_seconds > 0 and "503" in retries[0].original_error
    assert retries[0].next_retry_at - retries[0].timestamp == timedelta(seconds=retries[0].delay_seconds)
    outcomes = {event.caused_by: event.retry_successful for event in told if event.retry_successful is not None}
    assert outcomes == {event.event_id: False for event in (unsure, *retries)}

    correction, outcome = [event for event in sink.of(AgentRetryAttempted) if event.agent_name == "temporal_agent"]
    assert correction.retry_reason == "error" and correction.delay_seconds == 0 and correction.retry_attempt == 1
    assert correction.retry_successful is None and outcome.retry_successful and outcome.caused_by == correction.event_id

    [fallback] = sink.of(AgentFallbackTriggered)
    assert (fallback.primary_agent, fallback.fallback_agent) == ("parsing_agent", "regex_parsing_agent")
    assert fallback.trigger_reason == "llm_unavailable" and "503" in fallback.primary_error
    assert fallback.fallback_successful and fallback.fallback_confidence == 0.65
    assert fallback.quality_delta == 0.27  # against the guess
    assert fallback.fallback_output_summary and "Dr. Pérez" in fallback.fallback_output_summary

    [failed] = sink.of(AgentExecutionFailed)
    assert (failed.agent_name, failed.error_type, failed.stage) == ("parsing_agent", "ProviderUnavailableError", "llm_call")
    assert failed.error_category == "transient" and failed.error_code and failed.error_message
    assert failed.was_retried and failed.retry_count == len(retries) + 1 and failed.stack_trace
    assert failed.max_retries_reached and failed.partial_output is None
    assert failed.fallback_attempted and failed.fallback_successful and failed.execution_time_before_failure_ms >= 0
    assert failed.input_at_error == {"value": REQUEST}

    completed = sink.of(AgentExecutionCompleted)
    assert tuple(event.agent_name for event in completed) == AGENTS[1:]
    temporal = completed[0]
    assert temporal.output_type == "Moment" and temporal.confidence == 1.0 and temporal.decision_type == "temporal_resolution"
    assert temporal.reasoning and temporal.was_retried and temporal.retry_count == 1 and not temporal.fallback_used
    assert (temporal.llm_tokens_used, temporal.llm_prompt_tokens, temporal.llm_completion_tokens) == (846, 574, 272)
    assert temporal.execution_time_seconds == temporal.execution_time_ms / 1000
    assert len(temporal.output_summary) <= 200 and temporal.output_size_bytes > 0

    decisions = {event.agent_name: event for event in sink.of(AgentDecisionRecorded)}
    assert set(decisions) == {"regex_parsing_agent", *AGENTS[1:]}  # the fallback decided for the first one
    assert decisions["temporal_agent"].decision_category == "resolution" and decisions["temporal_agent"].confidence == 1.0
    assert decisions["temporal_agent"].output_data["contacto"] == "Dr. Pérez" and decisions["temporal_agent"].decision_id
    assert decisions["regex_parsing_agent"].output_data == {"contacto": "Dr. Pérez", "fecha": "mañana", "hora": "10am"}

    [ended] = sink.of(AgentPipelineCompleted)
    assert (ended.status, ended.final_outcome) == ("partial_success", "appointment_created")
    assert (ended.agents_executed, ended.agents_succeeded, ended.agents_failed, ended.agents_retried) == (5, 4, 1, 2)
    assert ended.final_confidence == 0.89 and ended.output_summary and ended.total_execution_time_ms >= 0

    contract = [event for event in sink.events if event.type.startswith("agent.")]
    assert len({event.type for event in contract}) == 8
    for sent in map(to_contract, contract):  # as other systems read it
        assert sent["event_version"] == "1.0.0" and sent["event_id"].startswith("evt_") and sent["trace_id"].startswith("trc_")
    assert len({event.trace_id for event in contract}) == 1
    assert len({event.event_id for event in contract}) == len(contract)


if __name__ == "__main__":
    asyncio.run(main())
