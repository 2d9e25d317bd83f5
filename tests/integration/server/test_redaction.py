"""A thousand secrets go through a running platform; its logs, spans and metrics show none of them (T-24)."""

import io
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
import structlog

from batuta.eventstore.replay import session_events
from batuta.kernel.errors import ProviderRejectedError
from batuta.kernel.messages import Answer, Delta, ToolCallBlock
from batuta.llm.model import ModelRequest
from batuta.observability.logs import configure_logs
from batuta.orchestration import Orchestrator, Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.tool import tool
from tests.integration.observability.test_redaction_everywhere import SECRETS, Planted, planted
from tests.support.otlp import http_receiver
from tests.support.platform import Person, RuleModel, running, settings_for

TOGETHER = 10
"""Secrets in one message."""


@pytest.fixture
def logs() -> Iterator[io.StringIO]:
    """What `batuta serve` would write, everything it can say included."""
    written = io.StringIO()
    before = logging.getLogger().level
    handler = configure_logs(stream=written, is_pretty=False, level="DEBUG")
    yield written
    logging.getLogger().removeHandler(handler)
    logging.getLogger().setLevel(before)
    structlog.reset_defaults()


class Complaining(RuleModel):
    """Looks everything up; what it was asked comes back in its error."""

    async def generate(self, request: ModelRequest) -> Answer:
        if request.tool_results:
            raise ProviderRejectedError(f"400 from the provider: {request.messages[0].text}", status=400)
        return await super().generate(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | Answer]:
        yield await self.generate(request)


def leaky() -> Orchestrator:
    @tool(effect="read")
    async def look_up(query: str) -> str:
        """Find something."""
        _fail(query)

    def ask(request: ModelRequest) -> ToolCallBlock:
        return ToolCallBlock(id="call_1", name="look_up", args={"query": request.messages[-1].text})

    clerk = AgentStep(name="clerk", model=Complaining(ask), tools=[look_up], instructions="", output=str)
    return Orchestrator(supervisor=RuleModel(lambda request: "{}"), agents=[Specialist(clerk, name="Clerk")])


def _fail(text: str) -> NoReturn:
    raise ConnectionError(f"refused: {text}")


async def knock(person: Person, one: Planted) -> None:
    """Come with a secret in a header, in a cookie and in the address."""
    headers = {"Authorization": f"Bearer {one.secret}", "Cookie": f"batuta_session={one.secret}"}
    await person.http.get("/api/me", headers=headers)
    await person.http.get("/api/search", params={"access_token": one.secret, "q": one.text})


async def try_passwords(person: Person, some: list[Planted]) -> None:
    """Come with a secret in a body that is not a turn's."""
    for one in some:
        answer = await person.http.post("/api/auth/login", json={"email": "ana@example.com", "password": one.secret})
        assert answer.status_code == 401


@pytest.mark.slow
async def test_operators_of_a_platform_see_no_secret(
    tmp_path: Path, logs: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = list(planted())
    with http_receiver() as received:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", received.endpoint)
        settings = settings_for(tmp_path, log_level="debug")
        async with running(settings, team=leaky()) as site:
            ana = await site.person()
            stranger = site.stranger()
            stored = ""
            for start in range(0, len(secrets), TOGETHER):
                some = secrets[start : start + TOGETHER]
                session = await ana.session()
                await ana.ask(session, "\n".join(one.text for one in some), target_agent_id="clerk")
                await knock(stranger, some[0])
                events = await session_events(site.platform.backends.log, session)
                stored += "".join(event.model_dump_json() for event in events)
            await try_passwords(stranger, secrets[:3])
            metrics = (await stranger.http.get("/metrics")).text
    assert all(one.secret in stored for one in secrets), "every secret went through a turn"
    texts = {"logs": logs.getvalue(), "spans": "".join(map(str, received.spans)), "metrics": metrics}
    found = {where: sum(one.secret in text for one in secrets) for where, text in texts.items()}
    sys.stdout.write(f"of {len(secrets)} secrets were seen: {found}\n")
    assert len(secrets) == SECRETS
    assert set(found.values()) == {0}, found
    assert texts["logs"].count('"event": "agent_execution_failed"') == SECRETS // TOGETHER
    assert "ProviderRejectedError" in texts["logs"]
    assert len(received.spans) > SECRETS // TOGETHER * 5
    assert 'agent_errors_total{agent_name="clerk"' in metrics
