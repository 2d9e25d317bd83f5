"""However much a person has, a page of it is found by an index: no query reads a whole table (P-30).

The plans are those of the queries as they run, as the person and under the recommended role. How long they take
`bench.load --part rows` says.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa

from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from tests.support.platform import Person, Running, running
from tests.support.servers import PostgresServer

SESSIONS = 5_000
GROWING = ("user_sessions", "sessions", "messages")
"""Tables that grow with what people do."""

NUMBERS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count) ",
    "postgresql": "WITH n AS (SELECT i FROM generate_series(1, :count) AS i) ",
}
SESSION_ID = {
    "sqlite": "printf('%08X-0000-7000-8000-000000000000', i)",
    "postgresql": "lpad(upper(to_hex(i)), 8, '0') || '-0000-7000-8000-000000000000'",
}
MOMENT = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%f000+00:00', '2026-01-01', '+' || i || ' seconds')",
    "postgresql": "'2026-01-01T00:00:00Z'::timestamptz + i * interval '1 second'",
}
EXPLAIN = {"sqlite": "EXPLAIN QUERY PLAN ", "postgresql": "EXPLAIN "}
WHOLE_TABLE = {
    "sqlite": re.compile(r"\bSCAN (\w+)(?! (?:USING|VIRTUAL))"),
    "postgresql": re.compile(r"Seq Scan on (\w+)"),
}


def fill(person: Person) -> Callable[[sa.Connection], None]:
    """Sessions with titles and messages."""
    user, workspace = person.user_id, person.me["user"]["workspace_id"]

    def add(connection: sa.Connection) -> None:
        kind = connection.dialect.name
        numbers, session, at = NUMBERS[kind], SESSION_ID[kind], MOMENT[kind]
        facts = {"count": SESSIONS, "user": user, "workspace": workspace}
        owned = f"SELECT {session}, :user, :workspace, {at}, {at} FROM n"
        named = f"SELECT {session}, 1, 1, 'Session ' || i, {at}, {at} FROM n"
        said = f"SELECT {session}, 1, 1, 'E' || i, 'user', 'user_message', 'Words of number ' || i, '{{}}', {at} FROM n"
        for table, columns, rows in (
            ("user_sessions", "session_id, user_id, workspace_id, created_at, touched_at", owned),
            ("sessions", "session_id, epoch, last_seq, title, created_at, updated_at", named),
            ("messages", "session_id, seq, epoch, event_id, role, type, content, body, created_at", said),
        ):
            statement = f"INSERT INTO {table} ({columns}) {numbers}{rows}"
            used = {name: value for name, value in facts.items() if f":{name}" in statement}
            connection.execute(sa.text(statement), used)

    return add


@pytest.fixture
async def crowded(settings: Settings, request: pytest.FixtureRequest) -> AsyncIterator[tuple[Running, Person]]:
    async with running(settings) as site:
        ana = await site.person()
        await SystemDatabase(site.platform.backends.database).write(fill(ana))
        if settings.database_url is not None:  # what autovacuum does in time; only an owner may
            server: PostgresServer = request.getfixturevalue("postgres_server")
            connection = await asyncpg.connect(server.url(settings.database_url.get_secret_value().rpartition("/")[2]))
            await connection.execute("ANALYZE")
            await connection.close()
        yield site, ana


@contextmanager
def plans() -> Iterator[list[tuple[str, str]]]:
    """The plans of the queries that run meanwhile, each with its dialect."""
    found: list[tuple[str, str]] = []

    def explain(connection: Any, _: Any, statement: str, parameters: Any, *__: Any) -> None:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            kind = connection.dialect.name
            cursor = connection.connection.cursor()
            cursor.execute(EXPLAIN[kind] + statement, parameters)
            found.append((kind, "\n".join(str(row[-1]) for row in cursor.fetchall())))
            cursor.close()

    sa.event.listen(sa.engine.Engine, "before_cursor_execute", explain)
    try:
        yield found
    finally:
        sa.event.remove(sa.engine.Engine, "before_cursor_execute", explain)


def whole_tables(found: list[tuple[str, str]]) -> list[str]:
    """Plans that read all of a table that grows."""
    return [plan for kind, plan in found if set(WHOLE_TABLE[kind].findall(plan)) & set(GROWING)]


@pytest.mark.parametrize("path", ["/api/sessions", "/api/sessions?cursor={cursor}", "/api/approvals"])
async def test_a_page_of_much_is_found_without_reading_all(crowded: tuple[Running, Person], path: str) -> None:
    """The first page, the next one, and what waits for approval."""
    _, ana = crowded
    cursor = (await ana.http.get("/api/sessions")).json()["next_cursor"]
    with plans() as found:
        answer = await ana.http.get(path.format(cursor=cursor))
    assert answer.status_code == 200, answer.text
    assert found, "its queries were seen"
    assert not whole_tables(found)


@pytest.mark.parametrize("path", ["/api/sessions?query=session%203777", "/api/search?query=words%203777"])
async def test_a_search_in_little_does_not_read_what_others_have(crowded: tuple[Running, Person], path: str) -> None:
    """Titles and words are looked for in one's own sessions: they have no index, and are few."""
    site, ana = crowded
    assert "3777" in (await ana.http.get(path)).text
    ben = await site.person("ben@example.com")
    await ben.session()
    with plans() as found:
        answer = await ben.http.get(path)
    assert answer.status_code == 200, answer.text
    assert "3777" not in answer.text
    assert found, "its queries were seen"
    assert not whole_tables(found)
