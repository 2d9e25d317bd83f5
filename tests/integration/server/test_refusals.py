"""What the platform refuses is in the audit trail: who, what, when, from where, and the answer (SE-38)."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
import socketio
import sqlalchemy as sa

from batuta.eventstore.audit import verify_chain
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.server.backends import open_backends
from batuta.server.config import Settings
from batuta.server.database.engines import Database
from batuta.server.security.account_trail import TRAIL, AccountTrail, RecordedAccountChange
from batuta.server.security.ownership import Credential
from batuta.server.security.refusals import BURST, REFUSED, ROWS_PER_MINUTE, AccessRefusal, AccessRefusals
from batuta.testing.clock import FakeClock
from tests.integration.server.test_account_trail import invoked
from tests.support.platform import WAIT_SECONDS, Person, Running

T = TypeVar("T")
SECRET = "btk_" + "s3cret" * 6
WORDS = "the words of a body"


async def refused(site: Running) -> list[RecordedAccountChange]:
    entries = await AccountTrail(site.platform.backends.database).changes(limit=10_000)
    return [entry for entry in entries if entry.action == REFUSED]


async def until_refused(site: Running, count: int) -> list[RecordedAccountChange]:
    """The refusals, once there are so many, counted with their repeats."""
    async with asyncio.timeout(WAIT_SECONDS):
        while counted(rows := await refused(site)) < count:
            await asyncio.sleep(0.05)
    return rows


def told(row: RecordedAccountChange) -> tuple[str, str, int, str]:
    return row.who, row.details["what"], row.details["status"], row.details["code"]


async def a_key(person: Person, *scopes: str) -> Person:
    """A program with a key of this person."""
    made = await person.http.post("/api/keys", json={"name": "script", "scopes": list(scopes)})
    program = person.running.stranger()
    program.http.headers["Authorization"] = f"Bearer {made.json()['secret']}"
    return program


async def test_se38_every_refusal_is_in_the_trail(site: Running) -> None:
    """By every door: pages, keys, sockets, AG-UI, decisions, logins; nothing in it is secret."""
    ana, eve = await site.person(), await site.person("eve@example.com")
    session = await ana.session()
    tab, reader = await eve.tab(), await a_key(eve, "read")
    run = {"threadId": new_id(), "runId": "r", "messages": [{"id": "m", "role": "user", "content": WORDS}]}
    path, message = f"/api/sessions/{session}", {"client_message_id": "m1", "text": WORDS}
    assert (await eve.http.get(path)).status_code == 404
    assert (await eve.http.post(f"{path}/messages", json=message)).status_code == 404
    assert (await reader.http.post("/api/agui", json=run)).status_code == 403
    assert (await reader.http.post(f"/api/approvals/{new_id()}", json={"decision": "approve"})).status_code == 403
    assert (await reader.http.get("/api/keys")).status_code == 403
    assert (await eve.http.get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"})).status_code == 403
    assert (await eve.http.patch("/api/settings", json={}, headers={"X-CSRF-Token": WORDS})).status_code == 403
    assert (await eve.http.patch("/api/settings", json={}, headers={"Origin": "https://evil"})).status_code == 403
    assert not (await tab.command("chat:message", {"session_id": session, **message}))["ok"]
    login = {"email": "ana@example.com", "password": WORDS}
    assert (await site.stranger().http.post("/api/auth/login", json=login)).status_code == 401
    stranger = site.stranger()
    assert (await stranger.http.get(path)).status_code == 401
    stranger.http.headers["Authorization"] = f"Bearer {SECRET}"
    assert (await stranger.http.get(path)).status_code == 401
    with pytest.raises(socketio.exceptions.ConnectionError):
        await stranger.tab(Authorization=f"Bearer {SECRET}")
    rows = await until_refused(site, 13)
    assert sorted(map(told, rows)) == sorted(
        [
            (eve.user_id, "GET /api/sessions/{session_id}", 404, "NOT_FOUND"),
            (eve.user_id, "POST /api/sessions/{session_id}/messages", 404, "NOT_FOUND"),
            (eve.user_id, "POST /api/agui", 403, "FORBIDDEN"),
            (eve.user_id, "POST /api/approvals/{approval_id}", 403, "FORBIDDEN"),
            (eve.user_id, "GET /api/keys", 403, "FORBIDDEN"),
            (eve.user_id, "GET /metrics", 403, "FORBIDDEN"),
            (eve.user_id, "PATCH /api/settings", 403, "CSRF"),
            (eve.user_id, "PATCH /api/settings", 403, "FOREIGN_ORIGIN"),
            (eve.user_id, "chat:message", 404, "NOT_FOUND"),
            ("unknown", "POST /api/auth/login", 401, "WRONG_PASSWORD"),
            ("unknown", "GET /api/sessions/{session_id}", 401, "UNAUTHORIZED"),
            ("unknown", "GET /api/sessions/{session_id}", 401, "UNAUTHORIZED"),
            ("unknown", "connect", 401, "UNAUTHORIZED"),
        ]
    )
    assert {row.origin for row in rows} == {"request from 127.0.0.1"}
    assert {row.workspace_id for row in rows if row.who == eve.user_id} == {eve.me["user"]["workspace_id"]}
    assert {row.details["ids"]["session_id"] for row in rows if "sessions" in row.details["what"]} == {session}
    assert not any(secret in str(rows) for secret in (SECRET, WORDS, "Bearer", "@example.com"))


async def test_se38_who_lost_a_right_is_named(site: Running) -> None:
    """A login and a key of an account that was disabled, a key that was revoked: nothing else knows them any more."""
    eve = await site.person("eve@example.com")
    login, key, revoked = eve, await a_key(eve, "read"), await a_key(eve, "chat")
    for person in (login, key, revoked):
        assert (await person.http.get("/api/sessions")).status_code == 200
    keys = (await eve.http.get("/api/keys")).json()["items"]
    [chat] = [one["key_id"] for one in keys if "chat" in one["scopes"]]
    assert (await eve.http.delete(f"/api/keys/{chat}")).status_code == 204
    await site.platform.identity.disable(eve.user_id)
    asked = {"/api/sessions": login, "/api/agents": key, "/api/me": revoked}
    for path, person in asked.items():
        assert (await person.http.get(path)).status_code == 401
    rows = await until_refused(site, 3)
    assert {told(row) for row in rows} == {(eve.user_id, f"GET {path}", 401, "UNAUTHORIZED") for path in asked}


async def test_se38_a_decision_without_the_role_is_in_the_trail(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a handler refuses after the policy let the caller in."""
    ana = await site.person()
    session = await ana.session()
    await ana.say(session, "please book")
    approval = await ana.pending()

    async def asked(*_: Any) -> Any:
        return SimpleNamespace(required_role="treasurer")

    monkeypatch.setattr(site.platform.approvals, "_asked", asked)
    answer = await ana.http.post(f"/api/approvals/{approval['approval_id']}", json={"decision": "approve"})
    assert answer.status_code == 403
    [row] = await until_refused(site, 1)
    assert told(row) == (ana.user_id, "POST /api/approvals/{approval_id}", 403, "FORBIDDEN")
    assert row.details["ids"] == {"approval_id": approval["approval_id"]}
    assert site.stage.booked == []


