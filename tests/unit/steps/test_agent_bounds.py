"""What an agent can cost at most, before anything runs (F-13)."""

from decimal import Decimal

import pytest

from batuta.events.telemetry import AgentDecisionRecorded
from batuta.llm.interceptors import CachedModel, MemoryAnswerCache
from batuta.llm.model import ModelSettings
from batuta.llm.prices import Price, Prices
from batuta.steps.agent import AgentStep
from batuta.steps.correction import AttemptLimits, Corrections
from batuta.testing import Reply, ScriptedModel
from batuta.testing.sinks import CapturingSink


def agent_on(model: object) -> AgentStep[str, str]:
    settings = ModelSettings(max_tokens=1_000)
    return AgentStep(name="write", model=model, output=str, max_attempts=2, settings=settings)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize(
    ("model", "dearest"),
    [
        # Two calls, each with the whole context of 200,000 tokens at its dearest and 1,000 tokens of an answer.
        ("anthropic:claude-haiku-4-5", Decimal("0.51")),
        ("offline:batuta-offline", Decimal(0)),
    ],
)
def test_the_cost_of_an_agent_is_bounded_where_prices_are_known(model: str, dearest: Decimal) -> None:
    bounds = agent_on(model).bounds()
    assert (bounds.cost, bounds.unbounded) == (dearest, ())


def test_a_price_of_ones_own_bounds_it_if_it_says_how_long_a_call_may_be() -> None:
    price = Price(input=Decimal(1), output=Decimal(10), context_tokens=10_000)
    dearest = Prices({"mine": price}).dearest_call("vllm", "mine", 1_000)
    assert dearest == Decimal("0.02")


def test_a_model_without_a_price_is_named() -> None:
    bounds = agent_on("ollama:llama3").bounds()
    assert bounds.cost is None
    assert bounds.unbounded == ("write: the price or the context of its model is not known",)


async def test_a_decision_from_a_cache_says_so() -> None:
    """T-4: which answer was not asked for, and where it was found."""
    cache = MemoryAnswerCache()
    agent = agent_on(CachedModel(ScriptedModel([Reply("words")]), cache))
    facts = []
    for _ in range(2):
        sink = CapturingSink()
        await agent.run("write", sink=sink)
        (decision,) = [event for event in sink.events if isinstance(event, AgentDecisionRecorded)]
        facts.append((decision.was_cached, decision.cache_hit_key))
    assert facts[0] == (False, None)
    assert facts[1][0]
    assert await cache.get(str(facts[1][1])) is not None


def test_feedback_changes_when_an_answer_repeats() -> None:
    """F-22: the same words again would bring the same answer again."""
    corrections = Corrections(AttemptLimits(total=4))
    heard = []
    for answer in ("A", "A", "A", "B"):
        corrections.add("structural", answer, ValueError("no"), 500)
        heard.append(corrections.feedback)
    assert len(set(heard)) == 4
    assert ["same answer 2 times" in heard[1], "same answer 3 times" in heard[2]] == [True, True]
    assert "same answer" not in heard[3]
