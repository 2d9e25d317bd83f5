"""The vocabulary of the built-in model, English and Spanish: data, no rules.

Words are written without accents, as `words.folded` gives them.
"""

from typing import Literal

Language = Literal["en", "es"]

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
    "reembolso reembolsa reembolsan costar",
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

ACTIONS = frozenset({"@cancel", "@send", "@write", "@translate", "@move", "@create"})
"""What is asked to be done: an agent that does not know it cannot do it, whatever else it knows."""

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
    "dias dentro minuto minutos resume resumen resumir explica explicame cuentame dice",
}

AMOUNT_WORDS = "limit limits maximum limite limites maximo maxima"
"""Ask how much, not about what: rules give a number and seldom call it a limit."""

MARKS: dict[Language, str] = {
    "en": "the is are what how much many when where which who can could would my your you please with and for of to do "
    "does move book schedule show list calculate time tomorrow today on at hello hi thanks help read search find it",
    "es": "el la los las de del que es son como cuanto cuanta cuantos cuantas cual cuando donde quien mi mis tu por "
    "para con y en un una hay puedo puedes dime muestra mueve calcula hora manana hoy hola gracias ayuda cita "
    "lee busca abre reunion lunes martes miercoles jueves viernes sabado domingo tengo estoy entre dividido mas menos "
    "multiplicado suma resta raiz convierte proxima citas se cuesta vale perfecto adios estupendo entendido",
}
"""Words that tell a language from the other."""

QUESTION_WORDS = (
    "what which who whom whose when where why how is are do does did can could may should will que cual cuales quien "
    "quienes cuando donde como cuanto cuanta cuantos cuantas por puedo puede hay es son tengo"
)

DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday lunes martes miercoles jueves viernes sabado domingo "
    "tomorrow tonight manana"
)
MONTHS = (
    "january february march april june july august september october november december enero febrero marzo abril mayo "
    "junio julio agosto septiembre octubre noviembre diciembre"
)

GREETINGS = (
    "hi hello hey hola buenas saludos greetings howdy good morning afternoon evening buenos dias tardes noches team "
    "equipo there"
)
THANKS = r"\b(?:thanks|thank\s+you|thx|cheers|gracias)\b"
AGREEMENTS = (
    "ok okay vale perfect perfecto great genial good nice fine cool bien bueno entendido understood got it de acuerdo "
    "alright right estupendo super wow lol haha jaja excelente excellent"
)
FAREWELLS = "bye goodbye adios hasta luego pronto manana see you later good night buenas noches ciao chao"
BARE_REPLIES = "yes no si sure claro nope yep yeah maybe quiza quizas"
HELP = (
    r"^\W*(?:please\s+)?(?:help|ayuda)(?:\s+(?:me|please|por favor))?\W*$|"
    r"what (?:can|could|do) (?:you|this team) (?:do\b|help|offer|know how)|how can you help|"
    r"que (?:puedes|sabes|podeis|sabeis) hacer|en que (?:me )?(?:puedes|podeis) ayudar|como (?:me )?puedes ayudar|"
    r"how do(?:es)? (?:you|this) work|como funciona"
)
IDENTITY = (
    r"\bwho are you\b|\bquien eres\b|\bwhat are you\b|\bque eres\b|\bwhat(?:'s| is) your name\b|\bcomo te llamas\b|"
    r"\bare you (?:an? )?(?:human|person|robot|bot|ai|real|machine|model|language model|chatgpt|claude)\b|"
    r"\beres (?:una? )?(?:humano|humana|persona|robot|bot|ia|real|maquina|modelo|inteligencia artificial)\b"
)
WELLBEING = (
    r"\bhow(?:'s it going| are you| do you feel| is it going)\b|\bhow are things\b|"
    r"\bcomo (?:estas|te va|va todo|te sientes)\b|"
    r"^\W*(?:(?:hola|buenas|hey)\W+)?que tal(?:\s+(?:estas|todo|va|te va))?\W*$"
)
OUTSIDE = (
    r"\bweather\b|\bforecast\b|\brain(?:s|ing|y)?\b|\bsnow(?:s|ing)?\b|\bsunny\b|\bhow (?:hot|cold|warm) is it\b|"
    r"\bque tiempo (?:hace|hara|hizo|va a hacer|tenemos|tendremos)\b|\bllover|\blloviendo\b|\bllueve\b|\blluvia\b|"
    r"\bhace (?:mucho )?(?:frio|calor|sol|viento)\b|\bpronostico\b|\btemperatura\b|\btemperature\b|"
    r"\bnews\b|\bnoticias\b|\bheadlines\b|\b(?:stock|share)s? price|\bstock market\b|\bla bolsa\b|"
    r"\bexchange rate|\btipo de cambio\b|\bjokes?\b|\bchistes?\b|\bpoems?\b|\bpoemas?\b|\bmusic\b|\bmusica\b|\bsong\b|"
    r"\bcancion\b|\brecipes?\b|\breceta\b|\brestaurants?\b|\brestaurantes?\b|\bpizza\b|\bfootball\b|\bfutbol\b|"
    r"\bworld cup\b|\bmundial\b|\bmovies?\b|\bpeliculas?\b|"
    r"\b(?:what|which) (?:week)?day (?:is|was|will)\b.{0,60}(?:\d|\btomorrow\b|\bchristmas\b)|"
    r"\bwhat is the date\b.{0,60}\btomorrow\b|"
    r"\bque (?:dia|fecha) (?:es|sera|fue|cae)\b.{0,60}(?:\d|\bmanana\b|\bnavidad\b)|"
    r"\bhow many (?:days|weeks|hours) (?:until|till|to|are left)\b|"
    r"\bcuant[oa]s (?:dias|semanas|horas) (?:faltan|quedan)\b"
)
"""What people like to ask an assistant and nobody here can know: the world outside, and what is made up."""

