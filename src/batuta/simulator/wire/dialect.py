"""A wire format as a handful of pure functions; sockets never appear here."""

from collections.abc import Callable
from dataclasses import dataclass, field

from batuta.simulator.answers import Answer, Json, Provider
from batuta.simulator.wire.asked import Asked
from batuta.simulator.wire.sse import Event
from batuta.simulator.wire.turn import Turn


@dataclass(frozen=True, kw_only=True)
class Failure:
    """An error to be told in a provider's own words. ``events_sent`` counts what a stream carried before it."""

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
    read: Callable[[Json], Asked]
    whole: Callable[[Answer, Turn], Json]
    events: Callable[[Answer, Turn], list[Event]]
    error: Callable[[Failure], Json]
    error_events: Callable[[Failure, Turn], list[Event]]
    credential_headers: tuple[str, ...]
    required_headers: tuple[str, ...] = ()
    request_id_header: str = "x-request-id"
    response_headers: dict[str, str] = field(default_factory=dict)
