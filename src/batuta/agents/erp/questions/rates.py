"""Questions for a mean, a part or a number of pieces, in words that name a sum of money beside it.

"Average sales per month" is the sum over the months, "what share of it is overdue" a rate of its own, and "how many
did they buy" asks for pieces. What none of them can be is not understood: the sum would be a wrong figure.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measures.model import TIME_DIMENSIONS
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.language.findings import Finding
from batuta.language.folding import fold

_SALES = "sales"
_INVOICE_MEAN = "average_invoice"
_MEAN_OF_SALES = re.compile(r"(?:ventas\s+(?:medias|promedio)|(?:average|mean)\s+sales)")
_IS_OVERDUE = re.compile(
    r"\b(?:is|are|has\s+(?:become|gone|fallen)|esta[n]?|ha[n]?)\s+(?:\w+\s+)?"
    r"(?:overdue|past\s+due|late|vencid[oa]s?|atrasad[oa]s?)\b"
)
_AVERAGE = re.compile(r"\b(?:average[sd]?|mean|promedio|medi[oa]s?)\b")
_HOW_MANY = re.compile(r"\b(?:how many|cuant[oa]s)\b")
_TRADES = re.compile(
    r"\b(?:buys?|bought|buying|purchased|sells?|sold|selling|compramos|comprado|compr(?:o|a[n]?|aron)|vend(?:e[n]?|emos|ido|io|ieron|imos))\b"
)
_WHAT_WAS_BOUGHT = re.compile(
    r"\W*(?:(?:and|y|but|pero)\W+)?(?:what|que)\s+(?=.*\b(?:buy|bought|buying|purchased|compramos|comprado|compr(?:o|a[n]?|aron))\b)"
)
_ASKS_MORE = re.compile(r"\b(?:how\s+much|cuanto|amount|importe|value|valor|total|worth|cost)\b")
_MONEY_TRADED = ("sales", "purchases")


def without_means_of_sales(question: FigureQuestion, found: Sequence[Finding[str]]) -> list[Finding[str]]:
    """The measures that are named, "average sales by month" read as sales: the average invoice is another figure."""
    splits = question.values.get("split_by") or ()
    if not any(name.removeprefix("by_") in TIME_DIMENSIONS for name in splits):
        return list(found)
    return [
        replace(each, value=_SALES, text=_SALES)
        if each.value == _INVOICE_MEAN and _MEAN_OF_SALES.fullmatch(fold(each.text))
        else each
        for each in found
    ]


def settle_pieces(question: FigureQuestion, names: Sequence[str]) -> list[str]:
    """Read "how many … did they buy": pieces. Money that was asked for in pieces is not understood."""
    said = next((each.text for each in question.qualifier_findings if each.value == "units"), "")
    many = _HOW_MANY.search(question.plain)
    asks = said or (many.group() if many and _TRADES.search(question.plain) else "")
    if not asks or "money" in question.qualifiers or question.values.get("is_counted"):
        return list(names)
    measures = question.book.measures
    meant = [measures[name].variants.get("units", name) if name in _MONEY_TRADED else name for name in names]
    question.unknown += [asks for name in meant if measures[name].unit == "money" and name in _MONEY_TRADED]
    return list(dict.fromkeys(meant))


def settle_goods(question: FigureQuestion, names: Sequence[str], access: ErpAccess) -> None:
    """Read "what did they buy?" of a party that is named: the goods, and not their sum."""
    only: Sequence[str] = question.values.get("only") or ()
    is_of_a_party = any(access.values_named(kind, name) for name in only for kind in ("customer", "vendor"))
    is_of_goods = any(access.values_named(kind, name) for name in only for kind in ("item", "category"))
    asks = _WHAT_WAS_BOUGHT.match(question.plain) and not _ASKS_MORE.search(question.plain)
    is_bare = not {"split_by", "compare", "bound", "top", "place", "ranking", "absent", "newness"} & set(
        question.values
    )
    if asks and is_bare and is_of_a_party and not is_of_goods and len(names) == 1 and names[0] in _MONEY_TRADED:
        question.values["split_by"] = ["item"]


def settle_overdue_part(question: FigureQuestion, names: Sequence[str]) -> list[str]:
    """Read "what share of receivables is overdue": that rate, and no part of all that is overdue."""
    is_part = {"share", "percent"} & set(question.qualifiers)
    if list(names) == ["overdue_receivables"] and is_part and _IS_OVERDUE.search(question.plain):
        return ["overdue_percent"]
    return list(names)


def settle_average(question: FigureQuestion, found: Sequence[Finding[str]], names: Sequence[str]) -> None:
    """Read "on average": per month and the like where that is said; nothing new of a figure that is a mean itself."""
    named = [fold(each.text) for each in found]
    said = [word for word in _AVERAGE.findall(question.plain) if not any(word in one for one in named)]
    if not said:
        return
    values, measures = question.values, [question.book.measures[name] for name in names]
    if len(measures) == 1 and measures[0].kind == "ratio" and measures[0].unit != "percent":
        return
    splits: Sequence[str] = values.get("split_by") or ()
    is_per_time = len(splits) == 1 and splits[0] in TIME_DIMENSIONS
    is_bare = not {"compare", "ranking", "top", "place", "bound", "absent", "newness"} & set(values)
    if len(measures) == 1 and measures[0].kind == "flow" and is_per_time and is_bare:
        values["compare"] = {"kind": "average"}
    else:
        question.unknown += said
