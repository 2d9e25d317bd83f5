"""An answer from passages: the sentences that say what was asked, each with a footnote that quotes it.

Meals are paid up to 40 euros a day.[^1]

[^1]: expense-policy.md, Meals: "Meals are paid up to 40 euros a day."
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile
from typing import Any

from batuta.knowledge.cite.units import MONTHS, UNITS, WEEKDAYS
from batuta.knowledge.query import are_kin
from batuta.knowledge.synonyms import SYNONYMS
from batuta.knowledge.words import stems
from batuta.language.detection import detect_language
from batuta.language.findings import Language
from batuta.language.folding import fold, stem, words_of
from batuta.language.rewording import LIGHT_WORDS, PLAIN_WORDS
from batuta.language.vocabulary import CONCEPTS, STOP_WORDS
from batuta.offline.phrases import phrase

LEAST_RELEVANCE = 0.44
"""A passage below it shares words with the question, but not what the question is about."""
MAX_SENTENCES = 3
CLOSE = 0.85
"""How near to the best sentence others must come to be quoted as well."""
SECTION_WEIGHT = 0.4
COMMON_LOSS = 0.6
"""What a word loses that many of the sentences have."""
COMMON_SCALE = 3.0
LACKING_FACTOR = 0.7
"""What is left of a sentence that has nothing of the kind that is asked for."""
RARE_SHARE = 0.25
"""Of the sentences, at the most, that have a topic which the best sentence leaves out, for another to be quoted for it."""
LABEL_WORDS = 2
"""Of a sentence that only announces the next one, such as "4. Penalty." in a contract."""
SOUGHT_BONUS = 0.5
"""For a sentence that has the kind of thing that is asked for: an amount, a time, a deadline, a person."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÁÉÍÓÚÑ¿¡0-9])")
_BLOCK_END = re.compile(r"\n\s*\n|\n(?=[-*+]\s|\d+[.)]\s|\||[^\n]+ \| )")
"""Paragraphs, items of lists, and rows of tables."""
_MARKUP = re.compile(r"^(?:[-*+]|\d+[.)])\s+|[*_`]+")
_NUMBER = re.compile(r"\b\d+(?:[.,]\d+)*\b")
_IDENTIFIER = re.compile(
    r"\b(?:orders?|pedidos?|invoices?|facturas?|quotes?|ofertas?|tickets?|incidents?|incidencias?|contracts?|contratos?|cases?|expedientes?|"
    r"shipments?|envios?|deliver(?:y|ies)|albaran(?:es)?)\s+(?:(?:number|numero|nr|no|num)\b\.?\s*|[#º])?(\d{3,})\b(?!\s*(?:eur|€|\$|%))"
)
"""The number that one of many things of a kind goes by."""
_SAYS_ABOUT = re.compile(
    r"\b(?:sa(?:y|ys|id)|mentions?|states?|dicen?|mencionan?|pone)\b.*?\b(?:about|on|sobre|acerca de)\b(.+)$"
)
_MEASURES = frozenset(word for word, unit in UNITS.items() if unit not in ("person", "user", "employee", "unit"))
_COUNTS = re.compile(r"\b(?:how many|cuant[oa]s)\s+(.+)")
_MONEY = re.compile(
    r"[€$£]|\b(?:euros?|eur|dollars?|usd|pounds?|gbp|libras?|pesos?|dolar(?:es)?|free|gratis|gratuit[oa]s?)\b"
)
_SOUGHT: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"\b(?:how (?:long|often)|cuanto (?:tiempo |se )?(?:dura\w*|tarda\w*|tiempo)|cada cuant\w+)\b"),
        re.compile(r"\b(?:second|minute|hour|day|night|week|month|quarter|year|segundo|minuto|hora|dia|noche|semana|mes|trimestre|ano)(?:es|s)?\b|\d:\d\d"
                   r"|\b(?:daily|weekly|monthly|yearly|hourly|annual|once|twice|diari|semanal|mensual|anual)\w*"),
    ),
    (
        re.compile(r"\b(?:how (?:much|many)|cuant[oa]s?(?! (?:tiempo |se )?(?:dura|tarda|tiempo))|limit|limite|maximum|maximo|budget|presupuesto|price|precio|cost\w*|cuesta\w*)\b"),
        re.compile(r"\d|\b(?:free|grat\w+|once|twice|one|two|three|six|un|dos|tres|seis)\b"),
    ),
    (
        re.compile(r"\b(?:how much .*\b(?:pay|pays|paid|cost|costs)|cuanto (?:se |me |nos |te )?(?:paga\w*|cuesta\w*|cobra\w*|vale\w*))\b"),
        _MONEY,
    ),
    (
        re.compile(r"\b(?:until|till|by when|deadline|latest|expire|hasta cuando|plazo|caduca\w*|fecha limite|tope)\b"),
        re.compile(r"\b(?:until|within|before|after|due|end of|hasta|antes|dentro|siguientes|finales|caducan|a partir)\b"),
    ),
    (
        re.compile(r"\b(?:when|what time|hours?|cuando|hora|horario|open\w*|clos\w+|abr\w+|cierr\w+)\b"),
        re.compile(r"\d:\d\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|lunes|martes|miercoles|jueves|viernes|sabado|domingo|next|proxim[oa]s?|siguientes?|within|after the|despues del?|a partir|\d+\s+d(?:ay|ia)s)\b"
                   rf"|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}\b|\b(?:{'|'.join(MONTHS)})\b\.?,? (?:de[l]? )?\d|\d (?:de |of )?(?:{'|'.join(MONTHS)})\b"),
    ),
    (
        re.compile(r"\b(?:who|whom|whose|quien\w*)\b"),
        re.compile(r"\b(?:director|lead|head|team|desk|manager|responsable|direccion|equipo|puesto|people|reception|recepcion)\b"),
    ),
)  # fmt: skip
"""What a question asks for, and how a sentence looks that has it."""


