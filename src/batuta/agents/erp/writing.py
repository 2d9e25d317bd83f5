"""Changing records: every write is shown first, is based on the version that was seen, and happens at most once.

A create is given its id by us, derived from the idempotency key: whether it happened is found by asking for that id. An
update, deletion or action is based on an ETag: whether it happened is seen by whether the record is still that version.
"""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from batuta.agents.erp.access import ErpAccess, language_of
from batuta.agents.erp.previews import preview_text
from batuta.agents.erp.rights import authorize_writing
from batuta.connectors.business_central.payloads import payload_problems
from batuta.connectors.erp import ErpCompany, ErpRecord, RecordChange
from batuta.kernel.errors import (
    BatutaError,
    ConnectorUnavailableError,
    MissingRecordError,
    RecordChangedError,
    ToolFailedError,
    UnknownOutcomeError,
)
from batuta.tools.context import LANGUAGE_SERVICE, ToolContext
from batuta.tools.tool import Tool, tool

_NAMESPACE = uuid.UUID("5a4f1d0e-6b1c-5f43-9a53-3c8f6f0c9b11")


_UNKNOWN_OUTCOME = {
    "en": "The answer to this change was lost, and the ERP cannot be asked now whether it happened ({detail}). Do not "
    "repeat it: look at the record first, when the ERP answers again.",
    "es": "La respuesta a este cambio se ha perdido y ahora no se puede preguntar al ERP si se hizo ({detail}). No lo "
    "repitas: mira antes el registro, cuando el ERP vuelva a responder.",
}
_NOT_CARRIED_OUT = {
    "en": "The change was not carried out: the ERP failed ({detail}), and the record is as before. It can be asked "
    "for again.",
    "es": "El cambio no se ha hecho: el ERP ha fallado ({detail}) y el registro está como antes. Se puede volver a "
    "pedir.",
}


def writing_tools(access: ErpAccess) -> tuple[Tool, ...]:
    """The tools `create_record`, `update_record`, `delete_record` and `run_action`."""

    async def preview(args: dict[str, Any], context: ToolContext) -> str:
        company, change = await _change(access, args, context)
        shown = await access.connector.preview(company.id, change)
        return preview_text(shown, change, company, language=str(context.services.get(LANGUAGE_SERVICE, "en")))

    authorize = authorize_writing(access, lambda args, context: _change(access, args, context))

    async def reconcile(args: dict[str, Any], context: ToolContext) -> dict[str, Any] | None:
        company, change = await _change(access, args, context)
        return await _found_done(access, company, change)

    @tool(
        effect="write", kind="side_effect", approval="always", preview=preview, reconcile=reconcile, authorize=authorize
    )
    async def create_record(
        entity: str, values: dict[str, Any], context: ToolContext, company: str = ""
    ) -> dict[str, Any]:
        """Create a record in the ERP, with its lines if it has any. A person approves it first.

        Args:
            entity: The entity set, such as `customers` or `salesInvoices`.
            values: The fields; lines under their relation's name, such as `salesInvoiceLines`.
            company: A part of the company's name; without it the first company.
            context: The call.
        """
        return await _carried_out(access, {"entity": entity, "values": values, "company": company}, context)

    @tool(
        effect="write", kind="side_effect", approval="always", preview=preview, reconcile=reconcile, authorize=authorize
    )
    async def update_record(
        entity: str, record_id: str, etag: str, values: dict[str, Any], context: ToolContext, company: str = ""
    ) -> dict[str, Any]:
        """Change fields of a record in the ERP. A person approves it first.

        Args:
            entity: The entity set.
            record_id: The record's id, from `find_record`.
            etag: The version the change is based on, from `find_record`.
            values: The fields that change.
            company: A part of the company's name; without it the first company.
            context: The call.
        """
        facts = {"entity": entity, "record_id": record_id, "etag": etag, "values": values, "company": company}
        return await _carried_out(access, facts, context)

    @tool(
        effect="write", kind="side_effect", approval="always", preview=preview, reconcile=reconcile, authorize=authorize
    )
    async def delete_record(
        entity: str, record_id: str, etag: str, context: ToolContext, company: str = ""
    ) -> dict[str, Any]:
        """Delete a record from the ERP. A person approves it first.

        Args:
            entity: The entity set.
            record_id: The record's id, from `find_record`.
            etag: The version that was seen, from `find_record`.
            company: A part of the company's name; without it the first company.
            context: The call.
        """
        facts = {"entity": entity, "record_id": record_id, "etag": etag, "company": company}
        return await _carried_out(access, facts, context)

    @tool(
        effect="write", kind="side_effect", approval="always", preview=preview, reconcile=reconcile, authorize=authorize
    )
    async def run_action(
        entity: str, record_id: str, etag: str, action: str, context: ToolContext, company: str = ""
    ) -> dict[str, Any]:
        """Have the ERP do something with a record: post, cancel, makeOrder … A person approves it first.

        Args:
            entity: The entity set, such as `salesInvoices`.
            record_id: The record's id, from `find_record`.
            etag: The version that was seen, from `find_record`.
            action: The action's name, such as `post`; `entity_details` lists them.
            company: A part of the company's name; without it the first company.
            context: The call.
        """
        facts = {"entity": entity, "record_id": record_id, "etag": etag, "action": action, "company": company}
        return await _carried_out(access, facts, context)

    return create_record, update_record, delete_record, run_action


