"""Slots filled from a request, by their type. Values come as JSON holds them: dates as ISO text, amounts as text."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from batuta.language.amounts import BOUND, DIMENSIONS, bound_spans, find_units, find_unnumbered
from batuta.language.annotation import AnnotatedText, last_number
from batuta.language.calendar_math import Period
from batuta.language.choices import index_for
from batuta.language.dates import find_dates
from batuta.language.expressions import find_expression
from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import aligned
from batuta.language.lexicon import SMALL_NUMBERS, one_of, small_number
from batuta.language.moments import find_moments
from batuta.language.names import find_companies
from batuta.language.numbers import find_numbers
from batuta.language.periods import find_periods
from batuta.language.rewording import plain_wordings
from batuta.language.understanding import Slot

_QUOTED = re.compile(r"[\"“«]([^\"”»]{1,200})[\"”»]|(?<!\w)'([^']{2,200})'(?!\w)")
_COUNT = rf"\d{{1,3}}|{one_of(word for word in SMALL_NUMBERS if word not in ('a', 'an', 'un', 'una', 'uno', 'one'))}"
_LIMIT = re.compile(
    r"\b(?:top|first|best|worst|last|latest|newest|oldest|most\s+recent|bottom|primer[oa]s|mejores|peores|principales|mayores|menores|los|las|the|ultim[oa]s|"
    r"which|que|cuales|our|nuestr[oa]s)\s+"
    rf"(?P<number>{_COUNT})\b(?!\s*(?:%|€|(?:days?|dias?|weeks?|semanas?|months?|mes(?:es)?|years?|anos?|quarters?|trimestres?|hours?|horas?|eur(?:os?)?)\b))"
    r"(?:\s+(?:primer[oa]s|mejores|peores|principales|mayores|best|biggest|largest|worst)\b)?|"
    rf"\b(?P<before>{_COUNT})\s+(?:best|biggest|largest|top|worst|smallest|highest|lowest|main|latest|newest|oldest|most\s+recent|principales|mejores|peores|mayores|menores|primer[oa]s|clientes?\s+(?:que\s+mas|principales|mejores)|customers?\s+(?:with|who))\b|"
    rf"^\W*(?:(?:show|give|dame|ensename|muestrame|dime)\s+(?:me\s+)?)?(?P<leading>{_COUNT})\s+(?:customers|clients|vendors|suppliers|items|products|countries|clientes|proveedores|productos|articulos|paises)\b(?=.*\b(?:most|least|mas|menos|highest|lowest|biggest|mayor|menor|best|mejor)\b)|"
    rf"^\W*(?:make\s+it|make\s+that|dejalo\s+en|dejalos\s+en|que\s+sean|mejor|only|just|solo)\s+(?:a\s+|the\s+|los\s+|las\s+)?(?:top\s+)?(?P<instead>{_COUNT})\W*$"
)
_COMPANIES = re.compile(r"\s+(?:of\s+)?(?:our\s+|nuestras\s+)?(?:companies|empresas|sociedades)\b")
"""The two companies are those there are: they limit no rows."""
_LEAST = re.compile(
    r"\b(?:least|lowest|smallest|fewest|worst|bottom|menos(?!\s+(?:de\s+)?\d)|menor(?:es)?|peor(?:es)?|mas\s+baj[oa]s?|mas\s+pequen[oa]s?|mas\s+barat[oa]s?|cheapest)(?:\s+first)?\b"
)
_MOST = re.compile(
    r"\b(?:most|highest|biggest|largest|top|best|greatest|mas(?!\s+(?:de\s+)?\d)(?:\s+(?:alt[oa]s?|grandes?|car[oa]s?|elevad[oa]s?|fuertes?|importantes?))?|mayor(?:es)?|mejor(?:es)?|principal(?:es)?|ranking|main|maxim[oa]s?)(?:\s+first)?\b"
)
_DOWNWARDS = re.compile(
    r"\bmayor(?:es)?\s+a\s+menor(?:es)?\b|\bmas\s+a\s+menos\b|\b(?:highest|largest|biggest)\s+to\s+(?:lowest|smallest)\b|\bmost\s+to\s+least\b"
)
"""An order that names both ends: the first of them comes first."""
HERE = "here"
"""Where the one who asks is, as the target of a conversion."""
_FOR_ME = re.compile(
    r"\b(?:for\s+me|for\s+us|here|my\s+time|our\s+time|para\s+mi|para\s+nosotros|aqui|mi\s+hora|hora\s+local)\b"
)
_UNTIL = re.compile(r"\b(?:until|till|til|before|to|hasta|para|antes\s+de)\b")
_SINCE = re.compile(r"\b(?:was|were|fell|cayo|caia|fue|era|since|passed|gone\s+by|desde|han\s+pasado|pasaron)\b")
_SPAN = re.compile(r"(?:between|from|since|entre|desde|del?)\b")
"""Opens a range of days."""
_BARE_UNIT = re.compile(r"\bde\s+(ano|mes|trimestre)\b")
"""The days that are left "de año" are those of this one."""
_HERE_AFTER = re.compile(r"\s*(?:h\s+)?(?:over\s+)?(?:here|aqui|aca)\b")
_HERE_BEFORE = re.compile(r"\b(?:here|aqui|aca)\s+(?:it'?s|it\s+is|son|es|sean?)\s+(?:las?\s+)?$")
_BESIDE = re.compile(r"\s*(?:h|hours|horas)?\s*(?:(?:hora\s+)?(?:de|en|in|del?|at?|to)\s+)?(?:the\s+|la\s+)?")
"""Between a time and the place it is meant at."""
_INCLUSIVE = re.compile(r"least|most|menos$|minimo|maximo|=")
_CODE = re.compile(r"(?<![\w.,])(?=[\w/-]*\d{3})[A-Z]{0,6}[-/]?\d[\w/-]{2,19}(?![\w.,%€]*\d)(?![%€])")
_RESULT_NAME = re.compile(
    r"\bdataset[\"']?\s*[:=]?\s*[\"'`]?(?P<name>[a-z_][a-z0-9_]{2,59})|`(?P<quoted>[a-z_][a-z0-9_]{2,59})`"
)


@dataclass(frozen=True, slots=True)
class _Source:
    text: AnnotatedText
    now: datetime
    last: str


Fill = Callable[[Slot, _Source], Any]


def fill_slot(slot: Slot, text: AnnotatedText, *, now: datetime, last: str = "") -> Any:
    """What a request says for a slot, or `None`. `last` is what was answered before."""
    return _FILLERS[slot.type](slot, _Source(text, now, last))


def _chosen(slot: Slot, found: list[Finding[Any]], source: _Source) -> list[Finding[Any]]:
    """Of several, those after the words that a slot asks for; without such words, all."""
    return [each for each in found if _is_after(slot, source.text.text, each)]


def _is_after(slot: Slot, text: str, found: Finding[Any]) -> bool:
    pattern = rf"\b(?:{'|'.join(slot.after)})\s+(?:the\s+|el\s+|la\s+|las\s+|los\s+)?$"
    return not slot.after or re.search(pattern, aligned(text)[: found.span.start]) is not None


def _named(slot: Slot, text: str) -> list[Finding[Any]]:
    """The values that are named: after the slot's words, or, of values that are names, by the whole of one."""
    is_names = slot.takes_names
    found = [each for each in index_for(slot).find(text, takes_parts=is_names) if _is_after(slot, text, each)]
    if found or not (slot.after and is_names):
        return found
    return index_for(slot).find(text, takes_parts=False)


