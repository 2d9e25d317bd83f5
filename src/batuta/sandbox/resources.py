"""From the segments of a path to the resource it names, with the company it lies in.

companies(…)/salesOrders(…)/salesOrderLines   →  a collection: lines whose documentId is that order
…/salesInvoices(…)/Microsoft.NAV.post         →  an action on one record
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.errors import BadRequestError, RecordNotFoundError, SandboxError
from batuta.sandbox.filter_syntax import FilterLiteral
from batuta.sandbox.paths import ApiPath, PathSegment
from batuta.sandbox.reading import RecordReader, RecordScope
from batuta.sandbox.records import SandboxStore
from batuta.sandbox.schema import NAMESPACE, EdmProperty, EntitySet
from batuta.sandbox.values import SqlValue, encoder


class ResourceKind(Enum):
    COLLECTION = auto()
    ENTITY = auto()
    COUNT = auto()
    PROPERTY = auto()
    RAW_VALUE = auto()
    ACTION = auto()


@dataclass(frozen=True, kw_only=True)
class ApiResource:
    kind: ResourceKind
    scope: RecordScope
    name: str = ""
    """The property or the action, where the path ends in one."""
    is_below_parent: bool = False
    """Whether the path leads over the record that these belong to."""

    @property
    def entity(self) -> EntitySet:
        return self.scope.entity


_LITERALS: Final = {
    "Edm.Guid": "guid", "Edm.String": "string", "Edm.Int32": "number", "Edm.Int64": "number", "Edm.Date": "date",
}  # fmt: skip


class ResourceResolver:
    """Finds resources of one store; reads the records that a path leads over."""

    def __init__(self, store: SandboxStore, reader: RecordReader, behaviour: Behaviour) -> None:
        self._store = store
        self._reader = reader
        self._behaviour = behaviour

    def resolve(self, path: ApiPath, named_company: str | None) -> ApiResource:
        """The resource of a path that has at least one segment; 404 for what is not there."""
        first, *rest = path.segments
        company = ""
        if first.name == "companies" and first.key is not None and rest:
            company = self._company_of(first)
            first, *rest = rest
        entity = self._store.schema.route(path.route).get(first.name)
        if entity is None:
            raise not_found(first.name)
        if entity.is_in_company:
            company = company or self._named_company(named_company)
        scope = RecordScope(entity=entity, company=company)
        return self._walk(ApiResource(kind=ResourceKind.COLLECTION, scope=scope), [first, *rest])

    def _walk(self, resource: ApiResource, segments: list[PathSegment]) -> ApiResource:
        resource = _narrowed(resource, segments[0])
        for segment in segments[1:]:
            resource = self._step(resource, segment)
        return resource

    def _step(self, resource: ApiResource, segment: PathSegment) -> ApiResource:
        entity = resource.entity
        match resource.kind:
            case ResourceKind.COLLECTION if segment.name == "$count":
                return replace(resource, kind=ResourceKind.COUNT)
            case ResourceKind.PROPERTY if segment.name == "$value":
                return replace(resource, kind=ResourceKind.RAW_VALUE)
            case ResourceKind.ENTITY if segment.name in entity.navigation:
                return self._follow(resource, segment)
            case ResourceKind.ENTITY if segment.name in entity.properties:
                return replace(resource, kind=ResourceKind.PROPERTY, name=segment.name)
            case ResourceKind.ENTITY if segment.name.removeprefix(f"{NAMESPACE}.") in entity.actions:
                name = segment.name.removeprefix(f"{NAMESPACE}.")
                return replace(resource, kind=ResourceKind.ACTION, name=name)
        raise not_found(segment.name)

    def _follow(self, resource: ApiResource, segment: PathSegment) -> ApiResource:
        way = resource.entity.navigation[segment.name]
        target = self._store.schema.set(way.target)
        equals: dict[str, SqlValue] = {}
        company = resource.scope.company
        if resource.entity.name == "companies":
            company = str(resource.scope.equals["id"])
        elif not way.link:
            raise BadRequestError(
                f"The navigation '{way.name}' is not part of this sandbox.", code="BadRequest_MethodNotImplemented"
            )
        else:
            own, theirs = next(iter(way.link.items()))
            found = self._reader.stored(resource.scope, [own])
            if found is None:
                raise missing(resource.scope)
            equals = {theirs: found[0]}
            self._ensure_dependent(target, resource, found[0])
        scope = RecordScope(entity=target, company=company, equals=equals)
        kind = ResourceKind.COLLECTION if way.is_many else ResourceKind.ENTITY
        return _narrowed(ApiResource(kind=kind, scope=scope, is_below_parent=True), segment)

    def _ensure_dependent(self, target: EntitySet, parent: ApiResource, key: SqlValue) -> None:
        """Store the record that every parent has (a picture, a printed form) when it is first asked for."""
        hook = self._behaviour.dependents.get(target.name)
        if hook is None:
            return
        records = self._store.records(parent.scope.company)
        row = hook(parent.entity, str(key))
        if records.get(target.name, *(row[name] for name in target.identity)) is None:
            records.insert(target.name, row)

    def _company_of(self, segment: PathSegment) -> str:
        companies = self._store.schema.set("companies")
        key = _key(companies, segment.key or ())
        return self._existing_company(str(key["id"]))

    def _named_company(self, named: str | None) -> str:
        """The company of `?company=`, by id or name; without it the only one there is."""
        if named:
            return self._existing_company(named)
        listed = self._store.records("").find("companies")
        if len(listed) != 1:
            raise RecordNotFoundError(
                "The request names no company. Write companies(<id>)/ before the set, or add ?company=<id or name>.",
                code="Internal_CompanyNotFound",
            )
        return str(listed[0]["id"])

    def _existing_company(self, named: str) -> str:
        records = self._store.records("")
        found = records.get("companies", named.lower()) or records.first("companies", name=named)
        if found is None:
            raise RecordNotFoundError(f"The company '{named[:60]}' does not exist.", code="Internal_CompanyNotFound")
        return str(found["id"])


def not_found(name: str) -> SandboxError:
    return BadRequestError(f"Nothing was found at the segment '{name[:60]}'.", code="BadRequest_NotFound", status=404)


def missing(scope: RecordScope) -> SandboxError:
    shown = ", ".join(f"{name} {value!s}" for name, value in scope.equals.items())
    return RecordNotFoundError(f"The {scope.entity.type_name} with {shown} does not exist.")


def _narrowed(resource: ApiResource, segment: PathSegment) -> ApiResource:
    if segment.key is None:
        return resource
    equals = {**resource.scope.equals, **_key(resource.entity, segment.key)}
    return replace(resource, kind=ResourceKind.ENTITY, scope=replace(resource.scope, equals=equals))


def _key(entity: EntitySet, given: tuple[tuple[str, FilterLiteral], ...]) -> Mapping[str, SqlValue]:
    if len(given) != len(entity.key):
        raise BadRequestError(
            f"The key of {entity.name} is {', '.join(entity.key)}.", code="BadRequest_InvalidRequestUrl"
        )
    found: dict[str, SqlValue] = {}
    for name, literal in given:
        prop = entity.properties.get(name or entity.key[0])
        if prop is None or prop.name not in entity.key or (not name and len(entity.key) > 1):
            raise BadRequestError(f"'{name[:60]}' is not a key of {entity.name}.", code="BadRequest_InvalidRequestUrl")
        found[prop.name] = _key_value(prop, literal)
    if len(found) != len(entity.key):
        raise BadRequestError(f"A key of {entity.name} stands twice.", code="BadRequest_InvalidRequestUrl")
    return found


def _key_value(prop: EdmProperty, literal: FilterLiteral) -> SqlValue:
    if literal.kind != _LITERALS.get(prop.type) or literal.value is None:
        raise BadRequestError(
            f"The key '{prop.name}' is of type {prop.type}; '{str(literal.value)[:60]}' is not.",
            code="BadRequest_InvalidRequestUrl",
        )
    if literal.kind == "number":
        return _whole(prop, literal)
    return encoder(prop)(literal.value)


def _whole(prop: EdmProperty, literal: FilterLiteral) -> int:
    number = int(literal.value)  # type: ignore[arg-type]
    if number != literal.value or abs(number) >= 2**63:
        raise BadRequestError(f"'{prop.name}' is a whole number.", code="BadRequest_InvalidRequestUrl")
    return number
