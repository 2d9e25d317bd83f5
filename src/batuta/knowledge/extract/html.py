"""Reader of HTML, on the standard library: blocks below their headings, tables row by row, no scripts."""

from html.parser import HTMLParser

from batuta.knowledge.document import Location
from batuta.knowledge.extract.builder import TextBuilder
from batuta.knowledge.extract.plain import decoded
from batuta.knowledge.extract.rows import read_rows

_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "math", "object", "iframe", "select"})
_BLOCK_TAGS = (
    "p div section article main header footer aside nav li ul ol dl dt dd blockquote pre table tr td th br hr form "
    "fieldset figure figcaption address details summary h1 h2 h3 h4 h5 h6 body title caption"
)
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def read_html(data: bytes, out: TextBuilder) -> None:
    """The text of a page."""
    read_markup(decoded(data), out)


def read_markup(markup: str, out: TextBuilder) -> None:
    """The text of markup that has been decoded."""
    parser = _Page(out)
    parser.feed(markup)
    parser.close()
    parser.flush()


class _Page(HTMLParser):
    """Walks without recursion: depth of nesting costs nothing."""

    def __init__(self, out: TextBuilder) -> None:
        super().__init__(convert_charrefs=True)
        self._out = out
        self._words: list[str] = []
        self._silent = ""
        self._heading = 0
        self._is_title = False
        self._rows: list[dict[int, str]] = []
        self._tables = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent:
            return
        if tag in _SILENT:
            self._silent = tag
        elif tag == "table":
            self.flush()
            self._tables += 1
        elif self._tables and tag == "tr":
            self._cell()
            self._rows.append({})
        elif self._tables and tag in ("td", "th"):
            self._cell()
        elif tag in _BLOCKS:
            self._begin(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            self._silent = "" if tag == self._silent else self._silent
        elif tag == "table" and self._tables:
            self._cell()
            self._tables -= 1
            self._end_table()
        elif self._tables and tag in ("td", "th", "tr"):
            self._cell()
        elif tag in _BLOCKS:
            self.flush()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._words.append(data)

    def flush(self) -> None:
        """End a block."""
        if self._tables:
            self._words.append(" ")
            return
        text = " ".join("".join(self._words).split())
        self._words.clear()
        place = Location(kind="section", name=self._out.headings[-1] if self._out.headings else "")
        if self._is_title:
            self._out.title = self._out.title or text
        elif self._heading:
            self._out.heading(text, place, level=self._heading)
        else:
            self._out.add(text, place)
        self._heading, self._is_title = 0, False

    def _begin(self, tag: str) -> None:
        self.flush()
        if not self._tables:
            self._heading, self._is_title = _HEADINGS.get(tag, 0), tag == "title"

    def _cell(self) -> None:
        text = " ".join("".join(self._words).split())
        self._words.clear()
        if text and self._rows:
            row = self._rows[-1]
            row[len(row) + 1] = text
        elif text:
            self._rows.append({1: text})

    def _end_table(self) -> None:
        if not self._tables:
            read_rows(enumerate(self._rows, 1), self._out, sheet=self._out.headings[-1] if self._out.headings else "")
            self._rows = []
