"""An answer with footnotes, checked sentence by sentence against the documents it cites (A-10).

    Hotels may cost up to 130 euros per night.[^1]

    [^1]: travel-policy.md, Hotels: "Hotels may cost up to 130 euros per night"

What does not hold raises `Rejected` with a hint, so that a model corrects it; what stays wrong is never given.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from batuta.kernel.errors import Rejected
from batuta.knowledge.cite.facts import Evidence, facts_in
from batuta.knowledge.cite.quotes import located
from batuta.knowledge.document import DocumentText
from batuta.knowledge.words import folded

FORM = 'mark each statement with [^1], [^2] … and end with one line per mark: [^1]: file.md, section: "the exact words"'
FACTS_FORM = (
    "numbers, dates, units and names must stand in a quote that their sentence cites: quote them, or leave them out"
)
NOT_SAID = re.compile(r"^\W*(?:the documents do not say|los documentos no dicen)\b", re.IGNORECASE)

_NOTE = re.compile(r"^\[\^(?P<mark>\w+)\]:[ \t]*(?P<words>.*)$", re.MULTILINE)
_QUOTED = re.compile(r"^(?P<where>.+?)[:,]?\s*[\"“«](?P<quote>.+)[\"”»]\s*\.?$", re.DOTALL)
_MARK = re.compile(r"\[\^(\w+)\]")
_SENTENCE = re.compile(r"(?:\[\^\w+\]|[^.!?\n]|[.!?](?!\s|$|[\"”»)]|\[\^))+(?:[.!?]+[\"”»)]*)?(?:\s*\[\^\w+\])*")
_LIST_MARKER = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_SPOKEN = re.compile(r"[“\"«][^”\"»]*[”\"»]")
_PAGE = re.compile(r"\b(?:p|pp|page|página|pag|slide|diapositiva|№)\.?\s*(?P<number>\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitableDocument:
    """A document that an answer may cite."""

    document_id: str
    name: str
    content: DocumentText


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCitation:
    """A citation that holds."""

    mark: str
    document: CitableDocument
    quote: str
    start: int
    end: int

    @property
    def place(self) -> str:
        """Where the words stand, as code finds it."""
        return self.document.content.place_at(self.start, self.end)

    @property
    def words(self) -> str:
        """The words as the stored text has them."""
        return self.document.content.text[self.start : self.end]


Find = Callable[[str], Sequence[CitableDocument]]
"""The documents of a name that the person may see; several may be called the same."""


def names_in(text: str) -> list[str]:
    """What the notes of an answer may mean as names of documents, the longest reading of each first."""
    return list(dict.fromkeys(name for note in _notes(text).values() for name in _readings(_where(note))))


def check_answer(text: str, find: Find) -> tuple[CheckedCitation, ...]:
    """The citations of an answer in the order of their marks. Raises `Rejected` if anything in it does not hold."""
    notes = _notes(text)
    body = _NOTE.sub("", text).strip()
    marks = list(dict.fromkeys(_MARK.findall(body)))
    if not notes and not marks and not NOT_SAID.match(text):
        raise Rejected("the answer cites nothing", hint=f'{FORM}; or begin with "The documents do not say"')
    _check_pairs(marks, notes)
    cited = {mark: _checked(mark, notes[mark], find) for mark in marks}
    for block in _blocks(body):
        _check_block(block, cited)
    return tuple(cited.values())


def _notes(text: str) -> dict[str, str]:
    return {match["mark"]: match["words"].strip() for match in _NOTE.finditer(text)}


def _check_pairs(marks: Sequence[str], notes: dict[str, str]) -> None:
    for mark in marks:
        if mark not in notes:
            raise Rejected(f"[^{mark}] has no line that says what it cites", hint=FORM)
    for mark in notes:
        if mark not in marks:
            raise Rejected(f"nothing in the answer refers to [^{mark}]", hint=FORM)


def _where(note: str) -> str:
    quoted = _QUOTED.match(note)
    return quoted["where"].strip() if quoted else ""


def _readings(where: str) -> Iterator[str]:
    """`a, b, c` may be a file of that name, or `a, b`, or `a`, followed by a place."""
    parts = where.split(", ")
    for count in range(len(parts), 0, -1):
        yield ", ".join(parts[:count]).strip()


def _checked(mark: str, note: str, find: Find) -> CheckedCitation:
    quoted = _QUOTED.match(note)
    if quoted is None:
        raise Rejected(f"[^{mark}] does not name a file and quote its words", hint=FORM)
    where, quote = quoted["where"].strip(), quoted["quote"].strip()
    known = ((name, find(name)) for name in _readings(where))
    name, documents = next((pair for pair in known if pair[1]), (where, ()))
    if not documents:
        raise Rejected(
            f"[^{mark}]: there is no document {where[:80]!r}", hint="cite only files that the tools returned"
        )
    found = [(document, span) for document in documents for span in located(document.content.text, quote)]
    if not found:
        raise Rejected(
            f"[^{mark}]: {name} does not say {quote[:160]!r}",
            hint="quote words exactly as the document has them; shorter is safer",
        )
    document, (start, end) = _at_page(mark, where.removeprefix(name), found)
    return CheckedCitation(mark=mark, document=document, quote=quote, start=start, end=end)


def _at_page(
    mark: str, place: str, found: Sequence[tuple[CitableDocument, tuple[int, int]]]
) -> tuple[CitableDocument, tuple[int, int]]:
    """The occurrence on the page that the note names; the first one if it names none."""
    page = _PAGE.search(place)
    pages = [_page_of(document, start) for document, (start, _) in found]
    if page is None or not any(pages):
        return found[0]
    wanted = int(page["number"])
    if wanted not in pages:
        raise Rejected(f"[^{mark}]: these words are not on page {wanted}", hint=f"they are on page {pages[0]}")
    return found[pages.index(wanted)]


def _page_of(document: CitableDocument, offset: int) -> int:
    segment = document.content.segment_at(offset)
    return segment.place.number if segment is not None and segment.place.kind in ("page", "slide") else 0


def _blocks(body: str) -> Iterator[str]:
    """Paragraphs, items of lists and rows of tables."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,3}[.)])\s)|\n(?=\s*\|)", body):
        if paragraph.strip():
            yield _LIST_MARKER.sub("", paragraph.strip())


