"""The conformance suite of dataset stores. Inherit it and say how to make an empty store.

class TestMyDatasetStore(DatasetStoreConformance):
    @pytest.fixture
    async def store(self) -> MyStore: ...
    @pytest.fixture
    async def owners(self) -> tuple[DatasetOwner, DatasetOwner]: ...
"""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from batuta.datasets.dataset import Column, Dataset, Provenance, RecordReference
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.store import BLOCK_ROWS, DatasetOwner, DatasetStore, page_of
from batuta.kernel.ids import new_id

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SOURCE = Provenance(connector="test", company="CRONUS", query="select", retrieved_at=NOW, record_count=3)

EVERY_TYPE = (
    Column(name="name", type="text", label="Nombre"),
    Column(name="pieces", type="integer", unit="pcs"),
    Column(name="amount", type="decimal", currency="EUR"),
    Column(name="share", type="float", is_additive=False),
    Column(name="day", type="date"),
    Column(name="at", type="datetime"),
    Column(name="is_open", type="boolean"),
)

ROWS = (
    ('Núñez "&" Söhne\n😀', 2**62, Decimal("0.10"), 0.1, date(2026, 2, 28), NOW, True),
    ("", -1, Decimal("-12345678901234567890.1234567890"), 1e300, date(1, 1, 1), NOW - timedelta(days=4000), False),
    (None, None, None, None, None, None, None),
)


def a_dataset(name: str = "sales", rows: tuple[tuple[object, ...], ...] = ROWS) -> Dataset:
    """A dataset with a column of every type."""
    references = [RecordReference(entity="customers", key="10000", url="https://erp.example/1"), *[None] * len(rows)]
    return Dataset(
        name=name, columns=EVERY_TYPE, rows=rows, provenance=SOURCE, title="Sales", references=references[: len(rows)]
    )


def numbered(count: int) -> Dataset:
    """A dataset with one column that counts."""
    return Dataset(
        name="numbers", columns=[Column(name="n", type="integer")], rows=[(n,) for n in range(count)], provenance=SOURCE
    )


class DatasetStoreConformance:
    """What every dataset store promises (A-6)."""

    async def test_every_value_comes_back_as_it_was(
        self, store: DatasetStore, owners: tuple[DatasetOwner, DatasetOwner]
    ) -> None:
        library = DatasetLibrary(store=store, owner=owners[0])
        info = await library.keep(a_dataset(), key="call-1")
        assert await library.load(info) == a_dataset()

    async def test_a_dataset_is_found_by_id_and_by_name(
        self, store: DatasetStore, owners: tuple[DatasetOwner, DatasetOwner]
    ) -> None:
        saved = await store.save(owners[0], new_id(), a_dataset(), now=NOW)
        assert await store.find(owners[0], saved.dataset_id) == saved
        assert await store.named(owners[0], "sales") == saved
        assert list(await store.list(owners[0])) == [saved]
        assert (saved.columns, saved.row_count, saved.provenance) == (EVERY_TYPE, 3, SOURCE)

    async def test_the_same_name_again_gets_a_number(
        self, store: DatasetStore, owners: tuple[DatasetOwner, DatasetOwner]
    ) -> None:
        names = [(await store.save(owners[0], new_id(), a_dataset(), now=NOW)).name for _ in range(3)]
        assert names == ["sales", "sales_2", "sales_3"]

    async def test_the_same_id_again_replaces_the_rows_and_keeps_the_name(
        self, store: DatasetStore, owners: tuple[DatasetOwner, DatasetOwner]
    ) -> None:
        """A call that is resumed saves again: there is one dataset, with the rows that were read last."""
        dataset_id = new_id()
        await store.save(owners[0], dataset_id, numbered(BLOCK_ROWS + 1), now=NOW)
        again = await store.save(owners[0], dataset_id, numbered(2), now=NOW)
        assert [info.name for info in await store.list(owners[0])] == ["numbers"]
        assert (await page_of(store, owners[0], again, 0, 9)).rows == ((0,), (1,))
        assert await store.block(owners[0], dataset_id, 1) is None

    async def test_a_page_is_cut_across_blocks(
        self, store: DatasetStore, owners: tuple[DatasetOwner, DatasetOwner]
    ) -> None:
        info = await store.save(owners[0], new_id(), numbered(2 * BLOCK_ROWS + 10), now=NOW)
        for start, limit in ((0, 3), (BLOCK_ROWS - 2, 5), (2 * BLOCK_ROWS + 7, 100), (3 * BLOCK_ROWS, 5)):
            page = await page_of(store, owners[0], info, start, limit)
            assert [row[0] for row in page.rows] == list(range(start, min(start + limit, info.row_count)))

    async def test_an_empty_dataset_keeps_its_columns(
        self, store: DatasetStore, owners: tuple[DatasetOwner, DatasetOwner]
    ) -> None:
        info = await store.save(owners[0], new_id(), a_dataset(rows=()), now=NOW)
        assert (info.row_count, info.columns, info.totals) == (0, EVERY_TYPE, {})
        assert (await page_of(store, owners[0], info, 0, 5)).rows == ()

    async def test_another_session_finds_nothing(
        self, store: DatasetStore, owners: tuple[DatasetOwner, DatasetOwner]
    ) -> None:
        """Another user's dataset answers like a missing one."""
        mine, other = owners
        saved = await store.save(mine, new_id(), a_dataset(), now=NOW)
        assert await store.find(other, saved.dataset_id) is None
        assert await store.named(other, saved.name) is None
        assert await store.block(other, saved.dataset_id, 0) is None
        assert list(await store.list(other)) == []

    async def test_erasing_a_session_leaves_nothing_of_it_and_all_of_the_others(
        self, store: DatasetStore, owners: tuple[DatasetOwner, DatasetOwner]
    ) -> None:
        mine, other = owners
        saved = await store.save(mine, new_id(), a_dataset(), now=NOW)
        kept = await store.save(other, new_id(), a_dataset(), now=NOW)
        assert await store.erase(mine) == 1
        assert await store.find(mine, saved.dataset_id) is None
        assert await store.block(mine, saved.dataset_id, 0) is None
        assert await store.find(other, kept.dataset_id) == kept
