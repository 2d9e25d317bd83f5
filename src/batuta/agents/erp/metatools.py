"""Seven tools over the catalogue of the API (A-1). They need no service: what the API offers is known offline."""

from collections.abc import Mapping
from typing import Any, Literal

from batuta.agents.erp.conditions import FieldCondition, as_filter
from batuta.connectors.business_central.catalogue import CatalogueEntity, EntityCatalogue
from batuta.connectors.business_central.payloads import RequestKind, draft_request, payload_problems
from batuta.connectors.odata.client import QueryOptions
from batuta.kernel.errors import ConfigurationError, MissingRecordError, ToolFailedError
from batuta.tools.tool import Tool, tool

SHOWN_PROPERTIES = 60


def catalogue_tools(catalogue: EntityCatalogue) -> tuple[Tool, ...]:
    """The seven tools, over one catalogue."""
    return (*_lookup_tools(catalogue), *_request_tools(catalogue))


def _lookup_tools(catalogue: EntityCatalogue) -> tuple[Tool, ...]:
    """What there is."""

    @tool(kind="retrieval")
    async def list_entities(method: Literal["", "GET", "POST", "PATCH", "DELETE"] = "") -> dict[str, Any]:
        """List the entities of the ERP's API with their purpose.

        Args:
            method: Only those that can be asked so, such as POST for those that can be created.
        """
        chosen = [one for one in catalogue.entities.values() if not method or method in one.methods]
        return {"entities": {one.entity_set: one.purpose for one in chosen}}

    @tool(kind="retrieval")
    async def search_entities(query: str) -> dict[str, Any]:
        """Find the entity behind a business word in English or Spanish, such as invoice, bill, factura or albarán.

        Args:
            query: The words, as a person says them.
        """
        found = catalogue.search(query)
        return {
            "query": query,
            "found": [
                {"entity": one.entity.entity_set, "purpose": one.entity.purpose, "because": list(one.because)}
                for one in found
            ],
        }

    @tool(kind="retrieval")
    async def entity_details(entity: str) -> dict[str, Any]:
        """Fields, types, allowed values, relations, actions and rules of one entity.

        Args:
            entity: The entity set, such as `salesInvoices`.
        """
        return _details(_known(catalogue, entity))

    @tool(kind="retrieval")
    async def endpoint_details(entity: str) -> dict[str, Any]:
        """The addresses and methods of one entity, with what each needs.

        Args:
            entity: The entity set, such as `customers`.
        """
        return _endpoints(_known(catalogue, entity))

    @tool(kind="retrieval")
    async def workflow_steps(workflow: str = "") -> dict[str, Any]:
        """The steps of a business process: calls, conditions, checks and the way back. Without a name: which there are.

        Args:
            workflow: The name, such as `quote_to_cash`.
        """
        found = catalogue.workflows.get(workflow)
        if found is None:
            return {"workflows": {one.id: one.title["en"] for one in catalogue.workflows.values()}}
        steps = [{"call": one.call, "does": one.does, "needs": one.needs, "check": one.check} for one in found.steps]
        return {"workflow": found.id, "title": dict(found.title), "steps": steps, "undo": found.undo}

    return list_entities, search_entities, entity_details, endpoint_details, workflow_steps


def _request_tools(catalogue: EntityCatalogue) -> tuple[Tool, ...]:
    """How to ask for it."""

    @tool(kind="computation")
    async def build_request(
        entity: str,
        intent: RequestKind,
        where: list[FieldCondition] | None = None,
        select: list[str] | None = None,
        order_by: list[str] | None = None,
        expand: list[str] | None = None,
        top: int | None = None,
        action: str = "",
        body: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Build the HTTP request for an intent: method, address, headers and body. Nothing is sent.

        Args:
            entity: The entity set.
            intent: list, get, create, update, delete or action.
            where: Conditions that all have to hold.
            select: Fields to read.
            order_by: Fields to sort by, ` desc` behind those that descend.
            expand: Relations to read along.
            top: At most so many records.
            action: The action's name, such as `post`.
            body: The fields to write.
        """
        try:
            options = QueryOptions(
                where=as_filter(_known(catalogue, entity), where or ()),
                select=tuple(select or ()),
                order_by=tuple(order_by or ()),
                expand=tuple(expand or ()),
                top=top,
            )
            draft = draft_request(catalogue, intent, entity, options=options, action=action, body=body)
        except (ConfigurationError, MissingRecordError) as error:
            raise ToolFailedError(str(error)) from error
        return {
            "method": draft.method,
            "path": draft.path,
            "headers": dict(draft.headers),
            "body": draft.body,
            "advice": list(draft.advice),
        }

    @tool(kind="computation")
    async def validate_payload(
        entity: str, payload: dict[str, Any], intent: Literal["create", "update"] = "create"
    ) -> dict[str, Any]:
        """Check a payload against types, lengths, allowed values, read-only fields and rules. Nothing is sent.

        Args:
            entity: The entity set.
            payload: The fields that would be written.
            intent: create or update.
        """
        _known(catalogue, entity)
        problems = payload_problems(catalogue, intent, entity, payload)
        return {
            "is_valid": not any(one.is_error for one in problems),
            "problems": [{"field": one.field, "problem": one.message} for one in problems],
        }

    return build_request, validate_payload


def _known(catalogue: EntityCatalogue, name: str) -> CatalogueEntity:
    try:
        return catalogue.entity(name)
    except MissingRecordError as error:
        raise ToolFailedError(str(error)) from error


def _details(entity: CatalogueEntity) -> dict[str, Any]:
    return {
        "entity": entity.entity_set,
        "purpose": entity.purpose,
        "key": list(entity.key),
        "methods": list(entity.methods),
        "properties": [
            _without_nothing(
                {
                    "name": one.name,
                    "type": one.type,
                    "length": one.length,
                    "read_only": one.is_read_only,
                    "values": list(one.values),
                }
            )
            for one in list(entity.properties.values())[:SHOWN_PROPERTIES]
        ],
        "relations": {
            one.name: f"{'many' if one.is_collection else 'one'} {one.target}" for one in entity.navigation.values()
        },
        "actions": {one.name: one.effect for one in entity.actions.values()},
        "rules": [dict(rule) for rule in entity.rules],
        "source": entity.source,
    }


def _endpoints(entity: CatalogueEntity) -> dict[str, Any]:
    base = f"companies({{companyId}})/{entity.entity_set}"
    table = {
        "GET": [f"GET {base}", f"GET {base}({{id}})", f"GET {base}/$count"],
        "POST": [f"POST {base}"],
        "PATCH": [f"PATCH {base}({{id}}) with If-Match"],
        "DELETE": [f"DELETE {base}({{id}}) with If-Match"],
    }
    calls = [call for method in entity.methods for call in table.get(method, ())]
    calls += [f"POST {base}({{id}})/Microsoft.NAV.{name}" for name in entity.actions]
    calls += [f"GET {base}({{id}})/{name}" for name in entity.navigation]
    return {"entity": entity.entity_set, "route": entity.route, "calls": calls}


def _without_nothing(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value}
