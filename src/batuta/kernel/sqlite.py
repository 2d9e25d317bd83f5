"""How every SQLite file of ours is opened, written and cleaned: shared by threads and processes, each commit on disk.

To put a file into write-ahead mode while other processes open it is the hard part. The switch takes a read lock before
it asks for the exclusive one. SQLite does not call the busy handler of a connection that holds a lock already, since
two such connections would wait for each other, so the connection's own timeout never applies: of several processes
that open a new file at once, all but one were refused at once.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE_SECONDS = 0.01


def open_file(path: str | Path, *, timeout_seconds: float) -> sqlite3.Connection:
    """A connection in write-ahead mode whose commits survive a power cut; transactions are begun by hand.

    Raises `sqlite3.OperationalError` if others hold the file for longer than `timeout_seconds`.
    """
    connection = sqlite3.connect(path, timeout=timeout_seconds, isolation_level=None, check_same_thread=False)
    enter_wal_mode(connection, timeout_seconds=timeout_seconds)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


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
