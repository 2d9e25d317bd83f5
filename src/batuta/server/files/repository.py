"""Rows of files: plain functions of a connection."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from batuta.server.database.tables import files

FileStatus = Literal["uploading", "processing", "ready", "failed"]


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

    @property
    def path(self) -> str:
        """Folder and name."""
        return f"{self.folder}/{self.name}" if self.folder else self.name


def add(connection: sa.Connection, file: StoredFile) -> None:
    """Keep a new file."""
    connection.execute(sa.insert(files).values({name: getattr(file, name) for name in StoredFile.__dataclass_fields__}))


def one(connection: sa.Connection, file_id: str) -> StoredFile | None:
    """A file."""
    row = connection.execute(sa.select(files).where(files.c.file_id == file_id)).first()
    return None if row is None else _file(row)


def page(
    connection: sa.Connection, user_id: str, *, folder: str | None, after: str, limit: int
) -> Sequence[StoredFile]:
    """Files of a person, newest first, those after an id."""
    query = sa.select(files).where(files.c.user_id == user_id)
    if folder is not None:
        query = query.where(files.c.folder == folder)
    if after:
        query = query.where(files.c.file_id < after)
    return [_file(row) for row in connection.execute(query.order_by(files.c.file_id.desc()).limit(limit))]


def folders(connection: sa.Connection, user_id: str) -> Sequence[str]:
    """The folders that hold something."""
    query = sa.select(files.c.folder).where(files.c.user_id == user_id, files.c.folder != "").distinct()
    return [row.folder for row in connection.execute(query.order_by(files.c.folder))]


def used_bytes(connection: sa.Connection, user_id: str) -> int:
    """How much a person's files take, uploads as announced."""
    query = sa.select(sa.func.coalesce(sa.func.sum(files.c.size_bytes), 0)).where(files.c.user_id == user_id)
    return int(connection.execute(query).scalar_one())


def change(connection: sa.Connection, file_id: str, *, now: datetime, **values: Any) -> bool:
    """Change a file: whether it is there."""
    query = sa.update(files).where(files.c.file_id == file_id).values(**values, updated_at=now)
    return bool(connection.execute(query).rowcount)


def remove(connection: sa.Connection, file_id: str) -> None:
    """Take a file away."""
    connection.execute(sa.delete(files).where(files.c.file_id == file_id))


def is_used(connection: sa.Connection, digest: str) -> bool:
    """Whether any file has this content."""
    return connection.execute(sa.select(files.c.file_id).where(files.c.digest == digest).limit(1)).first() is not None


def of_user(connection: sa.Connection, user_id: str) -> Sequence[StoredFile]:
    """All files of a person."""
    return [_file(row) for row in connection.execute(sa.select(files).where(files.c.user_id == user_id))]


def user_ids(connection: sa.Connection) -> list[str]:
    """Everybody who has files."""
    return [str(row.user_id) for row in connection.execute(sa.select(files.c.user_id).distinct())]


def _file(row: sa.Row[Any]) -> StoredFile:
    return StoredFile(**{name: getattr(row, name) for name in StoredFile.__dataclass_fields__})
