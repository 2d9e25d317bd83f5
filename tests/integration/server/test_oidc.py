"""Login through an identity provider: state, nonce, PKCE, and nothing believed that does not fit (P-20, SE-10)."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from batuta.server.identity.api import OIDC_COOKIE
from tests.support.identity_provider import CLIENT_ID, CLIENT_SECRET, Provider, follow, log_in, provider_on
from tests.support.platform import PASSWORD, Running, running, settings_for
from tests.support.workplace import free_port

LOGIN = "/api/auth/oidc/test/login"
CALLBACK = "/api/auth/oidc/test/callback"


@pytest.fixture(scope="module")
def port() -> int:
    """The platform's port: the provider has to know where it sends people back to."""
    return free_port()


@pytest.fixture(scope="module")
def provider(port: int) -> Iterator[Provider]:
    with provider_on(free_port(), f"http://127.0.0.1:{port}{CALLBACK}") as found:
        yield found


@pytest.fixture
async def site(provider: Provider, port: int, tmp_path: Path) -> AsyncIterator[Running]:
    async with provided(provider, port, tmp_path, domains=["example.com"]) as found:
        await found.new_workspace()
        yield found


@asynccontextmanager
async def provided(provider: Provider, port: int, folder: Path, **conditions: object) -> AsyncIterator[Running]:
    """A platform whose people log in through the provider under some conditions."""
    client = {"id": "test", "name": "Test", "issuer": provider.issuer, "client_id": CLIENT_ID, **conditions}
    settings = settings_for(folder, port=port, oidc=[client], oidc_client_secrets={"test": CLIENT_SECRET})
    async with running(settings) as found:
        yield found


@asynccontextmanager
async def browser(site: Running) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=site.address, timeout=30) as client:
        yield client


async def sent_back(client: httpx.AsyncClient, name: str) -> httpx.Response:
    """Log in at the provider, and stop where it sends the browser back to us."""
    page = await follow(client, await client.get(LOGIN))
    for fields in ({"prompt": "login", "login": name, "password": "any"}, {"prompt": "consent"}):
        page = await client.post(str(page.url), data=fields)
        while page.is_redirect and CALLBACK not in page.headers["location"]:
            assert page.next_request is not None
            page = await client.get(page.next_request.url)
    return page


async def test_a_person_logs_in_through_the_provider(site: Running) -> None:
    """A new account, with the address the provider vouches for; the second time it is the same one."""
    assert (await site.stranger().http.get("/api/meta")).json()["login"]["oidc"] == [{"id": "test", "name": "Test"}]
    people = []
    me: dict[str, object] = {}
    for _ in range(2):
        async with browser(site) as client:
            page = await log_in(client, await follow(client, await client.get(LOGIN)), "ana")
            assert urlsplit(str(page.url)).path == "/"
            me = (await client.get("/api/me")).json()["user"]
            assert OIDC_COOKIE not in client.cookies
        people.append(me["user_id"])
    assert (me["email"], me["roles"]) == ("ana@example.com", ["user"])
    assert people[0] == people[1]


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        ({}, "OIDC_NO_ACCOUNT"),
        ({"domains": ["acme.com"]}, "OIDC_DOMAIN"),
        ({"tenants": ["acme"]}, "OIDC_TENANT"),
        ({"groups": ["staff"]}, "OIDC_GROUP"),
        ({"domains": ["example.com"]}, "NOT_SET_UP"),
    ],
)
async def test_only_people_who_were_meant_may_join(
    provider: Provider, port: int, tmp_path: Path, conditions: dict[str, object], code: str
) -> None:
    """P-20: a verified address alone opens nothing."""
    async with provided(provider, port, tmp_path, **conditions) as site, browser(site) as client:
        page = await log_in(client, await follow(client, await client.get(LOGIN)), "ana")
        assert str(page.url).endswith(f"/login?error={code}")
        assert (await client.get("/api/me")).status_code == 401
        assert await site.platform.identity.users() == []


