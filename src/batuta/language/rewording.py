"""A question said plainly: without its small talk, and with the words that handbooks use for what people call otherwise.

"im sick today, what do i have to do" asks about "sick leave"; a search that counts every word finds it by that.
"""

import re
from collections.abc import Sequence
from typing import Any

from batuta.language.dates import BLANK, without_dates
from batuta.language.detection import detect_language
from batuta.language.findings import Finding, Language
from batuta.language.folding import aligned, composed, fold, words_of
from batuta.language.places import find_zones
from batuta.language.times import find_times
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
    "pick picks until costs tickets recojo recoger before must llego llega llegamos llegar arrive arrives arriving get around one paid next tarda tardan airport station aeropuerto estacion say says saying see sees seeing come comes came coming think thinks try trying tries "
    "work works working tell tells told keep keeps bring brings begin begins seem seems help helps happen live lives "
    "believe become becomes leave leaves mean means move call calls run runs give gives given send sends sent show shows "
    "include includes offer offers provide provides expect expects wait follow stop add change changes set sets start "
    "starts end ends finish big small high low expensive cheap good bad better best worse fast slow quickly soon easy hard "
    "clear sure ready able available necessary required mandatory important different same certain normal usual real "
    "exact correct right wrong true business official everyone everybody nobody anybody staff folks guys team colleague "
    "colleagues client clients friend morning afternoon evening weekend moment trip trips hecho hecha hechos estar "
    "estamos caro cara caros barato barata alto alta bajo baja grande pequeno bueno buena buenos mejor peor rapido "
    "rapida facil dificil claro listo disponible necesario necesaria obligatorio obligatoria importante "
    "distinto mismo misma normal real exacto correcto todos todas companeros amigo amigos clientes "
    "cliente momento manana tarde empieza empiezan termina terminan incluye incluyen ofrece ofrecen sirve funciona "
    "llevar lleva llevan trabajo marco marcar numero precio "
    "ask asks asking asked whether boss colleague put puts details detail wonder wondering possible allowed allow allows "
    "need needs needed want wants buy buying request requesting obtain receive happen happens happened want would like "
    "late early version find finding look looking let lets explain show curious please kindly regarding concerning case "
    "pedir pide pido piden pedimos decir dice dicen digo falta faltan hacen comprar compro compra version jefe jefa "
    "companero companera pregunta preguntan preguntar podemos pueden podeis puedo quiero queremos quieren querria "
    "necesita necesitamos necesitan conviene debo debemos deben ir vamos poner pones pasa pasan ocurre sucede obtener "
    "recibir recibo conseguir permitido permite permiten posible tarde caso respecto cierto verdad gustaria enterarme "
    "corresponde corresponden tocan devuelve devuelven bought comprado compre one two three four five six seven eight nine ten uno dos tres cuatro cinco seis siete ocho nueve diez till payed paso ocurrio sucedio during durante company companies empresa empresas viaje viajes paying "
    "cover covers covered cubre cubren cubrir tope topes max "
    "coger tomarse cogerse period periodo sube suben subio ocupa ocupan ocuparse encarga encargan comply went gone hubo habia habra ok vale coger cojo tomar tomo tiempo time paga pagan pagar pays pay"
)
LIGHT_WORDS = frozenset(_LIGHT.split())
"""Words that say nothing about the subject of a question, besides the stop words."""
PLAIN_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "phone number": "call extension", "expire": "carried over", "expires": "carried over", "debt": "debt", "lose": "lost", "losing": "lost", "company car": "fleet vehicles company", "number to call": "call extension", "business plan": "business plan", "team plan": "team plan", "team lunch": "team lunch", "team lead": "team lead", "end of the contract": "end of the contract", "working day": "working day", "first month": "first month",
        "wfh": "remote work home", "home office": "remote work home", "work from home": "remote work home", "working from home": "remote work",
        "km": "kilometre", "kms": "kilometre", "mileage": "kilometre car", "own car": "private car", "auto": "private car", "kilometer": "kilometre", "free days": "holidays", "my car": "private car",
        "sick": "sick leave", "ill": "sick leave", "flu": "sick leave", "day off": "holidays", "days off": "holidays", "time off": "holidays",
        "pto": "holidays", "vacation": "holidays", "annual leave": "holidays", "food": "meals", "eat": "meals", "eating": "meals",
        "server": "data stored data centres", "servers": "data stored data centres", "hosted": "data stored data centres", "cloud": "data stored data centres",
        "money back": "refund refunded", "get a refund": "refund", "parking": "car park places", "park": "car park places", "car park": "car park places",
        "chair": "equipment chair", "desk": "equipment", "monitor": "equipment screen", "screen": "equipment screen", "keyboard": "equipment keyboard",
        "cab": "taxi", "uber": "taxi", "plane": "flights", "fly": "flights", "flying": "flights", "claim back": "claims expense", "paid back": "claims paid",
        "reimbursed": "reimbursed", "wine": "alcohol", "beer": "alcohol", "drinks": "alcohol", "sso": "single sign-on", "login": "single sign-on", "helpdesk": "support",
        "phone support": "support telephone", "doctor's note": "medical certificate", "doctor note": "medical certificate", "doctors note": "medical certificate", "doctors certificate": "medical certificate", "sick note": "medical certificate", "ticket": "receipt", "tickets": "receipt", "days from last year": "unused days carried over", "holidays from last year": "unused days carried over holidays", "vacation from last year": "unused days carried over holidays", "vacation days from last year": "unused days carried over holidays", "closes": "open", "close": "open",
        "hours": "open hours", "hand in": "claims due", "submit": "claims due", "turn in": "claims due", "abroad": "another country", "overseas": "another country", "first day": "first day", "start": "first day", "buy": "budget",
        "last year's holidays": "unused days carried over holidays", "left over": "unused carried over", "leftover": "unused carried over", "photo": "photograph", "picture": "photograph", "unused": "unused carried over", "carry": "carried over", "roll over": "carried over",
        "calling in sick": "sick leave", "unwell": "sick leave", "fever": "sick leave", "cold": "sick leave", "not feeling well": "sick leave", "don't feel well": "sick leave", "feel well": "sick leave",
        "train": "trains journeys", "business class": "economy class flights", "first class": "economy class flights", "sign off": "approval", "signs off": "approval", "approve": "approval", "approves": "approval", "agree": "approval", "authorise": "approval", "emergency number": "emergency call extension",
        "lunch": "lunch meals", "dinner": "meals", "petrol": "private car kilometre", "fuel": "private car kilometre", "laptop": "laptop", "pc": "laptop", "computer": "laptop", "mobile": "phones", "phone": "phone telephone",
        "delete": "deleted", "erased": "deleted", "backup": "backups", "guest": "visitors", "guests": "visitors", "visitor": "visitors", "cancel": "cancelled", "annual": "yearly", "annually": "yearly", "bank details": "bank account", "free version": "free plan", "photograph": "photograph",
        "in advance": "ahead", "far in advance": "ahead", "beforehand": "ahead", "for free": "free users", "emergencies": "emergency",
        "salary": "salary paid", "payday": "salary paid",
    },
    "es": {
        "salas de reuniones": "meeting rooms", "sala de reuniones": "meeting rooms", "numero de telefono": "llama extensión", "que numero": "llama extensión", "numero al que llamar": "llama extensión", "telefono": "línea telefónica", "plan empresa": "plan empresa", "plan equipo": "plan equipo", "comida de equipo": "comida de equipo", "dia laborable": "día laborable", "primer mes": "primer mes",
        "justificar": "justificante", "guardar": "guardan", "guardais": "guardan", "guardar vacaciones": "no disfrutados año siguiente vacaciones", "canceladas": "cancelada", "foto": "fotografía",
        "teletrabajar": "teletrabajo", "trabajar desde casa": "teletrabajo posible", "desde casa": "teletrabajo", "km": "kilómetro", "kms": "kilómetro",
        "kilometraje": "kilómetro coche", "mi coche": "coche particular", "mi propio coche": "coche particular", "malo": "baja enfermedad", "mala": "baja enfermedad", "enfermo": "baja enfermedad",
        "enferma": "baja enfermedad", "gripe": "baja enfermedad", "dias libres": "vacaciones", "dia libre": "vacaciones", "comer": "comidas", "dietas": "comidas",
        "servidor": "datos guardan centros", "servidores": "datos guardan centros", "nube": "datos guardan centros", "alojados": "datos guardan centros",
        "devuelven el dinero": "devolución", "devolver el dinero": "devolución", "reembolso": "devolución reembolso", "aparcar": "car park places reserve",
        "aparcamiento": "car park places reserve", "parking": "car park places reserve", "plazas": "places", "silla": "silla equipamiento", "mesa": "equipamiento", "pantalla": "pantalla equipamiento",
        "monitor": "pantalla equipamiento", "teclado": "teclado equipamiento", "ticket": "justificante", "tique": "justificante", "tiquet": "justificante", "recibo": "justificante", "factura": "justificante",
        "perdido": "pierde", "perder": "pierde", "pierdo": "pierde", "perdi": "pierde", "perdio": "pierde", "extravie": "pierde", "extraviado": "pierde", "uber": "taxi", "avion": "vuelos", "volar": "vuelos", "vino": "alcohol", "cerveza": "alcohol",
        "presentar": "presentan plazo días", "presento": "presentan plazo días", "coche de empresa": "flota vehiculos empresa", "coche de la empresa": "flota vehiculos empresa", "parte medico": "justificante médico", "extranjero": "otro país", "fuera de espana": "otro país", "cierra": "open closes",
        "abre": "open", "horario": "open hours", "empiezo": "primer día",
        "pasar vacaciones": "no disfrutados pasan año siguiente vacaciones",
        "ano que viene": "año siguiente", "proximo ano": "año siguiente", "mal": "baja enfermedad",
        "vacaciones del ano pasado": "vacaciones días no disfrutados año siguiente", "me sobran": "no disfrutados", "sobran": "no disfrutados", "pendientes": "no disfrutados", "acumular": "no disfrutados año siguiente",
        "fiebre": "baja enfermedad", "resfriado": "baja enfermedad", "no me encuentro bien": "baja enfermedad", "encuentro mal": "baja enfermedad", "ponerse enfermo": "baja enfermedad", "tren": "tren trayectos",
        "clase business": "clase turista vuelos", "auto": "coche particular", "primera clase": "clase turista vuelos", "aprueba": "aprobación", "aprobar": "aprobación", "firma": "aprobación", "almuerzo": "comidas", "cena": "comidas", "cenas": "comidas",
        "gasolina": "coche particular kilómetro", "ordenador": "portátil", "visitas": "visitors register reception", "visitantes": "visitors register reception", "borran": "borran elimina datos", "nomina": "nómina pagan", "cobro": "pagan nómina", "version gratis": "plan gratuito", "gratis": "gratuito",
        "emergencias": "emergencia", "telefono de emergencias": "emergencia llama extensión",
        "movil": "teléfono", "celular": "teléfono", "cuenta bancaria": "cuenta bancaria", "copias": "copias",
    },
}  # fmt: skip
"""What people say, and what rules and price lists call it."""

