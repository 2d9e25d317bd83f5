"""What a run knows about the person it works for (P-32, A-30): where "tomorrow at ten" is, and what they read."""

from pathlib import Path

import httpx

from batuta.agents import appointments, calculator
from batuta.llm.providers import OFFLINE_MODEL
from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.config import Settings
from tests.support.platform import running, settings_for


async def test_the_settings_of_a_person_reach_the_tools_that_work_for_them(settings: Settings, tmp_path: Path) -> None:
    """Also through a worker on PostgreSQL that only sees the rows of the person it works for.

    A message that shows its language is answered in that; one that shows none in that of the page.
    """
    team = Orchestrator(supervisor=OFFLINE_MODEL, agents=[appointments.specialist(OFFLINE_MODEL, data_dir=tmp_path)])
    async with running(settings, team=team) as site:
        ana = await site.person()
        await ana.http.patch("/api/settings", json={"timezone": "Asia/Tokyo", "language": "es"})
        session = await ana.session()
        await ana.say(session, "Reserva una reunión con Luis el 2031-03-04 a las 10")
        asked = await ana.pending()
        assert asked["args"]["start"] == "2031-03-04T10:00:00+09:00"
        assert "martes, 4 de marzo de 2031, 10:00 (UTC+09:00)" in asked["preview"]


async def test_an_agent_that_left_the_team_is_nobodys_default_any_more(tmp_path: Path) -> None:
    both = [appointments.specialist(OFFLINE_MODEL, data_dir=tmp_path), calculator.specialist(OFFLINE_MODEL)]
    async with running(settings_for(tmp_path), team=Orchestrator(supervisor=OFFLINE_MODEL, agents=both)) as site:
        ana = await site.person()
        chosen = both[1].card.agent_id
        assert (await ana.http.patch("/api/settings", json={"default_agent_id": "nobody"})).status_code == 422
        await ana.http.patch("/api/settings", json={"default_agent_id": chosen})
        assert (await ana.http.get("/api/settings")).json()["default_agent_id"] == chosen
        cookie = ana.http.cookies["batuta_session"]
    smaller = Orchestrator(supervisor=OFFLINE_MODEL, agents=both[:1])
    async with (
        running(settings_for(tmp_path), team=smaller) as site,
        httpx.AsyncClient(base_url=site.address, cookies={"batuta_session": cookie}) as http,
    ):
        assert (await http.get("/api/settings")).json()["default_agent_id"] is None
