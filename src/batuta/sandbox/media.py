"""Pictures and printed documents: records that every master record or document has, without being stored.

…/customers(…)/picture/pictureContent            read, or written with PATCH
…/salesInvoices(…)/pdfDocument/pdfDocumentContent  made from the document when it is read
"""

from typing import Final

from batuta.sandbox.behaviour import Behaviour, StreamContent
from batuta.sandbox.pdf import text_pdf
from batuta.sandbox.records import Records
from batuta.sandbox.schema import EntitySet
from batuta.sandbox.values import Row, Value

_PICTURED: Final = {
    "customers": "Customer",
    "items": "Item",
    "vendors": "Vendor",
    "employees": "Employee",
    "contacts": "Contact",
}
_PRINTED: Final = {
    "salesInvoices": "Sales_x0020_Invoice",
    "salesOrders": "Sales_x0020_Order",
    "salesQuotes": "Sales_x0020_Quote",
    "salesCreditMemos": "Sales_x0020_Credit_x0020_Memo",
    "purchaseInvoices": "Purchase_x0020_Invoice",
    "purchaseOrders": "Purchase_x0020_Order",
    "purchaseCreditMemos": "Purchase_x0020_Credit_x0020_Memo",
    "salesShipments": "_x0020_",
    "purchaseReceipts": "_x0020_",
}
_PARTY: Final = ("customerName", "vendorName")
_TOTALS: Final = ("totalAmountExcludingTax", "totalTaxAmount", "totalAmountIncludingTax", "remainingAmount")


def with_media(behaviour: Behaviour) -> Behaviour:
    """Add pictures and printed documents to a behaviour; the same behaviour, for chaining."""
    behaviour.dependent("pictures")(_picture)
    behaviour.dependent("pdfDocument")(_pdf_document)
    behaviour.content("pdfDocument", "pdfDocumentContent")(_printed)
    return behaviour


def _picture(parent: EntitySet, key: Value) -> Row:
    kind = _PICTURED.get(parent.name)
    return {"id": key, **({"parentType": kind} if kind else {})}


def _pdf_document(parent: EntitySet, key: Value) -> Row:
    return {"id": key, "parentId": key, "parentType": _PRINTED.get(parent.name, "_x0020_")}


def _printed(records: Records, row: Row) -> StreamContent | None:
    for name in _PRINTED:
        document = records.get(name, row["parentId"])
        if document is not None:
            lines = _lines(records, name, document)
            return StreamContent(media_type="application/pdf", body=text_pdf(lines))
    return None


def _lines(records: Records, set_name: str, document: Row) -> list[str]:
    company = records.store.records("").get("companies", records.company) or {}
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in set_name).removesuffix("s")
    head = [str(company.get("displayName", "")), "", f"{words.capitalize()} {document['number']}", ""]
    head += [f"{name:<28}{document[name]}" for name in document if name.endswith("Date") or name in _PARTY]
    head += ["", f"{'description':<44}{'quantity':>12}{'unit price':>14}{'amount':>16}", "-" * 86]
    body = [_line(line) for line in records.find(f"{set_name[:-1]}Lines", documentId=document["id"])]
    totals = [f"{name:<70}{document[name]:>16}" for name in _TOTALS if name in document]
    return [*head, *body, "-" * 86, *totals]


def _line(line: Row) -> str:
    price = line.get("unitPrice", line.get("unitCost", line.get("directUnitCost", "")))
    amount = line.get("amountIncludingTax", "")
    return f"{str(line.get('description', ''))[:42]:<44}{line.get('quantity', '')!s:>12}{price!s:>14}{amount!s:>16}"
