"""The one edge where foreign errors become ours: by HTTP status, by class of the SDK, by class of the transport.

SDK error with a status -> STATUSES -> our error
SDK or transport error without one -> by class -> our error
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import ModuleType, TracebackType
from typing import Any

from batuta.kernel.errors import (
    BatutaError,
    ConfigurationError,
    ContentRefusedError,
    MalformedAnswerError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    RateLimitedError,
)

TIMEOUTS = frozenset({408, 504})
PASSING = frozenset({409, 425, 499})
"""Below 500, and yet worth another try: a lock, too early, an interrupted request."""
NOT_OFFERED = frozenset({501, 505})
USED_UP = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
"""Said with 429, but no waiting helps: the account has to be paid."""
REFUSED = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})
CREDENTIAL_ERRORS = frozenset(
    {"CredentialsError", "IdentityTokenFileError", "SubjectTokenProviderError", "WorkloadIdentityError"}
)
DURATION = re.compile(r"^(\d+(?:\.\d+)?)s$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderFailure:
    """What a provider said when it refused or failed."""

    provider: str
    status: int
    message: str
    code: str = ""
    retry_after: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def error_of(failure: ProviderFailure) -> BatutaError:
    """The error for an HTTP status, with all that is known about it."""
    said = f"{failure.provider} answered {failure.status}: {failure.message}"
    status, wait = failure.status, failure.retry_after
    if status == 429 and failure.code not in USED_UP:
        return RateLimitedError(said, retry_after=wait)
    if failure.code in REFUSED:
        return ContentRefusedError(said, status=status, details=failure.details)
    if status in TIMEOUTS:
        return ProviderTimeoutError(said, status=status, retry_after=wait)
    if status in PASSING or (status >= 500 and status not in NOT_OFFERED):
        return ProviderUnavailableError(said, status=status, retry_after=wait)
    return ProviderRejectedError(said, status=status, details=failure.details)


def retry_after_of(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a provider asks to wait, in any of the forms in use."""
    millis = headers.get("retry-after-ms")
    if millis is not None and _number(millis) is not None:
        return max(float(millis) / 1000, 0.0)
    asked = headers.get("retry-after")
    if asked is None:
        return None
    seconds = _number(asked)
    return max(seconds, 0.0) if seconds is not None else _until(asked, now or datetime.now(UTC))


def retry_delay_of(details: Any) -> float | None:
    """The seconds that Google asks to wait, which it says in the body."""
    for detail in details if isinstance(details, list) else ():
        asked = DURATION.match(str(detail.get("retryDelay", ""))) if isinstance(detail, dict) else None
        if asked is not None:
            return float(asked.group(1))
    return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max((aware - now).total_seconds(), 0.0)


def is_transport_error(error: BaseException) -> bool:
    """Whether an error comes from the network or the HTTP library, whichever it is."""
    module = type(error).__module__.partition(".")[0]
    return module in {"httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "h11", "h2", "ssl"} or isinstance(
        error, (OSError, EOFError)
    )


def is_timeout(error: BaseException) -> bool:
    """Whether something took too long, whichever library says it.

    The class alone does not tell: the transport on aiohttp calls a reset connection a timeout on its way up.
    """
    causes = list(_causes(error))
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return True
    return any("Timeout" in kind.__name__ for kind in type(causes[-1]).__mro__)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def of_transport(provider: str, error: BaseException) -> BatutaError:
    """The error for a connection that failed, or for an answer that is not what it should be."""
    said = f"{provider}: {type(error).__name__}: {error}".rstrip(": ")
    if is_timeout(error):
        return ProviderTimeoutError(said)
    if is_transport_error(error) or isinstance(error, ValueError):
        return ProviderUnavailableError(said)
    return ProviderRejectedError(said)


def translate_stainless(sdk: ModuleType, provider: str, error: Exception) -> BatutaError:
    """The error for one of the SDKs of Anthropic and OpenAI, which have the same classes."""
    if isinstance(error, sdk.APIStatusError):
        return _of_status(provider, error)
    if isinstance(error, sdk.APITimeoutError) and is_timeout(error):
        return ProviderTimeoutError(f"{provider} did not answer in time")
    if isinstance(error, (sdk.APIConnectionError, sdk.APIResponseValidationError)):
        return ProviderUnavailableError(f"{provider}: {error} {error.__cause__ or ''}".rstrip())
    if type(error).__name__ in CREDENTIAL_ERRORS:
        return ConfigurationError(f"{provider}: {error}")
    return of_transport(provider, error)


def _of_status(provider: str, error: Any) -> BatutaError:
    stated = _stated(error.body)
    return error_of(
        ProviderFailure(
            provider=provider,
            status=error.status_code,
            message=str(stated.get("message") or error.message),
            code=str(stated.get("code") or stated.get("type") or ""),
            retry_after=retry_after_of(error.response.headers),
            details=stated,
        )
    )


def _stated(body: Any) -> dict[str, Any]:
    """What a body says about an error, with or without the envelope around it."""
    if not isinstance(body, dict):
        return {}
    inner = body.get("error")
    return inner if isinstance(inner, dict) else body


def translate_google(sdk: ModuleType, error: Exception) -> BatutaError:
    """The error for Google's SDK."""
    if not isinstance(error, sdk.errors.APIError):
        return of_transport("google", error)
    stated = _stated(error.details)
    headers = getattr(error.response, "headers", None) or {}
    asked = retry_after_of(headers)
    return error_of(
        ProviderFailure(
            provider="google",
            status=int(error.code or 500),
            message=str(error.message or error),
            code=str(error.status or ""),
            retry_after=asked if asked is not None else retry_delay_of(stated.get("details")),
            details=stated,
        )
    )


class TranslatedErrors:
    """Let only our own errors out of a block; cancellation passes.

    An answer that is JSON but no answer is the provider's failure, not the model's: it is worth another try. A class,
    because it stands around every event of a stream, and may be used again.
    """

    __slots__ = ("_translate",)

    def __init__(self, translate: Callable[[Exception], BatutaError]) -> None:
        self._translate = translate

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Translate what was raised in it."""
        if error is None:
            return
        if isinstance(error, MalformedAnswerError):
            raise ProviderUnavailableError(str(error)) from error
        if isinstance(error, Exception) and not isinstance(error, BatutaError):
            raise self._translate(error) from error
