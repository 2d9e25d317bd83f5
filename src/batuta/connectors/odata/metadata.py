"""What a service says of itself in `$metadata`: entity sets, their keys, properties, navigation and actions.

Read with a pull parser that stops at the size and depth it was given: the document comes from outside.
"""

import io
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
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
    schemas = _Schemas(full=_alias_resolver(root))
    for schema in _named(root, "Schema"):
        for node in schema:
            schemas.add(schema.get("Namespace", ""), node)
    return schemas.metadata()


@dataclass(slots=True, kw_only=True)
class _Schemas:
    """What was found in the schemas of a document so far, by full names."""

    full: Callable[[str], str]
    sets: dict[str, str] = field(default_factory=dict)
    types: dict[str, EntityType] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    actions: dict[str, list[str]] = field(default_factory=dict)
    restrictions: dict[str, dict[str, bool]] = field(default_factory=dict)

    def add(self, namespace: str, node: ET.Element) -> None:
        name = f"{namespace}.{node.get('Name', '')}"
        match _tag(node):
            case "EntityType":
                self.types[name] = _entity_type(node, self.full)
                self.bases[name] = self.full(node.get("BaseType", ""))
            case "EnumType":
                self.enums[name] = tuple(member.get("Name", "") for member in _named(node, "Member"))
            case "Action" if node.get("IsBound") == "true":
                for bound in list(_named(node, "Parameter"))[:1]:
                    self.actions.setdefault(self.full(bound.get("Type", "")), []).append(name)
            case "EntityContainer":
                for one in _named(node, "EntitySet"):
                    self.sets[one.get("Name", "")] = self.full(one.get("EntityType", ""))
                    self._restrict(one.get("Name", ""), one)
            case "Annotations":
                self._restrict(node.get("Target", "").rpartition("/")[2], node)

    def metadata(self) -> ServiceMetadata:
        inherited = {name: _with_bases(name, self.types, self.bases) for name in self.types}
        offered = {
            name: [one for base in _lineage(name, self.bases) for one in self.actions.get(base, ())]
            for name in self.types
        }
        entities = {}
        for name, entity in _by_set(self.sets, inherited, offered).items():
            allows = self.restrictions.get(name, {})
            entities[name] = replace(
                entity,
                is_insertable=allows.get("Insertable", True),
                is_updatable=allows.get("Updatable", True),
                is_deletable=allows.get("Deletable", True),
            )
        return ServiceMetadata(entities=entities, enums=self.enums)

    def _restrict(self, set_name: str, node: ET.Element) -> None:
        self.restrictions.setdefault(set_name, {}).update(_restrictions(node))


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


def _lineage(name: str, bases: Mapping[str, str]) -> list[str]:
    """A type and those it is derived from, itself first. A ring of types ends where it began."""
    line: list[str] = []
    while name and name in bases and name not in line:
        line.append(name)
        name = bases[name]
    return line


def _with_bases(name: str, types: Mapping[str, EntityType], bases: Mapping[str, str]) -> EntityType:
    """A type with what it inherits: key, properties and navigation."""
    line = [types[one] for one in reversed(_lineage(name, bases))]
    return replace(
        types[name],
        key=next((one.key for one in line if one.key), ()),
        properties={key: value for one in line for key, value in one.properties.items()},
        navigation={key: value for one in line for key, value in one.navigation.items()},
    )


_RESTRICTIONS = {
    "InsertRestrictions": "Insertable",
    "UpdateRestrictions": "Updatable",
    "DeleteRestrictions": "Deletable",
}


def _restrictions(node: ET.Element) -> dict[str, bool]:
    """What annotations forbid or allow for an entity set; the vocabulary's default is to allow."""
    found = {}
    for annotation in _named(node, "Annotation"):
        known = _RESTRICTIONS.get(annotation.get("Term", "").rpartition(".")[2])
        record = next(_named(annotation, "Record"), None)
        if known is None or record is None:
            continue
        for value in _named(record, "PropertyValue"):
            if value.get("Property") == known:
                found[known] = value.get("Bool", "true") == "true"
    return found


def _alias_resolver(root: ET.Element) -> Callable[[str], str]:
    """Types may be named by an alias of their schema."""
    aliases = {
        schema.get("Alias", ""): schema.get("Namespace", "") for schema in _named(root, "Schema") if schema.get("Alias")
    }

    def full(name: str) -> str:
        space, _, own = name.rpartition(".")
        return f"{aliases[space]}.{own}" if space in aliases else name

    return full


def _entity_type(node: ET.Element, full: Callable[[str], str]) -> EntityType:
    properties = {
        one.get("Name", ""): PropertyType(
            name=one.get("Name", ""),
            type=full(one.get("Type", "Edm.String")),
            max_length=_number(one.get("MaxLength")),
            is_read_only=_is_read_only(one),
        )
        for one in _named(node, "Property")
    }
    navigation = {}
    for one in _named(node, "NavigationProperty"):
        type_name = one.get("Type", "")
        is_collection = type_name.startswith("Collection(")
        target = full(type_name.removeprefix("Collection(").removesuffix(")"))
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
