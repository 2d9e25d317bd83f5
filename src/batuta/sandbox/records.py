"""The store: one SQLite file (or memory) with a table for every entity set, read and written as typed records.

    store = SandboxStore(path, behaviour=behaviour)      # makes or opens the file
    records = store.records(company_id)                  # everything of one company
    with store.transaction():                            # nested: a savepoint
        row = records.insert("customers", {"displayName": "Northwind"})
        records.update("customers", row["id"], values={"blocked": "All"})

Layout: a table is named as its set, its columns as the properties, plus `company` (GUID; "" for sets that stand beside
companies) and `_version`, which counts the changes of the row and makes its ETag. Values are stored as `values.py`
says. A record is found by its `EntitySet.identity`: nearly always its key; for `dimensionSetLines` the parent and the
id, because that id is the dimension's. Tables whose name starts with `_` are internal: `Behaviour.tables` declares
them; read and write them with `records.sql("… WHERE company = ?", …)`. `_settings` and `_streams` belong to the store.
"""

import sqlite3
import threading
import uuid
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from batuta.sandbox.errors import RecordNotFoundError, SandboxError
from batuta.sandbox.schema import EdmProperty, EntitySet, SandboxSchema, load_schema
from batuta.sandbox.values import Row, SqlValue, Value, column_type, decoder, encoder, unset

MEMORY: Final = ":memory:"
CACHE_KIB: Final = 65_536
"""How much of a file is kept in memory: a medium company is posted to without reading pages again and again."""
MemoryT = TypeVar("MemoryT")
INDEXED: Final = (
    "number", "code", "documentId", "parentId", "journalId", "documentNumber", "customerId", "vendorId", "itemId",
    "accountId", "orderId", "postingDate", "status",
)  # fmt: skip
"""Properties by which children, documents and entries are looked up; each has an index where a set has it."""
READ_BELOW_PARENT: Final = frozenset({"dimensionSetLines"})
"""Sets that are only ever read by their parent, with which their key begins: other indexes would not help."""
REMEMBERED: Final = frozenset(
    {"currencies", "defaultDimensions", "dimensions", "dimensionValues", "generalLedgerSetup",
     "generalProductPostingGroups", "inventoryPostingGroups", "itemCategories", "journals", "paymentMethods",
     "paymentTerms", "shipmentMethods",
     "taxGroups", "unitsOfMeasure"}
)  # fmt: skip
"""Small sets that posting looks up for every line: read once in a transaction, and again after one was written.

No statement of ours writes these tables but through `Records`.
"""
_INTERNAL: Final = """
CREATE TABLE IF NOT EXISTS _settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS _streams (
  company TEXT NOT NULL, entity TEXT NOT NULL, key TEXT NOT NULL, property TEXT NOT NULL,
  media_type TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (company, entity, key, property));
"""


class SandboxFileError(ValueError):
    """A file that this version of the sandbox cannot read."""


class StoredBehaviour(Protocol):
    """What the store needs of a behaviour: its internal tables and its computed properties."""

    ddl: list[str]
    expressions: dict[tuple[str, str], str]


