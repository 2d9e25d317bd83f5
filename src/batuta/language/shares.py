"""Percentages in plain words, read by the part each number plays: "605 with 21 % VAT included, how much is the VAT?".

One amount and its rates, one after the other ("200 less 10 %, plus 21 % VAT"), or two amounts and the question how much
per cent one is of the other. Where the words give a number no part, or two, nothing is found.
"""

import re
from dataclasses import dataclass

HIGHEST_TAX = 30
"""A number beside the word tax is its rate up to here; above, it is the amount that is taxed."""

_TAX_WORD = r"(?:vat|iva|tax|taxes|impuestos?)"
_TAX = re.compile(rf"\b{_TAX_WORD}\b")
_WITHHELD = re.compile(r"\b(?:withh\w+|retenci\w+|reten(?:er|ga|go|emos)|retien\w+|irpf)\b")
_INCLUDED = re.compile(r"\b(?:incl|includ\w+|inclusive|inclu(?:id|y)\w+|dentro|gross|bruto)\b")
_NET = re.compile(
    rf"\b(?:net|net[oa]s?|base|(?:before|without|excluding|ex|minus|less)\s+(?:the\s+)?{_TAX_WORD}|"
    rf"(?:sin|antes\s+del?|descontando|quitando)\s+(?:el\s+|los\s+)?{_TAX_WORD})\b"
)
_NET_BEFORE = re.compile(rf"{_NET.pattern}\s*(?:(?:amount|price|imponible|of|is|de|es|:|importe|precio)\s*)*$")
_NET_AFTER = re.compile(r"\s*(?:net|net[oa]s?)\b")
_ASKS_TAX = re.compile(
    rf"\b(?:how\s+much|what(?:'?s|\s+is)?|cual\s+es|cuanto(?:\s+(?:es|supone|hay\s+de))?|que)\s+"
    rf"(?:(?:of\s+)?(?:it|that|eso|ello)\s+(?:is|es)\s+)?(?:(?:the|el|de|los)\s+)*{_TAX_WORD}\b|"
    rf"^\W*(?:(?:the|el)\s+)?{_TAX_WORD}\s+(?:on|of|for|in|de|sobre|para|en)\s"
)
_WITHIN = re.compile(
    r"\b(?:in|en|inside|contain\w*|llevan?|lleva\s+incluid\w+)\s+(?:(?:the|el|la|los|las|an?|una?)\s+)*$"
)
_MORE = re.compile(
    r"\+|\b(?:add\w*|plus|rais\w+|ris(?:e|es|en|ing)|increas\w+|up|more|sum[aeo]\w*|anad\w+|sub(?:e|o|ir|en|ido|ieron|imos|id\w+)\w*|"
    r"aument\w+|increment\w+|mas)\b"
)
_SURCHARGE = re.compile(rf"\b(?:{_TAX_WORD}|tip|propina|recargo|surcharge|markup|interest|interes)\b")
_WITH_TAX = re.compile(
    rf"\b(?:with|con|and|y)\s+(?:(?:a|an|the|un|el)\s+)?(?:[\d.]+\s*%\s*(?:de\s+|of\s+)?(?:{_TAX_WORD}|tip|propina|recargo)|{_TAX_WORD})\b"
)
_LESS = re.compile(
    r"(?<=\s)-|\b(?:off|discount\w*|less|minus|cut|lower\w*|reduc\w+|subtract\w*|descuent\w+|descont\w+|rebaj\w+|quit[aeo]\w*|rest[aeo]\w*|"
    r"baj[aeo]\w*|menos|early\s+payment|pronto\s+pago)\b"
)
_ORIGINALLY = re.compile(
    r"\b(?:before(?!\s+(?:vat|tax))|original\w*|originally|initial\w*|inicial\w*|antes(?!\s+del?\s+(?:iva|impuestos?))|valia|costaba)\b"
)
_GAIN = re.compile(r"\b(?:markup|profit|gain|earn|ganar|ganancia|beneficio)\b")
_ON_PRICE = re.compile(
    r"\b(?:on|of|sobre|del)\s+(?:(?:the|el|la|las)\s+)?(?:sales?\s+price|selling\s+price|sales|precio(?:\s+de\s+venta)?|ventas?)\b"
)
_ON_COST = re.compile(r"\b(?:on|of|sobre(?:\s+el)?|del)\s+(?:the\s+|what\s+)?(?:cost|coste)\b")
_PERCENT = re.compile(r"%|\b(?:percent\w*|porcentaje|(?:tanto\s+)?por\s+ciento)")
_ASKS_SHARE = re.compile(
    r"\b(?:save|ahorr\w+|(?:what|which|how\s+(?:much|many))\s+(?:percent\w*|%)|que\s+(?:porcentaje|%))"
)
_GROWTH = re.compile(r"\b(?:growth|increase|rise|crecimiento|aumento|incremento|subida)\b")
_FALL = re.compile(r"\b(?:discount|drop|decrease|reduction|descuento|rebaja|bajada|caida|descenso)\b")
_NUMBER = re.compile(r"(?<![\w.])(?P<value>\d+(?:\.\d+)?|§)(?P<percent>\s*%)?(?![\w.]*\d)")
_RATE_AFTER = re.compile(r"\s*(?:de\s+|of\s+)?(?:vat|iva|tax|incl\w*)\b")
_RATE_BEFORE = re.compile(
    r"\b(?:vat|iva|tax)(?:\s+(?:incl\w*|inclusive|included|incluid\w+))?\s+(?:(?:of|at|is|del?|al|es)\s+)?$"
)
_JOINT = re.compile(
    r"\s*(?:[,;+]|-(?=\s)|\b(?:and|then|plus|minus|less|y|e|luego|despues|mas|menos|another|otr[oa])\b)"
)
_MORE_OF_THE_SAME = re.compile(r"^\W*(?:more|mas)\b")
_COUNTS_RATES = re.compile(
    r"\s*(?:rises?|raises?|increases?|discounts?|cuts?|subidas?|aumentos?|descuentos?|rebajas?|bajadas?)\b"
)
"""After how many rates there are: "two rises of 3 % and 2 %"."""
_DIFFERENCE = re.compile(
    r"\b(?:how\s+much|cuanto)\s+(?:(?P<less>less|menos)|more|mas|(?:higher|difference))\s+(?:is|was|es|son|fue|ha\s+sido)(?:\s+(?:that|it|this|eso))?\W*$|"
    r"\b(?:how\s+much|cuanto)\s+(?:more|mas)\W*$"
)
_LEFT = re.compile(r"\b(?:left|remain\w*|queda\w*|sobra\w*|restan?|falta\w*)\b")
_HAD = re.compile(
    r"\b(?:had|have|has|there\s+(?:were|are)|bought|tenia|tenias|teniamos|tengo|habia|hay|compre|compramos)\D{0,15}$"
)
_USED = re.compile(
    r"\b(?:used?|spent|spend|sold|ate|gave|lost|drank|paid|took|gast\w+|us\w+|vend\w+|comi\w*|di|dimos|perdi\w*|bebi\w*|pag\w+|saque)\D{0,15}$"
)
_WHOLE_BEFORE = re.compile(
    r"\b(?:of|del?|sobre|respecto\s+al?)\s+(?:(?:the|el|los|las|un|una|total|cada|a|de|of)\s+)*$"
)
_FROM = re.compile(r"\b(?:from|de|desde|was|were|era|eran)\s+(?:the\s+|los\s+|las\s+)?$")
_TO = re.compile(r"\b(?:to|a|hasta|now|ahora)\s+(?:(?:it'?s|it|is|are|es|son|esta|the|los|las|de)\s+)*$")
_NOW = re.compile(r"\b(?:now|ahora)\b")
_SOLD = re.compile(r"\b(?:sold|sell\w*|sales?|vend\w+|vent[ao]s?)\D{0,15}$")
_COST = re.compile(r"\b(?:cost\w*|bought|buy|paid|cuest\w+|compr\w+|pag\w+)\D{0,15}$")
_GAINED = re.compile(r"\b(?:profit|gain|earned|made|ganancia|beneficio|ganamos|ganado)\D{0,15}$")
_BOUGHT = re.compile(r"\b(?:cost\w*|bought|buy|paid|cuest\w+|compr\w+)\b")
_MARGIN = re.compile(r"\b(?:margin|margen)\b")


