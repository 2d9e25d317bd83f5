"""The schema is the catalogue of facts, typed."""

import pytest

from batuta.sandbox.schema import STANDARD, EntitySet, load_schema


def test_the_standard_route_has_the_sets_of_the_catalogue() -> None:
    assert len(load_schema().route(STANDARD)) == 150
    assert sum("metadata" in each.seen for each in load_schema().sets.values()) == 87


def test_a_property_knows_its_type_length_and_enum() -> None:
    customers = load_schema().set("customers")
    assert customers.properties["displayName"].max_length == 100
    blocked = customers.properties["blocked"].enum
    assert blocked is not None
    assert blocked.names[0] == "_x0020_"
    assert customers.properties["id"].read_only


def test_navigation_leads_from_one_set_to_another() -> None:
    lines = load_schema().set("salesOrders").navigation["salesOrderLines"]
    assert (lines.target, lines.is_many, dict(lines.on)) == ("salesOrderLines", True, {"id": "documentId"})


def test_actions_are_named_without_their_namespace() -> None:
    assert list(load_schema().set("salesOrders").actions) == ["shipAndInvoice"]


@pytest.mark.parametrize("entity", load_schema().sets.values(), ids=lambda each: each.name)
def test_every_set_stands_on_its_own_facts(entity: EntitySet) -> None:
    """Its key exists, its navigation leads to sets that exist, over properties that exist on both sides."""
    schema = load_schema()
    assert set(entity.key) <= entity.properties.keys()
    for each in entity.navigation.values():
        assert set(each.on) <= entity.properties.keys()
        assert set(each.on.values()) <= schema.set(each.target).properties.keys()


def test_a_link_that_the_metadata_leaves_out_is_read_from_the_names() -> None:
    schema = load_schema()
    assert dict(schema.set("salesOrders").navigation["pdfDocument"].link) == {"id": "parentId"}
    assert dict(schema.set("transferOrders").navigation["transferOrderLines"].link) == {"number": "documentNumber"}
    assert dict(schema.set("itemVariants").navigation["picture"].link) == {"id": "id"}
