"""Durable appends per second: our logs beside bare drivers that commit in groups, in one run.

    python -m bench.eventlog [--seconds 2] [--rounds 3] [--json]

Prints one line per case. `ratio` is ours to the bare driver's of the same run: machines are noisy, ratios less so.
`cpu_us` is the client's processor time per event, which does not move with the neighbours.
`--json` also runs LangGraph checkpointers and DBOS, each in an environment of their own that is made for the run.
"""

import argparse
import asyncio
import json
import queue
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg
import redis.asyncio

from batuta.events.log import EventLog
from batuta.events.runtime import EffectRecorded
from batuta.eventstore.migrations import migrate
from batuta.eventstore.postgres import PostgresEventLog
from batuta.eventstore.redis import RedisEventLog
from batuta.eventstore.sqlite import SqliteEventLog
from batuta.kernel.ids import is_uuid, new_id
from tests.support.servers import PostgresServer, RedisServer

CALLERS = 256
PAYLOAD = {"tool": "search", "args": {"q": "group commit", "k": 5}, "result": "x" * 90}
BARE_PAYLOAD = EffectRecorded(key="k", kind="read", name="n", result=PAYLOAD, session_id=new_id()).model_dump_json()
Append = Callable[[str], Awaitable[Any]]


async def drive(append: Append, seconds: float, callers: int = CALLERS) -> dict[str, float]:
    """Closed loop: each caller appends to its own session, one event at a time."""
    sessions = [new_id() for _ in range(callers)]
    await asyncio.gather(*(append(session) for session in sessions))
    taken: list[float] = []
    start, cpu = time.perf_counter(), time.process_time()

    async def call(session: str) -> None:
        while (sent := time.perf_counter()) - start < seconds:
            await append(session)
            taken.append(time.perf_counter() - sent)

    await asyncio.gather(*(call(session) for session in sessions))
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    taken.sort()
    return {
        "events_s": len(taken) / wall,
        "p50_ms": _at(taken, 0.5),
        "p95_ms": _at(taken, 0.95),
        "cpu_us": 1e6 * cpu / len(taken),
    }


def _at(ordered: list[float], share: float) -> float:
    return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def ours(log: EventLog) -> Append:
    async def append(session: str) -> Any:
        event = EffectRecorded(key="k", kind="read", name="n", result=PAYLOAD, session_id=session)
        return await log.append(session, [event], fence=1)

    return append