_WHOLE = (("summary_of", "main_points"), ("listed_from", "listed_items"))
"""Results about a whole document, and the phrase that announces them."""

Topic = frozenset[str]
"""A thing that is asked about, as everything it may be called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A sentence of a passage."""

    text: str
    where: str
    score: float
    added: int = 0
    """How many rare topics it has that the best sentence beside it leaves out."""
    passage: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What it stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    passage: Mapping[str, Any]
    text: str
    words: frozenset[str]
    """Its own, and those of a label before it."""


def is_evidence(value: Any) -> bool:
    """Whether a result is a list of passages."""
    return isinstance(value, Mapping) and isinstance(value.get("passages"), list)


def cited_answer(searches: Sequence[tuple[str, Sequence[str], Mapping[str, Any]]], language: Language) -> str:
    """For each question, its plainer wordings and what was found for it: the best sentences with footnotes, or that
    nothing says it. Where two documents disagree about what is quoted, both are quoted.
    """
    answers = [
        found
        for question, wordings, value in searches
        for found in _whole_answers(question, value, language) or (_answered(question, wordings, value, language),)
    ]
    unread = _unread([value for _, _, value in searches], language)
    sources = dict.fromkeys((quote.where, quote.text) for each in answers for quote in each.quotes)
    if not sources:
        return "\n\n".join(unread) or phrase("not_in_documents", language)
    numbers = {source: number for number, source in enumerate(sources, 1)}
    paragraphs = [
        _paragraph(each, numbers, language)
        or phrase("not_in_documents_about", language, question=each.question.strip(" ¿?.,;"))
        for each in answers
    ]
    notes = [f'[^{number}]: {where}: "{text}"' for (where, text), number in numbers.items()]
    return "\n\n".join([*dict.fromkeys(paragraphs), *unread, "\n".join(notes)])


