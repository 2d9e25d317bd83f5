"""Every foreign error becomes one of ours, at one edge (F-70)."""

import asyncio
import importlib
import inspect
import ssl
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import aiohttp
import anthropic
import httpx
import httpx2
import openai
import pytest

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
from batuta.llm.failures import (
    ProviderFailure,
    TranslatedErrors,
    error_of,
    retry_after_of,
    retry_delay_of,
    translate_google,
    translate_stainless,
)

with warnings.catch_warnings():
    # The first import of Google's client compiles string literals that Python warns about.
    warnings.simplefilter("ignore")
    from google import genai

REQUEST = httpx2.Request("POST", "http://provider/v1")

BY_STATUS: dict[type[BatutaError], tuple[int, ...]] = {
    ProviderRejectedError: (400, 401, 402, 403, 404, 405, 412, 413, 422, 431, 501),
    ProviderTimeoutError: (408, 504),
    RateLimitedError: (429,),
    ProviderUnavailableError: (409, 425, 499, 500, 502, 503, 520, 529),
}

WITHOUT_STATUS: dict[str, type[BatutaError]] = {
    "APIConnectionError": ProviderUnavailableError,
    "APITimeoutError": ProviderTimeoutError,
    "APIResponseValidationError": ProviderUnavailableError,
    "CredentialsError": ConfigurationError,
    "IdentityTokenFileError": ConfigurationError,
    "SubjectTokenProviderError": ConfigurationError,
    "WorkloadIdentityError": ConfigurationError,
    "InvalidWebhookSignatureError": ProviderUnavailableError,
}
"""Errors of the SDKs that carry no status; any other one is a rejection: nothing says that it would pass."""


def classes_of(sdk: ModuleType, *modules: str) -> list[type[Exception]]:
    """Every exception class an SDK defines, wherever it stands."""
    found: set[type[Exception]] = set()
    for name in ("", *modules):
        home = importlib.import_module(sdk.__name__ + name)
        for item in list(vars(home).values()):
            if inspect.isclass(item) and issubclass(item, Exception) and item.__module__.startswith(sdk.__name__):
                found.add(item)
    return sorted(found, key=lambda kind: kind.__name__)


def bare(kind: type[Exception], status: int | None) -> Any:
    """An instance with what the class promises, made without its constructor: each SDK's differ."""
    error = kind.__new__(kind)
    Exception.__init__(error, "something happened")
    code = getattr(kind, "status_code", None) or status or 500
    fields = {
        "message": "something happened",
        "body": {"error": {"message": "something happened"}},
        "response": httpx2.Response(code, request=REQUEST, headers={"retry-after": "7"}),
        "status_code": code,
        "code": code,
        "details": {},
        "status": None,
        "request_id": None,
    }
    for name, value in fields.items():
        setattr(error, name, value)
    return error


def expected_of(status: int) -> type[BatutaError]:
    return next(kind for kind, statuses in BY_STATUS.items() if status in statuses)


def stainless_cases() -> Iterator[tuple[ModuleType, type[Exception]]]:
    for sdk in (anthropic, openai):
        for kind in classes_of(sdk, "._exceptions"):
            yield sdk, kind


@pytest.mark.parametrize(("sdk", "kind"), list(stainless_cases()), ids=lambda value: value.__name__)
def test_every_error_class_of_the_sdks_becomes_the_right_one_of_ours(sdk: Any, kind: type[Exception]) -> None:
    error = bare(kind, None)
    result = translate_stainless(sdk, "provider", error)
    if issubclass(kind, sdk.APIStatusError):
        assert type(result) is expected_of(error.status_code)
    else:
        assert type(result) is WITHOUT_STATUS.get(kind.__name__, ProviderRejectedError)


def test_the_walk_meets_many_classes() -> None:
    assert len(classes_of(anthropic, "._exceptions")) > 20
    assert len(classes_of(openai, "._exceptions")) > 12
    assert len(classes_of(genai, ".errors")) > 5


