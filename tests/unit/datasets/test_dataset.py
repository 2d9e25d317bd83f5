"""Datasets: what they take, what they refuse, and what a model is given of them (A-6)."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from batuta.datasets.dataset import DATASETS_SERVICE, Column, Dataset, DatasetError, Provenance, dataset_name
from batuta.datasets.library import DatasetLibrary, dataset_id_of, library_of
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.kernel.messages import ToolCallBlock
from batuta.testing.datasets import NOW, SOURCE, DatasetStoreConformance, a_dataset
from batuta.tools.context import ToolContext
from batuta.tools.invocation import CallScope, ToolInvoker
from batuta.tools.outcome import ToolOutcome
from batuta.tools.tool import Tool, tool

OWNER = DatasetOwner(session_id="S-1")


class TestMemoryDatasetStore(DatasetStoreConformance):
    @pytest.fixture
    def store(self) -> MemoryDatasetStore:
        return MemoryDatasetStore()

    @pytest.fixture
    def owners(self) -> tuple[DatasetOwner, DatasetOwner]:
        return OWNER, DatasetOwner(session_id="S-2")


@tool(effect="read")
async def read_sales() -> Dataset:
    """Read the sales."""
    return a_dataset()


async def ask(of: Tool, library: DatasetLibrary | None, key: str = "turn:step:1.0") -> ToolOutcome:
    scope = CallScope(tools={of.name: of}, services={} if library is None else {DATASETS_SERVICE: library})
    return await ToolInvoker().invoke(ToolCallBlock(id="call-1", name=of.name, args={}), scope, idempotency_key=key)


@pytest.mark.parametrize(
    ("column_type", "given", "kept"),
    [
        ("decimal", 0.1, Decimal("0.1")),
        ("decimal", "12.50", Decimal("12.50")),
        ("decimal", 7, Decimal(7)),
        ("integer", "42", 42),
        ("integer", 3.0, 3),
        ("float", Decimal("0.5"), 0.5),
        ("date", "2026-02-28", date(2026, 2, 28)),
        ("datetime", "2026-02-28T10:00:00+02:00", datetime(2026, 2, 28, 8, tzinfo=UTC)),
        ("text", "a\x00b", "a?b"),
        ("text", "\ud800", "?"),
        ("text", None, None),
    ],
)
def test_a_value_is_brought_to_the_type_of_its_column(column_type: Any, given: Any, kept: Any) -> None:
    made = Dataset(name="t", columns=[Column(name="v", type=column_type)], rows=[[given]], provenance=SOURCE)
    assert made.rows == ((kept,),)


@pytest.mark.parametrize(
    ("column_type", "given"),
    [
        ("decimal", "twelve"), ("decimal", float("nan")), ("decimal", True), ("decimal", Decimal("1e60")),
        ("integer", 2.5), ("integer", True), ("integer", 2**63), ("float", float("inf")), ("float", "x"),
        ("date", "28/02/2026"), ("date", datetime(2026, 1, 1, tzinfo=UTC)), ("datetime", "soon"), ("boolean", 1),
        ("text", 5),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused_with_its_place(column_type: Any, given: Any) -> None:
    columns = [Column(name="ok", type="text"), Column(name="v", type=column_type)]
    with pytest.raises(DatasetError, match=r"t: row 2: v is "):
        Dataset(name="t", columns=columns, rows=[["a", None], ["b", given]], provenance=SOURCE)


@pytest.mark.parametrize(
    ("name", "columns", "rows", "words"),
    [
        ("Drop Table", [Column(name="a", type="text")], [], "no name for a dataset"),
        ("t", [], [], "1 to 200 columns"),
        ("t", [Column(name="a b", type="text")], [], "no name for a column"),
        ("t", [Column(name="a", type="text")] * 2, [], "same name"),
        ("t", [Column(name="a", type="text")], [["x", "y"]], "row 1 has 2 values for 1 columns"),
        ("t", [Column(name="a", type="decimal", currency="euros")], [], "ISO 4217"),
        ("t", [Column(name="a", type="decimal", currency_column="b")], [], "no column 'b'"),
    ],
)
def test_a_table_that_cannot_be_one_is_refused(name: str, columns: Any, rows: Any, words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        Dataset(name=name, columns=columns, rows=rows, provenance=SOURCE)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ventas por país 2026", "ventas_por_pais_2026"),
        ("2026 sales", "t_2026_sales"),
        ("日本", "dataset"),
        ("", "dataset"),
    ],
)
def test_any_text_makes_a_name(text: str, name: str) -> None:
    assert dataset_name(text) == name


def test_totals_add_up_exactly_and_only_what_may_be_added() -> None:
    """Prices are not added up, nor amounts in several currencies."""
    columns = [
        Column(name="amount", type="decimal", currency="EUR"),
        Column(name="price", type="decimal", is_additive=False),
        Column(name="foreign", type="decimal", currency_column="code"),
        Column(name="code", type="text"),
    ]
    rows: list[list[str | None]] = [["0.10", "1", "5", "EUR"], ["0.20", "2", "6", "USD"], [None, "3", "7", "EUR"]]
    made = Dataset(name="t", columns=columns, rows=rows, provenance=SOURCE)
    assert made.totals() == {"amount": "0.30"}


async def test_a_tool_that_returns_a_dataset_keeps_it_and_hands_out_a_reference() -> None:
    """A-6: the model sees name, columns, count, totals and the first rows; the event carries the same, not all rows."""
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=OWNER)
    outcome = await ask(read_sales, library)
    kept = await library.get("sales")
    assert outcome.details["dataset"] == {"dataset_id": kept.dataset_id, "name": "sales", "row_count": 3}
    shown = json.loads(outcome.result.content)
    assert (shown["dataset"], shown["row_count"], len(shown["first_rows"])) == ("sales", 3, 3)
    assert shown["totals"]["amount"] == "-12345678901234567890.0234567890"
    (event,) = outcome.events
    assert (event["type"], event["dataset_id"], event["tool_use_id"]) == ("dataset_stored", kept.dataset_id, "call-1")


async def test_a_call_that_is_resumed_makes_the_same_dataset() -> None:
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=OWNER)
    first, second, other = [(await ask(read_sales, library, key)).details for key in ("k", "k", "other")]
    assert first == second != other
    assert [info.name for info in await library.store.list(OWNER)] == ["sales", "sales_2"]


async def test_without_a_place_to_keep_it_the_model_hears_why() -> None:
    outcome = await ask(read_sales, None)
    assert outcome.error == "DATASET"
    assert "this run has no datasets" in outcome.result.content


async def test_a_cut_dataset_says_so_to_the_model() -> None:
    @tool(effect="read")
    async def read_some() -> Dataset:
        """Read some."""
        source = Provenance(connector="test", retrieved_at=NOW, record_count=900, is_cut_short=True)
        return Dataset(name="some", columns=[Column(name="n", type="integer")], rows=[[1]], provenance=source)

    outcome = await ask(read_some, DatasetLibrary(store=MemoryDatasetStore(), owner=OWNER))
    assert json.loads(outcome.result.content)["warning"] == "cut short: 1 rows of 900 records"


async def test_a_name_that_is_not_there_is_answered_with_those_that_are() -> None:
    library = DatasetLibrary(store=MemoryDatasetStore(), owner=OWNER)
    await ask(read_sales, library)
    with pytest.raises(DatasetError, match="no dataset 'costs' in this conversation; there are: sales"):
        await library.get("costs")


def test_a_tool_outside_a_run_finds_no_library() -> None:
    with pytest.raises(DatasetError, match="keeps no datasets"):
        library_of(ToolContext())


def test_ids_differ_between_sessions() -> None:
    assert dataset_id_of("S-1", "k") != dataset_id_of("S-2", "k")
