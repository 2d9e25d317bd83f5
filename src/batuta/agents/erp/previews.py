"""What a person sees before a write: the record before and after, and the entries that would arise in the books."""

from collections.abc import Mapping, Sequence
from typing import Any

from batuta.connectors.erp import ChangePreview, ErpCompany, RecordChange, RowDifference

MAX_ROWS = 40
MAX_FIELDS = 30

_WORDS = {
    "en": {
        "create": "Create in {entity}", "update": "Change in {entity}", "delete": "Delete from {entity}",
        "action": "{action} on {entity}", "company": "Company", "field": "Field", "before": "Before", "after": "After",
        "entries": "Entries that would arise", "entry": "Entry", "more": "… and {count} more",
        "rehearsed": "Rehearsed: it was carried out and taken back.",
        "not_rehearsed": "This ERP cannot rehearse: shown is the record itself.",
    },
    "es": {
        "create": "Crear en {entity}", "update": "Cambiar en {entity}", "delete": "Borrar de {entity}",
        "action": "{action} en {entity}", "company": "Empresa", "field": "Campo", "before": "Antes", "after": "Después",
        "entries": "Movimientos que se crearían", "entry": "Movimiento", "more": "… y {count} más",
        "rehearsed": "Ensayado: se ejecutó y se deshizo.",
        "not_rehearsed": "Este ERP no permite ensayar: se muestra solo el registro.",
    },
}  # fmt: skip

LEDGERS: Mapping[str, tuple[str, ...]] = {
    "generalLedgerEntries": ("accountNumber", "description", "debitAmount", "creditAmount"),
    "itemLedgerEntries": ("itemNumber", "entryType", "quantity", "costAmountActual"),
}
"""Entries people look at before they agree, and the fields that say most."""


def preview_text(shown: ChangePreview, change: RecordChange, company: ErpCompany, *, language: str) -> str:
    """The preview as Markdown."""
    words = _WORDS.get(language, _WORDS["en"])
    heading = words[change.kind].format(entity=change.entity, action=change.action)
    parts = [f"**{heading}** · {words['company']}: {_safe(company.display_name)}"]
    own = [row for row in shown.rows if row.entity not in LEDGERS]
    own.sort(key=lambda row: row.entity != change.entity)
    parts += [_difference(row, words) for row in own[:5]]
    for entity, fields in LEDGERS.items():
        entries = [row.after for row in shown.rows if row.entity == entity and row.after and row.before is None]
        if entries:
            parts.append(_entries(entity, fields, entries, words))
    parts.append(words["rehearsed"] if shown.is_rehearsed else words["not_rehearsed"])
    return "\n\n".join(part for part in parts if part)


def _difference(row: RowDifference, words: Mapping[str, str]) -> str:
    before, after = row.before or {}, row.after or {}
    changed = [
        name
        for name in dict.fromkeys((*before, *after))
        if not name.endswith(("Id", "DateTime"))
        and name != "id"
        and _shown(before.get(name)) != _shown(after.get(name))
        and not (row.before is None and after.get(name) in (0, False))
    ]
    if not changed:
        return ""
    lines = [f"{row.entity}", "", f"| {words['field']} | {words['before']} | {words['after']} |", "|---|---|---|"]
    lines += [f"| {name} | {_shown(before.get(name))} | {_shown(after.get(name))} |" for name in changed[:MAX_FIELDS]]
    if len(changed) > MAX_FIELDS:
        lines.append(f"| {words['more'].format(count=len(changed) - MAX_FIELDS)} | | |")
    return "\n".join(lines)


def _entries(entity: str, fields: Sequence[str], entries: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> str:
    lines = [
        f"{words['entries']} ({entity})", "", "| " + " | ".join(fields) + " |", "|" + "---|" * len(fields),
        *("| " + " | ".join(_shown(entry.get(name)) for name in fields) + " |" for entry in entries[:MAX_ROWS]),
    ]  # fmt: skip
    if len(entries) > MAX_ROWS:
        lines.append("| " + words["more"].format(count=len(entries) - MAX_ROWS) + " |" * len(fields))
    return "\n".join(lines)


def _shown(value: Any) -> str:
    """A field as people read it: nothing for what is unset, members without their encoding."""
    if value in (None, "0001-01-01", "_x0020_") or isinstance(value, (list, dict)):
        return ""
    return _safe(str(value).replace("_x0020_", " "))


def _safe(text: str) -> str:
    """A text that cannot break out of its cell, or hide: control and direction marks are shown as codes."""
    shown = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text[:200])
    return "".join(f"\\{char}" if char in "`*_[]<>|" else char for char in shown)
