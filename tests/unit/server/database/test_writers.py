"""The log and the platform write to one SQLite file, one after the other."""

import asyncio
from pathlib import Path

from batuta.eventstore.sqlite_database import SqliteFile
from batuta.kernel.sqlite import write_lock
from batuta.server.database.engines import SqlitePlatformDatabase


async def test_writers_of_one_file_share_a_lock_however_its_path_is_spelt(tmp_path: Path) -> None:
    assert write_lock(tmp_path / "a.sqlite3") is write_lock(tmp_path / "x" / ".." / "a.sqlite3")
    assert write_lock(tmp_path / "a.sqlite3") is not write_lock(tmp_path / "b.sqlite3")


async def test_a_second_writer_waits_for_the_first_instead_of_finding_the_file_busy(tmp_path: Path) -> None:
    """While the log commits, the platform's change has not begun; it begins as soon as the commit is done."""
    path = tmp_path / "one.sqlite3"
    log, platform = SqliteFile(path), SqlitePlatformDatabase(path)
    await log.open()
    order: list[str] = []
    lock = write_lock(path)
    lock.acquire()
    writing = asyncio.gather(
        log.write(lambda db: order.append("log")),
        platform.write(lambda connection: order.append("platform")),
    )
    await asyncio.sleep(0)
    assert order == []
    lock.release()
    await writing
    assert sorted(order) == ["log", "platform"]
    await log.close()
    await platform.close()
