"""Sales quotes: sent to the customer, then made into an order or an invoice."""

from collections.abc import Mapping

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.dimensions import DimensionWriter, dimension_set
from batuta.sandbox.business.documents import check_not_blocked, party_of, remove_document_lines
from batuta.sandbox.business.fields import number, text
from batuta.sandbox.business.series import take_number
from batuta.sandbox.business.specs import DOCUMENTS, DocumentSpec
from batuta.sandbox.business.totals import update_totals
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import ZERO
from batuta.sandbox.records import Records
from batuta.sandbox.values import Row, Value

QUOTES = DOCUMENTS["salesQuotes"]
NOT_COPIED = frozenset({"id", "number", "status", "lastModifiedDateTime", "documentId"})


def register(behaviour: Behaviour) -> None:
    behaviour.action("salesQuotes", "send")(_send)
    behaviour.action("salesQuotes", "makeOrder")(lambda records, row, _: _make(records, row, DOCUMENTS["salesOrders"]))
    behaviour.action("salesQuotes", "makeInvoice")(
        lambda records, row, _: _make(records, row, DOCUMENTS["salesInvoices"])
    )


def copy_document(records: Records, source: DocumentSpec, row: Row, target: DocumentSpec, values: Row) -> Row:
    """A draft of another kind with the same header, lines and dimensions; `values` decide over what is copied."""
    columns = records.store.table(target.set).columns
    header = {name: value for name, value in row.items() if name in columns and name not in NOT_COPIED}
    header.setdefault(target.date, row[source.date])
    header.update({"number": take_number(records, target.set), "status": "Draft"})
    copied = records.insert(target.set, {**header, **values})
    writer, document = DimensionWriter(records), text(copied, "id")
    writer.write(target.set, [(document, dimension_set(records, text(row, "id")))])
    line_columns = records.store.table(target.lines).columns
    for line in records.find(source.lines, documentId=text(row, "id")):
        new = {name: value for name, value in line.items() if name in line_columns and name not in NOT_COPIED}
        new.update({"documentId": document, target.price: line[source.price]})
        if target.is_order:
            new.update({target.to_move: line["quantity"], "invoiceQuantity": line["quantity"]})
        stored = records.insert(target.lines, new)
        writer.write(target.lines, [(text(stored, "id"), dimension_set(records, text(line, "id")))])
        remember_origin(records, text(stored, "id"), text(line, "id"))
    update_totals(records, target, document)
    return copied


def remember_origin(records: Records, line: str, origin: str) -> None:
    """A line that was copied from a posted one takes its goods back at the cost they left with."""
    found = records.sql(
        "SELECT quantity, cost FROM _line_costs WHERE company = ? AND line = ?", (records.company, origin)
    )
    if found:
        records.sql("INSERT INTO _line_costs VALUES (?, ?, ?, ?)", (records.company, line, *found[0]))


def _send(records: Records, row: Row, parameters: Mapping[str, Value]) -> None:
    del parameters
    if not records.exists("salesQuoteLines", documentId=text(row, "id")):
        raise ApplicationError("There is nothing to send: the quote has no lines.")
    records.update("salesQuotes", text(row, "id"), values={"status": "Sent", "sentDate": records.store.now()})


def _make(records: Records, row: Row, target: DocumentSpec) -> None:
    check_not_blocked(target, party_of(records, QUOTES, row))
    lines = records.find("salesQuoteLines", documentId=text(row, "id"))
    if not any(number(line, "quantity") > ZERO for line in lines):
        raise ApplicationError("There is nothing to take over: the quote has no lines with a quantity.")
    copy_document(records, QUOTES, row, target, {})
    remove_document_lines(records, QUOTES, text(row, "id"))
    records.delete("salesQuotes", text(row, "id"))
