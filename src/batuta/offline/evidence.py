"""An answer from passages: the sentences that say what was asked, each with a footnote that quotes it.

Meals are paid up to 40 euros a day.[^1]

[^1]: expense-policy.md, Meals: "Meals are paid up to 40 euros a day."
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Any

from batuta.knowledge.cite.units import MONTHS, UNITS, WEEKDAYS
from batuta.knowledge.disagree import lines_apart
from batuta.knowledge.query import are_kin
from batuta.knowledge.synonyms import meanings_of, others_for
from batuta.knowledge.words import stems
from batuta.language.detection import detect_language
from batuta.language.findings import Language
from batuta.language.folding import fold, stem, words_of
from batuta.language.rewording import LIGHT_WORDS, PLAIN_WORDS, divided_follow_up, is_elliptical
from batuta.language.vocabulary import CONCEPTS, STOP_WORDS
from batuta.offline.asked_kinds import COUNTED_TIME, FIGURE, HOW_MUCH, MONEY, NAMES_ONE, SOUGHT, STRICT, WHO_IS
from batuta.offline.phrases import phrase

LEAST_RELEVANCE = 0.44
"""A passage below it shares words with the question, but not what the question is about."""
MAX_SENTENCES = 3
CLOSE = 0.85
"""How near to the best sentence others must come to be quoted as well."""
SECTION_WEIGHT = 0.4
GOING_ON_SHARE = 0.4
"""What a word of the question before counts, against the words of the question that goes on from it."""
COMMON_LOSS = 0.6
"""What a word loses that many of the sentences have."""
COMMON_SCALE = 3.0
LACKING_FACTOR = 0.7
"""What is left of a sentence that has nothing of the kind that is asked for."""
RARE_SHARE = 0.25
"""Of the sentences, at the most, that have a topic which the best sentence leaves out, for another to be quoted for it."""
TITLE_WORDS = 8
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
_FOOTNOTE = re.compile(r"^\[\^\d+\]: ", re.MULTILINE)
_SAYS_ABOUT = re.compile(
    r"\b(?:sa(?:y|ys|id)|mentions?|states?|dicen?|mencionan?|pone)\b.*?\b(?:about|on|sobre|acerca de)\b(.+)$"
)
_MEASURES = frozenset(word for word, unit in UNITS.items() if unit not in ("person", "user", "employee", "unit"))
_COUNTS = re.compile(r"\b(?:how many|cuant[oa]s)\s+(.+)")
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
    heading: frozenset[str] = frozenset()
    """Words of a line above its paragraph that the document does not mark as a heading."""


def is_evidence(value: Any) -> bool:
    """Whether a result is a list of passages."""
    return isinstance(value, Mapping) and isinstance(value.get("passages"), list)


def is_cited(answer: str) -> bool:
    """Whether an answer quotes documents."""
    return _FOOTNOTE.search(answer) is not None


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
    question, going_on = divided_follow_up(question)
    about = _SAYS_ABOUT.search(fold(question))
    plain = _asked(about.group(1)) if about else _asked(wordings[-1]) if wordings else _asked(going_on)
    own = [] if about else [_named_by(word) for word in words_of(question) if not _tells_nothing(word)]
    before = _asked(going_on) if going_on and is_elliptical(question) else []
    named = set(_IDENTIFIER.findall(fold(question)))
    counted = _counted(question)
    counted = frozenset() if counted & _PEOPLE else counted
    passages = [
        each
        for each in _passages(value)
        if (_is_about(each, plain) or (own and _is_about(each, own)))
        and (not before or _is_about(each, before))
        and _has_numbers(each, named)
        and (not counted or _has(counted, _all_words(each)))
    ]
    best = _best(_quotes(passages, " ".join([question, *wordings]), going_on), language)
    unsaid = _unsaid(question, best, _passages(value)) or _unsaid_kind(question, best)
    if unsaid:
        near = [quote for quote in best if any(_has(topic, _words(quote.text)) for topic in own or plain)]
        opening = phrase("not_said_nearest", language, words=", ".join(unsaid)) if near else ""
        return _FoundAnswer(question=question, quotes=near, opening=opening)
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


def _unsaid(question: str, quotes: Sequence[Quote], passages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is asked about a person or a thing, and the codes it goes by, where none of it stands around the quotes:
    "Who painted the walls?" is not answered by who repairs them. A name may stand anywhere in the same document.
    """
    if not quotes:
        return []
    known = frozenset().union(*(_all_words(quote.passage) for quote in quotes))
    files = {quote.passage.get("file") for quote in quotes}
    named = known.union(*(_all_words(each) for each in passages if each.get("file") in files))
    plain = fold(question)
    asked = [match["asked"] for pattern in _PREDICATES for match in pattern.finditer(plain)]
    names = [fold(name) for name in _NAMES.findall(question)]
    told = [
        word
        for word in (*asked, *names)
        if (not _is_light(word) or word in _RULES_CALL) and not any(kind.search(word) for kind, _ in SOUGHT)
    ]
    return [
        word
        for word in dict.fromkeys((*told, *_CODE.findall(plain)))
        if not _has(_named_by(word) | _RULES_CALL.get(word, frozenset()), named if word in names else known)
    ]


