"""Messages become turns: accepted once, run, stopped, told in order (P-10, P-11, S-5, S-6, O-2, O-6)."""

import asyncio
from datetime import timedelta

import pytest

from batuta.kernel.ids import new_id
from batuta.server.config import Settings
from batuta.server.turns.titles import LONGEST, title_of
from tests.support.platform import Running, has_ended, running


async def test_a_message_is_answered_and_its_events_are_in_order(site: Running) -> None:
    """O-6: the user's message first, `complete` last, numbers that grow."""
    ana = await site.person()
    session = await ana.session()
    events = await ana.ask(session, "hello")
    types = [event["type"] for event in events]
    assert types[0] == "user_message_confirmed"
    assert types[-1] == "complete"
    assert "message" in types
    numbers = [event["sequence_number"] for event in events]
    assert numbers == sorted(set(numbers))


async def test_a_turn_outlives_many_workers_and_ends_after_the_last_it_may_lose(settings: Settings) -> None:
    """CR-02, CR-12: workers that are killed again and again, by something else or by the turn itself."""
    async with running(settings.model_copy(update={"worker_concurrency": 0})) as site:
        ana = await site.person()
        queue = site.platform.backends.queue
        accepted = await ana.say(await ana.session(), "hello")
        recovered = []
        for _ in range(settings.turn_attempts):
            assert await queue.lease("killed", length=timedelta(seconds=-1)) is not None
            recovered.append(await queue.recover())
        *before, last = recovered
        assert len(before) > 10
        assert all(each.requeued == (accepted["turn_id"],) and not each.dead for each in before)
        assert last.dead == (accepted["turn_id"],)


async def test_the_same_message_sent_twice_is_one_turn(site: Running) -> None:
    """S-6: the second delivery gets the first answer, also when both come at once."""
    ana = await site.person()
    session = await ana.session()
    message_id = new_id()
    answers = await asyncio.gather(*(ana.say(session, "hello", client_message_id=message_id) for _ in range(5)))
    assert len({answer["turn_id"] for answer in answers}) == 1
    turn_id = answers[0]["turn_id"]
    events = await ana.until(session, lambda events: has_ended(events, turn_id))
    assert [event["type"] for event in events].count("user_message_confirmed") == 1
    again = await ana.say(session, "hello", client_message_id=message_id)
    assert again["turn_id"] == turn_id


async def test_the_same_id_for_another_message_is_a_conflict(site: Running) -> None:
    """S-6: an id stands for one content."""
    ana = await site.person()
    session = await ana.session()
    body = {"client_message_id": new_id(), "text": "hello"}
    await ana.http.post(f"/api/sessions/{session}/messages", json=body)
    answer = await ana.http.post(f"/api/sessions/{session}/messages", json={**body, "text": "good bye"})
    assert (answer.status_code, answer.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")


async def test_a_message_that_waits_can_be_taken_back(site: Running) -> None:
    """O-2: it is never answered, and those behind it are; what runs is stopped, not taken back."""
    ana, eve = await site.person(), await site.person("eve@example.com")
    session = await ana.session()
    first, second, third = [await ana.say(session, text) for text in ("slow one", "wrong one", "quick one")]
    place = f"/api/sessions/{session}/turns"
    assert (await eve.http.delete(f"{place}/{second['turn_id']}")).status_code == 404
    answers = [await ana.http.delete(f"{place}/{turn['turn_id']}") for turn in (second, second, first)]
    assert [answer.status_code for answer in answers] == [204, 204, 409]
    assert (await ana.http.delete(f"{place}/{new_id()}")).status_code == 404
    site.stage.gate.set()
    events = await ana.until(session, lambda events: has_ended(events, third["turn_id"]))
    ends = {event["turn_id"]: event["status"] for event in events if event["type"] == "complete"}
    assert [ends[turn["turn_id"]] for turn in (first, second, third)] == ["success", "cancelled", "success"]
    said = [
        event["content"] for event in events if event["type"] == "message" and event["turn_id"] == second["turn_id"]
    ]
    assert said == []


async def test_a_second_message_waits_for_the_first(site: Running) -> None:
    """O-2: one running turn per session, in the order they came."""
    ana = await site.person()
    session = await ana.session()
    first = await ana.say(session, "slow one")
    second = await ana.say(session, "quick one")
    assert (first["is_queued"], second["is_queued"]) == (False, True)
    site.stage.gate.set()
    events = await ana.until(session, lambda events: has_ended(events, second["turn_id"]))
    ends = [event["turn_id"] for event in events if event["type"] == "complete"]
    assert ends == [first["turn_id"], second["turn_id"]]


async def test_stop_ends_a_running_turn_at_once(site: Running) -> None:
    """O-2: the model call in flight is cancelled and `complete` says so, long before the next heartbeat."""
    ana = await site.person()
    session = await ana.session()
    turn = await ana.say(session, "slow one")
    await _until_running(site, turn["turn_id"])
    async with asyncio.timeout(60):
        assert (await ana.http.post(f"/api/sessions/{session}/stop")).status_code == 202
        events = await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    assert events[-1]["status"] == "cancelled"


async def test_stop_ends_a_turn_that_waits_for_a_decision(site: Running) -> None:
    """O-2: nobody is asked any more, and the turn is over."""
    ana = await site.person()
    session = await ana.session()
    turn = await ana.say(session, "please book")
    approval = await ana.pending()
    await _until_status(site, turn["turn_id"], "paused")
    await ana.http.post(f"/api/sessions/{session}/stop")
    events = await ana.until(session, lambda events: has_ended(events, turn["turn_id"]))
    assert events[-1]["status"] == "cancelled"
    assert {event["type"]: event for event in events}["approval_resolved"]["approval_id"] == approval["approval_id"]
    assert site.stage.booked == []


async def test_stop_without_a_turn_is_harmless(embedded: Running) -> None:
    ana = await embedded.person()
    session = await ana.session()
    assert (await ana.http.post(f"/api/sessions/{session}/stop")).status_code == 202


async def test_a_session_is_named_after_its_first_message(site: Running) -> None:
    """P-30: once, as an event; later messages change nothing."""
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "what is the weather in Sevilla? Tell me now.")
    events = await ana.ask(session, "and in Cádiz?")
    titles = [event["title"] for event in events if event["type"] == "title_changed"]
    assert titles == ["What is the weather in Sevilla?"]
    summary = (await ana.http.get(f"/api/sessions/{session}")).json()
    assert summary["title"] == titles[0]


