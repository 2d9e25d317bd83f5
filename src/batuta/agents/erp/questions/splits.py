"""Which splits of a figure are meant: "which month" asks for one, "of the month" does not."""

import re
from collections.abc import Sequence

from batuta.agents.erp.access import DESCRIBED, NAME_SOURCES, ErpAccess
from batuta.agents.erp.measures.model import TIME_DIMENSIONS
from batuta.agents.erp.measuring import SPLIT_PREFIX
from batuta.agents.erp.questions.question import INVOICING, TRADER, FigureQuestion, dimension_words
from batuta.language.choices import index_of
from batuta.language.findings import Finding
from batuta.language.folding import aligned, composed, fold

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
_ASKS_A_SUM = re.compile(
    r"^\W*(?:(?:and|y|dime|tell\s+me)\W+)?(?:how\s+much|how\s+long|(?:in\s+)?how\s+many\s+days|(?:en\s+)?total|what\s+is\s+the\s+total|cuant[oa]|(?:en\s+)?cuantos\s+dias)\b"
)
_ASKS_EACH = re.compile(
    r"\b(?:which|what|que|cual(?:es)?|each|every|cada|per|by|por|whom?|quien(?:es)?|both|all|tod[oa]s|our\s+top|los\s+\d+|top)\s+(?:\w+\s+)?$"
)
_BY_AMOUNT = re.compile(
    r"\b(?:by|por|segun)\s+(?:su\s+|la\s+|their\s+)?(?:facturacion|invoicing|importe\s+facturado)\b"
)
"""What a ranking goes by, in a word with the stem of "invoice"."""
_VERSUS = re.compile(r"\b(?:versus|vs|against|frente\s+al?|contra|compared?|compara(?:me|r|ndo|da|do|das|dos)?)\b")
_PARTIES = ("customer", "vendor")
_WHO_SELLS = re.compile(
    r"(?<!\ba )(?<!\bto )\b(?:who|quien(?:es)?)\s+(?:(?:mas|ha|han|has|have|es\s+el\s+que|son\s+los\s+que)\s+)*"
    r"(?:sold|sells?|vend(?:e|en|io|ieron|ido))\b(?!\s+(?:\w+\s+){0,2}us\b)"
)
"""Who sells is one of us; who sells to us, or to whom we sell, is not."""
_ASKS_FOR_PARTS = ("share", "percent")
_PRONOUN = re.compile(r"^(?:who|whom|quien|quienes|any(?:body|one)|some(?:body|one)|alguien)$")


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
    """See that "customer invoices" are a kind of document, and "por facturación" a ranking: neither is a split."""
    is_by_amount = _BY_AMOUNT.search(question.plain) is not None
    if "document" in (question.values.get("split_by") or ()) and (is_by_amount or _only_invoicing(question)):
        question.values["split_by"] = [name for name in question.values["split_by"] if name != "document"]
    owned = [(each.start(), each.end()) for each in _OWNED.finditer(aligned(question.text))]
    for split in [each for each in ("customer", "vendor") if each in (question.values.get("split_by") or ())]:
        words = tuple(word for one in question.book.dimensions[split].words.values() for word in one)
        found = index_of({split: words}).find(question.text)
        if found and all(any(a <= each.span.start and each.span.end <= b for a, b in owned) for each in found):
            question.values["split_by"] = [name for name in question.values["split_by"] if name != split]


def _only_invoicing(question: FigureQuestion) -> bool:
    """Whether documents are named by a verb alone: "what did we invoice?"."""
    words = tuple(word for one in question.book.dimensions["document"].words.values() for word in one)
    found = index_of({"document": words}).find(question.text)
    return bool(found) and all(INVOICING.search(fold(each.text)) for each in found)


def settle_sums(question: FigureQuestion) -> None:
    """See that "how much do customers owe us?" asks for one figure: those it names are all of them, and no split."""
    splits: Sequence[str] = question.values.get("split_by") or ()
    if not _ASKS_A_SUM.match(question.plain) or question.is_ranked or {"top", "bound", "place"} & set(question.values):
        return
    kept = [name for name in splits if name not in _PARTIES or _names_each(question, name)]
    if len(kept) < len(splits):
        question.values["split_by"] = kept
        if not kept:
            question.values.pop("split_by")


