"""One policy for everything, and nobody sees what is not theirs (P-21, SE-01, SE-08, SE-16, SE-17, IS-01, IS-02)."""

import inspect
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from batuta.datasets.store import DatasetOwner
from batuta.events.queue import NewWork
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.postgres_turns import PostgresTurnQueue
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.kernel.ids import new_id
from batuta.server import policy
from batuta.server.app import create_api
from batuta.server.backends import open_backends
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.server.http.guard import GuardedRoute, new_router
from batuta.server.policy import EVENTS, FREE_PARAMETERS, JOBS, ROUTES, Access, AccessRule
from batuta.server.security.ownership import OWNERSHIP
from batuta.testing.datasets import NOW, a_dataset
from tests.support.platform import Person, Running

BODIES: dict[str, Any] = {
    "PATCH /api/sessions/{session_id}": {"title": "Stolen"},
    "POST /api/sessions/{session_id}/messages": {"client_message_id": "m1", "text": "hello"},
    "POST /api/sessions/{session_id}/feedback": {"message_id": new_id(), "rating": 1},
    "POST /api/approvals/{approval_id}": {"decision": "approve"},
    "PATCH /api/boards/{board_id}": {"title": "Stolen"},
    "PATCH /api/boards/{board_id}/tiles/{tile_id}": {"title": "Stolen"},
}
PIN = "POST /api/boards/{board_id}/pins/{session_id}/{dataset_id}"
COMMANDS: dict[str, dict[str, Any]] = {
    "session:join": {},
    "session:leave": {},
    "chat:message": {"client_message_id": "m1", "text": "hello"},
    "chat:stop": {},
    "approval:resolve": {"decision": "approve"},
}


def routes_of(api: FastAPI) -> Iterator[tuple[str, APIRoute]]:
    """Every route with its method, as the policy names it."""
    for route in _flat(api.routes):
        assert isinstance(route, APIRoute), f"{route} is no guarded route"
        for method in sorted(route.methods or ()):
            yield f"{method} {route.path}", route


def _flat(routes: Iterable[Any]) -> Iterator[Any]:
    """Routes of the application and of the routers it includes."""
    for route in routes:
        included = getattr(route, "original_router", None)
        yield from [route] if included is None else _flat(included.routes)


def ids_in(path: str) -> list[str]:
    return [name for name in re.findall(r"{(\w+)(?::\w+)?}", path) if name not in FREE_PARAMETERS]


async def test_se17_every_route_is_guarded_and_has_a_row(embedded: Running) -> None:
    """SE-17: and no row is left over."""
    routes = dict(routes_of(create_api(embedded.platform)))
    assert set(routes) == set(ROUTES)
    assert all(isinstance(route, GuardedRoute) for route in routes.values())


async def test_no_route_hands_its_dependencies_to_threads(embedded: Running) -> None:
    """A plain function costs a change of threads at every request."""
    plain = {
        each.call
        for _, route in routes_of(create_api(embedded.platform))
        for each in route.dependant.dependencies
        if not isinstance(each.call, type) and not inspect.iscoroutinefunction(each.call)
    }
    assert plain == set()


def test_a_route_without_a_row_does_not_come_up() -> None:
    router = new_router()
    with pytest.raises(LookupError, match="no row for GET /api/surprise"):
        router.get("/api/surprise")(lambda: None)


async def test_se08_se17_every_socket_event_has_a_row(embedded: Running) -> None:
    assert embedded.platform.sockets.events == set(EVENTS) == set(COMMANDS)


def test_nobody_from_outside_does_the_work_of_the_platform() -> None:
    assert all(rule.access is Access.SYSTEM for rule in JOBS.values())


async def test_work_of_a_kind_without_a_row_is_not_queued(site: Running) -> None:
    """P-21."""
    with pytest.raises(ValueError, match="no work of the kind 'surprise', only: turn"):
        await site.platform.backends.queue.accept(NewWork(kind="surprise"))
    assert not await site.platform.backends.queue.depth()


