"""What is said while a change is prepared and after it was made, in English and Spanish."""

from collections.abc import Mapping

NOUN_NAMES: Mapping[str, tuple[str, str]] = {
    "customers": ("customer", "cliente"), "vendors": ("vendor", "proveedor"), "items": ("item", "producto"),
    "salesQuotes": ("quote", "oferta"), "salesOrders": ("order", "pedido"), "salesInvoices": ("invoice", "factura"),
    "salesCreditMemos": ("credit memo", "abono"), "purchaseOrders": ("purchase order", "pedido de compra"),
    "purchaseInvoices": ("purchase invoice", "factura de compra"), "customerPayments": ("payment", "cobro"),
    "vendorPayments": ("vendor payment", "pago"), "journals": ("journal", "diario"),
}  # fmt: skip
"""A record of each kind in the singular: English, Spanish."""
_FEMININE = frozenset({"salesQuotes", "salesInvoices", "purchaseInvoices"})

PHRASES: Mapping[str, Mapping[str, str]] = {
    "unknown": {
        "en": "I do not know what “{words}” means here, and without it the change might be another one. Nothing was "
        "changed. Please say it in other words.",
        "es": "No sé qué significa aquí «{words}», y sin ello el cambio podría ser otro. No se ha cambiado nada. Dilo de "
        "otra manera, por favor.",
    },
    "not_read": {
        "en": "I do not see what is to be changed. Say, for example: “{example}”.",
        "es": "No veo qué hay que cambiar. Di, por ejemplo: «{example}».",
    },
    "currency": {
        "en": "{name} is invoiced in {kept}, and the amount is in {other}. Nothing was changed. Say it in {kept}.",
        "es": "{name} se factura en {kept}, y el importe está en {other}. No se ha cambiado nada. Dilo en {kept}.",
    },
    "ask_name": {"en": "What is the name of the new {noun}?", "es": "¿Cómo se llama {the} {noun}?"},
    "ask_which": {"en": "Which {noun}? Its number or name, please?", "es": "¿Qué {noun}? Dime su número o su nombre, ¿cuál es?"},
    "ask_document": {"en": "Which {noun}? What is its number?", "es": "¿Qué {noun}? ¿Cuál es su número?"},
    "ask_party": {"en": "For which {noun}?", "es": "¿Para qué {noun}?"},
    "ask_several": {
        "en": "“{words}” fits several: {names}. Which one do you mean?",
        "es": "«{words}» puede ser varios: {names}. ¿Cuál es?",
    },
    "ask_documents": {
        "en": "{name} has several: {names}. Which one do you mean?",
        "es": "{name} tiene varios: {names}. ¿Cuál es?",
    },
    "ask_unknown_party": {
        "en": "There is no {noun} “{words}” in {company}. Which one do you mean?",
        "es": "No hay ningún {noun} «{words}» en {company}. ¿Cuál es?",
    },
    "ask_owner": {
        "en": "The {noun} {number} is of {owner}. Which one do you mean?",
        "es": "{noun} {number}: es de {owner}. ¿Cuál es?",
    },
    "ask_lines": {
        "en": "What goes on it, and how many of each? For example “3 {item}”. Which items?",
        "es": "¿Qué lleva y cuántas unidades? Por ejemplo «3 {item}». ¿Qué productos?",
    },
    "ask_value": {"en": "What should the {field} be?", "es": "¿Qué valor debe tener «{field}»?"},
    "ask_number": {
        "en": "“{words}” is no amount for the {field}. What should it be?",
        "es": "«{words}» no es un importe para «{field}». ¿Cuál debe ser?",
    },
    "ask_shape": {
        "en": "“{words}” is no value for the {field}. What should it be?",
        "es": "«{words}» no vale para «{field}». ¿Cuál debe ser?",
    },
    "ask_country": {
        "en": "I do not know the country “{words}”. Which one is it?",
        "es": "No conozco el país «{words}». ¿Cuál es?",
    },
    "ask_date": {"en": "“{words}” is no day. Which day?", "es": "«{words}» no es un día. ¿Qué día?"},
    "nothing_of": {
        "en": "{name} has no {noun} that this can be done with. Nothing was changed.",
        "es": "{name} no tiene {noun} con la que se pueda hacer. No se ha cambiado nada.",
    },
    "exists": {
        "en": "There is already a {noun} {name} ({number}). Nothing was changed. If there must be another one, ask for "
        "“another {noun}”.",
        "es": "Ya hay un {noun} {name} ({number}). No se ha cambiado nada. Si tiene que haber otro, pide «otro {noun}».",
    },
    "already": {
        "en": "{name}: the {field} is {value} already. Nothing was changed.",
        "es": "{name}: «{field}» ya es {value}. No se ha cambiado nada.",
    },
    "state": {
        "en": "The {noun} {number} has the status {status}: this cannot be done with it. Nothing was changed.",
        "es": "{The} {noun} {number} está en estado {status}: no se puede hacer esto. No se ha cambiado nada.",
    },
    "paid": {
        "en": "The invoice {number} is paid already. Nothing was changed.",
        "es": "La factura {number} ya está pagada. No se ha cambiado nada.",
    },
    "too_much": {
        "en": "Only {open} of invoice {number} are open, {amount} are more than that. How much was paid?",
        "es": "De la factura {number} solo quedan {open} pendientes y {amount} es más. ¿Cuánto se ha pagado?",
    },
    "no_journal": {
        "en": "No payment journal in {company} is empty: {lines}. Posting would post that as well. Post it or delete it "
        "first (“delete the payment of invoice …”); no payment was entered.",
        "es": "Ningún diario de pagos de {company} está vacío: {lines}. Al registrar se registraría también eso. Regístralo o "
        "bórralo antes («borra el cobro de la factura …»); no se ha anotado ningún cobro.",
    },
    "refused": {
        "en": "This cannot be done, so nothing is asked of you: {reason}",
        "es": "No se puede hacer, así que no se pide tu aprobación: {reason}",
    },
    "party_blocked": {
        "en": "Whoever pays or is paid here is blocked, so the ERP would not post it. No payment was entered. Unblock them "
        "first.",
        "es": "Quien paga o cobra está bloqueado, así que el ERP no lo registraría. No se ha anotado ningún pago. "
        "Desbloquéalo antes.",
    },
    "no_step": {
        "en": "What should follow cannot be done with {noun} {number} (status {status}). What was done before stays.",
        "es": "Lo que debía seguir no se puede hacer con {noun} {number} (estado {status}). Lo hecho antes se queda.",
    },
    "ready": {"en": "Prepared, waiting for approval.", "es": "Preparado, a la espera de aprobación."},
    "created": {"en": "Created: {what}.", "es": "Creado: {what}."},
    "updated": {"en": "Changed: {what}.", "es": "Cambiado: {what}."},
    "deleted": {"en": "Deleted: {what}.", "es": "Borrado: {what}."},
    "posted": {"en": "Posted: {what}.", "es": "Registrado: {what}."},
    "shipped": {"en": "Shipped and invoiced: {before} is now {what}.", "es": "Enviado y facturado: {before} es ahora {what}."},
    "received": {"en": "Received and invoiced: {before} is now {what}.", "es": "Recibido y facturado: {before} es ahora {what}."},
    "made": {"en": "{before} is now {what}.", "es": "{before} es ahora {what}."},
    "canceled": {"en": "Canceled: {what}.", "es": "Anulado: {what}."},
    "done": {"en": "Done ({action}): {what}.", "es": "Hecho ({action}): {what}."},
    "payment_posted": {"en": "Payment posted: {what}.", "es": "Cobro registrado: {what}."},
    "vendor_payment_posted": {"en": "Payment posted: {what}.", "es": "Pago registrado: {what}."},
    "remaining": {"en": "{left} of {total} remain to be paid", "es": "quedan {left} de {total}"},
    "set": {"en": "{field}: {value}", "es": "{field}: {value}"},
}  # fmt: skip


def phrase(name: str, language: str, /, **facts: object) -> str:
    """A phrase with its facts in place."""
    return PHRASES[name][language].format(**facts)


def noun_of(entity: str, language: str) -> str:
    """What one record of a kind is called."""
    names = NOUN_NAMES.get(entity, (entity, entity))
    return names[1] if language == "es" else names[0]


def article_of(entity: str) -> str:
    """The Spanish article of a kind."""
    return "la" if entity in _FEMININE else "el"
