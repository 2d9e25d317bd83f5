"""The periods that words mean: "Q3", "el trimestre pasado", "last 12 months", "de enero a marzo", "year to date".

First the single units are read (days, weeks, months, quarters, halves, years), then what stands between and before two
of them makes a range, and `since` or `until` an open one. `find_comparisons` reads with what a period is compared.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from batuta.language.calendar_math import Period, Preference, Reference, months_on, unit_of
from batuta.language.dates import BLANK, MAX_CHARS, ends_a_term, find_dates
from batuta.language.findings import Finding, Language, TextSpan
from batuta.language.period_forms import period_forms
from batuta.language.plain_text import PlainText

KEPT_TEXTS = 1024
DAYS_OF_WEEK = 7
ComparisonKind = Literal["previous_period", "previous_year", "period"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """With what a period is compared: the one before it, the same a year earlier, or one that is named."""

    kind: ComparisonKind
    period: Period | None = None

    def of(self, period: Period) -> Period:
        """What a period is compared with."""
        if self.kind == "period" and self.period is not None:
            return self.period
        return period.before() if self.kind == "previous_period" else period.year_before()


@dataclass(frozen=True, slots=True)
class _Read:
    start: int
    end: int
    periods: tuple[Period, ...]
    has_year: bool = True


def find_periods(
    text: str, *, now: datetime, prefer: Preference = "past", language: Language | None = None
) -> list[Finding[Period]]:
    """The periods a text speaks of, in its order, without those it only compares with. A single day is one too."""
    return list(_periods(text[:MAX_CHARS], now, prefer, language, is_comparing=False))


def find_comparisons(text: str, *, now: datetime, language: Language | None = None) -> list[Finding[Comparison]]:
    """With what a text asks to compare: "vs last year", "respecto al mes anterior", "interanual"."""
    return list(_comparisons(text[:MAX_CHARS], now, language))


@lru_cache(maxsize=KEPT_TEXTS)
def _comparisons(text: str, now: datetime, language: Language | None) -> tuple[Finding[Comparison], ...]:
    source = PlainText(text)
    named = _periods(text, now, "past", language, is_comparing=True)
    found = []
    for match in _COMPARING.finditer(source.plain):
        span = source.span(match.start(), match.end())
        after = next((each for each in named if _leads_to(source, match.end(), each.span)), None)
        kind = next((kind for kind, pattern in _COMPARED.items() if pattern.match(source.plain, match.end())), None)
        if match["fixed"]:
            kind = "previous_period" if re.search(_SHORT_FIXED, match["fixed"]) else "previous_year"
        same = _SAME_OF_A_YEAR.match(source.plain, match.end())
        if same is not None and any(each.value.first.year == int(same["year"]) + 1 for each in named):
            whole = source.span(match.start(), same.end())
            found.append(_compared(source, whole, Comparison(kind="previous_year"), now))
        elif kind is not None:
            tail = _COMPARED[kind].match(source.plain, match.end()) if not match["fixed"] else None
            whole = source.span(match.start(), tail.end() if tail else match.end())
            found.append(_compared(source, whole, Comparison(kind=kind), now))
        elif after is not None:
            value = Comparison(kind="period", period=after.value)
            found.append(_compared(source, span.joined(after.span), value, now))
    return tuple(found or _compared_afar(source, named, now))


def _leads_to(source: PlainText, end: int, span: TextSpan) -> bool:
    """Whether nothing but articles stands between a word of comparison and a period: "versus Italy this year" does not."""
    start = _place(source, span)[0]
    return end <= start and _ARTICLES.fullmatch(source.plain, end, start) is not None


def _compared_afar(source: PlainText, named: Sequence[Finding[Period]], now: datetime) -> list[Finding[Comparison]]:
    """Read "compare the sales of this year with last year": what follows the connecting word is compared with."""
    for before, after in pairwise(named):
        start = _place(source, after.span)[0]
        end = _place(source, before.span)[1]
        joints = (
            found
            for asks, connecting in ((_ASKS_TO_COMPARE, _JOINT), (_MORE_OR_LESS, _THAN))
            if (found := connecting.search(source.plain, end, start)) and asks.search(source.plain, 0, found.start())
        )
        joint = next(joints, None)
        if joint is None:
            continue
        kind = next((each for each, pattern in _COMPARED.items() if pattern.match(source.plain, joint.end())), None)
        value = Comparison(kind=kind) if kind else Comparison(kind="period", period=after.value)
        return [_compared(source, source.span(joint.start(), start).joined(after.span), value, now)]
    than = _THAN_THE_LAST.search(source.plain) if named else None
    if than is not None and (than["against"] or _MORE_OR_LESS.search(source.plain, 0, than.start())):
        before_it = Comparison(kind="previous_period")
        return [_compared(source, source.span(than.start(), than.end()), before_it, now)]
    asks = _ASKS_TO_COMPARE.search(source.plain)
    for joint in _JOINING.finditer(source.plain, asks.end()) if asks else ():
        for each, pattern in _COMPARED.items():
            tail = pattern.match(source.plain, joint.end())
            if tail is not None:
                return [_compared(source, source.span(joint.start(), tail.end()), Comparison(kind=each), now)]
    return []


def _compared(source: PlainText, span: TextSpan, value: Comparison, now: datetime) -> Finding[Comparison]:
    return Finding(value=value, span=span, text=source.words(span), reference=now)


@lru_cache(maxsize=KEPT_TEXTS)
def _periods(
    text: str, now: datetime, prefer: Preference, language: Language | None, *, is_comparing: bool
) -> tuple[Finding[Period], ...]:
    """Kept, because every slot and every intent that speaks of a period looks for it in the same text."""
    source = PlainText(text[:MAX_CHARS])
    reference = Reference(now=now, prefer=prefer)
    compared = [] if is_comparing else find_comparisons(text, now=now, language=language)
    reads = _units(source, reference, text, language)
    found = []
    for read in _ranges(source.plain, reads, reference):
        span = source.span(read.start, read.end)
        if any(span.overlaps(each.span) for each in compared):
            continue
        others = tuple(dict.fromkeys(each for each in read.periods[1:] if each != read.periods[0]))
        found.append(
            Finding(value=read.periods[0], span=span, text=source.words(span), alternatives=others, reference=now)
        )
        beside = None if is_comparing else _AND_THE_LAST.match(source.plain, read.end)
        if beside is not None and found[-1].value.grain != "range":
            last = source.span(*beside.span("last"))
            found.append(Finding(value=found[-1].value.before(), span=last, text=source.words(last), reference=now))
    return tuple(found)


def _units(source: PlainText, reference: Reference, text: str, language: Language | None) -> list[_Read]:
    """Single units: the forms of this table first, then the days that are left."""
    plain, reads = source.plain, []
    for pattern, resolve in period_forms():
        for match in pattern.finditer(plain):
            try:
                periods = tuple(resolve(match, reference))
            except (ValueError, OverflowError, IndexError):
                periods = ()
            if periods:
                groups = match.groupdict()
                is_of_a_year = any(groups.get(name) for name in _WITHIN_A_YEAR)
                has_year = bool(groups.get("year") or groups.get("year2")) or not is_of_a_year
                is_more = any(groups.get(name) for name in _BESIDE_A_MONTH)
                start = match.start("month") if groups.get("month") and not is_more else match.start()
                reads.append(_Read(start, match.end(), periods, has_year))
                plain = plain[: match.start()] + BLANK * (match.end() - match.start()) + plain[match.end() :]
    for day in find_dates(text, now=reference.now, prefer=reference.prefer, language=language):
        if ends_a_term(day.text):
            continue
        days = tuple(unit_of("day", each) for each in (day.value, *day.alternatives))
        start, end = _place(source, day.span)
        reads.append(_Read(start, end, days, has_year=bool(re.search(r"\d{4}", day.text))))
    return _longest(reads)


def _longest(reads: list[_Read]) -> list[_Read]:
    """Without what lies across a longer one; a unit comes before a day of the same words."""
    kept: list[_Read] = []
    for read in sorted(reads, key=lambda each: each.start - each.end):
        if not any(read.start < other.end and other.start < read.end for other in kept):
            kept.append(read)
    return sorted(kept, key=lambda each: each.start)


def _place(source: PlainText, span: TextSpan) -> tuple[int, int]:
    """Where a stretch of the text lies in its plain form."""
    places = [place for place in range(len(source.plain) + 1) if source.span(place, place).start == span.start]
    start = places[0] if places else span.start
    end = next((p for p in range(start, len(source.plain) + 1) if source.span(p, p).start >= span.end), span.end)
    return start, end


def _ranges(plain: str, reads: list[_Read], reference: Reference) -> list[_Read]:
    """Two units with `to` between them are one range; one after `since` is open."""
    reads = _with_shared_year(plain, reads)
    found: list[_Read] = []
    index = 0
    while index < len(reads):
        read = reads[index]
        after = reads[index + 1] if index + 1 < len(reads) else None
        opening = _OPENING.search(plain, 0, read.start)
        word = " ".join(opening["word"].split()) if opening else ""
        if after is not None and _is_range(plain, read, after, word):
            start = opening.start() if opening and word not in _LIMITS else read.start
            found.append(_Read(start, after.end, (_range(read, after, reference),)))
            index += 2
            continue
        week = _WEEK_OF.search(plain, 0, read.start)
        if week is not None and read.periods[0].grain == "day":
            read = _Read(week.start(), read.end, tuple(unit_of("week", each.first) for each in read.periods))
        elif opening and word in _LIMITS:
            read = _limited(read, opening.start(), word, reference)
        found.append(read)
        index += 1
    return [read for read in found if read.periods]


def _with_shared_year(plain: str, reads: list[_Read]) -> list[_Read]:
    """Units that are joined have the year of the last of them: "October and November 2025"."""
    shared = reads[-1:]
    for read, after in reversed(list(pairwise(reads))):
        unit, last = read.periods[0], shared[0]
        is_alike = unit.grain == last.periods[0].grain != "day" and last.has_year and not read.has_year
        if is_alike and _AND.fullmatch(plain, read.end, after.start):
            dated = _in_year(unit, last.periods[0].first.year)
            shared.insert(0, _Read(read.start, read.end, (dated,), has_year=True))
        else:
            shared.insert(0, read)
    return shared


def _is_range(plain: str, read: _Read, after: _Read, word: str) -> bool:
    """Whether what stands between two units makes a range of them; the `a` of "is it a Friday?" does not."""
    gap = plain[read.end : after.start]
    if not gap.strip() and plain.startswith("a ", after.start):
        return True  # "de mediados de junio a finales de agosto"
    joint = re.fullmatch(r"\s*(to|through|thru|until|till|up\s+to|a|al|hasta|-|–|—)\s*(?:el\s+|la\s+|the\s+)?", gap)
    if joint is not None and not (joint[1] == "a" and plain[after.start : after.end].endswith("day")):
        return True
    is_joined = re.fullmatch(r"\s*(?:and|y|e)\s*(?:el\s+|la\s+|the\s+)?", gap) is not None
    # "the difference between July and August" is one of two periods
    return word in ("between", "entre") and is_joined and not _ASKS_TO_COMPARE.search(plain, 0, read.start)


def _range(read: _Read, after: _Read, reference: Reference) -> Period:
    first, last = read.periods[0], after.periods[0]
    if after.has_year and not read.has_year:
        first = _in_year(first, last.last.year)
        if first.first > last.last:
            first = _in_year(first, last.last.year - 1)
    elif first.grain == last.grain == "day" and 0 < (first.first - last.first).days < DAYS_OF_WEEK:
        if reference.prefer == "past":  # "from Monday to Friday", said on a Monday
            first = unit_of("day", first.first - timedelta(days=DAYS_OF_WEEK))
        else:
            last = unit_of("day", last.first + timedelta(days=DAYS_OF_WEEK))
    elif first.first > last.last:
        if reference.prefer == "past" and not after.has_year:
            first = _in_year(first, first.first.year - 1)
        else:
            last = _in_year(last, first.first.year + (last.last.month < first.first.month))
    while last.last < first.first and last.grain == "day":
        last = unit_of("day", last.first + timedelta(days=7))  # "from tomorrow to Thursday", said on a Thursday
    if last.last < first.first:
        first, last = last, first
    grain = first.grain if first.grain == last.grain == "day" and first == last else "range"
    return Period(first=first.first, last=last.last, grain=grain)


def _in_year(period: Period, year: int) -> Period:
    if period.grain not in ("day", "month", "quarter", "half"):
        return period
    return unit_of(period.grain, months_on(period.first, 12 * (year - period.first.year)))


def _limited(read: _Read, start: int, word: str, reference: Reference) -> _Read:
    """Since a period: to today. Until one: from the beginning of its year, or of all time."""
    period, today = read.periods[0], reference.today
    if word in ("since", "desde", "a partir de", "starting", "after", "despues de"):
        begins = period.first if word not in ("after", "despues de") else period.last + timedelta(days=1)
        if begins > today:
            return read
        return _Read(start, read.end, (Period(first=begins, last=today, grain="range"),))
    ends = period.last if word not in ("before", "antes de") else period.first - timedelta(days=1)
    everything = Period(first=date(1900, 1, 1), last=ends)
    return _Read(start, read.end, (Period(first=date(ends.year, 1, 1), last=ends), everything))


_WITHIN_A_YEAR = ("month", "quarter", "quarter2", "quarter3", "half", "half2")
"""Groups of a form that name a unit which every year has."""
_BESIDE_A_MONTH = ("part", "one", "amount", "amount2")
"""Groups of a form that belong to its period as much as its month."""
_AND = re.compile(r"\s*(?:,|and|y|e|&|,\s*and)\s*(?:(?:the|el|en|in|de|of)\s+)*")
_LIMITS = frozenset(
    {"since", "desde", "a partir de", "until", "till", "up to", "hasta", "before", "antes de", "starting", "after",
     "despues de", "through"}
)  # fmt: skip
_OPENING = re.compile(
    r"\b(?P<word>from|between|since|starting|until|till|up\s+to|before|after|through|de|del|desde|entre|hasta|"
    r"a\s+partir\s+de|antes\s+de|despues\s+de)l?\s+(?:the\s+|el\s+|la\s+)?$"
)
_WEEK_OF = re.compile(
    r"\b(?:semana\s+(?:del?|que\s+empieza)|week\s+(?:of|beginning|starting|commencing))\s+(?:el\s+|the\s+)?$"
)
_SHORT_FIXED = r"month|\bmom\b|quarter|\bqoq\b|week|\bwow\b|mensual|trimestral|intermensual|semanal"
_COMPARING = re.compile(
    r"\b(?:(?P<fixed>year[- ]on[- ]year|year[- ]over[- ]year|yoy|y/y|interanual(?:es)?|month[- ]o(?:ver|n)[- ]month|mom|"
    r"quarter[- ]o(?:ver|n)[- ]quarter|qoq|week[- ]o(?:ver|n)[- ]week|intermensual|intertrimestral)\b|"
    r"(?:compared?\s+(?:with|to|against)|in\s+comparison\s+(?:with|to)|versus|vs\.?|against|than|relative\s+to|"
    r"(?:en\s+)?comparaci[oó]n\s+con|comparad[oa]s?\s+con|compar[ao]l?[oa]?s?\s+con|compar(?:ar|ando)\s+con|frente\s+a|respecto\s+(?:a|de)|"
    r"contra|(?:mas|menos|mayor(?:es)?|menor(?:es)?|mejor(?:es)?|peor(?:es)?)\s+que)l?\s+)"
)
_ASKS_TO_COMPARE = re.compile(
    r"\b(?:compar(?:e|es|ed|ing|ison|a|as|ar|ame|an|ando|acion|ativa|alas|alos)|difference|diferencia|variacion)\b"
)
_MORE_OR_LESS = re.compile(
    r"\b(?:more|less|fewer|better|worse|higher|lower|mas|menos|mejor(?:es)?|peor(?:es)?|mayor(?:es)?|menor(?:es)?)\b"
)
_THAN_THE_LAST = re.compile(
    r"\bque\s+(?:en\s+)?(?:el|la)\s+(?:pasad[oa]|anterior|previ[oa])\b"
    r"|\b(?:than|(?P<against>versus|vs\.?|against|compared\s+(?:with|to)))\s+(?:in\s+)?(?:the\s+)?(?:last|previous)(?:\s+one)?(?=\W*$)"
)
"""The end of "¿compramos más este año que el pasado?" and of "this year versus last"."""
_AND_THE_LAST = re.compile(
    r"\W*\b(?:and|y|e|o|or)\s+(?:(?:how\s+much|cuanto|que|what)\s+)?(?P<last>(?:(?:in|of|en|de|las?|los?)\s+)*(?:the\s+|el\s+|del\s+|la\s+)?"
    r"(?:last|previous|pasad[oa]|anterior|previ[oa])(?:\s+one)?)(?=\W*$)"
)
"""The end of "¿cuánto vendimos este año y cuánto el pasado?" and of "sales this year and last"."""
_THAN = re.compile(r"\sque\s+(?:(?:en|de)\s+)?(?:(?:el|la|las?|los?)\s+(?:(?:del?|en)\s+)?)?(?:el\s+|la\s+)?$")
"""What stands before the other period of "¿hemos vendido más este mes que el mes pasado?"."""
_JOINT = re.compile(
    r"\s(?:with|to|and|against|con|y|e|contra|a|frente\s+a)l?\s+(?:(?:those|that|las?|los?)\s+(?:(?:of|in|del?|en)\s+)?)?(?:the\s+|el\s+|la\s+)?$"
)
_JOINING = re.compile(r"\s(?:with|to|and|against|con|y|e|contra|a|frente\s+a)l?\s+")
_PERIOD_WORD = r"(?:period|periodo|month|mes|quarter|trimestre|week|semana|semester|semestre|day|dia)"
_ARTICLES = re.compile(r"\s*(?:(?:that|those|the|in|of|from|for|las?|los?|el|lo|de|del|en|al|a)\s+)*")
_SAME_OF_A_YEAR = re.compile(
    r"(?:the\s+|el\s+|los\s+|las\s+|al?\s+)*(?:same|mism[oa]s?)\s+"
    r"(?:periods?|periodos?|months?|mes(?:es)?|quarters?|trimestres?|weeks?|semanas?|days?|dias|dates|fechas|time|one)\s+"
    r"(?:of|in|from|del?|en)\s+(?P<year>20\d\d)\b"
)
"""The same part of a year that is named: "compared with the same months of 2025"."""
_COMPARED: dict[ComparisonKind, re.Pattern[str]] = {
    "previous_year": re.compile(
        r"(?:(?:that|those|las?|los?)\s+)?(?:(?:of|in|from|del?|en)\s+)?(?:the\s+|el\s+|al\s+|lo\s+)?(?:(?:same|mism[oa]s?)\s+(?:(?:period|periodo|month|mes|quarter|trimestre|time|week|semana|dia|day|one)\s+)?"
        r"(?:of\s+|in\s+|de\s+|del\s+|en\s+)?(?:the\s+|el\s+)?)?"
        r"(?:last\s+year|previous\s+year|year\s+before|prior\s+year|a\s+year\s+(?:ago|earlier|before)|ano\s+(?:pasado|anterior|previo)|(?:pasado|anterior|previo)\s+ano|hace\s+un\s+ano|un\s+ano\s+antes)"
    ),
    "previous_period": re.compile(
        rf"(?:l[ao]s?\s+del?\s+)?(?:the\s+|el\s+|al\s+|la\s+)?(?:(?:last|previous|prior|preceding)\s+{_PERIOD_WORD}|{_PERIOD_WORD}\s+(?:before|pasad[oa]|anterior|previ[oa])|"
        rf"(?:pasad[oa]|anterior|previ[oa])\b(?:\s+{_PERIOD_WORD})?|(?:last|previous)\s+one\b|one\s+before\b)"
    ),
}
