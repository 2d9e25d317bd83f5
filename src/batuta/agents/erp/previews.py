"""What a person sees before a write: the record before and after, and the entries that would arise in the books.

Fields, amounts and days are written as the reader writes them.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from batuta.agents.erp.naming import action_label, entity_label, field_label, member_label
from batuta.agents.erp.wording import money_in_words
from batuta.connectors.erp import ChangePreview, ErpCompany, RecordChange, RowDifference

UNSET = "–"
"""A field that has no value."""
MAX_ROWS = 40
MAX_FIELDS = 30
MAX_RECORDS = 5

_WORDS = {
    "en": {
        "create": "Create: {entity}", "update": "Change: {entity}", "delete": "Delete: {entity}",
        "action": "{action}: {entity}", "company": "Company", "field": "Field", "before": "Before", "after": "After",
        "entries": "Entries that would arise", "entry": "Entry", "more": "… and {count} more",
        "rehearsed": "Rehearsed: it was carried out and taken back.",
        "not_rehearsed": "This ERP cannot rehearse: shown is the record itself.",
        "then": "Then, each asked for by itself: {steps}.", "yes": "yes", "no": "no",
        "gone": "{entity}: no longer open afterwards.", "other": "… and {count} more fields",
    },
    "es": {
        "create": "Crear: {entity}", "update": "Cambiar: {entity}", "delete": "Borrar: {entity}",
        "action": "{action}: {entity}", "company": "Empresa", "field": "Campo", "before": "Antes", "after": "Después",
        "entries": "Movimientos que se crearían", "entry": "Movimiento", "more": "… y {count} más",
        "rehearsed": "Ensayado: se ejecutó y se deshizo.",
        "not_rehearsed": "Este ERP no permite ensayar: se muestra solo el registro.",
        "then": "Después, cada paso con su propia aprobación: {steps}.", "yes": "sí", "no": "no",
        "gone": "{entity}: después ya no queda abierto.", "other": "… y {count} campos más",
    },
}  # fmt: skip
_STEPS: Mapping[str, Mapping[str, str]] = {
    "post": {"en": "post it", "es": "registrarlo"},
    "pay": {"en": "enter the payment", "es": "anotar el cobro"},
    "post_payment": {"en": "post the payment", "es": "registrar el cobro"},
}
_VENDOR_STEPS: Mapping[str, Mapping[str, str]] = {
    "pay": {"en": "enter the payment", "es": "anotar el pago"},
    "post_payment": {"en": "post the payment", "es": "registrar el pago"},
}
"""What the steps are called where it is us who pay."""
_OF_VENDORS = ("purchaseOrders", "purchaseInvoices", "vendorPayments")

LEDGERS: Mapping[str, tuple[str, ...]] = {
    "generalLedgerEntries": ("accountNumber", "description", "debitAmount", "creditAmount"),
    "itemLedgerEntries": ("itemNumber", "entryType", "quantity", "costAmountActual"),
}
"""Entries people look at before they agree, and the fields that say most."""
NUMBER_FIELDS = ("number", "code", "entryNumber", "documentNumber", "sequence", "lineNumber")
NAME_FIELDS = ("displayName", "customerName", "vendorName", "name", "description")
"""What says which record a change is about, the most telling first."""
DOCUMENT_FIELDS = (
    "number", "customerNumber", "customerName", "vendorNumber", "vendorName", "externalDocumentNumber",
    "vendorInvoiceNumber", "orderDate", "documentDate", "invoiceDate", "postingDate", "dueDate", "currencyCode",
    "discountAmount", "totalAmountExcludingTax", "totalTaxAmount", "totalAmountIncludingTax", "remainingAmount",
    "status",
)  # fmt: skip
"""What is looked at of a document that arises or goes; addresses and settings follow from its customer."""
LINE_FIELDS = (
    "lineObjectNumber", "description", "quantity", "unitPrice", "directUnitCost", "discountPercent", "taxPercent",
    "netAmount",
)  # fmt: skip
"""What is looked at of a line, one row for each."""
_SIDE_EFFECTS = ("dimensionSetLines",)
"""Rows that follow from others and tell an approver nothing."""
_MONEY = re.compile(r"(amount|balance|price|cost|limit)", re.IGNORECASE)
_FIGURE = re.compile(rf"{_MONEY.pattern}|quantity|percent", re.IGNORECASE)
"""What stands at the right of its column; a number that names something, as of an account, does not."""
_LOCAL = re.compile(r"^(debitAmount|creditAmount|costAmountActual|creditLimit|unitCost|balanceDue|balance)$")
"""Amounts in the currency of the books, whatever the document's is."""
_DAY = re.compile(r"^(\d{4})-(\d{2})-(\d{2})$")


