"""Reading records: lists become datasets whose rows lead to their records, one record comes with its version."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from batuta.agents.erp.access import ErpAccess, language_of
from batuta.agents.erp.conditions import FieldCondition, as_filter
from batuta.agents.erp.measures.records import UNSET_ID, plain_member
from batuta.agents.erp.naming import (
    LINES_FIELD,
    LOCAL_AMOUNTS,
    MONEY_FIELDS,
    NAMING_FIELDS,
    card_in_words,
    entity_label,
    field_label,
    fields_in_words,
)
from batuta.agents.erp.previews import lines_table
from batuta.agents.erp.rights import company_for
from batuta.agents.erp.wording import money_in_words
from batuta.connectors.business_central.catalogue import CatalogueEntity, CatalogueProperty
from batuta.connectors.erp import ErpCompany, ErpRecord, RecordQuery
from batuta.connectors.odata.filters import Compare, Filter, Matches
from batuta.datasets.dataset import Dataset, dataset_name
from batuta.events.datasets import Column, ColumnType, Provenance, RecordReference
from batuta.kernel.errors import BatutaError, ToolFailedError
from batuta.language.findings import LANGUAGES
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool

DEFAULT_LIMIT = 200
MAX_LIMIT = 20_000
USUAL_FIELDS = (
    "number", "code", "displayName", "name", "customerName", "vendorName", "description", "postingDate", "invoiceDate",
    "orderDate", "documentDate", "dueDate", "status", "quantity", "unitPrice", "unitCost", "inventory", "amount",
    "totalAmountExcludingTax", "totalAmountIncludingTax", "remainingAmount", "balance", "balanceDue", "country", "city",
    "email", "phoneNumber", "blocked", "currencyCode",
)  # fmt: skip
"""What people look at first; the others are read when they are asked for."""

_WORDS = {
    "en": {
        "several": "“{which}” fits several ({label}): {names}. Which one?",
        "none": "{company} has no “{which}” ({label}).",
    },
    "es": {
        "several": "«{which}» puede ser varios ({label}): {names}. ¿Cuál?",
        "none": "{company} no tiene «{which}» ({label}).",
    },
}
_TYPES: dict[str, ColumnType] = {
    "Decimal": "decimal",
    "Int32": "integer",
    "Int64": "integer",
    "Boolean": "boolean",
    "Date": "date",
    "DateTimeOffset": "datetime",
}
_NOT_ADDED = re.compile(r"(unit(Price|Cost)|percent|rate|limit)", re.IGNORECASE)
_TOTALLED = ("totalAmountExcludingTax", "totalAmountIncludingTax")
"""What a list of documents is added up by in its answer."""
_NAMING = re.compile(r"(name|title|code|label)$", re.IGNORECASE)
_CURRENCY = "currencyCode"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordWording:
    """How records are shown to a reader."""

    language: str = "en"
    currency: str = ""
    """Of the books, for amounts that are in no other."""
    fields: tuple[str, ...] = ()
    """The fields that were asked for, which a summary has besides what a record is called."""
    is_ranking: bool = False
    """Whether the first ones of an order were asked for: that there are more says nothing."""


def reading_tools(access: ErpAccess) -> tuple[Tool, Tool]:
    """The tools `read_records` and `find_record`."""

    @tool(kind="retrieval")
    async def read_records(
        entity: str,
        context: ToolContext,
        where: list[FieldCondition] | None = None,
        fields: list[str] | None = None,
        order_by: list[str] | None = None,
        limit: int = DEFAULT_LIMIT,
        company: str = "",
    ) -> Dataset:
        """Read records of the ERP as a table. For totals and rankings use `compute_measure` instead.

        Args:
            entity: The entity set, such as `salesInvoices`; `search_entities` finds it.
            context: The call.
            where: Conditions that all have to hold.
            fields: The fields to show; without them the usual ones.
            order_by: Fields to sort by, ` desc` behind those that descend.
            limit: At most so many records.
            company: A part of the company's name; without it the one that the user works in.
        """
        try:
            known = access.catalogue.entity(entity)
            chosen = await company_for(access, company, context)
            shown = _fields(known, fields or ())
            query = RecordQuery(
                entity=known.entity_set,
                where=as_filter(known, where or ()),
                select=tuple(dict.fromkeys((*known.key, *shown))),
                order_by=tuple(order_by or ()),
                limit=min(max(limit, 1), MAX_LIMIT) + 1,
            )
            records, url = await _read(access, chosen, query)
        except BatutaError as error:
            raise await access.failure(error, language_of(context)) from error
        found = records[:limit]
        provenance = Provenance(
            connector=access.connector.name,
            company=chosen.display_name,
            query=url,
            retrieved_at=datetime.now(UTC),
            record_count=len(found),
            is_cut_short=len(records) > limit,
        )
        wording = RecordWording(
            language=language_of(context),
            currency=await _local_currency(access, chosen),
            fields=tuple(fields or ()),
            is_ranking=bool(order_by) and limit != DEFAULT_LIMIT,
        )
        return records_dataset(known, chosen, shown, found, provenance, wording)

    @tool(kind="retrieval")
    async def find_record(
        entity: str, which: str, context: ToolContext, fields: list[str] | None = None, company: str = ""
    ) -> dict[str, Any]:
        """Find one record by its number, code or name, with the version that a change has to be based on.

        Args:
            entity: The entity set, such as `customers`.
            which: Its number, code, name or id.
            context: The call.
            fields: What is asked of it, such as `dueDate`, or the `lines` of a document; without them what people look
                at first.
            company: A part of the company's name; without it the one that the user works in.
        """
        try:
            known = access.catalogue.entity(entity)
            chosen = await company_for(access, company, context)
            known, record = await _one_of_a_kind(access, known, chosen, which, language_of(context))
            shown = {**record.values, **await _related(access, chosen, record.values, fields or ())}
            currency = await _local_currency(access, chosen)
            lines = await _lines_of(access, chosen, known, record) if LINES_FIELD in (fields or ()) else []
        except BatutaError as error:
            raise await access.failure(error, language_of(context)) from error
        summary = card_in_words(known.entity_set, shown, language_of(context), fields or (), currency)
        if lines:
            summary += f"\n\n{lines_table(lines[0].entity, [one.values for one in lines], language_of(context))}"
        return {
            "entity": known.entity_set,
            "record_id": record.id,
            "etag": record.etag,
            "company": chosen.display_name,
            "summary": summary,
            "values": {name: value for name, value in record.values.items() if value not in ("", None)},
        }

    return read_records, find_record


_SAID_OF_BOTH = {
    "salesInvoices": "purchaseInvoices",
    "salesOrders": "purchaseOrders",
    "salesCreditMemos": "purchaseCreditMemos",
}
"""Whose documents have one word: "the invoice 108040" may be a vendor's."""


