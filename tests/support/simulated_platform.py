"""A platform in a simulation: workers and web processes that are killed and frozen, people who insist, followers who
come back. What runs in the processes is the product's own code; `history` is what the verifier is asked about.
"""

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

from batuta.events.conversation import Complete
from batuta.events.envelope import Event
from batuta.events.fold import fold
from batuta.events.log import EventLog, Position
from batuta.events.queue import UNFINISHED, TurnQueue, WorkStatus
from batuta.events.tools import ApprovalRequested
from batuta.eventstore.projectors import ProjectionStore, Projector
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.eventstore.sqlite_projections import SqliteProjections
from batuta.eventstore.sqlite_turns import SqliteTurnQueue
from batuta.eventstore.teams import TeamStore
from batuta.kernel.errors import ConflictError, StoreUnavailableError
from batuta.kernel.ids import new_id
from batuta.orchestration.worker import TurnWorker, WorkerSettings
from batuta.pipelines.options import RunOptions
from batuta.server.live.feed import SessionFeed
from batuta.server.live.live_text import LiveEventSink
from batuta.server.live.notifications import Notification, announcing_growth
from batuta.server.live.stored_events import DeliveredEvent
from batuta.server.worker.process import TurnPersistence
from batuta.testing.simulation import (
    CALM,
    DistantMemoryLog,
    DistantMemoryProjections,
    DistantMemoryQueue,
    SimulatedLoop,
    SimulatedNotificationBus,
    SimulatedNotifications,
    SimulatedProcess,
    Weather,
    WitnessedStore,
)
from batuta.testing.views import UNKNOWN_OUTCOME
from batuta.tools.approval import ApprovalDecision
from tests.support.history import (
    START,
    AcceptedTurn,
    AckedAppend,
    Connection,
    Delivered,
    Effect,
    History,
    LogEntry,
    View,
)
from tests.support.metering import metered_in
from tests.support.simulated_team import WISHES, World, team, world_of

T = TypeVar("T")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = timedelta(seconds=1.5)
ANSWER_SECONDS = 3.0
"""How long people and followers wait before they try elsewhere."""
STORM_SECONDS = 4.0
SETTLE_SECONDS = 900.0
SQLITE_EVERY = 10


@dataclass(frozen=True)
class LoopClock:
    """The time of day of the simulated machines."""

    loop: SimulatedLoop

    def now(self) -> datetime:
        return BEGIN + timedelta(seconds=self.loop.time())

    def monotonic(self) -> float:
        return self.loop.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(frozen=True)
class Parts:
    """What one process opens."""

    log: EventLog
    queue: TurnQueue
    projector: Projector
    bus: SimulatedNotificationBus
    clock: LoopClock

    @property
    def store(self) -> TeamStore:
        return TeamStore(self.log, self.queue, clock=self.clock)


