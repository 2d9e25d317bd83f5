"""The process that makes a Parquet file of rows: DuckDB with little memory, and then gone.

    python -I table_child.py < request.json        answers with the totals on standard output

Run by `batuta.datasets.large` only. The columns' names were checked there: letters, digits and underscores.
"""

import json
import resource
import sys
from decimal import Decimal
from typing import Any

import duckdb

REFERENCE_COLUMN = "row reference"
SQL_TYPES = {
    "text": "VARCHAR", "integer": "BIGINT", "decimal": "DECIMAL(38,10)", "float": "DOUBLE", "date": "DATE",
    "datetime": "TIMESTAMPTZ", "boolean": "BOOLEAN",
}  # fmt: skip
NUMERIC = ("integer", "decimal", "float")
ROW_GROUP = 20_480


def main() -> None:
    """Read a request, write the file, end."""
    request = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (2 * request["max_seconds"], 2 * request["max_seconds"] + 1))
    try:
        answer: dict[str, Any] = {"totals": written(request)}
    except duckdb.Error as error:
        answer = {"error": str(error).split("\n", 1)[0][:500]}
    json.dump(answer, sys.stdout)


def written(request: dict[str, Any]) -> dict[str, Any]:
    """Write the file; the sum of each column that may be added up."""
    config: dict[str, Any] = {"threads": 2, "memory_limit": f"{request['max_bytes'] >> 20}MB", "temp_directory": ""}
    connection = duckdb.connect(":memory:", config=config)
    connection.execute("SET TimeZone = 'UTC'")
    types = {column["name"]: SQL_TYPES[column["type"]] for column in request["columns"]} | {REFERENCE_COLUMN: "VARCHAR"}
    listed = ", ".join(f"'{name}': '{kind}'" for name, kind in types.items())
    source = (
        f"SELECT * FROM read_json('{request['source']}', format = 'newline_delimited', columns = {{{listed}}}, "  # noqa: S608
        "maximum_object_size = 67108864)"
    )
    connection.execute(
        f"COPY ({source}) TO '{request['target']}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}, "
        f"KV_METADATA {{token: '{request['token']}'}})"
    )
    return totals(connection, request)


def totals(connection: Any, request: dict[str, Any]) -> dict[str, Any]:
    """As a dataset in memory has them: numbers of one currency, where there is any."""
    found: dict[str, Any] = {}
    for column in request["columns"]:
        if column["type"] not in NUMERIC or not column["is_additive"]:
            continue
        other = column["currency_column"]
        codes = f", count(DISTINCT coalesce(\"{other}\", ''))" if other else ", 1"
        query = f'SELECT sum("{column["name"]}"){codes} FROM read_parquet(?)'  # noqa: S608
        try:
            total, kinds = connection.execute(query, [request["target"]]).fetchone()
        except duckdb.Error:  # more digits than a sum has room for: no total is better than a wrong one
            continue
        if total is not None and kinds <= 1:
            found[column["name"]] = cell(total)
    return found


def cell(value: Any) -> Any:
    """A sum as JSON holds it."""
    if not isinstance(value, Decimal):
        return value
    short = value.normalize()
    return format(short.quantize(Decimal("0.01")) if int(short.as_tuple().exponent) > -2 else short, "f")


if __name__ == "__main__":
    main()
