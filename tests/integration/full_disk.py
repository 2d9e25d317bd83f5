"""A program that lives on a very small disk: `python full_disk.py fill|read_only DIRECTORY`, in a mount namespace."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel.errors import StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.testing.eventlog import everything, said


async def fill(directory: Path) -> dict[str, object]:
    """Append until the disk is full, read, make room, append again."""
    filler, path, session = directory / "filler", directory / "team.db", new_id()
    filler.write_bytes(bytes(600_000))
    acknowledged, refusal = 0, ""
    async with SqliteEventLog(path) as log:
        while not refusal:
            try:
                await log.append(session, [said("x" * 5_000)])
                acknowledged += 1
            except StoreUnavailableError as error:
                refusal = str(error)
        stored = len(await everything(log, session))
        filler.unlink()
        after = (await log.append(session, [said("room again")])).first_seq
    with closing(sqlite3.connect(path)) as connection, connection:
        (integrity,) = connection.execute("PRAGMA integrity_check").fetchone()
    return {"acknowledged": acknowledged, "stored": stored, "after": after, "refusal": refusal, "integrity": integrity}


async def read_only(directory: Path) -> dict[str, object]:
    """Try to open and to append on a disk that became read-only."""
    path, session = directory / "team.db", new_id()
    async with SqliteEventLog(path) as log:
        await log.append(session, [said("before")])
    subprocess.run(["mount", "-o", "remount,bind,ro", str(directory)], check=True)
    log = SqliteEventLog(path)
    try:
        await log.append(session, [said("after")])
    except StoreUnavailableError as error:
        return {"refusal": str(error)}
    finally:
        await log.close()
    return {"refusal": ""}


if __name__ == "__main__":
    story = {"fill": fill, "read_only": read_only}[sys.argv[1]]
    sys.stdout.write(json.dumps(asyncio.run(story(Path(sys.argv[2])))))
