"""What a sentence does: order something, ask about it, report it, forbid it, or none of these for certain.

"cancel the meeting" and "can you cancel the meeting?" are orders; "did I cancel it?" is a question, "I cancelled it" a
report and "don't cancel it" forbids. Only an order may lead to a change, so an order has to be proven: a clause opens with
a verb of change, asks politely for one, or is a note without any verb ("lunch with Ana on Friday at 1"), and no clause
beside it doubts, supposes, quotes or takes it back. What is not proven is `unclear`, and is asked about.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal

from batuta.language.dates import find_dates
from batuta.language.dialogue import is_no
from batuta.language.folding import aligned, composed
from batuta.language.lexicon import one_of
from batuta.language.times import find_times
from batuta.language.vocabulary import CHANGE_VERBS, CLAUSE_WORDS

Stance = Literal["order", "question", "report", "refusal", "unclear"]
ClauseKind = Literal["forbids", "takes_back", "doubts", "orders", "requests", "asks", "reports", "notes", "other"]

MAX_CHARS = 2_000
_OPENING = (
    r"^\W*(?:(?:hey|hi|hello|oye|hola|buenas|dear|estimad[oa]|please|pls|plz|por\s+favor|porfa(?:vor)?|ok|okay|vale|so|and|then|also|but|now|"
    r"y|e|pero|pues|entonces|luego|ademas|tambien|ahora|mejor|better|thanks|gracias|team|equipo|just|simplemente|go\s+ahead\s+and|"
    r"(?:if|when)\s+(?:you\s+can|possible)|(?:si|cuando)\s+(?:puedes|puedas|es\s+posible|sea\s+posible|tengas\s+un\s+momento)|"
    r"uh+|um+|eh|hmm+|mmm+|well|bueno|a\s+ver|anda|venga|no(?=\s*,)|yes|si(?=\s*,))\b\W*)*"
)
"""What may stand before the first word that counts."""
_VERB = one_of(CHANGE_VERBS["en"] + CHANGE_VERBS["es"])
_INFINITIVE = one_of(CHANGE_VERBS["es_infinitive"])
_PAST = one_of(CHANGE_VERBS["en_past"])
_STEM = one_of(CHANGE_VERBS["es_stem"])
_JOINED = r"(?:me|nos|te|se)?(?:l[oae]s?)?"
"""Pronouns that Spanish joins to a verb."""
_PLEASE = r"(?:please|pls|plz|por\s+favor|porfa(?:vor)?)"
_CLAUSE_WORD = one_of(tuple(" ".join(CLAUSE_WORDS.values()).split()))
_OR = re.compile(r"\W*(?:or|o|u)\b")
_QUOTED = re.compile(r"[\"“«][^\"”»]{1,300}[\"”»]")
_CLAUSE = re.compile(r"\s*[,.;:!?]+(?:\s+|$)|\s+(?:and|y|e|but|pero|so|asi\s+que|then|luego)\s+")

_FORBIDS = re.compile(
    rf"{_OPENING}(?:no\s+)*(?:(?:you\s+)?(?:don'?t|do\s+not|never|must\s+not|should\s+not|shouldn'?t|not)\s+(?!forget|you\b|mind\b)(?:ever\s+)?\w+|"
    rf"(?:i|we)\s+(?:don'?t|do\s+not)\s+(?:want|need)\b|"
    rf"(?:no|nunca|jamas)\s+(?:(?:me|nos|se|la|lo|las|los|le)\s+)*(?!olvid\w+|es\b|mas\b)(?:\w{{2,}}(?:es|as)(?:l[oa]s?)?|{_INFINITIVE}{_JOINED})\b|"
    r"no\s+(?:quiero|queremos|hace\s+falta|hay\s+que|necesito)\b|"
    r"(?:remind|tell|warn)\s+(?:me|us)\s+(?:not|never)\s+to\b|(?:remember|make\s+sure|be\s+sure|careful|take\s+care)\s+(?:not\s+to|(?:that\s+)?(?:you|we|i)\s+(?:don'?t|do\s+not))\b|"
    r"(?:recuerda(?:me|nos)?|avisa(?:me|nos)?|asegura(?:te)?|procura|cuida(?:do)?)\s+(?:(?:de|con|que)\s+)*(?:no|nunca)\b)"
)
_TAKES_BACK = re.compile(
    r"\b(?:nvm|never\s?mind|forget\s+(?:it|about\s+it|that)|leave\s+it|scratch\s+that|in\s+the\s+end|on\s+second\s+thou?ghts?|"
    r"da\s+igual|dejalo|olvidalo|lo\s+dejo|deja\s+lo|al\s+final|mejor\s+no|i'?ll\s+do\s+it|do\s+it\s+myself|ya\s+lo\s+hago)\b"
)
_MEANT = re.compile(
    r"\W*(?:i\s+mean[t]?|digo|quiero\s+decir|queria\s+decir|me\s+refiero|or\s+rather|o\s+mejor\s+dicho)\b"
)
_DOUBTS = re.compile(
    r"\b(?:if(?!\s+(?:you\s+(?:can|could|would)|possible)\b)|unless|whether|suppose|supposing|imagine|in\s+case|as\s+long\s+as|as\s+soon\s+as|(?<=\w\s)when(?:ever)?(?!\s+(?:you|possible|is|are)\b)(?=\s+\w+\s+\w)|(?<=\w\s)cuando(?!\s+(?:puedas|puedes|quieras|tengas|sea\s+posible)\b)(?=\s+\w+\s+\w)|provided|providing|assuming|on\s+condition|in\s+the\s+event|otherwise|until\s+i|once\s+i|supongamos|suponiendo|imagina\w*|"
    r"en\s+caso|a\s+menos|a\s+no\s+ser|siempre\s+y\s+cuando|excepto\s+(?:que|si)|no\s+vaya\s+a|siempre\s+que|hasta\s+que|con\s+tal|a\s+condicion|en\s+cuanto|una\s+vez\s+que|tan\s+pronto|mientras|salvo\s+que|si(?=\s+\w)(?!\s+(?:puedes|pudieras|podrias|es\s+posible|no\s+te\s+importa)\b))\b|"
    r"\b(?:maybe|perhaps|possibly|probably|not\s+sure|don'?t\s+know|thinking\s+(?:of|about)|think(?:s|ing)?|guess|wonder\w*|suppose|"
    r"wish|would\s+have|could\s+have|should\s+have|might|was\s+(?:going|gonna|about)|were\s+going|wanted|meant\s+to|"
    r"quizas?|tal\s+vez|a\s+lo\s+mejor|puede\s+que|igual|no\s+se\s+si|no\s+estoy\s+segur\w*|pensando|creo|ojala|habria\w*|hubiera\w*|"
    r"podria\s+haber|pensaba\w*|iba\w*\s+a|queria\s+\w+r)\b|"
    r"\b(?:says?|said|tells?|told|asks?|asked|writes?|wrote|thinks?|suggests?|suggested|wants?\s+(?:me|us|you)\s+to|according\s+to|"
    r"dice[ns]?|dijo|dijeron|(?<=\w\s)pide[ns]?|pidio|pidieron|escribe|escribio|(?:ha|han|he)\s+(?:dicho|pedido|escrito)|(?<=\w\s)cree[ns]?|(?<=\w\s)preguntan?(?=\s*(?:$|:))|pregunto|sugiere|propone|segun)\b|"
    rf"\b(?:i|we)(?:'ll|\s+will|\s+may|\s+could|\s+should|'m\s+going\s+to|\s+am\s+going\s+to|'re\s+going\s+to|\s+plan\s+to)\s+"
    rf"(?:probably\s+|maybe\s+|then\s+|just\s+)?(?:have\s+to\s+)?{_VERB}\b|"
    rf"\b(?:{_STEM}(?:are|aremos|ere|eremos|ire|iremos)|movere|moveremos|pondre|pondremos)\b|"
    rf"\b{one_of(CHANGE_VERBS['es_first_person'])}\b|"
    r"^\W*(?:skip|miss|avoid|confirm|decline|reject|refuse|ignore|ditch|dump|nix|descarta|tumba|saltate|evita|confirma|rechaza|declina|ignora)\w*\b"
)
"""Conditions, wishes, hesitation, other people's words and one's own plans: "if it rains I'll cancel the dentist"."""
_IMPERATIVE = re.compile(
    rf"{_OPENING}(?:don'?t\s+forget\s+to\s+|no\s+olvides\s+|to\s+)?(?:{_VERB}{_JOINED}|{_INFINITIVE}{_JOINED})\b(?!\s*\?|['’])|"
    rf"{_OPENING}(?:[\w'’/-]+\s+){{0,8}}(?:let'?s|vamos\s+a)\s+\w+|"
    rf"^(?=.*\b{_PLEASE}\b)(?!.*\b{_CLAUSE_WORD}\b).*\b(?:{_VERB}|{_INFINITIVE}|{one_of(CHANGE_VERBS['es_formal'])}){_JOINED}\b"
)
_ACTS = rf"(?:{one_of(CHANGE_VERBS['es'])}s|pones|haces|pospones|anades|das)"
_THOUGHT = (
    r"(?:believe|imagine|think|guess|know|remember|tell|say|hear|understand|explain|be|creer\w*|imaginar\w*|recordar|acordar\w*|"
    r"saber|decir\w*|entender\w*|explicar\w*|ser|estar)\b"
)
_WISHES = re.compile(
    rf"{_OPENING}(?:(?:quiero|queremos|querria\w*|quisiera\w*|necesito|necesitaria|necesitamos|tengo\s+que|tenemos\s+que|me\s+gustaria)\b|"
    r"ya\s+no\s+(?:necesito|necesitamos|quiero|queremos|hace\s+falta)\b|(?:i|we)?\s*(?:don'?t|do\s+not|no\s+longer)\s+(?:need|want)\b.*\b(?:any\s*more|any\s+longer)\b|"
    r"que\s+sean?\b|que\s+(?:[\w-]+\s+){0,5}dur[ea]n?\b|help\s+me|let\s+me|ayudame|(?:te|le|os)\s+agradeceria|"
    r"(?:[\w'’-]+\s+){1,8}(?:(?:should|has\s+to|needs?\s+to|must)\s+be\b.*\b(?:instead|(?:later|earlier)(?!\s+than))|tiene\s+que\s+ser\b.*\b(?:en\s+(?:vez|lugar)|(?:mas\s+tarde|antes)(?!\s+(?:que|del?)\b)))\b|"
    r"(?:i|we)(?:'d|\s+would)\s+(?:like|need|love|be\s+grateful|appreciate)\b|(?:i|we)(?:\s+am|'m|\s+are|'re)?\s+(?:really\s+|just\s+)?(?:want|need|have|needing|wanting)\s+(?:to|an?|the|in|my|one|fix)?\b)"
)
"""What one says to want, or to have to do."""
_FAVOURS = re.compile(
    rf"{_OPENING}(?:(?:me|nos)\s+{_ACTS}\b|"
    r"(?:(?:can|could|would|will)\s+(?:you|u|we)|(?:(?:me|nos|te|le|l[oa]s?)\s+)?(?:puedes|puede|podeis|podemos|podria[sn]?|podriamos|podriais)|"
    r"(?:is|would)\s+it\s+(?:be\s+)?possible\s+to|(?:es|seria)\s+posible|(?:do|would)\s+you\s+mind|te\s+importa\w*|"
    r"(?:how|what)\s+about|que\s+tal\s+si|que\s+te\s+parece\s+si|why\s+don'?t\s+(?:you|we)|por\s+que\s+no)\s+"
    rf"(?:(?:please|kindly|just|por\s+favor)\s+)?(?!{_THOUGHT})\w+)"
)
"""A favour that is asked for: it has to name what is to be done."""
_OF_YOU = re.compile(
    rf"{_OPENING}(?:(?:can|could|would|will)\s+(?:you|u)|(?:(?:me|nos|te|le|l[oa]s?)\s+)?(?:puedes|podrias|podeis|podriais)|"
    rf"(?:do|would)\s+you\s+mind|te\s+importa\w*)\s+(?:(?:please|pls|plz|kindly|just|por\s+favor|porfa)\s+)?(?!{_THOUGHT})(?P<act>\w+)"
)
"""A favour that is asked of the reader alone: what "can we …" asks may be a rule."""
_FAVOUR_ACT = re.compile(
    rf"(?:{_VERB}|{_INFINITIVE}{_JOINED}|\w+ing|have|do|see|meet|find|check|fit|help|let|come|join|invite|call|phone|tener|quedar|ver|"
    rf"verme|reunir\w*|buscar\w*|mirar\w*|encontrar\w*|dar\w*|coger\w*|pedir\w*|sacar\w*|llamar\w*|hablar|ayudar\w*)"
)
"""What favours that may change something are asked by: "water" and "regar" are none of it."""
_ASKS = re.compile(
    rf"{_OPENING}(?:do\s+you\s+know\s+|tell\s+me\s+|dime\s+|sabes\s+|i\s+would\s+like\s+to\s+know\s+|(?:me\s+gustaria|quiero|quisiera|querria)\s+saber\s+)?"
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|does|did|do\s+(?:i|we|you|they|people)|"
    r"ha(?:ve|s|d)\s+(?:i|we|you|they|he|she|\w+\s+been)|should|shall|can\s+(?!you|u|we)\w+|could\s+(?!you|u|we)\w+|may\s+i|"
    r"que|cual(?:es)?|quien(?:es)?|cuando|donde|adonde|como|cuant[oa]s?|por\s+que|a\s+(?:que|quien)|en\s+que|con\s+quien|de\s+quien|"
    r"para\s+que|deberia\w*|debo|debemos|conviene|merece|se\s+pued\w+|puedo|es|son|sera|seria|estan?\s+(?!tarde|noche|semana|manana|misma)|"
    r"(?:has|ha|han)\s+\w+(?:ado|ido|sto|cho|rto)|fue|fueron)\b"
)
_KNOWS = re.compile(
    r"\b(?:(?:tell|let)\s+(?:me|us)(?:\s+know)?|know|find\s+out|check|see|ask|explain|decir(?:me|nos)?|saber|mirar|ver|comprobar|preguntar|explicar(?:me)?)\s+"
    r"(?:what|which|who|when|where|why|how|whether|if|que|cual\w*|quien\w*|cuando|donde|como|cuant\w+|por\s+que|en\s+que|a\s+que|si)\b"
)
"""A polite request for information, which is a question."""
_REPORTS = re.compile(
    r"^\W*(?:i|we)\s+(?:really\s+|just\s+)?(?:love|hate|like|enjoy|dislike|always|usually|never|often)\b|"
    r"\b(?:me|nos)\s+(?:encantan?|gustan?|aburren?|molestan?)\b|^\W*(?:odio|detesto|siempre|nunca|normalmente)\b|"
    r"\b(?:was|were|went|yesterday|last\s+(?:week|month|year)|ago|fue|fueron|estuvo|ayer|anoche|era|eran|semana\s+pasada|mes\s+pasado)\b|"
    r"\b(?:i|we|he|she|they|you)(?:'ve|\s+have|\s+has|\s+had)?\s+(?:already\s+|just\s+)?(?!need|want|wish)\w+ed\b|\b(?:has|have|had)\s+(?:\w+\s+){0,3}\w+(?:ed|en)\b|"
    rf"\balready\s+(?:\w+ed|done|made|set|put)\b|^\W*\w+\s+{_PAST}\b|\bremember\s+when\b|\b(?:te\s+acuerdas|recuerdas)\b|"
    r"\b(?:he|has|ha|hemos|han|habia|habiamos)\s+(?:ya\s+)?\w+(?:ado|ido|sto|cho|rto)\b|"
    rf"\b(?:ya|le|me|nos|se|lo|la)\s+(?:{_STEM}(?:e|o|aste|amos|aron)|puse|puso|pusimos|movi|movio)\b|"
    r"\b(?:puse|puso|pusimos|movi|movio|movimos)\b"
)
_REPORTS_ON = re.compile(
    r"\W*(?:i|we|he|she|they|you|[a-z]+)\s+(?:(?:have|has|had|already|just)\s+)*(?!need|want|wish)[a-z]+ed\b[^.;!?]*\band\s+(?:then\s+|also\s+)?(?:put|set)\b"
)
"""A report that goes on with a verb whose past is its order as well: "I cancelled the dentist and put it on Friday"."""
_IS_SAID_OF = re.compile(
    rf"{_OPENING}{_VERB}(?:\s+(?!(?:the|an?|my|me|us|it|that|what|which|who|whatever)\b)[a-z]+){{1,2}}"
    r"\s+(?:is|are|was|were|isn't|aren't|wasn't)\b"
)
"""A verb that is a noun here, since something is said of it: "book club is boring"."""
_ACCENTED_PAST = re.compile(rf"\b(?:{'|'.join(CHANGE_VERBS['es_stem'])})[éó]\b", re.IGNORECASE)
_MAYBE_PAST = re.compile(rf"{_OPENING}(?:ya\s+)?(?:tengo|tenemos|hay|tienes|{_STEM}(?:e|aste|amos|aron|o)|{_PAST})\b")
"""Past or present as it is asked: without accents "cancelé" is "cancele", which is also an order."""
_TAKES_OBJECT = re.compile(
    rf"{_OPENING}(?!(?:call|phone|ring|visit|see|meet|collect|fetch|pay|buy|walk|wash|clean|feed|finish|read|review|\w+(?:[aei]r|[ae]mos))\b)"
    r"(?P<act>[a-z]{3,})\s+(?:(?:the|my|our|an?|mi|mis|nuestr[oa]s?|un|una|el|las?|los)\s+)"
    r"(?!(?:mes|semana|noche|tarde|manana|dia|ano|fin|month|week|day|year|night|morning|afternoon|evening|next|last|first|other|"
    r"proxim\w+|primer\w*|ultim\w+|otr[oa])\b)[a-z]{2,}"
)
"""A word with an object; what one has to do oneself ("call the bank", "recoger el coche") is a note."""
_ANY_DAY = datetime(2026, 1, 15, 12, tzinfo=UTC)
_HAS_CLAUSE = re.compile(
    rf"\b(?:{_CLAUSE_WORD}|que(?!\s+viene))\b|\b\w+(?:aban|abamos|aron|ieron|iendo|(?<!cu)ando)\b|\w+n't\b|\b(?:do|does|did|ca|wo|is|are|was)nt\b|\b\w+'(?:ll|ve|d|m|re)\b"
)
_SPEAKS_OF_ONESELF = (
    r"(?:(?:i|im|ive|we|he|she|they|it|its|something|got|been|feeling|not\s+feeling|my\s+\w+\s+(?:is|are|has|have|got|needs|can'?t)|es\s+que|no|ya|me|nos|se|le|les|estoy|estamos|esta|"
    r"estan|tengo|tenemos|tiene|tienen|voy|vamos|va|hay|ha|han|he|hemos|llego|salgo|trabajo|hago|viajo|insiste)\b|"
    r"(?:i|we|he|she|they|it)['’])"
)
_REASON = re.compile(
    r"[\s,;.]+(?:(?P<cause>because|cos|cuz|since|given\s+that|seeing\s+(?:as|that)|porque|ya\s+que|puesto\s+que|dado\s+que)\s+(?=\w)|"
    rf"(?P<that>que)\s+(?={_SPEAKS_OF_ONESELF}))|[,;.]\s+(?:(?:as|cause|pues)\s+)?(?={_SPEAKS_OF_ONESELF})"
)
"""Where the reason of an order begins: by its conjunction, or as a statement about the speaker or a third person."""
_NOT_A_REASON = re.compile(
    r"\b(?:mean\w*|sorry|wait|actually|rather|instead|only|perdon|digo|decir|espera|mejor|realidad|solo|nada|otra|other|else|refier\w*)\b|"
    r"\bno\s+(?:se|l[ao]s?|el|that|the)\b|^it'?s\s+(?:the|my|an?|not)\b|"
    rf"\b(?:cancel|book|move|reschedule|postpone|{_PAST}|{_STEM}\w{{0,6}})\b"
)
"""What corrects an order, limits it or speaks of another change, and is more than its reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    text: str
    plain: str
    """Folded, as long as the text."""
    is_asked: bool
    """Whether its sentence ends with a question mark."""


