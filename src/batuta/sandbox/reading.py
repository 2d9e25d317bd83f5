"""Reading: a page of records with everything a query asks for, in one SQL statement for each level of `$expand`.

    reader = RecordReader(store, behaviour, quirks, links)
    page = reader.page(RecordScope(entity=…, company=…), options, size=20)

Rows are ordered by what the query says and then by row number, so that a page goes on exactly where the last one ended
whatever was inserted meanwhile. A computed set (a report) is written into a temporary table first and then read like
any other. How many rows one request may touch is bounded.
"""

import base64
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from batuta.sandbox.behaviour import FLOW_FILTERS, Behaviour, FlowFilter
from batuta.sandbox.errors import BadRequestError
from batuta.sandbox.filter_sql import ALWAYS, FilterCompiler, SqlCondition
from batuta.sandbox.flow_filters import take_flow_filters
from batuta.sandbox.json_values import as_it_is, json_writer
from batuta.sandbox.query import Expansion, SystemQueryOptions, encode_token
from batuta.sandbox.quirks import Quirks
from batuta.sandbox.records import SandboxStore, SetTable
from batuta.sandbox.schema import EntitySet, NavigationProperty
from batuta.sandbox.values import SqlValue

MOST_ROWS: Final = 100_000
"""Rows that one request may read, those of its expansions included."""


@dataclass(frozen=True, kw_only=True)
class RecordScope:
    """Which rows a path names: a set in a company, narrowed by keys and by navigation."""

    entity: EntitySet
    company: str
    equals: Mapping[str, SqlValue] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ReadPage:
    rows: list[dict[str, Any]]
    next_token: str | None
    count: int | None


@dataclass(frozen=True, kw_only=True)
class ReadLinks:
    """The addresses that rows carry: the root of the API and the company part below it."""

    root: str
    has_metadata: bool = True

    def of(self, entity: EntitySet, company: str, key: str) -> str:
        place = f"companies({company})/" if entity.is_in_company else ""
        return f"{self.root}/{place}{entity.name}({key})"


