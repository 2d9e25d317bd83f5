"""What a question asks that nothing quoted for it says: then the answer says so, and quotes only what comes nearest. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, takewhile
from types import MappingProxyType
from typing import Any

from batuta.knowledge.cite.units import MONTHS, UNITS
from batuta.language.folding import fold, words_of
from batuta.language.rewording import divided_follow_up, is_elliptical
from batuta.offline.asked_kinds import (
    COUNTED_TIME,
    FIGURE,
    HOW_MUCH,
    IN_TIME,
    NAMES_ONE,
    ON_A_DAY,
    SOUGHT,
    STRICT,
    WAS_DONE,
    WHEN_DONE,
    WHO_IS,
)
from batuta.offline.rows import columns_of, is_row
from batuta.offline.topics import (
    DETERMINERS,
    PEOPLE,
    RULES_CALL,
    STOP,
    all_words,
    content_words,
    has_topic,
    is_light,
    named_by,
)

MAX_UNSAID = 3
"""Words that an answer says stand nowhere."""
MAX_THING_WORDS = 4
"""Of a thing that a question names after an article: "the platinum sponsor package"."""

_MEASURES = frozenset(word for word, unit in UNITS.items() if unit not in ("person", "user", "employee", "unit"))
_COUNTS = re.compile(r"\b(?:how many|cuant[oa]s)\s+(.+)")
_NUMBER = re.compile(r"\b\d+(?:[.,]\d+)*\b")
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}\b)")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NUMBERED = re.compile(r"\b(?P<kind>[a-z]{3,}) (?P<number>\d{1,3})\b(?![.,:]\d| ?[%€$£])(?! (?P<unit>[a-z]+))?")
"""One of several of a kind: "level 3"."""
_MEASURED = re.compile(r"\b(?P<number>\d+(?:[.,]\d+)?) ?(?P<unit>[a-z]{1,3})\b")
_DESIGNATED = re.compile(r"\b(?P<kind>[a-z]{2,8})[ -]?(?P<number>\d{4,6})\b(?![.,:]\d| ?[%€$£])")
"""One that goes by a long number: "ISO 9001", "order 4471"."""


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


def unsaid_in(
    question: str,
    quotes: Sequence[Quote],
    passages: Sequence[Mapping[str, Any]],
    lacking: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[str]:
    """The words of a question that nothing quoted for it tells of. `passages` are all that were found, and `lacking` has
    for each document the words that stand nowhere in it.
    """
    if not quotes:
        return []
    files = {quote.passage.get("file") for quote in quotes}
    around = [*(quote.passage for quote in quotes), *(each for each in passages if each.get("file") in files)]
    held = {
        word
        for file in map(str, files)
        if file in lacking
        for word in words_of(fold(question))
        if word not in lacking[file]
    }
    unsaid = (
        _unsaid_words(question, quotes, around, held)
        or _unsaid_numbers(question, around)
        or _unsaid_quantity(question, quotes)
        or _unsaid_figures(question, quotes)
        or _unsaid_kind(question, quotes)
    )
    return unsaid[:MAX_UNSAID]


def _unsaid_words(
    question: str, quotes: Sequence[Quote], around: Sequence[Mapping[str, Any]], held: Collection[str]
) -> list[str]:
    """What is asked about a person or a thing, and the codes it goes by, where none of it stands around the quotes:
    "Who painted the walls?" is not answered by who repairs them. A name or a thing may stand anywhere in the document.
    """
    known = frozenset().union(*(all_words(quote.passage) for quote in quotes))
    named = known.union(*map(all_words, around))
    plain = fold(question)
    asked = [match["asked"] for pattern in _PREDICATES for match in pattern.finditer(plain)]
    names = [fold(name) for name in NAMES.findall(question)]
    things = [*_things(plain), *_own_words(question)]
    candidates = [
        word
        for word in (*(word for word in (*asked, *names) if word in RULES_CALL or not is_light(word)), *things)
        if (word in asked or not is_light(word)) and not any(kind.search(word) for kind, _ in SOUGHT)
    ]
    anywhere = {*names, *things} - {*asked}
    written = {word for quote in quotes for word in words_of(fold(quote.text))}
    return [
        word
        for word in dict.fromkeys((*candidates, *_CODE.findall(plain)))
        if word not in written
        and not (word in anywhere and word in held)
        and not has_topic(named_by(word) | RULES_CALL.get(word, frozenset()), named if word in anywhere else known)
    ]


def _things(plain: str) -> list[str]:
    """The words of what a question names after an article or a preposition: nothing is said about a corn loaf where no
    corn is named.
    """
    words = words_of(plain)
    runs = (
        list(takewhile(lambda word: word not in STOP and not word.isdigit(), words[at + 1 : at + 1 + MAX_THING_WORDS]))
        for at, word in enumerate(words)
        if word in DETERMINERS
    )
    found = list(dict.fromkeys(chain.from_iterable(runs)))
    is_verb_last = _DOES.search(plain) is not None and bool(found) and words[-1] == found[-1]
    return found[:-1] if is_verb_last else found


def _own_words(question: str) -> list[str]:
    """What a question that goes on from another names itself: "and at Christmas?"."""
    own, before = divided_follow_up(question)
    return [word for word in words_of(fold(own)) if word not in STOP] if before and not is_elliptical(own) else []


def _unsaid_numbers(question: str, around: Sequence[Mapping[str, Any]]) -> list[str]:
    """The years and the numbered things that a question names, and no document that is quoted does: no third level where
    there are two.
    """
    plain, _ = map(fold, divided_follow_up(question))
    parts = ("file", "title", "section", "text")
    text = fold(" \n ".join(str(each.get(part, "")) for each in around for part in parts)).replace("_", " ")
    years = [year for year in _YEAR.findall(plain) if year not in text]
    numbered = [
        f"{kind} {number}"
        for kind, number, unit in (match.group("kind", "number", "unit") for match in _NUMBERED.finditer(plain))
        if kind not in STOP and kind not in UNITS and kind not in MONTHS and not is_light(kind) and unit not in UNITS
    ]
    others = [
        found.group()
        for found in _DESIGNATED.finditer(plain)
        if not _YEAR.fullmatch(found["number"])
        and re.search(rf"\b{found['kind']}\W?\d{{3,}}", text)
        and not re.search(rf"\b{found['kind']}\W?{found['number']}\b", text)
    ]
    return [
        *years,
        *others,
        *(
            each
            for each in numbered
            if not re.search(rf"\b{each.split()[0][:-1]}\w*\W+(?:\w+\W+)?{each.split()[1]}\b", text)
        ),
    ]


def _unsaid_figures(question: str, quotes: Sequence[Quote]) -> list[str]:
    """The figures that a question names, where only rows of tables are quoted and none has them: rows of other prices
    tell nothing of what costs 4,999.
    """
    if not all(is_row(quote.text) for quote in quotes):
        return []
    said = " ".join(_THOUSANDS.sub("", quote.text) for quote in quotes)
    asked = _NUMBER.findall(divided_follow_up(question)[0])
    return [each for each in asked if re.search(rf"(?<!\d){re.escape(_THOUSANDS.sub('', each))}(?!\d)", said) is None]


def _unsaid_quantity(question: str, quotes: Sequence[Quote]) -> list[str]:
    """A quantity that a question names, where only rows of others are quoted: no price of 5 kg in a list for 10 and 20."""
    asked = [found for found in _MEASURED.finditer(fold(question)) if found["unit"] not in STOP]
    if len(asked) != 1 or any(quote.text.rstrip().endswith(".") for quote in quotes):
        return []
    [quantity] = asked
    said = [
        found["number"]
        for quote in quotes
        for found in _MEASURED.finditer(fold(quote.text))
        if found["unit"] == quantity["unit"]
    ]
    return [quantity.group()] if said and quantity["number"] not in said else []


def _unsaid_kind(question: str, quotes: Sequence[Quote]) -> list[str]:
    """The words that ask how often something happens or since when, where no quote says it: how long it takes, or another
    date, is another matter.
    """
    plain, texts = fold(question), [fold(each.text) for each in quotes]
    asked = [(found.group(), says) for asks, says in STRICT if (found := asks.search(plain))]
    unsaid = [words for words, says in asked if texts and not any(map(says.search, texts))]
    counted = COUNTED_TIME.search(plain)
    columns = [fold(columns_of(each.text, str(each.passage.get("text", "")))) for each in quotes]
    units = {UNITS.get(word) for text in (*texts, *columns) for word in words_of(text)}
    if counted and texts and UNITS.get(counted["unit"]) not in units:
        unsaid.append(counted.group())
    things, count = counted_things(question), _COUNTS.search(plain)
    if count and things and texts and not any(_tells_count(text, things) for text in texts):
        unsaid.append(count.group(1).split()[0])  # it is named, and nothing says how many
    amount = HOW_MUCH.search(plain)
    if amount and texts and not (unsaid or any(map(FIGURE.search, texts))):
        unsaid.append(plain[amount.start() :].strip(" ?.!"))
    when = WHEN_DONE.search(plain)
    says = ON_A_DAY if WAS_DONE.search(plain) else IN_TIME
    if when and not unsaid and not any(map(says.search, map(_without_labels, texts))):
        unsaid.append(plain[when.start() :].strip(" ?.!"))
    someone = WHO_IS.search(plain)
    if someone and texts and not any(NAMES_ONE.search(each.text) for each in quotes):
        unsaid.append(plain[someone.start() :].strip(" ?.!"))
    return unsaid


def _without_labels(text: str) -> str:
    """The values of a row: the name of a column tells no time."""
    return re.sub(r"(^| \| )[^|:]+: ", r"\1", text) if " | " in text else text


def _tells_count(text: str, things: frozenset[str]) -> bool:
    """Whether a number of a text counts things: half a day for each instructor is no number of instructors."""
    numbers = [each for each in FIGURE.finditer(text) if each.group() not in "€$£"]
    if things & PEOPLE:
        return _NUMBER.search(text) is not None or bool(numbers and content_words(text) & PEOPLE)
    after = [words_of(text[each.end() :])[:4] for each in numbers]
    if any(has_topic(things, content_words(" ".join(words))) for words in after):
        return True
    if not has_topic(things, content_words(text)):
        return False
    return any(
        _MEASURES.isdisjoint(words) and not _paid(text, each) for words, each in zip(after, numbers, strict=True)
    )


def _paid(text: str, number: re.Match[str]) -> bool:
    return text[: number.start()].rstrip()[-1:] in ("€", "$", "£")


def counted_things(question: str) -> frozenset[str]:
    """What "how many employees does …" counts: a passage without it has no answer. Measures are said in many ways."""
    match = _COUNTS.search(fold(question))
    named = takewhile(lambda word: word not in STOP, words_of(match.group(1))) if match else ()
    things = list(named)
    return frozenset() if not _MEASURES.isdisjoint(things) else content_words(" ".join(things))


_PREDICATES = (
    re.compile(r"^\W*(?:(?:el|la|los|las|the) )?(?P<asked>\w+) (?:of|del?) \w"),
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
    re.compile(r"^\W*se (?:admiten?|permiten?|aceptan?|pueden? (?:llevar|traer|usar)) (?P<asked>\w+)"),
    re.compile(r"^\W*(?:are|is) (?:\w+ )*?(?P<asked>\w+) (?:allowed|permitted|admitted|accepted|included)\b"),
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
NAMES = re.compile(r"(?<=[^\s¿¡?!.:]\s)(?!I\b)[A-ZÁÉÍÓÚÑ][^\W\d_]*[a-záéíóúñ][^\W\d_]*(?!\S*\d)")
"""Names within a question, as who writes them with capitals: nothing is said about one that stands nowhere."""
_DOES = re.compile(r"\b(?:do|does|did|can|may|will|must|should|would|has|have|had|is|are|was|were)\b")
"""After it an English question may end with its verb."""
