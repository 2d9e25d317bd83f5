"""What the last answer showed several of, and whether a question is about those: "the 3 best customers", "what do they owe us?"."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from batuta.language.findings import Language
from batuta.language.folding import fold

_TABLE_ROWS = re.compile(
    r"\): (?:\*\*\d+\*\*: )?(?P<rows>[^:*\n]+?)\.(?= (?:Total|Overall|En conjunto|Counted|Se cuenta|\(dataset))"
)
"""The rows of a figure that is split, the names of those without it, or the records of a list."""
_LISTED = re.compile(r"^- (?P<row>[^\n]+)", re.MULTILINE)
_SHOWN = re.compile(r"\*\*(?P<row>[^*\n]+)\*\* ·")
_MORE = re.compile(r"\b(?:and|y) \d+ (?:more|más)\b|; …")
_PRONOUN = re.compile(
    r"\bof\s+(?:that|which|it)\b|\bde\s+(?:eso|ello|ese\s+total)\b|\b(?:they|them|their|theirs|those|these|sus?|ell[oa]s|es[oa]s|est[oa]s(?=\W*$|\s+\w+(?:es|os|as)\b))\b"
)
"""Stands for several that were named, folded."""
_IMPLIED = re.compile(
    r"\bles\b|\b(?:cuant[oa]s?|que\s+(?:margen|saldo|deuda|valor|beneficio|descuento|importe|stock))"
    r"\s+(?:(?:nos|se|me)\s+)*(?!tien)(?:han\s+)?\w{2,}(?:an|en|aron|ieron|[aei]do)\b|\bhow\s+many\s+(?:are|were|do|did|have)\b"
    r"|\btienen\W*$"
)
"""Speaks of several where no one is named: a Spanish verb alone, or a count of nothing."""
_IMPLIED_ONE = re.compile(
    r"\bcuant[oa]s?\s+(?:nos\s+|se\s+)*(?:debe|queda|vale|compra|compro|pago|paga|ha\s+\w+[aei]do)\b(?!\s+(?:el|la|los|las|por)\b)"
    r"|\bhow\s+(?:many|much)\s+(?:is|are)\s+left\b"
)
_PRONOUNS: dict[Language, str] = {"en": "they", "es": "ellos"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRows:
    """The names in the rows of an answer, and whether it named all of them."""

    names: tuple[str, ...]
    is_all: bool


def shown_rows(answer: str, known: Collection[str]) -> ShownRows:
    """The rows of an answer that are known by name."""
    tables = [part for each in _TABLE_ROWS.finditer(answer) for part in each["rows"].split("; ")]
    rows = tables or [each["row"] for pattern in (_SHOWN, _LISTED) for each in pattern.finditer(answer)]
    found = [name for row in rows if (name := _name_in(row, known))]
    return ShownRows(names=tuple(dict.fromkeys(found)), is_all=_MORE.search(answer) is None)


def stands_for_several(text: str) -> bool:
    """Whether a message has a pronoun for several: "what are they worth?"."""
    return _PRONOUN.search(fold(text)) is not None


def implies_several(text: str) -> bool:
    """Whether a message, if it names no one, speaks of several: "¿cuánto nos deben?"."""
    return _IMPLIED.search(fold(text)) is not None


def implies_one(text: str) -> bool:
    """Whether a message, if it names no one, speaks of one that was shown: "¿cuánto nos debe?"."""
    return _IMPLIED_ONE.search(fold(text)) is not None


def with_unknown(text: str, language: Language) -> str:
    """A message about several who are not known, so that it is asked who they are."""
    return text if fold(_PRONOUNS[language]) in fold(text) else f"{text.rstrip(' ?!.')} ({_PRONOUNS[language]})"


def _name_in(row: str, known: Collection[str]) -> str:
    """The longest known name that stands in a row; a code of two letters tells nothing."""
    return max((name for name in known if len(name) > 3 and name.rstrip(".") in row), key=len, default="")
