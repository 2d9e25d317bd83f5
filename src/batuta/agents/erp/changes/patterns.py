"""How orders to change something are said in English and Spanish, as patterns over folded text. No rules, no lookups.

`ORDERS` recognises how an order begins and leaves what follows the record in `rest`; the clauses are taken off that one
after another.
"""

import re
from collections.abc import Mapping, Sequence

from batuta.agents.erp.changes.tokens import NAME, QUOTE
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

CODE = r"(?:[a-z]{1,6}[-/]?)?\d[\w/-]{2,19}"
NUMBER_SIGN = r"(?:(?:number|numero|no|nro|num|n\.?º|nº|n°|#)\.? )?"
_NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|un|una|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce"  # fmt: skip
_AMOUNT = r"(?:[€$£]\s?)?\d[\d.,']*(?:\s?(?:k|mil|thousand)\b)?(?: ?(?:€|eur|euros?|\$|usd|dollars?|dolares|£|gbp|pounds?|libras?)(?![\w]))?"
_PRONOUN = r"(?:it|this|that|them|lo|la|esto|eso|ese|esa|este|esta|el mismo|la misma)"


def group(words: str) -> str:
    return "(?:" + "|".join(re.escape(word) for word in sorted(words.split("|"), key=len, reverse=True)) + ")"


def noun(*entities: str, name: str = "noun") -> str:
    words = "|".join(NOUNS[entity] for entity in entities)
    return rf"(?P<{name}>{group(words)})"


_OPEN = rf"^(?:(?:{group(OPENING)})[ ,]+)*"
ART = rf"(?:{group(ARTICLES)} )*"
_ENCLITIC = r"(?:me|nos|le|les|te|se)?(?:l[oae]s?)?"


def _verb(act: Act) -> str:
    return rf"(?P<verb>{group(VERBS[act])}){_ENCLITIC}"