@dataclass(frozen=True, slots=True)
class _Number:
    value: str
    is_rate: bool
    before: str
    """What stands between it and the number before."""
    after: str
    """What stands between it and the next number."""


def find_share(plain: str) -> str | None:
    """The sum that a folded text means, its numbers written as a computer does; none where it means none."""
    numbers = _numbers(plain)
    rates = [each for each in numbers if each.is_rate]
    amounts = [each for each in numbers if not each.is_rate]
    if len(rates) > 1:
        amounts = [each for each in amounts if each.value != str(len(rates)) or not _COUNTS_RATES.match(each.after)]
    if len(amounts) == 1 and len(rates) == 1:
        return _with_rate(plain, amounts[0], rates[0])
    if len(amounts) == 1 and rates:
        return _with_rates(plain, amounts[0], numbers)
    return _of_two(plain, amounts) if len(amounts) == 2 and not rates else None


def _numbers(plain: str) -> list[_Number]:
    found, last = [], 0
    matches = list(_NUMBER.finditer(plain))
    for place, match in enumerate(matches):
        before, after = plain[last : match.start()], plain[match.end() :]
        is_small = match["value"] != "§" and float(match["value"]) <= HIGHEST_TAX
        is_taxed = is_small and _TAX.search(plain) and (_RATE_AFTER.match(after) or _RATE_BEFORE.search(before))
        ends = matches[place + 1].start() if place + 1 < len(matches) else len(plain)
        found.append(_Number(match["value"], bool(match["percent"] or is_taxed), before, plain[match.end() : ends]))
        last = match.end()
    return found


