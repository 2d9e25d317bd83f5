"""What several processes count together, in PostgreSQL: circuit breakers, rate limits and budgets.

Each call locks the rows it needs, in the order of their keys, and changes them in one transaction. Time is the server's
for buckets. Unlike in Redis nothing is forgotten by a flush: budgets that matter belong here.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any, TypeVar

from pydantic_core import from_json, to_json

from batuta.eventstore.postgres_database import PostgresPool, errors_as_ours
from batuta.kernel.ids import new_id
from batuta.kernel.usage import Amount
from batuta.llm.budget import Budget, Reservation, require_fit
from batuta.resilience.circuit_breaker import CLOSED, BreakerRecord
from batuta.resilience.rate_limiter import Rate

T = TypeVar("T")
Rows = dict[str, dict[str, Any]]
"""What is kept under each key; nothing for a key that was never used."""
ANSWER_SECONDS = 1.0
"""A shared count may take a moment at most; a process that cannot get it counts locally."""
CONNECTIONS = 4

_MAKE = (
    "INSERT INTO shared_state (key, state) SELECT key, '{}' FROM unnest($1::text[]) AS key ORDER BY key "
    "ON CONFLICT (key) DO NOTHING"
)
_LOCK = "SELECT key, state FROM shared_state WHERE key = ANY($1::text[]) ORDER BY key FOR UPDATE"
_TIME = "SELECT extract(epoch FROM clock_timestamp())::float8"
_WRITE = "UPDATE shared_state SET state = $2 WHERE key = $1"
_READ = "SELECT state FROM shared_state WHERE key = $1"


class PostgresCounters:
    """The connections that breakers, limits and budgets of a process share."""

    def __init__(self, url: str, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._pool = PostgresPool(url, pool_size=CONNECTIONS, command_seconds=answer_seconds)
        self._answer_seconds = answer_seconds

    async def read(self, key: str) -> dict[str, Any]:
        """What is kept under a key. Raises `StoreUnavailableError`."""
        with errors_as_ours():
            async with asyncio.timeout(self._answer_seconds), self._pool.connection() as connection:
                kept = await connection.fetchval(_READ, key)
        return {} if kept is None else dict(from_json(kept))

    async def change(self, keys: Sequence[str], changed: Callable[[Rows, float], tuple[Mapping[str, Any], T]]) -> T:
        """Change rows together: `changed` gets them and the time, and gives those to write and the answer.

        What it raises leaves everything as it was. Raises `StoreUnavailableError`.
        """
        with errors_as_ours():
            async with asyncio.timeout(self._answer_seconds), self._pool.transaction() as connection:
                await connection.execute(_MAKE, sorted(keys))
                rows = {row["key"]: dict(from_json(row["state"])) for row in await connection.fetch(_LOCK, list(keys))}
                written, answer = changed(rows, await connection.fetchval(_TIME))
                for key, state in written.items():
                    await connection.execute(_WRITE, key, to_json(state).decode())
        return answer

    async def close(self) -> None:
        """Disconnect."""
        await self._pool.close()


class PostgresBreakerState:
    """Breakers that open for all processes at once."""

    def __init__(self, counters: PostgresCounters) -> None:
        self._counters = counters

    async def read(self, key: str) -> BreakerRecord:
        """The record of a key."""
        return _record(await self._counters.read(f"breaker:{key}"))

    async def replace(self, key: str, seen: BreakerRecord, record: BreakerRecord) -> bool:
        """Replace it unless another process did."""
        row = f"breaker:{key}"

        def replaced(rows: Rows, _: float) -> tuple[Rows, bool]:
            is_as_seen = _record(rows[row]) == seen
            return ({row: {} if record == CLOSED else asdict(record)} if is_as_seen else {}), is_as_seen

        return await self._counters.change([row], replaced)


class PostgresLimiterState:
    """Buckets that all processes take from, by the clock of the server."""

    def __init__(self, counters: PostgresCounters) -> None:
        self._counters = counters

    async def take(self, key: str, rate: Rate, tokens: float, max_wait: float) -> tuple[bool, float]:
        """Take tokens if they come soon enough."""
        row = f"bucket:{key}"

        def taken(rows: Rows, now: float) -> tuple[Rows, tuple[bool, float]]:
            left = _level(rows[row], rate, now) - tokens
            wait = max(-left, 0.0) / rate.per_second
            is_taken = wait <= max_wait
            return ({row: {"tokens": left, "at": now}} if is_taken else {}), (is_taken, wait)

        return await self._counters.change([row], taken)

    async def give_back(self, key: str, rate: Rate, tokens: float) -> None:
        """Return tokens."""
        row = f"bucket:{key}"

        def returned(rows: Rows, now: float) -> tuple[Rows, None]:
            return {row: {"tokens": min(rate.tokens, _level(rows[row], rate, now) + tokens), "at": now}}, None

        await self._counters.change([row], returned)


class PostgresBudgetLedger:
    """Accounts that all processes reserve in. What a process had reserved when it died counts with its worst case."""

    def __init__(self, counters: PostgresCounters) -> None:
        self._counters = counters

    async def reserve(self, budgets: Sequence[Budget], worst: Amount) -> Reservation:
        """Hold an amount back everywhere or nowhere."""
        reservation = Reservation(new_id(), tuple(budget.key for budget in budgets), worst)

        def reserved(rows: Rows, _: float) -> tuple[Rows, None]:
            for budget in budgets:
                account = rows[_account(budget.key)]
                require_fit(budget, _total([account, *account.get("held", {}).values()]), worst)
            for account in rows.values():
                account.setdefault("held", {})[reservation.id] = _kept(worst)
            return rows, None

        await self._counters.change([_account(key) for key in reservation.keys], reserved)
        return reservation

    async def settle(self, reservation: Reservation, actual: Amount) -> None:
        """Replace the reservation by what was used. The same again changes nothing."""

        def settled(rows: Rows, _: float) -> tuple[Rows, None]:
            held = {key: account for key, account in rows.items() if reservation.id in account.get("held", {})}
            for account in held.values():
                del account["held"][reservation.id]
                account.update(_kept(_total([account, _kept(actual)])))
            return held, None

        await self._counters.change([_account(key) for key in reservation.keys], settled)

    async def spent(self, budget: Budget) -> Amount:
        """What was used so far."""
        return _total([await self._counters.read(_account(budget.key))])


def _record(kept: dict[str, Any]) -> BreakerRecord:
    return BreakerRecord(**kept) if kept else CLOSED


def _level(kept: dict[str, Any], rate: Rate, now: float) -> float:
    """How many tokens a bucket holds by now."""
    if not kept:
        return rate.tokens
    return min(rate.tokens, float(kept["tokens"]) + max(now - float(kept["at"]), 0.0) * rate.per_second)


def _account(key: str) -> str:
    return f"budget:{key}"


def _kept(amount: Amount) -> dict[str, Any]:
    """An amount as it is written; an unknown price is null."""
    return {"tokens": amount.tokens, "money": None if amount.money is None else str(amount.money)}


def _total(parts: Sequence[Mapping[str, Any]]) -> Amount:
    """All of it; one unknown price makes the sum unknown."""
    prices = [part.get("money", "0") for part in parts]
    money = None if None in prices else sum((Decimal(price) for price in prices), Decimal(0))
    return Amount(sum(int(part.get("tokens", 0)) for part in parts), money)
