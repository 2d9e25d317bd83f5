"""Readers of text: plain, Markdown and separated values."""

import csv
import io
import re

from charset_normalizer import from_bytes

from batuta.knowledge.document import Location
from batuta.knowledge.extract.builder import TextBuilder
from batuta.knowledge.extract.rows import LOOKED_AT, read_rows
from batuta.language.markdown_tables import table_at

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_DETECTED_BYTES = 64 * 1024
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
MAX_CELL_CHARS = 1_000_000
MAX_TITLE_CHARS = 80
DELIMITERS = ",;\t|"
DELIMITED_CHARS = 20_000
"""Of a file, in whose first lines the delimiter is looked for."""


def decoded(data: bytes) -> str:
    """Text of bytes: UTF-8, what a byte order mark says, what their statistics say, else Windows Latin."""
    if data.startswith(_BYTE_ORDER_MARKS):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        best = from_bytes(data[:_DETECTED_BYTES]).best()
        return data.decode(best.encoding if best else "cp1252", "replace")


def read_text(data: bytes, out: TextBuilder) -> None:
    """Paragraphs with their lines; a short first line is the title."""
    text = decoded(data)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    out.title = first if 0 < len(first) <= MAX_TITLE_CHARS else ""
    _paragraphs(text, out, is_markdown=False)


def read_markdown(data: bytes, out: TextBuilder) -> None:
    """Paragraphs and rows of tables below the headings of Markdown."""
    _paragraphs(decoded(data), out, is_markdown=True)


def read_separated(data: bytes, out: TextBuilder) -> None:
    """Rows of separated values, each cell with the name of its column."""
    text = decoded(data)
    lines = text[:DELIMITED_CHARS].splitlines()[:LOOKED_AT]
    delimiter = max(
        DELIMITERS, key=lambda mark: (sum(mark in line for line in lines), sum(line.count(mark) for line in lines))
    )
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    before = csv.field_size_limit(MAX_CELL_CHARS)  # of the whole process: others read by theirs
    try:
        read_rows(((number, dict(enumerate(row, 1))) for number, row in enumerate(rows, 1)), out)
    finally:
        csv.field_size_limit(before)


def _paragraphs(text: str, out: TextBuilder, *, is_markdown: bool) -> None:
    lines: list[str] = []
    first, is_code, table_end = 0, False, 0
    written = text.splitlines()

    def flush() -> None:
        out.add("\n".join(lines), Location(kind="line", number=first))
        lines.clear()

    for number, line in enumerate(written, 1):
        if number <= table_end:
            continue
        is_code ^= is_markdown and _FENCE.match(line) is not None
        heading = _HEADING.match(line) if is_markdown and not is_code else None
        table = table_at(written, number - 1) if is_markdown and not is_code and "|" in line else []
        if heading is not None:
            flush()
            out.heading(heading.group(2), Location(kind="line", number=number), level=len(heading.group(1)))
        elif table:
            flush()
            read_rows(((at + 1, dict(enumerate(cells, 1))) for at, cells in table), out, by_line=True)
            table_end = max(table[-1][0] + 1, number + 1)
        elif not line.strip():
            flush()
        else:
            first = first if lines else number
            lines.append(line.rstrip())
    flush()
