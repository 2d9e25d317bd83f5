"""Requests checked before they are sent: the URL, headers and body of an intent, and what is wrong with a payload."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal

from batuta.connectors.business_central.catalogue import CatalogueEntity, CatalogueProperty, EntityCatalogue
from batuta.connectors.odata.client import QueryOptions
from batuta.connectors.odata.filters import Filter, fields_of
from batuta.kernel.errors import ConfigurationError

RequestKind = Literal["list", "get", "create", "update", "delete", "action"]

METHODS: dict[RequestKind, str] = {
    "list": "GET",
    "get": "GET",
    "create": "POST",
    "update": "PATCH",
    "delete": "DELETE",
    "action": "POST",
}
_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadProblem:
    """Something in a payload that the ERP would refuse, or that would not do what it seems to."""

    field: str
    message: str
    is_error: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestDraft:
    """A request as it would be sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None
    advice: Sequence[str] = field(default=())


def draft_request(
    catalogue: EntityCatalogue,
    kind: RequestKind,
    entity_set: str,
    *,
    options: QueryOptions | None = None,
    action: str = "",
    body: Mapping[str, Any] | None = None,
) -> RequestDraft:
    """The request for an intent. Raises `ConfigurationError` for one that the API cannot answer."""
    entity = catalogue.entity(entity_set)
    method = METHODS[kind]
    if kind == "action" and action not in entity.actions:
        offered = ", ".join(entity.actions) or "none"
        raise ConfigurationError(f"{entity.entity_set} has no action {action!r}; it has: {offered}")
    if kind != "action" and method not in entity.methods:
        raise ConfigurationError(
            f"{entity.entity_set} cannot be asked with {method}; it takes {', '.join(entity.methods)}"
        )
    path = f"companies({{companyId}})/{entity.entity_set}"
    path += "" if kind in ("list", "create") else "({id})"
    path += f"/Microsoft.NAV.{action}" if kind == "action" else ""
    headers = {"Accept": "application/json"}
    advice: list[str] = []
    if method == "GET":
        headers["Data-Access-Intent"] = "ReadOnly"
        if options is not None:
            _require_fields(entity, options)
            query = options.as_text()
            path += f"?{query}" if query else ""
        advice += _filter_rules(entity, None if options is None else options.where)
    else:
        headers["Content-Type"] = "application/json"
        if kind in ("update", "delete"):
            headers["If-Match"] = "{etag of the record that was read}"
    return RequestDraft(method=method, path=path, headers=headers, body=body, advice=advice)


def payload_problems(
    catalogue: EntityCatalogue, kind: Literal["create", "update"], entity_set: str, payload: Mapping[str, Any]
) -> list[PayloadProblem]:
    """What is wrong with a payload, field by field; nothing is sent."""
    entity = catalogue.entity(entity_set)
    problems: list[PayloadProblem] = []
    if METHODS[kind] not in entity.methods:
        problems.append(PayloadProblem(field="", message=f"{entity.entity_set} does not take {METHODS[kind]}"))
    for name, value in payload.items():
        problems += _field_problems(catalogue, entity, kind, name, value)
    problems += _rule_problems(entity, kind, payload)
    return problems


def _field_problems(
    catalogue: EntityCatalogue, entity: CatalogueEntity, kind: str, name: str, value: Any
) -> list[PayloadProblem]:
    if name in entity.navigation:
        return _children_problems(catalogue, entity, kind, name, value)
    known = entity.properties.get(name)
    if known is None:
        near = ", ".join(sorted(one for one in entity.properties if one.lower().startswith(name[:4].lower()))[:5])
        return [PayloadProblem(field=name, message=f"{entity.entity_set} has no such field; near it: {near or 'none'}")]
    if known.is_read_only:
        return [PayloadProblem(field=name, message="it is read-only: the ERP sets it")]
    problem = _value_problem(known, value)
    return [PayloadProblem(field=name, message=problem)] if problem else []


