"""The platform under load on one machine, embedded and distributed, with the simulator as provider (spec 06, 09).

    python -m bench.load                              both modes
    python -m bench.load     --mode distributed       one of them
    python -m bench.load     --part turns             one part: turns, clients, rows

Real processes, real sockets: the embedded mode is one process on a SQLite file, the distributed one two web and two
worker processes on PostgreSQL and Redis. Clients, simulator and database servers share the machine with them. A turn is
a plan, a tool call and an answer in pieces: three model calls over HTTP. Memory is what a process has for itself (USS).
"""

import argparse
import asyncio
import gc
import json
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import aiohttp
import psutil

from bench.load_rows import add_long_session, add_sessions
from bench.tables import verdict
from tests.support.fleet import PROCESSES, Fleet, Place, distributed_place
from tests.support.followers import SocketFollower
from tests.support.processes import Zygote
from tests.support.verifier import percentile

MODES = ("embedded", "distributed")
PARTS = ("turns", "clients", "rows")
TEAM = "bench.load_team:team"
PEOPLE = 24
WARM_SECONDS, LOAD_SECONDS = 4.0, 20.0
CLIENTS = 500
SESSIONS, LONG_EVENTS, ASKED = 100_000, 5_000, 40
FIRST_PAGE_MS, LONG_SESSION_MS, IDLE_KB = 100, 300, 100
"""The aims; a time is held to them with its 95th percentile."""


class TurnAims(NamedTuple):
    """What is aimed at for turns of a mode, where anything is."""

    per_second: float
    alone_ms: float | None = None
    """From the message of one person to its end, as a median."""
    cpu_ms: float | None = None
    """CPU of a turn in all processes together, the database server among them."""


TURN_AIMS = {"embedded": TurnAims(80, alone_ms=35), "distributed": TurnAims(45, cpu_ms=40)}
TEAM_TYPES = ("plan_generated", "content_delta", "tool_request", "assistant_message", "error")
"""What only the team can tell."""

Facts = dict[str, Any]


class Line:
    """A line of the table: what was measured, and whether its aim is met, where there is one."""

    def __init__(self, what: str, *figures: str, aim: str = "", met: bool | None = None) -> None:
        self.what = what
        self.figures = figures
        self.aim = aim
        self.met = met

    def __str__(self) -> str:
        """As it is printed: two columns of figures, the aim, and whether it is met."""
        judged = () if self.met is None else (f"aim {self.aim}", "met" if self.met else "MISSED")
        figures = (*self.figures, *[""] * (2 - len(self.figures)), *judged)
        return (f"{self.what:58}" + "".join(f"{figure:>18}" for figure in figures)).rstrip()


class Visitor:
    """Somebody with a key, a session and a socket."""

    def __init__(self, fleet: Fleet, secret: str, number: int) -> None:
        self._rng = Random(number)
        self._fleet = fleet
        self._secret = secret
        self._address = fleet.addresses[number % len(fleet.addresses)]
        self.http = aiohttp.ClientSession(self._address, headers={"Authorization": f"Bearer {secret}"})
        self.count = 0

    async def arrive(self) -> None:
        async with self.http.post("/api/sessions", json={}, raise_for_status=True) as answer:
            self.session = (await answer.json())["session_id"]
        self.follower = SocketFollower(self.session, self.session, self._secret, lambda: self._address)
        self._following = asyncio.create_task(self.follower.run())
        await self.follower.is_joined.wait()

    async def ask(self) -> Facts:
        """One turn: when the first event came, the team's first word, and the end."""
        self.count += 1
        began, seen = time.perf_counter(), len(self.follower.told)
        body = {"client_message_id": f"m{self.count}", "text": "How many chairs are there?"}
        url = f"/api/sessions/{self.session}/messages"
        async with self.http.post(url, json=body, raise_for_status=True) as answer:
            turn = (await answer.json())["turn_id"]
        found: Facts = {"began": began, "accepted": time.perf_counter() - began}
        for name, is_it in _milestones(turn).items():
            await self.follower.until(lambda told, is_it=is_it: any(map(is_it, told[seen:])))  # type: ignore[misc]
            found[name] = time.perf_counter() - began
        if self.follower.told[-1].get("status") != "success":
            raise AssertionError(f"a turn failed: {self.follower.told[-2:]}")
        return found

    async def leave(self) -> None:
        self._following.cancel()
        await asyncio.gather(self._following, return_exceptions=True)
        await self.http.close()


def _milestones(turn: str) -> dict[str, Callable[[Facts], bool]]:
    return {
        "first event": lambda wire: wire["turn_id"] == turn,
        "first of the team": lambda wire: wire["turn_id"] == turn and wire["type"] in TEAM_TYPES,
        "end": lambda wire: wire["turn_id"] == turn and wire["type"] == "complete",
    }


