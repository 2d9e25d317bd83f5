"""A request with everything that was found in it: what a classifier and the slots of an intent are given.

"book lunch with Ana tomorrow at 1"  ->  tokens: book lunch with ana <date> <time>
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar

from batuta.language.amounts import (
    DIMENSIONS,
    Quantity,
    bound_spans,
    find_money,
    find_percentages,
    find_quantities,
    find_units,
)
from batuta.language.choices import words_with_places
from batuta.language.colloquial import SHORTENED
from batuta.language.dates import find_dates
from batuta.language.detection import detect_language
from batuta.language.expressions import find_expression, needs_last_result
from batuta.language.findings import Finding, Language
from batuta.language.folding import composed, fold
from batuta.language.names import find_contact
from batuta.language.numbers import find_numbers
from batuta.language.periods import find_comparisons, find_periods
from batuta.language.places import find_zones, places_of_time
from batuta.language.recurrences import find_recurrences
from batuta.language.times import find_durations, find_soon, find_times

MAX_CHARS = 1_000
T = TypeVar("T")
_KEPT = frozenset({"today", "hoy"})
"""Days whose word tells more than that a day is named."""

_PER = re.compile(r"\b(?:per|por|each|cada)\s+$")
MARKERS = (
    "zone",
    "unknown_zone",
    "money",
    "percentage",
    "comparison",
    "recurrence",
    "soon",
    "date",
    "period",
    "time",
    "quantity",
    "unit",
    "person",
    "number",
)
"""Kinds of findings that stand for their words in a sentence that is classified, the stronger first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedText:
    """A text, its language, and its findings by kind."""

    text: str
    language: Language
    findings: dict[str, list[Finding[Any]]]
    expression: str | None
    """Arithmetic in it, as a calculator takes it."""
    is_about_last_result: bool
    """The arithmetic goes on from a number said before."""

    @property
    def has_values(self) -> bool:
        """Whether it holds a sum or a quantity."""
        return self.expression is not None or self.is_about_last_result or bool(self.findings.get("quantity"))

    def tokens(self, choices: dict[str, list[Finding[str]]] | None = None) -> list[str]:
        """Its words, with a marker for each finding; `choices` are named values by slot, marked besides their words."""
        marked = sorted(
            (each.span.start, each.span.end, kind) for kind in MARKERS for each in self.findings.get(kind, ())
        )
        tokens: list[str] = []
        last = -1
        for word, start, end in words_with_places(self.text):
            covering = [(MARKERS.index(kind), at, kind) for at, until, kind in marked if at <= start and end <= until]
            if not covering:
                tokens += fold(SHORTENED[self.language].get(word, word)).split()
                continue
            _, at, kind = min(covering)
            if at != last:
                tokens.append(f"<{kind.removeprefix('unknown_')}>")
            if kind == "date" and word in _KEPT:
                tokens.append(word)
            last = at
        tokens += [f"<{name}>" for name, found in (choices or {}).items() if found]
        if self.expression or self.is_about_last_result:
            tokens.append("<expression>")
        return tokens


def annotated(text: str, *, now: datetime, language: Language | None = None, reader: Language = "en") -> AnnotatedText:
    """A text with everything found in it, seen from `now`. `reader` is the language of one that shows none."""
    text_language = language or detect_language(text, reader)
    return _annotated(composed(text)[:MAX_CHARS], now.replace(second=0, microsecond=0), text_language)


@lru_cache(maxsize=4096)
def _annotated(text: str, now: datetime, text_language: Language) -> AnnotatedText:
    has_digits_or_words = any(char.isalnum() for char in text)
    if not has_digits_or_words:
        return AnnotatedText(
            text=text, language=text_language, findings={}, expression=None, is_about_last_result=False
        )
    contact = find_contact(text)
    people = [contact] if contact else []
    limits = bound_spans(text)
    found = find_periods(text, now=now, language=text_language)
    periods = [
        each for each in found if not any(span.start <= each.span.start < each.span.end <= span.end for span in limits)
    ]
    quantities = find_quantities(text, language=text_language)
    units = _units_beside(text, quantities)
    weights = quantities if units else []
    findings: dict[str, list[Finding[Any]]] = {
        "zone": _apart(find_zones(text), people),
        "unknown_zone": _apart(places_of_time(text), people),
        "money": _apart(find_money(text, language=text_language), weights),
        "percentage": find_percentages(text, language=text_language),
        "comparison": find_comparisons(text, now=now, language=text_language),
        "recurrence": find_recurrences(text),
        "soon": find_soon(text, now=now),
        "date": find_dates(text, now=now, language=text_language),
        "period": [each for each in periods if each.value.grain != "day"],
        "time": find_times(text),
        "quantity": quantities,
        "unit": units,
        "duration": find_durations(text),
        "number": find_numbers(text, language=text_language),
        "person": people,
        "any_period": periods,
    }
    # "3/4 of a litre in ml" is converted, not divided; "a las cinco menos diez" is a time
    is_no_sum = (
        _converts(units, quantities) and not _names_a_rate(text) and _are_covered(findings["number"], quantities)
    )
    is_no_sum |= bool(findings["number"]) and _are_covered(findings["number"], findings["time"])
    expression = None if is_no_sum else find_expression(text, language=text_language)
    return AnnotatedText(
        text=text,
        language=text_language,
        findings={kind: found for kind, found in findings.items() if found},
        expression=expression,
        is_about_last_result=expression is None and needs_last_result(text),
    )


def _units_beside(text: str, quantities: list[Finding[Quantity]]) -> list[Finding[str]]:
    """Units into which a quantity of the same kind may be converted: "3 pounds in kg" names a weight, and no money."""
    kinds = {DIMENSIONS[each.value.unit] for each in quantities}
    return [each for each in _apart(find_units(text), quantities) if DIMENSIONS[each.value] in kinds] if kinds else []


def _names_a_rate(text: str) -> bool:
    """Whether a unit stands behind a "per": "15 mg per kilo"."""
    return any(_PER.search(fold(text[: each.span.start])) for each in find_units(text))


def _converts(units: list[Finding[str]], quantities: list[Finding[Quantity]]) -> bool:
    """Whether a quantity is asked for in another unit; "65 km a day 5 days a week, how many km?" is a product."""
    own = {each.value.unit for each in quantities}
    is_product = len(own) > 1 and len({DIMENSIONS[unit] for unit in own}) > 1
    return bool(units) and not (is_product and any(each.value in own for each in units))


def _are_covered(found: Sequence[Finding[Any]], others: Sequence[Finding[Any]]) -> bool:
    return all(any(other.span.covers(each.span) for other in others) for each in found)


def _apart(found: list[Finding[T]], others: Sequence[Finding[Any]]) -> list[Finding[T]]:
    """Findings that share no word with others, which are likelier to be meant."""
    return [each for each in found if not any(each.span.overlaps(other.span) for other in others)]


def last_number(text: str) -> Decimal | None:
    """The one number that an answer states; where it states several, the one after its last `is`, `=` or `son`."""
    text_language = detect_language(text)
    tail = max((text.rfind(sign) for sign in (" = ", " is ", " are ", " son ", " es ")), default=-1)
    numbers = {each.value for each in find_numbers(text[tail:] if tail >= 0 else text, language=text_language)}
    return numbers.pop() if len(numbers) == 1 else None
