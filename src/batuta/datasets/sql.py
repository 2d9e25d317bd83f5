"""SQL over datasets: a statement is checked as a read, run in a process of its own, and its result is a dataset.

    select country, sum(balance) as balance from customers group by country

A column of the result keeps label, unit and currency of the column it was made of, where that is sure, and a row keeps
the record it came from, where it is one.
"""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one

from batuta.datasets.dataset import Column, Dataset, DatasetError, Provenance, RecordReference, dataset_name
from batuta.datasets.large import LARGE_ROWS, LargeDataset
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.processes import ProcessLimit, run_child
from batuta.datasets.sql_currencies import require_one_currency
from batuta.datasets.store import BLOCK_ROWS, DatasetInfo, blocks_in, references_of
from batuta.datasets.values import trimmed
from batuta.events.datasets import Cell
from batuta.kernel.errors import ToolFailedError
from batuta.tools.builtin.select_only import FUNCTIONS, SelectRules

CHILD = Path(__file__).with_name("sql_child.py")
MAX_RESULT_ROWS = 1_000_000
MAX_RESULT_BYTES = 512 * 1024 * 1024
MAX_TABLES = 20
BATCH_ROWS = 5_000
SQL_CONNECTOR = "sql"
"""The `connector` of a dataset that a statement made; its `query` is the statement."""
ROW_COLUMN = "row_of_the_source"
"""A column that is added to a statement, and taken out of its result."""

SQL_FUNCTIONS = FUNCTIONS | {
    "year", "month", "day", "quarter", "week", "dayofweek", "dayofmonth", "dayofyear", "monthname", "dayname",
    "lastday", "datefromparts", "strftime", "approxdistinct", "countstar", "argmax", "argmin", "corr",
    "regexpreplace", "regexpextract", "contains", "lag", "lead", "quantile", "isnan", "trycast", "cbrt",
}  # fmt: skip

_KEEPING = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Round, exp.Coalesce, exp.Median, exp.Abs, exp.AnyValue, exp.Cast)
"""Functions whose result is measured in what their argument is."""
_CUTTING = (exp.TimestampTrunc, exp.DateTrunc, exp.Min, exp.Max, exp.LastDay)
_MIXING = (exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Case, exp.If, exp.DPipe)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A checked statement."""

    sql: str
    """As it is executed."""
    shown: str
    """As it is shown: without what was added to it."""
    tree: exp.Query
    tables: tuple[str, ...]
    row_table: str | None
    """The table whose row numbers its result carries."""


async def query_datasets(
    library: DatasetLibrary,
    sql: str,
    *,
    name: str = "result",
    title: str = "",
    limit: ProcessLimit | None = None,
    is_one_currency: bool = False,
) -> Dataset | LargeDataset:
    """Run one SELECT over the datasets of a session. A large result is in a file; the caller keeps or discards it.

    `is_one_currency` says that the caller saw to it that amounts of one currency are added up.

    Raises:
        ToolRefusedError: the statement does something else than read datasets.
        DatasetError: a dataset is not there, or currencies would be mixed.
        ToolFailedError: the engine refused it; says why.
        DeadlineExceededError: it took too long.
    """
    known = {info.name: info for info in await library.store.list(library.owner)}
    statement = _checked(sql, known)
    sources = [known[table] for table in statement.tables]
    if not is_one_currency:
        require_one_currency(statement.tree, sources)
    columns = _described(statement.tree, sources)
    with tempfile.TemporaryDirectory(prefix="batuta-sql-") as folder:
        head = await _run(statement, sources, library, Path(folder), limit or ProcessLimit())
        result = Path(folder) / "result.ndjson"
        made = _columns_of(head["columns"], columns)
        made = made if statement.row_table is None else made[:-1]
        provenance = Provenance(
            connector=SQL_CONNECTOR,
            company=_shared([source.provenance.company for source in sources]),
            query=statement.shown,
            retrieved_at=library.clock.now(),
            record_count=head["row_count"],
            is_cut_short=head["is_cut_short"] or any(source.provenance.is_cut_short for source in sources),
            sources=statement.tables,
        )
        if head["row_count"] > LARGE_ROWS:
            batches = _batches(result, made, head["columns"])
            return await LargeDataset.of_batches(
                dataset_name(name), batches, columns=made, provenance=provenance, title=title
            )
        rows = await asyncio.to_thread(_read, result)
    references: Sequence[RecordReference | None] = ()
    if statement.row_table is not None:
        references = await _references(library, known[statement.row_table], [row.pop() for row in rows])
    return Dataset(
        name=dataset_name(name),
        title=title,
        columns=made,
        rows=_with_exact_decimals(rows, made, head["columns"]),
        references=references,
        provenance=provenance,
    )


def _checked(sql: str, known: dict[str, DatasetInfo]) -> _Statement:
    """The statement, judged by the rules of every SQL tool and with the datasets as its only tables."""
    rules = SelectRules(dialect="duckdb", functions=SQL_FUNCTIONS, tables=frozenset(known))
    shown = rules.checked(sql)
    tree = parse_one(shown, dialect="duckdb")
    if not isinstance(tree, exp.Query):
        raise ToolFailedError("only one SELECT statement is allowed")
    used = dict.fromkeys(table.name.lower() for table in tree.find_all(exp.Table))
    tables = tuple(name for name in used if name in known)
    if not tables:
        raise DatasetError(f"the statement reads no dataset; there are: {', '.join(known) or 'none yet'}")
    if len(tables) > MAX_TABLES:
        raise DatasetError(f"a statement reads at most {MAX_TABLES} datasets, not {len(tables)}")
    marked = _with_row_numbers(tree, known)
    executed = tree if marked is None else marked
    return _Statement(
        sql=executed.sql(dialect="duckdb"), shown=shown, tree=tree, tables=tables,
        row_table=None if marked is None else tables[0],
    )  # fmt: skip


def _with_row_numbers(tree: exp.Query, known: dict[str, DatasetInfo]) -> exp.Query | None:
    """The statement with the number of each row's source row, where a row has one: `None` where it has not."""
    source = tree.args.get("from_") or tree.args.get("from") if isinstance(tree, exp.Select) else None
    if source is None or not isinstance(source.this, exp.Table) or len(list(tree.find_all(exp.Select))) > 1:
        return None
    info = known.get(source.this.name.lower())
    if source.this.args.get("pivots"):
        return None
    blocked = ("joins", "distinct", "with", "with_", "pivots", "laterals", "having", "qualify")
    if info is None or not info.has_references or any(tree.args.get(part) for part in blocked):
        return None
    is_grouped = tree.args.get("group") is not None
    if not is_grouped and any(projection.find(exp.AggFunc) for projection in tree.expressions):
        return None
    number = "CASE WHEN count(*) = 1 THEN min(rowid) END" if is_grouped else "rowid"
    return tree.copy().select(exp.alias_(parse_one(number, dialect="duckdb"), ROW_COLUMN))