@dataclass
class SimulatedPlatform:
    """Two web and two worker processes on one store, and what happens to them."""

    loop: SimulatedLoop
    world: World
    folder: Path | None = None
    """Where the SQLite file is; without one the store is in memory."""
    memory: WitnessedStore = field(default_factory=WitnessedStore)
    roles: dict[str, SimulatedProcess] = field(default_factory=dict)
    webs: dict[SimulatedProcess, tuple[Parts, SessionFeed]] = field(default_factory=dict)
    exits: list[str] = field(default_factory=list)
    kills: int = 0

    def __post_init__(self) -> None:
        self.clock = LoopClock(self.loop)
        self.notifications = SimulatedNotifications(self.loop)

    def begin(self, role: str) -> None:
        """Start a process, for the first time or again."""
        process = self.roles[role] = self.loop.process(f"{role}.{self.kills}")
        work = self._web(process) if role.startswith("web") else self._worker(process)
        process.start(work).add_done_callback(lambda task: self._ended(process, task))

    async def storm(self) -> None:
        """Kill and freeze processes; each comes back after a while."""
        draw = self.loop.random
        for _ in range(draw.randrange(7)):
            await asyncio.sleep(draw.random() * STORM_SECONDS / 3)
            role = draw.choice(sorted(self.roles))
            if draw.random() < 0.3:
                self.roles[role].freeze(draw.random() * 3 * LEASE.total_seconds())
                continue
            self.webs.pop(self.roles[role], None)
            self.roles[role].kill()
            self.kills += 1
            await asyncio.sleep(draw.random())
            self.begin(role)

    async def ask(self, handle: Callable[[Parts], Awaitable[T]]) -> T:
        """Have a web process do something; another one if it does not answer."""
        while True:
            process, parts = await self._any_web()
            answer: asyncio.Future[T] = self.loop.create_future()
            process.start(_answered(handle(parts), answer))
            with suppress(TimeoutError, StoreUnavailableError):
                async with asyncio.timeout(ANSWER_SECONDS):
                    return await answer

    async def _any_web(self) -> tuple[SimulatedProcess, Parts]:
        while not (up := [process for process in self.webs if not process.is_dead]):
            await asyncio.sleep(0.1)
        process = self.loop.random.choice(up)
        return process, self.webs[process][0]

    async def follow(self, session: str, position: Position, take: Callable[[DeliveredEvent], None]) -> None:
        """Follow a session over one web process until it or the patience ends."""
        process, _ = await self._any_web()
        feed = self.webs[process][1]

        async def serve() -> None:
            with suppress(StoreUnavailableError):
                async for batch in feed.follow(session, position):
                    for delivered in batch:
                        take(delivered)

        serving = process.start(serve())
        try:
            while not serving.done() and not process.is_dead:
                await asyncio.sleep(0.1)
        finally:
            if not process.is_dead:
                serving.cancel()

    @asynccontextmanager
    async def parts(self, process: SimulatedProcess) -> AsyncIterator[Parts]:
        with self.notifications.bus(process) as bus:
            if self.folder is None:
                log: EventLog = DistantMemoryLog(self.memory.of_another_process(), clock=self.clock)
                queue: TurnQueue = DistantMemoryQueue(cast("DistantMemoryLog", log))
                tables: ProjectionStore = DistantMemoryProjections(cast("DistantMemoryLog", log))
            else:
                log = SqliteEventLog(self.folder / "simulated.db", clock=self.clock)
                queue, tables = SqliteTurnQueue(log), SqliteProjections(log)
            projector = Projector(tables, clock=self.clock)
            with announcing_growth(log, bus):
                yield Parts(log, queue, projector, bus, self.clock)

    async def _worker(self, process: SimulatedProcess) -> None:
        async with self.parts(process) as parts:
            live = LiveEventSink(parts.bus)
            worker = TurnWorker(
                team(),
                parts.queue,
                parts.log,
                TurnPersistence(parts.log, parts.projector, self.clock),
                WorkerSettings(
                    owner=process.name,
                    concurrency=2,
                    lease=LEASE,
                    options=lambda lease: RunOptions(clock=self.clock),
                ),
                live=live,
            )
            handlers = {"followed": live.publish_again, "work": lambda _: worker.ring()}
            with parts.bus.subscribed(cast("Any", handlers)):
                await asyncio.gather(worker.run(asyncio.Event()), parts.projector.run())

    async def _web(self, process: SimulatedProcess) -> None:
        async with self.parts(process) as parts:
            feed = SessionFeed(parts.log, parts.bus, parts.projector)
            self.webs[process] = parts, feed
            await feed.run()

    def _ended(self, process: SimulatedProcess, task: asyncio.Task[None]) -> None:
        self.exits.append(f"{process.name} ended by itself: {None if task.cancelled() else task.exception()!r}")


async def _answered(work: Awaitable[T], answer: "asyncio.Future[T]") -> None:
    try:
        result = await work
    except Exception as error:
        if not answer.done():
            answer.set_exception(error)
    else:
        if not answer.done():
            answer.set_result(result)


@dataclass
class SimulatedFollower:
    """A client that watches a session, loses its connection and resumes elsewhere."""

    name: str
    session: str
    platform: SimulatedPlatform
    connections: list[Connection] = field(default_factory=list)
    told: list[Event] = field(default_factory=list)
    position: Position = field(default_factory=lambda: Position(*START))

    async def run(self) -> None:
        """Follow until cancelled, with connections of any length."""
        while True:
            frames: list[Delivered] = []
            after = self.position
            try:
                async with asyncio.timeout(self.platform.loop.random.random() * 20):
                    await self.platform.follow(self.session, after, partial(self._take, frames))
            except TimeoutError:
                pass
            finally:
                here = Connection(
                    client=self.name, session=self.session, after=cast("Any", after), frames=tuple(frames)
                )
                self.connections.append(here)

    def _take(self, frames: list[Delivered], delivered: DeliveredEvent) -> None:
        event = delivered.event
        self.told.append(event)
        if delivered.sequence_number is None:
            return
        self.position = Position(delivered.epoch, delivered.sequence_number)
        frames.append(
            Delivered(
                epoch=delivered.epoch,
                seq=delivered.sequence_number,
                event_id=event.event_id,
                previous=delivered.previous_sequence,
                digest=digest_of(event),
            )
        )


