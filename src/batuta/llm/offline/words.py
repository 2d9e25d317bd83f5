"""A text as features: concepts and stems of its words, and signals of what it holds (`#expression`, `#day` …).

Requests, agent cards and tools are described by the same features, so that they can be compared; a card or tool says
more about itself by giving examples of what people ask of it.
"""

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from batuta.llm.offline.expressions import expression_in
from batuta.llm.offline.lexicon import (
    BARE_OPERATION,
    CONCEPTS,
    DAYS,
    MARKS,
    MONTHS,
    QUESTION_WORDS,
    STOP_WORDS,
    Language,
)
from batuta.llm.offline.zones import without_zones, zones_in

SIGNAL_WEIGHTS = {
    "#expression": 2.0,
    "#day": 1.0,
    "#time": 1.0,
    "#zone": 0.6,
    "#listing": 1.0,
    "#date": 1.0,
    "#question": 0.2,
}
"""How much it tells that a text holds something, against a word: a sum is a task, a place may stand anywhere."""
UNKNOWN_WEIGHT = 1.0
"""How much a word counts that nobody knows: most likely a subject outside the team's work."""
NAME_WEIGHT = 0.3
"""… unless it is written like a name: whom something is about is not what is asked."""
LEAST_TOTAL = 1.0
"""A request that says less than a word is known to nobody."""
STEM_LENGTH = 6
MAX_DIVIDED_CHARS = 1_000
"""A longer text is no list of questions."""

_WORD = re.compile(r"[a-z][a-z0-9]*")
"""Numbers say nothing about a subject: signals and arguments see them."""
_DAY = re.compile(
    rf"\b(?:{DAYS.replace(' ', '|')})\b|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:de\s+|of\s+)?"
    rf"(?:{MONTHS.replace(' ', '|')})\b|\b(?:{MONTHS.replace(' ', '|')})\s+\d{{1,2}}\b|\b(?:next|proxim[oa])\s+\w+|"
    r"\besta\s+noche\b"
)
_TIME_OF_DAY = re.compile(
    r"\b\d{1,2}(?::\d\d)?\s*(?:am|pm|a\.m|p\.m|h|hs)\b|\b\d{1,2}:\d\d\b|\ba\s+las?\s+(?:\d|una)|\bat\s+\d{1,2}\b|"
    r"\bnoon\b|\bmidday\b|\bmediodia\b|"
    r"\b(?:in|en|dentro\s+de)\s+(?:half\s+an|\w{1,10})\s+(?:hours?|horas?|minutes?|minutos?)\b"
)
_LISTING = re.compile(
    r"\b(?:what|which|que|cuales)\b.*\b(?:have|tengo|tenemos|hay)\b|\bwhat's on\b|\b(?:show|list)\b|\bdo i have any|"
    r"\btengo alg|^\W*(?:do i have (?!to\b)|tengo (?!que\b)|agenda\W*$|(?:mi|my) (?:agenda|calendar))"
)
_DATE_ASKED = re.compile(
    r"\b(?:what|which) (?:day|date|week) (?:is|are)\b|\bque (?:dia|fecha|semana) (?:es|estamos)\b|"
    r"\bwhat(?:'s| is) (?:the|today's) (?:day|date)\b|\ba que (?:dia |fecha )?estamos\b"
)
_NAME = re.compile(r"(?<=[^.?!¿¡\s]\s)[A-ZÁÉÍÓÚÑ]\w+")
"""A capital letter inside a sentence."""
_BARE_OPERATION = re.compile(BARE_OPERATION)
_NEXT_QUESTION = re.compile(
    r"(?:\s*[,;]?\s+(?:and|y|e)\s+(?:also\s+|tambi[eé]n\s+|adem[aá]s\s+)?|(?<=\?)\s+|\s*[,;]\s+)(?=¿?(?:what|which|who|when|where|why|how|"
    r"is|are|do|does|can|could|may|should|qu[eé]|cu[aá]l(?:es)?|qui[eé]n(?:es)?|cu[aá]ndo|d[oó]nde|c[oó]mo|"
    r"cu[aá]nt[oa]s?|puedo|puede|hay|tengo)\b)",
    re.IGNORECASE,
)
"""Between a question and the next: what follows begins as a question does."""
_TWO_SUBJECTS = re.compile(
    r"(?P<opening>.*\b(?:for|on|about|of|para|sobre|de|en)\s+)(?:(?:the|los|las|el|la)\s+)?(?P<first>[^\W\d]+)"
    r"\s+(?:and|y|e)\s+(?:(?:for|on|about|of|para|sobre|de|en)\s+)?(?:(?:the|los|las|el|la)\s+)?(?P<second>[^\W\d]+)\W*$",
    re.IGNORECASE,
)
"""One question about two things: "how much for hotels and meals?"."""
_AND = re.compile(r"\s*,?\s+(?:and|y|e)\s+", re.IGNORECASE)
_OVER_A_LIST = re.compile(r"\b(?:sum|add|average|mean|suma|sumar|promedio|media)\b")
"""Joins what an `and` divides."""
_SPANISH_ONLY = re.compile(r"[ñ¿¡áéíóú]")


