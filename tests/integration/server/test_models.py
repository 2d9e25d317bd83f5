"""Which model answers a person and whether it thinks (P-10, P-32), seen by the provider on the wire."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from batuta.llm import factory
from batuta.llm.providers import OFFLINE_MODEL
from batuta.server.config import Settings, load_settings
from batuta.server.team import FirstTeam, first_team
from batuta.simulator import Simulator
from tests.support.demo import KEYS
from tests.support.platform import Person, Running, running, settings_for

FIRST, SECOND = "anthropic:claude-haiku-4-5", "anthropic:claude-sonnet-4-5"


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Simulator]:
    """A provider on this machine, for the models that are named."""
    async with Simulator({"answers": [], "otherwise": "echo"}) as simulator:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", simulator.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        factory.named_model.cache_clear()
        yield simulator
        factory.named_model.cache_clear()


def team_on(models: str, folder: Path) -> FirstTeam:
    """The platform's own team, as `batuta serve` builds it."""
    return first_team(load_settings({"BATUTA_MODEL": models}, data_dir=folder))


@pytest.fixture
async def site(provider: Simulator, settings: Settings) -> AsyncIterator[Running]:
    """In each mode: on PostgreSQL the worker sees only the rows of the person it works for."""
    async with (
        team_on(f"{FIRST}, {SECOND}", settings.data_dir) as team,
        running(settings, team=team.orchestrator, models=team.model.choices) as found,
    ):
        yield found


async def asked(provider: Simulator, ana: Person, **fields: Any) -> list[dict[str, Any]]:
    """What the provider was sent for one message."""
    before = len(provider.requests)
    await ana.ask(await ana.session(), "hello", **fields)
    sent = provider.requests[before:]
    assert sent
    assert [exchange.problems for exchange in sent] == [[]] * len(sent)
    return [exchange.body for exchange in sent]


def budgets(bodies: list[dict[str, Any]]) -> set[int | None]:
    return {body.get("thinking", {}).get("budget_tokens") for body in bodies}


async def test_the_switch_of_a_message_reaches_every_model_call_of_its_turn(site: Running, provider: Simulator) -> None:
    """On, the supervisor thinks as its role says or as much as the message says; off, nobody does."""
    ana = await site.person()
    assert budgets(await asked(provider, ana, enable_thinking=True)) == {5_000}
    assert budgets(await asked(provider, ana, enable_thinking=True, thinking_budget=2_000)) == {2_000}
    assert budgets(await asked(provider, ana, thinking_budget=2_000)) == {2_000}
    assert budgets(await asked(provider, ana, enable_thinking=False)) == {None}
    assert budgets(await asked(provider, ana, enable_thinking=True, thinking_budget=0)) == {None}


async def test_the_preference_stands_for_messages_that_say_nothing(site: Running, provider: Simulator) -> None:
    ana = await site.person()
    assert budgets(await asked(provider, ana)) == {None}
    await ana.http.patch("/api/settings", json={"enable_thinking": True})
    assert budgets(await asked(provider, ana)) == {5_000}
    assert budgets(await asked(provider, ana, enable_thinking=False)) == {None}


async def test_a_specialist_thinks_too_where_its_provider_lets_it(site: Running, provider: Simulator) -> None:
    """Its first call must use a tool, which Anthropic does not combine with thoughts; no call breaks a rule."""
    ana = await site.person()
    bodies = await asked(provider, ana, enable_thinking=True, target_agent_id="calculator_agent")
    forced = [body.get("tool_choice") == {"type": "any"} for body in bodies]
    assert forced[0]
    assert "thinking" not in bodies[0]


async def test_the_built_in_model_does_not_mind_the_switch(tmp_path: Path) -> None:
    async with (
        team_on(OFFLINE_MODEL, tmp_path) as team,
        running(settings_for(tmp_path), team=team.orchestrator, models=team.model.choices) as site,
    ):
        ana = await site.person()
        events = await ana.ask(await ana.session(), "hello", enable_thinking=True, thinking_budget=2_000)
        assert [event["status"] for event in events if event["type"] == "complete"] == ["success"]
        assert (await ana.http.get("/api/agents")).json()["models"] == []


