"""Words that mean the same, and words that say nothing about a subject: English and Spanish, folded, for search."""

from functools import lru_cache

from batuta.language.findings import Language
from batuta.language.folding import stem

CONCEPTS: dict[str, str] = {
    "appointment": "appointment appointments meeting meetings cita citas reunion reuniones calendar calendario agenda "
    "schedule event events evento eventos call calls llamada llamar llamo llama",
    "create": "create book schedule arrange reserve agendar agenda crear crea reservar reserva programar programa "
    "concertar apunta apuntame anota set put pon",
    "move": "move reschedule shift postpone mover mueve muevela muevelo cambia cambiar cambiame reprogramar reprograma "
    "aplaza aplazar posponer pospon adelanta adelantar retrasa retrasar",
    "free": "free available availability busy libre libres disponible disponibilidad hueco huecos ocupado ocupada",
    "list": "list show upcoming lista listar muestra muestrame ensename proximas proximos",
    "time": "time hour clock hora horas reloj",
    "zone": "zone timezone huso zona horaria",
    "date": "date weekday week weeks today fecha semana semanas hoy",
    "convert": "convert conversion convierte convertir pasar pasa",
    "calculate": "calculate calculation arithmetic compute sum subtract multiply divide percent percentage average "
    "plus minus times divided squared calcula calculame calcular calculo aritmetica suma sumar resta restar "
    "multiplica multiplicar dividir dividido porcentaje promedio media raiz root mas menos dividelo dividela "
    "multiplicalo multiplicala sumale anadele restale quitale add tip discount descuento iva vat propina "
    "double halve half doble mitad doblalo",
    "document": "document documents file files policy policies manual handbook guide faq documento documentos archivo "
    "archivos politica politicas guia normativa",
    "search": "search find look lookup busca buscar encuentra encontrar",
    "read": "read lee leer",
    "expense": "expense expenses cost costs reimburse reimbursed reimbursement spend spending gasto gastos gastar "
    "reembolso reembolsa reembolsan costar cuesta cuestan coste costes claim claims",
    "travel": "travel trip trips travelling flight flights fly viaje viajes viajar vuelo vuelos volar",
    "hotel": "hotel hotels hoteles accommodation alojamiento",
    "meal": "meal meals food dinner lunch comida comidas dieta dietas cena almuerzo",
    "holiday": "holiday holidays vacation vacations leave vacaciones vacacion",
    "work": "remote remotely homeworking home teletrabajo teletrabajar casa",
    "office": "office offices oficina oficinas",
    "open": "open opens opening close closes closing closed abre abren abierta abierto cierra cierran horario",
    "price": "price prices pricing plan plans precio precios plan planes",
    "product": "product producto",
    "cancel": "cancel delete remove cancela cancelar borra borrar elimina eliminar anula anular",
    "send": "send mail email envia enviar manda mandar correo",
    "write": "write compose draft escribe escribir redacta redactar",
    "translate": "translate translation traduce traducir traduccion",
    "join": "onboarding welcome joiner bienvenida incorporacion",
}

CHANGE_VERBS: dict[str, tuple[str, ...]] = {
    "en": (
        "book", "schedule", "arrange", "reserve", "set", "put", "add", "create", "make", "move", "reschedule", "shift", "postpone",
        "push", "change", "bring", "cancel", "delete", "remove", "drop", "call off", "get rid of", "register", "post", "update",
        "send", "block", "pencil", "plan", "organise", "organize", "remind", "switch", "swap", "rearrange", "delay", "erase", "scrap", "extend", "shorten",
        "take", "get", "note", "keep", "fix", "slot", "squeeze", "give", "turn", "convert", "transform", "ship", "deliver", "invoice",
        "bill", "void", "reverse", "annul", "raise", "increase", "lower", "reduce", "correct", "modify", "edit", "rename", "unblock",
        "release", "draft", "enter", "prepare", "issue", "record", "log", "mark", "pay", "settle", "accept", "place", "write",
    ),
    "es": (
        "reserva", "agenda", "pon", "apunta", "anota", "crea", "anade", "agrega", "mete", "programa", "concierta", "organiza",
        "mueve", "cambia", "pasa", "aplaza", "pospon", "retrasa", "adelanta", "reprograma", "cancela", "anula", "borra", "elimina",
        "quita", "alarga", "acorta", "suprime", "registra", "actualiza", "envia", "bloquea", "recuerda", "recuerdame", "haz", "pide", "coge", "fija",
        "guarda", "recoloca", "convierte", "transforma", "contabiliza", "asienta", "sirve", "expide", "factura", "revierte", "sube",
        "baja", "corrige", "modifica", "edita", "establece", "asigna", "renombra", "deja", "desbloquea", "genera", "prepara", "emite",
        "introduce", "marca", "cobra", "paga", "acepta", "aplica", "da de alta",
    ),
    "es_infinitive": (
        "reservar", "agendar", "poner", "apuntar", "anotar", "crear", "anadir", "agregar", "meter", "programar", "concertar",
        "organizar", "mover", "cambiar", "pasar", "aplazar", "posponer", "retrasar", "adelantar", "reprogramar", "cancelar", "anular",
        "borrar", "eliminar", "quitar", "suprimir", "registrar", "actualizar", "enviar", "bloquear", "recordar", "hacer", "fijar",
        "convertir", "transformar", "contabilizar", "asentar", "servir", "expedir", "facturar", "revertir", "subir", "bajar",
        "corregir", "modificar", "editar", "renombrar", "desbloquear", "generar", "preparar", "emitir", "marcar", "cobrar", "pagar",
        "aceptar", "aplicar", "dar de alta",
    ),
    "es_formal": (
        "reserve", "agende", "ponga", "apunte", "anote", "cree", "anada", "agregue", "programe", "organice", "mueva", "cambie", "pase",
        "aplace", "posponga", "retrase", "adelante", "cancele", "anule", "borre", "elimine", "quite", "registre", "actualice", "envie",
    ),
    "es_first_person": (
        "cancelo", "anulo", "borro", "elimino", "muevo", "aplazo", "pospongo", "adelanto", "reservo", "apunto", "agendo", "programo",
    ),
    "es_stem": (
        "cancel", "anul", "borr", "elimin", "quit", "reserv", "agend", "apunt", "program", "organiz", "concert", "cambi", "pas",
        "aplac", "aplaz", "retras", "adelant", "reprogram", "cre", "registr", "actualic", "modifiqu", "cambi",
    ),
    "en_past": (
        "booked", "scheduled", "arranged", "reserved", "moved", "rescheduled", "shifted", "postponed", "pushed", "changed",
        "cancelled", "canceled", "deleted", "removed", "dropped", "registered", "posted", "updated", "created", "added",
    ),
}  # fmt: skip
"""Verbs that ask for a change, and their other forms: an order is not the same as a report of one."""

