"""Application of payments and credit memos to open invoices, with exchange differences.

Two entries of opposite sign close one another as far as the smaller one goes. What they differ by in local currency,
because the rate moved between them, is a gain or a loss and leaves the customer or vendor without a remainder.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from batuta.sandbox.ledger.amounts import ZERO, rounded
from batuta.sandbox.ledger.entries import AccountEntry, PostingError
from batuta.sandbox.ledger.setup import PostingSetup


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenEntry:
    """What is left of a customer's or vendor's entry, in its own currency and in local currency."""

    id: str
    currency: str
    remaining: Decimal
    remaining_local: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class EntryApplication:
    """Part of one entry that was closed against another; `difference` is the local amount that neither covers."""

    entry: str
    against: str
    amount: Decimal
    local: Decimal
    against_local: Decimal

    @property
    def difference(self) -> Decimal:
        return self.local + self.against_local


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied:
    entry: OpenEntry
    targets: tuple[OpenEntry, ...]
    applications: tuple[EntryApplication, ...]


def apply_entry(entry: OpenEntry, targets: Iterable[OpenEntry]) -> Applied:
    """Close an entry against others in the order given, as far as it goes."""
    changed: list[OpenEntry] = []
    applications: list[EntryApplication] = []
    for target in targets:
        if target.currency != entry.currency:
            msg = f"An entry in '{entry.currency or 'local currency'}' cannot be applied to one in another currency."
            raise PostingError(msg)
        if entry.remaining * target.remaining >= 0:
            continue
        part = min(abs(entry.remaining), abs(target.remaining))
        entry, used = _reduced(entry, part)
        reduced, closed = _reduced(target, part)
        changed.append(reduced)
        amount = part if closed > 0 else -part
        applications.append(
            EntryApplication(entry=target.id, against=entry.id, amount=amount, local=closed, against_local=used)
        )
    return Applied(entry=entry, targets=tuple(changed), applications=tuple(applications))


def exchange_entries(
    applications: Iterable[EntryApplication], control: str, setup: PostingSetup
) -> tuple[AccountEntry, ...]:
    """Move exchange differences from the control account to gains and losses."""
    result: list[AccountEntry] = []
    for application in applications:
        difference = application.difference
        if difference:
            account = setup.exchange_loss if difference > 0 else setup.exchange_gain
            result.append(AccountEntry(account=control, amount=-difference, description="Exchange difference"))
            result.append(AccountEntry(account=account, amount=difference, description="Exchange difference"))
    return tuple(result)


def _reduced(entry: OpenEntry, part: Decimal) -> tuple[OpenEntry, Decimal]:
    """The entry less a part of its remaining amount, and that part in local currency with the entry's sign."""
    whole = abs(entry.remaining)
    local = entry.remaining_local if part == whole else rounded(entry.remaining_local * part / whole)
    signed = part if entry.remaining > 0 else -part
    left = replace(entry, remaining=entry.remaining - signed, remaining_local=entry.remaining_local - local)
    return left, local if part else ZERO
