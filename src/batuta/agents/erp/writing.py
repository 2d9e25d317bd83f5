"""Changing records: every write is shown first, is based on the version that was seen, and happens at most once.

A create is given its id by us, derived from the idempotency key: whether it happened is found by asking for that id. An
update, deletion or action is based on an ETag; whether it happened is found out by `changes.outcomes`. A write may be a
step of a workflow: `then` names those that follow, and its result leads to the next one.
"""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from batuta.agents.erp.access import ErpAccess, language_of
from batuta.agents.erp.changes.lookups import ErpLookup
from batuta.agents.erp.changes.outcomes import WriteOutcome, found_done, require_unchanged, what_arose
from batuta.agents.erp.changes.wording import outcome_in_words
from batuta.agents.erp.previews import fields_now, preview_text
from batuta.agents.erp.rights import authorize_writing, company_for
from batuta.connectors.business_central.payloads import payload_problems
from batuta.connectors.erp import ErpCompany, RecordChange
from batuta.kernel.errors import (
    BatutaError,
    ConnectorUnavailableError,
    RecordChangedError,
    ToolFailedError,
    UnknownOutcomeError,
)
from batuta.tools.context import ToolContext
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
_CHANGED = {
    "en": "The record was changed by another person or program since it was shown, so nothing was written.{now} "
    "Shall I show the change again, on the record as it is now?",
    "es": "El registro ha cambiado desde que se mostró, así que no se ha escrito nada: alguien lo ha tocado "
    "entretanto.{now} ¿Te muestro otra vez el cambio, sobre el registro tal como está ahora?",
}
_NOW = {"en": " Now: {fields}.", "es": " Ahora: {fields}."}
_STATE_FIELDS = ("number", "status", "totalAmountIncludingTax", "remainingAmount", "balanceDue", "blocked")
"""What tells in which state a record is, where a change names no fields."""
_INVALID = {"en": "{entity} was not written: {problems}", "es": "No se ha escrito nada en {entity}: {problems}"}


def writing_tools(access: ErpAccess) -> tuple[Tool, ...]:
    """The tools `create_record`, `update_record`, `delete_record` and `run_action`."""

    async def preview(args: dict[str, Any], context: ToolContext) -> str:
        company, change = await _change(access, args, context)
        shown = await access.connector.preview(company.id, change)
        record: Mapping[str, Any] = {}
        if change.record_id is not None and change.kind != "create":
            record = (await access.connector.get(company.id, change.entity, change.record_id)).values
        language, then = language_of(context), tuple(args.get("then") or ())
        return preview_text(shown, change, company, record=record, language=language, then=then)

    authorize = authorize_writing(access, lambda args, context: _change(access, args, context))

    async def reconcile(args: dict[str, Any], context: ToolContext) -> dict[str, Any] | None:
        company, change = await _change(access, args, context)
        done = await found_done(ErpLookup(access=access, company=company), change, args.get("seen") or {})
        return None if done is None else _result(done, args)

    @tool(
        effect="write", kind="side_effect", approval="always", preview=preview, reconcile=reconcile, authorize=authorize
    )
    async def create_record(
        entity: str, values: dict[str, Any], context: ToolContext, company: str = "", then: list[str] | None = None
    ) -> dict[str, Any]:
        """Create a record in the ERP, with its lines if it has any. A person approves it first.

        Args:
            entity: The entity set, such as `customers` or `salesInvoices`.
            values: The fields; lines under their relation's name, such as `salesInvoiceLines`.
            company: A part of the company's name; without it the one that the user works in.
            then: The steps that follow it, as `prepare_change` or `next_step` gave them.
            context: The call.
        """
        facts = {"entity": entity, "values": values, "company": company, "then": then}
        return await _carried_out(access, facts, context)

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
            company: A part of the company's name; without it the one that the user works in.
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
            company: A part of the company's name; without it the one that the user works in.
            context: The call.
        """
        facts = {"entity": entity, "record_id": record_id, "etag": etag, "company": company}
        return await _carried_out(access, facts, context)

    @tool(
        effect="write", kind="side_effect", approval="always", preview=preview, reconcile=reconcile, authorize=authorize
    )
    async def run_action(
        entity: str,
        record_id: str,
        etag: str,
        action: str,
        context: ToolContext,
        company: str = "",
        seen: dict[str, Any] | None = None,
        then: list[str] | None = None,
    ) -> dict[str, Any]:
        """Have the ERP do something with a record: post, cancel, makeOrder … A person approves it first.

        Args:
            entity: The entity set, such as `salesInvoices`.
            record_id: The record's id, from `find_record`.
            etag: The version that was seen, from `find_record`.
            action: The action's name, such as `post`; `entity_details` lists them.
            company: A part of the company's name; without it the one that the user works in.
            seen: What was there before, as `prepare_change` or `next_step` gave it; of a journal, its `lines`.
            then: The steps that follow it, as `prepare_change` or `next_step` gave them.
            context: The call.
        """
        facts = {"entity": entity, "record_id": record_id, "etag": etag, "action": action, "company": company}
        return await _carried_out(access, {**facts, "seen": seen, "then": then}, context)

    return create_record, update_record, delete_record, run_action


async def _carried_out(access: ErpAccess, args: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    language = language_of(context)
    seen = args.get("seen") or {}
    try:
        company, change = await _change(access, args, context)
        lookup = ErpLookup(access=access, company=company)
        _require_valid(access, change, language)
        await require_unchanged(lookup, change, seen)
        if change.kind == "delete" and change.record_id is not None:
            values = (await lookup.get(change.entity, change.record_id)).values
            seen = {**seen, "number": values.get("number") or values.get("documentNumber") or ""}
        try:
            record = await access.connector.write(company.id, change, key=context.idempotency_key)
        except ConnectorUnavailableError as error:
            if not error.was_sent:
                raise
            try:
                done = await found_done(lookup, change, seen)  # the answer was lost, not the change
            except ConnectorUnavailableError as unknown:
                words = _UNKNOWN_OUTCOME[language].format(detail=unknown)
                raise UnknownOutcomeError(words, effect_key=context.idempotency_key) from error
            if done is None:
                raise ToolFailedError(_NOT_CARRIED_OUT[language].format(detail=error)) from error
            return _told(_result(done, args), context)
    except UnknownOutcomeError:
        raise  # neither done nor failed: the run asks `reconcile` once more, then a person
    except RecordChangedError as error:
        now = await _as_it_is_now(access, args, context)
        raise ToolFailedError(_CHANGED[language].format(now=now)) from error
    except BatutaError as error:
        raise await access.failure(error, language) from error
    return _told(_result(await what_arose(lookup, change, seen, record), args), context)


async def _as_it_is_now(access: ErpAccess, args: Mapping[str, Any], context: ToolContext) -> str:
    """What the changed fields hold after another user's edit; empty where the ERP does not say."""
    language = language_of(context)
    try:
        company, change = await _change(access, args, context)
        values = (await access.connector.get(company.id, change.entity, change.record_id or "")).values
    except BatutaError:
        return ""
    names = [name for name in change.values if name in values] or _STATE_FIELDS
    fields = fields_now(names, values, language)
    return _NOW[language].format(fields=fields) if fields else ""


