"""What a person sees before a write: the record before and after, and the entries that would arise in the books.

Fields, amounts and days are written as the reader writes them.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from batuta.agents.erp.naming import action_label, entity_label, field_label
from batuta.agents.erp.wording import money_in_words
from batuta.connectors.erp import ChangePreview, ErpCompany, RecordChange, RowDifference

MAX_ROWS = 40
MAX_FIELDS = 30

_WORDS = {
    "en": {
        "create": "Create: {entity}", "update": "Change: {entity}", "delete": "Delete: {entity}",
        "action": "{action}: {entity}", "company": "Company", "field": "Field", "before": "Before", "after": "After",
        "entries": "Entries that would arise", "entry": "Entry", "more": "… and {count} more",
        "rehearsed": "Rehearsed: it was carried out and taken back.",
        "not_rehearsed": "This ERP cannot rehearse: shown is the record itself.",
        "then": "Then, each asked for by itself: {steps}.", "yes": "yes", "no": "no",
    },
    "es": {
        "create": "Crear: {entity}", "update": "Cambiar: {entity}", "delete": "Borrar: {entity}",
        "action": "{action}: {entity}", "company": "Empresa", "field": "Campo", "before": "Antes", "after": "Después",
        "entries": "Movimientos que se crearían", "entry": "Movimiento", "more": "… y {count} más",
        "rehearsed": "Ensayado: se ejecutó y se deshizo.",
        "not_rehearsed": "Este ERP no permite ensayar: se muestra solo el registro.",
        "then": "Después, cada paso con su propia aprobación: {steps}.", "yes": "sí", "no": "no",
    },
}  # fmt: skip
_STEPS: Mapping[str, Mapping[str, str]] = {
    "post": {"en": "post it", "es": "registrarlo"},
    "pay": {"en": "enter the payment", "es": "anotar el cobro"},
    "post_payment": {"en": "post the payment", "es": "registrar el cobro"},
}

LEDGERS: Mapping[str, tuple[str, ...]] = {
    "generalLedgerEntries": ("accountNumber", "description", "debitAmount", "creditAmount"),
    "itemLedgerEntries": ("itemNumber", "entryType", "quantity", "costAmountActual"),
}
"""Entries people look at before they agree, and the fields that say most."""
NUMBER_FIELDS = ("number", "code", "entryNumber", "documentNumber", "sequence", "lineNumber")
NAME_FIELDS = ("displayName", "customerName", "vendorName", "name", "description")
"""What says which record a change is about, the most telling first."""
_SIDE_EFFECTS = ("dimensionSetLines",)
"""Rows that follow from others and say nothing to whoever agrees."""
_MONEY = re.compile(r"(amount|balance|price|cost|limit)", re.IGNORECASE)
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
    entity = " ".join((entity_label(change.entity, language), *_named(record)))
    heading = words[change.kind].format(entity=entity, action=action)
    parts = [f"**{heading}** · {words['company']}: {_safe(company.display_name)}"]
    own = [row for row in shown.rows if row.entity not in (*LEDGERS, *_SIDE_EFFECTS)]
    own.sort(key=lambda row: row.entity != change.entity)
    parts += [_difference(row, language) for row in own[:5]]
    for entity, fields in LEDGERS.items():
        entries = [row.after for row in shown.rows if row.entity == entity and row.after and row.before is None]
        if entries:
            parts.append(_entries(entity, fields, entries, language))
    parts.append(words["rehearsed"] if shown.is_rehearsed else words["not_rehearsed"])
    if then:
        parts.append(words["then"].format(steps=", ".join(_STEPS.get(step, {}).get(language, step) for step in then)))
    return "\n\n".join(part for part in parts if part)


def _named(record: Mapping[str, Any]) -> list[str]:
    """Number and name of a record, as far as it has them."""
    found = (next((record[name] for name in names if record.get(name)), "") for names in (NUMBER_FIELDS, NAME_FIELDS))
    return [_safe(str(value)) for value in found if value]


def _difference(row: RowDifference, language: str) -> str:
    words = _WORDS[language]
    before, after = row.before or {}, row.after or {}
    changed = [
        name
        for name in dict.fromkeys((*before, *after))
        if not name.endswith(("Id", "DateTime"))
        and name != "id"
        and _shown(name, before, language) != _shown(name, after, language)
        and not (row.before is None and after.get(name) in (0, False))
    ]
    if not changed:
        return ""
    heading = f"| {words['field']} | {words['before']} | {words['after']} |"
    lines = [entity_label(row.entity, language), "", heading, "|---|---|---|"]
    lines += [
        f"| {field_label(name, language)} | {_shown(name, before, language)} | {_shown(name, after, language)} |"
        for name in changed[:MAX_FIELDS]
    ]
    if len(changed) > MAX_FIELDS:
        lines.append(f"| {words['more'].format(count=len(changed) - MAX_FIELDS)} | | |")
    return "\n".join(lines)


def _entries(entity: str, fields: Sequence[str], entries: Sequence[Mapping[str, Any]], language: str) -> str:
    words = _WORDS[language]
    heads = [field_label(name, language) for name in fields]
    lines = [
        f"{words['entries']} ({entity_label(entity, language)})", "", "| " + " | ".join(heads) + " |",
        "|" + "---|" * len(fields),
        *(
            "| " + " | ".join(_shown(name, entry, language) for name in fields) + " |"
            for entry in entries[:MAX_ROWS]
        ),
    ]  # fmt: skip
    if len(entries) > MAX_ROWS:
        lines.append("| " + words["more"].format(count=len(entries) - MAX_ROWS) + " |" * len(fields))
    return "\n".join(lines)


def _shown(name: str, values: Mapping[str, Any], language: str) -> str:
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
    return _safe(str(value).replace("_x0020_", " "))


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
