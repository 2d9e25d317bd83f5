"""What people read for the names of the API: fields and entities in both languages; what is not here is spelt out."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from batuta.agents.erp.measures.records import plain_member
from batuta.agents.erp.wording import money_in_words

LINES_FIELD = "lines"
"""What the lines of a document are called where a field is asked for."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=[0-9](?![0-9]))")
SPANISH_FIELDS: Mapping[str, str] = {
    "number": "Número", "code": "Código", "displayName": "Nombre", "name": "Nombre", "customerName": "Cliente",
    "customerNumber": "Nº de cliente", "vendorName": "Proveedor", "vendorNumber": "Nº de proveedor",
    "description": "Descripción", "postingDate": "Fecha de registro", "invoiceDate": "Fecha de factura",
    "orderDate": "Fecha de pedido", "documentDate": "Fecha del documento", "dueDate": "Vencimiento", "status": "Estado",
    "quantity": "Cantidad", "unitPrice": "Precio unitario", "unitCost": "Coste unitario", "inventory": "Existencias",
    "amount": "Importe", "totalAmountExcludingTax": "Total sin IVA", "totalAmountIncludingTax": "Total con IVA",
    "totalTaxAmount": "IVA", "remainingAmount": "Pendiente", "balance": "Saldo", "balanceDue": "Saldo pendiente",
    "country": "País", "city": "Ciudad", "email": "Correo", "phoneNumber": "Teléfono", "blocked": "Bloqueado",
    "currencyCode": "Divisa", "addressLine1": "Dirección", "postalCode": "Código postal",
    "creditLimit": "Límite de crédito",
    "salespersonCode": "Vendedor", "salesperson": "Vendedor", "itemCategoryCode": "Categoría", "website": "Web",
    "taxRegistrationNumber": "NIF", "baseUnitOfMeasureCode": "Unidad", "type": "Tipo",
    "accountNumber": "Cuenta", "debitAmount": "Debe", "creditAmount": "Haber", "itemNumber": "Producto",
    "entryType": "Tipo de movimiento", "costAmountActual": "Coste", "fullyShipped": "Enviado del todo",
    "shippedQuantity": "Cantidad enviada", "invoicedQuantity": "Cantidad facturada",
    "documentNumber": "Nº de documento",
    "shipQuantity": "Cantidad a enviar", "invoiceQuantity": "Cantidad a facturar", "orderNumber": "Nº de pedido",
    "externalDocumentNumber": "Referencia externa", "billToName": "Facturar a", "shipToName": "Enviar a",
    "sellToCity": "Ciudad", "sellToCountry": "País", "sellToAddressLine1": "Dirección",
    "sellToPostCode": "Código postal",
    "billToCity": "Ciudad de facturación", "billToCountry": "País de facturación",
    "billToAddressLine1": "Dirección de facturación", "billToPostCode": "Código postal de facturación",
    "shipToCity": "Ciudad de envío", "shipToCountry": "País de envío", "shipToAddressLine1": "Dirección de envío",
    "shipToPostCode": "Código postal de envío", "billToCustomerNumber": "Nº del cliente a facturar",
    "lineType": "Tipo de línea", "lineObjectNumber": "Nº", "unitOfMeasureCode": "Unidad", "taxPercent": "% de IVA",
    "amountExcludingTax": "Importe sin IVA", "amountIncludingTax": "Importe con IVA", "netAmount": "Importe neto",
    "netAmountIncludingTax": "Neto con IVA", "netTaxAmount": "IVA neto", "taxCode": "Código de IVA",
    "discountAmount": "Descuento", "sequence": "Orden", "partialShipping": "Envío parcial",
    "journalDisplayName": "Diario", "lineNumber": "Línea", "appliesToInvoiceNumber": "Factura que liquida",
    "promisedPayDate": "Fecha de pago prometida", "requestedDeliveryDate": "Entrega solicitada",
    "shipmentDate": "Fecha de envío", "validUntilDate": "Válida hasta", "sentDate": "Enviada",
    "customerPurchaseOrderReference": "Pedido del cliente", "pricesIncludeTax": "Precios con IVA",
    "overdueAmount": "Vencido", "totalSalesExcludingTax": "Ventas sin IVA", "paymentTermsId": "Condiciones de pago",
    "paymentMethodId": "Forma de pago", "shipmentMethodId": "Forma de envío", "discountPercent": "% de descuento",
    "discountAppliedBeforeTax": "Descuento antes de IVA", "invoiceDiscountAllocation": "Parte del descuento",
    "shortcutDimension1Code": "Dimensión 1", "shortcutDimension2Code": "Dimensión 2",
    "directUnitCost": "Coste unitario",
    "vendorInvoiceNumber": "Nº de factura del proveedor", "receivedQuantity": "Cantidad recibida",
    "receiveQuantity": "Cantidad a recibir", "fullyReceived": "Recibido del todo", "purchaser": "Comprador",
    "state": "Provincia", "addressLine2": "Dirección (2)", "displayName2": "Nombre (2)",
    "description2": "Descripción (2)", "paymentTermsCode": "Condiciones de pago",
    "shipmentMethodCode": "Forma de envío",
    "taxLiable": "Sujeto a IVA", "taxAreaDisplayName": "Zona fiscal", "taxGroupCode": "Grupo de IVA", "gtin": "GTIN",
    "priceIncludesTax": "Precio con IVA", "contact": "Contacto", "comment": "Comentario",
    "entryNumber": "Nº de movimiento",
    "documentType": "Tipo de documento", "salesAmountActual": "Ventas", "payToName": "Pagar a",
    "buyFromCity": "Ciudad", "buyFromCountry": "País", "buyFromAddressLine1": "Dirección",
    "buyFromPostCode": "Código postal", "shipToContact": "Contacto de envío", "balancingAccountNumber": "Contrapartida",
}  # fmt: skip
_CARD_FIELDS = (
    "description", "phoneNumber", "email", "addressLine1", "postalCode", "city", "country", "customerName",
    "vendorName", "postingDate", "dueDate", "status", "unitPrice", "unitCost", "inventory", "totalAmountExcludingTax",
    "totalAmountIncludingTax", "remainingAmount", "balance", "balanceDue", "creditLimit", "blocked", "currencyCode",
)  # fmt: skip
"""What is shown of a single record, in this order."""
_UNSET = ("", "0001-01-01", "None")
_NOT_SET = {"en": "not set", "es": "sin indicar"}
NAMING_FIELDS = ("number", "code", "displayName", "customerName", "vendorName")
"""What tells which record is meant."""
LOCAL_AMOUNTS = frozenset({"customers", "vendors", "items", "generalLedgerEntries", "itemLedgerEntries"})
"""Records whose amounts are in the company's own currency, whatever currency they trade in."""
_DOCUMENTS = ("salesInvoices", "salesOrders", "salesQuotes", "salesCreditMemos", "purchaseInvoices", "purchaseOrders")
_NOT_ON_CARDS: Mapping[str, Sequence[str]] = {"phoneNumber": _DOCUMENTS, "email": _DOCUMENTS}
"""What is the customer's, and only repeated on documents."""
SPANISH_ENTITIES: Mapping[str, str] = {
    "customers": "Clientes", "vendors": "Proveedores", "items": "Productos", "salesInvoices": "Facturas de venta",
    "salesOrders": "Pedidos de venta", "salesQuotes": "Ofertas de venta", "salesCreditMemos": "Abonos de venta",
    "salesShipments": "Envíos", "purchaseInvoices": "Facturas de compra", "purchaseOrders": "Pedidos de compra",
    "purchaseCreditMemos": "Abonos de compra", "purchaseReceipts": "Recepciones", "employees": "Empleados",
    "bankAccounts": "Cuentas bancarias", "accounts": "Cuentas contables", "itemCategories": "Categorías de producto",
    "paymentTerms": "Condiciones de pago", "generalLedgerEntries": "Movimientos de contabilidad",
    "itemLedgerEntries": "Movimientos de producto", "salespeoplePurchasers": "Vendedores y compradores",
    "customerPayments": "Cobros", "vendorPayments": "Pagos", "journals": "Diarios",
    "salesOrderLines": "Líneas de pedido", "salesInvoiceLines": "Líneas de factura",
    "salesQuoteLines": "Líneas de oferta", "salesCreditMemoLines": "Líneas de abono",
    "salesShipmentLines": "Líneas de envío",
}  # fmt: skip