async def test_se38_an_operator_reads_the_refusals_and_the_chain_proves_them(site: Running) -> None:
    ana, eve = await site.person(), await site.person("eve@example.com")
    assert (await eve.http.get(f"/api/sessions/{await ana.session()}")).status_code == 404
    await until_refused(site, 1)
    settings = site.platform.settings
    listed = await asyncio.to_thread(invoked, settings, ("audit", "refusals", "--json"), "")
    [row] = json.loads(listed.stdout)
    assert (row["who"], row["details"]["status"], row["details"]["count"]) == (eve.user_id, 404, 1)
    shown = await asyncio.to_thread(invoked, settings, ("audit", "refusals"), "")
    assert f"refused to {eve.user_id}, request from 127.0.0.1" in shown.stdout
    assert REFUSED not in (await asyncio.to_thread(invoked, settings, ("audit", "accounts"), "")).stdout
    assert (await verify_chain(AccountTrail(site.platform.backends.database), TRAIL)).is_sound


async def test_se38_what_leads_nowhere_is_no_refusal(embedded: Running) -> None:
    stranger = embedded.stranger()
    for path in ("/api/nothing", "/assets/nothing.js"):
        assert (await stranger.http.get(path)).status_code == 404
    ana = await embedded.person()
    assert (await ana.http.get(f"/api/sessions/{new_id()}")).status_code == 404
    assert [row.details["what"] for row in await until_refused(embedded, 1)] == ["GET /api/sessions/{session_id}"]