MAX_PHRASE = 4
_SPANISH_VERB = re.compile(
    r"\w{2,}(?:[ae]is|[aei]mos|aban?|[ai]rian?|ando|iendo|[aei]r(?:emos|an|lo|la|los|las|se|me|nos)?)"
)
"""Verbs by their endings: what one does with a thing tells less than the thing. "-eria" ends nouns: avería, tintorería."""
_NOUNS = (
    "primer tercer cualquier taller alquiler lugar particular dolar celular hogar bar mar par familiar auxiliar similar "
    "militar popular regular escolar mujer caracter ayer super master"
)
_NO_VERBS = frozenset(_NOUNS.split())
_GOING_ON = re.compile(r" \((?P<subject>[^()]+)\)$")
_ASKS = re.compile(
    r"(?:and |y |e )?(?:(?:desde|hasta|para|a|de|con|por|en|since|until|from|by|for|with|to|at|in) )?(?:what|which|who|whom|whose|when|where|why|how|que|cual\w*|quien\w*|cuando|donde|como|cuant[oa]s?|por que)\b"
)
_WITHOUT_SUBJECT = re.compile(
    r"(?:(?:y|e) )?(?:(?:desde|hasta|para|a|de|con) )?(?:cuando|cuanto|donde|quien(?:es)?|como|por que) (?:(?:se|lo|la|los|las|le|les|nos|me) )*\w+"
    r"|(?:(?:y|e) )?(?:(?:por|en|durante) )?cuant[oa]s (?:minutos|horas|dias|noches|semanas|meses|anos|veces) (?:(?:se|lo|la|los|las|le|les|nos|me) )*\w+"
    r"|(?:and )?how many (?:minutes|hours|days|nights|weeks|months|years|times) (?:is|was|does|do|did|will|can|has) (?:it|they|he|she|that|this)(?: \w+){0,2}"
    r"|(?:and )?(?:when|where|why|who|how(?: much| long| often)?) (?:(?:is|was|does|do|did|will|can|has) )?(?:it|they|he|she|that|this)(?: \w+){0,2}"
)
"""Spanish verbs alone carry their subject, and English pronouns do."""
_WORKS_FROM = re.compile(r"\b(?:work|trabaj|teletrabaj)\w*\b.*\b(?:from|desde)\s+$")
_MEASURED = re.compile(
    r"\b(?:glass(?:es)?|bottles?|cups?|pieces?|bits?|copas?|vasos?|botellas?|tazas?|trozos?)\s+(?:of|de)\s+",
    re.IGNORECASE,
)
"""How much of something: rules name the thing, not the glass it comes in."""
_COUNTED = re.compile(r"\b(?:how\s+many|cu[aá]ntas)\s+(?:hours|horas)\b", re.IGNORECASE)
"""How long something takes: no opening hours."""
_ABROAD: dict[Language, str] = {"en": "another country", "es": "otro pais"}
_STOP = frozenset(word for table in STOP_WORDS.values() for word in table.split()) - {"may", "must"}
_AMOUNTS = frozenset(AMOUNT_WORDS.split())


