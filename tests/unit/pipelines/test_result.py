"""A result is a value or an error, never both (F-3, F-85)."""

from decimal import Decimal

import pytest

from batuta import StepError, StepFailedError, StepResult
from batuta.kernel.errors import DeadlineExceededError, ErrorCategory, InvalidAnswerError
from batuta.kernel.usage import Usage
from batuta.pipelines.result import FREE, Metrics, Tally


def test_a_success_has_a_value_and_no_error() -> None:
    result = StepResult.of(3)
    assert (result.value, result.unwrap(), result.is_error) == (3, 3, False)
    with pytest.raises(ValueError, match="this result has a value, not an error"):
        _ = result.error
    assert repr(result) == "StepResult(3)"


def test_a_failure_has_an_error_and_no_value() -> None:
    cause = KeyError("x")
    result = StepResult.from_error(cause)
    assert result.is_error
    assert result.error.exception is cause
    with pytest.raises(StepFailedError) as raised:
        _ = result.value
    assert raised.value.error is result.error
    assert raised.value.__cause__ is cause
    assert "error=" in repr(result)


def test_a_failure_can_be_made_of_words_an_exception_or_an_error() -> None:
    assert StepResult.from_error("no stock").error.message == "no stock"
    assert StepResult.from_error("later", category=ErrorCategory.TRANSIENT).error.is_retryable
    assert StepResult.from_error("no", category="validation").error.category is ErrorCategory.VALIDATION
    assert StepResult.from_error(DeadlineExceededError("late")).error.code == "DEADLINE_EXCEEDED"
    ready = StepError(message="x", path="a/b")
    assert StepResult.from_error(ready).error is ready


def test_the_words_of_an_error_name_its_place() -> None:
    assert str(StepError(message="no", path="a/b")) == "a/b: no"
    assert str(StepError(message="no")) == "no"


def test_an_exception_without_words_is_named() -> None:
    assert StepError.of(RuntimeError()).message == "RuntimeError"


def test_what_an_agent_says_of_its_failure_is_kept() -> None:
    error = InvalidAnswerError("bad")
    error.last_answer = "{"  # type: ignore[attr-defined]
    assert StepError.of(error).last_answer == "{"


def test_a_tally_adds_calls_and_keeps_an_unknown_cost_unknown() -> None:
    """F-45, F-83"""
    first, second = Tally(), Tally()
    first.add_call(Usage(input=1, output=2), Decimal("0.5"))
    second.add_call(Usage(input=10), None)
    second.attempts, second.retries, second.cognitive_retries = 3, 2, 1
    first.add(second)
    assert first.metrics(1.5) == Metrics(
        duration_seconds=1.5, attempts=3, retries=2, cognitive_retries=1, usage=Usage(input=11, output=2), cost=None
    )


def test_a_run_without_model_calls_is_free() -> None:
    tally = Tally()
    tally.add_call(None, FREE)
    assert tally.metrics(0).cost == 0
