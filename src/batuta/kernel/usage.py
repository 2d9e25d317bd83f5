"""Tokens and money of model calls. Unknown is `None`, never zero.

A plain value and no pydantic model: every pipeline counts with it, also one that needs no models.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or more model calls. `thinking` is part of `output`; cached tokens are part of `input`."""

    input: int = 0
    output: int = 0
    thinking: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be counted."""
        counts: tuple[Any, ...] = (self.input, self.output, self.thinking, self.cache_read, self.cache_write)
        for count in counts:
            if not isinstance(count, int) or count < 0:
                raise ValueError(f"tokens are counted from 0 in whole numbers, got {count!r}")

    @property
    def total(self) -> int:
        """Tokens in and out."""
        return self.input + self.output

    def __add__(self, other: Self) -> Self:
        """Both together."""
        return type(self)(
            input=self.input + other.input,
            output=self.output + other.output,
            thinking=self.thinking + other.thinking,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        """Counts begin at 0, also for those who read the schema."""
        schema: dict[str, Any] = handler(core_schema)
        for field in handler.resolve_ref_schema(schema)["properties"].values():
            field["minimum"] = 0
        return schema


NO_USAGE = Usage()


def add_costs(first: Decimal | None, second: Decimal | None) -> Decimal | None:
    """The sum of two costs; unknown if either is."""
    return None if first is None or second is None else first + second


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens and money. Money is `None` where the price is unknown."""

    tokens: int = 0
    money: Decimal | None = Decimal(0)

    def __add__(self, other: "Amount") -> "Amount":
        """Both together."""
        money = None if self.money is None or other.money is None else self.money + other.money
        return Amount(self.tokens + other.tokens, money)


_LOST: ContextVar[list[Amount] | None] = ContextVar("batuta_lost_tries", default=None)


class LostTries:
    """Collects, within a block, what budgets are charged for tries whose answer was lost."""

    __slots__ = ("_token",)

    def __enter__(self) -> list[Amount]:
        lost: list[Amount] = []
        self._token = _LOST.set(lost)
        return lost

    def __exit__(self, *_: object) -> None:
        _LOST.reset(self._token)


def note_lost_try(amount: Amount) -> None:
    """Have the record of the call show a try that was charged and has no answer."""
    lost = _LOST.get()
    if lost is not None and amount != Amount():
        lost.append(amount)
