"""Accounts of the ledger that are called by number: "saldo de la cuenta 5610", "movements of account 7190"."""

import re
from collections.abc import Sequence

from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.measures.periods import EARLIEST
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.language.choices import index_of
from batuta.language.findings import Finding
from batuta.language.folding import aligned, composed

ACCOUNT_WORDS = (r"accounts?(?:\s+(?:number|no\.?))?", r"cuentas?(?:\s+(?:numero|num\.?|n\.?\s?[ºo]?))?")
"""What stands before an account: a bare number may be an item's."""
ACCOUNT_BALANCE = "account_balance"
_MOVEMENT = "account_movement"
_ON_A_DAY = re.compile(
    r"\b(?:at\s+(?:the\s+)?(?:end|close)\s+of|as\s+(?:of|at)|until|up\s+to|hasta|a(?:l)?\s+(?:fin|final|finales|cierre)\s+del?)\b"
)
"""What makes the balance of a month that of its last day."""


def settle_ledger(
    question: FigureQuestion, names: Sequence[str], found: Sequence[Finding[str]], access: ErpAccess
) -> list[str]:
    """Read the balance or the movements of accounts; any other figure can be limited to them if it knows accounts.

    A balance is the sum of all entries up to a day, the balance "of this quarter" that of its entries. Returns the
    measures.
    """
    accounts: list[str] = question.values.pop("ledger", None) or []
    meant = [name for name in names if not _is_of_an_account(question, name, found, accounts)]
    if accounts:
        _forget_numbers(question, access)
        meant = meant or [ACCOUNT_BALANCE]
        if all("account" in question.book.splits(question.book.measures[name]) for name in meant):
            question.values["only"] = [*question.values.get("only", ()), *(f"account: {one}" for one in accounts)]
        else:
            question.unknown += accounts
    elif _MOVEMENT in meant:
        question.unknown.append("account")
    elif ACCOUNT_BALANCE in meant:
        question.values.setdefault("split_by", ["account"])
    if meant == [ACCOUNT_BALANCE]:
        meant = _of_a_day(question)
    question.values |= {"measure": meant[0] if len(meant) == 1 else meant} if meant else {}
    return meant


def _is_of_an_account(
    question: FigureQuestion, name: str, found: Sequence[Finding[str]], accounts: Sequence[str]
) -> bool:
    """Whether a measure was only read in the name of an account: "account Bank loan" asks for no cash."""
    measures = question.book.measures
    said = [each for each in found if name in (each.value, *measures[each.value].variants.values())]
    named = index_of({one: (one,) for one in accounts}).find(question.text) if accounts and said else []
    return bool(named) and all(any(each.span.overlaps(one.span) for one in named) for each in said)


def _of_a_day(question: FigureQuestion) -> list[str]:
    """The balance on a day, from the first entry on, or the movements of a longer time."""
    today = question.today.isoformat()
    period = question.values.get("period") or {"first": today, "last": today}
    if isinstance(period, list):
        return [_MOVEMENT]
    is_day = period["first"] == period["last"] or _ON_A_DAY.search(question.plain)
    if "compare" in question.values or not is_day:
        return [_MOVEMENT]
    question.values["period"] = {"first": EARLIEST.isoformat(), "last": min(period["last"], today)}
    return [ACCOUNT_BALANCE]


def _forget_numbers(question: FigureQuestion, access: ErpAccess) -> None:
    """The number of an account is no item, though one may have the same."""
    plain = aligned(composed(question.text))
    said = [each.span() for word in ACCOUNT_WORDS for each in re.finditer(rf"\b{word}\s+\d+", plain)]
    named = index_of(access.all_names(), is_names=True).find(question.text, takes_parts=True)
    kept = [
        each.value
        for each in named
        if not any(start <= each.span.start and each.span.end <= end for start, end in said)
    ]
    only = [name for name in question.values.get("only") or () if name in kept or name.startswith("account:")]
    question.values |= {"only": only} if only else {}
    if not only:
        question.values.pop("only", None)