@lru_cache(maxsize=256)
def stance_of(text: str, verbs: frozenset[str] = frozenset()) -> Stance:
    """What a sentence does; a text too long to be one sentence or two orders nothing for certain. `verbs` are those
    that a specialist brings, besides the verbs of change that are known.
    """
    if len(text) > MAX_CHARS or text_at_hand(text):
        return "unclear"
    clauses = _clauses(text)
    kinds = [_kind(clause, verbs) for clause in clauses]
    if {"orders", "requests"} & set(kinds):
        kinds = ["notes" if _is_rest_of_a_favour(clause) else kind for clause, kind in zip(clauses, kinds, strict=True)]
    found = set(kinds)
    if _REPORTS_ON.match(aligned(composed(text))):
        return "unclear"
    is_ordered = bool(found & {"orders", "requests"})
    if "forbids" in found and "orders" not in found:
        return "refusal"
    if found & {"doubts", "takes_back"} or (is_ordered and "asks" in found):
        return "unclear" if is_ordered else "question" if "asks" in found else "report"
    if "asks" in found:
        return "question"
    if "reports" in found:
        return ("order" if kinds[-1] in ("orders", "requests") else "unclear") if is_ordered else "report"
    is_note = found == {"notes"} and not _QUOTED.search(text)  # what is quoted may be all that sounds like an order
    return "order" if is_ordered or is_note else "unclear"


