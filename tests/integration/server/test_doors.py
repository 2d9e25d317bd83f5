"""Who gets in, and who does not (P-20, SE-11, SE-16, SE-31): guesses, hosts, proxies, the owner's account, keys."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import aiohttp
import httpx
import pytest
import socketio

from batuta.kernel.clock import SYSTEM_CLOCK
from batuta.server.config import Settings
from batuta.server.identity.api import DEVICE_COOKIE
from batuta.server.identity.passwords import Passwords
from batuta.server.security.access_control import COOKIE, digest_of
from tests.support.platform import PASSWORD, Running, running, settings_for

EMAIL = "ana@example.com"
GUESSES = int(os.environ.get("BATUTA_GUESSES", "120"))
ATTACKER, OWNER = "203.0.113.66", "198.51.100.7"


async def try_password(site: Running, password: str, address: str, **cookies: str) -> httpx.Response:
    """A login that comes through the proxy; the caller wrote something into the header, too."""
    body = {"email": EMAIL, "password": password}
    headers = {"X-Forwarded-For": f"10.9.{len(password) % 250}.1, {address}"}
    async with httpx.AsyncClient(base_url=site.address, timeout=300, cookies=cookies, verify=False) as client:
        return await client.post("/api/auth/login", json=body, headers=headers)


@asynccontextmanager
async def two_processes(settings: Settings) -> AsyncIterator[list[Running]]:
    """Two platforms on one database, as two web processes are."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(running(settings)) for _ in range(2)]


@pytest.mark.timeout(3600)
async def test_se31_guesses_in_parallel_over_two_processes_never_exceed_the_limit(
    platform_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """SE-31: each guess is counted before its password is checked; the owner gets in meanwhile, from elsewhere."""
    checked = 0
    check = Passwords.matches

    async def counting(self: Passwords, stored: str | None, password: str) -> bool:
        nonlocal checked
        checked += password != PASSWORD
        return await check(self, stored, password)

    monkeypatch.setattr(Passwords, "matches", counting)
    settings = settings_for(tmp_path, database_url=platform_url, trusted_proxies=1, worker_concurrency=0)
    async with two_processes(settings) as sites:
        await sites[0].platform.identity.create_user(EMAIL, "Ana", PASSWORD)
        crowd = asyncio.Semaphore(30)

        async def guess(number: int) -> int:
            async with crowd:
                return (await try_password(sites[number % 2], f"guess {number}", ATTACKER)).status_code

        async with asyncio.TaskGroup() as group:
            guesses = [group.create_task(guess(number)) for number in range(GUESSES)]
            await asyncio.sleep(0.5)
            owner = group.create_task(try_password(sites[1], PASSWORD, OWNER))
        told = Counter(each.result() for each in guesses)
        assert owner.result().status_code == 200, owner.result().text
        assert told == {401: settings.login_attempts, 429: GUESSES - settings.login_attempts}
        assert checked == settings.login_attempts
        record_property("figure", f"{GUESSES:,} guesses, {checked} tried, the owner got in")


async def test_guesses_from_everywhere_do_not_lock_out_who_logged_in_before(tmp_path: Path) -> None:
    """A browser and an address that the account knows have attempts of their own."""
    async with running(settings_for(tmp_path, trusted_proxies=1, login_attempts=2)) as site:
        await site.platform.identity.create_user(EMAIL, "Ana", PASSWORD)
        first = await try_password(site, PASSWORD, OWNER)
        for number in range(25):
            await try_password(site, "wrong", f"203.0.113.{number}")
        assert (await try_password(site, PASSWORD, "203.0.113.200")).status_code == 429
        assert (await try_password(site, PASSWORD, OWNER)).status_code == 200
        device = {DEVICE_COOKIE: first.cookies[DEVICE_COOKIE]}
        assert (await try_password(site, PASSWORD, "203.0.113.201", **device)).status_code == 200


async def test_a_browser_that_is_known_to_one_account_is_a_stranger_to_others(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, trusted_proxies=1, login_attempts=2)) as site:
        await site.platform.identity.create_user(EMAIL, "Ana", PASSWORD)
        await site.platform.identity.create_user("eve@example.com", "Eve", PASSWORD)
        body = {"email": "eve@example.com", "password": PASSWORD}
        eve = await site.stranger().http.post("/api/auth/login", json=body)
        device = {DEVICE_COOKIE: eve.cookies[DEVICE_COOKIE]}
        told = [(await try_password(site, "wrong", ATTACKER, **device)).status_code for _ in range(4)]
        assert told == [401, 401, 429, 429]


async def test_a_header_is_not_believed_without_a_trusted_proxy(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, login_attempts=2)) as site:
        await site.platform.identity.create_user(EMAIL, "Ana", PASSWORD)
        told = [(await try_password(site, "wrong", f"203.0.113.{number}")).status_code for number in range(4)]
        assert told == [401, 401, 429, 429]


FOREIGN_HOST = {"Host": "evil.test:8000"}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("GET", "/"), ("GET", "/metrics"), ("GET", "/readyz"), ("GET", "/api/meta"), ("GET", "/openapi.json")),
        *(("POST", "/api/auth/demo"), ("POST", "/api/auth/setup"), ("POST", "/api/auth/login")),
    ],
)
async def test_se11_a_foreign_name_for_our_address_is_refused(tmp_path: Path, method: str, path: str) -> None:
    """DNS rebinding: the page of another site is in the browser's eyes our own."""
    async with running(settings_for(tmp_path, is_demo=True)) as site:
        headers = {**FOREIGN_HOST, "Origin": "http://evil.test:8000"}
        body = {"email": EMAIL, "name": "Eve", "password": PASSWORD}
        answer = await site.stranger().http.request(method, path, headers=headers, json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "UNKNOWN_HOST")
        assert (await site.stranger().http.get("/api/meta")).json()["needs_setup"] is True


