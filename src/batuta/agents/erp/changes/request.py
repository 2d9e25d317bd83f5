"""What a request to change something says: the act, the kind of record, which one, and the values. Pure, no lookups.

    read_request("cambia el límite de crédito de Hoteles Ribalta a 5.000", names)
        ->  ChangeRequest(act="update", entity="customers", which="Hoteles Ribalta, S.C.", values={"creditLimit": …})

Words that it cannot account for are kept in `unknown`: a write that leaves out a word of the request is another write.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from batuta.agents.erp.access import COUNTRY_NAMES
from batuta.agents.erp.changes.tokens import NAME, QUOTE, Line, line_of
from batuta.agents.erp.changes.vocabulary import (
    ARTICLES,
    DOCUMENTS,
    FIELDS,
    MASTER,
    NOUNS,
    OPENING,
    PAYMENT_NOUN,
    SPANISH_VERBS,
    VERBS,
    Act,
)
from batuta.language.findings import Language
from batuta.language.folding import fold
from batuta.language.numbers import find_numbers
from batuta.language.understanding import Synonyms


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedLine:
    """So many of an item, in the person's words."""

    quantity: Decimal
    item: str
    price: Decimal | None = None
    """For one of them, where it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """A change as it was asked for."""

    act: Act
    entity: str = ""
    """The entity set; empty where only a name was given."""
    which: str = ""
    """The number or name of the record it is about; of a new one, its name."""
    party: str = ""
    """The customer or vendor of a document."""
    lines: tuple[RequestedLine, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    amount: Decimal | None = None
    target: str = ""
    """What a document is to become."""
    then: tuple[str, ...] = ()
    """What is to be done with the result, in order: `post`, `pay`."""
    is_last: bool = False
    """About the document that was spoken of last: "post it"."""
    is_payment: bool = False
    """About the payment of the document, not the document."""
    is_another: bool = False
    """Another one of the same name is wanted."""
    unknown: tuple[str, ...] = ()
    language: Language = "en"


Names = Mapping[str, Synonyms]
CODE = r"(?:[a-z]{1,6}[-/]?)?\d[\w/-]{2,19}"
_NUMBER_SIGN = r"(?:(?:number|numero|no|nro|num|n\.?º|nº|n°|#)\.? )?"
_NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|un|una|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce"  # fmt: skip
_AMOUNT = r"(?:[€$£]\s?)?\d[\d.,']*(?:\s?(?:k|mil|thousand)\b)?(?: ?(?:€|eur|euros?|\$|usd|dollars?|dolares|£|gbp|pounds?|libras?)(?![\w]))?"
_PRONOUN = r"(?:it|this|that|them|lo|la|esto|eso|ese|esa|este|esta|el mismo|la misma)"


def _group(words: str) -> str:
    return "(?:" + "|".join(re.escape(word) for word in sorted(words.split("|"), key=len, reverse=True)) + ")"


def _noun(*entities: str, name: str = "noun") -> str:
    words = "|".join(NOUNS[entity] for entity in entities)
    return rf"(?P<{name}>{_group(words)})"


_OPEN = rf"^(?:(?:{_group(OPENING)})[ ,]+)*"
_ART = rf"(?:{_group(ARTICLES)} )*"
_ENCLITIC = r"(?:me|nos|le|les|te|se)?(?:l[oae]s?)?"


def _verb(act: Act) -> str:
    return rf"(?P<verb>{_group(VERBS[act])}){_ENCLITIC}"


_BECOMES = r"(?:into|in to|to|as|en|a|como)"
_ORDERS: Sequence[tuple[Act, str]] = (
        ("convert", rf"{_OPEN}{_verb('convert')} {_ART}{_noun('salesQuotes')} {_NUMBER_SIGN}(?P<rest>.*?\b{_BECOMES} {_ART}{_noun('salesOrders', 'salesInvoices', name='target')}\b.*)$"),
        ("convert", rf"{_OPEN}{_verb('convert')} {_BECOMES} {_ART}{_noun('salesOrders', 'salesInvoices', name='target')} {_ART}{_noun('salesQuotes')}\b(?P<rest>.*)$"),
        ("convert", rf"{_OPEN}(?P<verb>{_group(VERBS['convert'])})(?:(?:lo|la)| {_PRONOUN}) {_BECOMES} {_ART}{_noun('salesOrders', 'salesInvoices', name='target')}(?P<rest>\b.*)$"),
        ("convert", rf"{_OPEN}{_verb('convert')} {_PRONOUN} {_ART}{_noun('salesOrders', 'salesInvoices', name='target')}(?P<rest>\b.*)$"),
        ("convert", rf"{_OPEN}{_verb('create')} {_ART}{_noun('salesOrders', 'salesInvoices', name='target')} (?:from|out of|based on|a partir de|desde|con|de) {_ART}{_noun('salesQuotes')}\b(?P<rest>.*)$"),
        ("convert", rf"{_OPEN}(?P<verb>accept|acepta|aceptar) {_ART}{_noun('salesQuotes')}\b(?P<rest>.*)$"),
        ("pay", rf"{_OPEN}{_verb('pay')} {_ART}(?:(?P<first>{_AMOUNT}) )?(?P<noun>{_group(PAYMENT_NOUN)})\b(?P<rest>.*)$"),
        ("pay", rf"{_OPEN}(?P<verb>mark|set|marca|marcar|pon|deja) {_ART}{_noun('salesInvoices', 'purchaseInvoices')} (?P<rest>.*?) (?:as|to|como) (?:paid|settled|pagad[oa]|cobrad[oa])$"),
        ("pay", rf"{_OPEN}(?P<verb>pay|settle|cobra|cobrar|paga|pagar) {_ART}{_noun('salesInvoices', 'purchaseInvoices')}\b(?P<rest>.*)$"),
        ("pay", rf"^(?:(?:{NAME}|the customer|they|el cliente|nos|ya|{_group(OPENING)})[ ,]+)*(?:has |have |ha |han |hemos |just |already )*(?:paid|pagado|cobrado|settled)(?: us| for)? {_ART}{_noun('salesInvoices')} (?P<rest>{CODE}) ?[,;]? ?(?:(?:so|please|and|y|por favor|asi que) )*(?P<verb>record|register|post|enter|log|registra|apunta|anota|contabiliza)(?:lo|la| it| that| the payment| el cobro| el pago)$"),
        ("block", rf"{_OPEN}{_verb('block')} {_ART}(?:{_noun(*MASTER)} )?(?P<rest>.+)$"),
        ("unblock", rf"{_OPEN}{_verb('unblock')} {_ART}(?:{_noun(*MASTER)} )?(?P<rest>.+)$"),
        ("cancel", rf"{_OPEN}{_verb('cancel')} {_ART}{_noun(*DOCUMENTS)}\b(?P<rest>.*)$"),
        ("delete", rf"{_OPEN}{_verb('delete')} {_ART}{_noun(*DOCUMENTS, *MASTER)}\b(?P<rest>.*)$"),
        ("delete", rf"{_OPEN}{_verb('delete')} {_ART}(?P<payment>{_group(PAYMENT_NOUN)}) (?:for|of|on|de|del) {_ART}{_noun('salesInvoices', 'purchaseInvoices')}\b(?P<rest>.*)$"),
        ("update", rf"{_OPEN}{_verb('update')} {_ART}(?P<rest>.*)$"),
        ("post", rf"{_OPEN}{_verb('post')} {_ART}{_noun(*DOCUMENTS)} (?P<rest>{_NUMBER_SIGN}{CODE}\b.*)$"),
        ("create", rf"{_OPEN}{_verb('create')} (?:a |de )?{_ART}{_noun(*DOCUMENTS, *MASTER)}(?: nuev[oa]| new)?\b(?P<rest>.*)$"),
        ("create", rf"^(?:(?:{_group(OPENING)})[ ,]+)*?(?P<verb>i need|i want|we need|we want|i would like|necesito|necesitamos|quiero|quisiera|queria) (?:a|an|another|one|un|una|otro|otra)(?: new| nuevo| nueva)? {_noun(*DOCUMENTS)}(?: nuev[oa])?\b(?P<rest>.*)$"),
        ("post", rf"{_OPEN}{_verb('post')} {_ART}{_noun(*DOCUMENTS)}\b(?P<rest>.*)$"),
        ("post", rf"{_OPEN}(?P<verb>{_group(VERBS['post'])})(?: {_PRONOUN}|lo|la)(?P<rest>\b.*)$"),
        ("cancel", rf"{_OPEN}(?P<verb>{_group(VERBS['cancel'])})(?: {_PRONOUN}|lo|la)(?P<rest>\b.*)$"),
        ("create", rf"{_OPEN}(?P<verb>order|encarga|encargar|pide|pedir) (?P<rest>(?:\d[\d.,]*|{_group(_NUMBER_WORDS)}) .*)$"),
        ("create", rf"{_OPEN}(?P<verb>invoice|bill|factura|facturar)(?:le|les)? (?P<rest>(?:\d[\d.,]*|{_group(_NUMBER_WORDS)}) .*)$"),
        ("create", rf"{_OPEN}(?P<verb>invoice|bill|factura|facturar)(?:le|les)? (?P<rest>(?:(?:to|a|al|a la|for) )?(?:the |el |la )?(?:customer |client |cliente )?(?:{NAME})\b.*)$"),
)  # fmt: skip
"""How orders are said, the surest first; what follows the record is in `rest`."""
_PATTERNS = tuple((act, re.compile(pattern)) for act, pattern in _ORDERS)

_POST_VERBS = _group(VERBS["post"])
_PAY_TAIL = rf"(?:{_group(VERBS['pay'])}) {_ART}{_group(PAYMENT_NOUN)}(?: (?:of|for|on|de|del) {_ART}(?:{_group(NOUNS['salesInvoices'])}|it))?|cobra(?:la|lo|r)|mark it (?:as )?paid|marcal[ao] como (?:pagad[oa]|cobrad[oa])"
_THEN = re.compile(
    rf"(?:,|;|^| )\s?(?:and|y|e|then|luego|despues|,)(?: (?:then|also|luego|despues|tambien|ya))*\s"
    rf"(?:(?P<pay>{_PAY_TAIL})|(?P<post>{_POST_VERBS}(?:(?: {_PRONOUN}|lo|la)| {_ART}(?:{_group(NOUNS['salesOrders'])}|{_group(NOUNS['salesInvoices'])}))?))"
    r"(?= (?:,|and|y|e)\b|,| ;|$)"
)


def vocabulary() -> frozenset[str]:
    """The single words of the language of changes, to which typing errors are mended."""
    tables = [*VERBS.values(), *NOUNS.values(), PAYMENT_NOUN, OPENING, *(one.words for one in FIELDS.values())]
    phrases = [phrase for table in tables for phrase in table.split("|")]
    return frozenset(word for phrase in phrases for word in phrase.split() if word.isalpha()) | _MARKERS


_MARKERS = frozenset(
    [
        "called",
        "named",
        "with",
        "price",
        "address",
        "llamado",
        "llamada",
        "nombre",
        "precio",
        "para",
        "cliente",
        "customer",
        "from",
        "into",
        "quantity",
        "units",
        "unidades",
        "cantidad",
        "euros",
        "each",
        "cada",
        "discount",
        "descuento",
        "dated",
        "fecha",
    ]
)
_OTHER_VERBS = frozenset(
    [
        "cobra",
        "cobrar",
        "paga",
        "pagar",
        "settle",
        "marca",
        "marcar",
        "encarga",
        "encargar",
        "please",
        "thanks",
        "gracias",
        "favor",
    ]
)
_KNOWN = vocabulary() | _OTHER_VERBS


_COURTESY = re.compile(
    r"(?:[\s,.!]*\b(?:please|pls|plz|thanks|thank you|por favor|porfa|porfavor|gracias)\b)+[\s.!?]*$", re.IGNORECASE
)
"""What may stand behind an order."""


def read_request(text: str, names: Names) -> ChangeRequest | None:
    """What a single message asks to change; nothing if it asks for no change here."""
    line = line_of(_COURTESY.sub("", text), names, _KNOWN)
    plain = line.plain
    for act, pattern in _PATTERNS:
        found = pattern.match(plain)
        if found is None or _is_past(line, found):
            continue
        read = _READERS[act](_Matched(line=line, found=found, language=_language(found["verb"])))
        if read is not None:
            return read
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Matched:
    """An order whose beginning was recognised."""

    line: Line
    found: re.Match[str]
    language: Language

    @property
    def entity(self) -> str:
        return _entity(self.found.groupdict().get("noun") or "")

    def scan(self) -> "_Scan":
        """The rest of the order, what is to follow cut off its end."""
        start = self.found.start("rest")
        rest = self.found["rest"]
        then = ["pay" if step["pay"] else "post" for step in _THEN.finditer(rest)]
        then = [step for step, before in zip(then, ["", *then], strict=False) if step != before]
        cut = _THEN.sub("", rest)
        cut = _LEFT_AS_IT_IS.sub("", cut)
        return _Scan(line=self.line, start=start, plain=cut if rest.startswith(cut) else rest, then=tuple(then))


@dataclass
class _Scan:
    """A stretch of words, taken off from its beginning."""

    line: Line
    start: int
    """Where it begins in the line."""
    plain: str
    then: tuple[str, ...] = ()
    unknown: list[str] = field(default_factory=list)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What stands at the beginning, if it fits."""
        self._strip()
        found = pattern.match(self.plain)
        if found is not None and found.end():
            self._advance(found.end())
            return found
        return None

    def written(self, found: re.Match[str], group: str, consumed_at: int) -> str:
        """What was written for a group of a match that was taken at a place."""
        return self.line.original(consumed_at + found.start(group), consumed_at + found.end(group))

    def skip_word(self) -> None:
        """Leave a word out; one that says something is remembered."""
        self._strip()
        word = self.plain.split(" ", 1)[0]
        if word and word not in _SAYS_NOTHING:
            self.unknown.append(self.line.original(self.start, self.start + len(word)) or word)
        self._advance(len(word))

    def _strip(self) -> None:
        self._advance(len(self.plain) - len(self.plain.lstrip()))

    def _advance(self, count: int) -> None:
        self.start += count
        self.plain = self.plain[count:]


