"""Tables inside documents: Word files, pages and Markdown. Cells as text; what they mean is found out as for any file.

What comes in is untrusted: it is read in a process that can be ended, after the sizes in the zip were looked at.
"""

import io
import zipfile
from dataclasses import dataclass, field
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from batuta.datasets.upload_problems import UploadRefusedError
from batuta.language.markdown_tables import table_at

MAX_TABLES = 50
MAX_TITLE_CHARS = 80
WORD_PART = "word/document.xml"
MAX_PART_BYTES = 100 * 1024 * 1024
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "caption"})
_SILENT = frozenset({"script", "style", "template", "noscript"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTable:
    """A table of a document."""

    title: str
    """The words that stand above it, where they are short enough to be a title."""
    rows: list[list[str]] = field(default_factory=list)


def tables_of_word(content: bytes, name: str) -> list[FoundTable]:
    """The tables of a Word document, in order. Raises `DatasetError` for what is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            if package.getinfo(WORD_PART).file_size > MAX_PART_BYTES:
                raise UploadRefusedError("unpacks_to_more", name=name)
            root = ET.fromstring(package.read(WORD_PART))  # noqa: S314 - no entities beyond the parser's own bounds
    except (zipfile.BadZipFile, KeyError, ET.ParseError) as error:
        raise UploadRefusedError("not_word", name=name) from error
    found: list[FoundTable] = []
    title = ""
    for element in root.iterfind(f"{_W}body/*"):
        if element.tag == f"{_W}tbl":
            rows = [[_text(cell) for cell in row.iterfind(f"{_W}tc")] for row in element.iterfind(f"{_W}tr")]
            found.append(FoundTable(title=title, rows=rows))
        elif element.tag == f"{_W}p" and (text := _text(element)):
            title = text if len(text) <= MAX_TITLE_CHARS else ""
    return _real(found)


def tables_of_page(text: str) -> list[FoundTable]:
    """The tables of a web page, in order; one within another is part of its cell."""
    reader = _PageTables()
    reader.feed(text)
    reader.close()
    return _real(reader.found)


def tables_of_markdown(text: str) -> list[FoundTable]:
    """The tables of a text in Markdown, in order; none in code."""
    found: list[FoundTable] = []
    lines, title, is_code, after = text.splitlines(), "", False, 0
    for number, line in enumerate(lines):
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        if number < after or is_code:
            continue
        rows = table_at(lines, number) if "|" in line else []
        if rows:
            found.append(FoundTable(title=title, rows=[cells for _, cells in rows]))
            after = rows[-1][0] + 1 if len(rows) > 1 else number + 2
        elif words := line.strip(" #*"):
            title = words if len(words) <= MAX_TITLE_CHARS else ""
    return _real(found)


def _text(element: ET.Element) -> str:
    return " ".join("".join(each.text or " " for each in element.iter() if each.tag in _WORDS).split())


_WORDS = frozenset({f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}p"})


def _real(found: list[FoundTable]) -> list[FoundTable]:
    """Those that hold rows and columns: a frame around a picture is no table."""
    return [one for one in found if len(one.rows) > 1 and max(map(len, one.rows)) > 1][:MAX_TABLES]


class _PageTables(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[FoundTable] = []
        self._title = ""
        self._words: list[str] = []
        self._rows: list[list[str]] = []
        self._depth = 0
        self._is_cell = False
        self._silent = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent = self._silent or tag
        elif tag == "table":
            self._depth += 1
        elif self._depth == 1 and tag in ("tr", "td", "th"):
            self._end_cell()
            if tag == "tr" or not self._rows:
                self._rows.append([])
            self._is_cell = tag != "tr"
        if tag in _HEADINGS or (self._depth <= 1 and tag in ("td", "th")):
            self._words.clear()

    def handle_endtag(self, tag: str) -> None:
        if tag == self._silent:
            self._silent = ""
        elif tag in _HEADINGS:
            text = self._text()
            self._title = text if len(text) <= MAX_TITLE_CHARS else ""
        elif self._depth == 1 and tag in ("td", "th", "tr", "table"):
            self._end_cell()
        if tag == "table" and self._depth:
            self._depth -= 1
            if not self._depth:
                self.found.append(FoundTable(title=self._title, rows=self._rows))
                self._rows, self._title = [], ""

    def _text(self) -> str:
        return " ".join("".join(self._words).split())

    def _end_cell(self) -> None:
        """Keep the cell that is open: many pages leave its end out."""
        if self._is_cell:
            self._rows[-1].append(self._text())
        self._is_cell = False

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._words.append(data)