class RecordReader:
    """Reads for one request: it remembers which reports were made and how many rows were read."""

    def __init__(self, store: SandboxStore, behaviour: Behaviour, quirks: Quirks, links: ReadLinks) -> None:
        self._store = store
        self._behaviour = behaviour
        self._quirks = quirks
        self._links = links
        self._made: set[tuple[str, str]] = set()
        self._rows_left = MOST_ROWS

    def page(self, scope: RecordScope, options: SystemQueryOptions, *, size: int) -> ReadPage:
        """One page of the rows of a scope, with the token of the next one where there is one."""
        prepared = self._prepare(scope, options)
        limit = size if options.top is None else min(size, options.top)
        found = self._select(prepared, scope, options, limit + 1)
        has_more = len(found) > limit and (options.top is None or options.top > limit)
        shown = found[:limit]
        token = encode_token(shown[-1].place) if has_more and shown else None
        count = self._count(prepared, scope) if options.has_count else None
        return ReadPage(rows=self._finish(shown, scope, options), next_token=token, count=count)

    def count(self, scope: RecordScope, options: SystemQueryOptions) -> int:
        return self._count(self._prepare(scope, options), scope)

    def one(self, scope: RecordScope, options: SystemQueryOptions) -> dict[str, Any] | None:
        """The only row of a scope, or nothing."""
        only = replace(options, filter=None, orderby=(), top=None, skip=0, has_count=False, after=None)
        rows = self.page(scope, only, size=1).rows
        return rows[0] if rows else None

    def stored(self, scope: RecordScope, names: Sequence[str]) -> tuple[SqlValue, ...] | None:
        """The stored values of some columns of the only row of a scope: where navigation goes on from."""
        prepared = self._prepare(scope, SystemQueryOptions())
        columns = ", ".join(prepared.table.columns[name].expression for name in names)
        where = _where(scope, prepared.condition)
        sql = f"SELECT {columns} FROM {prepared.source} t WHERE {where.sql} LIMIT 1"
        found = self._store.connection.execute(sql, where.bound).fetchone()
        return tuple(found) if found else None

    def _prepare(self, scope: RecordScope, options: SystemQueryOptions) -> "_Prepared":
        table = self._store.table(scope.entity.name)
        wanted, flow = options.filter, dict[str, FlowFilter]()
        if scope.entity.name in FLOW_FILTERS and wanted is not None:
            wanted, flow = take_flow_filters(wanted, table, FLOW_FILTERS[scope.entity.name])
        compiler = FilterCompiler(table, self._quirks)
        condition = compiler.compile(wanted) if wanted is not None else ALWAYS
        return _Prepared(table=table, source=self._source(scope, flow), condition=condition, compiler=compiler)

    def _source(self, scope: RecordScope, flow: Mapping[str, FlowFilter]) -> str:
        """The table to read: that of the set, or a temporary one with the rows of a report."""
        name = scope.entity.name
        report = self._behaviour.reports.get(name)
        if report is None:
            return f'"{name}"'
        source = f'temp."_report_{name}"'
        if (name, scope.company) not in self._made or flow:
            records = self._store.records(scope.company)
            rows = [dict(row) for row in report(records, flow)]
            self._store.fill_report(name, scope.company if scope.entity.is_in_company else "", rows)
            self._made.add((name, scope.company))
        return source

    def _select(
        self, prepared: "_Prepared", scope: RecordScope, options: SystemQueryOptions, limit: int
    ) -> list["_ReadRow"]:
        if options.orderby and scope.entity.kind == "query":
            self._quirks.meet("orderby_on_a_query", scope.entity.name)
        order = [(prepared.compiler.property(name).name, is_down) for name, is_down in options.orderby]
        columns = prepared.table.columns
        ordering = [columns[name].expression for name, _ in order]
        where = _where(scope, prepared.condition)
        if options.after is not None:
            where = _both(where, _after(ordering, [is_down for _, is_down in order], options.after))
        names = self._names(scope.entity, options)
        listed = ", ".join(["t.rowid", 't."_version"', *ordering, *(columns[name].expression for name in names)])
        ordered = "".join(
            f"{expression}{' DESC' if is_down else ''}, "
            for expression, (_, is_down) in zip(ordering, order, strict=True)
        )
        skip = options.skip if options.after is None else 0
        order_by = f"ORDER BY {ordered}{prepared.tie} LIMIT ? OFFSET ?"
        sql = f"SELECT {listed} FROM {prepared.source} t WHERE {where.sql} {order_by}"
        found = self._store.connection.execute(sql, (*where.bound, limit, skip)).fetchall()
        self._spend(len(found))
        first = 2 + len(ordering)
        return [
            _ReadRow(version=row[1], place=(*row[2:first], row[0]), values=dict(zip(names, row[first:], strict=True)))
            for row in found
        ]

    def _names(self, entity: EntitySet, options: SystemQueryOptions) -> list[str]:
        """The columns to read: what is shown, the key, and what expansions hang on."""
        stored = [each.name for each in entity.columns]
        if options.select is None:
            return stored
        needed = {*options.select, *entity.identity}
        needed.update(own for each in options.expand for own in _navigation(entity, each.name).link)
        return [name for name in stored if name in needed]

    def _count(self, prepared: "_Prepared", scope: RecordScope) -> int:
        where = _where(scope, prepared.condition)
        sql = f"SELECT COUNT(*) FROM {prepared.source} t WHERE {where.sql}"
        return int(self._store.connection.execute(sql, where.bound).fetchone()[0])

    def _finish(self, rows: list["_ReadRow"], scope: RecordScope, options: SystemQueryOptions) -> list[dict[str, Any]]:
        shown = self._shown(scope.entity, options)
        writers = [(name, json_writer(scope.entity.properties[name])) for name in shown]
        streams = [each.name for each in scope.entity.streams if options.select is None or each.name in options.select]
        if rows and not (self._links.has_metadata or streams or options.expand) and list(rows[0].values) == shown:
            return _written_in_place(rows, writers)
        finished = []
        for row in rows:
            values = row.values
            made: dict[str, Any] = {}
            if self._links.has_metadata:
                made["@odata.etag"] = etag(scope.entity, values, row.version)
            for name, write in writers:
                made[name] = write(values[name])
            if streams:
                self._add_streams(made, scope, row, streams)
            finished.append(made)
        for expansion in options.expand:
            self._expand(finished, rows, scope, expansion)
        return finished

    def _shown(self, entity: EntitySet, options: SystemQueryOptions) -> list[str]:
        if options.select is None:
            return [each.name for each in entity.columns]
        for name in options.select:
            if name not in entity.properties and name not in entity.navigation:
                raise BadRequestError(
                    f"Could not find a property named '{name[:60]}' on type 'Microsoft.NAV.{entity.type_name}'."
                )
        return [each.name for each in entity.columns if each.name in options.select]

    def _add_streams(self, made: dict[str, Any], scope: RecordScope, row: "_ReadRow", streams: list[str]) -> None:
        if self._links.has_metadata:
            place = self._links.of(scope.entity, scope.company, key_text(scope.entity, row.values))
            for name in streams:
                made[f"{name}@odata.mediaEditLink"] = f"{place}/{name}"
                made[f"{name}@odata.mediaReadLink"] = f"{place}/{name}"

    def _expand(
        self, finished: list[dict[str, Any]], rows: list["_ReadRow"], scope: RecordScope, expansion: Expansion
    ) -> None:
        """Bring the children of all rows with one statement, and hand them out."""
        way = _navigation(scope.entity, expansion.name)
        target = self._store.schema.set(way.target)
        is_company = scope.entity.name == "companies"
        if not way.link and not is_company:
            raise BadRequestError(
                f"The navigation '{way.name}' of {scope.entity.name} is not part of this sandbox.",
                code="BadRequest_MethodNotImplemented",
            )
        own, theirs = ("id", "") if is_company else next(iter(way.link.items()))
        parents = [row.values[own] for row in rows]
        children: Mapping[SqlValue, _Children] = {}
        if parents:
            companies = [str(each) for each in parents] if is_company else [scope.company]
            children = self._children(target, theirs, parents, companies, expansion.options)
        for made, parent in zip(finished, parents, strict=True):
            found = children.get(parent, _NO_CHILDREN)
            made[way.name] = found.rows if way.is_many else next(iter(found.rows), None)
            if expansion.options.has_count and way.is_many:
                made[f"{way.name}@odata.count"] = found.count

    def _children(
        self, target: EntitySet, link: str, parents: list[SqlValue], companies: list[str], options: SystemQueryOptions
    ) -> dict[SqlValue, "_Children"]:
        """The rows of a child set by the value that leads to their parent."""
        wide = replace(options, top=None, skip=0, select=options.select and (*options.select, link or "id"))
        made: dict[SqlValue, _Children] = {}
        for company in dict.fromkeys(companies):
            scope = RecordScope(entity=target, company=company)
            prepared = self._prepare(scope, wide)
            if link:
                inside = SqlCondition(
                    f"{prepared.table.columns[link].expression} IN (SELECT value FROM json_each(?))",
                    (json.dumps(sorted({*parents}, key=str)),),
                )
                # With the plus SQLite goes by the index of the link, not by the one that has the order of the rows.
                prepared = replace(prepared, condition=_both(prepared.condition, inside), tie="+t.rowid")
            gathered: defaultdict[SqlValue, list[_ReadRow]] = defaultdict(list)
            for row in self._select(prepared, scope, wide, self._rows_left + 1):
                gathered[row.values[link] if link else company].append(row)
            made.update(self._grouped(gathered, scope, options))
        return made

    def _grouped(
        self, gathered: Mapping[SqlValue, list["_ReadRow"]], scope: RecordScope, options: SystemQueryOptions
    ) -> dict[SqlValue, "_Children"]:
        """Cut each parent's rows to what was asked for, and finish them all together: one statement a level."""
        end = None if options.top is None else options.skip + options.top
        shown = {parent: rows[options.skip : end] for parent, rows in gathered.items()}
        finished = iter(self._finish([row for rows in shown.values() for row in rows], scope, options))
        return {
            parent: _Children(rows=[next(finished) for _ in rows], count=len(gathered[parent]))
            for parent, rows in shown.items()
        }

    def _spend(self, rows: int) -> None:
        self._rows_left -= rows
        if self._rows_left < 0:
            raise BadRequestError(
                f"The request would read more than {MOST_ROWS} rows: ask for smaller pages or expand less."
            )


