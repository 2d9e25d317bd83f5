"""What went wrong with an outside system, and what a person can do about it, in both languages.

    fault_of(error)                      -> "busy"
    fault_in_words(error, "es")          -> "El ERP no admite más peticiones por ahora …"

The words never claim more than is known: of a write whose answer was lost they say that it may have happened.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal

from batuta.kernel.errors import (
    AccessDeniedError,
    BatutaError,
    ConnectorRejectedError,
    ConnectorUnavailableError,
    MissingCompanyError,
    MissingRecordError,
    RecordChangedError,
)

FaultKind = Literal[
    "unreachable", "busy", "timed_out", "interrupted", "failing", "sign_in", "permission", "company", "routing",
    "missing", "changed", "refused",
]  # fmt: skip


def fault_of(error: BatutaError) -> FaultKind | None:
    """The kind of a connector's error; None for an error of something else."""
    if isinstance(error, ConnectorUnavailableError):
        return _unavailable(error)
    if not isinstance(error, ConnectorRejectedError):
        return None
    if isinstance(error, AccessDeniedError):
        return "permission" if error.status == 403 else "sign_in"
    if isinstance(error, MissingCompanyError):
        return "company"
    if error.reason_code in _ROUTING_CODES:
        return "routing"
    if isinstance(error, MissingRecordError):
        return "missing"
    return "changed" if isinstance(error, RecordChangedError) else "refused"


def fault_in_words(error: BatutaError, language: str) -> str:
    """What happened and what to do, with the service's own words where they help. Other errors say what they say."""
    kind = fault_of(error)
    if kind is None:
        return str(error)
    words = FAULT_WORDS[kind].get(language) or FAULT_WORDS[kind]["en"]
    detail = str(error).rstrip(". ")
    return words.format(detail=reason_in_spanish(detail) if language == "es" else detail)


def reason_in_spanish(reason: str) -> str:
    """The common reasons of a refusal in Spanish; another one stays in the service's own words."""
    for pattern, spanish in _REASONS:
        if found := re.match(pattern, reason):
            named = {name: _NOUNS.get(part.lower(), part) for name, part in found.groupdict().items()}
            return spanish.format(**named)[:1].upper() + spanish.format(**named)[1:] + reason[found.end() :]
    return reason


def _unavailable(error: ConnectorUnavailableError) -> FaultKind:
    if error.status is not None:
        return _STATUSES.get(error.status, "failing")
    if error.reason_code == "timeout":
        return "timed_out"
    return "interrupted" if error.was_sent else "unreachable"


_NOUNS: Final[Mapping[str, str]] = {
    "sales quote": "la oferta de venta", "sales order": "el pedido de venta", "sales invoice": "la factura de venta",
    "sales credit memo": "el abono de venta", "purchase order": "el pedido de compra",
    "purchase invoice": "la factura de compra", "purchase credit memo": "el abono de compra",
    "customers": "el cliente", "vendors": "el proveedor", "items": "el producto", "accounts": "la cuenta",
    "currencies": "la divisa", "paymentterms": "las condiciones de pago", "bankaccounts": "el banco",
    "itemcategories": "la categoría",
}  # fmt: skip
_WHICH: Final = r"(?P<noun>[A-Za-z]+(?: [a-z]+){0,2}) (?P<number>\S+)"
_REASONS: Final[tuple[tuple[str, str], ...]] = (
    (rf"{_WHICH} is posted and cannot be deleted", "{noun} {number} ya está en los libros y no se puede borrar"),
    (rf"{_WHICH} cannot be deleted: goods have been moved that are not invoiced yet",
     "{noun} {number} no se puede borrar: hay mercancía movida sin facturar"),
    (rf"{_WHICH} cannot be deleted: there are \S+(?: of \S+| entries)? for it",
     "{noun} {number} no se puede borrar: tiene movimientos o documentos"),
    (rf"{_WHICH} cannot be renamed: there are \S+(?: of \S+| entries)? for it",
     "{noun} {number} no puede cambiar de número: tiene movimientos o documentos"),
    (rf"{_WHICH} is posted: its lines cannot be changed any more",
     "{noun} {number} ya está en los libros: sus líneas ya no se pueden cambiar"),
    (rf"{_WHICH} is posted: (?P<fields>.+?) cannot be changed any more",
     "{noun} {number} ya está en los libros: {fields} ya no se puede cambiar"),
    (r"A line that has been posted in part cannot be deleted",
     "una línea registrada en parte no se puede borrar"),
)  # fmt: skip
"""Why an ERP refuses, as it says it in English, and the same in Spanish."""
_STATUSES: Mapping[int, FaultKind] = {408: "timed_out", 429: "busy", 503: "busy", 504: "timed_out"}
_ROUTING_CODES = frozenset(
    {"routing", "BadRequest_NotFound", "BadRequest_ResourceNotFound", "BadRequest_InvalidRequestUrl", "NoEnvironment"}
)