@dataclass
class SimulatedPerson:
    """One who sends messages until they are accepted, decides, and sometimes stops a turn."""

    session: str
    platform: SimulatedPlatform
    acked: list[AckedAppend] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    decided: dict[str, str] = field(default_factory=dict)

    async def talk(self) -> None:
        """Some messages, sooner or later; what is asked meanwhile is decided."""
        draw = self.platform.loop.random
        for number in range(1 + draw.randrange(3)):
            await asyncio.sleep(draw.random() * draw.random() * STORM_SECONDS)
            await self._say(draw.choice(WISHES), f"m{number}")
            if draw.random() < 0.3:
                await asyncio.sleep(draw.random() * 2)
                await self.platform.ask(lambda parts: parts.store.stop(self.turns[-1], by="person"))

    async def _say(self, wish: str, key: str) -> None:
        target = {"talk": "talker", "plan": None}.get(wish, "clerk")

        async def handle(parts: Parts) -> str:
            turn = await parts.store.say(self.session, f"please {wish}", target_agent_id=target, client_key=key)
            parts.bus.publish(Notification("work"))
            return turn

        sent = self.platform.loop.time()
        turn = await self.platform.ask(handle)
        self.turns.append(turn)
        message = next(e for e in await self.events() if e.type == "user_message" and e.turn_id == turn)
        heard = self.platform.loop.time()
        assert message.sequence_number is not None
        self.acked.append(
            AckedAppend(
                session=self.session,
                epoch=1,
                seq=message.sequence_number,
                event_id=message.event_id,
                t_sent=sent,
                t_acked=heard,
                client_key=key,
                digest=digest_of(message),
            )
        )

    async def events(self) -> list[Event]:
        return await self.platform.ask(lambda parts: parts.store.events(self.session))

    async def decide_until_done(self) -> None:
        """Answer what is asked until all turns have ended."""
        while True:
            await asyncio.sleep(1.0)
            works = [await self.platform.ask(_finding(turn)) for turn in self.turns]
            if not any(work.status in UNFINISHED for work in works):
                return
            if any(work.status is WorkStatus.PAUSED for work in works):
                for asked in await self.platform.ask(lambda parts: parts.store.waiting(self.session)):
                    with suppress(ConflictError):
                        await self.platform.ask(_deciding(asked, self._decision(asked)))

    def _decision(self, asked: ApprovalRequested) -> ApprovalDecision:
        """Consent; about a call whose outcome is unknown, the truth."""
        if UNKNOWN_OUTCOME not in asked.reason:
            return ApprovalDecision(verdict="approved", by="person")
        done = self.platform.world.done
        is_done = any(key.startswith(f"{asked.tool_name} ") and str(asked.turn_id) in key for key in done)
        return ApprovalDecision(verdict="rejected" if is_done else "approved", by="person", reason="so it is")


def _deciding(asked: ApprovalRequested, decision: ApprovalDecision) -> Callable[[Parts], Awaitable[None]]:
    return lambda parts: parts.store.decide(asked, decision)


def _finding(turn: str) -> Callable[[Parts], Awaitable[Any]]:
    return lambda parts: parts.queue.get(turn)


@dataclass(frozen=True)
class Simulated:
    """What one seed came to."""

    seed: int
    history: History
    kills: int
    trace: str
    """The same for the same seed, and for no other."""
    virtual_seconds: float


def simulate(seed: int) -> Simulated:
    """Run one seed: every tenth on SQLite, the others in memory."""
    if seed % SQLITE_EVERY:
        return _simulated(seed, None)
    with tempfile.TemporaryDirectory() as folder:
        return _simulated(seed, Path(folder))