@dataclass(frozen=True, kw_only=True)
class _Prepared:
    table: SetTable
    source: str
    condition: SqlCondition
    compiler: FilterCompiler
    tie: str = "t.rowid"
    """What orders rows that are equal in everything else."""


class _ReadRow(NamedTuple):
    version: int
    place: tuple[Any, ...]
    values: dict[str, SqlValue]


@dataclass(frozen=True, kw_only=True)
class _Children:
    rows: list[dict[str, Any]]
    count: int


def _written_in_place(
    rows: list[_ReadRow], writers: list[tuple[str, Callable[[SqlValue], Any]]]
) -> list[dict[str, Any]]:
    """Rows of which nothing is asked but their fields: long lists are read so, and need no copy."""
    converted = [(name, write) for name, write in writers if write is not as_it_is]
    for row in rows:
        values: dict[str, Any] = row.values
        for name, write in converted:
            values[name] = write(values[name])
    return [row.values for row in rows]


_NO_CHILDREN: Final = _Children(rows=[], count=0)


def etag(entity: EntitySet, values: Mapping[str, SqlValue], version: int) -> str:
    """The ETag of a row: its version, and a check of its key so that one row's tag never fits another."""
    identity = "/".join([entity.name, *(str(values[name]) for name in entity.identity)])
    text = f"{version};{zlib.crc32(identity.encode()):08x};"
    return f'W/"{base64.b64encode(text.encode()).decode()}"'


