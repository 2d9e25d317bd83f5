"""What budgets are charged is what metrics and the log count, also for tries whose answer was lost (F-45, T-23)."""

import pytest
from prometheus_client import CollectorRegistry

from batuta import AgentStep
from batuta.events import FanOutSink, LlmResponse
from batuta.llm.budget import Budget, MemoryBudgetLedger
from batuta.observability.metrics import PrometheusMetrics
from batuta.testing import CapturingSink
from tests.integration.models.stage import Stage

WORDS = "A rather long answer, so that a stream of it has several events to be cut between, each with some words."
BUDGET = Budget(scope="user", id="ana", limit_tokens=1_000_000)


def counted(registry: CollectorRegistry, name: str) -> float:
    """The sum of a metric over all its labels."""
    return sum(sample.value for metric in registry.collect() for sample in metric.samples if sample.name == name)


@pytest.mark.parametrize("times", [2, 9], ids=["answered at last", "never answered"])
async def test_tries_that_broke_off_are_in_the_ledger_the_metrics_and_the_log(
    stage: Stage, streaming: bool, times: int
) -> None:
    fault = {"kind": "reset_mid_stream" if streaming else "connection_reset", "times": times}
    stage.play({"answers": [{"text": WORDS, "fault": {**fault, **({"after_events": 6} if streaming else {})}}]})
    agent = AgentStep(name="teller", model=stage.protected, output=str, is_streaming=streaming)
    ledger, metrics, sink = MemoryBudgetLedger(), PrometheusMetrics(), CapturingSink()

    result = await agent.run("tell", sink=FanOutSink(sink, metrics), budgets=[BUDGET], ledger=ledger)

    assert result.is_error is (times == 9)
    spent = await ledger.spent(BUDGET)
    (response,) = sink.of(LlmResponse)
    answered = response.usage.total if response.usage is not None else 0
    assert response.lost_tokens > 0
    assert spent.tokens == answered + response.lost_tokens == counted(metrics.registry, "step_tokens_total")
    assert spent.money == response.paid
    assert float(response.paid or 0) == pytest.approx(counted(metrics.registry, "llm_cost_usd_total"))


async def test_a_try_that_was_refused_costs_nothing(stage: Stage, streaming: bool) -> None:
    stage.play({"answers": [{"text": WORDS, "fault": {"kind": "overloaded", "times": 2}}]})
    agent = AgentStep(name="teller", model=stage.protected, output=str, is_streaming=streaming)
    ledger, sink = MemoryBudgetLedger(), CapturingSink()

    await agent.run("tell", sink=sink, budgets=[BUDGET], ledger=ledger)

    (response,) = sink.of(LlmResponse)
    assert response.usage is not None
    assert (response.lost_tokens, response.lost_cost) == (0, None)
    assert (await ledger.spent(BUDGET)).tokens == response.usage.total
