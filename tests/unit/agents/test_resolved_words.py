"""Days, periods and amounts are resolved for real models too: the tool is there where they matter."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from batuta.agents import appointments, calculator, documents, graphing
from batuta.events.tools import ToolResponse
from batuta.kernel.users import TIME_ZONE_SERVICE
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.specialist import Specialist
from batuta.testing import Reply, ScriptedModel, ToolCall
from batuta.testing.clock import FakeClock

NOW = datetime(2026, 11, 16, 23, 30, tzinfo=UTC)


def member(name: str, model: ScriptedModel, folder: Path) -> Specialist:
    if name == "calculator":
        return calculator.specialist(model, clock=FakeClock(NOW), is_streaming=False)
    if name == "documents":
        return documents.specialist(model, data_dir=folder, clock=FakeClock(NOW), is_streaming=False)
    if name == "graphing":
        return graphing.specialist(model, clock=FakeClock(NOW), is_streaming=False)
    return appointments.specialist(model, data_dir=folder, clock=FakeClock(NOW), is_streaming=False)


@pytest.mark.parametrize("name", ["calculator", "appointments", "documents", "graphing"])
async def test_a_model_learns_what_a_relative_day_means_where_the_user_is(name: str, tmp_path: Path) -> None:
    """Half past eleven at night in UTC is the next day in Madrid."""
    model = ScriptedModel(
        [
            Reply(tool_calls=[ToolCall("resolve_words", {"text": "mañana y el trimestre pasado"})]),
            Reply("The documents do not say."),
        ]
    )
    agent = member(name, model, tmp_path)
    team = Orchestrator(supervisor=ScriptedModel([]), agents=[agent])
    turn = await team.run("…", target_agent_id=agent.card.agent_id, services={TIME_ZONE_SERVICE: "Europe/Madrid"})
    assert turn.error is None, turn.error
    [told] = [event for event in turn.events if isinstance(event, ToolResponse)]
    found = json.loads(told.content)
    assert [each["value"] for each in found["dates"]] == ["2026-11-18"]
    assert found["periods"][-1]["value"]["first"] == "2026-07-01"
