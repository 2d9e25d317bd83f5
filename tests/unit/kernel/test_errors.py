"""The error tree: drawn as it is, each class with its category and retry decision (F-70)."""

import inspect
import re

import pytest

from batuta.kernel import errors
from batuta.kernel.errors import (
    BatutaError,
    CircuitOpenError,
    DeadlineExceededError,
    ErrorCategory,
    InvalidAnswerError,
    LogicalError,
    MissingExtraError,
    PipelineTypeError,
    Rejected,
    RunCancelledError,
    StepFailedError,
    TransientError,
    category_of,
    code_of,
)
from batuta.pipelines.result import StepError


def every_error() -> list[type[BatutaError]]:
    return [
        found
        for _, found in inspect.getmembers(errors, inspect.isclass)
        if issubclass(found, BatutaError) and found.__module__ == errors.__name__
    ]


def drawn_tree() -> dict[str, str | None]:
    """Each class of the module's drawing with the class it hangs below."""
    parents: dict[int, str] = {}
    tree: dict[str, str | None] = {}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"^((?:│   |    )*)(?:[├└]── )?([A-Z]\w+)(?:\s{2,}|$)", line):
            depth = line.index(found.group(2)) // 4
            tree[found.group(2)] = parents.get(depth - 1)
            parents[depth] = found.group(2)
    return tree


def test_the_drawing_shows_every_error_below_its_parent() -> None:
    """The docstring is the map of the tree: nothing missing, nothing in the wrong place."""
    real = {error.__name__: error.__mro__[1].__name__ for error in every_error()}
    assert {name: parent for name, parent in drawn_tree().items() if parent} == {
        name: parent for name, parent in real.items() if name != "BatutaError"
    }


@pytest.mark.parametrize("error", every_error(), ids=lambda error: error.__name__)
def test_every_error_says_its_category_and_whether_a_retry_makes_sense(error: type[BatutaError]) -> None:
    """F-70: transient errors may pass, no other is worth the same call again."""
    assert isinstance(error.category, ErrorCategory)
    assert error.retryable == (error.category is ErrorCategory.TRANSIENT)
    assert issubclass(error, TransientError) == (error.category is ErrorCategory.TRANSIENT)


def test_codes_are_stable_upper_case_and_differ() -> None:
    codes = [error.code for error in every_error()]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[A-Z][A-Z_]*", code) for code in codes)


def test_a_code_is_the_name_unless_the_class_states_one() -> None:
    assert DeadlineExceededError.code == "DEADLINE_EXCEEDED"
    assert InvalidAnswerError.code == "ANSWER_INVALID"


@pytest.mark.parametrize(
    ("exception", "category"),
    [
        (TimeoutError(), ErrorCategory.TRANSIENT),
        (ConnectionResetError(), ErrorCategory.TRANSIENT),
        (ValueError(), ErrorCategory.LOGICAL),
        (KeyboardInterrupt(), ErrorCategory.CANCELLED),
        (RunCancelledError("stop"), ErrorCategory.CANCELLED),
        (Rejected("no"), ErrorCategory.SEMANTIC),
        (InvalidAnswerError("no"), ErrorCategory.VALIDATION),
        (StepFailedError(StepError(message="x", category=ErrorCategory.TRANSIENT)), ErrorCategory.TRANSIENT),
        (StepFailedError("only words"), ErrorCategory.LOGICAL),
    ],
    ids=lambda case: type(case).__name__ if isinstance(case, BaseException) else str(case),
)
def test_any_exception_has_a_category(exception: BaseException, category: ErrorCategory) -> None:
    """F-70: foreign ones are sorted, and a failed step has the category of what made it fail."""
    assert category_of(exception) is category


def test_a_foreign_exception_has_a_code_too() -> None:
    assert code_of(FileNotFoundError()) == "FILE_NOT_FOUND"
    assert code_of(LogicalError("x")) == "LOGICAL"
    assert code_of(type("Error", (Exception,), {})()) == "ERROR"


def test_a_type_error_of_a_pipeline_is_also_a_type_error() -> None:
    assert issubclass(PipelineTypeError, TypeError)


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtraError("redis", needed_for="the Redis log")
    assert 'pip install "batuta-ai[redis]"' in str(error)
    assert isinstance(error, ImportError)


def test_facts_travel_as_attributes() -> None:
    rejected = Rejected("unknown customer", hint="list them first", line=3, column=7)
    assert (rejected.message, rejected.hint, rejected.line, rejected.column) == (
        "unknown customer",
        "list them first",
        3,
        7,
    )
    assert CircuitOpenError("open", retry_after=2.5).retry_after == 2.5
