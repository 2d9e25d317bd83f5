"""Clients that others have written: Socket.IO and AG-UI from npm, `EventSource` of a browser (P-11, P-12, E-21)."""

from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

import pytest

from batuta.kernel.ids import new_id
from tests.support.browser import Visitor
from tests.support.faultproxy import fault_proxy
from tests.support.node_clients import run_client
from tests.support.platform import Person, Running

pytestmark = pytest.mark.asyncio(loop_scope="session")

DROPS, TURNS = 50, 30
LISTEN = """([path]) => {
  window.got = [];
  window.source = new EventSource(path);
  window.source.addEventListener('agent:event', ({ data }) => {
    const event = JSON.parse(data);
    if (event.sequence_number !== null) window.got.push(event.sequence_number);
  });
}"""


async def key_of(person: Person) -> str:
    answer = await person.http.post("/api/keys", json={"name": "client"})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["secret"])


def thread_id() -> str:
    """The id of a session that a client begins itself, recognisable as a test's."""
    return f"E2E10001{new_id()[8:]}"


async def client(name: str, person: Person, **task: Any) -> dict[str, Any]:
    """What a client of somebody reports."""
    return await run_client(name, address=person.running.address, secret=await key_of(person), **task)


async def test_fifty_lost_connections_cost_no_event_and_repeat_none(site: Running, ana: Person) -> None:
    """P-11: every stored event exactly once and in order, for the client of npm."""
    session = await ana.session()
    report = await client("drops", ana, addresses=[site.address], session_id=session, turns=TURNS, drops=DROPS)
    numbers = [event["sequence_number"] for event in await ana.events(session)]
    assert report["dropped"] == DROPS
    assert report["received"] == [list(pair) for pair in pairwise([0, *numbers])]


async def test_an_agui_client_runs_a_turn(site: Running, ana: Person) -> None:
    report = await client("agui", ana, thread_id=thread_id(), text="hello there", payload=None)
    assert (report["types"][0], report["types"][-1]) == ("RUN_STARTED", "RUN_FINISHED")
    assert any("You said: hello there" in said for said in report["said"])


async def test_an_agui_client_approves_what_a_turn_asks_for(site: Running, ana: Person) -> None:
    report = await client("agui", ana, thread_id=thread_id(), text="please book", payload={"approved": True})
    assert (report["interrupts"], site.stage.booked) == (1, ["Monday"])
    assert report["types"].count("RUN_FINISHED") == 2
    assert any("booked Monday" in said for said in report["said"])


async def test_an_event_source_resumes_where_it_was_cut(visitor: Visitor, site: Running, ana: Person) -> None:
    """P-11: Chromium's own `EventSource` sends `Last-Event-ID`."""
    session = await ana.session()
    port = urlsplit(site.address).port
    assert port is not None
    async with fault_proxy(port) as proxy:
        page = await visitor.open(f"http://127.0.0.1:{proxy.port}/healthz", person=ana)
        await page.evaluate(LISTEN, [f"/api/sessions/{session}/stream"])
        for turn in range(3):
            events = await ana.ask(session, f"turn {turn}")
            await page.wait_for_function("count => window.got.length >= count", arg=len(events))
            proxy.cut()
        events = await ana.ask(session, "the end")
        await page.wait_for_function("count => window.got.length >= count", arg=len(events))
        assert await page.evaluate("window.got") == [event["sequence_number"] for event in events]
        await page.evaluate("window.source.close()")
