"""What a follow-up keeps of the order that was asked for before it."""

from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Final

from batuta.agents.erp.measures.model import TIME_DIMENSIONS
from batuta.agents.erp.measuring import SPLIT_PREFIX
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.agents.erp.questions.splits import settle_time_splits
from batuta.language.annotation import annotated
from batuta.language.choices import ChoiceIndex, index_of
from batuta.language.findings import Finding
from batuta.language.folding import fold
from batuta.language.slots import fill_slot
from batuta.language.understanding import Slot

_ORDERING: Final = (
    Slot(name="ranking", type="ranking"),
    Slot(name="top", type="limit"),
    Slot(name="bound", type="bound"),
)
"""What says which rows of a table are wanted, and in which order."""


def settle_order(question: FigureQuestion, texts: Sequence[str], measures: ChoiceIndex) -> None:
    """Forget the ranking of another question: "who owes us most?", "now sales by month" asks for no best months.

    A message that names its figure and its split is a question of its own; one that splits by time asks for a course.
    """
    if len(texts) < 2:
        return
    splits = _splits_of(question, texts[-1])
    if not splits or not (measures.find(texts[-1]) or set(TIME_DIMENSIONS) & set(splits)):
        return
    now = datetime.combine(question.today, time(12), tzinfo=UTC)
    source = annotated(texts[-1], now=now)
    for slot in _ORDERING:
        if fill_slot(slot, source, now=now) is None:
            question.values.pop(slot.name, None)


def _splits_of(question: FigureQuestion, text: str) -> Sequence[str]:
    """The splits that a message asks for itself."""
    words = {
        f"{SPLIT_PREFIX}{one.id}": tuple(word for language in one.words.values() for word in language)
        for one in question.book.dimensions.values()
    }
    named = list(dict.fromkeys(each.value for each in index_of(words).find(text)))
    own = FigureQuestion(question.book, {"split_by": named}, text, fold(text), question.today)
    settle_time_splits(own)
    return own.values.get("split_by") or ()


def can_be_ranked(question: FigureQuestion, found: Sequence[Finding[str]], text: str) -> bool:
    """Whether figures that were named before have the rows that are ranked now: stock knows no best customer."""
    splits = _splits_of(question, text) if question.is_ranked else ()
    return any(set(splits) <= set(question.book.splits(question.book.measures[each.value])) for each in found)