_ACTIONS: Mapping[str, tuple[str, str]] = {
    "post": ("Post", "Registrar"), "postAndSend": ("Post and send", "Registrar y enviar"),
    "cancel": ("Cancel", "Anular"), "cancelAndSend": ("Cancel and send", "Anular y enviar"),
    "makeOrder": ("Turn into an order", "Convertir en pedido"),
    "makeInvoice": ("Turn into an invoice", "Convertir en factura"),
    "shipAndInvoice": ("Ship and invoice", "Enviar y facturar"),
    "receiveAndInvoice": ("Receive and invoice", "Recibir y facturar"), "send": ("Send", "Enviar"),
    "makeCorrectiveCreditMemo": ("Draft a credit memo", "Preparar un abono"),
}  # fmt: skip
"""What actions of the API are called: English, Spanish."""


def action_label(name: str, language: str) -> str:
    """What an action of the API is called."""
    spelt = _CAMEL.sub(" ", name).capitalize()
    english, spanish = _ACTIONS.get(name, (spelt, spelt))
    return spanish if language == "es" else english


def field_label(name: str, language: str) -> str:
    """What a field is called; one that leads to another record is called by what that is."""
    spelt = _CAMEL.sub(" ", name.removesuffix("Id")).capitalize()
    return SPANISH_FIELDS.get(name, spelt) if language == "es" else spelt


