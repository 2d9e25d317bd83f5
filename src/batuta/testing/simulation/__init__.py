"""Deterministic simulation: one seed drives the clock, the scheduling, the faults and the kills of several processes.

    loop = SimulatedLoop(seed, Weather.drawn(Random(seed)))
    with new_id.drawn_from(seed, loop.time_ns): loop.run_until_complete(story(loop))

`loop` is the event loop with its processes, `weather` how the world outside fails, `stores` a log, queue and read
models at the end of a line, `notifications` the bus between processes. What runs on them is the real code of workers,
recorders, journals and feeds. Run the same seed again and the same happens, to the last callback.
"""

from batuta.testing.simulation.loop import SimulatedLoop as SimulatedLoop
from batuta.testing.simulation.loop import SimulatedProcess as SimulatedProcess
from batuta.testing.simulation.loop import SimulationStuckError as SimulationStuckError
from batuta.testing.simulation.notifications import SimulatedNotificationBus as SimulatedNotificationBus
from batuta.testing.simulation.notifications import SimulatedNotifications as SimulatedNotifications
from batuta.testing.simulation.stores import DistantMemoryLog as DistantMemoryLog
from batuta.testing.simulation.stores import DistantMemoryProjections as DistantMemoryProjections
from batuta.testing.simulation.stores import DistantMemoryQueue as DistantMemoryQueue
from batuta.testing.simulation.stores import WitnessedStore as WitnessedStore
from batuta.testing.simulation.weather import CALM as CALM
from batuta.testing.simulation.weather import Weather as Weather
