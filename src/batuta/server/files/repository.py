"""Rows of files: plain functions of a connection."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from batuta.server.database.tables import files

FileStatus = Literal["uploading", "processing", "ready", "failed", "deleted"]
DELETED: FileStatus = "deleted"
"""Of a row that is there only until its words and bytes are gone: no reader ever sees it."""
_KEPT = files.c.status != DELETED


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file of a person."""

    file_id: str
    user_id: str
    workspace_id: str
    folder: str
    """`""` at the top, else such as `contracts/2026`."""
    name: str
    media_type: str
    size_bytes: int
    """As announced; of an upload less may be there."""
    digest: str | None
    """The hash of its content, once it is whole."""
    status: FileStatus
    reason: str | None
    """Why it could not be read: a key of `batuta.knowledge.extract.failures.REASONS`."""
    job_id: str | None
    created_at: datetime
    updated_at: datetime
    client_key: str | None = None
    """What its client called the upload: the same announcement again is the same file."""

    @property
    def path(self) -> str:
        """Folder and name."""
        return f"{self.folder}/{self.name}" if self.folder else self.name


def add(connection: sa.Connection, file: StoredFile) -> None:
    """Keep a new file."""
    connection.execute(sa.insert(files).values({name: getattr(file, name) for name in StoredFile.__dataclass_fields__}))


def one(connection: sa.Connection, file_id: str) -> StoredFile | None:
    """A file."""
    row = connection.execute(sa.select(files).where(files.c.file_id == file_id, _KEPT)).first()
    return None if row is None else _file(row)


def page(
    connection: sa.Connection, user_id: str, *, folder: str | None, after: str, limit: int
) -> Sequence[StoredFile]:
    """Files of a person, newest first, those after an id."""
    query = sa.select(files).where(files.c.user_id == user_id, _KEPT)
    if folder is not None:
        query = query.where(files.c.folder == folder)
    if after:
        query = query.where(files.c.file_id < after)
    return [_file(row) for row in connection.execute(query.order_by(files.c.file_id.desc()).limit(limit))]


def folders(connection: sa.Connection, user_id: str) -> Sequence[str]:
    """The folders that hold something."""
    query = sa.select(files.c.folder).where(files.c.user_id == user_id, files.c.folder != "", _KEPT).distinct()
    return [row.folder for row in connection.execute(query.order_by(files.c.folder))]


def used_bytes(connection: sa.Connection, user_id: str) -> int:
    """How much a person's files take, uploads as announced."""
    query = sa.select(sa.func.coalesce(sa.func.sum(files.c.size_bytes), 0))
    query = query.where(files.c.user_id == user_id, _KEPT)
    return int(connection.execute(query).scalar_one())


def change(connection: sa.Connection, file_id: str, *, now: datetime, **values: Any) -> bool:
    """Change a file: whether it is there."""
    query = sa.update(files).where(files.c.file_id == file_id, _KEPT).values(**values, updated_at=now)
    return bool(connection.execute(query).rowcount)


def announced(connection: sa.Connection, user_id: str, client_key: str) -> StoredFile | None:
    """The upload that a person's client announced under a key."""
    is_it = sa.and_(files.c.user_id == user_id, files.c.client_key == client_key, _KEPT)
    row = connection.execute(sa.select(files).where(is_it)).first()
    return None if row is None else _file(row)


def end_reading(connection: sa.Connection, file_id: str, job_id: str, reason: str, *, now: datetime) -> None:
    """Note why a file is not read any further, if this job was still at it."""
    is_read = sa.and_(files.c.file_id == file_id, files.c.job_id == job_id, files.c.status == "processing")
    connection.execute(sa.update(files).where(is_read).values(status="failed", reason=reason, updated_at=now))


def lock_content(connection: sa.Connection, digest: str) -> None:
    """Let transactions about the same content come one after the other; SQLite writes in one anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(digest))))


def mark_deleted(connection: sa.Connection, file: StoredFile, *, now: datetime) -> None:
    """Hide a file from all users and forget its name; the row that stays leads to its words and bytes."""
    if file.digest is not None:
        lock_content(connection, file.digest)
    blank: dict[str, Any] = {
        "status": DELETED,
        "name": "",
        "folder": "",
        "reason": None,
        "job_id": None,
        "client_key": None,
    }
    left = replace(file, **blank, updated_at=now)
    values = {"digest": left.digest, "updated_at": now, **blank}
    if not connection.execute(sa.update(files).where(files.c.file_id == file.file_id).values(**values)).rowcount:
        add(connection, left)


def remove(connection: sa.Connection, file_id: str) -> None:
    """Take the row of a deleted file away."""
    connection.execute(sa.delete(files).where(files.c.file_id == file_id, files.c.status == DELETED))


def is_used(connection: sa.Connection, digest: str) -> bool:
    """Whether any file has this content."""
    return _is_any(connection, digest, _KEPT)


def is_being_deleted(connection: sa.Connection, digest: str) -> bool:
    """Whether the bytes of this content may be about to go."""
    return _is_any(connection, digest, files.c.status == DELETED)


def of_user(connection: sa.Connection, user_id: str, *, with_deleted: bool = False) -> Sequence[StoredFile]:
    """All files of a person; with those whose removal has begun, if asked for."""
    query = sa.select(files).where(files.c.user_id == user_id)
    return [_file(row) for row in connection.execute(query if with_deleted else query.where(_KEPT))]


def left_in(connection: sa.Connection, status: FileStatus, *, before: datetime, limit: int) -> Sequence[StoredFile]:
    """Files that have been in a status since before a time, the oldest first."""
    query = sa.select(files).where(files.c.status == status, files.c.updated_at < before)
    return [_file(row) for row in connection.execute(query.order_by(files.c.updated_at).limit(limit))]


def _is_any(connection: sa.Connection, digest: str, condition: sa.ColumnElement[bool]) -> bool:
    query = sa.select(files.c.file_id).where(files.c.digest == digest, condition).limit(1)
    return connection.execute(query).first() is not None


def user_ids(connection: sa.Connection) -> list[str]:
    """The users who have files."""
    return [str(row.user_id) for row in connection.execute(sa.select(files.c.user_id).distinct())]


def _file(row: sa.Row[Any]) -> StoredFile:
    return StoredFile(**{name: getattr(row, name) for name in StoredFile.__dataclass_fields__})