def _children_problems(
    catalogue: EntityCatalogue, entity: CatalogueEntity, kind: str, name: str, value: Any
) -> list[PayloadProblem]:
    target = entity.navigation[name]
    if kind == "update":
        return [
            PayloadProblem(field=name, message="children cannot be changed with their parent: one request for each")
        ]
    if not target.is_collection or target.target not in catalogue.entities:
        return [PayloadProblem(field=name, message="only child records can be created together with their parent")]
    if not isinstance(value, list) or not all(isinstance(child, Mapping) for child in value):
        return [PayloadProblem(field=name, message="it is a list of objects")]
    problems = []
    for number, child in enumerate(value):
        problems += [
            PayloadProblem(field=f"{name}[{number}].{one.field}", message=one.message, is_error=one.is_error)
            for one in payload_problems(catalogue, "create", target.target, child)
            if "documentId" not in one.message
        ]
        if "sequence" in child:
            problems.append(
                PayloadProblem(field=f"{name}[{number}].sequence", message="leave it out: the ERP numbers lines")
            )
    return problems


def _value_problem(known: CatalogueProperty, value: Any) -> str:
    if value is None:
        return "it cannot be null; leave it out, or send an empty value"
    if known.values and value not in known.values:
        labels = ", ".join(one for one in known.values[:12])
        return f"{value!r} is none of its values: {labels}"
    checks: dict[str, Any] = {
        "String": lambda: isinstance(value, str),
        "Guid": lambda: isinstance(value, str) and _GUID.fullmatch(value),
        "Boolean": lambda: isinstance(value, bool),
        "Int32": lambda: isinstance(value, int) and not isinstance(value, bool),
        "Int64": lambda: isinstance(value, int) and not isinstance(value, bool),
        "Decimal": lambda: isinstance(value, (int, float)) and not isinstance(value, bool),
        "Date": lambda: isinstance(value, str) and _parses(date.fromisoformat, value),
        "DateTimeOffset": lambda: isinstance(value, str) and _parses(datetime.fromisoformat, value),
    }
    check = checks.get(known.type)
    if check is not None and not check():
        return f"{value!r} is no {known.type}"
    if known.length is not None and isinstance(value, str) and len(value) > known.length:
        return f"it has {len(value)} characters, at most {known.length} fit"
    return ""


def _rule_problems(entity: CatalogueEntity, kind: str, payload: Mapping[str, Any]) -> list[PayloadProblem]:
    problems = []
    for rule in entity.rules:
        fields = [name for name in rule.get("fields", ()) if name in entity.properties]
        given = [name for name in fields if name in payload]
        match rule["kind"]:
            case "required" | "notBlank" if kind == "create" and fields:
                missing = [name for name in fields if not payload.get(name)]
                problems += [PayloadProblem(field=name, message="it is required") for name in missing]
            case "oneOfRequired" if kind == "create" and fields and not given:
                problems.append(PayloadProblem(field=" or ".join(fields), message="one of them is required"))
            case "mutuallyExclusive" if len(given) > 1:
                problems.append(PayloadProblem(field=" and ".join(given), message="they exclude each other"))
            case "immutable" if kind == "update":
                problems += [PayloadProblem(field=name, message="it cannot change after creation") for name in given]
            case "notOnInsert" if kind == "create":
                problems += [
                    PayloadProblem(field=name, message="it cannot be set at creation; update it afterwards")
                    for name in given
                ]
            case _:
                pass
    return list({(one.field, one.message): one for one in problems}.values())


def _require_fields(entity: CatalogueEntity, options: QueryOptions) -> None:
    named = [*options.select, *(one.partition(" ")[0] for one in options.order_by)]
    named += [] if options.where is None else list(fields_of(options.where))
    for name in named:
        if "/" not in name and name not in entity.properties:
            raise ConfigurationError(f"{entity.entity_set} has no field {name!r}")
    for name in options.expand:
        if name.partition("(")[0] not in entity.navigation:
            known = ", ".join(entity.navigation) or "nothing"
            raise ConfigurationError(f"{entity.entity_set} cannot expand {name!r}; it can: {known}")


def _filter_rules(entity: CatalogueEntity, where: Filter | None) -> list[str]:
    """What has to be in a filter, or nothing comes back."""
    named = set() if where is None else set(fields_of(where))
    return [
        f"{entity.entity_set} is read by {' or '.join(rule['fields'])} or through its parent: filter by one of them"
        for rule in entity.rules
        if rule["kind"] == "filterRequired" and not named & set(rule.get("fields", ()))
    ]


def _parses(parse: Any, value: str) -> bool:
    try:
        parse(value)
    except ValueError:
        return False
    return True