def _described(tree: exp.Query, sources: Sequence[DatasetInfo]) -> list[Column | None] | dict[str, Column]:
    """What is known of each column of the result: label, unit and currency of what it was made of.

    By its place, or by its name where a star stands for several.
    """
    by_name = {column.name: column for info in sources for column in info.columns}
    if any(isinstance(projection, exp.Star) or projection.find(exp.Star) for projection in tree.selects):
        stars = [one for one in tree.selects if isinstance(one, exp.Star | exp.Column)]
        if len(stars) == len(tree.selects):
            return by_name
    described: list[Column | None] = []
    for projection in tree.selects:
        names = [column.name.lower() for column in projection.find_all(exp.Column)]
        used = [by_name[name] for name in names if name in by_name]
        described.append(_made_of(projection, used))
    return described


def _made_of(projection: exp.Expr, used: Sequence[Column]) -> Column | None:
    functions = [node for node in projection.find_all(exp.Func) if not isinstance(node, _KEEPING)]
    if used and all(column.type == "date" for column in used) and all(isinstance(node, _CUTTING) for node in functions):
        return Column(name="day", type="date")  # the engine makes a moment of a day that is cut to its month
    if not used or functions or projection.find(*_MIXING):
        return None
    first = used[0]
    if any((one.unit, one.currency) != (first.unit, first.currency) for one in used):
        return None
    is_plain = isinstance(projection.unalias(), exp.Column)
    keeps_sum = projection.find(exp.Avg, exp.Median, exp.Min, exp.Max) is None
    update: dict[str, Any] = {"is_additive": first.is_additive and keeps_sum}
    if not is_plain:
        update["label"] = ""
    return first.model_copy(update=update)