async def test_a_session_that_has_a_name_keeps_it(embedded: Running) -> None:
    ana = await embedded.person()
    session = await ana.session(title="Mine")
    events = await ana.ask(session, "hello")
    assert [event["title"] for event in events if event["type"] == "title_changed"] == ["Mine"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("hola", "Hola"),
        ("/book a *table* for two", "A table for two"),
        ("First sentence. Second sentence.", "First sentence"),
        ("cita mañana 10am con el Dr. Pérez. Gracias", "Cita mañana 10am con el Dr. Pérez"),
        ("¿Llamó la Sra. Gil? Dime", "¿Llamó la Sra. Gil?"),
        ("```\n```", ""),
    ],
)
def test_a_title_is_the_first_sentence_without_markup(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_long_title_is_cut_at_a_word() -> None:
    title = title_of("word " * 40)
    assert len(title) <= LONGEST
    assert title.endswith("word…")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"text": ""}, 422, "INVALID"),
        ({"text": "   "}, 422, "INVALID"),
        ({"text": "x" * 40_000}, 413, "MESSAGE_TOO_LONG"),
        ({"text": "a\x00b"}, 422, "NUL_CHARACTER"),
        ({"target_agent_id": "nobody"}, 422, "INVALID"),
        ({"client_message_id": "no spaces please"}, 422, "INVALID"),
        ({"client_message_id": "x" * 101}, 422, "INVALID"),
        ({"surprise": 1}, 422, "INVALID"),
        ({"thinking_budget": -1}, 422, "INVALID"),
        ({"thinking_budget": 16_001}, 422, "INVALID"),
    ],
)
async def test_a_message_that_makes_no_sense_is_refused(
    embedded: Running, change: dict[str, object], status: int, code: str
) -> None:
    """Nothing of it is kept."""
    ana = await embedded.person()
    session = await ana.session()
    body = {"client_message_id": new_id(), "text": "hello", **change}
    answer = await ana.http.post(f"/api/sessions/{session}/messages", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await ana.events(session) == []


async def test_a_chosen_agent_answers_without_the_supervisor(embedded: Running) -> None:
    """O-21: a directed turn."""
    ana = await embedded.person()
    events = await ana.ask(await ana.session(), "hello", target_agent_id="echo")
    said = [event for event in events if event["type"] == "message"]
    assert [(event["source_agent_id"], event["content"]) for event in said] == [("echo", "echo hello")]


async def _until_running(site: Running, turn_id: str) -> None:
    await _until_status(site, turn_id, "running")
    await asyncio.sleep(0.2)  # and the model is being asked


async def _until_status(site: Running, turn_id: str, status: str) -> None:
    async with asyncio.timeout(60):
        while (work := await site.platform.backends.queue.get(turn_id)) is None or work.status != status:
            await asyncio.sleep(0.01)
