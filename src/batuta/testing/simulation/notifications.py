"""Notifications between simulated processes: late, twice, in another order, or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from batuta.server.live.notifications import LocalNotificationBus, Notification
from batuta.testing.simulation.loop import SimulatedLoop, SimulatedProcess

LOST, TWICE = 0.1, 0.1
LONGEST_SECONDS = 0.5


class SimulatedNotifications:
    """What connects the buses of all processes. Within a process everything arrives at once."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop
        self._buses: dict[SimulatedProcess, SimulatedNotificationBus] = {}

    @contextmanager
    def bus(self, process: SimulatedProcess) -> Iterator["SimulatedNotificationBus"]:
        """The bus of one process, until it leaves; one that is killed never does, and is not reached."""
        self._buses[process] = bus = SimulatedNotificationBus(self, process)
        try:
            yield bus
        finally:
            del self._buses[process]

    def spread(self, origin: SimulatedProcess, notification: Notification) -> None:
        """Bring a notification to all other processes, each in its own time."""
        draw = self._loop.random.random
        for process, bus in self._buses.items():
            if process is not origin and draw() > LOST:
                for _ in range(2 if draw() < TWICE else 1):
                    process.call(draw() * draw() * LONGEST_SECONDS, partial(bus.receive, notification))


class SimulatedNotificationBus(LocalNotificationBus):
    """The `NotificationBus` of one process."""

    def __init__(self, all_buses: SimulatedNotifications, process: SimulatedProcess) -> None:
        super().__init__()
        self._all = all_buses
        self._process = process

    def publish(self, notification: Notification) -> None:
        """See `NotificationBus.publish`. What this process stored is handed on as a position only."""
        super().publish(notification)
        self._all.spread(self._process, notification._replace(grown=None))

    def receive(self, notification: Notification) -> None:
        """Something came from another process."""
        super().publish(notification)
