"""Accounts and logins (P-20, SE-31, SE-37): cookies, CSRF, lock-out, setup, demo, keys."""

import re
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
import sqlalchemy as sa

from batuta.server.database.tables import api_keys, login_sessions, users
from batuta.server.identity.login_limits import MANY_FACTOR
from batuta.server.security.access_control import COOKIE, digest_of
from tests.support.platform import PASSWORD, Running, running, settings_for


async def test_the_first_person_sets_the_platform_up_once(site: Running) -> None:
    """P-1: the first run creates the owner."""
    stranger = site.stranger()
    assert (await stranger.http.get("/api/meta")).json()["needs_setup"] is True
    token = await site.platform.identity.new_setup_token()
    body = {"email": "Owner@Example.com ", "name": "Owner", "password": PASSWORD, "token": token}
    answer = await stranger.http.post("/api/auth/setup", json=body)
    assert answer.status_code == 201
    assert answer.json()["user"]["email"] == "owner@example.com"
    assert set(answer.json()["user"]["roles"]) == {"user", "approver", "analyst", "admin"}
    assert (await stranger.http.get("/api/me")).status_code == 200
    assert (await stranger.http.get("/api/meta")).json()["needs_setup"] is False
    again = await site.stranger().http.post("/api/auth/setup", json={**body, "email": "second@example.com"})
    assert again.status_code == 404


async def test_se27_passwords_are_kept_as_argon2id_and_tokens_as_hashes(embedded: Running) -> None:
    """SE-27: nothing that was given is in the database."""
    ana = await embedded.person(password=PASSWORD)
    secret = (await ana.http.post("/api/keys", json={"name": "script"})).json()["secret"]
    token = ana.http.cookies[COOKIE]
    assert len(token) >= 43  # 256 bits

    def rows(connection: sa.Connection) -> str:
        tables = (users, login_sessions, api_keys)
        return "".join(str(connection.execute(sa.select(table)).all()) for table in tables)

    kept = await embedded.platform.backends.database.read(rows)
    assert "$argon2id$" in kept
    assert digest_of(token) in kept
    assert not [leak for leak in (PASSWORD, secret, token) if leak in kept]


async def test_se37_the_cookie_is_shut_to_scripts_and_other_sites(embedded: Running) -> None:
    """SE-37: HttpOnly, SameSite, whole site; Secure only where there is TLS."""
    await embedded.person(password=PASSWORD)
    answer = await embedded.stranger().http.post(
        "/api/auth/login", json={"email": "ana@example.com", "password": PASSWORD}
    )
    morsel = SimpleCookie(answer.headers.get_list("set-cookie")[0])[COOKIE]
    assert (bool(morsel["httponly"]), morsel["samesite"].lower(), morsel["path"]) == (True, "lax", "/")
    assert not morsel["secure"]


async def test_the_cookie_is_secure_behind_https(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, public_url="https://team.example")) as site:
        await site.platform.identity.create_user("ana@example.com", "Ana", PASSWORD)
        answer = await site.stranger().http.post(
            "/api/auth/login", json={"email": "ana@example.com", "password": PASSWORD}
        )
        assert SimpleCookie(answer.headers.get_list("set-cookie")[0])[COOKIE]["secure"]
        assert "strict-transport-security" in answer.headers


async def test_se37_a_login_gets_a_token_nobody_had_before(embedded: Running) -> None:
    """SE-37: the token a browser came with is worth nothing after the login."""
    ana = await embedded.person(password=PASSWORD)
    former = ana.http.cookies[COOKIE]
    await ana.log_in("ana@example.com")
    assert ana.http.cookies[COOKIE] != former
    thief = embedded.stranger()
    thief.http.cookies.set(COOKIE, former)
    assert (await thief.http.get("/api/me")).status_code == 401


async def test_se37_a_planted_token_is_not_taken_over(embedded: Running) -> None:
    """SE-37: fixation."""
    await embedded.person(password=PASSWORD)
    victim = embedded.stranger()
    victim.http.cookies.set(COOKIE, "planted")
    await victim.log_in("ana@example.com")
    thief = embedded.stranger()
    thief.http.cookies.set(COOKIE, "planted")
    assert (await thief.http.get("/api/me")).status_code == 401