def _columns_of(found: Sequence[dict[str, str]], described: list[Column | None] | dict[str, Column]) -> list[Column]:
    """The columns of a result, with names that are free of what SQL makes up."""
    columns: list[Column] = []
    names = {column["name"].lower() for column in found}
    for place, column in enumerate(found):
        name, number = dataset_name(column["name"]), 1
        while any(one.name == name for one in columns):
            number += 1
            name = f"{dataset_name(column['name'])[:50]}_{number}"
        if isinstance(described, dict):
            known = described.get(column["name"].lower())
        else:
            known = described[place] if place < len(described) else None
        facts: dict[str, Any] = {} if known is None else known.model_dump(exclude={"name", "type"})
        if facts.get("currency_column") not in names:
            facts.pop("currency_column", None)
        columns.append(Column(name=name, type=_type_of(column["type"], known), **facts))
    return columns


def _type_of(found: str, known: Column | None) -> Any:
    """An average of decimals is one too, although the engine divides in binary; a month of days is a day."""
    wanted = None if known is None else known.type
    return wanted if (found, wanted) in (("float", "decimal"), ("datetime", "date")) else found


def _with_exact_decimals(
    rows: list[list[Any]], columns: Sequence[Column], found: Sequence[dict[str, str]]
) -> list[list[Any]]:
    """Decimals without the zeros that the engine's fixed scale added; averages cut to the same scale."""
    places = [place for place, column in enumerate(columns) if column.type == "decimal"]
    days = [place for place, column in enumerate(columns) if column.type == "date"]
    for row in rows:
        for place in days:
            row[place] = str(row[place])[:10] if row[place] is not None else None
        for place in places:
            value = row[place]
            if value is not None:
                exact = Decimal(str(value)) if found[place]["type"] == "decimal" else Decimal(f"{value:.10f}")
                row[place] = trimmed(exact)
    return rows


async def _run(
    statement: _Statement, sources: Sequence[DatasetInfo], library: DatasetLibrary, folder: Path, limit: ProcessLimit
) -> dict[str, Any]:
    request = {
        "folder": str(folder),
        "tables": [await _table(statement, source, library, folder) for source in sources],
        "sql": statement.sql,
        "max_rows": MAX_RESULT_ROWS,
        "max_seconds": limit.seconds,
        "max_bytes": limit.max_bytes,
        "max_result_bytes": MAX_RESULT_BYTES,
    }
    head: dict[str, Any] = json.loads(await run_child(CHILD, request, limit))
    if "error" in head:
        raise ToolFailedError(f"the statement cannot be run: {head['error']}")
    return head


async def _table(statement: _Statement, source: DatasetInfo, library: DatasetLibrary, folder: Path) -> dict[str, Any]:
    """A table as it is handed to the engine: rows that are written for it, or the columns it needs of a kept file."""
    columns = [{"name": column.name, "type": column.type} for column in source.columns]
    kept = await library.store.table_file(library.owner, source.dataset_id)
    if kept is not None:
        used = {column.name.lower() for column in statement.tree.find_all(exp.Column)}
        needed = [column for column in columns if column["name"] in used]
        has_star = statement.tree.find(exp.Star) is not None
        return {
            "name": source.name, "parquet": str(kept), "columns": columns if has_star or not needed else needed,
        }  # fmt: skip
    file = folder / f"{source.name}.ndjson"
    with file.open("wb") as out:
        async for block in blocks_in(library.store, library.owner, source):
            await asyncio.to_thread(out.write, block.lines() + b"\n")
    return {"name": source.name, "file": str(file), "columns": columns}


async def _batches(
    file: Path, columns: Sequence[Column], found: Sequence[dict[str, str]]
) -> AsyncIterator[list[list[Any]]]:
    """The rows of a large result, some thousands at a time, without the records behind them."""
    with file.open(encoding="utf-8") as lines:
        while read := await asyncio.to_thread(lambda: list(islice(lines, BATCH_ROWS))):
            rows = [json.loads(line)[: len(columns)] for line in read]
            yield _with_exact_decimals(rows, columns, found)


def _read(file: Path) -> list[list[Cell]]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


async def _references(
    library: DatasetLibrary, info: DatasetInfo, numbers: Sequence[Any]
) -> list[RecordReference | None]:
    """The records behind some rows of a dataset, by the numbers of the rows."""
    found: dict[int, list[RecordReference | None]] = {}
    for number in sorted({value // BLOCK_ROWS for value in numbers if value is not None}):
        block = await library.store.block(library.owner, info.dataset_id, number)
        found[number] = [] if block is None else references_of(block)
    return [
        None if value is None or not (block_refs := found[value // BLOCK_ROWS]) else block_refs[value % BLOCK_ROWS]
        for value in numbers
    ]


def _shared(values: Sequence[str | None]) -> str | None:
    return values[0] if len(set(values)) == 1 else None
