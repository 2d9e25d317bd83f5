"""Questions about a whole document: which one is meant, and the sentences that carry it by section (A-13). Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from batuta.knowledge.chunk import chunks_of
from batuta.knowledge.disagree import sentences_in
from batuta.knowledge.document import DocumentText
from batuta.knowledge.index import DocumentEntry
from batuta.knowledge.words import folded, language_of, stems, stop_words, tokens

MAX_POINTS = 8
LEAST_STEMS = 4
"""A sentence of fewer words says too little by itself."""
NUMBER_WEIGHT = 1.15
"""A sentence with a figure is what people look for in a summary."""

_WHOLE = re.compile(
    r"\b(?:summar(?:y|ies|ise|ize|ising|izing)|overview|gist|(?:main|key) points|what is .{2,60} about"
    r"|resum(?:e|en|eme|elo|ir|enes)|de que (?:trata|va)|puntos (?:clave|principales)|idea general)\b"
)
_NUMBER = re.compile(r"\d")
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


def meant_document(question: str, entries: Sequence[DocumentEntry], *, is_chosen: bool) -> DocumentEntry | None:
    """The document that a question names by its file name or title; the only one that was chosen, if it names none."""
    asked = _content_stems(question)
    scored = [(_named(entry, question, asked), entry) for entry in entries]
    best = max((score for score, _ in scored), default=0.0)
    named = [entry for score, entry in scored if score == best and best > 0]
    if len(named) == 1:
        return named[0]
    return entries[0] if is_chosen and len(entries) == 1 else None


def points_of(content: DocumentText, *, limit: int = MAX_POINTS) -> list[Point]:
    """The sentence of each section that has most of the document's own words, in the order of the text."""
    parts = [
        (chunk.headings[-1] if chunk.headings else "", chunk.place.label, content.text[chunk.start : chunk.end])
        for chunk in chunks_of(content)
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


def _weight(sentence: str, own: frozenset[str], counts: Counter[str]) -> float:
    mean = sum(counts[stem] for stem in own) / len(own)
    return mean * (NUMBER_WEIGHT if _NUMBER.search(sentence) else 1.0)


def _named(entry: DocumentEntry, question: str, asked: frozenset[str]) -> float:
    """How surely a question names a document: by its file, or by most words of its file's name or of its title."""
    file = _ENDING.sub("", entry.name.rpartition("/")[2].lower())
    if file and file in question.lower():
        return 2.0
    names = [words for words in (_content_stems(entry.title), _content_stems(file)) if words]
    shared = max((len(words & asked) / len(words) for words in names), default=0.0)
    return shared if shared >= 0.5 else 0.0


def _content_stems(text: str) -> frozenset[str]:
    left_out = stop_words(text)
    words = [token for token in tokens(text) if token not in left_out]
    return frozenset((*stems(words, "en"), *stems(words, "es")))