def slot_spans(slot: Slot, text: AnnotatedText) -> list[TextSpan]:
    """The stretches of a request that a slot takes."""
    plain = aligned(text.text)
    match slot.type:
        case "choice" | "flag":
            spans = [each.span for each in _named(slot, text.text)]
            return spans + [_preceding(plain, span, slot.after) for span in spans if slot.after]
        case "limit" | "bound" | "code":
            pattern = {"limit": _LIMIT, "bound": BOUND, "code": _CODE}[slot.type]
            source = text.text if slot.type == "code" else plain
            return [TextSpan(start=each.start(), end=each.end()) for each in pattern.finditer(source)]
        case "ranking":
            return [
                TextSpan(start=each.start(), end=each.end()) for one in (_LEAST, _MOST) for each in one.finditer(plain)
            ]
        case "period":
            return [each.span for each in text.findings.get("any_period", ())]
        case _:
            return [each.span for each in text.findings.get(slot.type, ())]


def _preceding(plain: str, span: TextSpan, words: Sequence[str]) -> TextSpan:
    found = re.search(rf"\b(?:{'|'.join(words)})\s+(?:\w{{2,3}}\s+)?$", plain[: span.start])
    return TextSpan(start=found.start() if found else span.start, end=span.end)


def _of_kind(kind: str, shown: Callable[[Any], Any]) -> Fill:
    def fill(slot: Slot, source: _Source) -> Any:
        found = _chosen(slot, source.text.findings.get(kind, []), source)
        if not found:
            return None
        return [shown(each.value) for each in found] if slot.is_many else shown(found[0].value)

    return fill


