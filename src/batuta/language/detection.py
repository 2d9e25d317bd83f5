"""In which language a text is written, by its small words: English or Spanish."""

import re

from batuta.language.findings import Language
from batuta.language.folding import words_of
from batuta.language.lexicon import MONTH_NAMES, UNITS_EN, UNITS_ES, WEEKDAY_NAMES
from batuta.language.vocabulary import CHANGE_VERBS, CLAUSE_WORDS, FILLERS, STOP_WORDS

_ENGLISH = (
    "i agenda appointment busy calculate chart customer customers divided don't except free gonna half i'd i'm instead invoices last "
    "meeting minus month next open order orders owe owes percent plot plus pm sales same time times tip today tomorrow vendor "
    "wanna week what's without year"
)
_SPANISH = (
    "y e q xq pq abre adios ano barras buenos calcula calculame calculas centigrados cierra cita clientes cobro cuadrado cubo "
    "cuentas cuesta cuestan debe deben dentista dividido doble elevado galones gasto grados grafico haces hora horas hoy kilos "
    "libras libre lista litros manana mayor mayores menor menores mes metros millas mitad multiplica ocupado ordena pague "
    "pasada pasado pasame porcentaje potencia proxima proximo pulgadas raiz resta reunion saldria sale semana vale ventas vuelve "
    "factura facturas pedido pedidos proveedor proveedores cliente producto productos articulo articulos existencias almacen "
    "compras compra gastos margen beneficio saldo pagos pago cobros pendiente pendientes vencido vencida vencidos vencidas "
    "oferta ofertas presupuesto presupuestos abono abonos empresa bloqueados pedir"
)
"""Words that tell of a language besides its small words, its verbs of change, numbers, days and months."""


def _known(language: Language, own: str) -> frozenset[str]:
    """The small words of a language, its numbers, days and months."""
    verbs = " ".join(word for form, words in CHANGE_VERBS.items() if form.startswith(language) for word in words)
    names = " ".join((*WEEKDAY_NAMES[language], *MONTH_NAMES[language]))
    lists = " ".join((STOP_WORDS[language], FILLERS[language], CLAUSE_WORDS[language], verbs, names))
    numbers = UNITS_EN if language == "en" else UNITS_ES
    small = [word for word in words_of(lists) if len(word) > 1]  # a letter alone may be what is left of "I'd"
    return frozenset((*own.split(), *small, *numbers))


_KNOWN: dict[Language, frozenset[str]] = {"en": _known("en", _ENGLISH), "es": _known("es", _SPANISH)}
"""With words that are of both, such as "me" and "total"."""
_MARKS: dict[Language, frozenset[str]] = {"en": _KNOWN["en"] - _KNOWN["es"], "es": _KNOWN["es"] - _KNOWN["en"]}
_SPANISH_ONLY = re.compile(r"[ñ¿¡áéíóúü]")
_NAMED = re.compile(r"(?<=\w[ ,;:])[A-ZÁÉÍÓÚÑ]\w+")
"""A word with a capital within a sentence: how a name is spelt tells nothing of the language around it."""


def language_marks(text: str) -> dict[Language, int]:
    """How many signs of each language a text shows."""
    words = words_of(text)
    marks: dict[Language, int] = {language: sum(word in known for word in words) for language, known in _MARKS.items()}
    marks["es"] += 2 * len(_SPANISH_ONLY.findall(_NAMED.sub("", text).lower()))
    return marks


def detect_language(text: str, default: Language = "en") -> Language:
    """The language of a text; `default` where nothing in it tells, as in "15 * 3" or "agenda"."""
    marks = language_marks(text)
    if marks["en"] == marks["es"]:
        return default
    return "es" if marks["es"] > marks["en"] else "en"


def tells_language(text: str) -> bool:
    """Whether a text has a word of one language."""
    return any(language_marks(text).values())