def _unsaid_kind(question: str, quotes: Sequence[Quote]) -> list[str]:
    """The words that ask how often something happens or since when, where no quote says it: how long it takes, or another
    date, is another matter.
    """
    plain, texts = fold(question), [fold(each.text) for each in quotes]
    asked = [(found.group(), says) for asks, says in STRICT if (found := asks.search(plain))]
    unsaid = [words for words, says in asked if texts and not any(map(says.search, texts))]
    counted = COUNTED_TIME.search(plain)
    units = {UNITS.get(word) for text in texts for word in words_of(text)}
    if counted and texts and UNITS.get(counted["unit"]) not in units:
        unsaid.append(counted.group())
    things, count = _counted(question), _COUNTS.search(plain)
    if count and things and texts and not any(_has(things, _words(text)) or _NUMBER.search(text) for text in texts):
        unsaid.append(count.group(1).split()[0])  # a heading names it, and nothing below it says how many
    amount = HOW_MUCH.search(plain)
    if amount and texts and not (unsaid or any(map(FIGURE.search, texts))):
        unsaid.append(plain[amount.start() :].strip(" ?.!"))
    someone = WHO_IS.search(plain)
    if someone and texts and not any(NAMES_ONE.search(each.text) for each in quotes):
        unsaid.append(plain[someone.start() :].strip(" ?.!"))
    return unsaid


def _is_light(word: str) -> bool:
    """Whether a word of a question tells nothing about its subject, or has a plainer name that was searched by."""
    return word in _REWORDED or _tells_nothing(word)


def _tells_nothing(word: str) -> bool:
    tables = (UNITS, MONTHS, WEEKDAYS, _STOP, _NO_TOPIC, LIGHT_WORDS)
    is_light_verb = _VERB_ENDING.search(word) is not None and _LIGHT_ROOTS.issuperset(_roots(word)[1:])
    return not word.isalpha() or any(word in table for table in tables) or is_light_verb


def _named_by(word: str) -> Topic:
    return frozenset((stem(word), *_roots(word), *_groups(word), *map(stem, others_for(word))))


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
    plain = fold(str(passage.get("text", "")))
    return words.union(*(named for measured, named in _MEASURED if measured.search(plain)))


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


def _quotes(passages: Sequence[Mapping[str, Any]], question: str, going_on: str = "") -> list[Quote]:
    """The sentences with how well they answer a question; what it goes on from counts for less than its own words."""
    plain = fold(question)
    sought = [found for asks, found in SOUGHT if asks.search(plain)]
    sought = [found for found in sought if found is not FIGURE or MONEY not in sought]
    sentences = [
        sentence
        for passage in passages
        if _relevance(passage) >= LEAST_RELEVANCE
        for sentence in _sentences(passage)
        if not _only_names(sentence.text, passage)
    ]
    asked = [topic for topic in _asked(question) if MONEY not in sought or _PAYING not in topic]
    weights = _weights([*asked, *_references(plain)], [sentence.words for sentence in sentences])
    share = GOING_ON_SHARE if weights else 1.0
    weights = {topic: share for topic in _asked(going_on) if topic not in weights} | weights
    whole = [] if sought else _whole_sections(sentences, list(weights))
    if whole:
        return [_quote(sentence.passage, sentence.text, 1.0) for sentence in whole]
    scored = [(_score(sentence, weights, sought), sentence) for sentence in sentences]
    _, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if best is None:
        return []
    left_out = _left_out(best, list(weights), sentences)
    next_one = _next_giving(best, sentences, sought)
    return [
        replace(
            _quote(each.passage, each.text, score),
            added=(each is next_one) + sum(bool(topic & each.words) for topic in left_out),
        )
        if each.passage is best.passage
        else _quote(each.passage, each.text, score)
        for score, each in scored
    ]