RECEIVE = (
    "receive and invoice|receive and post|receive|book in|recibe y factura|recibir y facturar|recibe y registra|recibe|recibir|"
    "reciba|recepciona y factura|recepciona|recepcionar"
)
"""What posts an order to a vendor."""
NOTE = "register|record|note|log|enter|registra|registrar|apunta|apuntar|anota|anotar"
"""Before what somebody did: "registra que Ana nos ha pagado la factura 1032"."""
OWED = re.compile(
    r"(?:,? ?(?:all|everything|whatever|todo|what) )*(?:(?:that )?we (?:still )?owe(?: (?:them|him|her|it))?|"
    r"lo que (?:aun |todavia )?(?:se )?(?:le |les )?(?:debemos|debo|debe)|(?:the |el |la )?(?:full |whole )?(?:balance|amount due|saldo|deuda)(?: pendiente)?)"
    r"(?= |,|$)"
)
"""The whole of what is open, which is what a payment is of anyway."""
BECOMES = r"(?:into|in to|to|as|en|a|como)"
_ORDER_FORMS: Sequence[tuple[Act, str]] = (
        ("convert", rf"{_OPEN}{_verb('convert')} {ART}{noun('salesQuotes')} {NUMBER_SIGN}(?P<rest>.*?\b{BECOMES} {ART}{noun('salesOrders', 'salesInvoices', name='target')}\b.*)$"),
        ("convert", rf"{_OPEN}{_verb('convert')} {BECOMES} {ART}{noun('salesOrders', 'salesInvoices', name='target')} {ART}{noun('salesQuotes')}\b(?P<rest>.*)$"),
        ("convert", rf"{_OPEN}(?P<verb>{group(VERBS['convert'])})(?:(?:lo|la)| {_PRONOUN}) {BECOMES} {ART}{noun('salesOrders', 'salesInvoices', name='target')}(?P<rest>\b.*)$"),
        ("convert", rf"{_OPEN}{_verb('convert')} {_PRONOUN} {ART}{noun('salesOrders', 'salesInvoices', name='target')}(?P<rest>\b.*)$"),
        ("convert", rf"{_OPEN}{_verb('create')} {ART}{noun('salesOrders', 'salesInvoices', name='target')} (?:from|out of|based on|a partir de|desde|con|de) {ART}{noun('salesQuotes')}\b(?P<rest>.*)$"),
        ("convert", rf"{_OPEN}(?P<verb>accept|acepta|aceptar) {ART}{noun('salesQuotes')}\b(?P<rest>.*)$"),
        ("pay", rf"{_OPEN}{_verb('pay')} {ART}(?:(?P<first>{_AMOUNT}) )?(?P<noun>{group(PAYMENT_NOUN)})\b(?P<rest>.*)$"),
        ("pay", rf"{_OPEN}(?P<verb>mark|set|marca|marcar|pon|deja) {ART}{noun('salesInvoices', 'purchaseInvoices')} (?P<rest>.*?) (?:as|to|como) (?:paid|settled|pagad[oa]|cobrad[oa])$"),
        ("pay", rf"{_OPEN}(?P<verb>pay|settle|cobra|cobrar|paga|pagar) {ART}{noun('salesInvoices', 'purchaseInvoices')}\b(?P<rest>.*)$"),
        ("pay", rf"{_OPEN}(?P<verb>pay|paga|pagar|pague)(?:le|les)? (?:(?P<first>{_AMOUNT}) )?(?P<rest>(?:to |a |al |the |el |la |our |nuestro )*(?P<payee>(?:vendor|supplier|proveedor|proveedora) )?(?:{NAME}|{QUOTE})(?= |,|$).*)$"),
        ("pay", rf"^(?:(?:{NAME}|the customer|they|el cliente|nos|ya|{group(OPENING)})[ ,]+)*(?:has |have |ha |han |hemos |just |already )*(?:paid|pagado|cobrado|settled)(?: us| for)? {ART}{noun('salesInvoices')} (?P<rest>{CODE}) ?[,;]? ?(?:(?:so|please|and|y|por favor|asi que) )*(?P<verb>record|register|post|enter|log|registra|apunta|anota|contabiliza)(?:lo|la| it| that| the payment| el cobro| el pago)$"),
        ("pay", rf"{_OPEN}(?P<verb>{group(NOTE)}) (?:que|that) (?P<payer>(?:(?:the|our|el|la|customer|client|cliente) )*(?:{NAME}|{QUOTE})) (?:(?:nos|has|have|ha|han|already|ya) )*(?:paid|pagado|settled)(?: us)?\b(?P<rest>.*)$"),
        ("block", rf"{_OPEN}{_verb('block')} {ART}(?:{noun(*MASTER)} )?(?P<rest>.+)$"),
        ("unblock", rf"{_OPEN}{_verb('unblock')} {ART}(?:{noun(*MASTER)} )?(?P<rest>.+)$"),
        ("cancel", rf"{_OPEN}{_verb('cancel')} {ART}{noun(*DOCUMENTS)}\b(?P<rest>.*)$"),
        ("delete", rf"{_OPEN}{_verb('delete')} {ART}{noun(*DOCUMENTS, *MASTER)}\b(?P<rest>.*)$"),
        ("delete", rf"{_OPEN}{_verb('delete')} {ART}(?P<payment>{group(PAYMENT_NOUN)}) (?:for|of|on|de|del) {ART}{noun('salesInvoices', 'purchaseInvoices')}\b(?P<rest>.*)$"),
        ("update", rf"{_OPEN}{_verb('update')} {ART}(?P<rest>.*)$"),
        ("post", rf"{_OPEN}(?P<verb>{group(RECEIVE)}){_ENCLITIC} {ART}{noun('purchaseOrders')} (?P<rest>{NUMBER_SIGN}{CODE}\b.*)$"),
        ("post", rf"{_OPEN}(?P<verb>{group(RECEIVE)}){_ENCLITIC} {ART}{noun('purchaseOrders')}\b(?P<rest>.*)$"),
        ("post", rf"{_OPEN}{_verb('post')} {ART}{noun(*DOCUMENTS)} (?P<rest>{NUMBER_SIGN}{CODE}\b.*)$"),
        ("create", rf"{_OPEN}{_verb('create')} (?:a |de )?{ART}{noun(*DOCUMENTS, *MASTER)}(?: nuev[oa]| new)?\b(?P<rest>.*)$"),
        ("create", rf"^(?:(?:{group(OPENING)})[ ,]+)*?(?P<verb>i need|i want|we need|we want|i would like|necesito|necesitamos|quiero|quisiera|queria) (?:a|an|another|one|un|una|otro|otra)(?: new| nuevo| nueva)? {noun(*DOCUMENTS)}(?: nuev[oa])?\b(?P<rest>.*)$"),
        ("post", rf"{_OPEN}{_verb('post')} {ART}{noun(*DOCUMENTS)}\b(?P<rest>.*)$"),
        ("post", rf"{_OPEN}(?P<verb>{group(VERBS['post'])})(?: {_PRONOUN}|lo|la)(?P<rest>\b.*)$"),
        ("cancel", rf"{_OPEN}(?P<verb>{group(VERBS['cancel'])})(?: {_PRONOUN}|lo|la)(?P<rest>\b.*)$"),
        ("create", rf"{_OPEN}(?P<verb>order|encarga|encargar|pide|pedir) (?P<rest>(?:\d[\d.,]*|{group(_NUMBER_WORDS)}) .*)$"),
        ("create", rf"{_OPEN}(?P<verb>invoice|bill|factura|facturar)(?:le|les)? (?P<rest>(?:\d[\d.,]*|{group(_NUMBER_WORDS)}) .*)$"),
        ("create", rf"{_OPEN}(?P<verb>invoice|bill|factura|facturar)(?:le|les)? (?P<rest>(?:(?:to|a|al|a la|for) )?(?:the |el |la )?(?:customer |client |cliente )?(?:{NAME})\b.*)$"),
)  # fmt: skip
"""How orders are said, the surest first; what follows the record is in `rest`."""
ORDERS = tuple((act, re.compile(pattern)) for act, pattern in _ORDER_FORMS)

