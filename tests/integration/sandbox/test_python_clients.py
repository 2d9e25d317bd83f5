"""Clients that others have written, in Python: odatapy over every set, python-odata with its shim.

Each speaks to a real server over HTTP.
"""

import re
import uuid
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import httpx
import pytest
import requests
from odata import ODataService
from odata.flags import ODataServerFlags
from odatapy.client import EdmEnabledODataClient, HttpxTransport, ODataClientError
from odatapy.data import Entity

from batuta.sandbox.records import Records
from batuta.sandbox.schema import STANDARD, EntitySet, load_schema
from batuta.sandbox.serving import SandboxServer
from batuta.sandbox.values import Row
from tests.unit.sandbox.service import COMPANY, ApiClient
from tests.unit.sandbox.test_every_set import sample_row

ELSEWHERE = {"apicategoryroutes", "entityDefinitions", "companies", "subscriptions", "pictures"}
"""Answered by the platform, or read below a parent only: these have tests of their own."""
SETS = [each for each in load_schema().route(STANDARD).values() if each.name not in ELSEWHERE]
WRITABLE = [
    each for each in SETS if {"POST", "PATCH", "DELETE"} <= each.methods and each.identity == each.key == ("id",)
]
PARENT = "0f0f0f0f-0000-4000-8000-00000000000a"


@pytest.fixture(scope="module")
def sandbox() -> ApiClient:
    client = ApiClient()
    for name in ("customers", "vendors", "employees"):
        client.records.insert(name, {"number": "A"})
    return client


@pytest.fixture(scope="module")
def root(sandbox: ApiClient) -> Iterator[str]:
    with SandboxServer(sandbox.sandbox) as server:
        yield server.api_url


@pytest.fixture(scope="module")
def odatapy(root: str) -> Iterator[EdmEnabledODataClient]:
    with httpx.Client(timeout=30, trust_env=False) as http:
        client = EdmEnabledODataClient(root, HttpxTransport(http))
        client.get_edm()
        yield client


def value_of(entity: Entity, name: str) -> Any:
    found = entity.get_property(name)
    assert found is not None
    return found.value


def in_company(client: EdmEnabledODataClient, name: str) -> Any:
    return client.entity_set_uri(name).custom("company", COMPANY)


def rows_of(records: Records, entity: EntitySet, count: int) -> list[Row]:
    """A few records with every property set, each with a key of its own."""
    made = []
    for _ in range(count):
        row = sample_row(entity)
        for name in entity.key:
            prop = entity.properties[name]
            row[name] = str(uuid.uuid4()) if prop.type == "Edm.Guid" else uuid.uuid4().hex[: prop.max_length]
        made.append(records.insert(entity.name, row))
    return made


def a_key_of(entity: EntitySet) -> str:
    """A literal of the key's type that no record has."""
    return str(uuid.uuid4()) if entity.properties[entity.key[0]].type == "Edm.Guid" else "'none'"


def needs_filter(entity: EntitySet) -> str | None:
    """The filter without which Business Central does not list a set."""
    if entity.rules_of("accessViaParent"):
        return f"parentId eq {PARENT}"
    for rule in entity.rules_of("filterRequired"):
        names = [name for name in rule.fields if name != "id"] or ["lastModifiedDateTime"]
        if names[0] in entity.properties:
            return f"{names[0]} eq {PARENT}" if names[0].endswith("Id") else f"{names[0]} ge 2000-01-01T00:00:00Z"
        return f"{entity.key[0]} ne {uuid.uuid4()}"
    return None


@pytest.mark.parametrize("entity", SETS, ids=lambda each: each.name)
def test_odatapy_reads_filters_and_pages_every_set(
    entity: EntitySet, sandbox: ApiClient, odatapy: EdmEnabledODataClient
) -> None:
    records = sandbox.records if entity.is_in_company else sandbox.store.records("")
    stored = rows_of(records, entity, 5)
    uri = in_company(odatapy, entity.name)
    wanted = needs_filter(entity) or f"{entity.key[0]} ne {a_key_of(entity)}"
    uri = uri.filter(wanted)
    pages = [list(page.entities) for page in odatapy.iter_pages(uri, prefer="odata.maxpagesize=2")]
    found = [each for page in pages for each in page]
    keys = {str(value_of(each, entity.key[0])) for each in found}
    assert {str(row[entity.key[0]]) for row in stored} <= keys
    assert all(len(page) <= 2 for page in pages)
    assert len(found) == len(keys)
    for prop in entity.columns:
        if prop.type == "Edm.Decimal":
            assert any(value_of(each, prop.name) == Decimal("12.345") for each in found)


def body_for(entity: EntitySet) -> dict[str, Any]:
    """The least that a new record needs."""
    names = [name for rule in entity.rules_of("required") for name in rule.fields]
    body: dict[str, Any] = dict.fromkeys(names, "A")
    for rule in entity.rules_of("oneOfRequired"):
        number = next((name for name in rule.fields if name.endswith("Number")), None)
        if number:
            body[number] = "A"
    return body


