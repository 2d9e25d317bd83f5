"""OAuth2 client credentials: one token for all calls until shortly before it ends."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from batuta.connectors.http import HttpTransport, IncomingResponse, OutgoingRequest
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
        response = await self._asked(
            OutgoingRequest(
                method="POST",
                url=self._credentials.token_url,
                headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
                body=urlencode(form).encode(),
            )
        )
        answer = _object(response.body)
        if response.status >= 500 or response.status in (408, 429):
            raise ConnectorUnavailableError(
                f"the sign-in service is unavailable (status {response.status})",
                was_sent=False,
                status=response.status,
            )
        token = answer.get("access_token")
        if response.status >= 300 or not isinstance(token, str) or not token:
            self._token = ""
            reason = str(answer.get("error", "") or "sign_in")
            raise AccessDeniedError(_advice(answer, response.status), status=401, reason_code=reason)
        self._token = token
        self._ends_at = self._clock.monotonic() + max(0.0, _seconds(answer.get("expires_in")) - MARGIN_SECONDS)

    async def _asked(self, request: OutgoingRequest) -> IncomingResponse:
        """The answer of the sign-in service. Whatever goes wrong here, the ERP itself was not sent anything."""
        try:
            return await self._transport.send(request)
        except ConnectorUnavailableError as error:
            host = urlsplit(self._credentials.token_url).netloc
            raise ConnectorUnavailableError(
                f"the sign-in service {host} cannot be reached: {error}", was_sent=False, reason_code=error.reason_code
            ) from error


_ADVICE = {
    "invalid_client": "the client id or secret is wrong, or the secret has ended; make a new secret in Entra ID",
    "unauthorized_client": "the app is not known in this tenant; check the tenant id and grant admin consent",
    "invalid_scope": "the scope is wrong; it is the API's address followed by /.default",
}


def _advice(answer: Mapping[str, object], status: int) -> str:
    error = str(answer.get("error", ""))
    described = str(answer.get("error_description", ""))[:300]
    if not answer:
        return f"sign-in was refused (status {status}): no token service answers at the token URL; check it"
    advice = _ADVICE.get(error, described or "check the credentials")
    code = _AADSTS.search(described)
    return f"sign-in was refused ({error or 'no reason given'}{f', {code[0]}' if code else ''}): {advice}"


_AADSTS = re.compile(r"AADSTS\d+")


def _object(body: bytes) -> Mapping[str, object]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _seconds(value: object) -> float:
    """How long a token lives: an hour where the answer does not say."""
    try:
        return float(str(value))
    except ValueError:
        return 3600.0
