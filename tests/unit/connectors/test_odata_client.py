"""The OData client over a real socket: pages, versions, busy services, lost answers, foreign links."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest
from aiohttp import web

from batuta.connectors.http import AiohttpTransport, IncomingResponse, OutgoingRequest
from batuta.connectors.odata.client import AT_ONCE, ODataClient, ODataClientSettings, QueryOptions
from batuta.kernel.errors import (
    AccessDeniedError,
    ConnectorRejectedError,
    ConnectorUnavailableError,
    MissingCompanyError,
    MissingRecordError,
    RecordChangedError,
)
from batuta.testing.clock import FakeClock

Answer = Callable[[web.BaseRequest], web.Response]


class Service:
    """Plays answers in order and keeps what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        self.requests.append((request.method, request.path_qs, dict(request.headers), body))
        return self.answers.pop(0)(request)


@asynccontextmanager
async def served(service: Service) -> AsyncIterator[ODataClient]:
    runner = web.ServerRunner(web.Server(service))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    settings = ODataClientSettings(read_headers={"Data-Access-Intent": "ReadOnly"})
    client = ODataClient(f"http://127.0.0.1:{port}/api", AiohttpTransport(), clock=FakeClock(), settings=settings)
    try:
        yield client
    finally:
        await client.close()
        await runner.cleanup()


def document(status: int = 200, headers: dict[str, str] | None = None, **body: Any) -> Answer:
    return lambda _: web.json_response(body, status=status, headers=headers)


def page(rows: list[Any], link: str | None = None) -> Answer:
    body = {"value": rows} | ({} if link is None else {"@odata.nextLink": link})
    return lambda _: web.json_response(body)


def refused(status: int, code: str, headers: dict[str, str] | None = None) -> Answer:
    return document(status, headers, error={"code": code, "message": "no"})