def folded(text: str) -> str:
    """Lower case, without accents."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def language_of(text: str) -> Language:
    """English or Spanish, whichever its small words point to."""
    english, spanish = _marks_in(text)
    return "es" if spanish > english else "en"


def tells_language(text: str) -> bool:
    """Whether a text has a word of one language: "agenda" is one of both."""
    return any(_marks_in(text))


def _marks_in(text: str) -> tuple[int, int]:
    words = _WORD.findall(folded(text))
    spanish = sum(word in _MARKS["es"] for word in words) + 2 * len(_SPANISH_ONLY.findall(text.lower()))
    return sum(word in _MARKS["en"] for word in words), spanish


@lru_cache(maxsize=512)
def features(text: str) -> frozenset[str]:
    """What a text is about."""
    return topics(text) | signals(text)


def signals(text: str) -> set[str]:
    """What kinds of things a text holds."""
    plain = folded(text)
    found = {
        "#expression": expression_in(text, language_of(text)) is not None or _BARE_OPERATION.match(plain) is not None,
        "#day": _DAY.search(plain) is not None,
        "#time": _TIME_OF_DAY.search(plain) is not None,
        "#zone": bool(zones_in(plain)),
        "#listing": _LISTING.search(plain) is not None,
        "#date": _DATE_ASKED.search(plain) is not None,
        "#question": is_question(text),
    }
    return {signal for signal, is_there in found.items() if is_there}


def is_question(text: str) -> bool:
    """Whether somebody asks something."""
    first = _WORD.search(folded(text))
    opens_as_one = first is not None and first.group() in _QUESTION_WORDS
    return "?" in text or (opens_as_one and not _BARE_OPERATION.match(folded(text)))


def questions_in(text: str, limit: int) -> list[str]:
    """The questions that a text asks one after the other, at most so many; the text itself if it asks only one."""
    if len(text) > MAX_DIVIDED_CHARS:
        return [text]
    parts = [part.strip(" ,;") for part in _NEXT_QUESTION.split(text, maxsplit=limit - 1)]
    are_all_questions = all(is_question(part) and topics(part) | signals(part) - {"#question"} for part in parts)
    if len(parts) > 1:
        return parts if are_all_questions else [text]
    sums = _sums_in(text)
    if 1 < len(sums) <= limit:
        return sums
    two = _TWO_SUBJECTS.match(text)
    if two is None or not is_question(text):
        return [text]
    subjects = [_CONCEPTS.get(folded(two[name]), frozenset()) for name in ("first", "second")]
    are_two = all(subjects) and not subjects[0] & subjects[1]
    return [f"{two['opening']}{two[name]}" for name in ("first", "second")] if are_two else [text]


def _sums_in(text: str) -> list[str]:
    """The sums that only an `and` divides, each asked with the words that open the text."""
    parts = _AND.split(text)
    first = re.search(r"\d", parts[0])
    if len(parts) < 2 or first is None or _OVER_A_LIST.search(folded(parts[0])):
        return [text]
    asked = [parts[0], *(f"{parts[0][: first.start()]}{part}" for part in parts[1:])]
    return asked if all(expression_in(part, language_of(text)) for part in parts) else [text]


def topics(text: str) -> frozenset[str]:
    """The concepts and stems of a text's content words; days are signals, not subjects."""
    words = _WORD.findall(without_zones(folded(text)))
    return frozenset(name for word in words if word not in _EMPTY or word in _CONCEPTS for name in _names(word))


def stems(text: str) -> frozenset[str]:
    """The content words of a text, cut to what their forms have in common."""
    return frozenset(stem(word) for word in _WORD.findall(folded(text)) if word not in _STOP)


def stem(word: str) -> str:
    """A word without its plural, at most so long."""
    if len(word) > 4 and word.endswith("es"):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s"):
        word = word[:-1]
    return word[:STEM_LENGTH]


class Vocabulary:
    """What several candidates say about themselves, and how well a request fits each of them."""

    def __init__(self, descriptions: Mapping[str, Iterable[str]]) -> None:
        self._known = {name: frozenset().union(*map(features, texts)) for name, texts in descriptions.items()}
        counts: dict[str, int] = defaultdict(int)
        for known in self._known.values():
            for feature in known:
                counts[feature] += 1
        self._counts = counts

    def scores(self, text: str) -> dict[str, float]:
        """For each candidate, which share of the request it knows: 0 to 1, rarer words counting more."""
        asked = features(text)
        names = {stem(folded(name)) for name in _NAME.findall(text)}
        weights = {feature: NAME_WEIGHT if feature in names else self._weight(feature) for feature in asked}
        total = max(sum(weights.values()), LEAST_TOTAL)
        return {name: sum(weights[feature] for feature in asked & known) / total for name, known in self._known.items()}

    def knows(self, name: str, feature: str) -> bool:
        """Whether a candidate has a feature."""
        return feature in self._known.get(name, ())

    def strange(self, text: str) -> frozenset[str]:
        """The subjects of a request that no candidate knows, names left out."""
        names = {stem(folded(name)) for name in _NAME.findall(text)}
        return frozenset(topic for topic in topics(text) if not self._counts.get(topic) and topic not in names)

    def _weight(self, feature: str) -> float:
        count = self._counts.get(feature, 0)
        if not count:
            return UNKNOWN_WEIGHT
        rarity = math.log(1 + len(self._known) / count)
        return rarity * SIGNAL_WEIGHTS.get(feature, 1.0)


def _names(word: str) -> Iterable[str]:
    return _CONCEPTS.get(word) or (stem(word),)


@cache
def _words_of(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _by_word() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for concept, words in CONCEPTS.items():
        for word in words.split():
            found[word].add(f"@{concept}")
    return {word: frozenset(concepts) for word, concepts in found.items()}


_CONCEPTS = _by_word()
_QUESTION_WORDS = _words_of(QUESTION_WORDS)
_STOP = frozenset().union(*(_words_of(table) for table in STOP_WORDS.values()))
_EMPTY = _STOP | _words_of(DAYS) | _words_of(MONTHS)
_MARKS: dict[Language, frozenset[str]] = {language: _words_of(table) for language, table in MARKS.items()}