_LEFT_AS_IT_IS = re.compile(
    r"[ ,]*(?:but |pero )?(?:don't|dont|do not|without|no|sin) (?:(?:la|lo) )?(?:post|posting|ship|shipping|registr\w+|contabili\w+|envi\w+)"
    r"(?: it| lo| la)?(?: yet| aun| todavia| de momento)?$|[ ,]*(?:as a draft|as draft|como borrador|en borrador)$"
)
"""That a new document stays a draft, which it does anyway."""
_SAYS_NOTHING = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "with",
        "and",
        "please",
        "pls",
        "thanks",
        "thank",
        "you",
        "now",
        "its",
        "his",
        "her",
        "their",
        "our",
        "my",
        "is",
        "as",
        "by",
        "via",
        "un",
        "una",
        "el",
        "la",
        "los",
        "las",
        "de",
        "del",
        "al",
        "a",
        "en",
        "con",
        "por",
        "para",
        "y",
        "e",
        "favor",
        "gracias",
        "ya",
        "su",
        "sus",
        "le",
        "se",
        "lo",
        "que",
        "me",
        "nos",
        "porfa",
        ",",
        ":",
        ";",
        ".",
        "ahora",
        "mismo",
    ]
)
_HEADS = r"(?:for|to|para|a|al|at|@|with|con|and|y|e|,|:|;|dated|on|from|de|del|of|in|en|por)"
_QUANTITY = rf"(?P<quantity>\d[\d.,]*|{_group(_NUMBER_WORDS)})"
_WHO = rf"(?P<who>{NAME}|{QUOTE}|{CODE}|(?!\d)[^,:;]+?)"
_ENDS = rf"(?= {_HEADS}(?: |$)|,|:|;|$)"
_PARTY = re.compile(
    rf"(?:,? ?(?:for|to|para|a|al|de|del|from|of|by|on behalf of|a nombre de)\b )?(?:the |el |la |our |nuestro )?"
    rf"(?:(?P<kind>customer|client|cliente|vendor|supplier|proveedor)\b ?)?{_NUMBER_SIGN}(?P<who>(?:{NAME}|{QUOTE})(?=[ ,:;]|$)|(?:{CODE}|(?!\d)[^,:;]+?){_ENDS})"
)
_LINE = re.compile(
    rf"(?:(?:,|:|and|y|e|of|de|with|con|for|por) )*{_QUANTITY}(?: ?x\b)?(?: (?:units?|pieces?|pcs|unidad(?:es)?|uds?|cajas?|boxes)\b)?(?: (?:of|de|del))?"
    rf"(?: (?:the|el|la|los|las))? (?P<item>(?:[a-z]+ )?{NAME}|{QUOTE}|{CODE}|(?!\d)[^,:;]+?)(?= (?:for|to|para|a|al|at|@|with|con|and|y|e|dated|on|por)(?: |$)|,|:|;|$)"
)
_PRICE = re.compile(
    rf"(?:at|a|por|for|@|with price|with a price of|con precio|a precio de|precio|price) (?P<amount>{_AMOUNT})(?: (?:each|apiece|per unit|a unit|per piece|cada un[oa]|la unidad|por unidad|por pieza|unit))?(?= |,|$)"
)
_AMOUNT_CLAUSE = re.compile(rf"(?:of|de|por|for|:|worth)? ?(?P<amount>{_AMOUNT})(?= |,|$)")
_INVOICE_CLAUSE = re.compile(
    rf"(?:for|of|on|against|to|de|del|para|a|contra|por)? ?(?:(?:the|our|la|nuestra) )*{_noun('salesInvoices', 'purchaseInvoices')} {_NUMBER_SIGN}(?P<code>{CODE})"
)
_CODE_CLAUSE = re.compile(rf"{_NUMBER_SIGN}(?P<code>{CODE})(?= |,|$)")
_FIELD_GROUPS = {name: _group(one.words) for name, one in FIELDS.items()}
_FIELD_CLAUSE: Mapping[str, re.Pattern[str]] = {
    name: re.compile(
        rf"(?:(?:,|and|y|e|with|con|at|in|whose|cuyo|cuya|su|its|a|an|un|una|the|el|la) )*{group}(?: (?:is|es|of|de|:|=|number|numero))*"
        rf" (?P<value>{QUOTE}|{_AMOUNT if FIELDS[name].kind == 'number' else r'[+(]?[0-9][0-9 ()-]{5,}[0-9]' if FIELDS[name].kind == 'phone' else r'[^,;]+?'})"
        r"(?= (?:and|y|e|with|con|in|en)\b|,|;|$)"
    )
    for name, group in _FIELD_GROUPS.items()
}  # fmt: skip
_EMAIL = re.compile(r"(?:(?:,|and|y|with|con) )*(?P<value>[\w.+-]+@[\w-]+\.[\w.]+)(?= |,|$)")
_PLACE = re.compile(
    r"(?:(?:,|in|en|from|de|based in|con sede en|the) )+(?P<place>[^,:;\d]+?)(?= (?:and|y|with|con|in|en)\b|,|;|$)"
)
_NEW_NAME = re.compile(
    rf"(?:,|:|called|named|by the name of|with the name|with name|llamad[oa]|que se llama|que se llame|de nombre|con nombre|con el nombre(?: de)?|a nombre de)*\s?"
    rf"(?P<name>{QUOTE}|{NAME}|(?!(?:in|en|with|con|from|and|y)\b)[^,;]+?)(?= (?:in|en|with|con|from|at|whose|cuyo|based|{'|'.join(sorted(_FIELD_GROUPS.values()))})\b|,|;|$)"
)


