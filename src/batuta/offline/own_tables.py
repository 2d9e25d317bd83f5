"""Whether a message speaks of a table that the person brought, and not of what the team's agents can read."""

import re
from collections.abc import Sequence

from batuta.datasets.charts.asking import reading_of
from batuta.datasets.dataset import Dataset
from batuta.datasets.mentions import TableMention
from batuta.language.findings import Language
from batuta.language.folding import fold, words_of
from batuta.offline.phrases import phrase

_NAMING = frozenset(("x", "y", "series", "only", "excluded"))
_MINE = re.compile(r"\b(?:mine|my|mi|mio|mia|table|tabla|file|archivo|fichero|csv|excel|first|primer[oa]?|1)\b")

_GROUPED = re.compile(r"\w (?:by|per|por|segun|each|cada) \w|\bmes a mes\b")
"""Asks for figures of something: "revenue by region"."""
_FIGURE = re.compile(
    r"\b(?:how (?:many|much)|total|average|mean|sum|maximum|minimum|highest|lowest|largest|smallest|cuant[oa]s?|"
    r"promedio|medi[oa]|suma|maxim[oa]|minim[oa]|mayor|menor|most|least|which|mas|menos|cual(?:es)?|quien|en que)\b"
)
"""Asks for a figure, of a table that comes with the message."""


_COUNT = re.compile(r"\b(?:how many|cuant[oa]s|number of|numero de)\b")
_OVER_ROWS = re.compile(
    r"\b(?:total|altogether|overall|average|mean|median|sum|sums|maximum|minimum|highest|lowest|largest|smallest|most|least|"
    r"promedio|medi[oa]|mediana|suma|sumar|sumad[oa]s?|maxim[oa]|minim[oa]|mayor|menor|mas|menos|en conjunto)\b"
)
"""Asks for what several rows come to, or for the one that has the most."""
_HOW_MUCH = re.compile(r"\b(?:how much|cuant[oa])\b")
MAX_LISTED = 10
"""Rows that are quoted one by one; of more only what they come to is said."""


def asks_figures(text: str) -> bool:
    """Whether a message that brings a table asks for figures of it."""
    return any(pattern.search(fold(text)) for pattern in (_GROUPED, _FIGURE))


def asks_rows(text: str, mention: TableMention) -> bool:
    """Whether a message asks what stands in some rows of a table that it brings, rather than what they come to: then the
    rows are quoted. A value that no other row has names its row; one that many rows may have names all of them, whose
    figures are added up.
    """
    plain = fold(text)
    is_of_several = _OVER_ROWS.search(plain) is not None or _COUNT.search(plain) is not None
    if _GROUPED.search(plain):
        return False
    if not mention.is_about_table:
        return bool(mention.unread) and not _COUNT.search(plain)  # a thing that the table does not have
    if not mention.rows:
        return False
    if mention.is_by_key:
        return mention.rows == 1 or not is_of_several
    if is_of_several or mention.adds_up or mention.rows > MAX_LISTED:
        return False
    return mention.names_column or not _HOW_MUCH.search(plain)


def own_table_for(text: str, tables: Sequence[Dataset]) -> Dataset | None:
    """The newest table whose columns and values take every word of a message that names one of them."""
    for table in reversed(tables):
        reading = reading_of(text, table)
        if _NAMING & reading.changes.keys() and not reading.unread:
            return table
    return None


def which_table(table: Dataset, agent: str, language: Language) -> str:
    """What to ask where a message may mean the person's own table or an agent's figures."""
    return phrase("own_or_agent", language, table=table.title or table.name, agent=agent)


def chose_own(reply: str, table: Dataset, agent: str) -> bool | None:
    """Whether a reply to that means the own table; none where it says neither."""
    said = set(words_of(reply))
    if said & set(words_of(agent)):
        return False
    is_named = bool(said & {*words_of(table.title), *words_of(table.name)})
    return True if is_named or _MINE.search(fold(reply)) else None
