"""Which errors leave open whether a write took place (F-98)."""

import asyncio
import errno
import socket
from http.client import RemoteDisconnected

import aiohttp
import httpx
import pytest

from batuta.kernel.errors import (
    CircuitOpenError,
    ConnectorUnavailableError,
    DeadlineExceededError,
    ProviderUnavailableError,
    RateLimitedError,
    ToolFailedError,
    UnknownOutcomeError,
)
from batuta.kernel.outcomes import is_outcome_unknown

REQUEST = httpx.Request("POST", "http://shop.test")


def answered(status: int) -> httpx.HTTPStatusError:
    return httpx.HTTPStatusError(str(status), request=REQUEST, response=httpx.Response(status, request=REQUEST))


def wrapped(inner: Exception, outer: Exception) -> Exception:
    outer.__cause__ = inner
    return outer


class PaymentTimeout(Exception):  # noqa: N818 - named as a program may name it
    """An error of a program of one's own."""


class ApiConnectionError(Exception):
    """An error of a library that is not listed."""


class CloudError(Exception):
    """As botocore carries its status."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.response = {"Error": {"Code": "x"}, "ResponseMetadata": {"HTTPStatusCode": status}}


class CodedError(Exception):
    """As other clients carry theirs."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


LOST = [
    PaymentTimeout(), ApiConnectionError(), CloudError(503), CodedError(500), OSError(errno.EHOSTUNREACH, "no route"),
    ConnectionResetError(), TimeoutError(), asyncio.IncompleteReadError(b"", 1), RemoteDisconnected(""),
    DeadlineExceededError("late"), ProviderUnavailableError("", status=503), ProviderUnavailableError(""),
    ConnectorUnavailableError("", was_sent=True), UnknownOutcomeError("", effect_key="k"),
    httpx.ReadTimeout(""), httpx.RemoteProtocolError(""), httpx.WriteError(""),
    answered(500), answered(504), answered(408),
    aiohttp.ServerDisconnectedError(), aiohttp.ClientPayloadError(),
    wrapped(httpx.ReadError(""), RuntimeError("the shop failed")), ExceptionGroup("", [ValueError(), TimeoutError()]),
]  # fmt: skip
NOT_LOST = [
    CloudError(400), CodedError(409), CodedError(7), OSError(errno.ENOSPC, "full"),
    ValueError(), KeyError(), FileNotFoundError(), ConnectionRefusedError(), socket.gaierror(),
    CircuitOpenError("", retry_after=1), RateLimitedError(""), ConnectorUnavailableError("", was_sent=False),
    ProviderUnavailableError("", status=429), ToolFailedError("no such customer"),
    httpx.ConnectError(""), httpx.ConnectTimeout(""), answered(422), answered(429),
    wrapped(httpx.ReadError(""), ToolFailedError("nothing was ordered")),
    wrapped(httpx.ConnectError(""), RuntimeError("the shop failed")),
]  # fmt: skip


@pytest.mark.parametrize("error", LOST, ids=repr)
def test_a_lost_answer_leaves_it_open(error: Exception) -> None:
    assert is_outcome_unknown(error)


@pytest.mark.parametrize("error", NOT_LOST, ids=repr)
def test_a_refusal_and_a_request_that_never_left_do_not(error: Exception) -> None:
    assert not is_outcome_unknown(error)
