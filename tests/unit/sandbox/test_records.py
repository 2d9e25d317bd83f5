"""The store of the sandbox: typed rows, companies apart, transactions that leave nothing behind."""

import gc
import weakref
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.errors import ApplicationError, RecordNotFoundError, SandboxError
from batuta.sandbox.records import Records, SandboxFileError, SandboxStore
from batuta.sandbox.schema import EntitySet, load_schema
from batuta.sandbox.values import UNSET_DATE, UNSET_GUID, Row

MOMENT = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)


def new_store() -> SandboxStore:
    return SandboxStore(wall_clock=lambda: MOMENT)


def records() -> Records:
    return new_store().records("company-a")


def test_a_store_that_is_no_longer_used_is_let_go() -> None:
    """A process that opens many holds on to none."""
    store = new_store()
    held = weakref.ref(store)
    del store
    gc.collect()
    assert held() is None


def insert_many_and_fail(store: SandboxStore, count: int) -> None:
    with store.transaction():
        for number in range(count):
            store.records("a").insert("customers", {"number": str(number)})
        raise ApplicationError("no")


def test_what_is_not_given_is_the_unset_value_of_its_type() -> None:
    row = records().insert("salesInvoices", {})
    assert (row["invoiceDate"], row["customerId"], row["number"]) == (UNSET_DATE, UNSET_GUID, "")
    assert row["lastModifiedDateTime"] == MOMENT


def test_values_come_back_as_they_went_in() -> None:
    ours = records()
    given: Row = {"number": "1000", "unitPrice": Decimal("12.34567"), "priceIncludesTax": True, "type": "Service"}
    row = ours.insert("items", given)
    stored = ours.get("items", row["id"])
    assert stored == row
    assert stored["unitPrice"] == Decimal("12.34567")


def test_decimals_are_stored_as_scaled_integers() -> None:
    ours = records()
    ours.insert("items", {"unitPrice": Decimal("-0.00001")})
    assert ours.sql('SELECT "unitPrice" FROM items') == [(-1,)]


def test_a_decimal_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ApplicationError, match="too large"):
        records().insert("items", {"unitPrice": Decimal(10) ** 20})


@pytest.mark.parametrize("entity", load_schema().sets.values(), ids=lambda each: each.name)
def test_every_set_stores_and_reads_a_blank_record(entity: EntitySet) -> None:
    ours = records()
    row = ours.insert(entity.name, {})
    assert ours.find(entity.name) == [row]
    assert ours.version(entity.name, *ours.key_of(entity.name, row)) == 1


def test_companies_do_not_see_each_other() -> None:
    store = new_store()
    row = store.records("company-a").insert("customers", {"number": "1"})
    assert store.records("company-b").get("customers", row["id"]) is None
    assert store.records("company-b").find("customers") == []


def test_a_change_counts_the_version_up_and_stamps_the_time() -> None:
    ours = records()
    row = ours.insert("customers", {"number": "1", "lastModifiedDateTime": datetime(2020, 1, 1, tzinfo=UTC)})
    changed = ours.update("customers", row["id"], values={"displayName": "Acme"})
    assert (changed["displayName"], changed["lastModifiedDateTime"]) == ("Acme", MOMENT)
    assert ours.version("customers", row["id"]) == 2


def test_a_record_that_does_not_exist_cannot_be_changed() -> None:
    with pytest.raises(RecordNotFoundError):
        records().update("customers", UNSET_GUID, values={"displayName": "Acme"})


def test_a_used_key_is_refused() -> None:
    ours = records()
    row = ours.insert("customers", {})
    with pytest.raises(SandboxError) as refused:
        ours.insert("customers", {"id": row["id"]})
    assert (refused.value.code, refused.value.status) == ("Internal_EntityWithSameKeyExists", 409)


def test_an_unknown_property_is_an_error_of_the_caller() -> None:
    with pytest.raises(KeyError, match="colour"):
        records().insert("customers", {"colour": "red"})


def test_a_failed_transaction_leaves_the_file_byte_for_byte(tmp_path: Path) -> None:
    store = SandboxStore(tmp_path / "sandbox.db")
    store.records("a").insert("customers", {"number": "1"})
    before = store.connection.serialize()
    with pytest.raises(ApplicationError):
        insert_many_and_fail(store, 500)
    assert store.connection.serialize() == before