def _with_rate(plain: str, amount: _Number, rate: _Number) -> str | None:
    is_less = _LESS.search(plain) is not None
    if _TAX.search(plain) and not is_less:
        return _taxed(plain, amount, rate.value)
    if _BOUGHT.search(plain) and (_GAIN.search(plain) or _MARGIN.search(plain)):
        if _ON_PRICE.search(plain):
            return f"{amount.value} / (1 - {rate.value} / 100)"
        return f"{amount.value} * (1 + {rate.value} / 100)" if _GAIN.search(plain) else None
    is_more = _MORE.search(plain) or _WITH_TAX.search(plain)
    if _WITHHELD.search(plain) and _LEFT.search(plain):
        return f"{amount.value} * (1 - {rate.value} / 100)"
    if is_less and not is_more:
        return f"{amount.value} {'/' if _ORIGINALLY.search(plain) else '*'} (1 - {rate.value} / 100)"
    if is_more and not is_less and not _ORIGINALLY.search(plain):
        return f"{amount.value} * (1 + {rate.value} / 100)"
    return None


def _taxed(plain: str, amount: _Number, rate: str) -> str | None:
    """The tax of an amount, or the amount with it or without it: by what the amount is, and what is asked."""
    before_tax, with_tax = f"{amount.value} / (1 + {rate} / 100)", f"{amount.value} * (1 + {rate} / 100)"
    asks_tax = _ASKS_TAX.search(plain)
    is_gross = _INCLUDED.search(plain) or (asks_tax and _WITHIN.search(amount.before))
    is_net = not is_gross and (_NET_BEFORE.search(amount.before) or _NET_AFTER.match(amount.after))
    if asks_tax:
        return f"{amount.value} - {before_tax}" if is_gross else f"{amount.value} * {rate} / 100"
    if is_net:
        return with_tax
    if _NET.search(plain):
        return before_tax if is_gross or _WITH_TAX.search(plain) else None
    is_added = _MORE.search(plain) or _WITH_TAX.search(plain)
    return with_tax if is_added and not is_gross and not _ORIGINALLY.search(plain) else None