class Meter:
    """CPU and memory of the processes, by kind."""

    def __init__(self, fleet: Fleet) -> None:
        self._groups = {
            kind: [psutil.Process(child.pid) for role, child in fleet.alive.items() if role.startswith(kind)]
            for kind in ("web", "worker")
        }
        if fleet.place.postgres is not None:
            self._groups["postgres"] = [psutil.Process(fleet.place.postgres.pid)]

    def cpu_seconds(self) -> dict[str, float]:
        return {kind: sum(map(_cpu, group)) for kind, group in self._groups.items() if group}

    def own_bytes(self) -> int:
        """What web and worker processes have for themselves."""
        return sum(p.memory_full_info().uss for kind in ("web", "worker") for p in self._groups[kind])


def _cpu(process: psutil.Process) -> float:
    """What a process and those below it have used; one that is gone, as PostgreSQL's cleaners may be, is nothing."""
    try:
        times, children = process.cpu_times(), process.children()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system) + sum(map(_cpu, children))


async def turns(fleet: Fleet, secrets: Sequence[str]) -> Iterator[Line]:
    """As many turns as there can be, each person with one at a time."""
    visitors = [Visitor(fleet, secret, number) for number, secret in enumerate(secrets[:PEOPLE])]
    await asyncio.gather(*(visitor.arrive() for visitor in visitors))
    await asyncio.gather(*(visitor.ask() for visitor in visitors))
    meter = Meter(fleet)
    idle = meter.own_bytes()
    until = time.perf_counter() + WARM_SECONDS + LOAD_SECONDS

    async def work(visitor: Visitor) -> list[Facts]:
        found = []
        while time.perf_counter() < until:
            found.append(await visitor.ask())
        return found

    working = [asyncio.create_task(work(visitor)) for visitor in visitors]
    await asyncio.sleep(WARM_SECONDS)
    began, cpu = time.perf_counter(), meter.cpu_seconds()
    await asyncio.sleep(LOAD_SECONDS)
    busy = meter.own_bytes()
    ended, used = time.perf_counter(), {kind: s - cpu[kind] for kind, s in meter.cpu_seconds().items()}
    done = [facts for each in await asyncio.gather(*working) for facts in each]
    found = [facts for facts in done if began <= facts["began"] + facts["end"] <= ended]
    alone = [await visitors[0].ask() for _ in range(20)]
    await asyncio.gather(*(visitor.leave() for visitor in visitors))
    aims = TURN_AIMS["embedded" if fleet.place.postgres is None else "distributed"]
    return turn_lines(found, alone, ended - began, used, (busy - idle) / PEOPLE, aims)


def turn_lines(
    found: Sequence[Facts],
    alone: Sequence[Facts],
    seconds: float,
    used: dict[str, float],
    own_bytes: float,
    aims: TurnAims,
) -> Iterator[Line]:
    """Turns of many people at once, how long each waits, one person alone, and what a turn costs."""
    rate = len(found) / seconds
    wanted = f"≥ {aims.per_second:g} /s"
    yield Line(f"turns, {PEOPLE} people at once", f"{rate:.1f} /s", aim=wanted, met=rate >= aims.per_second)
    for who, facts in ((f"{PEOPLE} people", found), ("one person", alone)):
        for name in ("accepted", "first event", "first of the team", "end"):
            p50, p95 = (percentile([1000 * one[name] for one in facts], share) for share in (0.5, 0.95))
            most = aims.alone_ms if facts is alone and name == "end" else None
            judged = {} if most is None else {"aim": f"p50 ≤ {most:g} ms", "met": p50 <= most}
            yield Line(f"message to {name}, {who}", f"p50 {p50:.0f} ms", f"p95 {p95:.0f} ms", **judged)  # type: ignore[arg-type]
    for kind, cpu in used.items():
        yield Line(f"CPU per turn, {kind}", f"{1000 * cpu / max(1, len(found)):.1f} ms", f"{cpu / seconds:.2f} cores")
    if aims.cpu_ms is not None:
        each = 1000 * sum(used.values()) / max(1, len(found))
        yield Line("CPU per turn, all together", f"{each:.1f} ms", aim=f"≤ {aims.cpu_ms:g} ms", met=each <= aims.cpu_ms)
    yield Line("memory per active session", f"{own_bytes / 1024:.0f} KB")


async def clients(fleet: Fleet, secrets: Sequence[str]) -> Iterator[Line]:
    """Many people are connected and silent; one talks."""
    visitors = [Visitor(fleet, secrets[number % len(secrets)], number) for number in range(CLIENTS)]
    meter = Meter(fleet)
    await visitors[0].arrive()
    before, began = meter.own_bytes(), time.perf_counter()
    for at in range(1, CLIENTS, 20):
        await asyncio.gather(*(visitor.arrive() for visitor in visitors[at : at + 20]))
    connected = time.perf_counter() - began
    gc.collect()
    await asyncio.sleep(2)
    after, cpu, began = meter.own_bytes(), meter.cpu_seconds(), time.perf_counter()
    await asyncio.sleep(5)
    used = {kind: (s - cpu[kind]) / (time.perf_counter() - began) for kind, s in meter.cpu_seconds().items()}
    alone = [1000 * (await visitors[0].ask())["first event"] for _ in range(20)]
    lost = sum(len(visitor.follower.connections) for visitor in visitors)
    await asyncio.gather(*(visitor.leave() for visitor in visitors))
    each = (after - before) / CLIENTS / 1024
    lines = [
        Line(
            f"{CLIENTS} connected clients, sessions begun and joined in",
            f"{connected:.1f} s",
            f"{lost} lost",
            aim="0 lost",
            met=lost == 0,
        ),
        Line("memory per idle session", f"{each:.0f} KB", aim=f"≤ {IDLE_KB} KB", met=each <= IDLE_KB),
        Line(
            f"message to first event, {CLIENTS} connected",
            f"p50 {percentile(alone, 0.5):.0f} ms",
            f"p95 {percentile(alone, 0.95):.0f} ms",
        ),
    ]
    lines += [
        Line(f"CPU with {CLIENTS} idle clients, {kind}", f"{100 * cores:.1f} % of a core")
        for kind, cores in used.items()
    ]
    return iter(lines)