def _simulated(seed: int, folder: Path | None) -> Simulated:
    weather = Weather.drawn(random.Random(seed))
    loop = SimulatedLoop(seed, weather)
    with new_id.drawn_from(seed, loop.time_ns), _seeded(seed), world_of(loop) as world:
        try:
            platform = SimulatedPlatform(loop, world, folder)
            history = loop.run_until_complete(_story(platform))
            content = "".join(f"{entry.session}{entry.seq}{entry.event_id}" for entry in history.log)
            trace = f"{loop.trace:08x}-{sha256(content.encode()).hexdigest()[:8]}"
            return Simulated(seed, history, platform.kills, trace, loop.time())
        finally:
            loop.close()


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Pauses between tries are drawn from Python's own generator."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


async def _story(platform: SimulatedPlatform) -> History:
    """A storm, and the time after it in which everything has to come right."""
    for role in ("web-1", "web-2", "worker-1", "worker-2"):
        platform.begin(role)
    draw = platform.loop.random
    people = [SimulatedPerson(new_id(), platform) for _ in range(1 + draw.randrange(2))]
    followers = [SimulatedFollower(f"f{n}", person.session, platform) for n, person in enumerate((*people, people[0]))]
    watching = [asyncio.create_task(follower.run()) for follower in followers]
    deciding = asyncio.gather(*(_talked(person) for person in people))
    try:
        await platform.storm()
        platform.loop.weather = CALM
        async with asyncio.timeout(SETTLE_SECONDS):
            await deciding
            while any(process.frozen_until > platform.loop.time() for process in platform.roles.values()):
                await asyncio.sleep(1.0)
            await _all_seen(platform, followers)
    except TimeoutError:
        pass  # the verifier says what is missing
    finally:
        deciding.cancel()
        for task in watching:
            task.cancel()
        await asyncio.gather(deciding, *watching, return_exceptions=True)
    return await _history(platform, people, followers)


async def _talked(person: SimulatedPerson) -> None:
    deciding = asyncio.create_task(person.decide_until_done())
    try:
        await person.talk()
    finally:
        deciding.cancel()
    await person.decide_until_done()


async def _all_seen(platform: SimulatedPlatform, followers: list[SimulatedFollower]) -> None:
    for follower in followers:
        seen = [e for e in await _events(platform, follower.session) if e.is_visible]
        while follower.position.seq < (seen[-1].sequence_number or 0 if seen else 0):
            await asyncio.sleep(0.2)


async def _events(platform: SimulatedPlatform, session: str) -> list[Event]:
    return await platform.ask(lambda parts: parts.store.events(session))


async def _history(
    platform: SimulatedPlatform, people: list[SimulatedPerson], followers: list[SimulatedFollower]
) -> History:
    logs = {person.session: await _events(platform, person.session) for person in people}
    views = [
        View(
            client=follower.name,
            session=follower.session,
            live=fold(follower.told).model_dump_json(),
            reloaded=fold([event for event in logs[follower.session] if event.is_visible]).model_dump_json(),
        )
        for follower in followers
    ]
    return History(
        acked=tuple(ack for person in people for ack in person.acked),
        log=tuple(entry for session, events in logs.items() for entry in _entries(platform, session, events)),
        connections=tuple(connection for follower in followers for connection in follower.connections),
        views=tuple(views),
        turns=tuple(AcceptedTurn(session=person.session, turn=turn) for person in people for turn in person.turns),
        effects=tuple(Effect(key=key, times=times) for key, times in platform.world.done.items()),
        served=tuple(platform.world.served),
        metered=tuple(call for events in logs.values() for call in metered_in(events)),
        exits=(*platform.exits, *platform.loop.complaints),
    )


def _entries(platform: SimulatedPlatform, session: str, events: list[Event]) -> Iterator[LogEntry]:
    for event in events:
        assert event.sequence_number is not None
        yield LogEntry(
            session=session,
            epoch=1,
            seq=event.sequence_number,
            event_id=event.event_id,
            digest=digest_of(event),
            fence=platform.memory.fences.get(event.event_id, 0),
            turn=event.turn_id,
            is_terminal=isinstance(event, Complete) and event.status != "paused",
            is_internal=not event.is_visible,
        )


def digest_of(event: Event) -> str:
    """What stands for the content of an event; times of day are no part of it."""
    left_out = {"timestamp", "sequence_number", "duration_ms", "session_id"}
    return sha256(event.model_dump_json(exclude=left_out).encode()).hexdigest()[:16]
