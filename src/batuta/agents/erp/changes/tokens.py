"""A request as words that patterns can be matched on: folded, typing errors mended, names of records as one word each.

    "Crea un pedido de 3 Jara apilable para Hoteles Ribalta, S.C."
        ->  "crea un pedido de 3 name0 para name1"

A stretch of it leads back to what was written.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from batuta.language.choices import index_of
from batuta.language.findings import TextSpan
from batuta.language.folding import SHORTEST_MENDED, aligned, composed, is_near
from batuta.language.understanding import Synonyms

_QUOTED = re.compile(r"[\"“«]([^\"”»]{1,200})[\"”»]")
_PIECE = re.compile(r"\S+")
_ABBREVIATED = re.compile(r"^(?:\w\.)+$")
_OPENING_MARKS, _CLOSING_MARKS = "¿¡(\"'«“", ",;:.!?)\"'»”"
KEPT_MARKS = ",:;"
_LEGAL_FORM = re.compile(
    r"\s+(?:s\.?\s?(?:l|a|c)\.?\s?u?\.?|ltd\.?|lda\.?|gmbh|inc\.?|llc|b\.?v\.?|ag|unipessoal)(?![\w])", re.IGNORECASE
)
NAME = r"name\d+"
QUOTE = r"quoted\d+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word as patterns see it, where it stands in the text, and where in the line of words."""

    plain: str
    span: TextSpan
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRecord:
    """A name that the ERP knows, of one kind of records."""

    kind: str
    value: str
    words: str
    """As it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The words of a request."""

    text: str
    words: Sequence[Word]
    names: Sequence[NamedRecord]
    quotes: Sequence[str]

    @property
    def plain(self) -> str:
        """All words, one space between them."""
        return " ".join(word.plain for word in self.words)

    def original(self, start: int, end: int) -> str:
        """What was written for a stretch of `plain`; quotation marks are left out."""
        covered = [word for word in self.words if word.at >= start and word.at + len(word.plain) <= end]
        if not covered:
            return ""
        if len(covered) == 1 and re.fullmatch(QUOTE, covered[0].plain):
            return self.quotes[int(covered[0].plain.removeprefix("quoted"))]
        return self.text[covered[0].span.start : covered[-1].span.end].strip(" ,;:")

    def named(self, plain: str) -> NamedRecord | None:
        """The record behind a word that stands for a name."""
        found = re.fullmatch(r"name(\d+)", plain.strip())
        return self.names[int(found[1])] if found else None


def line_of(text: str, names: Mapping[str, Synonyms], known: Iterable[str]) -> Line:
    """A text as words. `names` are those of the records by kind; `known` the words that typing errors are mended to."""
    text = composed(text)
    quoted = list(_QUOTED.finditer(text))
    taken = [TextSpan(start=each.start(), end=each.end()) for each in quoted]
    found = _names(text, names, taken, frozenset(known))
    marked: list[tuple[TextSpan, str]] = [(span, f"quoted{number}") for number, span in enumerate(taken)]
    marked += [(span, f"name{number}") for number, (span, _) in enumerate(found)]
    pieces = sorted([*marked, *_pieces(text, [span for span, _ in marked])], key=lambda each: each[0].start)
    vocabulary = frozenset(known)
    words: list[Word] = []
    at = 0
    for span, plain in pieces:
        mended = _mended(plain, vocabulary)
        words.append(Word(plain=mended, span=span, at=at))
        at += len(mended) + 1
    return Line(text=text, words=words, names=[one for _, one in found], quotes=[each[1] for each in quoted])


def _names(
    text: str, names: Mapping[str, Synonyms], taken: Sequence[TextSpan], known: frozenset[str]
) -> list[tuple[TextSpan, NamedRecord]]:
    """Names of records: the longest first; numbers are no names, and no word of the language is."""
    found: list[tuple[TextSpan, NamedRecord]] = []
    for kind, values in names.items():
        spoken = {value: tuple(word for word in words if not word.isdigit()) for value, words in values.items()}
        for each in index_of(spoken, is_names=True).find(text, takes_parts=True):
            is_common = " " not in each.text and (aligned(each.text) in known or each.text.isdigit())
            if not is_common and not any(each.span.overlaps(span) for span in taken):
                found.append((each.span, NamedRecord(kind=kind, value=each.value, words=each.text)))
    found.sort(key=lambda one: (one[0].start - one[0].end, one[0].start))
    kept: list[tuple[TextSpan, NamedRecord]] = []
    for span, one in found:
        if not any(span.overlaps(other) for other, _ in kept):
            kept.append((_with_legal_form(text, span, one.value), one))
    return sorted(kept, key=lambda one: one[0].start)


def _with_legal_form(text: str, span: TextSpan, value: str) -> TextSpan:
    """A name up to its end as it is registered: "Ribalta, S.C." though only "Ribalta" was looked for."""
    place = aligned(value).find(aligned(text[span.start : span.end]))
    rest = value[place + span.end - span.start :] if place >= 0 else ""
    for end in (len(rest), len(rest.rstrip("."))):
        if rest and aligned(text[span.end :]).startswith(aligned(rest[:end])):
            return TextSpan(start=span.start, end=span.end + end)
    return span


def _pieces(text: str, taken: Sequence[TextSpan]) -> list[tuple[TextSpan, str]]:
    pieces: list[tuple[TextSpan, str]] = []
    blank = list(text)
    for span in taken:
        blank[span.start : span.end] = " " * (span.end - span.start)
    for match in _PIECE.finditer("".join(blank)):
        start, end = match.span()
        while start < end and text[start] in _OPENING_MARKS:
            start += 1
        marks: list[tuple[TextSpan, str]] = []
        while end > start and text[end - 1] in _CLOSING_MARKS and not _ABBREVIATED.match(text[start:end]):
            end -= 1
            if text[end] in KEPT_MARKS and not _LEGAL_FORM.match(text[end + 1 :]):
                marks.insert(0, (TextSpan(start=end, end=end + 1), text[end]))
        if end > start:
            pieces.append((TextSpan(start=start, end=end), aligned(text[start:end])))
        pieces += marks
    return pieces


def _mended(word: str, known: frozenset[str]) -> str:
    """The word of the vocabulary that a mistyped one means, else itself."""
    is_plural = word.endswith("s") and {word[:-1], word[:-2]} & known  # "invoices" are a list, and no order
    if word in known or is_plural or not word.isalpha() or len(word) < SHORTEST_MENDED:
        return word
    close = [each for each in known if len(each) >= SHORTEST_MENDED and each[0] == word[0] and is_near(word, each)]
    longer = [each for each in close if each.startswith(word)]
    return (longer if len(longer) == 1 else close if len(close) == 1 else [word])[0]
