"""An OData v4 client: addresses, pages, versions, errors. It knows the protocol and no particular service.

Reads are repeated when the service is busy or an answer is lost. A write is repeated only where it surely did not
happen (no connection, 429); otherwise the lost answer is reported as `ConnectorUnavailableError` with `was_sent`.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from batuta.connectors.http import HttpTransport, IncomingResponse, OutgoingRequest
from batuta.connectors.odata.filters import Filter, render
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import (
    AccessDeniedError,
    ConfigurationError,
    ConnectorRejectedError,
    ConnectorUnavailableError,
    MissingRecordError,
    RecordChangedError,
)
from batuta.resilience.retry import RetryPolicy, exponential_backoff, retrying

PAGE_SIZE = 5_000
MAX_PAGES = 1_000
BUSY = frozenset({408, 429, 502, 503, 504})
_SAFE_IN_QUERY = "(),'$/:*-._~"

Authorize = Callable[[bool], Awaitable[Mapping[str, str]]]
"""The headers that prove who asks; with `True` the token of before was refused and a new one is needed."""


async def anonymous(is_refused: bool) -> Mapping[str, str]:
    """For services that ask nothing."""
    return {}


READ_RETRIES = exponential_backoff(max_attempts=5, predicate=lambda error: isinstance(error, ConnectorUnavailableError))
WRITE_RETRIES = exponential_backoff(
    max_attempts=5, predicate=lambda error: isinstance(error, ConnectorUnavailableError) and not error.was_sent
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOptions:
    """The system query options of one read."""

    where: Filter | None = None
    select: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    expand: tuple[str, ...] = ()
    top: int | None = None

    def as_text(self) -> str:
        """The part of an address behind the question mark."""
        options = {
            "$filter": "" if self.where is None else render(self.where),
            "$select": ",".join(self.select),
            "$orderby": ",".join(self.order_by),
            "$expand": ",".join(self.expand),
            "$top": "" if self.top is None else str(self.top),
        }
        given = {name: value for name, value in options.items() if value}
        return urlencode(given, safe=_SAFE_IN_QUERY, quote_via=quote)


class ODataClient:
    """Talks to one service root."""

    def __init__(
        self,
        root: str,
        transport: HttpTransport,
        *,
        authorize: Authorize = anonymous,
        clock: Clock = SYSTEM_CLOCK,
        page_size: int = PAGE_SIZE,
        first_delay: timedelta = timedelta(seconds=1),
    ) -> None:
        self.root = root.rstrip("/")
        self._transport = transport
        self._authorize = authorize
        self._clock = clock
        self._page_size = page_size
        self._first_delay = first_delay

    def url(self, path: str, options: QueryOptions | None = None) -> str:
        """The address of a path below the root."""
        query = "" if options is None else options.as_text()
        return f"{self.root}/{path}" + (f"?{query}" if query else "")

    async def read(self, path: str, options: QueryOptions | None = None) -> Any:
        """One document."""
        return self._decoded(await self._send_read(self.url(path, options), {}))

    async def read_text(self, path: str) -> str:
        """One document as it is, such as `$metadata` or a count."""
        response = await self._send_read(self.url(path), {"Accept": "*/*"})
        return response.body.decode("utf-8-sig")

    async def pages(self, path: str, options: QueryOptions) -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
        """The members of a collection with the address that gave them, following `@odata.nextLink`."""
        url = self.url(path, options)
        left = options.top
        seen: set[str] = set()
        while url not in seen and len(seen) < MAX_PAGES:
            seen.add(url)
            document = self._decoded(await self._send_read(url, {"Prefer": f"odata.maxpagesize={self._page_size}"}))
            rows = document.get("value") if isinstance(document, dict) else None
            if not isinstance(rows, list):
                raise ConnectorUnavailableError(f"{path}: the service did not answer with a list", was_sent=True)
            yield url, rows if left is None else rows[:left]
            left = None if left is None else left - len(rows)
            following = document.get("@odata.nextLink")
            if following is None or (left is not None and left <= 0):
                return
            url = self._own(urljoin(f"{self.root}/", str(following)))
        raise ConnectorUnavailableError(f"{path}: the service's pages never end", was_sent=True)

    async def write(self, method: str, path: str, *, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Send a change; its answer as data, `None` if it has no body."""
        content = b"" if body is None else json.dumps(body, default=_as_json).encode()
        request = OutgoingRequest(
            method=method,
            url=self.url(path),
            headers={"Content-Type": "application/json", "Accept": "application/json", **(headers or {})},
            body=content,
        )
        response = await retrying(lambda: self._send(request), self._paced(WRITE_RETRIES), clock=self._clock)
        return self._decoded(response) if response.body else None

    async def close(self) -> None:
        """Let go of connections."""
        await self._transport.close()

    async def _send_read(self, url: str, headers: Mapping[str, str]) -> IncomingResponse:
        request = OutgoingRequest(
            method="GET",
            url=url,
            headers={"Accept": "application/json", "Data-Access-Intent": "ReadOnly", **headers},
        )
        return await retrying(lambda: self._send(request), self._paced(READ_RETRIES), clock=self._clock)

    async def _send(self, request: OutgoingRequest) -> IncomingResponse:
        response = await self._send_as(request, is_refused=False)
        if response.status == 401:  # a token may have ended early: one new one, then it is an answer
            response = await self._send_as(request, is_refused=True)
        if response.status >= 400:
            raise failure_of(response)
        return response

    async def _send_as(self, request: OutgoingRequest, *, is_refused: bool) -> IncomingResponse:
        proof = await self._authorize(is_refused)
        return await self._transport.send(
            OutgoingRequest(
                method=request.method, url=request.url, headers={**request.headers, **proof}, body=request.body
            )
        )

    def _paced(self, policy: RetryPolicy) -> RetryPolicy:
        return exponential_backoff(
            max_attempts=policy.max_attempts, predicate=policy.predicate, first_delay=self._first_delay
        )

    def _own(self, url: str) -> str:
        """A link of the service, which must not lead our token to another host."""
        ours, theirs = urlsplit(self.root), urlsplit(url)
        if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
            raise ConnectorRejectedError(f"the service links to another host ({theirs.netloc[:80]}); not followed")
        return url

    @staticmethod
    def _decoded(response: IncomingResponse) -> Any:
        try:
            return json.loads(response.body, parse_float=Decimal)
        except ValueError as error:
            raise ConnectorUnavailableError(
                "the service's answer is no JSON", was_sent=True, status=response.status
            ) from error


