"""The metadata documents: `$metadata` as CSDL XML and CSDL JSON, and the service document; all from the schema."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from batuta.sandbox.schema import NAMESPACE, EdmProperty, EntitySet, NavigationProperty, SandboxSchema, load_schema

_COMPLEX_TYPES: Final[Mapping[str, Mapping[str, str]]] = {
    "entityMetadataLabel": {"languageCode": "Edm.Int32", "caption": "Edm.String"},
    "entityMetadataField": {"name": "Edm.String", "captions": f"Collection({NAMESPACE}.entityMetadataLabel)"},
    "entityMetadataAction": {"name": "Edm.String", "captions": f"Collection({NAMESPACE}.entityMetadataLabel)"},
    "entityMetadataEnumMember": {
        "name": "Edm.String",
        "value": "Edm.Int32",
        "captions": f"Collection({NAMESPACE}.entityMetadataLabel)",
    },
}
"""Types of `entityDefinitions`. The catalogue has their names only; the members are ours."""
_TERMS: Final = "Org.OData.Capabilities.V1"
_VOCABULARY: Final = f"https://docs.oasis-open.org/odata/odata-vocabularies/v4.0/vocabularies/{_TERMS}.xml"
_CAPABILITIES: Final = (
    ("InsertRestrictions", "Insertable", "POST"),
    ("UpdateRestrictions", "Updatable", "PATCH"),
    ("DeleteRestrictions", "Deletable", "DELETE"),
)


def service_document(schema: SandboxSchema, route: str, root: str) -> dict[str, Any]:
    """The entity sets of a route, with relative addresses."""
    listed = [{"name": name, "kind": "EntitySet", "url": name} for name in schema.route(route)]
    return {"@odata.context": f"{root}/$metadata", "value": listed}


@cache
def csdl_xml(route: str) -> str:
    """The schema of a route as an EDMX document."""
    schema = load_schema()
    sets = schema.route(route)
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">',
        f'<edmx:Reference Uri="{_VOCABULARY}"><edmx:Include Namespace="{_TERMS}"/></edmx:Reference>',
        "<edmx:DataServices>",
        f'<Schema Namespace="{NAMESPACE}" xmlns="http://docs.oasis-open.org/odata/ns/edm">',
        *(_enum_xml(schema, name) for name in _used_enums(sets)),
        *(_complex_xml(name) for name in _used_complex(sets)),
        *(_type_xml(each) for each in sets.values()),
        *(_action_xml(each, name) for each in sets.values() for name in each.actions),
        '<EntityContainer Name="NAV">',
        *(_set_xml(each) for each in sets.values()),
        "</EntityContainer>",
        "</Schema></edmx:DataServices></edmx:Edmx>",
    ]
    return "\n".join(parts)


@cache
def csdl_json(route: str) -> dict[str, Any]:
    """The same schema as CSDL JSON."""
    schema = load_schema()
    sets = schema.route(route)
    types: dict[str, Any] = {name: _enum_json(schema, name) for name in _used_enums(sets)}
    types.update((name, _complex_json(name)) for name in _used_complex(sets))
    types.update((each.type_name, _type_json(each)) for each in sets.values())
    for each in sets.values():
        for action in each.actions:
            types.setdefault(action, []).append(_action_json(each, action))
    container = {each.name: _set_json(each) for each in sets.values()}
    types["NAV"] = {"$Kind": "EntityContainer", **container}
    reference = {_VOCABULARY: {"$Include": [{"$Namespace": _TERMS}]}}
    container_name = f"{NAMESPACE}.NAV"
    return {"$Version": "4.0", "$EntityContainer": container_name, "$Reference": reference, NAMESPACE: types}


def _used_enums(sets: Mapping[str, EntitySet]) -> list[str]:
    return sorted({prop.enum.name for each in sets.values() for prop in each.properties.values() if prop.enum})


def _used_complex(sets: Mapping[str, EntitySet]) -> list[str]:
    return sorted(_COMPLEX_TYPES) if "entityDefinitions" in sets else []


def _enum_xml(schema: SandboxSchema, name: str) -> str:
    members = "".join(
        f'<Member Name={quoteattr(each.name)} Value="{each.value}"/>' for each in schema.enums[name].members
    )
    return f'<EnumType Name="{name}">{members}</EnumType>'


def _complex_xml(name: str) -> str:
    members = "".join(f'<Property Name="{each}" Type="{kind}"/>' for each, kind in _COMPLEX_TYPES[name].items())
    return f'<ComplexType Name="{name}">{members}</ComplexType>'


def _type_xml(entity: EntitySet) -> str:
    key = "".join(f'<PropertyRef Name="{name}"/>' for name in entity.key)
    properties = "\n".join(_property_xml(entity, each) for each in entity.properties.values())
    navigation = "\n".join(_navigation_xml(each) for each in entity.navigation.values())
    return f'<EntityType Name="{entity.type_name}">\n<Key>{key}</Key>\n{properties}\n{navigation}\n</EntityType>'


def _property_xml(entity: EntitySet, prop: EdmProperty) -> str:
    extra = "" if _is_nullable(entity, prop) else ' Nullable="false"'
    if prop.max_length is not None:
        extra += f' MaxLength="{prop.max_length}"'
    if prop.type == "Edm.Decimal":
        extra += ' Scale="Variable"'
    return f'<Property Name="{prop.name}" Type="{prop.type}"{extra}/>'


def _is_nullable(entity: EntitySet, prop: EdmProperty) -> bool:
    return prop.nullable and prop.name not in entity.key


def _navigation_xml(way: NavigationProperty) -> str:
    partner = f' Partner="{way.partner}"' if way.partner else ""
    contained = ' ContainsTarget="true"' if way.is_contained else ""
    constraints = "".join(
        f'<ReferentialConstraint Property="{own}" ReferencedProperty="{theirs}"/>' for own, theirs in way.on.items()
    )
    opening = f'<NavigationProperty Name="{way.name}" Type="{_target(way)}"{partner}{contained}'
    return f"{opening}>{constraints}</NavigationProperty>" if constraints else f"{opening}/>"


def _target(way: NavigationProperty) -> str:
    name = f"{NAMESPACE}.{load_schema().set(way.target).type_name}"
    return f"Collection({name})" if way.is_many else name


def _action_xml(entity: EntitySet, name: str) -> str:
    bound = f'<Parameter Name="bindingParameter" Type="{NAMESPACE}.{entity.type_name}"/>'
    more = "".join(
        f'<Parameter Name="{each}" Type="{_parameter_type(kind)}"/>'
        for each, kind in entity.actions[name].parameters.items()
    )
    return f'<Action Name="{name}" IsBound="true">{bound}{more}</Action>'


def _parameter_type(kind: str) -> str:
    return {"DateTime": "Edm.DateTimeOffset"}.get(kind, f"Edm.{kind}")


def _set_xml(entity: EntitySet) -> str:
    bindings = "".join(f'<NavigationPropertyBinding Path="{a}" Target="{b}"/>' for a, b in _bindings(entity))
    capabilities = "".join(
        f'<Annotation Term="{_TERMS}.{term}"><Record><PropertyValue Property="{name}" '
        f'Bool="{str(method in entity.methods).lower()}"/></Record></Annotation>'
        for term, name, method in _CAPABILITIES
    )
    kind = f"{NAMESPACE}.{entity.type_name}"
    return f'<EntitySet Name="{entity.name}" EntityType="{kind}">{bindings}{capabilities}</EntitySet>'


def _bindings(entity: EntitySet) -> Iterable[tuple[str, str]]:
    return ((each.name, each.target) for each in entity.navigation.values() if not each.is_contained)


def _enum_json(schema: SandboxSchema, name: str) -> dict[str, Any]:
    return {"$Kind": "EnumType", **{each.name: each.value for each in schema.enums[name].members}}


def _complex_json(name: str) -> dict[str, Any]:
    return {"$Kind": "ComplexType", **{each: _type_of(kind, True) for each, kind in _COMPLEX_TYPES[name].items()}}


def _type_of(kind: str, is_nullable: bool) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if kind.startswith("Collection("):
        made["$Collection"] = True
        kind = kind[len("Collection(") : -1]
        is_nullable = False
    if kind != "Edm.String":
        made["$Type"] = kind
    if is_nullable:
        made["$Nullable"] = True
    return made


def _type_json(entity: EntitySet) -> dict[str, Any]:
    made: dict[str, Any] = {"$Kind": "EntityType", "$Key": list(entity.key)}
    for prop in entity.properties.values():
        described = _type_of(prop.type, _is_nullable(entity, prop))
        if prop.max_length is not None:
            described["$MaxLength"] = prop.max_length
        if prop.type == "Edm.Decimal":
            described["$Scale"] = "variable"
        made[prop.name] = described
    made.update((way.name, _navigation_json(way)) for way in entity.navigation.values())
    return made


def _navigation_json(way: NavigationProperty) -> dict[str, Any]:
    made: dict[str, Any] = {"$Kind": "NavigationProperty", **_type_of(_target(way), not way.is_many)}
    if way.partner:
        made["$Partner"] = way.partner
    if way.is_contained:
        made["$ContainsTarget"] = True
    if way.on:
        made["$ReferentialConstraint"] = dict(way.on)
    return made


def _action_json(entity: EntitySet, name: str) -> dict[str, Any]:
    bound = {"$Name": "bindingParameter", "$Type": f"{NAMESPACE}.{entity.type_name}", "$Nullable": True}
    more = [
        {"$Name": each, **_type_of(_parameter_type(kind), True)}
        for each, kind in entity.actions[name].parameters.items()
    ]
    return {"$Kind": "Action", "$IsBound": True, "$Parameter": [bound, *more]}


def _set_json(entity: EntitySet) -> dict[str, Any]:
    made: dict[str, Any] = {"$Collection": True, "$Type": f"{NAMESPACE}.{entity.type_name}"}
    bindings = dict(_bindings(entity))
    if bindings:
        made["$NavigationPropertyBinding"] = bindings
    for term, name, method in _CAPABILITIES:
        made[f"@{_TERMS}.{term}"] = {name: method in entity.methods}
    return made
