"""Reader of Excel workbooks, on the standard library: sheets, rows and cells with their addresses, dates as dates.

A sheet is read as a stream of the cells that exist: an address in the last row and column costs nothing.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from xml.etree import ElementTree as ET

from batuta.knowledge.extract.builder import TextBuilder
from batuta.knowledge.extract.packages import Package, attribute, local_name, opened
from batuta.knowledge.extract.rows import Row, read_rows

MAX_SHEETS = 500

_DATE_FORMATS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_DATE_CODE = re.compile(r"(?:[ymdhs]{1,4}[/\-. :]|[ymd]{2,4})", re.IGNORECASE)
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_ADDRESS = re.compile(r"^([A-Z]{1,3})(\d{1,7})$")
_EPOCHS = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}  # noqa: DTZ001 - serial days have no zone


def read_workbook(data: bytes, out: TextBuilder) -> None:
    """All sheets in order, hidden ones too."""
    with opened(data) as package:
        book = next((t for t, kind in package.relationships("").values() if kind == "officeDocument"), "")
        book = book if book in package else "xl/workbook.xml"
        links = package.relationships(book)
        shared = [
            _words(each)
            for target, kind in links.values()
            if kind == "sharedStrings" and target in package
            for each in package.elements(target, "si")
        ]
        cells = _Cells(shared, _date_styles(package), _epoch(package, book))
        sheets = [(attribute(each, "name"), _link(each)) for each in package.elements(book, "sheet")]
        for number, (name, link) in enumerate(sheets[:MAX_SHEETS], 1):
            target = links.get(link, ("", ""))[0]
            if target in package:
                out.section(name)
                read_rows(_rows(package, target, cells), out, sheet=name, number=number)


class _Cells:
    """Values of cells as people see them."""

    def __init__(self, shared: list[str], date_styles: frozenset[int], epoch: datetime) -> None:
        self._shared = shared
        self._date_styles = date_styles
        self._epoch = epoch

    def text(self, cell: ET.Element) -> str:
        """The value of a cell."""
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _words(cell)
        value = next((each.text or "" for each in cell if local_name(each.tag) == "v"), "")
        if kind == "s":
            return self._shared[int(value)] if value.isdigit() and int(value) < len(self._shared) else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        return self._number(value, cell.get("s", "")) if kind == "n" else value

    def _number(self, value: str, style: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return value
        if style.isdigit() and int(style) in self._date_styles and 0 <= number < 2_958_466:
            return _date(self._epoch, number)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.12g}"


def _date(epoch: datetime, days: float) -> str:
    moment = epoch + timedelta(seconds=round(days * 86_400))
    if days < 1:
        return f"{moment:%H:%M}"
    return f"{moment:%Y-%m-%d}" if days == int(days) else f"{moment:%Y-%m-%d %H:%M}"


def _rows(package: Package, target: str, cells: _Cells) -> Iterator[Row]:
    last = 0
    for row in package.elements(target, "row"):
        given = row.get("r", "")
        number = int(given) if given.isdigit() else last + 1
        last = number
        yield number, dict(_row(row, cells))


def _row(row: ET.Element, cells: _Cells) -> Iterator[tuple[int, str]]:
    column = 0
    for cell in row:
        if local_name(cell.tag) != "c":
            continue
        address = _ADDRESS.match(cell.get("r", ""))
        column = _column(address.group(1)) if address else column + 1
        text = cells.text(cell)
        if text:
            yield column, text


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _words(element: ET.Element) -> str:
    """Text of a string; the reading aids of Japanese ones are left out."""
    readings = {each for phonetic in element.iter() if local_name(phonetic.tag) == "rPh" for each in phonetic.iter()}
    return "".join(e.text or "" for e in element.iter() if local_name(e.tag) == "t" and e not in readings)


def _date_styles(package: Package) -> frozenset[int]:
    """The cell styles that show numbers as dates."""
    if "xl/styles.xml" not in package:
        return frozenset()
    dates = set(_DATE_FORMATS)
    for each in package.elements("xl/styles.xml", "numFmt"):
        code, identity = attribute(each, "formatCode"), attribute(each, "numFmtId")
        if identity.isdigit() and _DATE_CODE.search(_LITERAL.sub("", code)):
            dates.add(int(identity))
    styles = next(package.elements("xl/styles.xml", "cellXfs"), None)
    formats = [] if styles is None else [attribute(each, "numFmtId") for each in styles if local_name(each.tag) == "xf"]
    return frozenset(i for i, each in enumerate(formats) if each.isdigit() and int(each) in dates)


def _epoch(package: Package, book: str) -> datetime:
    properties = next(package.elements(book, "workbookPr"), None)
    return _EPOCHS[properties is not None and properties.get("date1904") in ("1", "true")]


def _link(sheet: ET.Element) -> str:
    return next((value for key, value in sheet.attrib.items() if key.endswith("}id")), "")