def plain_wordings(text: str, language: Language | None = None) -> list[str]:
    """A question in plain words, and without the places it names; none where nothing changes or nothing is left."""
    text_language = language or detect_language(text)
    abroad = _from_abroad(text, text_language)
    found = [_plain(abroad, text_language), _plain(_without(abroad, find_zones(abroad)), text_language)]
    return [each for each in dict.fromkeys(found) if each and each != " ".join(words_of(text))]


def standing_alone(before: str, text: str, language: Language | None = None) -> str:
    """A question that goes on from another, with what that one was about: "and when does it open? (store Huesca)". A
    place takes the place of a place.
    """
    own = text.strip()
    before_language = language or detect_language(before)
    base = _without(before, find_zones(before)) if find_zones(text) else before
    said = set(words_of(own))
    named = _plain(base, before_language, is_reworded=False).split()
    named = named or [word for word in words_of(base) if word not in LIGHT_WORDS and word not in _STOP]
    subject = [word for word in named if word not in said]
    return f"{own} ({' '.join(subject)})" if subject else own


def divided_follow_up(text: str) -> tuple[str, str]:
    """A question and what it goes on from, as `standing_alone` joined them; nothing where it stands by itself."""
    joined = _GOING_ON.search(text)
    return (text[: joined.start()], joined["subject"]) if joined else (text, "")