_SPANISH = frozenset(verb for words in SPANISH_VERBS.values() for verb in words.split("|")) | {
    "necesito", "necesitamos", "quiero", "quisiera", "queria",
    "marca", "marcar", "cobra", "cobrar", "paga", "pagar", "encarga", "encargar", "pide", "pedir",
}  # fmt: skip


def _language(verb: str) -> Language:
    """The language of an order: that of its verb. Names of records say nothing, though they have accents."""
    return "es" if verb in _SPANISH else "en"


def _entity(noun: str) -> str:
    return next((entity for entity, words in NOUNS.items() if noun in words.split("|")), "")


def _is_past(line: Line, found: re.Match[str]) -> bool:
    """Whether the verb is a past form but for its accent: "registré" is no order, "registre" is."""
    end = found.end("verb")
    return any(
        word.at + len(word.plain) >= end > word.at and line.text[word.span.start : word.span.end][-1:] in "éóÉÓ"
        for word in line.words
    )


_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.,])|(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.,])")


def decimal_of(words: str, language: Language) -> Decimal | None:
    """The one number that some words say."""
    grouped = _GROUPED.search(words)
    if grouped is not None:  # of an amount, three digits behind a separator are thousands in either language
        words = words.replace(grouped.group(), re.sub(r"[.,]", "", grouped.group()))
    found = find_numbers(words, language=language)
    small = {"un": 1, "una": 1, "uno": 1, "one": 1, "a": 1, "an": 1}.get(fold(words.strip()))
    if small is not None:
        return Decimal(small)
    return found[0].value if len(found) == 1 else None


