"""Kill web and worker processes of a distributed platform under load, flush its Redis, then ask what is left.

    python -m tests.chaos.platform --minutes 2 --users 100 [--servers] [--seed 1]

Two web and two worker processes on PostgreSQL and Redis. People talk, over whichever web process they get; they send
a message again until it is accepted, approve what is asked, and follow their sessions over Socket.IO or server-sent
events, some over both. Any of the four processes is killed every few seconds. In the middle Redis is flushed, later
it is killed and started again. Prints one line and ends with 1 if a promise was broken.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any, TypeGuard

import aiohttp

from batuta.events.conversation import Complete, ErrorOccurred, UserMessage
from batuta.events.envelope import Event
from batuta.events.fold import fold
from batuta.events.runtime import TurnResumed, TurnStarted
from batuta.events.wire import from_wire
from batuta.testing.eventlog import everything
from tests.chaos.eventlog import require_sound
from tests.chaos.platform_team import bookings
from tests.support.fleet import PROCESSES, Fleet, distributed_place
from tests.support.followers import Follower, SocketFollower, StreamFollower, Wire
from tests.support.history import AcceptedTurn, Connection, History, LogEntry, View
from tests.support.metering import metered_in, served_in
from tests.support.processes import Zygote
from tests.support.stores import Store, opener_of
from tests.support.verifier import Report, percentile, verify

TEAM = "tests.chaos.platform_team:team"
MODULES = (PROCESSES, "tests.chaos.platform_team")
SETTINGS: dict[str, Any] = {}
"""What an operator would have without setting anything."""
ASK_SECONDS, SETTLE_SECONDS = 20.0, 300.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 3.0
THINK_SECONDS = (0.5, 6.0)


@dataclass(frozen=True, kw_only=True)
class Load:
    """How much, for how long."""

    users: int
    seconds: float
    kills_every: tuple[float, float] | None = (1.5, 4.0)
    """How often a process of the platform is killed."""
    servers_every: tuple[float, float] | None = None
    """How often PostgreSQL or Redis is killed and started again, after up to `away` seconds."""
    away: tuple[float, float] = (0.0, 2.0)
    clocks: Mapping[str, float] = field(default_factory=dict)
    """Processes with a wrong time of day: by how many seconds it is ahead."""
    is_rolling: bool = False
    """Whether all processes are replaced instead, one after the other, again and again."""
    seed: int = 1


@dataclass
class Person:
    """Somebody who talks, insists, approves, and watches."""

    secret: str
    fleet: Fleet
    http: aiohttp.ClientSession
    rng: Random
    session: str = ""
    accepted: dict[str, str] = field(default_factory=dict)
    """Turn by message id."""
    wanted: list[str] = field(default_factory=list)
    """What was asked to be booked."""
    followers: list[Follower] = field(default_factory=list)
    turn_seconds: list[float] = field(default_factory=list)
    sent_again: int = 0
    reloaded: list[Wire] = field(default_factory=list)
    """The session as it is shown at the end to whoever opens it."""

    async def arrive(self, number: int) -> None:
        """Begin a session and follow it; every fifth person in two ways."""
        self.session = (await self._insist("POST", "/api/sessions", {}))["session_id"]
        kinds = (SocketFollower, StreamFollower) if number % 2 else (StreamFollower, SocketFollower)
        for kind in kinds[: 1 + (number % 5 == 0)]:
            name = f"{number}-{kind.__name__}"
            self.followers.append(kind(name, self.session, self.secret, lambda: self.fleet.any_address(self.rng)))

    async def talk(self, until: float) -> None:
        """Messages, one after another, each waited for."""
        count = 0
        while time.monotonic() < until:
            await asyncio.sleep(self.rng.uniform(*THINK_SECONDS))
            count += 1
            await self._say(count)

    async def _say(self, count: int) -> None:
        body: Wire = {"client_message_id": f"m{count}", "text": f"message {count}"}
        if count % 4 == 0:
            self.wanted.append(f"{self.session}/{count}")
            body["text"] = f"book {self.wanted[-1]}"
        elif count % 4 == 2:
            body["target_agent_id"] = "echo"
        began = time.monotonic()
        answer = await self._insist("POST", f"/api/sessions/{self.session}/messages", body)
        turn = self.accepted[body["client_message_id"]] = answer["turn_id"]
        asked = asyncio.create_task(self._approve(turn))
        try:
            await self.followers[0].until(lambda told: any(_ends(wire, turn) for wire in reversed(told)))
        finally:
            asked.cancel()
        self.turn_seconds.append(time.monotonic() - began)

    async def _approve(self, turn: str) -> None:
        """Approve whatever this turn asks for, as it is shown."""
        decided: set[str] = set()

        def open_questions() -> list[str]:
            shown = [w for w in self.followers[0].told if w["type"] == "approval_requested" and w["turn_id"] == turn]
            return [wire["approval_id"] for wire in shown if wire["approval_id"] not in decided]

        while True:
            await self.followers[0].until(lambda _: bool(open_questions()))
            for approval in open_questions():
                decided.add(approval)
                await self._insist("POST", f"/api/approvals/{approval}", {"decision": "approve"})

    async def events(self) -> list[Wire]:
        """The session as a reload shows it."""
        items: list[Wire] = []
        while True:
            after = items[-1]["sequence_number"] if items else 0
            page = await self._insist("GET", f"/api/sessions/{self.session}/events?limit=1000&after={after}")
            items += page["items"]
            if not page["items"]:
                return items

    async def _insist(self, method: str, path: str, body: Wire | None = None) -> Wire:
        """Ask until somebody answers: the same request, wherever it leads, less and less often."""
        pause = FIRST_PAUSE
        while True:
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                async with self.http.request(
                    method,
                    self.fleet.any_address(self.rng) + path,
                    json=body,
                    headers={"Authorization": f"Bearer {self.secret}"},
                ) as answer:
                    if answer.status < 500 and answer.status != 429:
                        found: Wire = await answer.json()
                        if answer.status >= 400:
                            raise AssertionError(f"{method} {path}: {answer.status} {found}")
                        return found
            self.sent_again += 1
            await asyncio.sleep(self.rng.uniform(0.5, 1.0) * pause)
            pause = min(2 * pause, LONGEST_PAUSE)


@dataclass(frozen=True, kw_only=True)
class PlatformReport:
    """What became of it all."""

    load: Load
    kills: Mapping[str, int]
    report: Report
    accepted: int
    recovered: int
    sent_again: int
    resumed: Sequence[float]
    turn_seconds: Sequence[float]
    resyncs: int
    lost: Sequence[str]
    """Accepted messages that are not in the log exactly once."""
    bookings: Sequence[str]
    """Bookings that did not happen exactly once."""
    failed: Sequence[str]
    """Turns that ended otherwise than well."""
    served: int
    """Calls of models that their provider counted."""
    lost_calls: int
    """Calls that are counted with what was reserved, as their answer was lost."""
    takeovers: Sequence[float] = ()
    """Seconds from the death of a turn's owner to the first word of the next one."""

    @property
    def is_clean(self) -> bool:
        return self.report.is_clean and not (self.lost or self.bookings or self.failed or self.resyncs)

    def line(self) -> str:
        """Everything in one line."""
        broken = {name: count for name, count in self.report.figures.items() if count}
        facts = {
            "users": self.load.users,
            "seconds": f"{self.load.seconds:.0f}",
            "kills": sum(self.kills.values()),
            **{f"{kind}_kills": sum(n for role, n in self.kills.items() if role.startswith(kind)) for kind in _KINDS},
            "messages": self.accepted,
            "events": self.report.appended,
            "messages_lost": len(self.lost),
            "unended": self.report.figures["unended_turns"],
            "failed": len(self.failed),
            "gaps": self.report.figures["gaps"],
            "duplicated": self.report.figures["duplicated"],
            "reordered": self.report.figures["reordered"],
            "mismatched_views": self.report.figures["mismatched_views"],
            "wrong_bookings": len(self.bookings),
            "calls_served": self.served,
            "calls_lost": self.lost_calls,
            "wrong_metering": self.report.figures["wrong_metering"],
            "resyncs": self.resyncs,
            "recovered": self.recovered,
            "sent_again": self.sent_again,
            "resumes": len(self.resumed),
            "resume_p95_s": f"{percentile(self.resumed, 0.95):.2f}",
            "takeovers": len(self.takeovers),
            "takeover_p50_s": f"{percentile(self.takeovers, 0.5):.2f}",
            "takeover_p95_s": f"{percentile(self.takeovers, 0.95):.2f}",
            "turn_p50_s": f"{percentile(self.turn_seconds, 0.5):.2f}",
            "turn_p95_s": f"{percentile(self.turn_seconds, 0.95):.2f}",
            "turn_max_s": f"{max(self.turn_seconds, default=0):.2f}",
        }
        return " ".join(f"{name}={value}" for name, value in {**facts, **broken}.items())

    def explain(self) -> str:
        """The line, and below it some of what is wrong."""
        wrong = [*self.lost[:5], *self.bookings[:5], *self.failed[:5]]
        return "\n".join([self.line(), *wrong, *self.report.explain().splitlines()[1:]])

    def require(self, *, messages: int, kills: int) -> None:
        """Insist on a clean run in which something happened."""
        if not self.is_clean or self.accepted < messages or sum(self.kills.values()) < kills:
            raise AssertionError(self.explain())


