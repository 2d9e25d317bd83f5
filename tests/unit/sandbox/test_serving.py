"""The sandbox behind a socket: HTTP of the standard library, and WSGI."""

import http.client
import io
import json
from collections.abc import Iterator
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from batuta.sandbox.serving import SandboxServer, wsgi_app
from tests.unit.sandbox.service import COMPANY, ApiClient

CUSTOMERS = f"/api/v2.0/companies({COMPANY})/customers"


@pytest.fixture
def connection() -> Iterator[http.client.HTTPConnection]:
    with SandboxServer(ApiClient().sandbox) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)
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
    ("headers", "status"),
    [
        ({"Content-Length": "999999999999"}, 413),
        ({"Content-Length": "-5"}, 411),
        ({"Content-Length": "x"}, 411),
        ({"Transfer-Encoding": "chunked"}, 411),
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