def _who(scan_line: Line, plain: str, start: int) -> str:
    """A record in words: the registered name where it is known, else what was written."""
    named = scan_line.named(plain)
    return named.value if named else scan_line.original(start, start + len(plain))


_INVOICING = ("invoice", "bill", "factura", "facturar")


def _read_document(matched: _Matched) -> ChangeRequest | None:
    """A new document: whose, and its lines."""
    entity = matched.entity or ("salesInvoices" if matched.found["verb"] in _INVOICING else "salesOrders")
    scan = matched.scan()
    party, values = "", {}
    lines: list[RequestedLine] = []
    while scan.plain.strip():
        at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
        if (taken := _take_field(scan, entity, matched.language)) is not None:
            values.update(taken)
        elif lines and (found := scan.take(_PRICE)) is not None:
            price = decimal_of(found["amount"], matched.language)
            lines[-1] = replace(lines[-1], price=price)
        elif (found := scan.take(_LINE)) is not None:
            quantity = decimal_of(found["quantity"], matched.language)
            item = found["item"].split(" ")[-1] if re.search(rf"{NAME}$", found["item"]) else found["item"]
            where = at + found.end("item") - len(item)
            lines.append(RequestedLine(quantity=quantity or Decimal(0), item=_who(scan.line, item, where)))
        elif not party and (found := scan.take(_PARTY)) is not None and found["who"].strip():
            party = _who(scan.line, found["who"], at + found.start("who"))
            named = scan.line.named(found["who"])
            entity = "purchaseOrders" if not matched.entity and named and named.kind == "vendor" else entity
        else:
            scan.skip_word()
    return ChangeRequest(
        act="create", entity=entity, party=party, lines=tuple(lines), values=values, then=scan.then,
        unknown=tuple(scan.unknown), language=matched.language,
    )  # fmt: skip