_KINDS = ("web", "worker", "postgres", "redis")


async def run(zygote: Zygote, load: Load) -> PlatformReport:
    """Load, kill, settle, verify."""
    with tempfile.TemporaryDirectory() as directory, distributed_place(Path(directory)) as place:
        fleet = Fleet(zygote, place, TEAM, about=files_in(Path(directory)), more=SETTINGS, clocks=load.clocks)
        async with fleet.running():
            people, kills = await live(fleet, load)
        assert place.postgres is not None
        async with opener_of({"backend": "postgres", "url": place.postgres.url(place.database)})() as store:
            found = await verified(store, load, kills, people, fleet.about)
            return replace(found, takeovers=await _takeovers(store, people, fleet.killed_at))


def files_in(directory: Path) -> dict[str, str]:
    """What the team writes down, by name: its bookings, and the calls that its provider served."""
    files = {name: directory / name for name in ("ledger", "bill")}
    for path in files.values():
        path.touch()
    return {name: str(path) for name, path in files.items()}


async def live(fleet: Fleet, load: Load) -> tuple[list[Person], Counter[str]]:
    """Everybody talks and watches while processes die; then all that was accepted is waited for."""
    rng = Random(load.seed)
    timeout = aiohttp.ClientTimeout(total=ASK_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as http:
        secrets = await fleet.people(load.users)
        people = [Person(secret, fleet, http, Random(rng.random())) for secret in secrets]
        await asyncio.gather(*(person.arrive(number) for number, person in enumerate(people)))
        watching = [asyncio.create_task(f.run()) for person in people for f in person.followers]
        try:
            until = time.monotonic() + load.seconds
            talking = asyncio.gather(*(person.talk(until) for person in people))
            mischief = (_kill(fleet, load, rng), _kill_servers(fleet, load, rng), _replace(fleet, load))
            kills = sum(await asyncio.gather(*mischief), Counter[str]())
            async with asyncio.timeout(SETTLE_SECONDS):
                await talking
                await fleet.wait_until_alive()
                fleet.require_alive()
                await _all_seen(people)
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
        for person in people:
            person.reloaded = await person.events()
        return people, kills


async def _kill(fleet: Fleet, load: Load, rng: Random) -> Counter[str]:
    """Any of the processes, every few seconds; Redis forgets everything in the middle and dies later."""
    assert fleet.place.redis is not None
    kills: Counter[str] = Counter()
    began = time.monotonic()
    if load.kills_every is None:
        return kills
    mischief = [(load.seconds * 0.5, fleet.place.redis.flush), (load.seconds * 0.75, _restarted(fleet))]
    while (passed := time.monotonic() - began) < load.seconds:
        if mischief and passed > mischief[0][0]:
            await asyncio.to_thread(mischief.pop(0)[1])
        role = rng.choice(fleet.roles)
        await fleet.kill(role)
        kills[role] += 1
        await asyncio.sleep(rng.uniform(*load.kills_every))
    return kills


async def _kill_servers(fleet: Fleet, load: Load, rng: Random) -> Counter[str]:
    """PostgreSQL or Redis, every so often; it comes back after a moment. No process may end of that."""
    kills: Counter[str] = Counter()
    servers = {"postgres": fleet.place.postgres, "redis": fleet.place.redis}
    began = time.monotonic()
    while load.servers_every is not None:
        await asyncio.sleep(rng.uniform(*load.servers_every))
        if time.monotonic() - began >= load.seconds:
            break
        name = ("postgres", "redis")[sum(kills.values()) % 2]
        server = servers[name]
        assert server is not None
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(rng.uniform(*load.away))
        await asyncio.to_thread(server.start)
        kills[name] += 1
    return kills


async def _replace(fleet: Fleet, load: Load) -> Counter[str]:
    """Every process in turn, as often as there is time for all of them."""
    replaced: Counter[str] = Counter()
    began = time.monotonic()
    while load.is_rolling and time.monotonic() - began < load.seconds:
        for role in fleet.roles:
            await fleet.replace(role)
            replaced[role] += 1
    return replaced


def _restarted(fleet: Fleet) -> Any:
    redis = fleet.place.redis
    assert redis is not None

    def die_and_come_back() -> None:
        redis.kill()
        redis.start()

    return die_and_come_back


async def _all_seen(people: Sequence[Person]) -> None:
    """Wait until every follower was given the last event of its session."""
    for person in people:
        events = await person.events()
        last = events[-1]["sequence_number"] if events else 0
        while any(follower.last_seq < last for follower in person.followers):
            await asyncio.sleep(0.05)


async def verified(
    store: Store,
    load: Load,
    kills: Counter[str],
    people: Sequence[Person],
    files: Mapping[str, str],
) -> PlatformReport:
    """Ask every promise of what is left."""
    await store.settle()
    records = {person.session: await everything(store.log, person.session) for person in people}
    history = History(
        log=tuple(_entries(records)),
        connections=tuple(_connections(people)),
        views=tuple(_views(people)),
        turns=tuple(AcceptedTurn(session=p.session, turn=t) for p in people for t in p.accepted.values()),
        served=tuple(served_in(Path(files["bill"]))),
        metered=tuple(
            call for found in records.values() for call in metered_in(record.event for record in found if record.event)
        ),
    )
    report = verify(history, backend="platform", kills=sum(kills.values()))
    await require_sound(store, report)
    events = [record.event for found in records.values() for record in found]
    times = Counter(bookings(Path(files["ledger"])))
    return PlatformReport(
        load=load,
        kills=kills,
        report=report,
        accepted=sum(len(person.accepted) for person in people),
        served=len(history.served),
        lost_calls=sum(call.lost_tokens > 0 for call in history.metered),
        recovered=sum(isinstance(event, TurnResumed) and event.reason == "recovered" for event in events),
        sent_again=sum(person.sent_again for person in people),
        resumed=[seconds for p in people for f in p.followers for seconds in f.resumed_seconds],
        turn_seconds=[seconds for person in people for seconds in person.turn_seconds],
        resyncs=sum(follower.resyncs for person in people for follower in person.followers),
        lost=[line for person in people for line in _lost(person, records[person.session])],
        bookings=[f"{want}: {times[want]} times" for p in people for want in p.wanted if times[want] != 1],
        failed=[
            f"{event.turn_id}: {event.status}, {[e.message for e in events if _is_error_of(e, event.turn_id)]}"
            for event in events
            if isinstance(event, Complete) and event.status not in ("success", "paused")
        ],
    )


async def _takeovers(store: Store, people: Sequence[Person], killed_at: Mapping[int, datetime]) -> list[float]:
    """How long turns whose owner was killed waited for the next one. An owner's name ends with its process id."""
    found: list[float] = []
    for person in people:
        owners: dict[str | None, str] = {}
        for record in await everything(store.log, person.session):
            event = record.event
            if not isinstance(event, (TurnStarted, TurnResumed)):
                continue
            died = killed_at.get(int(owners.get(event.turn_id, "-0").rpartition("-")[2]))
            if died is not None and isinstance(event, TurnResumed) and event.reason == "recovered":
                found.append((event.timestamp - died).total_seconds())
            owners[event.turn_id] = event.owner
    return found


def _entries(records: Mapping[str, Sequence[Any]]) -> Iterator[LogEntry]:
    for session, found in records.items():
        for record in found:
            event = record.event
            yield LogEntry(
                session=session,
                epoch=record.epoch,
                seq=record.seq,
                event_id=event.event_id,
                turn=event.turn_id,
                is_terminal=isinstance(event, Complete) and event.status != "paused",
                is_internal=not event.is_visible,
            )


def _connections(people: Sequence[Person]) -> Iterator[Connection]:
    for person in people:
        for follower in person.followers:
            yield from follower.journal()


def _views(people: Sequence[Person]) -> Iterator[View]:
    """What each client made of what it was told, beside what a reload makes of what is stored."""
    for person in people:
        expected = fold(map(from_wire, person.reloaded)).model_dump_json()
        for follower in person.followers:
            live = fold(map(from_wire, follower.told)).model_dump_json()
            yield View(client=follower.name, session=person.session, live=live, reloaded=expected)


def _lost(person: Person, records: Sequence[Any]) -> Iterator[str]:
    said = Counter(r.event.client_message_id for r in records if isinstance(r.event, UserMessage))
    for message in person.accepted:
        if said[message] != 1:
            yield f"{person.session}: message {message} is in the log {said[message]} times"


def _is_error_of(event: Event | None, turn: str | None) -> TypeGuard[ErrorOccurred]:
    return isinstance(event, ErrorOccurred) and event.turn_id == turn


def _ends(wire: Wire, turn: str) -> bool:
    return bool(wire["type"] == "complete" and wire["turn_id"] == turn and wire["status"] != "paused")


def main() -> int:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--servers", action="store_true", help="kill PostgreSQL and Redis, too, every 5 to 40 s")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    wanted = parser.parse_args()
    zygote = Zygote(MODULES)
    load = Load(
        users=wanted.users,
        seconds=60 * wanted.minutes,
        servers_every=(5.0, 40.0) if wanted.servers else None,
        seed=wanted.seed,
    )
    report = asyncio.run(run(zygote, load))
    zygote.close()
    sys.stdout.write(f"platform: {report.line()} seed={wanted.seed}\n")
    if not report.is_clean:
        sys.stdout.write(report.explain() + "\n")
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
