"""When a customer paid, or a vendor was paid: the payments in the ledger that name them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.questions.question import unnamed_owner
from batuta.language.understanding import Intent, Settled, Slot, Synonyms

PAYMENT_WORDS: Synonyms = {
    "payment": (
        "pay", "pays", "paid", "pay us", "paid us", "we pay", "payment", "payments", "last payment", "paga", "pago",
        "pagos", "pagó", "pagado", "pagaron", "pagamos", "pagar", "cobro", "cobros", "ha pagado", "nos pagó",
        "nos ha pagado", "le pagamos", "cobramos",
    )
}  # fmt: skip
LAST_WORDS: Synonyms = {
    "last": (
        "last", "latest", "most recent", "the last time", "last time", "when", "último", "última", "por última vez",
        "última vez", "la última vez", "cuándo", "más reciente",
    )
}  # fmt: skip
_FILLERS = (
    "list show received us customer vendor supplier time did does their made send",
    "lista muestra ensename recibido recibidos nos cliente proveedor vez hizo fue hecho su sus realizo que",
)
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
                   "payments of the customer Ana this year", "when did we last pay the vendor Bosch?"),
            "es": ("¿cuándo pagó por última vez el cliente Ana?", "último pago de Ana",
                   "pagos del cliente Ana este año", "¿cuándo pagamos por última vez al proveedor Bosch?"),
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
        if len(parties) != 1 or unnamed_owner(texts[-1]):
            return Settled(values=kept, unknown=(which,))
        kind, name = parties[0]
        where = [_condition("documentType", "eq", "Payment"), _condition("description", "eq", name)]
        where.append(_condition(_SIDES[kind], "gt", 0))
        if period is not None:
            where += [_condition("postingDate", "ge", period["first"]), _condition("postingDate", "le", period["last"])]
        kept |= {
            "entity": "generalLedgerEntries",
            "where": where,
            "fields": ["postingDate", "documentNumber", "description", _SIDES[kind]],
            "order_by": ["postingDate desc", "entryNumber desc"],
        }
        return Settled(values=kept | ({"limit": 1} if last else {}))

    return settle


def _condition(name: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": name, "operator": operator, "value": value}
