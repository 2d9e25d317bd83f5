"""The words of a change in English and Spanish, folded: verbs, kinds of records, fields. Data, no rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Act = Literal["create", "update", "block", "unblock", "post", "cancel", "delete", "convert", "pay"]
ValueKind = Literal["text", "number", "country", "email", "phone", "date", "salesperson"]

ENGLISH_VERBS: Mapping[Act, str] = {
    "create": "create|draft|add|make|register|set up|enter|prepare|draw up|place|issue|raise|write|new|open|record",
    "update": "change|set|update|modify|edit|put|raise|increase|lower|reduce|correct|fix|rename|assign",
    "block": "block",
    "unblock": "unblock|release",
    "post": "ship and invoice|deliver and invoice|post|book|ship|deliver|send out|finalise|finalize|invoice",
    "cancel": "cancel|void|reverse|annul",
    "delete": "delete|remove|erase|get rid of",
    "convert": "make|turn|convert|change|transform|accept",
    "pay": "register|record|enter|post|book|apply|add|create|log|make",
}
SPANISH_VERBS: Mapping[Act, str] = {
    "create": "crea|crear|cree|anade|anadir|agrega|agregar|da de alta|dar de alta|de de alta|alta de|alta|registra|"
    "registrar|mete|meter|pon|haz|hacer|haga|genera|generar|prepara|preparar|emite|emitir|nuevo|nueva|apunta|introduce|"
    "abre|abrir",
    "update": "cambia|cambiar|cambie|pon|poner|ponga|actualiza|actualizar|actualice|modifica|modificar|edita|sube|subir|"
    "baja|bajar|corrige|corregir|fija|fijar|establece|asigna|asignar|asigne|renombra|deja",
    "block": "bloquea|bloquear|bloquee",
    "unblock": "desbloquea|desbloquear|desbloquee",
    "post": "envia y factura|enviar y facturar|sirve y factura|servir y facturar|registra|registrar|registre|contabiliza|"
    "contabilizar|contabilice|asienta|envia|enviar|sirve|servir|expide|expedir|factura|facturar",
    "cancel": "cancela|cancelar|cancele|anula|anular|anule|revierte|revertir",
    "delete": "borra|borrar|borre|elimina|eliminar|elimine|quita|quitar|suprime|suprimir",
    "convert": "convierte|convertir|convierta|pasa|pasar|pase|transforma|transformar|haz|hacer|acepta|aceptar",
    "pay": "registra|registrar|apunta|anota|contabiliza|contabilizar|mete|crea|crear|introduce|anade|aplica|haz",
}
"""What asks for each act, as orders and infinitives say it; never a past form."""
VERBS: Mapping[Act, str] = {act: f"{words}|{SPANISH_VERBS[act]}" for act, words in ENGLISH_VERBS.items()}

NOUNS: Mapping[str, str] = {
    "purchaseOrders": "purchase order|vendor order|supplier order|pedido de compra|pedido al proveedor|pedido a proveedor",
    "purchaseInvoices": "purchase invoice|vendor invoice|supplier invoice|vendor bill|bill|factura de compra|"
    "factura de proveedor|factura del proveedor",
    "salesCreditMemos": "sales credit memo|credit memo|credit note|nota de credito|nota de abono|abono",
    "salesQuotes": "sales quote|sales quotation|quote|quotation|offer|estimate|oferta de venta|oferta|presupuesto|cotizacion",
    "salesOrders": "sales order|customer order|order|pedido de venta|pedido de cliente|pedido|orden de venta",
    "salesInvoices": "sales invoice|draft invoice|invoice|factura de venta|factura borrador|borrador de factura|factura",
    "customers": "customer|client|cliente|clienta",
    "vendors": "vendor|supplier|proveedor|proveedora",
    "items": "item|product|article|producto|articulo",
}  # fmt: skip
"""Kinds of records, each in the singular: who says "orders" asks for a list."""
MASTER = ("customers", "vendors", "items")
DOCUMENTS = tuple(name for name in NOUNS if name not in MASTER)
PAYMENT_NOUN = "payment|customer payment|payment received|receipt|cobro|pago|ingreso"

VENDOR_WORDS = ("vendor", "supplier", "proveedor", "proveedora")

PARTIES: Mapping[str, str] = {
    "salesQuotes": "customers", "salesOrders": "customers", "salesInvoices": "customers",
    "salesCreditMemos": "customers", "purchaseOrders": "vendors", "purchaseInvoices": "vendors",
}  # fmt: skip
"""Whose documents they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldWords:
    """A field that people set: what they call it, and what it takes."""

    words: str
    kind: ValueKind
    entities: tuple[str, ...]


