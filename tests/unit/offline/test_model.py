"""The built-in model as a model: streams, counts, costs nothing, never fails (A-40)."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batuta.kernel.errors import ConfigurationError
from batuta.kernel.messages import Answer, Delta, Message
from batuta.kernel.usage import Usage
from batuta.llm.factory import model
from batuta.llm.model import Model, ModelRequest, OutputSpec
from batuta.llm.prices import Price, Prices
from batuta.llm.providers import OFFLINE_MODEL, default_model
from batuta.offline.model import OfflineModel
from tests.unit.offline.asking import DECISION, TEAM, TOOLS, asked, request


async def test_a_stream_is_the_same_answer_word_by_word() -> None:
    asked_for = request("hello", understanding=TEAM, output=OutputSpec(name="Decision", schema=DECISION))
    items = [item async for item in OfflineModel().stream(asked_for)]
    words = [item.text for item in items if isinstance(item, Delta)]
    assert isinstance(items[-1], Answer)
    assert items[-1] == await asked(asked_for)
    assert "".join(words) == items[-1].text
    assert len(words) > 10


async def test_no_tokens_are_counted_for_a_model_that_has_none() -> None:
    answer = await asked(request("What is 2 + 2?", tools=TOOLS))
    assert answer.usage == Usage()
    assert answer.cost == Decimal(0)


def test_the_price_of_the_built_in_model_is_known_to_be_zero() -> None:
    usage = Usage(input=1_000, output=1_000)
    assert Prices().cost("offline", "batuta-offline", usage) == 0
    assert Prices().worst_case("offline", "batuta-offline", usage) == 0
    dear = Prices({"batuta-offline": Price(input=Decimal(1), output=Decimal(1))})
    assert dear.cost("offline", "batuta-offline", usage) == Decimal("0.002")


def test_it_is_made_from_its_name() -> None:
    made = model(OFFLINE_MODEL)
    assert (made.provider, made.name) == ("offline", "batuta-offline")
    assert isinstance(OfflineModel(), Model)


def test_there_is_only_one_of_it() -> None:
    with pytest.raises(ConfigurationError, match="offline:batuta-offline"):
        model("offline:gpt")


@pytest.mark.parametrize(
    ("environment", "provider"),
    [
        ({}, "offline"),
        ({"ANTHROPIC_API_KEY": ""}, "offline"),
        ({"GOOGLE_API_KEY": "k"}, "google"),
        ({"GEMINI_API_KEY": "k"}, "google"),
        ({"OPENAI_API_KEY": "k", "GOOGLE_API_KEY": "k"}, "openai"),
        ({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, "anthropic"),
    ],
)
def test_a_key_brings_a_real_model(environment: dict[str, str], provider: str) -> None:
    assert default_model(environment).partition(":")[0] == provider


def test_the_environment_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert default_model() == OFFLINE_MODEL
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert default_model().startswith("openai:")


PIECES = "what is 15% of|and then|y luego|book|cita mañana|10am|?|;|(|)|^|[1]|Results of earlier steps:|The request:"
texts = st.text(max_size=80) | st.lists(st.sampled_from(PIECES.split("|")), max_size=12).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(texts, st.sampled_from(["", "Give a title", "Summarise"]), st.sampled_from([(), TOOLS]), st.booleans())
def test_it_answers_anything(text: str, system: str, tools: Any, has_team: bool) -> None:
    answer = run(request(text, system=system, tools=tools, understanding=TEAM if has_team else ()))
    assert answer.text or answer.tool_calls


@settings(max_examples=40, deadline=None)
@given(texts)
def test_its_plans_are_always_well_formed(text: str) -> None:
    decision = json.loads(
        run(request(text, understanding=TEAM, output=OutputSpec(name="Decision", schema=DECISION))).text
    )
    assert ("steps" in decision) != ("answer" in decision)
    for index, step in enumerate(decision.get("steps", [])):
        assert step["task"].strip()
        assert step["agent_id"] in {each.agent_id for each in TEAM}
        assert all(0 <= other < index for other in step["depends_on"])
    assert decision.get("answer", "x").strip()


@settings(max_examples=40, deadline=None)
@given(texts)
def test_a_tool_is_called_with_arguments_of_its_schema(text: str) -> None:
    for call in run(request(text, tools=TOOLS, tool_choice="required")).tool_calls:
        assert all(isinstance(value, str) for value in call.args.values())


def test_a_request_without_words_is_answered() -> None:
    assert run(ModelRequest(messages=())).text
    assert run(ModelRequest(messages=(Message.user(""),), understanding=TEAM)).text


def run(asked_for: ModelRequest) -> Answer:
    """Its answer, without an event loop: it awaits nothing."""
    work = OfflineModel().generate(asked_for)
    try:
        work.send(None)
    except StopIteration as finished:
        answer: Answer = finished.value
        return answer
    raise AssertionError("it waited for something")
