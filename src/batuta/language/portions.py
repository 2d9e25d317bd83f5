"""Sums of two or more counted things in plain words: who pays what part, how many boxes it takes, what a list comes to.

"we are 7 and the bill is 245" is 245 / 7, "300 bottles in boxes of 12, how many boxes?" is ceil(300 / 12), "40 at 12.50 and
25 at 9" is 40 * 12.50 + 25 * 9. Where the words give a number no part, or two, nothing is found.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from batuta.language.amounts import UNIT_WORDS
from batuta.language.folding import stem
from batuta.language.rates import whole_factor

LATEST_HOUR = 24
"""A whole number up to here, after "at", may be an hour; a price is above, has decimals or is asked for."""

_NUMBER = re.compile(r"\(\d+(?:\.\d+)? \* 12\)|(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)(?!\s*%)")
_SPLIT = re.compile(
    r"\b(?:split|shar(?:e|ed|ing)|divid(?:e|ed|ing|ir|imos|ido|en)|repart\w+|comparten|compartir|"
    r"(?:each|every)\s+(?:one|person|of\s+us|pays?)\w*|each|apiece|(?:per|a)\s+(?:person|head)|"
    r"cada\s+un[oa]|por\s+(?:persona|cabeza|barba)|a\s+cuanto\s+(?:toca\w*|sal\w+)|pagar)\b"
)
_PEOPLE = (
    r"(?:people|ppl|persons?|friends|partners|guests|colleagues|employees|members|of\s+us|ways|"
    r"personas|socios|amigos|comensales|companeros|empleados|invitados)"
)
_PEOPLE_AFTER = re.compile(rf"\s*(?:\w+\s+)?{_PEOPLE}\b")
_PEOPLE_BEFORE = re.compile(r"\b(?:we\s+(?:are|were)|there\s+(?:are|were)|somos|eramos|fuimos|ramos)\s+$")
_AMONG_BEFORE = re.compile(r"\b(?:between|among|amongst|btw|entre|into|in|en)\s+(?:(?:the|los|las)\s+)?$")
_FOR_BEFORE = re.compile(r"\b(?:for|para|of|de|into|in|by)\s+(?:(?:the|los|las)\s+)?$")
_BILL = re.compile(
    r"\b(?:bill|costs?|came\s+to|was|were|total|pay|paid|cuenta|costo|cost[ao]do|fue|fueron|salio|son|pagar)\b"
)
_PAID_BEFORE = re.compile(
    r"\b(?:costs?|cost|is|are|was|were|paid|pay|spent|share|split|between|among|cuestan?|vale[n]?|costado|pagad\w+|pagamos|gastad\w+|"
    r"son|es|fue|fueron|reparten|comparten|salen?)\s+$"
)
_HOW_MUCH_EACH = re.compile(
    r"\b(?:how\s+much\s+(?:\w+\s+){0,4}?(?:each|apiece|per\s+(?:person|head))|"
    r"(?:a\s+)?cuanto\s+(?:\w+\s+){0,4}?(?:cada\s+un[oa]|por\s+(?:persona|cabeza|barba))|"
    r"a\s+cuanto\s+(?:toca(?:mos)?|salimos|sale)|how\s+much\s+(?:is|does|would|will|do|are|costs?)\s+(?:\w+\s+)?(?:one|1|each)\b|"
    r"cuanto\s+(?:es|cuesta|vale|sale|seria|costaria)\s+(?:un[oa]?|1|cada)\b)"
)
"""Asks what each of several pays, or costs."""
_LEFT = re.compile(r"\b(?:left|remain\w*|queda\w*|sobra\w*)\b")
_CLOCK_BEFORE = re.compile(r"\b(?:at|a\s+las?)\s+$")
_ASKED_COUNT = re.compile(r"\b(?:how\s+many|cuant[oa]s)\s+(?P<what>[a-z]{3,})\b")
_OF_BEFORE = re.compile(r"\b(?P<what>[a-z]{3,})\s+(?:of|de|with|con)\s+$")
_HOLDS = re.compile(r"\b(?:holds?|takes?|fits?|carr(?:y|ies)|seats?|lleva[n]?|cabe[n]?|entra[n]?|admiten?|carga[n]?)\b")
_NOUN_AFTER = re.compile(r"\s*(?P<what>[a-z]{3,})\b")
_UNIT_AFTER = re.compile(r"\s*(?P<unit>[a-z]+)\b")
_PER_AFTER = re.compile(
    r"\s*(?:per|an?|al?|por|cada|la|el|/)\s+(?:(?:la|el)\s+)?(?:month|mes|year|ano|week|semana|day|dia|hour|hora)\b"
)
_PRICE_JOINT = re.compile(r"\s+(?:(?!(?:at|a|por|and|y|to|in|en|for)\b)[a-z]+\s+){0,3}(?:at|a|por|@)\s+|\s*@\s*")
_CONTAINER_JOINT = re.compile(
    r"\s+(?!(?:quarters|thirds|fifths|tercios|cuart[oa]s|quintos)\b)[a-z]{3,}\s+(?:of|de|with|con)\s+"
)
_ENDS_A_LINE = re.compile(
    r"\s*(?:each|apiece|cada\s+un[oa]|la\s+unidad)?\s*(?:[,;+]|\b(?:and|y|plus|mas)\b|$)|\s*(?:each|apiece|cada\s+un[oa]|la\s+unidad)?\W*(?:how|cuanto|total|en\s+total|what|que)|\W*$"
)
_OTHER_SUM = re.compile(
    r"\b(?:multipl\w+|divid\w+|times|by|entre|minus|less|menos|take|subtract\w*|quit\w+|rest[aeo]\w*|from|(?:add|suma|anade)(?=\s+\d\S*\s+(?:to|a)\b))\b"
)
"""Says that numbers are reckoned otherwise than as prices or a list."""
_ASKS_MONEY = re.compile(r"\b(?:how\s+much|cuanto|total|costs?|cuestan?|importe|amount|price|precio)\b")
_ASKS_TOTAL = re.compile(r"\b(?:total|sum|suma|in\s+all|altogether|add\s+up|sumar|sumas|sumalo|en\s+total)\b")
_EACH_AFTER = re.compile(
    r"\s*(?:(?!(?:for|among|between|entre|para|de|of)\b)[a-z]+\s+)?(?:each|apiece|(?:per|a)\s+(?:person|head)|cada\s+un[oa]|por\s+(?:persona|cabeza))\b"
)
_EACH_BEFORE = re.compile(r"\b(?:each|cada\s+un[oa])\s+(?:pa(?:y|id|ys|ga|go|garon)\s+)?$")
"""Beside an amount that every one of several pays."""
_BETWEEN_LISTED = re.compile(
    r"\s*(?:(?:(?:for|of|de|del|en|the|la|el)\s+)*[a-z]+\s*)?(?:[,;+]|\b(?:and|y|e|plus|mas)\b)(?:\s*(?:[,;+]|\band\b|\by\b))*\s*(?:[a-z]+\s+){0,3}"
)


@dataclass(frozen=True, slots=True)
class _Count:
    value: str
    before: str
    """What stands between it and the number before."""
    after: str
    """What stands between it and the next number."""

    @property
    def is_whole(self) -> bool:
        return "." not in self.value


def find_portion(plain: str, *, has_money: bool = False) -> str | None:
    """The sum that a folded text means, its numbers written as a computer does; `has_money` where it names a currency."""
    counts = _counts(plain)
    if "%" in plain or len(counts) < 2:
        return None
    two = (_packed(plain, *counts) or _shared(plain, *counts)) if len(counts) == 2 else None
    if two is not None or _OTHER_SUM.search(plain):
        return two
    return _priced(plain, counts, has_money=has_money) or _listed(plain, counts, has_money=has_money)


def _counts(plain: str) -> list[_Count]:
    matches = list(_NUMBER.finditer(plain))
    starts = [0, *(each.end() for each in matches)]
    ends = [*(each.start() for each in matches[1:]), len(plain)]
    return [
        _Count(each.group(), plain[start : each.start()], plain[each.end() : end])
        for each, start, end in zip(matches, starts, ends, strict=False)
    ]


def _shared(plain: str, one: _Count, other: _Count) -> str | None:
    """A sum among so many people."""
    if _LEFT.search(plain):
        return None  # what is left after paying is no share
    is_split = _SPLIT.search(plain)
    people = [
        each
        for each in (one, other)
        if each.is_whole and (_PEOPLE_AFTER.match(each.after) or _PEOPLE_BEFORE.search(each.before))
    ]
    people = people or ([other] if other.is_whole and _AMONG_BEFORE.search(other.before) and is_split else [])
    if not people and is_split and _BILL.search(plain):
        people = [each for each in (one, other) if each.is_whole and _FOR_BEFORE.search(each.before)]
    if not people and _HOW_MUCH_EACH.search(plain):
        people = [
            each
            for each, total in ((one, other), (other, one))
            if each.is_whole
            and (_NOUN_AFTER.match(each.after) or _OF_BEFORE.search(each.before))
            and _PAID_BEFORE.search(total.before)
        ]
    if len(people) != 1 or any(_CLOCK_BEFORE.search(each.before) for each in (one, other)):
        return None
    total = other if people[0] is one else one
    is_of_each = _EACH_AFTER.match(total.after) or _EACH_BEFORE.search(total.before)
    if is_of_each and not _HOW_MUCH_EACH.search(plain):
        asks_all = _ASKS_TOTAL.search(plain) or _BILL.search(plain)
        return f"{people[0].value} * {total.value}" if asks_all else None
    is_meant = is_split or _HOW_MUCH_EACH.search(plain) or _BILL.search(plain) or _AMONG_BEFORE.search(people[0].before)
    return f"{total.value} / {people[0].value}" if is_meant else None


def _packed(plain: str, one: _Count, other: _Count) -> str | None:
    """How many containers so many things take; or how many things so many containers hold."""
    asked = _ASKED_COUNT.search(plain)
    if asked is None:
        return None
    holding = [each for each in (one, other) if _is_capacity(each)]
    if len(holding) != 1:
        return None
    size = holding[0]
    count = other if size is one else one
    held, contained = _UNIT_AFTER.match(size.after), _OF_BEFORE.search(size.before)
    if held is not None and _kind(held["unit"]) == _kind(asked["what"]):
        return f"{count.value} * {size.value}"
    if contained is not None and asked["what"] in UNIT_WORDS:
        return None if held is None else _converted(count.value, size.value, held["unit"], asked["what"])
    units = [UNIT_WORDS.get(each["unit"]) for side in (count, size) if (each := _UNIT_AFTER.match(side.after))]
    factor = whole_factor(units[0], units[1]) if len(units) == 2 and units[0] and units[1] else 1
    if factor is None:
        return None
    total = count.value if factor == 1 else f"{count.value} * {factor}"
    return f"ceil({total} / {size.value})"


def _converted(many: str, size: str, unit: str, wanted: str) -> str | None:
    """How much so many of a size are in another unit: 5 bags of 750 g in kilos."""
    symbols = UNIT_WORDS.get(unit, ""), UNIT_WORDS[wanted]
    times, divided_by = whole_factor(*symbols), whole_factor(*reversed(symbols))
    if times is not None:
        return f"{many} * {size} * {times}"
    return None if divided_by is None else f"{many} * {size} / {divided_by}"


def _kind(word: str) -> str:
    """A unit by its symbol, anything else by its stem: metres and m are the same."""
    return UNIT_WORDS.get(word) or stem(word)


def _is_capacity(count: _Count) -> bool:
    container = _OF_BEFORE.search(count.before)
    if container is not None and stem(container["what"]) not in UNIT_WORDS:
        return True
    near_before, near_after = count.before[-12:], count.after[:12]
    return bool(_HOLDS.search(near_before) or _HOLDS.search(near_after))


def _priced(plain: str, counts: list[_Count], *, has_money: bool) -> str | None:
    """So many things at a price, one line or several: every number has its place in one."""
    lines: list[list[str]] = [[counts[0].value]]
    is_open = True
    for last, count in pairwise(counts):
        if is_open and _PRICE_JOINT.fullmatch(last.after):
            lines[-1].append(count.value)
            if _is_per_other(last, count):
                return None
            if not (has_money or not _may_be_hour(count) or _ASKS_MONEY.search(plain)):
                return None
            is_open = False
        elif is_open and _CONTAINER_JOINT.fullmatch(last.after):
            lines[-1].append(count.value)
        elif not is_open and _ENDS_A_LINE.match(last.after):
            lines.append([count.value])
            is_open = True
        else:
            return None
    is_whole = not is_open or (len(lines[-1]) > 1 and _ASKS_MONEY.search(plain))
    is_ended = _ENDS_A_LINE.match(counts[-1].after) or _ASKS_MONEY.search(plain)
    if not is_whole or not is_ended or _is_counted(counts[-1]):
        return None
    return " + ".join(" * ".join(each) for each in lines)


def _may_be_hour(count: _Count) -> bool:
    return count.value.isdigit() and int(count.value) <= LATEST_HOUR


_PER_UNIT = re.compile(r"\s*(?:an?|al?|per|the|por|el|la|cada|/)\s*(?:(?:la|el)\s+)?(?P<unit>[a-z]+)\b")


def _is_per_other(count: _Count, price: _Count) -> bool:
    """Whether a price is that of one unit and the count is of another: 250 grams at so much a kilo."""
    unit, per = _UNIT_AFTER.match(count.after), _PER_UNIT.match(price.after)
    symbols = [UNIT_WORDS.get(each["unit"]) for each in (unit, per) if each is not None]
    return len(symbols) == 2 and None not in symbols and symbols[0] != symbols[1]


def _is_counted(count: _Count) -> bool:
    """Whether a unit, people or a time stand beside a number: it is no price, or one per month."""
    noun = _UNIT_AFTER.match(count.after)
    is_rate = _PEOPLE_AFTER.match(count.after) or _PER_AFTER.match(count.after)
    return is_rate is not None or (noun is not None and noun["unit"] in UNIT_WORDS)


def _listed(plain: str, counts: list[_Count], *, has_money: bool) -> str | None:
    """Amounts one after the other whose total is asked for; how many they are may be said first."""
    is_of_money = has_money or "+" in plain or any(not each.is_whole for each in counts)
    if not is_of_money or not (_ASKS_TOTAL.search(plain) or "+" in plain):
        return None
    if counts[0].value == str(len(counts) - 1) and ":" in counts[0].after:
        counts = counts[1:]
    are_joined = all(_BETWEEN_LISTED.fullmatch(each.after) for each in counts[:-1])
    return " + ".join(each.value for each in counts) if are_joined and len(counts) > 1 else None
