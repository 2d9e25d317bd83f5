"""Questions about whole documents: which ones are meant, the sentences that carry them, and all that they list (A-13).

Pure.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from batuta.knowledge.chunk import chunks_of
from batuta.knowledge.disagree import sentences_in
from batuta.knowledge.document import Chunk, DocumentText, Segment
from batuta.knowledge.index import DocumentEntry
from batuta.knowledge.words import folded, language_of, stems, stop_words, tokens

MAX_POINTS = 8
LEAST_STEMS = 4
"""A sentence of fewer words says too little by itself."""
NUMBER_WEIGHT = 1.5
"""A sentence with a figure is what people look for in a summary."""
HALF = 0.5
LEAST_NAME = 3
"""Characters of a file's name by which it can be told from an ordinary word."""
MAX_LISTED = 20
"""Items of a list that is asked for whole."""

_WHOLE = re.compile(
    r"\b(?:summar(?:y|ies|ise|ize|ising|izing)|overview|gist|(?:main|key) points|what is .{2,60} about"
    r"|resum(?:e|en|eme|elo|ir|enes)|de que (?:trata|va)|puntos (?:clave|principales)|idea general)\b"
)
_COMPARES = re.compile(r"\b(?:compar\w*|differences?|differs?|diferencias?|en que se diferencian?)\b")
_LISTS = re.compile(
    r"^\W*(?:please |por favor )?"
    r"(?:list|name|enumerate|show|give|tell|lista|enumera|nombra|muestra|di|dime|dame)(?:me|nos)?\b"
    r".{0,12}?\b(?:all|every|each|tod[oa]s?|cada)\b(?P<what>.+)"
)
_NUMBER = re.compile(r"\d")
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
    scored = [(_named(entry, question, asked, may_say_more=is_list), entry) for entry in entries]
    best = max((score for score, _ in scored), default=0.0)
    named = [entry for score, entry in scored if score == best and best > 0]
    if len(named) == 1:
        return named[0]
    if is_chosen and len(entries) == 1:
        return entries[0]
    wanted = asked - _FILLING
    told = [entry for entry in entries if wanted and wanted <= _content_stems(f"{entry.title} {_file(entry)}")]
    return told[0] if len(told) == 1 and not is_list else None


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
    wanted = _wanted(what, name, content.title)
    if not wanted:
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
    return (below or naming)[:MAX_LISTED]


def names_it(headings: str, what: str, entry: DocumentEntry) -> bool:
    """Whether headings name what a question wants, the names of the document aside."""
    wanted = _wanted(what, entry.name, entry.title)
    return bool(wanted) and wanted <= _content_stems(headings)


def points_of(content: DocumentText, *, limit: int = MAX_POINTS) -> list[Point]:
    """The sentence of each section that has most of the document's own words, in the order of the text. Of a document
    with few sections, the sentence of each paragraph.
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
    best: dict[int, tuple[float, str]] = {}
    for weight, number, sentence in scored:
        if number not in best or weight > best[number][0]:
            best[number] = (weight, sentence)
    chosen = sorted(sorted(best, key=lambda number: -best[number][0])[:limit])
    return [Point(text=best[number][1], section=parts[number][0], place=parts[number][1]) for number in chosen]


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
    return shared if shared >= HALF and not is_other else 0.0


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
