"""Posting of journal lines: general journals and payments.

Each document of a journal balances by itself: its lines with their balancing accounts add up to zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from batuta.sandbox.ledger.amounts import ZERO, rounded
from batuta.sandbox.ledger.entries import (
    AccountSums,
    DimensionSet,
    EntryKind,
    Party,
    PartyEntry,
    Posting,
    PostingError,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class JournalAccount:
    """Where one side of a line goes: an account, or the control account of a customer or vendor."""

    account: str
    party: Party | None = None
    number: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class JournalEntryLine:
    """A journal line; `amount` debits `account` and credits `balancing`, in `currency` at `rate`."""

    id: str
    account: JournalAccount
    amount: Decimal
    posting_date: date
    document: str
    kind: EntryKind = EntryKind.NONE
    balancing: JournalAccount | None = None
    description: str = ""
    currency: str = ""
    rate: Decimal = Decimal(1)
    due: date | None = None
    dimensions: DimensionSet = ()


def documents_of(lines: Sequence[JournalEntryLine]) -> dict[tuple[date, str], list[JournalEntryLine]]:
    """Lines by posting date and document number, in order."""
    documents: dict[tuple[date, str], list[JournalEntryLine]] = {}
    for line in lines:
        documents.setdefault((line.posting_date, line.document), []).append(line)
    return documents


def post_journal(lines: Sequence[JournalEntryLine]) -> Posting:
    """Entries of one document of a journal."""
    sums = AccountSums()
    parties: list[PartyEntry] = []
    for line in lines:
        local = rounded(line.amount * line.rate)
        for side, sign in ((line.account, 1), (line.balancing, -1)):
            if side is None:
                continue
            sums.add(side.account, sign * local, line.dimensions)
            if side.party is not None:
                parties.append(_party_entry(line, side.party, side.number, sign, sign * local))
    if sums.total():
        msg = (
            f"Document {lines[0].document} of {lines[0].posting_date} is out of balance by {sums.total()}. "
            "Check that amounts add up to zero or that each line has a balancing account."
        )
        raise PostingError(msg)
    return Posting(accounts=sums.entries(lines[0].description), parties=tuple(parties))


def _party_entry(line: JournalEntryLine, party: Party, number: str, sign: int, local: Decimal) -> PartyEntry:
    return PartyEntry(
        party=party,
        number=number,
        kind=line.kind,
        amount=sign * line.amount,
        local=local,
        due=line.due or line.posting_date,
        currency=line.currency,
        description=line.description,
        sales_local=ZERO,
    )