def _is_rest_of_a_favour(clause: _Clause) -> bool:
    """Whether only the question mark of a favour stands behind a clause: "can you book it, on Friday at 5?"."""
    return clause.is_asked and not _OR.match(clause.plain) and _kind(replace(clause, is_asked=False)) == "notes"


def asks_a_favour(text: str) -> bool:
    """Whether a text asks the reader to do something, be it what no verb of change names: "could you water the plants"."""
    return any(_OF_YOU.match(each.plain) and not _KNOWS.search(each.plain) for each in _clauses(text[:MAX_CHARS]))


_FORBIDDEN_OBJECT = re.compile(r"\s+(?P<object>(?:the|my|our|mi|mis|el|la|los|las|lo|nuestr[oa]s?)\s+\w.*)$")
_ASKS_OF_IT = re.compile(
    r"\b(?:when|where|what\s+time|at\s+what\s+time|how\s+long|who\s+with)\s+(?:is\s+)?(?P<it>it|that)"
    r"(?:\s+(?:is|at|starts|begins|takes|lasts|ends))?\s*$|"
    r"\b(?:cuando|donde|(?:a\s+)?que\s+hora|cuanto|con\s+quien)\s+(?:es|son|empieza|acaba|dura|era)(?P<end>)\s*$"
)
"""A question for the thing that was named before by a pronoun, or by nothing at all."""


