"""What a step gives back: a value or an error, never both, and what it took."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar

from batuta.kernel.errors import CategoryName, ErrorCategory, StepFailedError, category_of, code_of
from batuta.kernel.usage import NO_USAGE, Usage, add_costs

T_co = TypeVar("T_co", covariant=True)

FREE = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """What a run took. A pipeline sums its agents; `cost` is `None` when a price is unknown."""

    duration_seconds: float = 0.0
    attempts: int = 0
    retries: int = 0
    cognitive_retries: int = 0
    usage: Usage = NO_USAGE
    cost: Decimal | None = FREE
    fallbacks: tuple["FallbackUse", ...] = ()
    """The fallbacks that stood in for an agent."""


@dataclass(frozen=True, slots=True)
class FallbackUse:
    """A fallback stood in, at this confidence if its output declares one."""

    step: str
    confidence: float | None


class Tally:
    """Counts while a run goes on."""

    __slots__ = ("attempts", "cognitive_retries", "cost", "fallbacks", "retries", "usage")

    def __init__(self) -> None:
        self.attempts = 0
        self.retries = 0
        self.cognitive_retries = 0
        self.usage = NO_USAGE
        self.cost: Decimal | None = FREE
        self.fallbacks: tuple[FallbackUse, ...] = ()

    def add(self, other: "Tally") -> None:
        """Count what another run took."""
        self.attempts += other.attempts
        self.retries += other.retries
        self.cognitive_retries += other.cognitive_retries
        self.fallbacks += other.fallbacks
        self.add_call(other.usage, other.cost)

    def add_call(self, usage: Usage | None, cost: Decimal | None) -> None:
        """Count one model call."""
        if usage is not None and usage is not NO_USAGE:
            self.usage = self.usage + usage
        if cost is not FREE:
            self.cost = add_costs(self.cost, cost)

    def note_fallback(self, step: str, confidence: float | None) -> None:
        """A fallback stood in."""
        self.fallbacks += (FallbackUse(step, confidence),)

    def metrics(self, duration_seconds: float) -> Metrics:
        """The counts so far."""
        return Metrics(
            duration_seconds=duration_seconds,
            attempts=self.attempts,
            retries=self.retries,
            cognitive_retries=self.cognitive_retries,
            usage=self.usage,
            cost=self.cost,
            fallbacks=self.fallbacks,
        )


@dataclass(frozen=True, slots=True)
class Rejection:
    """One answer that a validation refused."""

    attempt: int
    kind: str
    message: str
    confidence: float | None = None
    """What the answer itself called its confidence, if it could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepError:
    """Why a step failed, and where."""

    message: str
    step_name: str = ""
    path: str = ""
    category: ErrorCategory = ErrorCategory.LOGICAL
    code: str = "ERROR"
    exception: BaseException | None = field(default=None, compare=False)
    last_answer: str | None = None
    """The last raw answer of a model that could not be corrected."""
    rejections: tuple[Rejection, ...] = ()
    """Every validation message of an agent that gave up."""
    causes: tuple["StepError", ...] = ()
    """The failures of parallel branches, when all were collected."""
    rollback_failures: tuple["StepError", ...] = ()
    """What could not be undone after this failure: it is still done."""

    def __str__(self) -> str:
        """The place and the message."""
        return f"{self.path}: {self.message}" if self.path else self.message

    @property
    def full_message(self) -> str:
        """The message, and what is still done because it could not be undone."""
        not_undone = "; ".join(map(str, self.rollback_failures))
        return f"{self.message} (not undone: {not_undone})" if not_undone else self.message

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return bool(getattr(self.exception, "retryable", self.category is ErrorCategory.TRANSIENT))

    @classmethod
    def of(cls, exception: BaseException, *, step_name: str = "", path: str = "") -> "StepError":
        """The error that an exception amounts to, at the place where it was raised."""
        return cls(
            message=str(exception) or type(exception).__name__,
            step_name=step_name,
            path=path,
            category=category_of(exception),
            code=code_of(exception),
            exception=exception,
            last_answer=getattr(exception, "last_answer", None),
            rejections=tuple(getattr(exception, "rejections", ())),
        )


class StepResult(Generic[T_co]):
    """A value or an error, and what it took."""

    __slots__ = ("_error", "_value", "metrics")

    def __init__(self, value: Any, error: StepError | None, metrics: Metrics) -> None:
        self._value: Any = value
        self._error = error
        self.metrics = metrics

    @classmethod
    def of(cls, value: T_co, metrics: Metrics | None = None) -> "StepResult[T_co]":  # type: ignore[misc] # a constructor
        """A success."""
        return cls(value, None, metrics or Metrics())

    @classmethod
    def from_error(
        cls,
        error: "str | BaseException | StepError",
        *,
        category: ErrorCategory | CategoryName | None = None,
        causes: Iterable[StepError] = (),
    ) -> "StepResult[Any]":
        """A failure: what a step returns to fail without raising."""
        if isinstance(error, StepError):
            return StepResult(None, error, Metrics())
        if isinstance(error, BaseException):
            return StepResult(None, StepError.of(error), Metrics())
        return StepResult(
            None,
            StepError(message=error, category=ErrorCategory(category or "logical"), causes=tuple(causes)),
            Metrics(),
        )

    @property
    def is_error(self) -> bool:
        """Whether it failed."""
        return self._error is not None

    @property
    def value(self) -> T_co:
        """The value; raises `StepFailedError` if there is none."""
        return self.unwrap()

    @property
    def error(self) -> StepError:
        """The error; raises `ValueError` if there is none."""
        if self._error is None:
            raise ValueError("this result has a value, not an error; ask is_error first")
        return self._error

    def unwrap(self) -> T_co:
        """The value, or `StepFailedError`."""
        if self._error is not None:
            raise StepFailedError(self._error) from self._error.exception
        value: T_co = self._value
        return value

    def __repr__(self) -> str:
        """The value or the error."""
        return f"StepResult(error={self._error})" if self._error else f"StepResult({self._value!r})"
