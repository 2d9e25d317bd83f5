"""Numbers that people configure: one that makes no sense is refused where it is written, not in the middle of a run."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from batuta.kernel.errors import ConfigurationError


def check_number(
    name: str,
    value: Any,
    *,
    at_least: float = 0,
    at_most: float | None = None,
    is_whole: bool = True,
    error: type[ConfigurationError] = ConfigurationError,
) -> None:
    """Raise if a number is of the wrong kind or out of its range; `None` stands for "not set" and passes."""
    if value is None:
        return
    kinds = (int,) if is_whole else (int, float, Decimal)
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    if not is_number or not (at_least <= value and (at_most is None or value <= at_most)):
        kind = "a whole number" if is_whole else "a number"
        reach = f"of at least {at_least:g}" if at_most is None else f"between {at_least:g} and {at_most:g}"
        raise error(f"{name} is {kind} {reach}, got {value!r}")


def check_duration(name: str, value: Any, *, error: type[ConfigurationError] = ConfigurationError) -> None:
    """Raise unless it is a time above zero."""
    if not isinstance(value, timedelta) or value <= timedelta(0):
        raise error(f"{name} is a time above zero (a timedelta), got {value!r}")
