"""Money, percentages and quantities: numbers with what they count, and limits on them ("more than 5,000")."""

import re
from dataclasses import dataclass
from decimal import Decimal

from batuta.language.detection import detect_language
from batuta.language.findings import Finding, Language, TextSpan
from batuta.language.folding import aligned, composed
from batuta.language.lexicon import by_word, one_of
from batuta.language.numbers import find_numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount in a currency, by its ISO 4217 code."""

    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number of units, by the unit's symbol (`kg`, `km`, `C`)."""

    amount: Decimal
    unit: str


CURRENCIES = by_word(
    {
        "EUR": "€,eur,euro,euros,eurillos,pavos",
        "USD": "$,us$,usd,dollar,dollars,dolar,dolares,bucks,american dollars,us dollars",
        "GBP": "£,gbp,pound,pounds,libra,libras,pounds sterling,libras esterlinas,quid",
        "MXN": "mxn,mexican pesos,pesos mexicanos",
        "CHF": "chf,swiss francs,francos suizos,francos",
        "JPY": "¥,jpy,yen,yenes,yens",
    }
)
UNITS: dict[str, tuple[str, str]] = {
    "mm": ("length", "mm,millimetre,millimetres,millimeter,millimeters,milimetro,milimetros"),
    "cm": ("length", "cm,centimetre,centimetres,centimeter,centimeters,centimetro,centimetros"),
    "m": ("length", "m,metre,metres,meter,meters,metro,metros,mts"),
    "km": ("length", "km,kms,kilometre,kilometres,kilometer,kilometers,kilometro,kilometros"),
    "in": ("length", "inch,inches,pulgada,pulgadas"),
    "ft": ("length", "ft,foot,feet,pie,pies"),
    "yd": ("length", "yd,yard,yards,yarda,yardas"),
    "mi": ("length", "mi,mile,miles,milla,millas"),
    "nmi": ("length", "nmi,nautical mile,nautical miles,milla nautica,millas nauticas,milla marina,millas marinas"),
    "mg": ("mass", "mg,milligram,milligrams,miligramo,miligramos"),
    "g": ("mass", "g,gr,gram,grams,gramo,gramos"),
    "kg": ("mass", "kg,kgs,kilo,kilos,kilogram,kilograms,kilogramo,kilogramos"),
    "t": ("mass", "tonne,tonnes,tonelada,toneladas"),
    "lb": ("mass", "lb,lbs,pound weight,pound,pounds,libra,libras"),
    "st": ("mass", "stone"),
    "q": ("mass", "quintal,quintales"),
    "oz": ("mass", "oz,ounce,ounces,onza,onzas"),
    "ml": ("volume", "ml,millilitre,millilitres,milliliter,milliliters,mililitro,mililitros"),
    "l": ("volume", "l,litre,litres,liter,liters,litro,litros"),
    "cl": ("volume", "cl,centilitre,centilitres,centiliter,centiliters,centilitro,centilitros"),
    "dl": ("volume", "dl,decilitre,decilitres,deciliter,deciliters,decilitro,decilitros"),
    "m3": ("volume", "m3,m³,cubic metres,cubic meters,cubic metre,cubic meter,metros cubicos,metro cubico"),
    "cm3": ("volume", "cm3,cm³,cc,cubic centimetres,cubic centimeters,centimetros cubicos"),
    "pt": ("volume", "pint,pints,pinta,pintas"),
    "cup": ("volume", "cups,cup,tazas,taza"),
    "gal": ("volume", "gal,gallon,gallons,galon,galones"),
    "C": (
        "temperature",
        "°c,c,celsius,degrees celsius,grados celsius,centigrados,grados centigrados,degrees c,grados c,ºc,grados",
    ),
    "F": (
        "temperature",
        "°f,f,fahrenheit,farenheit,fahrenheits,farenheits,grados farenheit,degrees fahrenheit,grados fahrenheit,degrees f,grados f,ºf",
    ),
    "K": ("temperature", "kelvin,kelvins,grados kelvin"),
    "m2": (
        "area",
        "m2,m²,sqm,sq m,sq metres,sq meters,square metres,square meters,square metre,square meter,metros cuadrados,metro cuadrado",
    ),
    "cm2": ("area", "cm2,cm²,square centimetres,square centimeters,centimetros cuadrados"),
    "km2": ("area", "km2,km²,square kilometres,square kilometers,kilometros cuadrados"),
    "ac": ("area", "acre,acres"),
    "ft2": ("area", "ft2,ft²,sqft,sq ft,sq feet,square feet,square foot,pies2,pies cuadrados,pie cuadrado"),
    "ha": ("area", "ha,hectare,hectares,hectarea,hectareas"),
    "km/h": ("speed", "km/h,kmh,kph,kilometros por hora,kilometers per hour,kilometres per hour"),
    "m/s": ("speed", "m/s,metres per second,meters per second,metros por segundo"),
    "kn": ("speed", "knot,knots,nudo,nudos"),
    "mph": ("speed", "mph,miles per hour,millas por hora"),
    "J": ("energy", "j,joule,joules,julio,julios"),
    "kJ": ("energy", "kj,kilojoule,kilojoules,kilojulio,kilojulios"),
    "kcal": ("energy", "kcal,calories,kilocalories,calorias,kilocalorias"),
    "Wh": ("energy", "wh,watt hours,vatios hora"),
    "kWh": ("energy", "kwh,kilowatt hours,kilovatios hora"),
    "W": ("power", "watt,watts,vatio,vatios"),
    "kW": ("power", "kw,kilowatt,kilowatts,kilovatio,kilovatios"),
    "hp": ("power", "hp,horsepower"),
    "cv": ("power", "cv,caballos"),
    "bar": ("pressure", "bar,bars,bares"),
    "psi": ("pressure", "psi"),
    "Pa": ("pressure", "pascal,pascals,pascales"),
    "min": ("time", "min,mins,minute,minutes,minuto,minutos"),
    "h": ("time", "h,hr,hrs,hour,hours,hora,horas"),
    "s": ("time", "s,sec,secs,second,seconds,segundo,segundos"),
    "d": ("time", "day,days,dia,dias"),
    "mo": ("time", "month,months,mes,meses"),
    "yr": ("time", "year,years,ano,anos"),
    "B": ("data", "byte,bytes"),
    "kB": ("data", "kb,kilobyte,kilobytes"),
    "MB": ("data", "mb,megabyte,megabytes,mega,megas"),
    "GB": ("data", "gb,gigabyte,gigabytes,giga,gigas"),
    "TB": ("data", "tb,terabyte,terabytes,tera,teras"),
    "wk": ("time", "week,weeks,semana,semanas"),
}
"""By symbol: what is measured, and the words for it."""
UNIT_FACTORS: dict[str, Decimal] = {
    unit: Decimal(factor)
    for unit, factor in {
        "mm": "0.001", "cm": "0.01", "m": "1", "km": "1000", "in": "0.0254", "ft": "0.3048", "yd": "0.9144", "mi": "1609.344", "nmi": "1852",
        "mg": "0.000001", "g": "0.001", "kg": "1", "t": "1000", "lb": "0.45359237", "oz": "0.028349523125",
        "ml": "0.001", "cl": "0.01", "dl": "0.1", "l": "1", "gal": "3.785411784", "pt": "0.473176473", "cup": "0.2365882365",
        "m3": "1000", "cm3": "0.001", "st": "6.35029318", "q": "100",
        "J": "1", "kJ": "1000", "kcal": "4184", "Wh": "3600", "kWh": "3600000", "W": "1", "kW": "1000", "hp": "745.69987158227022",
        "cv": "735.49875", "Pa": "1", "bar": "100000", "psi": "6894.757293168",
        "cm2": "0.0001", "m2": "1", "km2": "1000000", "ha": "10000", "ac": "4046.8564224", "ft2": "0.09290304",
        "km/h": "1", "mph": "1.609344", "m/s": "3.6", "kn": "1.852",
        "s": "1", "min": "60", "h": "3600", "d": "86400", "wk": "604800", "mo": "2628000", "yr": "31536000",
        "B": "1", "kB": "1000", "MB": "1000000", "GB": "1000000000", "TB": "1000000000000",
    }.items()
}  # fmt: skip
"""How much of its kind's base unit each unit is; temperatures go by formula, a year has 365 days and twelve months."""
HALF = Decimal("0.5")
EXACT_DIGITS = 4
UNIT_WORDS = by_word({symbol: words for symbol, (_, words) in UNITS.items()})
DIMENSIONS = {symbol: dimension for symbol, (dimension, _) in UNITS.items()}


