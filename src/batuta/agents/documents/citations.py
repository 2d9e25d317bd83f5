"""Citations in an answer, checked against the documents: the file exists, and the quoted words stand in it (A-10).

Hotels may cost up to 130 euros per night.[^1]

[^1]: travel-policy.md, Hotels: "Hotels may cost up to 130 euros per night"
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from batuta.agents.documents.passages import place_of, section_at, title_of
from batuta.events.conversation import Citation
from batuta.kernel.errors import Rejected

MIN_QUOTE_CHARS = 8
MAX_QUOTE_CHARS = 1_000
FORM = 'mark each statement with [^1], [^2] … and end with one line per mark: [^1]: file.md, section: "the exact words"'
NOT_SAID = re.compile(r"^\W*(?:the documents do not say|los documentos no dicen)\b", re.IGNORECASE)

ReadText = Callable[[str], str | None]

_NOTE = re.compile(r"^\[\^(?P<mark>\w+)\]:\s*(?P<words>.*)$", re.MULTILINE)
_CITED = re.compile(r"(?P<file>.+?\.(?:md|markdown|txt))\b(?P<place>[^\"“«]*)[\"“«](?P<quote>.+)[\"”»]\s*\.?$")
_MARK = re.compile(r"\[\^(\w+)\]")
_TOKEN = re.compile(r"[^\s*_`]+")


@dataclass(frozen=True, slots=True)
class _Answer:
    body: str
    notes: dict[str, str]


def check_citations(text: str, read: ReadText) -> tuple[Citation, ...]:
    """The citations of an answer, with their places as code finds them. Raises `Rejected` if one does not hold."""
    answer = _taken_apart(text)
    marks = dict.fromkeys(_MARK.findall(answer.body))
    if not answer.notes and not marks:
        if NOT_SAID.match(text):
            return ()
        raise Rejected("the answer cites nothing", hint=f'{FORM}; or begin with "The documents do not say"')
    _check_pairs(answer, marks)
    return tuple(_checked(mark, answer.notes[mark], read) for mark in marks)


def citations_in(text: str, read: ReadText) -> tuple[Citation, ...]:
    """The citations of an answer that has been checked; none for one that does not hold."""
    try:
        return check_citations(text, read)
    except Rejected:
        return ()


def _taken_apart(text: str) -> _Answer:
    notes = {match["mark"]: match["words"].strip() for match in _NOTE.finditer(text)}
    return _Answer(_NOTE.sub("", text).strip(), notes)


def _check_pairs(answer: _Answer, marks: dict[str, None]) -> None:
    """Every mark has its note, every note its mark, every paragraph a mark unless it says that nothing is known."""
    for mark in marks:
        if mark not in answer.notes:
            raise Rejected(f"[^{mark}] has no line that says what it cites", hint=FORM)
    for mark in answer.notes:
        if mark not in marks:
            raise Rejected(f"nothing in the answer refers to [^{mark}]", hint=FORM)
    for paragraph in re.split(r"\n\s*\n", answer.body):
        needs_mark = not NOT_SAID.match(paragraph) and not paragraph.lstrip().startswith("#")
        if needs_mark and not _MARK.search(paragraph):
            raise Rejected(f"nothing is cited for: {paragraph.strip()[:120]}", hint=FORM)


def _checked(mark: str, note: str, read: ReadText) -> Citation:
    cited = _CITED.match(note)
    if cited is None:
        raise Rejected(f"[^{mark}] does not name a file and quote its words", hint=FORM)
    file, quote = cited["file"].strip(), cited["quote"].strip()
    text = read(file)
    if text is None:
        raise Rejected(f"[^{mark}]: there is no document {file[:80]!r}", hint="cite only files that the tools returned")
    place = located(text, quote)
    if place is None:
        raise Rejected(
            f"[^{mark}]: {file} does not say {quote[:160]!r}",
            hint="quote words exactly as the document has them; shorter is safer",
        )
    line = text.count("\n", 0, place[0]) + 1
    section = section_at(text, line)
    return Citation(
        source=file,
        title=title_of(file, text),
        place=place_of(section, line),
        quote=quote,
        start=place[0],
        end=place[1],
    )


def located(text: str, quote: str) -> tuple[int, int] | None:
    """Where a text has these words, whatever blanks, line ends and emphasis stand between them."""
    if not MIN_QUOTE_CHARS <= len(quote) <= MAX_QUOTE_CHARS:
        return None
    words = _TOKEN.findall(quote)
    found = re.search(r"[\s*_`]+".join(map(re.escape, words)), text) if words else None
    return found.span() if found else None
