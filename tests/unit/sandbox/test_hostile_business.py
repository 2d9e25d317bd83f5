"""Requests that are well formed and make no sense: the business refuses them, nothing fails, and the books hold.

`make fuzz` sends 20,000 (BATUTA_REQUESTS).
"""

import json
import os
import random
from typing import Any

import pytest

from batuta.sandbox.limits import RequestLimits
from batuta.sandbox.opening import open_sandbox
from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.schema import STANDARD, EdmProperty, EntitySet
from batuta.sandbox.service import Sandbox, SandboxSettings
from tests.unit.sandbox.business.books_check import check_books

COUNT = int(os.environ.get("BATUTA_REQUESTS", "500"))
NUMBERS = [0, 1, -1, 0.00001, -0.5, 3, 99999999999.99999, -99999999999, 92233720368547, 1e-9, 12.345678]
DATES = ["0001-01-01", "9999-12-31", "2026-02-28", "1753-01-01", "2026-09-30"]
TIMES = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-02-28T10:00:00+14:00"]
TEXTS = ["", " ", "10000", "EUR", "USD", "1000", "GENERAL", "PCS", "30D", "x" * 20, "'", "🙂", "\t", "DEFAULT", "2310"]
INTEGERS = [0, 1, -1, 10000, 2**31 - 1, -(2**31)]


class NonsenseMaker:
    """Writes to the demo company whatever the types allow."""

    def __init__(self, sandbox: Sandbox, seed: int) -> None:
        self._sandbox = sandbox
        self._random = random.Random(seed)
        self._company = str(sandbox.store.records("").find("companies")[0]["id"])
        self._sets = [
            each
            for each in sandbox.store.schema.route(STANDARD).values()
            if each.is_in_company and (each.methods - {"GET"} or each.name in sandbox.behaviour.reports)
        ]

    def send(self) -> tuple[str, SandboxResponse]:
        entity = self._random.choice(self._sets)
        method, path, body = self._random.choice([self._create, self._change, self._remove, self._act, self._read])(
            entity
        )
        headers = {"If-Match": "*", **({"X-Sandbox-Preview": "true"} if self._random.random() < 0.1 else {})}
        raw = b"" if body is None else json.dumps(body).encode()
        url = f"/api/v2.0/companies({self._company})/{path}"
        return f"{method} {path} {body}", self._sandbox.handle(SandboxRequest.of(method, url, headers, raw))

    def _create(self, entity: EntitySet) -> tuple[str, str, Any]:
        body = self._body(entity)
        children = [way for way in entity.navigation.values() if way.is_contained and way.is_many and way.link]
        if children and self._random.random() < 0.5:
            way = self._random.choice(children)
            target = self._sandbox.store.schema.set(way.target)
            body[way.name] = [self._body(target) for _ in range(self._random.randint(0, 3))]
        return "POST", entity.name, body

    def _change(self, entity: EntitySet) -> tuple[str, str, Any]:
        return "PATCH", self._place(entity), self._body(entity)

    def _remove(self, entity: EntitySet) -> tuple[str, str, Any]:
        return "DELETE", self._place(entity), None

    def _act(self, entity: EntitySet) -> tuple[str, str, Any]:
        if not entity.actions:
            return self._create(entity)
        return "POST", f"{self._place(entity)}/Microsoft.NAV.{self._random.choice([*entity.actions])}", None

    def _read(self, entity: EntitySet) -> tuple[str, str, Any]:
        prop = self._random.choice(entity.columns)
        shown = (
            f"{prop.name}%20ge%20{self._random.choice(DATES)}"
            if prop.type == "Edm.Date"
            else f"{prop.name}%20eq%20null"
        )
        ways = [way.name for way in entity.navigation.values() if way.link][:3]
        expand = f"&$expand={','.join(ways)}" if ways and self._random.random() < 0.5 else ""
        return "GET", f"{entity.name}?$filter={shown}{expand}&$top=20&$count=true", None

    def _place(self, entity: EntitySet) -> str:
        return f"{entity.name}({self._id_in(entity.name)})"

    def _id_in(self, set_name: str) -> str:
        key = self._sandbox.store.schema.set(set_name).key[0]
        records = self._sandbox.store.records(self._company)
        count = records.sql(f'SELECT COUNT(*) FROM "{set_name}" WHERE company = ?', (self._company,))[0][0]
        chosen = self._random.randrange(max(count, 1))
        found = records.sql(
            f'SELECT "{key}" FROM "{set_name}" WHERE company = ? ORDER BY rowid LIMIT 1 OFFSET ?',
            (self._company, chosen),
        )
        return str(found[0][0]) if found else "00000000-0000-4000-8000-000000000001"

    def _body(self, entity: EntitySet) -> dict[str, Any]:
        writable = [each for each in entity.columns if not each.read_only and each.name not in entity.key]
        chosen = self._random.sample(writable, min(len(writable), self._random.randint(0, 6)))
        needed = {name for rule in entity.rules_of("required") for name in rule.fields}
        wanted = [*chosen, *(entity.properties[name] for name in needed)]
        return {each.name: self._value(entity, each) for each in wanted}

    def _value(self, entity: EntitySet, prop: EdmProperty) -> Any:
        leads_to = [way.target for way in entity.navigation.values() if prop.name in way.link and not way.is_many]
        if leads_to and prop.type == "Edm.Guid":
            return self._id_in(self._random.choice(leads_to))
        if prop.enum is not None:
            return self._random.choice(prop.enum.names)
        if prop.options:
            return self._random.choice(prop.options)
        choices: dict[str, list[Any]] = {
            "Edm.Decimal": NUMBERS,
            "Edm.Int32": INTEGERS,
            "Edm.Int64": INTEGERS,
            "Edm.Boolean": [True, False],
            "Edm.Date": DATES,
            "Edm.DateTimeOffset": TIMES,
            "Edm.Guid": ["00000000-0000-0000-0000-000000000000", self._company],
        }
        return self._random.choice(choices.get(prop.type, [text[: prop.max_length] for text in TEXTS]))


@pytest.mark.timeout(3600)
def test_nonsense_is_refused_and_the_books_hold() -> None:
    sandbox = open_sandbox(settings=SandboxSettings(limits=RequestLimits(requests=10**9)))
    maker = NonsenseMaker(sandbox, 11)
    statuses: dict[int, int] = {}
    for number in range(COUNT):
        sent, response = maker.send()
        statuses[response.status] = statuses.get(response.status, 0) + 1
        assert response.status < 500, (number, sent, response.body)
    assert statuses.get(201, 0) > COUNT / 50, statuses
    assert 429 not in statuses
    for company in sandbox.store.records("").find("companies"):
        check_books(sandbox.store.records(str(company["id"])))
