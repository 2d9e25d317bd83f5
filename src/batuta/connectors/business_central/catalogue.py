"""What the API offers, known without a request: entities, fields, relations, actions, rules, workflows.

    catalogue = load_catalogue()
    catalogue.search("factura vencida")    -> salesInvoices, because "factura" is what people call it

A tenant's own `$metadata` can be laid over it (`refreshed`): then custom fields and entities are known too.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from batuta.connectors.odata.metadata import EntityType, ServiceMetadata
from batuta.kernel.errors import MissingRecordError
from batuta.language.folding import stem, words_of

STANDARD_ROUTE = "v2.0"
TENANT_ROUTE = "tenant"
MAX_FOUND = 8

_CAMEL = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueProperty:
    """One field."""

    name: str
    type: str
    length: int | None = None
    is_read_only: bool = False
    values: tuple[str, ...] = ()
    """The members of an enum or option, as JSON writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntity:
    """One entity set and what is known of it."""

    entity_set: str
    name: str
    purpose: str
    route: str
    key: tuple[str, ...]
    methods: tuple[str, ...]
    properties: Mapping[str, CatalogueProperty]
    navigation: Mapping[str, "CatalogueNavigation"]
    actions: Mapping[str, "CatalogueAction"]
    rules: tuple[Mapping[str, Any], ...] = ()
    source: Literal["standard", "tenant"] = "standard"

    @property
    def needs_a_parent(self) -> bool:
        """Whether its records are read only with what they belong to, such as the lines of a journal."""
        return any(rule.get("kind") == "filterRequired" for rule in self.rules)

    @property
    def own_words(self) -> tuple[str, ...]:
        """What an entity of the tenant's own is called: nothing but its name is known."""
        return (self.purpose,) if self.route == TENANT_ROUTE else ()

    @property
    def lines(self) -> str:
        """The entity set of the lines of a document; empty where it has none."""
        ways = (way for way in self.navigation.values() if way.is_collection and "documentId" in way.joins.values())
        return next((way.target for way in ways if way.name.endswith("Lines")), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueNavigation:
    """A way from a record to others."""

    name: str
    target: str
    """An entity set."""
    is_collection: bool
    joins: Mapping[str, str] = field(default_factory=dict)
    """Own field to field of the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueAction:
    """Something that can be done with a record."""

    name: str
    effect: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowStep:
    """One call of a process."""

    call: str
    does: str
    needs: str = ""
    check: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A business process, call by call."""

    id: str
    title: Mapping[str, str]
    steps: tuple[WorkflowStep, ...]
    undo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntity:
    """An entity that fits a search, and why."""

    entity: CatalogueEntity
    score: float
    because: tuple[str, ...]


class EntityCatalogue:
    """The index of one API."""

    def __init__(
        self,
        entities: Iterable[CatalogueEntity],
        workflows: Mapping[str, Workflow],
        synonyms: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.entities = {entity.entity_set: entity for entity in entities}
        self.workflows = workflows
        self.all_synonyms = synonyms
        self.words = {
            name: words
            for name, entity in self.entities.items()
            if (words := synonyms.get(name) or entity.own_words) and not entity.needs_a_parent
        }
        """What people call the entities that can be asked for, in both languages."""
        self._terms: dict[str, Mapping[str, tuple[float, str]]] = {}
        """What entities are found by, gathered with the first search: many catalogues are made and never searched."""

    def entity(self, name: str) -> CatalogueEntity:
        """An entity by its set or singular name. Raises `MissingRecordError` that names what is near."""
        found = self.entities.get(name) or next((one for one in self.entities.values() if one.name == name), None)
        if found is None:
            near = ", ".join(one.entity.entity_set for one in self.search(name)[:3]) or "search_entities finds names"
            raise MissingRecordError(f"the API has no entity {name[:60]!r}; near it: {near}")
        return found

    def search(self, text: str, *, limit: int = MAX_FOUND) -> list[FoundEntity]:
        """The entities that fit a text best, with the reason."""
        wanted = {stem(word): word for word in words_of(text)}
        found = []
        self._terms = self._terms or {
            name: _terms(one, self.all_synonyms.get(name, ())) for name, one in self.entities.items()
        }
        for name, terms in self._terms.items():
            hits = [(terms[one], word) for one, word in wanted.items() if one in terms]
            if not hits:
                continue
            score = sum(weight for (weight, _), _ in hits) * (0.5 + 0.5 * len(hits) / len(wanted))
            because = tuple(dict.fromkeys(f"{word}: {why}" for (_, why), word in hits))
            found.append(FoundEntity(entity=self.entities[name], score=round(score, 3), because=because))
        found.sort(key=lambda one: (-one.score, len(one.entity.entity_set), one.entity.entity_set))
        return found[:limit]

    def refreshed(self, metadata: ServiceMetadata) -> "EntityCatalogue":
        """The same with what a tenant's API says: what it has and no more, with our purposes, effects and rules.

        Entities of other routes stay: a route's metadata says nothing of them.
        """
        kept = [one for one in self.entities.values() if one.route not in (STANDARD_ROUTE, TENANT_ROUTE)]
        own = [_from_metadata(one, metadata, self.entities.get(name)) for name, one in metadata.entities.items()]
        return EntityCatalogue([*kept, *own], self.workflows, self.all_synonyms)

    def copy(self) -> "EntityCatalogue":
        """A catalogue of its own that may be refreshed."""
        return EntityCatalogue(self.entities.values(), self.workflows, self.all_synonyms)

    def adopt(self, other: "EntityCatalogue") -> None:
        """Become what another catalogue is, for all who hold this one."""
        EntityCatalogue.__init__(self, other.entities.values(), other.workflows, other.all_synonyms)


@cache
def load_catalogue() -> EntityCatalogue:
    """The standard API."""
    folder = files(__package__)
    facts = json.loads(folder.joinpath("catalogue.json").read_text(encoding="utf-8"))
    members = {name: tuple(one["name"] for one in values) for name, values in facts["enums"].items()}
    words = tomllib.loads(folder.joinpath("synonyms.toml").read_text(encoding="utf-8"))
    synonyms = {
        name: (*words["en"].get(name, ()), *words["es"].get(name, ()))
        for name in words["en"].keys() | words["es"].keys()
    }
    processes = tomllib.loads(folder.joinpath("workflows.toml").read_text(encoding="utf-8"))
    workflows = {
        name: Workflow(
            id=name,
            title=one["title"],
            steps=tuple(WorkflowStep(**step) for step in one["steps"]),
            undo=one.get("undo", ""),
        )
        for name, one in processes.items()
    }
    set_of = {one["name"]: one["set"] for one in facts["entities"] if one["route"] == STANDARD_ROUTE}
    entities = [_from_facts(one, members, set_of) for one in facts["entities"]]
    return EntityCatalogue(
        sorted(entities, key=lambda one: one.route != STANDARD_ROUTE, reverse=True), workflows, synonyms
    )


def _from_facts(
    facts: Mapping[str, Any], members: Mapping[str, tuple[str, ...]], set_of: Mapping[str, str]
) -> CatalogueEntity:
    properties = {
        one["name"]: CatalogueProperty(
            name=one["name"],
            type=one["type"],
            length=one.get("length"),
            is_read_only=one.get("readOnly", False),
            values=members.get(one["type"]) or tuple(one.get("values", ())),
        )
        for one in facts["properties"]
    }
    navigation = {
        one["name"]: CatalogueNavigation(
            name=one["name"],
            target=set_of.get(one["target"], one["target"]),
            is_collection=one["many"],
            joins=one["on"],
        )
        for one in facts["navigation"]
    }
    return CatalogueEntity(
        entity_set=facts["set"],
        name=facts["name"],
        purpose=facts["purpose"],
        route=facts["route"],
        key=tuple(facts["key"]),
        methods=tuple(facts["methods"]),
        properties=properties,
        navigation=navigation,
        actions={one["name"]: CatalogueAction(**one) for one in facts["actions"]},
        rules=tuple(facts["rules"]),
    )


def _from_metadata(entity: EntityType, metadata: ServiceMetadata, known: CatalogueEntity | None) -> CatalogueEntity:
    properties = {}
    for one in entity.properties.values():
        ours = None if known is None else known.properties.get(one.name)
        properties[one.name] = CatalogueProperty(
            name=one.name,
            type="Collection" if one.type.startswith("Collection(") else one.type.rpartition(".")[2],
            length=one.max_length,
            is_read_only=one.is_read_only or (ours is not None and ours.is_read_only),
            values=metadata.enums.get(one.type) or (() if ours is None else ours.values),
        )
    if known is not None:
        return replace(
            known, key=entity.key or known.key, properties=properties, navigation=_navigation(entity, known),
            actions=_actions(entity, known), source="tenant",
        )  # fmt: skip
    return CatalogueEntity(
        entity_set=entity.entity_set,
        name=entity.name,
        purpose=" ".join(_CAMEL.findall(entity.entity_set)).lower(),
        route=TENANT_ROUTE,
        key=entity.key,
        methods=tuple(
            method
            for method, is_allowed in (
                ("GET", True),
                ("POST", entity.is_insertable),
                ("PATCH", entity.is_updatable),
                ("DELETE", entity.is_deletable),
            )
            if is_allowed
        ),
        properties=properties,
        navigation=_navigation(entity, None),
        actions=_actions(entity, None),
        source="tenant",
    )


def _navigation(entity: EntityType, known: CatalogueEntity | None) -> dict[str, CatalogueNavigation]:
    """The tenant's relations; joins are ours, metadata does not tell them."""
    ours = {} if known is None else known.navigation
    return {
        one.name: CatalogueNavigation(
            name=one.name,
            target=one.entity_set,
            is_collection=one.is_collection,
            joins=ours[one.name].joins if one.name in ours else {},
        )
        for one in entity.navigation.values()
    }


def _actions(entity: EntityType, known: CatalogueEntity | None) -> dict[str, CatalogueAction]:
    """The tenant's actions; what they do is ours to know."""
    ours = {} if known is None else known.actions
    names = [name.rpartition(".")[2] for name in entity.actions]
    return {name: ours.get(name) or CatalogueAction(name=name, effect="", result="") for name in names}


_WEIGHTS = {"name": 4.0, "synonym": 3.0, "purpose": 2.0, "field": 0.5, "value": 0.4}


def _terms(entity: CatalogueEntity, synonyms: Iterable[str]) -> dict[str, tuple[float, str]]:
    """Stems under which an entity is found: how much each weighs, and what it stands in."""
    terms: dict[str, tuple[float, str]] = {}

    def add(kind: str, text: str, label: str) -> None:
        for word in words_of(" ".join(_CAMEL.findall(text)) if kind in ("name", "field") else text):
            weight = _WEIGHTS[kind]
            if terms.get(stem(word), (0.0, ""))[0] < weight:
                terms[stem(word)] = (weight, label)

    add("name", entity.entity_set, f"the name {entity.entity_set}")
    for synonym in synonyms:
        add("synonym", synonym, f"people say “{synonym}”")
    add("purpose", entity.purpose, f"purpose: {entity.purpose}")
    for one in entity.properties.values():
        add("field", one.name, f"the field {one.name}")
        for value in one.values:
            add("value", value.replace("_x0020_", " "), f"a value of {one.name}")
    for action in entity.actions:
        add("field", action, f"the action {action}")
    return terms
