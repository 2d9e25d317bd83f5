"""How every SQLite file of ours is opened, written and cleaned: shared by threads and processes, each commit on disk.

To put a file into write-ahead mode while other processes open it is the hard part. The switch takes a read lock before
it asks for the exclusive one. SQLite does not call the busy handler of a connection that holds a lock already, since
two such connections would wait for each other, so the connection's own timeout never applies: of several processes
that open a new file at once, all but one were refused at once.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

PAUSE_SECONDS = 0.01
CACHED_STATEMENTS = 128
"""Kept prepared by each connection, as the driver does by default."""

_write_locks: WeakValueDictionary[Path, threading.Lock] = WeakValueDictionary()


def write_lock(path: Path) -> threading.Lock:
    """The lock that this process holds while it writes to a file: the same for every writer of the same file."""
    return _write_locks.setdefault(path.resolve(), threading.Lock())


def open_file(
    path: str | Path, *, timeout_seconds: float, cached_statements: int = CACHED_STATEMENTS
) -> sqlite3.Connection:
    """A connection that is prepared, and that any thread may use; see `prepare`."""
    connection = sqlite3.connect(
        path,
        timeout=timeout_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=cached_statements,
    )
    try:
        prepare(connection, timeout_seconds=timeout_seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection, *, timeout_seconds: float) -> None:
    """Write-ahead mode, commits that survive a power cut, references that are checked; transactions begun by hand.

    Raises `sqlite3.OperationalError` if others hold the file for longer than `timeout_seconds`.
    """
    # The driver's own transactions begin too late to hold a read and a write together.
    connection.isolation_level = None
    enter_wal_mode(connection, timeout_seconds=timeout_seconds)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def empty_write_ahead_log(connection: sqlite3.Connection) -> bool:
    """Bring the file up to date and leave nothing in the write-ahead log, where what was deleted can be read; says
    whether no reader kept it from that.
    """
    (is_blocked, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_blocked


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Keep everything that is written in a block, or nothing. The file is locked from the start of the block."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def overwriting(execute: Callable[[str], object]) -> Iterator[None]:
    """Overwrite in the file what is deleted in a block, instead of leaving it on free pages."""
    execute("PRAGMA secure_delete = ON")
    try:
        yield
    finally:
        execute("PRAGMA secure_delete = OFF")


def enter_wal_mode(connection: sqlite3.Connection, *, timeout_seconds: float) -> None:
    """Switch the file to write-ahead logging; a file that is in it already stays so.

    Raises `sqlite3.OperationalError` if others hold the file for longer than `timeout_seconds`.
    """
    deadline = time.monotonic() + timeout_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return


def is_busy(error: BaseException | None) -> bool:
    """True if another process holds the SQLite lock."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
