"""The worst case of a pipeline, before anything runs. Forward-only pipelines make it computable.

`None` means that there is no bound; `unbounded` names the steps that are to blame.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import reduce
from typing import Any, TypeVar

N = TypeVar("N", int, timedelta, Decimal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """At most this much."""

    executions: int | None = 0
    """Steps begun, rollbacks included."""
    model_calls: int | None = 0
    tool_rounds: int | None = 0
    attempts: int | None = 0
    time: timedelta | None = timedelta()
    """Until the last step ends or is cut off by a deadline."""
    cleanup: timedelta = timedelta()
    """On top of that: rollbacks and background work, which no deadline of the run cuts short."""
    cost: Decimal | None = Decimal(0)
    unbounded: tuple[str, ...] = ()
    """What has no bound and why, such as `orders/price: no timeout`."""

    def then(self, other: "Bounds") -> "Bounds":
        """One after the other."""
        return _combined(self, other, _sum, time=_sum)

    def or_else(self, other: "Bounds") -> "Bounds":
        """Either of them."""
        both = _combined(self, other, _most, time=_most)
        return replace(both, cleanup=max(self.cleanup, other.cleanup))

    def beside(self, other: "Bounds") -> "Bounds":
        """Both at the same time."""
        return _combined(self, other, _sum, time=_most)

    def within(self, timeout: timedelta | None) -> "Bounds":
        """The same, cut off by a deadline."""
        if timeout is None:
            return self
        time = timeout if self.time is None else min(timeout, self.time)
        return replace(self, time=time, unbounded=tuple(u for u in self.unbounded if not u.endswith(NO_TIMEOUT)))

    def below(self, name: str) -> "Bounds":
        """The same, with the names of what is unbounded put under a parent."""
        return replace(self, unbounded=tuple(f"{name}/{who}" for who in self.unbounded))


NO_TIMEOUT = ": no timeout"
NOTHING = Bounds()


def one_execution(name: str, timeout: timedelta | None, count: int = 1) -> Bounds:
    """A step that runs `count` times at most, and reaches no model."""
    unbounded = () if timeout is not None else (f"{name}{NO_TIMEOUT}",)
    return Bounds(executions=count, time=None if timeout is None else timeout * count, unbounded=unbounded)


def anything(name: str) -> Bounds:
    """Whatever a function invokes that does not say what it invokes."""
    return Bounds(
        executions=None,
        model_calls=None,
        tool_rounds=None,
        attempts=None,
        time=None,
        cost=None,
        unbounded=(f"{name}: takes a Context and does not declare what it invokes",),
    )


def in_turn(parts: Iterable[Bounds]) -> Bounds:
    """All of them, one after the other."""
    return reduce(Bounds.then, parts, NOTHING)


def _combined(
    first: Bounds,
    second: Bounds,
    count: Callable[[Any, Any], Any],
    *,
    time: Callable[[timedelta | None, timedelta | None], timedelta | None],
) -> Bounds:
    return Bounds(
        executions=count(first.executions, second.executions),
        model_calls=count(first.model_calls, second.model_calls),
        tool_rounds=count(first.tool_rounds, second.tool_rounds),
        attempts=count(first.attempts, second.attempts),
        cost=count(first.cost, second.cost),
        time=time(first.time, second.time),
        cleanup=first.cleanup + second.cleanup,
        unbounded=first.unbounded + second.unbounded,
    )


def _sum(first: N | None, second: N | None) -> N | None:
    return None if first is None or second is None else first + second


def _most(first: N | None, second: N | None) -> N | None:
    return None if first is None or second is None else max(first, second)
