"""The words for days and times, English and Spanish, folded: data, and the pieces of patterns made of it.

`days`, `temporal` and `parsing` read with these; a word that is to be understood is added here.
"""

from collections.abc import Iterable

from batuta.llm.offline.lexicon import MONTH_NAMES, NUMBER_WORDS
from batuta.llm.offline.lexicon import WEEKDAYS as WEEKDAY_NAMES
from batuta.llm.offline.words import folded


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of some words, the longest first; a space in them stands for any white space."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)).replace(" ", r"\s+") + ")"


def _numbered(first: int, *tables: str) -> dict[str, int]:
    return {folded(word): number for table in tables for number, word in enumerate(table.split(), first)}


WEEKDAYS = _numbered(0, *(" ".join(names) for names in WEEKDAY_NAMES.values()))
SHORT_WEEKDAYS = {
    **_numbered(0, "mon tue wed thu fri sat sun", "lun mar mie jue vie sab dom"),
    "tues": 1,
    "thur": 3,
    "thurs": 3,
}
"""Understood after a word such as `on` or `el`: many mean something else as well."""
MONTHS = {
    **_numbered(1, *(" ".join(names) for names in MONTH_NAMES.values())),
    **_numbered(1, "jan feb mar apr may jun jul aug sep oct nov dec"),
    "ene": 1, "abr": 4, "ago": 8, "set": 9, "sept": 9, "setiembre": 9, "dic": 12,
}  # fmt: skip
NUMBERS = {
    **{word: number for word, number in NUMBER_WORDS.items() if 0 < number <= 60},
    **dict.fromkeys(("a", "an", "un", "una", "uno"), 1),
    **dict.fromkeys(("a couple of", "un par de"), 2),
}
UNITS = {
    **dict.fromkeys(("day", "days", "dia", "dias"), "days"),
    **dict.fromkeys(("week", "weeks", "semana", "semanas"), "weeks"),
    **dict.fromkeys(("fortnight", "fortnights", "quincena", "quincenas"), "fortnights"),
    **dict.fromkeys(("month", "months", "mes", "meses"), "months"),
}
RELATIVE = {
    **dict.fromkeys(("yesterday", "ayer"), -1),
    **dict.fromkeys(("today", "hoy", "tonight", "esta noche", "this morning", "esta manana", "esta tarde"), 0),
    **dict.fromkeys(("this afternoon", "this evening"), 0),
    **dict.fromkeys(("tomorrow", "tmrw", "manana"), 1),
    **dict.fromkeys(("the day after tomorrow", "day after tomorrow", "pasado manana"), 2),
}
FEASTS = {
    **dict.fromkeys(("christmas eve", "nochebuena"), (12, 24)),
    **dict.fromkeys(("christmas day", "christmas", "xmas", "el dia de navidad", "dia de navidad", "navidad"), (12, 25)),
    **dict.fromkeys(("new year's eve", "new years eve", "nochevieja"), (12, 31)),
    **dict.fromkeys(("new year's day", "new years day", "dia de ano nuevo", "ano nuevo"), (1, 1)),
    **dict.fromkeys(("dia de reyes",), (1, 6)),
    **dict.fromkeys(("valentine's day", "valentines day", "san valentin"), (2, 14)),
    **dict.fromkeys(("halloween",), (10, 31)),
}
ORDINALS = {
    **dict.fromkeys(("first", "1st", "primer", "primero"), 1),
    **dict.fromkeys(("second", "2nd", "segundo"), 2),
    **dict.fromkeys(("third", "3rd", "tercer", "tercero"), 3),
    **dict.fromkeys(("fourth", "4th", "cuarto"), 4),
    **dict.fromkeys(("last", "ultimo"), -1),
}
WEEKS_AHEAD = {
    **dict.fromkeys(("this week", "esta semana"), 0),
    **dict.fromkeys(("next week", "semana que viene", "proxima semana", "semana proxima"), 1),
    **dict.fromkeys(("week after next", "semana siguiente a la que viene"), 2),
}
MONTHS_AHEAD = {
    **dict.fromkeys(("this month", "the month", "este mes", "mes"), 0),
    **dict.fromkeys(("next month", "mes que viene", "proximo mes", "mes proximo"), 1),
}
SPANISH_HOURS = _numbered(1, "una dos tres cuatro cinco seis siete ocho nueve diez once doce")
ENGLISH_HOURS = _numbered(1, "one two three four five six seven eight nine ten eleven twelve")
HOURS = SPANISH_HOURS | ENGLISH_HOURS
MINUTES = {
    **dict.fromkeys(("half", "media", "thirty"), 30),
    **dict.fromkeys(("quarter", "a quarter", "cuarto", "fifteen"), 15),
    **dict.fromkeys(("forty five", "forty-five"), 45),
    **dict.fromkeys(("five", "cinco"), 5),
    **dict.fromkeys(("ten", "diez"), 10),
    **dict.fromkeys(("twenty", "veinte"), 20),
    **dict.fromkeys(("twenty five", "twenty-five", "veinticinco"), 25),
}
"""The minutes before or after an hour: `half past`, `y cuarto`, `ten thirty`."""

