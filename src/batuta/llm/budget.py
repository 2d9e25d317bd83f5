"""Budgets: the worst case of a call is reserved before it and settled after it.

    reserve(worst case) -> call -> settle(what it took)
             └ does not fit: BudgetExceededError, the call is not made

A reservation counts against every scope at once or against none, so that parallel branches cannot overspend together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, Protocol

from batuta.kernel.errors import BudgetExceededError
from batuta.kernel.ids import new_id
from batuta.kernel.numbers import check_number
from batuta.kernel.usage import Amount

Scope = Literal["run", "session", "user", "tenant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one run, session, user or tenant may use in all."""

    scope: Scope
    id: str
    limit_tokens: int | None = None
    limit_money: Decimal | None = None

    def __post_init__(self) -> None:
        """Refuse a limit below nothing."""
        check_number("limit_tokens", self.limit_tokens)
        check_number("limit_money", self.limit_money, is_whole=False)

    @property
    def key(self) -> str:
        """The name under which a ledger keeps it."""
        return f"{self.scope}:{self.id}"


@dataclass(frozen=True, slots=True)
class Reservation:
    """The worst case of one call, held back until the call is settled."""

    id: str
    keys: tuple[str, ...]
    amount: Amount


class BudgetLedger(Protocol):
    """Keeps what was spent and what is reserved, by key. Every call is atomic. Raises `StoreUnavailableError`."""

    async def reserve(self, budgets: Sequence[Budget], worst: Amount) -> Reservation:
        """Hold an amount back in all budgets, or in none and raise `BudgetExceededError`."""
        ...

    async def settle(self, reservation: Reservation, actual: Amount) -> None:
        """Put what was really used in the place of a reservation. Settling twice changes nothing."""
        ...

    async def spent(self, budget: Budget) -> Amount:
        """What was used so far, without reservations."""
        ...


@dataclass(slots=True)
class _Account:
    spent: Amount = field(default_factory=Amount)
    reserved: dict[str, Amount] = field(default_factory=dict)

    @property
    def used(self) -> Amount:
        return sum(self.reserved.values(), self.spent)


class MemoryBudgetLedger:
    """Keeps the accounts of this process. It never awaits in the middle, so each call is atomic."""

    def __init__(self) -> None:
        self._accounts: dict[str, _Account] = {}

    async def reserve(self, budgets: Sequence[Budget], worst: Amount) -> Reservation:
        """Hold an amount back everywhere or nowhere."""
        for budget in budgets:
            require_fit(budget, self._account(budget.key).used, worst)
        reservation = Reservation(new_id(), tuple(budget.key for budget in budgets), worst)
        for key in reservation.keys:
            self._account(key).reserved[reservation.id] = worst
        return reservation

    async def settle(self, reservation: Reservation, actual: Amount) -> None:
        """Replace the reservation by what was used."""
        for key in reservation.keys:
            account = self._account(key)
            if account.reserved.pop(reservation.id, None) is not None:
                account.spent = account.spent + actual

    async def spent(self, budget: Budget) -> Amount:
        """What was used so far."""
        return self._account(budget.key).spent

    def _account(self, key: str) -> _Account:
        return self._accounts.setdefault(key, _Account())


def require_fit(budget: Budget, used: Amount, worst: Amount) -> None:
    """Raise `BudgetExceededError` if an amount does not fit into what a budget has left. For ledgers."""
    if budget.limit_tokens is not None and used.tokens + worst.tokens > budget.limit_tokens:
        left_tokens = max(0, budget.limit_tokens - used.tokens)  # a call may have taken more than was reserved for it
        raise _refusal(budget, f"{budget.limit_tokens} tokens", str(worst.tokens), str(left_tokens))
    if budget.limit_money is None:
        return
    if worst.money is None or used.money is None:
        raise BudgetExceededError(
            f"the budget of {budget.key} has a limit of {budget.limit_money} USD, but the price of this model is "
            "unknown, so the call was not made; set one with "
            'model("provider:name", prices=Prices(overrides={"provider:name": Price(input=…, output=…)}))',
            scope=budget.key,
            limit=f"{budget.limit_money} USD",
            needed="unknown",
            left="unknown",
        )
    if used.money + worst.money > budget.limit_money:
        left = max(budget.limit_money - used.money, Decimal(0))
        raise _refusal(budget, f"{budget.limit_money} USD", f"{worst.money:f}", f"{left:f}")


def _refusal(budget: Budget, limit: str, needed: str, left: str) -> BudgetExceededError:
    return BudgetExceededError(
        f"the call may need {needed}, but of the {limit} of {budget.key} only {left} are left; it was not made. "
        "Lower max_tokens or raise the limit",
        scope=budget.key,
        limit=limit,
        needed=needed,
        left=left,
    )
