"""What can be asked to be changed, as data for a model that reads no prose (A-41)."""

from collections.abc import Callable, Mapping, Sequence

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.changes.preparing import mentioned_document, names_of, without_company
from batuta.agents.erp.changes.reading import read_request
from batuta.agents.erp.changes.request import ChangeRequest, Names
from batuta.agents.erp.changes.vocabulary import MASTER, Act
from batuta.language.findings import Language
from batuta.language.understanding import Intent, Slot

MAX_REMEMBERED = 512

_LABELS: Mapping[str, Mapping[Language, str]] = {
    "create_master": {"en": "create a customer, vendor or item", "es": "dar de alta un cliente, proveedor o producto"},
    "create_document": {"en": "create a quote, order or invoice", "es": "crear una oferta, un pedido o una factura"},
    "update": {"en": "change a record of the ERP", "es": "cambiar un registro del ERP"},
    "post": {"en": "post a document", "es": "registrar un documento"},
    "cancel": {"en": "cancel or delete a document", "es": "anular o borrar un documento"},
    "convert": {"en": "turn a quote into an order", "es": "convertir una oferta en pedido"},
    "pay": {"en": "register a payment", "es": "registrar un cobro o un pago"},
}
_EXAMPLES: Mapping[str, Mapping[Language, Sequence[str]]] = {
    "create_master": {
        "en": ("create a customer called Acme Sport in Seville", "add a new vendor Nordic Wood", "new customer",
               "create an item called Oak table with price 120", "set up a customer", "register a new supplier"),
        "es": ("crea un cliente llamado Acme Sport en Sevilla", "da de alta un proveedor", "nuevo cliente",
               "añade un producto llamado Mesa roble con precio 120", "alta de cliente", "crea un proveedor nuevo"),
    },
    "create_document": {
        "en": ("make an order of 3 chairs for the customer Ana", "create a quote for Ana with 2 tables",
               "create an invoice for Ana and post it", "place an order for the customer", "new sales order",
               "invoice the customer Ana for 2 tables"),
        "es": ("haz un pedido de 3 sillas para el cliente Ana", "hazme una oferta para Ana de 2 mesas",
               "crea una factura para Ana y regístrala", "prepara un presupuesto", "nuevo pedido de venta",
               "factura a Ana 2 mesas"),
    },
    "update": {
        "en": ("change the credit limit of the customer Ana to 5,000", "set the price of the desk to 45",
               "block the customer Ana", "unblock the customer Ana", "update the phone number of the vendor",
               "change the email of the customer", "correct the address of the customer Ana"),
        "es": ("cambia el límite de crédito del cliente Ana a 5.000", "pon el precio de la mesa a 45",
               "bloquea al cliente Ana", "desbloquea al cliente Ana", "actualiza el teléfono del proveedor",
               "cambia el correo del cliente", "corrige la dirección del cliente Ana"),
    },
    "post": {
        "en": ("post the invoice 1032", "post the order 1010", "ship and invoice the order", "post it",
               "book the sales invoice 1032", "post the draft invoice of Ana", "post the credit memo",
               "receive the purchase order 1010", "receive and invoice the purchase order"),
        "es": ("registra la factura 1032", "contabiliza la factura", "envía y factura el pedido 1010", "regístrala",
               "registra el pedido 1010", "contabiliza el borrador de factura de Ana", "registra el abono",
               "recibe el pedido de compra 1010", "recibe y factura el pedido de compra"),
    },
    "cancel": {
        "en": ("cancel the invoice 1032", "void the invoice of Ana", "delete the quote 1001", "remove the order 1010",
               "reverse the posted invoice", "delete the customer Ana"),
        "es": ("anula la factura 1032", "cancela la factura de Ana", "borra la oferta 1001", "elimina el pedido 1010",
               "anula el abono", "borra el cliente Ana"),
    },
    "convert": {
        "en": ("make the quote 1001 into an order", "turn the quote into an order and post it", "make it an order",
               "convert the offer of Ana to an invoice", "create an order from the quote 1001"),
        "es": ("convierte la oferta 1001 en pedido", "pasa el presupuesto a pedido y regístralo", "conviértela en pedido",
               "haz un pedido a partir de la oferta 1001", "acepta la oferta de Ana"),
    },
    "pay": {
        "en": ("register a payment of 500 for invoice 1032", "record the payment of the customer Ana",
               "mark the invoice 1032 as paid", "enter a payment for the invoice", "pay the vendor Bosch 500",
               "record that Ana has paid the invoice 1032"),
        "es": ("registra un cobro de 500 de la factura 1032", "anota el pago del cliente Ana",
               "marca la factura 1032 como pagada", "apunta un cobro de la factura",
               "registra que Ana nos ha pagado la factura 1032",
               "paga al proveedor Bosch 500 euros"),
    },
}  # fmt: skip
_KINDS: Mapping[Act, str] = {
    "create": "create_document", "update": "update", "block": "update", "unblock": "update", "post": "post",
    "cancel": "cancel", "delete": "cancel", "convert": "convert", "pay": "pay",
}  # fmt: skip


def change_intents(access: ErpAccess) -> tuple[Intent, ...]:
    """The changes that can be asked for, over the names that the ERP holds now."""
    reader = _Reader(access)
    company = Slot(
        name="company",
        type="choice",
        values=lambda: access.names("company"),
        after=("company", "empresa", "sociedad"),
    )
    return tuple(
        Intent(
            id=f"change_{kind}",
            tool="prepare_change",
            effect="change",
            label=_LABELS[kind],
            examples=_EXAMPLES[kind],
            slots=(
                Slot(name="request", type="text", is_required=True),
                Slot(name="change", type="found", is_required=True, is_conclusive=True, find=reader.finder(kind)),
                Slot(name="about", type="found", find=_last_document),
                company,
            ),
        )
        for kind in _LABELS
    )


class _Reader:
    """Reads requests, each once."""

    def __init__(self, access: ErpAccess) -> None:
        self._access = access
        self._names: Names = {}
        self._known: dict[str, ChangeRequest | None] = {}

    def finder(self, kind: str) -> Callable[[str, str], bool | None]:
        """Whether a text asks for a kind of change."""

        def find(text: str, last: str) -> bool | None:
            request = self._read(text)
            return True if request is not None and _kind_of(request) == kind else None

        return find

    def _read(self, text: str) -> ChangeRequest | None:
        names = names_of(self._access)
        if len(self._known) >= MAX_REMEMBERED or any(names[kind] is not self._names.get(kind) for kind in names):
            self._known.clear()
            self._names = names
        if text not in self._known:
            self._known[text] = read_request(without_company(text, self._access), names)
        return self._known[text]


def _kind_of(request: ChangeRequest) -> str:
    if request.act == "create" and request.entity in MASTER:
        return "create_master"
    return _KINDS[request.act]


def _last_document(text: str, last: str) -> str | None:
    found = mentioned_document(last)
    return None if found is None else last
