"""Webhooks over real sockets: a receiver repeats the token, and is told of a change."""

import json
import queue
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest

from batuta.sandbox.service import SandboxSettings
from batuta.sandbox.serving import SandboxServer
from batuta.sandbox.webhooks import WebhookSettings
from tests.unit.sandbox.service import COMPANY, ApiClient

Told = queue.Queue[dict[str, str]]


@pytest.fixture
def receiver() -> Iterator[tuple[str, Told]]:
    told: Told = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            token = parse_qs(urlsplit(self.path).query).get("validationToken", [""])[0]
            for each in json.loads(body)["value"] if body else []:
                told.put(each)
            self.send_response(200)
            self.send_header("Content-Length", str(len(token)))
            self.end_headers()
            self.wfile.write(token.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/hook", told
    server.shutdown()
    server.server_close()
    thread.join()


def post(url: str, body: object) -> int:
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as answer:
        return int(answer.status)


def test_a_change_reaches_the_receiver(receiver: tuple[str, Told]) -> None:
    address, told = receiver
    settings = SandboxSettings(webhooks=WebhookSettings(delay=timedelta(milliseconds=100)))
    with SandboxServer(ApiClient(settings).sandbox) as server:
        customers = f"companies({COMPANY})/customers"
        body = {"notificationUrl": address, "resource": f"/api/v2.0/{customers}", "clientState": "mine"}
        assert post(f"{server.api_url}/subscriptions", body) == 201
        assert post(f"{server.api_url}/{customers}", {"displayName": "Acme"}) == 201
        notified = told.get(timeout=60)
    assert (notified["changeType"], notified["clientState"]) == ("created", "mine")
    assert notified["resource"].startswith(f"api/v2.0/{customers}(")
