"""The SQL tool on real databases: both walls, limits of rows and time, role and rate (F-56, SE-13)."""

import asyncio
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import asyncpg
import pytest

from batuta.kernel.errors import ToolFailedError, ToolRefusedError
from batuta.kernel.messages import ToolCallBlock
from batuta.testing.clock import FakeClock
from batuta.tools import CallScope, Refusal, ToolInvoker, ToolSet, ToolUser
from batuta.tools.builtin.sql import Rows, SqlDatabase, SqliteDatabase, sql_tool
from batuta.tools.builtin.sql_postgres import PostgresDatabase

SCHEMA = (
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total NUMERIC)",
    "CREATE TABLE salaries (name TEXT, amount INTEGER)",
    "INSERT INTO orders VALUES (1, 'Ada', 10), (2, 'Grace', 20), (3, 'Ada', 30)",
    "INSERT INTO salaries VALUES ('Ada', 1000)",
)
ENDLESS = "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in SCHEMA:
            connection.execute(statement)
    return path


@pytest.fixture
async def postgres_dsn(postgres_url: str) -> str:
    connection = await asyncpg.connect(postgres_url)
    for statement in SCHEMA:
        await connection.execute(statement)
    await connection.close()
    return postgres_url


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> SqlDatabase:
    if request.param == "sqlite":
        return SqliteDatabase(request.getfixturevalue("sqlite_path"))
    return PostgresDatabase(request.getfixturevalue("postgres_dsn"))


async def ask(database: SqlDatabase, sql: str, *, max_rows: int = 100, seconds: float = 5.0) -> Rows:
    return await database.query(sql, max_rows=max_rows, seconds=seconds)


async def test_a_question_is_answered(database: SqlDatabase) -> None:
    query = sql_tool(database)

    found: Rows = await query.call(sql="SELECT customer, count(*) AS n FROM orders GROUP BY customer ORDER BY 1")

    assert found == Rows(["customer", "n"], [["Ada", 2], ["Grace", 1]], is_cut=False)


async def test_rows_beyond_the_limit_are_left_out_and_it_is_said(database: SqlDatabase) -> None:
    query = sql_tool(database, max_rows=2)

    found: Rows = await query.call(sql="SELECT id FROM orders ORDER BY id")

    assert (found.rows, found.is_cut) == ([[1], [2]], True)


async def test_se13_a_table_that_is_not_listed_cannot_be_read(database: SqlDatabase) -> None:
    query = sql_tool(database, tables=["orders"])

    with pytest.raises(ToolRefusedError, match="salaries"):
        await query.call(sql="SELECT * FROM salaries")


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO orders VALUES (4, 'Eve', 1)",
        "UPDATE orders SET total = 0",
        "DELETE FROM orders",
        "DROP TABLE orders",
        "CREATE TABLE stolen (x INTEGER)",
    ],
)
async def test_se13_the_second_wall_holds_without_the_parser(database: SqlDatabase, sql: str) -> None:
    with pytest.raises((ToolRefusedError, ToolFailedError)):
        await ask(database, sql)

    assert (await ask(database, "SELECT count(*) FROM orders")).rows == [[3]]


async def test_two_statements_do_not_pass_the_second_wall(database: SqlDatabase) -> None:
    with pytest.raises((ToolRefusedError, ToolFailedError)):
        await ask(database, "SELECT 1; DELETE FROM orders")

    assert (await ask(database, "SELECT count(*) FROM orders")).rows == [[3]]


@pytest.mark.parametrize(
    "sql",
    [
        "COMMIT",
        "SET TRANSACTION READ WRITE",
        "COMMIT; DROP TABLE orders",
        "ROLLBACK; DELETE FROM orders",
        "DISCARD ALL",
    ],
)
async def test_se13_ending_the_transaction_from_inside_gains_nothing(postgres_dsn: str, sql: str) -> None:
    """A known server was left by a stacked COMMIT."""
    database = PostgresDatabase(postgres_dsn)

    with suppress(ToolRefusedError, ToolFailedError):
        await ask(database, sql)

    assert (await ask(database, "SELECT count(*) FROM orders")).rows == [[3]]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM sqlite_master",
        "ATTACH DATABASE ':memory:' AS x",
        "PRAGMA query_only = OFF",
        "SELECT load_extension('x')",
    ],
)
async def test_sqlites_own_check_refuses_what_is_no_reading(sqlite_path: Path, sql: str) -> None:
    with pytest.raises((ToolRefusedError, ToolFailedError)):
        await ask(SqliteDatabase(sqlite_path), sql)


