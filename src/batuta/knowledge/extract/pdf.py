"""Reader of PDF by pypdfium2: page by page, with the headings that numbering and capitals show."""

import re
from typing import Any

import pypdfium2

from batuta.knowledge.document import Location
from batuta.knowledge.extract.builder import TextBuilder
from batuta.knowledge.extract.failures import ExtractionFailedError

MAX_PAGES = 5_000

_HYPHENATED = re.compile(r"[\x02\ufffe]\r?\n?|(?<=[^\W\d_])\u00ad\r?\n?")
_NUMBERED = re.compile(r"^(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?P<title>[^\W\d_].{2,90})$")
_CAPITALS = re.compile(r"^[A-ZÁÉÍÓÚÜÑ0-9][A-ZÁÉÍÓÚÜÑ0-9 ,:&/()'-]{3,79}$")
_SENTENCE = re.compile(r"[.;,]$")
_PASSWORD_ERROR = 4


def read_pdf(data: bytes, out: TextBuilder) -> None:
    """The pages. One without text among others is left out; a document of such pages is a scan."""
    document = opened_pdf(data)
    try:
        out.title = _title(document)
        for number in range(min(len(document), MAX_PAGES)):
            _read_page(document, number, out)
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


def _read_page(document: Any, number: int, out: TextBuilder) -> None:
    location = Location(kind="page", number=number + 1)
    try:
        page = document[number]
        text_page = page.get_textpage()
        text = text_page.get_text_range()
        text_page.close()
        page.close()
    except pypdfium2.PdfiumError:
        return
    lines: list[str] = []
    for line in _HYPHENATED.sub("", text).splitlines():
        heading = _heading(line.strip())
        if heading is not None:
            out.add("\n".join(lines), location)
            lines.clear()
            out.heading(line.strip(), location, level=heading)
        else:
            lines.append(line.rstrip())
    out.add("\n".join(lines), location)


def _heading(line: str) -> int | None:
    """The level of a line that looks like a heading."""
    numbered = _NUMBERED.match(line)
    if numbered and not _SENTENCE.search(line) and numbered["title"][0].isupper():
        return numbered["number"].count(".") + 2
    if _CAPITALS.match(line) and sum(char.isalpha() for char in line) >= 4:
        return 1
    return None