class BareSqlite:
    """What the driver can do: one writer thread, one transaction for all that waits. No check, no index but the key."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.executescript(
            "CREATE TABLE counters (session_id TEXT PRIMARY KEY, seq INTEGER) WITHOUT ROWID;"
            "CREATE TABLE events (session_id TEXT, seq INTEGER, payload TEXT, PRIMARY KEY (session_id, seq))"
        )
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    async def append(self, session: str) -> Any:
        future = self._loop.create_future()
        self._queue.put((session, future))
        return await future

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            group = [first]
            while not self._queue.empty() and len(group) < 1000:
                group.append(self._queue.get())
            self._connection.execute("BEGIN IMMEDIATE")
            done = [(future, self._insert(session)) for session, future in group]
            self._connection.execute("COMMIT")
            self._loop.call_soon_threadsafe(lambda done=done: [future.set_result(seq) for future, seq in done])

    def _insert(self, session: str) -> int:
        count = "INSERT INTO counters VALUES (?, 1) ON CONFLICT DO UPDATE SET seq = seq + 1 RETURNING seq"
        (seq,) = self._connection.execute(count, (session,)).fetchone()
        self._connection.execute("INSERT INTO events VALUES (?, ?, ?)", (session, seq, BARE_PAYLOAD))
        return int(seq)


class BarePostgres:
    """What the driver can do: one connection, one statement for all that waits."""

    TABLES = """
    CREATE TABLE counters (session_id text PRIMARY KEY, seq bigint NOT NULL) WITH (fillfactor = 50);
    CREATE TABLE bare_events (session_id text, seq bigint, payload text, PRIMARY KEY (session_id, seq))"""
    APPEND = """
    WITH b AS (SELECT s, p, n, row_number() OVER (PARTITION BY s ORDER BY n) AS r, count(*) OVER (PARTITION BY s) AS k
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (s, p, n)),
    c AS (INSERT INTO counters SELECT s, max(k) FROM b GROUP BY s ORDER BY s
      ON CONFLICT (session_id) DO UPDATE SET seq = counters.seq + excluded.seq RETURNING session_id, seq),
    i AS (INSERT INTO bare_events SELECT b.s, c.seq - b.k + b.r, b.p FROM b JOIN c ON c.session_id = b.s)
    SELECT c.seq - b.k + b.r FROM b JOIN c ON c.session_id = b.s ORDER BY b.n"""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._waiting: list[Any] = []
        self._worker: Any = None

    async def append(self, session: str) -> Any:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((session, future))
        if self._worker is None:
            self._worker = asyncio.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:1000], self._waiting[1000:]
            rows = await self._connection.fetch(self.APPEND, [s for s, _ in group], [BARE_PAYLOAD] * len(group))
            for (_, future), row in zip(group, rows, strict=True):
                future.set_result(row[0])
        self._worker = None


class BareRedis:
    """What the client can do: one script per event, all that waits in one pipeline."""

    SCRIPT = """
    local s = redis.call('INCRBY', KEYS[1], 1)
    redis.call('XADD', KEYS[2], s .. '-0', 'd', ARGV[1])
    return s"""

    def __init__(self, client: Any, sha: str) -> None:
        self._client, self._sha = client, sha
        self._waiting: list[Any] = []
        self._worker: Any = None

    async def append(self, session: str) -> Any:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((session, future))
        if self._worker is None:
            self._worker = asyncio.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:512], self._waiting[512:]
            pipeline = self._client.pipeline(transaction=False)
            for session, _ in group:
                pipeline.evalsha(self._sha, 2, f"{{b}}:{session}:seq", f"{{b}}:{session}:log", BARE_PAYLOAD)
            for (_, future), seq in zip(group, await pipeline.execute(), strict=True):
                future.set_result(seq)
        self._worker = None


@asynccontextmanager
async def sqlite_pair(directory: Path) -> AsyncIterator[tuple[Append, EventLog]]:
    bare = BareSqlite(directory / "bare.db")
    async with SqliteEventLog(directory / "ours.db") as log:
        yield bare.append, log
    bare.close()


@asynccontextmanager
async def postgres_pair(server: PostgresServer) -> AsyncIterator[tuple[Append, EventLog]]:
    url = server.url(server.create_database())
    await migrate(url)
    connection = await asyncpg.connect(url)
    await connection.execute(BarePostgres.TABLES)
    async with PostgresEventLog(url) as log:
        yield BarePostgres(connection).append, log
    await connection.close()


@asynccontextmanager
async def redis_pair(server: PostgresServer, cache: RedisServer) -> AsyncIterator[tuple[Append, EventLog]]:
    url = server.url(server.create_database())
    await migrate(url)
    client = redis.asyncio.Redis.from_url(cache.url())
    sha = await client.script_load(BareRedis.SCRIPT)
    async with RedisEventLog(cache.url(), PostgresEventLog(url)) as log:
        yield BareRedis(client, sha).append, log
    await client.aclose()


async def compare(name: str, pair: Any, seconds: float, rounds: int, target: float) -> list[dict[str, Any]]:
    """Bare and ours in turn, so that both see the same weather: best round of each, median of the ratios."""
    async with pair as (bare, log):
        results: dict[str, list[dict[str, float]]] = {"bare driver": [], "batuta": []}
        for _ in range(rounds):
            results["bare driver"].append(await drive(bare, seconds))
            results["batuta"].append(await drive(ours(log), seconds))
        best = {who: max(found, key=lambda each: each["events_s"]) for who, found in results.items()}
        alone = await drive(ours(log), seconds / 2, callers=1)
        sizes = await flat(log, seconds)
    pairs = zip(results["batuta"], results["bare driver"], strict=True)
    ratio = median(ours_["events_s"] / bare_["events_s"] for ours_, bare_ in pairs)
    cases = [{"store": name, "case": f"{who}, {CALLERS} callers", **found} for who, found in best.items()]
    cases[1] |= {"ratio": ratio, "aim": f"≥ {target} × bare", "met": ratio >= target}
    return [*cases, {"store": name, "case": "batuta, 1 caller", **alone}, *({"store": name, **size} for size in sizes)]


async def flat(log: EventLog, seconds: float) -> list[dict[str, Any]]:
    """The cost of an append in a long session, and with many sessions, against that of a short one."""
    append, short, new = ours(log), new_id(), "a new session"
    found = [{"case": "one append, new session, the first ones", "p50_ms": await _usual(append, new, seconds)}]

    async def batch(session: str, count: int) -> None:
        events = [EffectRecorded(key="k", kind="read", name="n", result=1, session_id=session) for _ in range(count)]
        await log.append(session, events)

    long = new_id()
    for _ in range(100):
        await batch(long, 1000)
    await asyncio.gather(*(batch(new_id(), 1) for _ in range(10_000)))
    await batch(short, 10)
    costs = {"session of 10 events": short, "session of 100,000 events": long, "new session among 10,000": new}
    for case, session in costs.items():
        found.append({"case": f"one append, {case}", "p50_ms": await _usual(append, session, seconds)})
    return found


async def _usual(append: Append, session: str, seconds: float) -> float:
    """What one append usually takes, to this session or to a new one each time."""
    taken = []
    for _ in range(max(30, int(60 * seconds))):
        target = session if is_uuid(session) else new_id()
        sent = time.perf_counter()
        await append(target)
        taken.append(time.perf_counter() - sent)
    return _at(sorted(taken), 0.5)


def peers(server: PostgresServer, seconds: float) -> list[dict[str, Any]]:
    """LangGraph checkpointers and DBOS, in an environment of their own."""
    home = Path(tempfile.mkdtemp(prefix="bench-peers-"))
    try:
        python = home / "venv/bin/python"
        uv = [str(Path(sys.executable).with_name("uv"))]
        subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(home / "venv")], check=True)
        packages = [
            "langgraph",
            "langgraph-checkpoint-sqlite",
            "langgraph-checkpoint-postgres",
            "dbos",
            "psycopg[binary,pool]",
        ]
        subprocess.run([*uv, "pip", "install", "--quiet", "--python", str(python), *packages], check=True)
        program = Path(__file__).with_name("eventlog_peers.py")
        url = server.url(server.create_database())
        # Not with this folder on the path: modules here may be named like those of the standard library.
        arguments = [str(python), "-P", str(program), url, str(home), str(seconds)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=300)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    finally:
        shutil.rmtree(home, ignore_errors=True)


async def measure(server: PostgresServer, cache: RedisServer, seconds: float, rounds: int) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        cases = await compare("sqlite FULL", sqlite_pair(Path(directory)), seconds, rounds, 0.33)
    cases += await compare("postgres", postgres_pair(server), seconds, rounds, 0.25)
    return cases + await compare("redis always", redis_pair(server, cache), seconds, rounds, 0.6)


def tell(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        facts = {name: round(value, 2) if isinstance(value, float) else value for name, value in case.items()}
        print(json.dumps(facts, ensure_ascii=False), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="peers too: what `bench.run` keeps")
    wanted = parser.parse_args()
    server, cache = PostgresServer(), RedisServer()
    server.start()
    cache.start()
    try:
        tell(asyncio.run(measure(server, cache, wanted.seconds, wanted.rounds)))
        tell(peers(server, wanted.seconds) if wanted.json else [])
    finally:
        server.discard()
        cache.discard()


if __name__ == "__main__":
    main()
