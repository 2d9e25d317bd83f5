"""Programs that live on a very small disk: `python full_disk.py STORY DIRECTORY …`, in a mount namespace."""

import asyncio
import base64
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
from tests.support.platform import Person, running, settings_for

UPLOADS, UPLOAD_BYTES = 12, 3_000_000


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


async def uploads(directory: Path, *database_url: str) -> dict[str, object]:
    """Upload in parallel until the disk is full, look at what is left, make room, upload again."""
    given = {"database_url": database_url[0]} if database_url else {}
    async with running(settings_for(directory, **given)) as site:
        ana = await site.person()
        answers = await asyncio.gather(*(_uploaded(ana, number) for number in range(UPLOADS)))
        answers = [await _settled(ana, file_id) if status == 503 else (status, file_id) for status, file_id in answers]
        kept = [file_id for status, file_id in answers if status == 204]
        listed = (await ana.http.get("/api/files")).json()
        found = {
            "statuses": sorted({status for status, _ in answers}),
            "kept": len(kept),
            "listed": sorted(each["file_id"] for each in listed["items"]) == sorted(kept),
            "used": listed["used_bytes"],
            "partial": [path.stat().st_size for path in (directory / "files" / "uploads").iterdir()],
            "blobs": sum(path.stat().st_size for path in (directory / "files" / "blobs").rglob("*") if path.is_file()),
        }
        for file_id in kept:
            assert (await ana.http.delete(f"/api/files/{file_id}")).status_code == 204
        return {**found, "after": (await _uploaded(ana, UPLOADS))[0]}


async def _uploaded(person: Person, number: int) -> tuple[int, str]:
    """One upload in two parts, each different from all others: the answer to the last one that was sent."""
    named = f"filename {base64.b64encode(f'{number}.bin'.encode()).decode()}"
    headers = {"Upload-Length": str(UPLOAD_BYTES), "Upload-Metadata": named}
    begun = await person.http.post("/api/files", headers=headers)
    assert begun.status_code == 201, begun.text
    status, half = 0, UPLOAD_BYTES // 2
    for offset in (0, half):
        part = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset)}
        content = bytes([number]) * half
        status = (await person.http.patch(begun.headers["location"], content=content, headers=part)).status_code
        if status != 204:
            break
    return status, begun.json()["file_id"]


async def _settled(person: Person, file_id: str) -> tuple[int, str]:
    """What became of an upload whose last answer was "try again": its client asks where it stands, and gives it up if
    it is not whole.
    """
    asked = await person.http.head(f"/api/files/{file_id}/upload")
    if int(asked.headers.get("Upload-Offset", 0)) == UPLOAD_BYTES:
        return 204, file_id
    assert (await person.http.delete(f"/api/files/{file_id}")).status_code == 204
    return 507, file_id


if __name__ == "__main__":
    story = {"fill": fill, "read_only": read_only, "uploads": uploads}[sys.argv[1]]
    sys.stdout.write(json.dumps(asyncio.run(story(Path(sys.argv[2]), *sys.argv[3:]))))