async def test_logout_ends_the_login(site: Running) -> None:
    """ASVS 7.4.1: the token is worth nothing from then on."""
    ana = await site.person(password=PASSWORD)
    token = ana.http.cookies[COOKIE]
    assert (await ana.http.post("/api/auth/logout")).status_code == 204
    thief = site.stranger()
    thief.http.cookies.set(COOKIE, token)
    assert (await thief.http.get("/api/me")).status_code == 401


async def test_wrong_password_and_unknown_account_are_told_alike(embedded: Running) -> None:
    await embedded.person(password=PASSWORD)
    stranger = embedded.stranger()
    wrong = await stranger.http.post("/api/auth/login", json={"email": "ana@example.com", "password": "x"})
    unknown = await stranger.http.post("/api/auth/login", json={"email": "eve@example.com", "password": "x"})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()


async def test_an_account_is_locked_after_too_many_failures(site: Running) -> None:
    """P-20: also for the right password, as long as it comes from the same place."""
    await site.person(password=PASSWORD)
    stranger = site.stranger()
    for _ in range(site.platform.settings.login_attempts):
        answer = await stranger.http.post("/api/auth/login", json={"email": "ana@example.com", "password": "wrong"})
        assert answer.status_code == 401
    locked = await stranger.http.post("/api/auth/login", json={"email": "ana@example.com", "password": PASSWORD})
    assert (locked.status_code, locked.json()["code"]) == (429, "LOCKED")
    assert int(locked.headers["retry-after"]) > 0
    await site.person("ben@example.com", password=PASSWORD)


async def test_an_address_is_locked_after_the_failures_of_many_accounts(tmp_path: Path) -> None:
    """P-20: who tries one password on everybody is stopped though no account is locked; a success forgets nothing."""
    async with running(settings_for(tmp_path, login_attempts=2)) as site:
        await site.person(password=PASSWORD)
        most = site.platform.settings.login_attempts * MANY_FACTOR
        guesser, body = site.stranger(), {"email": "ana@example.com", "password": PASSWORD}
        for number in range(most):
            if number == most // 2:
                assert (await site.stranger().http.post("/api/auth/login", json=body)).status_code == 200
            guess = {"email": f"person-{number}@example.com", "password": "Summer2026!"}
            assert (await guesser.http.post("/api/auth/login", json=guess)).status_code == 401
        locked = await site.stranger().http.post("/api/auth/login", json=body)
        assert (locked.status_code, locked.json()["code"]) == (429, "LOCKED")
        assert int(locked.headers["retry-after"]) > 0


async def test_a_success_forgets_the_failures(embedded: Running) -> None:
    ana = await embedded.person(password=PASSWORD)
    for _ in range(3):
        for _ in range(embedded.platform.settings.login_attempts - 1):
            await ana.http.post("/api/auth/login", json={"email": "ana@example.com", "password": "wrong"})
        await ana.log_in("ana@example.com")


@pytest.mark.parametrize("header", [None, "", "wrong", "0" * 64])
async def test_unsafe_requests_of_a_browser_need_the_csrf_token(embedded: Running, header: str | None) -> None:
    """ASVS 3.5: the cookie alone changes nothing."""
    ana = await embedded.person(password=PASSWORD)
    del ana.http.headers["X-CSRF-Token"]
    headers = {} if header is None else {"X-CSRF-Token": header}
    answer = await ana.http.post("/api/sessions", json={}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF")
    assert (await ana.http.get("/api/sessions")).json()["items"] == []


async def test_another_persons_csrf_token_does_not_count(embedded: Running) -> None:
    ana = await embedded.person(password=PASSWORD)
    eve = await embedded.person("eve@example.com")
    answer = await ana.http.post("/api/sessions", json={}, headers={"X-CSRF-Token": eve.me["csrf_token"]})
    assert answer.status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "{address}.evil.test", "https://127.0.0.1", "{upper}"])
async def test_se11_requests_of_other_sites_are_refused(embedded: Running, origin: str) -> None:
    """SE-11: also the login itself, where no token can be asked for."""
    await embedded.person(password=PASSWORD)
    foreign = origin.format(address=embedded.address, upper=embedded.address.replace("127.0.0.1", "127.0.0.1."))
    body = {"email": "ana@example.com", "password": PASSWORD}
    answer = await embedded.stranger().http.post("/api/auth/login", json=body, headers={"Origin": foreign})
    assert (answer.status_code, answer.json()["code"]) == (403, "FOREIGN_ORIGIN")
    assert "access-control-allow-origin" not in answer.headers