@dataclass(frozen=True, slots=True, kw_only=True)
class _FoundAnswer:
    question: str
    quotes: Sequence[Quote]
    opening: str = ""
    """What announces a list; without it the quotes are one paragraph."""
    source: str = ""
    """The document to name before that paragraph."""


def _whole_answers(question: str, value: Mapping[str, Any], language: Language) -> list[_FoundAnswer]:
    """What a whole document says or lists, and what other documents say otherwise."""
    found = next(((name, str(value[key])) for key, name in _WHOLE if value.get(key)), None)
    if found is None:
        return []
    announced, title = found
    points = [_quote(passage, str(passage.get("text", "")), 1.0) for passage in _passages(value)]
    opening = phrase(announced, language, title=title[:120])
    answers = [_FoundAnswer(question=question, quotes=points, opening=opening)]
    disagreeing = _disagreeing(value, points)
    if disagreeing:
        opening = phrase("documents_disagree", language)
        answers.append(_FoundAnswer(question=question, quotes=disagreeing, opening=opening))
    return answers


def _answered(question: str, wordings: Sequence[str], value: Mapping[str, Any], language: Language) -> _FoundAnswer:
    about = _SAYS_ABOUT.search(fold(question))
    subject = _asked(about.group(1)) if about else _asked(wordings[-1]) if wordings else []
    named = set(_IDENTIFIER.findall(fold(question)))
    counted = _counted(question)
    passages = [
        each
        for each in _passages(value)
        if _is_about(each, subject) and _has_numbers(each, named) and (not counted or _has(counted, _all_words(each)))
    ]
    best = _best(_quotes(passages, " ".join([question, *wordings])), language)
    unsaid = _unsaid(question, best)
    if unsaid:
        opening = phrase("not_said_nearest", language, words=", ".join(unsaid))
        return _FoundAnswer(question=question, quotes=best, opening=opening)
    disagreeing = _disagreeing(value, best)
    if disagreeing:
        return _FoundAnswer(question=question, quotes=disagreeing, opening=phrase("documents_disagree", language))
    return _FoundAnswer(question=question, quotes=best, source=_named_source(question, best))


def _named_source(question: str, quotes: Sequence[Quote]) -> str:
    """The document, where the question names what only its name says: whose rent it is, by the title alone."""
    titles = {(str(quote.passage.get("file", "")), str(quote.passage.get("title", ""))) for quote in quotes}
    if len(titles) != 1:
        return ""
    [(file, title)] = titles
    named = _words(f"{re.sub(r'[_.-]+', ' ', file)} {title}")
    said = frozenset().union(*(_words(quote.text) for quote in quotes))
    asked = [_named_by(word) for word in words_of(question) if not _is_light(word)]
    return (title or file) if any(topic & named and not _has(topic, said) for topic in asked) else ""


def _unsaid(question: str, quotes: Sequence[Quote]) -> list[str]:
    """What is asked about somebody or something, and the codes it goes by, where none of it stands around the quotes:
    "Who painted the walls?" is not answered by who repairs them.
    """
    if not quotes:
        return []
    known = frozenset().union(*(_all_words(quote.passage) for quote in quotes))
    plain = fold(question)
    asked = [match["asked"] for pattern in _PREDICATES for match in pattern.finditer(plain)]
    words = [*(word for word in asked if not _is_light(word)), *_CODE.findall(plain)]
    return [word for word in dict.fromkeys(words) if not _has(_named_by(word), known)]


def _is_light(word: str) -> bool:
    """Whether a word of a question tells nothing about its subject, or has a plainer name that was searched by."""
    tables = (UNITS, MONTHS, WEEKDAYS, _STOP, _NO_TOPIC, LIGHT_WORDS, _REWORDED)
    return not word.isalpha() or any(word in table for table in tables)


def _named_by(word: str) -> Topic:
    others = (stem(other) for other in SYNONYMS.get(word, ()))
    return frozenset((stem(word), *_roots(word), *_GROUPS.get(word, ()), *others))


