"""When a customer paid or a vendor was paid, and when what is open of them falls due."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.questions.limits import HOW_MUCH
from batuta.agents.erp.questions.question import unnamed_owner
from batuta.language.choices import index_of
from batuta.language.folding import fold
from batuta.language.understanding import Intent, Settled, Slot, Synonyms

PAYMENT_WORDS: Synonyms = {
    "payment": (
        "pay", "pays", "paid", "pay us", "paid us", "we pay", "payment", "payments", "last payment", "paga", "pago",
        "pagos", "pagó", "pagado", "pagaron", "pagamos", "pagar", "cobro", "cobros", "ha pagado", "nos pagó",
        "nos ha pagado", "le pagamos", "cobramos",
    ),
    "due": (
        "due", "fall due", "falls due", "due date", "due dates", "have to pay", "has to pay", "have to be paid",
        "must pay", "must we pay", "vence", "vencen", "vencimiento", "vencimientos", "hay que pagar",
        "tenemos que pagar", "tiene que pagar", "tiene que pagarnos", "hay que pagarle", "debemos pagar", "debe pagar",
    ),
    "trade": (
        "buy", "buys", "bought", "buy from us", "bought from us", "purchase", "last purchase", "latest purchase",
        "sale", "last sale", "sell", "sold", "we sell", "we buy", "compra", "compró", "comprado", "compramos",
        "nos compró", "nos ha comprado", "le compramos", "última compra", "venta", "última venta", "vendimos",
        "se vendió", "vendió", "se compró", "hemos vendido",
        "vendido", "le vendimos",
    ),
}  # fmt: skip
"""What is asked of a party: when it paid or was paid, when it last traded, or when what is open of it falls due."""
LAST_WORDS: Synonyms = {
    "last": (
        "last", "latest", "most recent", "the last time", "last time", "when", "último", "última", "por última vez",
        "última vez", "la última vez", "cuándo", "más reciente",
    )
}  # fmt: skip
_FILLERS = (
    "list show received us customer vendor supplier time did does their made send dates date money it them they",
    "we owe owes and",
    "lista muestra ensename recibido recibidos nos cliente proveedor vez hizo fue hecho su sus realizo que",
    "fechas fecha dinero lo eso deuda al debemos debe cuanto y",
)
_WHEN = re.compile(r"\b(?:when|cuando|which\s+dates?|what\s+dates?|due\s+dates?|en\s+que\s+fechas?|vencimientos?)\b")
_ASKS_LAST = re.compile(r"\b(?:when\b.*\blast|last|latest|most\s+recent|ultim[oa]|mas\s+reciente)\b")
"""Asks for the newest of something, and not for all of it."""
_OTHER_WAY = {
    "customer": re.compile(
        r"\b(?:we|i)\s+(?:\w+\s+)?(?:buy|bought|purchased?)\b|\b(?:bought|purchases?|buy)\s+from\s+(?!us\b)"
        r"|\b(?:compramos|compre)\b|\bcompras?\s+al?\b"
    ),
    "vendor": re.compile(
        r"\b(?:we|i)\s+(?:\w+\s+)?(?:sell|sold)\b|\bfrom\s+us\b|\b(?:vendimos|vendi)\b|\bventas?\s+al?\b"
        r"|\bnos\s+(?:ha[n]?\s+)?compr"
    ),
}
"""What is said of trade with the other side: nothing is bought from a customer."""
_INVOICES = {"customer": "salesInvoices", "vendor": "purchaseInvoices"}
_NOT_TRADED = ("Draft", "In Review", "Canceled")
"""States of invoices that are not posted, or taken back."""
_TRADED = {
    "Sale": re.compile(r"\b(?:sell|sold|sale|vend\w+|ventas?)\b"),
    "Purchase": re.compile(r"\b(?:buy|bought|purchased?|compr\w+)\b"),
}
"""Kinds of entries of the item ledger, by what people say of them."""
_OPEN_AMOUNTS = {"customer": "remainingAmount", "vendor": "totalAmountIncludingTax"}
"""What is open of an invoice; of a purchase invoice the API does not tell how much is left."""
_SIDES = {"customer": "creditAmount", "vendor": "debitAmount"}
"""Where an account of a party shows a payment: what a customer pays is credited to it."""


def payments_intent(access: ErpAccess) -> Intent:
    """The payments of one customer or to one vendor, the newest first."""
    return Intent(
        id="payments_of",
        tool="read_records",
        label={
            "en": "show the payments of a customer or to a vendor",
            "es": "mostrar los pagos de un cliente o a un proveedor",
        },
        examples={
            "en": ("when did the customer Ana last pay?", "last payment of Ana",
                   "payments of the customer Ana this year", "when did we last pay the vendor Bosch?",
                   "when did we last buy from Bosch?", "when did the customer Ana last buy?"),
            "es": ("¿cuándo pagó por última vez el cliente Ana?", "último pago de Ana",
                   "pagos del cliente Ana este año", "¿cuándo pagamos por última vez al proveedor Bosch?",
                   "¿cuándo compramos por última vez a Bosch?", "¿cuándo fue la última compra del cliente Ana?"),
        },
        slots=(
            Slot(
                name="which", type="choice", is_required=True, values=access.all_names, is_narrowing=True,
                question={"en": "Whose payments? A customer or a vendor.",
                          "es": "¿Los pagos de quién? Un cliente o un proveedor."},
            ),
            Slot(name="payment", type="choice", is_required=True, values=PAYMENT_WORDS),
            Slot(name="last", type="choice", values=LAST_WORDS),
            Slot(name="period", type="period"),
        ),
        gives="dataset",
        reads_every_word=True,
        fillers=_FILLERS,
        settle=_settle_payments(access),
    )  # fmt: skip


def _settle_payments(access: ErpAccess) -> Callable[[Mapping[str, Any], Sequence[str]], Settled]:
    def settle(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
        kept = dict(values)
        which, last, period = (kept.get("which"), kept.pop("last", None), kept.pop("period", None))
        if which is None or kept.get("payment") is None:
            return Settled(values=kept)
        parties = [(kind, name) for kind in _SIDES for name in access.values_named(kind, which)]
        plain, is_due = fold(texts[-1]), kept["payment"] == "due"
        asks_other = period or not _WHEN.search(plain) if is_due else HOW_MUCH.search(plain)
        named = index_of(access.all_names(), is_names=True).find(texts[-1], takes_parts=True)
        is_another = unnamed_owner(texts[-1]) and all(each.value != which for each in named)
        is_alone = all(each.value == which for each in named)
        if is_alone and kept["payment"] == "trade" and (entry := _last_entry(access, which, plain)) and not period:
            return Settled(values=kept | entry)
        goods = [each.value for each in named if each.value != which and access.values_named("item", each.value)]
        if goods:  # when a customer last bought one item, no invoice tells
            return Settled(values=kept, unknown=tuple(goods))
        if len(parties) != 1 or is_another or asks_other:
            return Settled(values=kept, unknown=(which,))
        kind, name = parties[0]
        if kept["payment"] == "trade":
            is_asked = _ASKS_LAST.search(plain) and not (
                period or HOW_MUCH.search(plain) or _OTHER_WAY[kind].search(plain)
            )
            found = _last_invoice(kind, name) if is_asked else {}
            return Settled(values=kept | found, unknown=() if is_asked else (which,))
        kept |= _open_invoices(kind, name) if is_due else _payments(kind, name, period)
        return Settled(values=kept | ({"limit": 1} if last and not is_due else {}))

    return settle


def _payments(kind: str, name: str, period: Mapping[str, str] | None) -> dict[str, Any]:
    """The payments whose entries have a party's name, the newest first: the API tells of no other link to it."""
    where = [_condition("documentType", "eq", "Payment"), _condition("description", "eq", name)]
    where.append(_condition(_SIDES[kind], "gt", 0))
    if period is not None:
        where += [_condition("postingDate", "ge", period["first"]), _condition("postingDate", "le", period["last"])]
    return {
        "entity": "generalLedgerEntries",
        "where": where,
        "fields": ["postingDate", "documentNumber", "description", _SIDES[kind]],
        "order_by": ["postingDate desc", "entryNumber desc"],
    }


