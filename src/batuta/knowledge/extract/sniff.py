"""What kind of file some bytes are: magic numbers, members of archives, streams of OLE files. The name decides only
between kinds of text.
"""

import io
import re
import zipfile
from pathlib import PurePath
from typing import Literal

FileKind = Literal[
    "pdf", "docx", "xlsx", "pptx", "html", "mail", "csv", "markdown", "text",
    "image", "encrypted", "legacy", "archive", "empty", "unknown",
]  # fmt: skip

MEDIA_TYPES: dict[FileKind, str] = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "html": "text/html",
    "mail": "message/rfc822",
    "csv": "text/csv",
    "markdown": "text/markdown",
    "text": "text/plain",
    "image": "image/*",
    "archive": "application/zip",
}
SNIFFED_BYTES = 64 * 1024

_MAGIC: tuple[tuple[bytes, FileKind], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF87a", "image"),
    (b"GIF89a", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"BM", "image"),
    (b"{\\rtf", "legacy"),
    (b"\x1f\x8b", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"Rar!\x1a\x07", "archive"),
    (b"\x7fELF", "unknown"),
    (b"MZ", "unknown"),
)
_PARTS: tuple[tuple[str, FileKind], ...] = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"))
_SUFFIXES: dict[str, FileKind] = {
    ".md": "markdown", ".markdown": "markdown", ".csv": "csv", ".tsv": "csv", ".eml": "mail",
    ".html": "html", ".htm": "html", ".xhtml": "html",
}  # fmt: skip
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(
    rb"^\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_HEADER = re.compile(
    rb"^(?:from|to|subject|date|message-id|received|return-path|mime-version|delivered-to|x-[\w-]+):", re.I | re.M
)
_WIDE = ("utf-16-le", "utf-16-be")


def sniff(head: bytes, name: str, whole: bytes | None = None) -> FileKind:
    """The kind of a file by its first bytes; archives are looked into where the whole is at hand."""
    if not head:
        return "empty"
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(whole if whole is not None else head)
    if head.startswith(_OLE):
        wide = "EncryptedPackage".encode("utf-16-le")
        return "encrypted" if wide in (whole if whole is not None else head) else "legacy"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    for magic, kind in _MAGIC:
        if head.startswith(magic) and not (magic in (b"BM", b"MZ") and _is_text(head)):
            return kind
    return _text_kind(head, name) if _is_text(head) else "unknown"


def _archive(data: bytes) -> FileKind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()[:2_000]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        names = [part.decode("ascii", "ignore") for part in re.findall(rb"(?:word|xl|ppt)/", data[:SNIFFED_BYTES])]
    if "mimetype" in names or "META-INF/container.xml" in names:
        return "legacy"
    for folder, kind in _PARTS:
        if any(name.replace("\\", "/").lstrip("/").startswith(folder) for name in names):
            return kind
    return "archive"


def _text_kind(head: bytes, name: str) -> FileKind:
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        return "html"
    named = _SUFFIXES.get(PurePath(name).suffix.lower())
    if named == "mail" or (named is None and len(_HEADER.findall(head[:4096])) >= 3 and _HEADER.match(head)):
        return "mail"
    return named or "text"


def _is_text(head: bytes) -> bool:
    """Whether bytes may be text: no control characters, in a narrow or a wide encoding."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    sample = head[:8192]
    odd = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in sample)
    if odd <= len(sample) // 200:
        return True
    return any(_reads(sample, encoding) for encoding in _WIDE)


def _reads(sample: bytes, encoding: str) -> bool:
    try:
        text = sample[: len(sample) // 2 * 2].decode(encoding)
    except UnicodeDecodeError:
        return False
    latin = sum(" " <= char <= "ɏ" or char in "\r\n\t" for char in text)
    return latin >= 0.95 * len(text)
