"""Titles: from the first words at once, from a model when the first turn has ended, from a person for good (P-30)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeGuard

import pytest

from batuta.events.conversation import AssistantMessage, TitleChanged
from batuta.events.envelope import Event
from batuta.events.runtime import LlmRequest, LlmResponse
from batuta.eventstore.replay import session_events
from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.kernel.errors import ProviderUnavailableError
from batuta.kernel.ids import SessionId, new_id
from batuta.kernel.messages import Answer
from batuta.llm.model import ModelRequest
from batuta.observability.audit_counts import audit
from batuta.observability.timeline import timeline_of
from batuta.server.config import Settings
from tests.support.platform import Person, RuleModel, Running, running, settings_for


class Namer(RuleModel):
    """A model that names, refuses, or waits."""

    def __init__(self, answer: str = "", gate: asyncio.Event | None = None) -> None:
        super().__init__(lambda request: answer)
        self.asked: list[ModelRequest] = []
        self.is_away = not answer
        self.pause = gate

    async def generate(self, request: ModelRequest) -> Answer:
        self.asked.append(request)
        if self.pause is not None:
            await self.pause.wait()
        if self.is_away:
            raise ProviderUnavailableError("nobody there")
        return await super().generate(request)


async def has_been_asked(namer: Namer) -> None:
    async with asyncio.timeout(60):
        while not namer.asked:
            await asyncio.sleep(0.01)


def titles(events: list[dict[str, Any]]) -> list[str]:
    return [event["title"] for event in events if event["type"] == "title_changed"]


@pytest.fixture
async def named(settings: Settings) -> AsyncIterator[tuple[Running, Namer]]:
    namer = Namer('"Saludos de **Ana**."')
    async with running(settings, title_model=namer) as site:
        yield site, namer


async def test_a_session_is_named_by_the_model_once_its_first_turn_ended(named: tuple[Running, Namer]) -> None:
    """Without markup, once, and what the call cost is counted."""
    site, namer = named
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "hola a todos")
    events = await ana.until(session, lambda events: len(titles(events)) == 2)
    assert titles(events) == ["Hola a todos", "Saludos de Ana"]
    await ana.ask(session, "another")
    await asyncio.sleep(0.2)
    assert (len(namer.asked), len(titles(await ana.events(session)))) == (1, 2)
    shown = (await ana.http.get(f"/api/sessions/{session}")).json()
    assert shown["title"] == "Saludos de Ana"
    used = (await ana.http.get(f"/api/sessions/{session}/usage")).json()
    assert "session_title" in [share["agent_id"] for share in used["by_agent"]]
    assert namer.asked[0].settings.max_tokens == 64


async def test_a_model_that_fails_leaves_the_first_words(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), title_model=(namer := Namer())) as site:
        ana = await site.person()
        session = await ana.session()
        await ana.ask(session, "hello there")
        await has_been_asked(namer)
        await ana.ask(session, "it goes on")
        assert titles(await ana.events(session)) == ["Hello there"]


async def test_a_slow_model_delays_no_turn_and_no_end_of_the_process(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), title_model=(namer := Namer("Late", asyncio.Event()))) as site:
        ana = await site.person()
        for text in ("one", "two"):
            events = await ana.ask(await ana.session(), text)
            assert events[-1]["type"] == "complete"
        assert len(namer.asked) <= 2


async def test_a_name_that_a_person_chose_stays(tmp_path: Path) -> None:
    """The model is not even asked."""
    async with running(settings_for(tmp_path), title_model=(namer := Namer("No"))) as site:
        ana = await site.person()
        session = await ana.session()
        site.stage.gate.clear()
        turn = await ana.say(session, "slow hello")
        await ana.http.patch(f"/api/sessions/{session}", json={"title": "Mine"})
        site.stage.gate.set()
        await ana.until(session, lambda events: any(e.get("turn_id") == turn["turn_id"] for e in events[3:]))
        await ana.ask(session, "more")
        assert (titles(await ana.events(session))[-1], namer.asked) == ("Mine", [])


async def test_a_name_chosen_while_the_model_thinks_stays_and_the_call_is_counted(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with running(settings_for(tmp_path), title_model=(namer := Namer("Too late", gate))) as site:
        ana = await site.person()
        session = await ana.session()
        await ana.ask(session, "hello there")
        await has_been_asked(namer)
        await ana.http.patch(f"/api/sessions/{session}", json={"title": "Mine"})
        gate.set()
        async with asyncio.timeout(60):
            while "session_title" not in await agents_that_cost(ana, session):
                await asyncio.sleep(0.01)
        assert titles(await ana.events(session)) == ["Hello there", "Mine"]


async def test_a_name_given_at_the_beginning_stays(tmp_path: Path) -> None:
    """It is an event like every other name, and the model is not even asked."""
    async with running(settings_for(tmp_path), title_model=(namer := Namer("No"))) as site:
        ana = await site.person()
        session = (await ana.http.post("/api/sessions", json={"title": "Mine"})).json()["session_id"]
        await ana.ask(session, "hello there")
        await ana.ask(session, "more")
        assert (titles(await ana.events(session)), namer.asked) == (["Mine"], [])


async def test_a_name_may_be_chosen_again(site: Running) -> None:
    ana = await site.person()
    session = await ana.session()
    for title in ("One", "Two", "One"):
        shown = (await ana.http.patch(f"/api/sessions/{session}", json={"title": title})).json()
        assert shown["title"] == title
    assert titles(await ana.events(session)) == ["One", "Two", "One"]


async def agents_that_cost(person: Person, session: str) -> list[str]:
    used = (await person.http.get(f"/api/sessions/{session}/usage")).json()
    return [share["agent_id"] for share in used["by_agent"]]


async def test_a_model_that_is_away_is_left_alone_like_those_of_turns(tmp_path: Path) -> None:
    """The breaker of the profile holds for titles, too: a second session does not ask again."""
    namer = Namer()
    settings = settings_for(tmp_path, model_attempts=1, is_breaker_enabled=True, breaker_threshold=1)
    async with running(settings, title_model=namer) as site:
        ana = await site.person()
        await ana.ask(await ana.session(), "hello")
        await has_been_asked(namer)
        await ana.ask(await ana.session(), "hello")
        await asyncio.sleep(0.3)
    assert len(namer.asked) == 1


async def told_of(site: Running, session: str) -> list[Event]:
    return await session_events(site.platform.backends.log, session)


async def test_whatever_a_platform_writes_about_a_session_is_in_a_trace(named: tuple[Running, Namer]) -> None:
    """The titles and the call that names are in the trace of the turn, the rest in that of its request."""
    site, _ = named
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "hola a todos")
    await ana.until(session, lambda events: len(titles(events)) == 2)
    [answer] = [event for event in await told_of(site, session) if isinstance(event, AssistantMessage)]
    judgement = {"message_id": answer.message_id, "rating": 1}
    judged = await ana.http.post(f"/api/sessions/{session}/feedback", json=judgement)
    assert judged.status_code < 300, judged.text
    await ana.http.patch(f"/api/sessions/{session}", json={"title": "Mine"})
    told = await told_of(site, session)
    assert [event.type for event in told if event.trace_id is None or event.correlation_id is None] == []
    [turn] = {event.trace_id for event in told if event.turn_id is not None}
    named_by_turn = [event for event in told if isinstance(event, TitleChanged) and event.is_automatic]
    call = [event for event in told if event.source_agent_id == "session_title"]
    assert [event.type for event in call] == ["llm.request", "llm.response"]
    assert {event.trace_id for event in (*named_by_turn, *call)} == {turn}
    [chosen] = [event for event in told if isinstance(event, TitleChanged) and not event.is_automatic]
    assert chosen.trace_id != turn


async def test_the_call_that_names_a_session_is_audited_like_every_other(named: tuple[Running, Namer]) -> None:
    site, namer = named
    ana = await site.person()
    session = await ana.session()
    await ana.ask(session, "hola a todos")
    await ana.until(session, lambda events: len(titles(events)) == 2)
    told = await told_of(site, session)
    audit(told).assert_complete()
    calls = [event for event in told if event.type == "llm.response"]
    assert timeline_of(told).summary.model_calls == len(calls)
    assert len(namer.asked) == 1


async def test_a_call_that_fails_to_name_a_session_is_told_too(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, model_attempts=1), title_model=Namer()) as site:
        ana = await site.person()
        session = await ana.session()
        await ana.ask(session, "hello there")
        call = await title_call(site, session)
        told = await told_of(site, session)
    audit(told).assert_complete()
    assert call.success is False
    assert call.lost_tokens > 0, "its provider may have counted it"


async def title_call(site: Running, session: str) -> LlmResponse:
    """The end of the call that names a session, once it is in the log."""
    async with asyncio.timeout(60):
        while True:
            for event in await told_of(site, session):
                if isinstance(event, LlmResponse) and event.source_agent_id == "session_title":
                    return event
            await asyncio.sleep(0.01)


async def test_is16_a_call_that_names_a_session_is_in_the_log_before_it_is_made(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with running(settings_for(tmp_path), title_model=(namer := Namer("Named", gate))) as site:
        ana = await site.person()
        session = await ana.session()
        await ana.ask(session, "hello there")
        async with asyncio.timeout(60):
            while not namer.asked:
                await asyncio.sleep(0.01)
        [asked] = [event for event in await told_of(site, session) if is_title_request(event)]
        gate.set()
        answered = await title_call(site, session)
        assert (answered.call_id, answered.lost_tokens) == (asked.call_id, 0)


async def test_is16_a_call_whose_process_died_is_counted_after_the_next_turn(tmp_path: Path) -> None:
    """With what was reserved for it, once."""
    async with running(settings_for(tmp_path), title_model=Namer("Named")) as site:
        ana = await site.person()
        session = await ana.session()
        await ana.ask(session, "hello there")
        await title_call(site, session)
        dead = LlmRequest(
            session_id=SessionId(session),
            call_id=new_id(),
            path="session_title",
            source_agent_id="session_title",
            provider="rules",
            model="rule-1",
            attempt=1,
            reserved_tokens=700,
            timestamp=SYSTEM_CLOCK.now() - timedelta(minutes=5),
        )
        await site.platform.backends.log.append(session, [dead])
        ends: list[LlmResponse] = []
        for text in ("more", "and more"):
            await ana.ask(session, text)
            async with asyncio.timeout(60):
                while not ends:
                    await asyncio.sleep(0.01)
                    ends = [event for event in await told_of(site, session) if is_end_of(event, dead)]
        assert [end.lost_tokens for end in ends] == [700]


def is_title_request(event: Event) -> TypeGuard[LlmRequest]:
    return isinstance(event, LlmRequest) and event.path == "session_title" and bool(event.reserved_tokens)


def is_end_of(event: Event, request: LlmRequest) -> TypeGuard[LlmResponse]:
    return isinstance(event, LlmResponse) and event.call_id == request.call_id
