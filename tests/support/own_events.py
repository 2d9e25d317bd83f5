"""Events of somebody's own: a row in the table and a model that says what it carries. Nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from batuta.events import ROUTES, Audience, Event, Persistence, Route, add_route
from batuta.events.envelope import EVENT_TYPES
from batuta.events.routing import BY_STORE, BY_WIRE


@contextmanager
def weather_event(
    persistence: Persistence = Persistence.ASYNC_ALLOWED, audience: Audience = Audience.EXTERNAL
) -> Iterator[type[Event]]:
    """An event type that the catalogue holds while the block lasts."""
    is_stored, is_sent = persistence is not Persistence.TRANSIENT, audience is Audience.EXTERNAL
    add_route(
        Route(
            type="weather_changed",
            wire="weather" if is_sent else None,
            store="weather_observed" if is_stored else None,
            persistence=persistence,
            audience=audience,
            role="assistant",
        )
    )

    class WeatherChanged(Event):
        """The sky looks different."""

        type: Literal["weather_changed"] = "weather_changed"
        sky: str

    try:
        yield WeatherChanged
    finally:
        del ROUTES["weather_changed"], EVENT_TYPES["weather_changed"]
        BY_WIRE.pop("weather", None)
        BY_STORE.pop("weather_observed", None)
