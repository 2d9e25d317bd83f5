"""What a service says of itself in `$metadata`: entity sets, their keys, properties, navigation and actions.

Read with a pull parser that stops at the size and depth it was given: the document comes from outside.
"""

import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from batuta.kernel.errors import ConnectorRejectedError

MAX_METADATA_CHARS = 30_000_000
MAX_DEPTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyType:
    """One property of an entity."""

    name: str
    type: str
    """`Edm.String`, or the name of an enum type."""
    max_length: int | None = None
    is_read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationTarget:
    """Where a navigation property leads."""

    name: str
    entity_set: str
    is_collection: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityType:
    """The records of one entity set."""

    entity_set: str
    name: str
    key: tuple[str, ...]
    properties: Mapping[str, PropertyType]
    navigation: Mapping[str, NavigationTarget] = field(default_factory=dict)
    actions: tuple[str, ...] = ()
    is_insertable: bool = True
    is_updatable: bool = True
    is_deletable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceMetadata:
    """Everything a service offers."""

    entities: Mapping[str, EntityType]
    """By entity set."""
    enums: Mapping[str, tuple[str, ...]]


def parse_metadata(text: str) -> ServiceMetadata:
    """Read a CSDL document. Raises `ConnectorRejectedError` for one that is none."""
    if len(text) > MAX_METADATA_CHARS:
        raise ConnectorRejectedError(f"the metadata has {len(text)} characters, more than {MAX_METADATA_CHARS}")
    try:
        root = _bounded_tree(text)
    except ET.ParseError as error:
        raise ConnectorRejectedError(f"the metadata is no XML: {error}") from error
    sets: dict[str, str] = {}
    types: dict[str, EntityType] = {}
    enums: dict[str, tuple[str, ...]] = {}
    actions: dict[str, list[str]] = {}
    for schema in _named(root, "Schema"):
        namespace = schema.get("Namespace", "")
        for node in schema:
            kind = _tag(node)
            name = f"{namespace}.{node.get('Name', '')}"
            if kind == "EntityType":
                types[name] = _entity_type(node)
            elif kind == "EnumType":
                enums[name] = tuple(member.get("Name", "") for member in _named(node, "Member"))
            elif kind == "Action" and node.get("IsBound") == "true":
                bound = next(_named(node, "Parameter"), None)
                if bound is not None:
                    actions.setdefault(bound.get("Type", ""), []).append(name)
            elif kind == "EntityContainer":
                sets |= {one.get("Name", ""): one.get("EntityType", "") for one in _named(node, "EntitySet")}
    return ServiceMetadata(entities=_by_set(sets, types, actions), enums=enums)


def _by_set(
    sets: Mapping[str, str], types: Mapping[str, EntityType], actions: Mapping[str, list[str]]
) -> dict[str, EntityType]:
    set_of_type: dict[str, str] = {}
    for name, type_name in sets.items():
        set_of_type.setdefault(type_name, name)
    found = {}
    for name, type_name in sets.items():
        if type_name not in types:
            continue
        entity = types[type_name]
        navigation = {
            one.name: replace(one, entity_set=set_of_type[one.entity_set])
            for one in entity.navigation.values()
            if one.entity_set in set_of_type
        }
        found[name] = replace(
            entity, entity_set=name, navigation=navigation, actions=tuple(sorted(actions.get(type_name, ())))
        )
    return found


def _entity_type(node: ET.Element) -> EntityType:
    properties = {
        one.get("Name", ""): PropertyType(
            name=one.get("Name", ""),
            type=one.get("Type", "Edm.String"),
            max_length=_number(one.get("MaxLength")),
            is_read_only=_is_read_only(one),
        )
        for one in _named(node, "Property")
    }
    navigation = {}
    for one in _named(node, "NavigationProperty"):
        type_name = one.get("Type", "")
        is_collection = type_name.startswith("Collection(")
        target = type_name.removeprefix("Collection(").removesuffix(")")
        name = one.get("Name", "")
        navigation[name] = NavigationTarget(name=name, entity_set=target, is_collection=is_collection)
    key = next(_named(node, "Key"), None)
    return EntityType(
        entity_set="",
        name=node.get("Name", ""),
        key=() if key is None else tuple(ref.get("Name", "") for ref in _named(key, "PropertyRef")),
        properties=properties,
        navigation=navigation,
    )


def _is_read_only(node: ET.Element) -> bool:
    """By the annotations that name it: Computed and Permissions Read."""
    for annotation in _named(node, "Annotation"):
        term = annotation.get("Term", "")
        if term.endswith("Core.V1.Computed"):
            return annotation.get("Bool", "true") == "true"
        if term.endswith("Core.V1.Permissions"):
            return annotation.get("EnumMember", "").endswith("/Read")
    return False


def _bounded_tree(text: str) -> ET.Element:
    depth = 0
    root: ET.Element | None = None
    for event, node in ET.iterparse(io.StringIO(text), events=("start", "end")):  # noqa: S314 - bounded, see above
        root = node if root is None else root
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise ConnectorRejectedError(f"the metadata is nested deeper than {MAX_DEPTH} levels")
    if root is None:
        raise ET.ParseError("no element found")
    return root


def _named(node: ET.Element, name: str) -> Iterator[ET.Element]:
    """Elements of a local name below a node: children, and for the schemas those of the data services too."""
    for child in node:
        if _tag(child) == name:
            yield child
        elif _tag(child) == "DataServices":
            yield from _named(child, name)


def _tag(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2]


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None
