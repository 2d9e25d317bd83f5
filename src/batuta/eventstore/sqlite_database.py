"""One SQLite file: a single writer thread whose callers share commits, and readers on connections of their own.

Write-ahead log, `synchronous=FULL`: an acknowledgement survives a power cut. Other processes may use the file too.
Writers of one process take turns (`write_lock`): SQLite itself lets a second writer sleep, up to a tenth of a second at
a time, and look again.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from batuta.eventstore.grouping import GroupCommit
from batuta.eventstore.sqlite_migrations import upgrade
from batuta.kernel.errors import BatutaError, ConfigurationError, StoreUnavailableError
from batuta.kernel.failpoints import failpoint
from batuta.kernel.sqlite import empty_write_ahead_log, is_busy, open_file, write_lock

BUSY_SECONDS = 10.0
MAX_EVENTS = 256
"""In one commit: the writer has a thread of its own, and fewer changes between threads are cheaper."""
STATEMENTS = 512
"""Kept prepared by each connection: every width and number of rows is a statement of its own."""
CHECKPOINT_PAGES = 4_000
"""How far the write-ahead log grows before it is brought into the file (16 MB): a page that many commits change, such
as the end of an index, is then written there once for all of them."""
READERS = 2
READS_AT_ONCE = 32
"""Queries that one reader answers before it looks at who else waits."""

SYNCHRONOUS = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}

T = TypeVar("T")
Query = Callable[[sqlite3.Connection], T]
RunAll = Callable[[sqlite3.Connection, Sequence[Any]], Sequence[Any]]
"""Runs several operations of one kind and answers each: its result, or why it alone was refused."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Something to do inside a write transaction. It checks first and writes last, or it writes nothing."""

    run_all: RunAll
    """Runs it with its neighbours of the same kind, given what each is about."""
    subject: Any
    weight: int = 1


