"""What it costs to hand events to 200 people who look on, each in a session of their own (spec 09).

    python -m bench.delivery            the table
    python -m bench.delivery --json     one JSON object per line

Ours is the whole way of an event on the embedded platform: appended, durable, handed to its follower, sent. Three rows
tell of it: the whole; appending alone, to as many sessions that nobody follows; and what delivery adds, the difference,
which is what the aim is about. Both are measured in turns, because an append costs more the larger the file is: the
difference is the median of those of neighbouring rounds. The floors send a dictionary of the same size from memory:
python-socketio, and server-sent events of Starlette; their best round counts. What delivery adds to a log in memory is
there to compare with them: without a thread that writes a file at the same time.

Every server is a process of its own; the clients are in this one. A blast comes as fast as the server can send; so the
aims were found. A pace is 1,000 events a second, ten at a time: hardly two of one session are sent together, and a
sleeping process wakes up each time, which costs the floors twice as much, too. It is held to the same aims.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import aiohttp
import socketio
import uvicorn
from aiohttp import web
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from batuta.events.conversation import AssistantMessage
from batuta.events.log import EventLog, Position
from batuta.eventstore.memory import MemoryEventLog
from batuta.eventstore.memory_projections import MemoryProjections
from batuta.eventstore.projectors import Projector
from batuta.kernel.ids import MessageId, SessionId, TurnId, new_id
from batuta.server.app import Server
from batuta.server.config import ModelChoice
from batuta.server.live import sse
from batuta.server.live.feed import SessionFeed
from batuta.server.live.notifications import LocalNotificationBus, announcing_growth
from batuta.server.live.sse import LiveStream, LiveStreams
from batuta.server.live.stored_events import DeliveredEvent
from batuta.server.security.ownership import Caller, Credential
from batuta.server.wiring import open_platform
from bench.load_team import team
from bench.measuring import Row
from bench.tables import table
from tests.support.fleet import Fleet, Place
from tests.support.processes import Zygote, say
from tests.support.workplace import free_port

CLIENTS = 200
BLAST, PACED, PACE = 10_000, 4_000, 1_000
ROUNDS = 3
SETTLE_SECONDS = 60.0
TEXT = "There are twelve chairs in stock. " * 3
AIMS = {"Socket.IO": 1.5, "SSE": 2.0}
"""What delivery may cost at most, as a multiple of the bare server of the same run."""

Send = Callable[[int], Awaitable[object]]


async def ours(settings: dict[str, Any], followed: list[str], others: list[str]) -> None:
    """The platform, and a door beside it through which events are appended."""
    place = Place(data_dir=Path(settings["data_dir"]))
    loaded = place.loaded().model_copy(update={"port": settings["port"], "worker_concurrency": 0})
    async with open_platform(loaded, team("http://127.0.0.1:1"), model=ModelChoice(label="none")) as platform:
        server = Server(platform)
        log = platform.backends.log
        await _serve(server, _appender(log, followed), _appender(log, others))


async def ours_in_memory(port: int, followed: list[str], others: list[str]) -> None:
    """Our delivery as server-sent events alone: a log in memory, no accounts, nobody who writes a file meanwhile."""
    log = MemoryEventLog()
    bus, streams = LocalNotificationBus(), LiveStreams(most=CLIENTS)
    feed = SessionFeed(log, bus, Projector(MemoryProjections(log)))
    credential = Credential(kind="login", digest="")
    caller = Caller(user_id="n", workspace_id="w", email="", name="", roles=frozenset(), credential=credential)

    async def stream(request: Request) -> StreamingResponse:
        session_id = request.path_params["session_id"]

        def source(stream: LiveStream) -> AsyncGenerator[list[DeliveredEvent]]:
            return feed.follow(session_id, Position(1, 0), stream=stream)

        return sse.respond(sse.frames_of(streams, caller, source, session_id=session_id))

    app = Starlette(routes=[Route("/api/sessions/{session_id}/stream", stream)])
    config = uvicorn.Config(app, port=port, log_config=None, lifespan="off")
    async with asyncio.TaskGroup() as group:
        group.create_task(feed.run())
        with announcing_growth(log, bus):
            await _serve(uvicorn.Server(config), _appender(log, followed), _appender(log, others))


def _appender(log: EventLog, sessions: list[str]) -> Send:
    async def append(number: int) -> None:
        session = sessions[number % len(sessions)]
        said = AssistantMessage(
            session_id=SessionId(session),
            turn_id=TurnId(new_id()),
            message_id=MessageId(new_id()),
            source_agent_id="stock",
            content=TEXT,
        )
        await log.append(session, [said])

    return append


async def bare_sockets(port: int) -> None:
    """python-socketio alone, a room for each client."""
    server = socketio.AsyncServer(async_mode="asgi", cors_allowed_origins="*", transports=["websocket"])
    rooms: list[str] = []

    @server.event  # type: ignore[untyped-decorator]
    async def connect(sid: str, environ: dict[str, Any]) -> None:
        rooms.append(sid)

    async def send(number: int) -> None:
        if rooms:
            await server.emit("agent:event", _content(number), to=rooms[number % len(rooms)])

    config = uvicorn.Config(
        socketio.ASGIApp(server), port=port, log_config=None, lifespan="off", ws="websockets-sansio"
    )
    await _serve(uvicorn.Server(config), send)


async def bare_stream(port: int) -> None:
    """Server-sent events of Starlette alone, a queue for each client."""
    queues: list[asyncio.Queue[str]] = []

    async def stream(request: Request) -> StreamingResponse:
        queue: asyncio.Queue[str] = asyncio.Queue()
        queues.append(queue)

        async def frames() -> AsyncIterator[str]:
            yield ": hello\n\n"
            while True:
                yield f"data: {await queue.get()}\n\n"

        return StreamingResponse(frames(), media_type="text/event-stream")

    async def send(number: int) -> None:
        if queues:
            await queues[number % len(queues)].put(json.dumps(_content(number)))

    app = Starlette(routes=[Route("/stream", stream)])
    config = uvicorn.Config(app, port=port, log_config=None, lifespan="off")
    await _serve(uvicorn.Server(config), send)


def _content(number: int) -> dict[str, Any]:
    ids = {name: new_id() for name in ("event_id", "session_id", "turn_id", "message_id")}
    return {"type": "assistant_message", "number": number, "content": TEXT, **ids, "pad": "x" * 200}


async def _serve(server: uvicorn.Server, send_followed: Send, send_unfollowed: Send | None = None) -> None:
    """Serve, and send at the word of the driver: `/send?count=…&pace=…`. `/cpu` tells the CPU seconds so far."""

    async def control(request: web.Request) -> web.Response:
        count, pace = int(request.query["count"]), float(request.query["pace"])
        send = send_followed if request.query["followed"] == "1" or send_unfollowed is None else send_unfollowed
        began = time.perf_counter()
        for first in range(0, count, CLIENTS if not pace else 10):
            step = range(first, min(count, first + (CLIENTS if not pace else 10)))
            await asyncio.gather(*(send(number) for number in step))
            await asyncio.sleep(max(0.0, began + step.stop / pace - time.perf_counter()) if pace else 0)
        return web.json_response({})

    async def cpu(request: web.Request) -> web.Response:
        return web.json_response({"cpu": time.process_time()})

    door = web.Application()
    door.add_routes([web.get("/send", control), web.get("/cpu", cpu)])
    runner = web.AppRunner(door)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port := free_port())
    await site.start()
    say(ready=True, door=f"http://127.0.0.1:{port}")
    await server.serve()


class Crowd:
    """Light clients that count what comes."""

    def __init__(self) -> None:
        self.http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=None)
        )
        self.count = 0
        self.joined = 0
        self._tasks: list[asyncio.Task[None]] = []

    def add(self, client: Awaitable[None]) -> None:
        self._tasks.append(asyncio.ensure_future(client))

    async def until(self, is_true: Callable[[], bool]) -> None:
        async with asyncio.timeout(SETTLE_SECONDS):
            while not is_true():
                await asyncio.sleep(0.02)
                for task in self._tasks:
                    if task.done():
                        task.result()

    async def socket(self, address: str, secret: str = "", session: str = "") -> None:
        url = f"{address}/socket.io/?EIO=4&transport=websocket"
        async with self.http.ws_connect(url, headers={"Authorization": f"Bearer {secret}"}) as ws:
            await ws.receive_str()
            await ws.send_str("40")
            await ws.receive_str()
            if session:
                await ws.send_str("421" + json.dumps(["session:join", {"session_id": session}]))
            else:
                self.joined += 1
            async for message in ws:
                text = message.data
                if text == "2":
                    await ws.send_str("3")
                elif text.startswith("431"):
                    assert json.loads(text[3:])[0]["ok"], text
                    self.joined += 1
                elif text.startswith('42["agent:event"'):
                    self.count += 1

    async def stream(self, url: str, secret: str = "") -> None:
        async with self.http.get(url, headers={"Authorization": f"Bearer {secret}"}, raise_for_status=True) as answer:
            self.joined += 1
            async for line in answer.content:
                if line.startswith(b"data:"):
                    self.count += 1

    async def leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks, self.joined = [], 0


async def cpu_per_event(crowd: Crowd, door: str, count: int, pace: float, *, is_followed: bool = True) -> float:
    """CPU seconds of the server for each event of one round."""

    async def cpu() -> float:
        async with crowd.http.get(f"{door}/cpu") as answer:
            return float((await answer.json())["cpu"])

    asked = {"count": count, "pace": pace, "followed": int(is_followed)}
    crowd.count, before = 0, await cpu()
    async with crowd.http.get(f"{door}/send", params=asked, raise_for_status=True):
        pass
    expected = count if is_followed else 0
    await crowd.until(lambda: crowd.count >= expected)
    assert crowd.count == expected, f"{crowd.count} of {expected} came"
    return (await cpu() - before) / count


@dataclass(frozen=True)
class Costs:
    """CPU seconds for each event, of a pair of neighbouring rounds."""

    alone: float
    whole: float

    @property
    def added(self) -> float:
        return self.whole - self.alone


async def measure_ours(crowd: Crowd, door: str, count: int, pace: float) -> Costs:
    """The pair of rounds whose difference is the median."""
    pairs = [
        Costs(
            await cpu_per_event(crowd, door, count, pace, is_followed=False),
            await cpu_per_event(crowd, door, count, pace),
        )
        for _ in range(ROUNDS)
    ]
    return sorted(pairs, key=lambda pair: pair.added)[len(pairs) // 2]


WAYS = (("blast", BLAST, 0.0), ("1,000/s", PACED, float(PACE)))


async def measure_bare(zygote: Zygote, crowd: Crowd, way: str) -> dict[str, float]:
    port = free_port()
    target = "bare_sockets" if way == "Socket.IO" else "bare_stream"
    async with zygote.running(f"bench.delivery:{target}", {"port": port}) as child:
        door = (await child.ready())["door"]
        address = f"http://127.0.0.1:{port}"
        await asyncio.sleep(0.5)
        for _ in range(CLIENTS):
            crowd.add(crowd.socket(address) if way == "Socket.IO" else crowd.stream(f"{address}/stream"))
        await crowd.until(lambda: crowd.joined == CLIENTS)
        found = {
            name: min([await cpu_per_event(crowd, door, count, pace) for _ in range(ROUNDS)])
            for name, count, pace in WAYS
        }
        await crowd.leave()
    return found


async def measure_in_memory(zygote: Zygote, crowd: Crowd) -> dict[str, Costs]:
    port = free_port()
    followed, others = ([new_id() for _ in range(CLIENTS)] for _ in range(2))
    arguments = {"port": port, "followed": followed, "others": others}
    async with zygote.running("bench.delivery:ours_in_memory", arguments) as child:
        door = (await child.ready())["door"]
        await asyncio.sleep(0.5)
        for session in followed:
            crowd.add(crowd.stream(f"http://127.0.0.1:{port}/api/sessions/{session}/stream"))
        await crowd.until(lambda: crowd.joined == CLIENTS)
        found = {name: await measure_ours(crowd, door, count, pace) for name, count, pace in WAYS}
        await crowd.leave()
    return found


@asynccontextmanager
async def our_platform(zygote: Zygote, crowd: Crowd) -> AsyncIterator[tuple[str, str, dict[str, str]]]:
    """Its address, its door, and the session of each person by the secret of their key. As many people more, who are
    never there, have a session each that nobody follows.
    """
    nowhere = {"url": "http://127.0.0.1:1"}
    with tempfile.TemporaryDirectory() as folder:
        place = Place(data_dir=Path(folder))
        async with Fleet(zygote, place, "bench.load_team:team", about=nowhere, webs=1, workers=0).running() as fleet:
            secrets = await fleet.people(2 * CLIENTS)
            all_sessions = [await _new_session(crowd, fleet.addresses[0], secret) for secret in secrets]
            sessions = dict(zip(secrets[:CLIENTS], all_sessions, strict=False))
        settings = {**place.settings, "port": free_port()}
        others = all_sessions[CLIENTS:]
        arguments = {"settings": settings, "followed": list(sessions.values()), "others": others}
        async with zygote.running("bench.delivery:ours", arguments) as child:
            door = (await child.ready())["door"]
            await asyncio.sleep(1)
            yield f"http://127.0.0.1:{settings['port']}", door, sessions


async def _new_session(crowd: Crowd, address: str, secret: str) -> str:
    headers = {"Authorization": f"Bearer {secret}"}
    async with crowd.http.post(f"{address}/api/sessions", json={}, headers=headers, raise_for_status=True) as answer:
        return str((await answer.json())["session_id"])


async def measure() -> AsyncIterator[Row]:
    zygote = Zygote(["tests.support.fleet_processes", "bench.delivery"])
    crowd = Crowd()
    versions = {"Socket.IO": metadata.version("python-socketio"), "SSE": metadata.version("starlette")}
    floors = {way: await measure_bare(zygote, crowd, way) for way in AIMS}
    for way, found in floors.items():
        for name, seconds in found.items():
            yield _row(f"{way}, {name}", "bare", seconds, None, version=versions[way])
    for name, costs in (await measure_in_memory(zygote, crowd)).items():
        yield _row(f"SSE from a log in memory, {name}", "batuta", costs.added, floors["SSE"][name])
    async with our_platform(zygote, crowd) as (address, door, sessions):
        for way, aim in AIMS.items():
            for secret, session in sessions.items():
                after = f"{address}/api/sessions/{session}/stream"
                crowd.add(crowd.socket(address, secret, session) if way == "Socket.IO" else crowd.stream(after, secret))
            await crowd.until(lambda: crowd.joined == CLIENTS)
            await _quiet(crowd)
            for name, count, pace in WAYS:
                costs = await measure_ours(crowd, door, count, pace)
                yield _row(f"append and {way}, {name}", "batuta", costs.whole, None)
                yield _row(f"append alone, {name}", "batuta", costs.alone, None)
                yield _row(f"{way}, {name}", "batuta", costs.added, floors[way][name], aim=aim)
            await crowd.leave()
    await crowd.http.close()
    zygote.close()


async def _quiet(crowd: Crowd) -> None:
    """Wait until whoever joined has been told what was there before."""
    seen = -1
    while crowd.count != seen:
        seen = crowd.count
        await asyncio.sleep(1.5)


def _row(
    what: str, subject: str, seconds: float, floor: float | None, *, aim: float | None = None, version: str = ""
) -> Row:
    micros = seconds * 1e6
    return Row(
        what=what,
        subject=subject,
        value=micros,
        unit="µs CPU/event",
        floor=None if floor is None else floor * 1e6,
        ratio=None if floor is None else seconds / floor,
        aim="" if aim is None else f"≤ {aim:g} ×",
        met=None if aim is None or floor is None else seconds <= aim * floor,
        version=version,
    )


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    is_json = parser.parse_args().json
    rows = []
    async for row in measure():
        rows.append(row.as_json())
        print(rows[-1], file=sys.stdout if is_json else sys.stderr, flush=True)
    if not is_json:
        print(table(rows))


if __name__ == "__main__":
    asyncio.run(main())
