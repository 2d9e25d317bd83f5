"""A read-only SQL tool with two walls: the statement is judged by a parser, and the connection cannot write.

database = SqliteDatabase("shop.db")            # or PostgresDatabase of sql_postgres
query = sql_tool(database, tables={"orders", "customers"})
"""

import asyncio
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from batuta.kernel.errors import ToolFailedError, ToolRefusedError
from batuta.tools.builtin.select_only import FUNCTIONS, SelectRules
from batuta.tools.policy import RateLimit
from batuta.tools.tool import Tool, tool

MAX_ROWS = 200
MAX_CELL_CHARS = 2_000
TIMEOUT = timedelta(seconds=30)
RATE = RateLimit(10, timedelta(minutes=1))
ROLE = "analyst"

_STEPS_BETWEEN_LOOKS = 10_000
_MAX_SQLITE_VALUE_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class Rows:
    """What a query found."""

    columns: list[str]
    rows: list[list[Any]]
    is_cut: bool


class SqlDatabase(Protocol):
    """A database that can be asked and cannot be changed.

    Raises `ToolFailedError` for what the database does not understand, `ToolRefusedError` for what it may not do,
    `TimeoutError` when time is up.
    """

    @property
    def dialect(self) -> str:
        """The parser's name for its SQL."""
        ...

    async def query(self, sql: str, *, max_rows: int, seconds: float) -> Rows:
        """The first rows of one SELECT."""
        ...


def sql_tool(
    database: SqlDatabase,
    *,
    tables: Iterable[str] | None = None,
    functions: Iterable[str] = (),
    max_rows: int = MAX_ROWS,
    timeout: timedelta = TIMEOUT,
) -> Tool:
    """A tool `query_database` for holders of the role `analyst`: 30 s, 10 calls a minute, one SELECT."""
    rules = SelectRules(
        dialect=database.dialect,
        tables=None if tables is None else frozenset(name.lower() for name in tables),
        functions=FUNCTIONS | {name.lower() for name in functions},
    )

    @tool(kind="retrieval", roles={ROLE}, timeout=timeout, rate=RATE)
    async def query_database(sql: str) -> Rows:
        """Ask the database with one SELECT statement.

        Args:
            sql: The statement, with its values written out.
        """
        statement = rules.checked(sql)
        found = await database.query(statement, max_rows=max_rows, seconds=timeout.total_seconds())
        return Rows(found.columns, [[_shown(cell) for cell in row] for row in found.rows], found.is_cut)

    return query_database


class SqliteDatabase:
    """A SQLite file, opened read-only for every query; an authorizer lets nothing but reading pass."""

    dialect = "sqlite"

    def __init__(self, path: str | Path) -> None:
        self._uri = f"{Path(path).resolve().as_uri()}?mode=ro"

    async def query(self, sql: str, *, max_rows: int, seconds: float) -> Rows:
        """Run in a thread of its own; a caller that stops waiting stops the query."""
        watch = _Watch(time.monotonic() + seconds)
        try:
            return await asyncio.to_thread(self._query, sql, max_rows, watch)
        except asyncio.CancelledError:
            watch.stop()
            raise

    def _query(self, sql: str, max_rows: int, watch: "_Watch") -> Rows:
        try:
            with closing(sqlite3.connect(self._uri, uri=True, isolation_level=None)) as connection:
                _lock_down(connection, watch)
                cursor = connection.execute(sql)
                columns = [column[0] for column in cursor.description or ()]
                found = cursor.fetchmany(max_rows + 1)
        except sqlite3.Error as error:
            raise _in_our_words(error, watch) from error
        return Rows(columns, [list(row) for row in found[:max_rows]], len(found) > max_rows)


class _Watch:
    """When a query has to stop."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def stop(self) -> None:
        self._deadline = 0.0

    def is_up(self) -> bool:
        return time.monotonic() > self._deadline


_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION})


def _authorize(action: int, first: str | None, *_: str | None) -> int:
    """SQLite's own check of what a statement does, whatever its text looks like."""
    is_own_table = action == sqlite3.SQLITE_READ and not (first or "").lower().startswith("sqlite_")
    is_extension = action == sqlite3.SQLITE_FUNCTION and _ == ("load_extension",)
    return sqlite3.SQLITE_OK if (action in _READS or is_own_table) and not is_extension else sqlite3.SQLITE_DENY


def _lock_down(connection: sqlite3.Connection, watch: _Watch) -> None:
    connection.execute("PRAGMA query_only = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_SQLITE_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.set_progress_handler(watch.is_up, _STEPS_BETWEEN_LOOKS)
    connection.set_authorizer(_authorize)


def _in_our_words(error: sqlite3.Error, watch: _Watch) -> Exception:
    if watch.is_up():
        return TimeoutError("the query took too long")
    code = getattr(error, "sqlite_errorcode", 0)
    if code in (sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY):
        return ToolRefusedError(f"the database refused: {error}")
    return ToolFailedError(f"the database says: {error}")


def _shown(cell: Any) -> Any:
    if isinstance(cell, bytes | memoryview):
        return f"({len(cell)} bytes)"
    return cell[:MAX_CELL_CHARS] if isinstance(cell, str) else cell