def _read_master(matched: _Matched) -> ChangeRequest | None:
    """A new customer, vendor or item: its name, then what is known of it."""
    scan = matched.scan()
    at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
    found = scan.take(_NEW_NAME)
    which = scan.line.original(at + found.start("name"), at + found.end("name")) if found and found["name"] else ""
    values: dict[str, str] = {}
    while scan.plain.strip():
        at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
        if (taken := _take_field(scan, matched.entity, matched.language)) is not None:
            values.update(taken)
        elif matched.entity != "items" and (email := scan.take(_EMAIL)) is not None:
            values["email"] = scan.line.original(at + email.start("value"), at + email.end("value"))
        elif matched.entity != "items" and (place := scan.take(_PLACE)) is not None:
            said = scan.line.original(at + place.start("place"), at + place.end("place"))
            values["country" if country_code(said) else "city"] = said
        else:
            scan.skip_word()
    return ChangeRequest(
        act="create", entity=matched.entity, which=which, values=values, unknown=tuple(scan.unknown) + scan.then,
        is_another=re.search(r"\b(?:another|otr[oa])\b", matched.line.plain) is not None, language=matched.language,
    )  # fmt: skip


def _take_field(scan: _Scan, entity: str, language: Language) -> dict[str, str] | None:
    """A field and its value, if one is named next."""
    at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
    for name, pattern in _FIELD_CLAUSE.items():
        if entity in FIELDS[name].entities and (found := scan.take(pattern)) is not None:
            return {name: scan.line.original(at + found.start("value"), at + found.end("value"))}
    return None