WEEKDAY = one_of(WEEKDAYS)
MONTH = rf"(?:{one_of(MONTHS)}\b\.?)"
NUMBER = rf"(?:\d{{1,3}}|{one_of(NUMBERS)})"
WEEK = rf"(?:(?:(?:the|la)\s+)?{one_of(WEEKS_AHEAD)})"
NOT_A_TIME = r"(?!\d|\s*(?:[:%/]|[ap]\.?m\b|hs?\b|o'?clock\b|horas?\b|hours?\b|min))"
"""After a number that is a day of a month."""

NOT_A_RANK = r"(?!\w|\s+(?:floor|street|avenue|quarter|time|round|meeting|interview|visit|session|call))"
"""After an ordinal that is a day of a month."""
LIMITS = (
    r"(?:before|after|by|until|till|antes\s+del?|despues\s+del?|hasta|desde|a\s+partir\s+del?|"
    r"not|except|but|excepto|salvo)\s+(?:on\s+|the\s+|el\s+)?(?=\0)"
)
"""In front of a day that is not itself the one that is meant."""
_SPANISH_DAYS = _numbered(
    1, "primero dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte"
)
DOUBTFUL = "|".join(
    (
        rf"{WEEK}|{one_of(set(MONTHS_AHEAD) - {'mes'})}",
        rf"(?:every|each|cada|todos\s+los)\s+(?:\w+\s+)?(?:{WEEKDAY}|{one_of(UNITS)}|morning|manana)s?",
        r"(?:every|each|cada|todos\s+los|last|next|past|pasado|pasada)(?=\s*\0)|(?<=\0)\s+pasad[oa]",
        rf"{WEEKDAY}s?|{one_of(set(SHORT_WEEKDAYS) - {'mar'})}|pasado|eow|eom",
        rf"{MONTH}\s+\d{{4}}|on\s+(?:the\s+)?\d{{1,2}}|(?<=\0)\s*[-–]\s*\d{{1,2}}",
        rf"(?:on|by)\s+the\s+(?:{one_of(ORDINALS)}|\w+(?:enth|ieth|fth|ghth|inth)){NOT_A_RANK}|el\s+{one_of(_SPANISH_DAYS)}",
        one_of(UNITS),
        r"(?:the\s+|el\s+)?(?:weekend|finde|fin\s+de\s+semana)s?|(?:next|this)\s+year|ano\s+que\s+viene|proximo\s+ano",
        rf"(?:in|of|on|by|en|de|para|next|this|early|mid|late)\s+{one_of(set(MONTHS) - {'mar', 'set', 'ago'})}",
        one_of(word for word in MONTHS if len(word) > 4 and word not in ("march", "marzo")),
        rf"\d{{1,2}}(?:st|nd|rd|th){NOT_A_RANK}",
        r"\d{1,2}[-–]\d{1,2}(?![-–.:\d])|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}/\d{1,2}",
        r"easter|thanksgiving|semana\s+santa|pascua|new\s+year(?:'?s)?|hanukkah|ramadan|eid|diwali",
        r"tomorrow|yesterday|today|tonight|anteayer|hoy|ayer",
    )
)
"""What looks like a day and is none that the rules know: to be asked about, never guessed."""
HARMLESS = (
    r"\b(?:all\s+day|todo\s+el\s+dia|buen(?:os)?\s+dias?|good\s+day|(?:nice|great)\s+(?:day|week|weekend)|"
    r"orden\s+del\s+dia|of\s+the\s+day|del\s+dia|day\s+off)\b"
)
"""Speaks of days and names none."""

PERSON_TITLES = (
    r"(?:[Dd]ra?|[Ss]ra?|[Ss]rta|[Mm]rs?|[Mm]s|[Mm]iss|[Pp]rof|[Ll]ic|[Ii]ng|[Dd]octora?|[Pp]rofesora?|[Pp]rofessor|"
    r"[Ss]eñor(?:a|ita)?|[Dd]on|[Dd]oña|[Ll]icenciad[oa]|[Ii]ngenier[oa]|[Aa]bogad[oa])"
)
KINDS = {
    "en": "Meeting Call Breakfast Lunch Dinner Coffee Interview Dentist Doctor Physio Haircut Hairdresser Checkup "
    "Review Workshop Training Demo",
    "es": "Reunión Llamada Desayuno Comida Almuerzo Cena Café Entrevista Dentista Médico Fisio Peluquería Peluquero "
    "Revisión Taller Formación Demo",
}
"""What an appointment may be, for its title."""
