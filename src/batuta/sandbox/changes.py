"""What a piece of work did to the tables: rows added, changed and removed, before and after.

    with recorder.rehearse() as rehearsal:
        …any work on the store…
    rehearsal.changes["salesInvoices"][0].after

Triggers note the keys of the rows that were touched; the rows after the work are read before it is rolled back, those
before it afterwards, when the store is again as it was. So nothing but the touched rows is ever copied.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from batuta.sandbox.behaviour import PreviewedLedger
from batuta.sandbox.json_values import json_writer
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.values import SqlValue

MOST_CHANGES: Final = 5_000


@dataclass(frozen=True, kw_only=True)
class RowChange:
    """One row, before (nothing: it was added) and after (nothing: it was removed)."""

    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def kind(self) -> str:
        return "added" if self.before is None else "removed" if self.after is None else "changed"


@dataclass(frozen=True, kw_only=True)
class TouchedRow:
    """A row that was written, by the values of its key; `events` are `INSERT`, `UPDATE`, `DELETE` in their order."""

    table: str
    key: tuple[Any, ...]
    events: tuple[str, ...] = ()


@dataclass(kw_only=True)
class RehearsalResult:
    changes: dict[str, list[RowChange]] = field(default_factory=dict)
    """By entity set."""
    ledgers: dict[str, list[RowChange]] = field(default_factory=dict)
    """Entries that the API has no set for, by the name of their ledger."""


class ChangeRecorder:
    """Watches the entity sets and ledgers of one store with temporary triggers, made when they are first needed."""

    def __init__(self, store: SandboxStore, ledgers: Mapping[str, PreviewedLedger]) -> None:
        self._store = store
        self._ledgers = ledgers
        self._keys: dict[str, tuple[str, ...]] = {}
        """The key columns of every watched table; empty until the triggers stand."""

    @contextmanager
    def rehearse(self) -> Iterator[RehearsalResult]:
        """Run work, note what it does, and take it back."""
        self._arm()
        result = RehearsalResult()
        after: list[tuple[TouchedRow, dict[str, Any] | None]] = []
        with self._store.rehearsal():
            self._store.connection.execute("INSERT INTO temp._watching VALUES (1)")
            yield result
            after = [(touched, self._row(touched)) for touched in self._touched()]
        for touched, now in after:
            before = self._row(touched)
            if before != now:
                self._add(result, touched.table, before, now)

    def _add(
        self, result: RehearsalResult, table: str, before: dict[str, Any] | None, now: dict[str, Any] | None
    ) -> None:
        ledger = self._ledgers.get(table)
        if ledger is None:
            result.changes.setdefault(table, []).append(RowChange(before=before, after=now))
            return
        shown = RowChange(before=before and _json_row(ledger.shown(before)), after=now and _json_row(ledger.shown(now)))
        result.ledgers.setdefault(ledger.name_of(now or before or {}), []).append(shown)

    @contextmanager
    def watch(self) -> Iterator[list[TouchedRow]]:
        """Run work and fill a list with the rows that it touched and kept."""
        self._arm()
        touched: list[TouchedRow] = []
        execute = self._store.connection.execute
        execute("INSERT INTO temp._watching VALUES (1)")
        try:
            yield touched
        finally:
            touched.extend(self._touched())
            execute("DELETE FROM temp._watching")
            execute("DELETE FROM temp._touched")

    def _touched(self) -> list[TouchedRow]:
        found = self._store.connection.execute(
            "SELECT name, key, group_concat(event) FROM (SELECT * FROM temp._touched ORDER BY rowid) "
            "GROUP BY name, key ORDER BY MIN(rowid) LIMIT ?",
            (MOST_CHANGES,),
        )
        return [
            TouchedRow(table=name, key=tuple(json.loads(key)), events=tuple(events.split(",")))
            for name, key, events in found
        ]

    def _arm(self) -> None:
        if self._keys:
            return
        execute = self._store.connection.execute
        execute("CREATE TEMP TABLE IF NOT EXISTS _touched (name TEXT NOT NULL, key TEXT NOT NULL, event TEXT NOT NULL)")
        execute("CREATE TEMP TABLE IF NOT EXISTS _watching (is_on INTEGER NOT NULL)")
        for table in self._tables():
            key = self._key_of(table)
            for event, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
                values = ", ".join(f'{row}."{name}"' for name in key)
                execute(
                    f'CREATE TEMP TRIGGER IF NOT EXISTS "watch_{table}_{event}" AFTER {event} ON main."{table}" '
                    "WHEN EXISTS (SELECT 1 FROM _watching) "
                    f"BEGIN INSERT INTO _touched VALUES ('{table}', json_array({values}), '{event}'); END"
                )
            self._keys[table] = key

    def _tables(self) -> list[str]:
        return [*self._store.schema.sets, *self._ledgers]

    def _key_of(self, table: str) -> tuple[str, ...]:
        described = self._store.connection.execute(f'PRAGMA main.table_info("{table}")').fetchall()
        keyed = sorted((place, name) for _, name, _, _, _, place in described if place)
        return tuple(name for _, name in keyed) or ("rowid",)

    def _row(self, touched: TouchedRow) -> dict[str, Any] | None:
        tests = " AND ".join(f't."{name}" = ?' for name in self._keys[touched.table])
        if touched.table in self._store.schema.sets:
            return self._record(touched, tests)
        found = self._store.connection.execute(f'SELECT * FROM main."{touched.table}" t WHERE {tests}', touched.key)
        row = found.fetchone()
        if row is None:
            return None
        return dict(zip((each[0] for each in found.description), row, strict=True))

    def _record(self, touched: TouchedRow, tests: str) -> dict[str, Any] | None:
        table = self._store.table(touched.table)
        row = self._store.connection.execute(f"{table.select_sql} WHERE {tests}", touched.key).fetchone()
        if row is None:
            return None
        columns = table.columns.values()
        return {each.name: json_writer(each.property)(value) for each, value in zip(columns, row, strict=True)}


def _json_row(row: Mapping[str, Decimal | SqlValue]) -> dict[str, Any]:
    return {name: float(value) if isinstance(value, Decimal) else value for name, value in row.items()}
