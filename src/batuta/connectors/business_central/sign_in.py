"""OAuth2 client credentials: one token for all calls until shortly before it ends."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from batuta.connectors.http import HttpTransport, OutgoingRequest
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import AccessDeniedError, ConnectorUnavailableError

SCOPE = "https://api.businesscentral.dynamics.com/.default"
MARGIN_SECONDS = 120.0
"""A token is renewed so long before it ends, so that none ends on its way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCredentials:
    """How a program proves who it is."""

    token_url: str
    client_id: str
    client_secret: str = field(repr=False)
    scope: str = SCOPE


class TokenSource:
    """Gives the authorization header; asks for a token when there is none, when it ends, and when it was refused."""

    def __init__(
        self, credentials: ClientCredentials, transport: HttpTransport, *, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._credentials = credentials
        self._transport = transport
        self._clock = clock
        self._token = ""
        self._ends_at = 0.0
        self._lock = asyncio.Lock()

    async def headers(self, is_refused: bool) -> Mapping[str, str]:
        """The header of one call; `is_refused` says that the last token was not accepted."""
        refused = self._token if is_refused else ""
        async with self._lock:  # concurrent calls share one new token
            if self._token in ("", refused) or self._clock.monotonic() >= self._ends_at:
                await self._renew()
        return {"Authorization": f"Bearer {self._token}"}

    async def _renew(self) -> None:
        form = {
            "grant_type": "client_credentials",
            "client_id": self._credentials.client_id,
            "client_secret": self._credentials.client_secret,
            "scope": self._credentials.scope,
        }
        response = await self._transport.send(
            OutgoingRequest(
                method="POST",
                url=self._credentials.token_url,
                headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
                body=urlencode(form).encode(),
            )
        )
        try:
            answer = json.loads(response.body)
        except ValueError:
            answer = {}
        if response.status >= 500:
            raise ConnectorUnavailableError(
                "the sign-in service is unavailable", was_sent=False, status=response.status
            )
        if response.status >= 400 or not isinstance(answer.get("access_token"), str):
            raise AccessDeniedError(_advice(answer), status=response.status, reason_code=str(answer.get("error", "")))
        self._token = answer["access_token"]
        self._ends_at = self._clock.monotonic() + max(0.0, float(answer.get("expires_in", 3600)) - MARGIN_SECONDS)


_ADVICE = {
    "invalid_client": "the client id or secret is wrong, or the secret has ended; make a new secret in Entra ID",
    "unauthorized_client": "the app is not known in this tenant; check the tenant id and grant admin consent",
    "invalid_scope": "the scope is wrong; it is the API's address followed by /.default",
}


def _advice(answer: Mapping[str, object]) -> str:
    error = str(answer.get("error", ""))
    told = str(answer.get("error_description", ""))[:300]
    return f"sign-in was refused ({error or 'no reason given'}): {_ADVICE.get(error, told or 'check the credentials')}"
