"""The appointment pipeline of the event contract, for those who use it as a library (A-30).

    coordinator ─┬─ appointment_creation   parsing → temporal → geo → validation → availability
                 ├─ rescheduling           the same, for an appointment that is there already
                 └─ cancellation           the same, for one that is to take place no more

The parsing agent asks a model and falls back to rules; everything after it is code. The last step books what is free,
if the run's approver agrees.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from batuta.agents.appointments import wording
from batuta.agents.appointments.calendar_file import CalendarFile
from batuta.agents.appointments.desk import Desk, chosen_appointment, to_cancel
from batuta.agents.appointments.models import Appointment, Draft, Outcome, OutcomeName, ParsedRequest, RequestKind
from batuta.agents.appointments.parsing import intent_of, parse_request
from batuta.agents.appointments.resolving import Moment, look_up, resolve_geo, resolve_temporal, validate
from batuta.agents.appointments.tools import NEXT_TOOLS, cancel_tool, checked, create_tool, move_tool
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ToolFailedError
from batuta.kernel.messages import ToolCallBlock
from batuta.llm.model import Model
from batuta.llm.roles import DEFAULT_ROLES
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.pipeline import Pipeline
from batuta.pipelines.step import Step, step
from batuta.steps.agent import AgentStep
from batuta.tools.invocation import CallScope, Execute, PreparedCall, default_invoker, reconciler
from batuta.tools.outcome import Execution, Refusal

MIN_CONFIDENCE = 0.5
PARSING_INSTRUCTIONS = (
    "Read an appointment request in English or Spanish. Copy the words for day, time, person and place as they stand; "
    "resolve nothing. Say how sure you are."
)
T = TypeVar("T")

_EXECUTION = TypeAdapter(Execution)
_RESOLVED: TypeAdapter[Any] = TypeAdapter(Draft | Outcome)
_SKIPPED = ("conflicts", "alternatives", "summary", "outcome", "next_tool")


class Booking(BaseModel):
    """What a run of the pipeline brought."""

    model_config = ConfigDict(frozen=True)

    outcome: OutcomeName
    summary: dict[str, str]
    conflicts: tuple[Appointment, ...] = ()
    details: dict[str, Any] = {}
    confidence: float = 1.0


def appointment_pipeline(
    model: Model | str, *, data_dir: Path | str, clock: Clock = SYSTEM_CLOCK, time_zone: str = "UTC"
) -> Step[str, Booking]:
    """From a request in words to a booking; an `approver` among the run's options decides about writing."""
    desk = Desk(folder=Path(data_dir) / "calendars", clock=clock, time_zone=time_zone)
    kinds = (RequestKind.CREATION, RequestKind.RESCHEDULING, RequestKind.CANCELLATION)
    return Coordinator({kind: _pipeline(kind, model, desk) for kind in kinds})


class Coordinator(Step[str, Booking]):
    """Chooses the pipeline of a request."""

    def __init__(self, pipelines: dict[RequestKind, Pipeline[str, Booking]]) -> None:
        super().__init__("coordinator", input_type=str, output_type=Booking)
        self._pipelines = pipelines

    async def _perform(self, value: str, ctx: Context) -> Booking:
        intent = intent_of(value)
        chosen = self._pipelines.get(intent, self._pipelines[RequestKind.CREATION])
        await ctx.decide(
            "pipeline_selection",
            category="routing",
            reasoning=f"the words ask for {intent.value}",
            confidence=1.0,
            input_data={"request": value},
            output_data={"pipeline": chosen.name},
        )
        return await ctx.invoke(chosen, value)

    def children(self) -> tuple[Step[Any, Any], ...]:
        """The pipelines it may choose."""
        return tuple(self._pipelines.values())


def _pipeline(intent: RequestKind, model: Model | str, desk: Desk) -> Pipeline[str, Booking]:
    steps = _parsing(model) >> _temporal(desk) >> _geo(desk) >> _validation(desk) >> _availability(desk)
    return Pipeline(intent.value, steps)


def _parsing(model: Model | str) -> Step[str, ParsedRequest]:
    @step(name="rule_parsing_agent")
    async def by_rules(text: str) -> ParsedRequest:
        return parse_request(text)

    return AgentStep(
        name="parsing_agent",
        model=model,
        output=ParsedRequest,
        instructions=PARSING_INSTRUCTIONS,
        settings=DEFAULT_ROLES["appointments_agent"].settings,
        fallback=by_rules,
        min_confidence=MIN_CONFIDENCE,
        max_attempts=2,
        decision_type="entity_extraction",
        decision_category="extraction",
    )


def _temporal(desk: Desk) -> Step[ParsedRequest, Draft | Outcome]:
    @step(name="temporal_agent")
    async def temporal(parsed: ParsedRequest, ctx: Context) -> Draft | Outcome:
        moment = desk.moment(ctx.services)
        draft = await _kept(ctx, lambda: _resolved(parsed, desk.calendar(ctx.user.id, ctx.services), moment))
        if isinstance(draft, Outcome):
            return draft
        await ctx.decide(
            "temporal_resolution",
            category="resolution",
            reasoning=f"seen from {moment.local:%Y-%m-%d %H:%M} in {moment.zone}",
            confidence=1.0 if draft.slot else 0.0,
            input_data={"date": parsed.date_text, "time": parsed.time_text, "timezone": moment.zone},
            output_data={"start": draft.slot.start.isoformat() if draft.slot else None, "notes": list(draft.notes)},
        )
        return draft

    return temporal


