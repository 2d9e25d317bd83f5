"""A question said plainly: without its small talk, and with the words that handbooks use for what people call otherwise.

"im sick today, what do i have to do" asks about "sick leave"; a search that counts every word finds it by that.
"""

import re

from batuta.language.detection import detect_language
from batuta.language.findings import Language
from batuta.language.folding import aligned, composed, words_of
from batuta.language.places import find_zones
from batuta.language.vocabulary import AMOUNT_WORDS, STOP_WORDS

_LIGHT = (
    "im i'm ive i've id whats what's hows wheres whos its it's thats today now new own use uses using used get "
    "gets getting got go goes going doing done once still really actually maybe exactly currently someone "
    "somebody anyone person people they'll theyll dont don't cant can't long often far money thing things way "
    "take takes taken make made max min spot spots hoy ahora estoy estamos estan estás voy vamos va van dan "
    "dais dar nuevo nueva nuevos nuevas tenemos teneis tienen tener hago hace hacen haces hacer alguien "
    "persona personas gente cosa cosas vez veces manera tanto mucho mucha siempre todavia aun luego "
    "exactamente propio propia pone ponen toca dinero monday tuesday wednesday thursday friday mondays "
    "tuesdays wednesdays thursdays fridays lunes martes miercoles jueves viernes maximo minimo pasta q ke xq "
    "noche nights night am pm sabes saber podria deberia tendria hay pongo ponga encuentro feel feeling "
    "tiempo time paga pagan pagar pays pay"
)
LIGHT_WORDS = frozenset(_LIGHT.split())
"""Words that say nothing about the subject of a question, besides the stop words."""
PLAIN_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "wfh": "remote work home", "home office": "remote work home", "work from home": "remote work home", "working from home": "remote work",
        "km": "kilometre", "kms": "kilometre", "mileage": "kilometre car", "own car": "private car", "my car": "private car",
        "sick": "sick leave", "ill": "sick leave", "flu": "sick leave", "day off": "holidays", "days off": "holidays", "time off": "holidays",
        "pto": "holidays", "vacation": "holidays", "annual leave": "holidays", "food": "meals", "eat": "meals", "eating": "meals",
        "server": "data stored data centres", "servers": "data stored data centres", "hosted": "data stored data centres", "cloud": "data stored data centres",
        "money back": "refund refunded", "get a refund": "refund", "parking": "car park places", "park": "car park places", "car park": "car park places",
        "chair": "equipment chair", "desk": "equipment", "monitor": "equipment screen", "screen": "equipment screen", "keyboard": "equipment keyboard",
        "cab": "taxi", "uber": "taxi", "plane": "flights", "fly": "flights", "flying": "flights", "claim back": "claims expense", "paid back": "claims paid",
        "reimbursed": "reimbursed", "wine": "alcohol", "beer": "alcohol", "drinks": "alcohol", "sso": "single sign-on", "login": "single sign-on", "helpdesk": "support",
        "phone support": "support telephone", "doctor's note": "medical certificate", "doctor note": "medical certificate", "closes": "open", "close": "open",
        "hours": "open hours", "hand in": "claims due", "submit": "claims due", "turn in": "claims due", "abroad": "another country", "overseas": "another country", "first day": "first day", "start": "first day", "buy": "budget",
        "last year's holidays": "unused days carried over holidays", "left over": "unused carried over", "leftover": "unused carried over", "unused": "unused carried over", "carry": "carried over", "roll over": "carried over",
        "calling in sick": "sick leave", "unwell": "sick leave", "fever": "sick leave", "cold": "sick leave", "not feeling well": "sick leave", "don't feel well": "sick leave", "feel well": "sick leave",
        "train": "trains journeys", "business class": "economy class flights", "first class": "economy class flights", "sign off": "approval", "signs off": "approval", "approve": "approval", "approves": "approval",
        "lunch": "lunch meals", "dinner": "meals", "petrol": "private car kilometre", "fuel": "private car kilometre", "laptop": "laptop", "pc": "laptop", "computer": "laptop", "mobile": "phones", "phone": "phone telephone",
        "delete": "deleted", "erased": "deleted", "backup": "backups", "guest": "visitors", "guests": "visitors", "visitor": "visitors", "cancel": "cancelled", "salary": "salary paid", "payday": "salary paid",
    },
    "es": {
        "teletrabajar": "teletrabajo", "trabajar desde casa": "teletrabajo", "desde casa": "teletrabajo", "km": "kilometro", "kms": "kilometro",
        "kilometraje": "kilometro coche", "mi coche": "coche particular", "mi propio coche": "coche particular", "malo": "baja enfermedad", "mala": "baja enfermedad", "enfermo": "baja enfermedad",
        "enferma": "baja enfermedad", "gripe": "baja enfermedad", "dias libres": "vacaciones", "dia libre": "vacaciones", "comer": "comidas", "dietas": "comidas",
        "servidor": "datos guardan centros", "servidores": "datos guardan centros", "nube": "datos guardan centros", "alojados": "datos guardan centros",
        "devuelven el dinero": "devolucion", "devolver el dinero": "devolucion", "reembolso": "devolucion reembolso", "aparcar": "car park places reserve",
        "aparcamiento": "car park places reserve", "parking": "car park places reserve", "plazas": "places", "silla": "silla equipamiento", "mesa": "equipamiento", "pantalla": "pantalla equipamiento",
        "monitor": "pantalla equipamiento", "teclado": "teclado equipamiento", "ticket": "justificante", "recibo": "justificante", "factura": "justificante",
        "perdido": "pierde", "perder": "pierde", "pierdo": "pierde", "uber": "taxi", "avion": "vuelos", "volar": "vuelos", "vino": "alcohol", "cerveza": "alcohol",
        "me pagan": "pagan", "parte medico": "justificante medico", "extranjero": "otro pais", "fuera de espana": "otro pais", "cierra": "open closes",
        "abre": "open", "horario": "open hours", "empiezo": "primer dia",
        "vacaciones del ano pasado": "vacaciones dias no disfrutados ano siguiente", "me sobran": "no disfrutados", "sobran": "no disfrutados", "pendientes": "no disfrutados", "acumular": "no disfrutados ano siguiente",
        "fiebre": "baja enfermedad", "resfriado": "baja enfermedad", "no me encuentro bien": "baja enfermedad", "encuentro mal": "baja enfermedad", "ponerse enfermo": "baja enfermedad", "tren": "tren trayectos",
        "business": "clase turista vuelos", "primera clase": "clase turista vuelos", "aprueba": "aprobacion", "aprobar": "aprobacion", "firma": "aprobacion", "almuerzo": "comidas", "cena": "comidas", "cenas": "comidas",
        "gasolina": "coche particular kilometro", "ordenador": "portatil", "visitas": "visitors register reception", "visitantes": "visitors register reception", "borran": "borran elimina datos", "nomina": "nomina pagan", "cobro": "pagan nomina",
    },
}  # fmt: skip
"""What people say, and what rules and price lists call it."""