def preview_text(
    shown: ChangePreview,
    change: RecordChange,
    company: ErpCompany,
    *,
    record: Mapping[str, Any],
    language: str,
    then: Sequence[str] = (),
) -> str:
    """The preview as Markdown; `record` is what is changed, as it is now, `then` the steps that follow."""
    words = _WORDS.get(language, _WORDS["en"])
    action = action_label(change.action or "", language)
    heading = words[change.kind].format(entity=_called(change.entity, record, language), action=action)
    parts = [f"**{heading}** · {words['company']}: {_safe(company.display_name)}"]
    own = [row for row in shown.rows if row.entity not in (*LEDGERS, *_SIDE_EFFECTS)]
    own.sort(key=lambda row: row.entity != change.entity)
    documents = [row for row in own if not _is_line(row) or (row.before is not None and row.after is not None)]
    closed = [row for row in documents if change.kind == "action" and row.after is None]
    parts += [words["gone"].format(entity=_called(row.entity, row.before or {}, language)) for row in closed]
    parts += [_difference(row, language, change) for row in documents if row not in closed][:MAX_RECORDS]
    parts += _lines(own, language)
    for entity, fields in LEDGERS.items():
        entries = [row.after for row in shown.rows if row.entity == entity and row.after and row.before is None]
        if entries:
            parts.append(_entries(entity, fields, entries, language))
    parts.append(words["rehearsed"] if shown.is_rehearsed else words["not_rehearsed"])
    if then:
        called = {**_STEPS, **(_VENDOR_STEPS if change.entity in _OF_VENDORS else {})}
        parts.append(words["then"].format(steps=", ".join(called.get(step, {}).get(language, step) for step in then)))
    return "\n\n".join(part for part in parts if part)


def _named(record: Mapping[str, Any]) -> list[str]:
    """Number and name of a record, as far as it has them."""
    found = (next((record[name] for name in names if record.get(name)), "") for names in (NUMBER_FIELDS, NAME_FIELDS))
    return [_safe(str(value)) for value in found if value]


def _called(entity: str, record: Mapping[str, Any], language: str) -> str:
    return " ".join((entity_label(entity, language), *_named(record)))


def _is_line(row: RowDifference) -> bool:
    return row.entity.endswith("Lines")


def _lines(rows: Sequence[RowDifference], language: str) -> list[str]:
    """The lines that arise, as one table for each kind."""
    arising: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if _is_line(row) and row.before is None and row.after:
            arising.setdefault(row.entity, []).append(row.after)
    return [lines_table(entity, lines, language) for entity, lines in arising.items()]


def lines_table(entity: str, lines: Sequence[Mapping[str, Any]], language: str) -> str:
    """The lines of a document as a Markdown table, in their order."""
    ordered = sorted(lines, key=lambda line: str(line.get("sequence", "")).zfill(12))
    fields = [name for name in LINE_FIELDS if any(line.get(name) for line in lines)]
    return _table(entity_label(entity, language), fields, ordered, language)


