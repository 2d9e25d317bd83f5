"""Which splits of a figure are meant: "which month" asks for one, "of the month" does not."""

import re
from collections.abc import Sequence

from batuta.agents.erp.measures.model import TIME_DIMENSIONS
from batuta.agents.erp.measuring import SPLIT_PREFIX
from batuta.agents.erp.questions.question import TRADER, FigureQuestion
from batuta.language.choices import index_of
from batuta.language.findings import Finding
from batuta.language.folding import aligned, fold

BARE_TIME = re.compile(r"^(?:months?|mes(?:es)?|weeks?|semanas?|quarters?|trimestres?|years?|anos?|days?|dias?)$")
_ASKS_WHICH = re.compile(
    r"\b(?:which|what|que|cual(?:es)?|best|worst|mejor|peor|cada|each|per|by|por)\s+(?:\w+\s+){0,2}$"
)
EVOLUTION = "month"
"""What "evolution" and "trend" are split by unless another period is named."""
_OWNED = re.compile(
    rf"\b{TRADER}\s+(?:invoices?|orders?|bills?|quotes?|credit\s+(?:memos?|notes?))\b"
    rf"|\b(?:facturas?|pedidos?|ofertas?|presupuestos?|abonos?)\s+(?:de|a)\s+(?:los\s+)?{TRADER}\b"
)
_PRONOUN = re.compile(r"^(?:who|whom|quien|quienes)$")


def settle_time_splits(question: FigureQuestion) -> None:
    """Keep what is asked for: "which month" asks for a split, "of the month" does not."""
    splits = [name.removeprefix(SPLIT_PREFIX) for name in question.values.get("split_by") or ()]
    kept = []
    for name in splits:
        bare = name in TIME_DIMENSIONS and not _is_asked_for(question, name)
        if not bare:
            kept.append(name)
    if any(name in TIME_DIMENSIONS and name != EVOLUTION for name in kept) and not _names_months(question):
        kept = [name for name in kept if name != EVOLUTION]  # "the evolution by quarter" is by quarter
    question.values["split_by"] = kept
    if not kept:
        question.values.pop("split_by")


def _names_months(question: FigureQuestion) -> bool:
    return re.search(r"\b(?:months?|monthly|mes(?:es)?|mensual(?:es)?)\b", fold(question.text)) is not None


def settle_owners(question: FigureQuestion) -> None:
    """See that "customer invoices" are a kind of document, and ask for no split by customer."""
    owned = [(each.start(), each.end()) for each in _OWNED.finditer(aligned(question.text))]
    for split in [each for each in ("customer", "vendor") if each in (question.values.get("split_by") or ())]:
        words = tuple(word for one in question.book.dimensions[split].words.values() for word in one)
        found = index_of({split: words}).find(question.text)
        if found and all(any(a <= each.span.start and each.span.end <= b for a, b in owned) for each in found):
            question.values["split_by"] = [name for name in question.values["split_by"] if name != split]


def settle_longer_splits(question: FigureQuestion) -> None:
    """Of splits whose words overlap the longer one is meant: "by item category" is no split by item."""
    splits = list(question.values.get("split_by") or ())
    dimensions = question.book.dimensions
    words = {split: tuple(word for one in dimensions[split].words.values() for word in one) for split in splits}
    found = {split: index_of({split: words[split]}).find(question.text) for split in splits}

    def is_covered(split: str, each: Finding[str]) -> bool:
        others = [other for rival in splits if rival != split for other in found[rival]]
        return any(each.span.overlaps(other.span) and len(other.text) > len(each.text) for other in others)

    kept = [split for split in splits if not found[split] or not all(is_covered(split, each) for each in found[split])]
    if kept != splits:
        question.values["split_by"] = kept


def _is_asked_for(question: FigureQuestion, dimension: str) -> bool:
    words = {word for one in question.book.dimensions[dimension].words.values() for word in one}
    named = index_of({dimension: tuple(words)}).find(question.text)
    # Stems are too coarse for single words here: "mesas" are tables, and no months.
    exact = {fold(word) for word in words}
    found = [each for each in named if " " in each.text or fold(each.text) in exact]
    return any(
        not BARE_TIME.match(fold(each.text))
        or question.is_ranked
        or _ASKS_WHICH.search(fold(question.text[: each.span.start])) is not None
        for each in found
    )


def settle_parties(question: FigureQuestion) -> None:
    """See who "who" is: a customer, or a vendor where it is us who buy; it adds nothing to one that is named."""
    splits = list(question.values.get("split_by") or ())
    words = {word for one in question.book.dimensions["customer"].words.values() for word in one}
    found = index_of({"customer": tuple(words)}).find(question.text)
    if "customer" not in splits or not all(_PRONOUN.match(fold(each.text)) for each in found):
        return
    splits.remove("customer")
    question.values["split_by"] = splits
    if not any(name not in TIME_DIMENSIONS for name in splits):
        question.values["who"] = True


def without_covered(question: FigureQuestion, found: Sequence[Finding[str]], names: Sequence[str]) -> list[str]:
    """The splits without those whose words only say what is measured: "customer debt by age", "how many customers"."""
    splits = list(question.values.get("split_by") or ())
    is_count = any(question.book.measures[name].unit == "count" for name in names)
    for split in list(splits):
        words = {word for one in question.book.dimensions[split].words.values() for word in one}
        index = index_of({split: tuple(words)})
        inside = sum(len(index.find(each.text)) for each in found)
        is_only_there = inside and inside >= len(index.find(question.text))
        measure = question.book.measures[names[0]] if names else None
        is_unusual = measure is not None and (
            split not in question.book.splits(measure)
            or not all(source.records.knows(split) for group in measure.sources[:1] for source in group)
        )
        if is_only_there and (is_count or len(splits) > 1 or is_unusual):
            splits.remove(split)
    return splits
