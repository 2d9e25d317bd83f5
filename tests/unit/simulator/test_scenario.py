"""Scenario files: what they may say, and how a mistake in one is reported."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from batuta.simulator import Scenario, ScenarioError, load_scenario, parse_scenario
from batuta.simulator.faults import FAULTS
from batuta.simulator.scenario import RequestCondition
from batuta.simulator.wire.asked import OfferedTool, ToolResult, WireRequest

YAML = """
name: refund
seed: 7
pace: {chunk_chars: 8, vary: true}
rules:
  - when: {last_user: "(?i)weather", tools: [get_weather]}
    answer: {blocks: [{type: tool_call, name: get_weather, arguments: {city: Oslo}}]}
answers:
  - blocks:
      - {type: thinking, text: Look it up.}
      - {type: tool_call, name: find_order, arguments: {number: A-1}}
    fault: {kind: overloaded, times: 2}
  - Your refund is on its way.
otherwise: fail
"""


def test_a_yaml_file_is_read(tmp_path: Path) -> None:
    """F-46"""
    path = tmp_path / "refund.yaml"
    path.write_text(YAML, encoding="utf-8")

    scenario = load_scenario(path)

    assert (scenario.name, scenario.seed, scenario.otherwise) == ("refund", 7, "fail")
    assert [block.type for block in scenario.answers[0].blocks] == ["thinking", "tool_call"]


def test_a_json_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "hello.json"
    path.write_text(json.dumps({"answers": ["Hello"]}), encoding="utf-8")

    assert load_scenario(path) == parse_scenario({"answers": ["Hello"]})


def test_a_bare_string_is_a_text_answer() -> None:
    scenario = parse_scenario({"answers": ["Hello", {"text": "Bye", "stop": "max_tokens"}]})

    assert scenario.answers[0].blocks[0].model_dump()["text"] == "Hello"
    assert scenario.answers[1].stop == "max_tokens"


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"answer": ["misspelt"]}, "answer: Extra inputs"),
        ({"answers": [{"blocks": [{"type": "song"}]}]}, "answers.0.blocks.0"),
        ({"answers": [{"fault": {"kind": "gremlins"}}]}, "answers.0.fault.kind"),
        ({"answers": [{"blocks": [{"type": "tool_call"}]}]}, "answers.0.blocks.0.tool_call.name"),
        ({"rules": [{"when": {"last_user": "("}, "answer": "x"}]}, "not a regular expression"),
        ({"answers": [{"text": "x", "usage": {"input": 1, "output": 1, "cached": 5}}]}, "cached + cache_write exceed"),
        ({"answers": [{"text": "x", "usage": {"input": 1, "output": 1, "reasoning": 5}}]}, "reasoning exceeds output"),
    ],
)
def test_a_mistake_is_reported_with_its_place(data: dict[str, Any], place: str) -> None:
    with pytest.raises(ScenarioError, match=r".*") as caught:
        parse_scenario(data)

    assert place in str(caught.value)


def test_a_missing_file_is_reported_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"nowhere\.yaml"):
        load_scenario(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("content", ["- just\n- a list", "answers: [", "answers: [{fault: {kind: x}}]"])
def test_an_unusable_file_is_reported_with_its_path(tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(ScenarioError, match=r"broken\.yaml"):
        load_scenario(path)


def test_a_scenario_survives_being_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "refund.yaml"
    path.write_text(YAML, encoding="utf-8")
    scenario = load_scenario(path)

    assert Scenario.model_validate(scenario.model_dump(mode="json", by_alias=True)) == scenario


ASKED = WireRequest(
    provider="anthropic",
    model="claude-sonnet-5",
    body={},
    last_user_text="What is the weather in Oslo?",
    tools=(OfferedTool(name="get_weather", parameters={}), OfferedTool(name="add", parameters={})),
    tool_results=(ToolResult(name="add", text="3"),),
)


@pytest.mark.parametrize(
    "when",
    [
        {},
        {"provider": "anthropic"},
        {"model": "claude-*"},
        {"last_user": "weather in \\w+"},
        {"tools": ["get_*", "add"]},
        {"tool_result": True},
        {"tool_result": "a*"},
        {"model": "claude-*", "last_user": "Oslo", "tool_result": "add"},
    ],
)
def test_a_rule_matches_when_all_its_conditions_hold(when: dict[str, Any]) -> None:
    assert RequestCondition.model_validate(when).matches(ASKED)


@pytest.mark.parametrize(
    "when",
    [
        {"provider": "google"},
        {"model": "gpt-*"},
        {"last_user": "^weather"},
        {"tools": ["get_weather", "sub"]},
        {"tool_result": False},
        {"tool_result": "get_weather"},
        {"model": "claude-*", "last_user": "Bergen"},
    ],
)
def test_a_rule_does_not_match_when_one_condition_fails(when: dict[str, Any]) -> None:
    assert not RequestCondition.model_validate(when).matches(ASKED)


GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "simulator.md"


@pytest.mark.parametrize("example", re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL))
def test_the_examples_of_the_guide_are_scenarios(tmp_path: Path, example: str) -> None:
    path = tmp_path / "example.yaml"
    path.write_text(example, encoding="utf-8")

    assert load_scenario(path).answers


def test_the_guide_names_every_fault() -> None:
    guide = GUIDE.read_text(encoding="utf-8")

    assert [kind for kind in FAULTS if f"`{kind}`" not in guide] == []
