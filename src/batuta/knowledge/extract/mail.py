"""Reader of e-mail: the headers that people read, the text, and the attachments that can be read."""

import email.errors
import email.header
import email.policy
from collections.abc import Callable, Iterator
from email.message import Message
from email.parser import BytesParser

from batuta.knowledge.document import Location
from batuta.knowledge.extract.builder import TextBuilder
from batuta.knowledge.extract.failures import ExtractionFailedError
from batuta.knowledge.extract.html import read_markup
from batuta.knowledge.extract.plain import decoded

HEADERS = ("Subject", "From", "To", "Cc", "Date")
MAX_HEADER_CHARS = 2_000
MAX_PARTS = 200
MAX_ATTACHMENTS = 30

ReadAttachment = Callable[[bytes, str, TextBuilder], None]


def read_mail(data: bytes, out: TextBuilder, read_attachment: ReadAttachment) -> None:
    """A message. Of the same text as plain and as HTML the plain one is read."""
    # The modern policy parses each header by its grammar, which a header of encoded words turns into gigabytes.
    message = BytesParser(policy=email.policy.compat32).parsebytes(data)
    headers = [(name, _header(message, name)) for name in HEADERS]
    out.title = dict(headers)["Subject"]
    top = Location(kind="part", name="")
    for name, value in headers:
        if value:
            out.add(f"{name}: {value}", top)
    attachments = 0
    for part in _leaves(message):
        name = _file_name(part)
        if name and attachments < MAX_ATTACHMENTS:
            attachments += 1
            _read_attachment(part, name, out, read_attachment)
        elif not name and part.get_content_type() == "text/plain":
            for paragraph in decoded(_bytes(part)).split("\n\n"):
                out.add(paragraph, top)
        elif not name and part.get_content_type() == "text/html":
            read_markup(decoded(_bytes(part)), out)
            out.section()


def _read_attachment(part: Message, name: str, out: TextBuilder, read_attachment: ReadAttachment) -> None:
    out.section(name)
    out.add(name, Location(kind="part", name=name))
    inner = TextBuilder(max_chars=out.max_chars)
    try:
        read_attachment(_bytes(part), name, inner)
    except ExtractionFailedError:
        return  # it is named; what it says cannot be read
    read = inner.built(name=name, media_type="", extractor="")
    for segment in read.segments:
        out.section(name, *segment.headings)
        place = Location(kind="part", name=name, number=segment.place.number)
        out.add(read.text[segment.start : segment.end], place, segment.kind)


def _leaves(message: Message) -> Iterator[Message]:
    """The parts that hold content, without recursion; of alternatives the first that is plain text."""
    waiting: list[Message] = [message]
    for _ in range(MAX_PARTS):
        if not waiting:
            return
        part = waiting.pop(0)
        payload = part.get_payload()
        if not isinstance(payload, list):
            yield part
            continue
        parts = [each for each in payload if isinstance(each, Message)]
        if part.get_content_type() == "multipart/alternative":
            plain = [each for each in parts if each.get_content_type() == "text/plain"]
            parts = plain[:1] or parts[-1:]
        waiting[:0] = parts


def _header(message: Message, name: str) -> str:
    raw = str(message.get(name, ""))[:MAX_HEADER_CHARS]
    try:
        pieces = email.header.decode_header(raw)
    except (email.errors.HeaderParseError, ValueError):
        return " ".join(raw.split())
    words = [piece if isinstance(piece, str) else _decoded_word(piece, charset or "ascii") for piece, charset in pieces]
    return " ".join("".join(words).split())


def _decoded_word(piece: bytes, charset: str) -> str:
    try:
        return piece.decode(charset, "replace")
    except LookupError:
        return piece.decode("latin-1")


def _bytes(part: Message) -> bytes:
    """The content of a part, as UTF-8 where the message says how its text is written."""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return b""
    charset = part.get_content_charset()
    if part.get_content_maintype() != "text" or charset is None:
        return payload
    return _decoded_word(payload, charset).encode("utf-8", "replace")


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, LookupError, TypeError):
        name = ""
    if not name and part.get_content_disposition() == "attachment":
        return "attachment"
    return " ".join(str(name)[:200].split())