def _literal(word: str) -> str:
    return re.escape(word).replace("\\ ", " ")


_FRACTIONS = {
    "three quarters": (3, 4), "tres cuartos": (3, 4), "one third": (1, 3), "a third": (1, 3), "un tercio": (1, 3),
    "two thirds": (2, 3), "dos tercios": (2, 3), "a quarter": (1, 4), "one quarter": (1, 4), "un cuarto": (1, 4),
}  # fmt: skip
_AMBIGUOUS_CURRENCY = {"$": ("MXN",)}
_SYMBOLS = "€$£¥"
_CODE = one_of(_literal(word) for word in CURRENCIES if word not in _SYMBOLS)
_MONEY_AFTER = re.compile(rf"\s*(?:(?:de|of)\s+)?(?P<currency>[{_SYMBOLS}]|{_CODE}(?![a-z]))")
_MONEY_BEFORE = re.compile(rf"(?P<currency>us\$|[{_SYMBOLS}]|(?:eur|usd|gbp|chf|mxn|jpy))\s*$")
_PERCENT_AFTER = re.compile(r"\s*(?:%|percent\b|per\s+cent\b|pct\b|por\s+cientos?\b|porciento\b)")
_UNIT_AFTER = re.compile(
    rf"\s*(?P<unit>{one_of(_literal(word) for word in UNIT_WORDS)})(?![a-z0-9])"
    r"(?P<more>\s+(?:y\s+(?P<half>medi[oa])|and\s+(?:a|one)\s+(?P<english>half)|y\s+(?:un\s+)?cuarto|and\s+a\s+quarter)\b)?"
)
_JOINT = re.compile(r"\s*(?:,|and|y|con)?\s*")
"""Between the parts of one quantity: "5 feet 10 inches", "2 horas y 20 minutos"."""

