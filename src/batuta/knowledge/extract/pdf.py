"""Reader of PDF by pypdfium2: page by page, with the headings that numbering, capitals and large letters show."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import pypdfium2
from pypdfium2 import raw

from batuta.knowledge.document import Location
from batuta.knowledge.extract.builder import TextBuilder
from batuta.knowledge.extract.failures import ExtractionFailedError

MAX_PAGES = 5_000

_OF_A_NUMBER = re.compile(r"[\x02\ufffe]\r?\n?(?=\d)")
"""A hyphen before a number belongs to it, though a line ends there: NF-2025."""
_HYPHENATED = re.compile(r"[\x02\ufffe]\r?\n?|(?<=[^\W\d_])\u00ad\r?\n?")
_NUMBERED = re.compile(r"^(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?P<title>[^\W\d_].{2,90})$")
_CAPITALS = re.compile(r"^[A-ZÁÉÍÓÚÜÑ0-9][A-ZÁÉÍÓÚÜÑ0-9 ,:&/()'-]{3,79}$")
_SENTENCE = re.compile(r"[.;,]$")
_PASSWORD_ERROR = 4
LARGER = 1.15
"""How much larger than most of the text the letters of a heading are."""
LEVELS = (1.6, 1.3)
"""… of the first level, and of the second."""
MAX_LARGE_CHARS = 150
"""Of a heading, all its lines together: what is longer is text in large letters."""


def read_pdf(data: bytes, out: TextBuilder) -> None:
    """The pages. One without text among others is left out; a document of such pages is a scan."""
    document = opened_pdf(data)
    sizes: Counter[float] = Counter()
    try:
        out.title = _title(document)
        for number in range(min(len(document), MAX_PAGES)):
            lines = list(_lines(document, number))
            for line, size in lines:
                sizes[size] += len(line)
            _add_page(lines, sizes.most_common(1)[0][0] if sizes else 0.0, number, out)
    finally:
        document.close()


def opened_pdf(data: bytes) -> Any:
    """A document of pypdfium2. Raises `ExtractionFailedError`."""
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        is_locked = getattr(error, "err_code", None) == _PASSWORD_ERROR or "assword" in str(error)
        raise ExtractionFailedError("encrypted" if is_locked else "broken", str(error)) from error


def _title(document: Any) -> str:
    title = " ".join(str(document.get_metadata_dict().get("Title", "")).split())
    looks_real = 3 < len(title) <= 150 and not re.search(r"\.\w{2,4}$|^(?:untitled|microsoft word)", title, re.I)
    return title if looks_real else ""


def _lines(document: Any, number: int) -> Iterator[tuple[str, float]]:
    """The lines of a page with the size of their letters; nothing where the page cannot be read."""
    try:
        page = document[number]
        text_page = page.get_textpage()
        text, at = text_page.get_text_range(), 0
        for line in text.splitlines(keepends=True):
            first = at + len(line) - len(line.lstrip())
            yield line, round(raw.FPDFText_GetFontSize(text_page, first), 1) if line.strip() else 0.0
            at += len(line)
        text_page.close()
        page.close()
    except pypdfium2.PdfiumError:
        return


def _add_page(lines: Sequence[tuple[str, float]], usual: float, number: int, out: TextBuilder) -> None:
    """Put the text of a page below its headings; a heading may have several lines."""
    location = Location(kind="page", number=number + 1)
    kept: list[str] = []
    for size, group in groupby(lines, key=lambda each: each[1]):
        texts = [line for line, _ in group]
        large = " ".join(_joined(texts).split())
        level = _level_by_size(size / usual if usual else 0.0, large)
        parts = [(large, level)] if level is not None else [(line, None) for line in texts]
        for part, by_size in parts if size else []:
            heading = _heading(part.strip()) if by_size is None else by_size
            if heading is None:
                kept.append(part)
                continue
            out.add(_joined(kept), location)
            kept.clear()
            out.heading(part.strip(), location, level=heading)
    out.add(_joined(kept), location)


def _joined(lines: Sequence[str]) -> str:
    """Lines with their ends as one text, without the hyphens that divide a word between two."""
    text = _HYPHENATED.sub("", _OF_A_NUMBER.sub("-", "".join(lines)))
    return "\n".join(line.rstrip() for line in text.splitlines())


def _level_by_size(larger: float, text: str) -> int | None:
    """The level of lines whose letters are so much larger than the usual ones, if they are a heading."""
    is_name = len(text) <= MAX_LARGE_CHARS and sum(char.isalpha() for char in text) >= 3 and not _SENTENCE.search(text)
    if larger < LARGER or not is_name:
        return None
    return 1 + sum(larger < least for least in LEVELS)


def _heading(line: str) -> int | None:
    """The level of a line that looks like a heading."""
    numbered = _NUMBERED.match(line)
    if numbered and not _SENTENCE.search(line) and numbered["title"][0].isupper():
        return numbered["number"].count(".") + 2
    if _CAPITALS.match(line) and sum(char.isalpha() for char in line) >= 4:
        return 1
    return None
