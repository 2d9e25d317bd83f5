"""The sandbox behind a socket: HTTP of the standard library, and WSGI."""

import http.client
import io
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from batuta.sandbox.serving import SandboxServer, wsgi_app
from tests.unit.sandbox.service import COMPANY, ApiClient

CUSTOMERS = f"/api/v2.0/companies({COMPANY})/customers"


@pytest.fixture
def connection() -> Iterator[http.client.HTTPConnection]:
    with SandboxServer(ApiClient().sandbox) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
        yield connection
        connection.close()


def test_a_connection_carries_several_requests(connection: http.client.HTTPConnection) -> None:
    connection.request("POST", CUSTOMERS, json.dumps({"displayName": "Peña"}), {"Content-Type": "application/json"})
    created = connection.getresponse()
    assert (created.status, json.loads(created.read())["displayName"]) == (201, "Peña")
    connection.request("GET", f"{CUSTOMERS}?$filter=contains(displayName,%27%C3%B1%27)")
    found = connection.getresponse()
    assert len(json.loads(found.read())["value"]) == 1
    assert found.headers["OData-Version"] == "4.0"


def test_links_lead_back_to_the_server(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", CUSTOMERS)
    context = json.loads(connection.getresponse().read())["@odata.context"]
    assert context.startswith(f"http://{connection.host}:{connection.port}/api/v2.0/$metadata#")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_another_name_for_this_machine_is_refused(connection: http.client.HTTPConnection, host: str) -> None:
    """A page in a browser may point a name of its own at the loopback address."""
    connection.request("GET", CUSTOMERS, headers={"Host": host})
    assert connection.getresponse().status == 421


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("null", 403), ("http://127.0.0.1.evil.example", 403), ("http://localhost:3", 200)],
)
def test_a_page_of_another_site_cannot_post(connection: http.client.HTTPConnection, origin: str, status: int) -> None:
    """A browser sends a POST without asking first; the sandbox looks where the page came from."""
    connection.request("GET", CUSTOMERS, headers={"Origin": origin})
    assert connection.getresponse().status == status


def test_many_clients_at_once_get_what_they_ask_for() -> None:
    """Eight threads create, change and page; every record is there once, with the last change that was accepted."""
    with SandboxServer(ApiClient().sandbox) as server:
        place = server.url.removeprefix("http://")
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda worker: write_and_read(place, worker), range(8)))
        connection = http.client.HTTPConnection(place, timeout=30)
        rows = sent(connection, "GET", f"{CUSTOMERS}?$orderby=number")["value"]
        connection.close()
    assert [(row["number"], row["city"]) for row in rows] == [
        (f"{worker}-{number}", "Vigo") for worker in range(8) for number in range(10)
    ]


def write_and_read(place: str, worker: int) -> None:
    connection = http.client.HTTPConnection(place, timeout=30)
    for number in range(10):
        row = sent(connection, "POST", CUSTOMERS, {"displayName": "x", "number": f"{worker}-{number}"})
        tag = {"If-Match": row["@odata.etag"]}
        sent(connection, "PATCH", f"{CUSTOMERS}({row['id']})", {"city": "Vigo"}, tag)
        sent(connection, "GET", f"{CUSTOMERS}?$top=5&$count=true")
    connection.close()


def sent(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: object = None,
    headers: dict[str, str] | None = None,
) -> Any:
    connection.request(method, path, None if body is None else json.dumps(body), headers or {})
    response = connection.getresponse()
    content = response.read()
    assert response.status < 300, content
    return json.loads(content)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Length": "999999999999"}, 413),
        ({"Content-Length": "-5"}, 400),
        ({"Content-Length": "x"}, 400),
        ({"Transfer-Encoding": "chunked", "Content-Length": "3"}, 400),
        ({"Transfer-Encoding": "gzip"}, 501),
    ],
)
def test_a_body_of_unclear_or_huge_length_is_not_read(
    connection: http.client.HTTPConnection, headers: dict[str, str], status: int
) -> None:
    connection.putrequest("POST", CUSTOMERS)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == status