async def test_the_demo_login_needs_the_demo(embedded: Running) -> None:
    assert (await embedded.stranger().http.post("/api/auth/demo")).status_code == 404


async def test_the_demo_login_is_one_click_on_this_machine(tmp_path: Path) -> None:
    """P-1: bound to loopback, also behind a proxy that runs on this machine."""
    async with running(settings_for(tmp_path, is_demo=True)) as site:
        stranger = site.stranger()
        assert (await stranger.http.get("/api/meta")).json()["is_demo"] is True
        assert (await stranger.http.post("/api/auth/demo")).json()["user"]["name"] == "Demo"
        assert (await stranger.http.get("/api/me")).status_code == 200
        forwarded = await site.stranger().http.post("/api/auth/demo", headers={"X-Forwarded-For": "203.0.113.9"})
        assert forwarded.status_code == 404


async def test_a_disabled_account_is_shut_out_at_once(site: Running) -> None:
    """ASVS 8.3.2."""
    ana = await site.person(password=PASSWORD)
    await site.platform.identity.disable(ana.user_id)
    assert (await ana.http.get("/api/me")).status_code == 401
    answer = await site.stranger().http.post("/api/auth/login", json={"email": "ana@example.com", "password": PASSWORD})
    assert answer.status_code == 401


async def test_a_key_lets_a_program_in_without_csrf(site: Running) -> None:
    """P-20: shown once, listed without its secret, revoked at once."""
    ana = await site.person(password=PASSWORD)
    made = (await ana.http.post("/api/keys", json={"name": "script", "scopes": []})).json()
    program = site.stranger()
    program.http.headers["Authorization"] = f"Bearer {made['secret']}"
    assert (await program.http.post("/api/sessions", json={})).status_code == 201
    (listed,) = (await ana.http.get("/api/keys")).json()["items"]
    assert "secret" not in listed
    assert listed["last_used_at"] is not None
    assert (await ana.http.delete(f"/api/keys/{made['key_id']}")).status_code == 204
    assert (await program.http.get("/api/sessions")).status_code == 401


async def test_a_key_reaches_no_further_than_its_scopes(embedded: Running) -> None:
    ana = await embedded.person(password=PASSWORD)
    secret = (await ana.http.post("/api/keys", json={"name": "reader", "scopes": ["read"]})).json()["secret"]
    program = embedded.stranger()
    program.http.headers["Authorization"] = f"Bearer {secret}"
    assert (await program.http.get("/api/sessions")).status_code == 200
    assert (await program.http.post("/api/sessions", json={})).status_code == 403
    assert (await program.http.post("/api/keys", json={"name": "more"})).status_code == 403
    assert (await program.http.get("/api/keys")).status_code == 403


@pytest.mark.parametrize(
    ("field", "value"),
    [("email", "nobody"), ("email", "a@b@c"), ("email", "a b@c.d"), ("password", "short"), ("name", "")],
)
async def test_an_account_needs_an_address_a_name_and_a_long_password(
    embedded: Running, field: str, value: str
) -> None:
    body = {"email": "a@b.c", "name": "A", "password": PASSWORD, field: value}
    answer = await embedded.stranger().http.post("/api/auth/setup", json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert not re.search(re.escape(PASSWORD), answer.text)


async def test_settings_have_defaults_and_change_one_by_one(site: Running) -> None:
    """P-32."""
    ana = await site.person(password=PASSWORD)
    assert (await ana.http.get("/api/settings")).json() == {
        "theme": "system",
        "language": "en",
        "default_agent_id": None,
        "timezone": "UTC",
        "enable_thinking": False,
        "notifications": False,
        "model": None,
        "company": None,
    }
    changed = await ana.http.patch("/api/settings", json={"theme": "dark", "timezone": "Europe/Madrid"})
    assert (changed.json()["theme"], changed.json()["language"]) == ("dark", "en")
    await ana.http.patch("/api/settings", json={"language": "es"})
    settings = (await ana.http.get("/api/me")).json()["settings"]
    assert (settings["theme"], settings["language"], settings["timezone"]) == ("dark", "es", "Europe/Madrid")


@pytest.mark.parametrize("change", [{"theme": "pink"}, {"timezone": "Mars/Olympus"}, {"surprise": 1}])
async def test_settings_that_do_not_exist_are_refused(embedded: Running, change: dict[str, object]) -> None:
    ana = await embedded.person(password=PASSWORD)
    assert (await ana.http.patch("/api/settings", json=change)).status_code == 422
