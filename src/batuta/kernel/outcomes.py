"""Whether a write that failed may have happened all the same.

An error says one of three things about a request that was to change something:

    it was never sent, or the other side refused it   -> it did not happen: a failure
    its answer was lost on the way                    -> it may have happened: unknown

The second kind must neither be reported as a failure nor be repeated. Errors of ours say which they are. Those of
others tell by the HTTP status they carry, or by the name of their class, so that no library has to be installed: one
that speaks of a connection or of time that ran out lost its answer, unless it is known to have sent nothing. What wraps
another error says nothing by itself, and the error inside decides. `ToolFailedError` and other errors of ours that are
not transient are the author's word that nothing was done.
"""

import errno
import re
import socket
from collections.abc import Iterator, Mapping
from typing import Any

from batuta.kernel.errors import (
    BatutaError,
    CircuitOpenError,
    ConnectorUnavailableError,
    ErrorCategory,
    ProviderUnavailableError,
    RateLimitedError,
    StepFailedError,
    TransientError,
    UnknownOutcomeError,
    WriteNotDoneError,
)

REQUEST_TIMEOUT, SERVER_ERRORS = 408, range(500, 600)
MAX_CAUSES = 16
"""How deep a chain of causes is followed."""

_NEVER_SENT: tuple[type[BaseException], ...] = (
    CircuitOpenError,
    RateLimitedError,
    WriteNotDoneError,
    ConnectionRefusedError,
    socket.gaierror,
)
_LOST: tuple[type[BaseException], ...] = (TransientError, UnknownOutcomeError, TimeoutError, ConnectionError, EOFError)

NEVER_SENT_NAMES = frozenset(
    {
        "httpx.ConnectError", "httpx.ConnectTimeout", "httpx.PoolTimeout", "httpx.UnsupportedProtocol",
        "httpx.InvalidURL", "httpcore.ConnectError", "httpcore.ConnectTimeout", "httpcore.PoolTimeout",
        "aiohttp.ClientConnectorError", "aiohttp.InvalidURL", "aiohttp.ConnectionTimeoutError",
        "requests.ConnectTimeout", "requests.InvalidURL", "requests.InvalidSchema",
        "urllib3.NewConnectionError", "urllib3.ConnectTimeoutError",
        "botocore.EndpointConnectionError", "botocore.ConnectTimeoutError",
        "sqlalchemy.TimeoutError", "psycopg_pool.PoolTimeout",
    }
)  # fmt: skip
"""Errors of network libraries raised before a request left: package and class."""

LOST_NAMES = frozenset(
    {
        "httpcore.ProtocolError", "aiohttp.ClientError", "requests.RequestException", "urllib3.HTTPError",
        "http.HTTPException", "h11.RemoteProtocolError", "ssl.SSLError", "grpc.RpcError", "botocore.HTTPClientError",
        "psycopg.OperationalError", "pymysql.OperationalError", "MySQLdb.OperationalError", "mysql.OperationalError",
        "oracledb.OperationalError", "pyodbc.OperationalError", "asyncpg.InterfaceError", "pymongo.AutoReconnect",
        "anyio.ClosedResourceError", "anyio.BrokenResourceError", "anyio.EndOfStream", "mcp.MCPError",
    }
)  # fmt: skip
"""Errors of network libraries after which it is unknown what the other side did: package and class."""

_SPEAKS_OF_LOSS = re.compile(r"Time(d?)[Oo]ut|Connection|Disconnect|Network|Transport|Unavailable")
"""The same of libraries, and of programs, that are not listed: a word in the name of the class."""

LOST_NUMBERS = frozenset({errno.ENETDOWN, errno.ENETUNREACH, errno.ENETRESET, errno.EHOSTDOWN, errno.EHOSTUNREACH})
"""Errors of the operating system that can come while an answer is awaited."""


def is_outcome_unknown(error: BaseException) -> bool:
    """Whether a write that ended with this error may have happened."""
    for one in _chain(error):
        verdict = _verdict(one)
        if verdict is not None:
            return verdict
    return False


def _verdict(error: BaseException) -> bool | None:
    """Whether the answer was lost; `None` if this error alone does not say."""
    if isinstance(error, BaseExceptionGroup):
        return any(is_outcome_unknown(part) for part in error.exceptions) or None
    if isinstance(error, StepFailedError):
        return _of_a_step(error)
    if isinstance(error, ConnectorUnavailableError):
        return error.was_sent
    if isinstance(error, ProviderUnavailableError) and error.status is not None:
        return _is_lost_status(error.status)
    if isinstance(error, _NEVER_SENT):
        return False
    if isinstance(error, _LOST):
        return True
    if isinstance(error, BatutaError):
        return False
    return _verdict_of_foreign(error)


def _verdict_of_foreign(error: BaseException) -> bool | None:
    status = _status_of(error)
    if status is not None:
        return _is_lost_status(status)
    for kind in type(error).__mro__:
        name = f"{kind.__module__.partition('.')[0].rstrip('2')}.{kind.__name__}"
        if name in NEVER_SENT_NAMES:
            return False
        if name in LOST_NAMES or _SPEAKS_OF_LOSS.search(kind.__name__):
            return True
    return True if isinstance(error, OSError) and error.errno in LOST_NUMBERS else None


def _of_a_step(failure: StepFailedError) -> bool | None:
    raised = getattr(failure.error, "exception", None)
    if isinstance(raised, BaseException):
        return is_outcome_unknown(raised)
    return getattr(failure.error, "category", None) is ErrorCategory.TRANSIENT


def _is_lost_status(status: int) -> bool:
    return status == REQUEST_TIMEOUT or status in SERVER_ERRORS


def _status_of(error: BaseException) -> int | None:
    """The HTTP status that an error carries, wherever its library puts it."""
    response = getattr(error, "response", None)
    found = [getattr(holder, name, None) for holder in (response, error) for name in ("status_code", "status")]
    found += [getattr(error, name, None) for name in ("http_status", "code")]
    if isinstance(response, Mapping):  # botocore
        found.append(_member(response.get("ResponseMetadata"), "HTTPStatusCode"))
    statuses = (each for each in found if isinstance(each, int) and not isinstance(each, bool))
    return next((int(each) for each in statuses if 100 <= each < 600), None)


def _member(content: Any, name: str) -> Any:
    return content.get(name) if isinstance(content, Mapping) else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, then what it was raised from or while handling."""
    current: BaseException | None = error
    for _ in range(MAX_CAUSES):
        if current is None:
            return
        yield current
        hidden = current.__suppress_context__
        current = current.__cause__ or (None if hidden else current.__context__)