def _period(value: Period) -> dict[str, str]:
    return {"first": value.first.isoformat(), "last": value.last.isoformat(), "grain": value.grain}


def _date(slot: Slot, source: _Source) -> Any:
    """A day that is named; of two that make a range, the one on the side that the slot's words tell."""
    day = _of_kind("date", lambda value: value.isoformat())(slot, source)
    if day is None or not slot.after or slot.is_many:
        return day
    ranges = [each for each in source.text.findings.get("period", []) if _SPAN.match(aligned(each.text))]
    dates = source.text.findings.get("date", [])
    is_whole = len(ranges) == 1 and len(dates) == 2 and all(ranges[0].span.overlaps(each.span) for each in dates)
    if not is_whole or dates[0].value <= dates[1].value:
        return day
    value = ranges[0].value  # the days of a range are of one year: "between 3 and 24 November"
    return (value.first if _SPAN.match(f"{slot.after[0]} ") else value.last).isoformat()


def _end(slot: Slot, source: _Source) -> Any:
    """A day that is named, else where a period ends; "until December" and "para diciembre" end where it begins."""
    plain = aligned(source.text.text)
    is_gone = _SINCE.search(plain) is not None
    dates = (
        find_dates(source.text.text, now=source.now, prefer="past") if is_gone else source.text.findings.get("date", [])
    )
    days = _chosen(slot, dates, source)
    if days:
        return str(days[0].value.isoformat())
    is_until = _UNTIL.search(plain) is not None
    words = _BARE_UNIT.sub(r"del \1", _UNTIL.sub(" ", plain))
    periods = find_periods(words, now=source.now, prefer="future", language=source.text.language)
    if not periods:
        return None
    value = periods[0].value
    return (value.first if is_until and value.first > source.now.date() else value.last).isoformat()


def _comparison(slot: Slot, source: _Source) -> Any:
    found = source.text.findings.get("comparison", [])
    if not found:
        return None
    value = found[0].value
    return {"kind": value.kind, **({"period": _period(value.period)} if value.period else {})}


def _moment(slot: Slot, source: _Source) -> Any:
    found = find_moments(source.text.text, now=source.now)
    return found[0].value.isoformat() if found else None


def _choice(slot: Slot, source: _Source) -> Any:
    periods = [each.span for kind in ("any_period", "comparison") for each in source.text.findings.get(kind, ())]
    named = _named(slot, source.text.text)
    if slot.takes_names:  # "more than 10000" names no customer of that number
        periods += bound_spans(source.text.text)
    # "los últimos 12 meses" names no category "mesas", however near the words are
    found = [each for each in named if not any(each.span.overlaps(one) for one in periods)]
    if len(found) < len(named) and not slot.takes_names:
        found = _named(slot, _without_spans(source.text.text, periods))  # "the last 12 months by month"
    if not found:
        return None
    return list(dict.fromkeys(each.value for each in found)) if slot.is_many else found[0].value


