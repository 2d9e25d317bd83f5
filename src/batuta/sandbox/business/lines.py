"""Lines of sales and purchase documents: what they are about, prices, discounts, quantities of orders."""

from collections.abc import Sequence
from decimal import Decimal

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.business.books import business_group
from batuta.sandbox.business.company import company_setup, exchange_rate
from batuta.sandbox.business.dimensions import DimensionWriter, dimension_set, merged, preset_dimensions, remove_sets
from batuta.sandbox.business.fields import day, flag, number, reference, text, whole
from batuta.sandbox.business.specs import LINE_SETS, DocumentSpec, is_posted
from batuta.sandbox.business.totals import update_totals
from batuta.sandbox.errors import ApplicationError
from batuta.sandbox.ledger.amounts import HUNDRED, ZERO, percent_of, rounded
from batuta.sandbox.ledger.entries import PostingError
from batuta.sandbox.records import Records
from batuta.sandbox.values import UNSET_GUID, Row

ITEM, ACCOUNT, COMMENT = "Item", "Account", "Comment"
_PRICE = Decimal("0.00001")
_STEP = 10_000
_FIXED = ("documentId", "sequence", "lineObjectNumber")


def register(behaviour: Behaviour) -> None:
    for spec in LINE_SETS.values():
        _register_lines(behaviour, spec)


def _register_lines(behaviour: Behaviour, spec: DocumentSpec) -> None:
    @behaviour.on_insert(spec.lines)
    def complete(records: Records, values: Row) -> Row:
        return new_line(records, spec, open_document(records, spec, values), values)

    @behaviour.after_insert(spec.lines)
    def follow_insert(records: Records, row: Row) -> None:
        DimensionWriter(records).write(spec.lines, [(text(row, "id"), new_line_dimensions(records, row))])
        update_totals(records, spec, text(row, "documentId"))

    @behaviour.on_update(spec.lines)
    def check_change(records: Records, row: Row, changes: Row) -> Row:
        return changed_line(records, spec, row, changes)

    @behaviour.after_update(spec.lines)
    def follow_change(records: Records, before: Row, row: Row) -> None:
        del before
        update_totals(records, spec, text(row, "documentId"))

    @behaviour.on_delete(spec.lines)
    def check_delete(records: Records, row: Row) -> None:
        open_document(records, spec, row)
        if spec.is_order and (number(row, spec.moved) or number(row, "invoicedQuantity")):
            raise ApplicationError("A line that has been posted in part cannot be deleted.")
        remove_sets(records, [text(row, "id")])

    @behaviour.after_delete(spec.lines)
    def follow_delete(records: Records, row: Row) -> None:
        update_totals(records, spec, text(row, "documentId"))


def open_document(records: Records, spec: DocumentSpec, line: Row) -> Row:
    """The document of a line, which must not be posted."""
    document = reference(line, "documentId")
    header = records.get(spec.set, document) if document else None
    if header is None:
        raise ApplicationError(f'A line needs the "documentId" of a {spec.noun.lower()} that exists.')
    if is_posted(spec, text(header, "status")):
        raise ApplicationError(f"{spec.noun} {text(header, 'number')} is posted: its lines cannot be changed any more.")
    return header


def new_line(records: Records, spec: DocumentSpec, header: Row, values: Row) -> Row:
    """The values of a new line: what was given, else what the item or account says."""
    line = dict(values)
    if "sequence" not in line:
        found = records.sql(
            f'SELECT MAX(sequence) FROM "{spec.lines}" WHERE company = ? AND documentId = ?',
            (records.company, text(header, "id")),
        )
        line["sequence"] = int(found[0][0] or 0) + _STEP
    elif records.exists(spec.lines, documentId=text(header, "id"), sequence=whole(line, "sequence")):
        raise ApplicationError(f"The document already has a line with the sequence {whole(line, 'sequence')}.")
    subject = line_subject(records, line)
    line.update(
        {name: value for name, value in subject_values(records, spec, header, subject).items() if name not in line}
    )
    line.update(_subject_keys(subject))
    _take_tax(records, spec, header, line)
    _take_discount(spec, line, values)
    _check_amounts(spec, line)
    if spec.is_order:
        _take_order_quantities(spec, line, values)
    line["discountAppliedBeforeTax"] = True
    return _known(records, spec, line)


