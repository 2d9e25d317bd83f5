"""An OData v4 client: addresses, pages, versions, errors. It knows the protocol and no particular service.

Reads are repeated when the service is busy, or an answer is lost or arrives in part. A write is repeated only where it
surely did not happen (no connection, 429); otherwise the lost answer is reported as `ConnectorUnavailableError` with
`was_sent`. Nothing is repeated beyond `PATIENCE`: a person waits for the answer.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urljoin, urlsplit

from batuta.connectors.http import HttpTransport, IncomingResponse, OutgoingRequest
from batuta.connectors.odata.filters import Filter, render
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import (
    AccessDeniedError,
    ConfigurationError,
    ConnectorRejectedError,
    ConnectorUnavailableError,
    MissingCompanyError,
    MissingRecordError,
    RecordChangedError,
)
from batuta.resilience.retry import RetryPolicy, exponential_backoff, retrying

T = TypeVar("T")

PAGE_SIZE = 5_000
BARE_JSON = "application/json;odata.metadata=none"
MAX_PAGES = 1_000
BATCH_SIZE = 100
"""Requests in one `$batch`: Business Central takes no more."""
MAX_ATTEMPTS = 5
MAX_RETRY_AFTER = timedelta(seconds=30)
PATIENCE = timedelta(seconds=90)
"""How long one request may be repeated in all."""
AT_ONCE = 5
"""Requests in work at the same time: Business Central works on so many of one user, and makes the others wait."""
FAILED_DEPENDENCY = 424
"""The status of a request of a batch that was taken back because another one failed."""
BUSY = frozenset({408, 429, 502, 503, 504})
_SAFE_IN_QUERY = "(),'$/:*-._~"

Page = tuple[str, list[dict[str, Any]]]
"""The address that gave some members of a collection, and the members."""

Authorize = Callable[[bool], Awaitable[Mapping[str, str]]]
"""The headers that prove who asks; with `True` the token of before was refused and a new one is needed."""


async def anonymous(is_refused: bool) -> Mapping[str, str]:
    """For services that ask nothing."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOptions:
    """The system query options of one read."""

    where: Filter | None = None
    select: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    expand: tuple[str, ...] = ()
    top: int | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    """Field to `Edm.Guid` and the like, where they are known."""
    is_bare: bool = False
    """Whether a list comes without what describes its members, such as their versions."""

    def as_text(self) -> str:
        """The part of an address behind the question mark."""
        options = {
            "$filter": "" if self.where is None else render(self.where, self.types),
            "$select": ",".join(self.select),
            "$orderby": ",".join(self.order_by),
            "$expand": ",".join(self.expand),
            "$top": "" if self.top is None else str(self.top),
        }
        given = {name: value for name, value in options.items() if value}
        return urlencode(given, safe=_SAFE_IN_QUERY, quote_via=quote)


@dataclass(frozen=True, slots=True, kw_only=True)
class ODataClientSettings:
    """How a service is asked."""

    page_size: int = PAGE_SIZE
    first_delay: timedelta = timedelta(seconds=1)
    """Before the second attempt; each further one waits twice as long."""
    read_headers: Mapping[str, str] = field(default_factory=dict)