class SqliteFile:
    """Owns the file's connections and threads."""

    def __init__(self, path: str | Path) -> None:
        if str(path) in ("", ":memory:"):
            raise ConfigurationError("an SQLite store needs a file; for one in memory use MemoryEventLog")
        self.path = Path(path)
        self._group: GroupCommit[Operation, Any] = GroupCommit(
            self._commit, weight=lambda item: item.weight, max_weight=MAX_EVENTS
        )
        # To hand a query to a thread costs more than most queries do: those that wait go together.
        self._reads: GroupCommit[Query[Any], Any] = GroupCommit(
            self._answer_all, max_weight=READS_AT_ONCE, workers=READERS
        )
        self._write_lock = write_lock(self.path)
        self._opening = asyncio.Lock()
        self._writer: sqlite3.Connection | None = None
        self._write_thread: ThreadPoolExecutor | None = None
        self._read_threads: ThreadPoolExecutor | None = None
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._looking: sqlite3.Connection | None = None
        """The connection of the event loop's own thread, which takes no slot of the readers."""
        self._is_closed = False

    async def open(self) -> None:
        """Open the file and bring its tables up, once."""
        async with self._opening:
            if self._is_closed:
                raise StoreUnavailableError(f"{self.path} is closed")
            if self._writer is None:
                await self._open()

    async def write(self, run: Query[T], *, weight: int = 1) -> T:
        """Run an operation in the next transaction and return what it returned once that is on disk."""
        if self._writer is None or self._is_closed:
            await self.open()
        result: T = await self._group.submit(Operation(_run_each, run, weight))
        return result

    async def write_together(self, run_all: RunAll, subject: Any, *, weight: int = 1) -> Any:
        """As `write`, for operations of one kind that take fewer statements together than one by one."""
        if self._writer is None or self._is_closed:
            await self.open()
        return await self._group.submit(Operation(run_all, subject, weight))

    async def read(self, run: Query[T]) -> T:
        """Run a query beside the writer."""
        if self._writer is None or self._is_closed:
            await self.open()
        result: T = await self._reads.submit(run)
        return result

    async def look_up(self, run: Query[T]) -> T:
        """Read a few rows by their keys: so little that no thread is asked for them. Where the file is locked for a
        moment, one is, and waits.
        """
        if self._writer is None or self._is_closed:
            await self.open()
        try:
            return run(self._looking or self._look())
        except sqlite3.Error as error:
            if not is_busy(error):
                raise _as_ours(error, self.path) from error
        return await self.read(run)

    async def compact(self) -> None:
        """Rewrite the file without what was deleted, and empty the write-ahead log.

        Raises:
            StoreUnavailableError: a reader kept it from that.
        """
        if not await self._clean("VACUUM"):
            raise StoreUnavailableError(
                f"SQLite file {self.path}: what was deleted is still in its write-ahead log, because it is being read; "
                "try again when it is not"
            )

    async def empty_write_ahead_log(self) -> bool:
        """Bring the file up to date and leave nothing in the write-ahead log, where what was deleted can be read; says
        whether no reader kept it from that.
        """
        return await self._clean()

    async def _clean(self, *statements: str) -> bool:
        """Run statements that no transaction can hold, and empty the write-ahead log."""
        assert self._write_thread is not None
        return await asyncio.get_running_loop().run_in_executor(self._write_thread, self._clean_now, statements)

    async def close(self) -> None:
        """Finish what is under way and close all connections."""
        if self._is_closed:
            return
        self._is_closed = True
        await self._group.close()
        await self._reads.close()
        for threads in (self._read_threads, self._write_thread):
            if threads is not None:
                await asyncio.to_thread(threads.shutdown)
        for connection in (*self._readers, self._looking, self._writer):
            if connection is not None:
                connection.close()

    async def _open(self) -> None:
        self._write_thread = ThreadPoolExecutor(1, thread_name_prefix="batuta-sqlite-writer")
        self._read_threads = ThreadPoolExecutor(READERS, thread_name_prefix="batuta-sqlite-reader")
        loop = asyncio.get_running_loop()
        self._writer = await loop.run_in_executor(self._write_thread, _open_writer, self.path)

    def _commit(self, operations: Sequence[Operation]) -> Awaitable[Sequence[Any]]:
        assert self._write_thread is not None
        return asyncio.get_running_loop().run_in_executor(self._write_thread, self._commit_now, operations)

    def _commit_now(self, operations: Sequence[Operation]) -> Sequence[Any]:
        """All in one transaction; if that fails as a whole, each in its own, so that one cannot harm the others."""
        assert self._writer is not None
        try:
            with self._write_lock:
                return _in_one_transaction(self._writer, operations)
        except Exception as error:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            if len(operations) == 1 or is_busy(error):
                return [_as_ours(error, self.path)] * len(operations)
            return [self._commit_now([operation])[0] for operation in operations]

    def _clean_now(self, statements: Sequence[str]) -> bool:
        assert self._writer is not None
        try:
            with self._write_lock:
                for statement in statements:
                    self._writer.execute(statement)
                return empty_write_ahead_log(self._writer)
        except sqlite3.Error as error:
            raise _as_ours(error, self.path) from error

    def _answer_all(self, queries: Sequence[Query[Any]]) -> Awaitable[Sequence[Any]]:
        assert self._read_threads is not None
        return asyncio.get_running_loop().run_in_executor(self._read_threads, self._answer_now, queries)

    def _answer_now(self, queries: Sequence[Query[Any]]) -> Sequence[Any]:
        return [self._read(query) for query in queries]

    def _read(self, query: Query[Any]) -> Any:
        """What it answers, or what it raised: those who share its turn are not concerned."""
        try:
            return query(self._reader())
        except Exception as error:
            return _as_ours(error, self.path)

    def _look(self) -> sqlite3.Connection:
        self._looking = _connect(self.path)
        self._looking.execute("PRAGMA query_only=ON")
        self._looking.execute("PRAGMA busy_timeout=0")
        return self._looking

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = _connect(self.path)
            connection.execute("PRAGMA query_only=ON")
            self._local.connection = connection
            self._readers.append(connection)
        return connection


def _in_one_transaction(connection: sqlite3.Connection, operations: Sequence[Operation]) -> list[Any]:
    connection.execute("BEGIN IMMEDIATE")
    answers: list[Any] = []
    for run_all, some in groupby(operations, key=attrgetter("run_all")):
        answers += run_all(connection, [operation.subject for operation in some])
    failpoint("log.append.before_commit")
    connection.execute("COMMIT")
    failpoint("log.append.after_commit")
    return answers


def _run_each(connection: sqlite3.Connection, queries: Sequence[Query[Any]]) -> list[Any]:
    return [_answer(connection, query) for query in queries]


def _answer(connection: sqlite3.Connection, query: Query[Any]) -> Any:
    """What the operation returns, or the error it raised before it wrote anything."""
    before = connection.total_changes
    try:
        return query(connection)
    except (BatutaError, ValueError) as error:
        if connection.total_changes != before:
            raise
        return error


def _as_ours(error: Exception, path: Path) -> Exception:
    if isinstance(error, sqlite3.Error):
        ours = StoreUnavailableError(f"SQLite file {path}: {error}")
        ours.__cause__ = error
        return ours
    return error


def _open_writer(path: Path) -> sqlite3.Connection:
    try:
        connection = _connect(path)
        try:
            connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
            upgrade(connection, path)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise _as_ours(error, path) from error
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    return open_file(path, timeout_seconds=BUSY_SECONDS, cached_statements=STATEMENTS)