_SMALLER_UNIT = {
    "in": re.compile(
        r"\d\s*(?:ft|foot|feet|pies?|')\s*(?P<rest>\d|1[01])(?=\s+(?:in|to|into|en|a)\s+[a-z]|\s*[?.!]|\s*$)"
    ),
    "min": re.compile(
        r"\d\s*(?:h|hrs?|hours?|horas?)\s*(?P<rest>[0-5]?\d)(?=\s+(?:in|to|into|en|a)\s+[a-z]|\s*[,?.!]|\s*$)"
    ),
}
"""A height or a time said without its last unit: "5 ft 11 in cm", "2 h 40"."""
_FRACTION = re.compile(
    rf"\b(?:(?P<over>\d+)/(?P<under>\d+)|(?P<words>{one_of(_FRACTIONS)}))\s+(?:of\s+(?:an?|one)\s+|of\s+|de\s+(?:un[oa]?\s+)?)"
    rf"(?P<unit>{one_of(_literal(word) for word in UNIT_WORDS if len(word) > 1)})(?![a-z0-9])"
)
_UNIT = re.compile(rf"(?<![a-z0-9]){one_of(_literal(word) for word in UNIT_WORDS)}(?![a-z0-9])")
_UNNUMBERED = re.compile(
    rf"\b(?:(?P<half>half\s+an?|half\s+of\s+an?|medi[oa])|(?P<quarter>(?:a\s+)?quarter\s+of\s+an?|(?:un\s+)?cuarto\s+de)|an?|one|un[oa]?)\s+"
    rf"(?P<unit>{one_of(_literal(word) for word in UNIT_WORDS if len(word) > 1)})(?![a-z0-9])"
)


