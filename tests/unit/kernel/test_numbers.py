"""A number that makes no sense is refused where it is written."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from batuta.conversations import ConversationManager, Summarizer
from batuta.conversations.stores.memory import MemoryConversationStore
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.numbers import check_duration, check_number
from batuta.llm.budget import Budget
from batuta.llm.interceptors import MemoryAnswerCache
from batuta.llm.prices import Price
from batuta.llm.roles import ModelRole, ModelRoles
from batuta.resilience.circuit_breaker import BreakerSettings
from batuta.resilience.rate_limiter import RateLimiter
from batuta.resilience.retry import exponential_backoff
from batuta.testing import ScriptedModel
from batuta.tools import tool


def manager(**limits: Any) -> ConversationManager:
    return ConversationManager(store=MemoryConversationStore(), **limits)


def summarizer(**limits: Any) -> Summarizer:
    return Summarizer(model=ScriptedModel([]), **limits)


def budget(**limits: Any) -> Budget:
    return Budget(scope="run", id="r", **limits)


def price(**prices: Any) -> Price:
    return Price(**{"input": Decimal(1), "output": Decimal(1), **prices})


def declared_tool(**options: Any) -> object:
    @tool(**options)
    async def look() -> str:
        """Look."""
        return ""

    return look


def role(**changes: Any) -> ModelRoles:
    return ModelRoles(changes={"router": changes})


NO_TIME, LESS = timedelta(0), timedelta(seconds=-1)


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (BreakerSettings, "failures_to_open", 0),
        (BreakerSettings, "trials", 0),
        (BreakerSettings, "open_for", NO_TIME),
        (RateLimiter, "max_wait", LESS),
        (exponential_backoff, "max_delay", LESS),
        (exponential_backoff, "factor", float("nan")),
        (budget, "limit_tokens", -1),
        (budget, "limit_money", Decimal("-0.01")),
        (budget, "limit_money", "5"),
        (price, "output", Decimal(-1)),
        (price, "cache_read", Decimal(-1)),
        (MemoryAnswerCache, "limit", 0),
        (summarizer, "every", 0),
        (summarizer, "target_tokens", 0),
        (summarizer, "keep_first", -1),
        (summarizer, "keep_recent", -1),
        (manager, "max_active", 0),
        (manager, "idle_before_archive", NO_TIME),
        (declared_tool, "timeout", 0),
        (declared_tool, "max_concurrency", 0),
        (declared_tool, "max_argument_bytes", 0),
        (declared_tool, "max_result_chars", -5),
        (role, "max_tokens", 0),
        (role, "temperature", -1),
        (role, "model", "nonsense"),
    ],
)
def test_nonsense_is_refused_where_it_is_written(make: Callable[..., object], name: str, value: object) -> None:
    with pytest.raises(ConfigurationError):
        make(**{name: value})


def test_nothing_may_be_a_limit_and_a_price() -> None:
    assert budget(limit_tokens=0, limit_money=Decimal(0)).limit_tokens == 0
    assert price(input=Decimal(0)).cache_read is None
    assert ModelRole(max_tokens=1).settings.max_tokens == 1


@pytest.mark.parametrize("value", [1, 3, None])
def test_the_ends_of_a_range_and_what_is_not_set_pass(value: int | None) -> None:
    check_number("n", value, at_least=1, at_most=3)


@pytest.mark.parametrize("value", [0, 4, 2.0, True, "2"])
def test_an_error_names_the_number_and_its_range(value: object) -> None:
    with pytest.raises(ConfigurationError, match=r"^n is a whole number between 1 and 3, got "):
        check_number("n", value, at_least=1, at_most=3)


@pytest.mark.parametrize("value", [NO_TIME, LESS, 5, None])
def test_a_duration_is_a_timedelta_above_zero(value: object) -> None:
    with pytest.raises(ConfigurationError, match=r"^pause is a time above zero"):
        check_duration("pause", value)
