"""The second wall: PostgreSQL itself shows nobody's rows but those of whoever a transaction acts for (P-21, IS-04)."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
import sqlalchemy as sa

from batuta.server.database.engines import Database
from batuta.server.database.postgres_engine import PostgresPlatformDatabase
from batuta.server.database.principal import ANONYMOUS, SYSTEM, Principal, acting_as
from batuta.server.database.tables import approvals, log_heads, messages, turns, user_sessions
from batuta.server.database.upgrade import is_exempt
from batuta.server.database.version import VERSION_TABLE
from tests.support.platform import Person, Running, running, settings_for

BOOKKEEPING = {"alembic_version", VERSION_TABLE, "knowledge_spaces"}
"""What is about the installation and about nobody: versions, and which model made the vectors."""


@pytest.fixture
async def distributed(platform_url: str, tmp_path: Path) -> AsyncIterator[Running]:
    async with running(settings_for(tmp_path, database_url=platform_url)) as found:
        yield found


async def sessions_seen(database: Database, behalf: Principal) -> dict[str, set[str]]:
    """The sessions whose rows can be read, by table, without any condition in the query."""
    tables = (user_sessions, messages, turns, approvals, log_heads)

    def look(connection: sa.Connection) -> dict[str, set[str]]:
        return {table.name: set(connection.execute(sa.select(table.c.session_id)).scalars()) for table in tables}

    with acting_as(behalf):
        return await database.read(look)


async def filled(person: Person) -> str:
    session = await person.session()
    await person.say(session, "book monday")
    await person.pending()
    return session


async def test_is04_every_table_is_guarded_and_nobody_is_exempt(platform_url: str) -> None:
    """IS-04: also a table that is added later; the role owns nothing and is no superuser."""
    connection = await asyncpg.connect(platform_url)
    try:
        rows = await connection.fetch(
            "SELECT relname, relrowsecurity AND relforcerowsecurity AS is_guarded, "
            "pg_get_userbyid(relowner) = current_user AS is_own "
            "FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        readable = [
            row["relname"]
            for row in rows
            if row["relname"] not in BOOKKEEPING and await connection.fetchval(f"SELECT count(*) FROM {row['relname']}")
        ]
    finally:
        await connection.close()
    assert {row["relname"] for row in rows if not row["is_guarded"]} == BOOKKEEPING
    assert not any(row["is_own"] for row in rows)
    assert readable == []
    database = PostgresPlatformDatabase(platform_url)
    assert not await database.read(is_exempt)
    await database.close()


async def test_is04_a_query_without_any_condition_shows_only_ones_own(distributed: Running) -> None:
    """Every kind of row of a session, for one who acts for somebody, nobody, an approver, the system."""
    ana = await distributed.person("ana@example.com")
    ben = await distributed.person("ben@example.com")
    eve = await distributed.person("eve@example.com", workspace=await distributed.new_workspace())
    own = {person.user_id: await filled(person) for person in (ana, ben, eve)}
    database = distributed.platform.backends.database
    for person in (ana, ben, eve):
        seen = await sessions_seen(database, Principal(user_id=person.user_id, scope="user"))
        assert set(map(frozenset, seen.values())) == {frozenset({own[person.user_id]})}
    assert not any((await sessions_seen(database, ANONYMOUS)).values())
    workspace = ana.me["user"]["workspace_id"]
    seen = await sessions_seen(database, Principal(user_id=ana.user_id, workspace_id=workspace, scope="user"))
    assert seen["approvals"] == {own[ana.user_id], own[ben.user_id]}
    assert (await sessions_seen(database, SYSTEM))["messages"] == set(own.values())


async def test_is04_nobody_writes_into_foreign_rows(distributed: Running) -> None:
    ana, ben = await distributed.person("ana@example.com"), await distributed.person("ben@example.com")
    session = await ana.session(title="Hers")
    database = distributed.platform.backends.database
    rename = sa.update(user_sessions).where(user_sessions.c.session_id == session).values(title="Mine")
    with acting_as(Principal(user_id=ben.user_id, scope="user")):
        assert await database.write(lambda connection: connection.execute(rename).rowcount) == 0
    assert (await ana.http.get(f"/api/sessions/{session}")).json()["title"] == "Hers"


async def test_se38_the_log_cannot_be_rewritten_by_the_role_that_serves(platform_url: str) -> None:
    """S-21: append-only by permission, before any trigger is asked."""
    connection = await asyncpg.connect(platform_url, server_settings={"batuta.scope": "system"})
    try:
        for statement in (
            "DELETE FROM message_events",
            "UPDATE message_events SET type = 'other'",
            "TRUNCATE message_events",
            "DELETE FROM account_changes",
            "UPDATE account_changes SET action = 'other'",
            "TRUNCATE account_changes",
            "DELETE FROM account_trail",
            "ALTER TABLE message_events DISABLE TRIGGER ALL",
            "ALTER TABLE messages DISABLE ROW LEVEL SECURITY",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    finally:
        await connection.close()


async def test_is05_connections_carry_nothing_over(distributed: Running) -> None:
    """IS-05: reads and changes, failures, cancellations and a small pool, two tenants at once: nobody ever sees
    another's rows.
    """
    people = [await distributed.person(f"{name}@example.com") for name in ("ana", "ben")]
    own = {person.user_id: await person.session() for person in people}
    database = distributed.platform.backends.database
    chance, leaks = random.Random(7), list[set[str]]()

    async def look(user_id: str, fate: str) -> None:
        def query(connection: sa.Connection) -> set[str]:
            seen = set(connection.execute(sa.select(user_sessions.c.session_id)).scalars())
            if fate == "break":
                raise RuntimeError
            return seen

        with acting_as(Principal(user_id=user_id, scope="user")):
            async with asyncio.timeout(chance.random() / 200 if fate == "cancel" else 20):
                seen = await chance.choice((database.read, database.look_up, database.write))(query)
        if seen != {own[user_id]}:
            leaks.append(seen)

    for _ in range(20):
        fates = [(chance.choice(people).user_id, chance.choice(("", "", "break", "cancel"))) for _ in range(50)]
        await asyncio.gather(*(look(user_id, fate) for user_id, fate in fates), return_exceptions=True)
        assert not any((await sessions_seen(database, ANONYMOUS)).values())
    assert leaks == []


@pytest.mark.parametrize("way", ["read", "write"])
async def test_connections_that_the_server_closed_meanwhile_are_replaced(
    distributed: Running, platform_url: str, way: str
) -> None:
    """The server was restarted while nobody asked: the next one to ask does not notice."""
    database = distributed.platform.backends.database
    assert isinstance(database, PostgresPlatformDatabase)
    with acting_as(SYSTEM):
        ids = await asyncio.gather(*(database.read(_own_id) for _ in range(4)))
        await _end_connections(platform_url, set(ids))
        assert await getattr(database, way)(_own_id) not in ids


def _own_id(connection: sa.Connection) -> int:
    return int(connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one())


async def _end_connections(url: str, ids: set[int]) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SELECT pg_terminate_backend(id) FROM unnest($1::int[]) AS given (id)", list(ids))
    finally:
        await connection.close()