@pytest.mark.parametrize("kind", classes_of(genai, ".errors"), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("status", [400, 429, 503, 504])
def test_every_error_class_of_googles_sdk_becomes_one_of_ours(kind: type[Exception], status: int) -> None:
    result = translate_google(genai, bare(kind, status))
    if issubclass(kind, genai.errors.APIError):
        assert type(result) is expected_of(status)
    else:
        assert isinstance(result, (ProviderUnavailableError, ProviderRejectedError))


@pytest.mark.parametrize(
    ("status", "kind"), [(status, kind) for kind, statuses in BY_STATUS.items() for status in statuses]
)
def test_every_status_has_its_error(status: int, kind: type[BatutaError]) -> None:
    result = error_of(ProviderFailure(provider="p", status=status, message="no", retry_after=3.0))
    assert type(result) is kind
    assert str(result) == f"p answered {status}: no"
    assert getattr(result, "retry_after", 3.0) == 3.0


@pytest.mark.parametrize("status", range(400, 600))
def test_no_status_is_left_without_a_category(status: int) -> None:
    assert isinstance(error_of(ProviderFailure(provider="p", status=status, message="")), BatutaError)


def test_a_used_up_quota_is_not_worth_waiting_for() -> None:
    failure = ProviderFailure(provider="p", status=429, message="pay first", code="insufficient_quota")
    assert type(error_of(failure)) is ProviderRejectedError


def test_a_content_filter_is_a_refusal() -> None:
    failure = ProviderFailure(provider="p", status=400, message="no", code="content_filter")
    assert type(error_of(failure)) is ContentRefusedError


TRANSPORT = [
    (httpx2.ReadTimeout("slow"), ProviderTimeoutError),
    (httpx2.ConnectTimeout("slow"), ProviderTimeoutError),
    (httpx2.PoolTimeout("slow"), ProviderTimeoutError),
    (httpx2.ReadError("reset"), ProviderUnavailableError),
    (httpx2.RemoteProtocolError("cut"), ProviderUnavailableError),
    (httpx2.ConnectError("refused"), ProviderUnavailableError),
    (httpx.ReadError("reset"), ProviderUnavailableError),
    (aiohttp.ServerDisconnectedError(), ProviderUnavailableError),
    (aiohttp.ClientPayloadError("cut"), ProviderUnavailableError),
    (aiohttp.SocketTimeoutError("slow"), ProviderTimeoutError),
    (TimeoutError(), ProviderTimeoutError),
    (ConnectionResetError(), ProviderUnavailableError),
    (ssl.SSLError("bad certificate"), ProviderUnavailableError),
    (ValueError("expected value at line 1"), ProviderUnavailableError),
    (EOFError(), ProviderUnavailableError),
    (RuntimeError("odd"), ProviderRejectedError),
]


@pytest.mark.parametrize(("error", "kind"), TRANSPORT, ids=lambda value: type(value).__name__)
def test_errors_of_the_transport_become_ours_too(error: Exception, kind: type[BatutaError]) -> None:
    assert type(translate_stainless(anthropic, "p", error)) is kind
    assert type(translate_google(genai, error)) is kind


def test_a_reset_connection_that_the_transport_calls_a_timeout_is_none() -> None:
    reset = httpx2.ConnectTimeout("")
    reset.__cause__ = aiohttp.ClientOSError(104, "Connection reset by peer")
    error = anthropic.APITimeoutError(request=REQUEST)
    error.__cause__ = reset
    assert type(translate_stainless(anthropic, "p", error)) is ProviderUnavailableError


def test_a_timeout_of_ours_stays_one_although_a_cancellation_caused_it() -> None:
    error = TimeoutError()
    error.__cause__ = asyncio.CancelledError()
    assert type(translate_google(genai, error)) is ProviderTimeoutError


def test_our_own_errors_and_cancellation_pass_unchanged() -> None:
    ours = RateLimitedError("slow")
    for error in (ours, asyncio.CancelledError()):
        with pytest.raises(type(error)) as caught, TranslatedErrors(lambda _: ProviderRejectedError("never")):
            raise error
        assert caught.value is error


def test_what_is_json_but_no_answer_is_the_providers_failure() -> None:
    with pytest.raises(ProviderUnavailableError), TranslatedErrors(lambda _: ProviderRejectedError("never")):
        raise MalformedAnswerError("it has no content", provider="p")


NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_of(headers, NOW) == seconds


def test_google_says_in_the_body_how_long_to_wait() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]
    assert retry_delay_of(details) == 34.5
    assert retry_delay_of([{"reason": "x"}, "odd"]) is None
    assert retry_delay_of(None) is None
