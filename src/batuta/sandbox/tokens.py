"""OAuth2 client credentials: short-lived bearer tokens, signed with a key that lives as long as the service.

POST /{tenant}/oauth2/v2.0/token   grant_type=client_credentials&client_id=…&client_secret=…&scope=…
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final
from urllib.parse import parse_qs

from batuta.sandbox.errors import SandboxError
from batuta.sandbox.requests import SandboxRequest, SandboxResponse

SCOPE: Final = "https://api.businesscentral.dynamics.com/.default"


class TokenIssuer:
    """Issues and checks tokens for the registered clients; without any client no token is needed."""

    def __init__(
        self, clients: Mapping[str, str], *, key: bytes, clock: Callable[[], float], lifetime: timedelta
    ) -> None:
        self._clients = dict(clients)
        self._key = key
        self._clock = clock
        self._lifetime = lifetime

    @property
    def is_required(self) -> bool:
        return bool(self._clients)

    def issue(self, request: SandboxRequest) -> SandboxResponse:
        """Answer a token request in the form of the OAuth2 specification."""
        if request.method != "POST":
            return _refused("invalid_request", "Send the credentials with POST.", 405)
        try:
            form = parse_qs(request.body.decode("utf-8"), max_num_fields=20)
        except ValueError:
            return _refused("invalid_request", "The body is not a form.", 400)
        if _field(form, "grant_type") != "client_credentials":
            return _refused("unsupported_grant_type", "Only client_credentials is supported.", 400)
        client = _field(form, "client_id")
        if self.is_required and not self._is_known(client, _field(form, "client_secret")):
            return _refused("invalid_client", "The client id or the secret is wrong.", 401)
        seconds = int(self._lifetime.total_seconds())
        token = self._sign({"sub": client or "anonymous", "exp": self._clock() + seconds})
        return SandboxResponse.of_json({"token_type": "Bearer", "expires_in": seconds, "access_token": token})

    def client_of(self, request: SandboxRequest) -> str:
        """Who sends a request; 401 without a valid token where clients are registered."""
        kind, _, token = request.header("authorization").partition(" ")
        if kind.lower() != "bearer" or not token:
            if self.is_required:
                raise _unauthenticated("The request carries no bearer token.")
            return request.client
        claims = self._verified(token.strip())
        if claims is None:
            if self.is_required:
                raise _unauthenticated("The bearer token is not valid, or has expired.")
            return request.client
        return claims

    def _is_known(self, client: str, secret: str) -> bool:
        expected = self._clients.get(client, "")
        return hmac.compare_digest(expected.encode(), secret.encode()) and client in self._clients

    def _sign(self, claims: Mapping[str, object]) -> str:
        body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode()
        return f"{body}.{self._signature(body)}"

    def _signature(self, body: str) -> str:
        digest = hmac.new(self._key, body.encode("utf-8", "replace"), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def _verified(self, token: str) -> str | None:
        body, _, signature = token.partition(".")
        if not hmac.compare_digest(self._signature(body).encode(), signature.encode("utf-8", "replace")):
            return None
        try:
            claims = json.loads(base64.urlsafe_b64decode(body))
        except (ValueError, binascii.Error):
            return None
        return str(claims["sub"]) if claims["exp"] > self._clock() else None


def _field(form: Mapping[str, list[str]], name: str) -> str:
    return form.get(name, [""])[0]


def _refused(error: str, description: str, status: int) -> SandboxResponse:
    return SandboxResponse.of_json({"error": error, "error_description": description}, status)


def _unauthenticated(message: str) -> SandboxError:
    return SandboxError(message, code="Authentication_InvalidCredentials", status=401)