def _open_invoices(kind: str, name: str) -> dict[str, Any]:
    """The open invoices of a party, the one that falls due next first."""
    return {
        "entity": _INVOICES[kind],
        "where": [_condition(f"{kind}Name", "eq", name), _condition("status", "eq", "Open")],
        "fields": ["number", f"{kind}Name", "dueDate", _OPEN_AMOUNTS[kind]],
        "order_by": ["dueDate", "number"],
    }


def _last_invoice(kind: str, name: str) -> dict[str, Any]:
    """The newest invoice of a party that is posted and stands: who buys and sells is invoiced."""
    return {
        "entity": _INVOICES[kind],
        "where": [
            _condition(f"{kind}Name", "eq", name),
            *(_condition("status", "ne", state) for state in _NOT_TRADED),
        ],
        "fields": ["number", f"{kind}Name", "postingDate", "totalAmountIncludingTax"],
        "order_by": ["postingDate desc", "number desc"],
        "limit": 1,
    }


def _last_entry(access: ErpAccess, which: str, plain: str) -> dict[str, Any]:
    """The newest sale or purchase of an item, of which the item ledger keeps all; a return is none."""
    names = [name for name in access.values_named("item", which) if len(access.names("item")[name]) > 1]
    said = [kind for kind, words in _TRADED.items() if words.search(plain)]
    if len(names) != 1 or len(said) != 1 or not _ASKS_LAST.search(plain) or HOW_MUCH.search(plain):
        return {}
    number = access.names("item")[names[0]][1]
    return {
        "entity": "itemLedgerEntries",
        "where": [
            _condition("itemNumber", "eq", number),
            _condition("entryType", "eq", said[0]),
            _condition("quantity", "lt" if said[0] == "Sale" else "gt", 0),
        ],
        "fields": ["postingDate", "documentNumber", "itemNumber", "quantity"],
        "order_by": ["postingDate desc", "entryNumber desc"],
        "limit": 1,
    }


def _condition(name: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": name, "operator": operator, "value": value}
