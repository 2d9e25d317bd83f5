"""What a sentence does: ask for something to be done, ask about it, report it, or forbid it.

"cancel the meeting" and "can you cancel the meeting?" are orders; "did I cancel it?", "how do I cancel it?" are questions,
"I cancelled it" is a report and "don't cancel it" forbids. Only an order may lead to a change.
"""

import re
from typing import Literal

from batuta.language.folding import aligned, composed
from batuta.language.lexicon import one_of
from batuta.language.vocabulary import CHANGE_VERBS

Stance = Literal["order", "question", "report", "refusal"]

_OPENING = (
    r"^\W*(?:(?:hey|hi|hello|oye|hola|buenas|please|pls|plz|por\s+favor|porfa(?:vor)?|ok|okay|vale|so|and|then|also|but|now|y|e|pero|"
    r"entonces|luego|ademas|tambien|ahora|mejor|better|thanks|gracias|team|equipo|just|simplemente|go\s+ahead\s+and)\b\W*)*"
)
"""What may stand before the first word that counts."""
_VERB = one_of(CHANGE_VERBS["en"] + CHANGE_VERBS["es"])
_IMPERATIVE = re.compile(rf"{_OPENING}{_VERB}(?:me|nos|te|se)?(?:l[oae]s?)?\b(?!\s*\?)")
_CLAUSE = re.compile(r"\s*[,.;:!]+\s+|\s+(?:and|y|e|but|pero|so|asi\s+que|then|luego)\s+")
_POLITE = re.compile(
    rf"{_OPENING}(?:(?:can|could|would|will|may)\s+(?:you|u|we|i)\b|(?:me|nos|te|le)\s+(?:\w+[ae]s|puede\w*|podri\w+|podeis|podemos)\b|"
    r"(?:puedes|puede|podeis|podemos|podria\w*|puedo|querria\w*|quisiera\w*|quiero|necesito|necesitamos)\b|"
    r"(?:is|would)\s+it\s+(?:be\s+)?possible\s+to|(?:es|seria)\s+posible|do\s+you\s+mind|would\s+you\s+mind|te\s+importa\w*|"
    r"(?:how|what)\s+about\b|que\s+tal\s+si|que\s+te\s+parece|why\s+don'?t\s+(?:you|we)|por\s+que\s+no\b|"
    r"(?:when|cuando)\s+(?:you\s+can|puedas|possible|sea\s+posible|tengas)|que\s+sea\b|i(?:'d|\s+would)\s+like)"
)
_QUESTION = re.compile(
    rf"{_OPENING}(?:do\s+you\s+know\s+|tell\s+me\s+|dime\s+|sabes\s+)?"
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|does|did|do\s+(?:i|we|you|they|people)|"
    r"ha(?:ve|s|d)\s+(?:i|we|you|they|he|she|\w+\s+been)|should|can\s+(?!you|u|we|i)\w+|"
    r"que|cual(?:es)?|quien(?:es)?|cuando|donde|adonde|como|cuant[oa]s?|por\s+que|a\s+(?:que|quien)|en\s+que|con\s+quien|de\s+quien|"
    r"para\s+que|deberia\w*|debo|debemos|conviene|merece|se\s+pued\w+|es|son|sera|seria|estan?\s+(?!tarde|noche|semana|manana|misma)|"
    r"(?:he|has|ha|hemos|han)\s+\w+(?:ado|ido|sto|cho|rto)|fue|fueron)\b"
)
_ASKS = re.compile(
    rf"{_OPENING}(?:ya\s+)?(?:tengo|tenemos|hay|tienes|{one_of(CHANGE_VERBS['es_stem'])}(?:e|aste|amos|aron|o)|{one_of(CHANGE_VERBS['en_past'])})\b"
)
"""With a question mark only: without accents "cancelé" is "cancele", which is also an order."""
_FORBIDS = re.compile(
    rf"{_OPENING}(?:(?:please|por\s+favor)\s+)?(?:(?:you\s+)?(?:don'?t|do\s+not|never|must\s+not|should\s+not|shouldn'?t)\s+(?!forget|you)(?:ever\s+)?\w+|"
    r"(?:i|we)\s+(?:don'?t|do\s+not)\s+(?:want|need)\b|(?:no|nunca|jamas)\s+(?:(?:me|nos|se|la|lo|las|los|le)\s+)*(?!olvid\w+)\w{2,}(?:es|as)(?:l[oa]s?)?\b|"
    r"no\s+(?:quiero|queremos|hace\s+falta|hay\s+que|necesito)\b)"
)
_REPORT = re.compile(
    r"(?:^\W*(?:i|we)\s+(?:really\s+|just\s+)?(?:love|hate|like|enjoy|dislike|always|usually|never|often)\b|"
    r"\b(?:says?|said|thinks?|suggests?|dice|dijo|dicen|cree|sugiere|propone)\s+(?:that\s+|que\s+)?\w|"
    r"\b(?:me|nos)\s+(?:encantan?|gustan?|aburren?|molestan?)\b|^\W*(?:odio|detesto|siempre|nunca|normalmente)\b|"
    rf"\b(?:was|were|went|yesterday|fue|fueron|estuvo|ayer|anoche)\b|"
    r"\b(?:i|we|he|she|they|you)(?:'ve|\s+have|\s+has|\s+had)?\s+(?:already\s+|just\s+)?(?!need|want|wish)\w+ed\b|"
    rf"\balready\s+(?:\w+ed|done|made|set|put)\b|^\W*\w+\s+{one_of(CHANGE_VERBS['en_past'])}\b|"
    r"\b(?:he|has|ha|hemos|han|habia|habiamos)\s+(?:ya\s+)?\w+(?:ado|ido|sto|cho|rto)\b|"
    rf"\b(?:ya|le|me|nos|se|lo|la)\s+(?:{one_of(CHANGE_VERBS['es_stem'])}(?:e|o|aste|amos|aron)|puse|puso|pusimos|movi|movio)\b|"
    r"\b(?:puse|puso|pusimos|movi|movio|movimos)\b)"
)
_INTENDS = re.compile(
    r"^\W*(?:maybe|perhaps|possibly|i\s+(?:think|guess|wonder|suppose|should))\b|"
    rf"\b(?:i|we)(?:'ll|\s+will|\s+might|\s+may|\s+could|'m\s+going\s+to|\s+am\s+going\s+to|'re\s+going\s+to|\s+plan\s+to)\s+"
    rf"(?:probably\s+|maybe\s+|then\s+|just\s+)?(?:have\s+to\s+)?{one_of(CHANGE_VERBS['en'])}\b|"
    rf"\b(?:{one_of(CHANGE_VERBS['es_stem'])}(?:are|aremos|ere|eremos|ire|iremos)|movere|moveremos|pondre|pondremos)\b|"
    r"\b(?:quizas?|tal\s+vez|a\s+lo\s+mejor|puede\s+que|igual)\s+(?:\w+\s+)?\w+(?:o|e|are|ere|ire)\b"
)
"""What one says of one's own plans: "if it rains I'll cancel the dentist"."""
_ACCENTED_PAST = re.compile(rf"\b(?:{'|'.join(CHANGE_VERBS['es_stem'])})[éó]\b", re.IGNORECASE)


