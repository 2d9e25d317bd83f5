"""What several processes count together, in Redis: circuit breakers, rate limits and budgets.

Each call is one script, so each is atomic. Redis is never the only home of anything that matters: a flush forgets
failures, fills the buckets, and lets a budget begin anew, which is why one that needs budgets across a flush keeps
their ledger in a durable Redis (`appendonly yes`).
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Any

from pydantic_core import from_json, to_json

from batuta.eventstore.redis_connection import errors_as_ours
from batuta.kernel.errors import MissingExtraError
from batuta.kernel.ids import new_id
from batuta.kernel.usage import Amount
from batuta.llm.budget import Budget, Reservation, require_fit
from batuta.resilience.circuit_breaker import CLOSED, BreakerRecord
from batuta.resilience.rate_limiter import Rate

try:
    import redis.asyncio
except ImportError as missing:
    raise MissingExtraError("redis", needed_for="Redis") from missing

PREFIX = "{batuta:limits}"
"""All keys lie in one slot of a cluster: a reservation counts against several accounts at once."""
ANSWER_SECONDS = 1.0
"""Calls wait only a moment for a shared count, then count locally."""
KEPT_SECONDS = 86_400
NANO = Decimal(1_000_000_000)
"""Money is counted in whole billionths of a dollar, rounded up: numbers of Lua hold those exactly to 9 million."""
NO_LIMIT = -1

_REPLACE = """
local seen = redis.call('GET', KEYS[1]) or ''
if seen ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3]) end
return 1
"""

_BUCKET = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local size, speed = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = size
if kept[1] then tokens = math.min(size, tonumber(kept[1]) + math.max(now - tonumber(kept[2]), 0) * speed) end
local function keep(left)
  redis.call('HSET', KEYS[1], 'tokens', string.format('%.17g', left), 'at', string.format('%.17g', now))
  redis.call('EXPIRE', KEYS[1], math.ceil((size - left) / speed) + 1)
end
"""
_TAKE = f"""{_BUCKET}
local left = tokens - tonumber(ARGV[3])
local wait = math.max(-left, 0) / speed
if wait > tonumber(ARGV[4]) then return {{0, string.format('%.17g', wait)}} end
keep(left)
return {{1, string.format('%.17g', wait)}}
"""
_GIVE_BACK = f"""{_BUCKET}
keep(math.min(size, tokens + tonumber(ARGV[3])))
return 1
"""

_ACCOUNT = """
local function number(key, field) return tonumber(redis.call('HGET', key, field) or '0') end
local function add(key, field, amount) redis.call('HINCRBY', key, field, amount) end
"""
_RESERVE = f"""{_ACCOUNT}
local tokens, money, unknown = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
for place, key in ipairs(KEYS) do
  local used = number(key, 'tokens') + number(key, 'held_tokens')
  local paid = number(key, 'money') + number(key, 'held_money')
  local unpriced = number(key, 'unknown') + number(key, 'held_unknown')
  local most, dearest = tonumber(ARGV[3 + 2 * place]), tonumber(ARGV[4 + 2 * place])
  local fits = most < 0 or used + tokens <= most
  if dearest >= 0 then fits = fits and unknown + unpriced == 0 and paid + money <= dearest end
  if not fits then return {{place, used, paid, unpriced}} end
end
for _, key in ipairs(KEYS) do
  redis.call('HSET', key .. ':held', ARGV[1], table.concat({{tokens, money, unknown}}, ' '))
  add(key, 'held_tokens', tokens) add(key, 'held_money', money) add(key, 'held_unknown', unknown)
end
return {{0}}
"""
_SETTLE = f"""{_ACCOUNT}
for _, key in ipairs(KEYS) do
  local held = redis.call('HGET', key .. ':held', ARGV[1])
  if held then
    redis.call('HDEL', key .. ':held', ARGV[1])
    local tokens, money, unknown = string.match(held, '(%S+) (%S+) (%S+)')
    add(key, 'held_tokens', 0 - tonumber(tokens)) add(key, 'held_money', 0 - tonumber(money))
    add(key, 'held_unknown', 0 - tonumber(unknown))
    add(key, 'tokens', ARGV[2]) add(key, 'money', ARGV[3]) add(key, 'unknown', ARGV[4])
  end
end
return 1
"""