def _without_spans(text: str, spans: Sequence[TextSpan]) -> str:
    """A text with some of it made a word that names nothing, so that what stands around it is not joined."""
    for span in spans:
        text = f"{text[: span.start]}{'0' * (span.end - span.start)}{text[span.end :]}"
    return text


def _flag(slot: Slot, source: _Source) -> Any:
    return True if index_for(slot).find(source.text.text) else None


def _expression(slot: Slot, source: _Source) -> Any:
    if source.text.expression:
        return source.text.expression
    number = last_number(source.last) if source.last else None
    return find_expression(source.text.text, language=source.text.language, last=number) if number is not None else None


def _text(slot: Slot, source: _Source) -> Any:
    return source.text.text or None


def _wordings(slot: Slot, source: _Source) -> Any:
    return plain_wordings(source.text.text, source.text.language) or None


def _quoted(slot: Slot, source: _Source) -> Any:
    found = _QUOTED.search(source.text.text)
    return (found.group(1) or found.group(2)) if found else None


def _limit(slot: Slot, source: _Source) -> Any:
    plain = aligned(source.text.text)
    found = _LIMIT.search(plain)
    if found is None or _COMPANIES.match(plain, found.end()):
        return None
    return small_number(found["number"] or found["before"] or found["leading"] or found["instead"])


def limits_in(text: str) -> set[int]:
    """All the numbers of rows that a text asks for."""
    return {small_number(said) for found in _LIMIT.finditer(aligned(text)) for said in found.groups() if said}


def _bound(slot: Slot, source: _Source) -> Any:
    found = BOUND.search(aligned(source.text.text))
    if found is None:
        return None
    words = found["amount"].strip(" .,")
    scale = 1_000 if re.search(r"k|mil|thousand", words) else 1
    numbers = find_numbers(re.sub(r"\s?(?:k|mil|thousand)$", "", words), language=source.text.language)
    if not numbers:
        return None
    side = "above" if found["above"] else "below"
    unit = (found["unit"] or "")[:1]
    # "over 10.000 euros" is said in English as well: amounts have no three decimals, shares may have.
    amount = numbers[0].value if unit == "%" else max((numbers[0].value, *numbers[0].alternatives), key=abs)
    return {
        "side": side,
        "amount": str(amount * scale),
        "is_inclusive": _INCLUSIVE.search(found[side]) is not None,
        "is_days": unit == "d",
    }


def _code(slot: Slot, source: _Source) -> Any:
    periods = [each.span for each in source.text.findings.get("any_period", ())]
    for found in _CODE.finditer(source.text.text):
        span = TextSpan(start=found.start(), end=found.end())
        if not any(span.overlaps(each) for each in periods):
            return found.group()
    return None


def _ranking(slot: Slot, source: _Source) -> Any:
    plain = aligned(source.text.text)
    if _DOWNWARDS.search(plain):
        return "most"
    return "least" if _LEAST.search(plain) else "most" if _MOST.search(plain) else None


_TARGET = re.compile(
    r"\b(?:to|a|para|for|hora\s+(?:(?:es|son|sera|seria)\s+)?(?:de|en)|time\s+(?:is\s+it\s+|will\s+it\s+be\s+)?in)\s+"
    r"(?:the\s+|la\s+)?(?:hora\s+de\s+)?$"
)


_ASKED_BEHIND = re.compile(r"\s*,?\s*(?:what\s+(?:is\s+the\s+)?time|what's\s+the\s+time|que\s+hora)\b")
"""Behind a place, the question for its time: "…, en Madrid qué hora es?"."""


def _is_said_here(plain: str, time: TextSpan) -> bool:
    """Whether a time is said to be the one here: "10:30 here", "aquí son las 10:30"."""
    return bool(_HERE_AFTER.match(plain, time.end) or _HERE_BEFORE.search(plain, 0, time.start))


