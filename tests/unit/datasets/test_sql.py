"""SQL over datasets: reads only, exact figures, and nothing outside is touched (A-7)."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from batuta.datasets import sql_child
from batuta.datasets.dataset import Column, Dataset, DatasetError, RecordReference
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.processes import ProcessLimit, run_child
from batuta.datasets.sql import query_datasets as run_query
from batuta.datasets.store import DatasetOwner
from batuta.datasets.tools import list_datasets
from batuta.datasets.tools import query_datasets as query_tool
from batuta.kernel.errors import BatutaError, DeadlineExceededError, ToolFailedError, ToolRefusedError
from batuta.testing.datasets import SOURCE
from batuta.tools.context import ToolContext
from tests.unit.datasets.hostile_statements import hostile_statements

COLUMNS = [
    Column(name="name", type="text", label="Cliente"),
    Column(name="country", type="text"),
    Column(name="balance", type="decimal", label="Saldo", currency="EUR"),
    Column(name="day", type="date"),
    Column(name="foreign_amount", type="decimal", currency_column="code"),
    Column(name="code", type="text"),
]
ROWS: list[list[str | None]] = [
    ["Acme", "ES", "0.10", "2026-01-05", "5.00", "USD"],
    ["Luna", "PT", "7000.50", "2026-02-05", "6.00", "EUR"],
    ["Sol", "ES", "0.20", "2026-02-07", None, "EUR"],
]
REFERENCES = [RecordReference(entity="customers", key=str(number)) for number in (10, 20, 30)]


async def query_datasets(library: DatasetLibrary, sql: str, **options: Any) -> Dataset:
    """A result that is small enough to be in memory."""
    result = await run_query(library, sql, **options)
    assert isinstance(result, Dataset)
    return result


@pytest.fixture
async def library() -> DatasetLibrary:
    made = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id="S-1"))
    await made.keep(
        Dataset(name="sales", columns=COLUMNS, rows=ROWS, provenance=SOURCE, references=REFERENCES), key="1"
    )
    return made


async def test_sums_are_exact_and_keep_their_currency(library: DatasetLibrary) -> None:
    """A-7: 0.10 and 0.20 make 0.30, in euros."""
    made = await query_datasets(
        library, "select country, sum(balance) as total, avg(balance) from sales group by country order by country"
    )
    assert made.rows == (("ES", Decimal("0.30"), Decimal("0.15")), ("PT", Decimal("7000.50"), Decimal("7000.50")))
    assert [column.currency for column in made.columns] == [None, "EUR", "EUR"]
    assert [column.type for column in made.columns] == ["text", "decimal", "decimal"]
    assert made.totals() == {"total": "7000.80"}


async def test_days_stay_days(library: DatasetLibrary) -> None:
    made = await query_datasets(
        library, "select date_trunc('month', day) as month, max(day), sum(balance) b from sales group by 1 order by 1"
    )
    assert made.rows[1] == (date(2026, 2, 1), date(2026, 2, 7), Decimal("7000.70"))


async def test_the_result_says_where_it_came_from(library: DatasetLibrary) -> None:
    made = await query_datasets(library, "select name from sales -- all of them", name="Nombres de clientes")
    assert made.name == "nombres_de_clientes"
    assert (made.provenance.connector, made.provenance.sources) == ("sql", ("sales",))
    assert made.provenance.query == "SELECT name FROM sales"
    assert made.provenance.company == SOURCE.company


async def test_rows_lead_back_to_their_records(library: DatasetLibrary) -> None:
    """A row that is one record keeps it, however the rows are filtered, ordered or grouped."""
    ordered = await query_datasets(library, "select name, balance from sales order by balance desc limit 2")
    assert [reference and reference.key for reference in ordered.references] == ["20", "30"]
    grouped = await query_datasets(library, "select country, sum(balance) s from sales group by 1 order by 1")
    assert [reference and reference.key for reference in grouped.references] == [None, "20"]
    assert [column.name for column in grouped.columns] == ["country", "s"]


async def test_amounts_of_several_currencies_are_not_added_up(library: DatasetLibrary) -> None:
    with pytest.raises(DatasetError, match="several currencies: group by code"):
        await query_datasets(library, "select sum(foreign_amount) from sales")
    made = await query_datasets(
        library, "select code, sum(foreign_amount) as amount from sales group by code order by 1"
    )
    assert made.rows == (("EUR", Decimal("6.00")), ("USD", Decimal("5.00")))


@pytest.mark.parametrize(
    "sql",
    [
        "with s as (select * from sales where code = 'EUR') select sum(foreign_amount) from s",
        "with sales as (select * from sales where code = 'EUR') select sum(foreign_amount) from sales",
        "with a as (select * from sales), b as (select * from a where code = 'EUR') select sum(foreign_amount) from b",
    ],
)
async def test_a_condition_within_a_with_keeps_to_one_currency(library: DatasetLibrary, sql: str) -> None:
    assert (await query_datasets(library, sql)).rows == ((Decimal("6.00"),),)


@pytest.mark.parametrize(
    "sql",
    [
        "with s as (select * from sales where code = 'EUR' or true) select sum(foreign_amount) from s",
        "with s as (select * from sales where code = 'EUR') select sum(foreign_amount) from sales",
        "with s as (select * from sales where code = 'EUR' union all from sales) select sum(foreign_amount) from s",
        "with s as (select * from sales where code = 'EUR') select sum(b.foreign_amount) from s join sales b on true",
        "with s as (from sales where code = 'EUR') select sum(foreign_amount) from (with s as (from sales) from s) x",
    ],
)
async def test_a_condition_elsewhere_does_not(library: DatasetLibrary, sql: str) -> None:
    with pytest.raises(DatasetError, match="several currencies"):
        await query_datasets(library, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "select a.name, b.name from sales a join sales b on a.country = b.country and a.name < b.name",
        "with best as (select * from sales where balance > 0.15) select count(*) from best",
        "select name, rank() over (order by balance desc) from sales",
        "select * from sales pivot (sum(balance) for country in ('ES', 'PT'))",
        "select case when balance > 1 then 'big' else 'small' end as size, count(*) from sales group by 1",
        "select name from sales where lower(name) like '%a%' union all select country from sales",
        "select year(day), month(day), sum(balance) from sales group by all",
        "select name from sales where day between date '2026-02-01' and date '2026-02-28'",
    ],
)
async def test_questions_that_people_ask_are_answered(library: DatasetLibrary, sql: str) -> None:
    assert len((await query_datasets(library, sql)).rows) > 0


async def test_a_mistake_is_answered_with_its_reason(library: DatasetLibrary) -> None:
    with pytest.raises(ToolFailedError, match='Referenced column "nome" not found'):
        await query_datasets(library, "select nome from sales")
    with pytest.raises(ToolRefusedError, match="the table costs is not allowed; there are: sales"):
        await query_datasets(library, "select * from costs")
    with pytest.raises(DatasetError, match="reads no dataset"):
        await query_datasets(library, "select 1")


async def test_agents_query_and_list_by_tool(library: DatasetLibrary) -> None:
    context = ToolContext(services={"datasets": library})
    made = await query_tool.call(context, sql="select count(*) as n from sales", name="Cuántos", title="Clientes")
    assert (made.name, made.title, made.rows) == ("cuantos", "Clientes", ((3,),))
    assert json.loads(await list_datasets.call(context))["dataset"] == "sales"


class Canary:
    """A server on loopback that remembers whether anybody came."""

    def __init__(self) -> None:
        self.calls = 0
        self.port = 0

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        writer.close()


@pytest.fixture
async def canary() -> AsyncIterator[Canary]:
    made = Canary()
    server = await asyncio.start_server(made.take, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()


async def test_hostile_statements_touch_nothing(library: DatasetLibrary, canary: Canary, tmp_path: Path) -> None:
    """Three hundred and more statements: every one is refused with a reason before it reaches the engine."""
    secret, target = tmp_path / "secret.txt", tmp_path / "target.csv"
    secret.write_text("a secret", "utf-8")
    statements = hostile_statements(str(secret), str(target), canary.port)
    assert len(statements) >= 300
    for statement in statements:
        with pytest.raises(BatutaError, match=r"\w"):
            await query_datasets(library, statement)
    assert (target.exists(), canary.calls) == (False, 0)


async def test_the_engine_alone_touches_nothing_either(canary: Canary, tmp_path: Path) -> None:
    """Behind the check stands a locked engine: the same statements, given to it directly, find and write nothing."""
    secret, target = tmp_path / "secret.txt", tmp_path / "target.csv"
    secret.write_text("a secret", "utf-8")
    statements = [
        statement
        for statement in hostile_statements(str(secret), str(target), canary.port)
        if not any(
            word in statement for word in ("00000", "range(", "sleep", "pandas_scan", "python_map", "arrow_scan")
        )
    ]

    def run() -> list[str]:
        connection = sql_child.opened(256 * 1024**2)
        connection.execute("create table sales as select 'x' as name, 1 as id")
        sql_child.lock(connection)
        leaked = []
        for statement in statements:
            try:
                made: Any = connection.execute(statement)
                rows = None if made is None else made.fetchmany(5)
            except (duckdb.Error, RuntimeError, ValueError):
                continue
            if "a secret" in str(rows):
                leaked.append(statement)
        return leaked

    assert await asyncio.to_thread(run) == []
    assert (target.exists(), canary.calls) == (False, 0)


@pytest.mark.parametrize(
    "sql",
    [
        "with recursive r as (select count(*) as n from sales union all select n + 1 from r) select count(*) from r",
        "with recursive r as (select name as t from sales union all select concat(t, t) from r) select max(t) from r",
        "select count(*) from " + ", ".join(f"sales s{number}" for number in range(40)),
    ],
)
async def test_what_would_never_end_is_ended(library: DatasetLibrary, sql: str) -> None:
    with pytest.raises((DeadlineExceededError, ToolFailedError)):
        await query_datasets(library, sql, limit=ProcessLimit(seconds=1, max_bytes=256 * 1024**2))


async def test_a_child_that_dies_is_an_error_and_no_crash(tmp_path: Path) -> None:
    script = tmp_path / "dies.py"
    script.write_text("import os; os.abort()", "utf-8")
    with pytest.raises(ToolFailedError, match="was ended"):
        await run_child(script, {}, ProcessLimit(seconds=60))


async def test_moments_come_back_as_moments(library: DatasetLibrary) -> None:
    """In UTC, in the order that was asked for."""
    moments = [[datetime(2026, 3, day, 9, 30, tzinfo=UTC)] for day in (1, 3, 2)]
    visits = Dataset(name="visits", columns=[Column(name="at", type="datetime")], rows=moments, provenance=SOURCE)
    await library.keep(visits, key="2")
    made = await query_datasets(library, 'select "at" from visits order by "at" desc')
    assert made.columns[0].type == "datetime"
    assert made.values("at") == [datetime(2026, 3, day, 9, 30, tzinfo=UTC) for day in (3, 2, 1)]


async def test_long_decimals_lose_no_digit(library: DatasetLibrary) -> None:
    """A value of 38 digits is the same after a query."""
    long = Decimal("1234567890123456789012345678.0123456789")
    kept = Dataset(name="long", columns=[Column(name="n", type="decimal")], rows=[[long]], provenance=SOURCE)
    await library.keep(kept, key="2")
    assert (await query_datasets(library, "select n from long")).values("n") == [long]


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(a) from (select foreign_amount as a from sales) x",
        "select max(code) code, sum(foreign_amount) from sales",
        "with x as (select foreign_amount * 1 as a from sales) select avg(a) from x",
        "select sum(foreign_amount) from sales where code = 'EUR' or code = 'USD'",
        "select country, sum(foreign_amount) from sales group by country",
        "select sum(b) from (select foreign_amount from sales) as x(b)",
        "select max(foreign_amount) from sales",
        "select foreign_amount - lag(foreign_amount) over (order by country) as d from sales",
    ],
)
async def test_no_other_name_adds_up_several_currencies(library: DatasetLibrary, sql: str) -> None:
    with pytest.raises(DatasetError, match="several currencies: group by code"):
        await query_datasets(library, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(foreign_amount) as total from sales where code = 'EUR'",
        "select sum(a) from (select foreign_amount as a from sales where code in ('EUR')) x",
        "select code as c, sum(foreign_amount) from sales group by 1",
        "select count(foreign_amount), sum(balance) from sales",
        "select sum(foreign_amount) filter (where code = 'EUR') as eur, sum(balance) from sales",
        "select code, max(foreign_amount) from sales group by code",
        "select lag(foreign_amount) over (partition by code order by country) as before from sales",
        "select foreign_amount + foreign_amount as twice from sales",
    ],
)
async def test_amounts_of_one_currency_are_added_up(library: DatasetLibrary, sql: str) -> None:
    assert len((await query_datasets(library, sql)).rows) >= 1


@pytest.mark.parametrize(
    "sql",
    ["select balance + foreign_amount as a from sales", "select greatest(balance, foreign_amount) as a from sales"],
)
async def test_amounts_of_one_row_in_different_currencies_are_not_put_together(
    library: DatasetLibrary, sql: str
) -> None:
    with pytest.raises(DatasetError, match="are in different currencies"):
        await query_datasets(library, sql)
