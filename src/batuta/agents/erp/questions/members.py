"""Which customers, vendors or items are asked for: those of whom there is something, nothing, or something new."""

import re
from collections.abc import Mapping, Sequence

from batuta.agents.erp.questions.periods import all_time
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import aligned, composed, fold
from batuta.language.understanding import Synonyms

ABSENCE_WORDS = {
    "none": (
        "no", "not", "nada", "anything", "nothing", "never", "without", "without any", "haven't", "hasn't", "didn't",
        "don't", "doesn't", "weren't", "wasn't", "aren't", "isn't", "inactive", "dormant", "nunca", "sin", "ningún",
        "ninguna", "inactivo", "inactiva", "inactivos", "inactivas",
    )
}  # fmt: skip
NEW_WORDS: Synonyms = {"new": ("new", "nuevo", "nueva", "nuevos", "nuevas", "for the first time", "por primera vez")}
"""Customers or vendors with whom there was no trade before."""
_NEWCOMERS = re.compile(
    r"\bnew\s+(?:customers|clients|vendors|suppliers)\b"
    r"|\bnuevos\s+(?:clientes|proveedores)\b|\b(?:clientes|proveedores)\s+nuevos\b"
)
_PARTY_WORDS: Mapping[str, str] = {
    "customer": r"customers?|clients?|buyers?|clientes?|clientas?|compradores",
    "vendor": r"vendors?|suppliers?|proveedor(?:es)?",
    "item": r"items?|products?|articles?|articulos?|productos?|referencias?",
}
_DISTINCT = r"(?:different|distinct|unique|distint[oa]s|diferentes)"
_HOW_MANY_MEMBERS = re.compile(
    rf"\b(?:how\s+many|number\s+of|cuant[oa]s|numero\s+de)\s+(?:of\s+our\s+)?(?P<distinct>{_DISTINCT}\s+)?(?:[a-z]+\s+)?"
    "(?:"
    + "|".join(f"(?P<{kind}>{words})" for kind, words in _PARTY_WORDS.items())
    + rf")\b(?P<distinct_after>\s+{_DISTINCT}\b)?"
)
"""Asks how many customers, vendors or items there are of whom something is said."""
_OF_TRADE: Mapping[str, str] = {"customer": "sales", "vendor": "purchases", "item": "sales"}
"""What customers, vendors and items are counted by where the words only say that there was trade."""
_NOTHING = re.compile(r"\b(?:nothing|nada)\b")
_NEGATION = re.compile(
    r"\b(?:(?:have|has|did|do|does|were|was|are|is)(?:n['’]?t|\s+not)|not|no|never|nunca|without|sin)\b"
    r"|\b(?P<idle>inactiv(?:e|[oa]s?)|dormant)\b"
)
_NEVER = ("never", "nunca")
_UP_TO_THE_VERB = re.compile(
    r"\s*(?:(?:se|nos|us|been|being|have|has|had|ha|han|hemos|he|habia|any|ever|yet|a|single|nada|anything|de|made|placed|"
    r"hecho|tenido|tienen|ningun|ninguna|una|le|les|we|su|sus|did)\s+)*"
)
"""What may stand between a negation and what did not happen."""
_TRADE = ("sales", "purchases", "units_sold", "item_sales")
_MOVED = "item_movements"
_PARTIES = ("customer", "vendor", "item")


def counted_members(question: FigureQuestion, names: Sequence[str]) -> str | None:
    """Read "how many customers bought in May?": the measure of which each of them has something.

    How many items were sold may be pieces, unless they are different ones.
    """
    said = _HOW_MANY_MEMBERS.search(question.plain)
    if "newness" in question.values:
        return None
    others = [name for name in names if question.book.measures[name].unit != "count"]
    if said is None or len(set(others)) != 1 or {"ranking", "top", "bound", "compare"} & set(question.values):
        return None
    party = next(kind for kind in _PARTY_WORDS if said[kind])
    if party == "item" and not (said["distinct"] or said["distinct_after"]):
        return None
    meant = _OF_TRADE[party] if others[0] in _TRADE else others[0]
    splits = set(question.values.get("split_by") or ()) - set(_PARTIES)
    if party not in question.book.splits(question.book.measures[meant]) or splits:
        return None
    question.values |= {"split_by": [party], "is_counted": True}
    return meant


