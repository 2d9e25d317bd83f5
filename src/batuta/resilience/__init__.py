"""Staying upright when the outside does not: deadlines, retries, breakers, limiters.

These names are what only models with a breaker need; each is imported when it is first used.
"""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.resilience.circuit_breaker import CircuitBreaker as CircuitBreaker
    from batuta.resilience.circuit_breaker import Signal as Signal
    from batuta.resilience.circuit_breaker import signal_of as signal_of

_imported, __all__ = lazy_exports(
    __name__,
    {"batuta.resilience.circuit_breaker": ("CircuitBreaker", "Signal", "signal_of")},
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