def find_money(text: str, *, language: Language | None = None) -> list[Finding[Money]]:
    """Amounts of money: "1.200,50 €", "twelve thousand dollars", "€3k"."""
    text = composed(text)
    text_language = language or detect_language(text)
    plain = aligned(text)
    found = []
    for number in find_numbers(text, language=text_language):
        after = _MONEY_AFTER.match(plain, number.span.end)
        before = _MONEY_BEFORE.search(plain[: number.span.start])
        match = after or before
        if match is None:
            continue
        amount, others = _grouped_first(number)
        currency = CURRENCIES[" ".join(match["currency"].split())]
        span = TextSpan(
            start=before.start() if before and not after else number.span.start,
            end=after.end() if after else number.span.end,
        )
        meant = [Money(amount=other, currency=currency) for other in others]
        meant += [Money(amount=amount, currency=each) for each in _AMBIGUOUS_CURRENCY.get(match["currency"], ())]
        value = Money(amount=amount, currency=currency)
        found.append(Finding(value=value, span=span, text=text[span.start : span.end], alternatives=tuple(meant)))
    return found


def _grouped_first(number: Finding[Decimal]) -> tuple[Decimal, tuple[Decimal, ...]]:
    """Money has no three decimals: `1,200 euros` is a thousand and more in either language."""
    larger = next((other for other in number.alternatives if abs(other) >= 1000 > abs(number.value)), None)
    return (larger, (number.value,)) if larger is not None else (number.value, ())


def find_percentages(text: str, *, language: Language | None = None) -> list[Finding[Decimal]]:
    """Percentages, as the number before the sign: 15 for "15 %"."""
    text = composed(text)
    plain = aligned(text)
    found = []
    for number in find_numbers(text, language=language):
        after = _PERCENT_AFTER.match(plain, number.span.end)
        if after:
            span = TextSpan(start=number.span.start, end=after.end())
            found.append(Finding(value=number.value, span=span, text=text[span.start : span.end]))
    return found


def find_quantities(text: str, *, language: Language | None = None) -> list[Finding[Quantity]]:
    """Numbers of units: "5 km", "tres kilos", "72 degrees Fahrenheit"."""
    text = composed(text)
    plain = aligned(text)
    found = _fractions(text, plain)
    for number in find_numbers(text, language=language):
        after = _UNIT_AFTER.match(plain, number.span.end)
        if after and not any(number.span.overlaps(each.span) for each in found):
            span = TextSpan(start=number.span.start, end=after.end())
            unit = UNIT_WORDS[" ".join(after["unit"].split())]
            more = Decimal(0) if not after["more"] else HALF if after["half"] or after["english"] else HALF / 2
            others = tuple(Quantity(amount=other + more, unit=unit) for other in number.alternatives)
            value = Quantity(amount=number.value + more, unit=unit)
            found.append(Finding(value=value, span=span, text=text[span.start : span.end], alternatives=others))
    for unit, form in _SMALLER_UNIT.items():
        for match in form.finditer(plain):
            span = TextSpan(start=match.start("rest"), end=match.end("rest"))
            value = Quantity(amount=Decimal(match["rest"]), unit=unit)
            found.append(Finding(value=value, span=span, text=text[span.start : span.end]))
    return _joined(text, sorted(found, key=lambda each: each.span))


def _fractions(text: str, plain: str) -> list[Finding[Quantity]]:
    """Parts of one unit: "3/4 of a litre", "tres cuartos de hora"."""
    found = []
    for match in _FRACTION.finditer(plain):
        words = match["words"]
        over, under = _FRACTIONS[" ".join(words.split())] if words else (int(match["over"]), int(match["under"]))
        if under:
            value = Quantity(amount=round(Decimal(over) / under, EXACT_DIGITS), unit=UNIT_WORDS[match["unit"]])
            span = TextSpan(start=match.start(), end=match.end())
            found.append(Finding(value=value, span=span, text=text[span.start : span.end]))
    return found


def _joined(text: str, found: list[Finding[Quantity]]) -> list[Finding[Quantity]]:
    """Quantities of which one goes on with the next, smaller unit, as one: "5 feet 10 inches"."""
    whole: list[Finding[Quantity]] = []
    for each in found:
        before = whole[-1] if whole else None
        if before is None or not _goes_on(text, before, each):
            whole.append(each)
            continue
        value = _added(before.value, each.value)
        span = TextSpan(start=before.span.start, end=each.span.end)
        whole[-1] = Finding(value=value, span=span, text=text[span.start : span.end])
    return whole


