"""The metadata document equals the facts: types, keys, lengths, navigation, actions and capabilities of every set."""

import json
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from batuta.sandbox.metadata import csdl_json, csdl_xml
from batuta.sandbox.schema import AUTOMATION, STANDARD
from tests.unit.sandbox.service import ROOT, ApiClient

EDM = "{http://docs.oasis-open.org/odata/ns/edm}"
FACTS: dict[str, Any] = json.loads((files("batuta.sandbox") / "data" / "entities.json").read_text())
ENTITIES = [each for each in FACTS["entities"] if each["route"] in (STANDARD, AUTOMATION)]
DOCUMENTS = {route: ET.fromstring(csdl_xml(route)) for route in (STANDARD, AUTOMATION)}


def type_of(entity: dict[str, Any]) -> ET.Element:
    found = [each for each in DOCUMENTS[entity["route"]].iter(f"{EDM}EntityType") if each.get("Name") == entity["name"]]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda each: each["set"])
def test_properties_have_the_types_and_lengths_of_the_facts(entity: dict[str, Any]) -> None:
    shown = {
        each.get("Name"): (each.get("Type"), each.get("MaxLength")) for each in type_of(entity).iter(f"{EDM}Property")
    }
    assert shown == {
        each["name"]: (each.get("type", "Edm.String"), str(each["maxLength"]) if "maxLength" in each else None)
        for each in entity["properties"]
    }


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda each: each["set"])
def test_keys_and_nullability_are_those_of_the_facts(entity: dict[str, Any]) -> None:
    found = type_of(entity)
    keys = [each.get("Name") for each in found.iter(f"{EDM}PropertyRef")]
    if "key" in entity:
        assert keys == entity["key"]
    required = {each.get("Name") for each in found.iter(f"{EDM}Property") if each.get("Nullable") == "false"}
    assert required == {each["name"] for each in entity["properties"] if each.get("nullable") is False} | set(keys)


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda each: each["set"])
def test_navigation_leads_where_the_facts_say(entity: dict[str, Any]) -> None:
    known = {each["name"] for each in FACTS["entities"]}
    shown = {each.get("Name"): each for each in type_of(entity).iter(f"{EDM}NavigationProperty")}
    expected = {each["name"]: each for each in entity["navigation"] if each["target"] in known}
    assert set(shown) == set(expected)
    for name, fact in expected.items():
        target = f"Microsoft.NAV.{fact['target']}"
        assert shown[name].get("Type") == (f"Collection({target})" if fact["multiplicity"] == "*" else target)
        assert (shown[name].get("ContainsTarget") == "true") == fact["contained"]
        assert shown[name].get("Partner") == fact.get("partner")
        constraints = shown[name].iter(f"{EDM}ReferentialConstraint")
        assert {each.get("Property"): each.get("ReferencedProperty") for each in constraints} == fact.get("on", {})


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda each: each["set"])
def test_actions_and_capabilities_are_those_of_the_facts(entity: dict[str, Any]) -> None:
    document = DOCUMENTS[entity["route"]]
    bound = {
        f"Microsoft.NAV.{action.get('Name')}"
        for action in document.iter(f"{EDM}Action")
        if action[0].get("Type") == f"Microsoft.NAV.{entity['name']}"
    }
    assert bound == {each["name"] for each in entity.get("actions", [])}
    sets = [each for each in document.iter(f"{EDM}EntitySet") if each.get("Name") == entity["set"]]
    allowed = {value.get("Property"): value.get("Bool") for value in sets[0].iter(f"{EDM}PropertyValue")}
    methods = {"Insertable": "POST", "Updatable": "PATCH", "Deletable": "DELETE"}
    assert allowed == {name: str(method in entity["methods"]).lower() for name, method in methods.items()}


@pytest.mark.parametrize("name", FACTS["enums"])
def test_enums_have_the_members_of_the_facts(name: str) -> None:
    found = [each for each in DOCUMENTS[STANDARD].iter(f"{EDM}EnumType") if each.get("Name") == name]
    found += [each for each in DOCUMENTS[AUTOMATION].iter(f"{EDM}EnumType") if each.get("Name") == name]
    assert found, "an enum that no property uses"
    shown = [(each.get("Name"), each.get("Value")) for each in found[0].iter(f"{EDM}Member")]
    assert shown == [(each["name"], str(each["value"])) for each in FACTS["enums"][name]]


@pytest.mark.parametrize("route", [STANDARD, AUTOMATION])
def test_the_json_form_says_the_same_as_the_xml_form(route: str) -> None:
    types = csdl_json(route)["Microsoft.NAV"]
    for found in DOCUMENTS[route].iter(f"{EDM}EntityType"):
        described = types[found.get("Name")]
        for each in found.iter(f"{EDM}Property"):
            shown = described[each.get("Name")]
            kind = shown.get("$Type", "Edm.String")
            assert (f"Collection({kind})" if shown.get("$Collection") else kind) == each.get("Type")
            assert str(shown.get("$MaxLength", "")) == each.get("MaxLength", "")
        navigation = {each.get("Name") for each in found.iter(f"{EDM}NavigationProperty")}
        assert navigation == {
            name
            for name, each in described.items()
            if isinstance(each, dict) and each.get("$Kind") == "NavigationProperty"
        }


def test_the_document_is_served_in_both_forms() -> None:
    client = ApiClient()
    xml = client.send("GET", f"{ROOT}/$metadata")
    assert (xml.headers["Content-Type"], xml.body[:5]) == ("application/xml", b"<?xml")
    assert client.get(f"{ROOT}/$metadata?$format=json")["$EntityContainer"] == "Microsoft.NAV.NAV"
    assert client.get(f"{ROOT}/$metadata", {"Accept": "application/json"})["$Version"] == "4.0"