def test_a_savepoint_fails_alone() -> None:
    store = new_store()
    ours = store.records("a")
    with store.transaction():
        ours.insert("customers", {"number": "kept"})
        with pytest.raises(ApplicationError):
            insert_many_and_fail(store, 1)
    assert [row["number"] for row in ours.find("customers")] == ["kept"]


def test_a_rehearsal_is_never_kept() -> None:
    store = new_store()
    ours = store.records("a")
    with store.rehearsal():
        ours.insert("customers", {"number": "1"})
        assert ours.exists("customers", number="1")
    assert not ours.exists("customers", number="1")


def test_today_is_a_setting_that_stays_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.db"
    SandboxStore(path, today=date(2026, 6, 30)).close()
    store = SandboxStore(path, wall_clock=lambda: MOMENT)
    assert store.today() == date(2026, 6, 30)
    assert store.now() == datetime(2026, 6, 30, 10, 30, tzinfo=UTC)


def test_a_snapshot_brings_back_what_was(tmp_path: Path) -> None:
    store = new_store()
    ours = store.records("a")
    ours.insert("customers", {"number": "1"})
    store.snapshot(tmp_path / "saved.db")
    ours.insert("customers", {"number": "2"})
    store.restore(tmp_path / "saved.db")
    assert [row["number"] for row in ours.find("customers")] == ["1"]


def test_hooks_run_around_a_write_and_may_complete_it() -> None:
    behaviour = Behaviour()
    behaviour.tables("CREATE TABLE _log (company TEXT NOT NULL, number TEXT NOT NULL)")

    @behaviour.on_insert("customers")
    def number(_: Records, values: Row) -> Row:
        return {"number": "C00010", **values}

    @behaviour.after_insert("customers")
    def log(ours: Records, row: Row) -> None:
        ours.sql("INSERT INTO _log VALUES (?, ?)", (ours.company, str(row["number"])))

    ours = SandboxStore(behaviour=behaviour).records("a")
    assert behaviour.create(ours, "customers", {})["number"] == "C00010"
    assert ours.sql("SELECT * FROM _log") == [("a", "C00010")]


def test_a_computed_property_is_read_by_its_expression() -> None:
    behaviour = Behaviour()
    behaviour.tables("CREATE TABLE _stock (item TEXT NOT NULL, quantity INTEGER NOT NULL)")
    behaviour.computed(
        "items", "inventory", "(SELECT COALESCE(SUM(s.quantity), 0) FROM _stock s WHERE s.item = t.number)"
    )
    ours = SandboxStore(behaviour=behaviour).records("a")
    row = ours.insert("items", {"number": "1000"})
    ours.sql("INSERT INTO _stock VALUES ('1000', 250000)")
    found = ours.get("items", row["id"])
    assert found is not None
    assert found["inventory"] == Decimal("2.5")
    assert ours.find("items", inventory=Decimal("2.5")) == [found]


def test_an_action_without_behaviour_says_so() -> None:
    ours = records()
    with pytest.raises(SandboxError) as refused:
        Behaviour().act(ours, "salesInvoices", "post", {}, {})
    assert refused.value.code == "BadRequest_MethodNotImplemented"


def test_two_documents_may_carry_the_same_dimension() -> None:
    ours = records()
    for parent in ("document-a", "document-b"):
        ours.insert("dimensionSetLines", {"parentId": parent, "id": "department", "valueCode": parent})
    found = ours.get("dimensionSetLines", "document-b", "department")
    assert found is not None
    assert found["valueCode"] == "document-b"


def test_a_file_of_another_layout_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.db"
    behaviour = Behaviour()
    SandboxStore(path, behaviour=behaviour).close()
    SandboxStore(path, behaviour=behaviour).close()
    behaviour.tables("CREATE TABLE _more (company TEXT)")
    with pytest.raises(SandboxFileError, match="--reset"):
        SandboxStore(path, behaviour=behaviour)


def test_a_database_is_taken_back_from_its_bytes() -> None:
    store = new_store()
    store.records("a").insert("customers", {"number": "1"})
    other = new_store()
    other.load(store.dump())
    assert [row["number"] for row in other.records("a").find("customers")] == ["1"]
