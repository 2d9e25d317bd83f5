"""Any OData service by its metadata alone: keys of every kind, actions, what annotations forbid (A-4)."""

from collections.abc import Mapping

import pytest

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measures.model import NO_MEASURES
from batuta.agents.erp.reading import reading_tools
from batuta.connectors.business_central.catalogue import EntityCatalogue
from batuta.connectors.erp import RecordChange, RecordQuery
from batuta.connectors.http import InProcessTransport
from batuta.connectors.odata.connector import ONLY_COMPANY, ODataConnector, ODataConnectorSettings
from batuta.connectors.odata.filters import Compare
from batuta.connectors.odata.keys import key_predicate, key_text
from batuta.connectors.odata.metadata import parse_metadata
from batuta.kernel.errors import AccessDeniedError, ConfigurationError
from batuta.sandbox.demo import DEMO_TODAY
from batuta.testing.clock import FakeClock
from batuta.tools.context import ToolContext
from tests.unit.connectors.shop_service import METADATA, ShopService

ENTITIES = parse_metadata(METADATA).entities


@pytest.fixture
def shop() -> ShopService:
    return ShopService()


@pytest.fixture
def connector(shop: ShopService) -> ODataConnector:
    settings = ODataConnectorSettings(root="http://shop.local/shop")
    return ODataConnector(settings, InProcessTransport(shop.handle), clock=FakeClock())


@pytest.mark.parametrize(
    ("entity", "row", "text", "predicate"),
    [
        ("Products", {"Nr": 7}, "7", "(7)"),
        ("Labels", {"Text": "it's / 1"}, "it's / 1", "('it''s%20%2F%201')"),
        ("Lines", {"ProductNr": 1, "Lot": "A,1's"}, "ProductNr=1,Lot='A,1''s'", "(ProductNr=1,Lot='A,1''s')"),
    ],
)
def test_a_key_of_any_type_becomes_an_address(
    entity: str, row: Mapping[str, object], text: str, predicate: str
) -> None:
    assert key_text(ENTITIES[entity], row) == text
    assert key_predicate(ENTITIES[entity], text) == predicate


@pytest.mark.parametrize("text", ["1", "ProductNr=1", "ProductNr=1,Lot='a',X=2", "ProductNr=1,ProductNr=2", "Lot='a"])
def test_a_text_that_is_no_composite_key_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="ProductNr=…,Lot=…"):
        key_predicate(ENTITIES["Lines"], text)


def test_types_inherit_keys_and_actions_and_resolve_aliases() -> None:
    product = ENTITIES["Products"]
    assert (product.key, product.actions) == (("Nr",), ("Shop.Model.Discontinue",))
    assert product.properties["Mood"].type == "Shop.Model.Mood"
    assert product.navigation["Lines"].entity_set == "Lines"


async def test_a_record_with_a_key_of_two_parts_is_read(connector: ODataConnector) -> None:
    pages = connector.pages(ONLY_COMPANY, RecordQuery(entity="Lines", select=("Pieces",)))
    first = (await anext(pages)).records[0]
    found = await connector.get(ONLY_COMPANY, "Lines", first.id)
    assert found.values == {"ProductNr": 1, "Lot": "A,1's", "Pieces": 1}


@pytest.mark.parametrize("kind", ["create", "update", "delete"])
async def test_what_annotations_forbid_is_not_sent(connector: ODataConnector, shop: ShopService, kind: str) -> None:
    """A-4: write where annotations allow."""
    change = RecordChange(kind=kind, entity="Lines", record_id="ProductNr=1,Lot='A,1''s'", etag="x")  # type: ignore[arg-type]
    with pytest.raises(AccessDeniedError, match=f"does not allow to {kind} Lines"):
        await connector.write(ONLY_COMPANY, change)
    assert {method for method, _ in shop.requests} == {"GET"}


async def test_an_action_is_called_by_its_full_name(connector: ODataConnector) -> None:
    change = RecordChange(kind="action", entity="Products", record_id="3", action="Discontinue")
    done = await connector.write(ONLY_COMPANY, change)
    assert done is not None
    assert done.values["Title"] == "Thing 3 O'Neil (discontinued)"


async def test_an_action_that_there_is_not_names_those_there_are(connector: ODataConnector) -> None:
    change = RecordChange(kind="action", entity="Products", record_id="3", action="post")
    with pytest.raises(ConfigurationError, match="it has: Discontinue"):
        await connector.write(ONLY_COMPANY, change)


async def test_a_filter_is_written_as_the_type_of_its_field_wants(connector: ODataConnector, shop: ShopService) -> None:
    """An enum carries its type; a text that looks like a GUID or a number stays a text."""
    assert await connector.count(ONLY_COMPANY, "Products", Compare("Mood", "eq", "Calm")) == 7
    assert "Mood%20eq%20Shop.Model.Mood'Calm'" in shop.requests[-1][1]
    guid = "5d115c9c-44e3-ea11-bb43-000d3a2feea1"
    assert await connector.count(ONLY_COMPANY, "Products", Compare("Sku", "eq", guid)) == 0
    assert f"Sku%20eq%20'{guid}'" in shop.requests[-1][1]


async def test_an_agent_reads_a_service_of_which_only_the_metadata_is_known(connector: ODataConnector) -> None:
    """The catalogue is what the service says; rows lead to their records, also by keys of several parts."""
    access = ErpAccess(
        connector=connector, today=lambda: DEMO_TODAY, catalogue=EntityCatalogue((), {}, {}), measures=NO_MEASURES
    )
    await access.refresh_catalogue()
    await access.learn_names()
    assert access.catalogue.entity("Lines").methods == ("GET",)
    read_records, find_record = reading_tools(access)
    lines = await read_records.call(ToolContext(), entity="Lines")
    assert lines.provenance.connector == "odata"
    assert lines.references[0].key == "ProductNr=1,Lot='A,1''s'"
    assert (await find_record.call(ToolContext(), entity="Products", which="5"))["record_id"] == "5"
    assert (await find_record.call(ToolContext(), entity="Products", which="thing 2"))["record_id"] == "2"
    assert access.catalogue.search("products")[0].entity.entity_set == "Products"