def test_the_same_sandbox_is_a_wsgi_application() -> None:
    application = wsgi_app(ApiClient().sandbox)
    started: list[Any] = []
    body = json.dumps({"displayName": "Acme"}).encode()
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": CUSTOMERS,
        "wsgi.input": io.BytesIO(body),
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": "application/json",
    }
    setup_testing_defaults(environ)
    answer = b"".join(application(environ, lambda status, headers: started.append((status, dict(headers)))))
    assert started[0][0] == "201 Created"
    assert json.loads(answer)["displayName"] == "Acme"
    assert started[0][1]["Content-Length"] == str(len(answer))


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("executed-dropped", http.client.RemoteDisconnected),
        ("executed-cut", http.client.IncompleteRead),
        ("executed-truncated", ValueError),
    ],
)
def test_an_answer_can_get_lost_after_the_change(name: str, error: type[Exception]) -> None:
    """What a client has to reckon with: it is done, and nothing or half of the answer arrives."""
    client = ApiClient()
    with SandboxServer(client.sandbox) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
        headers = {"Content-Type": "application/json", "X-Sandbox-Fault": name}
        connection.request("POST", CUSTOMERS, json.dumps({"displayName": "Peña"}), headers)
        with pytest.raises(error):
            json.loads(connection.getresponse().read())
        connection.close()
    assert [row["displayName"] for row in client.get("customers")["value"]] == ["Peña"]


def talked(place: str, raw: bytes) -> tuple[int, dict[str, str], bytes]:
    """The answer to bytes that no client library would send."""
    host, _, port = place.partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as plug:
        plug.sendall(raw)
        plug.shutdown(socket.SHUT_WR)
        response = http.client.HTTPResponse(plug)
        response.begin()
        return response.status, dict(response.headers), response.read()


def place_of(connection: http.client.HTTPConnection) -> str:
    return f"{connection.host}:{connection.port}"


def test_a_body_in_chunks_is_read(connection: http.client.HTTPConnection) -> None:
    """Clients that stream their body do not know its length; the next request on the connection is read as well."""
    pieces = iter([b'{"display', b'Name": "Pe', "ña".encode(), b'"}'])
    connection.request("POST", CUSTOMERS, pieces, {"Content-Type": "application/json"}, encode_chunked=True)
    created = connection.getresponse()
    assert (created.status, json.loads(created.read())["displayName"]) == (201, "Peña")
    connection.request("GET", f"{CUSTOMERS}/$count")
    assert connection.getresponse().read() == b"1"


HEAD = f"POST {CUSTOMERS} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n".encode()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'17;name=value\r\n{"displayName": "Acme"}\r\n0\r\nX-Sum: 1\r\n\r\n', 201),
        (b"x\r\n", 400),
        (b"\r\n", 400),
        (b"-5\r\n", 400),
        (b"2\r\n{}x", 400),
        (b"5\r\n{}", 400),
        (b"2\r\n{}\r\n", 400),
        (b"2\r\n{}\r\n0\r\nno trailer\r\n\r\n", 400),
        (b"2\r\n{}\r\n0\r\n" + b"a: b\r\n" * 100 + b"\r\n", 400),
        (b"1" * 20 + b"\r\n", 400),
        (b"2" + b";" + b"x" * 5000 + b"\r\n{}\r\n0\r\n\r\n", 400),
        (b"FFFFFFFFFF\r\n", 413),
    ],
)
def test_chunks_that_are_wrong_or_too_large_are_refused(
    connection: http.client.HTTPConnection, body: bytes, status: int
) -> None:
    found, _, content = talked(place_of(connection), HEAD + body)
    assert found == status, content
    assert status == 201 or json.loads(content)["error"]["code"].startswith("BadRequest")


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PROPFIND", "BREW", "PUT"])
def test_a_method_that_does_not_fit_is_refused_with_those_that_do(
    connection: http.client.HTTPConnection, method: str
) -> None:
    connection.request(method, CUSTOMERS)
    response = connection.getresponse()
    assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD, POST")
    assert json.loads(response.read())["error"]["code"] == "BadRequest_MethodNotAllowed"


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", 505),
        (b"GET / HTTP/x\r\nHost: localhost\r\n\r\n", 400),
        (b"GET  too many words HTTP/1.1\r\n\r\n", 400),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"X-Many: 1\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nX-Long: " + b"a" * 70_000 + b"\r\n\r\n", 431),
    ],
)
def test_what_is_no_request_is_refused_as_the_api_refuses(
    connection: http.client.HTTPConnection, raw: bytes, status: int
) -> None:
    found, headers, body = talked(place_of(connection), raw)
    assert (found, headers["Connection"]) == (status, "close")
    assert "CorrelationId" in json.loads(body)["error"]["message"]


def test_a_wsgi_server_that_takes_chunks_apart_needs_no_length() -> None:
    application = wsgi_app(ApiClient().sandbox)
    started: list[str] = []
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": CUSTOMERS,
        "wsgi.input": io.BytesIO(b'{"displayName": "Acme"}'),
        "wsgi.input_terminated": True,
        "CONTENT_TYPE": "application/json",
    }
    setup_testing_defaults(environ)
    application(environ, lambda status, headers: started.append(status))
    assert started == ["201 Created"]