def without_forbidden(text: str) -> str:
    """A request without the clauses that say what must not be done: "don't cancel anything, what do I have today?"."""
    return asked_of_forbidden(text) or _spared(text)[0]


def asked_of_forbidden(text: str) -> str | None:
    """What a request asks of the thing that must not be changed, by its name: "don't cancel the dentist, when is it?"."""
    rest, spared = _spared(text)
    rest = rest.rstrip("?!. ")
    asked = _ASKS_OF_IT.search(aligned(rest)) if spared else None
    if asked is None:
        return None
    at, to = asked.span("it") if asked["it"] else asked.span("end")
    return f"{rest[:at]}{'' if asked['it'] else ' '}{spared}{rest[to:]}"


def _spared(text: str) -> tuple[str, str]:
    """A request without its forbidding clauses, and what the last of these names."""
    whole = composed(text)
    plain = aligned(whole)
    kept, start, spared = [], 0, ""
    for end, after in [*((each.start(), each.end()) for each in _CLAUSE.finditer(plain)), (len(plain), len(plain))]:
        if not _FORBIDS.match(plain[start:end]):
            kept.append(whole[start:after])
        elif named := _FORBIDDEN_OBJECT.search(plain[start:end]):
            spared = whole[start + named.start("object") : end]
        start = after
    return "".join(kept).strip() or whole, spared


