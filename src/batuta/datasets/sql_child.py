"""The process that runs one statement over datasets: DuckDB in memory, locked, with limits, and then gone.

    python -I sql_child.py < request.json        writes result.ndjson beside the tables; its head to standard output

Run by `batuta.datasets.sql` only. It imports nothing of ours, so that it starts fast, and sets its own limits before
it reads a statement: whatever a statement does, the parent can end this process.
"""

import json
import resource
import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

TYPES = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "decimal": "DECIMAL(38,10)",
    "float": "DOUBLE",
    "date": "DATE",
    "datetime": "TIMESTAMPTZ",
    "boolean": "BOOLEAN",
}
LOCK = (
    "SET TimeZone = 'UTC'",
    "SET temp_directory = ''",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
"""In this order: nothing can be changed after the last one."""
FETCHED_AT_ONCE = 5_000


def main() -> None:
    """Read a request, answer it, end."""
    request = json.load(sys.stdin)
    limit_process(request["max_seconds"], request["max_bytes"], request["max_result_bytes"])
    try:
        head = answer(request)
    except duckdb.Error as error:
        head = {"error": str(error).split("\n", 1)[0][:500]}
    except MemoryError:
        head = {"error": "the statement needs too much memory"}
    json.dump(head, sys.stdout)


def limit_process(seconds: int, max_bytes: int, max_result_bytes: int) -> None:
    """What this process may use, enforced by the kernel."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (2 * seconds + 1, 2 * seconds + 2))  # of two threads
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_result_bytes, max_result_bytes))
    # Threads map more than they use: this is a last wall behind DuckDB's own limit.
    resource.setrlimit(resource.RLIMIT_AS, (max_bytes + 4 * 1024**3, max_bytes + 4 * 1024**3))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Load the tables, lock the engine, run the statement."""
    connection = opened(request["max_bytes"])
    folder = Path(request["folder"])
    for table in request["tables"]:
        if "parquet" in table:
            needed = ", ".join(f'"{column["name"]}"' for column in table["columns"])
            connection.execute(
                f'CREATE TABLE "{table["name"]}" AS SELECT {needed} FROM read_parquet(?)',  # noqa: S608
                [table["parquet"]],
            )
            continue
        columns = {column["name"]: TYPES[column["type"]] for column in table["columns"]}
        listed = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
        # Names were checked by the parent: letters, digits and underscores.
        connection.execute(
            f'CREATE TABLE "{table["name"]}" AS SELECT * FROM '  # noqa: S608
            f"read_json(?, format = 'newline_delimited', columns = {{{listed}}}, maximum_object_size = 67108864)",
            [table["file"]],
        )
    lock(connection)
    result = connection.execute(request["sql"])
    found = [{"name": entry[0], "type": type_of(str(entry[1]))} for entry in result.description]
    if any(column["type"] == "datetime" for column in found):
        # Moments are fetched without their zone, which is UTC: the engine would need another package for zones.
        places = enumerate((column["type"] for column in found), start=1)
        listed = ", ".join(f"CAST(#{n} AS TIMESTAMP)" if kind == "datetime" else f"#{n}" for n, kind in places)
        result = connection.execute(f"SELECT {listed} FROM ({request['sql']})")  # noqa: S608 - checked by the parent
    written, is_cut = write(result, folder / "result.ndjson", request["max_rows"])
    return {"columns": found, "row_count": written, "is_cut_short": is_cut}


def opened(max_bytes: int) -> Any:
    """An engine in memory, with nothing in it."""
    return duckdb.connect(":memory:", config={"threads": 2, "memory_limit": f"{max_bytes // 1024**2}MB"})


def lock(connection: Any) -> None:
    """Take away files, network, extensions and settings, for good."""
    for statement in LOCK:
        connection.execute(statement)


def write(result: Any, file: Path, max_rows: int) -> tuple[int, bool]:
    """Write rows until there are no more, or as many as allowed; how many, and whether there were more."""
    written = 0
    with file.open("w", encoding="utf-8") as out:
        while rows := result.fetchmany(FETCHED_AT_ONCE):
            for row in rows:
                if written == max_rows:
                    return written, True
                out.write(json.dumps([cell(value) for value in row], ensure_ascii=False))
                out.write("\n")
                written += 1
    return written, False


def type_of(kind: str) -> str:
    """The column type of a type of DuckDB; what has none is text."""
    if kind.endswith("]"):
        return "text"  # a list, of whatever
    if kind.startswith("DECIMAL"):
        return "decimal"
    if kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT"):
        return "integer"
    named = {"DOUBLE": "float", "FLOAT": "float", "DATE": "date", "BOOLEAN": "boolean"}
    if kind.startswith("TIMESTAMP"):
        return "datetime"
    return named.get(kind, "text")


def cell(value: Any) -> Any:
    """A value as JSON holds it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


if __name__ == "__main__":
    main()