def change_for(entity: EntitySet) -> tuple[str, Any]:
    """A property that may be changed on its own, and another value for it."""
    fixed = {name for rule in entity.rules for name in rule.fields} | set(entity.key)
    free = [
        prop
        for prop in entity.columns
        if not prop.read_only
        and not prop.options
        and prop.enum is None
        and prop.name not in fixed
        and not _REFERS.search(prop.name)
    ]
    for type_name, value in _CHANGES.items():
        for prop in free:
            if prop.type == type_name and (type_name != "Edm.String" or (prop.max_length or 2) >= len(value)):
                return prop.name, value
    for prop in entity.columns:
        if prop.enum is not None and not prop.read_only and prop.name not in fixed:
            return prop.name, prop.enum.names[-1]
    raise AssertionError(f"{entity.name} has nothing that can be changed: {[prop.name for prop in free]}")


_REFERS = re.compile(r"(Id|Code|Number|number|code)$")
_CHANGES: dict[str, Any] = {
    "Edm.String": "Zq",
    "Edm.Decimal": Decimal("7.5"),
    "Edm.Int32": 7,
    "Edm.Boolean": True,
    "Edm.Date": date(2026, 5, 6),
}


@pytest.mark.parametrize("entity", WRITABLE, ids=lambda each: each.name)
def test_odatapy_creates_changes_and_deletes_where_it_may(entity: EntitySet, odatapy: EdmEnabledODataClient) -> None:
    created = odatapy.create_entity(in_company(odatapy, entity.name), body_for(entity))
    key = value_of(created, "id")
    place = odatapy.entity_uri(entity.name, key).custom("company", COMPANY)
    name, value = change_for(entity)
    changed = odatapy.update_entity(place, {name: value}, etag=created.etag)
    assert changed.entity is not None
    assert changed.entity.etag != created.etag
    assert value_of(odatapy.get_entity(place), name) == value != value_of(created, name)
    with pytest.raises(ODataClientError) as refused:
        odatapy.update_entity(place, {name: value_of(created, name)}, etag=created.etag)
    assert refused.value.response.status_code == 409
    assert value_of(odatapy.get_entity(place), name) == value
    with pytest.raises(ODataClientError):
        odatapy.delete_entity(place, etag=created.etag)
    odatapy.delete_entity(place, etag=changed.entity.etag)
    with pytest.raises(ODataClientError) as gone:
        odatapy.get_entity(place)
    assert gone.value.response.status_code == 404


def test_odatapy_expands_counts_and_orders(odatapy: EdmEnabledODataClient) -> None:
    order = odatapy.create_entity(in_company(odatapy, "salesOrders"), {"customerNumber": "A"})
    key = value_of(order, "id")
    lines = odatapy.entity_uri("salesOrders", key).append_navigation_segment("salesOrderLines")
    for sequence in (1, 2, 3):
        odatapy.create_entity(
            lines.copy().custom("company", COMPANY), {"sequence": sequence, "quantity": Decimal("1.5")}
        )
    uri = in_company(odatapy, "salesOrders").filter(f"id eq {key}").expand("salesOrderLines", "customer").count()
    page = odatapy.get_entity_set(uri)
    assert page.count == 1
    assert odatapy.get_count(lines.copy().append_count_segment().custom("company", COMPANY)) == 3


@pytest.mark.parametrize("form", ["multipart", "json"])
def test_odatapy_sends_a_batch(odatapy: EdmEnabledODataClient, form: str) -> None:
    batch = odatapy.batch(format=form)
    batch.add_retrieve(in_company(odatapy, "customers"))
    changes = batch.add_changeset()
    changes.create(in_company(odatapy, "customers"), {"displayName": "First"})
    changes.create(in_company(odatapy, "customers"), {"displayName": "Second"})
    answer = odatapy.execute_batch(batch)
    assert [part.status_code for part in answer.responses] == [200, 201, 201]


FLAGS = ODataServerFlags(skip_null_properties=True)
"""Otherwise the client sends null for every property it knows nothing of, read-only ones included."""


class EnumsAsTexts(requests.Session):
    """The shim that python-odata needs for every Business Central: its enums cannot hold a member named `_x0020_`."""

    def request(self, method: Any, url: Any, *args: Any, **more: Any) -> requests.Response:
        more.setdefault("headers", {})
        more["headers"] = {**(more["headers"] or {}), "If-Match": "*"}
        mark = "&" if "?" in str(url) else "?"
        response = super().request(method, f"{url}{mark}company={COMPANY}", *args, **more)
        if str(url).endswith("$metadata/") or str(url).endswith("$metadata"):
            response._content = without_enums(response.text).encode()
        return response


def without_enums(text: str) -> str:
    for name in load_schema().enums:
        text = text.replace(f'Type="Microsoft.NAV.{name}"', 'Type="Edm.String"')
    return "\n".join(line for line in text.splitlines() if not line.startswith("<EnumType"))


def test_python_odata_works_with_its_shim(root: str) -> None:
    with EnumsAsTexts() as session:
        session.trust_env = False
        service = ODataService(root, session=session, reflect_entities=True, quiet_progress=True, server_flags=FLAGS)
        assert len(service.entities) >= 87
        customer_type = service.entities["customers"]
        customer = customer_type()
        customer.displayName = "Reflected"
        customer.number = "PO1"
        service.save(customer)
        found = service.query(customer_type).filter(customer_type.number == "PO1").limit(5).all()
        assert [each.displayName for each in found] == ["Reflected"]
        found[0].city = "Lugo"
        service.save(found[0])
        again = service.query(customer_type).filter(customer_type.number == "PO1").first()
        assert again.city == "Lugo"
        service.delete(again)
        assert list(service.query(customer_type).filter(customer_type.number == "PO1")) == []