def without_reason(text: str) -> str:
    """An order without the reason that follows it: "cancel tomorrow's meeting, I'm ill", "cancélala, que estoy malo".

    What may be more than a reason stays: a time of day, a correction, a condition, a question, another change. After a
    noun "que" tells which one is meant ("la cita que tengo mañana"); so it has to follow a day, a time or a comma.
    """
    whole = composed(text)
    plain = aligned(whole)
    for joint in _REASON.finditer(plain):
        order, reason = whole[: joint.start()], whole[joint.end() :]
        kinds = {_kind(each) for each in _clauses(order)}
        if not kinds & {"orders", "requests"} or stance_of(order) != "order":
            continue
        said = {_kind(each) for each in _clauses(reason)}
        is_more = (
            bool(said - {"other", "reports", "notes"}) or find_times(reason) or _NOT_A_REASON.search(aligned(reason))
        )
        if is_more or "?" in reason or (joint["cause"] is None and _says_which(reason)):
            continue
        if joint["that"] is None or "," in joint.group() or _ends_with_a_day(order):
            return order
    return whole


def _says_which(text: str) -> bool:
    """Whether a clause may tell which appointment is meant: by its day or by who comes."""
    return bool(find_dates(text, now=_ANY_DAY)) or re.search(r"\b(?:con|with)\b", aligned(text)) is not None


