"""Datasets as files: CSV and XLSX out; CSV, XLSX and tables inside documents in.

What comes in is untrusted: sizes are bounded, types are guessed from all values, and a column that is not all of one
type is text. What goes out as CSV cannot begin a formula.
"""

import contextlib
import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import IO, Any
from xml.sax.saxutils import escape

from batuta.datasets.dataset import MAX_COLUMNS, MAX_ROWS, Column, Dataset, DatasetError, Provenance, dataset_name
from batuta.datasets.document_tables import FoundTable, tables_of_markdown, tables_of_page, tables_of_word
from batuta.datasets.reading import table_of
from batuta.datasets.upload_problems import UploadRefusedError
from batuta.events.datasets import Cell
from batuta.kernel.extras import load_extra

MAX_UPLOAD_BYTES = 10 * 1024 * 1024
MAX_UNPACKED_BYTES = 400 * 1024 * 1024
MAX_UPLOADED_ROWS = 200_000
MAX_SHEETS = 20
MAX_XLSX_CELLS = 20_000_000
"""Of a workbook that is written: a larger one is more than spreadsheets open, and than a zip holds in one part."""

WriteRows = Callable[[Iterable[Sequence[Cell]]], None]
_FORMULA = re.compile(r"^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n|])(?=[=@＝＠]|[+\-＋－]\S)")
"""Where a formula begins: also after what spreadsheets of other countries divide cells at, whatever the file does."""
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_EPOCH = date(1899, 12, 30)


