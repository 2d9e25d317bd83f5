"""OpenID Connect: authorization code with state, nonce and PKCE; the answer is believed only if everything fits.

begin  -> the provider's address, with state, nonce and code challenge; their secrets stay here
finish -> state of this browser -> code for tokens -> signature, issuer, audience, time, nonce -> person
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import aiohttp
import sqlalchemy as sa
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.ids import new_id
from batuta.server.config import OidcProvider, Settings
from batuta.server.database.engines import Database
from batuta.server.identity import repository
from batuta.server.identity.oidc_admission import check_admitted, confirmed_email
from batuta.server.identity.repository import PendingLogin, User
from batuta.server.problems import ForbiddenProblem, NotFoundProblem, UnauthorizedProblem, UnavailableProblem
from batuta.server.security.access_control import digest_of
from batuta.server.security.account_trail import AccountActor

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
"""Signatures that need the provider's private key; never `none`, never one made with our own secret."""
LIFETIME = timedelta(minutes=10)
LEEWAY_SECONDS = 60
TIMEOUT = aiohttp.ClientTimeout(total=10)
LARGEST_ANSWER = 1_048_576


class OidcLogins:
    """Logs people in through identity providers."""

    def __init__(self, database: Database, settings: Settings, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._providers = {provider.id: provider for provider in settings.oidc}
        self._secrets = settings.oidc_client_secrets
        self._clock = clock

    async def begin(self, provider_id: str, callback: str) -> tuple[str, str]:
        """Where to send the browser, and the state it has to bring back."""
        provider = self._provider(provider_id)
        facts = await _discover(provider)
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        pending = PendingLogin(provider_id=provider_id, nonce=nonce, code_verifier=verifier)
        now = self._clock.now()
        await self._database.write(
            lambda connection: repository.add_pending(connection, digest_of(state), pending, now, now + LIFETIME)
        )
        query = {
            "response_type": "code",
            "client_id": provider.client_id,
            "redirect_uri": callback,
            "scope": provider.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": _challenge(verifier),
            "code_challenge_method": "S256",
        }
        return f"{facts['authorization_endpoint']}?{urlencode(query)}", state

    async def finish(
        self, provider_id: str, answer: Mapping[str, str], cookie: str | None, callback: str, by: AccountActor
    ) -> User:
        """The person who came back. Raises a problem if anything does not fit."""
        provider = self._provider(provider_id)
        pending = await self._pending(provider_id, answer.get("state", ""), cookie)
        if "code" not in answer:
            raise UnauthorizedProblem("The identity provider did not log you in.", code="OIDC_REFUSED")
        facts = await _discover(provider)
        if answer.get("iss", provider.issuer) != provider.issuer:
            raise _misfit("another issuer answered")
        tokens = await self._exchange(provider, facts, answer["code"], pending, callback)
        claims = await _verified(provider, facts, str(tokens.get("id_token", "")), pending.nonce, self._now())
        return await self._person(provider, {**await _more_about(facts, tokens, claims), **claims}, by)

    async def _pending(self, provider_id: str, state: str, cookie: str | None) -> PendingLogin:
        """The login this answer belongs to; it must have begun in this browser."""
        if not state or not hmac.compare_digest(state.encode(), (cookie or "").encode()):
            raise _misfit("the state is not of this browser")
        now = self._clock.now()
        pending = await self._database.write(
            lambda connection: repository.take_pending(connection, digest_of(state), now)
        )
        if pending is None or pending.provider_id != provider_id:
            raise _misfit("no login waits for this answer")
        return pending

    async def _exchange(
        self, provider: OidcProvider, facts: Mapping[str, Any], code: str, pending: PendingLogin, callback: str
    ) -> Mapping[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "client_id": provider.client_id,
            "client_secret": self._secrets[provider.id].get_secret_value(),
            "code_verifier": pending.code_verifier,
        }
        return await _fetch("POST", str(facts["token_endpoint"]), form)

    async def _person(self, provider: OidcProvider, claims: Mapping[str, Any], by: AccountActor) -> User:
        """An account linked before, or the one with the address the provider vouches for, or a new one."""
        check_admitted(provider, claims)
        subject = str(claims["sub"])
        email = confirmed_email(provider, claims)
        name = str(claims.get("name") or email)[:100]
        now = self._clock.now()

        def find_or_create(connection: sa.Connection) -> User:
            known = repository.by_identity(connection, provider.issuer, subject)
            if known is not None:
                return known
            if email is None:
                raise ForbiddenProblem("The provider does not vouch for your e-mail address.", code="OIDC_UNVERIFIED")
            repository.hold_others_off(connection)
            user = repository.by_email(connection, email)
            if user is None:
                user = repository.add_user(connection, _newcomer(connection, provider, email, name), now, by)
            repository.add_identity(connection, user, provider.issuer, subject, now, by)
            return user

        return await self._database.write(find_or_create)

    def _provider(self, provider_id: str) -> OidcProvider:
        provider = self._providers.get(provider_id)
        if provider is None:
            raise NotFoundProblem
        return provider

    def _now(self) -> int:
        return int(self._clock.now().timestamp())


def _newcomer(connection: sa.Connection, provider: OidcProvider, email: str, name: str) -> User:
    """Create an account for a new user, if the provider is allowed to."""
    if not provider.is_open:
        raise ForbiddenProblem(
            "You have no account here, and this provider's people get none by themselves. Ask your administrator.",
            code="OIDC_NO_ACCOUNT",
        )
    place = repository.any_workspace(connection)
    if place is None:
        raise ForbiddenProblem("The platform has no owner yet: set it up first.", code="NOT_SET_UP")
    return User(user_id=new_id(), workspace_id=place, email=email, name=name, roles=("user",))


async def _discover(provider: OidcProvider) -> Mapping[str, Any]:
    """What the provider says about itself; it must be the one that was configured."""
    facts = await _fetch("GET", f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration")
    if facts.get("issuer") != provider.issuer:
        raise _misfit("the issuer calls itself otherwise")
    return facts


async def _verified(
    provider: OidcProvider, facts: Mapping[str, Any], id_token: str, nonce: str, now: int
) -> Mapping[str, Any]:
    """The claims of an id token whose signature, issuer, audience, times and nonce are right."""
    keys = KeySet.import_key_set(await _fetch("GET", str(facts["jwks_uri"])))  # type: ignore[arg-type]
    registry = jwt.JWTClaimsRegistry(
        now=now,
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": provider.issuer},
        sub={"essential": True},
        aud={"essential": True, "value": provider.client_id},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        claims = jwt.decode(id_token, keys, algorithms=ALGORITHMS).claims
        registry.validate(claims)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise _misfit("the id token does not hold") from error
    if claims.get("azp", provider.client_id) != provider.client_id:
        raise _misfit("the id token is for another client")
    return claims


async def _more_about(
    facts: Mapping[str, Any], tokens: Mapping[str, Any], claims: Mapping[str, Any]
) -> Mapping[str, Any]:
    """What the provider tells only when asked: some keep the address out of the id token."""
    if "email" in claims or "userinfo_endpoint" not in facts or "access_token" not in tokens:
        return {}
    more = await _fetch("GET", str(facts["userinfo_endpoint"]), bearer=str(tokens["access_token"]))
    if more.get("sub") != claims["sub"]:
        raise _misfit("the provider answers for another user")
    return more


async def _fetch(
    method: str, address: str, form: Mapping[str, str] | None = None, *, bearer: str | None = None
) -> dict[str, Any]:
    headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
    try:
        async with (
            aiohttp.ClientSession(timeout=TIMEOUT) as client,
            client.request(method, address, data=form, headers=headers, allow_redirects=False) as response,
        ):
            body = await response.content.read(LARGEST_ANSWER)
            if response.status >= 400:
                raise UnauthorizedProblem("The identity provider did not log you in.", code="OIDC_REFUSED")
            answer: Any = json.loads(body)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise UnavailableProblem("The identity provider cannot be reached.", code="OIDC_UNAVAILABLE") from error
    if not isinstance(answer, dict):
        raise UnavailableProblem("The identity provider gave no answer.", code="OIDC_UNAVAILABLE")
    return answer


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _misfit(why: str) -> UnauthorizedProblem:
    return UnauthorizedProblem(f"The login could not be completed: {why}. Try again.", code="OIDC_INVALID")
