"""A change that speaks of "its" record, through the platform: shown, approved, written."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from batuta.agents.erp import agent as erp_agent
from batuta.agents.erp.access import ErpAccess
from batuta.offline.model import OfflineModel
from batuta.orchestration.orchestrator import Orchestrator
from tests.support.platform import Person, has_ended, running, settings_for

NAME = "Camping Piedrasol, S.L."


@pytest.fixture
async def ana(access: ErpAccess, tmp_path: Path, platform_url: str) -> AsyncIterator[Person]:
    """Somebody who writes Spanish, on PostgreSQL under the role that row-level security holds for."""
    model = OfflineModel()
    team = Orchestrator(supervisor=model, agents=[erp_agent.specialist(model, access=access)])
    settings = settings_for(tmp_path / "data", database_url=platform_url)
    async with running(settings, team=team, erp=access) as site:
        ana = await site.person("ana@example.com")
        await ana.http.patch("/api/me/preferences", json={"language": "es"})
        yield ana


async def test_a_change_of_what_was_named_before_is_shown_first_and_then_written(
    ana: Person, access: ErpAccess
) -> None:
    """A-42, A-2: "su" is the customer of the question before; nothing is written until it is approved."""
    session = await ana.session()
    await ana.ask(session, "¿cuánto nos debe Camping Piedrasol?")
    accepted = await ana.say(session, "cambia su teléfono a 600 111 222")
    waiting = await ana.pending()
    assert NAME in waiting["preview"]
    assert "600 111 222" in waiting["preview"]
    assert await _phone(access) != "600 111 222"
    answer = await ana.http.post(f"/api/approvals/{waiting['approval_id']}", json={"decision": "approve"})
    assert answer.is_success, answer.text
    await ana.until(session, lambda found: has_ended(found, accepted["turn_id"]))
    decided = (await ana.http.get("/api/approvals", params={"state": "approved"})).json()["items"]
    assert (await _phone(access), len(decided)) == ("600 111 222", 1)


async def _phone(access: ErpAccess) -> str:
    find = next(tool for tool in erp_agent.guarded_reading_tools(access) if tool.name == "find_record")
    found = await find.call(entity="customers", which=NAME)
    return str(found["values"]["phoneNumber"])