def _read_create(matched: _Matched) -> ChangeRequest | None:
    """A new record. "Register the invoice" is about one that there is."""
    verb, entity = matched.found["verb"], matched.entity
    between = matched.line.plain[matched.found.end("verb") : matched.found.start("noun")] if "noun" in matched.found.re.groupindex else ""  # fmt: skip
    is_definite = re.search(r"\b(?:the|la|el|this|esta|este|esa|ese|mi|my)\b", between) is not None
    if entity in MASTER:
        return _read_master(matched)
    if is_definite and re.match(r"regist|record|enter|open|abr", verb):
        return None
    document = _read_document(matched)
    is_wish = verb in _WISHES
    return None if is_wish and (document is None or not document.lines) else document


_WISHES = (
    "i need",
    "i want",
    "we need",
    "we want",
    "i would like",
    "necesito",
    "necesitamos",
    "quiero",
    "quisiera",
    "queria",
)
"""Without lines they may ask for a document that there is: "I need the invoice of …"."""
_UPDATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<field>FIELD) (?:of|for|de|del|a|al|para|en|from) {_ART}(?:{_noun(*MASTER, *DOCUMENTS)} )?{_NUMBER_SIGN}{_WHO} (?:to|al|a|en|=|:|as|por|at|is|be|sea)(?: be)? (?P<value>.+)$",
        rf"(?P<field>FIELD) (?:to|a|en|=|:) (?P<value>\S+(?: \S+)*?) (?:for|of|de|del|para|a|al|to) {_ART}(?:{_noun(*MASTER, *DOCUMENTS)} )?{_NUMBER_SIGN}{_WHO}$",
        rf"(?:(?:for|to|of|a|al|de|del) )?{_ART}(?:{_noun(*MASTER, *DOCUMENTS)} )?{_NUMBER_SIGN}{_WHO}(?: s)? (?:(?:the|el|la|su|its|un|una|a|with|con) )*(?P<field>FIELD)(?: (?:to|al|a|en|=|:|of|de|is|as))* (?P<value>.+)$",
        rf"(?:(?:for|to|of|a|al|de|del) )?{_ART}(?:{_noun(*MASTER, *DOCUMENTS)} )?{_NUMBER_SIGN}{_WHO}(?: s)? (?:(?:the|el|la|su|its) )*(?P<field>FIELD)$",
        rf"(?P<field>FIELD) (?:of|for|de|del|a|al|para) {_ART}(?:{_noun(*MASTER, *DOCUMENTS)} )?{_NUMBER_SIGN}{_WHO}$",
    )
    for pattern in (pattern.replace("FIELD", _group("|".join(one.words for one in FIELDS.values()))),)
)  # fmt: skip
_RENAME = re.compile(rf"(?:{_noun(*MASTER)} )?{_WHO} (?:to|as|a|como|por) (?P<value>.+)$")