async def rows(fleet: Fleet, secrets: Sequence[str]) -> Iterator[Line]:
    """One person with very many sessions, and one of them very long."""
    settings, email = fleet.place.owned(), "e2e00001-0@example.com"
    await add_sessions(settings, email, SESSIONS)
    session = await add_long_session(settings, email, LONG_EVENTS)
    async with aiohttp.ClientSession(fleet.addresses[0], headers={"Authorization": f"Bearer {secrets[0]}"}) as http:
        first = [await _timed(http, "/api/sessions?limit=30") for _ in range(ASKED)]
        searched = [await _timed(http, "/api/sessions?limit=30&query=chairs") for _ in range(10)]
        pages = [await _opened(http, session) for _ in range(10)]
    count = pages[0][1]
    seconds = [taken for taken, _ in pages]
    return iter(
        [
            times(f"first page of {SESSIONS:,} sessions", first[3:], FIRST_PAGE_MS),
            times(f"first page of {SESSIONS:,} sessions, by a word of the title", searched[1:]),
            times(f"a session of {count:,} events, opened whole (pages of 500)", seconds, LONG_SESSION_MS),
        ]
    )


async def _timed(http: aiohttp.ClientSession, url: str) -> float:
    began = time.perf_counter()
    async with http.get(url, raise_for_status=True) as answer:
        await answer.read()
    return time.perf_counter() - began


async def _opened(http: aiohttp.ClientSession, session: str) -> tuple[float, int]:
    """Every page, as the web application asks for them; only the waiting is counted."""
    seconds, count, after = 0.0, 0, 0
    while True:
        began = time.perf_counter()
        async with http.get(f"/api/sessions/{session}/events?after={after}&limit=500", raise_for_status=True) as answer:
            text = await answer.read()
        seconds += time.perf_counter() - began
        page = json.loads(text)
        count += len(page["items"])
        if not page["has_more"]:
            return seconds, count
        after = page["items"][-1]["sequence_number"]


def times(what: str, seconds: Sequence[float], most_ms: float | None = None) -> Line:
    """Median and 95th percentile; an aim is held against the latter."""
    p50, p95 = (1000 * percentile(seconds, share) for share in (0.5, 0.95))
    figures = f"p50 {p50:.0f} ms", f"p95 {p95:.0f} ms"
    return Line(what, *figures) if most_ms is None else Line(what, *figures, aim=f"< {most_ms:g} ms", met=p95 < most_ms)


def missed(lines: Iterable[Line]) -> int | None:
    """How many aims were missed; nothing if none was looked at."""
    verdicts = [line.met for line in lines if line.met is not None]
    return verdicts.count(False) if verdicts else None


@asynccontextmanager
async def started(zygote: Zygote, mode: str) -> AsyncIterator[Fleet]:
    """A platform of a mode, with the simulator as its provider."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        provider = await stack.enter_async_context(zygote.running("bench.load_team:simulate"))
        url = (await provider.ready())["url"]
        is_embedded = mode == "embedded"
        place = Place(data_dir=folder) if is_embedded else stack.enter_context(distributed_place(folder))
        sizes = {"webs": 1, "workers": 0, "web_concurrency": 32} if is_embedded else {"webs": 2, "workers": 2}
        fleet = Fleet(zygote, place, TEAM, about={"url": url}, more={"worker_concurrency": 32}, **sizes)  # type: ignore[arg-type]
        async with fleet.running():
            yield fleet


async def measure(zygote: Zygote, mode: str, parts: Sequence[str]) -> list[Line]:
    """Print the figures of a mode as they come."""
    found: list[Line] = []
    async with started(zygote, mode) as fleet:
        secrets = await fleet.people(PEOPLE)
        print(f"{mode}\n", flush=True)
        for part in parts:
            for line in await {"turns": turns, "clients": clients, "rows": rows}[part](fleet, secrets):
                found.append(line)
                print(line, flush=True)
        print(flush=True)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=MODES, action="append")
    parser.add_argument("--part", choices=PARTS, action="append")
    wanted = parser.parse_args()
    zygote = Zygote([PROCESSES, "bench.load_team"])
    found = [line for mode in wanted.mode or MODES for line in asyncio.run(measure(zygote, mode, wanted.part or PARTS))]
    zygote.close()
    if (count := missed(found)) is not None:
        print(verdict(count))


if __name__ == "__main__":
    main()
