"""Scenario files: what the simulated provider answers, and when.

    name: refund with one hiccup
    seed: 7                               # ids, signatures and varied chunk sizes derive from it
    pace: {chunk_chars: 8, delay_ms: 20}
    rules:                                # tried first, in order; the first that matches answers
      - when: {last_user: "(?i)weather", tools: [get_weather]}
        answer: {blocks: [{type: tool_call, name: get_weather, arguments: {city: Oslo}}]}
    answers:                              # the script: played in order, each once
      - blocks:
          - {type: thinking, text: "Look the order up first."}
          - {type: tool_call, name: find_order, arguments: {number: "A-1"}}
        fault: {kind: overloaded, times: 2}
      - Your refund is on its way.        # a bare string is a text block
    otherwise: echo                       # when the script is over: echo | repeat | fail

The same file plays over all four wire formats. The models of :mod:`batuta.simulator.answers` are the whole grammar.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from batuta.simulator.answers import AnswerPart, Pace, PlannedAnswer, Provider
from batuta.simulator.wire.asked import WireRequest


class ScenarioError(ValueError):
    """A scenario cannot be read; the message says where and why."""


class RequestCondition(AnswerPart):
    """Conditions on a request; all that are given must hold. Names take ``*`` and ``?``, ``last_user`` is a regex."""

    provider: Provider | None = None
    model: str | None = None
    last_user: str | None = None
    tool_result: bool | str | None = None
    tools: tuple[str, ...] = ()

    @field_validator("last_user")
    @classmethod
    def _is_a_regex(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                re.compile(value)
            except re.error as error:
                raise ValueError(f"not a regular expression: {error}") from error
        return value

    def matches(self, asked: WireRequest) -> bool:
        return (
            self.provider in (None, asked.provider)
            and (self.model is None or fnmatchcase(asked.model, self.model))
            and (self.last_user is None or re.search(self.last_user, asked.last_user_text) is not None)
            and self._matches_result(asked)
            and all(any(fnmatchcase(tool.name, name) for tool in asked.tools) for name in self.tools)
        )

    def _matches_result(self, asked: WireRequest) -> bool:
        if self.tool_result is None:
            return True
        if isinstance(self.tool_result, bool):
            return self.tool_result == bool(asked.tool_results)
        return any(fnmatchcase(result.name, self.tool_result) for result in asked.tool_results)


class ScenarioRule(AnswerPart):
    """An answer given whenever its conditions hold, at most ``times`` times if that is set."""

    when: RequestCondition
    answer: PlannedAnswer
    times: int | None = Field(default=None, ge=1)


class Scenario(AnswerPart):
    name: str = "unnamed"
    seed: int = 0
    pace: Pace = Pace()
    rules: tuple[ScenarioRule, ...] = ()
    answers: tuple[PlannedAnswer, ...] = ()
    otherwise: Literal["echo", "repeat", "fail"] = "echo"
    check_requests: bool = True


def parse_scenario(data: Mapping[str, Any]) -> Scenario:
    """Read a scenario from plain data.

    Raises:
        ScenarioError: the data does not follow the format.
    """
    try:
        return Scenario.model_validate(dict(data))
    except ValidationError as error:
        raise ScenarioError(_explain(error)) from error


def load_scenario(path: Path | str) -> Scenario:
    """Read a scenario file, YAML or JSON.

    Raises:
        ScenarioError: the file is missing, is not YAML, or does not follow the format.
    """
    try:
        data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ScenarioError(f"cannot read scenario {path}: {error}") from error
    if not isinstance(data, Mapping):
        raise ScenarioError(f"scenario {path} must be a mapping with keys such as 'answers' and 'rules'")
    try:
        return parse_scenario(data)
    except ScenarioError as error:
        raise ScenarioError(f"scenario {path}: {error}") from error


def _explain(error: ValidationError) -> str:
    places = (".".join(map(str, item["loc"])) + ": " + item["msg"] for item in error.errors(include_url=False))
    return "; ".join(places)