async def _one_of_a_kind(
    access: ErpAccess, known: CatalogueEntity, company: ErpCompany, which: str, language: str
) -> tuple[CatalogueEntity, ErpRecord]:
    """The record that a person means, or one of the other kind that has the same word, where only that is there."""
    other = access.catalogue.entities.get(_SAID_OF_BOTH.get(known.entity_set, ""))
    try:
        return known, await one_record(access, known, company, which, language)
    except ToolFailedError:
        if other is None or not (found := await _numbered(access, other, company, which)):
            raise
        return other, found[0]


_RELATED = {
    "paymentTermsId": "paymentTerms",
    "paymentMethodId": "paymentMethods",
    "shipmentMethodId": "shipmentMethods",
}
"""Fields that hold the id of a record, whose name people ask for."""


async def _related(
    access: ErpAccess, company: ErpCompany, values: Mapping[str, Any], fields: Sequence[str]
) -> dict[str, str]:
    """The names of the records that some fields lead to."""
    found = {}
    for name in fields:
        if not (key := values.get(name)) or name not in _RELATED or key == UNSET_ID:
            continue
        query = RecordQuery(entity=_RELATED[name], where=Compare("id", "eq", str(key)))
        records, _ = await _read(access, company, query)
        if records:
            found[name] = str(records[0].values.get("displayName") or records[0].values["code"])
    return found