async def test_a_person_s_turns_run_on_the_model_they_chose(site: Running, provider: Simulator) -> None:
    """The provider is asked for it, and the usage names it; others keep the default."""
    ana, bob = await site.person(), await site.person("bob@example.com")
    assert (await ana.http.get("/api/agents")).json()["models"] == [FIRST, SECOND]
    changed = await ana.http.patch("/api/settings", json={"model": SECOND})
    assert changed.json()["model"] == SECOND
    assert {body["model"] for body in await asked(provider, ana)} == {SECOND.partition(":")[2]}
    assert {body["model"] for body in await asked(provider, bob)} == {FIRST.partition(":")[2]}
    session = await ana.session()
    await ana.ask(session, "hello")
    used = (await ana.http.get(f"/api/sessions/{session}/usage")).json()
    assert [share["model"] for share in used["by_model"]] == [SECOND.partition(":")[2]]
    await ana.http.patch("/api/settings", json={"model": None})
    assert {body["model"] for body in await asked(provider, ana)} == {FIRST.partition(":")[2]}


async def test_a_model_that_is_not_offered_is_refused_by_name(site: Running) -> None:
    ana = await site.person()
    refused = await ana.http.patch("/api/settings", json={"model": "anthropic:claude-opus-4-1"})
    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {"field": "model", "message": f"it is not offered here; choose from {FIRST}, {SECOND}"}
    ]


async def test_a_choice_that_is_offered_no_more_falls_back_to_the_default(provider: Simulator, tmp_path: Path) -> None:
    async with (
        team_on(f"{FIRST},{SECOND}", tmp_path) as both,
        running(settings_for(tmp_path), team=both.orchestrator, models=both.model.choices) as site,
    ):
        ana = await site.person()
        assert (await ana.http.patch("/api/settings", json={"model": SECOND})).status_code == 200
        cookies, me = dict(ana.http.cookies), ana.me
    async with (
        team_on(FIRST, tmp_path) as one,
        running(settings_for(tmp_path), team=one.orchestrator, models=one.model.choices) as site,
    ):
        ana = site.stranger()
        for name, value in cookies.items():
            ana.http.cookies.set(name, value, domain="127.0.0.1")
        ana.be(me)
        assert {body["model"] for body in await asked(provider, ana)} == {FIRST.partition(":")[2]}


@pytest.mark.parametrize(
    ("model", "variables"),
    [
        ("claude-sonnet-4-6", {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": "{url}"}),
        ("gpt-5.2", {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "{url}/v1"}),
        ("gemini-2.5-flash", {"GOOGLE_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "{url}"}),
    ],
    ids=["anthropic", "openai", "google"],
)
async def test_a_key_alone_puts_the_team_on_a_model_of_its_provider(
    model: str, variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool is called and its answer told, over the provider's own wire, without breaking one of its rules."""
    call = {"type": "tool_call", "name": "calculate", "arguments": {"expression": "6 * 7"}}
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    async with Simulator({"answers": [{"blocks": [call]}, "It is 42."], "otherwise": "fail"}) as provider:
        for name, value in variables.items():
            monkeypatch.setenv(name, value.format(url=provider.url))
        factory.named_model.cache_clear()
        async with (
            first_team(load_settings({}, data_dir=tmp_path)) as team,
            running(settings_for(tmp_path), team=team.orchestrator) as site,
        ):
            assert not team.model.is_offline
            ana = await site.person()
            told = await ana.ask(await ana.session(), "What is six times seven?", target_agent_id="calculator_agent")
        provider.assert_finished()
        factory.named_model.cache_clear()
    assert [(seen.model, seen.problems) for seen in provider.requests] == [(model, [])] * 2
    assert [event["status"] for event in told if event["type"] == "complete"] == ["success"]
    assert [event["content"] for event in told if event["type"] == "message"][-1] == "It is 42."
    assert [(each["success"], "42" in each["content"]) for each in told if each["type"] == "tool_result"] == [
        (True, True)
    ]
