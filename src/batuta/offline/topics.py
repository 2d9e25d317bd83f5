"""What the words of a question and of a passage name: each its stems, its subject and what else it may be called. Pure."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from batuta.knowledge.cite.units import MONTHS, UNITS, WEEKDAYS
from batuta.knowledge.query import are_kin
from batuta.knowledge.synonyms import meanings_of, others_for
from batuta.knowledge.words import STOP_WORDS as SMALL_WORDS
from batuta.knowledge.words import folded, stems
from batuta.language.folding import fold, stem, words_of
from batuta.language.rewording import LIGHT_WORDS, PLAIN_WORDS
from batuta.language.vocabulary import CONCEPTS, STOP_WORDS
from batuta.offline.asked_kinds import MONEY

Topic = frozenset[str]
"""A thing that is asked about, as everything it may be called."""


def asked_topics(question: str) -> list[Topic]:
    """The topics of a question, each once however many words name it."""
    topics: list[Topic] = []
    for topic in _topics(question):
        same = [each for each in topics if each & topic]
        topics = [each for each in topics if each not in same] + [topic.union(*same)]
    return topics


def content_words(text: str) -> frozenset[str]:
    return frozenset().union(*_topics(text))


def _topics(text: str) -> list[Topic]:
    """The content words of a text: each its stem, with what else it may be called."""
    words = [word for word in words_of(text) if word not in STOP and word not in _NO_TOPIC and not word.isdigit()]
    return [frozenset((stem(word), *_roots(word), *_groups(word))) for word in words]


@lru_cache(maxsize=8192)
def _groups(word: str) -> frozenset[str]:
    """The subjects and the meanings that a word belongs to."""
    return _CONCEPTS.get(word, frozenset()).union(f"={meaning}" for meaning in meanings_of(word))


@lru_cache(maxsize=8192)
def _roots(word: str) -> tuple[str, ...]:
    """As the search stems it: "limpian" and "limpieza" are kin by these."""
    return (*stems((word,), "en"), *stems((word,), "es"))


def is_light(word: str) -> bool:
    """Whether a word of a question tells nothing about its subject, or has a plainer name that was searched by."""
    return word in _REWORDED or tells_nothing(word)


def tells_nothing(word: str) -> bool:
    tables = (UNITS, MONTHS, WEEKDAYS, STOP, _NO_TOPIC, LIGHT_WORDS)
    is_light_verb = _VERB_ENDING.search(word) is not None and _LIGHT_ROOTS.issuperset(_roots(word)[1:])
    word = _ENCLITIC.sub("", word)
    return not word.isalpha() or any(word in table for table in tables) or is_light_verb


def named_by(word: str) -> Topic:
    return frozenset((stem(word), *_roots(word), *_groups(word), *map(stem, others_for(word))))


def has_topic(topic: Topic, words: frozenset[str]) -> bool:
    """Whether words name a topic, in any form."""
    return bool(topic & words) or any(are_kin(one, other) for one in topic for other in words)


def all_words(passage: Mapping[str, Any]) -> frozenset[str]:
    file = re.sub(r"[_.-]+", " ", str(passage.get("file", "")))
    words = content_words(f"{file} {passage.get('title', '')} {passage.get('section', '')} {passage.get('text', '')}")
    plain = fold(str(passage.get("text", "")))
    return words.union(*(named for measured, named in _MEASURED if measured.search(plain)))


_MEASURED = tuple(
    (re.compile(measured), frozenset(map(stem, named.split())))
    for measured, named in (
        (MONEY.pattern, "cost price amount cuesta precio vale coste importe cantidad"),
        (r"\+?\d{2,5}[ .-]\d{2,4}[ .-]\d{2,4}", "telephone phone number telefono numero"),
        (r"\d ?%|\b(?:percent|por ciento)\b", "share percentage porcentaje proporcion"),
        (r"\d ?(?:°|º) ?[cf]\b|\b(?:degrees|grados)\b", "temperature temperatura"),
        (r"\d ?(?:kg|g|t|kilos?|tons?|toneladas?)\b", "weight weigh heavy peso pesa pesado"),
    )
)
"""What a quantity names by its unit, though it has none of these words."""
_ENCLITIC = re.compile(r"(?<=[aei]r)(?:[mts]e|nos|l[aeo]s?)+$")
_VERB_ENDING = re.compile(r"(?:[aei]mos|aron|ieron|aban?|ian)$")
_LIGHT_ROOTS = frozenset(root for word in LIGHT_WORDS for root in stems((word,), "es") if len(root) > 2)
_REWORDED = frozenset(word for table in PLAIN_WORDS.values() for said in table for word in said.split())
RULES_CALL = {
    said: frozenset(map(stem, words_of(called)))
    for table in PLAIN_WORDS.values()
    for said, called in table.items()
    if said.isalpha() and said not in LIGHT_WORDS
}
"""The other words that rules may have for a word of a question."""
DETERMINERS = frozenset(("the", "a", "an", "of", "for", "with", "without", "about", "to", "de", "del", "al",
                         "el", "la", "los", "las", "un", "una", "para", "con", "sin", "sobre", "each", "every", "cada"))  # fmt: skip
"""After them a question names a thing."""
_PUT_BY = frozenset(("mean", "means", "happen", "happens", "take", "takes", "significa", "ocurre", "dura", "duran",
                     "durante", "tarda", "tardan"))  # fmt: skip
"""Verbs that tell how long or what: a sentence that has them answers, though a search does without."""
_SMALL = frozenset(folded(word) for words in SMALL_WORDS.values() for word in words) - _PUT_BY
STOP = _SMALL.union(word for table in STOP_WORDS.values() for word in table.split())
PEOPLE = frozenset(
    (
        "people",
        "persona",
        "person",
        *_roots("people"),
        *_roots("persons"),
        *_roots("personas"),
        "gente",
        *_roots("gente"),
    )
)
"""Said of all who are counted, be they names, members or guests."""
_NO_TOPIC = frozenset(("parte", "partir", "time", "tiempo", "due", "da", "sale", "salen", "number", "numero", "list", "hora",
                       "lista", "listado", "original", "amount", "amounts", "amounted", "ascender", "asciende", "ascienden",
                       "ascendio", "ascendieron", "compare", "compared", "comparison", "difference", "differences", "differ",
                       "compara", "comparar", "comparacion", "diferencia", "diferencias"))  # fmt: skip
"""What asks how much or for how many, and names nothing."""
_CONCEPTS = {
    word: frozenset(f"@{group}" for group, words in CONCEPTS.items() if word in words.split())
    for listed in CONCEPTS.values()
    for word in listed.split()
}
