"""A platform of several processes that can be killed one by one and come back at the same address.

async with Fleet(zygote, place, team="module:function").running() as fleet:
    await fleet.kill("worker-0")
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import psutil

from batuta.server.backends import migrate, open_backends
from batuta.server.config import Settings, load_settings
from batuta.server.database.engines import SystemDatabase
from batuta.server.database.upgrade import is_exempt
from batuta.server.identity.passwords import Passwords
from batuta.server.identity.service import Identity
from batuta.server.keys.service import ApiKeys
from batuta.server.security.ownership import Caller, Credential
from tests.support.processes import Child, Zygote
from tests.support.servers import APP_ROLE, PostgresServer, RedisServer
from tests.support.workplace import free_port

PROCESSES = "tests.support.fleet_processes"
START_SECONDS = 30.0
DRAIN_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a platform keeps its data: in a folder, or at servers of its own."""

    data_dir: Path
    postgres: PostgresServer | None = None
    database: str = ""
    redis: RedisServer | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """What its processes have in common. They serve as a role that row-level security holds for."""
        urls: dict[str, Any] = {"data_dir": str(self.data_dir), "log_level": "warning", "shutdown_seconds": 2}
        if self.postgres is not None:
            urls["database_url"] = self.postgres.url(self.database, role=APP_ROLE)
        if self.redis is not None:
            urls["redis_url"] = self.redis.url()
        return urls

    def loaded(self) -> Settings:
        return load_settings({}, **self.settings)

    def owned(self) -> Settings:
        """For whoever owns the database: migrates it, fills it, looks at all of it."""
        owner = {} if self.postgres is None else {"database_url": self.postgres.url(self.database)}
        return load_settings({}, **self.settings | owner)


@contextmanager
def distributed_place(data_dir: Path) -> Iterator[Place]:
    """PostgreSQL and Redis of this run alone."""
    with ExitStack() as stack:
        postgres, redis = PostgresServer({"max_connections": "200"}), RedisServer()
        for server in (postgres, redis):
            stack.callback(server.discard)
            server.start()
        postgres.create_role(APP_ROLE)
        yield Place(data_dir=data_dir, postgres=postgres, database=postgres.create_database(), redis=redis)


@dataclass
class Fleet:
    """Web and worker processes at one place."""

    zygote: Zygote
    place: Place
    team: str
    about: Mapping[str, Any] = field(default_factory=dict)
    webs: int = 2
    workers: int = 2
    web_concurrency: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)
    clocks: Mapping[str, float] = field(default_factory=dict)
    """By how many seconds the clock of a process is ahead of the time, by its role."""
    alive: dict[str, Child] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)
    kills: int = 0
    killed_at: dict[int, datetime] = field(default_factory=dict)
    """When, by process id."""

    @property
    def roles(self) -> list[str]:
        return [*(f"web-{number}" for number in range(self.webs)), *(f"worker-{n}" for n in range(self.workers))]

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Fleet"]:
        """Migrated, started, and ended for certain."""
        await migrate(self.place.owned(), grant_to=APP_ROLE)
        await self._require_walls()
        self._ports = [free_port() for _ in range(self.webs)]
        self.addresses = [f"http://127.0.0.1:{port}" for port in self._ports]
        try:
            for role in self.roles:
                await self._start(role)
            for child in self.alive.values():
                await child.ready(START_SECONDS)
            yield self
        finally:
            for child in self.alive.values():
                await child.close()

    async def kill(self, role: str) -> None:
        """SIGKILL; another one takes its place at once, as a supervisor of processes would see to."""
        self.killed_at[self.alive[role].pid] = datetime.now(UTC)
        await self.alive[role].kill()
        await self.alive[role].close()
        self.kills += 1
        await self._start(role)

    async def replace(self, role: str) -> None:
        """SIGTERM, and another one in its place once it has ended, as a new version is brought in."""
        child = self.alive[role]
        child.send_signal(signal.SIGTERM)
        code = await child.wait(DRAIN_SECONDS)
        assert code == 0, f"{role} was told to end and ended with {code}:\n{child.errors}"
        await child.close()
        await self._start(role)
        await self.alive[role].ready(START_SECONDS)

    def any_address(self, rng: Random) -> str:
        """Where a balancer without memory would send somebody."""
        return rng.choice(self.addresses)

    async def people(self, count: int) -> list[str]:
        """Accounts, each with the secret of an API key."""
        async with open_backends(self.place.loaded()) as store:
            database = SystemDatabase(store.database)
            identity = Identity(database, self.place.loaded(), Passwords())
            keys = ApiKeys(database)
            secrets = []
            for number in range(count):
                user = await identity.create_user(f"e2e00001-{number}@example.com", f"Person {number}", None)
                caller = Caller(
                    user_id=user.user_id,
                    workspace_id=user.workspace_id,
                    email=user.email,
                    name=user.name,
                    roles=frozenset(user.roles),
                    credential=Credential(kind="login", digest=""),
                )
                secrets.append((await keys.create(caller, "fleet", ())).secret)
            return secrets

    async def _require_walls(self) -> None:
        """A run is of what is deployed: nobody serves who sees through row-level security."""
        async with open_backends(self.place.loaded()) as store:
            sees_through = await store.database.read(is_exempt)
        if sees_through:
            raise AssertionError("the fleet serves as a role that sees through row-level security")

    async def _start(self, role: str) -> None:
        kind, _, number = role.partition("-")
        settings = {**self.place.settings, **self.more}
        if kind == "web":
            settings |= {"port": self._ports[int(number)], "worker_concurrency": self.web_concurrency}
        clock = {"clock_is_ahead": self.clocks.get(role, 0)}
        arguments = {"settings": settings, "team": self.team, "about": dict(self.about), **clock}
        self.alive[role] = await self.zygote.spawn(f"{PROCESSES}:{kind}", arguments)

    def require_alive(self) -> None:
        """No process has ended by itself."""
        ended = [role for role, child in self.alive.items() if not psutil.pid_exists(child.pid) or _is_over(child.pid)]
        assert not ended, f"ended by themselves: {ended}"

    async def wait_until_alive(self) -> None:
        """After the last kill."""
        await asyncio.gather(*(child.ready(START_SECONDS) for child in self.alive.values()))


def _is_over(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