def add_lines(records: Records, spec: DocumentSpec, header: Row, lines: Sequence[Row]) -> None:
    """Add several lines to a draft at once: the same as one after another, with the totals computed once."""
    document = text(header, "id")
    own = dimension_set(records, document)
    sets = []
    for at, values in enumerate(lines, start=1):
        line = new_line(records, spec, header, {**values, "documentId": document, "sequence": at * _STEP})
        stored = records.insert(spec.lines, line)
        item = reference(stored, "itemId")
        sets.append((text(stored, "id"), merged(own, preset_dimensions(records, item) if item else ())))
    DimensionWriter(records).write(spec.lines, sets)
    update_totals(records, spec, document)


class LineSubject:
    """What a line is about: an item, an account, or only a text."""

    def __init__(self, kind: str, row: Row | None = None) -> None:
        self.kind = kind
        self.row: Row = row or {}


def line_subject(records: Records, line: Row) -> LineSubject:
    """The item or account that a line names by id or by number."""
    item_id, account_id = reference(line, "itemId"), reference(line, "accountId")
    kind, key = text(line, "lineType"), text(line, "lineObjectNumber")
    if item_id and account_id:
        raise ApplicationError('Give either "itemId" or "accountId", not both.')
    if (item_id and kind not in {"", ITEM}) or (account_id and kind not in {"", ACCOUNT}):
        raise ApplicationError(f'The "lineType" {kind} does not agree with the record that the line names.')
    if item_id or (key and kind in {"", ITEM} and not account_id):
        return LineSubject(ITEM, _subject_row(records, "items", item_id, key))
    if account_id or (key and kind == ACCOUNT):
        return LineSubject(ACCOUNT, _subject_row(records, "accounts", account_id, key))
    if kind not in {"", COMMENT}:
        raise ApplicationError(f'A line of type {kind} needs an "itemId", an "accountId" or a "lineObjectNumber".')
    return LineSubject(COMMENT)


def _subject_row(records: Records, set_name: str, key: str | None, number_: str) -> Row:
    found = records.get(set_name, key) if key else records.first(set_name, number=number_)
    if found is None:
        raise ApplicationError(f'The line names "{key or number_}", which does not match any record of {set_name}.')
    if number_ and text(found, "number") != number_:
        raise ApplicationError('The id and the "lineObjectNumber" of the line do not refer to the same record.')
    if flag(found, "blocked"):
        raise ApplicationError(f"{text(found, 'displayName')} ({text(found, 'number')}) is blocked.")
    if set_name == "accounts" and (text(found, "accountType") != "Posting" or not flag(found, "directPosting")):
        raise ApplicationError(f"The account {number_ or text(found, 'number')} does not allow direct posting.")
    return found


def _subject_keys(subject: LineSubject) -> Row:
    row = subject.row
    return {
        "lineType": subject.kind,
        "lineObjectNumber": text(row, "number"),
        "itemId": row["id"] if subject.kind == ITEM else UNSET_GUID,
        "accountId": row["id"] if subject.kind == ACCOUNT else UNSET_GUID,
    }


def subject_values(records: Records, spec: DocumentSpec, header: Row, subject: LineSubject) -> Row:
    """Description, unit, price and tax code that an item or account suggests."""
    row = subject.row
    if subject.kind == COMMENT:
        return {}
    if subject.kind == ACCOUNT:
        return {"description": row["displayName"], "taxCode": _DEFAULT_TAX}
    price = number(row, "unitCost" if spec.is_purchase else "unitPrice")
    if price:
        rate = exchange_rate(records, text(header, "currencyCode"), day(header, "postingDate"))
        price = rounded(price / rate, _PRICE)
    return {
        "description": row["displayName"],
        "description2": row["displayName2"],
        "unitOfMeasureId": row["baseUnitOfMeasureId"],
        "unitOfMeasureCode": row["baseUnitOfMeasureCode"],
        "taxCode": row["taxGroupCode"],
        spec.price: price,
    }


_DEFAULT_TAX = "STANDARD"


def _take_tax(records: Records, spec: DocumentSpec, header: Row, line: Row) -> None:
    code = text(line, "taxCode").upper()
    if not code:
        line["taxPercent"] = ZERO
        return
    if not records.exists("taxGroups", code=code):
        raise ApplicationError(f'The "taxCode" {code} does not match any record of taxGroups.')
    line["taxCode"] = code
    group = business_group(records, text(header, f"{spec.bill_to_party}Id"))
    try:
        rate = company_setup(records).posting.tax_rate(group, code, is_purchase=spec.is_purchase)
    except PostingError as error:
        raise ApplicationError(str(error)) from None
    line["taxPercent"] = rate.charged


def retax_lines(records: Records, spec: DocumentSpec, header: Row) -> None:
    """Another customer or vendor may be taxed differently."""
    for line in records.find(spec.lines, documentId=text(header, "id")):
        if text(line, "taxCode"):
            before = line["taxPercent"]
            _take_tax(records, spec, header, line)
            if line["taxPercent"] != before:
                records.update(spec.lines, text(line, "id"), values={"taxPercent": line["taxPercent"]})