def without_forbidden(text: str) -> str:
    """A request without the clauses that say what must not be done: "don't cancel anything, what do I have today?"."""
    whole = composed(text)
    plain = aligned(whole)
    kept, start = [], 0
    for end, after in [*((each.start(), each.end()) for each in _CLAUSE.finditer(plain)), (len(plain), len(plain))]:
        if not _FORBIDS.match(plain[start:end]):
            kept.append(whole[start:after])
        start = after
    return "".join(kept).strip() or whole


def ordering_clause(text: str) -> str | None:
    """The one clause of a text that orders something, where others give a reason: "Ana is ill, cancel our meeting"."""
    whole = composed(text)
    plain = aligned(whole)
    places = [0, *(each.end() for each in _CLAUSE.finditer(plain))]
    clauses = [whole[start:end] for start, end in zip(places, [*places[1:], len(whole)], strict=True)]
    ordering = [each for each in clauses if _IMPERATIVE.match(aligned(each))]
    return ordering[0] if len(ordering) == 1 and len(clauses) > 1 else None


def stance_of(text: str) -> Stance:
    """What a sentence does. What is neither asked, reported nor forbidden is an order: "lunch with Ana on Friday at 1"."""
    whole = composed(text)
    plain = aligned(whole)
    clauses = [each for each in _CLAUSE.split(plain) if each.strip()]
    if any(_FORBIDS.match(clause) for clause in clauses) and not any(map(_IMPERATIVE.match, clauses)):
        return "refusal"
    if any(_IMPERATIVE.match(clause) for clause in clauses) and not (_ASKS.match(plain) and "?" in plain):
        return "order"
    if _POLITE.match(plain):
        return "order"
    if _QUESTION.match(plain) or ("?" in plain and any(_ASKS.match(each) or _QUESTION.match(each) for each in clauses)):
        return "question"
    is_report = _REPORT.search(plain) or _INTENDS.search(plain) or _ACCENTED_PAST.search(whole)
    return "report" if is_report else "order"
