"""Put a SQLite file into write-ahead mode while other processes open it, too.

The switch takes a read lock before it asks for the exclusive one. SQLite does not call the busy handler of a connection
that holds a lock already, since two such connections would wait for each other, so the connection's own timeout never
applies: of several processes that open a new file at once, all but one were refused at once.
"""

import sqlite3
import time

PAUSE_SECONDS = 0.01


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