def _added(larger: Quantity, smaller: Quantity) -> Quantity:
    """In the larger unit where that is exact, else in the smaller one."""
    ratio = UNIT_FACTORS[larger.unit] / UNIT_FACTORS[smaller.unit]
    share = smaller.amount / ratio
    if share == round(share, EXACT_DIGITS):
        return Quantity(amount=larger.amount + share, unit=larger.unit)
    return Quantity(amount=round(larger.amount * ratio + smaller.amount, EXACT_DIGITS), unit=smaller.unit)


def _goes_on(text: str, before: Finding[Quantity], after: Finding[Quantity]) -> bool:
    one, other = before.value.unit, after.value.unit
    if DIMENSIONS[one] != DIMENSIONS[other] or one not in UNIT_FACTORS or other not in UNIT_FACTORS:
        return False
    is_near = _JOINT.fullmatch(aligned(text[before.span.end : after.span.start])) is not None
    return is_near and UNIT_FACTORS[other] < UNIT_FACTORS[one]


def find_unnumbered(text: str) -> list[Finding[Quantity]]:
    """One of a unit, or half of one, said without a number: "a pound", "half a kilo", "media hora".

    Found only beside another unit of the same kind, as in a conversion: "an hour" stands everywhere.
    """
    text = composed(text)
    plain = aligned(text)
    named = [(DIMENSIONS[each.value], each.span) for each in find_units(text)]
    found = []
    for match in _UNNUMBERED.finditer(plain):
        unit = UNIT_WORDS[" ".join(match["unit"].split())]
        span = TextSpan(start=match.start(), end=match.end())
        if any(kind == DIMENSIONS[unit] and not other.overlaps(span) for kind, other in named):
            amount = Decimal("0.5") if match["half"] else Decimal("0.25") if match["quarter"] else Decimal(1)
            found.append(Finding(value=Quantity(amount=amount, unit=unit), span=span, text=text[span.start : span.end]))
    return found


def find_units(text: str) -> list[Finding[str]]:
    """Units that a text names without a number ("… to miles"), by symbol, longer words than a letter or two only."""
    text = composed(text)
    plain = aligned(text)
    return [
        Finding(
            value=UNIT_WORDS[" ".join(match.group().split())],
            span=TextSpan(start=match.start(), end=match.end()),
            text=text[match.start() : match.end()],
        )
        for match in _UNIT.finditer(plain)
    ]


_AMOUNT = r"(?P<amount>\d[\d.,]*(?:\s?(?:k|mil|thousand)\b)?)"
_BOUND_UNIT = r"\s*(?P<unit>days?|dias?|€|eur(?:os?)?\b|%|units?|unidades)?"
BOUND = re.compile(
    r"(?:(?P<above>\b(?:more\s+than|over|above|greater\s+than|older\s+than|larger\s+than|higher\s+than|exceed(?:s|ing)?|at\s+least|"
    r"mas\s+de|mayor(?:es)?\s+(?:de|que|a)|superior(?:es)?\s+a|supera[n]?|por\s+encima\s+de|al\s+menos|(?:como\s+)?minimo)|>=?)|"
    r"(?P<below>\b(?:less\s+than|under|below|fewer\s+than|lower\s+than|smaller\s+than|at\s+most|"
    r"menos\s+de|menor(?:es)?\s+(?:de|que|a)|inferior(?:es)?\s+a|por\s+debajo\s+de|como\s+maximo)|<=?))"
    rf"\s*(?:los\s+|las\s+|€\s*|eur\s*)?{_AMOUNT}{_BOUND_UNIT}"
)
"""Matches folded text: the side (`above` or `below`), the `amount` and its `unit`, where it has one."""


def bound_spans(text: str) -> list[TextSpan]:
    """Where a text limits an amount: a number there is neither a year nor the number of a record."""
    return [TextSpan(start=each.start(), end=each.end()) for each in BOUND.finditer(aligned(text))]
