"""What holds for every set of the standard API: reading, filtering, write rules, lengths, enums, agreement."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from batuta.sandbox.quirks import DEFAULT_FILTERS
from batuta.sandbox.schema import STANDARD, EdmProperty, EntitySet, load_schema
from batuta.sandbox.values import Row, Value
from batuta.sandbox.write_rules import PAIRS
from tests.unit.sandbox.service import COMPANY, EVERY_ROW, ROOT, ApiClient

COMPUTED = {"apicategoryroutes", "entityDefinitions"}
SETS = [each for each in load_schema().route(STANDARD).values() if each.name not in COMPUTED]
WRITABLE = [each for each in SETS if "POST" in each.methods and each.name != "subscriptions"]
CHANGEABLE = [each for each in SETS if "PATCH" in each.methods and each.name != "subscriptions"]
READ_ONLY = [each for each in SETS if "POST" not in each.methods and each.is_in_company]
SAMPLES: dict[str, Value] = {
    "Edm.Guid": "0f0f0f0f-0000-4000-8000-00000000000a",
    "Edm.Decimal": Decimal("12.345"),
    "Edm.Int32": 7,
    "Edm.Int64": 7_000_000_000,
    "Edm.Boolean": True,
    "Edm.Date": date(2026, 2, 28),
    "Edm.DateTimeOffset": datetime(2026, 2, 28, 23, 59, 59, 123_000, tzinfo=UTC),
}


def sample(prop: EdmProperty) -> Value:
    if prop.enum is not None:
        return prop.enum.members[-1].name
    if prop.options:
        return prop.options[-1]
    if prop.type.startswith("Collection("):
        return "[]"
    return SAMPLES.get(prop.type, f"ñ'{prop.name}"[: prop.max_length])


def sample_row(entity: EntitySet) -> Row:
    name, value = DEFAULT_FILTERS.get(entity.name, ("", ""))
    return {**{each.name: sample(each) for each in entity.columns}, **({name: value} if name else {})}


def place_of(entity: EntitySet) -> str:
    return entity.name if entity.is_in_company else f"{ROOT}/{entity.name}"


def literal(prop: EdmProperty, value: Any) -> str:
    if prop.type == "Edm.String" or prop.enum is not None:
        return "'" + str(value).replace("'", "''") + "'"
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.fixture
def client() -> ApiClient:
    return ApiClient()


@pytest.mark.parametrize("entity", SETS, ids=lambda each: each.name)
def test_every_value_can_be_read_and_filtered_by(entity: EntitySet, client: ApiClient) -> None:
    records = client.store.records(COMPANY if entity.is_in_company else "")
    records.insert(entity.name, sample_row(entity))
    parent = entity.identity[0] if entity.rules else None
    required = {name for rule in entity.rules_of("filterRequired") for name in rule.fields}
    always = f"id eq {SAMPLES['Edm.Guid']} and " if "id" in required else ""
    if entity.rules_of("accessViaParent") and "parentId" in entity.properties:
        always = f"parentId eq {SAMPLES['Edm.Guid']} and "
    if entity.rules_of("accessViaParent") and "parentId" not in entity.properties:
        assert client.refusal("GET", place_of(entity))[0] == 400
        return
    shown: dict[str, Any] | None = None
    for prop in entity.columns:
        if prop.type.startswith("Collection("):
            continue
        value = shown[prop.name] if shown else None
        if shown is None:
            start = always.removesuffix(" and ") or f"{prop.name} ne null or {prop.name} eq null"
            rows = client.find(place_of(entity), start)
            shown = next(row for row in rows if row.get("name") != "ALPHA" and row.get("name") != "BETA")
            value = shown[prop.name]
        found = client.find(place_of(entity), f"{always}{prop.name} eq {literal(prop, value)}")
        assert found, (prop.name, value, parent)


@pytest.mark.parametrize("entity", READ_ONLY, ids=lambda each: each.name)
def test_a_read_only_set_takes_no_new_record(entity: EntitySet, client: ApiClient) -> None:
    assert client.refusal("POST", entity.name, {}) == (405, "BadRequest_MethodNotAllowed")


READ_ONLY_FIELDS = [
    (each, prop)
    for each in WRITABLE
    for prop in each.columns
    if prop.read_only and prop.name not in each.key and not prop.type.startswith("Collection(")
]


@pytest.mark.parametrize(("entity", "prop"), READ_ONLY_FIELDS, ids=lambda each: each.name)
def test_a_read_only_field_is_refused(entity: EntitySet, prop: EdmProperty, client: ApiClient) -> None:
    value = sample(prop)
    shown = value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else value
    body = {prop.name: float(shown) if isinstance(shown, Decimal) else shown}
    assert client.refusal("POST", place_of(entity), body) == (400, "BadRequest_InvalidOperation")


LENGTHS = [
    (each, prop)
    for each in WRITABLE
    for prop in each.columns
    if prop.max_length is not None and not prop.read_only and prop.enum is None and not prop.options
]


@pytest.mark.parametrize(("entity", "prop"), LENGTHS, ids=lambda each: each.name)
def test_a_text_that_is_too_long_is_refused(entity: EntitySet, prop: EdmProperty, client: ApiClient) -> None:
    body = {prop.name: "x" * ((prop.max_length or 0) + 1)}
    assert client.refusal("POST", place_of(entity), body) == (400, "Application_StringExceededLength")


ENUMS = [
    (each, prop)
    for each in WRITABLE
    for prop in each.columns
    if (prop.enum is not None or prop.options) and not prop.read_only
]


@pytest.mark.parametrize(("entity", "prop"), ENUMS, ids=lambda each: each.name)
def test_an_unknown_option_is_refused_and_the_known_are_listed(
    entity: EntitySet, prop: EdmProperty, client: ApiClient
) -> None:
    response = client.send("POST", place_of(entity), {prop.name: "Nonsense value"})
    names = prop.enum.names if prop.enum else prop.options
    assert (response.status, response.json()["error"]["code"]) == (400, "Unknown")
    assert all(name in response.json()["error"]["message"] for name in names)


@pytest.mark.parametrize("entity", CHANGEABLE, ids=lambda each: each.name)
def test_a_change_that_changes_nothing_still_needs_the_etag(entity: EntitySet, client: ApiClient) -> None:
    records = client.store.records(COMPANY if entity.is_in_company else "")
    row = records.insert(entity.name, {})
    key = row[entity.key[0]]
    place = f"{place_of(entity)}({key if entity.properties[entity.key[0]].type == 'Edm.Guid' else repr(key)})"
    assert client.refusal("PATCH", place, {}) == (400, "BadRequest_InvalidToken")
    if entity.identity == entity.key:
        assert client.send("PATCH", place, {}, EVERY_ROW).status == 200
        assert client.refusal("PATCH", place, {"nonsense": 1}, EVERY_ROW) == (400, "BadRequest")


AGREEING = [
    (each, pair)
    for each in WRITABLE
    for pair in PAIRS
    if pair.by_id in each.properties
    and pair.by_name in each.properties
    and not each.properties[pair.by_id].read_only
    and not each.properties[pair.by_name].read_only
    and (pair.sets is None or each.name in pair.sets)
]


@pytest.mark.parametrize(("entity", "pair"), AGREEING, ids=lambda each: getattr(each, "name", "") or str(each))
def test_identifier_and_number_have_to_agree(entity: EntitySet, pair: Any, client: ApiClient) -> None:
    first = client.records.insert(pair.target, {pair.name: "A"})
    client.records.insert(pair.target, {pair.name: "B"})
    body = {pair.by_id: first["id"], pair.by_name: "B"}
    response = client.send("POST", place_of(entity), body)
    assert (response.status, response.json()["error"]["code"]) == (400, "Application_DialogException")
    assert "do not agree" in response.json()["error"]["message"]
