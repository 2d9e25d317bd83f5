"""What limits a figure besides names and amounts: accounts of the ledger, and those of whom there is nothing."""

import re
from collections.abc import Mapping, Sequence

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measuring import SPLIT_PREFIX
from batuta.agents.erp.questions.periods import all_time
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.language.choices import index_of
from batuta.language.findings import Finding, TextSpan
from batuta.language.folding import aligned, composed, fold
from batuta.language.slots import limits_in
from batuta.language.understanding import Synonyms

ABSENCE_WORDS = {
    "none": (
        "no", "not", "nada", "anything", "nothing", "never", "without", "without any", "haven't", "hasn't", "didn't",
        "don't", "doesn't", "weren't", "wasn't", "aren't", "isn't", "inactive", "dormant", "nunca", "sin", "ningún",
        "ninguna", "inactivo", "inactiva", "inactivos", "inactivas",
    )
}  # fmt: skip
PLACE_WORDS: Synonyms = {
    "2": ("second", "2nd", "number two", "segundo", "segunda", "2º", "2ª"),
    "3": ("third", "3rd", "number three", "tercero", "tercera", "tercer", "3º", "3ª"),
    "4": ("fourth", "4th", "cuarto", "cuarta", "4º", "4ª"),
    "5": ("fifth", "5th", "quinto", "quinta", "5º", "5ª"),
}
"""Which place of a ranking is asked for."""
NEW_WORDS: Synonyms = {"new": ("new", "nuevo", "nueva", "nuevos", "nuevas", "for the first time", "por primera vez")}
"""Customers or vendors with whom there was no trade before."""
_NEWCOMERS = re.compile(
    r"\bnew\s+(?:customers|clients|vendors|suppliers)\b"
    r"|\bnuevos\s+(?:clientes|proveedores)\b|\b(?:clientes|proveedores)\s+nuevos\b"
)
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
_PARTIES = ("customer", "vendor", "item")
_SPENDING = frozenset({"purchases", "payments_made", "expenses"})
_BOTH_ENDS = re.compile(
    r"\b(?:top|best|most|biggest|largest|highest|mas|mejor(?:es)?|mayor(?:es)?)\b.*\b(?:and|y|or|o)\b.*\b(?:bottom|worst|least|smallest|lowest|menos|peor(?:es)?|menor(?:es)?)\b|\b(?:bottom|worst|least|smallest|lowest|menos|peor(?:es)?|menor(?:es)?)\b.*\b(?:and|y|or|o)\b.*\b(?:top|best|most|biggest|largest|highest|mas|mejor(?:es)?|mayor(?:es)?)\b"
)
"""Both ends of an order in one sentence: "the three best and the three worst"."""
_OF_ACCOUNTS = "expenses"
_ASKS_WHICH = re.compile(r"\b(?:which|who|what|que|quien(?:es)?|cual(?:es)?|customers?|clientes?)\b")
_LESS_OR_MORE = re.compile(
    r"\b(?:(?P<less>less|fewer|lower|menos|menor(?:es)?)|more|higher|mas|mayor(?:es)?)\s+(?:\w+\s+){0,2}(?:than|que)\b"
)
_SPENT = re.compile(r"\b(?:spen[dt]\w*|expenses?|costs?|gast\w+|costes?)\b")
_PAYMENTS = frozenset({"payments_received", "payments_made"})
_BARELY_PAID = re.compile(r"\b(?:pay|pays|paid|paying|pag(?:amos|ar|ad[oa]s?|ue|aron))\b")
WHO_MOVED = re.compile(
    r"^\W*(?:which|who|what|que|quien(?:es)?|cual(?:es)?|top|los|las|the)\b.*\b"
    r"(?:grow(?:s|n|ing)?|grew|increased|crec(?:ido|ieron|io|en|e|iendo)|aumenta(?:do|ron)"
    r"|(?P<less>declin(?:ed|ing)|dropped|fell|fallen|shrank|shrunk|decreased|caido|cayeron|cayo|bajado|bajaron|disminuido))\b"
)
"""Asks for those that became more, or less."""
_WORSE_WHEN_MORE = frozenset(
    {
        "overdue_receivables", "overdue_payables", "overdue_invoice_count", "overdue_percent", "credit_excess",
        "expenses", "operating_expenses", "credit_memos", "days_sales_outstanding",
    }
)  # fmt: skip
_JUDGED = re.compile(r"\b(?:(?P<worst>worst|peor(?:es)?)|best|mejor(?:es)?)\b")
_OF_AN_END = re.compile(
    r"\b(?:el|la|lo|los|las|the)\s+(?:que\s+)?(?:most|least|best|worst|mas|menos|mejor(?:es)?|peor(?:es)?)\b"
)
_OTHER_END = ("most", "least")
"""How a ranking says which end is meant, and the ends it may mean."""
HOW_MUCH = re.compile(r"\b(?:how much|cuant[oa])\b")


