"""Questions about whole documents: which ones are meant, the sentences that carry them, and all that they list (A-13).

Pure.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from batuta.knowledge.chunk import chunks_of
from batuta.knowledge.cite.facts import facts_in
from batuta.knowledge.disagree import sentences_in
from batuta.knowledge.document import Chunk, DocumentText, Segment
from batuta.knowledge.index import DocumentEntry
from batuta.knowledge.synonyms import others_for
from batuta.knowledge.versions import dates_in, meant_versions
from batuta.knowledge.words import folded, language_of, stems, stop_words, tokens

MAX_POINTS = 8
LEAST_STEMS = 4
"""A sentence of fewer words says too little by itself."""
NUMBER_WEIGHT = 1.5
"""A sentence with a figure is what people look for in a summary."""
HALF = 0.5
LEAST_NAME = 3
"""Characters of a file's name by which it differs from an ordinary word."""
BY_DATE = 1.5
"""How surely a date in its name names a document, beside a word of it."""
MAX_LISTED = 20
"""Items of a list that is asked for whole."""

_NUMBER = re.compile(r"\d")
_WHOLE = re.compile(
    r"\b(?:summar(?:y|ies|ise|ize|ising|izing)|overview|gist|(?:main|key) points|what is .{2,60} about"
    r"|resum(?:e|en|eme|elo|ir|enes)|de que (?:trata|va)|puntos (?:clave|principales)|idea general)\b"
)
_COMPARES = re.compile(r"\b(?:compar\w*|differences?|differs?|diferencias?|en que se diferencian?)\b")
_CHANGES = re.compile(
    r"\b(?:rise|risen|rose|gone up|went up|go up|increased?|fall|fallen|fell|dropped|changed?"
    r"|subi\w*|sube|aument\w+|baj\w+|cambi\w+|vari\w+)\b"
)
"""What asks how two documents differ, where it names both by their dates."""
_LISTS = re.compile(
    r"^\W*(?:please |por favor |can you |could you |puedes )?(?:"
    r"(?:list|name|enumerate|show|give|tell|lista|enumera|nombra|muestra|di|dime|dame)(?:me|nos)?\b"
    r".{0,12}?\b(?:all|every|each|tod[oa]s?|cada)\b"
    r"|(?:list|enumerate|lista|enumera)(?:me|nos)?\b(?! (?:of|de)\b)"
    r"|(?:make|give|write|haz|hazme|dame|prepara\w*|quiero|necesito)\b.{0,12}?"
    r"\b(?:list|lista|listado|relacion) (?:of|de|con)\b(?: (?:all|tod[oa]s))?"
    r"|(?:what|which|que|cuales) (?:are|son|hay)\b.{0,8}?\b(?:all|tod[oa]s)\b)"
    r"(?P<what>.+)"
)
_DEADLINES = re.compile(r"\b(?:deadlines?|due dates?|time limits?|fechas? (?:limite|tope)|plazos?|vencimientos?)\b")
_DATES = re.compile(r"\b(?:dates?|fechas?)\b")
_SUMS = re.compile(
    r"\b(?:amounts?|sums?|prices|costs|figures|fees|importes?|cantidades|precios|costes|cuantias|cifras|sumas)\b"
)
_IN_TIME = re.compile(
    r"\b(?:by|before|until|within|no later than|at the latest|due"
    r"|antes del?|hasta|dentro de|a mas tardar|limite|plazo)\b"
)
_OF_MONEY = re.compile(r"[€$£]|\b(?:eur|euros?|usd|dollars?|dolares|pounds?|gbp|libras)\b")
_KINDS = (
    (
        _DEADLINES,
        lambda text: bool(_IN_TIME.search(text) and (facts_in(text).days or facts_in(text).quantities)),
    ),
    (_DATES, lambda text: bool(facts_in(text).days)),
    (_SUMS, lambda text: bool(_OF_MONEY.search(text) and _NUMBER.search(text))),
)
"""What may be listed though nothing is called so, and how an item looks, folded."""
_LETTER = re.compile(r"\w")
_ENDING = re.compile(r"\.[a-z0-9]{1,5}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A sentence that stands for its section."""

    text: str
    section: str
    place: str


def asks_for_all(question: str) -> bool:
    """Whether a question is about a document as a whole."""
    return _WHOLE.search(folded(question.lower())) is not None


def compares(question: str) -> bool:
    """Whether a question is about two documents beside one another."""
    return _COMPARES.search(folded(question.lower())) is not None


def tells_change(question: str) -> bool:
    """Whether a question is about what changed from one time to another."""
    return _CHANGES.search(folded(question.lower())) is not None


def compared_topic(question: str, entries: Sequence[DocumentEntry]) -> bool:
    """Whether a comparison of documents is about something in them, rather than about them as a whole."""
    named = _FILLING.union(*(_content_stems(f"{entry.title} {_file(entry)}") for entry in entries))
    said = _COMPARES.sub(" ", _CHANGES.sub(" ", folded(question.lower())))
    return any(
        not (
            words & named
            or any(_content_stems(other) & named for other in others_for(word))
            or dates_in(f"in {word}").months
        )
        for word in tokens(said)
        if not word[0].isdigit() and (words := _content_stems(word))
    )


def listed_in(question: str) -> str:
    """What a question wants every one of, "error codes of the roaster"; nothing if the question asks for no list."""
    asked = _LISTS.search(folded(question.lower()))
    if asked is None:
        return ""
    said = unicodedata.normalize("NFC", question.lower())  # with its accents, which stems read
    return (said[asked.start("what") :] if len(said) == len(asked.string) else asked["what"]).strip()


def meant_document(question: str, entries: Sequence[DocumentEntry], *, is_chosen: bool) -> DocumentEntry | None:
    """The document that a question names by its file name or title; the only one that was chosen, if it names none."""
    asked = _content_stems(_WHOLE.sub(" ", folded(question.lower())))
    is_list = bool(listed_in(question))
    versions = meant_versions(question, [entry.name for entry in entries])
    entries = [entry for entry in entries if entry.name in versions]
    scored = [(_named(entry, question, asked, may_say_more=is_list), entry) for entry in entries]
    best = max((score for score, _ in scored), default=0.0)
    named = [entry for score, entry in scored if score == best and best > 0]
    if len(named) == 1:
        return named[0]
    if is_chosen and len(entries) == 1:
        return entries[0]
    wanted = asked - _FILLING
    meant = [entry for entry in entries if wanted and wanted <= _content_stems(f"{entry.title} {_file(entry)}")]
    return meant[0] if len(meant) == 1 and not is_list else None


def meant_pair(question: str, entries: Sequence[DocumentEntry], *, is_chosen: bool) -> tuple[DocumentEntry, ...]:
    """The two documents that a question names, in its order; the two that were chosen; nothing if it is not clear."""
    asked = _content_stems(question)
    named = [entry for entry in entries if _named(entry, question, asked, may_say_more=True) > HALF]
    if len(named) != 2:
        return tuple(entries) if is_chosen and len(entries) == 2 else ()
    words = [folded(word) for word in tokens(question)]
    return tuple(sorted(named, key=lambda entry: _first_mention(entry, words)))


def _file(entry: DocumentEntry) -> str:
    return re.sub(r"[_.-]+", " ", _ENDING.sub("", entry.name.rpartition("/")[2].lower()))


def items_of(content: DocumentText, name: str, what: str) -> list[Point]:
    """The rows, items and sentences of the sections that are about something, else those that name it."""
    wanted, gives = _wanted(what, name, content.title), _kind_of(what)
    if not wanted and gives is None:
        return []
    points = [
        Point(text=text, section=segment.headings[-1] if segment.headings else "", place=segment.place.label)
        for segment in content.segments
        if segment.kind != "heading"
        for text in sentences_in(content.text[segment.start : segment.end])
        if segment.kind != "row" or ": " in text  # the names of the columns are no item
    ]
    lines = {at for at, point in enumerate(points) if not _LETTER.search(point.text)}
    points = [point for at, point in enumerate(points) if at not in lines and at + 1 not in lines]  # nor are these
    below = [point for point in points if wanted <= _content_stems(point.section)]
    naming = [point for point in points if wanted <= _content_stems(point.text)]
    if gives is not None and not below:
        subject = _wanted(_without_kind(what), name, content.title) - _content_stems(" ".join(_RECORD))
        below = [
            point
            for point in points
            if gives(folded(point.text.lower())) and subject <= _content_stems(f"{point.section} {point.text}")
        ]
    return (below or naming)[:MAX_LISTED]


def _kind_of(what: str) -> Callable[[str], bool] | None:
    plain = folded(what.lower())
    return next((gives for asks, gives in _KINDS if asks.search(plain)), None)


def _without_kind(what: str) -> str:
    """What is listed without the name of its kind, and without dates: those are of the document."""
    plain = folded(what.lower())
    for asks, _ in _KINDS:
        plain = asks.sub(" ", plain)
    return " ".join(word for word in plain.split() if not dates_in(f"in {word}").months)


def names_it(headings: str, what: str, entry: DocumentEntry) -> bool:
    """Whether headings name what a question wants, the names of the document aside."""
    wanted = _wanted(what, entry.name, entry.title)
    return bool(wanted) and wanted <= _content_stems(headings)


def points_of(content: DocumentText, *, limit: int = MAX_POINTS) -> list[Point]:
    """The sentence of each section that has most of the document's own words, in the order of the text. Of a document
    with few sections, the sentence of each paragraph; of pages without any, several of each.
    """
    chunks = chunks_of(content)
    spans: Sequence[Chunk | Segment] = chunks
    if len(chunks) < limit:
        spans = [segment for segment in content.segments if segment.kind != "heading"]
    parts = [
        (span.headings[-1] if span.headings else "", span.place.label, content.text[span.start : span.end])
        for span in spans
    ]
    language = language_of(content.text)
    sentences = [
        (number, sentence, frozenset(stems([t for t in tokens(sentence) if t not in stop_words(sentence)], language)))
        for number, (section, _, text) in enumerate(parts)
        for sentence in sentences_in(text)
        if (sentence.endswith(".") or sentence not in (section, content.title)) and not sentence.startswith("#")
    ]
    counts = Counter(stem for _, _, own in sentences for stem in own)
    scored = [
        (_weight(sentence, own, counts), number, sentence)
        for number, sentence, own in sentences
        if len(own) >= LEAST_STEMS
    ]
    order = {sentence: at for at, (_, sentence, _) in enumerate(sentences)}
    ranked: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
    for weight, number, sentence in sorted(scored, reverse=True):
        ranked[number].append((weight, sentence))
    each = max(1, limit // max(1, len(ranked)))
    best = sorted((weight, number, sentence) for number, own in ranked.items() for weight, sentence in own[:each])
    chosen = sorted(best[-limit:], key=lambda point: (point[1], order[point[2]]))
    return [Point(text=text, section=parts[number][0], place=parts[number][1]) for _, number, text in chosen]


def _wanted(what: str, name: str, title: str) -> frozenset[str]:
    wanted = _content_stems(what) - _content_stems(_ENDING.sub("", name)) - _content_stems(title)
    return frozenset(stem for stem in wanted if len(stem) > 1)


def _weight(sentence: str, own: frozenset[str], counts: Counter[str]) -> float:
    weight = sum(counts[stem] for stem in own) / math.sqrt(len(own))
    return weight * (NUMBER_WEIGHT if _NUMBER.search(sentence) else 1.0)


def _named(entry: DocumentEntry, question: str, asked: frozenset[str], *, may_say_more: bool) -> float:
    """How surely a question names a document: by its file, or by most words of its file's name or of its title. Half of
    them are enough where the question names nothing else: the gift policy is not the travel policy.
    """
    file = _ENDING.sub("", entry.name.rpartition("/")[2].lower())
    if re.search(rf"(?<!\w){re.escape(file)}(?!\w)", question.lower()) and len(file) >= LEAST_NAME:
        return 2.0
    names = [words for words in (_word_stems(entry.title), _word_stems(file)) if words]
    shared = max((sum(bool(word & asked) for word in words) / len(words) for words in names), default=0.0)
    own = _FILLING.union(*(word for words in names for word in words))
    is_other = shared == HALF and not may_say_more and not asked <= own
    if dates_in(file).meets(dates_in(question)) and _has_word_of(file, asked):
        return BY_DATE
    return shared if shared >= HALF and not is_other else 0.0


def _has_word_of(file: str, asked: frozenset[str]) -> bool:
    """Whether a question has a word of a file's name, or another for it: "minutes" for the "acta"."""
    words = [word for word in re.findall(r"[^\W\d_]+", file) if word not in stop_words(file)]
    return any(
        _content_stems(other) & asked
        for word in words
        for other in (word, *others_for(folded(word)), *_RECORD.get(word, ()))
    )


_RECORD = {"acta": ("minutes",), "actas": ("minutes",), "minutes": ("acta", "actas")}
"""Of a meeting: no synonyms, for minutes are a time as well."""


def _first_mention(entry: DocumentEntry, words: Sequence[str]) -> int:
    names = _content_stems(f"{entry.title} {_ENDING.sub('', entry.name)}")
    return next((at for at, word in enumerate(words) if _content_stems(word) & names), len(words))


def _content_stems(text: str) -> frozenset[str]:
    return frozenset().union(*_word_stems(text))


def _word_stems(text: str) -> list[frozenset[str]]:
    """Each word that tells something, as its stems in both languages."""
    left_out = stop_words(text)
    words = [token for token in tokens(text) if token not in left_out]
    return [frozenset(pair) for pair in zip(stems(words, "en"), stems(words, "es"), strict=True)]


_FILLING = _content_stems(
    "document file text page short brief quick whole complete give make write "
    "documento archivo fichero texto corto breve rapido entero completo haz hazme dame escribe"
)
"""Words of a request for a summary that name no document."""
