"""A wire format as a handful of pure functions; sockets never appear here."""

from collections.abc import Callable
from dataclasses import dataclass, field

from batuta.simulator.answers import Json, PlannedAnswer, Provider
from batuta.simulator.wire.asked import WireRequest
from batuta.simulator.wire.sse import SseEvent
from batuta.simulator.wire.turn import WireTurn


@dataclass(frozen=True, kw_only=True)
class WireFailure:
    """An error to be sent in a provider's own words. ``events_sent`` counts what a stream carried before it."""

    status: int
    message: str
    retry_after: float | None = None
    events_sent: int = 0


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How one provider is spoken.

    ``credential_headers`` names the headers of which one must be present, ``required_headers`` those that always must.
    """

    provider: Provider
    read: Callable[[Json], WireRequest]
    whole: Callable[[PlannedAnswer, WireTurn], Json]
    events: Callable[[PlannedAnswer, WireTurn], list[SseEvent]]
    error: Callable[[WireFailure], Json]
    error_events: Callable[[WireFailure, WireTurn], list[SseEvent]]
    credential_headers: tuple[str, ...]
    required_headers: tuple[str, ...] = ()
    request_id_header: str = "x-request-id"
    response_headers: dict[str, str] = field(default_factory=dict)