def of_accounts(question: FigureQuestion, names: Sequence[str]) -> list[str]:
    """What is spent on something that an account is kept for are expenses, also where people say "pay" or "buy"."""
    if not question.values.get("account"):
        return list(names)
    splits = question.book.splits(question.book.measures[_OF_ACCOUNTS])
    asked = [split.removeprefix(SPLIT_PREFIX) for split in question.values.get("split_by") or ()]
    if not names and any(split not in splits for split in asked):
        return []  # "vendors with their telephone" asks for no expenses
    asks = HOW_MUCH.search(question.plain) or {"split_by", "period"} & set(question.values)
    is_sum = bool(asks) and not question.values.get("only")
    meant = names or ([_OF_ACCOUNTS] if is_sum else [])
    if is_sum and names and set(names) <= _PAYMENTS and _BARELY_PAID.search(question.plain):
        meant = [_OF_ACCOUNTS]  # "the rent paid this year" comes from no customer
        question.unknown = [each for each in question.unknown if not _BARELY_PAID.fullmatch(fold(each))]
    return list(dict.fromkeys(_OF_ACCOUNTS if name in _SPENDING else name for name in meant))


def settle_account_words(question: FigureQuestion, access: ErpAccess) -> None:
    """A word for what money is spent on is no short form of a name: "transporte" is no "Transportes Ruiz"."""
    subjects = index_of(access.names("account")).find(question.text)
    only: Sequence[str] = question.values.get("only") or ()
    if not subjects or not only or not _SPENT.search(question.plain):
        return
    named = index_of(access.all_names(), is_names=True).find(question.text, takes_parts=True)
    covered = {each.value for each in named if any(each.span == subject.span for subject in subjects)}
    kept = [name for name in only if name not in covered]
    question.values |= {"only": kept} if kept else {}
    if not kept:
        question.values.pop("only")


def settle_accounts(question: FigureQuestion, names: Sequence[str]) -> None:
    """Limit a figure to the accounts that are named; one that no account has is not what was asked for."""
    accounts = question.values.pop("account", None) or ()
    if not accounts:
        return
    if any("account" not in question.book.splits(question.book.measures[name]) for name in names):
        question.unknown += accounts
        return
    question.values["only"] = [*question.values.get("only", ()), *(f"account: {one}" for one in accounts)]


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
        and names[0] in _TRADE
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


def settle_change(question: FigureQuestion) -> None:
    """Read "which customers buy less than last year": only those whose figure is less than it was."""
    said = _LESS_OR_MORE.search(question.plain)
    asks = _ASKS_WHICH.search(question.plain) is not None
    compared = question.values.get("compare", {}).get("kind")
    if said is None or not asks or compared in (None, "whole") or not question.values.get("split_by"):
        return
    question.values["compare"] = {**question.values["compare"], "change": "less" if said["less"] else "more"}
    question.values.pop("ranking", None)


def settle_growth(question: FigureQuestion, names: Sequence[str], said: Mapping[str, str]) -> None:
    """Read "which customers grew most": those that did, by how much each has changed, and not by what it came to.

    "Sales growth by month" asks for every row.
    """
    values = question.values
    if not names or not {"growth", "decline"} & said.keys():
        return
    values.setdefault("compare", {"kind": "previous_year"})
    moved = WHO_MOVED.search(question.plain)
    if moved is None or not values.get("split_by") or values["compare"]["kind"] == "whole":
        return
    if values.pop("ranking", None) == "least":
        question.unknown.append(moved.group())  # the smallest growth may be a loss
    values["compare"] = {**values["compare"], "change": "less" if moved["less"] else "more"}


def settle_bound(question: FigureQuestion) -> None:
    """Keep a limit of what can be limited: rows by their amount, documents by how late they are."""
    bound = question.values.pop("bound", None)
    if bound is None:
        return
    if bound["is_days"]:
        is_late = bound["side"] == "above" and question.values.get("measure") == "overdue_receivables"
        if not is_late:
            question.unknown.append(f"{bound['amount']} days")
            return
    elif not question.values.get("split_by"):
        question.unknown.append(bound["amount"])
        return
    question.values["bound"] = bound


def settle_place(question: FigureQuestion) -> None:
    """Read "and the second?": the row at that place of a ranking."""
    place = question.values.pop("place", None)
    if place is None:
        return
    if question.values.get("split_by") and "top" not in question.values and question.values.get("measure"):
        question.values |= {"top": {"place": int(place)}, "ranking": question.values.get("ranking", "most")}
    else:
        question.unknown.append(place)


def settle_worst(question: FigureQuestion, names: Sequence[str], text: str) -> None:
    """Read "the worst payers": of what is bad to have the most is the worst, of sales the least."""
    said, ranking = _JUDGED.search(fold(text)), question.values.get("ranking")
    if said is not None and ranking in _OTHER_END and names and set(names) <= _WORSE_WHEN_MORE:
        question.values["ranking"] = "most" if said["worst"] else "least"


def settle_both_ends(question: FigureQuestion, text: str) -> None:
    """Read "the best and the worst month": one answer for each end of the order, as many rows of both."""
    values = question.values
    if values.get("ranking") not in _OTHER_END or not _BOTH_ENDS.search(fold(text)) or not values.get("split_by"):
        return
    if len(limits_in(text)) > 1:
        question.unknown.append(str(values["top"]))
    values["ranking"] = list(_OTHER_END)


def require_ranked(question: FigureQuestion, names: Sequence[str], text: str) -> None:
    """Of a figure with nothing to put in order, "the least sold" would be the sum of all."""
    is_split = question.values.get("split_by") or any(question.book.measures[name].default_split for name in names)
    said = _OF_AN_END.search(fold(text))
    if said is not None and question.values.get("ranking") in _OTHER_END and not is_split:
        question.unknown.append(said.group())
