"""Pictures and printed documents: there for every record, without anybody storing them."""

from decimal import Decimal

import pypdfium2
import pytest

from batuta.sandbox.pdf import LINES_ON_A_PAGE, text_pdf
from tests.unit.sandbox.service import EVERY_ROW, ApiClient


def text_of(body: bytes) -> list[str]:
    """The text of every page, read by a PDF library that others wrote."""
    with pypdfium2.PdfDocument(body) as document:
        return [page.get_textpage().get_text_range() for page in document]


def test_every_customer_has_a_picture_that_can_be_replaced() -> None:
    client = ApiClient()
    customer = client.records.insert("customers", {"number": "C1"})
    place = f"customers({customer['id']})/picture"
    assert client.get(place)["parentType"] == "Customer"
    assert client.send("GET", f"{place}/pictureContent").status == 204
    assert (
        client.send("PATCH", f"{place}/pictureContent", b"PNG", {**EVERY_ROW, "Content-Type": "image/png"}).status
        == 204
    )
    assert client.send("GET", f"{place}/pictureContent").body == b"PNG"
    assert len(client.records.find("pictures")) == 1


def test_an_invoice_is_printed_with_its_lines_and_totals() -> None:
    client = ApiClient()
    invoice = client.records.insert(
        "salesInvoices",
        {"number": "103001", "customerName": "Peña (Hijos)", "totalAmountIncludingTax": Decimal("121.5")},
    )
    client.records.insert(
        "salesInvoiceLines", {"documentId": invoice["id"], "description": "Oak desk", "quantity": Decimal(2)}
    )
    response = client.send("GET", f"salesInvoices({invoice['id']})/pdfDocument/pdfDocumentContent")
    (page,) = text_of(response.body)
    assert response.headers["Content-Type"] == "application/pdf"
    assert all(word in page for word in ("103001", "Peña (Hijos)", "Oak desk", "121.5", "Alpha"))


def test_a_printed_form_cannot_be_written() -> None:
    client = ApiClient()
    invoice = client.records.insert("salesInvoices", {})
    place = f"salesInvoices({invoice['id']})/pdfDocument/pdfDocumentContent"
    assert client.refusal("PATCH", place, b"x", EVERY_ROW)[0] == 405


def test_a_document_that_is_not_there_has_no_printed_form() -> None:
    assert ApiClient().refusal("GET", "salesInvoices(00000000-0000-4000-8000-000000000001)/pdfDocument")[0] == 404


@pytest.mark.parametrize(("lines", "pages"), [(0, 1), (1, 1), (LINES_ON_A_PAGE, 1), (LINES_ON_A_PAGE + 1, 2)])
def test_long_texts_take_more_pages(lines: int, pages: int) -> None:
    assert len(text_of(text_pdf([f"line {number}" for number in range(lines)]))) == pages


def test_what_is_no_latin_letter_becomes_a_question_mark() -> None:
    assert "a?b\\()" in text_of(text_pdf(["a漢b\\()"]))[0]