def _zones(slot: Slot, source: _Source) -> tuple[str | None, str | None]:
    """From where to where a time is converted: by the words before each place; one place alone is the target.

    "10am New York time, what is that for me?": the place beside the time is the origin, and `here` the target.
    """
    found = source.text.findings.get("zone", [])
    plain = aligned(source.text.text)
    if len(found) < 2:
        times = source.text.findings.get("time", [])
        if found and times and _is_said_here(plain, times[0].span):
            return None, found[0].value
        if found and times and _FOR_ME.search(plain):
            between = plain[times[0].span.end : found[0].span.start]
            if _BESIDE.fullmatch(between):
                return found[0].value, HERE
        return None, (found[0].value if found else None)
    times = source.text.findings.get("time", [])
    target = next(
        (
            each
            for each in found
            if _TARGET.search(plain[: each.span.start])
            or (each is found[-1] and _ASKED_BEHIND.match(plain, each.span.end))
        ),
        None,
    )
    beside = min(found, key=lambda each: min((abs(each.span.start - at.span.end) for at in times), default=0))
    origin = next((each for each in found if each is not target), found[0])
    if target is None:
        origin = beside
        target = next(each for each in found if each is not origin)
    return origin.value, target.value


def _company(slot: Slot, source: _Source) -> Any:
    found = find_companies(source.text.text)
    return found[0].value if found else None


def _some(slot: Slot, source: _Source) -> Any:
    """A number of units, else one or half a unit said without a number."""
    found = source.text.findings.get("quantity") or find_unnumbered(source.text.text)
    return _quantity(found[0].value) if found else None


_HAS_PARTS = re.compile(r"\d\s*[^\W\d]+\W*\d")
"""A quantity in two units: "2 h 17" is asked for in minutes, in which it is kept."""


def _unit(slot: Slot, source: _Source) -> Any:
    quantities = source.text.findings.get("quantity") or find_unnumbered(source.text.text)
    taken = [each.span for each in quantities]
    units = [each for each in find_units(source.text.text) if not any(each.span.overlaps(span) for span in taken)]
    if quantities:
        start, has_parts = quantities[0].value.unit, _HAS_PARTS.search(quantities[0].text) is not None
        units = [each for each in units if DIMENSIONS[each.value] == DIMENSIONS[start]]
        units = [each for each in units if each.value != start or has_parts]
    found = _chosen(slot, units, source) or units
    return found[-1].value if found else None


def _result(slot: Slot, source: _Source) -> Any:
    found = _RESULT_NAME.search(source.last)
    return (found["name"] or found["quoted"]) if found else None


def _money(value: Any) -> dict[str, str]:
    return {"amount": str(value.amount), "currency": value.currency}


def _quantity(value: Any) -> dict[str, str]:
    return {"amount": str(value.amount), "unit": value.unit}


def _found(slot: Slot, source: _Source) -> Any:
    return None if slot.find is None else slot.find(source.text.text, source.last)


_FILLERS: dict[str, Fill] = {
    "text": _text,
    "quoted": _quoted,
    "number": _of_kind("number", float),
    "integer": _of_kind("number", int),
    "money": _of_kind("money", _money),
    "percentage": _of_kind("percentage", float),
    "quantity": _some,
    "unit": _unit,
    "duration": _of_kind("duration", lambda value: int(value.total_seconds() // 60)),
    "date": _date,
    "time": _of_kind("time", lambda value: f"{value:%H:%M}"),
    "moment": _moment,
    "period": _of_kind("any_period", _period),
    "comparison": _comparison,
    "recurrence": _of_kind("recurrence", lambda value: value.frequency),
    "zone": _of_kind("zone", str),
    "zone_from": lambda slot, source: _zones(slot, source)[0],
    "zone_to": lambda slot, source: _zones(slot, source)[1],
    "person": _of_kind("person", str),
    "company": _company,
    "expression": _expression,
    "choice": _choice,
    "ranking": _ranking,
    "limit": _limit,
    "result": _result,
    "flag": _flag,
    "wordings": _wordings,
    "bound": _bound,
    "code": _code,
    "found": _found,
    "end": _end,
}
"""How each type of slot is found; a duration counts minutes."""
