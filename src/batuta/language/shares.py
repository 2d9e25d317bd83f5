"""Percentages in plain words, read by the part each number plays: "605 with 21 % VAT included, how much is the VAT?".

One rate and one amount, or two amounts and the question how much per cent one is of the other. Where the words give a
number no part, or two, nothing is found.
"""

import re
from dataclasses import dataclass

HIGHEST_TAX = 30
"""A number beside the word tax is its rate up to here; above, it is the amount that is taxed."""

_TAX = re.compile(r"\b(?:vat|iva|tax|taxes|impuestos?)\b")
_INCLUDED = re.compile(r"\b(?:incl|includ\w+|inclusive|incluid\w+|incluyendo|dentro)\b")
_NET = re.compile(
    r"\b(?:net|neto|base|(?:before|without|excluding|ex|minus|less)\s+(?:the\s+)?(?:vat|tax|taxes)|"
    r"(?:sin|antes\s+del?|descontando|quitando)\s+(?:el\s+|los\s+)?(?:iva|impuestos?))\b"
)
_ASKS_TAX = re.compile(
    r"\b(?:(?:how\s+much|what(?:'?s|\s+is)|cual\s+es|cuanto\s+es)\s+(?:of\s+(?:it|that)\s+is\s+)?(?:the\s+|el\s+)?(?:vat|iva|tax)|(?:cuanto|que)\s+iva|how\s+much\s+vat)\b"
)
_MORE = re.compile(
    r"\b(?:add\w*|plus|rais\w+|increas\w+|up|more|sum[aeo]\w*|anad\w+|sub(?:e|o|ir|en|ido|ieron|imos)\w*|aument\w+|increment\w+|mas)\b"
)
_WITH_TAX = re.compile(
    r"\b(?:with|con|and|y)\s+(?:(?:a|an|the|un|el)\s+)?[\d.]+\s*%\s*(?:de\s+|of\s+)?(?:vat|iva|tax|tip|propina|recargo)\b"
)
_LESS = re.compile(
    r"\b(?:off|discount\w*|less|minus|cut|lower\w*|reduc\w+|subtract\w*|descuent\w+|descont\w+|rebaj\w+|quit[aeo]\w*|rest[aeo]\w*|baj[aeo]\w*|menos)\b"
)
_ORIGINALLY = re.compile(
    r"\b(?:before(?!\s+(?:vat|tax))|original\w*|originally|initial\w*|inicial\w*|antes(?!\s+del?\s+(?:iva|impuestos?))|valia|costaba)\b"
)
_PERCENT = re.compile(r"%|\b(?:percent\w*|porcentaje|(?:tanto\s+)?por\s+ciento)")
_GROWTH = re.compile(r"\b(?:growth|increase|rise|crecimiento|aumento|incremento|subida)\b")
_FALL = re.compile(r"\b(?:discount|drop|decrease|reduction|descuento|rebaja|bajada|caida|descenso)\b")
_NUMBER = re.compile(r"(?<![\w.])(?P<value>\d+(?:\.\d+)?|§)(?P<percent>\s*%)?(?![\w.]*\d)")
_RATE_AFTER = re.compile(r"\s*(?:de\s+|of\s+)?(?:vat|iva|tax|incl\w*)\b")
_RATE_BEFORE = re.compile(r"\b(?:vat|iva|tax)\s+(?:(?:of|at|del?|al)\s+)?$")
_WHOLE_BEFORE = re.compile(
    r"\b(?:of|del?|sobre|respecto\s+al?)\s+(?:(?:the|el|los|las|un|una|total|cada|a|de|of)\s+)*$"
)
_FROM = re.compile(r"\b(?:from|de|desde|was|were|era|eran)\s+(?:the\s+|los\s+|las\s+)?$")
_TO = re.compile(r"\b(?:to|a|hasta|now|ahora)\s+(?:(?:it'?s|is|are|es|son|the|los|las)\s+)*$")
_SOLD = re.compile(r"\b(?:sold|sell\w*|vend\w+|vent[ao]s?)\D{0,15}$")
_COST = re.compile(r"\b(?:cost\w*|bought|buy|paid|cuest\w+|compr\w+|pag\w+)\D{0,15}$")
_MARGIN = re.compile(r"\b(?:margin|margen)\b")


@dataclass(frozen=True, slots=True)
class _Number:
    value: str
    is_rate: bool
    before: str
    """What stands between it and the number before."""


def find_share(plain: str) -> str | None:
    """The sum that a folded text means, its numbers written as a computer does; none where it means none."""
    numbers = _numbers(plain)
    rates = [each for each in numbers if each.is_rate]
    amounts = [each for each in numbers if not each.is_rate]
    if len(rates) == len(amounts) == 1:
        return _with_rate(plain, amounts[0].value, rates[0].value)
    return _of_two(plain, amounts) if len(amounts) == 2 and not rates else None


def _numbers(plain: str) -> list[_Number]:
    found, last = [], 0
    for match in _NUMBER.finditer(plain):
        before, after = plain[last : match.start()], plain[match.end() :]
        is_small = match["value"] != "§" and float(match["value"]) <= HIGHEST_TAX
        is_taxed = is_small and _TAX.search(plain) and (_RATE_AFTER.match(after) or _RATE_BEFORE.search(before))
        found.append(_Number(match["value"], bool(match["percent"] or is_taxed), before))
        last = match.end()
    return found


def _with_rate(plain: str, amount: str, rate: str) -> str | None:
    before_tax = f"{amount} / (1 + {rate} / 100)"
    is_included = _TAX.search(plain) and _INCLUDED.search(plain)
    if _NET.search(plain) and (is_included or _WITH_TAX.search(plain)):
        return before_tax
    if is_included:
        return f"{amount} - {before_tax}" if _ASKS_TAX.search(plain) else None
    is_more, is_less = _MORE.search(plain) or _WITH_TAX.search(plain), _LESS.search(plain)
    if is_less and not is_more:
        return f"{amount} {'/' if _ORIGINALLY.search(plain) else '*'} (1 - {rate} / 100)"
    if is_more and not is_less and not _ORIGINALLY.search(plain):
        return f"{amount} * (1 + {rate} / 100)"
    return None


def _of_two(plain: str, amounts: list[_Number]) -> str | None:
    one, other = amounts
    asks_percent = _PERCENT.search(plain)
    starts, ends = ([each for each in amounts if side.search(each.before)] for side in (_FROM, _TO))
    if len(starts) == 1 and ends == [each for each in amounts if each is not starts[0]]:
        old, new = starts[0].value, ends[0].value
        if _FALL.search(plain):
            return f"({old} - {new}) / {old} * 100"
        return f"({new} - {old}) / {old} * 100" if asks_percent or _GROWTH.search(plain) else None
    if not asks_percent:
        return None
    if _MARGIN.search(plain):
        sales, costs = ([each for each in amounts if side.search(each.before)] for side in (_SOLD, _COST))
        if len(sales) == len(costs) == 1 and sales != costs:
            return f"({sales[0].value} - {costs[0].value}) / {sales[0].value} * 100"
        return None
    wholes = [each for each in amounts if _WHOLE_BEFORE.search(each.before)]
    if len(wholes) != 1:
        return None
    part = other if wholes[0] is one else one
    return f"{part.value} / {wholes[0].value} * 100"
