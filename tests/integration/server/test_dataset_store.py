"""The platform's dataset store on both databases, under the role that the deployment recommends (A-6, IS-04)."""

import pytest
import sqlalchemy as sa

from batuta.datasets.dataset import DatasetError
from batuta.datasets.store import DatasetOwner
from batuta.kernel.ids import new_id
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.principal import ANONYMOUS, SYSTEM, Principal, acting_as
from batuta.server.database.tables import dataset_blocks, datasets
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.testing.datasets import NOW, DatasetStoreConformance, a_dataset
from tests.support.platform import Person, Running


class TestDatabaseDatasetStore(DatasetStoreConformance):
    @pytest.fixture
    def store(self, site: Running) -> DatabaseDatasetStore:
        return DatabaseDatasetStore(SystemDatabase(site.platform.backends.database))

    @pytest.fixture
    async def owners(self, site: Running) -> tuple[DatasetOwner, DatasetOwner]:
        ana, ben = await site.person("ana@example.com"), await site.person("ben@example.com")
        return await owner_of(ana), await owner_of(ben)


async def owner_of(person: Person) -> DatasetOwner:
    return DatasetOwner(session_id=await person.session(), user_id=person.user_id)


async def test_a_deleted_session_takes_no_dataset_and_keeps_none(site: Running) -> None:
    """A turn that still runs when its session is deleted leaves nothing behind."""
    ana = await site.person("ana@example.com")
    owner = await owner_of(ana)
    store = DatabaseDatasetStore(SystemDatabase(site.platform.backends.database))
    saved = await store.save(owner, new_id(), a_dataset(), now=NOW)
    with acting_as(SYSTEM):
        await site.platform.sessions.delete(owner.session_id)
    assert await store.find(owner, saved.dataset_id) is None
    with pytest.raises(DatasetError, match="deleted"):
        await store.save(owner, new_id(), a_dataset(), now=NOW)


async def test_erasing_a_person_takes_their_datasets(site: Running) -> None:
    ana, ben = await site.person("ana@example.com"), await site.person("ben@example.com")
    store = DatabaseDatasetStore(SystemDatabase(site.platform.backends.database))
    kept = [await owner_of(ana), await owner_of(ben)]
    for owner in kept:
        await store.save(owner, new_id(), a_dataset(), now=NOW)
    await site.platform.backends.audit.erase(ana.user_id)
    assert [len(await store.list(owner)) for owner in kept] == [0, 1]


async def test_is04_the_database_itself_hides_datasets_of_others(distributed: Running) -> None:
    """IS-04: a query without any condition shows one's own rows only."""
    ana, ben = await distributed.person("ana@example.com"), await distributed.person("ben@example.com")
    database = distributed.platform.backends.database
    store = DatabaseDatasetStore(SystemDatabase(database))
    owners = [await owner_of(person) for person in (ana, ben)]
    for owner in owners:
        await store.save(owner, new_id(), a_dataset(), now=NOW)

    async def seen(principal: Principal) -> tuple[int, int]:
        def count(connection: sa.Connection) -> tuple[int, int]:
            rows = [len(connection.execute(sa.select(table)).all()) for table in (datasets, dataset_blocks)]
            return rows[0], rows[1]

        with acting_as(principal):
            return await database.read(count)

    assert await seen(Principal(user_id=ana.user_id, scope="user")) == (1, 1)
    assert await seen(ANONYMOUS) == (0, 0)
    assert await seen(SYSTEM) == (2, 2)


async def test_an_erased_session_leaves_no_word_in_the_file(embedded: Running) -> None:
    owner = await owner_of(await embedded.person("ana@example.com"))
    store = DatabaseDatasetStore(SystemDatabase(embedded.platform.backends.database))
    saved = await store.save(owner, new_id(), a_dataset(name="a_name_to_look_for"), now=NOW)
    file = embedded.platform.settings.database_file
    with acting_as(SYSTEM):
        await embedded.platform.sessions.delete(owner.session_id)
    held = file.read_bytes() + file.with_name(f"{file.name}-wal").read_bytes()
    assert saved.dataset_id.encode() not in held
    assert b"a_name_to_look_for" not in held
