"""Sets that the platform itself answers: routes, definitions of entities, companies of the automation API.

behaviour = with_platform_sets(Behaviour())
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from batuta.sandbox.behaviour import Behaviour, FlowFilter
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.records import Records
from batuta.sandbox.schema import AUTOMATION, STANDARD, EntitySet
from batuta.sandbox.values import Row

_ENGLISH: Final = 1033
_SELF: Final = "5a4db0c5-0000-4000-8000-000000000001"
_ROUTES: Final = ((STANDARD, "", "", "v2.0"), (AUTOMATION, "microsoft", "automation", "v2.0"))


def with_platform_sets(behaviour: Behaviour) -> Behaviour:
    """Add the sets of the platform to a behaviour; the same behaviour, for chaining."""
    behaviour.report("apicategoryroutes")(_routes)
    behaviour.report("entityDefinitions")(_definitions)
    behaviour.report("automationCompanies")(_automation_companies)
    behaviour.report("extensions")(_extensions)
    behaviour.report("users")(_users)
    behaviour.on_insert("automationCompanies")(_create_company)
    return behaviour


def _routes(_: Records, __: Mapping[str, FlowFilter]) -> Iterable[Row]:
    for route, publisher, group, version in _ROUTES:
        yield {"route": route, "publisher": publisher, "group": group, "version": version}


def _definitions(records: Records, _: Mapping[str, FlowFilter]) -> Iterable[Row]:
    """Captions are made from the names, in English only."""
    return [_definition(each) for each in records.store.schema.route(STANDARD).values()]


def _definition(entity: EntitySet) -> Row:
    enums = {prop.enum.name: prop.enum for prop in entity.properties.values() if prop.enum}
    members = [member for enum in enums.values() for member in enum.members]
    return {
        "entityName": entity.type_name,
        "entitySetName": entity.name,
        "entityCaptions": json.dumps(_captions(entity.type_name)),
        "entitySetCaptions": json.dumps(_captions(entity.name)),
        "properties": json.dumps([{"name": name, "captions": _captions(name)} for name in entity.properties]),
        "actions": json.dumps([{"name": name, "captions": _captions(name)} for name in entity.actions]),
        "enumMembers": json.dumps(
            [{"name": each.name, "value": each.value, "captions": [_label(each.label)]} for each in members]
        ),
    }


def _captions(name: str) -> list[dict[str, str | int]]:
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return [_label(words[:1].upper() + words[1:])]


def _label(text: str) -> dict[str, str | int]:
    return {"languageCode": _ENGLISH, "caption": text}


def _automation_companies(records: Records, _: Mapping[str, FlowFilter]) -> Iterable[Row]:
    for company in records.store.records("").find("companies"):
        shared = {name: company[name] for name in ("id", "name", "displayName", "businessProfileId")}
        yield {**shared, "evaluationCompany": True}


def _extensions(records: Records, _: Mapping[str, FlowFilter]) -> Iterable[Row]:
    """One extension, which stands for the sandbox itself."""
    shared: Row = {"displayName": "Batuta Sandbox", "publisher": "Batuta", "versionMajor": 1, "isInstalled": True}
    yield {"packageId": _SELF, "id": _SELF, **shared, "publishedAs": "Global"}


def _users(records: Records, _: Mapping[str, FlowFilter]) -> Iterable[Row]:
    yield {"userSecurityId": _SELF, "userName": "SANDBOX", "displayName": "Sandbox", "state": "Enabled"}


def _create_company(_: Records, __: Row) -> Row:
    raise ApplicationError("Companies of this sandbox are made by its demo data, not through the API.")
