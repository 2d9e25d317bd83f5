"""Amounts per something, for so much of it, as a product: "8 hours a day at 35 euros an hour for 20 days" is 8 * 35 * 20.

Also in proportion: "5 kg cost 12 euros, how much are 8 kg?" is 12 / 5 * 8. A product is found only where every "per" is taken up by a quantity of the same kind, converted if need be: 1,800 a month
in two years is 1800 * 2 * 12.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from batuta.language.amounts import DIMENSIONS, UNIT_FACTORS, UNIT_WORDS
from batuta.language.folding import stem
from batuta.language.lexicon import one_of

NEARLY_WHOLE = Decimal("0.01")
"""How far from a whole number a conversion may be to be taken for it: a year has 52 weeks."""

LONGEST_SHARE = 8
"""How many decimals an amount per one may have, reckoned from one per many."""

_NOUN = r"[a-z]{1,14}"
_PER = r"(?:a\s+la|al|an?|per|each|every|por|cada|la|el|/)"
_OF = r"(?:\s+(?:of|de|in|en|for)\s+[a-z]{3,14})?"
"""What an amount is for: "950 de alquiler al mes"."""
_RATE = re.compile(
    rf"(?<![\d.])(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>(?!(?:an?|per|al|por|cada|la|el|at|for|de|and|y)\b){_NOUN})?"
    rf"{_OF}\s*{_PER}\s+(?P<per>(?!(?:la|el|los|las|the)\b){_NOUN})\b"
)
_HOLDS = re.compile(
    rf"\b(?:in|en)\s+(?:one|1|an?|each|every|una?|cada)\s+(?P<per>{_NOUN})\s+(?:there\s+)?(?:is|are|go|fit|hay|caben|van|vienen)\s+"
    rf"(?P<number>\d+(?:\.\d+)?)\s+(?P<unit>{_NOUN})\b"
)
"""How many of one thing another holds: "in one box are 24 bottles"."""
_PRICE_OF = re.compile(
    rf"\b(?:(?:an?|one|the|each|el|la|una?|cada)\s+)?(?P<per>(?!(?:it|that|what|cuanto|que|how)\b){_NOUN})\s+(?:costs?|cuesta|vale|(?:is|esta|sale)\s+(?:at|a))\s+"
    rf"(?P<number>\d+(?:\.\d+)?)"
)
"""What one of a kind costs: "a litre costs 1.65"."""
_PER_MANY = re.compile(
    rf"(?<![\d.])(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>{_NOUN})?\s+(?:a\s+l[oa]s|per|every|por(?:\s+cada)?|cada|/)\s+(?P<many>\d+)\s+(?P<per>{_NOUN})\b"
)
"""An amount per so many: "6.5 l per 100 km"."""
_SO_MANY_AT = re.compile(
    rf"(?<![\d.])(?P<many>\d+)\s+{_NOUN}\s+(?:at|a|por|@)\s+(?=\d+(?:\.\d+)?\s*{_PER}\s+(?:month|mes|year|ano|week|semana|day|dia|hour|hora)\b)"
)
"""How many things an amount per time is paid for: "5 licences at 39.90 a month"."""
_COUNT = re.compile(rf"(?<![\d.])(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>{_NOUN})\b")
_SPREAD = re.compile(
    r"(?<![\d.])(?P<number>\d+(?:\.\d+)?)\s+(?:a|per|al|por)\s+(?:year|ano)\s*,?\s+(?:in|en|entre|over|between)\s+(?P<parts>\d+)\s+"
    r"(?:months|meses|payments|pagas)\b"
)
"""A sum of a year in so many parts: "31,500 a year in 12 months"."""
_ASKED = re.compile(
    rf"\b(?:how\s+(?:many|much)|cuant[oa]s?)\s+(?P<unit>{_NOUN})\s+(?:(?:is\s+that|are\s+there|son|es|hay|salen?)\s+)?{_PER}\s+(?P<per>{_NOUN})\b"
)
"""Asks for one quantity per another: "14 km in 70 minutes, how many minutes per km?"."""
_WHOLE = re.compile(
    r"\b(?:an?|per|one|un|una|al|por|cada|the|todo\s+el|la)\s+(?P<unit>year|ano|month|mes|week|semana|day|dia)\b"
)


def _unit(word: str | None) -> str | None:
    """A unit's symbol, or the stem of any other word that is counted: nights, people."""
    return (UNIT_WORDS.get(word) or stem(word)) if word else None