def key_text(entity: EntitySet, values: Mapping[str, SqlValue]) -> str:
    """The key of a row as it stands in a path."""
    shown = []
    for name in entity.key:
        value = str(values[name])
        text = "'" + value.replace("'", "''") + "'" if entity.properties[name].type == "Edm.String" else value
        shown.append(text if len(entity.key) == 1 else f"{name}={text}")
    return ",".join(shown)


def _navigation(entity: EntitySet, name: str) -> NavigationProperty:
    if name not in entity.navigation:
        raise BadRequestError(
            f"Could not find a navigation property named '{name[:60]}' on type 'Microsoft.NAV.{entity.type_name}'."
        )
    return entity.navigation[name]


def _where(scope: RecordScope, condition: SqlCondition) -> SqlCondition:
    tests = "".join(f' AND t."{scope.entity.properties[name].column}" = ?' for name in scope.equals)
    company = scope.company if scope.entity.is_in_company else ""
    return SqlCondition(
        f"t.company = ?{tests} AND {condition.sql}", (company, *scope.equals.values(), *condition.bound)
    )


def _both(left: SqlCondition, right: SqlCondition) -> SqlCondition:
    return SqlCondition(f"{left.sql} AND {right.sql}", (*left.bound, *right.bound))


def _after(ordering: Sequence[str], down: Sequence[bool], place: tuple[str | int, ...]) -> SqlCondition:
    """Rows that stand after a place in the order: one alternative for each column that may decide."""
    columns, directions = [*ordering, "t.rowid"], [*down, False]
    if len(place) != len(columns):
        raise BadRequestError("The $skiptoken does not fit the $orderby of the request.")
    tests: list[str] = []
    bound: list[str | int] = []
    for index, (column, is_down) in enumerate(zip(columns, directions, strict=True)):
        equal = "".join(f"{each} = ? AND " for each in columns[:index])
        tests.append(f"({equal}{column} {'<' if is_down else '>'} ?)")
        bound.extend(place[: index + 1])
    return SqlCondition(f"({' OR '.join(tests)})", tuple(bound))
