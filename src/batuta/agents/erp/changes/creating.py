"""Readers of orders for something new: a document with its lines, a customer, a vendor, an item."""

import re
from dataclasses import replace
from decimal import Decimal

from batuta.agents.erp.changes.patterns import CODE, EMAIL, INVOICING, LINE, NEW_NAME, PARTY, PLACE, PRICE, WISHES
from batuta.agents.erp.changes.request import ChangeRequest, RequestedLine
from batuta.agents.erp.changes.scanning import MatchedOrder, record_in_words, take_field
from batuta.agents.erp.changes.tokens import NAME
from batuta.agents.erp.changes.values import country_code, decimal_of
from batuta.agents.erp.changes.vocabulary import MASTER


def read_create(matched: MatchedOrder) -> ChangeRequest | None:
    """A new record. "Register the invoice" is about one that there is."""
    verb, entity = matched.found["verb"], matched.entity
    between = matched.line.plain[matched.found.end("verb") : matched.found.start("noun")] if "noun" in matched.found.re.groupindex else ""  # fmt: skip
    is_definite = re.search(r"\b(?:the|la|el|this|esta|este|esa|ese|mi|my)\b", between) is not None
    if entity in MASTER:
        return _read_master(matched)
    if is_definite and re.match(r"regist|record|enter|open|abr", verb):
        return None
    document = _read_document(matched)
    if not entity and not _names_a_record(matched, document):
        return None  # "order a pizza for 8" is none of ours
    return None if verb in WISHES and not document.lines else document


def _names_a_record(matched: MatchedOrder, document: ChangeRequest) -> bool:
    """Whether a customer, vendor or item that there is, or a number, is named: without it nothing tells what is bought."""
    spoken = (document.party, *(line.item for line in document.lines))
    named = {one.value for one in matched.line.names}
    return any(words in named or re.fullmatch(CODE, words.lower()) for words in spoken)


def _read_document(matched: MatchedOrder) -> ChangeRequest:
    """A new document: whose, and its lines."""
    entity = matched.entity or ("salesInvoices" if matched.found["verb"] in INVOICING else "salesOrders")
    scan = matched.scan()
    party, values = "", {}
    lines: list[RequestedLine] = []
    while scan.plain.strip():
        at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
        if (taken := take_field(scan, entity, matched.language)) is not None:
            values.update(taken)
        elif lines and (found := scan.take(PRICE)) is not None:
            price = decimal_of(found["amount"], matched.language)
            lines[-1] = replace(lines[-1], price=price)
        elif (found := scan.take(LINE)) is not None:
            quantity = decimal_of(found["quantity"], matched.language)
            item = found["item"].split(" ")[-1] if re.search(rf"{NAME}$", found["item"]) else found["item"]
            where = at + found.end("item") - len(item)
            lines.append(RequestedLine(quantity=quantity or Decimal(0), item=record_in_words(scan.line, item, where)))
        elif not party and (found := scan.take(PARTY)) is not None and found["who"].strip():
            party = record_in_words(scan.line, found["who"], at + found.start("who"))
            named = scan.line.named(found["who"])
            entity = "purchaseOrders" if not matched.entity and named and named.kind == "vendor" else entity
        else:
            scan.skip_word()
    return ChangeRequest(
        act="create", entity=entity, party=party, lines=tuple(lines), values=values, then=scan.then,
        unknown=tuple(scan.unknown), language=matched.language,
    )  # fmt: skip


def _read_master(matched: MatchedOrder) -> ChangeRequest | None:
    """A new customer, vendor or item: its name, then what is known of it."""
    scan = matched.scan()
    at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
    found = scan.take(NEW_NAME)
    which = scan.line.original(at + found.start("name"), at + found.end("name")) if found and found["name"] else ""
    values: dict[str, str] = {}
    while scan.plain.strip():
        at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
        if (taken := take_field(scan, matched.entity, matched.language)) is not None:
            values.update(taken)
        elif matched.entity == "items" and "unitPrice" not in values and (price := scan.take(PRICE)) is not None:
            values["unitPrice"] = scan.line.original(at + price.start("amount"), at + price.end("amount"))
        elif matched.entity != "items" and (email := scan.take(EMAIL)) is not None:
            values["email"] = scan.line.original(at + email.start("value"), at + email.end("value"))
        elif matched.entity != "items" and (place := scan.take(PLACE)) is not None:
            said = scan.line.original(at + place.start("place"), at + place.end("place"))
            values["country" if country_code(said) else "city"] = said
        else:
            scan.skip_word()
    return ChangeRequest(
        act="create", entity=matched.entity, which=which, values=values, unknown=tuple(scan.unknown) + scan.then,
        is_another=re.search(r"\b(?:another|otr[oa])\b", matched.line.plain) is not None, language=matched.language,
    )  # fmt: skip
