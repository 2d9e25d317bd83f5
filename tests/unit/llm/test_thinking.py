"""A run's wish to think reaches the calls that can take it, in a form that their providers take."""

from dataclasses import replace

import pytest

from batuta import AgentStep, ModelSettings
from batuta.kernel.errors import SettingsError
from batuta.llm.model import ModelRequest, ToolSpec
from batuta.llm.settings import Dialect, check_settings
from batuta.llm.thinking import DEFAULT_BUDGET_TOKENS, ThinkingModel, ThinkingOptions, can_think
from tests.unit.llm.doubles import PlayedModel, answer, request

ON, OFF = ThinkingOptions(is_on=True), ThinkingOptions(is_on=False)
DIALECTS: tuple[Dialect, ...] = ("anthropic", "openai_chat", "openai_responses", "google")


SONNET = "claude-sonnet-4-5"


async def sent(thinking: ThinkingOptions, given: ModelRequest, *, model: str = SONNET) -> ModelRequest:
    """What the model inside is asked, whole and streamed."""
    played = PlayedModel([answer("yes"), answer("yes")], name=model)
    wrapped = ThinkingModel(played, thinking)
    await wrapped.generate(given)
    _ = [item async for item in wrapped.stream(given)]
    assert played.requests[0] == played.requests[1]
    return played.requests[0]


async def test_an_agent_without_a_budget_gets_one_and_keeps_the_room_for_its_answer() -> None:
    settings = (await sent(ON, request(temperature=0.3, top_p=0.5, max_tokens=4_096))).settings
    assert settings == ModelSettings(thinking_budget_tokens=DEFAULT_BUDGET_TOKENS, max_tokens=4_096 + 4_000)


async def test_a_declared_budget_stands_unless_another_is_wished_for() -> None:
    declared = request(thinking_budget_tokens=5_000, max_tokens=16_000)
    assert await sent(ON, declared) == declared
    more = (await sent(ThinkingOptions(is_on=True, budget_tokens=9_000), declared)).settings
    assert (more.thinking_budget_tokens, more.max_tokens) == (9_000, 20_000)
    less = (await sent(ThinkingOptions(is_on=True, budget_tokens=10), declared)).settings
    assert (less.thinking_budget_tokens, less.max_tokens) == (1_024, 16_000)


async def test_off_takes_away_what_agents_declare() -> None:
    declared = request(thinking_budget_tokens=5_000, max_tokens=16_000)
    assert (await sent(OFF, declared)).settings == ModelSettings(max_tokens=16_000)
    plain = request(temperature=0.3)
    assert await sent(OFF, plain) == plain


async def test_a_model_that_cannot_think_and_a_call_that_must_use_a_tool_do_not() -> None:
    plain = request(temperature=0.3)
    assert await sent(ON, plain, model="gpt-4.1") == plain
    forced = replace(plain, tools=(ToolSpec(name="t", description="", schema={}),), tool_choice="required")
    assert await sent(ON, forced) == forced


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_is_sent_is_what_every_provider_takes(dialect: Dialect) -> None:
    check_settings(dialect, await sent(ON, request(temperature=0.3, top_p=0.5, max_tokens=64)))


@pytest.mark.parametrize(
    ("name", "can"),
    [
        ("claude-3-5-haiku-latest", False),
        ("claude-3-7-sonnet-latest", True),
        ("claude-opus-4-1", True),
        ("claude-2.1", False),
        ("anthropic/claude-sonnet-4-5", True),
        ("gpt-4.1", False),
        ("gpt-5.2", True),
        ("gpt-5-chat-latest", False),
        ("o3", True),
        ("o4-mini", True),
        ("openai/gpt-oss-120b", True),
        ("gemini-2.0-flash", False),
        ("gemini-2.5-flash", True),
        ("gemini-3-pro-preview", True),
        ("mistral-large-latest", False),
        ("batuta-offline", False),
    ],
)
def test_which_models_can_think_is_known_by_name(name: str, can: bool) -> None:
    assert can_think(PlayedModel([], name=name)) is can


async def test_a_run_hands_its_wish_to_its_agents() -> None:
    played = PlayedModel([answer("yes"), answer("yes")], name=SONNET)
    agent = AgentStep(name="a", model=played, output=str)
    await agent.run("hi", thinking=ON)
    await agent.run("hi")
    budgets = [asked.settings.thinking_budget_tokens for asked in played.requests]
    assert budgets == [DEFAULT_BUDGET_TOKENS, None]


def test_a_budget_that_makes_no_sense_is_refused_where_it_is_written() -> None:
    with pytest.raises(SettingsError, match="budget_tokens"):
        ThinkingOptions(is_on=True, budget_tokens=0)