_TRADERS = ("customers", "vendors")
FIELDS: Mapping[str, FieldWords] = {
    "creditLimit": FieldWords(
        words="credit limit|limit of credit|limite de credito|limite de riesgo|credito maximo", kind="number",
        entities=("customers",),
    ),
    "unitPrice": FieldWords(
        words="sales price|selling price|unit price|list price|price|precio de venta|precio unitario|precio|pvp|tarifa",
        kind="number", entities=("items",),
    ),
    "unitCost": FieldWords(words="unit cost|cost|coste unitario|coste|costo", kind="number", entities=("items",)),
    "inventory": FieldWords(
        words="stock level|stock|inventory|existencias|inventario", kind="number", entities=("items",)
    ),
    "phoneNumber": FieldWords(
        words="phone number|telephone number|telephone|phone|mobile|numero de telefono|telefono|movil|tlf|tel",
        kind="phone", entities=_TRADERS,
    ),
    "email": FieldWords(
        words="e-mail address|email address|e-mail|email|mail|direccion de correo|correo electronico|correo", kind="email",
        entities=_TRADERS,
    ),
    "website": FieldWords(words="website|web site|web page|pagina web|sitio web|web", kind="text", entities=_TRADERS),
    "postalCode": FieldWords(
        words="postal code|post code|zip code|zip|codigo postal|cp", kind="text", entities=_TRADERS
    ),
    "addressLine1": FieldWords(
        words="street address|address|street|direccion|domicilio", kind="text", entities=_TRADERS
    ),
    "city": FieldWords(words="city|town|ciudad|poblacion|localidad", kind="text", entities=_TRADERS),
    "country": FieldWords(words="country|pais", kind="country", entities=_TRADERS),
    "taxRegistrationNumber": FieldWords(
        words="vat number|tax number|vat registration number|tax id|vat id|nif|cif|numero de iva", kind="text",
        entities=_TRADERS,
    ),
    "salespersonCode": FieldWords(
        words="sales representative|sales rep|salesperson|account manager|vendedor|vendedora|comercial|agente comercial|"
        "representante", kind="salesperson", entities=("customers",),
    ),
    "displayName": FieldWords(
        words="display name|name|nombre|razon social", kind="text", entities=("customers", "vendors", "items")
    ),
    "externalDocumentNumber": FieldWords(
        words="external document number|external reference|your reference|customer reference|reference|po number|"
        "referencia externa|referencia del cliente|su referencia|referencia|numero de pedido del cliente",
        kind="text", entities=("salesQuotes", "salesOrders", "salesInvoices", "salesCreditMemos"),
    ),
    "requestedDeliveryDate": FieldWords(
        words="delivery date|requested delivery date|fecha de entrega", kind="date", entities=("salesOrders",)
    ),
    "dueDate": FieldWords(
        words="due date|fecha de vencimiento|vencimiento", kind="date", entities=("salesInvoices", "salesQuotes")
    ),
    "postingDate": FieldWords(
        words="posting date|fecha de registro|fecha contable", kind="date",
        entities=("salesQuotes", "salesOrders", "salesInvoices", "salesCreditMemos"),
    ),
    "invoiceDate": FieldWords(
        words="invoice date|document date|date|fecha de factura|fecha de emision|fecha", kind="date",
        entities=("salesInvoices",),
    ),
    "orderDate": FieldWords(
        words="order date|document date|date|fecha de pedido|fecha del pedido|fecha", kind="date",
        entities=("salesOrders",),
    ),
    "documentDate": FieldWords(
        words="quote date|document date|date|fecha de la oferta|fecha del presupuesto|fecha", kind="date",
        entities=("salesQuotes",),
    ),
    "creditMemoDate": FieldWords(
        words="credit memo date|document date|date|fecha del abono|fecha", kind="date", entities=("salesCreditMemos",)
    ),
}  # fmt: skip
"""By the property of the API. The date of a document is its own: that of the posting has to be said."""

OPENING = (
    "please|pls|plz|hi|hello|hey|ok|okay|now|just|also|then|so|and|can you|could you|would you|will you|can we|could we|can i|"
    "i want you to|i want to|i would like you to|i would like to|id like to|i'd like to|i need you to|i need to|i need|i want|we need to|we need|we have to|we want to|"
    "let us|let's|lets|go ahead and|we should|"
    "por favor|porfa|porfavor|hola|buenas|buenos dias|buenas tardes|oye|vale|ahora|tambien|y|puedes|podrias|puede|podria|me puedes|me podrias|nos puedes|"
    "quiero que|quiero|quisiera|queria|querria|necesito que|necesito|necesitamos|hay que|vamos a|tenemos que|tengo que|solo|"
    "haz el favor de|me|nos|te"
)
"""What may stand before the verb of an order."""
ARTICLES = (
    "a|an|the|new|another|our|my|this|that|one|me|us|for us|open|existing|un|una|uno|el|la|los|las|al|del|de la|de los|nuevo|"
    "nueva|otro|otra|mi|nuestro|nuestra|este|esta|ese|esa|lo|le|les|nos|te|se"
)
NEGATIONS = "not|don't|dont|do not|never|without|no|nunca|jamas|sin|tampoco|except|excepto|salvo|if|si|unless|cuando|when|until|hasta"
"""Words that make an order another one: with them in it, it is not done without asking."""
