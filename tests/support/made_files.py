"""Files made by hand: small ones of every kind that is read, and hostile ones (BI-07, BI-09)."""

import io
import zipfile
import zlib
from collections.abc import Sequence
from email.message import EmailMessage

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def a_zip(parts: dict[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return data.getvalue()


def links(*targets: tuple[str, str]) -> str:
    each = (
        f'<Relationship Id="r{number}" Type="{KIND}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f"<Relationships {RELS}>{''.join(each)}</Relationships>"


def a_word_document(*paragraphs: str, table: Sequence[Sequence[str]] = ()) -> bytes:
    """Paragraphs; one that begins with `#` is a heading of that level."""
    body = []
    for paragraph in paragraphs:
        level = len(paragraph) - len(paragraph.lstrip("#"))
        style = f'<w:pPr><w:pStyle w:val="H{level}"/></w:pPr>' if level else ""
        body.append(f"<w:p>{style}<w:r><w:t>{paragraph.lstrip('# ')}</w:t></w:r></w:p>")
    rows = ("".join(f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in row) for row in table)
    body.append(f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>" if table else "")
    styles = "".join(f'<w:style w:styleId="H{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2, 3))
    return a_zip(
        {
            "_rels/.rels": links(("officeDocument", "word/document.xml")),
            "word/document.xml": f"<w:document {W}><w:body>{''.join(body)}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {W}>{styles}</w:styles>",
        }
    )


def a_workbook(sheets: dict[str, Sequence[Sequence[str | float]]], *, cell: str = "") -> bytes:
    """Sheets of rows; the second style shows a number as a date."""
    parts: dict[str, str | bytes] = {"_rels/.rels": links(("officeDocument", "xl/workbook.xml"))}
    names = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
    parts["xl/workbook.xml"] = f"<workbook {S} {R}><sheets>{names}</sheets></workbook>"
    targets = [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
    parts["xl/_rels/workbook.xml.rels"] = links(*targets)
    parts["xl/styles.xml"] = f'<styleSheet {S}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    for number, rows in enumerate(sheets.values(), 1):
        lines = [
            f'<row r="{r}">{"".join(_cell(r, c, v) for c, v in enumerate(row))}</row>' for r, row in enumerate(rows, 1)
        ]
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f"<worksheet {S}><sheetData>{''.join(lines)}{cell}</sheetData></worksheet>"
        )
    return a_zip(parts)


def _cell(row: int, column: int, value: str | float) -> str:
    address = f"{chr(ord('A') + column)}{row}"
    if isinstance(value, str):
        return f'<c r="{address}" t="inlineStr"><is><t>{value}</t></is></c>'
    style = ' s="1"' if value > 40_000 else ""
    return f'<c r="{address}"{style}><v>{value}</v></c>'


def a_presentation(*slides: tuple[str, str]) -> bytes:
    """Slides of a title and a text."""
    numbers = range(1, len(slides) + 1)
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in numbers)
    parts: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {P} {R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": links(*(("slide", f"slides/slide{n}.xml") for n in numbers)),
    }
    for number, (title, text) in enumerate(slides, 1):
        shapes = _shape(title, '<p:ph type="title"/>') + _shape(text, "")
        parts[f"ppt/slides/slide{number}.xml"] = f"<p:sld {P} {A}>{shapes}</p:sld>"
    return a_zip(parts)


def _shape(text: str, placeholder: str) -> str:
    return f"<p:sp><p:nvPr>{placeholder}</p:nvPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"


def a_pdf(*pages: Sequence[str], extra: bytes = b"") -> bytes:
    """Pages of lines; one that begins with "# " is written in large letters."""
    objects: list[bytes] = []
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects.append(b"<< /Type /Catalog /Pages 2 0 R >>")
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    for number, lines in enumerate(pages):
        sizes = [(20 if line.startswith("# ") else 12, line.removeprefix("# ")) for line in lines]
        shown = "".join(f"/F1 {size} Tf ({line}) Tj 0 -24 Td " for size, line in sizes)
        content = b"BT /F1 12 Tf 50 750 Td " + shown.encode("cp1252") + b"ET" + extra
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
        objects.append(page.encode() + b"/Resources << /Font << /F1 3 0 R >> >> >>")
        packed = zlib.compress(content)
        objects.append(b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed))
    out = b"%PDF-1.4\n"
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)


def a_message(text: str, **attachments: bytes) -> bytes:
    message = EmailMessage()
    message["Subject"] = "Offer for the café"
    message["From"] = "Ana Pérez <ana@example.com>"
    message["To"] = "ben@example.com"
    message.set_content(text)
    for name, data in attachments.items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name.replace("__", "."))
    return message.as_bytes()


def hostile_files() -> dict[str, tuple[str, bytes]]:
    """Files that try to kill their reader: name and content by what they are."""
    zeros = b"0" * (400 * 1024 * 1024)
    bomb = a_zip({"word/document.xml": zeros, "_rels/.rels": links(("officeDocument", "word/document.xml"))})
    sheet_bomb = a_zip({"xl/worksheets/sheet1.xml": zeros, "xl/workbook.xml": f"<workbook {S}/>"})
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    entities = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]><w:document {W}>&l11;</w:document>'
    outside = (
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:document {W}><w:p><w:t>&e;</w:t></w:p></w:document>'
    )
    deep = f"<w:document {W}>" + "<w:p>" * 100_000 + "</w:p>" * 100_000 + "</w:document>"
    far = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far away</t></is></c></row>'
    nested: bytes = b"text"
    for _ in range(3_000):
        nested = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + nested
    return {
        "zip bomb": ("bomb.docx", bomb),
        "sheet bomb": ("bomb.xlsx", sheet_bomb),
        "entity bomb": ("laughs.docx", a_zip({"word/document.xml": entities})),
        "outside entity": ("outside.docx", a_zip({"word/document.xml": outside})),
        "deep tags": ("deep.docx", a_zip({"word/document.xml": deep})),
        "many parts": ("many.docx", a_zip({f"word/{n}": "" for n in range(25_000)})),
        "paths outside": ("paths.docx", a_zip({"../../etc/x": "x", "word/document.xml": f"<w:document {W}/>"})),
        "far cell": ("far.xlsx", a_workbook({"S": [["a", "b"]]}, cell=far)),
        "giant cell": ("giant.xlsx", a_workbook({"S": [["x" * 9_000_000]]})),
        "endless stream": ("stream.pdf", a_pdf(["text"], extra=b" " * (300 * 1024 * 1024))),
        "pages of pages": ("loop.pdf", a_pdf(["a"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")),
        "count of a billion": ("count.pdf", a_pdf(["a"]).replace(b"/Count 1", b"/Count 999999999")),
        "cut in half": ("half.pdf", a_pdf(["hello"] * 30)[:600]),
        "deep dictionaries": ("dicts.pdf", b"%PDF-1.4\n1 0 obj\n" + b"<< /A " * 200_000 + b"endobj"),
        "nested divs": ("divs.html", b"<html><body>" + b"<div>" * 200_000 + b"deep down"),
        "huge page": ("huge.html", b"<html>" + b"<p>word</p>" * 2_000_000),
        "unclosed table": ("table.html", b"<html><table>" + b"<tr><td>x" * 50_000),
        "nested messages": ("nested.eml", nested),
        "encoded header": ("header.eml", b"From: " + b"=?utf-8?B?w6E=?= " * 160_000 + b"\r\nSubject: x\r\n\r\nhello"),
        "one long line": ("line.csv", b"a," * 12_000_000),
        "long cell": ("cell.csv", b'"' + b"x" * 5_000_000 + b'"'),
        "only nulls": ("nulls.txt", b"\0" * 100_000),
        "wrong extension": ("picture.pdf", b"\x89PNG\r\n\x1a\n" + b"\0" * 100),
        "encrypted": ("locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")),
        "encrypted member": ("member.docx", _locked_member()),
        "program": ("setup.txt", b"\x7fELF" + b"\1" * 4_000),
        "empty": ("empty.txt", b""),
    }


def _locked_member() -> bytes:
    data = bytearray(a_zip({"word/document.xml": f"<w:document {W}/>"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    return bytes(data)
