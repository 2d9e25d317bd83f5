"""What providers say is left of their quotas."""

import pytest

from batuta.llm.quotas import Quotas


def test_the_model_with_least_speaks_for_its_provider() -> None:
    quotas = Quotas()
    quotas.note("anthropic", "large", {"anthropic-ratelimit-tokens-remaining": "70"})
    quotas.note("anthropic", "small", {"anthropic-ratelimit-tokens-remaining": "900"})
    quotas.note("openai", "gpt", {"x-ratelimit-remaining-tokens": "5"})
    assert quotas.left() == {"anthropic": 70, "openai": 5}


def test_the_last_answer_counts() -> None:
    quotas = Quotas()
    for left in ("10", "3", "1000"):
        quotas.note("openai", "gpt", {"x-ratelimit-remaining-tokens": left})
    assert quotas.left() == {"openai": 1000}


@pytest.mark.parametrize(
    "headers", [{}, {"x-ratelimit-remaining-tokens": ""}, {"x-ratelimit-remaining-tokens": "soon"}]
)
def test_who_says_nothing_changes_nothing(headers: dict[str, str]) -> None:
    quotas = Quotas()
    quotas.note("openai", "gpt", {"x-ratelimit-remaining-tokens": "7"})
    quotas.note("openai", "gpt", headers)
    assert quotas.left() == {"openai": 7}
