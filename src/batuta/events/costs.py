"""What model calls cost, added up by whatever they were made for. Every way of adding up gives the same total.

    costs = costs_of(sink.events)
    costs.total, costs.by_agent["writer"], costs.by_tool["research"], costs.by_tool[NO_TOOL]

A call counts once in each table. By tool it counts for the tool whose body made it, an agent that serves another as a
tool; what an agent asks its model before and after its tools ran counts for no tool. A call that failed brought no
usage and is left out. A sum that holds a call without a known price is `None`.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from batuta.events.envelope import Event
from batuta.events.runtime import LlmResponse
from batuta.kernel.usage import add_costs

NO_TOOL = ""
"""The key of what was asked outside every tool."""

K = TypeVar("K", bound=Hashable)
Money = Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The cost of some model calls in US dollars, and how it divides."""

    total: Money
    by_step: dict[str, Money]
    by_attempt: dict[tuple[str, int], Money]
    """By the path of a step and the number of its attempt."""
    by_agent: dict[str, Money]
    by_tool: dict[str, Money]
    by_model: dict[str, Money]


def costs_of(events: Iterable[Event]) -> Costs:
    """What the model calls among these events cost."""
    calls = [event for event in events if isinstance(event, LlmResponse) and event.success]
    return Costs(
        total=_sum(call.cost for call in calls),
        by_step=_summed((call.path, call.cost) for call in calls),
        by_attempt=_summed(((call.path, call.attempt), call.cost) for call in calls),
        by_agent=_summed((call.source_agent_id or "", call.cost) for call in calls),
        by_tool=_summed((call.caller_tool or NO_TOOL, call.cost) for call in calls),
        by_model=_summed((f"{call.provider}:{call.model}", call.cost) for call in calls),
    )


def _sum(costs: Iterable[Money]) -> Money:
    total: Money = Decimal(0)
    for cost in costs:
        total = add_costs(total, cost)
    return total


def _summed(costs: Iterable[tuple[K, Money]]) -> dict[K, Money]:
    sums: dict[K, Money] = {}
    for key, cost in costs:
        sums[key] = add_costs(sums.get(key, Decimal(0)), cost)
    return sums