_WORKS_FROM = re.compile(r"\b(?:work|trabaj|teletrabaj)\w*\b.*\b(?:from|desde)\s+$")
_ABROAD: dict[Language, str] = {"en": "another country", "es": "otro pais"}
_STOP = frozenset(word for table in STOP_WORDS.values() for word in table.split()) - {"may", "must"}
_AMOUNTS = frozenset(AMOUNT_WORDS.split())


def plain_wording(text: str, language: Language | None = None) -> str | None:
    """A question in plain words; none where nothing but small words is left, or nothing changes."""
    told = language or detect_language(text)
    said = " ".join(words_of(_from_abroad(text, told)))
    for phrase, plain in sorted(PLAIN_WORDS[told].items(), key=lambda pair: -len(pair[0])):
        said = re.sub(rf"\b{re.escape(phrase)}\b(?!\0)", "\0".join(plain.split()), said)
    kept = [word for word in re.split(r"[ \0]+", said) if not _is_light(word)]
    found = " ".join(dict.fromkeys(kept))
    return found if found and found != " ".join(words_of(text)) else None


def _from_abroad(text: str, language: Language) -> str:
    """A place that people work from is another country to the rules, whichever it is."""
    text = composed(text)
    for place in find_zones(text):
        if _WORKS_FROM.search(aligned(text)[: place.span.start]):
            return f"{text[: place.span.start]}{_ABROAD[language]}{text[place.span.end :]}"
    return text


def _is_light(word: str) -> bool:
    return word in LIGHT_WORDS or word in _STOP or word in _AMOUNTS or word.isdigit() or len(word) < 2