def _ends_with_a_day(text: str) -> bool:
    ends = [each.span.end for each in find_dates(text, now=_ANY_DAY)] + [each.span.end for each in find_times(text)]
    return any(not text[end:].strip() for end in ends)


def ordering_clause(text: str) -> str | None:
    """The one clause of a text that orders something, where others give a reason: "Ana is ill, cancel our meeting"."""
    clauses = _clauses(text) if stance_of(text) == "order" else []
    ordering = [each.text for each in clauses if _kind(each) in ("orders", "requests")]
    return ordering[0] if len(ordering) == 1 and len(clauses) > 1 else None


def orders_by_verb(text: str) -> bool:
    """Whether a text says by a verb that something is to be done; a note such as "Thursday at 5" says so by none."""
    return stance_of(text) == "order" and any(_kind(each) in ("orders", "requests") for each in _clauses(text))


_OF_A_TEXT = re.compile(
    r"\b(?:summari[sz]e|translate|rewrite|rephrase|paraphrase|proofread|correct|shorten|explain|read|spell|"
    r"resum[ei]\w*|tradu[cz]\w+|reescrib\w+|parafrase\w+|corrig\w+|explica\w*|lee(?:me|nos)?|deletrea\w*)"
    r"(?:\s+(?!(?:cancel|book|move)\b)\w+){0,8}\s*:\s*(?=\S)"
)
"""Opens a text that something is to be done with: what it orders is ordered of no one."""


