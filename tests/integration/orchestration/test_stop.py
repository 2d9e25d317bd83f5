"""A stop reaches the provider's socket at once, what came is kept, and the conversation can go on (O-2).

Measured where it counts: from the moment somebody sends the stop to the moment the provider sees its connection close.
What a busy machine adds to that is measured beside it and taken off: a nap as long as a look of the worker, and a
request that does nothing, are late by as much as everything else is.
"""

import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from batuta.server.database.upgrade import migrate_server
from batuta.simulator import Simulator
from tests.integration.models.stage import NAMES, base_url, protocol_of
from tests.integration.orchestration.storytellers import SCENARIO, STORY, build
from tests.support.platform import Person, Running, has_ended, running, settings_for
from tests.support.processes import Zygote

with warnings.catch_warnings():
    # The first import of Google's client compiles string literals that Python warns about.
    warnings.simplefilter("ignore")
    import google.genai  # noqa: F401

STOPS = 5
TELLERS = "tests.integration.orchestration.storytellers"

pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")


@pytest.fixture
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(SCENARIO) as started:
        yield started


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    started = Zygote([TELLERS])
    yield started
    started.close()


async def _stopped(simulator: Simulator, ana: Person, session: str) -> str:
    """Ask for the story and stop it in the middle: the provider notices long before its end. What was kept."""
    before = len(simulator.requests)
    turn = (await ana.say(session, "tell me a story", target_agent_id="teller"))["turn_id"]
    await simulator.wait_until(
        lambda: len(simulator.requests) > before and simulator.requests[-1].events_sent > 12, within=15
    )
    answer = await ana.http.post(f"/api/sessions/{session}/stop")
    assert answer.status_code < 300, answer.text
    await simulator.wait_until(lambda: simulator.requests[-1].disconnected_at is not None, within=30)
    events = await ana.until(session, lambda found: has_ended(found, turn))
    own = [event for event in events if event["turn_id"] == turn]
    assert [event["status"] for event in own if event["type"] == "complete"] == ["cancelled"]
    (kept,) = [event["content"] for event in own if event["type"] == "message"]
    return str(kept)


async def _check_stops(site: Running, simulator: Simulator) -> None:
    """Several stops of one session, each after the history that the ones before left; then a turn that is answered."""
    ana = await site.person()
    session = await ana.session()
    stops = [await _stopped(simulator, ana, session) for _ in range(STOPS)]
    for kept in stops:
        assert 0 < len(kept) < len(STORY)
        assert STORY.startswith(kept)
    events = await ana.ask(session, "and then?", target_agent_id="teller")
    assert "and then?" in [event["content"] for event in events if event["type"] == "message"][-1]
    last = simulator.requests[-1]
    assert last.status == 200
    assert all(kept in str(last.body) for kept in stops), "what came is part of the next request"
    assert not [problem for request in simulator.requests for problem in request.problems]


async def test_a_stop_leaves_the_provider_and_keeps_what_came(tmp_path: Path, simulator: Simulator, who: str) -> None:
    """One process on one file, with every client."""
    team = build(NAMES[who], base_url(simulator, protocol_of(who)))
    async with running(settings_for(tmp_path), team=team) as site:
        await _check_stops(site, simulator)


@pytest.fixture(params=sorted(NAMES))
def who(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


async def test_a_stop_reaches_a_worker_in_another_process(
    tmp_path: Path, simulator: Simulator, postgres_url: str, zygote: Zygote
) -> None:
    """PostgreSQL without Redis: the stop is sent here, the turn runs there, and nothing but the queue joins them."""
    await migrate_server(postgres_url)
    model: dict[str, Any] = {"model": NAMES["anthropic"], "base_url": base_url(simulator, "anthropic")}
    web = settings_for(tmp_path, database_url=postgres_url, worker_concurrency=0)
    arguments = {"url": postgres_url, "directory": str(tmp_path), **model}
    async with running(web, team=build(**model)) as site, zygote.running(f"{TELLERS}:work", arguments):
        await _check_stops(site, simulator)
