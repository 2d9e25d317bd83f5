"""Rows of a table as segments: each cell with the name of its column, each row with its cells' range."""

import re
from collections.abc import Iterable, Mapping

from batuta.knowledge.document import Location
from batuta.knowledge.extract.builder import TextBuilder

Row = tuple[int, Mapping[int, str]]
"""The number of a row and its cells by column, both from 1."""

MAX_HEADER_CHARS = 80

_NUMBER = re.compile(r"^[\s\d.,%€$£+/:()-]*$")


def read_rows(rows: Iterable[Row], out: TextBuilder, *, sheet: str = "", number: int = 0) -> None:
    """Add rows; where the first has words only, it names the columns."""
    header: dict[int, str] | None = None
    for row_number, cells in rows:
        filled = {column: " ".join(text.split()) for column, text in cells.items() if text.strip()}
        if not filled:
            continue
        location = Location(kind="sheet", number=number, name=sheet, cells=_range(filled, row_number))
        if header is None:
            header = filled if _is_header(filled) else {}
            if header:
                out.add(" | ".join(filled.values()), location, "row")
                continue
        out.add(_spoken(filled, header), location, "row")


def column_name(number: int) -> str:
    """`1` is A, `27` is AA."""
    name = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _spoken(cells: Mapping[int, str], header: Mapping[int, str]) -> str:
    return " | ".join(f"{header[column]}: {text}" if column in header else text for column, text in cells.items())


def _is_header(cells: Mapping[int, str]) -> bool:
    has_words = all(not _NUMBER.match(text) and len(text) <= MAX_HEADER_CHARS for text in cells.values())
    return len(cells) > 1 and has_words and len(set(cells.values())) == len(cells)


def _range(cells: Mapping[int, str], row: int) -> str:
    first, last = min(cells), max(cells)
    begin = f"{column_name(first)}{row}"
    return begin if first == last else f"{begin}:{column_name(last)}{row}"