async def test_a_known_address_is_the_same_person(site: Running) -> None:
    ben = await site.person("ben@example.com", password=PASSWORD, roles=("admin",))
    async with browser(site) as client:
        await log_in(client, await follow(client, await client.get(LOGIN)), "ben")
        assert (await client.get("/api/me")).json()["user"]["user_id"] == ben.user_id


async def test_an_address_nobody_vouches_for_is_not_believed(site: Running) -> None:
    """Otherwise anybody could claim somebody else's account."""
    await site.person("unverified-eve@example.com")
    async with browser(site) as client:
        page = await log_in(client, await follow(client, await client.get(LOGIN)), "unverified-eve")
        assert str(page.url).endswith("/login?error=OIDC_UNVERIFIED")
        assert (await client.get("/api/me")).status_code == 401


async def test_the_request_carries_state_nonce_and_an_s256_challenge(site: Running) -> None:
    async with browser(site) as client:
        answers = [await client.get(LOGIN) for _ in range(2)]
    asked = [parse_qs(urlsplit(answer.headers["location"]).query) for answer in answers]
    assert {query["code_challenge_method"][0] for query in asked} == {"S256"}
    for name in ("state", "nonce", "code_challenge"):
        assert len({query[name][0] for query in asked}) == 2
        assert all(len(query[name][0]) >= 43 for query in asked)
    flags = answers[0].headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=lax" in flags


async def test_se10_an_answer_counts_once(site: Running) -> None:
    """SE-10: code and state replayed."""
    async with browser(site) as client:
        page = await sent_back(client, "ana")
        cookie = client.cookies[OIDC_COOKIE]
        location = page.headers["location"]
        assert (await client.get(location)).headers["location"] == "/"
    async with browser(site) as thief:
        thief.cookies.set(OIDC_COOKIE, cookie, domain="127.0.0.1")
        assert (await thief.get(location)).headers["location"] == "/login?error=OIDC_INVALID"


async def test_se10_an_answer_in_another_browser_is_refused(site: Running) -> None:
    """SE-10: login CSRF, an attacker's answer in a victim's browser."""
    async with browser(site) as attacker, browser(site) as victim:
        location = (await sent_back(attacker, "mallory")).headers["location"]
        await victim.get(LOGIN)
        assert (await victim.get(location)).headers["location"] == "/login?error=OIDC_INVALID"
        assert (await victim.get("/api/me")).status_code == 401


@pytest.mark.parametrize("change", ["iss=http://evil.test", "code=forged", "state=forged"])
async def test_se10_a_changed_answer_is_refused(site: Running, change: str) -> None:
    """SE-10: another issuer, another code, another state."""
    async with browser(site) as client:
        location = urlsplit((await sent_back(client, "ana")).headers["location"])
        query = {name: values[0] for name, values in parse_qs(location.query).items()}
        name, _, value = change.partition("=")
        answer = await client.get(CALLBACK, params={**query, name: value})
        assert answer.headers["location"].startswith("/login?error=OIDC_")
        assert (await client.get("/api/me")).status_code == 401


async def test_a_refusal_of_the_provider_is_told(site: Running) -> None:
    async with browser(site) as client:
        state = parse_qs(urlsplit((await client.get(LOGIN)).headers["location"]).query)["state"][0]
        answer = await client.get(CALLBACK, params={"error": "access_denied", "state": state})
        assert answer.headers["location"] == "/login?error=OIDC_REFUSED"


async def test_an_unknown_provider_is_not_found(site: Running) -> None:
    assert (await site.stranger().http.get("/api/auth/oidc/other/login")).status_code == 404


async def test_a_provider_that_is_away_is_told_as_such(tmp_path: Path) -> None:
    client = {"id": "test", "name": "Test", "issuer": "http://127.0.0.1:9", "client_id": "x"}
    settings = settings_for(tmp_path, oidc=[client], oidc_client_secrets={"test": "x"})
    async with running(settings) as site:
        answer = await site.stranger().http.get(LOGIN)
        assert (answer.status_code, answer.json()["code"]) == (503, "OIDC_UNAVAILABLE")