def _check_block(block: str, cited: dict[str, CheckedCitation]) -> None:
    marks = list(dict.fromkeys(_MARK.findall(block)))
    is_heading = block.startswith("#")
    if not marks and not is_heading and not NOT_SAID.match(block) and not _is_lead_in(block):
        raise Rejected(f"nothing is cited for: {block[:120]}", hint=FORM)
    for sentence in (match.group().strip() for match in _SENTENCE.finditer(block)):
        own = list(dict.fromkeys(_MARK.findall(sentence))) or marks or (list(cited) if not marks else [])
        _check_sentence(sentence, [cited[mark] for mark in own])


def _is_lead_in(block: str) -> bool:
    """A line that only announces what follows, as "The documents disagree:"."""
    return block.endswith(":") and len(block) <= 200


def _check_sentence(sentence: str, citations: Sequence[CheckedCitation]) -> None:
    plain = _MARK.sub("", sentence)
    is_absence = NOT_SAID.match(plain) is not None
    facts = facts_in(_SPOKEN.sub("", plain) if is_absence else plain.lstrip("# "))
    missing = _evidence(citations if not is_absence else ()).missing(facts)
    if is_absence:
        missing = [each for each in missing if each[:1].isdigit()]
    if missing:
        raise Rejected(
            f"no cited words hold {', '.join(missing[:4])}: {plain.strip()[:160]}",
            hint=FACTS_FORM,
        )


def _evidence(citations: Sequence[CheckedCitation]) -> Evidence:
    parts: list[str] = []
    common: set[str] = set()
    for citation in citations:
        segment = citation.document.content.segment_at(citation.start)
        above = segment.headings if segment else ()
        parts.extend((citation.words, citation.document.content.title, citation.document.name, *above))
        common |= _small_words(citation.document.content.text)
    return Evidence(" \n ".join(parts), frozenset(common))


def _small_words(text: str) -> set[str]:
    return set(re.findall(r"\b[a-z]{3,}\b", folded(text[:200_000])))
