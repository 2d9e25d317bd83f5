"""Writing to the calendar waits for a person, and happens once (A-30, O-30)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import icalendar

from batuta import MemoryJournal
from batuta.events.emitter import TurnNaming
from batuta.events.tools import ApprovalRequested, ApprovalResolved
from batuta.kernel.ids import new_id
from batuta.orchestration import Orchestrator
from batuta.orchestration.conducting import TurnRequest
from batuta.orchestration.orchestrator import Turn, TurnOptions
from batuta.testing.clock import FakeClock
from batuta.tools import ApprovalDecision, ApprovalRequest

REQUEST = "cita mañana 10am con Dr. Pérez"


class Decides:
    def __init__(self, **change: object) -> None:
        self._change = change

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision.edit({**request.args, **self._change}, by="me")


class Refuses:
    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision.reject("hoy no", by="me")


def asked(turn: Turn) -> list[ApprovalRequested]:
    return [event for event in turn.events if isinstance(event, ApprovalRequested)]


def starts(tmp_path: Path) -> list[str]:
    """When the appointments in the calendar file begin, as another program reads them."""
    path = tmp_path / "calendars" / "local.ics"
    if not path.exists():
        return []
    calendar: Any = icalendar.Calendar.from_ical(path.read_bytes())
    return [event["dtstart"].dt.isoformat() for event in calendar.walk("VEVENT")]


async def test_an_approver_may_edit_what_is_booked(team: Orchestrator, tmp_path: Path) -> None:
    turn = await team.run(REQUEST, approver=Decides(start="2026-11-17T12:30:00+01:00", duration_minutes=30))
    assert turn.answer == "Reservado: Cita con Dr. Pérez, martes, 17 de noviembre de 2026, 12:30–13:00."
    assert starts(tmp_path) == ["2026-11-17T12:30:00+01:00"]


async def test_an_edit_into_a_taken_slot_is_not_booked(team: Orchestrator, tmp_path: Path) -> None:
    await team.run("cita mañana a las 12:00 con Ana", approver=Decides())
    turn = await team.run(REQUEST, approver=Decides(start="2026-11-17T12:30:00+01:00"))
    assert turn.answer is not None
    assert "está ocupado: Cita con Ana" in turn.answer
    assert len(starts(tmp_path)) == 1


async def test_a_refusal_is_accepted_and_said(team: Orchestrator, tmp_path: Path) -> None:
    turn = await team.run(REQUEST, approver=Refuses())
    assert turn.answer == "No lo he hecho, porque no se ha aprobado: hoy no"
    assert starts(tmp_path) == []


async def test_the_card_shows_the_day_that_was_understood(team: Orchestrator) -> None:
    [card] = asked(await team.run(REQUEST))
    assert card.tool_name == "create_appointment"
    assert card.args["start"] == "2026-11-17T10:00:00+01:00"
    assert card.preview is not None
    assert "martes, 17 de noviembre de 2026, 10:00" in card.preview
    assert card.source_agent_id == "appointments_agent"


async def test_a_paused_booking_is_resumed_days_later_and_happens_once(
    team: Orchestrator, tmp_path: Path, clock: FakeClock
) -> None:
    """What "tomorrow" meant is not resolved again, and a repeated resume finds the booking done."""
    turn_id, journal = new_id(), MemoryJournal()

    async def conduct(decided: dict[str, ApprovalResolved]) -> Turn:
        options = TurnOptions(request=TurnRequest(text=REQUEST), decided=decided)
        return await team.conduct(
            options, turn_id=turn_id, correlation_id=turn_id, journal=journal, naming=TurnNaming(turn_id)
        )

    paused = await conduct({})
    assert paused.status == "paused"
    assert starts(tmp_path) == []
    clock.advance(timedelta(days=3).total_seconds())
    [card] = asked(paused)
    decision = ApprovalResolved(
        approval_id=card.approval_id, decision="approved", by="me", correlation_id=turn_id, session_id=new_id()
    )
    for _ in range(2):
        turn = await conduct({card.approval_id: decision})
        assert turn.status == "success"
        assert starts(tmp_path) == ["2026-11-17T10:00:00+01:00"]


async def test_an_appointment_is_moved_after_approval(team: Orchestrator, tmp_path: Path) -> None:
    await team.run("Book a meeting with Ana tomorrow at 10am", approver=Decides())
    turn = await team.run("move my meeting with Ana to Friday 3pm", approver=Decides())
    assert turn.answer is not None
    assert turn.answer.startswith("Moved: Meeting with Ana is now on Friday, 20 November 2026, 15:00–16:00")
    assert starts(tmp_path) == ["2026-11-20T15:00:00+01:00"]