def settle_versus(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> None:
    """Read "Spain versus Italy": a row for each of the names that are set against each other, never their sum."""
    said = _VERSUS.search(question.plain)
    if said is None or question.values.get("compare") or len(names) > 1:
        return
    only: Sequence[str] = question.values.get("only") or ()
    kinds = [kind for kind in NAME_SOURCES if len(only) > 1 and all(access.values_named(kind, name) for name in only)]
    if not kinds:
        question.unknown += [] if said.group().startswith("compar") else [said.group()]
    elif kinds[0] not in (splits := list(question.values.get("split_by") or ())):
        question.values["split_by"] = [kinds[0], *splits]


def _names_each(question: FigureQuestion, dimension: str) -> bool:
    words = tuple(word for one in question.book.dimensions[dimension].words.values() for word in one)
    found = index_of({dimension: words}).find(question.text)
    plain = aligned(composed(question.text))
    return any(
        _PRONOUN.match(fold(each.text)) or _ASKS_EACH.search(plain[: each.span.start]) is not None for each in found
    )


def settle_described(question: FigureQuestion, access: ErpAccess) -> None:
    """See that "Italian customers by month" says whose the figure is, and asks for no row for each of them."""
    splits = list(question.values.get("split_by") or ())
    described = [each.span for each in index_of(access.names(DESCRIBED), is_of_records=True).find(question.text)]
    for party in [each for each in _PARTIES if each in splits and len(splits) > 1]:
        found = index_of(dimension_words(question.book, party)).find(question.text)
        plain = aligned(composed(question.text))
        if found and all(
            any(each.span.overlaps(span) for span in described) and not _ASKS_EACH.search(plain[: each.span.start])
            for each in found
        ):
            splits.remove(party)
    if splits:
        question.values["split_by"] = splits


def settle_longer_splits(question: FigureQuestion) -> None:
    """Of splits whose words overlap the longer one is meant: "by item category" is no split by item.

    A word that has only the stem of a split's word is no split where it is another word itself: "representa" asks for
    a share, and for no "representante".
    """
    splits = list(question.values.get("split_by") or ())
    dimensions = question.book.dimensions
    words = {split: tuple(word for one in dimensions[split].words.values() for word in one) for split in splits}
    found = {split: index_of({split: words[split]}).find(question.text) for split in splits}
    exact = {split: {fold(word) for word in words[split]} for split in splits}
    qualified = [each.span for each in question.qualifier_findings if each.value in _ASKS_FOR_PARTS]

    def is_covered(split: str, each: Finding[str]) -> bool:
        if fold(each.text) not in exact[split] and any(each.span.overlaps(span) for span in qualified):
            return True
        others = [other for rival in splits if rival != split for other in found[rival]]
        return any(each.span.overlaps(other.span) and len(other.text) > len(each.text) for other in others)

    kept = [split for split in splits if not found[split] or not all(is_covered(split, each) for each in found[split])]
    if kept:
        question.values["split_by"] = kept
    else:
        question.values.pop("split_by", None)


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
    """See who "who" is: a customer, a vendor where it is us who buy, a salesperson where it is who sells.

    It adds nothing to one that is named.
    """
    splits = list(question.values.get("split_by") or ())
    words = {word for one in question.book.dimensions["customer"].words.values() for word in one}
    found = index_of({"customer": tuple(words)}).find(question.text)
    if "customer" not in splits or not all(_PRONOUN.match(fold(each.text)) for each in found):
        return
    splits.remove("customer")
    if _WHO_SELLS.search(question.plain) and "salesperson" not in splits:
        splits.append("salesperson")
    question.values["split_by"] = splits
    if not any(name not in TIME_DIMENSIONS for name in splits):
        question.values["who"] = True


def without_covered(question: FigureQuestion, found: Sequence[Finding[str]], names: Sequence[str]) -> list[str]:
    """The splits without those whose words only say what is measured: "customer debt by age", "how many customers"."""
    splits = list(question.values.get("split_by") or ())
    if question.values.get("is_counted"):
        return splits  # "how many customers" says whose figure it is
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
        is_rate = measure is not None and measure.kind == "ratio"  # "the average amount per invoice" is one figure
        if is_only_there and (is_count or is_rate or len(splits) > 1 or is_unusual):
            splits.remove(split)
    return splits