def _difference(row: RowDifference, language: str, change: RecordChange) -> str:
    """The fields that become others; of a document that arises or goes, those that are looked at and those given.

    What changes beside the record itself is called by its name: which item's stock, which customer's balance.
    """
    words, given = _WORDS[language], change.values
    before, after = row.before or {}, row.after or {}
    changed = [
        name
        for name in dict.fromkeys((*before, *after))
        if (name in given or not name.endswith(("Id", "DateTime")))
        and name != "id"
        and _shown(name, before, language) != _shown(name, after, language)
        and not (row.before is None and after.get(name) in (0, False))
    ]
    if not changed:
        return ""
    is_whole = row.before is None or row.after is None
    shown = changed
    if is_whole and {"customerName", "vendorName"} & {*before, *after}:
        shown = [name for name in (*DOCUMENT_FIELDS, *given) if name in changed]
    shown = [name for name in dict.fromkeys(shown) if not _is_named_beside(name, changed)][:MAX_FIELDS]
    heading = f"| {words['field']} | {words['before']} | {words['after']} |"
    is_beside = row.before is not None and row.id != change.record_id
    title = _called(row.entity, before, language) if is_beside else entity_label(row.entity, language)
    lines = [title, "", heading, "|---|---|---|"]
    unset = "" if is_whole else UNSET  # of a record that is there, an empty cell would look like a value left out
    lines += [
        f"| {field_label(name, language)} | {_shown(name, before, language) or unset} "
        f"| {_shown(name, after, language) or unset} |"
        for name in shown
    ]
    if len(changed) > len(shown):
        lines.append(f"| {words['other'].format(count=len(changed) - len(shown))} | | |")
    return "\n".join(lines)


def _is_named_beside(name: str, fields: Collection[str]) -> bool:
    """Whether a field is the id of a record whose number or name is among the fields: that says which one it is."""
    own = name.removesuffix("Id")
    return own != name and any(f"{own}{part}" in fields for part in ("Number", "Name", "DisplayName", "Code"))


def _entries(entity: str, fields: Sequence[str], entries: Sequence[Mapping[str, Any]], language: str) -> str:
    title = f"{_WORDS[language]['entries']} ({entity_label(entity, language)})"
    return _table(title, fields, entries, language)


def _table(title: str, fields: Sequence[str], rows: Sequence[Mapping[str, Any]], language: str) -> str:
    heads = [field_label(name, language) for name in fields]
    rule = "".join("---:|" if _FIGURE.search(name) else "---|" for name in fields)
    lines = [title, "", "| " + " | ".join(heads) + " |", f"|{rule}"]
    lines += ["| " + " | ".join(_shown(name, row, language) for name in fields) + " |" for row in rows[:MAX_ROWS]]
    if len(rows) > MAX_ROWS:
        more = _WORDS[language]["more"].format(count=len(rows) - MAX_ROWS)
        lines.append("| " + more + " |" * len(fields))
    return "\n".join(lines)


def fields_now(names: Sequence[str], values: Mapping[str, Any], language: str) -> str:
    """Some fields of a record as they are, in one line; what is unset is a dash."""
    return "; ".join(
        f"{field_label(name, language)}: {_shown(name, values, language) or UNSET}" for name in names if name in values
    )


def _shown(name: str, values: Mapping[str, Any], language: str) -> str:
    return _safe(field_text(name, values, language))


def field_text(name: str, values: Mapping[str, Any], language: str) -> str:
    """A field as people read it: nothing for what is unset, members without their encoding, figures in their way."""
    value = values.get(name)
    if value in (None, "", "0001-01-01", "_x0020_") or isinstance(value, (list, dict)):
        return ""
    if isinstance(value, bool):
        return _WORDS[language]["yes" if value else "no"]
    if isinstance(value, float | Decimal) or (
        isinstance(value, int | str) and _MONEY.search(name) and _decimal(value) is not None
    ):
        number = _decimal(value)
        assert number is not None
        currency = "" if _LOCAL.match(name) else str(values.get("currencyCode") or "")
        return money_in_words(number, currency, language, is_money=_MONEY.search(name) is not None)
    day = _DAY.match(str(value))
    if day is not None:
        return day_in_words(date(int(day[1]), int(day[2]), int(day[3])), language)
    return member_label(value, language)


def day_in_words(day: date, language: str) -> str:
    """A day as a table of the language has it: 05/10/2026, or 5 Oct 2026."""
    return f"{day:%d/%m/%Y}" if language == "es" else f"{day.day} {day:%b %Y}"


def _decimal(value: Any) -> Decimal | None:
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _safe(text: str) -> str:
    """A text that cannot break out of its cell, or hide: control and direction marks are shown as codes."""
    shown = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text[:200])
    return "".join(f"\\{char}" if char in "`*_[]<>|" else char for char in shown)