async def test_se13_a_query_without_end_is_stopped(database: SqlDatabase) -> None:
    with pytest.raises(TimeoutError, match="too long"):
        await ask(database, ENDLESS, seconds=0.2)


async def test_a_query_stops_when_nobody_waits_for_it(sqlite_path: Path) -> None:
    """The thread ends with the call: otherwise this test would take as long as the limit."""
    task = asyncio.create_task(ask(SqliteDatabase(sqlite_path), ENDLESS, seconds=60))
    await asyncio.sleep(0.05)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), 5)


@pytest.mark.parametrize("sql", ["SELECT nothing FROM orders", "SELECT * FROM missing"])
async def test_a_wrong_question_says_what_is_wrong(database: SqlDatabase, sql: str) -> None:
    with pytest.raises(ToolFailedError, match=r"the database says: .*(nothing|missing)"):
        await sql_tool(database).call(sql=sql)


async def test_long_and_binary_values_are_shortened(database: SqlDatabase) -> None:
    binary = "x'0102'" if database.dialect == "sqlite" else "'\\x0102'::bytea"

    found: Rows = await sql_tool(database).call(sql=f"SELECT {binary} AS b, '{'y' * 3_000}' AS t")

    assert found.rows == [["(2 bytes)", "y" * 2_000]]


CALLS = (
    "CREATE FUNCTION own(o orders) RETURNS text LANGUAGE sql AS $$ SELECT current_setting('data_directory') $$",
    "CREATE FUNCTION of_two(a int, b int) RETURNS text LANGUAGE sql AS $$ SELECT current_setting('data_directory') $$",
    "CREATE OPERATOR @@@ (leftarg = int, rightarg = int, function = of_two)",
    "CREATE DOMAIN checked AS text CHECK (current_setting(VALUE) <> '')",
)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT (CAST('data_directory' AS TEXT)).current_setting",
        "SELECT t.current_setting FROM lower('data_directory') AS t",
        "SELECT (o).own FROM orders AS o",
        "SELECT 1 OPERATOR(public.@@@) 2",
        "SELECT CAST('data_directory' AS checked)",
        "SELECT CAST('own' AS regproc)",
    ],
)
async def test_se13_functions_that_postgres_calls_without_brackets_are_refused(postgres_dsn: str, sql: str) -> None:
    """SE-13: the database would do it; the parser is what refuses it, and that is a security event."""
    connection = await asyncpg.connect(postgres_dsn)
    for statement in CALLS:
        await connection.execute(statement)
    await connection.close()
    database = PostgresDatabase(postgres_dsn)
    assert (await ask(database, sql)).rows
    block = ToolCallBlock(id="1", name="query_database", args={"sql": sql})
    scope = CallScope(tools=ToolSet.of([sql_tool(database)]), user=ToolUser(id="ada", roles=frozenset({"analyst"})))

    outcome = await ToolInvoker().invoke(block, scope)

    assert (outcome.refusal, outcome.is_security_event) == (Refusal.FORBIDDEN, True)


async def test_only_analysts_may_ask_and_not_too_often(sqlite_path: Path) -> None:
    """F-56: role analyst, 30 s, 10 per minute."""
    query = sql_tool(SqliteDatabase(sqlite_path))
    invoker = ToolInvoker(clock=FakeClock())
    block = ToolCallBlock(id="1", name="query_database", args={"sql": "SELECT 1"})

    async def attempt(*roles: str) -> Refusal | None:
        user = ToolUser(id="ada", roles=frozenset(roles))
        return (await invoker.invoke(block, CallScope(tools=ToolSet.of([query]), user=user))).refusal

    assert query.policy.limits.timeout.total_seconds() == 30
    assert await attempt() is Refusal.MISSING_ROLE
    assert [await attempt("analyst") for _ in range(11)] == [None] * 10 + [Refusal.RATE_LIMITED]


async def test_a_statement_that_writes_is_a_security_event(sqlite_path: Path) -> None:
    query = sql_tool(SqliteDatabase(sqlite_path))
    block = ToolCallBlock(id="1", name="query_database", args={"sql": "SELECT 1; DROP TABLE orders"})
    scope = CallScope(tools=ToolSet.of([query]), user=ToolUser(id="ada", roles=frozenset({"analyst"})))

    outcome = await ToolInvoker().invoke(block, scope)

    assert (outcome.refusal, outcome.is_security_event) == (Refusal.FORBIDDEN, True)