def failure_of(response: IncomingResponse) -> ConnectorUnavailableError | ConnectorRejectedError:
    """The error that a refused request stands for."""
    code, message = _reason(response)
    words = f"{message} ({code})" if code else message
    if response.status in BUSY:
        return ConnectorUnavailableError(
            words,
            was_sent=response.status != 429,
            status=response.status,
            retry_after=_seconds(response.headers.get("retry-after")),
        )
    kind = _KINDS.get(response.status, ConnectorRejectedError)
    if response.status >= 500:
        return ConnectorUnavailableError(words, was_sent=True, status=response.status)
    return kind(words, status=response.status, reason_code=code)


_KINDS: dict[int, type[ConnectorRejectedError]] = {
    401: AccessDeniedError,
    403: AccessDeniedError,
    404: MissingRecordError,
    409: RecordChangedError,
    412: RecordChangedError,
}


def _reason(response: IncomingResponse) -> tuple[str, str]:
    try:
        error = json.loads(response.body)["error"]
        return str(error.get("code", ""))[:200], str(error.get("message", ""))[:2_000]
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", f"the service answered with status {response.status}"


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:
        return None


def _as_json(value: Any) -> Any:
    if isinstance(value, Decimal):
        number = int(value) if value == value.to_integral_value() else float(value)
        if Decimal(repr(number)) != value:
            raise ConfigurationError(f"{value} has more digits than JSON can carry exactly")
        return number
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be sent")
