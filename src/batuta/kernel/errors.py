"""Every error of Batuta, in one tree. Each class says its category and whether trying again makes sense.

BatutaError
├── TransientError                      try again later
│   ├── DeadlineExceededError           a declared time limit passed
│   ├── RecordingFailedError            the recording sink did not take an event
│   ├── CircuitOpenError                the breaker of this provider or tool is open
│   ├── RateLimitedError                our own limiter or the provider said "slow down" (retry_after)
│   ├── ProviderUnavailableError        the provider cannot be reached or is overloaded
│   │   └── ProviderTimeoutError        … or did not answer in time
│   ├── StoreUnavailableError           the database or Redis cannot be reached
│   ├── WriteNotDoneError               a write's answer was lost, and looking it up showed that it did not happen
│   └── ConnectorUnavailableError       an outside system cannot be reached, or its answer was lost (was_sent)
├── InvalidAnswerError                  a model's answer has the wrong structure (corrected inside the agent)
│   ├── NoJsonFoundError                … or holds no JSON at all
│   └── MalformedAnswerError            … or is no answer of that provider at all
├── Rejected                            a semantic validator said no (corrected inside the agent)
├── LogicalError                        returned at once: trying again changes nothing
│   ├── ConfigurationError              wrong use of the library, found before anything runs
│   │   ├── PipelineTypeError           steps that do not fit
│   │   ├── SettingsError               model settings that contradict one another
│   │   └── MissingExtraError           an optional dependency is not installed
│   ├── CannotHelpError                 a worker says that a task is not its own
│   ├── StepFailedError                 a step's failure, seen by the step that invoked it
│   ├── UnknownOutcomeError             a write was begun and its outcome is unknown
│   ├── NotRecordedError                a re-execution needs something that the log does not hold
│   ├── WriteForbiddenError             nothing may change the world here: this is a re-execution
│   ├── ToolLimitError                  the agent used up its rounds of tool calls
│   ├── BudgetExceededError             a call that does not fit the budget was not made
│   ├── ProviderRejectedError           the provider refused the request (400, 401, 403, 404, 413 …)
│   │   └── ContentRefusedError         … or its answer, for safety
│   ├── ConnectorRejectedError          an outside system refused a request (status, reason_code)
│   │   ├── AccessDeniedError           … because the sign-in or a permission is missing
│   │   ├── MissingRecordError          … because there is no such record, entity or company
│   │   │   └── MissingCompanyError     … a company that is gone, or is not shown to this connection
│   │   └── RecordChangedError          … because the record is no longer the one that was seen
│   ├── InvalidArgumentsError           a tool call whose arguments do not fit its schema
│   ├── ToolFailedError                 a tool says that it could not do its work
│   ├── ToolRefusedError                a tool call that is not allowed
│   ├── UnknownConversationError        no such conversation, or not this user's
│   ├── TooManyConversationsError       the user has as many active conversations as allowed
│   ├── EventRefusedError               an event that may not be recorded
│   │   ├── UnattributedEventError      … because no agent is named as its source
│   │   ├── EventTooLargeError          … because of its size
│   │   └── UnknownEventTypeError       … because the catalogue does not know it
│   ├── UndecodableEventError           a stored event that can no longer be read
│   └── ConflictError                   another writer was first
│       ├── JournalMismatchError        a journal that belongs to a run of another input
│       ├── FencedError                 this writer's lease was taken over
│       ├── SequenceConflictError       the same position holds another event
│       ├── StaleEpochError             the reader's position belongs to a lost life of the log
│       └── IdempotencyConflictError    the same client key with other content
└── RunCancelledError                   the run was stopped on request
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Literal


class ErrorCategory(StrEnum):
    """Who acts on an error: the retry policy, the correction loop, or the caller."""

    TRANSIENT = "transient"
    VALIDATION = "validation"
    SEMANTIC = "semantic"
    LOGICAL = "logical"
    CANCELLED = "cancelled"


CategoryName = Literal["transient", "validation", "semantic", "logical", "cancelled"]
"""A category as people write it."""


class BatutaError(Exception):
    """Base of every error raised by Batuta."""

    category: ClassVar[ErrorCategory] = ErrorCategory.LOGICAL
    retryable: ClassVar[bool] = False
    code: ClassVar[str] = "BATUTA"

    def __init_subclass__(cls) -> None:
        """Give each class a stable code: its name in capitals, unless it states one."""
        super().__init_subclass__()
        if "code" not in cls.__dict__:
            cls.code = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__.removesuffix("Error")).upper()


class TransientError(BatutaError):
    """Something outside failed in a way that may pass."""

    category = ErrorCategory.TRANSIENT
    retryable = True


class DeadlineExceededError(TransientError):
    """A declared time limit passed."""


class RecordingFailedError(TransientError):
    """The recording sink did not take an event, so the step may not go on."""


class CircuitOpenError(TransientError):
    """Calls are refused until the breaker lets trials through again."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RateLimitedError(TransientError):
    """Too many calls; `retry_after` seconds is when another one may go through."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderUnavailableError(TransientError):
    """The provider cannot be reached, is overloaded, or broke off its answer."""

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class ProviderTimeoutError(ProviderUnavailableError):
    """The provider did not answer in time."""

    code = "LLM_TIMEOUT"


class StoreUnavailableError(TransientError):
    """A database or Redis cannot be reached or refused to work for now."""


class WriteNotDoneError(TransientError):
    """The answer of a write was lost, and looking it up showed that it did not take place."""


class ConnectorUnavailableError(TransientError):
    """An outside system cannot be reached, is overloaded, or its answer was lost."""

    def __init__(
        self,
        message: str,
        *,
        was_sent: bool,
        status: int | None = None,
        retry_after: float | None = None,
        reason_code: str = "",
    ) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        """Whether the request may have been carried out: a write must then not be repeated blindly."""
        self.status = status
        self.retry_after = retry_after
        self.reason_code = reason_code
        """The service's name for the reason, or ours: `timeout`, `cut`, `truncated`."""