def _has(topic: Topic, words: frozenset[str]) -> bool:
    """Whether words name a topic, in any form."""
    return bool(topic & words) or any(are_kin(one, other) for one in topic for other in words)


def _is_about(passage: Mapping[str, Any], subject: Sequence[Topic]) -> bool:
    """Whether a passage has more than half of what a question is about: no dogs in the rules of the office."""
    words = _all_words(passage)
    return sum(_has(topic, words) for topic in subject) * 2 > len(subject) or not subject


def _all_words(passage: Mapping[str, Any]) -> frozenset[str]:
    file = re.sub(r"[_.-]+", " ", str(passage.get("file", "")))
    words = _words(f"{file} {passage.get('title', '')} {passage.get('section', '')} {passage.get('text', '')}")
    return words | _PRICE_TOPIC if _MONEY.search(fold(str(passage.get("text", "")))) else words


def _counted(question: str) -> frozenset[str]:
    """What "how many employees does …" counts: a passage without it has no answer. Measures are said in many ways."""
    match = _COUNTS.search(fold(question))
    named = takewhile(lambda word: word not in _STOP, words_of(match.group(1))) if match else ()
    things = list(named)
    return frozenset() if not _MEASURES.isdisjoint(things) else _words(" ".join(things))


def _has_numbers(passage: Mapping[str, Any], numbers: set[str]) -> bool:
    """Whether a passage names each order, invoice or article that a question asks about by its number."""
    parts = (str(passage.get(key, "")) for key in ("file", "title", "section", "text"))
    return numbers <= set(re.findall(r"\d+", " ".join(parts))) if numbers else True


def _paragraph(found: _FoundAnswer, numbers: Mapping[tuple[str, str], int], language: Language) -> str:
    marked = [f"{quote.text}[^{numbers[quote.where, quote.text]}]" for quote in found.quotes]
    if not found.opening:
        lead = phrase("from_document", language, title=found.source[:120]) if found.source and marked else ""
        return lead + " ".join(marked)
    return "\n".join([found.opening, "", *(f"- {each}" for each in marked)])


def _disagreeing(value: Mapping[str, Any], best: Sequence[Quote]) -> list[Quote]:
    """Both sides of every pair of statements of which one would be found."""
    pairs = [pair for pair in value.get("disagreements", ()) if isinstance(pair, list) and len(pair) == 2]
    chosen = {quote.text for quote in best}
    sides = [side for pair in pairs if {_spoken(str(each.get("text"))) for each in pair} & chosen for side in pair]
    return list(
        {(quote.where, quote.text): quote for quote in (_quote(s, str(s["text"]), 1.0) for s in sides)}.values()
    )


def _unread(values: Sequence[Mapping[str, Any]], language: Language) -> list[str]:
    """What cannot be cited because it was not read, once each."""
    listed = [each for value in values for each in value.get("unread", ()) if isinstance(each, Mapping)]
    return list(
        dict.fromkeys(
            phrase("document_unread", language, file=str(each.get("file")), why=str(each["why"].get(language)))
            for each in listed
            if isinstance(each.get("why"), Mapping)
        )
    )


def _quote(passage: Mapping[str, Any], sentence: str, score: float) -> Quote:
    where = ", ".join(str(passage[key]) for key in ("file", "section") if passage.get(key))
    return Quote(text=_spoken(sentence), where=where, score=score, passage=passage)


