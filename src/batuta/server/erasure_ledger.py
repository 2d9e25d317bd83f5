"""What was erased, kept outside the database: a backup that is older than an erasure must not undo it.

    audit = NotedErasures(audit, ErasureLedger(path))     notes every erasure before it begins
    await replay(ledger, …)                               after a restore: erases again what the backup brought back

A line holds an id and a time, no content and no name. Processes on several machines write files of their own, or share
one: lines are added whole.
"""

import asyncio
import errno
import fcntl
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import sqlalchemy as sa

from batuta.eventstore.audit import AuditStore, ChainHead, ChainRow, Erased
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.kernel.errors import ConfigurationError, StoreUnavailableError
from batuta.kernel.ids import SessionId
from batuta.server.config import Settings
from batuta.server.database.engines import Database, SystemDatabase

LEDGER_FILE = "erasures.jsonl"

Kind = Literal["user", "session", "file"]
KINDS: tuple[Kind, ...] = ("user", "session", "file")


class ErasureNote(NamedTuple):
    """One erasure."""

    kind: Kind
    subject: str
    """The id of the person, of the session, or of the file."""
    at: str


class ErasureLedger:
    """A file of erasures, one line each, that only grows."""

    def __init__(self, path: Path, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self.path = path
        self._clock = clock

    async def note(self, kind: Kind, subject: str) -> None:
        """Keep an erasure, on disk before this returns. Raises `StoreUnavailableError`: then nothing may be erased."""
        line = json.dumps({"at": self._clock.now().isoformat(), kind: subject})
        try:
            await asyncio.to_thread(_append, self.path, f"{line}\n".encode())
        except OSError as error:
            raise StoreUnavailableError(
                f"the erasure cannot be noted in {self.path}: {error.strerror}; see BATUTA_ERASURE_LEDGER"
            ) from error

    def notes(self) -> list[ErasureNote]:
        """All erasures, each once, the oldest first. Raises `ConfigurationError` for a file that is no ledger."""
        try:
            lines = _whole_lines(self.path.read_bytes()).decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ConfigurationError(
                f"{self.path} cannot be read: {error.strerror}; name another with --ledger or --data-dir"
            ) from error
        read = [self._read(number, line) for number, line in enumerate(lines, 1)]
        found = {note[:2]: note for note in reversed(read)}
        return sorted(found.values(), key=lambda note: note.at)

    def _read(self, number: int, line: str) -> ErasureNote:
        try:
            fields = json.loads(line)
            (kind,) = [each for each in KINDS if each in fields]
            return ErasureNote(kind, str(fields[kind]), datetime.fromisoformat(fields["at"]).isoformat())
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{self.path}, line {number}: this is no line of a ledger of erasures") from error


def ledger_of(settings: Settings) -> ErasureLedger:
    """The ledger that the processes of these settings write."""
    return ErasureLedger(settings.erasure_ledger or settings.data_dir / LEDGER_FILE)


class NotedErasures:
    """An `AuditStore` that notes what it erases."""

    def __init__(self, audit: AuditStore, ledger: ErasureLedger) -> None:
        self._audit = audit
        self._ledger = ledger

    async def chain(self, session_id: SessionId, *, after: int, limit: int) -> Sequence[ChainRow]:
        """See `AuditStore.chain`."""
        return await self._audit.chain(session_id, after=after, limit=limit)

    async def chain_head(self, session_id: SessionId) -> ChainHead:
        """See `AuditStore.chain_head`."""
        return await self._audit.chain_head(session_id)

    async def assign(self, session_id: SessionId, user_id: str, *, tenant_id: str | None = None) -> None:
        """See `AuditStore.assign`."""
        await self._audit.assign(session_id, user_id, tenant_id=tenant_id)

    async def erase(self, user_id: str) -> Erased:
        """See `AuditStore.erase`."""
        await self._ledger.note("user", user_id)
        return await self._audit.erase(user_id)

    async def erase_session(self, session_id: SessionId) -> Erased:
        """See `AuditStore.erase_session`."""
        await self._ledger.note("session", session_id)
        return await self._audit.erase_session(session_id)


class ShutOut(Protocol):
    """Keeps a person from coming in."""

    def __call__(self, connection: sa.Connection, user_id: str) -> None: ...


class Hide(Protocol):
    """Takes a session out of sight."""

    def __call__(self, connection: sa.Connection, session_id: str, now: datetime) -> None: ...


class DeleteAgain(Protocol):
    """Takes a file away, if it is there."""

    async def __call__(self, file_id: str) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing:
    """How each kind of thing is erased again."""

    shut_out: ShutOut
    hide: Hide
    delete_file: DeleteAgain


async def replay(notes: Iterable[ErasureNote], database: Database, audit: AuditStore, erasing: Erasing) -> int:
    """Erase again whatever of this is there: how many records and files were brought back and are gone now.

    `audit` is one that notes nothing: what is replayed was noted.
    """
    system, records, now = SystemDatabase(database), 0, SYSTEM_CLOCK.now()
    for note in notes:
        if note.kind == "user":
            await system.write(partial(erasing.shut_out, user_id=note.subject))
            records += (await audit.erase(note.subject)).events
        elif note.kind == "file":
            records += await erasing.delete_file(note.subject)
        else:
            await system.write(partial(erasing.hide, session_id=note.subject, now=now))
            records += (await audit.erase_session(SessionId(note.subject))).events
    return records


def _append(path: Path, line: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        end = size if _ends_whole(handle, size) else len(_whole_lines(path.read_bytes()))
        os.ftruncate(handle, end)
        if os.write(handle, line) != len(line):
            os.ftruncate(handle, end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle)
    finally:
        os.close(handle)


def _ends_whole(handle: int, size: int) -> bool:
    return size == 0 or os.pread(handle, 1, size - 1) == b"\n"


def _whole_lines(content: bytes) -> bytes:
    """A line without its end was cut off by a crash or a full disk: what it stood for never began."""
    return content[: content.rfind(b"\n") + 1]
