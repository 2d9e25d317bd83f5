"""Identity tokens of every forged kind, against a provider that serves its keys: none is believed (SE-09)."""

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web
from joserfc import jwt
from joserfc.jwk import RSAKey

from batuta.server.config import OidcProvider
from batuta.server.identity.oidc import LEEWAY_SECONDS, _verified
from batuta.server.problems import UnauthorizedProblem

NOW, NONCE, CLIENT = 1_800_000_000, "the nonce of this login", "batuta"
KEY = RSAKey.generate_key(2048, {"kid": "ours", "use": "sig"})
FOREIGN = RSAKey.generate_key(2048, {"kid": "ours", "use": "sig"})


@pytest.fixture
async def provider() -> AsyncIterator[OidcProvider]:
    """A provider that serves its public keys."""

    async def keys(request: web.Request) -> web.Response:
        return web.json_response({"keys": [KEY.as_dict(private=False)]})

    app = web.Application()
    app.router.add_get("/keys", keys)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    yield OidcProvider(id="test", name="Test", issuer=f"http://127.0.0.1:{port}", client_id=CLIENT)
    await runner.cleanup()


def claims(issuer: str, **changed: Any) -> dict[str, Any]:
    right = {"iss": issuer, "sub": "ana", "aud": CLIENT, "exp": NOW + 300, "iat": NOW, "nonce": NONCE}
    return {name: value for name, value in {**right, **changed}.items() if value is not ...}


def signed(issuer: str, *, key: Any = KEY, header: dict[str, Any] | None = None, **changed: Any) -> str:
    return jwt.encode({"alg": "RS256", "kid": "ours", **(header or {})}, claims(issuer, **changed), key)


def plain(issuer: str, header: dict[str, Any], signature: str = "", **changed: Any) -> str:
    parts = [json.dumps(header).encode(), json.dumps(claims(issuer, **changed)).encode()]
    return ".".join([*(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts), signature])


def with_public_key_as_secret(issuer: str) -> str:
    unsigned = plain(issuer, {"alg": "HS256", "kid": "ours"}).rstrip(".")
    signature = hmac.new(KEY.as_pem(private=False), unsigned.encode(), hashlib.sha256).digest()
    return f"{unsigned}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def changed_after_signing(issuer: str) -> str:
    head, _, signature = signed(issuer).split(".")
    return ".".join([head, plain(issuer, {}, sub="mallory").split(".")[1], signature])


async def believed(provider: OidcProvider, token: str) -> dict[str, Any]:
    facts = {"jwks_uri": f"{provider.issuer}/keys"}
    return dict(await _verified(provider, facts, token, NONCE, NOW))


async def test_a_token_that_is_right_is_believed(provider: OidcProvider) -> None:
    assert (await believed(provider, signed(provider.issuer)))["sub"] == "ana"
    assert await believed(provider, signed(provider.issuer, aud=[CLIENT], azp=CLIENT))


LATE = LEEWAY_SECONDS + 5
FORGED: dict[str, Callable[[str], str]] = {
    "no token": lambda issuer: "",
    "no parts": lambda issuer: "abc",
    "two parts": lambda issuer: ".".join(signed(issuer).split(".")[:2]),
    "four parts": lambda issuer: signed(issuer) + ".x",
    "not base64": lambda issuer: "%%%.%%%.%%%",
    "none": lambda issuer: plain(issuer, {"alg": "none"}),
    "None": lambda issuer: plain(issuer, {"alg": "None"}),
    "NONE with a signature": lambda issuer: plain(issuer, {"alg": "NONE"}, "AAAA"),
    "no alg": lambda issuer: plain(issuer, {"kid": "ours"}, "AAAA"),
    "alg is a list": lambda issuer: plain(issuer, {"alg": ["RS256"]}, "AAAA"),
    "no signature": lambda issuer: signed(issuer).rpartition(".")[0] + ".",
    "a cut signature": lambda issuer: signed(issuer)[:-8],
    "another key": lambda issuer: signed(issuer, key=FOREIGN),
    "public key as secret": with_public_key_as_secret,
    "changed after signing": changed_after_signing,
    "key in the header": lambda issuer: signed(
        issuer, key=FOREIGN, header={"jwk": FOREIGN.as_dict(private=False), "kid": "theirs"}
    ),
    "key by address": lambda issuer: signed(
        issuer, key=FOREIGN, header={"jku": "http://evil.test/keys", "kid": "theirs"}
    ),
    "certificate by address": lambda issuer: signed(issuer, key=FOREIGN, header={"x5u": "http://evil.test/cert"}),
    "kid is a path": lambda issuer: signed(issuer, key=FOREIGN, header={"kid": "../../../../dev/null"}),
    "kid is a statement": lambda issuer: signed(issuer, key=FOREIGN, header={"kid": "x' UNION SELECT 'a"}),
    "unknown critical": lambda issuer: plain(issuer, {"alg": "RS256", "crit": ["x"], "x": 1, "kid": "ours"}, "AAAA"),
    "expired": lambda issuer: signed(issuer, exp=NOW - LATE),
    "no expiry": lambda issuer: signed(issuer, exp=...),
    "expiry is text": lambda issuer: signed(issuer, exp="never"),
    "not yet": lambda issuer: signed(issuer, nbf=NOW + LATE),
    "issued tomorrow": lambda issuer: signed(issuer, iat=NOW + 86_400),
    "no issue time": lambda issuer: signed(issuer, iat=...),
    "another issuer": lambda issuer: signed(issuer, iss="http://evil.test"),
    "issuer with a slash": lambda issuer: signed(issuer, iss=f"{issuer}/"),
    "no issuer": lambda issuer: signed(issuer, iss=...),
    "another audience": lambda issuer: signed(issuer, aud="other"),
    "audiences without us": lambda issuer: signed(issuer, aud=["a", "b"]),
    "no audience": lambda issuer: signed(issuer, aud=...),
    "for another client": lambda issuer: signed(issuer, aud=[CLIENT, "other"], azp="other"),
    "another nonce": lambda issuer: signed(issuer, nonce="of another login"),
    "no nonce": lambda issuer: signed(issuer, nonce=...),
    "no subject": lambda issuer: signed(issuer, sub=...),
    "claims are a list": lambda issuer: signed(issuer).split(".")[0] + ".W10.AAAA",
    "a bomb": lambda issuer: plain(issuer, {"alg": "RS256"}, "A" * 2_000_000),
    "nested": lambda issuer: plain(issuer, {"alg": "RS256", "cty": "JWT", "typ": "JWT"}, signed(issuer)),
}


@pytest.mark.parametrize("kind", FORGED)
async def test_se09_a_forged_identity_token_is_refused(provider: OidcProvider, kind: str) -> None:
    """SE-09: forty kinds."""
    with pytest.raises(UnauthorizedProblem):
        await believed(provider, FORGED[kind](provider.issuer))
