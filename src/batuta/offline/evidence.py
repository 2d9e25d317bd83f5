"""An answer from passages: the sentences that say what was asked, each with a footnote that quotes it.

Meals are paid up to 40 euros a day.[^1]

[^1]: expense-policy.md, Meals: "Meals are paid up to 40 euros a day."
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from batuta.language.detection import detect_language
from batuta.language.findings import Language
from batuta.language.folding import fold, stem, words_of
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
SOUGHT_BONUS = 0.5
"""For a sentence that has the kind of thing that is asked for: an amount, a time, a deadline, a person."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÁÉÍÓÚÑ¿¡0-9])")
_MARKUP = re.compile(r"^(?:[-*+]|\d+[.)])\s+|[*_`]+")
_SOUGHT: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"\b(?:how (?:much|many|long|often)|cuant[oa]s?|limit|limite|maximum|maximo|budget|presupuesto|price|precio|cost\w*|cuesta\w*)\b"),
        re.compile(r"\d|\b(?:free|grat\w+|once|twice|one|two|three|six|un|dos|tres|seis)\b"),
    ),
    (
        re.compile(r"\b(?:until|till|by when|deadline|latest|expire|hasta cuando|plazo|caduca\w*|fecha limite|tope)\b"),
        re.compile(r"\b(?:until|within|before|after|due|end of|hasta|antes|dentro|siguientes|finales|caducan|a partir)\b"),
    ),
    (
        re.compile(r"\b(?:when|what time|hours?|cuando|hora|horario|open\w*|clos\w+|abr\w+|cierr\w+)\b"),
        re.compile(r"\d:\d\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|lunes|martes|miercoles|jueves|viernes|sabado|domingo|next|proxim[oa]s?|siguientes?|within|\d+\s+d(?:ay|ia)s)\b"),
    ),
    (
        re.compile(r"\b(?:who|whom|whose|quien\w*)\b"),
        re.compile(r"\b(?:director|lead|head|team|desk|manager|responsable|direccion|equipo|puesto|people|reception|recepcion)\b"),
    ),
)  # fmt: skip
"""What a question asks for, and how a sentence looks that has it."""


Topic = frozenset[str]
"""A thing that is asked about, as everything it may be called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A sentence of a passage."""

    text: str
    where: str
    score: float


def is_evidence(value: Any) -> bool:
    """Whether a result is a list of passages."""
    return isinstance(value, Mapping) and isinstance(value.get("passages"), list)


