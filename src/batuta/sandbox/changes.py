"""What a piece of work did to the tables: rows added, changed and removed, before and after.

    with recorder.rehearse() as rehearsal:
        …any work on the store…
    rehearsal.changes["salesInvoices"][0].after

Triggers note which rows were touched; the rows after the work are read before it is rolled back, those before it
afterwards, when the store is again as it was. So nothing but the touched rows is ever copied.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from batuta.sandbox.json_values import json_writer
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.values import SqlValue, from_scaled

MOST_CHANGES: Final = 5_000
_UNSHOWN: Final = frozenset({"_settings", "_streams"})


@dataclass(frozen=True, kw_only=True)
class RowChange:
    """One row, before (nothing: it was added) and after (nothing: it was removed)."""

    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def kind(self) -> str:
        return "added" if self.before is None else "removed" if self.after is None else "changed"


@dataclass(kw_only=True)
class RehearsalResult:
    changes: dict[str, list[RowChange]] = field(default_factory=dict)


class ChangeRecorder:
    """Watches the tables of one store with temporary triggers, made when they are first needed."""

    def __init__(self, store: SandboxStore) -> None:
        self._store = store
        self._is_armed = False

    @contextmanager
    def rehearse(self) -> Iterator[RehearsalResult]:
        """Run work, note what it does, and take it back."""
        self._arm()
        result = RehearsalResult()
        after: dict[tuple[str, int], dict[str, Any] | None] = {}
        with self._store.rehearsal():
            self._store.connection.execute("INSERT INTO temp._watching VALUES (1)")
            yield result
            after = {touched: self._row(*touched) for touched in self._touched()}
        for (table, rowid), now in after.items():
            before = self._row(table, rowid)
            if before != now:
                result.changes.setdefault(table, []).append(RowChange(before=before, after=now))

    @contextmanager
    def watch(self) -> Iterator[list[tuple[str, int]]]:
        """Run work inside a transaction of the caller and fill a list with the rows it touched."""
        self._arm()
        touched: list[tuple[str, int]] = []
        self._store.connection.execute("INSERT INTO temp._watching VALUES (1)")
        yield touched
        touched.extend(self._touched())
        self._store.connection.execute("DELETE FROM temp._watching")
        self._store.connection.execute("DELETE FROM temp._touched")

    def _touched(self) -> list[tuple[str, int]]:
        found = self._store.connection.execute(
            "SELECT DISTINCT name, row FROM temp._touched ORDER BY name, row LIMIT ?", (MOST_CHANGES,)
        )
        return [(str(name), int(row)) for name, row in found]

    def _arm(self) -> None:
        if self._is_armed:
            return
        execute = self._store.connection.execute
        execute("CREATE TEMP TABLE IF NOT EXISTS _touched (name TEXT NOT NULL, row INTEGER NOT NULL)")
        execute("CREATE TEMP TABLE IF NOT EXISTS _watching (is_on INTEGER NOT NULL)")
        for table in self._tables():
            for event, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
                execute(
                    f'CREATE TEMP TRIGGER IF NOT EXISTS "watch_{table}_{event}" AFTER {event} ON main."{table}" '
                    "WHEN EXISTS (SELECT 1 FROM _watching) "
                    f"BEGIN INSERT INTO _touched VALUES ('{table}', {row}.rowid); END"
                )
        self._is_armed = True

    def _tables(self) -> list[str]:
        found = self._store.connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")
        return [name for (name,) in found if name not in _UNSHOWN and not name.startswith("sqlite_")]

    def _row(self, table: str, rowid: int) -> dict[str, Any] | None:
        if table in self._store.schema.sets:
            return self._record(table, rowid)
        found = self._store.connection.execute(f'SELECT * FROM main."{table}" WHERE rowid = ?', (rowid,))
        names = [each[0] for each in found.description]
        row = found.fetchone()
        return None if row is None else self._internal(table, names, row)

    def _record(self, set_name: str, rowid: int) -> dict[str, Any] | None:
        table = self._store.table(set_name)
        row = self._store.connection.execute(f"{table.select_sql} WHERE t.rowid = ?", (rowid,)).fetchone()
        if row is None:
            return None
        columns = table.columns.values()
        return {each.name: json_writer(each.property)(value) for each, value in zip(columns, row, strict=True)}

    def _internal(self, table: str, names: Sequence[str], row: Sequence[SqlValue]) -> dict[str, Any]:
        """A row of an internal table; columns declared as SCALED… are decimals."""
        declared = {
            name: kind.upper()
            for _, name, kind, *_ in self._store.connection.execute(f'PRAGMA table_info("{table}")').fetchall()
        }
        return {
            name: float(from_scaled(value)) if "SCALED" in declared[name] and isinstance(value, int) else value
            for name, value in zip(names, row, strict=True)
        }
