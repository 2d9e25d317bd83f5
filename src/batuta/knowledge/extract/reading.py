"""Read one file's text by what its bytes are. Runs inside the extraction process."""

from collections.abc import Callable, Mapping
from importlib.metadata import version

from batuta.knowledge.document import DocumentText
from batuta.knowledge.extract.builder import TextBuilder, TextLimitReached
from batuta.knowledge.extract.failures import ExtractionFailedError, FailureCode
from batuta.knowledge.extract.html import read_html
from batuta.knowledge.extract.mail import read_mail
from batuta.knowledge.extract.office import read_slides, read_word
from batuta.knowledge.extract.pdf import read_pdf
from batuta.knowledge.extract.plain import read_markdown, read_separated, read_text
from batuta.knowledge.extract.sheets import read_workbook
from batuta.knowledge.extract.sniff import MEDIA_TYPES, SNIFFED_BYTES, FileKind, sniff

EXTRACTOR = "batuta/4"
"""Raise the number when a reader gives the same file in other words."""
MEBIBYTE = 1024 * 1024

MAX_BYTES: Mapping[FileKind, int] = {
    "html": 10 * MEBIBYTE,
    "csv": 25 * MEBIBYTE,
    "text": 25 * MEBIBYTE,
    "markdown": 25 * MEBIBYTE,
    "mail": 50 * MEBIBYTE,
}
"""Of kinds whose readers hold a multiple of the file in memory."""

Read = Callable[[bytes, TextBuilder], None]


def _read_mail(data: bytes, out: TextBuilder) -> None:
    read_mail(data, out, _read_attachment)


READERS: Mapping[FileKind, Read] = {
    "pdf": read_pdf,
    "docx": read_word,
    "xlsx": read_workbook,
    "pptx": read_slides,
    "html": read_html,
    "mail": _read_mail,
    "csv": read_separated,
    "markdown": read_markdown,
    "text": read_text,
}
REFUSED: Mapping[FileKind, FailureCode] = {
    "empty": "empty",
    "encrypted": "encrypted",
    "legacy": "legacy",
    "image": "image",
    "archive": "unknown",
    "unknown": "unknown",
}


def read(data: bytes, name: str, *, max_chars: int) -> DocumentText:
    """The text of a file. Raises `ExtractionFailedError`."""
    out = TextBuilder(max_chars=max_chars)
    kind = sniff(data[:SNIFFED_BYTES], name, data)
    is_partial = False
    try:
        _read(kind, data, out)
    except TextLimitReached:
        is_partial = True
    if out.is_empty:
        raise ExtractionFailedError("no_text")
    extractor = f"{EXTRACTOR} pypdfium2/{version('pypdfium2')}" if kind == "pdf" else EXTRACTOR
    return out.built(name=name, media_type=MEDIA_TYPES[kind], extractor=extractor, is_partial=is_partial)


def _read(kind: FileKind, data: bytes, out: TextBuilder) -> None:
    if kind in REFUSED:
        raise ExtractionFailedError(REFUSED[kind])
    if len(data) > MAX_BYTES.get(kind, len(data)):
        raise ExtractionFailedError("too_large", f"{len(data)} bytes of {kind}")
    READERS[kind](data, out)


def _read_attachment(data: bytes, name: str, out: TextBuilder) -> None:
    """An attachment; a message inside a message is not opened again."""
    kind = sniff(data[:SNIFFED_BYTES], name, data)
    if kind == "mail":
        raise ExtractionFailedError("too_deep")
    _read(kind, data, out)
