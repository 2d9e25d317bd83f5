"""What a run knows about the person it works for (P-32, A-30): where "tomorrow at ten" is, and what they read."""

from pathlib import Path

from batuta.agents import appointments
from batuta.llm.providers import OFFLINE_MODEL
from batuta.orchestration.orchestrator import Orchestrator
from tests.support.platform import running, settings_for


async def test_the_settings_of_a_person_reach_the_tools_that_work_for_them(tmp_path: Path) -> None:
    team = Orchestrator(supervisor=OFFLINE_MODEL, agents=[appointments.specialist(OFFLINE_MODEL, data_dir=tmp_path)])
    async with running(settings_for(tmp_path), team=team) as site:
        ana = await site.person()
        await ana.http.patch("/api/settings", json={"timezone": "Asia/Tokyo", "language": "es"})
        session = await ana.session()
        await ana.say(session, "Book a meeting with Luis on 2031-03-04 at 10am")
        asked = await ana.pending()
        assert asked["args"]["start"] == "2031-03-04T10:00:00+09:00"
        assert "martes, 4 de marzo de 2031, 10:00 (UTC+09:00)" in asked["preview"]
