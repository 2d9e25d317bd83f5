"""Gauges: figures that no event reports, sampled every few seconds for `/metrics`."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from batuta.events.queue import TurnQueue, WorkStatus
from batuta.eventstore.projectors import Projector
from batuta.kernel.errors import BatutaError
from batuta.llm.quotas import QUOTAS
from batuta.observability.metrics import PrometheusMetrics

log = logging.getLogger("batuta.server")

SAMPLE_SECONDS = 2.0

Figures = Mapping[tuple[str, str | None], float]
"""By metric and the value of its one label, if it has one."""
GaugeSource = Callable[[], Awaitable[Figures]]


class Gauges:
    """Samples sources of figures and sets them as metrics."""

    def __init__(self, metrics: PrometheusMetrics | None, sources: Sequence[GaugeSource]) -> None:
        self._metrics = metrics
        self._sources = sources
        self._failing: set[int] = set()

    async def run(self) -> None:
        """Sample until cancelled."""
        while self._metrics is not None:
            await self.sample()
            await asyncio.sleep(SAMPLE_SECONDS)
        await asyncio.Event().wait()

    async def sample(self) -> None:
        """Sample every source once. One that fails is asked again, and logged once."""
        for index, source in enumerate(self._sources):
            try:
                self._set(await source())
                self._failing.discard(index)
            except (BatutaError, OSError) as error:
                if index not in self._failing:
                    log.warning("figures are missing from /metrics: %s", error)
                self._failing.add(index)

    def _set(self, figures: Figures) -> None:
        assert self._metrics is not None
        for (metric, label), value in figures.items():
            names: dict[str, Any] = {} if label is None else {_LABELS[metric]: label}
            self._metrics.set(metric, value, **names)


_LABELS = {"connected_clients": "transport", "limiter_tokens": "key", "llm_tokens_remaining": "llm_provider"}


def work_gauges(queue: TurnQueue, projector: Projector) -> GaugeSource:
    """How much waits: turns for a worker, events for the read models."""

    async def ask() -> Figures:
        depth = await queue.depth()
        lag = await projector.lag()
        return {
            ("turn_queue_depth", None): depth.get(WorkStatus.QUEUED, 0),
            ("log_to_database_lag_seconds", None): lag.total_seconds(),
        }

    return ask


def connection_gauges(count: Callable[[], Mapping[str, int]]) -> GaugeSource:
    """Live connections, by transport."""

    async def ask() -> Figures:
        return {("connected_clients", transport): float(number) for transport, number in count().items()}

    return ask


def model_gauges(limits: Callable[[], Mapping[str, float]]) -> GaugeSource:
    """What models may still be asked: by our limits, and by what their providers said last."""

    async def ask() -> Figures:
        found: dict[tuple[str, str | None], float] = {("limiter_tokens", key): left for key, left in limits().items()}
        found |= {("llm_tokens_remaining", provider): left for provider, left in QUOTAS.left().items()}
        return found

    return ask


def storage_gauges(
    used_bytes: Callable[[], Awaitable[int]], capacity_bytes: Callable[[int], int | None]
) -> GaugeSource:
    """How much is stored, of how much there is room for."""

    async def ask() -> Figures:
        used = await used_bytes()
        capacity = capacity_bytes(used)
        found: dict[tuple[str, str | None], float] = {("storage_used_bytes", None): used}
        if capacity is not None:
            found["storage_capacity_bytes", None] = capacity
        return found

    return ask