ABOUT_DOCUMENTS = (
    r"\b(?:what|which) (?:documents|files)\b.{0,60}\b(?:have|are there|know|read)\b|"
    r"\bque (?:documentos|archivos)\b.{0,60}\b(?:tienes?|hay|conoces?|tenemos|teneis)\b|"
    r"\blist (?:the |your |all )*documents\b"
)
WHOM_TO_ASK = (
    r"\bwhom? (?:do|should|can|must) i (?:call|contact|ask|tell|inform)\b|\ba quien (?:llamo|debo|tengo|puedo|aviso)\b"
)
"""Asks for a rule, although it speaks of a call."""
BARE_OPERATION = (
    r"^\W*(?:(?:and|then|now|y|luego|ahora|despues)\s+)*"
    r"(?P<sign>plus|minus|times|divided\s+by|multiplied\s+by|mas|menos|por|entre|dividido\s+(?:entre|por)|"
    r"multiplicado\s+por|add|subtract|suma|resta|[-+*/x×÷])\s*(?P<number>\d[\d.,]*\s*%?)\W*$"
)
"""A sum whose first number was said before: "times 3", "y luego menos 2"."""

SEQUENCE = (
    r"\s*[,;.]?\s+(?:and\s+then|and\s+after\s+that|after\s+that|then|y\s+luego|y\s+despu[eé]s|y\s+entonces|luego|despu[eé]s)"
    r"[,:]?\s+"
)
"""Between a step and one that needs it."""
ADDITION = (
    r"\s*;\s+|\s*[,.]?\s+(?:and\s+also|as\s+well\s+as|also|y\s+tambi[eé]n|y\s+adem[aá]s|adem[aá]s|tambi[eé]n)[,:]?\s+|"
    r"(?<=[?!])\s+(?=\S{2,})"
)
"""Between steps that do not need one another."""
LOOSE = r"\s*,?\s+(?:and|y|e)\s+(?!(?:media|cuarto)\b)"
"""May join words as well as requests: it divides only where both sides are requests of different agents."""
CONTINUATION = r"^[¿¡\s]*(?:and|y|e|what about|how about|que tal|qué tal|(?:please\s+)?change it)\b"

ZONE_ALIASES: dict[str, str] = {
    "tokio": "Asia/Tokyo",
    "londres": "Europe/London",
    "nueva york": "America/New_York",
    "ciudad de mexico": "America/Mexico_City",
    "mexico": "America/Mexico_City",
    "pekin": "Asia/Shanghai",
    "beijing": "Asia/Shanghai",
    "san francisco": "America/Los_Angeles",
    "california": "America/Los_Angeles",
    "washington": "America/New_York",
    "boston": "America/New_York",
    "miami": "America/New_York",
    "barcelona": "Europe/Madrid",
    "sevilla": "Europe/Madrid",
    "seville": "Europe/Madrid",
    "valencia": "Europe/Madrid",
    "espana": "Europe/Madrid",
    "spain": "Europe/Madrid",
    "roma": "Europe/Rome",
    "milan": "Europe/Rome",
    "berlin": "Europe/Berlin",
    "munich": "Europe/Berlin",
    "frankfurt": "Europe/Berlin",
    "germany": "Europe/Berlin",
    "alemania": "Europe/Berlin",
    "paris": "Europe/Paris",
    "lisboa": "Europe/Lisbon",
    "moscu": "Europe/Moscow",
    "estambul": "Europe/Istanbul",
    "el cairo": "Africa/Cairo",
    "delhi": "Asia/Kolkata",
    "mumbai": "Asia/Kolkata",
    "bombay": "Asia/Kolkata",
    "india": "Asia/Kolkata",
    "japan": "Asia/Tokyo",
    "japon": "Asia/Tokyo",
    "singapur": "Asia/Singapore",
    "seul": "Asia/Seoul",
    "bogota": "America/Bogota",
    "buenos aires": "America/Argentina/Buenos_Aires",
    "sao paulo": "America/Sao_Paulo",
    "utc": "UTC",
    "gmt": "UTC",
}
"""Names people use for places whose time zone is called otherwise."""

ZONE_AREAS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
"""Where the last part of a time zone's name is a place."""

NUMBER_WORDS: dict[str, int] = {
    word: value
    for value, words in {
        0: "zero cero", 1: "one", 2: "two dos", 3: "three tres", 4: "four cuatro", 5: "five cinco", 6: "six seis",
        7: "seven siete", 8: "eight ocho", 9: "nine nueve", 10: "ten diez", 11: "eleven once", 12: "twelve doce",
        13: "thirteen trece", 14: "fourteen catorce", 15: "fifteen quince", 20: "twenty veinte", 30: "thirty treinta",
        40: "forty cuarenta", 50: "fifty cincuenta", 60: "sixty sesenta", 70: "seventy setenta", 80: "eighty ochenta",
        90: "ninety noventa", 100: "hundred cien", 1000: "thousand mil",
    }.items()
    for word in words.split()
}  # fmt: skip

UNIT_SECONDS: dict[str, int] = {
    **dict.fromkeys(("second", "seconds", "sec", "s", "segundo", "segundos"), 1),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "minuto", "minutos"), 60),
    **dict.fromkeys(("hour", "hours", "h", "hr", "hrs", "hora", "horas"), 3_600),
    **dict.fromkeys(("day", "days", "dia", "dias"), 86_400),
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), 604_800),
}

WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
}
MONTH_NAMES: dict[Language, tuple[str, ...]] = {
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December"),
    "es": ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
           "noviembre", "diciembre"),
}  # fmt: skip
