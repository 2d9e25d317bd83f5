"""The SQLite file of an index: one connection reads while another writes, both in threads."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from batuta.kernel.sqlite import empty_write_ahead_log, open_file, transaction

T = TypeVar("T")

BUSY_SECONDS = 30.0
CACHE_KIBIBYTES = 64_000
MAPPED_BYTES = 2_000_000_000


class IndexFile:
    """Two connections to a file. What is deleted is overwritten."""

    def __init__(self, path: Path, schema: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._writer, self._reader = _connected(path, schema), _connected(path, schema)
        self._writing, self._reading = threading.Lock(), threading.Lock()

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run something that changes nothing, on one state of the file."""

        def run() -> T:
            with self._reading:
                self._reader.execute("BEGIN")
                try:
                    return work(self._reader)
                finally:
                    self._reader.execute("COMMIT")

        return await asyncio.to_thread(run)

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run something in a transaction: all of it is kept, or nothing."""

        def run() -> T:
            with self._writing, transaction(self._writer):
                return work(self._writer)

        return await asyncio.to_thread(run)

    async def empty_log(self) -> None:
        """Bring everything into the file: the write-ahead log still has what was overwritten there."""

        def run() -> None:
            with self._writing, self._reading:
                empty_write_ahead_log(self._writer)

        await asyncio.to_thread(run)

    def close(self) -> None:
        """Close the file."""
        with self._writing, self._reading:
            self._reader.close()
            self._writer.close()


def _connected(path: Path, schema: str) -> sqlite3.Connection:
    db = open_file(path, timeout_seconds=BUSY_SECONDS)
    db.executescript(
        f"PRAGMA secure_delete = ON; PRAGMA cache_size = -{CACHE_KIBIBYTES}; PRAGMA mmap_size = {MAPPED_BYTES};"
    )
    db.executescript(f"BEGIN IMMEDIATE; {schema} COMMIT;")
    return db
