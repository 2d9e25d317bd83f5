"""Speed with much data: the first page of 100,000 sessions, and a session of 5,000 events (P-30).

Bounds are those of the specification; figures are printed (`pytest -s`).
"""

import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime

import asyncpg
import pytest
import sqlalchemy as sa

from batuta.events.conversation import AssistantMessage, Complete, UserMessage
from batuta.events.envelope import Event
from batuta.events.tools import ToolRequest, ToolResponse
from batuta.kernel.ids import MessageId, SessionId, TurnId, new_id
from batuta.server.config import Settings
from batuta.server.database.engines import SystemDatabase
from tests.support.platform import Person, Running, running
from tests.support.servers import PostgresServer

SESSIONS, EVENTS = 100_000, 5_000
ROUNDS, MOST_ROUNDS = 7, 60
LIST_SECONDS, OPEN_SECONDS, SEARCH_SECONDS, FIND_SECONDS = 0.1, 0.3, 3.0, 0.1
BATCH = 1_000

pytestmark = pytest.mark.timeout(400)

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
        database = SystemDatabase(site.platform.backends.database)
        await database.write(fill(ana))
        await _analyze(settings, request)
        yield site, ana


async def _analyze(settings: Settings, request: pytest.FixtureRequest) -> None:
    """What autovacuum does in time; only an owner may."""
    if settings.database_url is not None:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        connection = await asyncpg.connect(server.url(settings.database_url.get_secret_value().rpartition("/")[2]))
        await connection.execute("ANALYZE")
        await connection.close()


async def check(
    what: str, call: Callable[[], Awaitable[object]], bound: float, clock: Callable[[], float] = time.perf_counter
) -> None:
    """The quickest call is within the bound. A busy machine gets more rounds: others' work is not the server's."""
    await call()
    seconds: list[float] = []
    while len(seconds) < ROUNDS or (min(seconds) >= bound and len(seconds) < MOST_ROUNDS):
        started = clock()
        await call()
        seconds.append(clock() - started)
    sys.stdout.write(f"{what}: best {min(seconds) * 1000:.0f}, median {statistics.median(seconds) * 1000:.0f} ms\n")
    assert min(seconds) < bound, what


async def test_lists_and_search_stay_quick_with_100_000_sessions(crowded: tuple[Running, Person]) -> None:
    """First page, a page far behind, a search for a title and for words."""
    site, ana = crowded
    mode = site.platform.settings.mode

    async def listed(**params: str) -> dict[str, object]:
        answer = await ana.http.get("/api/sessions", params=params)
        assert answer.status_code == 200, answer.text
        found: dict[str, object] = answer.json()
        return found

    async def found(words: str) -> None:
        answer = await ana.http.get("/api/search", params={"query": words})
        assert len(answer.json()["messages"]) == 1

    first = await listed()
    await check(f"{mode}, first page", listed, LIST_SECONDS)
    cursor = str(first["next_cursor"])
    await check(f"{mode}, second page", lambda: listed(cursor=cursor), LIST_SECONDS)
    await check(f"{mode}, approvals", lambda: ana.http.get("/api/approvals"), LIST_SECONDS)
    await check(f"{mode}, search", lambda: found("words 77777"), SEARCH_SECONDS)
    await check(f"{mode}, search in titles", lambda: listed(query="session 77777"), SEARCH_SECONDS)


MESSAGES, TALKED_IN = 20_000, 200
TALK = " lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore" * 4


def talk(connection: sa.Connection) -> None:
    """Messages of a page's length in the first of the sessions; all of them hold the word "number"."""
    kind = connection.dialect.name
    session = SESSION_ID[kind].replace("(i)", f"(1 + i % {TALKED_IN})").replace(", i)", f", 1 + i % {TALKED_IN})")
    columns = "session_id, seq, epoch, event_id, role, type, content, body, created_at"
    row = f"10 + i, 1, 'M' || i, 'user', 'user_message', 'Talk of number ' || i || '{TALK}', '{{}}', {MOMENT[kind]}"
    statement = f"INSERT INTO messages ({columns}) {NUMBERS[kind]} SELECT {session}, {row} FROM n"
    connection.execute(sa.text(statement), {"count": MESSAGES})


@pytest.mark.parametrize(("words", "count"), [("talk 17777", 1), ("number", 20), ("nothingatall", 0)])
async def test_search_stays_quick_with_20_000_messages(
    settings: Settings, request: pytest.FixtureRequest, words: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rare word, one that stands everywhere, and one that nobody said."""
    monkeypatch.setattr(f"{__name__}.SESSIONS", TALKED_IN)
    async with running(settings) as site:
        ana = await site.person()
        database = SystemDatabase(site.platform.backends.database)
        await database.write(fill(ana))
        await database.write(talk)
        await _analyze(settings, request)

        async def found() -> None:
            answer = await ana.http.get("/api/search", params={"query": words})
            assert len(answer.json()["messages"]) == count

        await check(f"{site.platform.settings.mode}, {words}", found, FIND_SECONDS)


def exchange(session: str, number: int) -> list[Event]:
    """What a turn with a tool tells."""
    of = {"session_id": SessionId(session), "turn_id": TurnId(new_id()), "timestamp": datetime.now(UTC)}
    answer = {**of, "message_id": MessageId(new_id()), "source_agent_id": "clerk"}
    call = {"tool_use_id": f"call_{number}", "tool_name": "book"}
    return [
        UserMessage(**of, content=f"What about {number}?"),
        ToolRequest(**answer, **call, args={"day": "Monday", "number": number}),
        ToolResponse(**answer, **call, content="booked " * 20, success=True, duration_ms=12.5),
        AssistantMessage(**answer, content="It is done. " * 20, model="rule-1"),
        Complete(**of, status="success"),
    ]


async def test_a_session_of_5_000_events_opens_quickly(settings: Settings) -> None:
    """Everything a page asks for when it opens a session, one after the other."""
    async with running(settings) as site:
        ana = await site.person()
        session = await ana.session()
        log = site.platform.backends.log
        told = [event for number in range(EVENTS // 5) for event in exchange(session, number)]
        for begin in range(0, EVENTS, BATCH):
            await log.append(session, told[begin : begin + BATCH])
        await site.platform.backends.projector.catch_up()

        async def opened() -> None:
            for after in range(0, EVENTS, BATCH):
                params = {"after": after, "limit": BATCH}
                assert (await ana.http.get(f"/api/sessions/{session}/events", params=params)).status_code == 200

        page = (await ana.http.get(f"/api/sessions/{session}/events", params={"after": 4_000, "limit": BATCH})).json()
        assert (len(page["items"]), page["has_more"]) == (BATCH, False)
        # CPU seconds of server and client together: the client only adds to them.
        what = f"{settings.mode}, opening {EVENTS} events (CPU)"
        await check(what, opened, OPEN_SECONDS, time.process_time)