async def test_se11_a_socket_under_a_foreign_name_is_refused(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, is_demo=True)) as site:
        address = site.address.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket"
        async with aiohttp.ClientSession() as client:
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await client.ws_connect(address, headers=FOREIGN_HOST)


async def test_se32_the_owner_is_created_with_the_token_of_the_start_alone(site: Running) -> None:
    """Whoever reaches an empty platform first does not own it."""
    token = await site.platform.identity.new_setup_token()
    body = {"email": EMAIL, "name": "Ana", "password": PASSWORD}
    for wrong in ("", "guessed", f"{token}x"):
        answer = await site.stranger().http.post("/api/auth/setup", json={**body, "token": wrong})
        assert (answer.status_code, answer.json()["code"]) == (403, "SETUP_TOKEN")
    assert (await site.stranger().http.post("/api/auth/setup", json={**body, "token": token})).status_code == 201
    assert await site.platform.identity.new_setup_token() is None


async def test_se32_no_setup_token_but_a_fresh_one_of_this_platform_counts(site: Running) -> None:
    """SE-32: missing, null, empty, of a wrong kind, beside it, expired, another secret; the answer is always the same.
    Nothing is made by any of them, and the right one counts once.
    """
    identity = site.platform.identity
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity, "_clock", SimpleNamespace(now=lambda: SYSTEM_CLOCK.now() - timedelta(days=30)))
        expired = await identity.new_setup_token()
    token = await identity.new_setup_token()
    assert token is not None
    owner = {"email": EMAIL, "name": "Ana", "password": PASSWORD}
    near = (token.lower(), token.upper(), token[:-1], f"{token} ", f" {token}", digest_of(token), "%", "\u0000", "null")
    answers = set()
    for wrong in (None, "", [], {}, True, 0, [token], {"token": token}, expired, *near):
        answer = await site.stranger().http.post("/api/auth/setup", json={**owner, "token": wrong})
        assert answer.status_code in (403, 422), wrong
        if answer.status_code == 403:
            answers.add(answer.text)
    missing = await site.stranger().http.post("/api/auth/setup", json=owner)
    assert missing.status_code in (403, 422)
    assert len(answers) == 1, "the answer says nothing of how near a guess was"
    assert await identity.users() == []
    assert (await site.stranger().http.post("/api/auth/setup", json={**owner, "token": token})).status_code == 201
    again = await site.stranger().http.post("/api/auth/setup", json={**owner, "email": "b@example.com", "token": token})
    assert (again.status_code, len(await identity.users())) == (404, 1)


async def test_of_many_owners_at_once_one_is_created(site: Running) -> None:
    """Two tokens, as two processes print them, and several requests."""
    tokens = [await site.platform.identity.new_setup_token() for _ in range(2)]

    async def claim(number: int) -> int:
        body = {"email": f"p{number}@example.com", "name": "P", "password": PASSWORD, "token": tokens[number % 2]}
        return (await site.stranger().http.post("/api/auth/setup", json=body)).status_code

    told = Counter(await asyncio.gather(*(claim(number) for number in range(6))))
    assert told[201] == 1
    assert len(await site.platform.identity.users()) == 1


PROXIES = ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Proto", "CF-Connecting-IP"]


async def test_a_demo_on_this_machine_needs_no_token_and_one_behind_a_proxy_does(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, is_demo=True)) as site:
        body = {"email": EMAIL, "name": "Ana", "password": PASSWORD}
        for name in PROXIES:
            stranger = site.stranger().http
            stranger.headers[name] = "1.2.3.4"
            forwarded = await stranger.post("/api/auth/setup", json=body)
            entered = await stranger.post("/api/auth/demo")
            measured = await stranger.get("/metrics")
            assert [each.status_code for each in (forwarded, entered, measured)] == [403, 404, 401], name
        assert (await site.stranger().http.post("/api/auth/setup", json=body)).status_code == 201


async def test_se16_a_key_in_a_cookie_is_refused(embedded: Running) -> None:
    """Otherwise another site's page could use it: a key needs no CSRF token."""
    ana = await embedded.person()
    secret = (await ana.http.post("/api/keys", json={"name": "script"})).json()["secret"]
    thief = embedded.stranger()
    thief.http.cookies.set(COOKIE, secret)
    assert (await thief.http.get("/api/me")).status_code == 401
    assert (await thief.http.post("/api/sessions", json={})).status_code == 401
    with pytest.raises(socketio.exceptions.ConnectionError):
        await thief.tab()


async def test_cookies_are_secure_and_hsts_is_sent_behind_a_proxy_with_tls(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, trusted_proxies=1)) as site:
        await site.platform.identity.create_user(EMAIL, "Ana", PASSWORD)
        body = {"email": EMAIL, "password": PASSWORD}
        headers = {"X-Forwarded-For": OWNER, "X-Forwarded-Proto": "https"}
        answer = await site.stranger().http.post("/api/auth/login", json=body, headers=headers)
        cookies = answer.headers.get_list("set-cookie")
        assert {COOKIE, DEVICE_COOKIE} <= {cookie.partition("=")[0] for cookie in cookies}
        assert all("Secure" in cookie and "HttpOnly" in cookie for cookie in cookies)
        assert "strict-transport-security" in answer.headers
