"""Documents that are versions of one another by the dates of their names, and which of them a question means. Pure.

"Prices 2025.csv" and "Prices 2026.xlsx"; "minutes 2026-03-03.docx" are those of 3 March.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from batuta.knowledge.cite.facts import facts_in
from batuta.knowledge.cite.units import MONTHS
from batuta.knowledge.words import folded

_ENDING = re.compile(r"\.[a-z0-9]{1,5}$")
_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)[-_. ]?(?P<month>0[1-9]|1[0-2])(?:[-_. ]?(?P<day>0[1-9]|[12]\d|3[01]))?(?!\d)"
    r"|(?<!\d)(?P<first>0?[1-9]|[12]\d|3[01])[-_. ](?P<second>0?[1-9]|1[0-2])[-_. ](?P<last>(?:19|20)\d\d)(?!\d)"
)
_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?!\d|[.,]\d| ?(?:[%€$£]|(?:eur|usd|gbp)\b))")
_NAMES = {word: number for word, number in MONTHS.items() if len(word) > 3 and word != "sept"}
_MONTH = re.compile(
    rf"\b(?:{'|'.join(_NAMES)})\b|(?:\b(?:in|of|last|this)|\d) (?P<may>may)\b|\b(?P<may_of>may) (?:\d|minutes)"
)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """The years, the months, and the days with their months that a text names."""

    years: frozenset[str] = frozenset()
    months: frozenset[int] = frozenset()
    days: frozenset[tuple[int, int]] = frozenset()

    def meets(self, other: "Dates") -> bool:
        """Whether what both name of each kind agrees, and there is something of a kind."""
        compared = [bool(one & two) for one, two in self._beside(other) if one and two]
        return bool(compared) and all(compared)

    def differs(self, other: "Dates") -> bool:
        """Whether both name a year, a month or a day, and not the same one."""
        return any(one and two and not one & two for one, two in self._beside(other))

    def _beside(self, other: "Dates") -> tuple[tuple[frozenset[object], frozenset[object]], ...]:
        return (self.years, other.years), (self.months, other.months), (self.days, other.days)


def dates_in(text: str) -> Dates:
    """The dates of a name or of a question."""
    plain = folded(text.lower()).replace("_", " ")
    dated = [found.group("year", "month", "second", "last") for found in _DATE.finditer(plain)]
    months = {int(month or second) for _, month, second, _ in dated}
    rest = _DATE.sub(" ", plain)
    months |= {_NAMES.get(found.group(), MONTHS["may"]) for found in _MONTH.finditer(rest)}
    years = {year or last for year, _, _, last in dated} | set(_YEAR.findall(rest))
    days = {(month, day) for readings in facts_in(plain).days for _, month, day in readings if len(readings) == 1}
    return Dates(years=frozenset(years), months=frozenset(months), days=frozenset(days))


def month_names(name: str) -> str:
    """The months of the dates that stand in a name in figures, in words."""
    numbers = dates_in(_WORD.sub(" ", _ENDING.sub("", name.lower()))).months
    return " ".join(word for word, number in (*_NAMES.items(), ("may", MONTHS["may"])) if number in numbers)


def meant_versions(question: str, names: Collection[str]) -> Sequence[str]:
    """Of the names of documents, those that a question may mean: without the versions of other dates than it names,
    where one of its dates is there.
    """
    asked = dates_in(question)
    dates = {name: dates_in(_ENDING.sub("", name)) for name in names}
    meant = {_undated(name) for name, own in dates.items() if own.meets(asked)}
    return [name for name, own in dates.items() if not (own.differs(asked) and _undated(name) in meant)]


def tells_version(answer: str, name: str, other: str) -> bool:
    """Whether an answer says by its date which of two versions of a document it is from."""
    own, others = (dates_in(_ENDING.sub("", each)) for each in (name, other))
    return _undated(name) == _undated(other) and own.differs(others) and dates_in(answer).meets(own)


def _undated(name: str) -> frozenset[str]:
    words = _WORD.findall(_ENDING.sub("", folded(name.lower())))
    return frozenset(word for word in words if word not in MONTHS)