@pytest.mark.parametrize("asked", [None, ("surprise",)])
async def test_work_of_a_kind_without_a_row_is_not_done(settings: Settings, asked: Collection[str] | None) -> None:
    """P-21: whoever put it there; with a row, the same work is given out."""
    async with open_backends(settings) as store:
        log = store.log
        assert isinstance(log, SqliteEventLog | PostgresEventLog)
        anyone = SqliteTurnQueue(log) if isinstance(log, SqliteEventLog) else PostgresTurnQueue(log)
        await anyone.accept(NewWork(kind="surprise"))
        assert await store.queue.lease("worker", kinds=asked) is None
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(JOBS, "surprise", AccessRule(Access.SYSTEM))
            assert await store.queue.lease("worker", kinds=asked) is not None


def test_every_id_in_a_path_has_an_owner() -> None:
    assert {name for path in ROUTES for name in ids_in(path)} == set(OWNERSHIP)


def test_every_scope_and_role_in_the_table_exists() -> None:
    rules = [*ROUTES.values(), *EVENTS.values()]
    assert {rule.scope for rule in rules if rule.scope} == set(policy.SCOPES)
    assert {rule.role for rule in rules if rule.role} <= set(policy.ROLES)


async def test_se01_a_stranger_gets_401_from_everything_that_is_not_public(embedded: Running) -> None:
    """SE-01: whatever is sent along, and nothing happens."""
    stranger = embedded.stranger()
    closed = {name for name, rule in ROUTES.items() if rule.access in (Access.USER, Access.PERSON)}
    for name in closed:
        method, path = name.split(" ")
        address = re.sub(r"{\w+}", lambda _: new_id(), path)
        for body in (None, b"{", b'{"text": 1}'):
            answer = await stranger.http.request(method, address, content=body)
            assert (name, answer.status_code) == (name, 401)
            assert answer.headers["content-type"] == "application/problem+json"


class Belongings:
    """What Ana has, by the names ids have in paths and events."""

    def __init__(self, ids: dict[str, str]) -> None:
        self.ids = ids

    @classmethod
    async def of(cls, person: Person) -> "Belongings":
        session = await person.session()
        turn = await person.say(session, "please book")
        approval = await person.pending()
        await person.until(session, lambda events: events[-1]["type"] == "complete")
        key = (await person.http.post("/api/keys", json={"name": "script"})).json()
        file = await person.file("notes.txt", b"Some notes of mine.")
        dataset = await a_kept_dataset(person, session)
        board = (await person.http.post("/api/boards", json={"title": "Sales"})).json()["board_id"]
        tile = (await person.http.post(f"/api/boards/{board}/pins/{session}/{dataset}")).json()
        return cls(
            {
                "session_id": session,
                "turn_id": turn["turn_id"],
                "approval_id": approval["approval_id"],
                "key_id": key["key_id"],
                "file_id": file["file_id"],
                "job_id": file["job_id"],
                "dataset_id": dataset,
                "board_id": board,
                "tile_id": tile["tile_id"],
            }
        )


async def a_kept_dataset(person: Person, session: str) -> str:
    store = DatabaseDatasetStore(SystemDatabase(person.running.platform.backends.database))
    owner = DatasetOwner(session_id=session, user_id=person.user_id)
    return (await store.save(owner, new_id(), a_dataset(), now=NOW)).dataset_id


async def test_is01_foreign_things_answer_exactly_like_missing_ones(site: Running) -> None:
    """IS-01: every route with an id, for somebody of the same workspace and of another, and nothing happens."""
    ana = await site.person()
    things = await Belongings.of(ana)
    before = await ana.events(things.ids["session_id"])
    neighbours = [
        await site.person("eve@example.com"),
        await site.person("zoe@example.com", roles=("approver", "admin"), workspace=await site.new_workspace()),
    ]
    for name in ROUTES:
        if not ids_in(name):
            continue
        for eve in neighbours:
            missing = await _call(eve, name, {each: new_id() for each in OWNERSHIP})
            malformed = await _call(eve, name, dict.fromkeys(OWNERSHIP, "nonsense"))
            foreign = await _call(eve, name, things.ids)
            assert (name, *foreign) == (name, *missing) == (name, *malformed)
            assert foreign[0] == 404
    assert await ana.events(things.ids["session_id"]) == before
    assert (await ana.http.get("/api/keys")).json()["items"] != []
    assert site.stage.booked == []


