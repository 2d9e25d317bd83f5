"""The entity sets, properties, enums, navigation, actions and rules of the API, read from the catalogue of facts.

schema = load_schema()
schema.set("customers").properties["displayName"].max_length   # 100
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, TypeAlias

STANDARD: Final = "v2.0"
AUTOMATION: Final = "microsoft/automation/v2.0"
WITHOUT_COMPANY: Final = frozenset(
    {
        "companies", "subscriptions", "externaleventsubscriptions", "externalbusinesseventdefinitions",
        "entityDefinitions", "apicategoryroutes",
    }
)  # fmt: skip
"""Sets that stand beside the companies, not inside one."""
EVERYWHERE: Final = frozenset({"companies", "apicategoryroutes"})
"""Sets that every API route serves."""
NAMESPACE: Final = "Microsoft.NAV"
REPEATED_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "dimensionSetLines": ("parentId",),  # the id is that of the dimension: once for every parent
    "contactsInformation": ("relatedId",),
}
"""Sets whose keys are unique only below one parent, with the property that names the parent."""


@dataclass(frozen=True, kw_only=True)
class EnumMember:
    name: str
    """As it travels in JSON: `Credit_x0020_Memo`."""
    value: int
    label: str


@dataclass(frozen=True, kw_only=True)
class EnumType:
    name: str
    members: tuple[EnumMember, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(member.name for member in self.members)


@dataclass(frozen=True, kw_only=True)
class EdmProperty:
    name: str
    type: str
    """`Edm.String`, `Edm.Decimal` … or `Microsoft.NAV.<enum>`."""
    nullable: bool = True
    read_only: bool = False
    not_blank: bool = False
    max_length: int | None = None
    enum: EnumType | None = None
    options: tuple[str, ...] = ()
    """Allowed values of an old option field, which is a plain string in the metadata."""

    @cached_property
    def column(self) -> str:
        """The column of its table: its own name, except where the company of the row already has it."""
        return "company_" if self.name == "company" else self.name

    @property
    def is_stored(self) -> bool:
        return self.type != "Edm.Stream"


@dataclass(frozen=True, kw_only=True)
class NavigationProperty:
    name: str
    target: str
    """The entity set it leads to."""
    is_many: bool
    is_contained: bool
    on: Mapping[str, str]
    """Own property → property of the target, as the metadata states it; often it states none."""
    link: Mapping[str, str]
    """The same as it is followed here: `on`, or what the names of the properties say; empty where nothing does."""
    partner: str | None = None


@dataclass(frozen=True, kw_only=True)
class BoundAction:
    name: str
    """Without its namespace: `shipAndInvoice`."""
    result: str | None
    parameters: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class EntityRule:
    """One rule of a set: `kind` is `required`, `immutable`, `identifiersMustAgree`, `filterRequired` …"""

    kind: str
    fields: tuple[str, ...] = ()
    subject: str = ""
    state: str = ""
    action: str = ""


@dataclass(frozen=True, kw_only=True)
class EntitySet:
    name: str
    type_name: str
    route: str
    purpose: str
    key: tuple[str, ...]
    methods: frozenset[str]
    properties: Mapping[str, EdmProperty]
    navigation: Mapping[str, NavigationProperty]
    actions: Mapping[str, BoundAction]
    rules: tuple[EntityRule, ...]
    has_webhooks: bool
    kind: str
    """`page`, `query`, `platform` or `doc-only`."""
    seen: tuple[str, ...] = field(default=())
    """Where the set was seen: `al`, `docs`, `metadata`."""

    @property
    def is_in_company(self) -> bool:
        return self.name not in WITHOUT_COMPANY

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """The properties that identify a row in the store: the key, and the parent where keys repeat among parents."""
        return (*REPEATED_KEYS.get(self.name, ()), *self.key)

    @cached_property
    def columns(self) -> tuple[EdmProperty, ...]:
        """The properties that are columns of its table."""
        return tuple(each for each in self.properties.values() if each.is_stored)

    @cached_property
    def streams(self) -> tuple[EdmProperty, ...]:
        return tuple(each for each in self.properties.values() if not each.is_stored)

    def rules_of(self, kind: str) -> tuple[EntityRule, ...]:
        return tuple(rule for rule in self.rules if rule.kind == kind)


@dataclass(frozen=True, kw_only=True)
class SandboxSchema:
    sets: Mapping[str, EntitySet]
    enums: Mapping[str, EnumType]
    provenance: Mapping[str, str]

    def set(self, name: str) -> EntitySet:
        """The set of this name; `KeyError` for an unknown one."""
        return self.sets[name]

    def route(self, route: str) -> Mapping[str, EntitySet]:
        """The sets that are served under an API route."""
        if route not in self._routes:
            self._routes[route] = self._served(route)
        return self._routes[route]

    @cached_property
    def _routes(self) -> dict[str, Mapping[str, EntitySet]]:
        return {}

    def _served(self, route: str) -> Mapping[str, EntitySet]:
        served = {name: each for name, each in self.sets.items() if each.route == route or name in EVERYWHERE}
        companies = served["companies"]
        ways = {name: way for name, way in companies.navigation.items() if way.target in served}
        return {**served, "companies": replace(companies, navigation=ways)}


@cache
def load_schema() -> SandboxSchema:
    """The schema of the packaged catalogue; read once in a process."""
    raw = json.loads((files("batuta.sandbox") / "data" / "entities.json").read_text(encoding="utf-8"))
    enums = {name: _enum(name, members) for name, members in raw["enums"].items()}
    by_type = {entity["name"]: entity["set"] for entity in raw["entities"]}
    names = {entity["set"]: frozenset(each["name"] for each in entity["properties"]) for entity in raw["entities"]}
    sets = {entity["set"]: _entity_set(entity, enums, (by_type, names)) for entity in raw["entities"]}
    return SandboxSchema(
        sets=MappingProxyType(sets), enums=MappingProxyType(enums), provenance=MappingProxyType(raw["provenance"])
    )


_USUAL_LINKS: Final = (
    ("id", "parentId"),
    ("id", "documentId"),
    ("number", "documentNumber"),
    ("vendorNumber", "vendorNumber"),
    ("userSecurityId", "userSecurityId"),
)
_Targets: TypeAlias = tuple[Mapping[str, str], Mapping[str, frozenset[str]]]
"""Entity type → its set, and set → the names of its properties."""


def _enum(name: str, members: list[dict[str, Any]]) -> EnumType:
    return EnumType(name=name, members=tuple(EnumMember(**member) for member in members))


def _entity_set(raw: dict[str, Any], enums: Mapping[str, EnumType], targets: _Targets) -> EntitySet:
    properties = {each["name"]: _property(each, enums) for each in raw["properties"]}
    # A navigation to a type without an entity set (one in the catalogue) cannot be followed and is left out.
    ways = [_navigation(each, raw["set"], targets) for each in raw["navigation"] if each["target"] in targets[0]]
    navigation = {each.name: each for each in ways}
    actions = {each.name: each for each in map(_action, raw.get("actions", ()))}
    key = raw.get("key") or (["id"] if "id" in properties else [next(iter(properties))])
    return EntitySet(
        name=raw["set"],
        type_name=raw["name"],
        route=raw["route"],
        purpose=raw["purpose"],
        key=tuple(key),
        methods=frozenset(raw["methods"]),
        properties=MappingProxyType(properties),
        navigation=MappingProxyType(navigation),
        actions=MappingProxyType(actions),
        rules=tuple(_rule(rule) for rule in raw.get("rules", ())),
        has_webhooks=raw.get("webhooks", False),
        kind=raw["kind"],
        seen=tuple(raw["seen"]),
    )


def _property(raw: dict[str, Any], enums: Mapping[str, EnumType]) -> EdmProperty:
    return EdmProperty(
        name=raw["name"],
        type=raw.get("type", "Edm.String"),
        nullable=raw.get("nullable", True),
        read_only=raw.get("readOnly", False),
        not_blank=raw.get("notBlank", False),
        max_length=raw.get("maxLength"),
        enum=enums[raw["enum"]] if "enum" in raw else None,
        options=tuple(raw.get("values", ())),
    )


def _navigation(raw: dict[str, Any], source: str, targets: _Targets) -> NavigationProperty:
    by_type, names = targets
    target = by_type[raw["target"]]
    on = raw.get("on", {})
    return NavigationProperty(
        name=raw["name"],
        target=target,
        is_many=raw["multiplicity"] == "*",
        is_contained=raw["contained"],
        on=MappingProxyType(on),
        link=MappingProxyType(on or _derived_link(source, target, names)),
        partner=raw.get("partner"),
    )


def _derived_link(source: str, target: str, names: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Children name their parent by its id or number; a picture has the id of what it shows."""
    if "pictures" in (source, target):
        return {"id": "id"}
    for parent, child in _USUAL_LINKS:
        if parent in names[source] and child in names[target]:
            return {parent: child}
        if child in names[source] and parent in names[target]:
            return {child: parent}
    return {}


def _action(raw: dict[str, Any]) -> BoundAction:
    parameters = dict(each.split(":", 1) for each in raw.get("parameters", ()))
    return BoundAction(
        name=raw["name"].removeprefix(f"{NAMESPACE}."),
        result=raw.get("resultEntity"),
        parameters=MappingProxyType(parameters),
    )


def _rule(raw: dict[str, Any]) -> EntityRule:
    return EntityRule(
        kind=raw["kind"],
        fields=tuple(raw.get("fields", ())),
        subject=raw.get("subject", ""),
        state=raw.get("state", ""),
        action=raw.get("action", ""),
    )