_ADVERBS = {
    **dict.fromkeys(("monthly", "mensual", "mensuales", "mensualmente"), _unit("month")),
    **dict.fromkeys(("weekly", "semanal", "semanales", "semanalmente"), _unit("week")),
    **dict.fromkeys(("daily", "diario", "diarios"), _unit("day")),
}
_ADVERB = re.compile(rf"\b{one_of(_ADVERBS)}\b")
_AND_A_HALF = re.compile(rf"(?<![\d.])(?P<number>\d+)\s+(?P<unit>{_NOUN})\s+(?:and\s+a\s+half|y\s+medi[oa])\b")
_HOW_LONG = re.compile(
    r"\b(?:how\s+long|how\s+many\s+(?:hours|days|weeks|months|minutes)|cuanto\s+(?:tiempo|(?:se\s+)?tard\w+|dura)|cuant[oa]s\s+(?:horas|dias|semanas|meses|minutos))\b"
)
_LEFT = re.compile(r"\b(?:left|remain\w*|queda\w*|sobra\w*|restan?)\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


_AMOUNT = re.compile(
    rf"(?P<number>\(\d+(?:\.\d+)? \* 12\)|(?<![\d.(*])\d+(?:\.\d+)?(?!\s*[%*]))(?:\s*(?:(?:of|de)\s+)?(?P<unit>{_NOUN})\b)?"
)
_ASKS = re.compile(r"\b(?:how\s+(?:much|many|long|far)|what|price\s+of|precio\s+de|(?:a\s+)?cuant[oa]s?|que)\b")
_EACH_HOLDS = re.compile(
    r"\b(?:how\s+many|cuant[oa]s)\s+(?:[a-z]+\s+(?:of|de)\s+)?\d+(?:\.\d+)?\s*[a-z]+\b(?=.*\b(?:fill|fit|make|get|pour|cut|go|out|llen[oa]\w*|cab\w+|sal\w+|hago|saco|entran|con|from|with|in|de)\b)"
)
_EACH = re.compile(r"%|\b(?:each|apiece|per|cada|la\s+unidad|less|minus|menos|more|mas|plus|percent\w*|porcentaje)\b")
_GIVEN = re.compile(
    r"\b(?:if|si|when|cuando|costs?|cuestan?|costaron|vale|valen|paid|pay|pago|pague|pagamos|weighs?|pesan?|uses?|needs?|gasta|gastan|necesitan?)\b"
)
_CONSUMPTION = re.compile(r"(?<=\d)\s*(?P<unit>l|lit(?:re|er)s?|litros?)\s+(?:per|a\s+los|cada|/)\s+100(?!\d|\s*[a-z])")
"""Fuel by the hundred kilometres, which need not be named."""
_SPEED = re.compile(
    r"(?<=\d)\s*(?P<unit>k(?=p?mh\b|ph\b)|km|m(?=ph\b)|miles?|millas?)(?:ph|mh|h|\s*(?:/|per|por|an)\s*h(?:our|ora)?)\b"
)


@dataclass(frozen=True, slots=True)
class _Term:
    number: str
    unit: str | None
    per: str | None = None


def find_rate(plain: str) -> str | None:
    """The product that a folded text means, its numbers written as a computer does; none where it means none."""
    plain = _SPEED.sub(r" \g<unit> per h", _CONSUMPTION.sub(r" \g<unit> per 100 km", plain))
    many = _SO_MANY_AT.search(plain)
    if many is not None:
        of_one = find_rate(f"{plain[: many.start()]}{plain[many.end() :]}")
        if of_one is not None:
            return f"{many['many']} * {of_one}"
    plain = _AND_A_HALF.sub(r"\g<number>.5 \g<unit>", plain)
    spread = _SPREAD.search(plain)
    if spread is not None and len(_NUMBER.findall(plain)) == 2:
        return f"{spread['number']} / {spread['parts']}"
    asked = _ASKED.search(plain)
    quotient = _quotient(asked, plain) if asked else None
    if quotient is not None:
        return quotient
    plain = _PER_MANY.sub(_per_one, _HOLDS.sub(r"\g<number> \g<unit> per \g<per>", plain))
    rates, rest = _taken(_RATE, _PRICE_OF.sub(r"\g<number> per \g<per>", plain))
    counts, rest = _taken(_COUNT, rest)
    if not rates or _NUMBER.search(rest):
        return None
    whole = _WHOLE.search(rest)
    spent = _spent(rates, counts) if _LEFT.search(plain) else None
    if spent is not None:
        return spent
    if (took := _time_taken(rates, counts)) is not None and _HOW_LONG.search(plain):
        return took
    if whole is not None and not _is_used_up(rates, counts):
        counts.append(_Term("1", _unit(whole["unit"])))
    return _product([*rates, *counts]) or _share(rates, counts, plain)


def find_proportion(plain: str) -> str | None:
    """What so much of something comes to, by what another amount of the same comes to; none where that is not said.

    More people take less time for the same work: what takes time goes only by a measure, such as kilometres.
    """
    numbers = [(each["number"], _unit(each["unit"]), each.start()) for each in _AMOUNT.finditer(plain)]
    asked = _ASKS.search(plain)
    if len(numbers) != 3 or asked is None or _EACH.search(plain) or not _GIVEN.search(plain):
        return None
    wanted = next((each for each in numbers if each[2] > asked.start()), None)
    alike = [each for each in numbers if wanted and each is not wanted and wanted[1] and each[1] == wanted[1]]
    if wanted is None or len(alike) != 1:
        return None
    [given] = [each for each in numbers if each is not wanted and each is not alike[0]]
    if DIMENSIONS.get(given[1] or "") == "time" and wanted[1] not in DIMENSIONS:
        return None
    return f"{given[0]} / {alike[0][0]} * {wanted[0]}"


def find_fill(plain: str) -> str | None:
    """How often one measure goes into another: "how many 250 ml glasses do 6 litres fill?"."""
    numbers = [(each["number"], _unit(each["unit"])) for each in _AMOUNT.finditer(plain)]
    asked = _EACH_HOLDS.search(plain)
    if len(numbers) != 2 or asked is None:
        return None
    part, whole = numbers if asked.start() < plain.index(numbers[1][0]) else numbers[::-1]
    factor = whole_factor(whole[1] or "", part[1] or "") if whole[1] in UNIT_FACTORS else None
    return None if factor is None else f"{whole[0]} * {factor} / {part[0]}" if factor > 1 else f"{whole[0]} / {part[0]}"


def _per_one(match: re.Match[str]) -> str:
    """An amount per one, where it is one of few decimals."""
    share = Decimal(match["number"]) / Decimal(match["many"]) if Decimal(match["many"]) else None
    if share is None or -int(share.as_tuple().exponent) > LONGEST_SHARE:
        return match.group()
    return f"{share:f} {match['unit'] or ''} per {match['per']}"


def _quotient(asked: re.Match[str], plain: str) -> str | None:
    counts = [(_unit(each["unit"]), each["number"]) for each in _COUNT.finditer(plain)]
    numbers = dict(counts)
    wanted, per = _unit(asked["unit"]), _unit(asked["per"])
    is_clear = len(counts) == len(numbers) == len(_NUMBER.findall(plain)) == 2
    return f"{numbers[wanted]} / {numbers[per]}" if is_clear and {wanted, per} == set(numbers) else None


def _share(rates: list[_Term], counts: list[_Term], plain: str) -> str | None:
    """What a sum per year is per month: "9600 a year, how much is that monthly?"."""
    named = [_ADVERBS[each.group()] for each in _ADVERB.finditer(plain)] + [
        _unit(each["unit"]) for each in _WHOLE.finditer(plain)
    ]
    only = rates[0] if len(rates) == 1 else None
    if only is None or only.per is None or not all(each.number == "1" for each in counts):
        return None
    factors = [factor for unit in named if unit and (factor := whole_factor(only.per, unit)) is not None and factor > 1]
    return f"{only.number} / {factors[0]}" if factors else None


def _time_taken(rates: list[_Term], counts: list[_Term]) -> str | None:
    """How long so much takes at so much per time: 120 km at 80 km/h."""
    if len(rates) != 1 or len(counts) != 1 or rates[0].unit is None or rates[0].unit != counts[0].unit:
        return None
    return f"{counts[0].number} / {rates[0].number}" if DIMENSIONS.get(rates[0].per or "") == "time" else None


def _spent(rates: list[_Term], counts: list[_Term]) -> str | None:
    """What is left of a sum after so much per day for so many days."""
    for count in counts:
        others = [each for each in counts if each is not count]
        cost = _product([*rates, *others])
        if cost is not None:
            return f"{count.number} - {cost}"
    return None


def _taken(pattern: re.Pattern[str], plain: str) -> tuple[list[_Term], str]:
    found = [
        _Term(each["number"], _unit(each["unit"]), _unit(each.groupdict().get("per")))
        for each in pattern.finditer(plain)
    ]
    return found, pattern.sub(lambda each: " " * len(each.group()), plain)


def _is_used_up(rates: list[_Term], counts: list[_Term]) -> bool:
    return _product([*rates, *counts]) is not None


def _product(terms: list[_Term]) -> str | None:
    over = [term.unit for term in terms if term.unit]
    counted = [term.unit for term in terms if term.unit and not term.per]
    factors: list[str] = [term.number for term in terms if term.number != "1"]
    divisors: list[str] = []
    for per in (term.per for term in terms if term.per):
        # an hour is no part of a day where a number of days is said as well
        alike = [unit for unit in over if _factors(unit, per) is not None]
        match = next((unit for unit in alike if whole_factor(unit, per) is not None), next(iter(alike), None))
        if match is None:
            return None
        over.remove(match)
        if match in counted:
            counted.remove(match)
        times, divided_by = _factors(match, per) or (1, 1)
        factors += [str(times)] if times != 1 else []
        divisors += [str(divided_by)] if divided_by != 1 else []
    is_used = not counted  # an amount that no "per" takes up is no factor: "I have 1,000 euros and spend 35 a day"
    is_whole = is_used and len(terms) > 1 and len(factors) + len(divisors) > 1
    return "".join([" * ".join(factors), *(f" / {each}" for each in divisors)]) if is_whole and factors else None


def _factors(unit: str, per: str) -> tuple[int, int] | None:
    """What an amount in one unit is multiplied and divided by to be one in another; none where that is not whole."""
    times = whole_factor(unit, per)
    if times is not None:
        return times, 1
    divided_by = whole_factor(per, unit)
    return None if divided_by is None else (1, divided_by)


def whole_factor(unit: str, per: str) -> int | None:
    """How many of one unit another is; none where that is no whole number, or they are of different kinds."""
    if unit == per:
        return 1
    if DIMENSIONS.get(unit) is None or DIMENSIONS.get(unit) != DIMENSIONS.get(per) or unit not in UNIT_FACTORS:
        return None
    factor = UNIT_FACTORS[unit] / UNIT_FACTORS[per]
    near = factor.to_integral_value()
    return int(near) if near >= 1 and abs(factor - near) <= NEARLY_WHOLE * near else None