def cited_answer(searches: Sequence[tuple[str, Sequence[str], Mapping[str, Any]]], language: Language) -> str:
    """For each question, its plainer wordings and what was found for it: the best sentences with footnotes, or that
    nothing says it. Where two documents disagree about what is quoted, both are quoted.
    """
    answers = [_answered(question, wordings, value, language) for question, wordings, value in searches]
    unread = _unread([value for _, _, value in searches], language)
    sources = dict.fromkeys((quote.where, quote.text) for each in answers for quote in each.quotes)
    if not sources:
        return "\n\n".join(unread) or phrase("not_in_documents", language)
    numbers = {source: number for number, source in enumerate(sources, 1)}
    paragraphs = [
        _paragraph(each, numbers) or phrase("not_in_documents_about", language, question=each.question.strip(" ¿?.,;"))
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


def _answered(question: str, wordings: Sequence[str], value: Mapping[str, Any], language: Language) -> _FoundAnswer:
    if value.get("summary_of"):
        points = [_quote(passage, str(passage.get("text", "")), 1.0) for passage in _passages(value)]
        opening = phrase("main_points", language, title=str(value["summary_of"])[:120])
        return _FoundAnswer(question=question, quotes=points, opening=opening)
    subject = _asked(wordings[-1]) if wordings else []
    passages = [each for each in _passages(value) if _is_about(each, subject)]
    best = _best(_quotes(passages, " ".join([question, *wordings])), language)
    disagreeing = _disagreeing(value, best)
    if disagreeing:
        return _FoundAnswer(question=question, quotes=disagreeing, opening=phrase("documents_disagree", language))
    return _FoundAnswer(question=question, quotes=best)


def _is_about(passage: Mapping[str, Any], subject: Sequence[Topic]) -> bool:
    """Whether a passage has more than half of what a question is about: no dogs in the rules of the office."""
    words = _words(f"{passage.get('title', '')} {passage.get('section', '')} {passage.get('text', '')}")
    return sum(bool(topic & words) for topic in subject) * 2 > len(subject) or not subject


def _paragraph(found: _FoundAnswer, numbers: Mapping[tuple[str, str], int]) -> str:
    marked = [f"{quote.text}[^{numbers[quote.where, quote.text]}]" for quote in found.quotes]
    if not found.opening:
        return " ".join(marked)
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
    return Quote(text=_spoken(sentence), where=where, score=score)


def _passages(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [passage for passage in value["passages"] if isinstance(passage, Mapping)]


def _quotes(passages: Sequence[Mapping[str, Any]], question: str) -> list[Quote]:
    plain = fold(question)
    sought = [found for asks, found in _SOUGHT if asks.search(plain)]
    sentences = [
        (passage, sentence)
        for passage in passages
        if _relevance(passage) >= LEAST_RELEVANCE
        for sentence in _sentences(str(passage.get("text", "")))
        if sentence.endswith(".") or sentence not in (passage.get("title"), passage.get("section"))
    ]
    weights = _weights(_asked(question), [_words(sentence) for _, sentence in sentences])
    whole = [] if sought else _whole_sections(sentences, list(weights))
    if whole:
        return [_quote(passage, sentence, 1.0) for passage, sentence in whole]
    return [_quote(passage, sentence, _score(sentence, passage, weights, sought)) for passage, sentence in sentences]


def _whole_sections(
    sentences: Sequence[tuple[Mapping[str, Any], str]], asked: Sequence[Topic]
) -> list[tuple[Mapping[str, Any], str]]:
    """The sentences of the sections whose headings alone name several things that are asked, and all that are known."""
    known = [topic for topic in asked if any(topic & _words(f"{p.get('section')} {s}") for p, s in sentences)]
    if len(known) < 2:
        return []
    return [(p, s) for p, s in sentences if all(topic & _words(str(p.get("section"))) for topic in known)]


def _weights(asked: Sequence[Topic], sentences: Sequence[frozenset[str]]) -> dict[Topic, float]:
    """What each topic of a question counts: the fewer sentences have it, the more; a rare one about 1."""
    total = len(sentences) or 1
    shares = {topic: sum(bool(topic & each) for each in sentences) / total for topic in asked}
    return {topic: 1 - COMMON_LOSS * min(share * COMMON_SCALE, 1.0) for topic, share in shares.items()}


def _score(
    sentence: str, passage: Mapping[str, Any], weights: Mapping[Topic, float], sought: Sequence[re.Pattern[str]]
) -> float:
    said, heading = _words(sentence), _words(f"{passage.get('section', '')} {passage.get('title', '')}")
    own = sum(weight for topic, weight in weights.items() if topic & said)
    around = sum(weight for topic, weight in weights.items() if topic & heading)
    if not own and not around:
        return 0.0
    plain = fold(sentence)
    has_it = SOUGHT_BONUS * sum(each.search(plain) is not None for each in sought)
    lacks = LACKING_FACTOR if sought and not has_it else 1.0
    return (own + SECTION_WEIGHT * around + has_it) * lacks * _relevance(passage)


def _relevance(passage: Mapping[str, Any]) -> float:
    given = passage.get("relevance", 1)
    return float(given) if isinstance(given, int | float) else 0.0


def _best(quotes: list[Quote], language: Language) -> list[Quote]:
    """The sentences that say it best; of those that say the same in two languages, the reader's."""
    highest = max((quote.score for quote in quotes), default=0.0)
    if not highest:
        return []
    near = [quote for quote in quotes if quote.score >= highest * CLOSE]
    own = [quote for quote in near if detect_language(quote.text) == language]
    return sorted(own or near, key=lambda quote: -quote.score)[:MAX_SENTENCES]


def _sentences(text: str) -> list[str]:
    """Sentences of paragraphs, items of lists; headings are no statements."""
    blocks = re.split(r"\n\s*\n|\n(?=[-*+]\s|\d+[.)]\s|\|)", text)
    flat = (" ".join(block.split()) for block in blocks if not block.lstrip().startswith("#"))
    return [sentence for block in flat for sentence in _SENTENCE_END.split(block) if _words(sentence)]


def _spoken(sentence: str) -> str:
    return _MARKUP.sub("", sentence).strip()


def _asked(question: str) -> list[Topic]:
    """The topics of a question, each once however many words name it."""
    topics: list[Topic] = []
    for topic in _topics(question):
        same = [each for each in topics if each & topic]
        topics = [each for each in topics if each not in same] + [topic.union(*same)]
    return topics


def _words(text: str) -> frozenset[str]:
    return frozenset().union(*_topics(text))


def _topics(text: str) -> list[Topic]:
    """The content words of a text: each its stem, with what else it may be called."""
    words = [word for word in words_of(text) if word not in _STOP and word not in _NO_TOPIC and not word.isdigit()]
    return [frozenset((stem(word), *_GROUPS.get(word, ()))) for word in words]


_STOP = frozenset(word for table in STOP_WORDS.values() for word in table.split())
_NO_TOPIC = frozenset(("time", "tiempo"))
_GROUPS = {
    word: tuple(f"@{group}" for group, words in CONCEPTS.items() if word in words.split())
    for listed in CONCEPTS.values()
    for word in listed.split()
}