async def test_is01_a_foreign_id_beside_ones_own_is_a_missing_one(site: Running) -> None:
    """IS-01: every id of every route that names several, one by one; also own ones that do not belong together."""
    ana, eve = await site.person(), await site.person("eve@example.com")
    foreign, own, other = await Belongings.of(ana), await Belongings.of(eve), await Belongings.of(eve)
    before = [await ana.events(foreign.ids["session_id"]), await eve.events(own.ids["session_id"])]
    for name in ROUTES:
        names = ids_in(name)
        for mixed in names if len(names) > 1 else ():
            missing = await _call(eve, name, {**own.ids, mixed: new_id()})
            found = await _call(eve, name, {**own.ids, mixed: foreign.ids[mixed]})
            assert (name, mixed, *found) == (name, mixed, *missing)
            assert found[0] == 404
            if (name, mixed) != (PIN, "board_id"):  # any board of hers takes any table of hers
                elsewhere = await _call(eve, name, {**own.ids, mixed: other.ids[mixed]})
                assert (name, mixed, *elsewhere) == (name, mixed, *missing)
    assert [await ana.events(foreign.ids["session_id"]), await eve.events(own.ids["session_id"])] == before


async def test_is02_foreign_things_answer_like_missing_ones_on_the_socket(site: Running) -> None:
    """IS-02: every event, and not one event of the session comes."""
    ana = await site.person()
    things = await Belongings.of(ana)
    eve = await site.person("eve@example.com")
    tab = await eve.tab()
    for event, fields in COMMANDS.items():
        name = "approval_id" if event == "approval:resolve" else "session_id"
        missing = await tab.command(event, {**fields, name: new_id()})
        foreign = await tab.command(event, {**fields, name: things.ids[name]})
        assert (event, foreign) == (event, missing)
        assert foreign["problem"]["status"] == 404
    assert tab.events == []
    assert site.stage.booked == []


async def test_is01_lists_and_search_hold_only_ones_own(site: Running) -> None:
    """IS-01: what has no id in its path."""
    ana = await site.person()
    session = await ana.session(title="Secret plans")
    await ana.say(session, "secret plans to book")
    await ana.pending()
    eve = await site.person("eve@example.com")
    assert (await eve.http.get("/api/sessions")).json()["items"] == []
    assert (await eve.http.get("/api/sessions", params={"query": "secret"})).json()["items"] == []
    assert (await eve.http.get("/api/approvals")).json()["items"] == []
    assert (await eve.http.get("/api/search", params={"query": "secret"})).json() == {"sessions": [], "messages": []}
    answer = await eve.http.post(
        "/api/agui", json={"threadId": session, "runId": "r", "messages": [{"id": "m", "role": "user", "content": "x"}]}
    )
    assert answer.status_code == 404


async def test_a_deleted_session_is_a_missing_one(site: Running) -> None:
    ana = await site.person()
    things = await Belongings.of(ana)
    assert (await ana.http.delete(f"/api/sessions/{things.ids['session_id']}")).status_code == 204
    for name in ROUTES:
        if "{session_id}" in name or "{approval_id}" in name:
            assert (name, *await _call(ana, name, things.ids)) == (
                name,
                *await _call(ana, name, {each: new_id() for each in OWNERSHIP}),
            )


async def test_se16_a_credential_counts_the_same_through_every_channel(embedded: Running) -> None:
    """SE-16: a key is taken as a bearer's and, in a cookie, not at all."""
    ana = await embedded.person(roles=("user", "admin"))
    made = (await ana.http.post("/api/keys", json={"name": "script", "scopes": ["metrics"]})).json()
    program = embedded.stranger()
    program.http.headers["Authorization"] = f"Bearer {made['secret']}"
    assert (await program.http.get("/api/sessions")).status_code == 403
    program.http.headers.pop("Authorization")
    program.http.cookies.set("batuta_session", made["secret"])
    assert (await program.http.get("/api/sessions")).status_code == 401


async def _call(person: Person, name: str, ids: dict[str, str]) -> tuple[int, dict[str, Any]]:
    method, path = name.split(" ")
    answer = await person.http.request(method, path.format(**ids), json=BODIES.get(name))
    return answer.status_code, answer.json() if method != "HEAD" else {}