def _next_giving(
    best: _Sentence, sentences: Sequence[_Sentence], sought: Sequence[re.Pattern[str]]
) -> _Sentence | None:
    """The sentence after the best one, where that has nothing of what is asked for and this has it: "The shop opens in
    May. Ana Ruiz will run it."
    """
    after = next((other for one, other in pairwise(sentences) if one is best), None)
    if after is None or after.passage is not best.passage or any(_gives(best, each) for each in sought):
        return None
    return after if any(_gives(after, each) for each in sought) else None


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
    heading = sentence.heading | _words(f"{passage.get('section', '')} {passage.get('title', '')}")
    own = sum(weight for topic, weight in weights.items() if topic & sentence.words)
    around = sum(weight for topic, weight in weights.items() if topic & heading)
    if not own and not around:
        return 0.0
    has_it = SOUGHT_BONUS * sum(_gives(sentence, each) for each in sought)
    lacks = LACKING_FACTOR if sought and not has_it else 1.0
    return (own + SECTION_WEIGHT * around + has_it) * lacks * _relevance(passage)


def _gives(sentence: _Sentence, sought: re.Pattern[str]) -> bool:
    return (sought.search(fold(sentence.text)) or sought.search(sentence.text)) is not None


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
    blocks = _BLOCK_END.split(lines_apart(str(passage.get("text", ""))))
    flat = [" ".join(block.split()) for block in blocks if block.strip() and not block.lstrip().startswith("#")]
    found: list[_Sentence] = []
    heading: frozenset[str] = frozenset()
    for number, block in enumerate(flat):
        around = flat[max(0, number - 1) : number] + flat[number + 1 : number + 2]
        if _is_title(block) and number + 1 < len(flat) and not any(map(_is_title, around)):
            heading = _words(block)
            continue
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
            found.append(_Sentence(passage=passage, text=text, words=words, heading=heading))
    return found


def _is_title(block: str) -> bool:
    """Whether a line names what the next ones say: few words, and no statement."""
    return len(block.split()) <= TITLE_WORDS and not re.search(r"[.!?:;|]\s*$|: | \| |\w\s\d", block)


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
    return [frozenset((stem(word), *_roots(word), *_groups(word))) for word in words]


@lru_cache(maxsize=8192)
def _groups(word: str) -> frozenset[str]:
    """The subjects and the meanings that a word belongs to."""
    return _CONCEPTS.get(word, frozenset()).union(f"={meaning}" for meaning in meanings_of(word))


@lru_cache(maxsize=8192)
def _roots(word: str) -> tuple[str, ...]:
    """As the search stems it: "limpian" and "limpieza" are kin by these."""
    return (*stems((word,), "en"), *stems((word,), "es"))


