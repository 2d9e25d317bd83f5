"""When the provider or the attempts are exhausted: retries, the fallback, and what it must not get around."""

from collections.abc import Callable
from typing import Any

import pytest

from batuta import AgentStep, Context, step
from batuta.events import AgentFallbackTriggered
from batuta.kernel.errors import (
    BudgetExceededError,
    ContentRefusedError,
    ProviderRejectedError,
    ProviderUnavailableError,
)
from batuta.llm.budget import Budget
from batuta.llm.interceptors import CachedModel, MemoryAnswerCache
from batuta.llm.model import Model
from batuta.llm.resilient import Protection, ResilientModel
from batuta.resilience.retry import NO_RETRY, fixed_delay
from batuta.testing import CapturingSink, FakeClock, Reply, ScriptedModel, ToolCall
from batuta.tools import tool
from tests.unit.steps.adders import GOOD, Sum, adder


async def test_a_refusal_of_the_provider_is_returned_at_once() -> None:
    model = ScriptedModel([Reply("I cannot help with that.", stop_reason="refused"), GOOD])
    result = await adder(model).run("x")
    assert isinstance(result.error.exception, ContentRefusedError)
    assert len(model.requests) == 1


async def test_transient_errors_are_retried_and_counted() -> None:
    """F-71, F-83: retries are not attempts."""
    clock = FakeClock()
    model = ScriptedModel([ProviderUnavailableError("503"), GOOD])
    result = await adder(model).run("x", clock=clock)
    assert result.value.total == 3
    assert (result.metrics.retries, result.metrics.attempts) == (1, 1)
    assert clock.sleeps


async def test_a_fallback_stands_in_when_the_provider_is_exhausted() -> None:
    """F-28: the result says that it was used and at what confidence."""

    @step
    async def by_hand(text: str) -> Sum:
        return Sum(total=3, confidence=0.6)

    model = ScriptedModel([ProviderUnavailableError("503")] * 3)
    protection = Protection(retry=fixed_delay(max_attempts=3), breaker=None, clock=FakeClock())
    result = await adder(model, fallback=by_hand).run("1 + 2", protection=protection)
    assert result.value.total == 3
    (used,) = result.metrics.fallbacks
    assert (used.step, used.confidence) == ("by_hand", 0.6)


@pytest.mark.parametrize(
    ("effect", "does_reach_it", "payments"),
    [("write", True, 1), ("write", False, 1), ("idempotent", True, 2), ("read", True, 2)],
)
async def test_a_fallback_does_not_begin_anew_after_a_write(effect: Any, does_reach_it: bool, payments: int) -> None:
    """F-28: what was written, or may have been, is not written again; the error says why nobody stands in."""
    paid: list[int] = []

    @tool(effect=effect)
    async def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        if not does_reach_it:
            raise ConnectionResetError("nobody knows whether it was paid")
        return "paid"

    call, gone = Reply(tool_calls=[ToolCall("pay", {"amount": 1})]), ProviderUnavailableError("503", status=503)
    other = AgentStep(name="other", model=ScriptedModel([call, Reply("done")]), output=str, tools=[pay])
    first = AgentStep(name="first", model=ScriptedModel([call, gone]), output=str, tools=[pay], fallback=other)
    sink = CapturingSink()
    result = await first.run("pay once", protection=Protection(retry=NO_RETRY, breaker=None), sink=sink)
    assert len(paid) == payments
    assert result.is_error == (payments == 1)
    assert len(sink.of(AgentFallbackTriggered)) == payments - 1
    if result.is_error:
        assert (result.error.exception is gone) == does_reach_it
        expected = "503; other does not stand in, because something was written" if does_reach_it else "is unknown"
        assert expected in result.error.message


async def test_when_the_fallback_fails_too_the_first_error_stands() -> None:
    @step
    async def broken(text: str) -> Sum:
        raise ValueError("also broken")

    result = await adder(ScriptedModel([Reply("no")] * 3), fallback=broken).run("x")
    assert result.error.last_answer == "no"


async def test_a_logical_error_does_not_call_the_fallback() -> None:
    @step
    async def by_hand(text: str) -> Sum:
        return Sum(total=3)

    async def broken(value: Sum, ctx: Context) -> None:
        raise KeyError("bug")

    result = await adder(ScriptedModel([GOOD]), validate=broken, fallback=by_hand).run("x")
    assert result.is_error


@pytest.mark.parametrize(
    ("model", "options", "error"),
    [
        (ScriptedModel([Reply("No.", stop_reason="refused")]), {}, ContentRefusedError),
        (ScriptedModel([]), {"budgets": [Budget(scope="run", id="r", limit_tokens=1)]}, BudgetExceededError),
        (ScriptedModel([ProviderRejectedError("401")]), {}, ProviderRejectedError),
    ],
)
async def test_a_fallback_gets_around_no_decision(model: Model, options: Any, error: type[Exception]) -> None:
    """F-28, F-47, F-70: a refusal and a budget that is used up are returned at once."""
    asked: list[str] = []

    @step
    async def by_hand(text: str) -> Sum:
        asked.append(text)
        return Sum(total=3)

    sink = CapturingSink()
    agent = AgentStep(name="add", model=model, output=Sum, fallback=by_hand)
    result = await agent.run("x", sink=sink, **options)
    assert isinstance(result.error.exception, error)
    assert not asked
    assert not sink.of(AgentFallbackTriggered)


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: CachedModel(model, MemoryAnswerCache())])
async def test_a_protected_model_waits_between_tries_by_the_clock_of_the_run(wrap: Callable[[Model], Model]) -> None:
    """No second of real time passes, whatever is wrapped around it."""
    clock = FakeClock()
    script = ScriptedModel([ProviderUnavailableError("busy", status=503), Reply("well")])
    agent = AgentStep(name="ask", model=wrap(ResilientModel(script)), output=str)
    assert (await agent.run("x", clock=clock)).value == "well"
    assert len(clock.sleeps) == 1
