"""Every route and socket event, taken from the application itself: who is let in, and what an error inside says."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

from batuta.kernel.ids import new_id
from batuta.server.app import create_api
from batuta.server.policy import APPROVE, CHAT, EVENTS, FREE_PARAMETERS, METRICS, READ, ROLES, ROUTES, UNSAFE, Access
from batuta.server.wiring import Platform
from tests.integration.server.test_policy import BODIES, COMMANDS, Belongings, ids_in, routes_of
from tests.support.platform import Person, Running

OPEN = {
    *("GET /healthz", "GET /readyz", "GET /openapi.json", "GET /{path:path}", "GET /api/{path:path}", "GET /api/meta"),
    *("POST /api/auth/setup", "POST /api/auth/login", "POST /api/auth/demo", "POST /api/auth/logout"),
    *("GET /api/auth/oidc/{provider_id}/login", "GET /api/auth/oidc/{provider_id}/callback"),
}
"""What a stranger may ask for. One more belongs here only after a thought."""
PERSONS_ALONE = {"PATCH /api/settings", "GET /api/keys", "POST /api/keys", "DELETE /api/keys/{key_id}"}
"""What no program may do with a key."""
DECIDING = {"POST /api/approvals/{approval_id}"}
FROM_OUTSIDE = {"X-Forwarded-For": "203.0.113.9"}
STREAM = "GET /api/sessions/{session_id}/stream"
LET_IN = set(range(200, 500)) - {401, 403}
CANARY = "hunter2"
INSIDE = (CANARY, "Traceback", "RuntimeError", "SELECT", "batuta/server")
LEAK = f"SELECT password='{CANARY}' FROM users -- /etc/passwd Traceback"


def is_allowed(route: str, scope: str | None, roles: set[str]) -> bool:
    """Whether somebody may do this, said without the table of the policy."""
    method = route.split(" ", maxsplit=1)[0]
    if route == "GET /metrics":
        return "admin" in roles and scope in (None, METRICS)
    if scope is None:
        return True
    if route in PERSONS_ALONE or scope == METRICS:
        return False
    if route in DECIDING:
        return scope == APPROVE
    return scope == CHAT or (method == "GET" and scope in (READ, APPROVE))


def closed_routes(site: Running) -> Iterator[str]:
    return (name for name, _ in routes_of(create_api(site.platform)) if name not in OPEN)


def test_se17_what_is_open_and_what_changes_something_is_declared_so() -> None:
    """SE-17: a public route is listed here, and a right to read changes nothing."""
    assert {name for name, rule in ROUTES.items() if rule.access is Access.PUBLIC} == OPEN
    assert {name for name, rule in ROUTES.items() if rule.access is Access.PERSON} == PERSONS_ALONE
    reading = {name for name, rule in ROUTES.items() if rule.scope == READ}
    assert not [name for name in reading if name.split(" ")[0] in UNSAFE]


async def test_se17_every_route_lets_in_whom_it_should_and_no_one_else(embedded: Running) -> None:
    """SE-17: each role in a browser, each scope of a key, on each route of the application."""
    callers: list[tuple[str | None, set[str], Person]] = [
        (None, {role}, await embedded.person(f"{role}@example.com", roles=(role,))) for role in ROLES
    ]
    admin = callers[-1][2]
    for given in (READ, CHAT, APPROVE, METRICS):
        secret = (await admin.http.post("/api/keys", json={"name": given, "scopes": [given]})).json()["secret"]
        program = embedded.stranger()
        program.http.headers["Authorization"] = f"Bearer {secret}"
        callers.append((given, {"admin"}, program))
    wrong = []
    for name in closed_routes(embedded):
        method, path = name.split(" ")
        address = re.sub(r"{\w+}", lambda _: new_id(), path)
        for scope, roles, caller in callers:
            status = (await caller.http.request(method, address, headers=FROM_OUTSIDE)).status_code
            is_let_in = status not in (401, 403)
            is_right = is_let_in == is_allowed(name, scope, roles) and (
                status == 404 or not ids_in(name) or not is_let_in
            )
            wrong += [] if is_right else [(name, scope, roles, status)]
    assert wrong == []


async def test_se17_every_event_lets_in_whom_it_should_and_no_one_else(embedded: Running) -> None:
    """SE-17: each scope of a key on each event of the sockets."""
    ana = await embedded.person()
    for scope in (READ, CHAT, APPROVE):
        secret = (await ana.http.post("/api/keys", json={"name": scope, "scopes": [scope]})).json()["secret"]
        tab = await embedded.stranger().tab(Authorization=f"Bearer {secret}")
        for event, fields in COMMANDS.items():
            name = "approval_id" if event == "approval:resolve" else "session_id"
            ack = await tab.command(event, {**fields, name: new_id()})
            needed = {"approval:resolve": {APPROVE}, "chat:message": {CHAT}, "chat:stop": {CHAT}}
            is_let_in = scope in needed.get(event, {READ, CHAT, APPROVE})
            assert (event, scope, ack["problem"]["status"]) == (event, scope, 404 if is_let_in else 403)


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError(LEAK)


def break_services(platform: Platform, patch: pytest.MonkeyPatch) -> None:
    """Have every service that only handlers and sockets ask raise an unexpected error; the guard still works."""
    names: tuple[str, ...] = (
        "identity",
        "oidc",
        "preferences",
        "keys",
        "sessions",
        "sources",
        "turns",
        "approvals",
        "datasets",
    )
    names += ("boards", "search", "files", "documents", "agui", "erp")
    for service in (getattr(platform, name) for name in names):
        for name, member in vars(type(service)).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                patch.setattr(type(service), name, broken)


async def test_se30_an_error_in_any_route_or_event_tells_nothing_of_the_inside(embedded: Running) -> None:
    """SE-30: every route with things that are there, its services broken; the answer is generic and has an id."""
    ana = await embedded.person(roles=("user", "approver", "analyst", "admin"))
    things, tab = await Belongings.of(ana), await ana.tab()
    ids = {**things.ids, **dict.fromkeys(FREE_PARAMETERS, "x")}
    leaks, broke = [], 0
    with pytest.MonkeyPatch.context() as patch:
        break_services(embedded.platform, patch)
        for name, _ in routes_of(create_api(embedded.platform)):
            method, path = name.split(" ")
            address = re.sub(r"{(\w+)(:path)?}", lambda match: ids[match[1]], path)
            body = {**BODIES, "POST /api/sessions/{session_id}/feedback": None}.get(name) or {"title": "x", "name": "x"}
            if name == STREAM:  # follows without an end, and asks no service
                continue
            answer = await ana.http.request(method, address, json=None if method in ("GET", "HEAD") else body)
            told = answer.text + str(answer.headers)
            leaks += [
                (name, word) for word in (CANARY, "Traceback", "RuntimeError", "SELECT", "batuta/") if word in told
            ]
            if answer.status_code == 500:
                broke += 1
                assert method == "HEAD" or answer.json()["code"] == "INTERNAL"
            assert answer.headers["x-correlation-id"]
        for event, fields in COMMANDS.items():
            name = "approval_id" if event == "approval:resolve" else "session_id"
            ack = await tab.command(event, {**fields, name: things.ids[name]})
            leaks += [(event, CANARY)] if CANARY in str(ack) else []
            broke += not ack["ok"] and ack["problem"]["code"] == "INTERNAL"
    assert leaks == []
    assert broke >= len(ROUTES) * 2 // 3, "most of them were reached and did break"
    assert set(EVENTS) == set(COMMANDS)
