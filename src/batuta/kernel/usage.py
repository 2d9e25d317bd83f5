"""Tokens and money of model calls. Unknown is `None`, never zero."""

from decimal import Decimal
from typing import Self

from pydantic import BaseModel, ConfigDict, NonNegativeInt


class Usage(BaseModel):
    """Tokens of one or more model calls. `thinking` is part of `output`; cached tokens are part of `input`."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    input: NonNegativeInt = 0
    output: NonNegativeInt = 0
    thinking: NonNegativeInt = 0
    cache_read: NonNegativeInt = 0
    cache_write: NonNegativeInt = 0

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


NO_USAGE = Usage.model_construct()


def add_costs(first: Decimal | None, second: Decimal | None) -> Decimal | None:
    """The sum of two costs; unknown if either is."""
    return None if first is None or second is None else first + second