FAULT_WORDS: Mapping[FaultKind, Mapping[str, str]] = {
    "unreachable": {
        "en": "The ERP cannot be reached ({detail}). Nothing was sent. Check the network and BATUTA_ERP_URL; "
        "`batuta doctor` finds the place.",
        "es": "No se puede llegar al ERP ({detail}). No se ha enviado nada. Comprueba la red y BATUTA_ERP_URL; "
        "`batuta doctor` encuentra el fallo.",
    },
    "busy": {
        "en": "The ERP accepts no more requests for now, and kept saying so ({detail}). Nothing was changed. Wait a "
        "minute and ask again.",
        "es": "El ERP no admite más peticiones por ahora y lo ha repetido ({detail}). No se ha cambiado nada. Espera "
        "un minuto y vuelve a preguntar.",
    },
    "timed_out": {
        "en": "The ERP did not answer in time ({detail}). Ask about a shorter period or fewer records, or try later.",
        "es": "El ERP no ha respondido a tiempo ({detail}). Pregunta por un periodo más corto o por menos registros, o "
        "inténtalo más tarde.",
    },
    "interrupted": {
        "en": "The ERP's answer broke off ({detail}), also when asked again. Nothing of it is shown, because a part "
        "would be a wrong figure. Try later.",
        "es": "La respuesta del ERP se ha cortado ({detail}), también al repetirla. No se muestra nada de ella, porque "
        "una parte sería una cifra falsa. Inténtalo más tarde.",
    },
    "failing": {
        "en": "The ERP has a fault of its own ({detail}). Try later; if it stays, show this to your administrator.",
        "es": "El ERP tiene un fallo interno ({detail}). Inténtalo más tarde; si continúa, enséñaselo a tu "
        "administrador.",
    },
    "sign_in": {
        "en": "The ERP refuses our sign-in, also with a new token ({detail}). An administrator has to renew the client "
        "secret or enable the app; `batuta doctor` says which.",
        "es": "El ERP rechaza nuestro inicio de sesión, también con un token nuevo ({detail}). Un administrador tiene "
        "que renovar el secreto o activar la aplicación; `batuta doctor` dice cuál de las dos cosas.",
    },
    "permission": {
        "en": "The ERP does not allow this to our app ({detail}). An administrator can give it a permission set on the "
        "page “Microsoft Entra applications”.",
        "es": "El ERP no permite esto a nuestra aplicación ({detail}). Un administrador puede darle un conjunto de "
        "permisos en la página «Aplicaciones de Microsoft Entra».",
    },
    "company": {
        "en": "The company is gone, or is no longer shown to us ({detail}).",
        "es": "La empresa ya no existe, o ya no la podemos ver ({detail}).",
    },
    "routing": {
        "en": "Behind this address the ERP has nothing of the kind ({detail}). Either its API lacks this entity, or "
        "tenant and environment in BATUTA_ERP_URL are wrong; `batuta doctor` tells them apart.",
        "es": "En esta dirección el ERP no tiene nada así ({detail}). O su API no ofrece esta entidad, o inquilino y "
        "entorno de BATUTA_ERP_URL no son correctos; `batuta doctor` los distingue.",
    },
    "missing": {"en": "The ERP has no such record ({detail}).", "es": "El ERP no tiene ese registro ({detail})."},
    "changed": {
        "en": "The record has changed since it was seen ({detail}). Nothing was overwritten.",
        "es": "El registro ha cambiado desde que se vio ({detail}). No se ha sobrescrito nada.",
    },
    "refused": {"en": "The ERP refuses: {detail}.", "es": "El ERP lo rechaza: {detail}."},
}
