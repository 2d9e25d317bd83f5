"""What comes in and what goes out: one request and one response, free of any web server.

SandboxRequest.of("GET", "http://127.0.0.1:7048/v2.0/production/api/v2.0/companies")
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from batuta.sandbox.errors import BadRequestError, SandboxError

JSON_TYPE = "application/json; odata.metadata=minimal; odata.streaming=true"


@dataclass(frozen=True, kw_only=True)
class SandboxRequest:
    method: str
    path: str
    """As it was sent, still percent-encoded."""
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    body: bytes = b""
    origin: str = "http://sandbox.local"
    """Scheme and host under which the service was reached; links in answers begin with it."""
    client: str = "anonymous"
    """Who asks, as far as the transport knows: the limits count by it where there is no token."""

    @staticmethod
    def of(method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes = b"") -> "SandboxRequest":
        """A request from a whole URL, or from a path alone."""
        parts = urlsplit(url)
        lower = {name.lower(): value for name, value in (headers or {}).items()}
        origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"http://{lower.get('host', 'sandbox.local')}"
        return SandboxRequest(
            method=method.upper(), path=parts.path, query=parts.query, headers=lower, body=body, origin=origin
        )

    def header(self, name: str, default: str = "") -> str:
        return self.headers.get(name.lower(), default)

    def json(self) -> dict[str, Any]:
        """The body as a JSON object."""
        kind = self.header("content-type", "application/json").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise SandboxError(
                f"The content type '{kind[:60]}' is not supported: send JSON.", code="BadRequest", status=415
            )
        try:
            found = json.loads(self.body or b"{}", parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise BadRequestError("The body is not valid JSON.") from error
        if not isinstance(found, dict):
            raise BadRequestError("The body has to be a JSON object.")
        return found


@dataclass(frozen=True, kw_only=True)
class SandboxResponse:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delivered_bytes: int | None = None
    """A server sends so many bytes of the body and closes the connection; 0 closes it before the status."""

    @staticmethod
    def of_json(
        value: object, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})
    ) -> "SandboxResponse":
        body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        return SandboxResponse(status=status, headers={"Content-Type": JSON_TYPE, **headers}, body=body)

    def json(self) -> Any:
        """The body, parsed: for callers in Python."""
        return json.loads(self.body)


def reason_phrase(status: int) -> str:
    """The words that go with a status in HTTP."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _no_constant(name: str) -> float:
    raise ValueError(name)