def text_at_hand(text: str) -> str:
    """The text that a request works on: "summarise this: cancel the meeting and book lunch"; empty where there is none."""
    opened = _OF_A_TEXT.search(aligned(composed(text)))
    return composed(text)[opened.end() :] if opened else ""


_ASIDE = re.compile(rf"{_QUOTED.pattern}|\bsi\s*,?\s+(?:y\s+)?(?:el\s+)?otro\s+no\b")
"""What has no clause of its own: a quotation, and how often something comes ("un lunes sí y otro no")."""


def _clauses(text: str) -> list[_Clause]:
    whole = composed(text)
    plain = _ASIDE.sub(lambda aside: " " * len(aside.group()), aligned(whole))
    places = [0, *(each.end() for each in _CLAUSE.finditer(plain))]
    clauses = []
    for start, end in zip(places, [*places[1:], len(whole)], strict=True):
        ending = re.search(r"[.!?;]", plain[end - 2 :] if end > 1 else plain)
        if plain[start:end].strip(" ,.;:!?¿¡-"):
            is_asked = ending is not None and ending.group() == "?"
            clauses.append(_Clause(text=whole[start:end], plain=plain[start:end].rstrip(" ,.;:!"), is_asked=is_asked))
    return clauses


def opening_verb(text: str) -> str:
    """The folded word that a sentence opens with, courtesies and "could you" aside: an order's verb, if it is one."""
    plain = aligned(composed(text))
    asked = _OF_YOU.match(plain)
    found = re.match(rf"{_OPENING}(?P<act>[a-z]+)", plain) if asked is None else asked
    return found["act"] if found else ""