_PREDICATES = (
    re.compile(
        r"(?:^|[¿,;.]\s*)(?:a |de |con )?(?:quien|quienes|cuanto|cuando) (?:(?:se|me|te|le|les|lo|la|nos|os|ha|han|fue|fueron|esta|estan) )*"
        r"(?P<asked>\w+)"
    ),
    re.compile(r"\bwho (?:(?:has|have|had|is|was|are|were|will|did|does|do|the) )*(?P<asked>\w+)"),
    re.compile(r"\b(?:what|which) (?:is|are|was|were) the (?:\w+ )*?(?P<asked>\w+) (?:of|for|on|at|in|to)\b"),
    re.compile(r"\b(?:cual|cuales|que) (?:es|son|era|eran) (?:el|la|los|las) (?P<asked>\w+)"),
    re.compile(
        r"\b(?:que|cuant[oa]s?) (?P<asked>\w+)(?: del? \w+)* (?:tiene|tienen|cobra|cobran|gana|ganan|usa|usan|gasta|gastan|lleva|llevan)\b"
    ),
    re.compile(
        r"\bcuant[oa]s (?:\w+ ){1,3}(?:tiene|tienen|hay en|mide|ocupa|ocupan) (?:(?:el|la|los|las) )?(?P<asked>\w+)"
    ),
    re.compile(r"\bhow many \w+ (?P<asked>\w+ed)\b"),
    re.compile(r"\bcuant[oa]s \w+ (?P<asked>\w+(?:aron|ieron))\b"),
    re.compile(
        r"\bhow many (?:\w+ ){1,3}(?:does|do|did) (?:(?:the|our|my|your) )?(?P<asked>\w+) (?:have|cover|measure)\b"
    ),
    re.compile(r"\b(?:what|which|how much) (?P<asked>\w+) (?:does|do|did|has|have|is|are|was|were|can|may|will)\b"),
    re.compile(r"\bhow \w+ (?:is|are|was|were) (?:the|my|our|your) (?:\w+ )*?(?P<asked>\w+) (?:of|for|on|at|in|to)\b"),
    re.compile(r"\b(?:how much|when|what) (?:does|do|did|will|would|was|were|is|are) (?:\w+[ -])+(?P<asked>\w+)\W*$"),
)
"""Where a question has its verb: what a person does, what a thing costs or weighs, what happened to it."""
_CODE = re.compile(r"\b[a-z]{1,4}\d{2,}\b|\b[a-z]\d\b")
_NAMES = re.compile(r"(?<=[^\s¿¡?!.:]\s)(?!I\b)[A-ZÁÉÍÓÚÑ][^\W\d_]*[a-záéíóúñ][^\W\d_]*(?!\S*\d)")
"""Names within a question, as who writes them with capitals: nothing is said about one that stands nowhere."""
_PAYING = "=payment"
"""What a question how much is paid names by its verb: the amount tells it, not the word."""
_MEASURED = tuple(
    (re.compile(measured), frozenset(map(stem, named.split())))
    for measured, named in (
        (MONEY.pattern, "cost price amount cuesta precio vale coste importe cantidad"),
        (r"\d ?%|\b(?:percent|por ciento)\b", "share percentage porcentaje proporcion"),
        (r"\d ?(?:°|º) ?[cf]\b|\b(?:degrees|grados)\b", "temperature temperatura"),
        (r"\d ?(?:kg|g|t|kilos?|tons?|toneladas?)\b", "weight weigh heavy peso pesa pesado"),
    )
)
"""What a quantity names by its unit, though it has none of these words."""
_VERB_ENDING = re.compile(r"(?:[aei]mos|aron|ieron|aban?|ian)$")
_LIGHT_ROOTS = frozenset(root for word in LIGHT_WORDS for root in stems((word,), "es") if len(root) > 2)
_REWORDED = frozenset(word for table in PLAIN_WORDS.values() for said in table for word in said.split())
_RULES_CALL = {
    said: frozenset(map(stem, words_of(called)))
    for table in PLAIN_WORDS.values()
    for said, called in table.items()
    if said.isalpha() and said not in LIGHT_WORDS
}
"""The other words that rules may have for a word of a question."""
_STOP = frozenset(word for table in STOP_WORDS.values() for word in table.split())
_PEOPLE = frozenset(("people", "persona", *_roots("people"), *_roots("personas"), "gente", *_roots("gente")))
"""Said of all who are counted, be they names, members or guests."""
_NO_TOPIC = frozenset(("parte", "partir", "time", "tiempo", "each", "every", "cada", "due", "da", "sale", "salen"))
_CONCEPTS = {
    word: frozenset(f"@{group}" for group, words in CONCEPTS.items() if word in words.split())
    for listed in CONCEPTS.values()
    for word in listed.split()
}