def settle_presence(question: FigureQuestion) -> None:
    """Count those of whom there is something, where it was not asked how many there are of whom there is nothing."""
    if question.values.pop("is_counted", False):
        question.values.setdefault("ranking", "present")


def settle_absence(question: FigureQuestion, names: Sequence[str], found: Sequence[Finding[str]]) -> list[str]:
    """Read "customers that have not bought": of a split by customer, vendor or item those with nothing.

    A negation that says something else is not understood, and so is the question. Returns the measures.
    """
    values = question.values
    values.pop("absent", None)
    said = _negations(question, found)
    nothing = None if said else _NOTHING.search(question.plain)
    if nothing and not any(nothing.group() in fold(each.text).split() for each in found):
        said = [nothing]  # "customers who bought nothing"
    if not said:
        return list(names)
    splits: Sequence[str] = values.get("split_by") or ()
    is_nothing = said == [nothing]
    is_idle = not is_nothing and len(said) == 1 and said[0]["idle"] is not None
    if is_idle and not names:
        names, values["measure"] = ["sales"], "sales"
    is_clear = (
        len(said) == len(names) == len(splits) == 1
        and names[0] in (*_TRADE, _MOVED)
        and splits[0] in _PARTIES
        and not {"ranking", "top", "bound", "compare"} & set(values)
        and (is_idle or is_nothing or _is_about(question, said[0], found))
    )
    if is_clear:
        values["ranking"] = "absent"
        if said[0].group() in _NEVER:
            values.setdefault("period", all_time(question.today))
    else:
        question.unknown += [each.group() for each in said]
    return list(names)


def settle_newness(question: FigureQuestion, names: Sequence[str]) -> list[str]:
    """Read "new customers this year": those whose first sale lies in the period. Returns the measures.

    When a record was made is not kept in the books. What else is said to be new is not understood.
    """
    values = question.values
    if not values.pop("newness", None):
        return list(names)
    said = _NEWCOMERS.search(question.plain)
    kind = "vendor" if said and re.search(r"vendor|supplier|proveedor", said.group()) else "customer"
    is_clear = (
        said is not None
        and set(names) <= {f"{kind}_count", "sales" if kind == "customer" else "purchases"}
        and set(values.get("split_by") or ()) <= {kind}
        and not {"ranking", "top", "bound", "compare"} & set(values)
    )
    if not is_clear:
        question.unknown += ["new"]
        return list(names)
    values |= {"measure": "sales" if kind == "customer" else "purchases", "split_by": [kind], "ranking": "new"}
    return [values["measure"]]


def _negations(question: FigureQuestion, found: Sequence[Finding[str]]) -> list[re.Match[str]]:
    """The negations that are no part of what a measure or a qualifier is called, such as "without VAT"."""
    taken = [*(each.span for each in (*found, *question.qualifier_findings)), *question.excluding]
    plain = aligned(composed(question.text))
    return [
        each
        for each in _NEGATION.finditer(plain)
        if not any(TextSpan(start=each.start(), end=each.end()).overlaps(span) for span in taken)
    ]


def _is_about(question: FigureQuestion, negation: re.Match[str], found: Sequence[Finding[str]]) -> bool:
    """Whether a negation stands before what is traded, and not before something else."""
    plain = aligned(composed(question.text))
    after = [each for each in found if each.span.start >= negation.end()]
    return bool(after) and _UP_TO_THE_VERB.fullmatch(plain[negation.end() : after[0].span.start]) is not None
