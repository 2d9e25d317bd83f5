"""In which language a text is written, by its small words: English or Spanish."""

import re

from batuta.language.findings import Language
from batuta.language.folding import words_of

_ENGLISH = (
    "the an is are was were be been of to in on at for from by with and or but if do does did can could will would "
    "should may might must i me my you your we our us they them their he she it its this that these those there here "
    "what what's whats which who whom when where why how much many please tell give show want need like about into than "
    "then so not have has had get let let's also just any some all more most day days today tomorrow yesterday week "
    "month year last next per hi hello hey thanks thank time make book cancel move find list whose wanna gonna don't "
    "i'm i'd meeting appointment only without except same instead sales customer customers vendor invoice invoices order orders delete create add calculate convert schedule open each every plot chart owe owes monday "
    "tuesday wednesday thursday friday saturday sunday percent off tip plus minus times divided half free busy now pm"
)
_SPANISH = (
    "un una unos unas el la los las lo de del al en con por para y e pero si es son era fue ser estar esta estan este "
    "estos estas ese esa eso que cual cuales quien cuando donde como cuanto cuanta cuantos cuantas yo mi mis tu tus su "
    "sus nos nuestro nuestra se le les hay ha han haber tengo tiene tienes puedo puede puedes quiero quisiera necesito "
    "favor dime dame hazme muy mas menos ya tambien sobre entre sin hasta desde hacer hago hoy ayer manana semana mes "
    "ano pasado pasada proximo proxima hola gracias hora cita reunion ventas clientes calcula convierte pon ponme "
    "muestra muestrame busca cancela mueve anula lista ensename grafico porcentaje suma resta dividido multiplica "
    "mitad doble libre ocupado ahora deben debe horas dias lunes martes miercoles jueves viernes sabado domingo pasame "
    "todo todos toda todas vuelve sacame vale buenos buenas q xq pq adios quien dia calculas calculame cuentas haces puedes serian sale saldria cobro gasto pague cuesta cuestan abre cierra raiz solo ordena mayor menor mayores menores quita elevado cuadrado cubo potencia barras grados centigrados pulgadas millas libras galones litros metros kilos dentista "
    "factura facturas pedido pedidos proveedor proveedores cliente producto productos articulo articulos existencias "
    "almacen compras compra gastos gasto margen beneficio saldo pagos pago cobros pendiente pendientes vencido vencida "
    "vencidos vencidas oferta ofertas presupuesto presupuestos abono abonos empresa bloquea desbloquea bloqueados pide "
    "pedir crea registra contabiliza borra sube baja paga envia convierte pasa"
)
_MARKS: dict[Language, frozenset[str]] = {"en": frozenset(_ENGLISH.split()), "es": frozenset(_SPANISH.split())}
_SHARED = frozenset({"a"})
"""Words of both languages that tell of English where nothing tells of Spanish."""
_SPANISH_ONLY = re.compile(r"[ñ¿¡áéíóúü]")
_NAMED = re.compile(r"(?<=\w[ ,;:])[A-ZÁÉÍÓÚÑ]\w+")
"""A word with a capital within a sentence: how a name is spelt tells nothing of the language around it."""


def language_marks(text: str) -> dict[Language, int]:
    """How many signs of each language a text shows."""
    words = words_of(text)
    marks: dict[Language, int] = {language: sum(word in known for word in words) for language, known in _MARKS.items()}
    marks["es"] += 2 * len(_SPANISH_ONLY.findall(_NAMED.sub("", text).lower()))
    if not marks["es"]:
        marks["en"] += sum(word in _SHARED for word in words)
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