class SandboxStore:
    """One SQLite database of companies. Safe to use from several threads; one works at a time."""

    def __init__(
        self,
        path: Path | str = MEMORY,
        *,
        behaviour: StoredBehaviour | None = None,
        today: date | None = None,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
        wall_clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.schema: SandboxSchema = load_schema()
        self.path = None if str(path) == MEMORY else Path(path)
        """The file; nothing for a database in memory."""
        self.new_id = new_id
        self.lock = threading.RLock()
        self.wall_clock = wall_clock
        self._expressions = behaviour.expressions if behaviour else {}
        self._depth = 0
        self.is_rehearsing = False
        """Whether what happens now will be rolled back: then nothing may leave this process."""
        self._memory: dict[tuple[str, ...], Any] = {}
        self._tables: dict[str, SetTable] = {}
        self.connection = sqlite3.connect(
            str(path), isolation_level=None, check_same_thread=False, cached_statements=1024
        )
        self._prepare(str(path), tuple(behaviour.ddl) if behaviour else ())
        if today is not None:
            self.set_today(today)

    def records(self, company: str) -> "Records":
        """The records of one company, or with `""` those beside the companies."""
        return Records(self, company)

    def table(self, set_name: str) -> "SetTable":
        """How a set is stored; `KeyError` for an unknown one."""
        if set_name not in self._tables:
            self._tables[set_name] = SetTable(self.schema.set(set_name), self._expressions)
        return self._tables[set_name]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; inside another one a savepoint, so that a part can fail or be rolled back alone."""
        with self.lock:
            name = f"level_{self._depth}"
            if self._depth == 0:
                self.forget()
            self.connection.execute("BEGIN IMMEDIATE" if self._depth == 0 else f"SAVEPOINT {name}")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                self._undo(name)
                raise
            self._depth -= 1
            self.connection.execute("COMMIT" if self._depth == 0 else f"RELEASE {name}")

    def remember(self, key: tuple[str, ...], read: Callable[[], MemoryT]) -> MemoryT:
        """What was read under a key before in this transaction, else what `read` gives; outside of one, always that.

        No one else writes while a transaction lasts, so only our own writes can make a memory stale: they `forget` it.
        """
        if self._depth == 0:
            return read()
        if key not in self._memory:
            self._memory[key] = read()
        known: MemoryT = self._memory[key]
        return known

    def forget(self) -> None:
        """Read everything again: something that is remembered was written."""
        self._memory.clear()

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """A transaction that is always rolled back: what happens inside can be looked at and is not kept."""
        with self.lock, suppress(_RehearsalEndedError), self.transaction():
            before, self.is_rehearsing = self.is_rehearsing, True
            try:
                yield
            finally:
                self.is_rehearsing = before
            raise _RehearsalEndedError

    def today(self) -> date:
        """The working date: the one that was set, else the day of the wall clock."""
        stored = self.remember(("_settings", "today"), lambda: self.setting("today"))
        return date.fromisoformat(stored) if stored else self.wall_clock().date()

    def set_today(self, today: date) -> None:
        self.set_setting("today", today.isoformat())

    def now(self) -> datetime:
        """The moment of a change: the working date with the time of the wall clock."""
        return datetime.combine(self.today(), self.wall_clock().timetz())

    def setting(self, name: str) -> str | None:
        found = self.connection.execute("SELECT value FROM _settings WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else None

    def set_setting(self, name: str, value: str) -> None:
        with self.transaction():
            self.connection.execute("INSERT OR REPLACE INTO _settings VALUES (?, ?)", (name, value))
            self.forget()

    def fill_report(self, set_name: str, company: str, rows: Iterable[Row]) -> None:
        """Put the rows of a computed set into its temporary table, in place of those of the last time."""
        table = self.table(set_name)
        target = f'temp."_report_{set_name}"'
        self.connection.execute(table.report_ddl)
        self.connection.execute(f"DELETE FROM {target} WHERE company = ?", (company,))
        self.connection.executemany(
            table.insert_sql.replace(f'"{set_name}"', target, 1),
            ((company, *table.encode({**table.blank, **row})) for row in rows),
        )

    def snapshot(self, path: Path | str) -> None:
        """Copy the whole database into a file."""
        with self.lock:
            target = sqlite3.connect(str(path))
            try:
                self.connection.backup(target)
            finally:
                target.close()

    def load(self, content: bytes) -> None:
        """Take the whole database back from what `dump` gave."""
        with self.lock:
            source = sqlite3.connect(MEMORY)
            try:
                source.deserialize(content)
                source.backup(self.connection)
            finally:
                source.close()

    def take_over(self, other: "SandboxStore") -> None:
        """Become a copy of another store, in one step."""
        with self.lock, other.lock:
            other.connection.backup(self.connection)

    def dump(self) -> bytes:
        """The whole database as bytes."""
        with self.lock:
            content = self.connection.serialize()
        # Bytes 18 and 19 say how a file is journalled; in memory there is no write-ahead log.
        return content[:18] + b"\x01\x01" + content[20:]

    def restore(self, path: Path | str) -> None:
        """Take the whole database back from a file."""
        with self.lock:
            source = sqlite3.connect(str(path))
            try:
                source.backup(self.connection)
            finally:
                source.close()

    def close(self) -> None:
        self.connection.close()

    def _prepare(self, path: str, ddl: tuple[str, ...]) -> None:
        if path == MEMORY:
            self.connection.deserialize(_blank_database(ddl))
        for name, value in (("journal_mode", "WAL"), ("synchronous", "NORMAL"), ("temp_store", "MEMORY")):
            self.connection.execute(f"PRAGMA {name} = {value}")
        self.connection.execute("PRAGMA busy_timeout = 5000")
        self.connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        layout = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if layout == 0:
            self.connection.executescript(_whole_ddl(ddl))
        elif layout != _layout(ddl):
            self.connection.close()
            raise SandboxFileError(
                f"{path} was made by another version of the sandbox: remove it, or start with --reset"
            )
        # The connection holds its functions where the garbage collector does not look: a strong reference back to this
        # store would keep a store that was not closed for ever.
        store = weakref.proxy(self)
        self.connection.create_function("today", 0, lambda: store.today().isoformat())
        # lower() and upper() of SQLite know ASCII only.
        self.connection.create_function("unicode_lower", 1, str.lower, deterministic=True)
        self.connection.create_function("unicode_upper", 1, str.upper, deterministic=True)

    def _undo(self, name: str) -> None:
        self.forget()
        if self._depth == 0:
            # SQLite itself may have rolled back already, as it does when the disk is full.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        else:
            self.connection.execute(f"ROLLBACK TO {name}")
            self.connection.execute(f"RELEASE {name}")


class Records:
    """Typed access to the rows of one company, over the connection and transaction of the store."""

    def __init__(self, store: SandboxStore, company: str) -> None:
        self.store = store
        self.company = company

    def get(self, set_name: str, *key: Value) -> Row | None:
        """The record of a key, or nothing."""
        table = self.store.table(set_name)
        if set_name in REMEMBERED:
            return next(self._select(table, dict(zip(table.entity.identity, key, strict=True))), None)
        bound = (self._company_of(table), *table.encode_key(key))
        found = self.store.connection.execute(table.get_sql, bound).fetchone()
        return None if found is None else table.decode(found)

    def find(self, set_name: str, **equals: Value) -> list[Row]:
        """The records whose properties have these values, in the order in which they were stored."""
        return list(self._select(self.store.table(set_name), equals))

    def first(self, set_name: str, **equals: Value) -> Row | None:
        return next(self._select(self.store.table(set_name), equals), None)

    def exists(self, set_name: str, **equals: Value) -> bool:
        return self.first(set_name, **equals) is not None

    def insert(self, set_name: str, values: Mapping[str, Value]) -> Row:
        """Store a record. What is not given gets an id, the time, or the unset value of its type."""
        table = self.store.table(set_name)
        row = dict(table.blank)
        if table.has_id:
            row["id"] = self.store.new_id()
        self._stamp(table, row, table.created)
        row.update(values)
        try:
            self.store.connection.execute(table.insert_sql, (self._company_of(table), *table.encode(row)))
        except sqlite3.IntegrityError as error:
            raise SandboxError(
                f"The record in table {table.entity.type_name} already exists.",
                code="Internal_EntityWithSameKeyExists",
                status=409,
            ) from error
        self._written(set_name)
        return row

    def update(self, set_name: str, *key: Value, values: Mapping[str, Value]) -> Row:
        """Store changed values and count the version up; the row as it then stands."""
        table = self.store.table(set_name)
        changes = dict(values)
        self._stamp(table, changes, table.modified)
        columns = [table.column(name) for name in changes]
        assignments = "".join(f'"{column.name}" = ?, ' for column in columns)
        bound = [column.encode(value) for column, value in zip(columns, changes.values(), strict=True)]
        done = self.store.connection.execute(
            f'UPDATE "{set_name}" SET {assignments}"_version" = "_version" + 1 WHERE {table.key_test}',
            (*bound, self._company_of(table), *table.encode_key(key)),
        )
        self._written(set_name)
        row = self.get(set_name, *key) if done.rowcount else None
        if row is None:
            raise RecordNotFoundError(f"The record {', '.join(map(str, key))} of {set_name} does not exist.")
        return row

    def delete(self, set_name: str, *key: Value) -> None:
        """Remove a record; one that is not there stays away."""
        table = self.store.table(set_name)
        bound = (self._company_of(table), *table.encode_key(key))
        self.store.connection.execute(f'DELETE FROM "{set_name}" WHERE {table.key_test}', bound)
        self._written(set_name)

    def version(self, set_name: str, *key: Value) -> int:
        """The version of a record, from which its ETag is made; 0 where there is none."""
        table = self.store.table(set_name)
        bound = (self._company_of(table), *table.encode_key(key))
        found = self.sql(f'SELECT "_version" FROM "{set_name}" WHERE {table.key_test}', bound)
        return int(found[0][0]) if found else 0

    def sql(self, statement: str, bound: Sequence[SqlValue] = ()) -> list[tuple[Any, ...]]:
        """Run one statement of ours with bound values: for internal tables and sums. Values are in stored form."""
        return self.store.connection.execute(statement, bound).fetchall()

    def sql_many(self, statement: str, bound: Iterable[Sequence[SqlValue]]) -> None:
        """Run one statement for many bound values."""
        listed = bound if isinstance(bound, list) else list(bound)
        if listed:
            self.store.connection.executemany(statement, listed)

    def key_of(self, set_name: str, row: Row) -> tuple[Value, ...]:
        return tuple(row[name] for name in self.store.table(set_name).entity.identity)

    def _select(self, table: "SetTable", equals: Mapping[str, Value]) -> Iterator[Row]:
        if table.entity.name not in REMEMBERED:
            return self._read(table, equals)
        key = (table.entity.name, self.company, *(f"{name}={value}" for name, value in equals.items()))
        return map(dict, self.store.remember(key, lambda: list(self._read(table, equals))))

    def _read(self, table: "SetTable", equals: Mapping[str, Value]) -> Iterator[Row]:
        columns = [table.column(name) for name in equals]
        tests = "".join(f" AND {column.expression} = ?" for column in columns)
        bound = [column.encode(value) for column, value in zip(columns, equals.values(), strict=True)]
        found = self.store.connection.execute(
            f"{table.select_sql} WHERE t.company = ?{tests} ORDER BY t.rowid",
            (self._company_of(table), *bound),
        )
        return map(table.decode, found)

    def _written(self, set_name: str) -> None:
        if set_name in REMEMBERED:
            self.store.forget()

    def _company_of(self, table: "SetTable") -> str:
        return self.company if table.entity.is_in_company else ""

    def _stamp(self, table: "SetTable", row: Row, names: tuple[str, ...]) -> None:
        if names:
            now = self.store.now()
            row.update(dict.fromkeys(names, now))


class SetColumn:
    """One column of a set: how it is read in SQL and how its values are stored."""

    def __init__(self, prop: EdmProperty, expression: str | None) -> None:
        self.property = prop
        self.name = prop.column
        self.expression = expression or f't."{prop.column}"'
        self.encode = encoder(prop)
        self.decode = decoder(prop)


class SetTable:
    """The statements and codecs of one entity set, made once."""

    def __init__(self, entity: EntitySet, expressions: Mapping[tuple[str, str], str]) -> None:
        self.entity = entity
        self.columns = {
            each.name: SetColumn(each, expressions.get((entity.name, each.name))) for each in entity.columns
        }
        self.blank: Row = {each.name: unset(each) for each in entity.columns}
        self.has_id = entity.key == ("id",) and entity.properties["id"].type == "Edm.Guid"
        times = {name for name, each in entity.properties.items() if each.type == "Edm.DateTimeOffset"}
        self.modified = tuple(sorted(times & {"lastModifiedDateTime", "systemModifiedAt"}))
        self.created = (*self.modified, *sorted(times & {"systemCreatedAt"}))

    def column(self, name: str) -> SetColumn:
        if name not in self.columns:
            raise KeyError(f"{self.entity.name} has no property {name}")
        return self.columns[name]

    @cached_property
    def select_sql(self) -> str:
        return f'SELECT {self.read_list} FROM "{self.entity.name}" t'

    @cached_property
    def get_sql(self) -> str:
        return f"{self.select_sql} WHERE {self.key_test}"

    @cached_property
    def read_list(self) -> str:
        return ", ".join(each.expression for each in self.columns.values())

    @cached_property
    def insert_sql(self) -> str:
        names = ", ".join(f'"{each.name}"' for each in self.columns.values())
        marks = ", ".join("?" * len(self.columns))
        return f'INSERT INTO "{self.entity.name}" (company, {names}) VALUES (?, {marks})'

    @cached_property
    def report_ddl(self) -> str:
        columns = "".join(f', "{each.name}" {column_type(each.property)}' for each in self.columns.values())
        return (
            f'CREATE TEMP TABLE IF NOT EXISTS "_report_{self.entity.name}" '
            f'(company TEXT NOT NULL, "_version" INTEGER NOT NULL DEFAULT 1{columns})'
        )

    @cached_property
    def key_test(self) -> str:
        return "company = ?" + "".join(f' AND "{self.columns[name].name}" = ?' for name in self.entity.identity)

    @cached_property
    def _converted(self) -> list[tuple[str, Callable[[SqlValue], Value]]]:
        """The columns whose stored form is another than the one in Python."""
        return [(name, each.decode) for name, each in self.columns.items() if each.decode is not str]

    def encode(self, row: Row) -> list[SqlValue]:
        if len(row) > len(self.columns):
            raise KeyError(f"{self.entity.name} has no property {', '.join(row.keys() - self.columns.keys())}")
        return [each.encode(row[name]) for name, each in self.columns.items()]

    def encode_key(self, key: Sequence[Value]) -> list[SqlValue]:
        return [self.columns[name].encode(value) for name, value in zip(self.entity.identity, key, strict=True)]

    def decode(self, stored: Sequence[SqlValue]) -> Row:
        row: dict[str, Any] = dict(zip(self.columns, stored, strict=True))
        for name, decode in self._converted:
            row[name] = decode(row[name])
        return row


class _RehearsalEndedError(Exception):
    """Ends a rehearsal: never leaves this module."""


@cache
def _blank_database(ddl: tuple[str, ...]) -> bytes:
    """A database without records: made once in a process, because hundreds of tables take their time."""
    connection = sqlite3.connect(MEMORY, isolation_level=None)
    try:
        connection.executescript(_whole_ddl(ddl))
        return connection.serialize()
    finally:
        connection.close()


def _whole_ddl(ddl: tuple[str, ...]) -> str:
    statements = [_INTERNAL, *(_table_ddl(each) for each in load_schema().sets.values()), *ddl]
    return "BEGIN;" + ";\n".join(statements) + f";PRAGMA user_version = {_layout(ddl)};COMMIT;"


@cache
def _layout(ddl: tuple[str, ...]) -> int:
    """A number that stands for the tables and columns of a file: another one cannot be read."""
    tables = [_table_ddl(each).partition(";")[0] for each in load_schema().sets.values()]
    return zlib.crc32("\n".join([_INTERNAL, *tables, *ddl]).encode()) % (2**31 - 1) + 1


def _table_ddl(entity: EntitySet) -> str:
    columns = "".join(f', "{each.column}" {column_type(each)} NOT NULL' for each in entity.columns)
    key = ", ".join(f'"{entity.properties[name].column}"' for name in entity.identity)
    table = (
        f'CREATE TABLE "{entity.name}" (company TEXT NOT NULL, "_version" INTEGER NOT NULL DEFAULT 1{columns}, '
        f"PRIMARY KEY (company, {key}))"
    )
    if entity.name in READ_BELOW_PARENT:
        return table
    indexes = [
        f'CREATE INDEX "{entity.name}_{name}" ON "{entity.name}" (company, "{name}")'
        for name in INDEXED
        if name in entity.properties and name != entity.identity[0]
    ]
    # The rows of one company in the order of their numbers: what a page without $orderby reads.
    pages = f'CREATE INDEX "{entity.name}_company" ON "{entity.name}" (company)'
    return ";\n".join([table, pages, *indexes])
