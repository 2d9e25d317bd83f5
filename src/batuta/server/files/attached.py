"""Files that a message brings: its turn waits until they were read, for a bounded time, and shows how far they are.

The wait is a part of the leased turn. A worker that dies in it leaves the turn to another one, which goes on waiting;
nothing is asked of a model before, so nothing is done twice.
"""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from batuta.events.progress import FileProgress
from batuta.events.queue import TurnQueue, Work
from batuta.events.sink import EventSink
from batuta.knowledge.extract.failures import REASONS
from batuta.language.findings import Language
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.database.tables import files, jobs

LONGEST = timedelta(seconds=120)
"""That a turn waits; then it goes on with what was read, and says what was not."""
LOOK_EVERY = timedelta(milliseconds=200)
MOST_NAMED = 3
MOST_COUNTED = 1_000
"""Of the files that are being read while their owner asks about documents."""
OPEN = frozenset({"uploading", "processing"})

STILL_READ: Mapping[Language, str] = {
    "en": "it is still being read; ask again in a moment.",
    "es": "todavía se está leyendo; vuelve a preguntar en un momento.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file of a message, as far as it has come."""

    file_id: str
    name: str
    status: str
    reason: str | None
    done: int
    total: int

    @property
    def is_open(self) -> bool:
        """Whether it may still be read."""
        return self.status in OPEN

    @property
    def unread(self) -> Mapping[str, Any] | None:
        """Why nothing of it can be cited, in every language; nothing for one that was read."""
        if self.status == "ready":
            return None
        known = next((texts for code, texts in REASONS.items() if code == self.reason), STILL_READ)
        return {"file": self.name, "why": dict(known)}


class AttachedFiles:
    """Waits for the files of turns."""

    def __init__(self, database: Database, queue: TurnQueue, *, longest: timedelta | None = None) -> None:
        self._database = SystemDatabase(database)
        self._queue = queue
        self._longest = longest or LONGEST

    async def wait(self, work: Work, live: EventSink) -> Sequence[AttachedFile]:
        """The files of a turn once all were read or have failed, the time is over, or the turn was stopped."""
        ids = [str(each["file_id"]).upper() for each in work.payload.get("attachments", ()) if each.get("file_id")]
        if not ids:
            return ()
        ends = time.monotonic() + self._longest.total_seconds()
        shown: dict[str, tuple[str, int]] = {}
        while True:
            found = await self._database.read(lambda connection: _attached(connection, work.user_id or "", ids))
            waiting = [file for file in found if file.is_open]
            for file in found:
                stage = (file.status, file.done)
                if (waiting or shown) and shown.get(file.file_id) != stage:
                    shown[file.file_id] = stage
                    live.emit(_progress(work, file))
            if not waiting or time.monotonic() >= ends or await self._queue.stopped((work.turn_id,)):
                return found
            await asyncio.sleep(LOOK_EVERY.total_seconds())

    async def still_read(self, work: Work, *, chosen: Collection[str] = ()) -> list[Mapping[str, Any]]:
        """What of a person's own files is being read while they ask, in every language: a few by name, others counted.
        Of chosen files only those; the files of the message itself were waited for.
        """
        brought = {str(each.get("file_id")).upper() for each in work.payload.get("attachments", ())}
        asked = {"user": work.user_id or ""}
        rows = await self._database.look_up(lambda connection: connection.execute(_BEING_READ, asked).all())
        names = [row.name for row in rows if row.file_id not in brought and (not chosen or row.file_id in chosen)]
        named, others = names[:MOST_NAMED], len(names) - MOST_NAMED
        if others > 0:
            named[-1] += f" (+{others})"
        return [{"file": name, "why": dict(STILL_READ)} for name in named]

    async def in_folders(self, work: Work) -> Sequence[str] | None:
        """The files of the folders that a message is about, those inside them included; nothing if it names none."""
        folders = [str(each).strip("/") for each in work.payload.get("folders", ())]
        if not folders:
            return None
        is_inside = sa.or_(
            *(files.c.folder == each for each in folders),
            *(files.c.folder.startswith(f"{each}/", autoescape=True) for each in folders),
        )
        mine = sa.and_(files.c.user_id == (work.user_id or ""), files.c.status != "deleted", is_inside)
        query = sa.select(files.c.file_id).where(mine)
        return await self._database.read(lambda connection: connection.execute(query).scalars().all())


_BEING_READ = (
    sa.select(files.c.file_id, files.c.name)
    .where(files.c.user_id == sa.bindparam("user", type_=sa.String), files.c.status == "processing")
    .order_by(files.c.name)
    .limit(MOST_COUNTED)
)


def _attached(connection: sa.Connection, user_id: str, ids: Sequence[str]) -> list[AttachedFile]:
    """Only files of the person whose turn it is: one that was deleted meanwhile is not there."""
    query = (
        sa.select(files.c.file_id, files.c.name, files.c.status, files.c.reason, jobs.c.done, jobs.c.total)
        .select_from(files.outerjoin(jobs, jobs.c.job_id == files.c.job_id))
        .where(files.c.file_id.in_(ids), files.c.user_id == user_id, files.c.status != "deleted")
    )
    return [
        AttachedFile(
            file_id=row.file_id,
            name=row.name,
            status=row.status,
            reason=row.reason,
            done=row.done or 0,
            total=row.total or 100,
        )
        for row in connection.execute(query)
    ]


def _progress(work: Work, file: AttachedFile) -> FileProgress:
    return FileProgress(
        **work.stamp.envelope(),
        file_id=file.file_id,
        stage=file.status,
        message=file.name,
        done=file.done if file.is_open else file.total,
        total=file.total,
    )
