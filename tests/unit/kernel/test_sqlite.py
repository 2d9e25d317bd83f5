"""A new file is opened by several processes at once."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from batuta.kernel.sqlite import enter_wal_mode, is_busy


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that holds a file in rollback mode, as another process does while it is the first to open it."""
    connection = sqlite3.connect(tmp_path / "team.db", isolation_level=None, check_same_thread=False)
    connection.execute("CREATE TABLE first (id INTEGER)")
    connection.execute("BEGIN IMMEDIATE")
    with closing(connection):
        yield connection


def test_the_switch_waits_for_a_process_that_writes(writer: sqlite3.Connection, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "team.db", timeout=10)) as connection:
        done = threading.Timer(0.05, writer.execute, ["COMMIT"])
        done.start()
        enter_wal_mode(connection, timeout_seconds=10)
        done.join()
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_that_stays_locked_is_given_up(writer: sqlite3.Connection, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "team.db", timeout=0)) as connection:
        with pytest.raises(sqlite3.OperationalError) as refused:
            enter_wal_mode(connection, timeout_seconds=0.03)
        assert is_busy(refused.value)