def _with_rates(plain: str, amount: _Number, numbers: list[_Number]) -> str | None:
    """Rates that go on or off an amount in turn; taxes are all of the same base."""
    if _ASKS_SHARE.search(plain) or _ORIGINALLY.search(plain):
        return None
    signs: list[str] = []
    words: list[str] = []
    lead = numbers[0].before
    for place, number in enumerate(numbers):
        is_last = place + 1 == len(numbers)
        joint = None if is_last else _JOINT.search(number.after)
        own = number.after if joint is None else number.after[: joint.start()]
        rest = "" if joint is None else number.after[joint.start() :]
        if not number.is_rate:
            lead = number.after if number is amount else f"{lead} {number.after}"
            continue
        sign = _sign(lead, own, signs[-1] if signs else "")
        if not sign:
            return None
        signs.append(sign)
        words.append(f"{lead} {own}")
        lead = rest
    rates = [each.value for each in numbers if each.is_rate]
    if all(_TAX.search(each) or _WITHHELD.search(each) for each in words):
        return (
            f"{amount.value} * (1{''.join(f' {sign} {rate} / 100' for sign, rate in zip(signs, rates, strict=True))})"
        )
    return f"{amount.value}{''.join(f' * (1 {sign} {rate} / 100)' for sign, rate in zip(signs, rates, strict=True))}"


def _sign(lead: str, own: str, last: str) -> str:
    """Whether a rate goes on (+) or off (-) by the words beside it; without any, as the one before."""
    if last == "-" and _MORE_OF_THE_SAME.match(own):
        return ""  # after a discount, "10 % more" may be either
    words = f"{lead} {own}"
    is_less, is_more = _LESS.search(words) or _WITHHELD.search(words), _MORE.search(words)
    if is_less and is_more:
        return ""
    return "-" if is_less else "+" if is_more or _SURCHARGE.search(words) else last


def _of_two(plain: str, amounts: list[_Number]) -> str | None:
    one, other = amounts
    asks_percent = _PERCENT.search(plain)
    starts, ends = ([each for each in amounts if side.search(each.before)] for side in (_FROM, _TO))
    if len(starts) == 1 and ends == [each for each in amounts if each is not starts[0]]:
        old, new = starts[0].value, ends[0].value
        if _FALL.search(plain):
            return f"({old} - {new}) / {old} * 100"
        return f"({new} - {old}) / {old} * 100" if asks_percent or _GROWTH.search(plain) else None
    if _FALL.search(plain) and any(_NOW.search(words) for words in (other.before, other.after)):
        return f"({one.value} - {other.value}) / {one.value} * 100"
    if not asks_percent:
        if _LEFT.search(plain) and _HAD.search(one.before) and _USED.search(other.before):
            return f"{one.value} - {other.value}"
        more = _DIFFERENCE.search(plain)
        return (
            None if more is None else f"{one.value} - {other.value}" if more["less"] else f"{other.value} - {one.value}"
        )
    if _MARGIN.search(plain) or _GAIN.search(plain):
        sales, costs = ([each for each in amounts if side.search(each.before)] for side in (_SOLD, _COST))
        if len(sales) == len(costs) == 1 and sales != costs:
            is_of_cost = _ON_COST.search(plain) or not (_MARGIN.search(plain) or _ON_PRICE.search(plain))
            return f"({sales[0].value} - {costs[0].value}) / {(costs if is_of_cost else sales)[0].value} * 100"
        gains = [each for each in amounts if _GAINED.search(each.before)]
        return (
            f"{gains[0].value} / {sales[0].value} * 100" if len(gains) == len(sales) == 1 and gains != sales else None
        )
    wholes = [each for each in amounts if _WHOLE_BEFORE.search(each.before)]
    if len(wholes) != 1:
        return None
    part = other if wholes[0] is one else one
    if _LEFT.search(plain):
        return f"({wholes[0].value} - {part.value}) / {wholes[0].value} * 100"
    return f"{part.value} / {wholes[0].value} * 100"
