"""Disks without room, of a size that the test gives them: under a file, under uploads and under PostgreSQL.

Each is a tmpfs in a mount namespace of its own, which needs no rights of root.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from batuta.kernel.ids import new_id
from batuta.orchestration import worker
from batuta.server.backends import migrate
from batuta.server.config import load_settings
from tests.support.platform import Person, Running, has_ended, running, settings_for
from tests.support.servers import APP_ROLE, PostgresServer

HERE = Path(__file__).parent
MEBIBYTE = 1024 * 1024
FULL_SECONDS = 4.0
"""More than five attempts of a turn take, if each of them counted."""
Figure = Callable[[str, object], None]


async def test_ft09_a_full_disk_refuses_and_loses_nothing() -> None:
    """FT-09: a clear error, everything acknowledged is readable, and it goes on when there is room."""
    told = _on_a_small_disk("fill", size="2m")
    assert told["stored"] == told["acknowledged"] > 10
    assert told["after"] == told["acknowledged"] + 1
    assert "full" in told["refusal"] or "disk" in told["refusal"]
    assert told["integrity"] == "ok"


async def test_a_read_only_disk_is_a_clear_error() -> None:
    refusal = _on_a_small_disk("read_only", size="2m")["refusal"]
    assert "team.db" in refusal
    assert "unable to open" in refusal or "readonly" in refusal


@pytest.mark.parametrize("mode", ["embedded", "distributed"])
def test_ft10_uploads_on_a_full_disk_are_refused_and_leave_nothing(
    mode: str, request: pytest.FixtureRequest, record_property: Figure
) -> None:
    """FT-10: what was acknowledged is kept, nothing else takes room or counts for the quota; embedded, the rows lie on
    the same disk.
    """
    database = (request.getfixturevalue("platform_url"),) if mode == "distributed" else ()
    told = _on_a_small_disk("uploads", *database, size="20m")
    # Embedded, the row of an upload may be what finds no room first: the store is away then, not its files.
    also = {503} if mode == "embedded" else set()
    assert {204, 507} <= set(told["statuses"]) <= {204, 507} | also
    assert told["listed"]
    assert told["partial"] == []
    assert told["used"] == told["blobs"] == told["kept"] * 3_000_000
    assert told["after"] == 204
    record_property("figure", f"{mode}: {told['kept']} of 12 kept, 0 bytes left of the others")


def _on_a_small_disk(story: str, *arguments: str, size: str) -> dict[str, Any]:
    """Run a story on a disk of its own, visible to it alone."""
    script = 'mkdir -p "$0" && mount -t tmpfs -o size="$1" tmpfs "$0" && shift && exec "$@"'
    place = f"/tmp/batuta-small-{os.getpid()}"
    command = [sys.executable, str(HERE / "full_disk.py"), story, place, *arguments]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, place, size, *command],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


class CrampedPostgres(PostgresServer):
    """PostgreSQL with all its files on a disk of its own."""

    disk_bytes = 100 * MEBIBYTE

    def __init__(self, *, has_log_elsewhere: bool) -> None:
        self._has_log_elsewhere = has_log_elsewhere
        super().__init__()

    def _initialise(self) -> None:
        """Mount the disk first. It is kept by a process that waits, and lasts until that ends."""
        self.disk = self.directory / "disk"
        script = 'mkdir "$0" && mount -t tmpfs -o size="$1" tmpfs "$0" && exec sleep infinity'
        command = ["unshare", "-rm", "sh", "-c", script, str(self.disk), str(self.disk_bytes)]
        self.keeper = self.place.popen(command, log=self.log)
        self.data = self.disk / "data"
        self.settings |= {"min_wal_size": "2MB", "max_wal_size": "4MB", "max_connections": "40"}
        while f" {self.disk} " not in Path(f"/proc/{self.keeper.pid}/mounts").read_text():
            assert self.keeper.poll() is None, self._end_of_log()
        super()._initialise()

    def _initdb(self) -> list[str]:
        elsewhere = ["--waldir", str(self.directory / "wal")] if self._has_log_elsewhere else []
        return [*self._inside(super()._initdb()), "--wal-segsize", "1", *elsewhere]

    def _command(self) -> list[str]:
        return self._inside(super()._command())

    def _is_ready(self) -> bool:
        """It is asked: its files are out of sight."""
        try:
            return self.execute("SELECT 1") == "1"
        except RuntimeError:
            return False

    def fill(self, left: int) -> None:
        """Leave so many bytes."""
        script = 'fallocate -l $(($(df --output=avail -B1 "$0" | tail -n 1) - $1)) "$0/filler"'
        self.place.run(self._inside(["sh", "-c", script, str(self.disk), str(left)]))

    def make_room(self) -> None:
        self.place.run(self._inside(["rm", str(self.disk / "filler")]))

    def discard(self) -> None:
        super().discard()
        self.keeper.kill()
        self.keeper.wait()

    def _inside(self, command: list[str]) -> list[str]:
        """Where the disk is seen, as somebody who is not root there: PostgreSQL would refuse to run."""
        enter = ["nsenter", "--target", str(self.keeper.pid), "--user", "--mount", "--preserve-credentials", "--"]
        plain = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]
        return [*enter, *plain, "setpriv", "--pdeathsig", "KILL", *command]


@pytest.fixture(params=["its rows", "its log, too"])
def cramped_postgres(request: pytest.FixtureRequest) -> Iterator[CrampedPostgres]:
    """With room for its write-ahead log elsewhere it refuses what grows; without, it ends."""
    server = CrampedPostgres(has_log_elsewhere=request.param == "its rows")
    server.start()
    server.create_role(APP_ROLE)
    yield server
    server.discard()


@pytest.fixture
async def cramped_site(
    cramped_postgres: CrampedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Running]:
    """A platform on it, under the recommended role; its worker looks again soon."""
    monkeypatch.setattr(worker, "RETRY_DELAY", timedelta(milliseconds=50))
    name = cramped_postgres.create_database()
    await migrate(load_settings({}, data_dir=tmp_path, database_url=cramped_postgres.url(name)), grant_to=APP_ROLE)
    url = cramped_postgres.url(name, role=APP_ROLE)
    async with running(settings_for(tmp_path, database_url=url)) as site:
        yield site


async def test_ft08_a_postgres_whose_disk_is_full_refuses_and_goes_on_with_room(
    cramped_site: Running, cramped_postgres: CrampedPostgres, record_property: Figure
) -> None:
    """FT-08: what was acknowledged is there and every turn succeeds, however long there was no room; what was refused
    is not there; `/readyz` knows. A server that ended of it is started again by its supervisor, the platform is not.
    """
    ana = await cramped_site.person()
    sessions = [await ana.session() for _ in range(4)]
    for session in sessions:
        await ana.ask(session, "before")
    cramped_postgres.fill(left=3 * MEBIBYTE)
    said: dict[str, list[str]] = {session: ["before"] for session in sessions}
    turns: list[tuple[str, str]] = []
    while answer := await _said(ana, session := sessions[len(turns) % 4], text := os.urandom(8_000).hex()):
        said[session].append(text)
        turns.append((session, answer))
    await _until_ready(cramped_site, is_ready=False)
    await asyncio.sleep(FULL_SECONDS)
    cramped_postgres.make_room()
    cramped_postgres.ensure_running()
    await _until_ready(cramped_site, is_ready=True)
    for session, turn in turns:
        events = await ana.until(session, partial(has_ended, turn_id=turn))
        assert [e["status"] for e in events if e["type"] == "complete" and e["turn_id"] == turn] == ["success"]
    for session in sessions:
        events = await ana.ask(session, "after")
        assert [e["content"] for e in events if e["type"] == "user_message_confirmed"] == [*said[session], "after"]
    record_property("figure", f"{len(turns)} messages accepted, then refused; 0 lost, 0 failed")


async def _said(person: Person, session: str, text: str) -> str | None:
    """The turn of a message, or nothing if there is no room for it."""
    message = {"client_message_id": new_id(), "text": text}
    answer = await person.http.post(f"/api/sessions/{session}/messages", json=message)
    assert answer.status_code in (202, 503), answer.text
    return str(answer.json()["turn_id"]) if answer.status_code == 202 else None


async def _until_ready(site: Running, *, is_ready: bool) -> None:
    async with asyncio.timeout(60):
        while ((await site.stranger().http.get("/readyz")).status_code == 200) is not is_ready:
            await asyncio.sleep(0.05)
