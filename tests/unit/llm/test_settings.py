"""Settings are refused before the call, with the reason (F-42)."""

from datetime import timedelta
from typing import Any, get_args

import pytest

from batuta.kernel.errors import SettingsError
from batuta.llm.model import ModelRequest, ModelSettings, ToolSpec
from batuta.llm.settings import RULES, Dialect, check_settings
from tests.unit.llm.doubles import request

TOOL = ToolSpec(name="find", description="", schema={"type": "object"})
ANY = get_args(Dialect)


def with_tools(choice: str = "required", **settings: Any) -> ModelRequest:
    asked = request(**settings)
    return ModelRequest(messages=asked.messages, settings=asked.settings, tools=(TOOL,), tool_choice=choice)  # type: ignore[arg-type]


CASES = [
    (
        "anthropic",
        request(thinking_budget_tokens=2_000, temperature=0.3),
        "temperature .* must be absent when thinking",
    ),
    ("anthropic", request(thinking_budget_tokens=2_000, max_tokens=2_000), r"max_tokens \(2000\) must exceed"),
    ("anthropic", with_tools(thinking_budget_tokens=2_000), "'required' and thinking do not go together"),
    ("anthropic", request(thinking_budget_tokens=100), "at least 1024"),
    ("anthropic", request(thinking_budget_tokens=2_000, top_p=0.5), "top_p must be at least 0.95"),
    ("anthropic", request(temperature=1.5), "temperature must be between 0 and 1"),
    ("anthropic", request(seed=3), "seed is not known"),
    ("openai_chat", request(temperature=2.5), "between 0 and 2"),
    ("openai_chat", request(stop=("a", "b", "c", "d", "e")), "at most 4"),
    ("openai_responses", request(stop=("a",)), "stop is not known"),
    ("openai_responses", request(max_tokens=5), "at least 16"),
    ("openai_responses", request(seed=1), "seed is not known"),
    ("google", request(temperature=2.1), "between 0 and 2"),
    ("google", request(stop=tuple("abcdef")), "at most 5"),
    *((dialect, ModelRequest(messages=()), "messages must not be empty") for dialect in ANY),
    *((dialect, request(thinking_budget_tokens=5_000, max_tokens=4_000), "must exceed") for dialect in ANY),
]


@pytest.mark.parametrize(("dialect", "asked", "reason"), CASES)
def test_what_a_provider_would_refuse_is_refused_before(dialect: Dialect, asked: ModelRequest, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        check_settings(dialect, asked)


@pytest.mark.parametrize("dialect", ANY)
def test_a_forced_tool_needs_tools(dialect: Dialect) -> None:
    asked = request()
    with pytest.raises(SettingsError, match="no tools"):
        check_settings(dialect, ModelRequest(messages=asked.messages, tool_choice="required"))


@pytest.mark.parametrize("dialect", ANY)
def test_plain_requests_and_forced_tools_pass(dialect: Dialect) -> None:
    check_settings(dialect, request(temperature=0.5, max_tokens=100, top_p=0.9))
    check_settings(dialect, with_tools())


def test_thinking_with_room_passes() -> None:
    check_settings("anthropic", with_tools("auto", thinking_budget_tokens=2_000, max_tokens=4_000))


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(SettingsError, match=r"temperature.*;.*at least 1024"):
        check_settings("anthropic", request(thinking_budget_tokens=100, temperature=0.2))


def test_every_dialect_has_rules() -> None:
    assert set(RULES) == set(ANY)


def test_the_defaults_of_the_settings_pass_everywhere() -> None:
    for dialect in ANY:
        check_settings(dialect, ModelRequest(messages=request().messages, settings=ModelSettings()))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_tokens", 0),
        ("max_tokens", 1.5),
        ("max_tokens", True),
        ("thinking_budget_tokens", -1),
        ("temperature", -0.1),
        ("temperature", float("nan")),
        ("temperature", "hot"),
        ("top_p", 1.2),
        ("timeout", timedelta(0)),
        ("timeout", 30),
    ],
)
def test_a_setting_that_no_provider_could_take_is_refused_where_it_is_written(setting: str, value: object) -> None:
    with pytest.raises(SettingsError, match=f"^{setting} is "):
        ModelSettings(**{setting: value})  # type: ignore[arg-type]


def test_the_ends_of_a_range_belong_to_it() -> None:
    settings = ModelSettings(max_tokens=1, thinking_budget_tokens=1, temperature=0, top_p=1)
    assert (settings.temperature, settings.top_p) == (0, 1)
    assert ModelSettings(top_p=0.0).top_p == 0