def is_elliptical(text: str) -> bool:
    """Whether a question names nothing that it could be about: "¿cuándo empieza?", "what should I do then?"."""
    plain = fold(text).strip(" ¿?¡!.,")
    return _WITHOUT_SUBJECT.fullmatch(plain) is not None or (
        _ASKS.match(plain) is not None and not _plain(text, detect_language(text), is_reworded=False)
    )


def _plain(text: str, language: Language, *, is_reworded: bool = True) -> str:
    """The words that name the subject, as rules call it if that is wanted; days and hours are seldom named by rules."""
    without_times = _COUNTED.sub(" ", _MEASURED.sub(" ", _without(text, find_times(text))))
    words = words_of(without_dates(aligned(without_times), is_numeric_too=False).replace(BLANK, " "))
    kept: list[str] = []
    while words:
        sizes = range(min(MAX_PHRASE, len(words)), 0, -1) if is_reworded else ()
        size = next((size for size in sizes if _called(words[:size], language)), 0)
        if size:
            kept += _called(words[:size], language).split()
        elif not _is_light(words[0], language):
            kept.append(words[0])
        words = words[max(size, 1) :]
    return " ".join(dict.fromkeys(kept))


def _called(words: list[str], language: Language) -> str:
    """What rules call a word or phrase; a word also in its plural."""
    phrase, known = " ".join(words), PLAIN_WORDS[language]
    singular = (phrase.removesuffix(ending) for ending in ("s", "es") if len(words) == 1 and phrase.endswith(ending))
    return next((known[each] for each in (phrase, *singular) if each in known), "")


def _without(text: str, found: Sequence[Finding[Any]]) -> str:
    text = composed(text)
    for each in reversed(found):
        text = f"{text[: each.span.start]} {text[each.span.end :]}"
    return text


def _from_abroad(text: str, language: Language) -> str:
    """A place that people work from is another country to the rules, whichever it is."""
    text = composed(text)
    for place in find_zones(text):
        if _WORKS_FROM.search(aligned(text)[: place.span.start]):
            return f"{text[: place.span.start]}{_ABROAD[language]}{text[place.span.end :]}"
    return text


def _is_light(word: str, language: Language) -> bool:
    is_verb = language == "es" and _SPANISH_VERB.fullmatch(word) is not None and word not in _NO_VERBS
    return is_verb or word in LIGHT_WORDS or word in _STOP or word in _AMOUNTS or word.isdigit() or len(word) < 2