class ODataClient:
    """Talks to one service root."""

    def __init__(
        self,
        root: str,
        transport: HttpTransport,
        *,
        authorize: Authorize = anonymous,
        clock: Clock = SYSTEM_CLOCK,
        settings: ODataClientSettings | None = None,
    ) -> None:
        self.root = root.rstrip("/")
        self._transport = transport
        self._authorize = authorize
        self._clock = clock
        settings = settings or ODataClientSettings()
        self._page_size = settings.page_size
        self._first_delay = settings.first_delay
        self._read_headers = {"Accept": "application/json", **settings.read_headers}
        self._places = asyncio.Semaphore(AT_ONCE)

    def url(self, path: str, options: QueryOptions | None = None) -> str:
        """The address of a path below the root."""
        query = "" if options is None else options.as_text()
        return f"{self.root}/{path}" + (f"?{query}" if query else "")

    async def read(self, path: str, options: QueryOptions | None = None) -> Any:
        """One document."""
        return await self._read(self.url(path, options), {}, decoded)

    async def read_text(self, path: str) -> str:
        """One document as it is, such as `$metadata` or a count."""
        return await self._read(self.url(path), {"Accept": "*/*"}, _text)

    async def count(self, path: str, options: QueryOptions | None = None) -> int:
        """How many members of a collection a filter finds."""
        return await self._read(self.url(f"{path}/$count", options), {"Accept": "*/*"}, _count)

    async def pages(self, path: str, options: QueryOptions) -> AsyncIterator[Page]:
        """The members of a collection with the address that gave them, following `@odata.nextLink`."""
        url = self.url(path, options)
        first = await self._read(url, self._list_headers(options), _collection)
        async for page in self._pages_from(url, first, options):
            yield page

    async def pages_together(self, asked: Sequence[tuple[str, QueryOptions]]) -> list[list[Page]]:
        """Several collections, each with its pages.

        Their first pages come in one `$batch` that reads one state of the books: between two requests of its own a
        posting could move an amount from one collection to another, and their sum would be a figure that never was.
        """
        urls = [self.url(path, options) for path, options in asked]
        found: list[list[Page]] = []
        for start in range(0, len(asked), BATCH_SIZE):
            part = slice(start, start + BATCH_SIZE)
            headers = [self._list_headers(options) for _, options in asked[part]]
            first_pages = await self._read_batch(urls[part], headers)
            for url, (_, options), first in zip(urls[part], asked[part], first_pages, strict=True):
                found.append([page async for page in self._pages_from(url, first, options)])
        return found

    async def _pages_from(self, url: str, document: dict[str, Any], options: QueryOptions) -> AsyncIterator[Page]:
        left = options.top
        seen = {url}
        while True:
            rows = document["value"]
            yield url, rows if left is None else rows[:left]
            left = None if left is None else left - len(rows)
            following = document.get("@odata.nextLink")
            if following is None or (left is not None and left <= 0):
                return
            url = self._own(urljoin(f"{self.root}/", str(following)))
            if url in seen or len(seen) >= MAX_PAGES:
                raise ConnectorUnavailableError("the service's pages never end", was_sent=True)
            seen.add(url)
            document = await self._read(url, self._list_headers(options), _collection)

    def _list_headers(self, options: QueryOptions) -> dict[str, str]:
        headers = {"Prefer": f"odata.maxpagesize={self._page_size}"}
        return headers | ({"Accept": BARE_JSON} if options.is_bare else {})

    async def _read_batch(self, urls: Sequence[str], headers: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
        """Lists by their addresses. One that fails is the failure of all: a sum of the others would be wrong."""
        requests = [
            {
                "id": str(place),
                "method": "GET",
                "url": url.removeprefix(f"{self.root}/"),
                "headers": {**self._read_headers, **own},
            }
            for place, (url, own) in enumerate(zip(urls, headers, strict=True))
        ]
        request = OutgoingRequest(
            method="POST",
            url=self.url("$batch"),
            headers={"Content-Type": "application/json", "Accept": "application/json", "Isolation": "snapshot"},
            body=json.dumps({"requests": requests}).encode(),
        )

        async def read() -> list[dict[str, Any]]:
            answers = _batch_answers(await self._send(request), now=self._clock.now())
            if set(answers) != {str(place) for place in range(len(urls))}:
                raise _truncated("the service did not answer every request of a batch")
            return [_list_of(answers[str(place)]) for place in range(len(urls))]

        return await retrying(read, self._patient(_is_unavailable), clock=self._clock)

    async def write(self, method: str, path: str, *, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Send a change; its answer as data, `None` if it has no body."""
        response = await self.send(method, path, body=body, headers=headers)
        return decoded(response) if response.body else None

    async def read_link(self, link: str) -> Any:
        """A document that the service named in a header or another document."""
        return await self._read(self._own(urljoin(f"{self.root}/", link)), {}, decoded)

    async def send(
        self, method: str, path: str, *, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> IncomingResponse:
        """Send a change; the answer as it came."""
        content = b"" if body is None else json.dumps(body, default=_as_json).encode()
        request = OutgoingRequest(
            method=method,
            url=self.url(path),
            headers={"Content-Type": "application/json", "Accept": "application/json", **(headers or {})},
            body=content,
        )
        return await retrying(lambda: self._send(request), self._patient(_did_not_happen), clock=self._clock)

    async def close(self) -> None:
        """Let go of connections."""
        await self._transport.close()

    async def _read(self, url: str, headers: Mapping[str, str], decode: Callable[[IncomingResponse], T]) -> T:
        """A read with its answer decoded; one that arrived in part is asked for again."""
        request = OutgoingRequest(
            method="GET",
            url=url,
            headers={**self._read_headers, **headers},
        )

        async def read() -> T:
            return decode(await self._send(request))

        return await retrying(read, self._patient(_is_unavailable), clock=self._clock)

    async def _send(self, request: OutgoingRequest) -> IncomingResponse:
        response = await self._send_as(request, is_refused=False)
        if response.status == 401:  # a token may have ended early: one new one, then it is an answer
            response = await self._send_as(request, is_refused=True)
        if response.status >= 300:
            raise failure_of(response, now=self._clock.now())
        return response

    async def _send_as(self, request: OutgoingRequest, *, is_refused: bool) -> IncomingResponse:
        proof = await self._authorize(is_refused)
        signed = replace(request, headers={**request.headers, **proof})
        async with self._places:
            return await self._transport.send(signed)

    def _patient(self, is_worth_repeating: Callable[[BaseException], bool]) -> RetryPolicy:
        """Try again while it makes sense, and while there is time left."""
        ends_at = self._clock.monotonic() + PATIENCE.total_seconds()
        return exponential_backoff(
            max_attempts=MAX_ATTEMPTS,
            max_retry_after=MAX_RETRY_AFTER,
            first_delay=self._first_delay,
            predicate=lambda error: is_worth_repeating(error) and self._clock.monotonic() < ends_at,
        )

    def _own(self, url: str) -> str:
        """A link of the service, which must not lead our token to another host."""
        ours, theirs = urlsplit(self.root), urlsplit(url)
        if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
            raise ConnectorRejectedError(f"the service links to another host ({theirs.netloc[:80]}); not followed")
        return url


def _is_unavailable(error: BaseException) -> bool:
    return isinstance(error, ConnectorUnavailableError)


def _did_not_happen(error: BaseException) -> bool:
    return isinstance(error, ConnectorUnavailableError) and not error.was_sent


def decoded(response: IncomingResponse) -> Any:
    """The body of an answer as data, amounts as decimals. Raises `ConnectorUnavailableError` for a part of one."""
    try:
        return json.loads(response.body, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        if "html" in response.headers.get("content-type", ""):
            raise ConnectorRejectedError(
                "a web page answered instead of the service", status=response.status, reason_code=ROUTING
            ) from error
        raise _truncated("the service's answer is no whole JSON") from error


def _collection(response: IncomingResponse) -> dict[str, Any]:
    return _list_of(decoded(response))


def _list_of(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict) or not isinstance(document.get("value"), list):
        raise _truncated("the service did not answer with a list")
    return document


def _batch_answers(response: IncomingResponse, *, now: datetime) -> dict[str, Any]:
    """The bodies of a batch by the ids of its requests. Raises the failure of the first that did not succeed."""
    document = decoded(response)
    answers = document.get("responses") if isinstance(document, dict) else None
    if not isinstance(answers, list) or not all(
        isinstance(one, dict) and isinstance(one.get("status"), int) and "id" in one for one in answers
    ):
        raise _truncated("the service did not answer with a batch")
    for one in answers:
        if one["status"] >= 300 and one["status"] != FAILED_DEPENDENCY:
            headers = {str(name).lower(): str(value) for name, value in (one.get("headers") or {}).items()}
            body = json.dumps(one.get("body"), default=str).encode()
            raise failure_of(IncomingResponse(status=one["status"], headers=headers, body=body), now=now)
    return {str(one["id"]): one.get("body") for one in answers}


def _truncated(message: str) -> ConnectorUnavailableError:
    return ConnectorUnavailableError(message, was_sent=True, reason_code="truncated")


def _text(response: IncomingResponse) -> str:
    try:
        return response.body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _truncated("the service's answer is no whole text") from error


def _count(response: IncomingResponse) -> int:
    text = _text(response).strip()
    if not text.isdecimal():
        raise _truncated("the service did not answer with a count")
    return int(text)


ROUTING = "routing"
"""Our reason code for an address behind which there is no such service."""


def failure_of(
    response: IncomingResponse, *, now: datetime | None = None
) -> ConnectorUnavailableError | ConnectorRejectedError:
    """The error that a refused request stands for. `now` is needed to read a `Retry-After` that is a date."""
    code, message = _reason(response)
    words = f"{message} ({code})" if code else message
    if response.status < 400:
        target = urlsplit(response.headers.get("location", "")).netloc[:80] or "another address"
        return ConnectorRejectedError(
            f"the service sends us on to {target}; not followed", status=response.status, reason_code=ROUTING
        )
    if response.status in BUSY:
        return ConnectorUnavailableError(
            words,
            was_sent=response.status != 429,
            status=response.status,
            retry_after=_seconds(response.headers.get("retry-after"), now),
            reason_code=code,
        )
    if response.status >= 500:
        return ConnectorUnavailableError(words, was_sent=True, status=response.status, reason_code=code)
    kind = _CODES.get(code) or _KINDS.get(response.status, ConnectorRejectedError)
    return kind(words, status=response.status, reason_code=code or (ROUTING if response.status == 404 else ""))


_CODES: dict[str, type[ConnectorRejectedError]] = {"Internal_CompanyNotFound": MissingCompanyError}
"""Codes of Business Central that say more than their status."""


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
        message = _CORRELATION.sub("", str(error.get("message", "")))[:2_000]
        return str(error.get("code", ""))[:200], message
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "", f"the service answered with status {response.status}"


_CORRELATION = re.compile(r"\s*CorrelationId:\s*[0-9a-fA-F-]{36}\.?")
"""Behind every message of Business Central; it means something to its telemetry only."""


def _seconds(header: str | None, now: datetime | None) -> float | None:
    """`Retry-After`: seconds, or a date."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return None if now is None else max(0.0, (parsedate_to_datetime(header) - now).total_seconds())
    except (ValueError, TypeError):
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
