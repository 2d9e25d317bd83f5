"""A text as the calendar forms read it: folded, with mistyped calendar words mended, each place traceable to the text."""

import re
from bisect import bisect_right
from functools import lru_cache

from batuta.language.findings import TextSpan
from batuta.language.folding import aligned, composed, nearest

_MENDED = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "tomorrow",
    "yesterday",
    "january",
    "february",
    "august",
    "september",
    "october",
    "november",
    "december",
    "miercoles",
    "jueves",
    "viernes",
    "sabado",
    "domingo",
    "manana",
    "febrero",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
    "trimestre",
    "semestre",
    "quarter",
    "weekend",
    "morning",
    "afternoon",
    "evening",
]
_REAL_WORDS = frozenset(
    [
        "jueces",
        "manzana",
        "mananas",
        "sabido",
        "sabana",
        "sabanas",
        *(f"{day}days" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")),
        "quarters",
        "weekends",
        "mornings",
        "mourning",
        "afternoons",
        "evenings",
        "quartet",
        "quarterly",
        "semestres",
        "trimestres",
        "domingos",
        "sabados",
        "augusto",
        "cuarter",
        "trimestral",
        "semestral",
        "sundry",
        "mundane",
        "manada",
        "marana",
        "maranas",
    ]
)
"""Words one letter away from a calendar word that mean something else."""
_ABBREVIATED = {
    "nxt": "next", "tmrw": "tomorrow", "tmw": "tomorrow", "tmrow": "tomorrow", "tmr": "tomorrow", "tomoz": "tomorrow", "2moro": "tomorrow", "tomorow": "tomorrow",
    "tommorow": "tomorrow", "tommorrow": "tomorrow", "wensday": "wednesday", "wendsday": "wednesday",
    "wednsday": "wednesday", "mñn": "manana", "mnn": "manana", "mnna": "manana", "mñna": "manana", "fin de": "fin de", "findes": "finde",
    "qtr": "quarter", "trim": "trimestre", "ult": "ultimo", "prox": "proximo", "prx": "proximo", "pasao": "pasado",
    "setiembre": "septiembre", "yr": "year", "yrs": "years", "wk": "week", "wks": "weeks", "mth": "month", "mths": "months",
    "febraury": "february", "febuary": "february",
}  # fmt: skip
_WORD = re.compile(r"[a-z0-9]+")


class PlainText:
    """A text and its folded, mended form."""

    def __init__(self, text: str) -> None:
        self.text = composed(text)
        self.plain, self._starts, self._shifts = _mended(aligned(self.text))

    def span(self, start: int, end: int) -> TextSpan:
        """The stretch of the text that a stretch of the plain form stands for."""
        return TextSpan(start=self._origin(start), end=self._origin(end))

    def words(self, span: TextSpan) -> str:
        """The words of a stretch, as they were written."""
        return self.text[span.start : span.end]

    def _origin(self, place: int) -> int:
        index = bisect_right(self._starts, place) - 1
        return place + (self._shifts[index] if index >= 0 else 0)


def _mended(plain: str) -> tuple[str, list[int], list[int]]:
    """The plain form, and from which of its places on the text lies how many characters further."""
    pieces: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    last = length = shift = 0
    for match in _WORD.finditer(plain):
        word = match.group()
        mended = _right_word(word)
        if mended == word:
            continue
        pieces += [plain[last : match.start()], mended]
        length += match.start() - last + len(mended)
        shift += len(word) - len(mended)
        starts.append(length)
        shifts.append(shift)
        last = match.end()
    return "".join([*pieces, plain[last:]]), starts, shifts


@lru_cache(maxsize=4096)
def _right_word(word: str) -> str:
    if word in _ABBREVIATED:
        return _ABBREVIATED[word]
    if word in _MENDED or word in _REAL_WORDS or len(word) < 5 or not word.isalpha():
        return word
    return nearest(word, (known for known in _MENDED if len(known) >= 6)) or word
