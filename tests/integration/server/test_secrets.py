"""No route takes an unsafe request of another site, and nothing repeats a secret (P-20, SE-11, SE-29)."""

import logging
import re
from pathlib import Path
from typing import Any

import pytest

from batuta.kernel.ids import new_id
from batuta.server.config import load_settings
from batuta.server.policy import ROUTES, UNSAFE, Access
from batuta.server.security.access_control import COOKIE
from tests.support.platform import PASSWORD, Running, running, settings_for

CLIENTS = ("httpx", "httpcore", "socketio.client", "engineio.client", "asyncio")
"""Loggers of what the test itself uses, in the same process."""
UNSAFE_ROUTES = sorted(name for name in ROUTES if name.split(" ")[0] in UNSAFE)
BEHIND_A_LOGIN = [name for name in UNSAFE_ROUTES if ROUTES[name].access in (Access.USER, Access.PERSON)]


def request_of(name: str) -> tuple[str, str]:
    method, path = name.split(" ")
    return method, re.sub(r"{\w+}", lambda _: new_id(), path)


async def test_no_unsafe_request_counts_without_the_token_of_its_login(embedded: Running) -> None:
    """Every route of the table, also one that is added later: none, a wrong one, and one of another login."""
    ana, ben = await embedded.person(), await embedded.person("ben@example.com")
    for name in BEHIND_A_LOGIN:
        method, path = request_of(name)
        for token in ("", "0" * 64, ben.me["csrf_token"]):
            answer = await ana.http.request(method, path, json={}, headers={"X-CSRF-Token": token})
            # What is not there is told before anything else; nothing is done either way.
            allowed = (403, "CSRF") if "{" not in name else (404, "NOT_FOUND")
            assert (name, answer.status_code, answer.json()["code"]) == (name, *allowed)


async def test_a_thing_that_is_there_needs_the_token_too(embedded: Running) -> None:
    ana = await embedded.person()
    session = await ana.session(title="Mine")
    for method, path in (
        ("DELETE", ""),
        ("PATCH", ""),
        ("POST", "/messages"),
        ("POST", "/stop"),
        ("POST", "/feedback"),
    ):
        answer = await ana.http.request(
            method, f"/api/sessions/{session}{path}", json={"title": "x"}, headers={"X-CSRF-Token": "wrong"}
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "CSRF")
    assert (await ana.http.get(f"/api/sessions/{session}")).json()["title"] == "Mine"


@pytest.mark.parametrize("origin", ["http://evil.test", "null"])
async def test_no_unsafe_request_of_another_site_counts(embedded: Running, origin: str) -> None:
    """Also those that anybody may send; and no answer ever lets another site read it."""
    ana = await embedded.person()
    for name in UNSAFE_ROUTES:
        method, path = request_of(name)
        answer = await ana.http.request(method, path, json={}, headers={"Origin": origin})
        assert (name, answer.status_code, answer.json()["code"]) == (name, 403, "FOREIGN_ORIGIN")
        assert not [header for header in answer.headers if header.startswith("access-control-")]


async def test_se29_secrets_are_in_no_log_and_in_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Everything logs at its loudest, also the libraries; only the answer that makes a secret tells it."""
    caplog.set_level(logging.DEBUG)
    logging.getLogger().setLevel(logging.DEBUG)
    for logger in logging.Logger.manager.loggerDict.values():  # whoever set up logs before made the libraries quiet
        if isinstance(logger, logging.Logger) and logger.level:
            caplog.set_level(logging.DEBUG, logger.name)
    answers: list[str] = []
    async with running(settings_for(tmp_path, log_level="debug")) as site:
        ana = await site.person(password=PASSWORD)
        made = (await ana.http.post("/api/keys", json={"name": "script"})).json()
        secrets = {PASSWORD, made["secret"], str(ana.http.cookies[COOKIE]), "wrong horse battery"}
        tab = await ana.tab()
        program = site.stranger()
        program.http.headers["Authorization"] = f"Bearer {made['secret']}"
        session = await ana.session()
        await tab.command("session:join", {"session_id": session})
        await ana.ask(session, "hello")

        async def note(call: Any) -> None:
            answer = await call
            answers.append(answer.text + repr([v for k, v in answer.headers.items() if k != "set-cookie"]))

        for path in (
            "/api/me",
            "/api/keys",
            "/api/meta",
            "/api/settings",
            "/readyz",
            f"/api/sessions/{session}/export",
        ):
            await note(ana.http.get(path))
            await note(program.http.get(path))
        login = {"email": "ana@example.com", "password": PASSWORD}
        await note(site.stranger().http.post("/api/auth/login", json={**login, "password": "wrong horse battery"}))
        await note(site.stranger().http.post("/api/auth/login", json={**login, "email": "x"}))
        await note(site.stranger().http.post("/api/auth/login", content=f'{{"password": "{PASSWORD}"'.encode()))
        await note(program.http.get("/api/sessions/nonsense"))
        await note(site.stranger().http.post("/api/auth/login", json=login))
    lines = [f"{each.name}: {each.getMessage()}" for each in caplog.records if not each.name.startswith(CLIENTS)]
    leaks = [text for text in [*answers, *lines] if any(secret in text for secret in secrets)]
    assert leaks == []
    assert len(lines) > 5


def test_settings_keep_their_secrets_to_themselves(tmp_path: Path) -> None:
    """In their own representation, and in complaints about others."""
    settings = load_settings(
        {
            "BATUTA_DATABASE_URL": "postgresql://batuta:hunter2@db/batuta",
            "BATUTA_REDIS_URL": "redis://:hunter2@cache",
            "BATUTA_OIDC": "[]",
            "BATUTA_OIDC_SECRET_KEYCLOAK": "hunter2",
        },
        data_dir=tmp_path,
        oidc=(),
    )
    assert "hunter2" not in repr(settings) + str(settings) + settings.model_dump_json()