_POST_VERBS = group(VERBS["post"])
_PAY_TAIL = rf"(?:{group(VERBS['pay'])}) {ART}{group(PAYMENT_NOUN)}(?: (?:of|for|on|de|del) {ART}(?:{group(NOUNS['salesInvoices'])}|it))?|cobra(?:la|lo|r)|mark it (?:as )?paid|marcal[ao] como (?:pagad[oa]|cobrad[oa])"
THEN = re.compile(
    rf"(?:,|;|^| )\s?(?:and|y|e|then|luego|despues|,)(?: (?:then|also|luego|despues|tambien|ya))*\s"
    rf"(?:(?P<pay>{_PAY_TAIL})|(?P<post>{_POST_VERBS}(?:(?: {_PRONOUN}|lo|la)| {ART}(?:{group(NOUNS['salesOrders'])}|{group(NOUNS['salesInvoices'])}))?))"
    r"(?= (?:,|and|y|e)\b|,| ;|$)"
)


def vocabulary() -> frozenset[str]:
    """The single words of the language of changes, to which typing errors are mended."""
    tables = [*VERBS.values(), *NOUNS.values(), PAYMENT_NOUN, OPENING, *(one.words for one in FIELDS.values())]
    phrases = [phrase for table in tables for phrase in table.split("|")]
    return frozenset(word for phrase in phrases for word in phrase.split() if word.isalpha()) | _MARKERS