def _read_update(matched: _Matched) -> ChangeRequest | None:
    """A field of a record that is to have another value."""
    start, rest = matched.found.start("rest"), matched.found["rest"]
    is_renaming = matched.found["verb"] in ("rename", "renombra")
    for pattern in (_RENAME,) if is_renaming else _UPDATES:
        found = pattern.match(rest)
        if found is None:
            continue
        entity = _entity(found.groupdict().get("noun") or "")
        named = matched.line.named(found["who"])
        kinds = [entity] if entity else [f"{named.kind}s"] if named else []
        name = "displayName" if is_renaming else _field_named(found["field"], kinds)
        if name is None:
            continue
        value = ""
        if found.groupdict().get("value"):
            value = matched.line.original(start + found.start("value"), start + found.end("value"))
        return ChangeRequest(
            act="update", entity=entity or (kinds[0] if kinds else FIELDS[name].entities[0]),
            which=_who(matched.line, found["who"], start + found.start("who")), values={name: value},
            language=matched.language,
        )  # fmt: skip
    return None


def _field_named(words: str, entities: Sequence[str]) -> str | None:
    fitting = [name for name, one in FIELDS.items() if words in one.words.split("|")]
    own = [name for name in fitting if not entities or set(entities) & set(FIELDS[name].entities)]
    return own[0] if own else None


def _read_blocking(act: Act) -> Callable[[_Matched], ChangeRequest | None]:
    def read(matched: _Matched) -> ChangeRequest | None:
        rest = matched.found["rest"].strip()
        named = matched.line.named(rest)
        if not matched.entity and named is None:
            return None  # "block tomorrow morning" is no customer
        scan = matched.scan()
        at = scan.start
        found = scan.take(re.compile(rf"{_NUMBER_SIGN}{_WHO}(?= (?:for|para|because|porque)\b|,|;|$)"))
        which = _who(scan.line, found["who"], at + found.start("who")) if found else ""
        while scan.plain.strip():
            scan.skip_word()
        entity = matched.entity or (f"{named.kind}s" if named else "")
        return ChangeRequest(
            act=act, entity=entity, which=which, unknown=(*scan.unknown, *scan.then), language=matched.language
        )

    return read


