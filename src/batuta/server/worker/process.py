"""A worker of the platform: leases turns, runs them, and answers notifications about them."""

import asyncio
import logging
import os
import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta

from batuta.agents.documents.library import CHOSEN_SERVICE, UNREAD_SERVICE
from batuta.events.envelope import Event
from batuta.events.log import EventLog
from batuta.events.observers import FanOutSink
from batuta.events.queue import Lease
from batuta.events.sink import Recorder
from batuta.eventstore.journal import DurableJournal
from batuta.eventstore.projectors import Projector
from batuta.eventstore.recorder import TurnRecorder
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.observability.standard import Observers
from batuta.orchestration.caution import unasked_writes
from batuta.orchestration.orchestrator import Orchestrator
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.pipelines.journal import Journal
from batuta.pipelines.options import RunOptions
from batuta.server.backends import Backends
from batuta.server.config import Settings
from batuta.server.files.attached import AttachedFiles
from batuta.server.live.live_text import LiveEventSink
from batuta.server.live.notifications import Notification, NotificationHandlers
from batuta.server.monitoring.observers import watcher
from batuta.server.supervision import TaskSupervisor
from batuta.server.worker.run_options import RunServices
from batuta.server.worker.titling import SessionTitler

log = logging.getLogger("batuta.server")


class PlatformWorker:
    """A `TurnWorker` that listens to the notifications of the platform."""

    def __init__(
        self,
        settings: Settings,
        team: Orchestrator,
        backends: Backends,
        services: RunServices,
        observers: Observers,
        titler: SessionTitler | None,
    ) -> None:
        self._bus = backends.bus
        self._unasked = unasked_writes(team)
        self._stops, self._live = NotifiedStopSignals(), LiveEventSink(backends.bus)
        self._titler = titler
        self._services = services
        self._attached = AttachedFiles(backends.database, backends.queue)
        self._worker = TurnWorker(
            team,
            backends.queue,
            backends.log,
            TurnPersistence(backends.log, backends.projector),
            WorkerSettings(
                owner=f"{socket.gethostname()}-{os.getpid()}",
                concurrency=max(1, settings.worker_concurrency),
                lease=timedelta(seconds=settings.lease_seconds),
                drain=timedelta(seconds=settings.shutdown_seconds),
                options=self._options,
                admit=services.admit,
                watch=watcher(observers),
            ),
            signals=self._stops,
            live=self._live if titler is None else FanOutSink(self._live, titler),
        )

    async def run(self, stop: asyncio.Event) -> None:
        """Run turns until the event is set; then they finish, or are left to another worker."""
        if stop.is_set():  # it broke while it was stopped
            return
        if self._unasked:
            log.warning("these writes need no approval: %s", ", ".join(self._unasked))
        with self._receiving():
            async with asyncio.TaskGroup() as group:
                titling = None if self._titler is None else group.create_task(self._titler.run())
                await self._worker.run(stop)
                if titling is not None:
                    titling.cancel()

    @asynccontextmanager
    async def running(self, supervisor: TaskSupervisor) -> AsyncIterator[None]:
        """Run turns within the block."""
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(supervisor.keep("worker", lambda: self.run(stop)), name="worker")
            await asyncio.sleep(0)  # it receives notifications before the block begins
            try:
                yield
            finally:
                stop.set()

    async def _options(self, lease: Lease) -> RunOptions:
        """The options of a turn, once the files that its message brings were read."""
        files = await self._attached.wait(lease.work, self._live)
        inside = await self._attached.in_folders(lease.work)
        options = await self._services.options(lease, in_folders=inside)
        if inside is not None and not inside:  # a folder without files is no permission to look elsewhere
            options["services"] = {CHOSEN_SERVICE: [], **options.get("services", {})}
        chosen = options.get("services", {}).get(CHOSEN_SERVICE, ())
        unread = [file.unread for file in files if file.unread is not None]
        unread += await self._attached.still_read(lease.work, chosen=chosen)
        if unread:
            options["services"] = {**options.get("services", {}), UNREAD_SERVICE: unread}
        return options

    @contextmanager
    def _receiving(self) -> Iterator[None]:
        handlers: NotificationHandlers = {
            "stop": self._stops.on_stop,
            "followed": self._live.publish_again,
            "work": lambda notification: self._worker.ring(),
        }
        with self._bus.subscribed(handlers):
            yield


class TurnPersistence:
    """Makes the recorder and the journal of one owner of a turn, on the event log of the platform."""

    def __init__(self, log: EventLog, projector: Projector, clock: Clock = SYSTEM_CLOCK) -> None:
        self._log = log
        self._projector = projector
        self._clock = clock

    def recorder(self, lease: Lease, history: Sequence[Event]) -> TurnRecorder:
        """The recorder of one owner."""
        return TurnRecorder(
            self._log, str(lease.work.session_id), fence=lease.fence, projector=self._projector, history=history
        )

    def journal(self, lease: Lease, recorder: Recorder, history: Sequence[Event]) -> Journal:
        """The journal of one owner."""
        return DurableJournal(self._log, recorder, lease.work.stamp, events=history, clock=self._clock)


class NotifiedStopSignals:
    """`StopSignals` of a worker: wakes a turn when a `stop` notification names it."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def on_stop(self, notification: Notification) -> None:
        """Handle a `stop` notification."""
        for event in self._waiting.get(notification.subject, ()):
            event.set()

    async def wait(self, turn_id: str) -> None:
        """Return when a stop of this turn was requested."""
        event = asyncio.Event()
        self._waiting[turn_id].add(event)
        try:
            await event.wait()
        finally:
            self._waiting[turn_id].discard(event)
            if not self._waiting[turn_id]:
                del self._waiting[turn_id]