def csv_lines(columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """A CSV file in UTF-8, line by line: titles, then rows. Text that a spreadsheet would compute is quoted."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")

    def line(cells: Sequence[Any]) -> str:
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(cells)
        return buffer.getvalue()

    yield line([_safe(column.title) for column in columns])
    is_text = [column.type == "text" for column in columns]
    for row in rows:
        yield line([_safe(cell) if text else cell for cell, text in zip(row, is_text, strict=True)])


@contextmanager
def xlsx_writer(out: IO[bytes], columns: Sequence[Column], *, title: str = "") -> Iterator[WriteRows]:
    """A workbook with one sheet: what is given writes some rows, so that never all of them are in memory."""
    writers = [_WRITERS[column.type] for column in columns]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        for name, text in _PARTS.items():
            book.writestr(name, text.replace("{title}", escape(_sheet_name(title), {'"': "&quot;"})))
        with book.open("xl/worksheets/sheet1.xml", "w") as sheet:

            def write_rows(rows: Iterable[Sequence[Cell]]) -> None:
                for row in rows:
                    cells = ["<c/>" if v is None else write(v) for write, v in zip(writers, row, strict=True)]
                    sheet.write(_xlsx_row(cells))

            sheet.write(_SHEET_HEAD)
            sheet.write(_xlsx_row([f'<c s="4" t="inlineStr"><is><t>{_xml(one.title)}</t></is></c>' for one in columns]))
            yield write_rows
            sheet.write(b"</sheetData></worksheet>")


def dataset_from_csv(content: bytes, *, name: str, now: datetime) -> Dataset:
    """A dataset of an uploaded CSV file: delimiter, head and types are guessed. Raises `DatasetError`."""
    text = _decoded(content, name)
    first_lines = text[:20_000].splitlines()[:20]
    delimiter = max(",;\t|", key=lambda mark: sum(line.count(mark) for line in first_lines))
    try:
        lines = csv.reader(io.StringIO(text), delimiter=delimiter)
        rows = [row for row in lines if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UploadRefusedError("not_csv", name=name, why=str(error)) from error
    return _dataset_of(rows, name=name, title=name, now=now, delimiter=delimiter)


def datasets_from_xlsx(content: bytes, *, name: str, now: datetime) -> list[tuple[str, Dataset]]:
    """The datasets of an uploaded workbook with their sheets, in order. Raises `DatasetError` where there is none."""
    found: list[tuple[str, Dataset]] = []
    problem: DatasetError | None = None
    sheets = _sheets(content, name)
    for sheet, rows in sheets:
        title = name if len(sheets) == 1 else f"{name} › {sheet}"
        try:
            found.append((sheet, _dataset_of(rows, name=name if len(sheets) == 1 else sheet, title=title, now=now)))
        except DatasetError as error:
            problem = error
    if not found:
        raise problem or UploadRefusedError("no_rows", name=name)
    return found


def datasets_from_document(content: bytes, *, name: str, now: datetime) -> list[tuple[str, Dataset]]:
    """The tables of a Word file, a page or Markdown with their titles. Raises `DatasetError` where there is none."""
    if len(content) > MAX_UPLOAD_BYTES:
        raise UploadRefusedError("too_large", name=name, most=MAX_UPLOAD_BYTES >> 20)
    tables = _document_tables(content, name)
    found: list[tuple[str, Dataset]] = []
    for number, table in enumerate(tables, 1):
        title = table.title or (f"{number}" if len(tables) > 1 else "")
        place = f"{name} › {title}" if title else name
        with contextlib.suppress(DatasetError):  # a table without rows under its head is none
            made = _dataset_of(table.rows, name=table.title or name, title=place, now=now)
            found.append((title, made))
    if not found:
        raise UploadRefusedError("no_table", name=name)
    return found


def _document_tables(content: bytes, name: str) -> list[FoundTable]:
    if name.lower().endswith(".docx"):
        return tables_of_word(content, name)
    is_markdown = name.lower().endswith((".md", ".markdown"))
    return (tables_of_markdown if is_markdown else tables_of_page)(_decoded(content, name))


def dataset_from_xlsx(content: bytes, *, name: str, now: datetime) -> Dataset:
    """A dataset of the first sheet of an uploaded workbook that holds a table. Raises `DatasetError`."""
    return datasets_from_xlsx(content, name=name, now=now)[0][1]


def _sheets(content: bytes, name: str) -> list[tuple[str, list[list[Any]]]]:
    """The cells of each sheet that has any."""
    _check_workbook(content, name)
    openpyxl = load_extra("openpyxl", extra="datasets", needed_for="reading XLSX files")
    found: list[tuple[str, list[list[Any]]]] = []
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        for sheet in book.worksheets[:MAX_SHEETS]:
            lines = sheet.iter_rows(values_only=True, max_row=MAX_UPLOADED_ROWS + 2, max_col=MAX_COLUMNS + 1)
            if rows := [cut for line in lines if (cut := _without_empty_end(line))]:
                found.append((sheet.title, rows))
    except Exception as error:  # whatever a broken workbook does to the reader
        raise UploadRefusedError("not_workbook", name=name, why=type(error).__name__) from error
    return found


def _dataset_of(rows: Sequence[Sequence[Any]], *, name: str, title: str, now: datetime, delimiter: str = "") -> Dataset:
    if len(rows) < 2:
        raise UploadRefusedError("no_rows", name=name)
    if len(rows) - 1 > min(MAX_UPLOADED_ROWS, MAX_ROWS):
        raise UploadRefusedError("too_many_rows", name=name, most=MAX_UPLOADED_ROWS)
    if max(len(row) for row in rows) > MAX_COLUMNS:
        raise UploadRefusedError("too_many_columns", name=name, most=MAX_COLUMNS)
    columns, values = table_of(rows, delimiter)
    if not values:
        raise UploadRefusedError("no_rows", name=name)
    return Dataset(
        name=dataset_name(name.rpartition(".")[0] or name), title=title[:200], columns=columns, rows=values,
        provenance=Provenance(connector="upload", query=title, retrieved_at=now, record_count=len(values)),
    )  # fmt: skip


def _without_empty_end(row: Sequence[Any]) -> list[Any]:
    last = max((place for place, cell in enumerate(row) if cell is not None), default=-1)
    return list(row[: last + 1])


def _decoded(content: bytes, name: str) -> str:
    if len(content) > MAX_UPLOAD_BYTES:
        raise UploadRefusedError("too_large", name=name, most=MAX_UPLOAD_BYTES >> 20)
    for encoding in ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252", "latin-1"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise UploadRefusedError("no_text", name=name)


def _check_workbook(content: bytes, name: str) -> None:
    """A workbook is a zip: bound what it unpacks to before anything reads it."""
    if len(content) > MAX_UPLOAD_BYTES:
        raise UploadRefusedError("too_large", name=name, most=MAX_UPLOAD_BYTES >> 20)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            unpacked = sum(part.file_size for part in book.infolist())
    except zipfile.BadZipFile as error:
        raise UploadRefusedError("no_workbook", name=name) from error
    if unpacked > min(MAX_UNPACKED_BYTES, 200 * max(len(content), 100_000)):
        raise UploadRefusedError("unpacks_to_more", name=name)


def _safe(cell: Cell) -> Cell:
    return _FORMULA.sub("'", cell) if isinstance(cell, str) else cell


def _sheet_name(title: str) -> str:
    return re.sub(r"[\[\]:*?/\\]", " ", _NOT_IN_XML.sub("", title)).strip("' ")[:31] or "Batuta"


def _xml(text: object) -> str:
    return escape(_NOT_IN_XML.sub("", str(text)))


def _text_cell(value: Cell) -> str:
    return f'<c t="inlineStr"><is><t xml:space="preserve">{_xml(value)}</t></is></c>'


def _number_cell(value: Cell, style: int) -> str:
    # A spreadsheet keeps 15 digits: a longer number stays as it is, as text.
    if len(str(value).lstrip("-").replace(".", "")) > 15:
        return _text_cell(value)
    return f'<c s="{style}"><v>{value}</v></c>'


def _date_cell(value: Cell) -> str:
    day = date.fromisoformat(str(value))
    return f'<c s="1"><v>{(day - _EPOCH).days}</v></c>' if day.year >= 1901 else _text_cell(value)


def _datetime_cell(value: Cell) -> str:
    moment = datetime.fromisoformat(str(value)).astimezone(UTC)
    if moment.year < 1901:
        return _text_cell(value)
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    return f'<c s="2"><v>{(moment.date() - _EPOCH).days + seconds / 86400:.6f}</v></c>'


_WRITERS: dict[str, Callable[[Cell], str]] = {
    "text": _text_cell,
    "integer": lambda value: _number_cell(value, 0),
    "decimal": lambda value: _number_cell(value, 3),
    "float": lambda value: f"<c><v>{value!r}</v></c>",
    "date": _date_cell,
    "datetime": _datetime_cell,
    "boolean": lambda value: f'<c t="b"><v>{int(bool(value))}</v></c>',
}


def _xlsx_row(cells: Sequence[str]) -> bytes:
    return f"<row>{''.join(cells)}</row>".encode()


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SHEET_HEAD = (
    f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" '
    'activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>'
).encode()
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/>'
    '<sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill>'
    '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/>'
    '<xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/>'
    '<xf numFmtId="4" applyNumberFormat="1"/><xf fontId="1" applyFont="1"/></cellXfs><cellStyles count="1">'
    '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
_PARTS = {
    "[Content_Types].xml": (
        f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        f'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPES}.worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets><sheet name="{{title}}" sheetId="1" '
        'r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_RELATIONS}/worksheet" '
        f'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{_RELATIONS}/styles" Target="styles.xml"/>'
        "</Relationships>"
    ),
    "xl/styles.xml": _STYLES,
}
