"""Words of English and Spanish that name numbers, days, months and units: data, folded, no rules."""

from collections.abc import Iterable, Mapping

from batuta.language.folding import fold


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of some words, the longest first; a space in them stands for any white space."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)).replace(" ", r"\s+") + ")"


def numbered(first: int, *tables: str) -> dict[str, int]:
    """The words of tables by their place in them."""
    return {fold(word): number for table in tables for number, word in enumerate(table.split(), first)}


def by_word(table: Mapping[str, str]) -> dict[str, str]:
    """Keys by each of the words (divided by commas) that stand for them."""
    return {word.strip(): key for key, words in table.items() for word in words.split(",")}


WEEKDAY_NAMES: dict[str, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
}
MONTH_NAMES: dict[str, tuple[str, ...]] = {
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December"),
    "es": ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
           "noviembre", "diciembre"),
}  # fmt: skip
SHORT_MONTH_NAMES: dict[str, tuple[str, ...]] = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "es": ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
}
WEEKDAYS = numbered(0, *(" ".join(names) for names in WEEKDAY_NAMES.values()))
SHORT_WEEKDAYS = {
    **numbered(0, "mon tue wed thu fri sat sun", "lun mar mie jue vie sab dom"), "tues": 1, "weds": 2, "mierc": 2, "thur": 3, "juev": 3, "vier": 4,
    "thurs": 3,
}  # fmt: skip
"""Days as people shorten them."""
UNSURE_WEEKDAYS = frozenset({"mon", "wed", "sat", "sun", "mar", "dom", "lun"})
"""Short weekdays that mean something else as well: a day only after `on` or `el`, or beside a number."""
SHORT_SPANISH_WEEKDAYS = ("lun", "mie", "mierc", "jue", "juev", "vie", "vier", "sab")
MONTHS = {
    **numbered(1, *(" ".join(names) for names in MONTH_NAMES.values())),
    **numbered(1, "jan feb mar apr may jun jul aug sep oct nov dec"),
    "ene": 1, "abr": 4, "ago": 8, "sept": 9, "set": 9, "setiembre": 9, "dic": 12,
}  # fmt: skip
UNSURE_MONTHS = frozenset({"may", "march", "mar", "ago", "set", "jan", "dec", "sep", "jun", "jul", "oct", "feb", "apr"})
"""Words that name a month only where something around them says so."""

UNITS_EN = numbered(0, "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
                       "sixteen seventeen eighteen nineteen")  # fmt: skip
UNITS_ES = {
    **numbered(0, "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
                  "diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco "
                  "veintiseis veintisiete veintiocho veintinueve"),
    "un": 1, "una": 1, "veintiun": 21, "veintiuna": 21,
}  # fmt: skip
TENS = {
    word: number * 10
    for table in ("twenty thirty forty fifty sixty seventy eighty ninety",
                  "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa")
    for number, word in enumerate(table.split(), 2)
}  # fmt: skip
HUNDREDS = {
    "cien": 100, "ciento": 100, "doscientos": 200, "doscientas": 200, "trescientos": 300, "trescientas": 300,
    "cuatrocientos": 400, "cuatrocientas": 400, "quinientos": 500, "quinientas": 500, "seiscientos": 600,
    "seiscientas": 600, "setecientos": 700, "setecientas": 700, "ochocientos": 800, "ochocientas": 800,
    "novecientos": 900, "novecientas": 900,
}  # fmt: skip
SCALES = {
    "hundred": 100, "thousand": 10**3, "mil": 10**3, "million": 10**6, "millions": 10**6, "millon": 10**6,
    "millones": 10**6, "billion": 10**9, "billions": 10**9,
}  # fmt: skip
SMALL_NUMBERS = {
    **{word: value for word, value in (UNITS_EN | UNITS_ES | TENS).items() if value},
    "a": 1, "an": 1, "a couple of": 2, "a couple": 2, "a pair of": 2, "un par de": 2, "couple of": 2, "par de": 2, "a dozen": 12,
}  # fmt: skip
"""How many of something a text speaks of: `two weeks`, `un par de meses`."""
ORDINALS = {
    word: number
    for table in (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th",
        "primer segundo tercer cuarto quinto sexto septimo octavo noveno decimo",
        "primero segundo tercero cuarto quinto sexto septimo octavo noveno decimo",
        "primera segunda tercera cuarta quinta sexta septima octava novena decima",
        "1er 2o 3er 4o 5o 6o 7o 8o 9o 10o",
        "1o 2do 3ero 4to 5to 6to 7mo 8vo 9no 10mo",
        "1a 2a 3a 4a 5a 6a 7a 8a 9a 10a",
        "1ª 2ª 3ª 4ª 5ª 6ª 7ª 8ª 9ª 10ª",
        "1º 2º 3º 4º 5º 6º 7º 8º 9º 10º",
    )
    for number, word in enumerate(table.split(), 1)
} | dict.fromkeys(("last", "ultimo", "ultima"), -1)

WEEKDAY = one_of(WEEKDAYS)
WORKING_DAY = r"(?:(?:working|business)\s+days?|dias?\s+(?:laborables?|habil(?:es)?|de\s+trabajo))"
MONTH = rf"(?:{one_of(MONTHS)}\b\.?)"
NUMBER = rf"(?:\d{{1,4}}|{one_of(SMALL_NUMBERS)})"
"""A small whole number, in digits or words."""


def small_number(words: str) -> int:
    """The value of what `NUMBER` matched."""
    plain = " ".join(words.split())
    return int(plain) if plain.isdigit() else SMALL_NUMBERS[plain]
