"""What a question asks for, and how a sentence looks that has it: amounts, times, frequencies, dates, people. Data."""

import re

from batuta.knowledge.cite.units import MONTHS
from batuta.language.lexicon import HUNDREDS, SCALES, TENS, UNITS_EN, UNITS_ES, one_of

_NUMBER_WORDS = one_of((*UNITS_EN, *UNITS_ES, *TENS, *HUNDREDS, *SCALES))
FIGURE = re.compile(
    rf"(?<![a-z\d-])\d|[€$£]|\b(?:{_NUMBER_WORDS}|free|grat\w+|once|twice|half|medi[oa]|dozen|docena|no|none|all|both|unlimited|ningun\w*|nadie|tod[oa]s|amb[oa]s|ilimitad\w+)\b"
)
"""How much or how many, in figures or words; the number of a code such as A12 is none."""
COUNTED_TIME = re.compile(
    r"\b(?:how many|cuant[oa]s) (?P<unit>minutes|hours|days|weeks|months|years|minutos|horas|dias|semanas|meses|anos)\b"
)
MONEY = re.compile(
    r"[€$£]|\b(?:euros?|eur|dollars?|usd|pounds?|gbp|libras?|pesos?|dolar(?:es)?|free|gratis|gratuit[oa]s?)\b"
)
STRICT: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"\b(?:how much .*\bcosts?|what .*\bcosts?|cuanto (?:\w+ ){0,2}?(?:cuest\w+|costo|costaron|costara\w*|ha costado|han costado)"
                   r"|(?:what|which) (?:is |was |are |were )?(?:the )?(?:\w+ )?prices?(?! list)|(?:que|cual es el|cual era el) precio)\b"),
        re.compile(rf"{MONEY.pattern}|\b(?:price|precio|cost|coste|importe|amount|fee|fare|tarifa|cuota|total)\w*\b.*\d|^\D+\d+(?:[.,]\d\d)?$"),
    ),
    (
        re.compile(r"\bhow much (?:is|are)\b|\bcuanto (?:es|son|vale|valen|sale|salen)\b"),
        re.compile(rf"{MONEY.pattern}|\d"),
    ),
    (
        re.compile(r"\b(?:what (?:is|was|are|were)|(?:cual|que) (?:es|era|son)) (?:the |our |el |nuestro )?(?:\w+ )?(?:budgets?|presupuestos?)\b"),
        re.compile(rf"{MONEY.pattern}|\b(?:budget|presupuesto)s?\b.*\d"),
    ),
    (
        re.compile(r"\b(?:(?:which|what) (?:days?|weekdays?|dates?)(?! of)|(?:que|cual es el|cual era el) (?:dias?|fechas?)(?! del?))\b"),
        re.compile(rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[/.]\d{{1,2}}\b|\b(?:{'|'.join(MONTHS)})\b|\b\d{{1,2}}(?:st|nd|rd|th)\b"
                   r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:lunes|martes|miercoles|jueves|viernes|sabados?|domingos?)\b"
                   r"|\b(?:day|days|dia|dias|weekends?|fin de semana)\b"),
    ),
    (
        re.compile(r"\b(?:since when|desde cuando)\b"),
        re.compile(r"\b(?:since|from|as of|desde|a partir)\b"),
    ),
    (
        re.compile(r"\b(?:how often|cada cuant\w+|con que frecuencia)\b"),
        re.compile(r"\b(?:every|each|per|times|once|twice|cada|veces|una vez|\d+ (?:hours|horas|km|kilomet\w+|miles)\W*$|al (?:dia|mes|ano)|a (?:day|week|month|year)|por (?:dia|semana|mes|ano))\b"
                   r"|\b(?:daily|weekly|monthly|quarterly|yearly|hourly|annual|diari|semanal|mensual|trimestral|anual)\w*"),
    ),
    (
        re.compile(r"\b(?:when|cuando)\b.*\b(?:ends?|expires?|finish(?:es)?|vence|termina|acaba|caduca|finaliza)\b"),
        re.compile(rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}\b|\b(?:{'|'.join(MONTHS)})\b|\b(?:until|hasta)\b"),
    ),
    (
        re.compile(r"\b(?:start|starts|begin|begins|commence|commences|empieza|empiezan|comienza|comienzan|inicio)\b"),
        re.compile(r"\b(?:from|as of|since|effective|start\w*|begin\w*|desde|a partir|a contar|inici\w+|comienz\w+|empiez\w+|vigor)\b"),
    ),
)  # fmt: skip
"""What must be said to answer a question: nothing else comes near it."""
SOUGHT: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    *STRICT,
    (
        re.compile(r"\b(?:how long|cuanto (?:tiempo |se )?(?:dura\w*|tarda\w*|tiempo))\b"),
        re.compile(r"\b(?:second|minute|hour|day|night|week|month|quarter|year|segundo|minuto|hora|dia|noche|semana|mes|trimestre|ano)(?:es|s)?\b|\d:\d\d"
                   r"|\b(?:daily|weekly|monthly|yearly|hourly|annual|once|twice|diari|semanal|mensual|anual)\w*"),
    ),
    (
        re.compile(r"\b(?:how (?:much|many)|cuant[oa]s?(?! (?:tiempo |se )?(?:dura|tarda|tiempo))|limit|limite|maximum|maximo|budget|presupuesto|price|precio|cost\w*|cuesta\w*)\b"),
        FIGURE,
    ),
    (
        re.compile(r"\b(?:how much .*\b(?:pay|pays|paid|cost|costs)|cuanto (?:se |me |nos |te )?(?:paga\w*|cuesta\w*|cobra\w*|vale\w*))\b"),
        MONEY,
    ),
    (
        re.compile(r"\b(?:until|till|by when|deadline|latest|expire|hasta cuando|plazo|caduca\w*|fecha limite|tope)\b"),
        re.compile(r"\b(?:until|within|before|after|due|end of|hasta|antes|dentro|siguientes|finales|caducan|a partir)\b"),
    ),
    (
        re.compile(r"\b(?:when|what time|hours?|cuando|hora|horario|open\w*|clos\w+|abr\w+|cierr\w+)\b"),
        re.compile(r"\d:\d\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|lunes|martes|miercoles|jueves|viernes|sabado|domingo|next|proxim[oa]s?|siguientes?|within|after the|despues del?|a partir|\d+\s+d(?:ay|ia)s)\b"
                   rf"|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}\b|\b(?:{'|'.join(MONTHS)})\b\.?,? (?:de[l]? )?\d|\b(?:in|by|en|de|before|antes de) (?:{'|'.join(MONTHS)})\b|\d (?:de |of )?(?:{'|'.join(MONTHS)})\b"),
    ),
    (
        re.compile(r"\b(?:who|whom|whose|quien\w*)\b"),
        re.compile(r"\b(?:director|lead|head|team|desk|manager|responsable|direccion|equipo|puesto|people|reception|recepcion)\b"
                   r"|\b[A-ZÁÉÍÓÚÑ][a-záéíóúüñ]+ (?:de (?:la |los )?)?[A-ZÁÉÍÓÚÑ][a-záéíóúüñ]+"),
    ),
)  # fmt: skip
"""What a question asks for, and how a sentence looks that has it."""
HOW_MUCH = re.compile(r"\b(?:how (?:much|many)|cuant[oa]s?)\b")
"""What is answered by a figure."""
WHO_IS = re.compile(r"\b(?:who|quien) (?:is|was|es|era|fue) (?:the|el|la|our|nuestr[oa]|su|mi|my)\b")
"""Asks for a person by what they are."""
NAMES_ONE = re.compile(r"[\w,:|(] (?:[&\"“«] ?)?[A-ZÁÉÍÓÚÑ]\w|[A-ZÁÉÍÓÚÑ]\w+ [A-ZÁÉÍÓÚÑ&]|\b(?:is|are|es|son)\b")
"""Names a person, or says who it is in small letters."""
WHEN_DONE = re.compile(r"\b(?:when (?:did|was|were|will|is|does|do)|cuando)\b")
"""Asks for a moment."""
WAS_DONE = re.compile(r"\bwhen (?:did|was|were)\b|\bcuando (?:(?:se|le|lo|la) )?(?:fue|\w+(?:aron|ieron))\b")
"""… in the past: a date, or so long ago."""
ON_A_DAY = re.compile(
    rf"\b(?:19|20)\d\d\b|\d[/:-]\d|\d\.\d{1, 2}\.\d\d|\b(?:{'|'.join(MONTHS)})\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:lunes|martes|miercoles|jueves|viernes|sabados?|domingos?|ago|last|yesterday|hace|pasad[oa]|ayer|after|before|tras|antes|despues)\b"
)
IN_TIME = re.compile(
    rf"\d:\d\d|\d/\d|\b(?:19|20)\d\d\b|\b(?:{'|'.join(MONTHS)})\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:lunes|martes|miercoles|jueves|viernes|sabados?|domingos?|today|tomorrow|hoy|manana|noon|night|morning|evening|noche|tarde"
    r"|spring|summer|autumn|winter|primavera|verano|otono|invierno|season|temporada|weekend|fin de semana"
    r"|(?:day|week|month|quarter|year|hour|minute|dia|semana|mes|trimestre|ano|hora|minuto)(?:es|s)?"
    r"|daily|weekly|monthly|diari\w+|semanal\w*|mensual\w*|anual\w*|before|after|until|within|during|when|while|once|if|every|each|upon|at|on"
    r"|antes|despues|hasta|dentro|durante|cuando|tras|al|si|cada|desde|dia)\b|\b\d{1,2}(?:st|nd|rd|th)\b"
)
"""Says when, be it by a date or by what comes before."""
