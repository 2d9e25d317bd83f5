"""A small PDF writer: lines of text on A4 pages, enough to look like a document and to be read by any viewer."""

from collections.abc import Sequence
from typing import Final

LINES_ON_A_PAGE: Final = 60
_START: Final = "BT /F1 9 Tf 50 790 Td 12 TL"


def text_pdf(lines: Sequence[str]) -> bytes:
    """The lines as a PDF document; letters outside of Latin-1 become question marks."""
    pages = [lines[start : start + LINES_ON_A_PAGE] for start in range(0, max(len(lines), 1), LINES_ON_A_PAGE)]
    first_page = 4
    kids = " ".join(f"{first_page + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    for index, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {first_page + 2 * index + 1} 0 R >>".encode()
        )
        objects.append(_stream(page))
    return _document(objects)


def _stream(lines: Sequence[str]) -> bytes:
    shown = "\n".join(f"({_escaped(line)}) Tj T*" for line in lines)
    content = f"{_START}\n{shown}\nET".encode("latin-1", "replace")
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").replace("\n", " ").replace("\r", " ")


def _document(objects: Sequence[bytes]) -> bytes:
    body = b"%PDF-1.4\n"
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    tail = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return body + tail % (size, table, size, len(body))
