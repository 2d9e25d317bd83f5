"""The tools before a write: `prepare_change` for a request in a person's words, `next_step` for a workflow's next write.

Both only read. Their result names the tool that writes (`next_tool`) with its arguments, or says what is missing.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from batuta.agents.erp.access import ErpAccess, language_of
from batuta.agents.erp.changes.lookups import ErpLookup, company_name
from batuta.agents.erp.changes.phrases import noun_of, phrase
from batuta.agents.erp.changes.reading import read_request
from batuta.agents.erp.changes.request import ChangeRequest, Names
from batuta.agents.erp.changes.resolving import OpenQuestion, Resolver, lines_in_words
from batuta.agents.erp.changes.steps import next_write
from batuta.agents.erp.changes.vocabulary import DOCUMENTS, NOUNS
from batuta.agents.erp.measures.records import plain_member
from batuta.agents.erp.rights import company_for
from batuta.connectors.erp import ChangeKind, RecordChange
from batuta.kernel.errors import BatutaError, ConnectorRejectedError
from batuta.language.amounts import find_money
from batuta.language.choices import index_of
from batuta.language.detection import detect_language, tells_language
from batuta.language.findings import LANGUAGES
from batuta.language.folding import fold
from batuta.language.interpretation import AMENDED_BY
from batuta.tools.context import ToolContext
from batuta.tools.tool import Tool, tool

EXAMPLES = {"en": "post the invoice 102149", "es": "registra la factura 102149"}
_MENTIONED = re.compile(
    r"\b(?P<noun>" + "|".join(sorted((re.escape(word) for entity in DOCUMENTS for word in NOUNS[entity].split("|")), key=len, reverse=True))
    + r")\s+\**(?P<number>[A-Za-z]{0,6}[-/]?\d[\w/-]{2,19})"
)  # fmt: skip


def preparing_tools(access: ErpAccess) -> tuple[Tool, Tool]:
    """The tools `prepare_change` and `next_step`."""

    @tool(kind="retrieval")
    async def prepare_change(request: str, context: ToolContext, company: str = "", about: str = "") -> dict[str, Any]:
        """Find out what a request to create, change, post, cancel, pay or delete something means, and prepare it.

        Call it before a write that was asked for in words; then call the tool that `next_tool` names, with its values.

        Args:
            request: The whole request in the user's own words.
            context: The call.
            company: A part of the company's name; without it the one that the user works in.
            about: What was said last, where the request speaks of it as "it".
        """
        language = _language(request, context)
        try:
            lookup = ErpLookup(access=access, company=await company_for(access, company, context))
            return await _prepared(lookup, request, about, language)
        except BatutaError as error:
            raise await access.failure(error, language) from error

    @tool(kind="retrieval")
    async def next_step(
        entity: str, record_id: str, then: list[str], context: ToolContext, company: str = ""
    ) -> dict[str, Any]:
        """Prepare the next write of a workflow after one was made, such as posting the order a quote became.

        Call it when a write's result names it as `next_tool`, with that result's values.

        Args:
            entity: The entity set of the record that the last write left.
            record_id: That record.
            then: The steps that are left: `post`, `pay`, `post_payment`.
            context: The call.
            company: A part of the company's name.
        """
        try:
            lookup = ErpLookup(access=access, company=await company_for(access, company, context))
            return await _next(lookup, entity, record_id, then)
        except BatutaError as error:
            raise await access.failure(error, language_of(context)) from error

    return prepare_change, next_step


def names_of(access: ErpAccess) -> Names:
    """The names that requests may hold, by kind of record."""
    return {kind: access.names(kind) for kind in ("customer", "vendor", "item")}


def without_company(text: str, access: ErpAccess) -> str:
    """A request without the words that name the company it is about; that one is an argument of its own."""
    for each in reversed(index_of(access.names("company"), is_names=True).find(text, takes_parts=True)):
        before = _COMPANY.search(text[: each.span.start])
        if before is not None:
            text = f"{text[: before.start()]} {text[each.span.end :]}"
    return text.strip()


_COMPANY = re.compile(
    r"[\s,]*(?:\b(?:in|at|for|of|en|de|para)\s+)?(?:(?:the|la|nuestra|our)\s+)?(?:company|empresa|sociedad)\s+$",
    re.IGNORECASE,
)


def newest_request(text: str, names: Names) -> tuple[ChangeRequest | None, list[str], str]:
    """The change that a request asks for, the answers that were given to it later, and what was said before it."""
    parts = text.split(AMENDED_BY)
    for place in range(len(parts) - 1, -1, -1):
        found = read_request(parts[place], names)
        if found is not None:
            return found, parts[place + 1 :], " ".join(parts[:place])
    return None, [], ""


def mentioned_document(text: str) -> tuple[str, str] | None:
    """The last document that a text names: its entity set and number."""
    found = list(_MENTIONED.finditer(fold(text)))
    if not found:
        return None
    noun = found[-1]["noun"]
    entity = next(entity for entity in DOCUMENTS if noun in NOUNS[entity].split("|"))
    return entity, found[-1]["number"].upper()


async def _prepared(lookup: ErpLookup, text: str, about: str, language: str) -> dict[str, Any]:
    names = names_of(lookup.access)
    request, answers, before = newest_request(without_company(text, lookup.access), names)
    if request is None:
        return {"outcome": "not_understood", "summary": phrase("not_read", language, example=EXAMPLES[language])}
    request = _of_last(request, f"{before} {about}")
    currencies = frozenset(each.value.currency for each in find_money(text))
    resolver = Resolver(
        lookup=lookup, today=lookup.access.today(), language=language, names=names, currencies=currencies
    )
    resolved = await resolver.resolve(request)
    for answer in answers:
        if isinstance(resolved, OpenQuestion) and resolved.key:
            request = resolver.answered(request, resolved.key, answer)
            resolved = await resolver.resolve(request)
    if isinstance(resolved, OpenQuestion):
        return {"outcome": "question" if resolved.key else "nothing_to_do", "summary": resolved.text}
    return await _rehearsed(lookup, resolved.tool, resolved.args)


def _of_last(request: ChangeRequest, said: str) -> ChangeRequest:
    """The request about the document that was spoken of last, where it speaks of "it"."""
    last = mentioned_document(said) if request.is_last else None
    if last is None or request.which:
        return _with_entity(request)
    return _with_entity(request, *last)


def _with_entity(request: ChangeRequest, entity: str = "", number: str = "") -> ChangeRequest:
    return replace(request, entity=entity or request.entity or "salesInvoices", which=number or request.which)


async def _next(lookup: ErpLookup, entity: str, record_id: str, then: list[str]) -> dict[str, Any]:
    record = await lookup.get(entity, record_id)
    found = await next_write(lookup, record, then[0], then[1:], today=lookup.access.today()) if then else "no_step"
    if not isinstance(found, str):
        return await _rehearsed(lookup, found.tool, found.args)
    said = {
        language: phrase(
            found,
            language,
            noun=noun_of(entity, language),
            number=record.values.get("number", ""),
            status=plain_member(record.values.get("status")),
            company=company_name(lookup.company),
            lines=await lines_in_words(lookup, language),
        )
        for language in LANGUAGES
    }
    return {"outcome": "nothing_to_do", "summary": said}


async def _rehearsed(lookup: ErpLookup, tool_name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """A write that the ERP would carry out; one that it refuses is not put before a person."""
    kinds: Mapping[str, ChangeKind] = {"create_record": "create", "update_record": "update", "delete_record": "delete"}
    change = RecordChange(
        kind=kinds.get(tool_name, "action"), entity=args["entity"], record_id=args.get("record_id"), etag=args.get("etag"),
        action=args.get("action"), values=args.get("values") or {},
    )  # fmt: skip
    try:
        await lookup.access.connector.preview(lookup.company.id, change)
    except ConnectorRejectedError as error:
        said = {
            language: phrase("refused", language, reason=await lookup.access.failure(error, language))
            for language in LANGUAGES
        }
        return {"outcome": "refused", "summary": said}
    return {"outcome": "prepared", "next_tool": tool_name, **args}


def _language(text: str, context: ToolContext) -> str:
    """The language of the request, where it is in one; else the reader's."""
    said = text.split(AMENDED_BY, maxsplit=1)[0]
    return detect_language(said) if tells_language(said) else language_of(context)