async def _lines_of(
    access: ErpAccess, company: ErpCompany, known: CatalogueEntity, record: ErpRecord
) -> list[ErpRecord]:
    """The lines of a document; none of what has none."""
    if not known.lines:
        return []
    query = RecordQuery(entity=known.lines, where=Compare("documentId", "eq", record.id))
    return (await _read(access, company, query))[0]


async def _local_currency(access: ErpAccess, company: ErpCompany) -> str:
    """The currency of a company's books; none where the ERP does not tell."""
    return (await access.books(company.id)).currency if "companyInformation" in access.catalogue.entities else ""


async def _numbered(access: ErpAccess, known: CatalogueEntity, company: ErpCompany, which: str) -> list[ErpRecord]:
    records, _ = await _read(
        access, company, RecordQuery(entity=known.entity_set, where=Compare("number", "eq", which))
    )
    return records


async def one_record(
    access: ErpAccess, known: CatalogueEntity, company: ErpCompany, which: str, language: str = "en"
) -> ErpRecord:
    """The record that a person means. Raises `ToolFailedError` if none or several fit."""
    words, label = _WORDS[language], entity_label(known.entity_set, language)
    for where in _ways(known, which):
        records, _ = await _read(access, company, RecordQuery(entity=known.entity_set, where=where, limit=6))
        if len(records) == 1:
            return records[0]
        if records:
            names = "; ".join(_called(record.values) for record in records[:5])
            raise ToolFailedError(words["several"].format(which=which[:60], label=label, names=names))
    raise ToolFailedError(words["none"].format(which=which[:60], label=label, company=company.display_name))


def records_dataset(
    known: CatalogueEntity,
    company: ErpCompany,
    shown: Sequence[str],
    records: Sequence[ErpRecord],
    provenance: Provenance,
    wording: RecordWording,
) -> Dataset:
    """Records as a table, each row with the record it is."""
    columns = [_column(known, known.properties[name], wording) for name in shown]
    return Dataset(
        name=dataset_name(_CAMEL.sub("_", known.entity_set)),
        title=entity_label(known.entity_set, wording.language),
        columns=columns,
        rows=[[_cell(record.values.get(name)) for name in shown] for record in records],
        references=[
            RecordReference(
                entity=known.entity_set, key=record.id or str(record.values[known.key[0]]), company=company.id
            )
            for record in records
        ],
        provenance=provenance,
        summary={
            each: _summary(known, company, records, replace(wording, language=each), is_cut=provenance.is_cut_short)
            for each in LANGUAGES
        },
    )


def _summary(
    known: CatalogueEntity,
    company: ErpCompany,
    records: Sequence[ErpRecord],
    wording: RecordWording,
    *,
    is_cut: bool,
) -> str:
    entity, language, currency = known.entity_set, wording.language, wording.currency
    if len(records) == 1:
        values = {name: _cell(value) for name, value in records[0].values.items()}
        asked = [name for name in wording.fields if name not in NAMING_FIELDS]
        return card_in_words(entity, values, language, asked, currency)
    count = f"{len(records)}+" if is_cut and not wording.is_ranking else str(len(records))
    named = [(_called(record.values), record.values) for record in records[:5]]
    first = "; ".join(
        name + fields_in_words(entity, values, language, wording.fields, currency) for name, values in named if name
    )
    rest = f": {first}" + ("; …" if len(records) > 5 else "") if first else ""
    said = f"{entity_label(entity, language)} ({company.display_name}): **{count}**{rest}".rstrip(".") + "."
    return said if is_cut else said + _totals(records, language, currency)


