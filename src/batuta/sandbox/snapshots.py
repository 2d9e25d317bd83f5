"""Snapshots of a sandbox by name: everything as it was at a moment, to go back to.

Those of a database in a file are files beside it and outlive the process; those in memory end with it.
"""

import os
import sqlite3
from pathlib import Path
from typing import Final

from batuta.sandbox.errors import BadRequestError, RecordNotFoundError
from batuta.sandbox.records import SandboxStore

MOST_SNAPSHOTS: Final = 5
_SUFFIX: Final = ".snapshot"


class SnapshotShelf:
    """Takes, restores and removes the snapshots of one store; names are letters, digits, `_` and `-`."""

    def __init__(self, store: SandboxStore) -> None:
        self._store = store
        self._in_memory: dict[str, bytes] = {}

    def names(self) -> list[str]:
        if self._store.path is None:
            return sorted(self._in_memory)
        return [path.name.removeprefix(f"{self._store.path.name}.").removesuffix(_SUFFIX) for path in self._files()]

    def take(self, name: str) -> None:
        """Keep everything as it is now, in place of an older snapshot of this name."""
        known = self.names()
        if name not in known and len(known) >= MOST_SNAPSHOTS:
            raise BadRequestError(f"There are {MOST_SNAPSHOTS} snapshots already: delete one.")
        path = self._file(name)
        if path is None:
            self._in_memory[name] = self._store.dump()
            return
        unfinished = path.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        self._store.snapshot(unfinished)
        os.replace(unfinished, path)  # whole or not at all, also when the process is killed

    def restore(self, name: str) -> None:
        self._check(name)
        path = self._file(name)
        if path is None:
            self._store.load(self._in_memory[name])
        elif self._is_readable(path):
            self._store.restore(path)
        else:
            raise BadRequestError(f"The snapshot '{name}' was made by another version of the sandbox: delete it.")

    def remove(self, name: str) -> None:
        self._check(name)
        path = self._file(name)
        if path is None:
            del self._in_memory[name]
        else:
            path.unlink()

    def _check(self, name: str) -> None:
        if name not in self.names():
            raise RecordNotFoundError(f"There is no snapshot '{name}'.")

    def _file(self, name: str) -> Path | None:
        path = self._store.path
        return None if path is None else path.with_name(f"{path.name}.{name}{_SUFFIX}")

    def _files(self) -> list[Path]:
        return snapshot_files(self._store.path) if self._store.path else []

    def _is_readable(self, path: Path) -> bool:
        wanted = self._store.connection.execute("PRAGMA user_version").fetchone()
        connection = sqlite3.connect(path)
        try:
            return bool(connection.execute("PRAGMA user_version").fetchone() == wanted)
        except sqlite3.DatabaseError:
            return False
        finally:
            connection.close()


def snapshot_files(database: Path) -> list[Path]:
    """The files of the snapshots of a database file."""
    prefix = f"{database.name}."
    return sorted(
        path for path in database.parent.iterdir() if path.name.startswith(prefix) and path.name.endswith(_SUFFIX)
    )