def _kind(clause: _Clause, verbs: frozenset[str] = frozenset()) -> ClauseKind:
    """What one clause does, the cautious reading first."""
    plain = clause.plain
    if _FORBIDS.match(plain) and not _WISHES.match(plain):
        return "forbids"
    if is_no(plain) or _TAKES_BACK.search(plain):
        return "takes_back"
    # "I mean the lunch" says that something else was meant; another day or time is read as such.
    if _MEANT.match(plain) and not (find_times(clause.text) or find_dates(clause.text, now=_ANY_DAY)):
        return "takes_back"
    if _IS_SAID_OF.match(plain):
        return "reports"
    is_request = _WISHES.match(plain) is not None or _FAVOURS.match(plain) is not None
    if _KNOWS.search(plain):
        return "asks"
    if _DOUBTS.search(re.sub(_OPENING, "", plain, count=1)):
        return "asks" if clause.is_asked and not is_request else "doubts"
    if clause.is_asked and _MAYBE_PAST.match(plain):
        return "asks"
    if _IMPERATIVE.match(plain):
        return "orders"
    asked = _OF_YOU.match(plain)
    if is_request:
        is_known = asked is None or asked["act"] in verbs or _FAVOUR_ACT.match(plain, asked.start("act"))
        return "requests" if is_known else "other"
    if _ASKS.match(plain) or clause.is_asked:
        return "asks"
    if _REPORTS.search(plain) or _ACCENTED_PAST.search(clause.text):
        return "reports"
    return "other" if _HAS_CLAUSE.search(plain) or _has_unlisted_verb(clause, verbs) else "notes"


def _has_unlisted_verb(clause: _Clause, verbs: frozenset[str]) -> bool:
    """Whether a clause opens as an order by a verb that may mean anything: "smash the meeting with Bob tomorrow at 10".

    Only a verb takes something with an article right behind it; a day has one too ("gym the 3rd"), and is left aside.
    """
    opening = _TAKES_OBJECT.match(clause.plain)
    if opening is None or opening["act"] in verbs:
        return False
    text = clause.text
    spans = [each.span for each in find_dates(text, now=_ANY_DAY)] + [each.span for each in find_times(text)]
    for span in spans:
        text = text[: span.start] + "." * (span.end - span.start) + text[span.end :]
    return _TAKES_OBJECT.match(aligned(text)) is not None