class Interrupted:
    """A database whose writes fail while it is said to be away."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.is_away = False
        self.writes = 0

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        return await self._database.read(query)

    async def look_up(self, query: Callable[[sa.Connection], T]) -> T:
        return await self._database.look_up(query)

    async def write(self, change: Callable[[sa.Connection], T]) -> T:
        self.writes += 1
        if self.is_away:
            raise StoreUnavailableError("away")
        return await self._database.write(change)

    async def close(self) -> None:
        await self._database.close()


A_REFUSAL = AccessRefusal(what="GET /api/sessions", status=401, code="UNAUTHORIZED", origin="request from 192.0.2.1")


@asynccontextmanager
async def a_trail(settings: Settings) -> AsyncIterator[tuple[AccessRefusals, FakeClock, Interrupted, AccountTrail]]:
    async with open_backends(settings) as backends:
        clock = FakeClock()
        yield AccessRefusals(clock), clock, Interrupted(backends.database), AccountTrail(backends.database)


def counted(rows: Sequence[RecordedAccountChange]) -> int:
    return sum(row.details["count"] for row in rows)


async def test_se38_a_flood_of_refusals_is_counted_and_fills_nothing(settings: Settings) -> None:
    """Ten thousand addresses with a hundred thousand credentials for an hour: every refusal is in a count."""
    async with a_trail(settings) as (kept, clock, database, trail):
        for minute in range(60):
            for number in range(1_000):
                credential = Credential(kind="login", digest=f"{minute}-{number}")
                origin = f"request from 10.0.{number % 100}.{minute}"
                kept.note(replace(A_REFUSAL, origin=origin, credential=credential))
            await kept.write(database)
            clock.advance(60)
        known = len(await trail.changes(limit=10_000))
        await kept.write(database, is_last=True)
        rows = await trail.changes(limit=10_000)
    assert counted(rows) == 60_000
    assert known <= BURST + 60 * ROWS_PER_MINUTE
    assert len(rows) <= known + 1 + BURST
    assert {row.who for row in rows} == {"unknown"}


async def test_se38_a_flood_hides_no_refusal_of_an_account(settings: Settings) -> None:
    async with a_trail(settings) as (kept, _, database, trail):
        for number in range(5_000):
            kept.note(replace(A_REFUSAL, origin=f"request from 10.0.0.{number}"))
        kept.note(replace(A_REFUSAL, what="GET /metrics", who="mcp:till"))
        await kept.write(database)
        rows = await trail.changes(limit=10_000)
    assert [row.details["what"] for row in rows if row.who == "mcp:till"] == ["GET /metrics"]


async def test_se38_repeats_are_one_row_a_minute_with_their_number(settings: Settings) -> None:
    async with a_trail(settings) as (kept, clock, database, trail):
        for _ in range(3):
            for _ in range(10):
                kept.note(A_REFUSAL)
                await kept.write(database)
                clock.advance(1)
            clock.advance(60)
        await kept.write(database)
        rows = await trail.changes(limit=100)
    assert [row.details["count"] for row in rows] == [1, 10, 10, 9]
    assert rows[1].details["first_at"] < rows[1].details["last_at"]


async def test_se38_an_unavailable_database_delays_the_trail_and_nothing_else(settings: Settings) -> None:
    """Nothing is lost by that, nothing doubled, and a request never waits for it."""
    async with a_trail(settings) as (kept, _, database, trail):
        database.is_away = True
        running = asyncio.create_task(kept.run(database))
        for _ in range(100):
            kept.note(A_REFUSAL)
        async with asyncio.timeout(WAIT_SECONDS):
            while not database.writes:
                await asyncio.sleep(0.01)
        database.is_away = False
        kept.note(A_REFUSAL)
        async with asyncio.timeout(WAIT_SECONDS):
            while not (rows := await trail.changes(limit=100)):
                await asyncio.sleep(0.05)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert (await trail.changes(limit=100), counted(rows)) == (rows, 101)


async def test_se38_what_is_not_written_yet_is_written_at_the_end(settings: Settings) -> None:
    async with a_trail(settings) as (kept, _, database, trail):
        running = asyncio.create_task(kept.run(database))
        kept.note(A_REFUSAL)
        while not await trail.changes(limit=100):
            await asyncio.sleep(0.05)
        for _ in range(7):
            kept.note(A_REFUSAL)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert counted(await trail.changes(limit=100)) == 8