def _passages(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [passage for passage in value["passages"] if isinstance(passage, Mapping)]


def _quotes(passages: Sequence[Mapping[str, Any]], question: str) -> list[Quote]:
    plain = fold(question)
    sought = [found for asks, found in _SOUGHT if asks.search(plain)]
    sentences = [
        sentence
        for passage in passages
        if _relevance(passage) >= LEAST_RELEVANCE
        for sentence in _sentences(passage)
        if not _only_names(sentence.text, passage)
    ]
    weights = _weights([*_asked(question), *_references(plain)], [sentence.words for sentence in sentences])
    whole = [] if sought else _whole_sections(sentences, list(weights))
    if whole:
        return [_quote(sentence.passage, sentence.text, 1.0) for sentence in whole]
    scored = [(_score(sentence, weights, sought), sentence) for sentence in sentences]
    _, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    left_out = [] if best is None else _left_out(best, list(weights), sentences)
    return [
        replace(_quote(each.passage, each.text, score), added=sum(bool(topic & each.words) for topic in left_out))
        if best is not None and each.passage is best.passage
        else _quote(each.passage, each.text, score)
        for score, each in scored
    ]


def _only_names(text: str, passage: Mapping[str, Any]) -> bool:
    """Whether a line repeats the title or the heading, maybe behind a label such as "Subject:": it states nothing."""
    names = [name for name in (passage.get("title"), passage.get("section")) if name]
    return not text.endswith(".") and (text in names or text.partition(": ")[2] in names)


def _left_out(best: _Sentence, asked: Sequence[Topic], sentences: Sequence[_Sentence]) -> list[Topic]:
    """Topics that few sentences have, and not the best one: the Fridays of "at what time do you close on Fridays?"."""
    known = best.words | _words(f"{best.passage.get('section', '')} {best.passage.get('title', '')}")
    most = max(1.0, RARE_SHARE * len(sentences))
    return [topic for topic in asked if not topic & known and sum(bool(topic & s.words) for s in sentences) <= most]


def _whole_sections(sentences: Sequence[_Sentence], asked: Sequence[Topic]) -> list[_Sentence]:
    """The sentences of the sections whose headings alone name several things that are asked, and all that are known."""
    known = [t for t in asked if any(t & (_words(str(s.passage.get("section"))) | s.words) for s in sentences)]
    if len(known) < 2:
        return []
    return [s for s in sentences if all(topic & _words(str(s.passage.get("section"))) for topic in known)]


def _weights(asked: Sequence[Topic], sentences: Sequence[frozenset[str]]) -> dict[Topic, float]:
    """What each topic of a question counts: the fewer sentences have it, the more; a rare one about 1."""
    total = len(sentences) or 1
    shares = {topic: sum(bool(topic & each) for each in sentences) / total for topic in asked}
    return {topic: 1 - COMMON_LOSS * min(share * COMMON_SCALE, 1.0) for topic, share in shares.items()}


def _score(sentence: _Sentence, weights: Mapping[Topic, float], sought: Sequence[re.Pattern[str]]) -> float:
    passage = sentence.passage
    heading = _words(f"{passage.get('section', '')} {passage.get('title', '')}")
    own = sum(weight for topic, weight in weights.items() if topic & sentence.words)
    around = sum(weight for topic, weight in weights.items() if topic & heading)
    if not own and not around:
        return 0.0
    plain = fold(sentence.text)
    has_it = SOUGHT_BONUS * sum(each.search(plain) is not None for each in sought)
    lacks = LACKING_FACTOR if sought and not has_it else 1.0
    return (own + SECTION_WEIGHT * around + has_it) * lacks * _relevance(passage)


def _relevance(passage: Mapping[str, Any]) -> float:
    given = passage.get("relevance", 1)
    return float(given) if isinstance(given, int | float) else 0.0


def _best(quotes: list[Quote], language: Language) -> list[Quote]:
    """The sentences that say it best, and one for a topic they leave out; of those that say the same in two languages,
    the reader's.
    """
    highest = max((quote.score for quote in quotes), default=0.0)
    if not highest:
        return []
    near = [quote for quote in quotes if quote.score >= highest * CLOSE]
    own = [quote for quote in near if detect_language(quote.text) == language]
    best = sorted(own or near, key=lambda quote: -quote.score)[:MAX_SENTENCES]
    adding = [quote for quote in quotes if quote.added and quote not in best] if len(best) == 1 else []
    return [*best, *sorted(adding, key=lambda quote: (-quote.added, -quote.score))[:1]]


def _sentences(passage: Mapping[str, Any]) -> list[_Sentence]:
    """Sentences of paragraphs, items of lists, rows of tables; headings are no statements, labels belong to the next."""
    blocks = _BLOCK_END.split(str(passage.get("text", "")))
    flat = (" ".join(block.split()) for block in blocks if not block.lstrip().startswith("#"))
    found: list[_Sentence] = []
    for block in flat:
        label: frozenset[str] = frozenset()
        sentences = [
            sentence for sentence in _SENTENCE_END.split(block) if _words(sentence) or _NUMBER.search(sentence)
        ]
        for at, text in enumerate(sentences):
            words = _words(text) | frozenset(_NUMBER.findall(fold(text))) | label
            if at + 1 < len(sentences) and ": " not in text and len(words_of(_spoken(text))) <= LABEL_WORDS:
                label = words
                continue
            label = frozenset()
            found.append(_Sentence(passage=passage, text=text, words=words))
    return found


def _spoken(sentence: str) -> str:
    return _MARKUP.sub("", sentence).strip()


def _asked(question: str) -> list[Topic]:
    """The topics of a question, each once however many words name it."""
    topics: list[Topic] = []
    for topic in _topics(question):
        same = [each for each in topics if each & topic]
        topics = [each for each in topics if each not in same] + [topic.union(*same)]
    return topics


def _references(plain: str) -> list[Topic]:
    """Numbers that a question names, of an article, a rule or a size: a sentence that has them is about it."""
    return [frozenset((number,)) for number in dict.fromkeys(_NUMBER.findall(plain))]


def _words(text: str) -> frozenset[str]:
    return frozenset().union(*_topics(text))


def _topics(text: str) -> list[Topic]:
    """The content words of a text: each its stem, with what else it may be called."""
    words = [word for word in words_of(text) if word not in _STOP and word not in _NO_TOPIC and not word.isdigit()]
    return [frozenset((stem(word), *_roots(word), *_GROUPS.get(word, ()))) for word in words]


@lru_cache(maxsize=8192)
def _roots(word: str) -> tuple[str, ...]:
    """As the search stems it: "limpian" and "limpieza" are kin by these."""
    return (*stems((word,), "en"), *stems((word,), "es"))


_PREDICATES = (
    re.compile(
        r"(?:^|[¿,;.]\s*)(?:a |de |con )?(?:quien|quienes|cuanto|cuando) (?:(?:se|me|te|le|les|lo|la|nos|os|ha|han|fue|fueron|esta|estan) )*"
        r"(?P<asked>\w+)"
    ),
    re.compile(r"\bwho (?:(?:has|have|had|is|was|are|were|will|did|does|do) )*(?P<asked>\w+)"),
    re.compile(r"\b(?:how much|when) (?:does|do|did|was|were|is|are) (?:\w+[ -])+(?P<asked>\w+)\W*$"),
)
"""Where a question has its verb: what somebody does, what something costs or weighs, what happened to it."""
_CODE = re.compile(r"\b[a-z]{1,4}\d{2,}\b")
_PRICE_TOPIC = frozenset(map(stem, ("cost", "price", "cuesta", "precio", "vale", "coste")))
"""What an amount of money names, though it has none of these words."""
_REWORDED = frozenset(word for table in PLAIN_WORDS.values() for said in table for word in said.split())
_STOP = frozenset(word for table in STOP_WORDS.values() for word in table.split())
_NO_TOPIC = frozenset(("time", "tiempo", "each", "every", "cada", "due", "da", "sale", "salen"))
_GROUPS = {
    word: tuple(f"@{group}" for group, words in CONCEPTS.items() if word in words.split())
    for listed in CONCEPTS.values()
    for word in listed.split()
}
