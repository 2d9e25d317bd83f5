"""From a message to the change it asks for. Pure: names are given, nothing is looked up."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from batuta.agents.erp.changes.creating import read_create
from batuta.agents.erp.changes.patterns import (
    AMOUNT_CLAUSE,
    ART,
    BECOMES,
    CODE_CLAUSE,
    COURTESY,
    INVOICE_CLAUSE,
    KNOWN_WORDS,
    NEXT_FIELD,
    NUMBER_SIGN,
    ORDERS,
    OWED,
    PARTY,
    RENAME,
    TODAY_CLAUSE,
    UPDATES,
    WHO,
    noun,
)
from batuta.agents.erp.changes.request import ChangeRequest, Names, RequestedLine
from batuta.agents.erp.changes.scanning import MatchedOrder, entity_of, is_past, language_of_verb, record_in_words
from batuta.agents.erp.changes.tokens import line_of
from batuta.agents.erp.changes.values import decimal_of
from batuta.agents.erp.changes.vocabulary import FIELDS, MASTER, VENDOR_WORDS, Act
from batuta.language.findings import Language


def read_request(text: str, names: Names) -> ChangeRequest | None:
    """What a single message asks to change; nothing if it asks for no change here."""
    line = line_of(COURTESY.sub("", text), names, KNOWN_WORDS)
    plain = line.plain
    for act, pattern in ORDERS:
        found = pattern.match(plain)
        if found is None or is_past(line, found):
            continue
        read = _READERS[act](MatchedOrder(line=line, found=found, language=language_of_verb(found["verb"])))
        if read is not None:
            return read
    return None


def requested_lines(text: str, names: Names, language: Language) -> tuple[RequestedLine, ...]:
    """The lines that an answer gives: "3 tables and 2 chairs"."""
    read = read_request(f"create order: {text}", names)
    return () if read is None else tuple(replace(line) for line in read.lines)


def _read_update(matched: MatchedOrder) -> ChangeRequest | None:
    """A field of a record that is to have another value."""
    start, rest = matched.found.start("rest"), matched.found["rest"]
    is_renaming = matched.found["verb"] in ("rename", "renombra")
    for pattern in (RENAME,) if is_renaming else UPDATES:
        found = pattern.match(rest)
        if found is None:
            continue
        entity = entity_of(found.groupdict().get("noun") or "")
        named = matched.line.named(found["who"])
        kinds = [entity] if entity else [f"{named.kind}s"] if named else []
        name = "displayName" if is_renaming else _field_named(found["field"], kinds)
        if name is None:
            continue
        kinds = kinds or [FIELDS[name].entities[0]]
        values: dict[str, str] = {name: ""}
        unknown: list[str] = []
        if found.groupdict().get("value"):
            values, unknown = _values_said(
                matched, name, kinds, start + found.start("value"), start + found.end("value")
            )
        return ChangeRequest(
            act="update", entity=entity or kinds[0],
            which=record_in_words(matched.line, found["who"], start + found.start("who")), values=values,
            unknown=tuple(unknown), language=matched.language,
        )  # fmt: skip
    return None


def _values_said(
    matched: MatchedOrder, first: str, kinds: Sequence[str], start: int, end: int
) -> tuple[dict[str, str], list[str]]:
    """The values of one field or of several in a row, and the names of fields that the record does not have."""
    line = matched.line
    nexts = list(NEXT_FIELD.finditer(line.plain, start, end))
    names = [first, *(_field_named(each["field"], kinds) for each in nexts)]
    starts, ends = [start, *(each.end() for each in nexts)], [*(each.start() for each in nexts), end]
    values: dict[str, str] = {}
    unknown = []
    for place, name in enumerate(names):
        said = line.original(starts[place], ends[place])
        if name is None or name in values:
            unknown.append(nexts[place - 1]["field"])
        else:
            values[name] = said
    return values, unknown


def _field_named(words: str, entities: Sequence[str]) -> str | None:
    fitting = [name for name, one in FIELDS.items() if words in one.words.split("|")]
    own = [name for name in fitting if not entities or set(entities) & set(FIELDS[name].entities)]
    return own[0] if own else None


def _read_blocking(act: Act) -> Callable[[MatchedOrder], ChangeRequest | None]:
    def read(matched: MatchedOrder) -> ChangeRequest | None:
        rest = matched.found["rest"].strip()
        named = matched.line.named(rest)
        if not matched.entity and named is None:
            return None  # "block tomorrow morning" is no customer
        scan = matched.scan()
        at = scan.start
        found = scan.take(re.compile(rf"{NUMBER_SIGN}{WHO}(?= (?:for|para|because|porque)\b|,|;|$)"))
        which = record_in_words(scan.line, found["who"], at + found.start("who")) if found else ""
        while scan.plain.strip():
            scan.skip_word()
        entity = matched.entity or (f"{named.kind}s" if named else "")
        return ChangeRequest(
            act=act, entity=entity, which=which, unknown=(*scan.unknown, *scan.then), language=matched.language
        )

    return read


def _read_known(act: Act) -> Callable[[MatchedOrder], ChangeRequest | None]:
    """A document or record that there is: by its number, or by whose it is."""

    def read(matched: MatchedOrder) -> ChangeRequest | None:
        scan = matched.scan()
        which = party = ""
        while scan.plain.strip():
            at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
            if not which and (found := scan.take(CODE_CLAUSE)) is not None:
                which = scan.line.original(at + found.start("code"), at + found.end("code"))
            elif not party and not (which and matched.entity in MASTER) and (found := scan.take(PARTY)) is not None:
                party = record_in_words(scan.line, found["who"], at + found.start("who"))
            else:
                scan.skip_word()
        if matched.entity in MASTER:
            which, party = which or party, ""
        if which and party and not any(one.value == party for one in scan.line.names):
            scan.unknown.append(party)  # the number says which: what else is said must be understood
        is_last = "noun" not in matched.found.re.groupindex
        then = scan.then
        if act == "post" and then[:1] == ("post",):
            then = then[1:]  # "ship it and invoice it" is one posting
        return ChangeRequest(
            act=act, entity=matched.entity, which=which, party=party, then=then, is_last=is_last,
            is_payment="payment" in matched.found.re.groupindex, unknown=tuple(scan.unknown), language=matched.language,
        )  # fmt: skip

    return read


def _read_conversion(matched: MatchedOrder) -> ChangeRequest | None:
    scan = matched.scan()
    target = entity_of(matched.found.groupdict().get("target") or "pedido")
    becomes = re.compile(rf"{BECOMES} {ART}{noun('salesOrders', 'salesInvoices', name='target')}\b")
    which = party = ""
    while scan.plain.strip():
        at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
        if not which and (found := scan.take(CODE_CLAUSE)) is not None:
            which = scan.line.original(at + found.start("code"), at + found.end("code"))
        elif scan.take(becomes) is not None:
            continue
        elif not party and (found := scan.take(PARTY)) is not None:
            party = record_in_words(scan.line, found["who"], at + found.start("who"))
        else:
            scan.skip_word()
    return ChangeRequest(
        act="convert", entity="salesQuotes", which=which, party=party, target=target, then=scan.then,
        is_last="noun" not in matched.found.re.groupindex, unknown=tuple(scan.unknown), language=matched.language,
    )  # fmt: skip


def _read_payment(matched: MatchedOrder) -> ChangeRequest | None:
    """Money that came in for an invoice or from a customer, or that goes to a vendor."""
    scan = matched.scan()
    entity = matched.entity
    which = party = ""
    first = matched.found.groupdict().get("first")
    amount = decimal_of(first, matched.language) if first else None
    if payer := matched.found.groupdict().get("payer"):
        party = record_in_words(scan.line, payer.split()[-1], matched.found.end("payer") - len(payer.split()[-1]))
    while scan.plain.strip():
        at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
        if not which and (found := scan.take(INVOICE_CLAUSE)) is not None:
            which, entity = (
                scan.line.original(at + found.start("code"), at + found.end("code")),
                entity if entity == "purchaseInvoices" else entity_of(found["noun"]),  # whom we pay billed us
            )
        elif not which and entity and not party and (found := scan.take(CODE_CLAUSE)) is not None:
            which = scan.line.original(at + found.start("code"), at + found.end("code"))
        elif scan.take(TODAY_CLAUSE) is not None or (party and scan.take(OWED) is not None):
            continue
        elif amount is None and (found := scan.take(AMOUNT_CLAUSE)) is not None:
            amount = decimal_of(
                scan.line.original(at + found.start("amount"), at + found.end("amount")), matched.language
            )
        elif not party and (found := scan.take(PARTY)) is not None:
            party = record_in_words(scan.line, found["who"], at + found.start("who"))
            named = scan.line.named(found["who"])
            is_vendor = found["kind"] in VENDOR_WORDS or (named is not None and named.kind == "vendor")
            entity = entity or ("purchaseInvoices" if is_vendor else "")
        else:
            scan.skip_word()
    if "payee" in matched.found.re.groupindex and entity != "purchaseInvoices":
        return None  # whom we pay is a vendor: what a customer gets back is no payment of an invoice
    return ChangeRequest(
        act="pay", entity=entity or "salesInvoices", which=which, party=party, amount=amount,
        unknown=(*scan.unknown, *scan.then), language=matched.language,
    )  # fmt: skip


_READERS: Mapping[Act, Callable[[MatchedOrder], ChangeRequest | None]] = {
    "create": read_create,
    "update": _read_update,
    "block": _read_blocking("block"),
    "unblock": _read_blocking("unblock"),
    "post": _read_known("post"),
    "cancel": _read_known("cancel"),
    "delete": _read_known("delete"),
    "convert": _read_conversion,
    "pay": _read_payment,
}