class RedisCounters:
    """The connection that breakers, limits and budgets of a process share."""

    def __init__(self, url: str, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self.client = redis.asyncio.Redis.from_url(
            url, socket_timeout=answer_seconds, socket_connect_timeout=answer_seconds, decode_responses=True
        )
        self._scripts = {
            name: self.client.register_script(text)
            for name, text in (
                ("replace", _REPLACE),
                ("take", _TAKE),
                ("give_back", _GIVE_BACK),
                ("reserve", _RESERVE),
                ("settle", _SETTLE),
            )
        }

    async def run(self, script: str, keys: Sequence[str], arguments: Sequence[str | int | float]) -> Any:
        """Run one script. Raises `StoreUnavailableError`."""
        with errors_as_ours():
            return await self._scripts[script](keys=list(keys), args=list(arguments))

    async def close(self) -> None:
        """Disconnect."""
        await self.client.aclose()


class RedisBreakerState:
    """Breakers that open for all processes at once."""

    def __init__(self, counters: RedisCounters) -> None:
        self._counters = counters

    async def read(self, key: str) -> BreakerRecord:
        """The record of a key."""
        with errors_as_ours():
            kept = await self._counters.client.get(_breaker_key(key))
        return CLOSED if kept is None else BreakerRecord(**from_json(kept))

    async def replace(self, key: str, seen: BreakerRecord, record: BreakerRecord) -> bool:
        """Replace it if it is unchanged."""
        arguments: list[str | int | float] = [_as_text(seen), _as_text(record), KEPT_SECONDS]
        return bool(await self._counters.run("replace", [_breaker_key(key)], arguments))


class RedisLimiterState:
    """Buckets that all processes take from, by the clock of the server."""

    def __init__(self, counters: RedisCounters) -> None:
        self._counters = counters

    async def take(self, key: str, rate: Rate, tokens: float, max_wait: float) -> tuple[bool, float]:
        """Take tokens if they come soon enough."""
        arguments = [rate.tokens, rate.per_second, tokens, max_wait]
        is_taken, wait = await self._counters.run("take", [f"{PREFIX}:bucket:{key}"], arguments)
        return bool(is_taken), float(wait)

    async def give_back(self, key: str, rate: Rate, tokens: float) -> None:
        """Return tokens."""
        await self._counters.run("give_back", [f"{PREFIX}:bucket:{key}"], [rate.tokens, rate.per_second, tokens])


class RedisBudgetLedger:
    """Accounts that all processes reserve in. What a process had reserved when it died counts with its worst case."""

    def __init__(self, counters: RedisCounters) -> None:
        self._counters = counters

    async def reserve(self, budgets: Sequence[Budget], worst: Amount) -> Reservation:
        """Hold an amount back everywhere or nowhere."""
        reservation = Reservation(new_id(), tuple(budget.key for budget in budgets), worst)
        limits = [limit for budget in budgets for limit in (_tokens_limit(budget), _money_limit(budget))]
        answer = await self._counters.run("reserve", _accounts(reservation), [reservation.id, *_amount(worst), *limits])
        if answer[0]:
            used = Amount(int(answer[1]), None if int(answer[3]) else Decimal(int(answer[2])) / NANO)
            require_fit(budgets[int(answer[0]) - 1], used, worst)
        return reservation

    async def settle(self, reservation: Reservation, actual: Amount) -> None:
        """Replace the reservation by what was used."""
        await self._counters.run("settle", _accounts(reservation), [reservation.id, *_amount(actual)])

    async def spent(self, budget: Budget) -> Amount:
        """What was used so far."""
        with errors_as_ours():
            kept: Any = await self._counters.client.hmget(_account(budget.key), ["tokens", "money", "unknown"])
        tokens, money, unknown = (int(value or 0) for value in kept)
        return Amount(tokens, None if unknown else Decimal(money) / NANO)


def _breaker_key(key: str) -> str:
    return f"{PREFIX}:breaker:{key}"


def _as_text(record: BreakerRecord) -> str:
    return "" if record == CLOSED else to_json(record).decode()


def _account(key: str) -> str:
    return f"{PREFIX}:budget:{key}"


def _accounts(reservation: Reservation) -> list[str]:
    return [_account(key) for key in reservation.keys]


def _amount(amount: Amount) -> tuple[int, int, int]:
    """Tokens, billionths of a dollar, and whether the price is unknown."""
    return (amount.tokens, 0, 1) if amount.money is None else (amount.tokens, _nano(amount.money), 0)


def _nano(money: Decimal) -> int:
    return int((money * NANO).to_integral_value(rounding=ROUND_CEILING))


def _tokens_limit(budget: Budget) -> int:
    return NO_LIMIT if budget.limit_tokens is None else budget.limit_tokens


def _money_limit(budget: Budget) -> int:
    return NO_LIMIT if budget.limit_money is None else int(budget.limit_money * NANO)