async def _carried_out(access: ErpAccess, args: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    language = language_of(context)
    try:
        company, change = await _change(access, args, context)
        _require_valid(access, change)
        await _require_seen(access, company, change)
        try:
            record = await access.connector.write(company.id, change, key=context.idempotency_key)
        except ConnectorUnavailableError as error:
            if not error.was_sent:
                raise
            try:
                done = await _found_done(access, company, change)  # the answer was lost, not the change
            except ConnectorUnavailableError as unknown:
                words = _UNKNOWN_OUTCOME[language].format(detail=unknown)
                raise UnknownOutcomeError(words, effect_key=context.idempotency_key) from error
            if done is None:
                raise ToolFailedError(_NOT_CARRIED_OUT[language].format(detail=error)) from error
            return done
    except UnknownOutcomeError:
        raise  # neither done nor failed: the run asks `reconcile` once more, then a person
    except RecordChangedError as error:
        raise ToolFailedError(
            f"the record has changed since it was shown: {error}. Nothing was written. Find it again and ask with "
            "its new version"
        ) from error
    except BatutaError as error:
        raise await access.failure(error, language) from error
    return _result(change, company, record)


async def _change(access: ErpAccess, args: Mapping[str, Any], context: ToolContext) -> tuple[ErpCompany, RecordChange]:
    """The change that arguments stand for: the same for preview, execution and reconciliation."""
    company = await access.company(str(args.get("company") or ""))
    entity = access.catalogue.entity(str(args["entity"]))
    record_id = args.get("record_id")
    kind: Literal["create", "update", "delete", "action"] = "create"
    if record_id is not None:
        kind = "action" if args.get("action") else "update" if "values" in args else "delete"
    change = RecordChange(
        kind=kind,
        entity=entity.entity_set,
        record_id=record_id,
        etag=args.get("etag"),
        action=args.get("action"),
        values=args.get("values") or {},
    )
    if kind == "create":
        new_id = str(uuid.uuid5(_NAMESPACE, f"{company.id}|{entity.entity_set}|{context.idempotency_key}"))
        change = replace(change, record_id=new_id, values={"id": new_id, **change.values})
    return company, change


def _require_valid(access: ErpAccess, change: RecordChange) -> None:
    if change.kind not in ("create", "update"):
        return
    values = {name: value for name, value in change.values.items() if name != "id"}
    problems = [one for one in payload_problems(access.catalogue, change.kind, change.entity, values) if one.is_error]
    if problems:
        words = "; ".join(f"{one.field}: {one.message}" for one in problems[:10])
        raise ToolFailedError(f"{change.entity} was not written: {words}")


async def _require_seen(access: ErpAccess, company: ErpCompany, change: RecordChange) -> None:
    """An action has no If-Match of its own: the version is compared before it is sent."""
    if change.kind != "action" or change.record_id is None:
        return
    current = await access.connector.get(company.id, change.entity, change.record_id)
    if change.etag and current.etag != change.etag:
        raise RecordChangedError(f"{change.entity} {change.record_id} has another version now", status=409)


async def _found_done(access: ErpAccess, company: ErpCompany, change: RecordChange) -> dict[str, Any] | None:
    """Whether a change whose answer was lost took place: its result, or `None` if it did not."""
    assert change.record_id is not None
    try:
        current = await access.connector.get(company.id, change.entity, change.record_id)
    except MissingRecordError:
        return None if change.kind in ("create", "update") else _result(change, company, None)
    if change.kind != "create" and current.etag == change.etag:
        return None
    return _result(change, company, current)


def _result(change: RecordChange, company: ErpCompany, record: ErpRecord | None) -> dict[str, Any]:
    done = {"create": "created", "update": "updated", "delete": "deleted", "action": f"{change.action} done"}[
        change.kind
    ]
    facts: dict[str, Any] = {
        "outcome": done,
        "entity": change.entity,
        "record_id": change.record_id,
        "company": company.display_name,
    }
    if record is not None:
        facts |= {"etag": record.etag, "values": {k: v for k, v in record.values.items() if v not in ("", None)}}
    return facts