async def _change(access: ErpAccess, args: Mapping[str, Any], context: ToolContext) -> tuple[ErpCompany, RecordChange]:
    """The change that arguments stand for: the same for preview, execution and reconciliation."""
    company = await company_for(access, str(args.get("company") or ""), context)
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


def _require_valid(access: ErpAccess, change: RecordChange, language: str) -> None:
    if change.kind not in ("create", "update"):
        return
    values = {name: value for name, value in change.values.items() if name != "id"}
    problems = [one for one in payload_problems(access.catalogue, change.kind, change.entity, values) if one.is_error]
    if problems:
        words = "; ".join(f"{one.field}: {one.message}" for one in problems[:10])
        raise ToolFailedError(_INVALID[language].format(entity=change.entity, problems=words))


def _result(outcome: WriteOutcome, args: Mapping[str, Any]) -> dict[str, Any]:
    """What a write brought, and the way on where it is a step of a workflow."""
    record, change = outcome.record, outcome.change
    done = {"create": "created", "update": "updated", "delete": "deleted", "action": f"{change.action} done"}
    facts: dict[str, Any] = {
        "outcome": done[change.kind],
        "is_changed": True,
        "entity": record.entity if record else change.entity,
        "record_id": record.id if record else change.record_id,
        "company": outcome.company.display_name,
        "summary": {language: outcome_in_words(outcome, language) for language in ("en", "es")},
    }
    if record is not None:
        facts |= {"etag": record.etag, "values": {k: v for k, v in record.values.items() if v not in ("", None)}}
    if then := args.get("then"):
        facts |= {"then": list(then), "next_tool": "next_step"}
    return facts


def _told(facts: dict[str, Any], context: ToolContext) -> dict[str, Any]:
    """The same, with the record it led to kept in the event, so that a page can lead there."""
    if "values" in facts:
        number = facts["values"].get("number") or facts["values"].get("displayName") or facts["record_id"]
        context.enrich(
            record={"entity": facts["entity"], "key": facts["record_id"], "company": facts["company"], "label": number}
        )
    return facts
