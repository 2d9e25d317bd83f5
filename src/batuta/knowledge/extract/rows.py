"""Rows of a table as segments: each cell with the name of its column, each row with its cells' range."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

from batuta.knowledge.document import Location
from batuta.knowledge.extract.builder import TextBuilder

Row = tuple[int, Mapping[int, str]]
"""The number of a row and its cells by column, both from 1."""

MAX_HEADER_CHARS = 80
LOOKED_AT = 20
"""Rows among which the one that names the columns is looked for."""
NEARLY = 0.6
"""Of the widest row, at the least, that the names of the columns fill."""

_NUMBER = re.compile(r"^[\s\d.,%€$£+/:()-]*$")


def read_rows(
    rows: Iterable[Row], out: TextBuilder, *, sheet: str = "", number: int = 0, by_line: bool = False
) -> None:
    """Add rows. The first that is nearly as wide as the table names the columns, if it has words only; what stands
    above it, such as a title, is added as it is.

    Args:
        rows: With their numbers.
        out: Where they are added.
        sheet: The name of the sheet, or what stands for it.
        number: Of the sheet.
        by_line: Whether each row stands in the line of its number, and the first one names the columns.
    """
    numbered = ((row, {column: " ".join(text.split()) for column, text in cells.items()}) for row, cells in rows)
    filled = ((row, {column: text for column, text in cells.items() if text}) for row, cells in numbered)
    known = ((row, cells) for row, cells in filled if cells)
    first = list(islice(known, LOOKED_AT))
    place = _header_place([cells for _, cells in first]) if not by_line else 0 if first else None
    header: Mapping[int, str] = {} if place is None else first[place][1]
    for at, (row, cells) in enumerate(chain(first, known)):
        in_sheet = Location(kind="sheet", number=number, name=sheet, cells=_range(cells, row))
        location = Location(kind="line", number=row) if by_line else in_sheet
        is_named = place is not None and at > place
        out.add(_spoken(cells, header if is_named else {}), location, "row")


def column_name(number: int) -> str:
    """`1` is A, `27` is AA."""
    name = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _spoken(cells: Mapping[int, str], header: Mapping[int, str]) -> str:
    return " | ".join(f"{header[column]}: {text}" if column in header else text for column, text in cells.items())


def _header_place(rows: Sequence[Mapping[int, str]]) -> int | None:
    widest = max(map(len, rows), default=0)
    place = next((at for at, cells in enumerate(rows) if len(cells) >= NEARLY * widest), None)
    return place if place is not None and _is_header(rows[place]) else None


def _is_header(cells: Mapping[int, str]) -> bool:
    has_words = all(not _NUMBER.match(text) and len(text) <= MAX_HEADER_CHARS for text in cells.values())
    return len(cells) > 1 and has_words and len(set(cells.values())) == len(cells)


def _range(cells: Mapping[int, str], row: int) -> str:
    first, last = min(cells), max(cells)
    begin = f"{column_name(first)}{row}"
    return begin if first == last else f"{begin}:{column_name(last)}{row}"