def _geo(desk: Desk) -> Step[Draft | Outcome, Draft | Outcome]:
    @step(name="geo_agent")
    async def geo(draft: Draft | Outcome, ctx: Context) -> Draft | Outcome:
        if isinstance(draft, Outcome):
            return draft
        placed = await _kept(ctx, lambda: resolve_geo(draft, desk.moment(ctx.services)))
        await ctx.decide(
            "place_resolution",
            category="resolution",
            reasoning="the time there" if placed.zone != draft.zone else "the user's own time zone",
            confidence=1.0,
            input_data={"place": draft.parsed.place},
            output_data={"timezone": placed.zone},
        )
        return placed

    return geo


def _validation(desk: Desk) -> Step[Draft | Outcome, Draft | Outcome]:
    @step(name="validation_agent")
    async def validation(draft: Draft | Outcome, ctx: Context) -> Draft | Outcome:
        if isinstance(draft, Outcome):
            return draft
        checked_draft = await _kept(ctx, lambda: validate(draft, desk.moment(ctx.services)))
        await ctx.decide(
            "request_validation",
            category="validation",
            reasoning=", ".join(checked_draft.problems) or "nothing is missing",
            confidence=1.0,
            output_data={"problems": list(checked_draft.problems)},
        )
        return checked_draft

    return validation


def _availability(desk: Desk) -> Step[Draft | Outcome, Booking]:
    tools = {tool.name: tool for tool in (create_tool(desk), move_tool(desk), cancel_tool(desk))}

    @step(name="availability_agent")
    async def availability(draft: Draft | Outcome, ctx: Context) -> Booking:
        calendar = desk.calendar(ctx.user.id, ctx.services)
        outcome = (
            draft
            if isinstance(draft, Outcome)
            else await _kept(ctx, lambda: look_up(draft, calendar, desk.moment(ctx.services)))
        )
        await ctx.decide(
            "availability",
            category="validation",
            reasoning=wording.summary_of(outcome)["en"],
            confidence=1.0,
            output_data={"outcome": outcome.outcome, "conflicts": [each.title for each in outcome.conflicts]},
        )
        facts = checked(outcome)
        if facts.get("next_tool") is None:
            return _unbooked(outcome)
        args = {name: value for name, value in facts.items() if name not in _SKIPPED and value is not None}
        return await _booked(outcome, args, tools, ctx)

    return availability


def _resolved(parsed: ParsedRequest, calendar: CalendarFile, moment: Moment) -> Draft | Outcome:
    chosen = chosen_appointment(parsed, calendar, moment)
    if isinstance(chosen, Outcome):
        return chosen
    if parsed.intent is RequestKind.CANCELLATION:
        return to_cancel(parsed, chosen, moment)
    return resolve_temporal(parsed, moment, chosen)


async def _kept(ctx: Context, resolve: Callable[[], T]) -> T:
    """Resolve once: "tomorrow" stays the same day when the run goes on after midnight, and what the run itself has
    booked meanwhile is no conflict.
    """

    async def act() -> Any:
        return await asyncio.to_thread(resolve)

    kept: T = await ctx.effect(act, _RESOLVED, kind="read", name="resolve")
    return kept


async def _booked(outcome: Outcome, args: dict[str, Any], tools: dict[str, Any], ctx: Context) -> Booking:
    """Write through the tool: the same approval, journal and idempotency as for a model's call."""
    name = NEXT_TOOLS[outcome.draft.parsed.intent]
    call = ToolCallBlock(id=ctx.stable_id("booking"), name=name, args=args)

    async def once(prepared: PreparedCall, execute: Execute) -> Execution:
        kind = prepared.tool.policy.effect
        return await ctx.effect(execute, _EXECUTION, kind=kind, name=name, reconcile=reconciler(prepared, scope))

    scope = CallScope(
        tools=tools,
        agent_id=ctx.step_name,
        user=ctx.user,
        services=ctx.services,
        approver=invocation_of(ctx).run.approver,
        around=once,
    )
    invoker = invocation_of(ctx).run.policies.invoker or default_invoker()
    done = await invoker.invoke(call, scope, idempotency_key=f"{ctx.run_key}:{ctx.key}")
    if done.refusal in (Refusal.APPROVAL_NEEDED, Refusal.APPROVAL_REJECTED):
        return Booking(outcome="not_approved", summary=dict.fromkeys(("en", "es"), done.result.content))
    if done.result.is_error:
        raise ToolFailedError(done.result.content)
    facts = json.loads(done.result.content)
    return Booking(
        outcome=facts["outcome"],
        summary=facts["summary"],
        conflicts=tuple(facts.get("conflicts", ())),
        details={name: facts[name] for name in ("uid", "title", "start", "end") if name in facts},
        confidence=outcome.confidence,
    )


def _unbooked(outcome: Outcome) -> Booking:
    return Booking(
        outcome=outcome.outcome,
        summary=wording.summary_of(outcome),
        conflicts=outcome.conflicts,
        confidence=outcome.confidence,
    )