_MARKERS = frozenset([
    "called", "named", "with", "price", "address", "llamado", "llamada", "nombre", "precio", "para", "cliente",
    "customer", "from", "into", "quantity", "units", "unidades", "cantidad", "euros", "each", "cada",
    "discount", "descuento", "dated", "fecha",
])  # fmt: skip
_OTHER_VERBS = frozenset([
    *(word for words in (*RECEIVE.split("|"), *NOTE.split("|")) for word in words.split()),
    "cobra", "cobrar", "paga", "pagar", "settle", "marca", "marcar", "encarga", "encargar", "please", "thanks",
    "gracias", "favor",
])  # fmt: skip
KNOWN_WORDS = vocabulary() | _OTHER_VERBS
COURTESY = re.compile(
    r"(?:[\s,.!]*\b(?:please|pls|plz|thanks|thank you|por favor|porfa|porfavor|gracias)\b)+[\s.!?]*$", re.IGNORECASE
)
"""What may stand behind an order."""
LEFT_AS_IT_IS = re.compile(
    r"[ ,]*(?:but |pero )?(?:don't|dont|do not|without|no|sin) (?:(?:la|lo) )?(?:post|posting|ship|shipping|registr\w+|contabili\w+|envi\w+)"
    r"(?: it| lo| la)?(?: yet| aun| todavia| de momento)?$|[ ,]*(?:as a draft|as draft|como borrador|en borrador)$"
)
"""That a new document stays a draft, which it does anyway."""
SAYS_NOTHING = frozenset([
    "a", "an", "the", "of", "to", "in", "on", "at", "for", "with", "and", "please", "pls", "thanks", "thank",
    "you", "now", "its", "his", "her", "their", "our", "my", "is", "as", "by", "via", "un", "una", "el", "la",
    "los", "las", "de", "del", "al", "en", "con", "por", "para", "y", "e", "favor", "gracias", "ya", "su",
    "sus", "le", "se", "lo", "que", "me", "nos", "porfa", ",", ":", ";", ".", "ahora", "mismo",
])  # fmt: skip
_HEADS = r"(?:for|to|para|a|al|at|@|with|con|and|y|e|,|:|;|dated|on|from|de|del|of|in|en|por)"
_QUANTITY = rf"(?P<quantity>\d[\d.,]*|{group(_NUMBER_WORDS)})"
WHO = rf"(?P<who>{NAME}|{QUOTE}|{CODE}|(?!\d)[^,:;]+?)"
_ENDS = rf"(?= {_HEADS}(?: |$)|,|:|;|$)"
PARTY = re.compile(
    rf"(?:,? ?(?:for|to|para|a|al|de|del|from|of|by|on behalf of|a nombre de)\b )?(?:the |el |la |our |nuestro )?"
    rf"(?:(?P<kind>customer|client|cliente|vendor|supplier|proveedora?)\b ?)?{NUMBER_SIGN}(?P<who>(?:{NAME}|{QUOTE})(?=[ ,:;]|$)|(?:{CODE}|(?!\d)[^,:;]+?){_ENDS})"
)
LINE = re.compile(
    rf"(?:(?:,|:|and|y|e|of|de|with|con|for|por) )*{_QUANTITY}(?: ?x\b)?(?: (?:units?|pieces?|pcs|unidad(?:es)?|uds?|cajas?|boxes)\b)?(?: (?:of|de|del))?"
    rf"(?: (?:the|el|la|los|las))? (?P<item>(?:[a-z]+ )?{NAME}|{QUOTE}|{CODE}|(?!\d)[^,:;]+?)(?= (?:for|to|from|para|a|al|at|@|with|con|and|y|e|dated|on|por)(?: |$)|,|:|;|$)"
)
PRICE = re.compile(
    rf"(?:at|a|por|for|@|with price|with a price of|con precio|a precio de|precio|price) (?P<amount>{_AMOUNT})(?: (?:each|apiece|per unit|a unit|per piece|cada un[oa]|la unidad|por unidad|por pieza|unit))?(?= |,|$)"
)
AMOUNT_CLAUSE = re.compile(rf"(?:of|de|por|for|:|worth)? ?(?P<amount>{_AMOUNT})(?= |,|$)")
INVOICE_CLAUSE = re.compile(
    rf"(?:for|of|on|against|to|de|del|para|a|contra|por)? ?(?:(?:the|our|la|nuestra) )*{noun('salesInvoices', 'purchaseInvoices')} {NUMBER_SIGN}(?P<code>{CODE})"
)
TODAY_CLAUSE = re.compile(r"(?:(?:,|on|dated|as of|a|de|con|date|fecha|del dia) )*(?:today|hoy)(?= |,|$)")
"""The day on which a payment is entered unless another is named."""
CODE_CLAUSE = re.compile(rf"{NUMBER_SIGN}(?P<code>{CODE})(?= |,|$)")
_FIELD_GROUPS = {name: group(one.words) for name, one in FIELDS.items()}
FIELD_CLAUSE: Mapping[str, re.Pattern[str]] = {
    name: re.compile(
        rf"(?:(?:,|and|y|e|with|con|at|in|whose|cuyo|cuya|su|its|a|an|un|una|the|el|la) )*{group}(?: (?:is|es|of|de|:|=|number|numero))*"
        rf" (?P<value>{QUOTE}|{_AMOUNT if FIELDS[name].kind == 'number' else r'[+(]?[0-9][0-9 ()-]{5,}[0-9]' if FIELDS[name].kind == 'phone' else r'[^,;]+?'})"
        r"(?= (?:and|y|e|with|con|in|en)\b| ?[,;]|$)"
    )
    for name, group in _FIELD_GROUPS.items()
}  # fmt: skip
EMAIL = re.compile(r"(?:(?:,|and|y|with|con) )*(?P<value>[\w.+-]+@[\w-]+\.[\w.]+)(?= |,|$)")
PLACE = re.compile(
    r"(?:(?:,|in|en|from|de|based in|con sede en|the) )+(?P<place>[^,:;\d]+?)(?= (?:and|y|with|con|in|en)\b|,|;|$)"
)
NEW_NAME = re.compile(
    rf"(?:,|:|called|named|by the name of|with the name|with name|llamad[oa]|que se llama|que se llame|de nombre|con nombre|con el nombre(?: de)?|a nombre de)*\s?"
    rf"(?P<name>{QUOTE}|{NAME}|(?!(?:in|en|with|con|from|and|y)\b)[^,;]+?)(?= (?:in|en|with|con|from|at|whose|cuyo|based|{'|'.join(sorted(_FIELD_GROUPS.values()))})\b| (?:at|a|for|por|@) [€$£]?\d|,|;|$)"
)
SPANISH = frozenset(verb for words in SPANISH_VERBS.values() for verb in words.split("|")) | {
    *(verb for verb in (*RECEIVE.split("|"), *NOTE.split("|")) if re.match(r"rec[ei][bp]|registra|apunta|anota", verb)),
    "necesito", "necesitamos", "quiero", "quisiera", "queria",
    "marca", "marcar", "cobra", "cobrar", "paga", "pagar", "encarga", "encargar", "pide", "pedir",
}  # fmt: skip
INVOICING = ("invoice", "bill", "factura", "facturar")
WISHES = (
    "i need", "i want", "we need", "we want", "i would like", "necesito", "necesitamos", "quiero", "quisiera", "queria",
)  # fmt: skip
"""Without lines they may ask for a document that there is: "I need the invoice of …"."""
_WHOSE_PERSON = group(FIELDS["salespersonCode"].words)
UPDATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:(?:a|to|the|el|la) )*(?P<value>\S+(?: \S+)*?) (?:as|de|como) (?:(?:the|el|la|su) )?(?P<field>{_WHOSE_PERSON}) (?:of|for|to|de|del|a|al|en|para) {ART}(?:{noun('customers')} )?{NUMBER_SIGN}{WHO}$",
        rf"(?P<field>FIELD) (?:of|for|de|del|a|al|para|en|from) {ART}(?:{noun(*MASTER, *DOCUMENTS)} )?{NUMBER_SIGN}{WHO} (?:to|al|a|en|=|:|as|por|at|is|be|sea)(?: be)? (?P<value>.+)$",
        rf"(?P<field>FIELD) (?:to|a|en|=|:) (?P<value>\S+(?: \S+)*?) (?:for|of|de|del|para|a|al|to) {ART}(?:{noun(*MASTER, *DOCUMENTS)} )?{NUMBER_SIGN}{WHO}$",
        rf"(?P<field>FIELD) (?:of|for|de|del|a|al|para) {ART}(?:{noun(*MASTER, *DOCUMENTS)} )?{NUMBER_SIGN}(?P<who>{NAME}|{QUOTE})$",
        rf"(?:(?:for|to|of|a|al|de|del) )?{ART}(?:{noun(*MASTER, *DOCUMENTS)} )?{NUMBER_SIGN}(?!(?:de|del|of) ){WHO}(?: s)? (?:(?:the|el|la|su|its|un|una|a|with|con) )*(?P<field>FIELD)(?: (?:to|al|a|en|=|:|of|de|is|as))* (?P<value>.+)$",
        rf"(?:(?:for|to|of|a|al|de|del) )?{ART}(?:{noun(*MASTER, *DOCUMENTS)} )?{NUMBER_SIGN}(?!(?:de|del|of) ){WHO}(?: s)? (?:(?:the|el|la|su|its) )*(?P<field>FIELD)$",
        rf"(?P<field>FIELD) (?:of|for|de|del|a|al|para) {ART}(?:{noun(*MASTER, *DOCUMENTS)} )?{NUMBER_SIGN}{WHO}$",
    )
    for pattern in (pattern.replace("FIELD", group("|".join(one.words for one in FIELDS.values()))),)
)  # fmt: skip
NEXT_FIELD = re.compile(
    rf"(?: ?[,;] ?(?:(?:and|y|e) )?| (?:and|y|e) )(?:(?:also|tambien|the|el|la|su|sus|its|his|her|their) )*"
    rf"(?P<field>{group('|'.join(one.words for one in FIELDS.values()))})"
    r"(?: (?:to|al|a|en|=|:|as|por|is|es)(?: |$)| (?=[+(]?\d|\S+@))"
)
"""What stands between the values of two fields: "… to a@b.com and the phone to 600 111 222"."""
RENAME = re.compile(rf"(?:{noun(*MASTER)} )?{WHO} (?:to|as|a|como|por) (?P<value>.+)$")