CLAUSE_WORDS: dict[Language, str] = {
    "en": "i you he she they we it who whom whose what which when where why how is are am was were be been being has have had "
    "having do does did done will would shall should can could might must cannot if unless whether because though although "
    "while that than or nor but not never no says said tells told asks asked wants wanted thinks know knows hope hopes believe "
    "seems comes came goes went got gets took takes gave gives made makes likes loves hates needs needed already yesterday ago",
    "es": "yo ella ellos ellas nosotros es son era eran fue fueron soy eres estan estaba estaban estuvo ha han he hemos has habia "
    "habian habria haya sido tiene tienen tenia tengo tenemos no nunca ni aunque porque cuando donde quien cual dice dicen dijo "
    "seria serian sera seran estaria estara haria tendria deberia gustaria iria vendria quiere quieren queria pide cree creo piensa parece puede pueden podria va van iba voy vino hizo hago quizas ojala acaso ayer "
    "anoche le les te se",
}
"""Words of whole clauses: pronouns, auxiliaries, conjunctions and verbs that are no nouns. A note such as "lunch with Ana on
Friday" has none of them."""

STOP_WORDS: dict[Language, str] = {
    "en": "a an the of to in on at for from by with and or but if is are was were be been do does did can could will "
    "would should may might must i me my mine you your we our us they them their he she it its this that these those "
    "there here what which who whom when where why how much many please tell give want need like about as into than "
    "then so not no yes have has had get let let's also just any some anything something nothing all more most day "
    "days minute minutes up summarise summarize summary explain say says",
    "es": "un una unos unas el la los las lo de del al a en con por para y e o u pero si es son era fue ser estar esta "
    "estan este estos estas ese esa eso que cual cuales quien cuando donde como cuanto cuanta cuantos cuantas yo me mi "
    "mis tu tus su sus nos nuestro nuestra se le les hay ha he has han haber tengo tiene tienes puedo puede puedes "
    "quiero quisiera necesito favor dime dame muy mas menos no ya tambien sobre entre sin hasta desde hacer hago dia "
    "dias dentro minuto minutos resume resumen resumir explica explicame cuentame dice significa",
}

AMOUNT_WORDS = "limit limits maximum limite limites maximo maxima"
"""Ask how much, not about what: rules give a number and seldom call it a limit."""

FILLERS: dict[Language, str] = {
    "en": "a an the of to in on at for from by with and or is are was were be been being do does did done can could will would "
    "should i me my mine you your we our ours us it its this that these those there here what whats which who whom whose when "
    "where how much many please pls tell show give get let see list display want need like about as into have has had s re ve "
    "ll m d hi hello hey thanks thank now currently current so far just also per each all every any total overall amount figure "
    "value exactly only up one ones compare compared comparing comparison go make made come comes coming came look know find out right moment already yet still usually anything something sum sums add adds today's",
    "es": "un una unos unas el la los las lo de del al a en con por para y e o u es son era eran fue fueron ser estar esta estan "
    "estado este estos estas ese esa eso esos esas que cual cuales quien quienes cuando donde como cuanto cuanta cuantos cuantas "
    "yo me mi mis tu tus su sus nos nosotros nuestro nuestra nuestros nuestras se le les hay ha he has han hemos haber tengo "
    "tiene tienes tienen tenemos puedo puede puedes podrias quiero quisiera querria necesito favor dime dame di da ensena ensename "
    "muestra muestrame mostrar mostrarme hacer hacerme ensenar ensenarme darme dar overview resumen saca sacame pon ponme haz hazme ver saber sobre entre desde ahora actual actualmente hola gracias buenas "
    "porfa pues entonces compara comparar comparame comparando comparacion comparativa cada todo todos toda todas total importe cifra valor solo mismo misma justo exactamente ya aun todavia viene vienen procede proceden algo suma suman sumamos llevamos lleva va vamos mira busca encuentra",
}
"""Words that ask and point but name nothing. Words that change what is asked (no, not, without, except) are none."""


@lru_cache(maxsize=64)
def filler_stems(more: tuple[str, ...] = ()) -> frozenset[str]:
    """The stems of all fillers, and of some more."""
    return frozenset(stem(word) for words in (*FILLERS.values(), *more) for word in words.split())
