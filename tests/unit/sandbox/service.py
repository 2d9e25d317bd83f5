"""A small sandbox for tests: two companies, a few records, and a client that speaks to it without a socket."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import quote

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.media import with_media
from batuta.sandbox.platform_sets import with_platform_sets
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.service import Sandbox, SandboxSettings

COMPANY = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
ROOT = "/v2.0/tenant/production/api/v2.0"
EVERY_ROW = {"If-Match": "*"}


class ApiClient:
    """Sends requests to a sandbox in process."""

    def __init__(
        self, settings: SandboxSettings | None = None, behaviour: Behaviour | None = None, **seams: Any
    ) -> None:
        self.behaviour = with_media(with_platform_sets(behaviour or Behaviour()))
        self.store = SandboxStore(behaviour=self.behaviour, today=date(2026, 6, 30))
        self.records = self.store.records(COMPANY)
        beside = self.store.records("")
        beside.insert("companies", {"id": COMPANY, "name": "ALPHA", "displayName": "Alpha"})
        beside.insert("companies", {"id": OTHER, "name": "BETA", "displayName": "Beta"})
        self.sandbox = Sandbox(self.store, self.behaviour, settings, **seams)

    def send(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> SandboxResponse:
        """A request below the company; a path that begins with a slash is taken from the host."""
        whole = path if path.startswith("/") else f"{ROOT}/companies({COMPANY})/{path}"
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self.sandbox.handle(SandboxRequest.of(method, whole, headers, raw))

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Any:
        """The body of a successful read."""
        response = self.send("GET", path, headers=headers)
        assert response.status == 200, response.body
        return response.json()

    def find(self, set_name: str, test: str, more: str = "") -> list[dict[str, Any]]:
        """The rows that pass a filter."""
        rows: list[dict[str, Any]] = self.get(f"{set_name}?$filter={quote(test)}{more}")["value"]
        return rows

    def refusal(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """The status and the code of a refused request."""
        response = self.send(method, path, body, headers)
        assert response.status >= 400, response.body
        return response.status, response.json()["error"]["code"]
