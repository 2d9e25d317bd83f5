"""The servers tests run against: real, durable, killable, and gone when the run is."""

import asyncio
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import asyncpg
import psutil
import pytest
import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.support.servers import PostgresServer, RedisServer, Server, ServerStartError, is_alive
from tests.support.workplace import Identity, Workplace, free_port, workplace

REPOSITORY = Path(__file__).parents[3]


def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


async def test_postgres_is_version_18_with_vectors(postgres_url: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("CREATE EXTENSION vector")
    assert await connection.fetchval("SELECT '[1,2]'::vector <-> '[1,4]'::vector") == 2.0
    assert connection.get_server_version().major == 18
    await connection.close()


def test_postgres_syncs_before_it_acknowledges(postgres_server: PostgresServer) -> None:
    shown = [postgres_server.execute(f"SHOW {name}") for name in ("fsync", "synchronous_commit", "full_page_writes")]
    assert shown == ["on", "on", "on"]


def test_redis_syncs_before_it_acknowledges_and_evicts_nothing(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        settings = client.config_get("appendonly", "appendfsync", "maxmemory-policy", "save")
    assert settings == {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""}


def test_redis_is_version_7_or_later(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        assert int(str(client.info("server")["redis_version"]).split(".")[0]) >= 7


def test_settings_given_replace_the_durable_ones() -> None:
    server = RedisServer({"appendfsync": "everysec"})
    server.start()
    with server.client() as client:
        assert client.config_get("appendfsync") == {"appendfsync": "everysec"}
    server.discard()


async def test_a_database_is_copied_from_its_template(postgres_server: PostgresServer) -> None:
    migrated = postgres_server.create_database()
    postgres_server.execute("CREATE TABLE events (seq int); INSERT INTO events VALUES (7)", migrated)
    copy = postgres_server.create_database(template=migrated)
    postgres_server.execute("DELETE FROM events", migrated)
    assert postgres_server.execute("SELECT seq FROM events", copy) == "7"


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_has_an_empty_database(postgres_server: PostgresServer, postgres_url: str, attempt: int) -> None:
    database = postgres_url.rpartition("/")[2]
    postgres_server.execute("CREATE TABLE only_once ()", database)


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_has_an_empty_redis(redis_url: str, attempt: int) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("only", "once")


def test_a_wrong_password_is_refused(postgres_server: PostgresServer, redis_server: RedisServer) -> None:
    """Neighbours on the machine cannot run commands through a test server."""
    without_retry = Retry(NoBackoff(), 0)
    with redis.Redis(port=redis_server.port, retry=without_retry) as client, pytest.raises(redis.AuthenticationError):
        client.ping()
    url = postgres_server.url().replace(postgres_server.password, "guessed")
    psql = str(postgres_server._programs / "psql")
    with pytest.raises(RuntimeError, match="password authentication failed"):
        postgres_server.place.run([psql, "-c", "SELECT 1", url])


def test_a_failing_statement_says_why(postgres_server: PostgresServer) -> None:
    with pytest.raises(RuntimeError, match='relation "nowhere" does not exist'):
        postgres_server.execute("SELECT * FROM nowhere")


def test_what_postgres_acknowledged_survives_a_kill(private_postgres: PostgresServer) -> None:
    private_postgres.execute("CREATE TABLE kept (n int); INSERT INTO kept SELECT generate_series(1, 1000)")
    before = private_postgres.url()
    private_postgres.kill()
    private_postgres.start()
    assert private_postgres.url() == before
    assert private_postgres.execute("SELECT count(*) FROM kept") == "1000"
    assert "not properly shut down" in private_postgres.log.read_text()


def test_what_redis_acknowledged_survives_a_kill(private_redis: RedisServer) -> None:
    with private_redis.client() as client:
        client.rpush("kept", *range(1000))
    private_redis.kill()
    private_redis.start()
    with private_redis.client() as client:
        assert client.llen("kept") == 1000


def test_redis_restarts_with_older_data(private_redis: RedisServer) -> None:
    """FP14: the counter goes backwards."""
    with private_redis.client() as client:
        client.incrby("seq", 5)
        past = private_redis.snapshot()
        client.incrby("seq", 5)
    private_redis.kill()
    private_redis.restart(data=past)
    with private_redis.client() as client:
        assert client.get("seq") == b"5"


def test_a_stopped_server_restarts_on_its_port_without_recovery(private_postgres: PostgresServer) -> None:
    port = private_postgres.port
    private_postgres.restart()
    assert private_postgres.port == port
    assert "not properly shut down" not in private_postgres.log.read_text()


def test_a_killed_server_leaves_no_process(private_postgres: PostgresServer) -> None:
    family = private_postgres._family()
    assert len(family) > 3
    private_postgres.kill()
    assert not any(map(is_alive, family))
    assert not private_postgres.is_running


async def test_a_paused_postgres_answers_when_resumed(private_postgres: PostgresServer) -> None:
    connection = await asyncpg.connect(private_postgres.url())
    private_postgres.pause()
    answer = asyncio.create_task(connection.fetchval("SELECT 42"))
    done, _ = await asyncio.wait([answer], timeout=0.2)
    assert not done
    private_postgres.resume()
    assert await asyncio.wait_for(answer, 60) == 42
    await connection.close()


async def test_a_paused_redis_answers_when_resumed(private_redis: RedisServer) -> None:
    async with redis.asyncio.Redis.from_url(private_redis.url()) as client:
        await client.ping()
        private_redis.pause()
        answer = asyncio.ensure_future(client.echo("still here"))
        done, _ = await asyncio.wait([answer], timeout=0.2)
        assert not done
        private_redis.resume()
        assert await asyncio.wait_for(answer, 60) == b"still here"


@pytest.mark.parametrize("harm", ["kill", "stop", "pause"])
def test_a_shared_server_is_made_whole_for_the_next_test(private_redis: RedisServer, harm: str) -> None:
    getattr(private_redis, harm)()
    private_redis.ensure_running()
    with private_redis.client() as client:
        assert client.ping()


def test_a_paused_server_can_be_stopped(private_postgres: PostgresServer) -> None:
    private_postgres.pause()
    private_postgres.stop()
    assert not private_postgres.is_running


def test_a_server_that_ends_early_shows_its_log() -> None:
    server = RedisServer({"appendfsync": "sometimes"})
    with pytest.raises(ServerStartError, match="sometimes"):
        server.start()
    server.discard()


def test_a_taken_port_is_exchanged_at_the_first_start(redis_server: RedisServer) -> None:
    late = RedisServer()
    late.port = redis_server.port
    late.start()
    assert late.port != redis_server.port
    late.discard()


def test_a_server_asked_for_its_pid_before_it_runs_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match=r"redis does not run: start\(\) it first"):
        _ = RedisServer().pid


def test_servers_never_run_as_root(postgres_server: PostgresServer, redis_server: RedisServer) -> None:
    assert {psutil.Process(server.pid).uids().real for server in (postgres_server, redis_server)} == {
        Identity.of_servers().uid
    }
    assert Identity.of_servers().uid != 0


def test_programs_below_a_private_home_are_copied_for_a_borrowed_identity(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "tool").mkdir(parents=True)
    (home / "tool" / "program").write_text("")
    home.chmod(stat.S_IRWXU)
    borrowed = Identity(uid=os.getuid() + 1, gid=os.getgid())
    place = Workplace(root=tmp_path, identity=borrowed)
    assert (place.reachable(home / "tool") / "program").is_file()
    assert place.reachable(home / "tool").parent == tmp_path
    assert place.reachable(Path("/usr/bin")) == Path("/usr/bin")


def test_what_copied_programs_look_for_keeps_its_place_beside_them(tmp_path: Path) -> None:
    """PostgreSQL's programs find their libraries at a path relative to their own."""
    home = tmp_path / "home"
    for part in ("package/install/bin/program", "package.libs/library"):
        (home / part).parent.mkdir(parents=True)
        (home / part).write_text("")
    home.chmod(stat.S_IRWXU)
    place = Workplace(root=tmp_path, identity=Identity(uid=os.getuid() + 1, gid=os.getgid()))
    copied = place.reachable(home / "package" / "install", home / "package.libs")
    assert (copied / "bin" / "program").is_file()
    assert (copied / ".." / ".." / "package.libs" / "library").is_file()


def test_free_ports_are_free() -> None:
    assert 1024 < free_port() < 65536


RUN_THAT_WAITS = """
import sys, time
from tests.support.servers import PostgresServer, RedisServer
postgres, redis = PostgresServer(), RedisServer()
postgres.start(); redis.start()
{harm}
pids = [process.pid for server in (postgres, redis) for process in server._family()]
sys.stdout.write(f"{{postgres.place.root}} {{' '.join(map(str, pids))}}\\n"); sys.stdout.flush()
{end}
"""


def run_of_servers(harm: str = "", end: str = "time.sleep(60)") -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", RUN_THAT_WAITS.format(harm=harm, end=end)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )


def what_it_started(run: "subprocess.Popen[str]") -> tuple[Path, list[psutil.Process]]:
    assert run.stdout is not None
    root, *pids = run.stdout.readline().split()
    return Path(root), [psutil.Process(int(pid)) for pid in pids]


@pytest.mark.parametrize("harm", ["", "postgres.pause(); redis.pause()"], ids=["running", "frozen"])
def test_a_killed_run_leaves_no_process_and_no_files(harm: str) -> None:
    run = run_of_servers(harm)
    root, started = what_it_started(run)
    assert root.is_dir()
    assert all(map(is_alive, started))
    run.kill()
    run.communicate()
    assert eventually(lambda: not any(map(is_alive, started)))
    assert eventually(lambda: not root.exists())


@pytest.mark.parametrize("end", ["raise SystemExit(3)", "raise RuntimeError"])
def test_a_run_that_fails_leaves_no_process_and_no_files(end: str) -> None:
    run = run_of_servers(end=end)
    assert run.stdout is not None
    root = Path(run.stdout.readline().split()[0])
    run.communicate()
    assert run.returncode != 0
    assert eventually(lambda: not root.exists())


def test_an_interrupt_typed_at_the_terminal_spares_the_servers_until_the_run_ends(redis_server: RedisServer) -> None:
    """They are in a process group of their own: the tests decide when they stop."""
    assert os.getpgid(redis_server.pid) != os.getpgid(0)


def test_every_server_of_a_process_shares_its_workplace(postgres_server: Server, redis_server: Server) -> None:
    assert postgres_server.place is redis_server.place is workplace()