class InvalidAnswerError(BatutaError):
    """A model's answer does not have the declared structure."""

    category = ErrorCategory.VALIDATION
    code = "ANSWER_INVALID"


class NoJsonFoundError(InvalidAnswerError):
    """No JSON value could be found in a text, whatever was tried."""

    code = "JSON_INVALID"


class MalformedAnswerError(InvalidAnswerError):
    """What came from a provider cannot be read as one of its answers."""

    code = "ANSWER_MALFORMED"

    def __init__(self, message: str, *, provider: str) -> None:
        super().__init__(message)
        self.provider = provider


class Rejected(BatutaError):  # noqa: N818 - the verdict of a validator; reads as one where it is raised
    """A semantic validator's verdict, with the place and a hint for the model.

    Raise it from a validator: `raise Rejected("unknown customer", hint="use list_customers first")`.
    """

    category = ErrorCategory.SEMANTIC

    def __init__(
        self, message: str, *, hint: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line
        self.column = column


class LogicalError(BatutaError):
    """Returned at once: the same call would fail the same way."""


class ConfigurationError(LogicalError):
    """The library is used in a way that cannot work; found before anything runs."""


class PipelineTypeError(ConfigurationError, TypeError):
    """Steps that do not fit together."""


class SettingsError(ConfigurationError):
    """Model settings that contradict one another or the provider's rules."""


class MissingExtraError(ConfigurationError, ImportError):
    """An optional dependency is not installed; the message says which extra brings it."""

    def __init__(self, extra: str, *, needed_for: str) -> None:
        super().__init__(f'{needed_for} needs an optional dependency: pip install "batuta-ai[{extra}]"')
        self.extra = extra


class CannotHelpError(LogicalError):
    """A worker says that a task is not its own; the supervisor decides who gets it."""


class StepFailedError(LogicalError):
    """A step failed; `error` is its `StepError` with path, category and cause."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self.error = error


class UnknownOutcomeError(LogicalError):
    """A write was begun, its outcome is not recorded, and nothing can tell whether it happened."""

    def __init__(self, message: str, *, effect_key: str) -> None:
        super().__init__(message)
        self.effect_key = effect_key


class NotRecordedError(LogicalError):
    """A re-execution needs something that the log does not hold."""


class WriteForbiddenError(LogicalError):
    """Nothing may change the world here: this is a re-execution."""


class ToolLimitError(LogicalError):
    """The agent used up its rounds of tool calls."""


class BudgetExceededError(LogicalError):
    """A model call whose worst case does not fit what is left was not made."""

    def __init__(self, message: str, *, scope: str = "", limit: str = "", needed: str = "", left: str = "") -> None:
        super().__init__(message)
        self.scope = scope
        self.limit = limit
        self.needed = needed
        self.left = left


class ProviderRejectedError(LogicalError):
    """The provider refused the request itself."""

    def __init__(self, message: str, *, status: int | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.details = dict(details or {})


class ContentRefusedError(ProviderRejectedError):
    """The provider refused to answer, for safety."""


class ConnectorRejectedError(LogicalError):
    """An outside system refused a request; the message is its own, `reason_code` its name for the reason."""

    def __init__(self, message: str, *, status: int | None = None, reason_code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason_code = reason_code


class AccessDeniedError(ConnectorRejectedError):
    """The sign-in failed, or it lacks a permission."""


class MissingRecordError(ConnectorRejectedError):
    """There is no such record, entity or company."""


class MissingCompanyError(MissingRecordError):
    """The company is gone, or is no longer shown to this connection."""


class RecordChangedError(ConnectorRejectedError):
    """The record is no longer the one that was seen; nothing was overwritten."""


class InvalidArgumentsError(LogicalError):
    """A tool call whose arguments do not fit its schema; it was not executed. `problems` names each argument."""

    def __init__(self, message: str, *, problems: Mapping[str, str]) -> None:
        super().__init__(message)
        self.problems = dict(problems)


class ToolFailedError(LogicalError):
    """A tool could not do its work; the message goes to the model as it is."""


class ToolRefusedError(LogicalError):
    """A tool call that this agent or user may not make; it was not executed."""


class UnknownConversationError(LogicalError):
    """There is no such conversation, or it belongs to another user: the two look the same."""


class TooManyConversationsError(LogicalError):
    """The user has as many active conversations as are allowed; archive one first."""


class EventRefusedError(LogicalError):
    """An event that may not be recorded; nothing of its batch was kept."""


class UnattributedEventError(EventRefusedError):
    """An assistant-side event that does not say which agent produced it."""


class EventTooLargeError(EventRefusedError):
    """An event above the size limit of the log."""


class UnknownEventTypeError(EventRefusedError):
    """An event type that the routing table does not hold."""


class UndecodableEventError(LogicalError):
    """A stored event that cannot be read: damaged, or written by something newer."""


class ConflictError(LogicalError):
    """Another writer was first."""


class JournalMismatchError(ConflictError):
    """A journal was given to a run of another input than the one whose effects it holds."""


class FencedError(ConflictError):
    """This writer's lease was taken over; whatever it tried to append was not kept."""


class SequenceConflictError(ConflictError):
    """The same position of a session already holds another event: raised and reported, never skipped."""


class StaleEpochError(ConflictError):
    """The log does not hold the position a reader was at: what it saw is void, it has to start afresh."""


class IdempotencyConflictError(ConflictError):
    """The same client key was used before with other content."""


class RunCancelledError(BatutaError):
    """The run was stopped on request through its `Cancellation`."""

    category = ErrorCategory.CANCELLED


class Suspended(BaseException):
    """A run stops here to go on later, somewhere else: it waits for a decision. Nothing failed, nothing is undone."""

    def __init__(self, reason: str, *, waiting_for: str) -> None:
        super().__init__(reason)
        self.waiting_for = waiting_for


def category_of(exception: BaseException) -> ErrorCategory:
    """The category of any exception, ours or foreign; a step's failure has that of what made it fail."""
    if isinstance(exception, StepFailedError):
        return ErrorCategory(getattr(exception.error, "category", ErrorCategory.LOGICAL))
    if isinstance(exception, BatutaError):
        return exception.category
    if isinstance(exception, (TimeoutError, ConnectionError)):
        return ErrorCategory.TRANSIENT
    if isinstance(exception, Exception):
        return ErrorCategory.LOGICAL
    return ErrorCategory.CANCELLED


def code_of(exception: BaseException) -> str:
    """A stable code for any exception: ours states it, a foreign one is named by its class."""
    if isinstance(exception, BatutaError):
        return exception.code
    name = type(exception).__name__.removesuffix("Error").removesuffix("Exception")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper() or "ERROR"
