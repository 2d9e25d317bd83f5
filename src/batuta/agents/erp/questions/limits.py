"""What limits a figure besides names: amounts, accounts, places of an order, and changes."""

import re
from collections.abc import Mapping, Sequence

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measuring import SPLIT_PREFIX
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.language.choices import index_of
from batuta.language.folding import fold
from batuta.language.slots import limits_in
from batuta.language.understanding import Synonyms

PLACE_WORDS: Synonyms = {
    "2": ("second", "2nd", "number two", "segundo", "segunda", "2º", "2ª"),
    "3": ("third", "3rd", "number three", "tercero", "tercera", "tercer", "3º", "3ª"),
    "4": ("fourth", "4th", "cuarto", "cuarta", "4º", "4ª"),
    "5": ("fifth", "5th", "quinto", "quinta", "5º", "5ª"),
}
"""Which place of a ranking is asked for."""
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
