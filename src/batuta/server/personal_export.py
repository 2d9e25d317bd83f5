"""Everything that is kept of a person, as one ZIP file for them.

account.json             who they are, settings, logins, keys, and what was changed about the account
conversations/ID.json    every event that they may see
tables/ID.csv            the rows of each table of their conversations
boards.json, jobs.json
files.json, files/ID/NAME

Everything is read as that person, so that PostgreSQL shows nothing of others. Of secrets there is not even the hash.
"""

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass
from typing import IO, Any

import sqlalchemy as sa

from batuta.datasets.store import DatasetOwner
from batuta.events.envelope import Event
from batuta.server.backends import Backends
from batuta.server.boards import repository as board_rows
from batuta.server.database.principal import Principal, acting_as
from batuta.server.database.tables import metadata, user_sessions
from batuta.server.datasets.service import Datasets
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.server.file_processing import FileProcessing
from batuta.server.identity.repository import User
from batuta.server.security.account_trail import AccountTrail
from batuta.server.sessions import exporting
from batuta.server.sessions import repository as session_rows
from batuta.server.sessions.repository import Summary

PAGE = 1_000
COPIED_BYTES = 1024 * 1024
SECRET = "_hash"  # noqa: S105 - how the names of columns end that hold the hash of one
ACCOUNT = ("users", "user_settings", "login_sessions", "login_devices", "oidc_identities", "api_keys")
"""The tables whose rows are the account itself."""
OWNED = ("user_sessions", "datasets", "boards", "files", "jobs")
"""The other tables with a person's rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalExport:
    """Writes what there is of people."""

    backends: Backends
    processing: FileProcessing
    tables: DatabaseDatasetStore

    async def write(self, user: User, out: IO[bytes]) -> None:
        """Everything of a person, as a ZIP file."""
        with (
            acting_as(Principal(user_id=user.user_id, scope="user")),
            zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            await self._write_account(user, archive)
            await self._write_conversations(user, archive)
            await self._write_boards(user, archive)
            await self._write_files(user, archive)

    async def _write_account(self, user: User, archive: zipfile.ZipFile) -> None:
        rows = await self._rows(user, *ACCOUNT)
        changes, trail, after = [], AccountTrail(self.backends.database), 0
        while page := await trail.changes(after=after, limit=PAGE):
            changes += [asdict(change) for change in page if change.user_id == user.user_id]
            after = page[-1].seq
        _add(archive, "account.json", {**rows, "changes": changes})
        _add(archive, "jobs.json", (await self._rows(user, "jobs"))["jobs"])

    async def _write_conversations(self, user: User, archive: zipfile.ZipFile) -> None:
        service = Datasets(self.tables)
        for session in await self._sessions(user):
            epoch, events = await self._events(session.session_id)
            kept = await self.tables.list(DatasetOwner(session_id=session.session_id, user_id=user.user_id))
            heads = [
                {"dataset_id": one.dataset_id, "name": one.name, "title": one.title, "row_count": one.row_count}
                for one in kept
            ]
            text = exporting.as_json(session, events, epoch, heads)
            archive.writestr(f"conversations/{session.session_id}.json", text)
            for one in kept:
                await _stream(archive, f"tables/{one.dataset_id}.csv", service.csv(session.session_id, one))

    async def _write_boards(self, user: User, archive: zipfile.ZipFile) -> None:
        def read(connection: sa.Connection) -> list[dict[str, Any]]:
            return [
                {**asdict(board), "tiles": [_tile(tile) for tile in board_rows.tiles_of(connection, board.board_id)]}
                for board in board_rows.boards_of(connection, user.user_id)
            ]

        _add(archive, "boards.json", await self.backends.database.read(read))

    async def _write_files(self, user: User, archive: zipfile.ZipFile) -> None:
        rows = (await self._rows(user, "files"))["files"]
        kept = [row for row in rows if row["status"] != "deleted"]
        _add(archive, "files.json", kept)
        for row in (row for row in kept if row["digest"] is not None):
            file, path = await self.processing.files.content(row["file_id"])
            with path.open("rb") as source, archive.open(f"files/{file.file_id}/{file.name}", "w") as target:
                while part := await asyncio.to_thread(source.read, COPIED_BYTES):
                    await asyncio.to_thread(target.write, part)

    async def _rows(self, user: User, *names: str) -> dict[str, list[dict[str, Any]]]:
        """A person's rows of some tables, without hashes of secrets."""

        def read(connection: sa.Connection) -> dict[str, list[dict[str, Any]]]:
            return {name: [_shown(row) for row in connection.execute(_own(name, user)).mappings()] for name in names}

        return await self.backends.database.read(read)

    async def _sessions(self, user: User) -> list[Summary]:
        own = sa.select(user_sessions.c.session_id).where(
            user_sessions.c.user_id == user.user_id, user_sessions.c.deleted_at.is_(None)
        )
        return await self.backends.database.read(
            lambda connection: session_rows.some(connection, connection.execute(own).scalars().all())
        )

    async def _events(self, session_id: str) -> tuple[int, list[Event]]:
        found: list[Event] = []
        after = 0
        while True:
            page = await self.backends.log.read(session_id, after=after, limit=PAGE)
            found += [event for event in page.events if event.is_visible]
            if page.is_last:
                return page.head.epoch, found
            after = page.records[-1].seq


def _own(name: str, user: User) -> sa.Select[Any]:
    table = metadata.tables[name]
    return sa.select(table).where(table.c.user_id == user.user_id)


def _shown(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not str(name).endswith(SECRET)}


def _tile(tile: board_rows.BoardTile) -> dict[str, Any]:
    return {
        "tile_id": tile.tile_id,
        "title": tile.title,
        "recipe": tile.recipe.model_dump(mode="json"),
        "shown": tile.snapshot.model_dump(mode="json"),
        "refreshed_at": tile.refreshed_at,
    }


def _add(archive: zipfile.ZipFile, name: str, content: Any) -> None:
    archive.writestr(name, json.dumps(content, ensure_ascii=False, indent=1, default=str))


async def _stream(archive: zipfile.ZipFile, name: str, parts: AsyncIterator[str]) -> None:
    with archive.open(name, "w") as target:
        async for part in parts:
            await asyncio.to_thread(target.write, part.encode())