def _take_discount(spec: DocumentSpec, line: Row, given: Row) -> None:
    """Keep percentage and amount of a discount in step; the one that was given decides."""
    gross = rounded(number(line, "quantity") * number(line, spec.price))
    if "discountAmount" in given and "discountPercent" not in given:
        amount = rounded(number(given, "discountAmount"))
        line.update(discountAmount=amount, discountPercent=percent_of(amount, gross))
    else:
        percent = number(line, "discountPercent")
        line.update(discountPercent=percent, discountAmount=rounded(gross * percent / HUNDRED))


def _check_amounts(spec: DocumentSpec, line: Row) -> None:
    if number(line, spec.price) < 0:
        raise ApplicationError(f'The "{spec.price}" must not be negative.')
    if not ZERO <= number(line, "discountPercent") <= HUNDRED:
        raise ApplicationError('The "discountPercent" must be between 0 and 100.')
    if text(line, "lineType") == COMMENT and number(line, "quantity"):
        raise ApplicationError("A comment line has no quantity: name an item or account with the line.")
    if spec.is_order and number(line, "quantity") < 0:
        raise ApplicationError("The quantity of an order line must not be negative.")


def _take_order_quantities(spec: DocumentSpec, line: Row, given: Row) -> None:
    """Quantities of the next posting: everything that is left, unless something else was asked for."""
    quantity, moved, invoiced = (number(line, name) for name in ("quantity", spec.moved, "invoicedQuantity"))
    for name in (spec.moved, "invoicedQuantity"):
        line.setdefault(name, ZERO)
    if spec.to_move not in given:
        line[spec.to_move] = quantity - moved
    if "invoiceQuantity" not in given:
        line["invoiceQuantity"] = quantity - invoiced
    if not ZERO <= number(line, spec.to_move) <= quantity - moved:
        raise ApplicationError(f'The "{spec.to_move}" must be between 0 and the {quantity - moved} that are left.')
    if not ZERO <= number(line, "invoiceQuantity") <= quantity - invoiced:
        raise ApplicationError(f'The "invoiceQuantity" must be between 0 and the {quantity - invoiced} that are left.')


def new_line_dimensions(records: Records, line: Row) -> tuple[tuple[str, str], ...]:
    """The set of the document and what the item presets."""
    item = reference(line, "itemId")
    return merged(dimension_set(records, text(line, "documentId")), preset_dimensions(records, item) if item else ())


def changed_line(records: Records, spec: DocumentSpec, row: Row, changes: Row) -> Row:
    """Check a change of a line and add what follows from it."""
    header = open_document(records, spec, row)
    for name in _FIXED:
        if name in changes and changes[name] != row[name]:
            raise ApplicationError(f'The "{name}" of a line cannot be changed after it was created.')
    given = {name: value for name, value in changes.items() if row.get(name) != value}
    line = {**row, **changes}
    if {"itemId", "accountId", "lineType"} & given.keys():
        _change_subject(records, spec, header, line, given)
    if spec.is_order:
        _check_posted_part(spec, row, line)
    if "taxCode" in given or "itemId" in given or "accountId" in given:
        _take_tax(records, spec, header, line)
    _take_discount(spec, line, given)
    _check_amounts(spec, line)
    if spec.is_order:
        quantities = given if "quantity" in given else {**given, spec.to_move: ZERO, "invoiceQuantity": ZERO}
        _take_order_quantities(spec, line, quantities)
    return _known(records, spec, {name: value for name, value in line.items() if row.get(name) != value})


def _change_subject(records: Records, spec: DocumentSpec, header: Row, line: Row, given: Row) -> None:
    if spec.is_order and number(line, spec.moved):
        raise ApplicationError("A line that has been posted in part cannot be about another item or account.")
    named: Row = {name: line[name] for name in ("itemId", "accountId", "lineType") if name in given}
    subject = line_subject(records, named)
    line.update(_subject_keys(subject))
    line.update({k: v for k, v in subject_values(records, spec, header, subject).items() if k not in given})


def _check_posted_part(spec: DocumentSpec, row: Row, line: Row) -> None:
    posted = max(number(row, spec.moved), number(row, "invoicedQuantity"))
    if number(line, "quantity") < posted:
        raise ApplicationError(f"The quantity must not be less than the {posted} that are already posted.")


def _known(records: Records, spec: DocumentSpec, line: Row) -> Row:
    columns = records.store.table(spec.lines).columns
    return {name: value for name, value in line.items() if name in columns}