def _read_known(act: Act) -> Callable[[_Matched], ChangeRequest | None]:
    """A document or record that there is: by its number, or by whose it is."""

    def read(matched: _Matched) -> ChangeRequest | None:
        scan = matched.scan()
        which = party = ""
        while scan.plain.strip():
            at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
            if not which and (found := scan.take(_CODE_CLAUSE)) is not None:
                which = scan.line.original(at + found.start("code"), at + found.end("code"))
            elif not party and not (which and matched.entity in MASTER) and (found := scan.take(_PARTY)) is not None:
                party = _who(scan.line, found["who"], at + found.start("who"))
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


def _read_conversion(matched: _Matched) -> ChangeRequest | None:
    scan = matched.scan()
    target = _entity(matched.found.groupdict().get("target") or "pedido")
    becomes = re.compile(rf"{_BECOMES} {_ART}{_noun('salesOrders', 'salesInvoices', name='target')}\b")
    which = party = ""
    while scan.plain.strip():
        at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
        if not which and (found := scan.take(_CODE_CLAUSE)) is not None:
            which = scan.line.original(at + found.start("code"), at + found.end("code"))
        elif scan.take(becomes) is not None:
            continue
        elif not party and (found := scan.take(_PARTY)) is not None:
            party = _who(scan.line, found["who"], at + found.start("who"))
        else:
            scan.skip_word()
    return ChangeRequest(
        act="convert", entity="salesQuotes", which=which, party=party, target=target, then=scan.then,
        is_last="noun" not in matched.found.re.groupindex, unknown=tuple(scan.unknown), language=matched.language,
    )  # fmt: skip


def _read_payment(matched: _Matched) -> ChangeRequest | None:
    """Money that came in for an invoice or from a customer."""
    scan = matched.scan()
    entity = matched.entity
    which = party = ""
    first = matched.found.groupdict().get("first")
    amount = decimal_of(first, matched.language) if first else None
    while scan.plain.strip():
        at = scan.start + len(scan.plain) - len(scan.plain.lstrip())
        if not which and (found := scan.take(_INVOICE_CLAUSE)) is not None:
            which, entity = scan.line.original(at + found.start("code"), at + found.end("code")), _entity(found["noun"])
        elif not which and entity and (found := scan.take(_CODE_CLAUSE)) is not None:
            which = scan.line.original(at + found.start("code"), at + found.end("code"))
        elif amount is None and (found := scan.take(_AMOUNT_CLAUSE)) is not None:
            amount = decimal_of(
                scan.line.original(at + found.start("amount"), at + found.end("amount")), matched.language
            )
        elif not party and (found := scan.take(_PARTY)) is not None:
            party = _who(scan.line, found["who"], at + found.start("who"))
        else:
            scan.skip_word()
    return ChangeRequest(
        act="pay", entity=entity or "salesInvoices", which=which, party=party, amount=amount,
        unknown=(*scan.unknown, *scan.then), language=matched.language,
    )  # fmt: skip


_READERS: Mapping[Act, Callable[[_Matched], ChangeRequest | None]] = {
    "create": _read_create,
    "update": _read_update,
    "block": _read_blocking("block"),
    "unblock": _read_blocking("unblock"),
    "post": _read_known("post"),
    "cancel": _read_known("cancel"),
    "delete": _read_known("delete"),
    "convert": _read_conversion,
    "pay": _read_payment,
}


def requested_lines(text: str, names: Names, language: Language) -> tuple[RequestedLine, ...]:
    """The lines that an answer gives: "3 tables and 2 chairs"."""
    read = read_request(f"create order: {text}", names)
    return () if read is None else tuple(replace(line) for line in read.lines)


def country_code(words: str) -> str | None:
    """The code of a country by its name in either language, or by the code itself."""
    plain = fold(words.strip())
    for code, spoken in COUNTRY_NAMES.items():
        if plain in (code.lower(), *map(fold, spoken)):
            return code
    return None