def entity_label(entity_set: str, language: str) -> str:
    """What an entity's records are called."""
    spelt = _CAMEL.sub(" ", entity_set).capitalize()
    return SPANISH_ENTITIES.get(entity_set, spelt) if language == "es" else spelt


_SPANISH_MEMBERS: Mapping[str, str] = {
    "Draft": "Borrador", "In Review": "En revisión", "Open": "Abierto", "Paid": "Pagado", "Canceled": "Anulado",
    "Corrective": "Rectificativo", "Released": "Lanzado", "Sent": "Enviado", "Accepted": "Aceptado",
    "Pending Approval": "Pendiente de aprobación", "Pending Prepayment": "Pendiente de anticipo", "All": "Todo",
    "Ship": "Envío", "Invoice": "Factura", "Payment": "Pago", "Inventory": "Existencias", "Service": "Servicio",
    "Non-Inventory": "Sin existencias", "Item": "Producto", "Account": "Cuenta",
    "Sale": "Venta", "Purchase": "Compra", "Credit Memo": "Abono", "Positive Adjmt.": "Ajuste positivo",
    "Negative Adjmt.": "Ajuste negativo", "Transfer": "Transferencia", "Company": "Empresa", "Person": "Persona",
    "Comment": "Comentario", "Resource": "Recurso", "Fixed Asset": "Activo fijo", "Charge": "Cargo",
    "true": "sí", "false": "no",
}  # fmt: skip


MONEY_FIELDS = re.compile(r"(amount|balance|price|cost|sales|limit|total)", re.IGNORECASE)
"""Names of fields that hold an amount of money: a quantity, a percentage or a stock is none."""


def _shown(name: str, values: Mapping[str, Any], language: str, currency: str) -> str:
    """A value as people read it: amounts with their currency, dates and texts as they are."""
    value = values.get(name)
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        is_money = MONEY_FIELDS.search(name) is not None
        return money_in_words(Decimal(str(value)), currency if is_money else "", language, is_money=is_money)
    return member_label(value, language)


def _answered(name: str, shown: str, language: str) -> str:
    """What is said of a field that was asked for and holds nothing: an empty block is none."""
    return shown if shown not in _UNSET else member_label(False, language) if name == "blocked" else _NOT_SET[language]


def member_label(value: Any, language: str) -> str:
    """What a member of an enumeration is called, or another value as it stands."""
    shown = plain_member(str(value).lower() if isinstance(value, bool) else value)
    if language == "es":
        return _SPANISH_MEMBERS.get(shown, shown)
    return {"true": "yes", "false": "no"}.get(shown, shown)


def card_in_words(
    entity_set: str, values: Mapping[str, Any], language: str, fields: Sequence[str] = (), local_currency: str = ""
) -> str:
    """A record as a short list of what people ask of one; of some fields only these, where it has any of them."""
    asked = [name for name in fields if name in values]
    if "status" in asked and "remainingAmount" in values:
        asked.append("remainingAmount")
    usual = [name for name in _CARD_FIELDS if entity_set not in _NOT_ON_CARDS.get(name, ())]
    called = str(values.get("displayName") or values.get("customerName") or values.get("vendorName") or "")
    number = str(values.get("number") or values.get("code") or values.get("documentNumber") or "")
    currency = local_currency if entity_set in LOCAL_AMOUNTS else str(values.get("currencyCode") or "")
    if asked:
        said = {name: _answered(name, _shown(name, values, language, currency), language) for name in asked}
    else:
        shown = {name: _shown(name, values, language, currency) for name in usual}
        said = {name: text for name, text in shown.items() if text not in (*_UNSET, called)}
    lines = [f"- {field_label(name, language)}: {text}" for name, text in said.items()]
    head = " · ".join(part for part in (f"**{called or number}**", entity_label(entity_set, language), number) if part)
    return "\n".join([head, *lines])


def fields_in_words(
    entity_set: str, values: Mapping[str, Any], language: str, fields: Sequence[str], local_currency: str
) -> str:
    """Some fields of a record behind its name, in brackets; what only says which record it is, is left out."""
    currency = local_currency if entity_set in LOCAL_AMOUNTS else str(values.get("currencyCode") or "")
    said = [
        _answered(name, _shown(name, values, language, currency), language)
        for name in fields
        if name in values and name not in NAMING_FIELDS
    ]
    return f" ({'; '.join(said)})" if said else ""