def lost(request: web.BaseRequest) -> web.Response:
    """The request was read, and the connection is gone before an answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def rows(client: ODataClient, options: QueryOptions | None = None) -> list[Any]:
    found: list[Any] = []
    async for _, page in client.pages("customers", options or QueryOptions()):
        found += page
    return found


async def test_pages_are_followed_to_the_last_link() -> None:
    """A-2: paging by `@odata.nextLink`, relative or absolute, with the page size asked for."""
    service = Service(page([{"n": 1}], "customers?$skiptoken=1"), page([{"n": 2}]))
    async with served(service) as client:
        assert await rows(client) == [{"n": 1}, {"n": 2}]
    assert service.requests[1][1] == "/api/customers?$skiptoken=1"
    assert "odata.maxpagesize" in service.requests[0][2]["Prefer"]
    assert service.requests[0][2]["Data-Access-Intent"] == "ReadOnly"


async def test_a_link_to_another_host_is_not_followed() -> None:
    """The token goes to one host only."""
    service = Service(page([], "http://127.0.0.2:1/steal"))
    async with served(service) as client:
        with pytest.raises(ConnectorRejectedError, match="another host"):
            await rows(client)


ASKED = [("invoices", QueryOptions(select=("n",))), ("memos", QueryOptions(top=5, is_bare=True))]


def batch(*answers: dict[str, Any]) -> Answer:
    """Each with the id of the request it answers, the last one first: an order is not promised."""
    numbered = [{"id": str(place), "status": 200, **one} for place, one in enumerate(answers)]
    return document(responses=numbered[::-1])


def listed(*numbers: int, link: str | None = None) -> dict[str, Any]:
    return {"body": {"value": [{"n": each} for each in numbers]} | ({} if link is None else {"@odata.nextLink": link})}


async def test_several_lists_come_in_one_batch_of_one_state() -> None:
    """A-2: what one figure is added up from is read in one transaction; further pages are followed."""
    service = Service(batch(listed(1, link="invoices?more"), listed(3)), page([{"n": 2}]))
    async with served(service) as client:
        found = await client.pages_together(ASKED)
    assert [[row["n"] for _, rows in pages for row in rows] for pages in found] == [[1, 2], [3]]
    method, path, headers, body = service.requests[0]
    assert (method, path, headers["Isolation"]) == ("POST", "/api/$batch", "snapshot")
    asked = json.loads(body)["requests"]
    assert [one["url"] for one in asked] == ["invoices?$select=n", "memos?$top=5"]
    assert all(one["headers"]["Data-Access-Intent"] == "ReadOnly" for one in asked)
    assert service.requests[1][1] == "/api/invoices?more"


@pytest.mark.parametrize(
    "answer",
    [
        batch(listed(1), {"status": 503, "body": {"error": {"code": "Busy", "message": "no"}}}),
        batch(listed(1)),
        batch(listed(1), {"body": {}}),
        document(responses=[{"id": "0"}]),
        document(value=[]),
    ],
    ids=["a part is busy", "a part is missing", "a part is no list", "no status", "no batch"],
)
async def test_a_batch_that_is_not_whole_is_asked_for_again(answer: Answer) -> None:
    """A part of it would be a wrong figure."""
    service = Service(answer, batch(listed(1), listed(2)))
    async with served(service) as client:
        found = await client.pages_together(ASKED)
    assert [[row["n"] for _, rows in pages for row in rows] for pages in found] == [[1], [2]]


async def test_a_part_of_a_batch_that_is_refused_refuses_it() -> None:
    """The reason is that of the part, not of those that were taken back with it."""
    refusal = {"status": 404, "body": {"error": {"code": "Internal_CompanyNotFound", "message": "gone"}}}
    service = Service(batch({"status": 424, "body": {"error": {"code": "x", "message": "taken back"}}}, refusal))
    async with served(service) as client:
        with pytest.raises(MissingCompanyError, match="gone"):
            await client.pages_together(ASKED)


async def test_a_link_that_comes_back_ends_with_an_error() -> None:
    service = Service(*[page([{"n": 1}], "customers") for _ in range(3)])
    async with served(service) as client:
        with pytest.raises(ConnectorUnavailableError, match="never end"):
            await rows(client)


async def test_a_limit_asks_no_further() -> None:
    service = Service(page([{"n": 1}, {"n": 2}, {"n": 3}], "customers?more"))
    async with served(service) as client:
        assert await rows(client, QueryOptions(top=2)) == [{"n": 1}, {"n": 2}]


async def test_amounts_are_decimals_not_floats() -> None:
    service = Service(lambda _: web.Response(body=b'{"value": [{"a": 0.1}, {"a": 1234567890123.45}]}'))
    async with served(service) as client:
        assert [row["a"] for row in await rows(client)] == [Decimal("0.1"), Decimal("1234567890123.45")]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_busy_service_is_asked_again_when_it_says(status: int) -> None:
    service = Service(refused(status, "Busy", {"Retry-After": "7"}), page([{"n": 1}]))
    async with served(service) as client:
        assert await rows(client) == [{"n": 1}]


async def test_a_storm_of_refusals_ends() -> None:
    """Five times, then the caller is told."""
    service = Service(*[refused(429, "Busy") for _ in range(9)])
    async with served(service) as client:
        with pytest.raises(ConnectorUnavailableError):
            await rows(client)
    assert len(service.requests) == 5


async def test_a_wait_that_is_too_long_is_not_waited_for() -> None:
    """A person sits before it: they are told how long the service wants to be left alone."""
    service = Service(refused(429, "Busy", {"Retry-After": "600"}), page([]))
    async with served(service) as client:
        with pytest.raises(ConnectorUnavailableError, match="asks to wait 600 s"):
            await rows(client)
    assert len(service.requests) == 1


async def test_a_wait_may_be_a_date() -> None:
    """FakeClock begins on 1 January 2026; the second answer asks for twelve seconds more."""
    service = Service(refused(503, "Busy", {"Retry-After": "Thu, 01 Jan 2026 00:00:12 GMT"}), page([{"n": 1}]))
    clock = FakeClock()
    async with served(service) as plain:
        client = ODataClient(plain.root, AiohttpTransport(), clock=clock)
        assert await rows(client) == [{"n": 1}]
        await client.close()
    assert clock.sleeps == [12.0]


class CountingTransport:
    """Knows how many requests were in work at once."""

    def __init__(self) -> None:
        self.at_work = self.most = 0

    async def send(self, request: OutgoingRequest) -> IncomingResponse:
        self.at_work += 1
        self.most = max(self.most, self.at_work)
        await asyncio.sleep(0)
        self.at_work -= 1
        return IncomingResponse(status=200, headers={}, body=b"{}")

    async def close(self) -> None:
        pass


async def test_no_more_requests_are_in_work_than_the_service_takes() -> None:
    transport = CountingTransport()
    client = ODataClient("http://x/api", transport)
    await asyncio.gather(*(client.read("customers") for _ in range(20)))
    assert transport.most == AT_ONCE


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: web.Response(status=302, headers={"Location": "https://login.example/x"}),
        lambda _: web.Response(body=b"<html>Welcome</html>", content_type="text/html"),
        lambda _: web.Response(status=404, body=b"<html>Nothing</html>", content_type="text/html"),
    ],
    ids=["sent on", "a web page", "nothing there"],
)
async def test_an_address_that_is_no_service_is_said_at_once(answer: Answer) -> None:
    service = Service(answer, page([]))
    async with served(service) as client:
        with pytest.raises(ConnectorRejectedError) as caught:
            await rows(client)
    assert caught.value.reason_code == "routing"
    assert len(service.requests) == 1


async def test_a_lost_read_is_repeated() -> None:
    service = Service(lost, page([{"n": 1}]))
    async with served(service) as client:
        assert await rows(client) == [{"n": 1}]


@pytest.mark.parametrize("answer", [lost, refused(500, "Unknown"), refused(503, "Busy")])
async def test_a_write_whose_answer_is_lost_is_not_repeated(answer: Answer) -> None:
    """It may have happened: the caller has to find out."""
    service = Service(answer, document(201, id="1"))
    async with served(service) as client:
        with pytest.raises(ConnectorUnavailableError) as caught:
            await client.write("POST", "customers", body={"displayName": "x"})
    assert caught.value.was_sent
    assert len(service.requests) == 1


async def test_a_write_that_was_refused_for_its_rate_is_repeated() -> None:
    """429 means that it was not carried out."""
    service = Service(refused(429, "Busy", {"Retry-After": "1"}), document(201, id="1"))
    async with served(service) as client:
        assert await client.write("POST", "customers", body={"a": Decimal("12.50")}) == {"id": "1"}
    assert json.loads(service.requests[1][3]) == {"a": 12.5}


async def test_an_unreachable_service_was_not_sent_anything() -> None:
    client = ODataClient("http://127.0.0.1:9/api", AiohttpTransport(), clock=FakeClock())
    with pytest.raises(ConnectorUnavailableError) as caught:
        await client.write("POST", "customers", body={})
    assert not caught.value.was_sent
    await client.close()


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (400, "BadRequest_InvalidRequestUrl", ConnectorRejectedError),
        (403, "Authorization_RequestDenied", AccessDeniedError),
        (404, "Internal_RecordNotFound", MissingRecordError),
        (409, "Request_EntityChanged", RecordChangedError),
        (412, "Request_EntityChanged", RecordChangedError),
    ],
)
async def test_a_refusal_keeps_the_services_code_and_words(status: int, code: str, error: type[Exception]) -> None:
    service = Service(refused(status, code))
    async with served(service) as client:
        with pytest.raises(error, match=code):
            await client.read("customers(1)")


async def test_a_token_that_ended_early_is_renewed_once() -> None:
    asked: list[bool] = []

    async def authorize(is_refused: bool) -> dict[str, str]:
        asked.append(is_refused)
        return {"Authorization": f"Bearer {len(asked)}"}

    service = Service(refused(401, "Authentication_InvalidCredentials"), page([]))
    async with served(service) as plain:
        client = ODataClient(plain.root, AiohttpTransport(), authorize=authorize, clock=FakeClock())
        await rows(client)
        await client.close()
    assert asked == [False, True]


@pytest.mark.parametrize("body", [b"<html>", b'{"value": {}}', b"[]", b""])
async def test_an_answer_of_the_wrong_form_is_said(body: bytes) -> None:
    service = Service(*[lambda _, body=body: web.Response(body=body) for _ in range(5)])
    async with served(service) as client:
        with pytest.raises(ConnectorUnavailableError):
            await rows(client)
