"""Feedback and budgets of the correction loop."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batuta import Rejected
from batuta.kernel.errors import InvalidAnswerError
from batuta.steps.correction import AttemptLimits, Corrections, feedback_on


def test_feedback_says_what_where_and_a_hint() -> None:
    """F-22."""
    verdict = Rejected("'(' was never closed", line=3, column=7, hint="close the bracket")
    text = feedback_on("print((1)", verdict, 500)
    for words in ("print((1)", "line 3", "column 7", "never closed", "close the bracket", "original request"):
        assert words in text


def test_structural_feedback_asks_for_json() -> None:
    assert "JSON" in feedback_on("Sure!", InvalidAnswerError("the text holds no JSON value"), 500)


@given(st.text(max_size=20_000), st.text(min_size=1, max_size=5_000), st.integers(min_value=100, max_value=1_000))
def test_feedback_keeps_to_its_budget(answer: str, message: str, tokens: int) -> None:
    """F-22: cut to a token budget, four characters each."""
    assert len(feedback_on(answer, Rejected(message), tokens)) <= tokens * 4


@pytest.mark.parametrize(
    ("kinds", "allowed", "used_up"),
    [
        (["structural"], AttemptLimits(total=3), False),
        (["structural"] * 3, AttemptLimits(total=3), True),
        (["structural", "semantic"], AttemptLimits(total=3, structural=2, semantic=2), False),
        (["semantic", "confidence"], AttemptLimits(total=3, semantic=2), True),
        (["structural"], AttemptLimits(total=3, structural=1), True),
    ],
)
def test_budgets_are_counted_by_kind(kinds: list[str], allowed: AttemptLimits, used_up: bool) -> None:
    corrections = Corrections(allowed)
    for kind in kinds:
        corrections.add(kind, "answer", Rejected("no"), 500)  # type: ignore[arg-type]
    assert corrections.are_used_up is used_up
