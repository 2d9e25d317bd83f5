"""Tokens and money of model calls. Unknown is `None`, never zero.

A plain value and no pydantic model: every pipeline counts with it, also one that needs no models.
"""

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