def _totals(records: Sequence[ErpRecord], language: str, currency: str) -> str:
    """What documents add up to, each currency by itself."""
    said = []
    for name in _TOTALLED:
        sums: dict[str, Decimal] = {}
        for record in records:
            if (amount := record.values.get(name)) is not None:
                kept = str(record.values.get(_CURRENCY) or currency)
                sums[kept] = sums.get(kept, Decimal(0)) + Decimal(str(amount))
        shown = " + ".join(money_in_words(value, kept, language) for kept, value in sums.items())
        said += [f"{field_label(name, language)}: {shown}"] if shown else []
    return f" {'; '.join(said)}." if said else ""


async def _read(access: ErpAccess, company: ErpCompany, query: RecordQuery) -> tuple[list[ErpRecord], str]:
    records: list[ErpRecord] = []
    url = ""
    async for page in access.connector.pages(company.id, query):
        records += page.records
        url = url or page.url
    return records, url


def _fields(known: CatalogueEntity, asked: Sequence[str]) -> tuple[str, ...]:
    unknown = [name for name in asked if name not in known.properties]
    if unknown:
        raise ToolFailedError(f"{known.entity_set} has no {', '.join(unknown)}; it has {', '.join(known.properties)}")
    usual = [name for name in USUAL_FIELDS if name in known.properties]
    shown = asked or usual or list(known.properties)[:12]
    # An amount of a document says nothing without its currency.
    needs_currency = known.entity_set not in LOCAL_AMOUNTS and any(MONEY_FIELDS.search(name) for name in shown)
    return tuple(dict.fromkeys((*shown, *([_CURRENCY] if needs_currency and _CURRENCY in known.properties else []))))


def _ways(known: CatalogueEntity, which: str) -> list[Filter]:
    """How a record may be meant, surest first."""
    if re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", which):
        return [Compare(known.key[0], "eq", which)]
    numbers = [name for name in ("number", "code") if name in known.properties]
    names = [name for name in ("displayName", "name", "customerName", "vendorName") if name in known.properties]
    if not numbers and not names:  # an ERP of which only the metadata is known
        numbers = [name for name in known.key if _fits(known.properties[name], which)]
        names = [name for name, one in known.properties.items() if one.type == "String" and _NAMING.search(name)]
    ways: list[Filter] = [Compare(name, "eq", which) for name in (*numbers, *names)]
    ways += [Matches(name, "contains", which) for name in names]
    return ways


def _fits(one: CatalogueProperty, text: str) -> bool:
    return one.type == "String" or (one.type in ("Int16", "Int32", "Int64") and text.isdecimal())


def _column(known: CatalogueEntity, one: CatalogueProperty, wording: RecordWording) -> Column:
    type_name = _TYPES.get(one.type, "text")
    is_money = type_name == "decimal" and MONEY_FIELDS.search(one.name) is not None
    is_local = is_money and known.entity_set in LOCAL_AMOUNTS
    return Column(
        name=dataset_name(_CAMEL.sub("_", one.name)),
        type=type_name,
        label=field_label(one.name, wording.language),
        currency=(wording.currency or None) if is_local else None,
        currency_column="currency_code" if is_money and not is_local and "currencyCode" in known.properties else None,
        is_additive=_NOT_ADDED.search(one.name) is None,
    )


def _cell(value: Any) -> Any:
    """A value as people read it: no date where none is set, and members of enumerations without their encoding."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, default=str)
    if value in ("0001-01-01", "0001-01-01T00:00:00Z"):
        return None
    return plain_member(value) if isinstance(value, str) and "_x00" in value else value


def _called(values: Mapping[str, Any]) -> str:
    parts = (values.get(name) for name in NAMING_FIELDS)
    return " ".join(str(part) for part in parts if part) or str(values.get("documentNumber") or "")
